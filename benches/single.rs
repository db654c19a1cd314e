//! One URI at a time, as a program with a single one calls it. `single` parses every line and looks at all components;
//! `normalize` makes the normal form as an owned text: of clean lines, of dirty ones, and of soiled ones alone, all of
//! which have to be rewritten.
//!
//! `urimill-url` is `whatwg::Url`, whose peers are `ada-url` and `url`, with `can_parse` apart; they are also compared on
//! URIs whose hosts are outside ASCII.
//!
//! `memchr-split` validates nothing and `copy` changes nothing: they are lower bounds. The peers follow other
//! specifications, which `peers.rs` names: each row is the price of its specification, not the same work.

use std::hint::black_box;

use criterion::Criterion;

use data::Data;
use peers::Parser;

mod data;
mod peers;

fn main() {
    let mut criterion = data::criterion();
    let data = Data::clean();
    let own: [(&str, Parser); 3] = [
        ("urimill", peers::urimill),
        ("urimill-url", peers::urimill_url),
        ("urimill-url-can_parse", peers::urimill_url_can_parse),
    ];
    let parsers: Vec<_> = own.into_iter().chain(peers::RIVALS).chain(peers::OTHERS).collect();
    bench(&mut criterion, "single", &data, &parsers);
    bench(&mut criterion, "normalize", &data, &peers::NORMALIZERS);
    let dirty = Data::dirty();
    bench(&mut criterion, "single", &dirty, &parsers[..5]);
    bench(&mut criterion, "normalize", &dirty, &peers::NORMALIZERS[..3]);
    let by_urls = ["urimill-url", "urimill-url-can_parse", "ada-url", "ada-url-can_parse", "url"];
    let by_urls: Vec<_> = parsers.into_iter().filter(|(name, _)| by_urls.contains(name)).collect();
    bench(&mut criterion, "single", &Data::international(), &by_urls);
    bench(&mut criterion, "normalize", &Data::soiled(), &peers::NORMALIZERS);
    criterion.final_summary();
}

fn bench(criterion: &mut Criterion, what: &str, data: &Data, parsers: &[(&str, Parser)]) {
    let mut group = data.group(criterion, what);
    let lines = data.lines();
    for (name, parse) in parsers {
        group.bench_function(*name, |b| b.iter(|| parse(black_box(&lines))));
    }
    group.finish();
}

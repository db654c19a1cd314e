//! References against bases, to targets as owned texts. `resolve` begins with two texts; `resolve-parsed` with a
//! base that is parsed already, as of a page with many links.
//!
//! `urimill-into` and `oxiri-into` write to one buffer over and over. oxiri may skip its second look at the
//! target (`resolve_unchecked`), as both texts have been validated. oxiri keeps to RFC 3987, url to WHATWG's
//! standard, the others to RFC 3986: read the rows as the price of each, not as the same work.

use std::cell::RefCell;
use std::hint::black_box;

use criterion::Criterion;
use urimill::resolve::{Mode, resolve, resolve_into};

use data::Data;

mod data;

fn main() {
    let mut criterion = data::criterion();
    let data = Data::links();
    for base_is_parsed in [false, true] {
        bench(&mut criterion, &data, base_is_parsed);
    }
    criterion.final_summary();
}

fn bench(criterion: &mut Criterion, data: &Data, base_is_parsed: bool) {
    let lines = data.lines();
    let pairs: Vec<_> = lines.iter().filter_map(|line| line.split_once('\t')).collect();
    let what = if base_is_parsed { "resolve-parsed" } else { "resolve" };
    let mut group = data.group(criterion, what);
    // A table of functions cannot hold them: each peer has a type of its own for a base.
    macro_rules! peer {
        ($name:literal, $parse:expr, $resolve:expr) => {
            group.bench_function($name, |b| match base_is_parsed {
                false => b.iter(|| from_texts(black_box(&pairs), $parse, $resolve)),
                true => {
                    let bases: Vec<_> = pairs.iter().map(|(base, _)| $parse(base)).collect();
                    b.iter(|| from_bases(black_box(&pairs), &bases, $resolve));
                }
            });
        };
    }
    let buffer = RefCell::new(Vec::new());
    let text = RefCell::new(String::new());
    peer!("urimill", urimill_base, |base, reference| {
        let reference = urimill::UriRef::parse(reference).ok()?;
        Some(resolve(base, &reference, Mode::Strict).ok()?.into_owned())
    });
    peer!("urimill-into", urimill_base, |base, reference| {
        let mut out = buffer.borrow_mut();
        out.clear();
        resolve_into(base, &urimill::UriRef::parse(reference).ok()?, Mode::Strict, &mut out).ok()
    });
    peer!("oxiri", oxiri_base, |base, reference| {
        Some(base.resolve_unchecked(&oxiri::IriRef::parse(reference).ok()?).into_inner())
    });
    peer!("oxiri-into", oxiri_base, |base, reference| {
        let mut out = text.borrow_mut();
        out.clear();
        base.resolve_into_unchecked(&oxiri::IriRef::parse(reference).ok()?, &mut *out);
        Some(out.len())
    });
    peer!("fluent-uri", fluent_base, |base, reference| {
        Some(fluent_uri::UriRef::parse(reference).ok()?.resolve_against(base).ok()?.into_string())
    });
    peer!("iri-string", iri_string_base, |base, reference| {
        let reference = iri_string::types::UriReferenceStr::new(reference).ok()?;
        Some(reference.resolve_against(base).to_string())
    });
    peer!("url", url_base, |base, reference| Some(String::from(base.join(reference).ok()?)));
    group.finish();
}

fn urimill_base(base: &str) -> Option<urimill::UriRef<'_>> {
    urimill::UriRef::parse(base).ok()
}

fn oxiri_base(base: &str) -> Option<oxiri::Iri<&str>> {
    oxiri::Iri::parse(base).ok()
}

fn fluent_base(base: &str) -> Option<fluent_uri::Uri<&str>> {
    fluent_uri::Uri::parse(base).ok()
}

fn iri_string_base(base: &str) -> Option<&iri_string::types::UriAbsoluteStr> {
    iri_string::types::UriAbsoluteStr::new(base).ok()
}

fn url_base(base: &str) -> Option<url::Url> {
    url::Url::parse(base).ok()
}

/// How many pairs have a target.
fn from_texts<'a, B, T>(
    pairs: &[(&'a str, &'a str)],
    parse: impl Fn(&'a str) -> Option<B>,
    resolve: impl Fn(&B, &'a str) -> Option<T>,
) -> usize {
    let target = |base, reference| resolve(&parse(base)?, reference);
    pairs.iter().filter(|(base, reference)| black_box(target(base, reference)).is_some()).count()
}

/// The same with the bases at hand.
fn from_bases<'a, B, T>(
    pairs: &[(&'a str, &'a str)],
    bases: &[Option<B>],
    resolve: impl Fn(&B, &'a str) -> Option<T>,
) -> usize {
    let target = |base: &Option<B>, reference| resolve(base.as_ref()?, reference);
    let pairs = pairs.iter().zip(bases);
    pairs.filter(|((_, reference), base)| black_box(target(base, reference)).is_some()).count()
}

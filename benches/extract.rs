//! URIs in text: `prose` has one in every 4 KiB, `links` is markup with one in every 200 bytes. Both are made of words
//! of the specifications, if the shared folder exists, and of the URIs of all benchmarks.
//!
//! `memchr` only finds every colon: the least that any search has to do. `urimill` looks for `www.` too,
//! `urimill-scheme` for schemes alone, `urimill-read` reads through a buffer as from a file; each parses the candidates
//! that it finds. linkify finds where links are: those with a scheme as `linkify-scheme`, and bare domain names and
//! mail addresses too as `linkify`. The counts differ: each row is the cost of that library's own definition of a link.
//! `defanged` is text made of defanged names (`example[.]com`), in two sizes.

use std::fs;
use std::hint::black_box;

use criterion::{Criterion, Throughput};
use linkify::{LinkFinder, LinkKind};
use urimill::extract::{Options, each_found, find};

use data::Data;

mod data;

const BYTES: usize = 16 << 20;
const WINDOW: usize = 256 << 10;

fn main() {
    let mut criterion = data::criterion();
    let data = Data::clean();
    let (uris, words) = (data.lines(), words());
    let prose = text(&uris, &words, 4096, |uri| format!("see {uri}, "));
    let links = text(&uris, &words, 200, |uri| format!("<a href=\"{uri}\">"));
    for (name, text) in [("prose", prose), ("links", links)] {
        bench(&mut criterion, name, &text);
    }
    defanged(&mut criterion);
    criterion.final_summary();
}

/// Defanged names and nothing between them, 100 kB and ten times that: the cost of a byte is the same.
fn defanged(criterion: &mut Criterion) {
    let options = Options::new().refang(true);
    let mut group = criterion.benchmark_group("extract/defanged");
    for (name, piece) in [
        ("names", "ab[.]cd,"),
        ("one-name", "ab[.]cd[.]"),
        ("paths", "ab[.]cd/^"),
        ("schemes", "hxxp://a[.]b/^"),
        ("no-names", "a[.]1 "),
    ] {
        for bytes in [100_000, 1_000_000] {
            let text = piece.repeat(bytes / piece.len());
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function(format!("{name}-{bytes}"), |b| {
                b.iter(|| find(black_box(text.as_bytes()), &options).count());
            });
        }
    }
    group.finish();
}

fn bench(criterion: &mut Criterion, name: &str, text: &str) {
    let options = Options::default();
    let mut group = criterion.benchmark_group(format!("extract/{name}"));
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("memchr", |b| {
        b.iter(|| memchr::memchr_iter(b':', black_box(text.as_bytes())).count());
    });
    group.bench_function("urimill", |b| b.iter(|| find(black_box(text.as_bytes()), &options).count()));
    let without_suffixes = Options::new().suffix_scheme(None);
    group.bench_function("urimill-scheme", |b| {
        b.iter(|| find(black_box(text.as_bytes()), &without_suffixes).count());
    });
    group.bench_function("urimill-read", |b| b.iter(|| read(black_box(text.as_bytes()), &options)));
    let mut with_scheme = LinkFinder::new();
    with_scheme.kinds(&[LinkKind::Url]);
    group.bench_function("linkify-scheme", |b| b.iter(|| with_scheme.links(black_box(text)).count()));
    let mut fuzzy = LinkFinder::new();
    fuzzy.url_must_have_scheme(false);
    group.bench_function("linkify", |b| b.iter(|| fuzzy.links(black_box(text)).count()));
    group.finish();
}

/// Reads through a buffer, as from a file.
fn read(mut text: &[u8], options: &Options) -> usize {
    let mut count = 0;
    let read = |buffer: &mut [u8]| std::io::Read::read(&mut text, buffer);
    let done = each_found(read, WINDOW, options, |_, _| {
        count += 1;
        Ok(())
    });
    done.expect("memory can be read");
    count
}

/// Words with their punctuation, from the specifications.
fn words() -> Vec<String> {
    let folder = std::env::var_os("URIMILL_SHARED").map_or("../shared".into(), std::path::PathBuf::from);
    let texts = ["rfc3986-part3-en.txt", "rfc2396.md"]
        .map(|name| fs::read_to_string(folder.join("specs").join(name)));
    let text: String = texts.into_iter().flatten().collect();
    let text = if text.is_empty() { MADE_UP.repeat(20) } else { text };
    let is_word = |word: &&str| !word.contains("//") && !word.contains("www.");
    text.split_whitespace().filter(is_word).map(str::to_owned).collect()
}

const MADE_UP: &str = "URIs are often transmitted through formats that do not say where they end: (1) mail, (2) news; \
                       \"quotes\" help, and so do <angle brackets>. Note: what follows is a text of no meaning.";

/// Words in random order, broken into lines, with a URI in every `step` bytes.
fn text(uris: &[&str], words: &[String], step: usize, wrap: impl Fn(&str) -> String) -> String {
    let mut text = String::with_capacity(BYTES + step);
    let (mut state, mut line) = (2024_u64, 0);
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut next = step;
    while text.len() < BYTES {
        if text.len() >= next {
            text += &wrap(uris[random(uris.len())]);
            next += step;
        }
        text += &words[random(words.len())];
        let ends_line = text.len() - line > 72;
        text.push(if ends_line { '\n' } else { ' ' });
        line = if ends_line { text.len() } else { line };
    }
    text
}

//! References against bases, to targets as owned texts. `resolve` begins with two texts; `resolve-parsed` with a base
//! that is parsed already, as for a page with many links.
//!
//! `urimill-into` and `oxiri-into` write to one buffer over and over. oxiri may skip its check of the target
//! (`resolve_unchecked`), as both texts have been validated. oxiri follows RFC 3987, url the URL Standard, the others
//! RFC 3986: each row is the price of its specification, not the same work.
//!
//! `resolve-bulk` is the work of a batch with the links of pages, page after page and mixed. `urimill` makes the column
//! `uri`, targets in normal form, from arrays of references and bases, 8,192 rows at once as engines pass them;
//! `urimill-tsv` from the lines of a file, and `urimill-tsv-table` all columns; `fields-alone` only finds the fields.
//! `fluent-uri` parses each reference, and a base once for successive references against it, and makes a text of each
//! target as it is; for `fluent-uri-parsed` both are parsed already. `urimill-tsv-table-whatwg` is the table by the URL
//! Standard, `urimill-tsv-table-both` the default one with the columns of the URL and of its differences; `ada-url`
//! parses each reference with the text of its base, `url` with a base that is parsed once for successive references.

use std::cell::RefCell;
use std::hint::black_box;
use std::io::Cursor;
use std::sync::Arc;

use arrow::array::StringArray;
use arrow::buffer::Buffer;
use criterion::Criterion;
use urimill::Level;
use urimill::batch::{Column, Columns, Normalizer, Options, Origin, Reading, Records};
use urimill::read::format::{Asked, Field, Header, InputFormat, UriSource};
use urimill::read::{Chunk, ChunkOptions, Chunker, Format, RecordSource};
use urimill::resolve::{Mode, resolve, resolve_into};

use data::Data;

mod data;

/// Rows of a batch as an engine makes it.
const BATCH: usize = 8192;

fn main() {
    let mut criterion = data::criterion();
    let data = Data::links();
    for base_is_parsed in [false, true] {
        bench(&mut criterion, &data, base_is_parsed);
    }
    for data in [Data::links_by_page(), Data::links()] {
        bench_bulk(&mut criterion, &data);
    }
    criterion.final_summary();
}

fn bench_bulk(criterion: &mut Criterion, data: &Data) {
    let lines = data.lines();
    let pairs: Vec<_> = lines.iter().filter_map(|line| line.split_once('\t')).collect();
    let batches: Vec<(StringArray, StringArray)> = pairs
        .chunks(BATCH)
        .map(|pairs| {
            let references = pairs.iter().map(|(_, reference)| Some(*reference)).collect();
            (references, pairs.iter().map(|(base, _)| Some(*base)).collect())
        })
        .collect();
    let (format, chunks) = tsv_chunks(data);
    let mut group = data.group(criterion, "resolve-bulk");
    let normalizer = |reading, columns| Normalizer::new(Options { reading, columns, ..Options::default() });
    let uri = || Columns::new([Column::Uri]);

    for (name, level) in [("urimill", Level::Scheme), ("urimill-level-none", Level::None)] {
        let mut normalizer = normalizer(Reading::default().at_level(level), uri());
        group.bench_function(name, |b| {
            b.iter(|| {
                for (references, bases) in black_box(&batches) {
                    black_box(normalizer.array_with_bases(references, bases).expect("a table"));
                }
            });
        });
    }
    for (name, columns) in [("urimill-tsv", uri()), ("urimill-tsv-table", Columns::default())] {
        let mut normalizer = normalizer(Reading::default(), columns);
        group.bench_function(name, |b| b.iter(|| tables(&mut normalizer, &format, black_box(&chunks))));
    }
    let both = Columns::parse("+whatwg_uri,+whatwg_host,+disagreement").expect("these columns exist");
    let by_urls = [
        ("urimill-tsv-table-whatwg", Reading::Whatwg, Columns::default()),
        ("urimill-tsv-table-both", Reading::default(), both),
    ];
    for (name, reading, columns) in by_urls {
        let mut normalizer = normalizer(reading, columns);
        group.bench_function(name, |b| b.iter(|| tables(&mut normalizer, &format, black_box(&chunks))));
    }
    group.bench_function("ada-url", |b| {
        b.iter(|| {
            let urls = black_box(&pairs).iter().map(|(base, text)| ada_url::Url::parse(text, Some(base)));
            urls.filter(|url| black_box(url).is_ok()).count()
        });
    });
    group.bench_function("url", |b| b.iter(|| urls_by_runs(black_box(&pairs))));
    group.bench_function("fields-alone", |b| b.iter(|| fields(&format, black_box(&chunks))));
    group.bench_function("fluent-uri", |b| b.iter(|| fluent_by_runs(black_box(&pairs))));
    let parsed: Vec<_> =
        pairs.iter().map(|(_, reference)| fluent_uri::UriRef::parse(*reference).ok()).collect();
    let bases: Vec<_> = pairs.iter().map(|(base, _)| fluent_base(base)).collect();
    group.bench_function("fluent-uri-parsed", |b| {
        b.iter(|| {
            let target = |(reference, base): (&Option<fluent_uri::UriRef<&str>>, &Option<_>)| {
                Some(reference.as_ref()?.resolve_against(base.as_ref()?).ok()?.into_string())
            };
            let pairs = black_box(&parsed).iter().zip(&bases);
            pairs.filter(|pair| black_box(target(*pair)).is_some()).count()
        });
    });
    group.finish();
}

/// The number of references that have a URL; a base is parsed once for successive references against it.
fn urls_by_runs(pairs: &[(&str, &str)]) -> usize {
    let mut last: (&str, Option<url::Url>) = ("", None);
    let mut count = 0;
    for (base, reference) in pairs {
        if *base != last.0 {
            last = (base, url::Url::parse(base).ok());
        }
        let url = last.1.as_ref().and_then(|base| base.join(reference).ok());
        count += usize::from(black_box(url).is_some());
    }
    count
}

/// The chunks of the data as a file.
fn tsv_chunks(data: &Data) -> (Format, Vec<Chunk>) {
    let uri = Some(UriSource::Field(Field::Number(2)));
    let asked =
        Asked { uri, base: Some("1".to_owned()), header: Header::No, longest: 1 << 20, ..Asked::default() };
    let format = InputFormat::Tsv.reader(&asked).expect("numbers need no header");
    let text = Cursor::new(data.text.clone().into_bytes());
    let chunker = Chunker::from_reader("links", Box::new(text), ChunkOptions::default(), Arc::default());
    let RecordSource::Chunks(mut source) = chunker.with_format(format.clone()).begin().expect("two fields")
    else {
        panic!("tables")
    };
    let chunks = std::iter::from_fn(|| source.next_chunk().expect("a text in memory")).collect();
    (format, chunks)
}

/// The work of a pipeline's worker on its chunks.
fn tables(normalizer: &mut Normalizer, format: &Format, chunks: &[Chunk]) -> usize {
    let mut records = Records::default();
    let mut rows = 0;
    for chunk in chunks {
        let buffer = Buffer::from(chunk.bytes.clone());
        let mut at = chunk.header;
        while at < chunk.len {
            records.clear();
            at = format.find(&chunk.text(), (at, normalizer.most_rows()), &mut records);
            let made = normalizer.records(&buffer, &mut records, Origin::default()).expect("a table");
            rows += black_box(made).0.num_rows();
        }
    }
    rows
}

/// The part of it that finds the fields.
fn fields(format: &Format, chunks: &[Chunk]) -> usize {
    let mut records = Records::default();
    let mut rows = 0;
    for chunk in chunks {
        records.clear();
        format.find(&chunk.text(), (chunk.header, usize::MAX), &mut records);
        rows += black_box(&records).len();
    }
    rows
}

/// Parses each base once for successive references against it.
fn fluent_by_runs(pairs: &[(&str, &str)]) -> usize {
    let mut resolved = 0;
    for run in pairs.chunk_by(|a, b| a.0 == b.0) {
        let Some(base) = fluent_base(run[0].0) else { continue };
        let target = |reference| {
            let reference = fluent_uri::UriRef::parse(reference).ok()?;
            Some(reference.resolve_against(&base).ok()?.into_string())
        };
        resolved += run.iter().filter(|(_, reference)| black_box(target(*reference)).is_some()).count();
    }
    resolved
}

fn bench(criterion: &mut Criterion, data: &Data, base_is_parsed: bool) {
    let lines = data.lines();
    let pairs: Vec<_> = lines.iter().filter_map(|line| line.split_once('\t')).collect();
    let what = if base_is_parsed { "resolve-parsed" } else { "resolve" };
    let mut group = data.group(criterion, what);
    // A table of functions cannot hold these: each peer has a type of its own for a base.
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

/// The number of pairs that have a target.
fn from_texts<'a, B, T>(
    pairs: &[(&'a str, &'a str)],
    parse: impl Fn(&'a str) -> Option<B>,
    resolve: impl Fn(&B, &'a str) -> Option<T>,
) -> usize {
    let target = |base, reference| resolve(&parse(base)?, reference);
    pairs.iter().filter(|(base, reference)| black_box(target(base, reference)).is_some()).count()
}

/// The same with parsed bases.
fn from_bases<'a, B, T>(
    pairs: &[(&'a str, &'a str)],
    bases: &[Option<B>],
    resolve: impl Fn(&B, &'a str) -> Option<T>,
) -> usize {
    let target = |base: &Option<B>, reference| resolve(base.as_ref()?, reference);
    let pairs = pairs.iter().zip(bases);
    pairs.filter(|((_, reference), base)| black_box(target(base, reference)).is_some()).count()
}

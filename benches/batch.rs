//! Bytes to columns in memory: the default table as string views, chunk by chunk as a pipeline worker makes it, and the
//! steps before it, each timed by itself.
//!
//! `scan` stops at the components' offsets, before verdicts and columns; `table` minus `scan` is the cost of the slow
//! path, the normal forms and fifteen columns. `read-table` also copies the bytes through the pipeline's reader into
//! its pooled buffers; `plain-strings` minus `table` is the cost of strings without views; `array-table` starts from an
//! Arrow array of the lines instead of their bytes. `oxiri` and `fluent-uri` only parse the same lines, which are split
//! beforehand. `whatwg` is the table by the URL Standard, `both` the default one with the columns of the URL and of its
//! differences; `ada-url` and `url` parse the same lines.
//!
//! `offsets` and `offsets-whatwg` are `LineSplits`: lines found, validated and split, and by the URL Standard
//! serialized, without a table; `verdicts` and `verdicts-whatwg` only return which lines are valid.
//!
//! `json-lines` finds the members of the lines of a log in JSON, each with the line's URI: `urimill` keeps the
//! requested ones as rows, `serde_json` visits each member and keeps nothing.
//!
//! `columns` measures the columns that are made from a URI: each minus `uri` is the cost of that column. `psl` only
//! finds the registered domain of each host.

use std::borrow::Cow;
use std::fmt;
use std::hint::black_box;
use std::io::Cursor;
use std::sync::Arc;

use arrow::array::{Array, StringArray};
use arrow::buffer::Buffer;
use criterion::{Criterion, Throughput};
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use urimill::Standard;
use urimill::batch::{
    BATCH_ROWS, Columns, LineSplits, MAX_ROWS, Normalizer, Options, Origin, Reading, Records,
};
use urimill::grammar::Spec;
use urimill::read::format::{Asked, Field, InputFormat, Keep, UriSource};
use urimill::read::{ChunkOptions, Chunker, RecordSource};
use urimill::simd::{Isa, Splits, split_lines};
use urimill::write::{export_schema, to_plain};

use data::Data;

mod data;
mod peers;

/// Rows of a batch from an array, as in the Python package.
const ARRAY_ROWS: usize = BATCH_ROWS;

fn main() {
    let mut criterion = data::criterion();
    for data in Data::ladder() {
        bench(&mut criterion, &data);
    }
    columns(&mut criterion, &Data::clean());
    json_lines(&mut criterion, &Data::clean());
    criterion.final_summary();
}

fn bench(criterion: &mut Criterion, data: &Data) {
    let mut group = data.group(criterion, "batch");
    let chunks = data.chunks();

    let mut splits = Splits::default();
    group.bench_function("scan", |b| {
        b.iter(|| {
            for chunk in &chunks {
                splits.clear();
                let (range, how) = ((0, chunk.len), (Spec::Rfc3986, None));
                split_lines(&chunk.buffer, range, MAX_ROWS, 1 << 20, how, &mut splits);
                black_box(&splits);
            }
        });
    });

    for standard in [Standard::default(), Standard::Whatwg] {
        let suffix = if standard == Standard::Whatwg { "-whatwg" } else { "" };
        let mut lines = LineSplits::new(standard);
        group.bench_function(format!("offsets{suffix}"), |b| {
            b.iter(|| {
                for chunk in &chunks {
                    let mut at = 0;
                    while at < chunk.len {
                        at = black_box(&mut lines).split(&chunk.buffer, (at, chunk.len));
                    }
                }
            });
        });
        group.bench_function(format!("verdicts{suffix}"), |b| {
            b.iter(|| {
                for chunk in &chunks {
                    let range = (0, chunk.len);
                    black_box(LineSplits::count_valid(standard, &chunk.buffer, range));
                }
            });
        });
    }

    let table = |isa| Normalizer::new(Options { isa, ..Options::default() });
    let parts = Columns::parse("scheme,host,path,query").expect("these columns exist");
    let parts = Normalizer::new(Options { columns: parts, ..Options::default() });
    let uri = Columns::parse("uri").expect("this column exists");
    let uri = Normalizer::new(Options { columns: uri, ..Options::default() });
    let kernels = Isa::available().map(|isa| (format!("table-{}", isa.as_str()), table(Some(isa))));
    let whatwg = Normalizer::new(Options { reading: Reading::Whatwg, ..Options::default() });
    let both = Columns::parse("+whatwg_uri,+whatwg_host,+disagreement").expect("these columns exist");
    let both = Normalizer::new(Options { columns: both, ..Options::default() });
    let named = [
        ("table", table(None)),
        ("scheme-host-path-query", parts),
        ("uri", uri),
        ("whatwg", whatwg),
        ("both", both),
    ];
    let named = named.map(|(name, normalizer)| (name.to_owned(), normalizer));
    for (name, mut normalizer) in named.into_iter().chain(kernels) {
        group.bench_function(name, |b| {
            b.iter(|| {
                for chunk in &chunks {
                    batches(&mut normalizer, &chunk.buffer, chunk.len);
                }
            });
        });
    }

    let mut normalizer = table(None);
    group.bench_function("plain-strings", |b| {
        b.iter(|| {
            for chunk in &chunks {
                let mut at = 0;
                while at < chunk.len {
                    let range = (at, chunk.len);
                    let made = normalizer.lines(&chunk.buffer, range, Origin::default());
                    let (batch, _, next) = made.expect("lines of a chunk make a batch");
                    let schema = Arc::new(export_schema(&batch.schema()));
                    black_box(to_plain(&batch, &schema).expect("views become strings"));
                    at = next;
                }
            }
        });
    });

    let bytes: Arc<[u8]> = data.text.as_bytes().into();
    let mut normalizer = table(None);
    group.bench_function("read-table", |b| {
        b.iter(|| {
            let reader = Box::new(Cursor::new(bytes.clone()));
            let chunker = Chunker::from_reader("text", reader, ChunkOptions::default(), Arc::default());
            let RecordSource::Chunks(mut chunks) = chunker.begin().expect("a list") else { panic!("tables") };
            while let Some(chunk) = chunks.next_chunk().expect("reading from memory does not fail") {
                batches(&mut normalizer, &Buffer::from(chunk.bytes), chunk.len);
            }
        });
    });

    let lines = data.lines();
    let array = StringArray::from_iter_values(&lines);
    let mut normalizer = table(None);
    group.bench_function("array-table", |b| {
        b.iter(|| {
            for at in (0..array.len()).step_by(ARRAY_ROWS) {
                let rows = array.slice(at, ARRAY_ROWS.min(array.len() - at));
                let made = normalizer.array(&rows);
                black_box(made.expect("texts make a batch"));
            }
        });
    });

    group.bench_function("oxiri", |b| b.iter(|| merely(&lines, |line| oxiri::IriRef::parse(line).is_ok())));
    group.bench_function("fluent-uri", |b| {
        b.iter(|| merely(&lines, |line| fluent_uri::UriRef::parse(line).is_ok()));
    });
    group.bench_function("ada-url", |b| {
        b.iter(|| merely(&lines, |line| ada_url::Url::parse(line, None).is_ok()));
    });
    group.bench_function("ada-url-can_parse", |b| {
        b.iter(|| merely(&lines, |line| ada_url::Url::can_parse(line, None)));
    });
    group.bench_function("url", |b| b.iter(|| merely(&lines, |line| url::Url::parse(line).is_ok())));
    group.finish();
}

fn columns(criterion: &mut Criterion, data: &Data) {
    let mut group = data.group(criterion, "columns");
    let chunks = data.chunks();
    for added in ["", "surt", "registered_domain", "host_reversed"] {
        let columns = Columns::parse(&format!("uri,{added}")).expect("these columns exist");
        let mut normalizer = Normalizer::new(Options { columns, ..Options::default() });
        group.bench_function(if added.is_empty() { "uri" } else { added }, |b| {
            b.iter(|| {
                for chunk in &chunks {
                    batches(&mut normalizer, &chunk.buffer, chunk.len);
                }
            });
        });
    }
    let uris = data.lines().into_iter().filter_map(|line| urimill::UriRef::parse(line).ok());
    let hosts: Vec<String> = uris.filter_map(|uri| uri.host().map(str::to_owned)).collect();
    group.bench_function("psl", |b| {
        b.iter(|| black_box(&hosts).iter().filter(|host| psl::domain(host.as_bytes()).is_some()).count());
    });
    group.finish();
}

fn json_lines(criterion: &mut Criterion, data: &Data) {
    let lines = data.lines().into_iter().enumerate().map(|(at, uri)| {
        let (second, status, size) = (at % 60, 200 + at % 7, at * 37 % 100_000);
        let uri = serde_json::to_string(uri).expect("a text");
        format!(
            r#"{{"ts":"2024-05-01T00:00:{second:02}Z","url":{uri},"status":{status},"size":{size},"agent":"{}","referer":"{}"}}"#,
            ["Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/115.0", "curl/8"][at % 2],
            ["https://en.example.org/wiki/Occam", ""][at % 2],
        )
    });
    let lines: Vec<String> = lines.collect();
    let text = lines.join("\n") + "\n";
    let mut group = criterion.benchmark_group(format!("json-lines/{}", data.name));
    group.throughput(Throughput::ElementsAndBytes { elements: lines.len() as u64, bytes: text.len() as u64 });

    let keep = Keep::Names(["ts", "status", "size", "agent", "referer"].map(str::to_owned).to_vec());
    let uri = || Some(UriSource::Field(Field::Name("url".to_owned())));
    for (name, keep) in [("urimill-url", Keep::None), ("urimill", keep)] {
        let format = InputFormat::Jsonl
            .reader(&Asked { uri: uri(), ..Asked::keeping(keep, 1 << 20) })
            .expect("a member is the URI");
        let source = Box::new(Cursor::new(text.clone().into_bytes()));
        let chunker = Chunker::from_reader("log", source, ChunkOptions::default(), Arc::default());
        let RecordSource::Chunks(mut source) = chunker.with_format(format.clone()).begin().expect("a log")
        else {
            panic!("tables")
        };
        let chunks: Vec<_> = std::iter::from_fn(|| source.next_chunk().expect("a text in memory")).collect();
        let mut records = Records::default();
        group.bench_function(name, |b| {
            b.iter(|| {
                for chunk in &chunks {
                    let mut at = chunk.header;
                    while at < chunk.len {
                        records.clear();
                        at = format.find(&black_box(chunk).text(), (at, BATCH_ROWS), &mut records);
                        black_box(&records);
                    }
                }
            });
        });
    }
    group.bench_function("serde_json", |b| {
        b.iter(|| black_box(&lines).iter().map(|line| members(line)).sum::<usize>());
    });
    group.finish();
}

/// Visits the members of an object with `serde_json`, which skips their values.
fn members(line: &str) -> usize {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = usize;

        fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<usize, A::Error> {
            let mut count = 0;
            while map.next_entry::<Cow<'de, str>, IgnoredAny>()?.is_some() {
                count += 1;
            }
            Ok(count)
        }
    }
    serde_json::Deserializer::from_str(line).deserialize_map(Members).expect("an object")
}

/// Makes all batches of a chunk; each is dropped before the next is made, as if a sink had taken it.
fn batches(normalizer: &mut Normalizer, buffer: &Buffer, len: usize) {
    let mut at = 0;
    while at < len {
        let made = normalizer.lines(buffer, (at, len), Origin::default());
        let (batch, tally, next) = made.expect("lines of a chunk make a batch");
        black_box((batch, tally));
        at = next;
    }
}

/// The verdict on each line, without its components.
fn merely(lines: &[&str], is_valid: impl Fn(&str) -> bool) -> usize {
    black_box(lines).iter().filter(|line| black_box(is_valid(line))).count()
}

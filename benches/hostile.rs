//! Hostile input next to clean input: lists in which every record is a reject or has to be changed, lists of empty
//! lines and of records of three bytes, and one line of a gigabyte. From bytes to the default table, through the
//! pipeline's reader.
//!
//! Compare times per byte; for empty lines and tiny records, where a table has a row for every few bytes, times per
//! record. An attacker would pick a class that is more than four times as slow as `clean`.

use std::io::{Cursor, Read};
use std::sync::Arc;

use arrow::buffer::Buffer;
use criterion::Throughput;
use urimill::batch::{Normalizer, Options, Origin};
use urimill::read::{ChunkOptions, Chunker, RecordSource};

use data::Data;

mod data;

/// The length of the one long line.
const LONG: u64 = 1 << 30;

fn main() {
    let mut criterion = data::criterion().sample_size(10);
    let data = Data::clean();
    let lines = |change: &dyn Fn(&str) -> String| data.lines().into_iter().map(change).collect::<String>();
    let classes = [
        ("clean", data.text.clone()),
        ("crlf", lines(&|line| format!("{line}\r\n"))),
        ("all-rejects", lines(&|line| format!("{line} x\n"))),
        ("all-triplets", lines(&|line| format!("{line}/%D0%B0%41%2f\n"))),
        ("all-upper-case", lines(&|line| line.replacen("://", "://WWW.", 1) + "\n")),
        ("all-mailto", (0..data.lines().len()).map(|i| format!("mailto:reader{i}@example.com\n")).collect()),
        ("empty-lines", "\n".repeat(16 << 20)),
        ("tiny-records", "a/b\n".repeat(4 << 20)),
    ];
    let mut group = criterion.benchmark_group("hostile");
    for (name, text) in classes {
        let (elements, bytes) = (text.matches('\n').count() as u64, text.len() as u64);
        group.throughput(Throughput::ElementsAndBytes { elements, bytes });
        let text: Arc<[u8]> = text.into_bytes().into();
        group.bench_function(name, |b| b.iter(|| table(Box::new(Cursor::new(text.clone())))));
    }
    group.throughput(Throughput::ElementsAndBytes { elements: 1, bytes: LONG });
    group.bench_function("one-line", |b| {
        b.iter(|| {
            table(Box::new(Cursor::new("http://example.com/").chain(std::io::repeat(b'a').take(LONG))))
        });
    });
    group.finish();
    criterion.final_summary();
}

/// Reads to the end and makes every batch; each is dropped before the next is made, as if a sink had taken it.
fn table(reader: Box<dyn Read + Send>) -> u64 {
    let chunker = Chunker::from_reader("input", reader, ChunkOptions::default(), Arc::default());
    let RecordSource::Chunks(mut chunks) = chunker.begin().expect("a list") else { panic!("tables") };
    let mut normalizer = Normalizer::new(Options::default());
    let mut lines = 0;
    while let Some(chunk) = chunks.next_chunk().expect("reading from memory does not fail") {
        let buffer = Buffer::from(chunk.bytes);
        if chunk.overlong.is_some() {
            let made = normalizer.overlong(&buffer, chunk.len, Origin::default());
            lines += made.expect("a record's beginning makes a batch").1.lines();
            continue;
        }
        let mut at = 0;
        while at < chunk.len {
            let made = normalizer.lines(&buffer, (at, chunk.len), Origin::default());
            let (_, tally, next) = made.expect("lines make a batch");
            lines += tally.lines();
            at = next;
        }
    }
    lines
}

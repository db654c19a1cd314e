//! Texts in memory to columns, with one thread, two, and as many as there are processors: `urimill::par` beside the
//! sequential call and beside other parsers whose lines are shared out by rayon.
//!
//! `lines` is the default table of a text in shared memory, whose batches are dropped; `host` has that column alone;
//! `slice` copies the text piece by piece; `array` starts from an Arrow array, and `strings` from a slice of strings.
//! `sequential` is `Normalizer::lines`, batch by batch. `oxiri` and `fluent-uri` only parse the lines, which are found
//! beforehand, in chunks of as many lines as a batch has.

use std::hint::black_box;

use arrow::array::StringArray;
use arrow::buffer::Buffer;
use bytes::Bytes;
use criterion::Criterion;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use urimill::batch::{BATCH_ROWS, Columns, Normalizer, Options, Origin};
use urimill::par;
use urimill::simd::PADDING;

use data::Data;

mod data;

/// The list is repeated, so that each thread has many pieces.
const REPEATED: usize = 10;

fn main() {
    let mut criterion = data::criterion();
    bench(&mut criterion, &Data::clean().repeated(REPEATED));
    criterion.final_summary();
}

fn bench(criterion: &mut Criterion, data: &Data) {
    let mut group = data.group(criterion, "par");
    let lines = data.lines();
    group.sample_size(10);

    let options = Options::default();
    let mut padded = data.text.clone().into_bytes();
    padded.resize(data.text.len() + PADDING, b'\n');
    let buffer = Buffer::from_vec(padded);
    let mut normalizer = Normalizer::new(options.clone());
    group.bench_function("sequential", |b| {
        b.iter(|| {
            let mut at = 0;
            while at < data.text.len() {
                let range = (at, data.text.len());
                let (batch, _, next) = normalizer.lines(&buffer, range, Origin::default()).expect("a batch");
                black_box(batch);
                at = next;
            }
        });
    });

    let shared = Bytes::from(data.text.clone());
    let array = StringArray::from_iter_values(&lines);
    let host = Options { columns: Columns::parse("host").expect("a column"), ..Options::default() };
    for (name, pool) in pools() {
        let mut run = |what: &str, work: &(dyn Fn() + Sync)| {
            group.bench_function(format!("{what}/{name}"), |b| b.iter(|| pool.install(work)));
        };
        let all = |batches: par::Batches<'_>| {
            batches.for_each(|batch| drop(black_box(batch.expect("a batch"))));
        };
        run("lines", &|| all(par::lines(shared.clone(), &options)));
        run("host", &|| all(par::lines(shared.clone(), &host)));
        run("slice", &|| all(par::lines(&data.text, &options)));
        run("array", &|| all(par::array(&array, &options).expect("texts")));
        run("strings", &|| all(par::strings(&lines, &options)));
        let count = |is_valid: &(dyn Fn(&str) -> bool + Sync)| {
            let chunks = lines.par_chunks(BATCH_ROWS);
            black_box(chunks.map(|lines| lines.iter().filter(|line| is_valid(line)).count()).sum::<usize>());
        };
        run("oxiri", &|| count(&|line| oxiri::IriRef::parse(line).is_ok()));
        run("fluent-uri", &|| count(&|line| fluent_uri::UriRef::parse(line).is_ok()));
    }
    group.finish();
}

/// Pools of one thread, two, and all.
fn pools() -> Vec<(String, ThreadPool)> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let mut counts = vec![1, 2, all];
    counts.dedup();
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    counts.into_iter().map(|threads| (threads.to_string(), pool(threads))).collect()
}

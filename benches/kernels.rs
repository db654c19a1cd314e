//! Bytes to components: the cost of the kernels compared with just finding the newlines.
//!
//! The baseline is `memchr_iter`, which scans the same chunks and only counts the lines; a kernel at 1.0 of it splits
//! and validates every URI for free. `…-judged` adds the full parser for the records that the kernel could not decide,
//! so that every line has a verdict: compare this with the parsers, which follow. `…-verdicts` only returns which lines
//! are valid, without offsets.

use std::hint::black_box;

use criterion::Criterion;
use urimill::UriRef;
use urimill::batch::MAX_ROWS;
use urimill::grammar::Spec;
use urimill::simd::{Isa, SlowPath, Span, Splits, list_unsure, split_lines};

use data::{Chunk, Data};

mod data;
mod peers;

/// The number of records at once, the batches' default.
const MAX_RECORD: usize = 1 << 20;

fn main() {
    let mut criterion = data::criterion();
    for data in Data::ladder() {
        bench(&mut criterion, &data);
    }
    criterion.final_summary();
}

fn bench(criterion: &mut Criterion, data: &Data) {
    let mut group = data.group(criterion, "kernels");
    let chunks = data.chunks();
    group.bench_function("memchr_iter", |b| {
        b.iter(|| {
            for chunk in &chunks {
                // `count` would be another algorithm, one that finds no positions.
                black_box(
                    memchr::memchr_iter(b'\n', &chunk.buffer[..chunk.len]).fold(0, usize::wrapping_add),
                );
            }
        });
    });
    let (mut splits, mut unsure) = (Splits::default(), Vec::new());
    for isa in Isa::available() {
        group.bench_function(isa.as_str(), |b| {
            b.iter(|| chunks.iter().for_each(|chunk| split(chunk, isa, &mut splits)));
        });
        group.bench_function(format!("{}-judged", isa.as_str()), |b| {
            b.iter(|| chunks.iter().map(|chunk| judge(chunk, isa, &mut splits)).sum::<usize>());
        });
        group.bench_function(format!("{}-verdicts", isa.as_str()), |b| {
            b.iter(|| chunks.iter().map(|chunk| verdicts(chunk, isa, &mut unsure)).sum::<usize>());
        });
    }
    if !data.name.ends_with("dirty") {
        let lines = data.lines();
        // Peers that need a base for relative references would parse nothing.
        let parses = |name: &str| data.name != "refs" || ["oxiri", "fluent-uri"].contains(&name);
        for (name, parse) in peers::RIVALS.into_iter().filter(|(name, _)| parses(name)) {
            group.bench_function(name, |b| b.iter(|| parse(black_box(&lines))));
        }
    }
    group.finish();
}

/// The verdict on each line alone, without offsets. Returns how many are rejects.
fn verdicts(chunk: &Chunk, isa: Isa, unsure: &mut Vec<Span>) -> usize {
    unsure.clear();
    black_box(list_unsure(&chunk.buffer, (0, chunk.len), (Spec::Rfc3986, Some(isa)), unsure));
    let text = |span: &Span| &chunk.buffer[span.start as usize..][..span.len as usize];
    unsure.iter().filter(|span| black_box(UriRef::parse(text(span))).is_err()).count()
}

/// The splits of a chunk, in reused memory.
fn split(chunk: &Chunk, isa: Isa, splits: &mut Splits) {
    splits.clear();
    let how = (Spec::Rfc3986, Some(isa));
    let progress = split_lines(&chunk.buffer, (0, chunk.len), MAX_ROWS, MAX_RECORD, how, splits);
    assert!(progress.done, "no chunk has more lines than a batch has rows");
    black_box(&*splits);
}

/// The same, with a verdict for each record that the kernel could not decide. Returns the number of rejects.
fn judge(chunk: &Chunk, isa: Isa, splits: &mut Splits) -> usize {
    split(chunk, isa, splits);
    let mut rejects = 0;
    for &row in &splits.slow_rows {
        let row = row as usize;
        if splits.slow_path[row].has(SlowPath::UNSURE) {
            let text = &chunk.buffer[splits.start[row] as usize..][..splits.end[row] as usize];
            rejects += usize::from(black_box(UriRef::parse(text)).is_err());
        }
    }
    rejects
}

//! File to file: the whole pipeline, with one and with two threads, next to the part of the work that no faster
//! splitting of URIs can reduce.
//!
//! `parquet-crate` writes the same table with the same properties through the parquet crate's own `ArrowWriter`, from
//! arrays in memory; `…-utf8` does so from plain strings instead of views. A run at 1.25 of it spends a fifth of its
//! time on everything before the writing. Files are synced in all cases.

use std::fs::File;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use criterion::Criterion;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression as Codec, Encoding, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;
use urimill::batch::{BATCH_ROWS, MAX_ROWS, Normalizer, Options, Origin};
use urimill::pipeline::{self, OnInvalid, Plan, Progress};
use urimill::read::{ChunkOptions, Chunker, Source};
use urimill::threads::Workers;
use urimill::write;
use urimill::write::{Compression, Format, SinkOptions, Target, export_schema, to_plain};

use data::Data;

mod data;

/// The program's allocator: pages are large and live long, and the system's allocator would request them anew for every
/// run.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let mut criterion = data::criterion().sample_size(10);
    let data = Data::clean();
    let folder = tempfile::tempdir().expect("the system has a folder for temporary files");
    bench(&mut criterion, &data, folder.path());
    criterion.final_summary();
}

fn bench(criterion: &mut Criterion, data: &Data, folder: &Path) {
    let input = folder.join("uris.txt");
    std::fs::write(&input, &data.text).expect("the folder for temporary files takes a file");
    let output = folder.join("table");
    let mut group = data.group(criterion, "end_to_end");

    let (views, texts) = (ready(data), ready(data).iter().map(plain).collect::<Vec<_>>());
    for compression in [Compression::Zstd(3), Compression::Snappy, Compression::None] {
        let name = format!("parquet-{}", compression.name());
        for threads in [1, 2] {
            group.bench_function(format!("{name}/{threads}"), |b| {
                b.iter(|| run(&input, &output, (Format::Parquet, compression), threads));
            });
        }
        group.bench_function(format!("{name}/parquet-crate"), |b| {
            b.iter(|| write(&views, compression, &output));
        });
        group.bench_function(format!("{name}/parquet-crate-utf8"), |b| {
            b.iter(|| write(&texts, compression, &output));
        });
    }
    let null = Path::new("/dev/null");
    for threads in [1, 2] {
        if null.exists() {
            group.bench_function(format!("arrow-stream-to-null/{threads}"), |b| {
                b.iter(|| run(&input, null, (Format::ArrowStream, Compression::None), threads));
            });
        }
    }
    group.finish();
}

/// Runs the command on one file with default options.
fn run(input: &Path, output: &Path, (format, compression): (Format, Compression), threads: usize) {
    let sources = vec![Source::File(input.to_owned())];
    let chunker = Chunker::new(sources, ChunkOptions::default(), Arc::default());
    let source = chunker.begin().expect("a list");
    let batch_rows = if format == Format::Parquet { MAX_ROWS } else { BATCH_ROWS };
    let options = Options { batch_rows, ..Options::default() };
    let plan = Plan::new(&source, options, false).expect("a list has offsets");
    let target = Target::create(output, true).expect("the output can be created");
    let options = SinkOptions { compression, ..SinkOptions::default() };
    let sink = write::create(format, target, plan.table_schema(), &options).expect("the table has a format");
    let summary =
        pipeline::run(source, &plan, &Workers::start(threads), sink, OnInvalid::Keep, &Progress::default());
    black_box(summary.expect("the run succeeds"));
}

/// The batches that a run makes of the data, before they are written.
fn ready(data: &Data) -> Vec<RecordBatch> {
    let mut normalizer = Normalizer::new(Options { batch_rows: MAX_ROWS, ..Options::default() });
    let mut batches = Vec::new();
    let mut first_record = 1;
    for chunk in data.chunks() {
        let mut at = 0;
        while at < chunk.len {
            let origin = Origin { first_record, ..Origin::default() };
            let made = normalizer.lines(&chunk.buffer, (at, chunk.len), origin);
            let (batch, tally, next) = made.expect("lines of a chunk make a batch");
            first_record += tally.lines() as i64;
            batches.push(batch);
            at = next;
        }
    }
    batches
}

fn plain(batch: &RecordBatch) -> RecordBatch {
    to_plain(batch, &Arc::new(export_schema(batch.schema_ref()))).expect("a chunk is shorter than 2 GiB")
}

fn write(batches: &[RecordBatch], compression: Compression, output: &Path) {
    let file = File::create(output).expect("the output can be created");
    let options =
        ArrowWriterOptions::new().with_properties(properties(compression)).with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(file, batches[0].schema(), options)
        .expect("the schema is Parquet's");
    for batch in batches {
        writer.write(batch).expect("the batch is written");
    }
    let file = writer.into_inner().expect("the footer is written");
    file.sync_all().expect("the file is synced");
}

/// The pipeline's writer properties for the columns of the default table, repeated here because they are not public.
fn properties(compression: Compression) -> WriterProperties {
    let codec = match compression {
        Compression::Zstd(level) => Codec::ZSTD(ZstdLevel::try_new(level).expect("a level of zstd")),
        Compression::Gzip => Codec::GZIP(Default::default()),
        Compression::Brotli => Codec::BROTLI(Default::default()),
        Compression::Snappy => Codec::SNAPPY,
        Compression::Lz4 => Codec::LZ4_RAW,
        Compression::None => Codec::UNCOMPRESSED,
    };
    let mut builder = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_compression(codec)
        .set_data_page_size_limit(1 << 20)
        .set_data_page_row_count_limit(50_000)
        .set_statistics_truncate_length(Some(64))
        .set_column_index_truncate_length(Some(64))
        .set_statistics_enabled(EnabledStatistics::Page);
    for text in ["uri", "raw", "path", "query", "fragment", "raw_bytes"].map(ColumnPath::from) {
        builder = builder
            .set_column_dictionary_enabled(text.clone(), false)
            .set_column_encoding(text.clone(), Encoding::PLAIN)
            .set_column_statistics_enabled(text, EnabledStatistics::None);
    }
    builder
        .set_column_dictionary_enabled(ColumnPath::from("record"), false)
        .set_column_encoding(ColumnPath::from("record"), Encoding::DELTA_BINARY_PACKED)
        .build()
}

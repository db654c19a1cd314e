//! The destination of a table, its form and order, and options of the run that writes it.

use urimill_base::option_name::OptionName::*;
use urimill_write::Format;

use super::records::OF_COLUMNS;
use super::{Choice, Kind, LENGTH, MEMORY, Row, Rule, excludes, needs, plain, told, under};
use crate::run::cc_index::TableSchema;

/// The destination of a table, and how it is written.
pub const WRITING: &[Row] = &under("Writing", [
    OUTPUT,
    Row::new(
        OutputFormat,
        Kind::Choice(|| plain(Format::ALL.map(Format::name))),
        "FORMAT",
        "The format of the output [default: by the extension of FILE; uris on standard output]",
    )
    .common(),
    Row::new(
        Compression,
        Kind::Checked(super::is::<urimill_write::Compression>),
        "CODEC",
        "Compression of Parquet pages: zstd, zstd:LEVEL (1 to 22), snappy, lz4, gzip, brotli or none. Texts \
         are compressed where FILE's name says so, as in .csv.gz and .jsonl.zst",
    )
    .default("zstd"),
    Row::new(
        RowGroupRows,
        Kind::Number(1, u32::MAX as u64),
        "N",
        "At most this many rows in a Parquet row group",
    )
    .default("1000000"),
    Row::switch(
        DeltaTexts,
        "In Parquet, store texts by their differences (DELTA_BYTE_ARRAY). In columns without a dictionary a text \
         then has only what differs from the beginning of the one before: tables that are sorted by uri or surt \
         become smaller, and are read faster. Old readers lack it",
    ),
    Row::switch(
        CsvSafe,
        "In CSV, write ' before texts that spreadsheets take for formulas. They begin with =, +, -, @, a tab or \
         a line end. The option changes values: for every reader the ' is part of the cell",
    ),
    FORCE,
]);

pub(super) const OUTPUT: Row = Row::new(
    Output,
    Kind::Path,
    "FILE",
    "Write to FILE, in the format of its extension [default: standard output, also as -]",
)
.short('o')
.common();

pub(super) const FORCE: Row = Row::switch(Force, "Replace existing output files").common();

/// A table as a directory of files.
pub(super) const LAYOUT: &[Row] = &under("Writing", [
    Row::new(
        PartitionBy,
        Kind::List,
        "COLUMN,…",
        "Write a directory of files, partitioned by the values of columns: DIR/scheme=http/part-00000.parquet \
         for scheme. The files do not have these columns: readers take them from the directory names (Hive \
         partitions). COLUMN:hour, COLUMN:day and COLUMN:month partition by a part of a time, COLUMN:hash=64 \
         into 64 shares; the files keep these columns",
    )
    .common()
    .rules(&[OF_DIRECTORY, OF_COLUMNS]),
    Row::new(
        FileSize,
        Kind::Bytes(1 << 10, 1 << 50, "1K up"),
        "BYTES",
        "Write a directory of files of about this size on disk [default for a directory: 256M]",
    )
    .rules(&[OF_DIRECTORY]),
    MEMORY_OF_RUN,
    Row::new(
        MaxPartitions,
        Kind::Number(1, u32::MAX as u64),
        "N",
        "The largest number of partitions; more are an error. Each is a directory with at least one file \
         [default: 10000]",
    )
    .rules(&[needs(&[PartitionBy], "{} needs a partitioned table: give {partition_by}")]),
]);

const OF_DIRECTORY: Rule = needs(&[Output], "{} is for a directory of files: name one with {write_to DIR/}");

pub(super) const MEMORY_OF_RUN: Row = Row::new(
    Memory,
    MEMORY,
    "BYTES",
    "Memory for the run. Rows to sort beyond it go to temporary files, fewer chunks are in flight, and inputs \
     that need half of it at once are refused; a long record may take more [default: 512M, or 64M for each \
     thread if that is more]",
);

/// The order of the rows.
pub(super) const SORTING: &[Row] = &under(
    "Writing",
    [SORT_BY, TEMP_DIR.rules(&[needs(&[SortBy], "{} needs a sorted table: give {sort_by}")])],
);

pub(super) const SORT_BY: Row = Row::new(
    SortBy,
    Kind::List,
    "COLUMN,…",
    "Sort the rows by columns of the table, in this order; COLUMN:desc sorts the greatest value first. Texts \
     sort by their bytes, nulls come last, equal rows stay in the order of the input",
)
.common()
.rules(&[OF_COLUMNS.when("!uri")]);

pub(super) const TEMP_DIR: Row = Row::new(
    TempDir,
    Kind::Path,
    "DIR",
    "Directory for temporary files, which have no names and disappear with the run [default: the directory of \
     the output; for standard output, and for pages of more than 16 MiB, the system's place for them]",
);

/// The schema of the table.
pub(super) const SCHEMA: &[Row] = &under("The table", [
    Row::new(
        Schema,
        Kind::Choice(schemas),
        "SCHEMA",
        "The columns of the table: urimill's, or those of Common Crawl's columnar index",
    )
    .default("table")
    .rules(&[excludes(
        &[OutputFormat],
        "{schema cc-index} makes a table, and the format uris has only the column uri: \
         give {write_to FILE} or {output_format FORMAT}",
    )
    .of("uris")
    .when("cc-index")]),
    Row::switch(
        Fill,
        "With --schema cc-index: if a record has no value for a required column, write an empty string, 0 or \
         1970-01-01",
    )
    .rules(OF_CC_INDEX),
    Row::switch(WideOffsets, "With --schema cc-index: 64 bits for warc_record_offset and warc_record_length")
        .rules(OF_CC_INDEX),
    Row::new(
        Crawl,
        Kind::Text,
        "NAME",
        "With --schema cc-index: add the column crawl, with NAME in every row; --columns +crawl and \
         --partition-by crawl take it from warc_filename",
    )
    .rules(OF_CC_INDEX),
    Row::new(Subset, Kind::Text, "NAME", "With --schema cc-index: add the column subset, as --crawl does")
        .rules(OF_CC_INDEX),
]);

const OF_CC_INDEX: &[Rule] =
    &[needs(&[Schema], "{} belongs to Common Crawl's table: use {schema cc-index}, or drop it")
        .of("cc-index")];

/// The names of schemas.
pub(super) fn schemas() -> Vec<Choice> {
    told([
        (TableSchema::Urimill.name(), "urimill's own table"),
        (TableSchema::CcIndex.name(), "The table of Common Crawl's columnar index, for existing queries"),
    ])
}

/// Options of a run that writes a table, and of its display.
pub(super) const RUNNING: &[Row] = &under(
    "The run",
    [
        THREADS,
        PROGRESS,
        Row::new(
            Summary,
            Kind::Choice(|| {
                told([("text", "Lines for people"), ("json", "One JSON object"), ("none", "Nothing")])
            }),
            "FORM",
            "How to print the summary on standard error",
        )
        .default("text")
        .of_program(),
        CHUNK,
    ],
);

pub(super) const THREADS: Row = Row::new(
    Threads,
    Kind::Number(1, 1024),
    "N",
    "Number of threads, each of which takes up to 64M of memory [default: the number of processors]",
)
.common();

pub(super) const PROGRESS: Row = Row::new(
    Progress,
    Kind::Choice(|| told([("auto", "On a terminal"), ("never", "Nowhere"), ("always", "Everywhere")])),
    "WHEN",
    "When to show a progress bar",
)
.default("auto")
.of_program();

pub(super) const CHUNK: Row = Row::new(ChunkBytes, LENGTH, "BYTES", "How much is read at once").hidden();

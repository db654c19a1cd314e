//! A part of urimill: it carries no promise of stability. Use the package `urimill`.
//!
//! Writes record batches to files.
//!
//! Every worker of the pipeline takes its batch through the sink itself. Work that needs no order (text, IPC messages)
//! is done in [`StagedSink::prepare`], in parallel; work that needs order is done in [`StagedSink::run`], in numbered
//! stages that each see the batches in input order. Different stages work on different batches at the same time, so a
//! sink with several heavy stages keeps several workers busy. The bytes of a file depend only on the batches, not on
//! the number of workers.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "ipc")]
mod ipc;
#[cfg(feature = "parquet")]
pub mod parquet;
mod partitioned;
pub mod passthrough;
mod plain_types;
pub mod publish;
mod sink;
mod sizes;
pub mod text;

use std::path::Path;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::left_out::{BROTLI, GZIP, IPC, PARQUET, ZSTD};
use urimill_columns::batch::Column;

pub use partitioned::{DirectoryOptions, create_directory};
pub use plain_types::{export_schema, file_schema, to_plain};
pub use publish::atomic::Target;
pub use publish::places::{same_file, same_target};
pub use publish::staged_directory::{SUCCESS, StagedDirectory, Written};
pub use publish::temporaries::Temporaries;
pub use publish::uncommitted::UncommittedFile;
pub use publish::uncommitted::UncommittedOutput;
pub use sink::FileSink;
use sink::{PreparedRows, Stored, drive};
pub use sink::{Sink, StagedSink, Turns};
pub use text::lines::{LineSink, TextDirectory, TextFile};

use passthrough::Fit;
use text::bytes::{BytesSink, Encode};
use text::csv::CsvEncoder;
use text::jsonl::JsonlEncoder;
use text::uris::UrisEncoder;

/// The size of a complete output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputSize {
    /// Size of the files, or bytes written to the stream.
    pub bytes: u64,
    /// The number of files; 1 for a stream.
    pub files: u64,
}

/// The formats of output files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Apache Parquet.
    Parquet,
    /// Arrow IPC file (Feather version 2).
    Arrow,
    /// Arrow IPC stream.
    ArrowStream,
    /// RFC 4180 comma-separated values with a header line.
    Csv,
    /// The same with tabs between.
    Tsv,
    /// One JSON object a line.
    Jsonl,
    /// The `uri` column alone, one a line.
    Uris,
}

impl Format {
    /// All formats, in the order that help texts list them.
    pub const ALL: [Format; 7] = [
        Format::Parquet,
        Format::Arrow,
        Format::ArrowStream,
        Format::Csv,
        Format::Tsv,
        Format::Jsonl,
        Format::Uris,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::ArrowStream => "arrow-stream",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Jsonl => "jsonl",
            Format::Uris => "uris",
        }
    }

    /// Returns the extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
            Format::ArrowStream => "arrows",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Jsonl => "jsonl",
            Format::Uris => "txt",
        }
    }

    /// Whether its files are texts, which may be compressed as a whole.
    pub fn is_text(self) -> bool {
        matches!(self, Format::Csv | Format::Tsv | Format::Jsonl | Format::Uris)
    }

    /// Returns the format of the extension of `path`, in any case; for texts also with `.gz` or `.zst` after it.
    pub fn from_extension(path: &Path) -> Option<Format> {
        let name = path.file_name()?.to_str()?;
        if text::compression::Packing::of(name).is_some() {
            let (inner, _) = name.rsplit_once('.')?;
            return Format::from_extension(Path::new(inner)).filter(|format| format.is_text());
        }
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "parquet" | "pq" => Some(Format::Parquet),
            "arrow" | "feather" | "ipc" => Some(Format::Arrow),
            "arrows" => Some(Format::ArrowStream),
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "jsonl" | "ndjson" => Some(Format::Jsonl),
            "txt" | "uris" => Some(Format::Uris),
            _ => None,
        }
    }
}

/// The codec of Parquet pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Zstandard at a level from 1 to 22; the default is level 3.
    Zstd(i32),
    /// Snappy.
    Snappy,
    /// LZ4 in the `LZ4_RAW` framing, which all readers agree on.
    Lz4,
    /// gzip.
    Gzip,
    /// Brotli, level 5.
    Brotli,
    /// None.
    None,
}

impl Default for Compression {
    /// zstd, or the first codec that is built in.
    fn default() -> Self {
        if cfg!(feature = "zstd") { Compression::Zstd(3) } else { Compression::Snappy }
    }
}

impl Compression {
    /// All codecs, each at its default level, in the order that help texts list them.
    pub const ALL: [Compression; 6] = [
        Compression::Zstd(3),
        Compression::Snappy,
        Compression::Lz4,
        Compression::Gzip,
        Compression::Brotli,
        Compression::None,
    ];

    /// The name on the command line, without a level.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Zstd(_) => "zstd",
            Compression::Snappy => "snappy",
            Compression::Lz4 => "lz4",
            Compression::Gzip => "gzip",
            Compression::Brotli => "brotli",
            Compression::None => "none",
        }
    }

    /// Returns the codec with the name `name`; for Zstandard also with a level, `zstd:19`.
    pub fn from_name(name: &str) -> Option<Compression> {
        if let Some(level) = name.strip_prefix("zstd:") {
            let level = level.parse().ok().filter(|level| (1..=22).contains(level));
            return level.map(Compression::Zstd);
        }
        Compression::ALL.into_iter().find(|c| c.name() == name)
    }
}

impl std::str::FromStr for Compression {
    type Err = Error;

    fn from_str(text: &str) -> Result<Compression> {
        Compression::from_name(text).ok_or_else(|| {
            let names = Compression::ALL.map(Compression::name);
            Error::usage(format!(
                "there is no compression {text:?} of Parquet pages: choose from {}, or zstd:LEVEL with a level from 1 to 22",
                names.join(", ")
            ))
        })
    }
}

/// The bits of the `flags` column and their names, as text formats write them.
pub type FlagNames = &'static [(i32, &'static str)];

/// The name of the column of bits that [`FlagNames`] explains.
const FLAGS: &str = Column::Flags.as_str();

/// Options of all sinks, beside target and schema.
#[derive(Debug, Clone)]
pub struct SinkOptions {
    /// Compression of Parquet pages.
    pub compression: Compression,
    /// The largest number of rows in a Parquet row group; at least 1.
    pub row_group_rows: usize,
    /// The largest size in memory of a row group's columns, unless one batch alone is larger.
    pub row_group_bytes: usize,
    /// Whether Parquet has texts outside dictionaries in `DELTA_BYTE_ARRAY`: each without the beginning that it shares
    /// with the one before. Otherwise they are `PLAIN`, which every reader has.
    pub delta_texts: bool,
    /// Where the data pages of Parquet end.
    pub pages: PageLimits,
    /// Whether the pages of Parquet have checksums: those of texts in their headers, as the format defines it, and
    /// those of numbers by gzip. For tables of which a reader reads little at a time.
    pub page_checksums: bool,
    /// Bytes of memory for the run: the data of a file's footer may take half of it.
    pub memory: usize,
    /// Key-value pairs for the file's metadata (Parquet, Arrow).
    pub metadata: Vec<(String, String)>,
    /// Names of the bits in `flags`.
    pub flag_names: FlagNames,
    /// Columns beside `flags` that hold the same bits.
    pub further_flags: Vec<String>,
    /// Whether CSV has an apostrophe before texts that a spreadsheet would treat as formulas: those that begin with
    /// `=`, `+`, `-`, `@`, a tab or a line end, optionally after apostrophes. It changes values: removing one
    /// apostrophe from such a text restores the value.
    pub csv_safe: bool,
    /// The number of columns, at the end of the schema, that pass through from a table. They keep their types if the
    /// format has these. All other columns are urimill's own, and get plain types.
    pub passthrough: usize,
    /// The order of the rows, which the caller guarantees; Parquet files declare it.
    pub sorting: Vec<SortKey>,
    /// Whether to compute a checksum of each file while it is written, for
    /// `OutputVerifier::check` of urimill-pipeline.
    pub checksums: bool,
}

/// Data pages of Parquet end at, or near, the first of these. Small ones cost size; a lookup by the page index reads
/// few rows then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageLimits {
    /// Bytes of values before compression; at least 1.
    pub bytes: usize,
    /// Rows; at least 1. More than the default's mean the default's.
    pub rows: usize,
    /// Bytes of the distinct values of a column in a row group. A dictionary with more ends, and the rest of the row
    /// group is stored without one; a batch with more never gets one. Reading a page includes reading its dictionary.
    pub dictionary: usize,
}

impl Default for PageLimits {
    fn default() -> Self {
        // Readers expect this size of a dictionary.
        PageLimits { bytes: 1 << 20, rows: 50_000, dictionary: 1 << 20 }
    }
}

/// A column that rows are sorted by. Nulls come last in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortKey {
    /// The column's number in the schema.
    pub column: usize,
    /// Whether the greatest value comes first.
    pub descending: bool,
}

impl Default for SinkOptions {
    fn default() -> Self {
        SinkOptions {
            compression: Compression::default(),
            row_group_rows: 1_000_000,
            row_group_bytes: 128 << 20,
            delta_texts: false,
            pages: PageLimits::default(),
            page_checksums: false,
            memory: 512 << 20,
            metadata: Vec::new(),
            flag_names: &[],
            further_flags: Vec::new(),
            csv_safe: false,
            passthrough: 0,
            sorting: Vec::new(),
            checksums: false,
        }
    }
}

/// Creates a sink that writes batches of `schema` to `target` as `format`.
///
/// # Errors
/// `Usage` if the format cannot hold the schema (`uris` without a `uri` column, a column from a table for which it has
/// no type), or an option makes no sense; `Io` if the beginning of the file cannot be written.
pub fn create(
    format: Format,
    target: Target,
    schema: SchemaRef,
    options: &SinkOptions,
) -> Result<Box<dyn Sink>> {
    Ok(match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => Box::new(parquet::ParquetSink::create(format, target, schema, options)?),
        #[cfg(feature = "ipc")]
        Format::Arrow => Box::new(ipc::FileSink::create(format, target, schema, options)?),
        _ => Box::new(BytesSink::create(format, target, schema, options)?),
    })
}

impl FileSink for BytesSink {
    fn new(fit: Fit, target: Target, options: &SinkOptions) -> Result<BytesSink> {
        let encoder: Box<dyn Encode> = match fit.format {
            Format::Csv | Format::Tsv => Box::new(CsvEncoder::new(fit.format, &fit.fitting, options)),
            Format::Jsonl => Box::new(JsonlEncoder::new(options)),
            #[cfg(feature = "ipc")]
            Format::ArrowStream => Box::new(ipc::StreamEncoder::new(&fit.fitting, options)?),
            // The others have sinks of their own; `create` refuses what is not built in.
            _ => Box::new(UrisEncoder::new(&fit.fitting)?),
        };
        BytesSink::with(encoder, fit, target)
    }
}

impl Format {
    /// # Errors
    /// Usage, where this build cannot write the format, or not so compressed.
    fn check_built_in(self, options: &SinkOptions) -> Result<()> {
        match self {
            Format::Parquet => PARQUET.check("writer of Parquet").and(options.compression.check_built_in()),
            Format::Arrow | Format::ArrowStream => IPC.check("writer of Arrow IPC"),
            Format::Csv | Format::Tsv | Format::Jsonl | Format::Uris => Ok(()),
        }
    }
}

impl Compression {
    fn check_built_in(self) -> Result<()> {
        match self {
            Compression::Zstd(_) => ZSTD.check("compression by zstd"),
            Compression::Gzip => GZIP.check("compression by gzip"),
            Compression::Brotli => BROTLI.check("compression by Brotli"),
            Compression::Snappy | Compression::Lz4 | Compression::None => Ok(()),
        }
    }
}

/// Calls `f` with the name of each flag set in `bits`, in the order of `names`; a bit without a name is
/// called `bit_N`, so that none is lost.
fn each_flag(names: FlagNames, bits: i32, mut f: impl FnMut(&str)) {
    let mut left = bits;
    for (bit, name) in names {
        if bits & bit != 0 {
            f(name);
        }
        left &= !bit;
    }
    for n in (0..32).filter(|n| left >> n & 1 != 0) {
        f(&format!("bit_{n}"));
    }
}

/// Refuses a batch of another schema than the sink was made for: a file must not mix columns.
fn check_schema(batch: &RecordBatch, schema: &SchemaRef, name: &str) -> Result<()> {
    if batch.schema_ref().fields() == schema.fields() {
        return Ok(());
    }
    Err(encode_error(name, "a batch has another schema than the first"))
}

/// The error for a batch that cannot be encoded: the schema was accepted, so this is a bug.
pub fn encode_error(name: &str, error: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Internal, format!("cannot encode rows for {name}: {error}"))
}

//! The builder of a run, with a method for each option. `validate` has the rules, `prepared` the run itself.

use std::ffi::OsString;
use std::path::PathBuf;

use super::cc_index::{SchemaOptions, TableSchema};
use super::input_format::{InputFormat, InputOptions};
use super::links::Links;
use super::normalize_options::NormalizeOptions;
use super::output::Output;
use super::progress::RunProgress;
use super::setting::{Setting, Settings};
use crate::error::Result;
use crate::option_name::OptionName;
use crate::read::format::{Header, Keep, RecordTypes};
use crate::read::{Encoding, OnDamage};

/// What becomes of a record that is not a URI reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnInvalid {
    /// It keeps its row, with its code in the column `error`.
    Keep,
    /// It goes to the table that [`Conversion::rejects`] names.
    Reject,
    /// It has no row: it is counted, and dropped.
    Drop,
    /// It ends the run.
    Fail,
}

impl OnInvalid {
    /// Every choice by its name.
    pub const NAMED: [(&'static str, OnInvalid); 4] = [
        ("keep", OnInvalid::Keep),
        ("reject", OnInvalid::Reject),
        ("drop", OnInvalid::Drop),
        ("fail", OnInvalid::Fail),
    ];
}

/// A run from files to a table: see the [module](super).
#[derive(Debug, Clone)]
#[must_use = "a conversion does nothing until it is run"]
#[non_exhaustive]
pub struct Conversion {
    pub(super) inputs: Vec<OsString>,
    pub(super) input: InputOptions,
    /// The references of pages are read instead of records.
    pub(super) links: Option<Links>,
    pub(super) normalize: NormalizeOptions,
    pub(super) schema: SchemaOptions,
    pub(super) columns: Option<String>,
    pub(super) on_invalid: Option<OnInvalid>,
    pub(super) rejects: Option<PathBuf>,
    pub(super) sort_by: Vec<String>,
    pub(super) temp_dir: Option<PathBuf>,
    pub(super) partition_by: Vec<String>,
    pub(super) file_size: Option<u64>,
    pub(super) max_partitions: Option<usize>,
    pub(super) memory: Option<u64>,
    pub(super) threads: Option<usize>,
    pub(super) chunk_bytes: usize,
    pub(super) verify: bool,
    pub(super) time_stages: bool,
    pub(super) output: Option<Output>,
    pub(super) progress: RunProgress,
}

impl Default for Conversion {
    fn default() -> Self {
        Conversion {
            inputs: Vec::new(),
            input: InputOptions::default(),
            links: None,
            normalize: NormalizeOptions::default(),
            schema: SchemaOptions::default(),
            columns: None,
            on_invalid: None,
            rejects: None,
            sort_by: Vec::new(),
            temp_dir: None,
            partition_by: Vec::new(),
            file_size: None,
            max_partitions: None,
            memory: None,
            threads: None,
            chunk_bytes: 1 << 20,
            verify: false,
            time_stages: false,
            output: None,
            progress: RunProgress::default(),
        }
    }
}

impl Conversion {
    /// A run with the defaults, which reads standard input. It needs an output: see [`write_to`](Self::write_to).
    pub fn new() -> Self {
        Conversion::default()
    }

    /// Files, patterns such as `logs/*.gz`, or `-` for standard input.
    pub fn inputs(self, inputs: impl IntoIterator<Item: Into<OsString>>) -> Self {
        Conversion { inputs: inputs.into_iter().map(Into::into).collect(), ..self }
    }

    /// How the records are read: all that the methods from [`format`](Self::format) to [`records`](Self::records) say,
    /// as one value, which every kind of run takes.
    pub fn read_as(self, options: InputOptions) -> Self {
        Conversion { input: options, ..self }
    }

    /// Reads pages: a record is a reference in one. The inputs are what `links` says, and no method from
    /// [`format`](Self::format) to [`records`](Self::records) goes with it.
    pub fn links(self, links: Links) -> Self {
        let input = match links.encoding {
            Some(encoding) => self.input.encoding(encoding),
            None => self.input,
        };
        Conversion { input, links: Some(links), ..self }
    }

    /// See [`InputOptions::format`].
    pub fn format(self, format: InputFormat) -> Self {
        Conversion { input: self.input.format(format), ..self }
    }

    /// See [`InputOptions::uri_field`].
    pub fn uri_field(self, field: impl Into<String>) -> Self {
        Conversion { input: self.input.uri_field(field), ..self }
    }

    /// See [`InputOptions::uri_template`].
    pub fn uri_template(self, template: impl Into<String>) -> Self {
        Conversion { input: self.input.uri_template(template), ..self }
    }

    /// See [`InputOptions::request_line`].
    pub fn request_line(self, field: impl Into<String>) -> Self {
        Conversion { input: self.input.request_line(field), ..self }
    }

    /// See [`InputOptions::base_field`].
    pub fn base_field(self, field: impl Into<String>) -> Self {
        Conversion { input: self.input.base_field(field), ..self }
    }

    /// See [`InputOptions::log_format`].
    pub fn log_format(self, format: impl Into<String>) -> Self {
        Conversion { input: self.input.log_format(format), ..self }
    }

    /// See [`InputOptions::delimiter`].
    pub fn delimiter(self, delimiter: impl Into<String>) -> Self {
        Conversion { input: self.input.delimiter(delimiter), ..self }
    }

    /// See [`InputOptions::comment`].
    pub fn comment(self, prefix: impl Into<String>) -> Self {
        Conversion { input: self.input.comment(prefix), ..self }
    }

    /// See [`InputOptions::encoding`].
    pub fn encoding(self, encoding: Encoding) -> Self {
        Conversion { input: self.input.encoding(encoding), ..self }
    }

    /// See [`InputOptions::skip_bodies`].
    pub fn skip_bodies(self, skips_bodies: bool) -> Self {
        Conversion { input: self.input.skip_bodies(skips_bodies), ..self }
    }

    /// See [`InputOptions::skip_lines`].
    pub fn skip_lines(self, lines: u64) -> Self {
        Conversion { input: self.input.skip_lines(lines), ..self }
    }

    /// See [`InputOptions::header`].
    pub fn header(self, header: Header) -> Self {
        Conversion { input: self.input.header(header), ..self }
    }

    /// See [`InputOptions::no_quotes`].
    pub fn no_quotes(self, no_quotes: bool) -> Self {
        Conversion { input: self.input.no_quotes(no_quotes), ..self }
    }

    /// See [`InputOptions::keep`].
    pub fn keep(self, keep: Keep) -> Self {
        Conversion { input: self.input.keep(keep), ..self }
    }

    /// See [`InputOptions::records`].
    pub fn records(self, types: RecordTypes) -> Self {
        Conversion { input: self.input.records(types), ..self }
    }

    /// What is made of each record.
    pub fn normalize(self, options: NormalizeOptions) -> Self {
        Conversion { normalize: options, ..self }
    }

    /// The columns of the table, by name, those of the records' other fields too; `+NAME` and `-NAME` change the
    /// default.
    pub fn columns(self, names: impl IntoIterator<Item: AsRef<str>>) -> Self {
        let names: Vec<_> = names.into_iter().collect();
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        Conversion { columns: Some(names.join(",")), ..self }
    }

    /// The columns of the table: urimill's, or those of Common Crawl's columnar index
    pub fn schema(mut self, schema: TableSchema) -> Self {
        self.schema.schema = schema;
        self
    }

    /// With [`TableSchema::CcIndex`]: where a record has no value for a column that must have one, writes an empty
    /// string, 0 or 1970-01-01.
    pub fn fill(mut self, fill: bool) -> Self {
        self.schema.fill = fill;
        self
    }

    /// With [`TableSchema::CcIndex`]: 64 bits for `warc_record_offset` and `warc_record_length`.
    pub fn wide_offsets(mut self, wide_offsets: bool) -> Self {
        self.schema.wide_offsets = wide_offsets;
        self
    }

    /// With [`TableSchema::CcIndex`]: adds the column `crawl`, with this value in every row.
    pub fn crawl(mut self, crawl: impl Into<String>) -> Self {
        self.schema.crawl = Some(crawl.into());
        self
    }

    /// With [`TableSchema::CcIndex`]: adds the column `subset`, with this value in every row.
    pub fn subset(mut self, subset: impl Into<String>) -> Self {
        self.schema.subset = Some(subset.into());
        self
    }

    /// What becomes of records that are not URI references. By default they keep their rows; with
    /// [`rejects`](Self::rejects) they go there; with [`TableSchema::CcIndex`] and without [`fill`](Self::fill) the
    /// first ends the run. An input that does not look like its format ends the run unless `Keep` or `Reject` is asked
    /// for; with `Drop` nothing of it would be left.
    pub fn on_invalid(self, on_invalid: OnInvalid) -> Self {
        Conversion { on_invalid: Some(on_invalid), ..self }
    }

    /// The file of rejected records: a table of its own, whose format the end of its name says, else that of the table.
    pub fn rejects(self, file: impl Into<PathBuf>) -> Self {
        Conversion { rejects: Some(file.into()), ..self }
    }

    /// See [`InputOptions::on_damage`].
    pub fn on_damage(self, on_damage: OnDamage) -> Self {
        Conversion { input: self.input.on_damage(on_damage), ..self }
    }

    /// Sorts the rows by columns of the table, the first first; `COLUMN:desc` for the greatest value first.
    pub fn sort_by(self, columns: impl IntoIterator<Item: Into<String>>) -> Self {
        Conversion { sort_by: columns.into_iter().map(Into::into).collect(), ..self }
    }

    /// Where temporary files go: those of a sort, by default in the directory of the output, and for standard output
    /// the system's place for them; those of pages of more than 16 MiB, by default in the system's place.
    pub fn temp_dir(self, directory: impl Into<PathBuf>) -> Self {
        Conversion { temp_dir: Some(directory.into()), ..self }
    }

    /// Writes a directory of files, whose rows are divided by the values of columns, as Hive has it.
    pub fn partition_by(self, columns: impl IntoIterator<Item: Into<String>>) -> Self {
        Conversion { partition_by: columns.into_iter().map(Into::into).collect(), ..self }
    }

    /// Writes a directory of files that end near this size, in bytes as they are stored. 256 MiB by default.
    pub fn file_size(self, bytes: u64) -> Self {
        Conversion { file_size: Some(bytes), ..self }
    }

    /// The most partitions that [`partition_by`](Self::partition_by) may make; 10,000 by default.
    pub fn max_partitions(self, partitions: usize) -> Self {
        Conversion { max_partitions: Some(partitions), ..self }
    }

    /// Memory for the run, in bytes. By default 512 MiB, or 64 MiB for each thread where that is more.
    pub fn memory(self, bytes: u64) -> Self {
        Conversion { memory: Some(bytes), ..self }
    }

    /// The number of threads. By default as many as there are processors.
    pub fn threads(self, threads: usize) -> Self {
        Conversion { threads: Some(threads), ..self }
    }

    /// How much is read at once, in bytes.
    pub fn chunk(self, bytes: usize) -> Self {
        Conversion { chunk_bytes: bytes, ..self }
    }

    /// Reads the outputs back when they are complete, and publishes them only if they hold what was read.
    pub fn verify(self, verify: bool) -> Self {
        Conversion { verify, ..self }
    }

    /// Measures how long each stage of the run works and waits: [`RunStats::stages`](super::RunStats::stages).
    pub fn time_stages(self, time_stages: bool) -> Self {
        Conversion { time_stages, ..self }
    }

    /// Where the table goes.
    pub fn write_to(self, output: Output) -> Self {
        Conversion { output: Some(output), ..self }
    }

    /// What another thread may look at while the run goes on, and how it stops it.
    pub fn progress(self, progress: &RunProgress) -> Self {
        Conversion { progress: progress.clone(), ..self }
    }
}

impl Settings for Conversion {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        use OptionName::*;
        match (setting.option(), &mut self.links) {
            (Inputs, _) => self.inputs = setting.texts(),
            (Encoding | Base | Format, Some(links)) => {
                links.put(setting)?;
                self.input.encoding = links.encoding.or(self.input.encoding);
            }
            (Columns, _) => self.columns = Some(setting.text()?),
            (OnInvalid, _) => self.on_invalid = Some(setting.one_of(self::OnInvalid::NAMED)?),
            (Rejects, _) => self.rejects = Some(setting.path()),
            (SortBy, _) => self.sort_by = setting.list()?,
            (TempDir, _) => self.temp_dir = Some(setting.path()),
            (PartitionBy, _) => self.partition_by = setting.list()?,
            (FileSize, _) => self.file_size = Some(setting.bytes()?),
            (MaxPartitions, _) => self.max_partitions = Some(setting.number()?),
            (Memory, _) => self.memory = Some(setting.bytes()?),
            (Threads, _) => self.threads = Some(setting.number()?),
            (ChunkBytes, _) => self.chunk_bytes = setting.length()?,
            (Verify, _) => self.verify = setting.is_on()?,
            (TimeStages, _) => self.time_stages = setting.is_on()?,
            _ => {
                return Ok(self.input.put(setting)?
                    || self.normalize.put(setting)?
                    || self.schema.put(setting)?
                    || self.output.as_mut().map_or(Ok(false), |output| output.put(setting))?);
            }
        }
        Ok(true)
    }
}

//! The builder of a run, with a method for each option. `validate` has the rules, `convert` the job.

use std::path::PathBuf;

use urimill_base::error::Result;
use urimill_base::option_name::OptionName;
use urimill_read::Encoding;
use urimill_read::format::{Header, Keep};

use super::cc_index::{SchemaOptions, TableSchema};
use super::choices::OnInvalid;
use super::common::{Common, setters};
use super::format_file::FormatFile;
use super::input_format::InputOptions;
use super::job::Job;
use super::links::Links;
use super::normalize_options::NormalizeOptions;
use super::output::Output;
use super::setting::{Setting, Settings};

/// A run from files to a table: see the [module](super).
#[derive(Debug, Clone, Default)]
#[must_use = "a conversion does nothing until it is run"]
#[non_exhaustive]
pub struct Conversion {
    pub(super) common: Common,
    pub(super) input: InputOptions,
    /// Reads the references of pages instead of records.
    pub(super) links: Option<Links>,
    pub(super) normalize: NormalizeOptions,
    pub(super) schema: SchemaOptions,
    pub(super) columns: Option<String>,
    pub(super) on_invalid: Option<OnInvalid>,
    pub(super) rejects: Option<PathBuf>,
    pub(super) save_format: Option<PathBuf>,
    pub(super) sort_by: Vec<String>,
    pub(super) partition_by: Vec<String>,
    pub(super) file_size: Option<u64>,
    pub(super) max_partitions: Option<usize>,
    pub(super) time_stages: bool,
    pub(super) output: Option<Output>,
}

impl Conversion {
    /// A run with the defaults, which reads standard input. It needs an output: see [`write_to`](Self::write_to).
    pub fn new() -> Self {
        Conversion::default()
    }

    /// How the records are read: all options from [`format`](Self::format) to [`records`](Self::records) as one value,
    /// which every kind of run takes.
    pub fn read_as(self, options: InputOptions) -> Self {
        Conversion { input: options, ..self }
    }

    /// Reads pages: a record is a reference in one. `links` has the inputs' format, and none of the methods from
    /// [`format`](Self::format) to [`records`](Self::records) may be used.
    pub fn links(self, links: Links) -> Self {
        let input = match links.encoding {
            Some(encoding) => self.input.encoding(encoding),
            None => self.input,
        };
        Conversion { input, links: Some(links), ..self }
    }

    setters!(archives, damage);
    setters!(input:
        format_file(FormatFile), log_format(impl Into<String>), delimiter(impl Into<String>), comment(impl Into<String>), encoding(Encoding), uri_field(impl Into<String>),
        uri_template(impl Into<String>), request_line(impl Into<String>), base_field(impl Into<String>),
        header(Header), no_quotes(bool), keep(Keep), skip_lines(u64)
    );

    /// The columns of the table, by name, including those of the records' other fields; `+NAME` and `-NAME` change the
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

    /// With [`TableSchema::CcIndex`]: writes an empty string, 0 or 1970-01-01 if a record has no value for a required
    /// column.
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

    /// The treatment of records that are not URI references. By default they keep their rows; with
    /// [`rejects`](Self::rejects) they go there; with [`TableSchema::CcIndex`] and without [`fill`](Self::fill) the
    /// first one ends the run. An input that does not look like its format ends the run unless `Keep` or `Reject` is
    /// set; with `Drop` nothing of it would be left.
    pub fn on_invalid(self, on_invalid: OnInvalid) -> Self {
        Conversion { on_invalid: Some(on_invalid), ..self }
    }

    /// The file of rejected records: a table of its own, whose format is that of its extension, else that of the table.
    pub fn rejects(self, file: impl Into<PathBuf>) -> Self {
        Conversion { rejects: Some(file.into()), ..self }
    }

    /// Writes the definition by which the first input was read to a file: a [`FormatFile`] to be corrected and given
    /// back. It is that of a known format of logs, of JSON whose members were judged by their names, or of a format
    /// string. An existing file is replaced only where [`Output::force`] says so.
    pub fn save_format(self, file: impl Into<PathBuf>) -> Self {
        Conversion { save_format: Some(file.into()), ..self }
    }

    /// Sorts the rows by columns of the table, the most significant first; `COLUMN:desc` for descending order.
    pub fn sort_by(self, columns: impl IntoIterator<Item: Into<String>>) -> Self {
        Conversion { sort_by: columns.into_iter().map(Into::into).collect(), ..self }
    }

    /// The directory of temporary files. By default, those of a sort go to the directory of the output, and for
    /// standard output to the system's; those of pages of more than 16 MiB go to the system's.
    pub fn temp_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.common.temp_dir = Some(directory.into());
        self
    }

    /// Writes a directory of files, partitioned by the values of columns, as Hive lays it out.
    pub fn partition_by(self, columns: impl IntoIterator<Item: Into<String>>) -> Self {
        Conversion { partition_by: columns.into_iter().map(Into::into).collect(), ..self }
    }

    /// Writes a directory of files that end near this size, in stored bytes. 256 MiB by default.
    pub fn file_size(self, bytes: u64) -> Self {
        Conversion { file_size: Some(bytes), ..self }
    }

    /// The most partitions that [`partition_by`](Self::partition_by) may make; 10,000 by default.
    pub fn max_partitions(self, partitions: usize) -> Self {
        Conversion { max_partitions: Some(partitions), ..self }
    }

    /// Measures how long each stage of the run works and waits: [`Stats::stages`](super::Stats::stages).
    pub fn time_stages(self, time_stages: bool) -> Self {
        Conversion { time_stages, ..self }
    }

    setters!(inputs, normalize, memory, threads, chunk, verify, write_to, progress, run, run_into);
}

impl Settings for Conversion {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        use OptionName::*;
        match (setting.option(), &mut self.links) {
            (Encoding | Base | Format, Some(links)) => {
                links.put(setting)?;
                self.input.sources.encoding = links.encoding.or(self.input.sources.encoding);
            }
            (Columns, _) => self.columns = Some(setting.text()?),
            (OnInvalid, _) => self.on_invalid = Some(setting.one_of(super::choices::OnInvalid::NAMED)?),
            (Rejects, _) => self.rejects = Some(setting.path()),
            (SaveFormat, _) => self.save_format = Some(setting.path()),
            (SortBy, _) => self.sort_by = setting.list()?,
            (PartitionBy, _) => self.partition_by = setting.list()?,
            (FileSize, _) => self.file_size = Some(setting.bytes()?),
            (MaxPartitions, _) => self.max_partitions = Some(setting.number()?),
            (TimeStages, _) => self.time_stages = setting.is_on()?,
            _ => {
                return Ok(self.common.put(setting, Self::NAME)?
                    || self.input.put(setting)?
                    || self.normalize.put(setting)?
                    || self.schema.put(setting)?
                    || self.output.as_mut().map_or(Ok(false), |output| output.put(setting))?);
            }
        }
        Ok(true)
    }
}

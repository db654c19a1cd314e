//! The builder of a run that writes one row for each distinct normal form.

use std::sync::Arc;

use urimill_base::error::Result;
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{Column, Columns};
use urimill_pipeline::dedupe;
use urimill_pipeline::dedupe::{Key, Options, Rungs, Verifier};
use urimill_pipeline::verify::Verified;
use urimill_read::format::Keep;
use urimill_read::{ReadChecksums, Source};
use urimill_write::{Format, Sink, SinkOptions};

use super::columns::field;
use super::common::{Common, setters};
use super::input_format::InputOptions;
use super::job::{Job, Running};
use super::normalize_options::NormalizeOptions;
use super::opening;
use super::options;
use super::output::{MakeSink, Output, hiding};
use super::setting::{Setting, Settings};
use super::stats::{DistinctStats, OutputStats, Stats};

/// One row for each distinct normal form, with the number of records that have it, in the order of their first records.
///
/// ```
/// use urimill::run::{Dedupe, Output};
///
/// let folder = tempfile::tempdir()?;
/// let list = folder.path().join("list.txt");
/// std::fs::write(&list, "http://example.com\nHTTP://EXAMPLE.COM/\nhttp://example.org/\n")?;
/// let stats = Dedupe::new().inputs([list]).write_to(Output::to(folder.path().join("distinct.csv"))).run()?;
/// assert_eq!((stats.records, stats.rows), (3, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Dedupe {
    pub(super) common: Common,
    pub(super) input: InputOptions,
    pub(super) key: Key,
    pub(super) normalize: NormalizeOptions,
    pub(super) output: Option<Output>,
}

impl Settings for Dedupe {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::By => self.key = key(&setting.text()?),
            _ => {
                return Ok(self.common.put(setting, Self::NAME)?
                    || self.input.put(setting)?
                    || self.normalize.put(setting)?
                    || self.output.as_mut().map_or(Ok(false), |output| output.put(setting))?);
            }
        }
        Ok(true)
    }
}

/// The meaning of a key's name.
fn key(name: &str) -> Key {
    match Column::ALL.into_iter().find(|column| column.as_str() == name) {
        Some(Column::Uri) => Key::Uri,
        Some(column) => Key::Column(column),
        None => Key::Field(name.to_owned()),
    }
}

impl Dedupe {
    /// A run with the defaults, which reads standard input. It needs an output: see [`write_to`](Self::write_to).
    pub fn new() -> Self {
        Dedupe::default()
    }

    /// The key that decides which records are equal: `uri`, the normal form, which is the default; one of urimill's
    /// columns such as `surt`, `canonical` or `host`; or a field of the records. A record without a value there is
    /// equal to those with the same normal form.
    ///
    /// ```
    /// use urimill::run::{Dedupe, Output};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let list = folder.path().join("list.txt");
    /// std::fs::write(&list, "http://example.com/a\nhttps://www.example.com/a\n")?;
    /// let output = Output::to(folder.path().join("pages.csv"));
    /// let stats = Dedupe::new().inputs([list]).by("surt").write_to(output).run()?;
    /// assert_eq!((stats.records, stats.rows), (2, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn by(self, name: impl AsRef<str>) -> Self {
        Dedupe { key: key(name.as_ref()), ..self }
    }

    setters!(
        inputs, read_as, normalize, temp_dir, memory, threads, chunk, verify, write_to, progress, run,
        run_into
    );

    /// The format of the table.
    ///
    /// Usage, if neither option nor extension sets it.
    pub fn output_format(&self) -> Result<Format> {
        // Batches hold every column.
        self.output.as_ref().map_or(Ok(Format::ArrowStream), |output| output.table_format(false))
    }

    /// The sink of the output, its name, and the verifier of what was read, if that is verified.
    fn sink(
        &self,
        output: &Output,
        options: &Options,
        checksums: Option<Arc<ReadChecksums>>,
    ) -> Result<(Box<dyn Sink>, String, Option<Verifier>)> {
        let format = output.table_format(false)?;
        let target = output.target(&self.common.progress.temporaries)?;
        let name = target.name().to_owned();
        let mut metadata = self.normalize.metadata(&options.records, None, false);
        metadata.push(("urimill.key", options.key.name().to_owned()));
        let sink_options = hiding(output.sink_options(metadata), options.records.hide);
        let sink_options = SinkOptions { checksums: checksums.is_some(), ..sink_options };
        let verifier = |checksums| Verifier::by(&self.key, checksums, format, &sink_options);
        let verifier = checksums.map(verifier).transpose()?;
        let sink = urimill_write::create(format, target, dedupe::schema_by(&self.key), &sink_options)?;
        Ok((sink, name, verifier))
    }

    /// The other field of the records that is read.
    fn fields(&self) -> Keep {
        match &self.key {
            Key::Field(name) => Keep::Names(vec![field(name)]),
            Key::Uri | Key::Column(_) => Keep::None,
        }
    }
}

/// The open inputs and outputs of a [`Dedupe`].
pub struct Opened {
    options: Options,
    format: Format,
    name: String,
    read: opening::Opened,
    sink: Box<dyn Sink>,
    verifier: Option<Verifier>,
}

impl Job for Dedupe {
    const NAME: options::Job = options::Job::Dedupe;
    type Opened = Opened;
    type Stats = Stats;

    fn common(&self) -> &Common {
        &self.common
    }

    fn check(&self, has_sink: bool) -> Result<()> {
        Output::check_one(self.output.as_ref(), has_sink)?;
        self.validate()
    }

    fn open(&self, sources: Vec<Source>, running: &Running, sink: Option<MakeSink<'_>>) -> Result<Opened> {
        if let Some(output) = &self.output {
            self.common.refuse_outputs(&sources, [output.path.as_deref(), None])?;
        }
        let options = Options {
            key: self.key.clone(),
            records: self.normalize.read(Columns::default())?,
            memory: running.budget.waiting(),
            temp_dir: self.common.temp_dir(),
            ..Options::default()
        };
        if self.common.temp_dir.is_some() {
            dedupe::check_temp_dir(&options)?;
        }
        let reader = (self.input.reader(&self.fields(), &options.records)?, options.records.max_record);
        let read = self.input.opening(sources, reader, running).open()?;
        let (sink, name, verifier) = match sink {
            Some(make) => (make(dedupe::schema_by(&self.key))?, String::new(), None),
            None => self.sink(Output::of(self.output.as_ref())?, &options, read.checksums.clone())?,
        };
        let format = self.output_format()?;
        Ok(Opened { options, format, name, read, sink, verifier })
    }

    fn work(self, opened: Opened, running: Running) -> Result<Stats> {
        let Opened { options, read, verifier, .. } = opened;
        let stats = Stats::of(&read, &self.input, &options.records);
        let summary = dedupe::run(
            read.record_source,
            &options,
            &running.workers,
            opened.sink,
            &running.common.progress.counters,
            verifier.as_ref(),
        )?;
        let merged = Rungs::NAMES.into_iter().zip(summary.merged).map(|((_, name), rows)| (name, rows));
        let stats = Stats {
            rows: summary.rows,
            spilled_bytes: Some(summary.spilled),
            output: OutputStats::of(opened.name, opened.format.name(), summary.table),
            verified: verifier.map(|_| Verified::Records),
            distinct: Some(DistinctStats {
                by: self.key.name().to_owned(),
                reject_rows: summary.rejects,
                duplicates: summary.read.tally.rows.saturating_sub(summary.rows),
                merged: merged.collect(),
            }),
            ..stats.read(&summary.read)
        };
        Ok(stats.end(&running))
    }
}

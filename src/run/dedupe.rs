//! The builder of a run that writes one row for each distinct normal form.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::budget::{Budget, Threads};
use super::columns::field;
use super::conflicts::{refuse_inputs, refuse_unreadable};
use super::dedupe_stats::DedupeStats;
use super::input_format::{InputFormat, InputOptions};
use super::normalize_options::NormalizeOptions;
use super::opening::{Opened, Opening};
use super::output::{Output, hiding};
use super::progress::RunProgress;
use super::setting::{Setting, Settings};
use super::stats::by_code;
use crate::batch::{Column, Columns};
use crate::dedupe;
use crate::dedupe::{Key, Options, Rungs, Verifier};
use crate::error::Result;
use crate::option_name::OptionName;
use crate::pipeline::Totals;
use crate::read::format::Keep;
use crate::read::{Damages, RecordSource, expand};
use crate::simd::Isa;
use crate::write;
use crate::write::{Format, Sink, SinkOptions};

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
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Dedupe {
    inputs: Vec<OsString>,
    pub(super) input: InputOptions,
    pub(super) key: Key,
    pub(super) normalize: NormalizeOptions,
    pub(super) temp_dir: Option<PathBuf>,
    pub(super) memory: Option<u64>,
    pub(super) threads: Option<usize>,
    pub(super) chunk_bytes: usize,
    pub(super) verify: bool,
    pub(super) output: Option<Output>,
    progress: RunProgress,
}

impl Default for Dedupe {
    fn default() -> Self {
        Dedupe {
            inputs: Vec::new(),
            input: InputOptions::default(),
            key: Key::default(),
            normalize: NormalizeOptions::default(),
            temp_dir: None,
            memory: None,
            threads: None,
            chunk_bytes: 1 << 20,
            verify: false,
            output: None,
            progress: RunProgress::default(),
        }
    }
}

impl Settings for Dedupe {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Inputs => self.inputs = setting.texts(),
            OptionName::By => self.key = key(&setting.text()?),
            OptionName::TempDir => self.temp_dir = Some(setting.path()),
            OptionName::Memory => self.memory = Some(setting.bytes()?),
            OptionName::Threads => self.threads = Some(setting.number()?),
            OptionName::ChunkBytes => self.chunk_bytes = setting.length()?,
            OptionName::Verify => self.verify = setting.is_on()?,
            _ => {
                return Ok(self.input.put(setting)?
                    || self.normalize.put(setting)?
                    || self.output.as_mut().map_or(Ok(false), |output| output.put(setting))?);
            }
        }
        Ok(true)
    }
}

/// What a name means as a key.
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

    /// Files, patterns such as `logs/*.gz`, or `-` for standard input.
    pub fn inputs(self, inputs: impl IntoIterator<Item: Into<OsString>>) -> Self {
        Dedupe { inputs: inputs.into_iter().map(Into::into).collect(), ..self }
    }

    /// How the records are read.
    pub fn read_as(self, options: InputOptions) -> Self {
        Dedupe { input: options, ..self }
    }

    /// Which records are equal: base, specification, level and repair; and what is hidden of them.
    pub fn normalize(self, options: NormalizeOptions) -> Self {
        Dedupe { normalize: options, ..self }
    }

    /// What decides which records are equal: `uri`, the normal form, which is the default; a column of urimill's own
    /// such as `surt`, `canonical` or `host`; or a field of the records. A record without a value there is equal to
    /// those with the same normal form.
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

    /// Where temporary files go; by default the system's place for them.
    pub fn temp_dir(self, directory: impl Into<PathBuf>) -> Self {
        Dedupe { temp_dir: Some(directory.into()), ..self }
    }

    /// Memory for the run, in bytes. By default 512 MiB, or 64 MiB for each thread where that is more.
    pub fn memory(self, bytes: u64) -> Self {
        Dedupe { memory: Some(bytes), ..self }
    }

    /// The number of threads. By default as many as there are processors.
    pub fn threads(self, threads: usize) -> Self {
        Dedupe { threads: Some(threads), ..self }
    }

    /// How much is read at once, in bytes.
    pub fn chunk(self, bytes: usize) -> Self {
        Dedupe { chunk_bytes: bytes, ..self }
    }

    /// Reads the output back when it is complete, and publishes it only if its rows stand for the records that were
    /// read.
    pub fn verify(self, verify: bool) -> Self {
        Dedupe { verify, ..self }
    }

    /// Where the table goes.
    pub fn write_to(self, output: Output) -> Self {
        Dedupe { output: Some(output), ..self }
    }

    /// What another thread may look at while the run goes on, and how it stops it.
    pub fn progress(self, progress: &RunProgress) -> Self {
        Dedupe { progress: progress.clone(), ..self }
    }

    /// Reads every record, writes a row for each distinct form, and publishes the table when all is well.
    ///
    /// # Errors
    /// As [`Conversion::run`](super::Conversion::run).
    pub fn run(self) -> Result<DedupeStats> {
        self.prepare()?.run()
    }

    /// The format of the table.
    ///
    /// # Errors
    /// Usage, where nothing says which.
    pub fn output_format(&self) -> Result<Format> {
        self.output().and_then(|output| output.table_format(false))
    }

    fn output(&self) -> Result<&Output> {
        Output::of(self.output.as_ref())
    }

    fn options(&self, threads: Threads) -> Result<Options> {
        let records = self.normalize.read(Columns::default())?;
        let key = self.key.clone();
        let default = Options::default();
        Ok(Options {
            key,
            records,
            memory: self.budget(threads).waiting(),
            temp_dir: self.temp_dir.clone().unwrap_or(default.temp_dir),
            ..default
        })
    }

    /// The other field of the records that is read.
    fn fields(&self) -> Keep {
        match &self.key {
            Key::Field(name) => Keep::Names(vec![field(name)]),
            Key::Uri | Key::Column(_) => Keep::None,
        }
    }

    fn budget(&self, threads: Threads) -> Budget {
        Budget::new(self.memory, threads.given)
    }

    /// [`run`](Self::run) up to its first record.
    ///
    /// # Errors
    /// Fails as [`run`](Self::run) does.
    pub fn prepare(self) -> Result<PreparedDedupe> {
        let begun = Instant::now();
        self.validate()?;
        let output = self.output()?;
        let format = output.table_format(false)?;
        let file = output.path.as_deref();
        let sources = expand(&self.inputs)?;
        if self.verify {
            refuse_unreadable(file)?;
        }
        refuse_inputs(&sources, [file, None::<&Path>])?;
        let threads = Threads::new(self.threads);
        let options = self.options(threads)?;
        if self.temp_dir.is_some() {
            dedupe::check_temp_dir(&options)?;
        }
        let budget = self.budget(threads);
        self.progress.counters.memory.store(budget.whole, Ordering::Relaxed);
        let reader = (self.input.reader(&self.fields(), &options.records)?, options.records.max_record);
        let opening = Opening {
            chunk_bytes: self.chunk_bytes,
            memory: Some(budget.whole),
            verify: self.verify,
            ..self.input.opening(sources, reader, threads.given, &self.progress)
        };
        let Opened { record_source, damages, checksums } = opening.open()?;
        let target = output.target(&self.progress.temporaries)?;
        let name = target.name().to_owned();
        let mut metadata = self.normalize.metadata(&options.records, None, false);
        metadata.push(("urimill.key", options.key.name().to_owned()));
        let sink_options = hiding(output.sink_options(metadata), options.records.hide);
        let sink_options = SinkOptions { checksums: checksums.is_some(), ..sink_options };
        let verifier = checksums
            .map(|checksums| Verifier::by(&self.key, checksums, format, &sink_options))
            .transpose()?;
        let sink = write::create(format, target, dedupe::schema_by(&self.key), &sink_options)?;
        let progress = self.progress;
        Ok(PreparedDedupe {
            begun,
            options,
            threads,
            format,
            name,
            by: self.key.name().to_owned(),
            is_detected: self.input.asked_format() == InputFormat::Auto,
            selects_records: self.input.selects_records(),
            record_source,
            sink,
            verifier,
            damages,
            progress,
        })
    }
}

/// A run that can begin; dropped without [`run`](Self::run) it leaves nothing behind.
#[must_use = "it does nothing until it is run"]
pub struct PreparedDedupe {
    begun: Instant,
    options: Options,
    threads: Threads,
    format: Format,
    name: String,
    by: String,
    is_detected: bool,
    selects_records: bool,
    record_source: RecordSource,
    sink: Box<dyn Sink>,
    verifier: Option<Verifier>,
    damages: Damages,
    progress: RunProgress,
}

impl PreparedDedupe {
    /// The threads that the run has.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Reads every record, writes a row for each distinct form, and publishes the table when all is well.
    ///
    /// # Errors
    /// Fails as [`Dedupe::run`] does.
    pub fn run(self) -> Result<DedupeStats> {
        let PreparedDedupe { options, progress, verifier, .. } = self;
        let threads = self.threads.given;
        let format = self.record_source.format();
        let (input_format, has_comments, unwraps) = (format.name(), format.has_comments(), format.unwraps());
        let is_table = self.record_source.is_table();
        let summary = dedupe::run_verified(
            self.record_source,
            &options,
            threads,
            self.sink,
            &progress.counters,
            verifier.as_ref(),
        )?;
        let Totals { tally, bytes, cut, headers, lines, .. } = &summary.read;
        let merged = Rungs::NAMES.into_iter().zip(summary.merged).map(|((_, name), rows)| (name, rows));
        Ok(DedupeStats {
            by: self.by,
            input_format,
            is_detected: self.is_detected,
            is_table,
            has_comments,
            unwraps,
            selects_records: self.selects_records,
            stored_bytes: progress.stored_bytes(),
            output_name: self.name,
            output_format: self.format.name(),
            verified: verifier.is_some(),
            damaged: self.damages.list(),
            threads,
            time: self.begun.elapsed(),
            records: tally.rows,
            rejects: tally.rejects(),
            nulls: tally.nulls,
            blank: tally.blank - tally.dropped,
            unfinished: tally.unfinished + tally.dropped,
            unfinished_dropped: tally.dropped,
            headers: *headers,
            lines: *lines,
            changed: tally.changed,
            repaired: tally.repaired,
            not_utf8: tally.not_utf8,
            cut: *cut,
            by_code: by_code(tally),
            rows: summary.rows,
            reject_rows: summary.rejects,
            duplicates: tally.rows.saturating_sub(summary.rows),
            merged: merged.collect(),
            bytes: *bytes,
            spilled_bytes: summary.spilled,
            output_bytes: summary.table.bytes,
            spec: options.records.standard(),
            level: options.records.level,
            isa: options.records.isa.unwrap_or_else(Isa::chosen),
        })
    }
}

//! The builder of a run that writes one row for each distinct normal form.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::budget::{Budget, Threads};
use super::conflicts::{refuse_inputs, refuse_unreadable};
use super::input_format::{InputFormat, InputOptions};
use super::normalize_options::NormalizeOptions;
use super::opening::{Opened, Opening};
use super::output::Output;
use super::prepared::hiding;
use super::progress::RunProgress;
use super::stats::{CodeStats, by_code, rate};
use super::stats_json::damages;
use crate::batch::Columns;
use crate::dedupe::{self, Options, Proving, Rungs, Summary};
use crate::error::{Error, Result};
use crate::grammar::Spec;
use crate::input::format::Keep;
use crate::input::{Damage, Damages, Feed, OnDamage, expand};
use crate::normalize::Level;
use crate::option_name::OptionName;
use crate::output::{self, Format, Sink, SinkOptions};
use crate::pipeline::Totals;
use crate::simd::Isa;

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
    pub(super) normalize: NormalizeOptions,
    on_damage: OnDamage,
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
            normalize: NormalizeOptions::default(),
            on_damage: OnDamage::default(),
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

    /// What becomes of inputs that are truncated or damaged.
    pub fn on_damage(self, on_damage: OnDamage) -> Self {
        Dedupe { on_damage, ..self }
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
        let nowhere =
            || Error::usage(format!("there is nothing to write to: give {}", OptionName::Output.named()));
        self.output.as_ref().ok_or_else(nowhere)
    }

    fn options(&self, threads: Threads) -> Result<Options> {
        let records = self.normalize.read(Columns::default())?;
        let default = Options::default();
        Ok(Options {
            records,
            memory: self.budget(threads).waiting(),
            temp_dir: self.temp_dir.clone().unwrap_or(default.temp_dir),
            ..default
        })
    }

    fn budget(&self, threads: Threads) -> Budget {
        Budget::new(self.memory, threads.given)
    }

    /// [`run`](Self::run) up to its first record.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
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
        let max_record = options.records.max_record;
        let opening = Opening {
            sources,
            format: self.input.reader(max_record, &Keep::None)?,
            encoding: self.input.encoding,
            chunk_bytes: self.chunk_bytes,
            max_record,
            threads: threads.given,
            memory: Some(budget.whole),
            on_damage: self.on_damage,
            verify: self.verify,
            insists: false,
            progress: &self.progress,
        };
        let Opened { feed, damages, ledger } = opening.open()?;
        let target = output.target(&self.progress.temporaries)?;
        let name = target.name().to_owned();
        let metadata = vec![
            ("urimill.specification", options.records.spec.as_str().to_owned()),
            ("urimill.level", options.records.level.as_str().to_owned()),
            ("urimill.repair", options.records.repair.to_string()),
        ];
        let sink_options = hiding(output.sink_options(metadata), options.records.hide);
        let sink_options = SinkOptions { checksums: ledger.is_some(), ..sink_options };
        let proving = ledger.map(|ledger| Proving::new(ledger, format, &sink_options)).transpose()?;
        let sink = output::create(format, target, dedupe::schema(), &sink_options)?;
        let progress = self.progress;
        Ok(PreparedDedupe {
            begun,
            options,
            threads,
            format,
            name,
            is_detected: self.input.asked_format() == InputFormat::Auto,
            selects_records: self.input.selects_records(),
            feed,
            sink,
            proving,
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
    is_detected: bool,
    selects_records: bool,
    feed: Feed,
    sink: Box<dyn Sink>,
    proving: Option<Proving>,
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
    /// Those of [`Dedupe::run`].
    pub fn run(self) -> Result<DedupeStats> {
        let PreparedDedupe { options, progress, proving, .. } = self;
        let threads = self.threads.given;
        let format = self.feed.format();
        let (input_format, has_comments, unwraps) = (format.name(), format.has_comments(), format.unwraps());
        let is_table = self.feed.is_table();
        let summary = dedupe::run_proving(
            self.feed,
            &options,
            threads,
            self.sink,
            &progress.counters,
            proving.as_ref(),
        )?;
        Ok(DedupeStats {
            input_format,
            is_detected: self.is_detected,
            is_table,
            has_comments,
            unwraps,
            selects_records: self.selects_records,
            stored_bytes: progress.stored_bytes(),
            output_name: self.name,
            output_format: self.format.name(),
            verified: proving.is_some(),
            damaged: self.damages.list(),
            threads,
            time: self.begun.elapsed(),
            ..DedupeStats::of(&summary, &options)
        })
    }
}

/// The statistics of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DedupeStats {
    /// Records read.
    pub records: u64,
    /// Those of them that are no URI references.
    pub rejects: u64,
    /// Records that say that they have no URI.
    pub nulls: u64,
    /// Blank lines; in web archives, records that describe the file.
    pub blank: u64,
    /// Header lines.
    pub headers: u64,
    /// Lines, without headers.
    pub lines: u64,
    /// Records whose text was changed by normalization.
    pub changed: u64,
    /// Those of them that were repaired.
    pub repaired: u64,
    /// Records that are not UTF-8.
    pub not_utf8: u64,
    /// Records of which only the beginning was kept; each has a row of its own.
    pub cut: u64,
    /// Rejects by code, those that occur, each with the first example.
    pub by_code: Vec<CodeStats>,
    /// Rows of the table.
    pub rows: u64,
    /// Those of them that stand for rejects.
    pub reject_rows: u64,
    /// The rungs on which records came together, with the number of rows.
    pub merged: Vec<(&'static str, u64)>,
    /// Bytes read, decompressed.
    pub bytes: u64,
    /// Bytes read, as they are stored.
    pub stored_bytes: u64,
    /// Bytes that went to temporary files.
    pub spilled_bytes: u64,
    /// The table's name, as messages have it.
    pub output_name: String,
    /// The name of its format.
    pub output_format: &'static str,
    /// Its size.
    pub output_bytes: u64,
    /// Whether it was read back and compared.
    pub verified: bool,
    /// The format of the inputs, or of the first of them where each was found out.
    pub input_format: &'static str,
    /// Whether it was found out.
    pub is_detected: bool,
    /// Whether the inputs are tables.
    pub is_table: bool,
    /// Whether lines of comments count as blank ones.
    pub has_comments: bool,
    /// Whether something stood around each line.
    pub unwraps: bool,
    /// Whether records of some types were passed over.
    pub selects_records: bool,
    /// Inputs that were truncated or damaged.
    pub damaged: Vec<Damage>,
    /// The specification that decided what is valid.
    pub spec: Spec,
    /// The normal form.
    pub level: Level,
    /// Threads that did the work.
    pub threads: usize,
    /// The kernel.
    pub isa: Isa,
    /// From the first look at the options to the table.
    pub time: Duration,
}

impl DedupeStats {
    fn of(summary: &Summary, options: &Options) -> DedupeStats {
        let Totals { tally, bytes, cut, headers, lines } = &summary.read;
        let merged = Rungs::NAMES.into_iter().zip(summary.merged).map(|((_, name), rows)| (name, rows));
        DedupeStats {
            records: tally.rows,
            rejects: tally.rejects(),
            nulls: tally.nulls,
            blank: tally.blank,
            headers: *headers,
            lines: *lines,
            changed: tally.changed,
            repaired: tally.repaired,
            not_utf8: tally.not_utf8,
            cut: *cut,
            by_code: by_code(tally),
            rows: summary.rows,
            reject_rows: summary.rejects,
            merged: merged.collect(),
            bytes: *bytes,
            stored_bytes: 0,
            spilled_bytes: summary.spilled,
            output_name: String::new(),
            output_format: "",
            output_bytes: summary.table.bytes,
            verified: false,
            input_format: "",
            is_detected: false,
            is_table: false,
            has_comments: false,
            unwraps: false,
            selects_records: false,
            damaged: Vec::new(),
            spec: options.records.spec,
            level: options.records.level,
            threads: 0,
            isa: options.records.isa.unwrap_or_else(|| Isa::chosen().unwrap_or(Isa::Scalar)),
            time: Duration::ZERO,
        }
    }

    /// Bytes a second, decompressed.
    pub fn bytes_per_second(&self) -> f64 {
        rate(self.bytes, self.time)
    }

    /// One object: what `urimill dedupe --summary json` prints.
    pub fn to_json(&self) -> Value {
        let merged = self.merged.iter().map(|&(name, rows)| (name.to_owned(), json!(rows)));
        let codes = self.by_code.iter().map(|code| (code.code.as_str().to_owned(), json!(code.records)));
        json!({
            "lines": self.lines,
            "records": self.records,
            "valid": self.records - self.rejects - self.nulls,
            "rejects": self.rejects,
            "nulls": self.nulls,
            "headers": self.headers,
            "input_format": self.input_format,
            "blank": self.blank,
            "changed": self.changed,
            "repaired": self.repaired,
            "not_utf8": self.not_utf8,
            "cut": self.cut,
            "by_code": codes.collect::<Map<_, _>>(),
            "rows": self.rows,
            "reject_rows": self.reject_rows,
            "merged": merged.collect::<Map<_, _>>(),
            "bytes": self.bytes,
            "verified": self.verified,
            "stored_bytes": self.stored_bytes,
            "spilled_bytes": self.spilled_bytes,
            "damaged": damages(&self.damaged),
            "seconds": self.time.as_secs_f64(),
            "mb_per_second": self.bytes_per_second() / 1e6,
            "output": { "name": self.output_name, "format": self.output_format, "bytes": self.output_bytes },
            "spec": self.spec.as_str(),
            "level": self.level.as_str(),
            "threads": self.threads,
            "isa": self.isa.as_str(),
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

//! The builder of a run that finds records that are not URI references, or on which specifications differ.

mod finder;

use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

use finder::Finder;

use super::budget::Threads;
use super::conflicts::refuse_inputs;
use super::input_format::{InputFormat, InputOptions};
use super::opening::{Opened, Opening};
use super::progress::RunProgress;
use super::setting::{Setting, Settings};
use crate::Standard;
use crate::batch;
use crate::batch::{Column, Columns};
use crate::error::Result;
use crate::explain::{Contrast, Difference, Fault};
use crate::normalize::Level;
use crate::option_name::OptionName;
use crate::passwords::Masked;
use crate::pipeline::{FormatCheck, Plan, each_batch};
use crate::read::format::Keep;
use crate::read::{Damage, Damages, RecordSource, expand};
use crate::uri::Start;

/// Finds records that are not URI references; with several specifications those on which they differ.
///
/// ```
/// use urimill::run::{Check, Finding, FindingKind};
///
/// let folder = tempfile::tempdir()?;
/// let list = folder.path().join("list.txt");
/// std::fs::write(&list, "http://example.com/\n/a b\n")?;
/// let render = |finding: &Finding<'_>, page: &mut Vec<u8>| {
///     if let FindingKind::Reject(fault) = &finding.kind {
///         page.extend_from_slice(format!("{}: {}\n", finding.record, fault.reject.code).as_bytes());
///     }
/// };
/// let mut found = Vec::new();
/// let stats = Check::new().inputs([list]).run(render, |page| {
///     found.extend_from_slice(page);
///     Ok(())
/// })?;
/// assert_eq!((stats.records, stats.found), (2, 1));
/// assert_eq!(found, b"2: path_invalid_char\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Check {
    pub(super) inputs: Vec<OsString>,
    pub(super) input: InputOptions,
    pub(super) specs: Vec<Standard>,
    pub(super) require: Start,
    pub(super) base: Option<String>,
    pub(super) level: Option<Level>,
    pub(super) max_record: usize,
    pub(super) threads: Option<usize>,
    pub(super) chunk_bytes: usize,
    show_passwords: bool,
    refang: bool,
    progress: RunProgress,
}

impl Default for Check {
    fn default() -> Self {
        Check {
            inputs: Vec::new(),
            input: InputOptions::default(),
            specs: vec![Standard::default()],
            require: Start::Reference,
            base: None,
            level: None,
            max_record: 1 << 20,
            threads: None,
            chunk_bytes: 1 << 20,
            show_passwords: false,
            refang: false,
            progress: RunProgress::default(),
        }
    }
}

/// A record that was found.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finding<'a> {
    /// The name of its source.
    pub source: &'a str,
    /// Its number there, from 1; blank lines count.
    pub record: i64,
    /// Its text, with its passwords masked unless they are to be shown.
    pub text: Masked,
    /// What was found.
    pub kind: FindingKind<'a>,
}

/// What was found about a record. Each caller writes every variant in its own way, so a new one must break it.
#[derive(Debug)]
pub enum FindingKind<'a> {
    /// It is not a URI reference, or not the kind that is required.
    Reject(&'a Fault),
    /// The specifications differ on it.
    Differences(&'a [Standard], &'a [Difference]),
}

/// The statistics of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckStats {
    /// Records.
    pub records: u64,
    /// Those that were found.
    pub found: u64,
    /// The threads that did the work.
    pub threads: Threads,
    /// The format of the inputs, or of the first of them where each was found out.
    pub input_format: &'static str,
    /// Whether it was found out.
    pub is_detected: bool,
    /// Whether something stood around each line.
    pub unwraps: bool,
    /// Inputs that were truncated or damaged.
    pub damaged: Vec<Damage>,
}

/// What is searched for.
enum Search<'a> {
    Rejects(Start, Standard),
    Differences(Contrast<'a>),
}

impl Settings for Check {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Inputs => self.inputs = setting.texts(),
            OptionName::Spec => {
                let specs = setting.list()?;
                self.specs = specs.iter().map(|spec| spec.parse()).collect::<Result<_, _>>()?;
            }
            OptionName::Require => self.require = setting.parsed()?,
            OptionName::Base => self.base = Some(setting.text()?),
            OptionName::Level => self.level = Some(setting.parsed()?),
            OptionName::MaxRecord => self.max_record = setting.length()?,
            OptionName::Threads => self.threads = Some(setting.number()?),
            OptionName::ChunkBytes => self.chunk_bytes = setting.length()?,
            OptionName::ShowPasswords => self.show_passwords = setting.is_on()?,
            OptionName::Refang => self.refang = setting.is_on()?,
            _ => return self.input.put(setting),
        }
        Ok(true)
    }
}

impl Check {
    /// A run with the defaults, which reads standard input.
    pub fn new() -> Self {
        Check::default()
    }

    /// Files, patterns such as `logs/*.gz`, or `-` for standard input.
    pub fn inputs(self, inputs: impl IntoIterator<Item: Into<OsString>>) -> Self {
        Check { inputs: inputs.into_iter().map(Into::into).collect(), ..self }
    }

    /// How the records are read.
    pub fn read_as(self, options: InputOptions) -> Self {
        Check { input: options, ..self }
    }

    /// The specification that decides; of several the differences are found.
    pub fn spec(self, specs: impl IntoIterator<Item = impl Into<Standard>>) -> Self {
        Check { specs: specs.into_iter().map(Into::into).collect(), ..self }
    }

    /// What every record has to be, with one specification.
    pub fn require(self, require: Start) -> Self {
        Check { require, ..self }
    }

    /// With several specifications: resolves the records against this URI and compares the targets too.
    pub fn base(self, base: impl Into<String>) -> Self {
        Check { base: Some(base.into()), ..self }
    }

    /// With several specifications: the normal form to compare.
    pub fn level(self, level: Level) -> Self {
        Check { level: Some(level), ..self }
    }

    /// The longest record in bytes; longer ones are rejected.
    pub fn max_record(self, bytes: usize) -> Self {
        Check { max_record: bytes, ..self }
    }

    /// The number of threads. By default as many as there are processors.
    pub fn threads(self, threads: usize) -> Self {
        Check { threads: Some(threads), ..self }
    }

    /// How much is read at once, in bytes.
    pub fn chunk(self, bytes: usize) -> Self {
        Check { chunk_bytes: bytes, ..self }
    }

    /// Shows the passwords of records, which stand as `***` otherwise.
    pub fn show_passwords(self, show_passwords: bool) -> Self {
        Check { show_passwords, ..self }
    }

    /// Reads records that were made harmless, as `hxxp://example[.]com`, as what they were.
    pub fn refang(self, refang: bool) -> Self {
        Check { refang, ..self }
    }

    /// What another thread may look at while the run goes on, and how it stops it.
    pub fn progress(self, progress: &RunProgress) -> Self {
        Check { progress: progress.clone(), ..self }
    }

    /// Looks at every record. `render` writes what is to be said of a finding to a page, in several threads; `write`
    /// gets the pages in the order of the input.
    ///
    /// # Errors
    /// Fails as [`validate`](Self::validate) does, where an input cannot be read, where `write` fails, and with a usage
    /// error where a base makes no sense.
    pub fn run(
        self,
        render: impl Fn(&Finding<'_>, &mut Vec<u8>) + Sync,
        write: impl FnMut(&[u8]) -> Result<()> + Send,
    ) -> Result<CheckStats> {
        self.prepare()?.run(render, write)
    }

    /// [`run`](Self::run) up to its first record.
    ///
    /// # Errors
    /// Fails as [`run`](Self::run) does.
    pub fn prepare(self) -> Result<PreparedCheck> {
        self.validate()?;
        // The base is invalid.
        self.search().map(drop)?;
        let sources = expand(&self.inputs)?;
        refuse_inputs(&sources, [None, None])?;
        let names = sources.iter().map(|source| source.name().into_owned()).collect();
        let threads = Threads::new(self.threads);
        let options = batch::Options { max_record: self.max_record, ..batch::Options::default() };
        let reader = (self.input.reader(&Keep::None, &options)?, self.max_record);
        let opening = Opening {
            chunk_bytes: self.chunk_bytes,
            is_live: true,
            ..self.input.opening(sources, reader, threads.given, &self.progress)
        };
        let Opened { record_source, damages, .. } = opening.open()?;
        Ok(PreparedCheck { check: self, names, threads, record_source, damages })
    }

    /// The columns of batches that are examined.
    fn plan(&self, is_table: bool) -> Result<Plan> {
        let options = batch::Options {
            spec: self.specs[0].rfc(),
            whatwg: self.specs[..] == [Standard::Whatwg],
            level: Level::None,
            max_record: self.max_record,
            columns: Columns::new([Column::Record]),
            show_passwords: self.show_passwords,
            refang: self.refang,
            ..batch::Options::default()
        };
        let plan = if is_table { Plan::of_tables(options, false)? } else { Plan::new(options, false) };
        // Faults are what is searched for, so records of any form are checked.
        Ok(plan.check_format(FormatCheck::ByNames))
    }

    fn search(&self) -> Result<Search<'_>> {
        Ok(match self.specs.as_slice() {
            [spec] => Search::Rejects(self.require, *spec),
            specs => {
                let level = self.level.unwrap_or_default();
                Search::Differences(Contrast::new(specs, level, self.base.as_deref())?)
            }
        })
    }
}

/// A run that can begin.
#[must_use = "it does nothing until it is run"]
pub struct PreparedCheck {
    check: Check,
    names: Vec<String>,
    threads: Threads,
    record_source: RecordSource,
    damages: Damages,
}

impl PreparedCheck {
    /// The threads that the run has.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Looks at every record: see [`Check::run`].
    ///
    /// # Errors
    /// Fails as [`Check::run`] does.
    pub fn run(
        self,
        render: impl Fn(&Finding<'_>, &mut Vec<u8>) + Sync,
        write: impl FnMut(&[u8]) -> Result<()> + Send,
    ) -> Result<CheckStats> {
        let PreparedCheck { check, names, threads, record_source, damages } = self;
        let plan = check.plan(record_source.is_table())?;
        let (input_format, unwraps) = (record_source.format().name(), record_source.format().unwraps());
        let finder = Finder {
            run: &check,
            search: &check.search()?,
            names: &names,
            render: &render,
            scratches: Mutex::default(),
            written: Mutex::new((0, write)),
        };
        let totals = each_batch(record_source, &plan, threads.given, &finder, &check.progress.counters)?;
        let (found, _) = finder.written.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(CheckStats {
            records: totals.tally.rows,
            found,
            threads,
            input_format,
            is_detected: check.input.asked_format() == InputFormat::Auto,
            unwraps,
            damaged: damages.list(),
        })
    }
}

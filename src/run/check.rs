//! The builder of a run that finds records that are not URI references, or on which specifications differ.

mod finder;

use std::sync::Mutex;

use urimill_base::error::Result;
use urimill_base::locks::into_inner;
use urimill_base::option_name::OptionName;
use urimill_columns::batch;
use urimill_columns::batch::{Column, Columns, Reading, RfcOptions};
use urimill_pipeline::{FormatCheck, Plan, each_batch};
use urimill_read::format::Keep;
use urimill_read::{RecordSource, Source};
use urimill_uri::Standard;
use urimill_uri::Start;
use urimill_uri::explain::{Contrast, Difference, Fault};
use urimill_uri::normalize::Level;
use urimill_uri::passwords::Masked;

use finder::Finder;

use super::common::{Common, setters};
use super::input_format::InputOptions;
use super::job::{Job, Prepared, Running};
use super::opening::Opened;
use super::options;
use super::output::MakeSink;
use super::setting::{Setting, Settings};
use super::stats::Stats;

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
    pub(super) common: Common,
    pub(super) input: InputOptions,
    pub(super) specs: Vec<Standard>,
    pub(super) require: Start,
    pub(super) base: Option<String>,
    pub(super) level: Option<Level>,
    pub(super) max_record: usize,
    show_passwords: bool,
    refang: bool,
}

impl Default for Check {
    fn default() -> Self {
        Check {
            common: Common::default(),
            input: InputOptions::default(),
            specs: vec![Standard::default()],
            require: Start::Reference,
            base: None,
            level: None,
            max_record: 1 << 20,
            show_passwords: false,
            refang: false,
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
    /// The finding.
    pub kind: FindingKind<'a>,
}

/// A finding about a record. The enum is exhaustive: a caller writes every variant in its own way, so a new one must
/// break its build.
#[derive(Debug)]
pub enum FindingKind<'a> {
    /// It is not a URI reference, or not the kind that is required.
    Reject(&'a Fault),
    /// The specifications differ on it.
    Differences(&'a [Standard], &'a [Difference]),
}

/// The search.
enum Search<'a> {
    Rejects(Start, Standard),
    Differences(Contrast<'a>),
}

impl Settings for Check {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Spec => {
                let specs = setting.list()?;
                self.specs = specs.iter().map(|spec| spec.parse()).collect::<Result<_, _>>()?;
            }
            OptionName::Require => self.require = setting.parsed()?,
            OptionName::Base => self.base = Some(setting.text()?),
            OptionName::Level => self.level = Some(setting.parsed()?),
            OptionName::MaxRecord => self.max_record = setting.length()?,
            OptionName::ShowPasswords => self.show_passwords = setting.is_on()?,
            OptionName::Refang => self.refang = setting.is_on()?,
            _ => return Ok(self.common.put(setting, options::Job::Check)? || self.input.put(setting)?),
        }
        Ok(true)
    }
}

impl Check {
    /// A run with the defaults, which reads standard input.
    pub fn new() -> Self {
        Check::default()
    }

    /// The specification to check by; with several, their differences are found.
    pub fn spec(self, specs: impl IntoIterator<Item = impl Into<Standard>>) -> Self {
        Check { specs: specs.into_iter().map(Into::into).collect(), ..self }
    }

    /// The form that every record must have, with one specification.
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

    /// Shows the passwords of records, which are `***` otherwise.
    pub fn show_passwords(self, show_passwords: bool) -> Self {
        Check { show_passwords, ..self }
    }

    /// Reads records that were defanged, as `hxxp://example[.]com`, in their original form.
    pub fn refang(self, refang: bool) -> Self {
        Check { refang, ..self }
    }

    setters!(inputs, read_as, threads, chunk, progress);

    /// Checks every record. `render` writes the text of a finding to a page, in several threads; `write` gets the pages
    /// in the order of the input.
    ///
    /// Fails as [`validate`](Self::validate) does, if an input cannot be read, if `write` fails, and with a usage error
    /// if a base makes no sense.
    pub fn run(
        self,
        render: impl Fn(&Finding<'_>, &mut Vec<u8>) + Sync,
        write: impl FnMut(&[u8]) -> Result<()> + Send,
    ) -> Result<Stats> {
        self.prepare(render, write)?.run()
    }

    /// Validates the options and opens the inputs: the first step of [`run`](Self::run).
    ///
    /// # Errors
    /// Fails as [`run`](Self::run) does.
    pub fn prepare<R, W>(self, render: R, write: W) -> Result<Prepared<Reporting<R, W>>>
    where
        R: Fn(&Finding<'_>, &mut Vec<u8>) + Sync,
        W: FnMut(&[u8]) -> Result<()> + Send,
    {
        Prepared::new(Reporting { check: self, render, write }, None)
    }

    /// The columns of batches that are examined.
    fn plan(&self, record_source: &RecordSource) -> Result<Plan> {
        let reading = match self.specs[..] {
            [Standard::Whatwg] => Reading::Whatwg,
            _ => Reading::Rfc(RfcOptions {
                spec: self.specs[0].rfc(),
                level: Level::None,
                ..RfcOptions::default()
            }),
        };
        let options = batch::Options {
            reading,
            max_record: self.max_record,
            columns: Columns::new([Column::Record]),
            show_passwords: self.show_passwords,
            refang: self.refang,
            ..batch::Options::default()
        };
        // Faults are what is searched for, so records of any form are checked.
        Ok(Plan::new(record_source, options, false)?.check_format(FormatCheck::ByNames))
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

/// A [`Check`] with the functions that render and write its findings.
pub struct Reporting<R, W> {
    check: Check,
    render: R,
    write: W,
}

impl<R, W> Job for Reporting<R, W>
where
    R: Fn(&Finding<'_>, &mut Vec<u8>) + Sync,
    W: FnMut(&[u8]) -> Result<()> + Send,
{
    const NAME: options::Job = options::Job::Check;
    /// The open inputs, and the names of their sources.
    type Opened = (Vec<String>, Opened);
    type Stats = Stats;

    fn common(&self) -> &Common {
        &self.check.common
    }

    fn check(&self, _: bool) -> Result<()> {
        self.check.validate()?;
        // The search finds faults of the base.
        self.check.search().map(drop)
    }

    fn open(&self, sources: Vec<Source>, running: &Running, _: Option<MakeSink<'_>>) -> Result<Self::Opened> {
        let Check { input, max_record, .. } = &self.check;
        running.common.refuse_outputs(&sources, [None, None])?;
        let names = sources.iter().map(|source| source.name().into_owned()).collect();
        let options = batch::Options { max_record: *max_record, ..batch::Options::default() };
        let reader = (input.reader(&Keep::None, &options)?, *max_record);
        let mut opening = input.opening(sources, reader, running);
        opening.options.is_live = true;
        Ok((names, opening.open()?))
    }

    fn work(self, (names, opened): Self::Opened, running: Running) -> Result<Stats> {
        let Reporting { check, render, write } = self;
        let stats = Stats::of(&opened, &check.input, &batch::Options::default());
        let Opened { record_source, .. } = opened;
        let counters = &running.common.progress.counters;
        let plan = check.plan(&record_source)?;
        let finder = Finder {
            run: &check,
            search: &check.search()?,
            names: &names,
            render: &render,
            scratches: Mutex::default(),
            written: Mutex::new((0, write)),
        };
        let totals = each_batch(record_source, &plan, &running.workers, &finder, counters)?;
        let (found, _) = into_inner(finder.written);
        Ok(Stats { found, ..stats.read(&totals) }.end(&running))
    }
}

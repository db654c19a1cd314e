//! The builder of a run that writes one row for each distinct normal form.

use super::columns::field;
use super::common::{Common, setters};
use super::dedupe_stats::DedupeStats;
use super::input_format::InputOptions;
use super::job::{Job, Running};
use super::normalize_options::NormalizeOptions;
use super::opening;
use super::options;
use super::output::{MakeSink, Output, hiding};
use super::setting::{Setting, Settings};
use super::stats::by_code;
use crate::batch::{Column, Columns};
use crate::dedupe;
use crate::dedupe::{Key, Options, Rungs, Verifier};
use crate::error::Result;
use crate::option_name::OptionName;
use crate::pipeline::Totals;
use crate::read::Source;
use crate::read::format::Keep;
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

    setters!(inputs, read_as, normalize, temp_dir, memory, threads, chunk, verify, write_to, progress, run);

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

    /// The other field of the records that is read.
    fn fields(&self) -> Keep {
        match &self.key {
            Key::Field(name) => Keep::Names(vec![field(name)]),
            Key::Uri | Key::Column(_) => Keep::None,
        }
    }
}

/// What [`Dedupe`] has open.
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
    type Stats = DedupeStats;

    fn common(&self) -> &Common {
        &self.common
    }

    fn check(&self, _: bool) -> Result<()> {
        self.validate()
    }

    fn open(&self, sources: Vec<Source>, running: &Running, _: Option<MakeSink<'_>>) -> Result<Opened> {
        let output = self.output()?;
        let format = output.table_format(false)?;
        self.common.refuse_outputs(&sources, [output.path.as_deref(), None])?;
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
        let target = output.target(&self.common.progress.temporaries)?;
        let name = target.name().to_owned();
        let mut metadata = self.normalize.metadata(&options.records, None, false);
        metadata.push(("urimill.key", options.key.name().to_owned()));
        let sink_options = hiding(output.sink_options(metadata), options.records.hide);
        let sink_options = SinkOptions { checksums: read.checksums.is_some(), ..sink_options };
        let verifier = |checksums| Verifier::by(&self.key, checksums, format, &sink_options);
        let verifier = read.checksums.clone().map(verifier).transpose()?;
        let sink = write::create(format, target, dedupe::schema_by(&self.key), &sink_options)?;
        Ok(Opened { options, format, name, read, sink, verifier })
    }

    fn work(self, opened: Opened, running: Running) -> Result<DedupeStats> {
        let Opened { options, read, verifier, .. } = opened;
        let (threads, progress) = (running.threads.given, &running.common.progress);
        let format = read.record_source.format();
        let (input_format, has_comments, unwraps) = (format.name(), format.has_comments(), format.unwraps());
        let summary = dedupe::run_verified(
            read.record_source,
            &options,
            threads,
            opened.sink,
            &progress.counters,
            verifier.as_ref(),
        )?;
        let Totals { tally, bytes, cut, headers, lines, .. } = &summary.read;
        let merged = Rungs::NAMES.into_iter().zip(summary.merged).map(|((_, name), rows)| (name, rows));
        Ok(DedupeStats {
            by: self.key.name().to_owned(),
            input_format,
            is_detected: self.input.asked_format().is_detected,
            has_comments,
            unwraps,
            selects_records: self.input.selects_records(),
            stored_bytes: progress.stored_bytes(),
            output_name: opened.name,
            output_format: opened.format.name(),
            verified: verifier.is_some(),
            damaged: read.damages.list(),
            threads,
            time: running.begun.elapsed(),
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

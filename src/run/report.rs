//! The builder of a run that makes a report: of records, or of the states of earlier runs.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch;
use urimill_columns::batch::Columns;
use urimill_read::format::Keep;
use urimill_read::{Damage, GivenTable, InputDigests, RecordSource, Source};
use urimill_report::{Making, State};
use urimill_uri::printable::printable_json;
use urimill_write::{Target, UncommittedOutput};

use super::budget::of_report;
use super::common::{Common, setters};
use super::conflicts::{refuse_inputs, refuse_same, refuse_twice};
use super::input_format::{InputFormat, InputOptions};
use super::job::{Job, Prepared, Running};
use super::normalize_options::NormalizeOptions;
use super::options;
use super::output::MakeSink;
use super::setting::{Setting, Settings};
use super::states::{is_state, merged};

/// The default number of texts of each figure in JSON.
const MOST_TEXTS: usize = 1000;

/// Makes a report: the figures of a log, its faults, and their times.
///
/// The inputs are logs, like those of a [`Conversion`](super::Conversion), or states that earlier runs have written.
/// States together with logs are an error, and so are states with options about reading records. Without
/// [`force`](Self::force), so are an input that occurs twice, and two states that hold the same input or were made with
/// other options.
///
/// ```
/// use urimill::report::Figure;
/// use urimill::run::Report;
///
/// let folder = tempfile::tempdir()?;
/// let (list, page) = (folder.path().join("list.txt"), folder.path().join("report.html"));
/// std::fs::write(&list, "http://example.com/a\nhttp://example.com/b\nhttp://[/\n")?;
/// let made = Report::new().inputs([list]).page(&page).run()?;
/// assert_eq!((made.state.accounts().records, made.state.accounts().rejects), (3, 1));
/// assert_eq!(made.state.top(Figure::Host, 1)[0].upper, 2);
/// assert!(std::fs::read_to_string(page)?.contains("example.com"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Report {
    pub(super) common: Common,
    pub(super) input: InputOptions,
    pub(super) normalize: NormalizeOptions,
    names: Option<Vec<String>>,
    title: Option<String>,
    page: Option<PathBuf>,
    json: Option<PathBuf>,
    state: Option<PathBuf>,
    pub(super) force: bool,
}

/// A report, and information about its run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reported {
    /// Every figure.
    pub state: State,
    /// Whether the inputs were states.
    pub is_merged: bool,
    /// Inputs that were truncated or damaged in this run.
    pub damaged: Vec<Damage>,
    /// Inputs of this run that hold the same bytes, or the same rows of a table, and count twice: the names of both.
    pub twice: Vec<[String; 2]>,
    /// Threads that did the work.
    pub threads: usize,
    /// The time from checking the options to publishing the outputs.
    pub time: Duration,
}

/// The origin of the figures.
pub enum Figures {
    /// Records, the reader for them, and information about their inputs.
    Records(Box<RecordSource>, Box<batch::Options>, InputDigests),
    /// The states of earlier runs.
    States(Vec<Source>),
}

/// The open inputs and outputs of a [`Report`].
pub struct Opened {
    names: Vec<String>,
    figures: Figures,
    targets: [Option<Target>; 3],
}

impl Settings for Report {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Page => self.page = Some(setting.path()),
            OptionName::Json => self.json = Some(setting.path()),
            OptionName::State => self.state = Some(setting.path()),
            OptionName::Title => self.title = Some(setting.text()?),
            OptionName::Force => self.force = setting.is_on()?,
            _ => {
                return Ok(self.common.put(setting, Self::NAME)?
                    || self.input.put(setting)?
                    || self.normalize.put(setting)?);
            }
        }
        Ok(true)
    }
}

impl Report {
    /// A run with the defaults, which reads standard input and writes nothing.
    pub fn new() -> Self {
        Report::default()
    }

    /// Memory for the run, in bytes: 512 MiB or more. By default 512 MiB, or 320 MiB and 64 MiB for each thread if that
    /// is more.
    pub fn memory(mut self, bytes: u64) -> Self {
        self.common.memory = Some(bytes);
        self
    }

    /// The names of the inputs in the report, in their order: if they are copies, the names of the originals. By
    /// default their paths.
    pub fn names(self, names: impl IntoIterator<Item: Into<String>>) -> Self {
        Report { names: Some(names.into_iter().map(Into::into).collect()), ..self }
    }

    /// The title of the page; by default the names of the inputs.
    pub fn title(self, title: impl Into<String>) -> Self {
        Report { title: Some(title.into()), ..self }
    }

    /// Writes the page, one HTML file that needs no network; `-` is standard output.
    pub fn page(self, file: impl Into<PathBuf>) -> Self {
        Report { page: Some(file.into()), ..self }
    }

    /// Writes every figure as JSON; `-` is standard output.
    pub fn json(self, file: impl Into<PathBuf>) -> Self {
        Report { json: Some(file.into()), ..self }
    }

    /// Writes the state, which later runs take as an input.
    pub fn state(self, file: impl Into<PathBuf>) -> Self {
        Report { state: Some(file.into()), ..self }
    }

    /// Replaces existing output files, counts an input twice that occurs twice, and adds up states that hold the same
    /// input or were made with other options.
    pub fn force(self, force: bool) -> Self {
        Report { force, ..self }
    }

    setters!(inputs, read_as, normalize, threads, chunk, progress, run);

    /// Like [`run`](Self::run), for a table in memory, or one that is made while it is read. Its columns are those that
    /// [`read_as`](Self::read_as) and [`fields`](crate::report::fields) name.
    ///
    /// # Errors
    /// Fails as [`run`](Self::run) does, if a batch fails, and with a usage error if there are inputs, too.
    pub fn run_table(self, table: GivenTable) -> Result<Reported> {
        let begun = Instant::now();
        if !self.common.inputs.is_empty() {
            return Err(Error::usage(
                "a table is given, and inputs, too: make a report of each, and add them up",
            ));
        }
        let name = table.name().to_owned();
        let run = Report { input: self.input.clone().format(InputFormat::Arrow), ..self };
        run.validate()?;
        run.outputs()?;
        let running = Running::new(&run, begun);
        let (_, of_queue) = of_report(run.common.memory, running.threads.given);
        run.common.progress.counters.memory.store(of_queue, Ordering::Relaxed);
        let records = run.normalize.read(Columns::default())?;
        let asked = run.input.asked(&Keep::AnyOf(urimill_report::fields()), &records, Vec::new())?;
        let record_source = RecordSource::of_table(table, &asked)?;
        let figures = Figures::Records(Box::new(record_source), Box::new(records), InputDigests::default());
        let targets = run.targets()?;
        Prepared { job: run, running, opened: Opened { names: vec![name], figures, targets } }.run()
    }

    /// The outputs, checked to be different files.
    fn outputs(&self) -> Result<[&Option<PathBuf>; 3]> {
        let outputs = [&self.page, &self.json, &self.state];
        let files = outputs.map(|output| output.as_ref().filter(|path| !is_stdout(path)));
        if outputs.iter().zip(files).filter(|(output, file)| output.is_some() && file.is_none()).count() > 1 {
            return Err(Error::usage("only one output can go to standard output: give the others a file"));
        }
        let whats = ["the page", "the figures as JSON", "the state"];
        for [one, other] in [[0, 1], [0, 2], [1, 2]] {
            refuse_same((files[one], whats[one]), (files[other], whats[other]))?;
        }
        Ok(outputs)
    }

    /// The options that decide the meaning of figures, which a state stores.
    fn decisive(&self, records: &batch::Options) -> Vec<(OptionName, String)> {
        let mut options = self.normalize.decisive(records);
        options.extend(self.input.base_field.iter().map(|field| (OptionName::BaseField, field.clone())));
        options
    }

    /// The outputs, which are created but empty.
    fn targets(&self) -> Result<[Option<Target>; 3]> {
        let mut targets = [None, None, None];
        for (target, output) in targets.iter_mut().zip([&self.page, &self.json, &self.state]) {
            let Some(path) = output else { continue };
            *target = Some(match is_stdout(path) {
                true => Target::stdout()?,
                false => Target::create_for(&self.common.progress.temporaries, path, self.force)?,
            });
        }
        Ok(targets)
    }

    /// The name of each input.
    fn named(&self, sources: &[Source]) -> Result<Vec<String>> {
        match &self.names {
            None => Ok(sources.iter().map(|source| source.name().into_owned()).collect()),
            Some(names) if names.len() == sources.len() => Ok(names.clone()),
            Some(names) => Err(Error::usage(format!(
                "there are {} names for {} inputs: give one for each",
                names.len(),
                sources.len()
            ))),
        }
    }

    /// The first bytes of inputs show whether they are states; from records the fields `keep` are read.
    pub(super) fn figures(&self, sources: Vec<Source>, keep: &Keep, running: &Running) -> Result<Figures> {
        let mut states = Vec::new();
        for source in &sources {
            if is_state(source, self.input.asked_format().is_detected)? {
                states.push(source.name().into_owned());
            }
        }
        match states.first() {
            Some(name) if states.len() == sources.len() => {
                self.refuse_reading(name)?;
                return Ok(Figures::States(sources));
            }
            Some(name) => {
                return Err(Error::usage(format!(
                    "{name} is a state and other inputs are not: make a state of the logs first with {}",
                    OptionName::State.with("FILE")
                )));
            }
            None if self.force => {}
            None => refuse_twice(&sources)?,
        }
        let (memory, of_queue) = of_report(self.common.memory, running.threads.given);
        self.common.progress.counters.memory.store(of_queue, Ordering::Relaxed);
        let records = self.normalize.read(Columns::default())?;
        let reader = (self.input.reader(keep, &records)?, records.max_record);
        let digests = InputDigests::default();
        let mut opening = self.input.opening(sources, reader, running);
        // Longer than elsewhere: a longer batch has fewer distinct texts for its length.
        opening.options.chunk_bytes = self.common.chunk_bytes.unwrap_or(4 << 20);
        opening.options.memory = memory;
        opening.options.digests = Some(digests.clone());
        let record_source = Box::new(opening.open()?.record_source);
        Ok(Figures::Records(record_source, Box::new(records), digests))
    }
}

impl Job for Report {
    const NAME: options::Job = options::Job::Report;
    type Opened = Opened;
    type Stats = Reported;

    fn common(&self) -> &Common {
        &self.common
    }

    fn check(&self, _: bool) -> Result<()> {
        self.validate()
    }

    fn open(&self, sources: Vec<Source>, running: &Running, _: Option<MakeSink<'_>>) -> Result<Opened> {
        let outputs = self.outputs()?;
        let names = self.named(&sources)?;
        for output in outputs.into_iter().flatten() {
            let file = (!is_stdout(output)).then_some(output.as_path());
            refuse_inputs(&sources, [file, None])?;
        }
        let figures = self.figures(sources, &Keep::AnyOf(urimill_report::fields()), running)?;
        Ok(Opened { names, figures, targets: self.targets()? })
    }

    fn work(self, opened: Opened, running: Running) -> Result<Reported> {
        let Opened { names, figures, targets } = opened;
        let (workers, progress) = (&*running.workers, &running.common.progress);
        let is_merged = matches!(figures, Figures::States(_));
        let (state, twice) = match figures {
            Figures::Records(record_source, records, digests) => {
                let making = Making { names: names.clone(), options: self.decisive(&records), digests };
                let (listed, counters) = (|| running.damages.list(), &progress.counters);
                urimill_report::run(*record_source, *records, &making, workers, listed, counters)?
            }
            Figures::States(sources) => (merged(&sources, self.force, progress)?, Vec::new()),
        };
        progress.counters.check()?;
        let title = self.title.unwrap_or_else(|| title(&names));
        write(&state, &title, targets)?;
        let (damaged, threads) = (running.damages.list(), running.threads.given);
        Ok(Reported { state, is_merged, damaged, twice, threads, time: running.begun.elapsed() })
    }
}

/// Writes the outputs, which get their names together.
fn write(state: &State, title: &str, [page, json, file]: [Option<Target>; 3]) -> Result<()> {
    let outputs = [page.is_some(), json.is_some(), file.is_some()].into_iter().filter(|is| *is).count();
    let page = page.map(|mut target| target.append(state.page(title).as_bytes()).map(|()| target));
    let json = json.map(|mut target| {
        let text = format!("{:#}\n", state.to_json(MOST_TEXTS));
        target.append(printable_json(&text).as_bytes()).map(|()| target)
    });
    let file = file.map(|mut target| state.write_to(&mut |bytes| target.append(bytes)).map(|()| target));
    let written = [page, json, file].into_iter().flatten().collect::<Result<Vec<Target>>>();
    let targets = written.map(|targets| targets.into_iter().map(UncommittedOutput::from).collect());
    // A reader that closes standard output has what it wanted, but the files are still to be written.
    targets.and_then(UncommittedOutput::commit_all).map_err(|error| match error.kind() {
        ErrorKind::ClosedPipe if outputs > 1 => error.of_kind(ErrorKind::Io).and("nothing was published"),
        _ => error,
    })
}

fn is_stdout(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// The names of the inputs without their folders, as far as they fit.
fn title(names: &[String]) -> String {
    let name = |name: &String| name.rsplit('/').next().unwrap_or_default().to_owned();
    match names {
        [] => "standard input".to_owned(),
        [one] => name(one),
        [first, second] => format!("{} and {}", name(first), name(second)),
        [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
    }
}

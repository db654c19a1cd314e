//! A run of `urimill normalize`, from its arguments to the account of it: in a process of its own, or within another
//! program, which may take the table itself.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::{Arguments, Invalid};
use crate::batch::Options;
use crate::cli::damage;
use crate::cli::inside::{Host, MakeSink, Running};
use crate::cli::layout::{Laid, SUMMARY};
use crate::cli::progress::Bar;
use crate::cli::signals;
use crate::cli::stderr::say_sentence;
use crate::cli::summary::Report;
use crate::cli::values::threads;
use crate::error::{Error, ErrorKind, Result};
use crate::input::{self, ChunkOptions, Chunker, Feed, Ledger, Source, expand};
use crate::output::{self, Format, SinkOptions, Target};
use crate::pipeline::{self, OnInvalid, Outlet, Plan, Progress, Proving};

pub(in crate::cli) fn run(arguments: Arguments) -> Result<()> {
    run_within(&arguments, Host::Program, |report| report.print(arguments.summary))?;
    damage::tell(&arguments.damaged.list())
}

/// The job for its host: `then` gets the account of the run.
pub(in crate::cli) fn run_within<T>(
    arguments: &Arguments,
    host: Host<'_>,
    then: impl FnOnce(&Report<'_>) -> T,
) -> Result<T> {
    let begun = Instant::now();
    let (own, is_program) = (Running::default(), matches!(host, Host::Program));
    let (Running { progress, stored, total }, sink) = match host {
        Host::Program => (&own, None),
        Host::Other(running, sink) => (running, sink),
    };
    let directory = arguments.layout.directory(arguments.writing.file())?;
    arguments.layout.check()?;
    let format = match directory {
        Some(directory) => arguments.writing.format_in(directory),
        None => arguments.writing.format()?,
    };
    let of_rejects = arguments.rejects.as_deref().and_then(|path| arguments.writing.format_of(path).ok());
    arguments.writing.check_safe([format].into_iter().chain(of_rejects))?;
    let options = arguments.options(format)?;
    let input_format = arguments.input_format(format)?;
    let sources = expand(&arguments.inputs)?;
    arguments.check_outputs(&sources)?;
    if sink.is_none() {
        arguments.writing.refuse_terminal(format)?;
    }
    if is_program {
        signals::watch();
    }

    let total = *total.get_or_init(|| sources.iter().map(Source::size).sum::<Option<u64>>());
    let threads = threads(arguments.threads, is_program);
    progress.memory.store(arguments.layout.budget(threads).whole, Ordering::Relaxed);
    let is_auto = matches!(input_format, input::Format::Auto(_));
    let ledger = arguments.verifying.ledger();
    let mut feed = arguments.feed(sources, input_format, threads, (stored, ledger.clone()));
    feed.begin()?;
    let read_as = feed.format().name();
    let has_comments = feed.format().has_comments();
    let around = if feed.format().unwraps() { ", behind what stands before each line" } else { "" };
    let is_table = feed.is_table();
    let options = Options { kept: feed.kept(), ..options };
    let plan = match is_table {
        true => arguments.plan_of_tables(&options)?,
        false => arguments.plan(&options, read_as)?,
    };
    let plan = arguments.arrange(plan, &options, format)?;
    let plan = if arguments.on_invalid.is_some() { plan.insisting() } else { plan };
    let sink_options = SinkOptions { checksums: ledger.is_some(), ..arguments.sink_options(&options) };
    let (table_name, table) =
        arguments.table(sink, (format, directory), &plan, &sink_options, threads, progress)?;
    let on_invalid = arguments.on_invalid(&plan, &sink_options)?;
    let keeps_rejects = matches!(on_invalid, OnInvalid::Keep);
    let divided = (format, arguments.layout.partition_by());
    let rejects_format =
        arguments.rejects.as_deref().map(|path| arguments.writing.format_of(path)).transpose()?;
    let declared = arguments.sorting.declared(&plan.table_schema(), &sink_options)?;
    let books = |ledger| {
        let rejects = rejects_format.map(|format| (format, &sink_options));
        Proving::new(ledger, &plan, (divided, &declared), rejects).map(Arc::new)
    };
    let proving = ledger.map(books).transpose()?;
    let plan = plan.proving(proving.clone());

    let bar = is_program.then(|| Bar::start(arguments.progress, total, stored, progress));
    let result = pipeline::complete(feed, &plan, threads, table, on_invalid, progress);
    drop(bar);
    let complete = result.map_err(|error| arguments.left_alone(error))?;
    let verified = proving.map(|proving| complete.verify(&proving, threads)).transpose()?;
    let summary = complete.summary.clone();
    let laid = complete.folder().map(Laid::of);
    let rejects = arguments.rejects.as_ref().map(|path| path.display().to_string());
    let report = Report {
        summary: &summary,
        options: &options,
        threads,
        stored: stored.load(Ordering::Relaxed),
        time: begun.elapsed(),
        table: (&table_name, format.name()),
        laid: laid.as_ref(),
        partition_by: arguments.layout.partition_by(),
        rejects: rejects.as_deref(),
        keeps_rejects,
        read_as,
        has_comments,
        reading: &arguments.reading,
        is_table,
        verified,
        damages: &arguments.damaged.list(),
    };
    if let Some(folder) = complete.folder() {
        folder.add(SUMMARY, report.beside_files().as_bytes())?;
    }
    progress.check()?;
    complete.publish().map_err(|error| arguments.left_alone(error))?;
    if let Some(warning) = laid.as_ref().and_then(Laid::warning).filter(|_| is_program) {
        say_sentence(&warning);
    }
    // A list is what everybody expects, unless somebody asks.
    if is_auto && is_program && (arguments.reading.names_format() || read_as != "lines") {
        say_sentence(&format!("took the input for {read_as}{around}"));
    }
    Ok(then(&report))
}

impl Arguments {
    fn feed(
        &self,
        sources: Vec<Source>,
        format: input::Format,
        threads: usize,
        (stored, ledger): (&Arc<AtomicU64>, Option<Arc<Ledger>>),
    ) -> Feed {
        let chunks = ChunkOptions {
            chunk_bytes: self.chunk as usize,
            max_record: self.max_record as usize,
            ..ChunkOptions::default()
        };
        let chunker = Chunker::new(sources, chunks, stored.clone()).with_format(format).with_threads(threads);
        let chunker =
            self.damaged.handle(chunker).with_ledger(ledger).judging().with_memory(self.layout.memory());
        // Said outright, it is meant for whatever comes.
        Feed::from(if self.on_invalid.is_some() { chunker.insisting() } else { chunker })
    }

    /// What takes the table, and its name: the host's sink, a directory, or a file.
    fn table(
        &self,
        sink: Option<MakeSink<'_>>,
        (format, directory): (Format, Option<&Path>),
        plan: &Plan,
        options: &SinkOptions,
        threads: usize,
        progress: &Progress,
    ) -> Result<(String, Outlet)> {
        let is_file = sink.is_none() && directory.is_none();
        let target = is_file.then(|| self.writing.target()).transpose()?;
        let beside = match directory {
            Some(path) => path.parent(),
            None => target.as_ref().and_then(Target::directory),
        };
        let inside = plan.table_schema();
        let sorter = self.sorting.sorter(&inside, &self.layout, beside, threads)?;
        let (schema, options) = match &sorter {
            Some((sorter, keys)) => (sorter.schema(), self.sorting.told(options, keys)),
            None => (inside.clone(), options.clone()),
        };
        let (name, sink) = match (sink, directory, target) {
            (Some(make), ..) => (String::new(), make(inside)?),
            (None, Some(path), _) => {
                let layout = self.layout.options(threads, &progress.files, sorter.is_some());
                let force = self.writing.replaces();
                let sink = output::create_directory(format, path, force, schema, &options, &layout)?;
                (path.display().to_string(), sink)
            }
            (None, None, Some(target)) => {
                (target.name().to_owned(), output::create(format, target, schema, &options)?)
            }
            (None, None, None) => return Err(Error::new(ErrorKind::Internal, "there is no output")),
        };
        let outlet = match sorter {
            Some((sorter, _)) => Outlet::Sorted(Box::new(sorter), sink),
            None => Outlet::Sink(sink),
        };
        Ok((name, outlet))
    }

    fn on_invalid(&self, plan: &Plan, options: &SinkOptions) -> Result<OnInvalid> {
        Ok(match (&self.rejects, self.on_invalid) {
            (Some(path), _) => OnInvalid::Reject(self.rejects_sink(path, plan, options)?),
            (None, Some(Invalid::Fail)) => OnInvalid::Fail,
            (None, None) if self.schemas.is_cc_index() && !self.schemas.fills() => OnInvalid::Fail,
            (None, _) => OnInvalid::Keep,
        })
    }
}

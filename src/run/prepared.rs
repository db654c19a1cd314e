//! A run, from its options to its statistics: the only place where reader, plan, sorter, sink and verification are put
//! together.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::budget::{Budget, Threads};
use super::cc_index::{SchemaOptions, of_tables};
use super::columns::{field, is_own};
use super::conflicts::{refuse_inputs, refuse_inside, refuse_same, refuse_unreadable};
use super::conversion::{Conversion, OnInvalid};
use super::input_format::InputFormat;
use super::opening::{Opened, Opening};
use super::output::{MakeSink, Output, hiding};
use super::stats::{OutputStats, RunStats};
use super::validate::Validated;
use crate::audit::FLAG_NAMES;
use crate::batch;
use crate::batch::{BATCH_ROWS, ExtraColumns, FurtherUri, Kind, MAX_ROWS};
use crate::common_crawl::Choices;
use crate::error::{Error, ErrorKind, Result, did_you_mean};
use crate::files;
use crate::normalize::Level;
use crate::option_name::OptionName;
use crate::pipeline;
use crate::pipeline::{Destination, FormatCheck, Plan};
use crate::read::{Damages, RecordSource, Source, expand};
use crate::timing::{self, Stage, Step, Timing};
use crate::verify::Verifier;
use crate::write;
use crate::write::{DirectoryOptions, SinkOptions, Target};

/// Where the table goes.
enum OutputChoice<'a> {
    /// To the output that the options name.
    Output,
    /// To a sink of the caller's.
    Sink(MakeSink<'a>),
}

/// A run that can begin: its options make sense, its inputs begin as they should, and its outputs can be written.
/// Dropped without [`run`](PreparedRun::run) it leaves nothing after.
#[must_use = "a prepared run does nothing until it is run"]
pub struct PreparedRun {
    conversion: Conversion,
    validated: Validated,
    begun: Instant,
    threads: Threads,
    options: batch::Options,
    record_source: RecordSource,
    plan: Plan,
    table: Destination,
    table_name: String,
    on_invalid: pipeline::OnInvalid,
    verifier: Option<Arc<Verifier>>,
    damages: Damages,
}

impl Conversion {
    /// Reads every record, writes every row, and publishes the outputs when all is well.
    ///
    /// # Errors
    /// Fails as [`validate`](Self::validate) does; with `Io` or `Data` where an input cannot be read or is damaged, or
    /// an output cannot be written; with `InvalidRecord` under [`OnInvalid::Fail`]; with `Stopped` where
    /// [`RunProgress::stop`](super::RunProgress::stop) was called.
    /// Nothing is published then.
    pub fn run(self) -> Result<RunStats> {
        self.prepare()?.run()
    }

    /// [`run`](Self::run) where the rows go to a sink of the caller's: no output is named then.
    ///
    /// # Errors
    /// Fails as [`run`](Self::run) does, and where the sink fails.
    pub fn run_into(self, sink: MakeSink<'_>) -> Result<RunStats> {
        PreparedRun::new(self, OutputChoice::Sink(sink))?.run()
    }

    /// [`run`](Self::run) up to its first record: the options are validated, the beginning of the inputs is read, and
    /// outputs can be written.
    ///
    /// # Errors
    /// Fails as [`run`](Self::run) does.
    pub fn prepare(self) -> Result<PreparedRun> {
        PreparedRun::new(self, OutputChoice::Output)
    }
}

impl PreparedRun {
    fn new(conversion: Conversion, destination: OutputChoice<'_>) -> Result<PreparedRun> {
        let begun = Instant::now();
        check_destination(&conversion, &destination)?;
        let validated = conversion.validated()?;
        let options = conversion.batch_options(&validated)?;
        let format = match &conversion.links {
            Some(links) => links.reader(&validated.keep, &options, conversion.temp_dir.as_deref())?,
            None => conversion.input.reader_naming(&validated.keep, &options, conversion.named_fields())?,
        };
        let sources = expand(&conversion.inputs)?;
        conversion.check_outputs(&sources, validated.directory.as_deref())?;

        let threads = Threads::new(conversion.threads);
        let budget = Budget::new(conversion.memory, threads.given);
        conversion.progress.counters.memory.store(budget.whole, Ordering::Relaxed);
        let reader = (format, options.max_record);
        let opening = Opening {
            chunk_bytes: conversion.chunk_bytes,
            memory: Some(conversion.memory_bytes()),
            is_live: conversion.is_live(validated.format)?,
            verify: conversion.verify,
            force_format: conversion.accepts_all(),
            ..conversion.input.opening(sources, reader, threads.given, &conversion.progress)
        };
        let Opened { record_source, damages, checksums } = opening.open()?;
        let options = conversion.with_fields(options, record_source.extra_columns(), &validated)?;
        let plan = conversion.plan(&options, &record_source, &validated)?;
        let sink_options =
            SinkOptions { checksums: checksums.is_some(), ..conversion.sink_options(&options) };
        let (table_name, table) =
            conversion.table(destination, &validated, &plan, &sink_options, (threads.given, budget))?;
        let on_invalid = conversion.invalid_records(&plan, &validated, &sink_options)?;
        let declared = conversion.sorted_sink_options(&plan.table_schema(), &sink_options)?;
        let divided = (validated.format, conversion.partition_by.as_slice());
        let rejects = validated.rejects_format.map(|format| (format, &sink_options));
        let verifier = |checksums| plan.new_verifier(checksums, (divided, &declared), rejects).map(Arc::new);
        let verifier = checksums.map(verifier).transpose()?;
        let plan = plan.verified_by(verifier.clone());
        Ok(PreparedRun {
            conversion,
            validated,
            begun,
            threads,
            options,
            record_source,
            plan,
            table,
            table_name,
            on_invalid,
            verifier,
            damages,
        })
    }

    /// The threads that the run has.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Reads every record, writes every row, and publishes the outputs when all is well.
    ///
    /// # Errors
    /// Fails as [`Conversion::run`] does.
    pub fn run(self) -> Result<RunStats> {
        let PreparedRun { conversion, validated, begun, threads, options, record_source, plan, .. } = self;
        let timing = conversion.time_stages.then(Timing::default);
        let ordered = [self.table.stage_names(), self.on_invalid.stage_names()].concat();
        let timed = timing.as_ref().map(|timing| {
            timing.add(Stage::BEGIN, begun.elapsed());
            timing.begin(Stage::BEGIN)
        });
        let read_as = record_source.format().name();
        let (has_comments, unwraps) =
            (record_source.format().has_comments(), record_source.format().unwraps());
        let is_table = record_source.is_table();
        let keeps_rejects = matches!(self.on_invalid, pipeline::OnInvalid::Keep);
        let progress = &conversion.progress;
        let threads = threads.given;
        let result = pipeline::complete(
            record_source,
            &plan,
            threads,
            self.table,
            self.on_invalid,
            &progress.counters,
        );
        let complete = result.map_err(|error| conversion.left_alone(error))?;
        let end = timing::stage(Stage::END, Step::Other);
        let verified = self.verifier.map(|verifier| complete.verify(&verifier, threads)).transpose()?;
        let output = OutputStats::of(self.table_name, validated.format.name(), &complete);
        let mut stats = RunStats::of(&complete.summary, &options, output);
        stats.partition_by.clone_from(&conversion.partition_by);
        let drops = conversion.on_invalid == Some(OnInvalid::Drop);
        stats.dropped = if drops { complete.summary.rejected_rows } else { 0 };
        stats.set_rejects(conversion.rejects.as_deref(), &complete.summary, keeps_rejects, &options);
        stats.input_format = read_as;
        stats.has_comments = has_comments;
        stats.unwraps = unwraps;
        stats.is_detected = conversion.input.asked_format() == InputFormat::Auto;
        stats.is_table = is_table;
        stats.selects_records = conversion.input.selects_records();
        stats.resolves = conversion.resolves();
        stats.pages = conversion.links.as_ref().map(|_| complete.summary.pages);
        stats.verified = verified;
        stats.damaged = self.damages.list();
        stats.stored_bytes = progress.stored_bytes();
        stats.threads = threads;
        stats.time = begun.elapsed();
        if let Some(folder) = complete.folder() {
            folder.add(RunStats::FILE_NAME, stats.beside_files().as_bytes())?;
        }
        progress.counters.check()?;
        complete.publish().map_err(|error| conversion.left_alone(error))?;
        drop((end, timed));
        stats.stages = timing.map_or_else(Vec::new, |timing| timing.stages(&ordered));
        Ok(stats)
    }
}

fn check_destination(conversion: &Conversion, destination: &OutputChoice<'_>) -> Result<()> {
    match (destination, &conversion.output) {
        (OutputChoice::Output, output) => Output::of(output.as_ref()).map(drop),
        (OutputChoice::Sink(_), Some(_)) => {
            Err(Error::usage(format!("the table goes to the caller: drop {}", OptionName::Output.named())))
        }
        _ => Ok(()),
    }
}

/// Checks that the fields of further URIs exist, and that their columns have unique names.
fn check_further(further: &[FurtherUri], extra: &ExtraColumns) -> Result<()> {
    let names: Vec<&str> = extra.fields().iter().map(|field| field.name.as_str()).collect();
    let names: Vec<&str> =
        names.into_iter().chain(extra.passthrough().iter().map(|field| field.name().as_str())).collect();
    for uri in further {
        let cell = extra.fields().iter().find(|field| field.name == uri.field);
        let passthrough = extra.passthrough().iter().find(|field| *field.name() == uri.field);
        let holds_texts = match (cell, passthrough) {
            (Some(field), _) => field.kind == Kind::Text,
            (None, Some(field)) => batch::holds_texts(field.data_type()),
            (None, None) => {
                return Err(Error::usage(format!(
                    "there is no field for {}{}: the fields are {}",
                    OptionName::UriField.with(&uri.field),
                    did_you_mean(&uri.field, names.iter().copied()),
                    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
                )));
            }
        };
        if !holds_texts {
            return Err(Error::usage(format!(
                "{} holds no texts, and so no URIs: name another field",
                OptionName::UriField.with(&uri.field)
            )));
        }
        if let Some(name) = uri.names().find(|name| names.contains(&name.as_str())) {
            return Err(Error::usage(format!(
                "a field of the records is called {name}, and so is a column of {}: drop the field with {}",
                OptionName::UriField.with(&uri.field),
                OptionName::Keep.named()
            )));
        }
    }
    Ok(())
}

impl Conversion {
    fn batch_options(&self, validated: &Validated) -> Result<batch::Options> {
        let options = self.normalize.read(validated.columns.clone())?;
        // Common Crawl's table is about URIs as they were fetched.
        let level = if self.schema.is_cc_index() { Level::None } else { options.level };
        Ok(batch::Options { level, ..options })
    }

    /// The options with the fields of the records, which are now known.
    fn with_fields(
        &self,
        options: batch::Options,
        extra: ExtraColumns,
        validated: &Validated,
    ) -> Result<batch::Options> {
        let has_own_base = self.has_own_bases();
        let further = validated.list.further.iter().map(|(field, columns)| {
            let (field, columns) = (field.clone(), columns.clone());
            FurtherUri { field, columns, has_own_base }
        });
        let further: Vec<_> = further.collect();
        check_further(&further, &extra)?;
        Ok(batch::Options { extra, further, ..options })
    }

    /// The columns of fields by which the table is divided and sorted.
    fn named_fields(&self) -> Vec<String> {
        let names = self.partition_by.iter().chain(&self.sort_by);
        let names = names.map(|name| name.split_once(':').map_or(name.as_str(), |(name, _)| name));
        names.filter(|name| !is_own(name)).map(field).collect()
    }

    /// Whether records are resolved.
    fn resolves(&self) -> bool {
        self.normalize.base.is_some() || self.has_own_bases()
    }

    /// Whether somebody may wait for rows while the input is written: what goes to a stream goes row by row, and is the
    /// same in pieces of any size.
    fn is_live(&self, format: write::Format) -> Result<bool> {
        use write::Format;
        let goes_row_by_row = matches!(format, Format::Csv | Format::Tsv | Format::Jsonl | Format::Uris);
        let waits = self.sort_by.is_empty() && self.partition_by.is_empty() && !self.verify;
        let is_stream = |path: &Path| {
            let found = files::find(path).map_err(|error| Error::path("look at", path, error))?;
            Ok(found.is_some_and(|found| !found.is_file() && !found.is_dir()))
        };
        match &self.output {
            Some(output) if goes_row_by_row && waits => output.path.as_deref().map_or(Ok(true), is_stream),
            _ => Ok(false),
        }
    }

    fn file(&self) -> Option<&Path> {
        self.output.as_ref().and_then(|output| output.path.as_deref())
    }

    /// Refuses outputs that would destroy an input or each other, or that nobody can verify.
    fn check_outputs(&self, sources: &[Source], directory: Option<&Path>) -> Result<()> {
        let rejects = self.rejects.as_deref();
        if self.verify {
            refuse_unreadable([self.file(), rejects].into_iter().flatten())?;
        }
        let settings = self.normalize.files().map(|path| Source::File(path.clone()));
        let sources: Vec<Source> = sources.iter().cloned().chain(settings).collect();
        refuse_inputs(&sources, [self.file(), rejects])?;
        if let Some(directory) = directory {
            refuse_inside(directory, &sources, rejects)?;
        }
        let table = self.output.as_ref().and_then(|output| output.path.as_ref());
        refuse_same((table, "the table"), (self.rejects.as_ref(), "the rejects"))
    }

    /// A caller that decides about invalid records accepts any input, unless nothing would be left of it.
    fn accepts_all(&self) -> bool {
        self.on_invalid.is_some_and(|on_invalid| on_invalid != OnInvalid::Drop)
    }

    /// The columns of the table, now that the fields of its records are known.
    fn plan(
        &self,
        options: &batch::Options,
        record_source: &RecordSource,
        validated: &Validated,
    ) -> Result<Plan> {
        let drops = self.on_invalid == Some(OnInvalid::Drop);
        let splits = self.rejects.is_some() || drops;
        // Parquet numbers the distinct values of each batch, and a sorter sorts each.
        let gathers = validated.format == write::Format::Parquet || !self.sort_by.is_empty();
        let batch_rows = if gathers { MAX_ROWS } else { BATCH_ROWS };
        let options = &batch::Options { batch_rows, ..options.clone() };
        let plan = match (self.schema.is_cc_index(), record_source.is_table()) {
            (true, true) => return Err(of_tables()),
            (false, true) => Plan::of_tables(options.clone(), splits)?,
            (false, false) => Plan::new(options.clone(), splits),
            (true, false) => {
                let format = record_source.format().name();
                let columns = self.columns.as_deref();
                let choices = self.schema.choices(columns, &self.partition_by, self.normalize.canonical)?;
                let keep = SchemaOptions::visible(self.input.keep.as_ref(), format, &options.extra);
                Plan::cc_index(options.clone(), Choices { keep, ..choices }, format, splits)?
            }
        };
        let is_listed = !self.schema.is_cc_index() && validated.format != write::Format::Uris;
        let order = match is_listed {
            true => validated.list.order(&options.extra, self.input.keep.as_ref())?,
            false => None,
        };
        let plan = match order {
            Some(order) => plan.arranged(order),
            None => plan,
        };
        Ok(if self.accepts_all() { plan.check_format(FormatCheck::Not) } else { plan })
    }

    fn sink_options(&self, options: &batch::Options) -> SinkOptions {
        let schema = self.schema.is_cc_index().then(|| self.schema.schema.name());
        let metadata = self.normalize.metadata(options, schema, self.has_own_bases());
        let own = self.output.as_ref().map(|output| output.sink_options(metadata.clone()));
        let own = own.unwrap_or_else(|| Output::stdout().sink_options(metadata));
        hiding(
            SinkOptions {
                flag_names: FLAG_NAMES,
                further_flags: options.further.iter().map(|uri| format!("{}_flags", uri.field)).collect(),
                passthrough: options.extra.passthrough().len(),
                memory: self.memory_bytes(),
                ..own
            },
            options.hide,
        )
    }

    /// Bytes, for any number of threads: for decisions that affect the output.
    fn memory_bytes(&self) -> usize {
        let asked = self.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        asked.unwrap_or(DirectoryOptions::default().memory)
    }

    /// The options of a directory's sink, which counts complete files for the progress. If rows are sorted, most of the
    /// memory is for that, and partitions come one after the other.
    fn directory_options(&self, threads: usize, is_sorted: bool) -> DirectoryOptions {
        let defaults = DirectoryOptions::default();
        let memory = self.memory_bytes();
        DirectoryOptions {
            partition_by: self.partition_by.clone(),
            file_bytes: self.file_size.unwrap_or(defaults.file_bytes),
            memory: if is_sorted { memory / 4 } else { memory },
            max_partitions: self.max_partitions.unwrap_or(defaults.max_partitions),
            threads,
            made: Arc::clone(&self.progress.counters.files),
            run: self.progress.temporaries.clone(),
        }
    }

    /// The sink of the table, and its name: the caller's sink, a directory, or a file.
    fn table(
        &self,
        destination: OutputChoice<'_>,
        validated: &Validated,
        plan: &Plan,
        options: &SinkOptions,
        (threads, budget): (usize, Budget),
    ) -> Result<(String, Destination)> {
        let output = self.output.as_ref();
        let directory = validated.directory.as_deref();
        let is_file = matches!(destination, OutputChoice::Output) && directory.is_none();
        let run = &self.progress.temporaries;
        let target = output.filter(|_| is_file).map(|output| output.target(run)).transpose()?;
        let beside = match directory {
            Some(path) => path.parent(),
            None => target.as_ref().and_then(Target::directory),
        };
        let inside = plan.table_schema();
        let sorter = self.sorter(&inside, budget, beside, threads)?;
        let (schema, options) = match &sorter {
            Some((sorter, _)) => (sorter.schema(), self.sorted_sink_options(&inside, options)?),
            None => (inside.clone(), options.clone()),
        };
        let (name, sink) = match (destination, directory, target) {
            (OutputChoice::Sink(make), ..) => (String::new(), make(inside)?),
            (OutputChoice::Output, Some(path), _) => {
                let layout = self.directory_options(threads, sorter.is_some());
                let force = output.is_some_and(|output| output.force);
                let sink = write::create_directory(validated.format, path, force, schema, &options, &layout)?;
                (path.display().to_string(), sink)
            }
            (OutputChoice::Output, None, Some(target)) => {
                (target.name().to_owned(), write::create(validated.format, target, schema, &options)?)
            }
            (OutputChoice::Output, None, None) => {
                return Err(Error::new(ErrorKind::Internal, "there is no output"));
            }
        };
        let destination = match sorter {
            Some((sorter, _)) => Destination::Sorted(Box::new(sorter), sink),
            None => Destination::Sink(sink),
        };
        Ok((name, destination))
    }

    fn invalid_records(
        &self,
        plan: &Plan,
        validated: &Validated,
        options: &SinkOptions,
    ) -> Result<pipeline::OnInvalid> {
        Ok(match (&self.rejects, validated.rejects_format, self.on_invalid) {
            (Some(path), Some(format), _) => {
                let force = self.output.as_ref().is_some_and(|output| output.force);
                let target = Target::create_for(&self.progress.temporaries, path, force)?;
                pipeline::OnInvalid::Reject(write::create(format, target, plan.rejects_schema(), options)?)
            }
            (_, _, Some(OnInvalid::Drop)) => pipeline::OnInvalid::Drop,
            (_, _, Some(OnInvalid::Fail)) => pipeline::OnInvalid::Fail,
            (_, _, None) if self.schema.is_strict() => pipeline::OnInvalid::Fail,
            _ => pipeline::OnInvalid::Keep,
        })
    }

    /// A closed pipe is not a failure of a run that only fills that pipe. With two outputs the other one was wanted
    /// too, and is missing.
    fn left_alone(&self, error: Error) -> Error {
        match &self.rejects {
            Some(_) if error.kind() == ErrorKind::ClosedPipe => {
                error.of_kind(ErrorKind::Io).and("nothing was published")
            }
            _ => error,
        }
    }
}

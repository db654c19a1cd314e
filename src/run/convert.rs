//! The job that makes tables, from its options to its statistics: combines reader, plan, sorter, sink and verification.

use std::path::Path;
use std::sync::Arc;

use urimill_archives::common_crawl;
use urimill_archives::common_crawl::Choices;
use urimill_base::error::{Error, ErrorKind, Result, did_you_mean};
use urimill_base::files;
use urimill_base::option_name::OptionName;
use urimill_base::threads::Workers;
use urimill_base::timing;
use urimill_base::timing::{Stage, Step, Timing};
use urimill_columns::batch;
use urimill_columns::batch::{BATCH_ROWS, ExtraColumns, FurtherUri, Kind, MAX_ROWS};
use urimill_pipeline::verify::Verifier;
use urimill_pipeline::{Destination, FormatCheck, Plan};
use urimill_read::{RecordSource, Source};
use urimill_uri::audit::FLAG_NAMES;
use urimill_uri::normalize::Level;
use urimill_write::{DirectoryOptions, SinkOptions, Target};

use super::cc_index::{SchemaOptions, of_tables};
use super::choices::OnInvalid;
use super::columns::{field, is_own};
use super::common::Common;
use super::conflicts::{refuse_inputs, refuse_inside, refuse_same};
use super::conversion::Conversion;
use super::job::{Job, Running};
use super::opening;
use super::options;
use super::output::{MakeSink, Output, hiding};
use super::saved_format::SavedFormat;
use super::stats::{OutputStats, Stats};
use super::validate::Validated;

/// The open inputs and outputs of a [`Conversion`].
pub struct Opened {
    validated: Validated,
    options: batch::Options,
    read: opening::Opened,
    plan: Plan,
    table: Destination,
    table_name: String,
    on_invalid: urimill_pipeline::OnInvalid,
    verifier: Option<Arc<Verifier>>,
    saved: Option<SavedFormat>,
}

impl Job for Conversion {
    const NAME: options::Job = options::Job::Normalize;
    type Opened = Opened;
    type Stats = Stats;

    fn common(&self) -> &Common {
        &self.common
    }

    fn check(&self, has_sink: bool) -> Result<()> {
        Output::check_one(self.output.as_ref(), has_sink)?;
        self.validate()
    }

    fn is_sorted(&self) -> bool {
        !self.sort_by.is_empty()
    }

    fn open(&self, sources: Vec<Source>, running: &Running, sink: Option<MakeSink<'_>>) -> Result<Opened> {
        let validated = self.validated()?;
        let options = self.batch_options(&validated)?;
        let format = match &self.links {
            Some(links) => links.reader(&validated.keep, &options, self.common.temp_dir.as_deref())?,
            None => self.input.reader_naming(&validated.keep, &options, self.named_fields())?,
        };
        self.check_outputs(&sources, validated.directory.as_deref())?;
        let reader = (format, options.max_record);
        let mut opening = self.input.opening(sources, reader, running);
        opening.options.memory = self.memory_bytes();
        opening.options.is_live = self.is_live(validated.format)?;
        opening.options.force_format = self.accepts_all();
        let read = opening.open()?;
        let (record_source, checksums) = (&read.record_source, &read.checksums);
        let options = self.with_fields(options, record_source.extra_columns(), &validated)?;
        let plan = self.plan(&options, record_source, &validated)?;
        let sink_options = SinkOptions { checksums: checksums.is_some(), ..self.sink_options(&options) };
        let (table_name, table) = self.table(sink, &validated, &plan, &sink_options, running)?;
        let on_invalid = self.invalid_records(&plan, &validated, &sink_options)?;
        let declared = self.sorted_sink_options(&plan.table_schema(), &sink_options)?;
        let divided = (validated.format, self.partition_by.as_slice());
        let rejects = validated.rejects_format.map(|format| (format, &sink_options));
        let verifier = |checksums| plan.new_verifier(checksums, (divided, &declared), rejects).map(Arc::new);
        let verifier = checksums.clone().map(verifier).transpose()?;
        let plan = plan.verified_by(verifier.clone());
        let saved = self.saved_format(&read, &options)?;
        Ok(Opened { validated, options, read, plan, table, table_name, on_invalid, verifier, saved })
    }

    fn work(self, opened: Opened, running: Running) -> Result<Stats> {
        let Opened { validated, options, read, plan, .. } = opened;
        let begun = running.begun;
        let timing = self.time_stages.then(Timing::default);
        let ordered = [opened.table.stage_names(), opened.on_invalid.stage_names()].concat();
        let timed = timing.as_ref().map(|timing| {
            timing.add(Stage::BEGIN, begun.elapsed());
            timing.begin(Stage::BEGIN)
        });
        let mut stats = Stats::of(&read, &self.input, &options);
        let keeps_rejects = matches!(opened.on_invalid, urimill_pipeline::OnInvalid::Keep);
        let progress = &running.common.progress;
        let threads = &*running.workers;
        let result = urimill_pipeline::complete(
            read.record_source,
            &plan,
            threads,
            opened.table,
            opened.on_invalid,
            &progress.counters,
        );
        let complete = result.map_err(|error| self.left_alone(error))?;
        let end = timing::stage(Stage::END, Step::Other);
        let verified = opened.verifier.map(|verifier| complete.verify(&verifier, threads)).transpose()?;
        let summary = &complete.summary;
        let drops = self.on_invalid == Some(OnInvalid::Drop);
        stats = Stats {
            rows: summary.rows,
            spilled_bytes: summary.spilled,
            output: OutputStats::of_run(opened.table_name, validated.format.name(), &complete),
            partition_by: self.partition_by.clone(),
            dropped: if drops { summary.rejected_rows } else { 0 },
            resolves: self.resolves(),
            pages: self.links.as_ref().map(|_| summary.read.pages),
            verified,
            ..stats.read(&summary.read)
        };
        stats.set_rejects(self.rejects.as_deref(), summary, keeps_rejects, &options);
        stats = stats.end(&running);
        if let Some(folder) = complete.folder() {
            folder.add(Stats::FILE_NAME, stats.beside_files().as_bytes())?;
        }
        progress.counters.check()?;
        opened.saved.map_or(Ok(()), SavedFormat::commit)?;
        complete.publish().map_err(|error| self.left_alone(error))?;
        drop((end, timed));
        stats.stages = timing.map_or_else(Vec::new, |timing| timing.stages(&ordered));
        Ok(stats)
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
        // Common Crawl's table needs the URIs as they were fetched.
        let reading =
            if self.schema.is_cc_index() { options.reading.at_level(Level::None) } else { options.reading };
        Ok(batch::Options { reading, ..options })
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

    /// The columns of fields that partition and sort the table.
    fn named_fields(&self) -> Vec<String> {
        let names = self.partition_by.iter().chain(&self.sort_by);
        let names = names.map(|name| name.split_once(':').map_or(name.as_str(), |(name, _)| name));
        names.filter(|name| !is_own(name)).map(field).collect()
    }

    /// Whether records are resolved.
    fn resolves(&self) -> bool {
        self.normalize.base.is_some() || self.has_own_bases()
    }

    /// Whether somebody may wait for rows while the input is written: an output to a stream is written row by row, and
    /// is the same for pieces of any size.
    fn is_live(&self, format: urimill_write::Format) -> Result<bool> {
        use urimill_write::Format;
        let goes_row_by_row = matches!(format, Format::Csv | Format::Tsv | Format::Jsonl | Format::Uris);
        let waits = self.sort_by.is_empty() && self.partition_by.is_empty() && !self.common.verify;
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

    /// Refuses outputs that would destroy an input or each other, or that cannot be verified.
    fn check_outputs(&self, sources: &[Source], directory: Option<&Path>) -> Result<()> {
        let rejects = self.rejects.as_deref();
        let settings = self.normalize.files().map(|path| Source::File(path.clone()));
        let sources: Vec<Source> = sources.iter().cloned().chain(settings).collect();
        match &self.output {
            Some(_) => self.common.refuse_outputs(&sources, [self.file(), rejects])?,
            None if rejects.is_some() => self.common.refuse_outputs(&sources, [rejects, None])?,
            None => {}
        }
        if let Some(saved) = &self.save_format {
            refuse_inputs(&sources, [Some(saved), None])?;
        }
        if let Some(directory) = directory {
            refuse_inside(directory, &sources, rejects)?;
        }
        let table = self.output.as_ref().and_then(|output| output.path.as_ref());
        refuse_same((table, "the table"), (self.save_format.as_ref(), "the format"))?;
        refuse_same((self.rejects.as_ref(), "the rejects"), (self.save_format.as_ref(), "the format"))?;
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
        let gathers = validated.format == urimill_write::Format::Parquet || !self.sort_by.is_empty();
        let batch_rows = if gathers { MAX_ROWS } else { BATCH_ROWS };
        let options = &batch::Options { batch_rows, ..options.clone() };
        let plan = match (self.schema.is_cc_index(), record_source) {
            (true, RecordSource::Tables(_)) => return Err(of_tables()),
            (false, _) => Plan::new(record_source, options.clone(), splits)?,
            (true, RecordSource::Chunks(chunks)) => {
                let format = chunks.format().name();
                let columns = self.columns.as_deref();
                let choices = self.schema.choices(columns, &self.partition_by, self.normalize.canonical)?;
                let keep = SchemaOptions::visible(self.input.keep.as_ref(), format, &options.extra);
                common_crawl::plan(options.clone(), Choices { keep, ..choices }, format, splits)?
            }
        };
        let is_listed = !self.schema.is_cc_index() && validated.format != urimill_write::Format::Uris;
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

    /// Bytes, independent of the number of threads: for decisions that affect the output.
    fn memory_bytes(&self) -> usize {
        let asked = self.common.memory.map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
        asked.unwrap_or(DirectoryOptions::default().memory)
    }

    /// The options of a directory's sink, which counts complete files for the progress. If rows are sorted, the sort
    /// gets most of the memory, and partitions come one after the other.
    fn directory_options(&self, threads: &Arc<Workers>, is_sorted: bool) -> DirectoryOptions {
        let defaults = DirectoryOptions::default();
        let memory = self.memory_bytes();
        DirectoryOptions {
            partition_by: self.partition_by.clone(),
            file_bytes: self.file_size.unwrap_or(defaults.file_bytes),
            memory: if is_sorted { memory / 4 } else { memory },
            max_partitions: self.max_partitions.unwrap_or(defaults.max_partitions),
            threads: Arc::clone(threads),
            made: Arc::clone(&self.common.progress.counters.files),
            run: self.common.progress.temporaries.clone(),
        }
    }

    /// The sink of the table, and its name: the caller's sink, a directory, or a file.
    fn table(
        &self,
        caller: Option<MakeSink<'_>>,
        validated: &Validated,
        plan: &Plan,
        options: &SinkOptions,
        running: &Running,
    ) -> Result<(String, Destination)> {
        let (threads, budget) = (&running.workers, running.budget);
        let output = self.output.as_ref();
        let directory = validated.directory.as_deref();
        let is_file = caller.is_none() && directory.is_none();
        let run = &self.common.progress.temporaries;
        let target = output.filter(|_| is_file).map(|output| output.target(run)).transpose()?;
        let beside = match directory {
            Some(path) => path.parent(),
            None => target.as_ref().and_then(Target::directory),
        };
        let inside = plan.table_schema();
        let sorter = self.sorter(&inside, budget, beside, threads.count())?;
        let (schema, options) = match &sorter {
            Some((sorter, _)) => (sorter.schema(), self.sorted_sink_options(&inside, options)?),
            None => (inside.clone(), options.clone()),
        };
        let (name, sink) = match (caller, directory, target) {
            (Some(make), ..) => (String::new(), make(inside)?),
            (None, Some(path), _) => {
                let layout = self.directory_options(threads, sorter.is_some());
                let force = output.is_some_and(|output| output.force);
                let sink = urimill_write::create_directory(
                    validated.format,
                    path,
                    force,
                    schema,
                    &options,
                    &layout,
                )?;
                (path.display().to_string(), sink)
            }
            (None, None, Some(target)) => {
                (target.name().to_owned(), urimill_write::create(validated.format, target, schema, &options)?)
            }
            (None, None, None) => {
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
    ) -> Result<urimill_pipeline::OnInvalid> {
        Ok(match (&self.rejects, validated.rejects_format, self.on_invalid) {
            (Some(path), Some(format), _) => {
                let force = self.output.as_ref().is_some_and(|output| output.force);
                let target = Target::create_for(&self.common.progress.temporaries, path, force)?;
                urimill_pipeline::OnInvalid::Reject(urimill_write::create(
                    format,
                    target,
                    plan.rejects_schema(),
                    options,
                )?)
            }
            (_, _, Some(OnInvalid::Drop)) => urimill_pipeline::OnInvalid::Drop,
            (_, _, Some(OnInvalid::Fail)) => urimill_pipeline::OnInvalid::Fail,
            (_, _, None) if self.schema.is_strict() => urimill_pipeline::OnInvalid::Fail,
            _ => urimill_pipeline::OnInvalid::Keep,
        })
    }

    /// The file for the definition by which the first input is read.
    fn saved_format(&self, read: &opening::Opened, options: &batch::Options) -> Result<Option<SavedFormat>> {
        let Some(path) = &self.save_format else { return Ok(None) };
        let force = self.output.as_ref().is_some_and(|output| output.force);
        let target = Target::create_for(&self.common.progress.temporaries, path, force)?;
        SavedFormat::new(path, target, read.record_source.format(), options.hide).map(Some)
    }

    /// A closed pipe is not a failure if the run writes to that pipe only. With two outputs the other one was wanted
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

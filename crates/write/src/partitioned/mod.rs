//! A table as a directory of files, one or more for each partition: rows are sent to their files, which sinks like
//! any other write.
//!
//! ```text
//! prepare            rows by partition            `partition`, any order
//! run 0              which rows are written now   `router`, ordered, cheap
//! ready 1            their pages or texts         the files' sinks, any order: the heavy part
//! run 1              which file takes them        `files`, and the sinks' first stage
//! ready 2            files of few rows, whole     any order
//! run 2 …            the sinks' other stages      ordered
//! run, the last      files that end are closed
//! ```
//!
//! No step depends on the result of a later step for earlier rows, so neither names nor bytes depend on the number of
//! threads.

mod files;
mod hive;
mod partition;
mod router;
mod transform;

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use urimill_base::error::{Error, Result};
use urimill_base::locks::{into_inner, lock};
use urimill_base::threads::Workers;
use urimill_columns::batch::ORDINARY_COLUMNS;

use super::publish::staged_directory::{StagedDirectory, Written};
use super::publish::temporaries::Temporaries;
use super::text::bytes::BytesSink;
use super::{
    FileSink, Format, PreparedRows, Sink, SinkOptions, SortKey, StagedSink, Stored, Target,
    UncommittedOutput, check_schema, encode_error,
};
use files::{FileMaker, Files, Shared, unshare, with_file};
use partition::{Parted, Partitioner, nothing};
use router::{Bounds, Job, Place, Router};

/// Options for a table that is written as a directory of files.
#[derive(Debug, Clone)]
pub struct DirectoryOptions {
    /// Columns whose values name directories, outermost first. Files do not have them.
    pub partition_by: Vec<String>,
    /// The size in bytes at which a file ends, approximately.
    pub file_bytes: u64,
    /// Memory for rows that wait for others of their partition, and for open files; more for each thread.
    pub memory: usize,
    /// The largest number of partitions.
    pub max_partitions: usize,
    /// Threads that close files at the end.
    pub threads: Arc<Workers>,
    /// The number of complete files, counted while they are written.
    pub made: Arc<AtomicU64>,
    /// The run that the directory belongs to.
    pub run: Temporaries,
}

impl Default for DirectoryOptions {
    fn default() -> Self {
        DirectoryOptions {
            partition_by: Vec::new(),
            file_bytes: 256 << 20,
            memory: 512 << 20,
            max_partitions: 10_000,
            threads: Arc::default(),
            made: Arc::default(),
            run: Temporaries::default(),
        }
    }
}

/// The bytes of a partition's rows that make good pages.
const ENOUGH: usize = 4 << 20;
/// A batch of one partition with this many bytes is written alone.
const ENOUGH_ALONE: usize = 512 << 10;
/// The memory of an open file besides the rows that wait in it: buffers and dictionaries.
const OPEN_FILE: usize = 8 << 20;

/// The same for each column beyond those that most tables have.
const OPEN_COLUMN: usize = 8 << 10;

impl DirectoryOptions {
    /// A sixth for waiting rows, so that a third holds them; a third for open row groups; the rest is in flight.
    fn bounds(&self, columns: usize) -> Bounds {
        let waiting = (self.memory / 6).max(1);
        let file = usize::try_from(self.file_bytes).unwrap_or(usize::MAX);
        let least = if columns > ORDINARY_COLUMNS { 1 } else { 4 };
        Bounds {
            enough: ENOUGH.min(waiting / 4).min(file / 4).max(1),
            waiting,
            open: (self.memory / (OPEN_FILE + columns.saturating_sub(ORDINARY_COLUMNS) * OPEN_COLUMN))
                .clamp(1, 256)
                .max(least),
            partitions: self.max_partitions,
        }
    }
}

/// Creates a sink that writes batches of `schema` to files of `format` in a new directory at `path`.
///
/// Files are called `part-00000.parquet` and so on, in directories such as `scheme=http/host_kind=ipv4`. An existing
/// directory is replaced as [`StagedDirectory::create`] says.
///
/// # Errors
/// `Usage` if the options do not fit the schema, or the path is taken; `Io` if nothing can be created next to it.
pub fn create_directory(
    format: Format,
    path: &Path,
    force: bool,
    schema: SchemaRef,
    options: &SinkOptions,
    layout: &DirectoryOptions,
) -> Result<Box<dyn Sink>> {
    match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            directory::<crate::parquet::ParquetSink>(format, path, force, schema, options, layout)
        }
        #[cfg(feature = "ipc")]
        Format::Arrow => directory::<crate::ipc::FileSink>(format, path, force, schema, options, layout),
        _ => directory::<BytesSink>(format, path, force, schema, options, layout),
    }
}

/// [`create_directory`] for a known sink of its files.
fn directory<S: FileSink>(
    format: Format,
    path: &Path,
    force: bool,
    schema: SchemaRef,
    options: &SinkOptions,
    layout: &DirectoryOptions,
) -> Result<Box<dyn Sink>> {
    let bounds = layout.bounds(schema.fields().len());
    let partitioner = Partitioner::new(&schema, &layout.partition_by, ENOUGH_ALONE.min(bounds.enough))?;
    let files = partitioner.file_schema().clone();
    let options = &SinkOptions {
        passthrough: passthrough(&schema, layout, options),
        sorting: sorting(&schema, &files, options),
        ..options.clone()
    };
    let nowhere = Target::nowhere(&path.display().to_string());
    let template = S::create(format, nowhere, files.clone(), options)?;
    let folder = StagedDirectory::create_for(&layout.run, path, force)?;
    let name = folder.name().to_owned();
    Ok(Box::new(DirectorySink {
        schema,
        stages: template.stages(),
        template,
        sampled: SinkOptions {
            metadata: Vec::new(),
            sorting: Vec::new(),
            checksums: false,
            ..options.clone()
        },
        router: Mutex::new(Router::new(bounds, &name)),
        files: Mutex::new(Files::new(
            usize::try_from(layout.file_bytes).unwrap_or(usize::MAX),
            layout.memory / 3,
        )),
        written: Mutex::new(Vec::new()),
        file_maker: FileMaker {
            format,
            schema: files,
            options: options.clone(),
            made: Arc::clone(&layout.made),
        },
        threads: Arc::clone(&layout.threads),
        partitioner,
        folder,
        name,
    }))
}

/// How many of the columns that pass through are in the files.
fn passthrough(schema: &SchemaRef, layout: &DirectoryOptions, options: &SinkOptions) -> usize {
    let own = schema.fields().len().saturating_sub(options.passthrough);
    let names = schema.fields().iter().skip(own).map(|field| field.name());
    names.filter(|name| !layout.partition_by.contains(name)).count()
}

/// The order of the rows in each file, in which the partition columns have one value.
fn sorting(schema: &SchemaRef, files: &SchemaRef, options: &SinkOptions) -> Vec<SortKey> {
    let key = |key: &SortKey| {
        let column = files.index_of(schema.field(key.column).name()).ok()?;
        Some(SortKey { column, ..*key })
    };
    options.sorting.iter().filter_map(key).collect()
}

struct DirectorySink<S: FileSink> {
    schema: SchemaRef,
    name: String,
    partitioner: Partitioner,
    /// Prepares rows for all files: that does not depend on the file.
    template: S,
    stages: usize,
    /// The options of the files from which the size of rows is estimated.
    sampled: SinkOptions,
    router: Mutex<Router>,
    files: Mutex<Files<S>>,
    file_maker: FileMaker,
    folder: StagedDirectory,
    written: Mutex<Vec<Written>>,
    threads: Arc<Workers>,
}

/// A batch whose rows are assigned to the files of a directory.
struct Routed<S: FileSink> {
    parted: Option<Parted>,
    work: Vec<Work<S>>,
    /// Files that end after these rows.
    closing: Vec<Shared<S>>,
}

/// Rows of one partition in flight.
enum Work<S: FileSink> {
    /// Not examined yet, or not needed.
    Job(Job),
    /// For a file that stays open, with their size there.
    Prepared { job: Job, prepared: S::Prepared, stored: Stored },
    /// In the stages of an open file.
    Open { file: Shared<S>, prepared: S::Prepared },
    /// For a file of their own, with this number.
    Alone(Job, u32),
}

/// The rest of a partition: waiting rows, and an open file with its size.
struct End<S> {
    job: Option<Job>,
    file: Option<(Shared<S>, usize)>,
}

impl<S: FileSink> StagedSink for DirectorySink<S> {
    type Prepared = Routed<S>;

    fn prepare(&self, batch: RecordBatch) -> Result<Routed<S>> {
        check_schema(&batch, &self.schema, &self.name)?;
        let parted = Some(self.partitioner.part(&batch)?);
        Ok(Routed { parted, work: Vec::new(), closing: Vec::new() })
    }

    fn stages(&self) -> usize {
        self.stages + 2
    }

    fn stage_name(&self, stage: usize) -> String {
        match stage {
            0 => "partitions".to_owned(),
            _ if stage <= self.stages => self.template.stage_name(stage - 1),
            _ => "files".to_owned(),
        }
    }

    fn ready(&self, stage: usize, routed: &mut Routed<S>) -> Result<()> {
        let work = std::mem::take(&mut routed.work).into_iter();
        routed.work = match stage {
            1 => work.map(|work| self.prepare_open(work)).collect::<Result<_>>()?,
            2 => work.filter_map(|work| self.write_alone(work).transpose()).collect::<Result<_>>()?,
            _ => work.collect(),
        };
        if (2..=self.stages).contains(&stage) {
            for work in &mut routed.work {
                if let Work::Open { prepared, .. } = work {
                    // That does not depend on the file either.
                    self.template.ready(stage - 1, prepared)?;
                }
            }
        }
        Ok(())
    }

    fn has_work(&self, stage: usize, routed: &Routed<S>) -> bool {
        match stage {
            0 | 1 => true,
            _ if stage <= self.stages => routed.work.iter().any(|work| match work {
                Work::Open { prepared, .. } => self.template.has_work(stage - 1, prepared),
                _ => true,
            }),
            _ => !routed.closing.is_empty(),
        }
    }

    fn run(&self, stage: usize, routed: &mut Routed<S>) -> Result<()> {
        match stage {
            0 => {
                if let Some(parted) = routed.parted.take() {
                    routed.work = lock(&self.router).route(parted)?.into_iter().map(Work::Job).collect();
                }
                Ok(())
            }
            1 => self.assign(routed),
            _ if stage <= self.stages => {
                for work in &mut routed.work {
                    if let Work::Open { file, prepared } = work {
                        with_file(file, |file| file.sink.run(stage - 1, prepared))?;
                    }
                }
                Ok(())
            }
            _ => routed.closing.drain(..).try_for_each(|file| self.close_file(&file)),
        }
    }

    fn close(self) -> Result<UncommittedOutput> {
        self.write_rest()?;
        let DirectorySink { mut folder, written, threads, .. } = self;
        folder.settle(into_inner(written), &threads)?;
        Ok(UncommittedOutput::StagedDirectory(folder))
    }
}

impl<S: FileSink> DirectorySink<S> {
    fn prepared(&self, job: &Job) -> Result<(S::Prepared, Stored)> {
        let batch = job.batch(&self.file_maker.schema).map_err(|e| encode_error(&self.name, e))?;
        let prepared = self.template.prepare(batch.clone())?;
        let stored = prepared.stored(&batch, job.is_sample.then_some(&self.sampled))?;
        Ok((prepared, stored))
    }

    fn prepare_open(&self, work: Work<S>) -> Result<Work<S>> {
        match work {
            Work::Job(job) if job.place != Place::Alone => {
                let (prepared, stored) = self.prepared(&job)?;
                Ok(Work::Prepared { job, prepared, stored })
            }
            work => Ok(work),
        }
    }

    /// Assigns rows to files, and takes them through the first stage there.
    fn assign(&self, routed: &mut Routed<S>) -> Result<()> {
        let mut files = lock(&self.files);
        for work in std::mem::take(&mut routed.work) {
            let (job, mut prepared, stored) = match work {
                Work::Prepared { job, prepared, stored } => (job, prepared, stored),
                Work::Job(job) => {
                    let number = files.next_part(job.partition);
                    routed.work.push(Work::Alone(job, number));
                    continue;
                }
                work => {
                    routed.work.push(work);
                    continue;
                }
            };
            let Job { partition, path, .. } = &job;
            let bytes = files.size(*partition, job.rows(), stored);
            if let Place::Open { instead_of: Some(last) } = job.place {
                routed.closing.extend(files.remove(last).map(|(file, _)| file));
            }
            if files.ends_before(*partition, bytes) {
                routed.closing.extend(files.remove(*partition).map(|(file, _)| file));
            }
            let file = files.get(*partition, |number| self.file_maker.open(&self.folder, path, number))?;
            with_file(&file, |file| file.sink.run(0, &mut prepared))?;
            files.add(*partition, job.rows(), bytes, &prepared);
            routed.work.push(Work::Open { file, prepared });
            while let Some(largest) = files.too_much() {
                let file = files.get(largest, |number| self.file_maker.open(&self.folder, path, number))?;
                let mut prepared = self.template.prepare(nothing(&self.file_maker.schema))?;
                prepared.end_row_group();
                with_file(&file, |file| file.sink.run(0, &mut prepared))?;
                files.set_kept(largest, 0);
                routed.work.push(Work::Open { file, prepared });
            }
        }
        Ok(())
    }

    /// Writes rows to a file that nobody else writes to.
    fn write_alone(&self, work: Work<S>) -> Result<Option<Work<S>>> {
        let Work::Alone(job, number) = work else { return Ok(Some(work)) };
        let batch = job.batch(&self.file_maker.schema).map_err(|e| encode_error(&self.name, e))?;
        let file = self.file_maker.open::<S>(&self.folder, &job.path, number)?;
        file.write(self.template.prepare(batch)?, job.rows())?;
        let written = self.file_maker.close(file)?;
        lock(&self.written).push(written);
        Ok(None)
    }

    fn close_file(&self, file: &Shared<S>) -> Result<()> {
        if let Some(file) = unshare(file) {
            let written = self.file_maker.close(file)?;
            lock(&self.written).push(written);
        }
        Ok(())
    }

    /// Writes the waiting rows and closes all files, in several threads: each partition belongs to one thread.
    fn write_rest(&self) -> Result<()> {
        let jobs = lock(&self.router).rest();
        let mut files = lock(&self.files);
        let mut ends = Vec::new();
        for job in jobs {
            let file = files.remove(job.partition);
            ends.push(End { job: Some(job), file });
        }
        ends.extend(files.remove_all().map(|file| End { job: None, file: Some(file) }));
        drop(files);
        let is_nothing = ends.is_empty() && lock(&self.written).is_empty();
        if is_nothing && self.partitioner.is_single() {
            // A table without rows still has its columns.
            let written = self.file_maker.close(self.file_maker.open::<S>(&self.folder, "", 0)?)?;
            lock(&self.written).push(written);
        }
        let next = AtomicUsize::new(0);
        let ends: Vec<_> = ends.into_iter().map(|end| Mutex::new(Some(end))).collect();
        let failed: Mutex<Option<Error>> = Mutex::new(None);
        let work = || {
            while let Some(end) = ends.get(next.fetch_add(1, Ordering::Relaxed)) {
                let Some(end) = lock(end).take() else { continue };
                if let Err(error) = self.write_end(end) {
                    lock(&failed).get_or_insert(error);
                }
                if lock(&failed).is_some() {
                    return;
                }
            }
        };
        self.threads.each(usize::MAX, work);
        into_inner(failed).map_or(Ok(()), Err)
    }

    /// The last rows of a partition, and the end of its file.
    fn write_end(&self, End { mut job, file }: End<S>) -> Result<()> {
        if let Some((file, bytes)) = file {
            if let Some(last) = &job {
                let (prepared, stored) = self.prepared(last)?;
                let is_full = {
                    let mut files = lock(&self.files);
                    let more = files.size(last.partition, last.rows(), stored);
                    files.is_full(bytes, more)
                };
                if !is_full {
                    with_file(&file, |file| file.write(prepared, last.rows()))?;
                    job = None;
                }
            }
            self.close_file(&file)?;
        }
        let Some(job) = job else { return Ok(()) };
        let number = lock(&self.files).next_part(job.partition);
        self.write_alone(Work::Alone(job, number)).map(drop)
    }
}

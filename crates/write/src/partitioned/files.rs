//! The open files of a directory: the rows that end one, and their names. The second ordered step of a directory, after
//! its `router`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use arrow_schema::SchemaRef;
use urimill_base::error::Result;

use crate::publish::staged_directory::{StagedDirectory, Written};
use crate::publish::staging::Part;
use crate::{
    FileSink, Format, PreparedRows, SinkOptions, Stored, Target, UncommittedOutput, drive, encode_error,
};

/// Makes files.
pub(crate) struct FileMaker {
    pub(crate) format: Format,
    pub(crate) schema: SchemaRef,
    pub(crate) options: SinkOptions,
    /// The number of complete files, for the progress.
    pub(crate) made: Arc<AtomicU64>,
}

/// An open file.
pub(crate) struct File<S> {
    pub(crate) sink: S,
    path: String,
    rows: AtomicU64,
}

/// A file shared with rows on their way to it; `None` once it is closed.
pub(crate) type Shared<S> = Arc<RwLock<Option<File<S>>>>;

/// The open files, at most one per partition.
pub(crate) struct Files<S> {
    file_bytes: usize,
    /// The bytes that may wait in open files for the end of a row group.
    kept_bytes: usize,
    open: BTreeMap<usize, Open<S>>,
    /// Partitions by the bytes that wait in their open file.
    by_kept: BTreeSet<(usize, usize)>,
    kept: usize,
    /// How many files each partition has, once it has one.
    parts: BTreeMap<usize, u32>,
    /// By partition the rows of the last sample, and their size beyond the size that is known for all rows.
    samples: BTreeMap<usize, (usize, usize)>,
}

struct Open<S> {
    file: Shared<S>,
    bytes: usize,
    kept: usize,
}

impl FileMaker {
    /// Opens the file with this number in a directory.
    pub(crate) fn open<S: FileSink>(
        &self,
        folder: &StagedDirectory,
        directory: &str,
        number: u32,
    ) -> Result<File<S>> {
        let name = format!("part-{number:05}.{}", self.format.extension());
        let path = if directory.is_empty() { name } else { format!("{directory}/{name}") };
        let part: Part = folder.part(&path);
        let sink = S::create(self.format, Target::part(part), self.schema.clone(), &self.options)?;
        Ok(File { sink, path, rows: AtomicU64::new(0) })
    }

    /// Ends a file.
    pub(crate) fn close<S: FileSink>(&self, file: File<S>) -> Result<Written> {
        let File { sink, path, rows } = file;
        let UncommittedOutput::File(target) = sink.close()? else {
            return Err(encode_error(&path, "a file turned out to be a directory"));
        };
        let (bytes, checksum) = (target.written(), target.checksum());
        target.commit()?;
        self.made.fetch_add(1, Ordering::Relaxed);
        Ok(Written { path, rows: rows.into_inner(), bytes, checksum })
    }
}

impl<S: FileSink> File<S> {
    /// Takes rows through all stages, for files that nobody else writes to.
    pub(crate) fn write(&self, prepared: S::Prepared, rows: usize) -> Result<()> {
        drive(&self.sink, prepared, &())?;
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
        Ok(())
    }

    fn shared(self) -> Shared<S> {
        Arc::new(RwLock::new(Some(self)))
    }
}

/// Calls `f` with a file that is not closed.
pub(crate) fn with_file<S>(file: &Shared<S>, f: impl FnOnce(&File<S>) -> Result<()>) -> Result<()> {
    match file.read().unwrap_or_else(PoisonError::into_inner).as_ref() {
        Some(file) => f(file),
        None => Err(encode_error("a directory", "rows came for a file that is closed")),
    }
}

/// The file itself, to be closed by the caller.
pub(crate) fn unshare<S>(file: &Shared<S>) -> Option<File<S>> {
    file.write().unwrap_or_else(PoisonError::into_inner).take()
}

impl<S: FileSink> Files<S> {
    pub(crate) fn new(file_bytes: usize, kept_bytes: usize) -> Self {
        Files {
            file_bytes,
            kept_bytes,
            open: BTreeMap::new(),
            by_kept: BTreeSet::new(),
            kept: 0,
            parts: BTreeMap::new(),
            samples: BTreeMap::new(),
        }
    }

    /// The size of rows in a file of a partition, estimated from the last sample. A partition's rows come in order.
    pub(crate) fn size(&mut self, partition: usize, rows: usize, stored: Stored) -> usize {
        if let Some(others) = stored.others {
            self.samples.insert(partition, (rows, others));
            return stored.known + others;
        }
        let &(of_rows, others) = self.samples.get(&partition).unwrap_or(&(1, 0));
        stored.known + (others as f64 / of_rows.max(1) as f64 * rows as f64) as usize
    }

    /// The number of a partition's next file.
    pub(crate) fn next_part(&mut self, partition: usize) -> u32 {
        let part = self.parts.entry(partition).or_insert(0);
        *part += 1;
        *part - 1
    }

    /// Whether the open file of a partition ends before these rows: without them its size is closer to the size asked
    /// for.
    pub(crate) fn ends_before(&self, partition: usize, bytes: usize) -> bool {
        let open = self.open.get(&partition);
        open.is_some_and(|open| self.is_full(open.bytes, bytes))
    }

    /// The same for a file with `bytes`, before `more` bytes.
    pub(crate) fn is_full(&self, bytes: usize, more: usize) -> bool {
        bytes > 0 && bytes + more / 2 > self.file_bytes
    }

    /// The open file of a partition; `make` makes one if there is none.
    pub(crate) fn get(
        &mut self,
        partition: usize,
        make: impl FnOnce(u32) -> Result<File<S>>,
    ) -> Result<Shared<S>> {
        if let Some(open) = self.open.get(&partition) {
            return Ok(Arc::clone(&open.file));
        }
        let file = make(self.next_part(partition))?.shared();
        self.open.insert(partition, Open { file: Arc::clone(&file), bytes: 0, kept: 0 });
        Ok(file)
    }

    /// Removes the open file of a partition from the list, with its size.
    pub(crate) fn remove(&mut self, partition: usize) -> Option<(Shared<S>, usize)> {
        self.set_kept(partition, 0);
        self.open.remove(&partition).map(|open| (open.file, open.bytes))
    }

    /// All of them, by partition.
    pub(crate) fn remove_all(&mut self) -> impl Iterator<Item = (Shared<S>, usize)> {
        self.by_kept.clear();
        self.kept = 0;
        std::mem::take(&mut self.open).into_values().map(|open| (open.file, open.bytes))
    }

    /// Counts rows in the open file of a partition, which have passed its first stage.
    pub(crate) fn add(&mut self, partition: usize, rows: usize, bytes: usize, prepared: &S::Prepared) {
        let Some(open) = self.open.get_mut(&partition) else { return };
        // Others may be in its later stages: nothing waits for them here.
        if let Some(file) = open.file.read().unwrap_or_else(PoisonError::into_inner).as_ref() {
            file.rows.fetch_add(rows as u64, Ordering::Relaxed);
        }
        open.bytes += bytes;
        if let Some((begins, overhead)) = prepared.row_group() {
            let before = if begins { 0 } else { open.kept };
            self.set_kept(partition, before + bytes + overhead);
        }
    }

    /// The partition whose open file has most to write, if all together hold too much.
    pub(crate) fn too_much(&self) -> Option<usize> {
        self.by_kept.last().filter(|_| self.kept > self.kept_bytes).map(|&(_, partition)| partition)
    }

    pub(crate) fn set_kept(&mut self, partition: usize, kept: usize) {
        let Some(open) = self.open.get_mut(&partition) else { return };
        let before = std::mem::replace(&mut open.kept, kept);
        self.by_kept.remove(&(before, partition));
        if kept > 0 {
            self.by_kept.insert((kept, partition));
        }
        self.kept = self.kept + kept - before;
    }
}

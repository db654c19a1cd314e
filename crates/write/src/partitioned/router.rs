//! Rows wait here until there are enough of their partition to be written: the first ordered step of a directory of
//! files. It only does accounting; its decisions depend only on the batches and their order.
//!
//! Batches are held whole, and partitions hold stretches of them:
//!
//! ```text
//! held       | batch 7: aaab bbbb cc | batch 8: aabb | …
//! partition a   (7, 0, 3)              (8, 0, 2)
//! partition b   (7, 3, 8)              (8, 2, 4)
//! ```
//!
//! So a row costs next to nothing while it waits, even if each has a partition of its own. Once less than half of the
//! held rows still wait, they are copied together.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::interleave::interleave_record_batch;
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

use super::partition::{Parted, Piece, compact};
use crate::encode_error;

/// The limits on waiting rows and on their places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The bytes of a partition that are enough to be written.
    pub(crate) enough: usize,
    /// The bytes of all rows that wait.
    pub(crate) waiting: usize,
    /// Files that are open at a time.
    pub(crate) open: usize,
    /// Partitions, at most.
    pub(crate) partitions: usize,
}

/// Rows of one partition that are to be written together.
pub(crate) struct Job {
    pub(crate) partition: usize,
    pub(crate) path: Arc<str>,
    pub(crate) place: Place,
    /// Whether to measure the size of its rows in a file: the sizes of other rows of the partition are estimated from
    /// it.
    pub(crate) is_sample: bool,
    stretches: Vec<(Arc<RecordBatch>, usize, usize)>,
    rows: usize,
}

/// The file that rows go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The open file of their partition, or a new one that stays open. It replaces another partition's, if that is
    /// named.
    Open { instead_of: Option<usize> },
    /// A file of their own.
    Alone,
}

pub(crate) struct Router {
    bounds: Bounds,
    name: String,
    numbers: HashMap<Arc<str>, usize>,
    partitions: Vec<Partition>,
    held: BTreeMap<u64, Held>,
    batches: u64,
    /// Partitions by the bytes that wait.
    by_bytes: BTreeSet<(usize, usize)>,
    /// Partitions with an open file, by when they were used last.
    by_use: BTreeSet<(u64, usize)>,
    uses: u64,
    waiting: usize,
    holding: usize,
}

#[derive(Default)]
struct Partition {
    path: Arc<str>,
    stretches: Vec<Stretch>,
    rows: usize,
    bytes: usize,
    /// How many jobs for an open file it has had.
    jobs: u64,
    /// When it was used last, if it has an open file.
    used: Option<u64>,
}

#[derive(Clone, Copy)]
struct Stretch {
    batch: u64,
    from: usize,
    to: usize,
}

/// A batch some of whose rows still wait.
struct Held {
    rows: Arc<RecordBatch>,
    bytes: usize,
    waiting: usize,
}

/// One in this many jobs of a partition is measured. That takes as long as encoding a quarter of its rows, and within
/// tens of megabytes rows are much alike.
const SAMPLED: u64 = 8;

/// From this multiple of `enough` on it pays to bring few rows of many batches together.
const SCATTERED: usize = 4;

impl Router {
    /// `name` is the output's name, for messages.
    pub(crate) fn new(bounds: Bounds, name: &str) -> Self {
        Router {
            bounds,
            name: name.to_owned(),
            numbers: HashMap::new(),
            partitions: Vec::new(),
            held: BTreeMap::new(),
            batches: 0,
            by_bytes: BTreeSet::new(),
            by_use: BTreeSet::new(),
            uses: 0,
            waiting: 0,
            holding: 0,
        }
    }

    /// Adds the rows of a batch, and returns those that are to be written now.
    ///
    /// # Errors
    /// `Usage` where there are too many partitions.
    pub(crate) fn route(&mut self, parted: Parted) -> Result<Vec<Job>> {
        let Parted { rows, bytes, pieces, is_borrowed } = parted;
        let (rows, mut jobs) = (Arc::new(rows), Vec::new());
        let share = bytes.div_ceil(rows.num_rows().max(1));
        let number = self.batches;
        self.batches += 1;
        if !is_borrowed && !pieces.is_empty() {
            let waiting = rows.num_rows();
            self.held.insert(number, Held { rows: Arc::clone(&rows), bytes, waiting });
            self.holding += bytes;
        }
        for Piece { path, from, to } in pieces {
            let partition = self.number(path)?;
            if is_borrowed {
                let job = self.take(partition, true, &mut jobs);
                job.stretches.push((Arc::clone(&rows), from, to));
                job.rows += to - from;
                continue;
            }
            let bytes = (to - from) * share;
            self.partitions[partition].stretches.push(Stretch { batch: number, from, to });
            self.partitions[partition].rows += to - from;
            self.set_bytes(partition, self.partitions[partition].bytes + bytes);
            if self.partitions[partition].bytes >= self.bounds.enough {
                self.take(partition, true, &mut jobs);
            }
        }
        while self.waiting > self.bounds.waiting
            && let Some(&(_, largest)) = self.by_bytes.last()
        {
            self.take(largest, false, &mut jobs);
        }
        // Rows that wait are then at most half of those held; sooner if they are few, because memory that was used
        // before costs less than more of it.
        if self.holding > 2 * self.bounds.waiting
            || self.holding > (4 * self.waiting).max(SCATTERED * self.bounds.enough)
        {
            self.gather().map_err(|e| encode_error(&self.name, e))?;
        }
        Ok(jobs)
    }

    /// All rows that still wait, by partition.
    pub(crate) fn rest(&mut self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for partition in 0..self.partitions.len() {
            if self.partitions[partition].rows > 0 {
                self.take(partition, false, &mut jobs);
            }
        }
        jobs
    }

    fn number(&mut self, path: String) -> Result<usize> {
        if let Some(&number) = self.numbers.get(&*path) {
            return Ok(number);
        }
        let number = self.partitions.len();
        if number == self.bounds.partitions {
            return Err(Error::usage(format!(
                "cannot write {}: there are more than {number} partitions, the last one {path:?}; partition by columns \
                 with fewer values, or allow more with {}",
                self.name,
                OptionName::MaxPartitions.named()
            )));
        }
        let path: Arc<str> = path.into();
        self.numbers.insert(Arc::clone(&path), number);
        self.partitions.push(Partition { path, ..Partition::default() });
        Ok(number)
    }

    fn set_bytes(&mut self, partition: usize, bytes: usize) {
        let before = std::mem::replace(&mut self.partitions[partition].bytes, bytes);
        self.by_bytes.remove(&(before, partition));
        if bytes > 0 {
            self.by_bytes.insert((bytes, partition));
        }
        self.waiting = self.waiting + bytes - before;
    }

    /// Adds a job for a partition's waiting rows, and for the partition whose file has to be closed for them. They are
    /// `enough`, or will be when the caller has added to them, or memory is short.
    fn take<'a>(&mut self, partition: usize, enough: bool, jobs: &'a mut Vec<Job>) -> &'a mut Job {
        let mut place = Place::Alone;
        let is_full = self.by_use.len() == self.bounds.open;
        let is_open = self.partitions[partition].used.is_some();
        // Few rows of many partitions would close each other's files forever.
        if is_open || enough || !is_full {
            let mut instead_of = None;
            if !is_open
                && is_full
                && let Some(&(used, last)) = self.by_use.first()
            {
                // Rows that wait for the file that is to end go into it.
                if self.partitions[last].rows > 0 {
                    let job = self.job(last, Place::Open { instead_of: None });
                    jobs.push(job);
                }
                self.by_use.remove(&(used, last));
                self.partitions[last].used = None;
                instead_of = Some(last);
            }
            place = Place::Open { instead_of };
            self.uses += 1;
            if let Some(before) = self.partitions[partition].used.replace(self.uses) {
                self.by_use.remove(&(before, partition));
            }
            self.by_use.insert((self.uses, partition));
        }
        let at = jobs.len();
        jobs.push(self.job(partition, place));
        &mut jobs[at]
    }

    fn job(&mut self, partition: usize, place: Place) -> Job {
        self.set_bytes(partition, 0);
        let Partition { path, rows, stretches, jobs, .. } = &mut self.partitions[partition];
        let (path, rows, stretches) = (Arc::clone(path), std::mem::take(rows), std::mem::take(stretches));
        // Rows with a file of their own end none.
        let is_sample = place != Place::Alone && *jobs % SAMPLED == 0;
        *jobs += u64::from(place != Place::Alone);
        let stretches = stretches.into_iter().filter_map(|s| Some((self.release(s)?, s.from, s.to)));
        let stretches = stretches.collect();
        Job { partition, path, place, is_sample, stretches, rows }
    }

    /// The batch of a stretch that no longer waits.
    fn release(&mut self, stretch: Stretch) -> Option<Arc<RecordBatch>> {
        let held = self.held.get_mut(&stretch.batch)?;
        held.waiting -= stretch.to - stretch.from;
        if held.waiting > 0 {
            return Some(Arc::clone(&held.rows));
        }
        let held = self.held.remove(&stretch.batch)?;
        self.holding -= held.bytes;
        Some(held.rows)
    }

    /// Copies the waiting rows into batches that contain no others.
    fn gather(&mut self) -> Result<(), ArrowError> {
        let held = std::mem::take(&mut self.held);
        self.holding = 0;
        let mut from = 0;
        while from < self.partitions.len() {
            // Partitions that make a batch of a moderate size.
            let (mut to, mut bytes) = (from, 0);
            while to < self.partitions.len() && bytes < self.bounds.enough {
                bytes += self.partitions[to].bytes;
                to += 1;
            }
            let stretches = self.partitions[from..to].iter().flat_map(|p| &p.stretches);
            let stretches: Vec<_> =
                stretches.map(|s| (Arc::clone(&held[&s.batch].rows), s.from, s.to)).collect();
            let waiting: usize = stretches.iter().map(|(_, from, to)| to - from).sum();
            if waiting > 0 {
                let rows = Arc::new(compact(&join(&stretches)?)?);
                self.held.insert(self.batches, Held { rows, bytes, waiting });
                self.holding += bytes;
                let mut at = 0;
                for partition in self.partitions[from..to].iter_mut().filter(|p| p.rows > 0) {
                    partition.stretches.clear();
                    partition.stretches.push(Stretch {
                        batch: self.batches,
                        from: at,
                        to: at + partition.rows,
                    });
                    at += partition.rows;
                }
                self.batches += 1;
            }
            from = to;
        }
        Ok(())
    }
}

impl Job {
    /// The number of its rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Its rows in one batch, in the order in which they came.
    pub(crate) fn batch(&self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        match &self.stretches[..] {
            [] => Ok(RecordBatch::new_empty(schema.clone())),
            [(rows, from, to)] => Ok(rows.slice(*from, to - from)),
            stretches => join(stretches),
        }
    }
}

fn join(stretches: &[(Arc<RecordBatch>, usize, usize)]) -> Result<RecordBatch, ArrowError> {
    let mut batches: Vec<&RecordBatch> = Vec::new();
    let mut places = Vec::new();
    let mut numbers = HashMap::new();
    for (rows, from, to) in stretches {
        let number = *numbers.entry(Arc::as_ptr(rows)).or_insert(batches.len());
        if number == batches.len() {
            batches.push(rows);
        }
        places.extend((*from..*to).map(|row| (number, row)));
    }
    interleave_record_batch(&batches, &places)
}

//! Rows of a Parquet file are decoded ahead by several threads, some batches of a [stretch](Groups::stretch) each. The
//! reader of [`rows`](super::rows) asks here before it decodes rows itself.
//!
//! Pages before the rows of a job are passed over without being decompressed, so only columns without lists are decoded
//! in this way. What a helper cannot decode, or would take too much memory for, it leaves: the reader decodes it in its
//! turn. It makes the same batches, so that errors and the rows before them are the same without helpers.
//!
//! ```text
//! row groups | rows …                              | rows …      | rows …     |
//! stretches  |                                     |                          |
//! jobs       | job 1 | job 2 | job 3 | job 4 | …   | job n | … as many as are in flight
//! ```

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowSelection, RowSelector};
use parquet::arrow::{FieldLevels, ProjectionMask};
use parquet::file::metadata::ParquetMetaData;

use super::groups::Groups;
use super::{Source, rows_at_once, rows_in};
use crate::read::table::reader::guarded;
use crate::read::table::room::Room;
use crate::threads;

/// More would wait for the one thread that hands out their rows.
const MOST_HELPERS: usize = 16;

/// Bytes that a job decodes, as far as the file's own account of them goes.
pub(in crate::read) const JOB_BYTES: u64 = 8 << 20;

/// Jobs decoded ahead or in flight.
pub(in crate::read) struct Ahead {
    /// What the jobs are made of, and of whose bytes it answers for those of jobs that are taken.
    groups: Groups,
    mask: ProjectionMask,
    /// Rows of a batch and of a job, and the most jobs in flight.
    count: usize,
    rows: usize,
    most: usize,
    /// The stretch of the next job, the number of its first row, and the row there at which the job begins.
    stretch: Range<usize>,
    begin: usize,
    row: usize,
    /// In the order of the file.
    jobs: VecDeque<Waited>,
    work: Option<Sender<Job>>,
    helpers: Vec<JoinHandle<()>>,
}

/// A job that has been given out.
struct Waited {
    /// The number of its first row, from 0.
    at: usize,
    rows: usize,
    /// About how many bytes of the file it takes.
    stored: u64,
    unwanted: Arc<AtomicBool>,
    answer: Receiver<Vec<RecordBatch>>,
}

/// Rows of a stretch.
struct Job {
    groups: Vec<usize>,
    row: usize,
    rows: usize,
    unwanted: Arc<AtomicBool>,
    answer: SyncSender<Vec<RecordBatch>>,
}

/// What a helper decodes with.
struct Helper {
    groups: Groups,
    levels: FieldLevels,
    /// Rows of a batch.
    count: usize,
}

impl Ahead {
    /// Starts as many helpers, or as many as the system gives. `None` where that is none, or where the file has too few
    /// rows or columns that hold lists. A job decodes about so many bytes.
    pub(in crate::read) fn start(
        (threads, bytes): (usize, u64),
        (source, metadata, room): (&Arc<Source>, &Arc<ParquetMetaData>, &Room),
        (levels, mask): (&FieldLevels, &ProjectionMask),
    ) -> Option<Ahead> {
        let leaves = metadata.file_metadata().schema_descr().columns();
        let has_lists = (leaves.iter().enumerate())
            .any(|(leaf, column)| mask.leaf_included(leaf) && column.max_rep_level() > 0);
        let count = rows_at_once(metadata, mask);
        let rows = (rows_in(bytes, metadata, mask) / count).max(1).saturating_mul(count);
        let groups = Groups::new(source.clone(), metadata.clone(), room.clone());
        let all: usize = (0..metadata.num_row_groups()).map(|group| groups.rows_of(group)).sum();
        let jobs = all.div_ceil(rows);
        if threads < 2 || has_lists || jobs < 2 {
            return None;
        }
        // Each has a job of its own, and one that waits to be taken; as much again is for pages that two jobs share.
        let helpers = threads.min(MOST_HELPERS).min(jobs).min(room.parts(3 * bytes)).max(1);
        let (work, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let mut ahead = Ahead {
            groups,
            mask: mask.clone(),
            count,
            rows,
            most: helpers + 1,
            stretch: 0..0,
            begin: 0,
            row: 0,
            jobs: VecDeque::new(),
            work: Some(work),
            helpers: Vec::new(),
        };
        for number in 0..helpers {
            let queue = Arc::clone(&queue);
            // What it reads in vain is not the reader's, and neither are its errors.
            let groups = Groups::new(Arc::new(source.apart()), metadata.clone(), room.share(ahead.most));
            let helper = Helper { groups, levels: levels.clone(), count };
            match threads::spawn(&format!("urimill-parquet-{number}"), move || helper.help(&queue)) {
                Ok(helper) => ahead.helpers.push(helper),
                Err(_) => break,
            }
        }
        (!ahead.helpers.is_empty()).then_some(ahead)
    }

    /// The rows of the job that begins at this row of the file, in batches; `None` where they have to be decoded now.
    pub(in crate::read) fn take(&mut self, at: usize) -> Option<Vec<RecordBatch>> {
        self.give_out();
        let job = self.jobs.pop_front().filter(|job| job.at == at)?;
        // Without an answer the helper has failed.
        let batches = job.answer.recv().ok()?;
        let rows: usize = batches.iter().map(RecordBatch::num_rows).sum();
        if rows != job.rows {
            return None;
        }
        self.groups.source.progress.fetch_add(job.stored, Ordering::Relaxed);
        self.give_out();
        Some(batches)
    }

    /// Gives out jobs, as many as may be in flight.
    fn give_out(&mut self) {
        while self.jobs.len() < self.most {
            let all: usize = self.stretch.clone().map(|group| self.groups.rows_of(group)).sum();
            if self.row >= all {
                if self.stretch.end == self.groups.metadata.num_row_groups() {
                    return;
                }
                self.begin += all;
                self.row = 0;
                self.stretch = self.groups.stretch(self.stretch.end, self.count);
                continue;
            }
            let (at, row, rows) = (self.begin + self.row, self.row, self.rows.min(all - self.row));
            self.row += rows;
            let stored = (u128::from(self.stored()) * rows as u128 / all as u128) as u64;
            let (sender, answer) = sync_channel(1);
            let unwanted = Arc::new(AtomicBool::new(false));
            self.jobs.push_back(Waited { at, rows, stored, unwanted: Arc::clone(&unwanted), answer });
            if let Some(work) = &self.work {
                let groups = self.stretch.clone().collect();
                // If all helpers have failed there will be no answer, and that is noticed.
                let _ = work.send(Job { groups, row, rows, unwanted, answer: sender });
            }
        }
    }

    /// How many bytes of the file the wanted columns of the stretch take.
    fn stored(&self) -> u64 {
        let groups = self.stretch.clone().map(|group| self.groups.metadata.row_group(group));
        let columns = groups.flat_map(|group| group.columns().iter().enumerate());
        let wanted = columns.filter(|(leaf, _)| self.mask.leaf_included(*leaf));
        wanted.map(|(_, column)| column.compressed_size().max(0) as u64).sum()
    }
}

impl Drop for Waited {
    fn drop(&mut self) {
        self.unwanted.store(true, Ordering::Relaxed);
    }
}

impl Drop for Ahead {
    /// The helpers end with it: they abandon their work, and find no more jobs.
    fn drop(&mut self) {
        self.jobs.clear();
        self.work = None;
        for helper in self.helpers.drain(..) {
            // A helper that panicked gave no answer, which was enough.
            let _ = helper.join();
        }
    }
}

impl Helper {
    /// One job after the other, until there are no more.
    fn help(mut self, queue: &Mutex<Receiver<Job>>) {
        loop {
            // Under the lock one helper waits for a job, the others for the lock.
            let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(job) = job else { return };
            if job.unwanted.load(Ordering::Relaxed) {
                continue;
            }
            if let Ok(batches) = guarded(|| self.decode(&job)) {
                // If nobody wants the rows any more, nobody receives the answer.
                let _ = job.answer.send(batches);
            }
        }
    }

    fn decode(&mut self, job: &Job) -> Result<Vec<RecordBatch>, String> {
        let pages = self.groups.pages.clone();
        pages.clear();
        self.groups.groups.clone_from(&job.groups);
        let selection = RowSelection::from(vec![RowSelector::skip(job.row), RowSelector::select(job.rows)]);
        let reader = ParquetRecordBatchReader::try_new_with_row_groups(
            &self.levels,
            &self.groups,
            self.count,
            Some(selection),
        );
        let mut reader = reader.map_err(super::error_text)?;
        let mut batches = Vec::with_capacity(job.rows.div_ceil(self.count));
        loop {
            if job.unwanted.load(Ordering::Relaxed) {
                return Err("it is not wanted".to_owned());
            }
            pages.begin(self.count);
            match reader.next() {
                Some(batch) => batches.push(batch.map_err(|error| error.to_string())?),
                None => return Ok(batches),
            }
        }
    }
}

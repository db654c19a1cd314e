//! Rows in the order of their first records: collected, sorted in runs, merged.

use std::sync::{Arc, Mutex};

use urimill_base::error::Result;
use urimill_base::locks::lock;

use super::batches::Batches;
use super::entry::{Entry, FreeBlocks, Places, Slot, Sorted, Store, Sum};
use super::limits::Limits;
use super::merge::{ByPosition, Cursor, Merge, reduce};
use super::spill::{DiskRun, Spill};
use super::tables::Tables;
use super::windows::Windows;
use super::{Key, Options};

/// The rows of a run.
#[derive(Debug)]
pub(super) struct Rows {
    limits: Limits,
    places: Places,
    spill: Spill,
    on_disk: Mutex<Vec<DiskRun>>,
    in_memory: Mutex<Vec<Sorted>>,
    free: Arc<FreeBlocks>,
}

impl Rows {
    /// Blocks of texts come from `free` as long as it has some.
    pub(super) fn new(options: &Options, limits: Limits, places: Places, free: &Arc<FreeBlocks>) -> Rows {
        let spill = Spill::new(options.temp_dir.clone(), limits.spill_block, places);
        let (on_disk, in_memory) = Default::default();
        Rows { limits, places, spill, on_disk, in_memory, free: Arc::clone(free) }
    }

    /// A worker's collector of rows; `tables` free their memory at the same time.
    pub(super) fn collector<'a>(&'a self, tables: &'a Tables<'a>) -> Collector<'a> {
        Collector { rows: self, tables, sorted: self.none() }
    }

    /// Bytes written to disk.
    pub(super) fn written(&self) -> u64 {
        self.spill.written()
    }

    fn none(&self) -> Sorted {
        let store = Store::new(self.limits.store_block, Arc::clone(&self.free));
        Sorted { slots: Vec::new(), store, sums: Vec::new() }
    }

    /// All rows as batches.
    pub(super) fn batches<'a>(&'a self, sources: &'a [Arc<str>], key: &Key) -> Result<Batches<'a>> {
        // What follows needs the memory.
        while self.free.take().is_some() {}
        let on_disk = std::mem::take(&mut *lock(&self.on_disk));
        let on_disk = reduce::<ByPosition>(on_disk, self.limits.fan_in, &self.spill)?;
        let in_memory = Windows::new(std::mem::take(&mut *lock(&self.in_memory)));
        let merge = Merge::new(on_disk, Some(Cursor::Rows(in_memory)), &self.spill)?;
        Ok(Batches::new(merge, (self.places, sources), key, self.limits.threads))
    }
}

/// Collects rows in any order; sends them to disk as sorted runs when they pass the limit.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    rows: &'a Rows,
    tables: &'a Tables<'a>,
    sorted: Sorted,
}

impl Collector<'_> {
    /// Adds a row with the text of a variant.
    pub(super) fn push(&mut self, entry: Entry, text: &[u8]) -> Result<()> {
        let Sorted { slots, store, sums } = &mut self.sorted;
        let records = u32::try_from(entry.sum.records).unwrap_or_default();
        let number = if entry.sum == Sum::of_one_text(records.into()) {
            Sorted::OF_ONE_TEXT
        } else {
            sums.push(entry.sum);
            sums.len() as u32 - 1
        };
        slots.push(Slot::new(number, store.push(entry.first, records, [text, b""])));
        if self.sorted.memory() > self.limit() || self.sorted.store.is_full() { self.spill() } else { Ok(()) }
    }

    /// Adds rows that are sorted, and whose memory the tables count.
    pub(super) fn pass(&self, sorted: Sorted) {
        // A panic fails the run: its state is only dropped.
        lock(&self.rows.in_memory).push(sorted);
    }

    /// Rows replace variants shard by shard, with some space for a shard of both; the output's buffers need memory
    /// soon.
    fn limit(&self) -> usize {
        let Limits { memory, threads, .. } = self.rows.limits;
        let own = (memory / 4 * 3).saturating_sub(self.tables.memory()).max(memory / 8) / threads;
        // With very many threads and little memory the runs would have only a few rows.
        own.max(memory.min(64 << 10))
    }

    fn take(&mut self) -> Sorted {
        let mut sorted = std::mem::replace(&mut self.sorted, self.rows.none());
        sorted.sort_rows();
        sorted
    }

    fn spill(&mut self) -> Result<()> {
        let sorted = self.take();
        lock(&self.rows.on_disk).push(self.rows.spill.write(&sorted)?);
        Ok(())
    }

    /// Passes on the rows in memory.
    pub(super) fn finish(mut self) {
        let sorted = self.take();
        self.pass(sorted);
    }
}

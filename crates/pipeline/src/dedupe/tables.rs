//! Counts distinct texts: hash tables in shards, each with a lock of its own, which go to disk as sorted
//! runs when all of them together pass the limit.
//!
//! A group (one normal form) is wholly in one shard. A hash only selects where to search: the texts decide which are
//! equal.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch, StringViewArray};
use arrow_schema::{DataType, Schema};
use hashbrown::HashTable;
use hashbrown::hash_table;
use twox_hash::XxHash3_64;
use urimill_base::error::{Error, Result};
use urimill_base::locks::lock;
use urimill_base::option_name::OptionName;
use urimill_columns::batch;
use urimill_columns::batch::{Column, Columns};

use super::entry::{FreeBlocks, Places, Slot, Sorted, Store};
use super::limits::Limits;
use super::spill::{DiskRun, Spill};
use super::variant::{Kind, Record, Variant, relate};
use super::{Key, Options};

/// The columns that a batch must have, in this order; after them comes the key, if it is one of a field.
pub(super) fn columns(key: &Key) -> Columns {
    let columns = [Column::Uri, Column::Raw, Column::Error, Column::RawBytes, Column::Record];
    match key {
        Key::Column(column) => Columns::new(columns.into_iter().chain([*column])),
        Key::Uri | Key::Field(_) => Columns::new(columns),
    }
}

/// The position of the key.
const KEY: usize = 5;

/// Hashes of texts, with a random seed for each run, so that nobody can prepare a list that makes the tables slow. The
/// output does not depend on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hasher {
    seed: u64,
    mask: u64,
}

impl Hasher {
    /// Hashes with this many bits.
    pub(super) fn new(bits: u32) -> Hasher {
        let mask = u64::MAX.checked_shr(u64::BITS.saturating_sub(bits)).unwrap_or(0);
        Hasher { seed: RandomState::new().hash_one(0), mask }
    }

    fn of(self, text: &[u8]) -> u64 {
        XxHash3_64::oneshot_with_seed(self.seed, text) & self.mask
    }

    /// The hash of a group, by which runs are sorted.
    fn of_group(hash: u64) -> u32 {
        hash as u32 & !RESHAPED
    }

    /// The hash of a variant, by which the table finds it. The hash of the normal form alone would put all variants of
    /// a large group into one slot.
    fn of_variant(self, group: u64, raw: Option<&[u8]>) -> u32 {
        let Some(raw) = raw else { return Hasher::of_group(group) };
        Hasher::of_group(group ^ self.of(raw).rotate_left(1)) | RESHAPED
    }
}

/// The bit in the hashes of variants that are not the keys of their groups. Without it the hash is the group's.
const RESHAPED: u32 = 1 << 31;

/// The table uses the lowest and the highest bits.
fn for_table(hash: u32) -> u64 {
    u64::from(hash) << u32::BITS | u64::from(hash)
}

/// One table: the places of the variants, with their hashes.
#[derive(Debug)]
struct Shard {
    table: HashTable<Slot>,
    store: Store,
}

impl Shard {
    fn new(limits: &Limits, free: &Arc<FreeBlocks>) -> Shard {
        Shard { table: HashTable::new(), store: Store::new(limits.store_block, Arc::clone(free)) }
    }

    /// Touches the place of a hash, so that it is in the cache when a record is counted there.
    fn touch(&self, hash: u32) {
        std::hint::black_box(self.table.find(for_table(hash), |_| false));
    }

    /// Counts a record; `hash` is its variant's.
    fn add(
        &mut self,
        record: &Record<'_>,
        (hash, place): (u32, u64),
        options: &batch::Options,
        scratch: &mut Vec<u8>,
    ) {
        let Shard { table, store } = self;
        // A text with more records than its number can hold goes on as another.
        let is_same = |slot: &Slot| {
            slot.number() == hash && record.is(store.text(slot.at())) && store.numbers(slot.at()).1 < u32::MAX
        };
        match table.entry(for_table(hash), is_same, |slot| for_table(slot.number())) {
            hash_table::Entry::Occupied(known) => store.count(known.get().at(), place),
            hash_table::Entry::Vacant(vacant) => {
                vacant.insert(Slot::new(hash, store.push(place, 1, record.stored(options, scratch))));
            }
        }
    }

    fn memory(&self) -> usize {
        self.table.allocation_size() + self.store.memory()
    }

    fn into_sorted(self, hasher: Hasher) -> Sorted {
        let Shard { table, store } = self;
        let of_group = |slot: Slot| {
            if slot.number() & RESHAPED == 0 {
                return slot;
            }
            let hash = hasher.of(Variant::read(store.text(slot.at())).group());
            Slot::new(Hasher::of_group(hash), slot.at())
        };
        let mut slots: Vec<Slot> = table.into_iter().map(of_group).collect();
        slots.sort_unstable();
        // As in `ByForms`.
        let by_forms = |a: &Slot, b: &Slot| relate(store.text(a.at()), store.text(b.at())).0;
        for same in slots.chunk_by_mut(|a, b| a.number() == b.number()).filter(|same| same.len() > 1) {
            same.sort_unstable_by(by_forms);
        }
        Sorted { slots, store, sums: Vec::new() }
    }
}

/// A shard with its runs on disk.
#[derive(Debug)]
struct SharedShard {
    shard: Mutex<Shard>,
    /// Bytes of the shard's memory.
    size: AtomicUsize,
    spill: Spill,
    runs: Mutex<Vec<DiskRun>>,
    has_runs: AtomicBool,
}

/// All tables of a run.
#[derive(Debug)]
pub(super) struct Tables<'a> {
    options: &'a Options,
    limits: Limits,
    places: Places,
    hasher: Hasher,
    shards: Vec<SharedShard>,
    free: Arc<FreeBlocks>,
    /// Bytes of memory, including entries on the way to disk.
    total: AtomicUsize,
}

/// The records of a batch that go to one table are scattered, and so are their places there. Touching both this many
/// records ahead overlaps the cache misses.
const AHEAD: usize = 8;

/// The working memory of a worker, reused from batch to batch.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// By shard, the rows with the hashes of their variants.
    rows: Vec<Vec<(u32, u32)>>,
    text: Vec<u8>,
}

impl<'a> Tables<'a> {
    /// Blocks of texts that are no longer needed go to `free`.
    pub(super) fn new(
        options: &'a Options,
        limits: Limits,
        places: Places,
        free: &Arc<FreeBlocks>,
    ) -> Tables<'a> {
        let shard = || SharedShard {
            shard: Mutex::new(Shard::new(&limits, free)),
            size: AtomicUsize::new(0),
            spill: Spill::new(options.temp_dir.clone(), limits.spill_block, places),
            runs: Mutex::default(),
            has_runs: AtomicBool::new(false),
        };
        Tables {
            options,
            limits,
            places,
            hasher: Hasher::new(options.hash_bits),
            shards: (0..limits.shards).map(|_| shard()).collect(),
            free: Arc::clone(free),
            total: AtomicUsize::new(0),
        }
    }

    /// The numbers of the shards: those that are wholly in memory come first, because their tables are no longer
    /// needed.
    pub(super) fn numbers(&self) -> Vec<usize> {
        let mut numbers: Vec<usize> = (0..self.shards.len()).collect();
        numbers.sort_by_key(|&number| self.shards[number].has_runs.load(Ordering::Relaxed));
        numbers
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    /// Bytes written to disk.
    pub(super) fn written(&self) -> u64 {
        self.shards.iter().map(|shard| shard.spill.written()).sum()
    }

    /// Counts records from the source with index `source`.
    pub(super) fn add(&self, records: &Records<'_>, source: u32, scratch: &mut Scratch) -> Result<()> {
        scratch.rows.resize_with(self.shards.len(), Vec::new);
        for row in 0..records.len() {
            let record = records.get(row);
            let group = self.hasher.of(record.group());
            let hash = self.hasher.of_variant(group, record.last());
            // The table itself uses the lower bits.
            let shard = (group >> 32) as usize % self.shards.len();
            scratch.rows[shard].push((hash, row as u32));
        }
        // Workers that all begin with the same shard would wait for each other.
        let first = records.numbers.first().map_or(0, |&number| number as usize);
        for turn in 0..self.shards.len() {
            let number = (first + turn) % self.shards.len();
            if !scratch.rows[number].is_empty() {
                self.visit(number, records, source, scratch)?;
            }
        }
        Ok(())
    }

    fn visit(&self, number: usize, records: &Records<'_>, source: u32, scratch: &mut Scratch) -> Result<()> {
        let shared = &self.shards[number];
        let mut shard = lock(&shared.shard);
        let rows = &scratch.rows[number];
        for (at, &(hash, row)) in rows.iter().enumerate() {
            if let Some(&(hash, row)) = rows.get(at + AHEAD) {
                shard.touch(hash);
                records.touch(row as usize);
            }
            if shard.store.is_full() {
                self.spill(number, shard)?;
                shard = lock(&shared.shard);
            }
            let record = records.numbers[row as usize] as u64;
            let place = self.places.pack(source, record).ok_or_else(|| too_far(record))?;
            let options = &self.options.records;
            shard.add(&records.get(row as usize), (hash, place), options, &mut scratch.text);
        }
        scratch.rows[number].clear();
        let size = shard.memory();
        let before = shared.size.swap(size, Ordering::Relaxed);
        // Before another worker can subtract it.
        self.total.fetch_add(size, Ordering::Relaxed);
        self.total.fetch_sub(before, Ordering::Relaxed);
        drop(shard);
        self.make_room()
    }

    /// Sends shards to disk until the others are within the limits. Shards on the way to disk count until they are
    /// written: so all workers stop and help when memory is short.
    fn make_room(&self) -> Result<()> {
        loop {
            let size_of = |number: &usize| self.shards[*number].size.load(Ordering::Relaxed);
            let largest = (0..self.shards.len()).max_by_key(size_of);
            let Some(largest) = largest.filter(|number| size_of(number) > 0) else { return Ok(()) };
            let number = if size_of(&largest) > self.limits.shard_memory {
                largest
            } else if self.memory() > self.limits.memory {
                self.largest_on_disk().unwrap_or(largest)
            } else {
                return Ok(());
            };
            self.spill(number, lock(&self.shards[number].shard))?;
        }
    }

    /// The largest of the shards of which a part is on disk already, so that as many as possible stay off it. `None` if
    /// their runs would become too short to be merged quickly.
    fn largest_on_disk(&self) -> Option<usize> {
        let sizes = self.shards.iter().map(|shared| {
            let size = shared.size.load(Ordering::Relaxed);
            if shared.has_runs.load(Ordering::Relaxed) { size } else { 0 }
        });
        let (number, size) = sizes.enumerate().max_by_key(|&(_, size)| size)?;
        (size > self.limits.run).then_some(number)
    }

    /// Sends a shard to disk; it is empty and unlocked meanwhile.
    fn spill(&self, number: usize, mut shard: MutexGuard<'_, Shard>) -> Result<()> {
        let shared = &self.shards[number];
        let full = std::mem::replace(&mut *shard, Shard::new(&self.limits, &self.free));
        let size = shared.size.swap(0, Ordering::Relaxed);
        drop(shard);
        let sorted = full.into_sorted(self.hasher);
        if !sorted.slots.is_empty() {
            shared.has_runs.store(true, Ordering::Relaxed);
            let run = shared.spill.write(&sorted)?;
            lock(&shared.runs).push(run);
        }
        drop(sorted);
        self.total.fetch_sub(size, Ordering::Relaxed);
        Ok(())
    }

    /// Everything that was counted in a shard: runs on disk, their spill, and the run in memory.
    pub(super) fn take(&self, number: usize) -> (Vec<DiskRun>, &Spill, Sorted) {
        let shared = &self.shards[number];
        let runs = std::mem::take(&mut *lock(&shared.runs));
        let shard = std::mem::replace(&mut *lock(&shared.shard), Shard::new(&self.limits, &self.free));
        (runs, &shared.spill, shard.into_sorted(self.hasher))
    }

    /// States the memory of a shard that was taken.
    pub(super) fn set_memory(&self, number: usize, size: usize) {
        let before = self.shards[number].size.swap(size, Ordering::Relaxed);
        self.total.fetch_add(size, Ordering::Relaxed);
        self.total.fetch_sub(before, Ordering::Relaxed);
    }

    /// Frees a shard that was taken and is no longer needed.
    pub(super) fn clear(&self, number: usize) {
        self.shards[number].spill.clear();
        self.set_memory(number, 0);
    }
}

fn too_far(record: u64) -> Error {
    Error::usage(format!(
        "record {record} of an input cannot be counted beside so many inputs: read fewer in a run"
    ))
}

/// The key of the records of a batch, as texts; `None` if the key is the URI.
///
/// # Errors
/// Usage: values of their type cannot be texts.
pub(super) fn keys(batch: &RecordBatch, key: &Key) -> Result<Option<StringViewArray>> {
    let Some(column) = batch.columns().get(KEY).filter(|_| *key != Key::Uri) else { return Ok(None) };
    let texts = match column.data_type() {
        // The zones that have names depend on what else the program is built with.
        DataType::Timestamp(unit, Some(_)) => {
            arrow_cast::cast(column, &DataType::Timestamp(*unit, Some("+00:00".into())))
        }
        _ => Ok(column.clone()),
    };
    let texts = texts.and_then(|column| arrow_cast::cast(&column, &DataType::Utf8View));
    let texts = texts.map_err(|_| no_texts(key, column.data_type()))?;
    Ok(Some(texts.as_string_view().clone()))
}

/// Checks that batches with this schema have keys.
///
/// # Errors
/// Usage: there is no such field, or its values cannot be texts.
pub(super) fn check_keys(schema: &Schema, key: &Key) -> Result<()> {
    match (key, schema.fields().get(KEY)) {
        (Key::Uri, _) => Ok(()),
        (_, Some(field)) if arrow_cast::can_cast_types(field.data_type(), &DataType::Utf8View) => Ok(()),
        (_, Some(field)) => Err(no_texts(key, field.data_type())),
        (_, None) => Err(Error::usage(format!(
            "the input has no field for {}: name one that it has, or a column such as host",
            OptionName::By.with(key.name())
        ))),
    }
}

fn no_texts(key: &Key, data_type: &DataType) -> Error {
    Error::usage(format!(
        "{} has values of the type {data_type}, which are not compared: name a column of texts, numbers or times",
        OptionName::By.with(key.name())
    ))
}

/// The rows of a batch as records.
pub(super) struct Records<'a> {
    uri: &'a arrow_array::StringViewArray,
    raw: &'a arrow_array::StringViewArray,
    error: &'a arrow_array::StringViewArray,
    raw_bytes: &'a arrow_array::BinaryViewArray,
    numbers: &'a [i64],
    keys: Option<&'a StringViewArray>,
    is_cut: bool,
}

impl<'a> Records<'a> {
    /// The records of a batch with [`columns`] and these [`keys`]. `is_cut` marks a batch of a record that was not kept
    /// whole.
    pub(super) fn new(
        batch: &'a RecordBatch,
        keys: Option<&'a StringViewArray>,
        is_cut: bool,
    ) -> Records<'a> {
        Records {
            keys,
            uri: batch.column(0).as_string_view(),
            raw: batch.column(1).as_string_view(),
            error: batch.column(2).as_string_view(),
            raw_bytes: batch.column(3).as_binary_view(),
            numbers: batch.column(4).as_primitive::<Int64Type>().values(),
            is_cut,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Touches the text of a row.
    fn touch(&self, row: usize) {
        std::hint::black_box(self.uri.value(row).as_bytes().first());
    }

    pub(super) fn get(&self, row: usize) -> Record<'a> {
        if self.uri.is_null(row) {
            return Record { kind: Kind::NULL, key: None, normal: b"", raw: None };
        }
        let uri = self.uri.value(row).as_bytes();
        let bytes = || self.raw_bytes.is_valid(row).then(|| self.raw_bytes.value(row));
        if self.error.is_valid(row) {
            let kind = if self.is_cut { Kind::CUT } else { Kind::reject(self.error.value(row)) };
            return Record { kind, key: None, normal: bytes().unwrap_or(uri), raw: None };
        }
        let raw = if self.raw.is_valid(row) { Some(self.raw.value(row).as_bytes()) } else { bytes() };
        let key = self.keys.filter(|keys| keys.is_valid(row)).map(|keys| keys.value(row).as_bytes());
        let kind = if key.is_some() { Kind::KEYED } else { Kind::VALID };
        Record { kind, key, normal: uri, raw }
    }
}

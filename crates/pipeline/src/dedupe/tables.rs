//! Counts distinct texts: hash tables in shards, each with a lock of its own, which go to disk as sorted
//! runs when all of them together pass the limit.
//!
//! A group (one normal form) is wholly in one shard. A hash only selects where to search: the texts decide which are
//! equal.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

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

use super::entry::{Entry, Sorted, Store};
use super::limits::Limits;
use super::merge::Run;
use super::spill::Spill;
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

    /// The hash of a variant, by which the table finds it. The hash of the normal form alone would put all variants of
    /// a large group into one slot.
    fn of_variant(self, normal: u64, raw: Option<&[u8]>) -> u64 {
        raw.map_or(normal, |raw| normal ^ self.of(raw).rotate_left(1))
    }
}

/// One table.
#[derive(Debug)]
struct Shard {
    table: HashTable<Entry>,
    store: Store,
}

impl Shard {
    fn new(limits: &Limits) -> Shard {
        Shard { table: HashTable::new(), store: Store::new(limits.store_block) }
    }

    fn add(
        &mut self,
        record: &Record<'_>,
        entry: Entry,
        how: (Hasher, &batch::Options),
        scratch: &mut Vec<u8>,
    ) {
        let (hasher, options) = how;
        let Shard { table, store } = self;
        let hash = hasher.of_variant(entry.hash, record.last());
        let is_same = |other: &Entry| other.hash == entry.hash && record.is(store.get(other.at));
        let rehash = |entry: &Entry| hasher.of_variant(entry.hash, Variant::read(store.get(entry.at)).last());
        let vacant = match table.entry(hash, is_same, rehash) {
            hash_table::Entry::Occupied(mut known) => return known.get_mut().merge(&entry),
            hash_table::Entry::Vacant(vacant) => vacant,
        };
        record.store(options, scratch);
        vacant.insert(Entry { at: store.push(scratch), ..entry });
    }

    fn memory(&self) -> usize {
        self.table.allocation_size() + self.store.memory()
    }

    fn into_sorted(self) -> Sorted {
        let Shard { table, store } = self;
        let mut entries: Vec<Entry> = table.into_iter().collect();
        // As in `ByForms`, but the texts stay in place until they are needed.
        let by_forms = |a: &Entry, b: &Entry| relate(store.get(a.at), store.get(b.at)).0;
        entries.sort_unstable_by(|a, b| a.hash.cmp(&b.hash).then_with(|| by_forms(a, b)));
        Sorted { entries, store }
    }
}

/// A shard with its runs on disk.
#[derive(Debug)]
struct Slot {
    shard: Mutex<Shard>,
    /// Bytes of the shard's memory.
    size: AtomicUsize,
    spill: Spill,
    runs: Mutex<Vec<Run>>,
}

/// All tables of a run.
#[derive(Debug)]
pub(super) struct Tables<'a> {
    options: &'a Options,
    limits: Limits,
    hasher: Hasher,
    slots: Vec<Slot>,
    /// Bytes of memory, including entries on the way to disk.
    total: AtomicUsize,
    has_spilled: AtomicBool,
}

/// The working memory of a worker, reused from batch to batch.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// Rows by shard, with their hashes.
    rows: Vec<Vec<(u64, u32)>>,
    text: Vec<u8>,
}

impl<'a> Tables<'a> {
    pub(super) fn new(options: &'a Options, limits: Limits) -> Tables<'a> {
        let slot = || Slot {
            shard: Mutex::new(Shard::new(&limits)),
            size: AtomicUsize::new(0),
            spill: Spill::new(options.temp_dir.clone(), limits.spill_block),
            runs: Mutex::new(Vec::new()),
        };
        Tables {
            options,
            limits,
            hasher: Hasher::new(options.hash_bits),
            slots: (0..limits.shards).map(|_| slot()).collect(),
            total: AtomicUsize::new(0),
            has_spilled: AtomicBool::new(false),
        }
    }

    pub(super) fn shards(&self) -> usize {
        self.slots.len()
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }

    pub(super) fn has_spilled(&self) -> bool {
        self.has_spilled.load(Ordering::Relaxed)
    }

    /// Bytes written to disk.
    pub(super) fn written(&self) -> u64 {
        self.slots.iter().map(|slot| slot.spill.written()).sum()
    }

    /// Counts records from the source with index `source`.
    pub(super) fn add(&self, records: &Records<'_>, source: u32, scratch: &mut Scratch) -> Result<()> {
        scratch.rows.resize_with(self.slots.len(), Vec::new);
        for row in 0..records.len() {
            let hash = self.hasher.of(records.get(row).group());
            // The table itself uses the lowest and the highest bits.
            let shard = (hash >> 32) as usize % self.slots.len();
            scratch.rows[shard].push((hash, row as u32));
        }
        // Workers that all begin with the same shard would wait for each other.
        let first = records.numbers.first().map_or(0, |&number| number as usize);
        for turn in 0..self.slots.len() {
            let number = (first + turn) % self.slots.len();
            if !scratch.rows[number].is_empty() {
                self.visit(number, records, source, scratch)?;
            }
        }
        Ok(())
    }

    fn visit(&self, number: usize, records: &Records<'_>, source: u32, scratch: &mut Scratch) -> Result<()> {
        let slot = &self.slots[number];
        let mut shard = lock(&slot.shard);
        for (hash, row) in scratch.rows[number].drain(..) {
            if shard.store.is_full() {
                self.spill(number, shard)?;
                shard = lock(&slot.shard);
            }
            let record = records.numbers[row as usize] as u64;
            let entry = Entry { hash, records: 1, source, record, at: 0 };
            let how = (self.hasher, &self.options.records);
            shard.add(&records.get(row as usize), entry, how, &mut scratch.text);
        }
        let size = shard.memory();
        let before = slot.size.swap(size, Ordering::Relaxed);
        // Before another worker can subtract it.
        self.total.fetch_add(size, Ordering::Relaxed);
        self.total.fetch_sub(before, Ordering::Relaxed);
        drop(shard);
        self.make_room()
    }

    /// Sends the largest shards to disk until the others are within the limits. Shards on the way to disk count until
    /// they are written: so all workers stop and help when memory is short.
    fn make_room(&self) -> Result<()> {
        loop {
            let sizes = self.slots.iter().map(|slot| slot.size.load(Ordering::Relaxed));
            let (number, size) = sizes.enumerate().max_by_key(|&(_, size)| size).unwrap_or_default();
            let is_within = self.memory() <= self.limits.memory && size <= self.limits.shard_memory;
            if is_within || size == 0 {
                return Ok(());
            }
            self.spill(number, lock(&self.slots[number].shard))?;
        }
    }

    /// Sends a shard to disk; it is empty and unlocked meanwhile.
    fn spill(&self, number: usize, mut shard: MutexGuard<'_, Shard>) -> Result<()> {
        let slot = &self.slots[number];
        let full = std::mem::replace(&mut *shard, Shard::new(&self.limits));
        let size = slot.size.swap(0, Ordering::Relaxed);
        drop(shard);
        let sorted = full.into_sorted();
        if !sorted.entries.is_empty() {
            self.has_spilled.store(true, Ordering::Relaxed);
            let run = Run::Disk(slot.spill.write(&sorted)?);
            lock(&slot.runs).push(run);
        }
        drop(sorted);
        self.total.fetch_sub(size, Ordering::Relaxed);
        Ok(())
    }

    /// Everything that was counted in a shard, as runs to merge; the runs on disk are in the spill.
    pub(super) fn take(&self, number: usize) -> (Vec<Run>, &Spill) {
        let slot = &self.slots[number];
        let mut runs = std::mem::take(&mut *lock(&slot.runs));
        let shard = std::mem::replace(&mut *lock(&slot.shard), Shard::new(&self.limits));
        runs.push(Run::Memory(shard.into_sorted()));
        (runs, &slot.spill)
    }

    /// Frees a shard that was taken and is no longer needed.
    pub(super) fn clear(&self, number: usize) {
        let slot = &self.slots[number];
        slot.spill.clear();
        self.total.fetch_sub(slot.size.swap(0, Ordering::Relaxed), Ordering::Relaxed);
    }
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

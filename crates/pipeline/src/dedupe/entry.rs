//! The entries to count, and the memory of their texts. Tables, runs on disk and the list of rows all hold entries,
//! each with the text of a variant.

use std::sync::Arc;

use urimill_base::free_list::FreeList;
use urimill_base::varint;

use super::rungs::Rungs;

/// The numbers of a variant, or of a row, which sums up the variants of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Entry {
    /// The hash of the group's key; nothing for a row.
    pub(super) hash: u32,
    /// The place of the first record: see [`Places`].
    pub(super) first: u64,
    pub(super) sum: Sum,
}

/// What is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Sum {
    /// The number of records.
    pub(super) records: u64,
    /// The number of different texts.
    pub(super) distinct: u64,
    /// The rungs on which they became equal.
    pub(super) merged: Rungs,
}

impl Sum {
    /// The sum of records that have the same text.
    pub(super) fn of_one_text(records: u64) -> Sum {
        let merged = if records > 1 { Rungs::IDENTICAL } else { Rungs::default() };
        Sum { records, distinct: 1, merged }
    }
}

/// An entry with its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) entry: Entry,
    pub(super) text: &'a [u8],
}

/// Packs the index of a source and the number of a record there into one number, which has the order of the two.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    record_bits: u32,
}

impl Places {
    /// For this number of sources.
    pub(super) fn new(sources: usize) -> Places {
        Places { record_bits: sources.saturating_sub(1).leading_zeros() + u64::BITS - usize::BITS }
    }

    /// `None` if the number of the record is too large beside so many sources.
    pub(super) fn pack(self, source: u32, record: u64) -> Option<u64> {
        let fits = record.checked_shr(self.record_bits).unwrap_or(0) == 0;
        fits.then(|| u64::from(source).checked_shl(self.record_bits).unwrap_or(0) | record)
    }

    /// The source and the number of the record.
    pub(super) fn unpack(self, place: u64) -> (u32, u64) {
        let source = place.checked_shr(self.record_bits).unwrap_or(0);
        (source as u32, place ^ source.checked_shl(self.record_bits).unwrap_or(0))
    }
}

/// The number of bits for a place within a block; the other bits of a text's place are the block's number.
const PLACE_BITS: u32 = 17;

/// What precedes a text and its length: the place of the first record, and the number of records.
const HEAD: usize = size_of::<u64>() + size_of::<u32>();

/// Blocks that are free. Reused, their memory has to be cleared by the system only once.
pub(super) type FreeBlocks = FreeList<Vec<u8>>;

/// Texts with their numbers, one after the other in blocks, so that nothing moves when there are more.
#[derive(Debug)]
pub(super) struct Store {
    blocks: Vec<Vec<u8>>,
    free: Arc<FreeBlocks>,
    block_bytes: usize,
    memory: usize,
}

impl Store {
    /// With blocks of `block_bytes`, which is at most 128 KiB; a longer text has a block of its own.
    pub(super) fn new(block_bytes: usize, free: Arc<FreeBlocks>) -> Store {
        Store { blocks: Vec::new(), free, block_bytes: block_bytes.min(1 << PLACE_BITS), memory: 0 }
    }

    /// Stores a text in two parts, which must be shorter than 4 GiB; returns its place.
    pub(super) fn push(&mut self, first: u64, records: u32, [head, text]: [&[u8]; 2]) -> u32 {
        let length = head.len() + text.len();
        // A length takes five bytes at most.
        let needed = HEAD + 5 + length;
        let has_room =
            |block: &Vec<u8>| block.len() < 1 << PLACE_BITS && block.capacity() - block.len() >= needed;
        if !self.blocks.last().is_some_and(has_room) {
            let free = if needed > self.block_bytes { None } else { self.free.take() };
            let block = free.unwrap_or_else(|| Vec::with_capacity(needed.max(self.block_bytes)));
            self.memory += block.capacity();
            self.blocks.push(block);
        }
        let number = self.blocks.len() - 1;
        let block = &mut self.blocks[number];
        let at = (number as u32) << PLACE_BITS | block.len() as u32;
        block.extend_from_slice(&first.to_le_bytes());
        block.extend_from_slice(&records.to_le_bytes());
        varint::write(length as u64, block);
        block.extend_from_slice(head);
        block.extend_from_slice(text);
        at
    }

    #[inline]
    fn behind(&self, at: u32) -> &[u8] {
        &self.blocks[(at >> PLACE_BITS) as usize][(at & ((1 << PLACE_BITS) - 1)) as usize..]
    }

    /// The place of the first record, and the number of records, of the text at a place that `push` returned.
    #[inline]
    pub(super) fn numbers(&self, at: u32) -> (u64, u32) {
        numbers(self.behind(at).first_chunk().expect(WRITTEN))
    }

    /// The text there.
    #[inline]
    pub(super) fn text(&self, at: u32) -> &[u8] {
        let mut behind = &self.behind(at)[HEAD..];
        let length = varint::read(&mut behind).expect(WRITTEN);
        &behind[..length as usize]
    }

    /// Counts one more record there.
    pub(super) fn count(&mut self, at: u32, place: u64) {
        let block = &mut self.blocks[(at >> PLACE_BITS) as usize];
        let head = block[(at & ((1 << PLACE_BITS) - 1)) as usize..].first_chunk_mut().expect(WRITTEN);
        let (first, records) = numbers(head);
        head[..8].copy_from_slice(&first.min(place).to_le_bytes());
        head[8..].copy_from_slice(&(records + 1).to_le_bytes());
    }

    /// Whether there are no more places.
    pub(super) fn is_full(&self) -> bool {
        self.blocks.len() + 1 >= 1 << (u32::BITS - PLACE_BITS)
    }

    /// Bytes.
    pub(super) fn memory(&self) -> usize {
        self.memory + self.blocks.capacity() * size_of::<Vec<u8>>()
    }
}

const WRITTEN: &str = "every text was written behind its numbers";

#[inline]
fn numbers(head: &[u8; HEAD]) -> (u64, u32) {
    let [first @ .., a, b, c, d] = *head;
    (u64::from_le_bytes(first), u32::from_le_bytes([a, b, c, d]))
}

impl Drop for Store {
    fn drop(&mut self) {
        for mut block in self.blocks.drain(..).filter(|block| block.capacity() == self.block_bytes) {
            block.clear();
            self.free.give(block);
        }
    }
}

/// The place of a text in a [`Store`], with a number that the owner knows. Slots are in the order of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot(u64);

impl Slot {
    #[inline]
    pub(super) fn new(number: u32, at: u32) -> Slot {
        Slot(u64::from(number) << u32::BITS | u64::from(at))
    }

    #[inline]
    pub(super) fn number(self) -> u32 {
        (self.0 >> u32::BITS) as u32
    }

    #[inline]
    pub(super) fn at(self) -> u32 {
        self.0 as u32
    }
}

/// Entries in order, with their texts: a run in memory.
#[derive(Debug)]
pub(super) struct Sorted {
    /// The numbers of variants are their hashes, those of rows the indexes of their sums.
    pub(super) slots: Vec<Slot>,
    pub(super) store: Store,
    /// The sums of the rows that are not one text with a number that the store can hold.
    pub(super) sums: Vec<Sum>,
}

/// Sorted texts are scattered in memory. Touching many of them ahead of their use overlaps the cache misses.
const AHEAD: usize = 32;

impl Sorted {
    /// The number of a row whose sum is that of its text.
    pub(super) const OF_ONE_TEXT: u32 = u32::MAX;

    /// Touches the texts of the items from `at` on, when the next stretch is due.
    #[inline]
    pub(super) fn look_ahead(&self, at: usize) {
        if at.is_multiple_of(AHEAD) {
            let ahead = self.slots.iter().skip(at).take(AHEAD);
            let touch = |sum: u8, slot: &Slot| sum.wrapping_add(self.store.behind(slot.at())[0]);
            std::hint::black_box(ahead.fold(0, touch));
        }
    }

    #[inline]
    pub(super) fn entry(&self, slot: Slot) -> Entry {
        let (first, records) = self.store.numbers(slot.at());
        let sum = self.sums.get(slot.number() as usize).copied();
        let sum = sum.unwrap_or_else(|| Sum::of_one_text(records.into()));
        Entry { hash: slot.number(), first, sum }
    }

    #[inline]
    pub(super) fn item(&self, slot: Slot) -> Item<'_> {
        Item { entry: self.entry(slot), text: self.store.text(slot.at()) }
    }

    /// Puts rows into the order of their first records.
    pub(super) fn sort_rows(&mut self) {
        let Sorted { slots, store, .. } = self;
        // Records come nearly in this order. In it the numbers of texts are read one after the other, and once.
        slots.sort_unstable_by_key(|slot| slot.at());
        let mut rows: Vec<_> = slots.iter().map(|&slot| (store.numbers(slot.at()).0, slot)).collect();
        rows.sort_by_key(|row| row.0);
        slots.clear();
        slots.extend(rows.iter().map(|row| row.1));
    }

    /// Bytes.
    pub(super) fn memory(&self) -> usize {
        self.slots.capacity() * size_of::<Slot>()
            + self.sums.capacity() * size_of::<Sum>()
            + self.store.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_the_order_of_sources_and_records() {
        // (sources, source, record, whether they fit)
        let cases: [(usize, u32, u64, bool); 9] = [
            (0, 0, u64::MAX, true),
            (1, 0, u64::MAX, true),
            (2, 0, 1 << 63, false),
            (2, 0, (1 << 63) - 1, true),
            (2, 1, 0, true),
            (3, 2, (1 << 62) - 1, true),
            (3, 2, 1 << 62, false),
            (1 << 32, u32::MAX, u64::from(u32::MAX), true),
            (1 << 32, u32::MAX, 1 << 32, false),
        ];
        for (sources, source, record, fits) in cases {
            let places = Places::new(sources);
            let place = places.pack(source, record);
            assert_eq!(
                place.map(|place| places.unpack(place)),
                fits.then_some((source, record)),
                "{sources}"
            );
            if source > 0 && fits {
                assert!(places.pack(source - 1, record) < place, "{sources}");
            }
        }
    }
}

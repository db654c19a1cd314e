//! The entries to count, and the memory of their texts. Tables, runs on disk and the list of rows all hold entries,
//! each with a text.

/// The numbers of a text. Its owner knows the kind of text (a variant, a row).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Entry {
    /// The hash of the normal form; 0 for a row.
    pub(super) hash: u64,
    /// The number of records.
    pub(super) records: u64,
    /// The first of them: the index of its source, and its number there.
    pub(super) source: u32,
    pub(super) record: u64,
    /// Where its text is in the [`Store`].
    pub(super) at: u32,
}

impl Entry {
    /// The position of the first record, by source and number.
    pub(super) fn position(&self) -> (u32, u64) {
        (self.source, self.record)
    }

    /// Adds the records of `other`.
    pub(super) fn merge(&mut self, other: &Entry) {
        self.records += other.records;
        if other.position() < self.position() {
            (self.source, self.record) = other.position();
        }
    }
}

/// An entry with its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) entry: &'a Entry,
    pub(super) text: &'a [u8],
}

/// The number of bits for a place within a block; the other bits of an [`Entry::at`] are the block's number.
const PLACE_BITS: u32 = 17;

/// Texts, one after the other in blocks, so that nothing moves when there are more.
#[derive(Debug)]
pub(super) struct Store {
    blocks: Vec<Vec<u8>>,
    block_bytes: usize,
    memory: usize,
}

impl Store {
    /// With blocks of `block_bytes`, which is at most 128 KiB; a longer text has a block of its own.
    pub(super) fn new(block_bytes: usize) -> Store {
        Store { blocks: Vec::new(), block_bytes: block_bytes.min(1 << PLACE_BITS), memory: 0 }
    }

    /// Stores `text`, which must be shorter than 4 GiB; returns its place.
    pub(super) fn push(&mut self, text: &[u8]) -> u32 {
        let needed = size_of::<u32>() + text.len();
        let has_room =
            |block: &Vec<u8>| block.len() < 1 << PLACE_BITS && block.capacity() - block.len() >= needed;
        if !self.blocks.last().is_some_and(has_room) {
            let block = Vec::with_capacity(needed.max(self.block_bytes));
            self.memory += block.capacity();
            self.blocks.push(block);
        }
        let number = self.blocks.len() - 1;
        let block = &mut self.blocks[number];
        let at = (number as u32) << PLACE_BITS | block.len() as u32;
        block.extend_from_slice(&(text.len() as u32).to_le_bytes());
        block.extend_from_slice(text);
        at
    }

    /// The text at a place that `push` returned.
    #[inline]
    pub(super) fn get(&self, at: u32) -> &[u8] {
        let block = &self.blocks[(at >> PLACE_BITS) as usize];
        let behind = &block[(at & ((1 << PLACE_BITS) - 1)) as usize..];
        let (length, text) = behind.split_first_chunk().expect("every text was written behind its length");
        &text[..u32::from_le_bytes(*length) as usize]
    }

    #[inline]
    fn touch(&self, at: u32) -> u8 {
        self.blocks[(at >> PLACE_BITS) as usize][(at & ((1 << PLACE_BITS) - 1)) as usize]
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

/// Entries in order, with their texts: a run in memory.
#[derive(Debug)]
pub(super) struct Sorted {
    pub(super) entries: Vec<Entry>,
    pub(super) store: Store,
}

/// Sorted texts are scattered in memory. Touching many of them ahead of their use overlaps the cache misses.
const AHEAD: usize = 32;

impl Sorted {
    /// Touches the texts of the items from `at` on, when the next stretch is due.
    #[inline]
    pub(super) fn look_ahead(&self, at: usize) {
        if at.is_multiple_of(AHEAD) {
            let ahead = self.entries.iter().skip(at).take(AHEAD);
            std::hint::black_box(
                ahead.fold(0, |sum: u8, entry| sum.wrapping_add(self.store.touch(entry.at))),
            );
        }
    }

    pub(super) fn item(&self, at: usize) -> Option<Item<'_>> {
        self.entries.get(at).map(|entry| Item { entry, text: self.store.get(entry.at) })
    }
}

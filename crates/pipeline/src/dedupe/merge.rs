//! Reads many runs, in memory and on disk, as one.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::marker::PhantomData;

use urimill_base::error::Result;

use super::entry::{Entry, Item, Sorted};
use super::spill::{DiskRun, Reader, Spill};
use super::variant::relate;
use super::windows::Windows;
use crate::spill::block::Unpacker;
use crate::spill::merge::LoserTree;

/// The order of a run.
pub(super) trait Order {
    /// A number that has the order of the entries, as far as it goes.
    fn number(entry: &Entry) -> u64;

    /// Compares the texts of two entries with the same number.
    fn compare(a: &[u8], b: &[u8]) -> Ordering;
}

/// Variants: by hash, then by their forms from the top down.
#[derive(Debug)]
pub(super) struct ByForms;

impl Order for ByForms {
    #[inline]
    fn number(entry: &Entry) -> u64 {
        entry.hash.into()
    }

    fn compare(a: &[u8], b: &[u8]) -> Ordering {
        relate(a, b).0
    }
}

/// Rows: by their first records.
#[derive(Debug)]
pub(super) struct ByPosition;

impl Order for ByPosition {
    #[inline]
    fn number(entry: &Entry) -> u64 {
        entry.first
    }

    fn compare(_: &[u8], _: &[u8]) -> Ordering {
        Ordering::Equal
    }
}

/// A run, or several as one.
#[derive(Debug)]
pub(super) enum Cursor<'a> {
    Disk(Reader<'a>),
    /// A run, and the number of the current item.
    Memory(Sorted, usize),
    Rows(Windows),
}

impl Cursor<'_> {
    /// A run in memory, before its first item.
    pub(super) fn in_memory(sorted: Sorted) -> Self {
        Cursor::Memory(sorted, usize::MAX)
    }

    /// Goes to the next item; `None` after the last one.
    #[inline]
    fn advance(&mut self, unpacker: &mut Unpacker) -> Result<Option<Entry>> {
        match self {
            Cursor::Disk(reader) => reader.advance(unpacker),
            Cursor::Memory(sorted, at) => {
                *at = at.wrapping_add(1);
                sorted.look_ahead(*at);
                Ok(sorted.slots.get(*at).map(|&slot| sorted.entry(slot)))
            }
            Cursor::Rows(windows) => Ok(windows.advance()),
        }
    }

    /// The text of the current item.
    #[inline]
    fn text(&self) -> &[u8] {
        match self {
            Cursor::Disk(reader) => reader.text(),
            Cursor::Memory(sorted, at) => sorted.store.text(sorted.slots[*at].at()),
            Cursor::Rows(windows) => windows.text(),
        }
    }
}

/// The items of several runs, in order.
pub(super) struct Merge<'a, O> {
    heads: Heads<'a, O>,
    tree: LoserTree,
    unpacker: Unpacker,
}

/// The current items of all runs.
struct Heads<'a, O> {
    cursors: Vec<Cursor<'a>>,
    /// The current entry of each; `None` after the last item.
    entries: Vec<Option<Entry>>,
    /// Their numbers by the order, which nearly always decide.
    numbers: Vec<u64>,
    order: PhantomData<O>,
}

impl<O: Order> Heads<'_, O> {
    /// Goes to the next item of a run.
    #[inline]
    fn advance(&mut self, run: usize, unpacker: &mut Unpacker) -> Result<()> {
        // After a failed read there is none.
        self.entries[run] = None;
        self.entries[run] = self.cursors[run].advance(unpacker)?;
        self.numbers[run] = self.entries[run].as_ref().map_or(u64::MAX, O::number);
        Ok(())
    }

    /// Whether the current item of one run precedes that of another.
    #[inline]
    fn before(&self, a: usize, b: usize) -> bool {
        let (first, second) = (self.numbers[a], self.numbers[b]);
        first < second || first == second && self.is_before_by_text(a, b)
    }

    #[cold]
    fn is_before_by_text(&self, a: usize, b: usize) -> bool {
        match (self.entries[a], self.entries[b]) {
            (Some(_), Some(_)) => O::compare(self.cursors[a].text(), self.cursors[b].text()).is_lt(),
            (first, _) => first.is_some(),
        }
    }
}

impl<'a, O: Order> Merge<'a, O> {
    /// Starts at the first item. The runs `on_disk` are in `spill`.
    pub(super) fn new(
        on_disk: impl IntoIterator<Item = DiskRun>,
        in_memory: Option<Cursor<'a>>,
        spill: &'a Spill,
    ) -> Result<Self> {
        let mut unpacker = spill.unpacker()?;
        let on_disk = on_disk.into_iter().map(|run| Cursor::Disk(Reader::new(spill, run)));
        let cursors: Vec<_> = on_disk.chain(in_memory).collect();
        let (entries, numbers) = (vec![None; cursors.len()], vec![0; cursors.len()]);
        let mut heads = Heads { cursors, entries, numbers, order: PhantomData };
        (0..heads.cursors.len()).try_for_each(|run| heads.advance(run, &mut unpacker))?;
        let tree = LoserTree::new(heads.cursors.len(), |a, b| heads.before(a, b));
        Ok(Merge { heads, tree, unpacker })
    }

    /// The current item, until there are no more.
    #[inline]
    pub(super) fn item(&self) -> Option<Item<'_>> {
        let first = self.tree.first()?;
        Some(Item { entry: self.heads.entries[first]?, text: self.heads.cursors[first].text() })
    }

    /// Goes to the next item.
    #[inline]
    pub(super) fn advance(&mut self) -> Result<()> {
        let Merge { heads, tree, unpacker } = self;
        let Some(first) = tree.first().filter(|&first| heads.entries[first].is_some()) else { return Ok(()) };
        heads.advance(first, unpacker)?;
        tree.replay(first, |a, b| heads.before(a, b));
        Ok(())
    }
}

/// Merges runs on disk into longer ones until there are at most `fan_in` of them, each of which costs a block of memory
/// to read.
pub(super) fn reduce<O: Order>(
    runs: Vec<DiskRun>,
    fan_in: usize,
    spill: &Spill,
) -> Result<VecDeque<DiskRun>> {
    let mut runs = VecDeque::from(runs);
    while runs.len() > fan_in {
        // The new run counts too.
        let count = (runs.len() - fan_in + 1).min(fan_in);
        let mut merge = Merge::<O>::new(runs.drain(..count), None, spill)?;
        let mut writer = spill.writer()?;
        while let Some(item) = merge.item() {
            writer.push(item)?;
            merge.advance()?;
        }
        runs.push_back(writer.finish()?);
    }
    Ok(runs)
}

//! Reads many runs, in memory and on disk, as one.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::marker::PhantomData;

use urimill_base::error::Result;

use super::entry::{Item, Sorted};
use super::spill::{DiskRun, Reader, Spill};
use super::variant::relate;
use crate::spill::block::Unpacker;
use crate::spill::merge::LoserTree;

/// The order of a run.
pub(super) trait Order {
    fn compare(a: Item<'_>, b: Item<'_>) -> Ordering;
}

/// Variants: by hash, then by their forms from the top down.
#[derive(Debug)]
pub(super) struct ByForms;

impl Order for ByForms {
    #[inline]
    fn compare(a: Item<'_>, b: Item<'_>) -> Ordering {
        a.entry.hash.cmp(&b.entry.hash).then_with(|| relate(a.text, b.text).0)
    }
}

/// Rows: by their first records.
#[derive(Debug)]
pub(super) struct ByPosition;

impl Order for ByPosition {
    #[inline]
    fn compare(a: Item<'_>, b: Item<'_>) -> Ordering {
        a.entry.position().cmp(&b.entry.position())
    }
}

/// Entries in order.
#[derive(Debug)]
pub(super) enum Run {
    Memory(Sorted),
    Disk(DiskRun),
}

#[derive(Debug)]
enum Cursor<'a> {
    Memory(Sorted, usize),
    Disk(Reader<'a>),
    /// After the last item.
    Ended,
}

impl Cursor<'_> {
    /// The current item.
    #[inline]
    fn item(&self) -> Option<Item<'_>> {
        match self {
            Cursor::Memory(sorted, at) => sorted.item(*at),
            Cursor::Disk(reader) => Some(reader.item()),
            Cursor::Ended => None,
        }
    }
}

/// The items of several runs, in order.
pub(super) struct Merge<'a, O> {
    cursors: Vec<Cursor<'a>>,
    tree: LoserTree,
    unpacker: Unpacker,
    order: PhantomData<O>,
}

impl<'a, O: Order> Merge<'a, O> {
    /// Starts at the first item. Runs on disk are in `spill`.
    pub(super) fn new(runs: impl IntoIterator<Item = Run>, spill: &'a Spill) -> Result<Self> {
        let mut unpacker = spill.unpacker()?;
        let mut cursors = Vec::new();
        for run in runs {
            let (cursor, has_item) = match run {
                Run::Memory(sorted) => {
                    let has_item = !sorted.entries.is_empty();
                    sorted.look_ahead(0);
                    (Cursor::Memory(sorted, 0), has_item)
                }
                Run::Disk(run) => {
                    let mut reader = Reader::new(spill, run);
                    let has_item = reader.advance(&mut unpacker)?;
                    (Cursor::Disk(reader), has_item)
                }
            };
            if has_item {
                cursors.push(cursor);
            }
        }
        let tree = LoserTree::new(cursors.len(), |a, b| before::<O>(&cursors[a], &cursors[b]));
        Ok(Merge { cursors, tree, unpacker, order: PhantomData })
    }

    /// The current item, until there are no more.
    #[inline]
    pub(super) fn item(&self) -> Option<Item<'_>> {
        self.cursors[self.tree.first()?].item()
    }

    /// Goes to the next item.
    pub(super) fn advance(&mut self) -> Result<()> {
        let Some(first) = self.tree.first() else { return Ok(()) };
        let has_item = match &mut self.cursors[first] {
            Cursor::Memory(sorted, at) => {
                *at += 1;
                sorted.look_ahead(*at);
                *at < sorted.entries.len()
            }
            Cursor::Disk(reader) => reader.advance(&mut self.unpacker)?,
            Cursor::Ended => return Ok(()),
        };
        if !has_item {
            self.cursors[first] = Cursor::Ended;
        }
        let cursors = &self.cursors;
        self.tree.replay(first, |a, b| before::<O>(&cursors[a], &cursors[b]));
        Ok(())
    }
}

/// Whether the current item of one cursor precedes that of another.
#[inline]
fn before<O: Order>(a: &Cursor<'_>, b: &Cursor<'_>) -> bool {
    match (a.item(), b.item()) {
        (Some(a), Some(b)) => O::compare(a, b).is_lt(),
        (a, _) => a.is_some(),
    }
}

/// Merges runs into longer ones until there are at most `fan_in`, each of which costs a block of memory to
/// read.
pub(super) fn reduce<O: Order>(runs: Vec<Run>, fan_in: usize, spill: &Spill) -> Result<VecDeque<Run>> {
    let mut runs = VecDeque::from(runs);
    while runs.len() > fan_in {
        // The new run counts too.
        let count = (runs.len() - fan_in + 1).min(fan_in);
        let mut merge = Merge::<O>::new(runs.drain(..count), spill)?;
        let mut writer = spill.writer()?;
        while let Some(item) = merge.item() {
            writer.push(item)?;
            merge.advance()?;
        }
        runs.push_back(Run::Disk(writer.finish()?));
    }
    Ok(runs)
}

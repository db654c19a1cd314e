//! Many runs, in memory and on disk, read as one: a heap of the runs by what each stands at.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::marker::PhantomData;

use super::entry::{Item, Sorted};
use super::spill::{DiskRun, Reader, Spill};
use super::variant::relate;
use crate::error::Result;
use crate::sort::scratch::Unpacker;

/// What a run is sorted by.
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
}

impl Cursor<'_> {
    /// What it stands at; only asked while there is something.
    #[inline]
    fn item(&self) -> Option<Item<'_>> {
        match self {
            Cursor::Memory(sorted, at) => sorted.item(*at),
            Cursor::Disk(reader) => Some(reader.item()),
        }
    }
}

/// The items of several runs, in order.
pub(super) struct Merge<'a, O> {
    cursors: Vec<Cursor<'a>>,
    /// Cursors that stand at an item, by number: none before its parent, which is at `(place - 1) / 2`.
    heap: Vec<usize>,
    unpacker: Unpacker,
    order: PhantomData<O>,
}

impl<'a, O: Order> Merge<'a, O> {
    /// Stands at the first item. Runs on disk lie in `spill`.
    pub(super) fn new(runs: impl IntoIterator<Item = Run>, spill: &'a Spill) -> Result<Self> {
        let mut merge =
            Merge { cursors: Vec::new(), heap: Vec::new(), unpacker: spill.unpacker()?, order: PhantomData };
        for run in runs {
            let (cursor, has_item) = match run {
                Run::Memory(sorted) => {
                    let has_item = !sorted.entries.is_empty();
                    sorted.look_ahead(0);
                    (Cursor::Memory(sorted, 0), has_item)
                }
                Run::Disk(run) => {
                    let mut reader = Reader::new(spill, run);
                    let has_item = reader.advance(&mut merge.unpacker)?;
                    (Cursor::Disk(reader), has_item)
                }
            };
            if has_item {
                merge.heap.push(merge.cursors.len());
                merge.cursors.push(cursor);
            }
        }
        for place in (0..merge.heap.len() / 2).rev() {
            merge.sift_down(place);
        }
        Ok(merge)
    }

    /// The item it stands at, until there are no more.
    #[inline]
    pub(super) fn item(&self) -> Option<Item<'_>> {
        self.cursors[*self.heap.first()?].item()
    }

    /// Goes to the next item.
    pub(super) fn advance(&mut self) -> Result<()> {
        let Some(&first) = self.heap.first() else { return Ok(()) };
        let has_item = match &mut self.cursors[first] {
            Cursor::Memory(sorted, at) => {
                *at += 1;
                sorted.look_ahead(*at);
                *at < sorted.entries.len()
            }
            Cursor::Disk(reader) => reader.advance(&mut self.unpacker)?,
        };
        if !has_item {
            self.heap.swap_remove(0);
        }
        self.sift_down(0);
        Ok(())
    }

    fn sift_down(&mut self, mut place: usize) {
        loop {
            let children =
                [2 * place + 1, 2 * place + 2].into_iter().filter(|&child| child < self.heap.len());
            let least =
                children.fold(place, |least, child| if self.before(child, least) { child } else { least });
            if least == place {
                return;
            }
            self.heap.swap(place, least);
            place = least;
        }
    }

    fn before(&self, a: usize, b: usize) -> bool {
        match (self.cursors[self.heap[a]].item(), self.cursors[self.heap[b]].item()) {
            (Some(a), Some(b)) => O::compare(a, b).is_lt(),
            _ => false,
        }
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

//! Combines sorted variants to groups: one row for each normal form.

use urimill_base::error::Result;

use super::entry::{Entry, Item, Slot, Sorted};
use super::merge::{ByForms, Cursor, Merge, reduce};
use super::rows::Collector;
use super::rungs::Rungs;
use super::tables::Tables;
use super::variant::{Variant, relate};

/// A group that may get more variants.
#[derive(Debug, Default)]
struct Group {
    entry: Entry,
    /// The last variant.
    text: Vec<u8>,
}

impl Group {
    /// Adds an item, or begins with it if it is of another group. Returns whether it begins.
    fn add(&mut self, item: Item<'_>) -> bool {
        let is_other = !self.take(item);
        if is_other {
            self.entry = item.entry;
            self.keep(item.text);
        }
        is_other
    }

    /// Adds an item, if it belongs to the group.
    fn take(&mut self, item: Item<'_>) -> bool {
        let Entry { hash, first, sum } = item.entry;
        let all = &mut self.entry.sum;
        if all.records == 0 || self.entry.hash != hash {
            return false;
        }
        let Some(rung) = relate(&self.text, item.text).1 else { return false };
        self.entry.first = self.entry.first.min(first);
        all.records += sum.records;
        all.merged |= rung;
        // The same text can occur again, from another run.
        if rung != Rungs::IDENTICAL {
            all.distinct += 1;
            all.merged |= sum.merged;
            self.keep(item.text);
        }
        true
    }

    fn keep(&mut self, text: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(text);
    }

    /// Whether the row's text is that of `item`, which was added last: the one of the first record.
    fn is_named_by(&self, item: Item<'_>) -> bool {
        self.entry.first == item.entry.first
    }
}

/// All groups of a shard.
pub(super) fn of_shard(
    tables: &Tables<'_>,
    number: usize,
    fan_in: usize,
    rows: &mut Collector<'_>,
) -> Result<()> {
    let (runs, spill, sorted) = tables.take(number);
    if runs.is_empty() {
        let rows_of_shard = in_memory(sorted);
        tables.set_memory(number, rows_of_shard.memory());
        rows.pass(rows_of_shard);
        return Ok(());
    }
    let mut merge = Merge::<ByForms>::new(
        reduce::<ByForms>(runs, fan_in, spill)?,
        Some(Cursor::in_memory(sorted)),
        spill,
    )?;
    let (mut group, mut text) = (Group::default(), Vec::new());
    let mut is_first = true;
    while let Some(item) = merge.item() {
        let done = group.entry;
        if group.add(item) && !std::mem::take(&mut is_first) {
            rows.push(done, &text)?;
        }
        if group.is_named_by(item) {
            Variant::read(item.text).store_row(&mut text);
        }
        merge.advance()?;
    }
    if !is_first {
        rows.push(group.entry, &text)?;
    }
    drop(merge);
    tables.clear(number);
    Ok(())
}

/// The rows of a shard that is wholly in memory, in their order. Their texts stay where they are.
fn in_memory(mut sorted: Sorted) -> Sorted {
    let mut group = Group::default();
    let mut sums = Vec::new();
    let (mut at, mut rows) = (0, 0);
    while let Some(&slot) = sorted.slots.get(at) {
        let has_hash = |other: &&Slot| other.number() == slot.number();
        let end = at + sorted.slots[at..].iter().take_while(has_hash).count();
        if end == at + 1 {
            sorted.slots[rows] = Slot::new(Sorted::OF_ONE_TEXT, slot.at());
            (at, rows) = (end, rows + 1);
            continue;
        }
        for variant in at..end {
            let slot = sorted.slots[variant];
            let item = sorted.item(slot);
            if group.add(item) {
                sums.push(item.entry.sum);
                rows += 1;
            }
            let number = sums.len() - 1;
            sums[number] = group.entry.sum;
            if group.is_named_by(item) {
                sorted.slots[rows - 1] = Slot::new(number as u32, slot.at());
            }
        }
        at = end;
    }
    sorted.slots.truncate(rows);
    sorted.slots.shrink_to_fit();
    sorted.sums = sums;
    sorted.sort_rows();
    sorted
}

//! Combines sorted variants to groups: one row for each normal form.

use urimill_base::error::Result;

use super::entry::{Entry, Item};
use super::merge::{ByForms, Merge, reduce};
use super::rows::{Collector, Row};
use super::rungs::Rungs;
use super::tables::Tables;
use super::variant::{Kind, Variant, relate};

/// A group that may get more variants.
#[derive(Debug, Default)]
struct Group {
    entry: Entry,
    distinct: u64,
    merged: Rungs,
    /// The last variant.
    text: Vec<u8>,
    /// The variant of the first record, if it is not the group's text.
    first: Vec<u8>,
}

impl Group {
    fn begin(&mut self, item: Item<'_>) {
        self.entry = *item.entry;
        self.distinct = 1;
        self.merged = Rungs::default();
        self.repeat(item.entry);
        self.keep(item.text);
        self.keep_first(item.text);
    }

    /// Adds an item, if it belongs to the group.
    fn take(&mut self, item: Item<'_>) -> bool {
        if self.distinct == 0 || self.entry.hash != item.entry.hash {
            return false;
        }
        let Some(rung) = relate(&self.text, item.text).1 else { return false };
        if item.entry.position() < self.entry.position() {
            self.keep_first(item.text);
        }
        self.entry.merge(item.entry);
        self.merged |= rung;
        // The same text can occur again, from another run.
        if rung != Rungs::IDENTICAL {
            self.distinct += 1;
            self.repeat(item.entry);
            self.keep(item.text);
        }
        true
    }

    fn repeat(&mut self, entry: &Entry) {
        if entry.records > 1 {
            self.merged |= Rungs::IDENTICAL;
        }
    }

    fn keep(&mut self, text: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(text);
    }

    fn keep_first(&mut self, text: &[u8]) {
        self.first.clear();
        if Variant::read(text).kind == Kind::KEYED {
            self.first.extend_from_slice(text);
        }
    }

    fn end(&self, rows: &mut Collector<'_>) -> Result<()> {
        if self.distinct == 0 {
            return Ok(());
        }
        let is_keyed = !self.first.is_empty();
        let variant = Variant::read(if is_keyed { &self.first } else { &self.text });
        let (kind, text) = (variant.kind, variant.normal());
        let key = is_keyed.then(|| variant.group());
        rows.push(self.entry, &Row { kind, merged: self.merged, distinct: self.distinct, key, text })
    }
}

/// All groups of a shard.
pub(super) fn of_shard(
    tables: &Tables<'_>,
    number: usize,
    fan_in: usize,
    rows: &mut Collector<'_>,
) -> Result<()> {
    let (runs, spill) = tables.take(number);
    let mut merge = Merge::<ByForms>::new(reduce::<ByForms>(runs, fan_in, spill)?, spill)?;
    let mut group = Group::default();
    while let Some(item) = merge.item() {
        if !group.take(item) {
            group.end(rows)?;
            group.begin(item);
        }
        merge.advance()?;
    }
    group.end(rows)?;
    drop(merge);
    tables.clear(number);
    Ok(())
}

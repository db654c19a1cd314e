//! Texts with sums in bounded memory: Apache DataSketches' frequent items, and its HyperLogLog for the number of distinct
//! texts. Both are exact until the table of the frequent items is full.

use datasketches::frequencies::{ErrorType, FrequentItemsSketch};
use datasketches::hll::{HllSketch, HllType, HllUnion};
use urimill_base::error::{Error, ErrorKind, Result};

/// The registers of a HyperLogLog, as a power of two: a standard error of 0.8 %.
const REGISTERS: u8 = 14;

/// The bytes of a text that are counted: texts that agree in these first bytes are counted as one.
pub const LONGEST: usize = 256;

/// The same if passwords are masked: each takes a few bytes.
const LONGEST_MASKED: usize = 4 * LONGEST;

/// The beginning of a text that is counted.
pub(super) fn shortened(text: &str) -> &str {
    if text.len() <= LONGEST {
        return text;
    }
    &text[..(0..=LONGEST).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0)]
}

/// Whether a text is certainly not [`shortened`]: the last character that was cut off may have had four bytes.
pub(super) fn is_whole(text: &str) -> bool {
    text.len() + 3 < LONGEST
}

/// Sums of texts.
#[derive(Debug, Clone)]
pub(super) struct Counter {
    items: FrequentItemsSketch<String>,
    /// Empty until the table of the items is full: until then the items are all distinct texts.
    distinct: HllSketch,
}

/// The number of distinct texts, with the bounds of two standard deviations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Distinct {
    /// The estimate.
    pub estimate: u64,
    /// The lower bound, most likely.
    pub lower: u64,
    /// The upper bound, most likely.
    pub upper: u64,
}

/// A text with its sum.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item {
    /// The text: its first [`LONGEST`] bytes.
    pub text: String,
    /// The lower bound of the sum.
    pub lower: u64,
    /// The upper bound of the sum; equal to the lower one while the figure is exact.
    pub upper: u64,
}

fn internal(error: &datasketches::error::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("a sketch cannot be made: {error}"))
}

impl Counter {
    /// Room for three quarters of `size` texts, a power of two.
    pub(super) fn new(size: usize) -> Result<Counter> {
        Ok(Counter {
            items: FrequentItemsSketch::new(size).map_err(|error| internal(&error))?,
            distinct: HllSketch::new(REGISTERS, HllType::Hll8).map_err(|error| internal(&error))?,
        })
    }

    pub(super) fn add(&mut self, text: &str, sum: u64) {
        if sum == 0 {
            return;
        }
        // The sketch panics beyond the greatest number, which sums of hostile sizes could exceed.
        let sum = sum.min(u64::MAX / 4 - self.items.total_weight().min(u64::MAX / 4));
        self.items.update_with_count_ref(text, sum);
        if !self.distinct.is_empty() {
            self.distinct.update(text);
        } else if self.items.num_active_items() >= self.items.maximum_map_capacity() {
            // The next text may push others out of the table.
            self.count_distinct();
        }
    }

    /// Counts the items, unless that is done already.
    fn count_distinct(&mut self) {
        if self.distinct.is_empty() {
            let rows = self.items.frequent_items_with_threshold(ErrorType::NoFalseNegatives, 0);
            rows.iter().for_each(|row| self.distinct.update(row.item().as_str()));
        }
    }

    /// Data, if the sums exceed the greatest number.
    pub(super) fn merge(&mut self, mut other: Counter) -> Result<()> {
        let total = self.total().saturating_add(other.total());
        if total > u64::MAX / 4 {
            return Err(Error::new(
                ErrorKind::Data,
                "the sums of these states exceed 2^62: merge fewer of them",
            ));
        }
        other.count_distinct();
        self.count_distinct();
        self.items.merge(&other.items);
        let mut union = HllUnion::new(REGISTERS).map_err(|error| internal(&error))?;
        union.update(&self.distinct);
        union.update(&other.distinct);
        self.distinct = union.to_sketch(HllType::Hll8);
        Ok(())
    }

    /// The sum of all texts; always exact.
    pub(super) fn total(&self) -> u64 {
        self.items.total_weight()
    }

    /// The most by which a sum can be off.
    pub(super) fn error(&self) -> u64 {
        self.items.maximum_error()
    }

    /// The number of distinct texts. Until the first purge it is the number of items in the table.
    pub(super) fn distinct(&self) -> Distinct {
        if self.error() == 0 {
            let exact = self.items.num_active_items() as u64;
            return Distinct { estimate: exact, lower: exact, upper: exact };
        }
        // An estimate that depends on the registers alone, not on the order in which they were filled.
        let estimate = self.distinct.composite_estimate();
        let off = 2.0 * 1.04 / f64::from(1u32 << REGISTERS).sqrt();
        let held = self.items.num_active_items() as u64;
        let bound = |factor: f64| ((estimate * factor).round() as u64).max(held);
        Distinct { estimate: bound(1.0), lower: bound(1.0 - off), upper: bound(1.0 + off) }
    }

    /// The texts with the greatest sums; equal sums are in the order of their texts' bytes.
    pub(super) fn top(&self, most: usize) -> Vec<Item> {
        let rows = self.items.frequent_items_with_threshold(ErrorType::NoFalseNegatives, 0);
        let item = |row: &datasketches::frequencies::Row<String>| Item {
            text: row.item().clone(),
            lower: row.lower_bound(),
            upper: row.upper_bound(),
        };
        let mut items: Vec<Item> = rows.iter().map(item).collect();
        items.sort_by(|a, b| b.lower.cmp(&a.lower).then_with(|| a.text.cmp(&b.text)));
        items.truncate(most);
        items
    }

    /// Two sketches in the form that other implementations of DataSketches read.
    pub(super) fn to_bytes(&self) -> [Vec<u8>; 2] {
        let mut counted = self.clone();
        counted.count_distinct();
        [counted.items.serialize(), counted.distinct.serialize()]
    }

    /// [`to_bytes`](Self::to_bytes) back; `None` if the bytes are malformed.
    pub(super) fn from_bytes(items: &[u8], distinct: &[u8], size: usize) -> Option<Counter> {
        // The stated size determines how much is allocated, so it is checked.
        let is_of_size = items.get(3).is_some_and(|&lg| 1_usize.checked_shl(lg.into()) == Some(size));
        let items: FrequentItemsSketch<String> =
            is_of_size.then(|| FrequentItemsSketch::deserialize(items).ok()).flatten()?;
        let distinct = HllSketch::deserialize(distinct).ok()?;
        let rows = items.frequent_items_with_threshold(ErrorType::NoFalseNegatives, 0);
        let are_short = rows.iter().all(|row| row.item().len() <= LONGEST_MASKED);
        let fits = are_short && distinct.lg_config_k() == REGISTERS && items.total_weight() <= u64::MAX / 4;
        (fits && items.maximum_error() <= items.total_weight()).then_some(Counter { items, distinct })
    }
}

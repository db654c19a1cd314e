//! The counts of one batch, made by a worker alone: small tables of distinct texts, which the state takes in the order
//! of the input. So the sketches see the same sums in the same order with any number of threads.

use std::collections::BTreeMap;

use hashbrown::HashTable;
use twox_hash::XxHash3_64;

use super::counter::LONGEST;
use super::figure::Figure;
use super::histogram::Histogram;
use super::series::Interval;

/// Examples of a code that are kept.
pub(super) const EXAMPLES: usize = 5;

/// Sums of the distinct texts of a batch. The texts stand one after the other in one buffer.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: String,
    entries: Vec<Entry>,
    table: HashTable<u32>,
    /// The entry of the last text: logs repeat themselves.
    last: usize,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    hash: u64,
    start: u32,
    len: u32,
    sum: u64,
}

impl Entry {
    fn text<'a>(&self, bytes: &'a str) -> &'a str {
        &bytes[self.start as usize..][..self.len as usize]
    }
}

/// The beginning of a text, as much as is counted.
fn shortened(text: &str) -> &str {
    if text.len() <= LONGEST {
        return text;
    }
    &text[..(0..=LONGEST).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0)]
}

impl Texts {
    /// The hash of a text, for several tables.
    pub(super) fn hash(text: &str) -> u64 {
        XxHash3_64::oneshot(shortened(text).as_bytes())
    }

    #[inline]
    pub(super) fn add(&mut self, text: &str, sum: u64) {
        self.add_hashed(text, || Texts::hash(text), sum);
    }

    /// [`add`](Self::add) of a text whose hash is known.
    #[inline]
    pub(super) fn add_hashed(&mut self, text: &str, hash: impl FnOnce() -> u64, sum: u64) {
        let text = shortened(text);
        let Texts { bytes, entries, table, last } = self;
        if let Some(entry) = entries.get_mut(*last)
            && entry.text(bytes) == text
        {
            entry.sum = entry.sum.saturating_add(sum);
            return;
        }
        let hash = hash();
        let found = table.find(hash, |&at| {
            let entry = &entries[at as usize];
            entry.hash == hash && entry.text(bytes) == text
        });
        if let Some(&at) = found {
            *last = at as usize;
            let entry = &mut entries[at as usize];
            entry.sum = entry.sum.saturating_add(sum);
            return;
        }
        *last = entries.len();
        let at = entries.len() as u32;
        // A batch has fewer than 2^16 rows; only parameters are more, and a chunk is shorter than 2 GiB.
        entries.push(Entry { hash, start: bytes.len() as u32, len: text.len() as u32, sum });
        bytes.push_str(text);
        table.insert_unique(hash, at, |&at| entries[at as usize].hash);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.entries.iter().map(|entry| (entry.text(&self.bytes), entry.sum))
    }
}

/// A record that is no URI reference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Example {
    /// The name of its source.
    pub(super) source: String,
    /// The number of its record, from 1.
    pub(super) record: i64,
    /// The byte of the text, from 0, where it cannot be right.
    pub(super) offset: u64,
    /// Its beginning, with passwords masked.
    pub(super) text: String,
}

/// The counts of one batch.
#[derive(Debug)]
pub(super) struct Partial {
    pub(super) texts: Vec<Texts>,
    /// Columns that stand for figures, whether or not they have values.
    pub(super) sizes: Histogram,
    pub(super) times: Histogram,
    /// Counts by minute since 1970.
    pub(super) minutes: Vec<(i64, Interval)>,
    pub(super) ends: Option<(i64, i64)>,
    pub(super) examples: BTreeMap<String, Vec<Example>>,
}

impl Partial {
    pub(super) fn new() -> Partial {
        Partial {
            texts: Figure::ALL.iter().map(|_| Texts::default()).collect(),
            sizes: Histogram::default(),
            times: Histogram::default(),
            minutes: Vec::new(),
            ends: None,
            examples: BTreeMap::new(),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, figure: Figure, text: &str, sum: u64) {
        self.texts[figure as usize].add(text, sum);
    }
}

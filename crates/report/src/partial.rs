//! The counts of one batch, made by a worker alone: small tables of distinct texts, which the state takes in the order
//! of the input. So the sketches see the same sums in the same order with any number of threads.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use hashbrown::HashTable;

use super::counter::shortened;
use super::figure::Figure;
use super::histogram::Histogram;
use super::series::Interval;

/// The number of examples that are kept for a code.
pub(super) const EXAMPLES: usize = 5;

/// Sums of the distinct texts of a batch. The texts follow each other in one buffer.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: String,
    entries: Vec<Entry>,
    table: HashTable<u32>,
    /// Hashes have a random seed, so that no input can choose texts that collide. They decide no order.
    seed: RandomState,
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

impl Texts {
    /// Forgets the texts and keeps their memory.
    fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
        self.table.clear();
        self.last = 0;
    }

    #[inline]
    pub(super) fn add(&mut self, text: &str, sum: u64) {
        let at = self.index(text);
        let entry = &mut self.entries[at];
        entry.sum = entry.sum.saturating_add(sum);
    }

    /// The position of a text among the distinct ones, in the order in which they came.
    #[inline]
    fn index(&mut self, text: &str) -> usize {
        let text = shortened(text);
        let Texts { bytes, entries, table, seed, last } = self;
        if entries.get(*last).is_some_and(|entry| entry.text(bytes) == text) {
            return *last;
        }
        let hash = seed.hash_one(text);
        let found = table.find(hash, |&at| {
            let entry = &entries[at as usize];
            entry.hash == hash && entry.text(bytes) == text
        });
        *last = match found {
            Some(&at) => at as usize,
            None => {
                let at = entries.len() as u32;
                // A batch has fewer than 2^16 rows; only parameters are more, and a chunk is shorter than 2 GiB.
                entries.push(Entry { hash, start: bytes.len() as u32, len: text.len() as u32, sum: 0 });
                bytes.push_str(text);
                table.insert_unique(hash, at, |&at| entries[at as usize].hash);
                at as usize
            }
        };
        *last
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        self.entries.iter().map(|entry| (entry.text(&self.bytes), entry.sum))
    }
}

/// The figures of the sums of [`Partial::paths`], and of [`Partial::hosts`].
const OF_PATHS: [Figure; 3] = [Figure::Path, Figure::PathBytes, Figure::PathTime];
/// The index of the number of requests among the sums of paths.
pub(super) const REQUESTS: usize = 0;
const OF_HOSTS: [Figure; 3] = [Figure::HostBytes, Figure::HostTime, Figure::HostFailures];

/// Several sums of each text: the counts of responses for a path or a host.
#[derive(Debug, Default)]
pub(super) struct Responses {
    texts: Texts,
    /// The sums of each text.
    sums: Vec<[u64; 3]>,
}

impl Responses {
    #[inline]
    pub(super) fn add(&mut self, text: &str, sums: [u64; 3]) {
        let at = self.texts.index(text);
        if at == self.sums.len() {
            self.sums.push([0; 3]);
        }
        for (own, sum) in self.sums[at].iter_mut().zip(sums) {
            *own = own.saturating_add(sum);
        }
    }

    /// The texts with one of their sums.
    pub(super) fn iter(&self, which: usize) -> impl Iterator<Item = (&str, u64)> {
        self.texts.iter().zip(&self.sums).map(move |((text, _), sums)| (text, sums[which]))
    }

    fn into_texts(mut self, which: usize) -> Texts {
        self.texts.entries.iter_mut().zip(&self.sums).for_each(|(entry, sums)| entry.sum = sums[which]);
        self.texts
    }
}

/// A record that is not a URI reference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Example {
    /// The name of its source.
    pub(super) source: String,
    /// The number of its record, from 1.
    pub(super) record: i64,
    /// The offset in the text of the first byte that cannot be right.
    pub(super) offset: u64,
    /// Its beginning, with passwords masked.
    pub(super) text: String,
}

/// The counts of one batch.
#[derive(Debug)]
pub(super) struct Partial {
    pub(super) texts: Vec<Texts>,
    /// By path, and by host.
    pub(super) paths: Responses,
    pub(super) hosts: Responses,
    /// Columns for figures, whether or not they have values.
    pub(super) sizes: Histogram,
    pub(super) times: Histogram,
    /// Counts by minute since 1970.
    pub(super) minutes: Vec<(i64, Interval)>,
    pub(super) ends: Option<(i64, i64)>,
    pub(super) examples: BTreeMap<String, Vec<Example>>,
}

impl Partial {
    /// Empty counts, with the memory of the texts of another batch: tables that grow again for each batch take longer
    /// than the counting.
    pub(super) fn cleared(self) -> Partial {
        let Partial { mut texts, mut paths, mut hosts, .. } = self;
        texts.iter_mut().for_each(Texts::clear);
        for responses in [&mut paths, &mut hosts] {
            responses.texts.clear();
            responses.sums.clear();
        }
        Partial { texts, paths, hosts, ..Partial::empty() }
    }

    fn empty() -> Partial {
        Partial {
            texts: Vec::new(),
            paths: Responses::default(),
            hosts: Responses::default(),
            sizes: Histogram::default(),
            times: Histogram::default(),
            minutes: Vec::new(),
            ends: None,
            examples: BTreeMap::new(),
        }
    }

    pub(super) fn new() -> Partial {
        Partial { texts: Figure::ALL.iter().map(|_| Texts::default()).collect(), ..Partial::empty() }
    }

    #[inline]
    pub(super) fn add(&mut self, figure: Figure, text: &str, sum: u64) {
        self.texts[figure as usize].add(text, sum);
    }

    /// The bytes that its texts take.
    pub(super) fn size(&self) -> usize {
        let texts = self.texts.iter().chain([&self.paths.texts, &self.hosts.texts]);
        texts.map(|texts| texts.bytes.capacity() + texts.entries.capacity() * size_of::<Entry>()).sum()
    }

    /// The texts of each figure.
    pub(super) fn each(&self, mut take: impl FnMut(Figure, &mut dyn Iterator<Item = (&str, u64)>)) {
        for (figure, texts) in Figure::ALL.iter().zip(&self.texts) {
            take(*figure, &mut texts.iter());
        }
        for (responses, figures) in [(&self.paths, OF_PATHS), (&self.hosts, OF_HOSTS)] {
            for (which, figure) in figures.into_iter().enumerate() {
                take(figure, &mut responses.iter(which));
            }
        }
    }

    /// The texts of one figure.
    pub(super) fn into_texts(mut self, figure: Figure) -> Texts {
        let place = |figures: [Figure; 3]| figures.iter().position(|one| *one == figure);
        match (place(OF_PATHS), place(OF_HOSTS)) {
            (Some(which), _) => self.paths.into_texts(which),
            (_, Some(which)) => self.hosts.into_texts(which),
            _ => self.texts.swap_remove(figure as usize),
        }
    }
}

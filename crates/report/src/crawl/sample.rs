//! A sample of bounded size that depends only on the entries added: not on their order, nor on threads, nor on how
//! states were merged.
//!
//! Every entry has a key, which is a hash. The sample holds the entries with the smallest keys, as many as fit. If one
//! more does not fit, the entry with the greatest key goes, and from then on no key that is not smaller is taken: the
//! limit falls, and never rises. So entries below the limit at the end were never refused, and are complete.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// An entry of a sample.
pub(crate) trait Sampled {
    /// The capacity of a sample: the greatest sum of all weights.
    const MOST: usize;

    /// The entry's weight. It never shrinks when something is added.
    fn weight(&self) -> usize {
        1
    }

    /// Adds the data of another entry with the same key; the order does not matter.
    fn add(&mut self, other: Self);
}

/// The entries with the smallest keys.
#[derive(Debug, Clone)]
pub(crate) struct Sample<K, T> {
    entries: BTreeMap<K, T>,
    weight: usize,
    /// Keys that are not smaller are refused.
    limit: Option<K>,
}

impl<K: Ord + Copy, T: Sampled> Sample<K, T> {
    /// An empty sample that refuses keys from `limit` on.
    pub(crate) fn below(limit: Option<K>) -> Sample<K, T> {
        Sample { entries: BTreeMap::new(), weight: 0, limit }
    }

    /// A sample with these entries; `None` if they cannot be those of a sample with this limit.
    pub(crate) fn from_entries(limit: Option<K>, entries: Vec<(K, T)>) -> Option<Sample<K, T>> {
        let count = entries.len();
        let mut sample = Sample::below(limit);
        entries.into_iter().for_each(|(key, value)| sample.add(key, value));
        (sample.entries.len() == count && sample.limit == limit).then_some(sample)
    }

    /// The first key that is refused; `None` while everything fits.
    pub(crate) fn limit(&self) -> Option<K> {
        self.limit
    }

    pub(crate) fn entries(&self) -> &BTreeMap<K, T> {
        &self.entries
    }

    /// Whether an entry with this key would be taken.
    #[inline]
    pub(crate) fn wants(&self, key: K) -> bool {
        self.limit.is_none_or(|limit| key < limit)
    }

    pub(crate) fn add(&mut self, key: K, value: T) {
        if !self.wants(key) {
            return;
        }
        match self.entries.entry(key) {
            Entry::Vacant(entry) => {
                self.weight += value.weight();
                entry.insert(value);
            }
            Entry::Occupied(mut entry) => {
                self.weight -= entry.get().weight();
                entry.get_mut().add(value);
                self.weight += entry.get().weight();
            }
        }
        while self.weight > T::MOST
            && let Some((key, value)) = self.entries.pop_last()
        {
            self.weight -= value.weight();
            self.limit = Some(key);
        }
    }

    /// Adds another sample.
    pub(crate) fn merge(&mut self, other: Sample<K, T>) {
        if let Some(limit) = other.limit.filter(|limit| self.wants(*limit)) {
            self.limit = Some(limit);
            for value in self.entries.split_off(&limit).into_values() {
                self.weight -= value.weight();
            }
        }
        other.entries.into_iter().for_each(|(key, value)| self.add(key, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    struct Count(Vec<u64>);

    impl Sampled for Count {
        const MOST: usize = 10;

        fn weight(&self) -> usize {
            self.0.len()
        }

        fn add(&mut self, other: Count) {
            self.0.extend(other.0);
            self.0.sort_unstable();
            self.0.dedup();
            self.0.truncate(3);
        }
    }

    /// The sample is the same for every order and every division into parts.
    #[test]
    fn the_sample_depends_on_what_was_added_alone() {
        let added: Vec<(u64, u64)> = (0..200).map(|number| (number * 37 % 101, number * 13 % 7)).collect();
        let whole = |rows: &mut dyn Iterator<Item = (u64, u64)>| {
            let mut sample = Sample::below(None);
            rows.for_each(|(key, value)| sample.add(key, Count(vec![value])));
            sample
        };
        let expected = whole(&mut added.iter().copied());
        assert_eq!(expected.weight, expected.entries.values().map(Sampled::weight).sum::<usize>());
        assert!(expected.weight <= 10 && expected.limit == Some(5), "{expected:?}");
        assert_eq!(expected.entries[&0], Count(vec![0, 4]), "key 0 has the numbers 0 and 101");
        let reversed = whole(&mut added.iter().rev().copied());
        let mut merged = Sample::below(None);
        for part in 0..4 {
            let rows = added.iter().enumerate().filter(|(at, _)| at % 4 == part).map(|(_, row)| *row);
            let mut own = Sample::below(merged.limit);
            rows.for_each(|(key, value)| own.add(key, Count(vec![value])));
            // One sample that has fewer entries and a lower limit, and the other way round.
            match part % 2 {
                0 => merged.merge(own),
                _ => {
                    own.merge(merged);
                    merged = own;
                }
            }
        }
        for (name, other) in [("reversed", reversed), ("merged", merged)] {
            assert_eq!((other.entries, other.limit), (expected.entries.clone(), expected.limit), "{name}");
        }
    }

    #[test]
    fn what_fits_is_complete() {
        let mut sample = Sample::below(None);
        (0..10).for_each(|key| sample.add(key, Count(vec![key])));
        assert_eq!((sample.entries.len(), sample.limit), (10, None));
        sample.add(10, Count(vec![1]));
        assert_eq!((sample.entries.len(), sample.limit), (10, Some(10)), "the greatest key goes");
        sample.add(0, Count(vec![5]));
        assert_eq!((sample.entries.len(), sample.limit), (9, Some(9)), "an entry that grows takes room");
    }
}

//! The hosts of a crawl over time: numbers of fetches and bytes, the first and the last fetch, and the longest gap
//! between two of them. A worker computes those of its batch, and the state adds them up.
//!
//! The number of hosts is limited. Beyond the limit those with the fewest fetches are dropped, so that a host that
//! comes again may lack some of its fetches: the error is the most that it may lack, as in the sketches of other
//! figures.

mod moments;

use std::collections::HashMap;

use arrow_array::{Array, RecordBatch};
use urimill_columns::batch::Column;

use super::counter::shortened;
use super::fields::{SIZE, TIME, amount, is_server, numbers, texts, times, value};
use super::shown;
pub(super) use moments::Moments;

/// The most hosts that are held; beyond that, half of them stay.
pub(super) const MOST: usize = 1 << 13;

/// The data of a host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) records: u64,
    pub(super) bytes: u64,
    pub(super) moments: Moments,
}

/// A host and its records that have a time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HostFetches {
    /// The host, in normal form.
    pub host: String,
    /// Its records, at least this many.
    pub records: u64,
    /// The sizes of their responses, added up.
    pub bytes: u64,
    /// The time of the first, in milliseconds since 1970.
    pub first: i64,
    /// The time of the last.
    pub last: i64,
    /// The longest time between two successive records, in milliseconds: lower and upper bound. `None` if all have one
    /// time.
    pub longest_gap: Option<(u64, u64)>,
}

/// Hosts over time.
#[derive(Debug, Clone, Default)]
pub(super) struct Hosts {
    pub(super) hosts: HashMap<Box<str>, Seen>,
    /// Records and bytes of all hosts, with those that were dropped.
    pub(super) records: u64,
    pub(super) bytes: u64,
    /// The most records that a host may lack.
    pub(super) error: u64,
}

impl Hosts {
    /// The hosts of a batch of a crawl: of records with a time, from inputs that are not logs of servers.
    pub(super) fn of(batch: &RecordBatch) -> Hosts {
        let mut all = Hosts::default();
        if is_server(batch) {
            return all;
        }
        let times = times(batch, &TIME).filter(|times| times.null_count() < times.len());
        let (Some(times), Some(hosts)) = (times, texts(batch, &[Column::Host.as_str()])) else { return all };
        let sizes = numbers(batch, &SIZE);
        for row in (0..batch.num_rows()).filter(|row| times.is_valid(*row)) {
            let Some(host) = value(Some(&hosts), row).map(shortened).map(|host| shown(host, false)) else {
                continue;
            };
            let bytes = amount(sizes.as_ref(), row).unwrap_or(0);
            all.records += 1;
            all.bytes = all.bytes.saturating_add(bytes);
            let seen = match all.hosts.get_mut(&*host) {
                Some(seen) => seen,
                None => all.hosts.entry(Box::from(&*host)).or_default(),
            };
            seen.records += 1;
            seen.bytes = seen.bytes.saturating_add(bytes);
            seen.moments.add(times.value(row));
        }
        all
    }

    /// Whether there are no records.
    pub(super) fn is_empty(&self) -> bool {
        self.records == 0
    }

    /// The hosts in the order of their names, as a stored state has them.
    pub(super) fn by_name(&self) -> Vec<(&str, &Seen)> {
        let mut hosts: Vec<(&str, &Seen)> = self.hosts.iter().map(|(host, seen)| (&**host, seen)).collect();
        hosts.sort_unstable_by_key(|(host, _)| *host);
        hosts
    }

    /// Adds the hosts of another one.
    pub(super) fn merge(&mut self, other: Hosts) {
        self.records = self.records.saturating_add(other.records);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.error = self.error.saturating_add(other.error);
        for (host, seen) in other.hosts {
            match self.hosts.get_mut(&host) {
                Some(own) => {
                    own.records = own.records.saturating_add(seen.records);
                    own.bytes = own.bytes.saturating_add(seen.bytes);
                    own.moments.merge(&seen.moments);
                }
                None => drop(self.hosts.insert(host, seen)),
            }
        }
        if self.hosts.len() > MOST {
            self.drop_least();
        }
    }

    fn drop_least(&mut self) {
        let mut hosts: Vec<(Box<str>, Seen)> = self.hosts.drain().collect();
        hosts.sort_unstable_by(|(a, one), (b, other)| other.records.cmp(&one.records).then_with(|| a.cmp(b)));
        self.error = self.error.saturating_add(hosts.get(MOST / 2).map_or(0, |(_, seen)| seen.records));
        hosts.truncate(MOST / 2);
        self.hosts = hosts.into_iter().collect();
    }

    /// The hosts with the most records; those with equally many are in the order of their names.
    pub(super) fn top(&self, most: usize) -> Vec<HostFetches> {
        let mut hosts = self.by_name();
        hosts.sort_by(|(a, one), (b, other)| other.records.cmp(&one.records).then_with(|| a.cmp(b)));
        let fetches = |(host, seen): (&str, &Seen)| {
            let (first, last) = seen.moments.ends()?;
            let longest_gap = seen.moments.longest_gap();
            Some(HostFetches {
                host: host.to_owned(),
                records: seen.records,
                bytes: seen.bytes,
                first,
                last,
                longest_gap,
            })
        };
        hosts.into_iter().take(most).filter_map(fetches).collect()
    }
}

#[cfg(test)]
mod tests {
    use urimill_testkit::random::Random;

    use super::*;

    fn hosts(names: &[usize], from: i64) -> Hosts {
        let mut all = Hosts::default();
        for (at, name) in names.iter().enumerate() {
            let seen = all.hosts.entry(format!("h{name}").into()).or_default();
            seen.records += 1;
            seen.moments.add(from + at as i64);
            all.records += 1;
        }
        all
    }

    /// Beyond the limit, no host lacks more records than the error says, and no host with more is missing.
    #[test]
    fn hosts_keep_their_bounds() {
        let mut random = Random(9);
        let name = |random: &mut Random| match random.next() % 3 {
            0 => random.next() as usize % 20,
            _ => random.next() as usize % (8 * MOST),
        };
        let names: Vec<usize> = (0..12 * MOST).map(|_| name(&mut random)).collect();
        let mut all = Hosts::default();
        for (batch, names) in names.chunks(5000).enumerate() {
            all.merge(hosts(names, batch as i64 * 5000));
            assert!(all.hosts.len() <= MOST);
        }
        assert!(all.error > 0 && all.error < 40, "{}", all.error);
        assert_eq!(all.records, names.len() as u64);
        let mut exact: HashMap<String, u64> = HashMap::new();
        names.iter().for_each(|name| *exact.entry(format!("h{name}")).or_default() += 1);
        for (host, records) in &exact {
            let held = all.hosts.get(&**host).map_or(0, |seen| seen.records);
            assert!(held <= *records && *records <= held + all.error, "{host}: {held}, {records}");
        }
        let top = all.top(20);
        assert!(top.iter().all(|one| one.host.len() <= 3), "{top:?}");
    }
}

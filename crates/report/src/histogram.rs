//! Numbers by size: the counts of numbers in many narrow ranges. Sums of histograms are exact, in any order; a quantile
//! is off by less than one part in 64.
//!
//! ```text
//! 0 .. 127          a range for each number
//! 128 .. 255        64 ranges of 2
//! 256 .. 511        64 ranges of 4, and so on
//! ```

use std::collections::BTreeMap;

use super::MOST_RECORDS;

/// Ranges for each power of two, as a power of two.
const BITS: u32 = 6;

/// Numbers by size.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Histogram {
    pub(super) ranges: BTreeMap<u16, u64>,
    pub(super) count: u64,
    /// The sum of all numbers, at most `u64::MAX`.
    pub(super) sum: u64,
    pub(super) least: u64,
    pub(super) most: u64,
}

/// The range of a number.
fn range(number: u64) -> u16 {
    let shift = (63 - (number | 1).leading_zeros()).saturating_sub(BITS);
    ((u64::from(shift) << BITS) + (number >> shift)) as u16
}

/// The least and the greatest number of a range.
pub(super) fn bounds(range: u16) -> (u64, u64) {
    let (range, each) = (u64::from(range), 1 << BITS);
    let shift = (range / each).saturating_sub(1);
    let start = (range - shift * each) << shift;
    (start, start + ((1 << shift) - 1))
}

/// The number of ranges.
pub(super) const RANGES: u16 = ((64 - BITS + 1) << BITS) as u16;

impl Histogram {
    /// The histogram of some numbers.
    pub(super) fn of(numbers: impl Iterator<Item = u64>) -> Histogram {
        let mut counts = vec![0_u64; usize::from(RANGES)];
        let mut histogram = Histogram { least: u64::MAX, ..Histogram::default() };
        for number in numbers {
            histogram.least = histogram.least.min(number);
            histogram.most = histogram.most.max(number);
            histogram.count += 1;
            histogram.sum = histogram.sum.saturating_add(number);
            counts[usize::from(range(number))] += 1;
        }
        if histogram.count == 0 {
            return Histogram::default();
        }
        let held = (0..RANGES).zip(counts).filter(|(_, count)| *count > 0);
        Histogram { ranges: held.collect(), ..histogram }
    }

    pub(super) fn merge(&mut self, other: &Histogram) {
        if other.count == 0 {
            return;
        }
        self.least = if self.count == 0 { other.least } else { self.least.min(other.least) };
        self.most = self.most.max(other.most);
        self.count = self.count.saturating_add(other.count);
        self.sum = self.sum.saturating_add(other.sum);
        for (range, count) in &other.ranges {
            let own = self.ranges.entry(*range).or_default();
            *own = own.saturating_add(*count);
        }
    }

    /// Whether the counts are small enough that sums of such counts fit into a number.
    pub(super) fn fits(&self) -> bool {
        self.count <= MOST_RECORDS
    }

    /// The bounds of a percentile: the number that `percent` of a hundred numbers do not exceed.
    pub(super) fn percentile(&self, percent: u64) -> Option<(u64, u64)> {
        let rank = (u128::from(self.count) * u128::from(percent)).div_ceil(100).max(1);
        let mut before = 0;
        for (range, count) in &self.ranges {
            before += u128::from(*count);
            if before >= rank {
                let (low, high) = bounds(*range);
                return Some((low.max(self.least), high.min(self.most)));
            }
        }
        None
    }

    /// The counts between powers of two: the first number of each range and the count, from the first to the last.
    pub(super) fn powers(&self) -> Vec<(u64, u64)> {
        let mut powers: BTreeMap<u32, u64> = BTreeMap::new();
        for (range, count) in &self.ranges {
            let low = bounds(*range).0;
            *powers.entry(64 - low.leading_zeros()).or_default() += count;
        }
        let Some((first, last)) = powers.keys().next().copied().zip(powers.keys().last().copied()) else {
            return Vec::new();
        };
        let start = |power: u32| if power == 0 { 0 } else { 1 << (power - 1) };
        (first..=last).map(|power| (start(power), powers.get(&power).copied().unwrap_or(0))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_every_number_once() {
        let mut next = 0_u64;
        for number in 0..RANGES {
            let (low, high) = bounds(number);
            assert_eq!(low, next, "range {number}");
            assert!(high - low <= low / 64, "range {number} is wider than one part in 64");
            assert_eq!((range(low), range(high)), (number, number));
            next = high.wrapping_add(1);
        }
        assert_eq!(next, 0, "the last range ends with the last number");
    }

    #[test]
    fn percentiles_and_powers_are_those_of_the_numbers() {
        assert_eq!(Histogram::of(std::iter::empty()), Histogram::default());
        let histogram = Histogram::of(1..=1000);
        for (percent, expected) in [(0, 1), (1, 10), (50, 500), (99, 990), (100, 1000)] {
            let (low, high) = histogram.percentile(percent).expect("there are numbers");
            assert!(
                low <= expected && expected <= high && high - low <= expected / 64,
                "{percent} %: {low} to {high}"
            );
        }
        let powers = histogram.powers();
        assert_eq!(powers[..3], [(1, 1), (2, 2), (4, 4)]);
        assert_eq!((powers.len(), powers[9]), (10, (512, 489)));
        assert_eq!((histogram.least, histogram.most, histogram.sum), (1, 1000, 500_500));
    }
}

//! Records over time, in bounded memory: counts by intervals that become wider if there are too many, and a calendar of
//! hours. The final width depends on the times alone, not on their order, so sums of series are exact.

use std::collections::BTreeMap;

use urimill_base::calendar::date;

use super::MOST_RECORDS;

/// The most intervals.
const MOST: usize = 2048;

/// Widths of intervals in minutes, each a multiple of the one before: 1, 10, an hour, 6 hours, a day, a week …
const WIDTHS: [i64; 12] =
    [1, 10, 60, 360, 1440, 10_080, 40_320, 524_160, 5_241_600, 52_416_000, 5_241_600_000, 52_416_000_000_000];

/// The result of a request, as a class of its status.
pub(super) const CLASSES: [&str; 5] = ["ok", "redirected", "client_error", "server_error", "other"];

/// The class of a status; `other` if there is none.
pub(super) fn class(status: Option<i64>) -> usize {
    match status {
        Some(100..=299) => 0,
        Some(300..=399) => 1,
        Some(400..=499) => 2,
        Some(500..=599) => 3,
        _ => 4,
    }
}

/// Counts of an interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) classes: [u64; 5],
    pub(super) bytes: u64,
}

impl Interval {
    pub(super) fn records(&self) -> u64 {
        self.classes.iter().sum()
    }

    pub(super) fn add(&mut self, other: &Interval) {
        for (count, more) in self.classes.iter_mut().zip(other.classes) {
            *count = count.saturating_add(more);
        }
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Records over time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Series {
    /// The index of the width.
    pub(super) width: usize,
    /// Intervals by their first minute since 1970.
    pub(super) intervals: BTreeMap<i64, Interval>,
    /// Records by day of the week, from Monday, and hour, in UTC.
    pub(super) hours: [[u64; 24]; 7],
    /// The first and last moment, in milliseconds since 1970.
    pub(super) ends: Option<(i64, i64)>,
}

impl Series {
    pub(super) const WIDTHS: usize = WIDTHS.len();

    /// The width in minutes.
    pub(super) fn minutes(&self) -> i64 {
        WIDTHS[self.width]
    }

    /// Adds counts of a minute since 1970.
    pub(super) fn add(&mut self, minute: i64, counts: &Interval) {
        let width = self.minutes();
        self.intervals.entry(minute.div_euclid(width) * width).or_default().add(counts);
        let records = counts.records();
        let day = (minute.div_euclid(1440) + 3).rem_euclid(7) as usize;
        self.hours[day][(minute.rem_euclid(1440) / 60) as usize] += records;
        while self.intervals.len() > MOST {
            self.widen(self.width + 1);
        }
    }

    fn widen(&mut self, width: usize) {
        // The last width has one interval for all possible times.
        self.width = width.min(WIDTHS.len() - 1);
        let width = self.minutes();
        for (minute, counts) in std::mem::take(&mut self.intervals) {
            self.intervals.entry(minute.div_euclid(width) * width).or_default().add(&counts);
        }
    }

    /// Whether the numbers are small enough that sums of them fit into a number, too.
    pub(super) fn fits(&self) -> bool {
        let classes = self.intervals.values().flat_map(|counts| counts.classes);
        classes.chain(self.hours.iter().flatten().copied()).all(|count| count <= MOST_RECORDS)
    }

    /// Whether an interval of the width with this index can begin with this minute.
    pub(super) fn is_begin(minute: i64, width: usize) -> bool {
        let moments = i64::MIN.div_euclid(60_000)..=i64::MAX.div_euclid(60_000);
        let begin = |minute: i64| minute.div_euclid(WIDTHS[width]) * WIDTHS[width];
        (begin(*moments.start())..=*moments.end()).contains(&minute) && begin(minute) == minute
    }

    pub(super) fn reach(&mut self, ends: (i64, i64)) {
        let (first, last) = self.ends.unwrap_or(ends);
        self.ends = Some((first.min(ends.0), last.max(ends.1)));
    }

    pub(super) fn merge(&mut self, other: &Series) {
        if other.width > self.width {
            self.widen(other.width);
        }
        let hours = other.hours;
        let width = self.minutes();
        for (minute, counts) in &other.intervals {
            self.intervals.entry(minute.div_euclid(width) * width).or_default().add(counts);
        }
        while self.intervals.len() > MOST {
            self.widen(self.width + 1);
        }
        for (count, more) in self.hours.iter_mut().flatten().zip(hours.iter().flatten()) {
            *count = count.saturating_add(*more);
        }
        if let Some(ends) = other.ends {
            self.reach(ends);
        }
    }
}

/// A moment in milliseconds since 1970, as text: 2024-02-29 12:00:00.
pub(super) fn moment(millis: i64) -> String {
    let seconds = millis.div_euclid(1000);
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let (year, month, day) = date(days);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_by_the_calendar() {
        for (millis, expected) in [
            (0, "1970-01-01 00:00:00"),
            (-1, "1969-12-31 23:59:59"),
            (951_782_400_000, "2000-02-29 00:00:00"),
            (1_709_251_199_999, "2024-02-29 23:59:59"),
            (4_107_542_400_000, "2100-03-01 00:00:00"),
        ] {
            assert_eq!(moment(millis), expected);
        }
        // No time is outside it.
        moment(i64::MIN);
        moment(i64::MAX);
    }

    #[test]
    fn the_width_and_the_sums_do_not_depend_on_the_order() {
        let one = Interval { classes: [1, 0, 0, 0, 0], bytes: 7 };
        let minutes: Vec<i64> =
            (0..5000).map(|n| n * 7 % 5000 - 100).chain([i64::MAX / 60_000, i64::MIN / 60_000]).collect();
        let mut forward = Series::default();
        minutes.iter().for_each(|minute| forward.add(*minute, &one));
        let mut backward = Series::default();
        minutes.iter().rev().for_each(|minute| backward.add(*minute, &one));
        assert_eq!(forward, backward);
        let (mut left, mut right) = (Series::default(), Series::default());
        minutes[..3000].iter().for_each(|minute| left.add(*minute, &one));
        minutes[3000..].iter().for_each(|minute| right.add(*minute, &one));
        let mut merged = right.clone();
        merged.merge(&left);
        left.merge(&right);
        assert_eq!((&merged, &left), (&forward, &forward));
        assert!(forward.width > 0 && forward.intervals.len() <= MOST);
        assert_eq!(forward.intervals.values().map(Interval::records).sum::<u64>(), 5002);
        assert_eq!(forward.hours.iter().flatten().sum::<u64>(), 5002);
    }
}

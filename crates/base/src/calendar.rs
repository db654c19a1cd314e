//! The Gregorian calendar, in days since the first of January 1970.

use chrono::{Datelike, NaiveDate};

/// The number of a day; `None` where the calendar does not have it.
#[inline]
pub fn day_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let (month, day) = (month.try_into().ok()?, day.try_into().ok()?);
    Some(NaiveDate::from_ymd_opt(year.try_into().ok()?, month, day)?.to_epoch_days().into())
}

/// The year, the month and the day for a day's number. It also works for years beyond those of the library: the
/// calendar repeats every 400 years, or 146,097 days.
pub fn date(day: i64) -> (i64, i64, i64) {
    let (era, day) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let date = NaiveDate::from_epoch_days(day as i32).unwrap_or_default();
    (i64::from(date.year()) + era * 400, date.month().into(), date.day().into())
}

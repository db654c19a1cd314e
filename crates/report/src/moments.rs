//! Times that are written in digits alone: seconds since 1970 and smaller units of them, and dates without separators.
//! A table does not state the unit of a number, so its size determines it.

use urimill_base::calendar::day_of;

/// Seconds since 1970 are below this number until the year 5138; milliseconds are above it from 1973 on. The bounds of
/// the other units are as far from each other.
const SECONDS: u64 = 100_000_000_000;

/// The moment of a number, in milliseconds since 1970: a date and optionally a time without separators (`20240229`,
/// `20240229120000`), or a number of seconds, milliseconds, microseconds or nanoseconds since 1970.
pub(super) fn of_number(number: i64) -> Option<i64> {
    let calendar = match number {
        19_000_101..=22_001_231 => from_calendar(number, 0),
        19_000_101_000_000..=22_001_231_235_959 => from_calendar(number / 1_000_000, number % 1_000_000),
        _ => None,
    };
    calendar.or_else(|| match number.unsigned_abs() {
        ..SECONDS => number.checked_mul(1000),
        SECONDS..100_000_000_000_000 => Some(number),
        100_000_000_000_000..100_000_000_000_000_000 => Some(number.div_euclid(1000)),
        _ => Some(number.div_euclid(1_000_000)),
    })
}

/// [`of_number`] for numbers with a fraction.
pub(super) fn of_fraction(number: f64) -> Option<i64> {
    if !number.is_finite() || number.abs() >= i64::MAX as f64 {
        return None;
    }
    let whole = number.floor();
    let millis = of_number(whole as i64)?;
    // Fractions below a millisecond are ignored.
    let is_seconds = millis == (whole as i64).saturating_mul(1000);
    Some(if is_seconds { millis + ((number - whole) * 1000.0) as i64 } else { millis })
}

/// [`of_number`] for texts of digits, optionally with a fraction.
pub(super) fn of_text(text: &str) -> Option<i64> {
    let text = text.trim();
    // Rust reads more texts as numbers than people do: inf, 1e9.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
    if !is_number || text.is_empty() {
        return None;
    }
    match text.parse() {
        Ok(number) => of_number(number),
        Err(_) => of_fraction(text.parse().ok()?),
    }
}

/// `date` is a year, a month and a day in its decimal digits, `time` an hour, a minute and a second.
fn from_calendar(date: i64, time: i64) -> Option<i64> {
    let (year, month, day) = (date / 10_000, date / 100 % 100, date % 100);
    let (hour, minute, second) = (time / 10_000, time / 100 % 100, time % 100);
    // The second 60 is a leap second.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some((((day_of(year, month, day)? * 24 + hour) * 60 + minute) * 60 + second) * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_moments_by_their_size() {
        const MOMENT: i64 = 1_709_208_000_000; // 2024-02-29 12:00:00
        for (text, expected) in [
            ("1709208000", Some(MOMENT)),
            ("1709208000.250", Some(MOMENT + 250)),
            ("1709208000000", Some(MOMENT)),
            ("1709208000000000", Some(MOMENT)),
            ("1709208000000000000", Some(MOMENT)),
            ("20240229120000", Some(MOMENT)),
            (" 20240229 ", Some(MOMENT - 12 * 3_600_000)),
            ("19700101000000", Some(0)),
            ("0", Some(0)),
            ("-1", Some(-1000)),
            // Not a day of the calendar, so seconds and milliseconds.
            ("20230229", Some(20_230_229_000)),
            ("20240229250000", Some(20_240_229_250_000)),
            ("9223372036854775807", Some(9_223_372_036_854)),
            ("", None),
            ("1e9", None),
            ("inf", None),
            ("-", None),
            ("1.2.3", None),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(of_text(text), expected, "{text}");
        }
        assert_eq!(of_fraction(1_709_208_000.5), Some(MOMENT + 500));
        assert_eq!((of_fraction(f64::NAN), of_fraction(1e300)), (None, None));
    }
}

//! Texts of fields as values. The forms of times have fixed widths, so each is read by position; `web_time` has others.

mod address;
mod times;
mod web_time;

use arrow_array::temporal_conversions::timestamp_ms_to_datetime;

pub(crate) use address::client;
pub use address::is_address;
use times::{any_time, clf, digits, iso, zoned};

/// The notation of a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeForm {
    /// `2012-05-23T15:06:28.689Z` (ISO 8601 in UTC, with an optional fraction of up to nine digits), or digits.
    Iso,
    /// `20120523150628`, optionally with three more digits for milliseconds, and a suffix after a `+`, which is not
    /// part of it.
    Digits,
    /// `17/May/2015:10:05:03 +0000`, the form of web servers, with or without a fraction; or ISO 8601. It needs a
    /// zone.
    Clf,
    /// The forms of servers, proxies and clouds: ISO 8601 with `T`, a space or a tab before the time, with or without
    /// fraction and zone; `17/May/2015:10:05:03 +0000`, likewise, its day of one digit or two;
    /// `Sun Mar 13 22:49:12 2016`; seconds since 1970, with or without a fraction, or milli-, micro- or nanoseconds, by
    /// the number of digits; 14 or 17 digits are those of [`TimeForm::Digits`]. Without a zone it is UTC.
    Any,
    /// The forms of documents on the web, see `web_time`: `2005-06-04`, `2005-06-04T12:00:00+02:00`, `Sat, 04 Jun 2005
    /// 12:00:00 GMT`, `Sat Jun 04 12:00:00 UTC 2005`.
    Web,
}

/// The unit of a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds, with an optional `s` after them.
    Seconds,
    /// Milliseconds, with an optional `ms` after them.
    Millis,
    /// Microseconds.
    Micros,
    /// Nanoseconds.
    Nanos,
    /// Seconds if there is a fraction (CloudFront), milliseconds otherwise (IIS).
    Mixed,
}

/// The reason why a field has no value; the names are those in the column of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    NotANumber,
    OutOfRange,
    NotATime,
    NotAnAddress,
    /// It does not have the form of its field's values.
    Malformed,
    NotUtf8,
    Missing,
    TooLong,
    /// The record may end inside it.
    Unfinished,
}

impl Fault {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Fault::NotANumber => "not_a_number",
            Fault::OutOfRange => "out_of_range",
            Fault::NotATime => "not_a_time",
            Fault::NotAnAddress => "not_an_address",
            Fault::Malformed => "malformed",
            Fault::NotUtf8 => "not_utf8",
            Fault::Missing => "missing",
            Fault::TooLong => "too_long",
            Fault::Unfinished => "unfinished",
        }
    }
}

/// Digits, with an optional minus before them.
pub(crate) fn int64(text: &[u8]) -> Result<i64, Fault> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if let Some(value) = short_number(digits) {
        return Ok(if is_negative { -value } else { value });
    }
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Fault::NotANumber);
    }
    let value = digits.iter().try_fold(0i64, |value, digit| {
        let digit = i64::from(digit - b'0');
        // Downwards, because there is one more negative number.
        value.checked_mul(10)?.checked_sub(digit)
    });
    let value = if is_negative { value } else { value.and_then(i64::checked_neg) };
    value.ok_or(Fault::OutOfRange)
}

/// The number of digits that fit in 64 bits.
#[inline]
fn short_number(digits: &[u8]) -> Option<i64> {
    if digits.is_empty() || digits.len() > MOST_DIGITS {
        return None;
    }
    let (mut value, mut is_wrong) = (0, false);
    for digit in digits {
        let digit = digit.wrapping_sub(b'0');
        is_wrong |= digit > 9;
        value = value * 10 + i64::from(digit);
    }
    (!is_wrong).then_some(value)
}

/// 16 digits fit in 63 bits, whatever bytes they are.
const MOST_DIGITS: usize = 16;

pub(crate) fn int32(text: &[u8]) -> Result<i32, Fault> {
    int64(text).and_then(|value| value.try_into().map_err(|_| Fault::OutOfRange))
}

pub(crate) fn numbered(text: &[u8]) -> Result<i32, Fault> {
    int32(text.strip_prefix(b"#").ok_or(Fault::NotANumber)?)
}

/// A moment with nothing after it has no duration, and no fault.
pub(crate) fn duration(text: &[u8]) -> Result<Option<i64>, Fault> {
    match memchr::memchr(b'+', text) {
        Some(plus) => int64(&text[plus + 1..]).map(Some),
        None => Ok(None),
    }
}

/// Whether a text is a moment in one of the forms of [`TimeForm::Any`].
pub fn is_moment(text: &[u8]) -> bool {
    any_time(text).is_some()
}

/// Milliseconds since 1970 in UTC, of 14 or 17 digits.
pub fn time_of_digits(text: &[u8]) -> Option<i64> {
    digits(text)
}

/// Milliseconds since 1970 in UTC.
pub(crate) fn time(text: &[u8], form: TimeForm) -> Result<i64, Fault> {
    let found = match form {
        TimeForm::Iso => iso(text).or_else(|| digits(text)),
        TimeForm::Digits => digits(text),
        TimeForm::Clf => clf(text).or_else(|| zoned(text)),
        TimeForm::Any => any_time(text),
        TimeForm::Web => web_time::read(text),
    };
    found.ok_or(Fault::NotATime)
}

/// A duration; `None` if it is negative.
pub(crate) fn micros(text: &[u8], unit: Unit) -> Result<Option<i64>, Fault> {
    if let Some(value) = short_duration(text, unit) {
        return Ok(Some(value));
    }
    let (digits, is_negative) = match text {
        [b'-', digits @ ..] => (digits, true),
        digits => (digits, false),
    };
    let (digits, unit) = with_unit(digits).unwrap_or((digits, unit));
    if memchr::memchr2(b'e', b'E', digits).is_some() {
        return scientific(digits, unit).map(|value| Some(value).filter(|_| !is_negative));
    }
    let point = memchr::memchr(b'.', digits);
    let (whole, fraction) = digits.split_at(point.unwrap_or(digits.len()));
    let fraction = fraction.strip_prefix(b".").unwrap_or(fraction);
    if !fraction.iter().all(u8::is_ascii_digit) || point.is_some() && fraction.is_empty() {
        return Err(Fault::NotANumber);
    }
    let whole = int64(whole)?;
    if whole < 0 {
        return Err(Fault::NotANumber);
    }
    // The number of decimal places from whole units to microseconds.
    let power = match unit {
        Unit::Seconds => 6,
        Unit::Mixed if point.is_some() => 6,
        Unit::Millis | Unit::Mixed => 3,
        Unit::Micros => 0,
        Unit::Nanos => return Ok((!is_negative).then_some(whole / 1000)),
    };
    let digit = |at: usize| i64::from(fraction.get(at).map_or(0, |digit| digit - b'0'));
    let behind = (0..power as usize).fold(0, |value, at| value * 10 + digit(at));
    let value = whole.checked_mul(10i64.pow(power)).and_then(|value| value.checked_add(behind));
    Ok(Some(value.ok_or(Fault::OutOfRange)?).filter(|_| !is_negative))
}

/// A duration with its unit after it: the number, and the unit.
fn with_unit(text: &[u8]) -> Option<(&[u8], Unit)> {
    const UNITS: [(&str, Unit); 5] = [
        ("ns", Unit::Nanos),
        ("us", Unit::Micros),
        ("µs", Unit::Micros),
        ("ms", Unit::Millis),
        ("s", Unit::Seconds),
    ];
    UNITS.iter().find_map(|(name, unit)| Some((text.strip_suffix(name.as_bytes())?, *unit)))
}

/// A duration of few digits, with an optional fraction, and without a sign, a unit or an exponent.
#[inline]
fn short_duration(text: &[u8], unit: Unit) -> Option<i64> {
    if text.len() > MOST_DIGITS / 2 + 1 {
        return None;
    }
    let len = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let whole = short_number(&text[..len])?;
    let fraction = match &text[len..] {
        [] => None,
        [b'.', fraction @ ..] if fraction.len() <= 6 => Some((short_number(fraction)?, fraction.len())),
        _ => return None,
    };
    match (unit, fraction) {
        (Unit::Seconds, None) => Some(whole * 1_000_000),
        (Unit::Seconds | Unit::Mixed, Some((behind, len))) => {
            Some(whole * 1_000_000 + behind * 10i64.pow(6 - len as u32))
        }
        (Unit::Millis | Unit::Mixed, None) => Some(whole * 1000),
        (Unit::Micros, None) => Some(whole),
        (Unit::Nanos, None) => Some(whole / 1000),
        _ => None,
    }
}

/// A duration as microseconds in digits; an invalid one as an invalid text, and the empty text if there is none.
pub(crate) fn micros_text(text: &[u8], unit: Unit) -> Option<String> {
    match micros(text, unit) {
        Ok(value) => value.map(|value| value.to_string()),
        Err(Fault::OutOfRange) => Some("9".repeat(20)),
        Err(_) => Some("?".to_owned()),
    }
}

/// A moment in a form that [`TimeForm::Any`] reads as the same; an invalid one as an invalid text.
pub(crate) fn time_text(text: &[u8], form: TimeForm) -> String {
    let moment = time(text, form).ok().and_then(timestamp_ms_to_datetime);
    moment.map_or_else(|| "?".to_owned(), |moment| format!("{moment:?}"))
}

/// `9.5e-07`, as JSON may write a very small number.
fn scientific(text: &[u8], unit: Unit) -> Result<i64, Fault> {
    let is_part = |b: &u8| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-');
    let text = std::str::from_utf8(text).ok().filter(|text| text.bytes().all(|b| is_part(&b)));
    let value: f64 = text.and_then(|text| text.parse().ok()).ok_or(Fault::NotANumber)?;
    let scale = match unit {
        Unit::Seconds => 1e6,
        Unit::Millis | Unit::Mixed => 1e3,
        Unit::Micros => 1.0,
        Unit::Nanos => 1e-3,
    };
    let micros = (value * scale).floor();
    if (0.0..9e18).contains(&micros) { Ok(micros as i64) } else { Err(Fault::OutOfRange) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_logs() {
        let noon = 1_431_864_303_000; // 2015-05-17T12:05:03Z
        // (text, milliseconds)
        let cases: &[(&str, Option<i64>)] = &[
            ("2015-05-17T12:05:03Z", Some(noon)),
            ("2015-05-17T12:05:03", Some(noon)),
            ("2015-05-17 12:05:03", Some(noon)),
            ("2015-05-17\t12:05:03", Some(noon)),
            ("2015-05-17T14:05:03+02:00", Some(noon)),
            ("2015-05-17T14:05:03+0200", Some(noon)),
            ("2015-05-17T10:05:03.25-02", Some(noon + 250)),
            ("2015-05-17T12:05:03.123456789Z", Some(noon + 123)),
            ("2015-05-17 12:05:03 +0000", Some(noon)),
            ("17/May/2015:14:05:03 +0200", Some(noon)),
            ("17/May/2015:12:05:03.143", Some(noon + 143)),
            ("17/May/2015:14:05:03.143 +0200", Some(noon + 143)),
            ("17/May/2015:12:05:03", Some(noon)),
            ("17/May/2015 12:05:03", Some(noon)),
            ("9/Jun/2015:01:58:09 +0800", Some(1_433_786_289_000)),
            ("9/Jun/2015:01:58:09.25", Some(1_433_815_089_250)),
            ("/Jun/2015:01:58:09", None),
            ("a/Jun/2015:01:58:09", None),
            ("9/Jun/2015:01:58:09.1234567890123456789012345678901", None),
            ("Sun May 17 12:05:03 2015", Some(noon)),
            ("Sun Mar  1 00:00:00 2015", Some(1_425_168_000_000)),
            ("Sun May 17 12:05:03.250123 2015", Some(noon + 250)),
            ("Sun, 17 May 2015 12:05:03 GMT", Some(noon)),
            ("Sun, 17 May 2015 12:05:03 CET", None),
            ("2015/05/17 12:05:03", Some(noon)),
            ("2015/05/17 12:05:03.25", Some(noon + 250)),
            ("2015-05/17 12:05:03", None),
            ("2015-05-17 12:05:03,250", Some(noon + 250)),
            ("2015-05-17T12:05:03,250+0000", Some(noon + 250)),
            ("1431864303", Some(noon)),
            ("1431864303.5", Some(noon + 500)),
            ("1431864303.452687", Some(noon + 452)),
            ("1431864303000", Some(noon)),
            ("1431864303000123", Some(noon)),
            ("1431864303000000000", Some(noon)),
            ("20150517120503", Some(noon)),
            ("20150517120503250", Some(noon + 250)),
            ("20151317120503", None),
            ("0", Some(0)),
            ("2015-05-17T12:05:03.Z", None),
            ("2015-05-17T12:05:60Z", None),
            ("2015-02-29T12:05:03Z", None),
            ("2015-05-17T12:05:03X", None),
            ("2015-05-17T12:05:03+2:00", None),
            ("2015-05-17T12:05:03+24:00", None),
            ("17/Xay/2015:12:05:03", None),
            ("17/May/2015:12:05:03 x", None),
            ("1431864303x", None),
            ("1431864303.", None),
            ("17", Some(17_000)),
            ("", None),
            ("now", None),
            ("Sun May 17 12:05:03 201x", None),
        ];
        for (text, expected) in cases {
            assert_eq!(time(text.as_bytes(), TimeForm::Any).ok(), *expected, "{text}");
        }
    }

    #[test]
    fn durations_are_microseconds() {
        // (text, unit, result)
        type Case = (&'static str, Unit, Result<Option<i64>, Fault>);
        let cases: &[Case] = &[
            ("0.000086", Unit::Seconds, Ok(Some(86))),
            ("0.0000869", Unit::Seconds, Ok(Some(86))),
            ("1", Unit::Seconds, Ok(Some(1_000_000))),
            ("1.5s", Unit::Seconds, Ok(Some(1_500_000))),
            ("-1", Unit::Seconds, Ok(None)),
            ("72", Unit::Millis, Ok(Some(72_000))),
            ("72ms", Unit::Millis, Ok(Some(72_000))),
            ("0.25", Unit::Millis, Ok(Some(250))),
            ("72ms", Unit::Seconds, Ok(Some(72_000))),
            ("1.5s", Unit::Millis, Ok(Some(1_500_000))),
            ("99.670794ms", Unit::Nanos, Ok(Some(99_670))),
            ("129us", Unit::Millis, Ok(Some(129))),
            ("1.548µs", Unit::Seconds, Ok(Some(1))),
            ("-72ms", Unit::Micros, Ok(None)),
            ("ms", Unit::Millis, Err(Fault::NotANumber)),
            ("7", Unit::Micros, Ok(Some(7))),
            ("10002425284", Unit::Nanos, Ok(Some(10_002_425))),
            ("0.001", Unit::Mixed, Ok(Some(1000))),
            ("1687", Unit::Mixed, Ok(Some(1_687_000))),
            ("", Unit::Millis, Err(Fault::NotANumber)),
            ("1.", Unit::Seconds, Err(Fault::NotANumber)),
            (".5", Unit::Seconds, Err(Fault::NotANumber)),
            ("1.x", Unit::Seconds, Err(Fault::NotANumber)),
            ("9.5e-07", Unit::Seconds, Ok(Some(0))),
            ("2.5e-05", Unit::Seconds, Ok(Some(25))),
            ("1e3", Unit::Millis, Ok(Some(1_000_000))),
            ("1e30", Unit::Millis, Err(Fault::OutOfRange)),
            ("1e", Unit::Millis, Err(Fault::NotANumber)),
            ("0x1e", Unit::Millis, Err(Fault::NotANumber)),
            ("--1", Unit::Seconds, Err(Fault::NotANumber)),
            ("9223372036854775807", Unit::Millis, Err(Fault::OutOfRange)),
        ];
        for (text, unit, expected) in cases {
            assert_eq!(micros(text.as_bytes(), *unit), *expected, "{text} {unit:?}");
        }
    }
}

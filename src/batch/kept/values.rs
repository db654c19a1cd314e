//! Texts of fields as values. The forms of times have fixed widths, so each is read by place.

/// How a moment is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeForm {
    /// `2012-05-23T15:06:28.689Z` (ISO 8601 in UTC, the fraction of up to nine digits may be missing), or digits.
    Iso,
    /// `20120523150628`, three more digits for milliseconds, and behind a `+` what is not part of it.
    Digits,
    /// `17/May/2015:10:05:03 +0000`, as web servers write it.
    Clf,
}

/// Why a field has no value; the names stand in the column of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    NotANumber,
    OutOfRange,
    NotATime,
    NotUtf8,
    Missing,
    TooLong,
}

impl Fault {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Fault::NotANumber => "not_a_number",
            Fault::OutOfRange => "out_of_range",
            Fault::NotATime => "not_a_time",
            Fault::NotUtf8 => "not_utf8",
            Fault::Missing => "missing",
            Fault::TooLong => "too_long",
        }
    }
}

/// Digits, perhaps with a minus before them.
pub(super) fn int64(text: &[u8]) -> Result<i64, Fault> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(Fault::NotANumber);
    }
    let value = digits.iter().try_fold(0i64, |value, digit| {
        let digit = i64::from(digit - b'0');
        // Downwards, because there is one negative number more.
        value.checked_mul(10)?.checked_sub(digit)
    });
    let value = if is_negative { value } else { value.and_then(i64::checked_neg) };
    value.ok_or(Fault::OutOfRange)
}

pub(super) fn int32(text: &[u8]) -> Result<i32, Fault> {
    int64(text).and_then(|value| value.try_into().map_err(|_| Fault::OutOfRange))
}

pub(super) fn numbered(text: &[u8]) -> Result<i32, Fault> {
    int32(text.strip_prefix(b"#").ok_or(Fault::NotANumber)?)
}

/// Nothing behind a moment is no duration, and no fault.
pub(super) fn duration(text: &[u8]) -> Result<Option<i64>, Fault> {
    match memchr::memchr(b'+', text) {
        Some(plus) => int64(&text[plus + 1..]).map(Some),
        None => Ok(None),
    }
}

/// Milliseconds since 1970 in UTC.
pub(super) fn time(text: &[u8], form: TimeForm) -> Result<i64, Fault> {
    let found = match form {
        TimeForm::Iso => iso(text).or_else(|| digits(text)),
        TimeForm::Digits => digits(text),
        TimeForm::Clf => clf(text),
    };
    found.ok_or(Fault::NotATime)
}

fn iso(text: &[u8]) -> Option<i64> {
    let (seconds, rest) = text.split_at_checked(19)?;
    let at = |place: usize| seconds[place];
    if (at(4), at(7), at(10), at(13), at(16)) != (b'-', b'-', b'T', b':', b':') {
        return None;
    }
    let part = |from: usize| number(&seconds[from..from + 2]);
    let day = day_of(number(&seconds[..4])?, part(5)?, part(8)?)?;
    let milliseconds = match rest.strip_suffix(b"Z")? {
        [] => 0,
        [b'.', fraction @ ..] if (1..=9).contains(&fraction.len()) => {
            // What is finer than a millisecond is cut off.
            let thousandths = number(&fraction[..fraction.len().min(3)])?;
            number(fraction)?;
            thousandths * [100, 10, 1][fraction.len().min(3) - 1]
        }
        _ => return None,
    };
    moment(day, (part(11)?, part(14)?, part(17)?), milliseconds)
}

fn digits(text: &[u8]) -> Option<i64> {
    let end = memchr::memchr(b'+', text).unwrap_or(text.len());
    let text = &text[..end];
    if text.len() != 14 && text.len() != 17 {
        return None;
    }
    let part = |from: usize| number(&text[from..from + 2]);
    let day = day_of(number(&text[..4])?, part(4)?, part(6)?)?;
    let milliseconds = if text.len() == 17 { number(&text[14..])? } else { 0 };
    moment(day, (part(8)?, part(10)?, part(12)?), milliseconds)
}

fn clf(text: &[u8]) -> Option<i64> {
    const MONTHS: &[u8; 36] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
    if text.len() != 26 {
        return None;
    }
    let at = |place: usize| text[place];
    if (at(2), at(6), at(11), at(14), at(17), at(20)) != (b'/', b'/', b':', b':', b':', b' ') {
        return None;
    }
    let part = |from: usize| number(&text[from..from + 2]);
    let month = MONTHS.chunks_exact(3).position(|name| name == &text[3..6])? as i64 + 1;
    let day = day_of(number(&text[7..11])?, month, part(0)?)?;
    let (hours, minutes) = (part(22)?, part(24)?);
    let zone = match at(21) {
        _ if hours > 23 || minutes > 59 => return None,
        b'+' => hours * 60 + minutes,
        b'-' => -(hours * 60 + minutes),
        _ => return None,
    };
    moment(day, (part(12)?, part(15)?, part(18)?), 0).map(|there| there - zone * 60_000)
}

/// At most nine digits.
#[inline]
fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |value, digit| match digit.wrapping_sub(b'0') {
        digit @ 0..=9 => Some(value * 10 + i64::from(digit)),
        _ => None,
    })
}

fn moment(day: i64, (hour, minute, second): (i64, i64, i64), milliseconds: i64) -> Option<i64> {
    let is_moment = hour < 24 && minute < 60 && second < 60;
    is_moment.then_some((((day * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milliseconds)
}

/// Days from the first of January 1970 (Gregorian), of a day that the calendar has.
fn day_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=days).contains(&day) {
        return None;
    }
    // Years that begin in March have their leap day last.
    let year = year - i64::from(month <= 2);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leap_days + of_year - 719_468)
}

//! The fixed-width forms of moments, read by position, and the calendar.

use super::int64;

pub(super) fn iso(text: &[u8]) -> Option<i64> {
    let (seconds, rest) = text.split_first_chunk::<19>()?;
    let at = |place: usize| seconds[place];
    if (at(4), at(7), at(10), at(13), at(16)) != (b'-', b'-', b'T', b':', b':') {
        return None;
    }
    let part = |from: usize| two_digits(seconds[from], seconds[from + 1]);
    let day = day_of(four_digits(part(0), part(2))?, part(5), part(8))?;
    let milliseconds = match rest.strip_suffix(b"Z")? {
        [] => 0,
        [b'.', fraction @ ..] if (1..=9).contains(&fraction.len()) => {
            // Digits below a millisecond are cut off.
            let thousandths = number(&fraction[..fraction.len().min(3)])?;
            number(fraction)?;
            thousandths * [100, 10, 1][fraction.len().min(3) - 1]
        }
        _ => return None,
    };
    moment(day, (part(11), part(14), part(17)), milliseconds)
}

/// The value of two digits; if one is not a digit, a value that no part of a date or a time can have.
#[inline]
fn two_digits(tens: u8, ones: u8) -> i64 {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    if tens > 9 || ones > 9 { NO_PART } else { i64::from(tens) * 10 + i64::from(ones) }
}

const NO_PART: i64 = 1000;

#[inline]
fn four_digits(first: i64, last: i64) -> Option<i64> {
    (first != NO_PART && last != NO_PART).then_some(first * 100 + last)
}

pub(super) fn digits(text: &[u8]) -> Option<i64> {
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

pub(super) fn clf(text: &[u8]) -> Option<i64> {
    let text: &[u8; 26] = text.try_into().ok()?;
    let at = |place: usize| text[place];
    if (at(2), at(6), at(11), at(14), at(17), at(20)) != (b'/', b'/', b':', b':', b':', b' ') {
        return None;
    }
    let part = |from: usize| two_digits(text[from], text[from + 1]);
    let day = day_of(four_digits(part(7), part(9))?, month([text[3], text[4], text[5]])?, part(0))?;
    let (hours, minutes) = (part(22), part(24));
    let zone = match at(21) {
        _ if hours > 23 || minutes > 59 => return None,
        b'+' => hours * 60 + minutes,
        b'-' => -(hours * 60 + minutes),
        _ => return None,
    };
    moment(day, (part(12), part(15), part(18)), 0).map(|there| there - zone * 60_000)
}

fn month(name: [u8; 3]) -> Option<i64> {
    Some(match &name {
        b"Jan" => 1,
        b"Feb" => 2,
        b"Mar" => 3,
        b"Apr" => 4,
        b"May" => 5,
        b"Jun" => 6,
        b"Jul" => 7,
        b"Aug" => 8,
        b"Sep" => 9,
        b"Oct" => 10,
        b"Nov" => 11,
        b"Dec" => 12,
        _ => return None,
    })
}

/// A moment in the form of web servers or ISO 8601, with its zone.
pub(super) fn zoned(text: &[u8]) -> Option<i64> {
    let has_zone = text.ends_with(b"Z")
        || text.get(19..).is_some_and(|rest| memchr::memchr2(b'+', b'-', rest).is_some());
    match (text.get(2), text.get(4)) {
        (Some(b'/'), _) => clf_with_fraction(text).filter(|_| has_zone),
        (_, Some(b'-')) => stamp(text).filter(|_| has_zone),
        _ => None,
    }
}

/// See [`TimeForm::Any`].
pub(super) fn any_time(text: &[u8]) -> Option<i64> {
    match (text.get(2), text.get(4)) {
        (Some(b'/'), _) => clf(text).or_else(|| clf_with_fraction(text)),
        (_, Some(b'-')) => stamp(text),
        _ if matches!(text.len(), 14 | 17) && text.iter().all(u8::is_ascii_digit) => digits(text),
        _ if text.first().is_some_and(u8::is_ascii_digit) => epoch(text),
        _ => ctime(text),
    }
}

/// ISO 8601 with less of it.
fn stamp(text: &[u8]) -> Option<i64> {
    let (seconds, rest) = text.split_first_chunk::<19>()?;
    let at = |place: usize| seconds[place];
    if (at(4), at(7), at(13), at(16)) != (b'-', b'-', b':', b':') || !matches!(at(10), b'T' | b' ' | b'\t') {
        return None;
    }
    let part = |from: usize| two_digits(seconds[from], seconds[from + 1]);
    let day = day_of(four_digits(part(0), part(2))?, part(5), part(8))?;
    let (milliseconds, zone) = fraction(rest)?;
    moment(day, (part(11), part(14), part(17)), milliseconds)?.checked_sub(self::zone(zone)?)
}

/// `25/Feb/2019:16:19:48.143`, with a zone or not; or with a space before the hour.
fn clf_with_fraction(text: &[u8]) -> Option<i64> {
    let (seconds, rest) = text.split_first_chunk::<20>()?;
    let at = |place: usize| seconds[place];
    if (at(6), at(14), at(17)) != (b'/', b':', b':') || !matches!(at(11), b':' | b' ') {
        return None;
    }
    let part = |from: usize| two_digits(seconds[from], seconds[from + 1]);
    let month = month([seconds[3], seconds[4], seconds[5]])?;
    let day = day_of(four_digits(part(7), part(9))?, month, part(0))?;
    let (milliseconds, zone) = fraction(rest)?;
    moment(day, (part(12), part(15), part(18)), milliseconds)?.checked_sub(self::zone(zone)?)
}

/// The form of the function in C: `Sun Mar 13 22:49:12 2016`, days of one digit after two spaces.
fn ctime(text: &[u8]) -> Option<i64> {
    if text.len() != 24
        || (text[3], text[7], text[10], text[13], text[16], text[19]) != (b' ', b' ', b' ', b':', b':', b' ')
    {
        return None;
    }
    let part = |from: usize| number(&text[from..from + 2]);
    let day = if text[8] == b' ' { number(&text[9..10])? } else { part(8)? };
    let day = day_of(number(&text[20..])?, month([text[4], text[5], text[6]])?, day)?;
    moment(day, (part(11)?, part(14)?, part(17)?), 0)
}

/// Seconds, or fractions of them by the number of digits: 13 are milliseconds, 16 microseconds, 19 nanoseconds.
fn epoch(text: &[u8]) -> Option<i64> {
    let len = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(len);
    let whole = int64(digits).ok()?;
    let (milliseconds, behind) = fraction(rest)?;
    match len {
        _ if !behind.is_empty() => None,
        1..=11 => Some(whole * 1000 + milliseconds),
        12 | 13 => Some(whole),
        15..=16 => Some(whole / 1000),
        18..=19 => Some(whole / 1_000_000),
        _ => None,
    }
}

/// The milliseconds of a fraction at the start of the text, if any, and the rest. Digits below a millisecond are cut
/// off.
fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let Some(behind) = text.strip_prefix(b".") else { return Some((0, text)) };
    let (mut len, mut thousandths, mut worth) = (0, 0, 100);
    while let Some(digit) = behind.get(len).map(|b| b.wrapping_sub(b'0')).filter(|&digit| digit <= 9) {
        (thousandths, worth, len) = (thousandths + i64::from(digit) * worth, worth / 10, len + 1);
    }
    (len > 0).then(|| (thousandths, &behind[len..]))
}

/// The milliseconds by which a zone is ahead of UTC: nothing, `Z`, `+0200`, `+02:00`, optionally with a space before
/// it.
fn zone(text: &[u8]) -> Option<i64> {
    let text = text.strip_prefix(b" ").unwrap_or(text);
    let (sign, digits) = match text {
        [] | b"Z" | b"UTC" => return Some(0),
        [b'+', digits @ ..] => (1, digits),
        [b'-', digits @ ..] => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match digits {
        [_, _] => (number(digits)?, 0),
        [_, _, b':', minutes @ ..] | [_, _, minutes @ ..] if minutes.len() == 2 => {
            (number(&digits[..2])?, number(minutes)?)
        }
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60_000)
}

/// At most nine digits.
#[inline]
pub(super) fn number(digits: &[u8]) -> Option<i64> {
    if digits.len() > 9 {
        return None;
    }
    digits.iter().try_fold(0, |value, digit| match digit.wrapping_sub(b'0') {
        digit @ 0..=9 => Some(value * 10 + i64::from(digit)),
        _ => None,
    })
}

pub(super) fn moment(day: i64, (hour, minute, second): (i64, i64, i64), milliseconds: i64) -> Option<i64> {
    let is_moment = hour < 24 && minute < 60 && second < 60;
    is_moment.then_some((((day * 24 + hour) * 60 + minute) * 60 + second) * 1000 + milliseconds)
}

/// Days since the first of January 1970 (Gregorian), for a valid day.
pub(crate) fn day_of(year: i64, month: i64, day: i64) -> Option<i64> {
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

//! The fixed-width forms of moments, read by position.

use urimill_base::calendar::day_of;

use super::int64;

/// `2015-05-17T12:05:03Z`, with at most nine digits of a fraction.
pub(super) fn iso(text: &[u8]) -> Option<i64> {
    let (joint, moment, zone) = dashed(text)?;
    (text[4] == b'-' && joint == b'T' && zone == b"Z" && text.len() <= 30).then_some(moment)
}

/// A moment of ISO 8601: what is between its day and its hour, its milliseconds without a zone, and what follows.
#[inline]
fn dashed(text: &[u8]) -> Option<(u8, i64, &[u8])> {
    let (seconds, rest) = text.split_first_chunk::<19>()?;
    let at = |place: usize| seconds[place];
    // Programs in Go, and nginx's log of errors, write slashes.
    if at(4) != at(7) || !matches!(at(4), b'-' | b'/') || (at(13), at(16)) != (b':', b':') {
        return None;
    }
    let part = |from: usize| two_digits(seconds[from], seconds[from + 1]);
    let day = day_of(four_digits(part(0), part(2))?, part(5), part(8))?;
    let (milliseconds, zone) = fraction(rest)?;
    Some((at(10), moment(day, (part(11), part(14), part(17)), milliseconds)?, zone))
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

/// `25/Feb/2019:16:19:48 +0100`.
pub(super) fn clf(text: &[u8]) -> Option<i64> {
    let text: &[u8; 26] = text.try_into().ok()?;
    if text[11] == b':' && text[20] == b' ' { slashed(text) } else { None }
}

const MONTHS: [&[u8; 3]; 12] =
    [b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec"];

pub(super) fn month(name: [u8; 3]) -> Option<i64> {
    MONTHS.iter().position(|month| **month == name).map(|at| at as i64 + 1)
}

/// A moment in the form of web servers or ISO 8601, with its zone.
pub(super) fn zoned(text: &[u8]) -> Option<i64> {
    let has_zone = text.ends_with(b"Z")
        || text.get(19..).is_some_and(|rest| memchr::memchr2(b'+', b'-', rest).is_some());
    match (text.get(2), text.get(4)) {
        (Some(b'/'), _) => slashed(text).filter(|_| has_zone),
        (_, Some(b'-')) => stamp(text).filter(|_| has_zone),
        _ => None,
    }
}

/// See [`TimeForm::Any`].
pub(super) fn any_time(text: &[u8]) -> Option<i64> {
    match (text.get(2), text.get(4)) {
        (Some(b'/'), _) => slashed(text),
        (_, Some(b'-' | b'/')) => stamp(text),
        _ if text.get(1) == Some(&b'/') => short_day(text),
        _ if matches!(text.len(), 14 | 17) && text.iter().all(u8::is_ascii_digit) => digits(text),
        _ if text.first().is_some_and(u8::is_ascii_digit) => epoch(text),
        _ if text.get(3) == Some(&b',') => http_date(text),
        _ => ctime(text),
    }
}

/// The form of RFC 9110 (5.6.7): `Sun, 17 May 2015 12:05:03 GMT`.
fn http_date(text: &[u8]) -> Option<i64> {
    let text: &[u8; 29] = text.try_into().ok()?;
    let is_form =
        (text[4], text[7], text[11], text[16], text[19], text[22]) == (b' ', b' ', b' ', b' ', b':', b':');
    if !is_form || !matches!(&text[25..], b" GMT" | b" UTC") {
        return None;
    }
    let part = |from: usize| number(&text[from..from + 2]);
    let day = day_of(number(&text[12..16])?, month([text[8], text[9], text[10]])?, part(5)?)?;
    moment(day, (part(17)?, part(20)?, part(23)?), 0)
}

/// ISO 8601 with less of it.
fn stamp(text: &[u8]) -> Option<i64> {
    let (joint, moment, rest) = dashed(text)?;
    if matches!(joint, b'T' | b' ' | b'\t') { moment.checked_sub(zone(rest)?) } else { None }
}

/// `25/Feb/2019:16:19:48.143`, with a zone or not; or with a space before the hour.
fn slashed(text: &[u8]) -> Option<i64> {
    let (seconds, rest) = text.split_first_chunk::<20>()?;
    let at = |place: usize| seconds[place];
    if (at(2), at(6), at(14), at(17)) != (b'/', b'/', b':', b':') || !matches!(at(11), b':' | b' ') {
        return None;
    }
    let part = |from: usize| two_digits(seconds[from], seconds[from + 1]);
    let month = month([seconds[3], seconds[4], seconds[5]])?;
    let day = day_of(four_digits(part(7), part(9))?, month, part(0))?;
    let (milliseconds, zone) = fraction(rest)?;
    moment(day, (part(12), part(15), part(18)), milliseconds)?.checked_sub(self::zone(zone)?)
}

/// The same with a day of one digit: `9/Jun/2015:01:58:09 +0800`.
#[cold]
fn short_day(text: &[u8]) -> Option<i64> {
    let mut padded = [b'0'; 40];
    padded.get_mut(1..=text.len())?.copy_from_slice(text);
    slashed(&padded[..=text.len()])
}

/// The form of the function in C: `Sun Mar 13 22:49:12 2016`, days of one digit after two spaces; Apache's log of errors
/// has a fraction of the second.
fn ctime(text: &[u8]) -> Option<i64> {
    if text.len() < 24 || (text[3], text[7], text[10], text[13], text[16]) != (b' ', b' ', b' ', b':', b':') {
        return None;
    }
    let (milliseconds, year) = fraction(&text[19..])?;
    let year = year.strip_prefix(b" ").filter(|year| year.len() == 4)?;
    let part = |from: usize| number(&text[from..from + 2]);
    let day = if text[8] == b' ' { number(&text[9..10])? } else { part(8)? };
    let day = day_of(number(year)?, month([text[4], text[5], text[6]])?, day)?;
    moment(day, (part(11)?, part(14)?, part(17)?), milliseconds)
}

/// Seconds, or fractions of them by the number of digits: 13 are milliseconds, 16 microseconds, 19 nanoseconds.
fn epoch(text: &[u8]) -> Option<i64> {
    let len = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(len);
    let whole = int64(digits).ok()?;
    let (milliseconds, behind) = if rest.starts_with(b",") { (0, rest) } else { fraction(rest)? };
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
pub(super) fn fraction(text: &[u8]) -> Option<(i64, &[u8])> {
    let [b'.' | b',', behind @ ..] = text else { return Some((0, text)) };
    let (mut len, mut thousandths, mut worth) = (0, 0, 100);
    while let Some(digit) = behind.get(len).map(|b| b.wrapping_sub(b'0')).filter(|&digit| digit <= 9) {
        (thousandths, worth, len) = (thousandths + i64::from(digit) * worth, worth / 10, len + 1);
    }
    (len > 0).then(|| (thousandths, &behind[len..]))
}

/// The milliseconds by which a zone is ahead of UTC: nothing, `Z`, `+0200`, `+02:00`, optionally with a space before
/// it.
pub(super) fn zone(text: &[u8]) -> Option<i64> {
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

//! The header of syslog: RFC 3164, RFC 5424 and the forms between them, as daemons, appliances and journald write it.

use urimill_columns::batch::is_moment;

use super::around::{Around, moment};
use crate::check::is_time;

/// A part of the header, by its places.
type Part = Option<(usize, usize)>;

/// The header at the beginning of a line.
pub(super) fn find(line: &[u8]) -> Option<Around> {
    let start = count(line);
    let line_of = &line[start..];
    let digits = line_of.iter().skip(1).take(3).take_while(|b| b.is_ascii_digit()).count();
    let priority = match line_of.first() {
        Some(b'<') if digits > 0 && line_of.get(digits + 1) == Some(&b'>') => digits + 2,
        Some(b'<') => return None,
        _ => 0,
    };
    let at = start + priority;
    let rest = &line[at..];
    if priority > 0
        && let Some(around) = new(rest)
    {
        return Some(moved(around, at));
    }
    let around = old(rest).or_else(|| (priority > 0).then(|| bare(rest))?)?;
    Some(moved(around, at))
}

fn moved(around: Around, by: usize) -> Around {
    let part = |part: Part| part.map(|(from, to)| (from + by, to + by));
    Around { line: around.line + by, time: part(around.time), host: part(around.host) }
}

/// The length of the count of bytes that frames of RFC 6587 begin with (`83 <40>1 …`), with the space after it.
fn count(line: &[u8]) -> usize {
    let digits = line.iter().take(6).take_while(|b| b.is_ascii_digit()).count();
    if digits > 0 && line[digits..].starts_with(b" <") { digits + 1 } else { 0 }
}

/// The text after a priority without time and host, as servers write it whose syslog is another program's standard
/// output: `haproxy[7]: `, or nothing.
fn bare(text: &[u8]) -> Option<Around> {
    let end = memchr::memchr(b' ', text).filter(|&end| end > 0)?;
    Some(Around::at(if is_tag(&text[..end]) { end + 1 } else { 0 }))
}

/// Whether a word is the name of a program, perhaps with its number: `haproxy[7]:`.
fn is_tag(word: &[u8]) -> bool {
    let name = word.iter().take_while(|b| b.is_ascii_alphanumeric() || b"-_./".contains(b)).count();
    let number = word[name..]
        .strip_prefix(b"[")
        .map_or(0, |rest| 2 + rest.iter().take_while(|b| b.is_ascii_digit()).count());
    name > 0
        && word[..name].iter().any(u8::is_ascii_alphabetic)
        && word.get(name + number..) == Some(&b":"[..])
        && (number == 0 || word[name + number - 1] == b']')
}

/// RFC 5424: `1 TIME HOST APP PROCID MSGID DATA MESSAGE`. Heroku's drains leave out DATA.
fn new(text: &[u8]) -> Option<Around> {
    let mut at = text.strip_prefix(b"1 ").map(|_| 2)?;
    let mut words = [(0, 0); 5];
    for (number, word) in words.iter_mut().enumerate() {
        let end = at + memchr::memchr(b' ', &text[at..])?;
        if number == 0 && &text[at..end] != b"-" && !is_time(&text[at..end]) {
            return None;
        }
        *word = (at, end);
        at = end + 1;
    }
    let part = |(from, to): (usize, usize)| (&text[from..to] != b"-").then_some((from, to));
    let (time, host) = (part(words[0]), part(words[1]));
    let message = match text.get(at)? {
        b'-' if text.get(at + 1) == Some(&b' ') => at + 2,
        b'[' => match elements(text, at) {
            Some(end) => (text.get(end) == Some(&b' ')).then_some(end + 1)?,
            None => at,
        },
        _ => at,
    };
    let mark = text.get(message..)?.starts_with(b"\xef\xbb\xbf");
    Some(Around { line: message + if mark { 3 } else { 0 }, time, host })
}

/// The end of the elements in brackets: `[ID NAME="VALUE" …][ID]`. A backslash escapes a quote or a bracket, which
/// otherwise end a value or an element.
fn elements(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    while text.get(at) == Some(&b'[') {
        let name =
            |from: usize| text[from..].iter().take_while(|b| !b"= ]\"".contains(b) && **b > b' ').count();
        let id = name(at + 1);
        let is_named = text[at + 1..][..id].contains(&b'@');
        at += 1 + id;
        // A word in brackets alone is more likely a part of the message.
        if id == 0 || text.get(at) == Some(&b']') && !is_named {
            return None;
        }
        while text.get(at) == Some(&b' ') {
            let len = name(at + 1);
            at += 1 + len;
            if len == 0 || !text[at..].starts_with(b"=\"") {
                return None;
            }
            at += 2;
            loop {
                match text.get(at)? {
                    b'\\' => at += 2,
                    b'"' => break,
                    _ => at += 1,
                }
            }
            at += 1;
        }
        if text.get(at) != Some(&b']') {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// The time at the beginning of the old header: its end, and its place if it is a moment. `Feb 25 16:19:38`, perhaps
/// with a year or a fraction; a time in ISO 8601; `Mon 2016-07-04 22:37:26 CEST` of journalctl.
fn time_of(text: &[u8]) -> Option<(usize, Part)> {
    if let Some(end) = month(text) {
        return Some((end, None));
    }
    let is = |at: usize, byte: u8| text.get(at) == Some(&byte);
    if is(4, b'-') && is(10, b'T') {
        let end = memchr::memchr(b' ', text).filter(|&at| is_time(&text[..at]))?;
        return Some((end, Some((0, end))));
    }
    // `2016-07-04 22:37:26`, of rsyslog's and others' own formats.
    if is(4, b'-') && is(10, b' ') {
        let end = moment(text).filter(|&end| text[end] == b' ')?;
        return Some((end, Some((0, end))));
    }
    let is_weekday = text.len() > 24
        && text[0].is_ascii_uppercase()
        && text[1..3].iter().all(u8::is_ascii_lowercase)
        && is(3, b' ')
        && is(8, b'-');
    if is_weekday {
        let end = moment(&text[4..]).map(|end| end + 4).filter(|&end| text[end] == b' ')?;
        let zone = text[end + 1..].iter().take_while(|b| b.is_ascii_alphabetic()).count();
        let is_utc = matches!(&text[end + 1..][..zone], b"UTC" | b"GMT");
        return (zone > 0 && is(end + 1 + zone, b' '))
            .then_some((end + 1 + zone, is_utc.then_some((4, end))));
    }
    // `1467664646.000123`, and `[    1.234567]` since the machine was started.
    if is(10, b'.') && text[..10].iter().all(u8::is_ascii_digit) {
        let end = memchr::memchr(b' ', text).filter(|&end| is_moment(&text[..end]))?;
        return Some((end, Some((0, end))));
    }
    let digits = text.strip_prefix(b"[")?;
    let end = memchr::memchr(b']', digits)?;
    let is_seconds = |b: &u8| b.is_ascii_digit() || b" .<>".contains(b);
    let has_seconds = digits[..end].iter().all(is_seconds) && digits[..end].contains(&b'.');
    (has_seconds && is(end + 2, b' ')).then_some((end + 2, None))
}

/// The end of `Feb 25 16:19:38`, perhaps with a year before or after the day, or a fraction.
fn month(text: &[u8]) -> Option<usize> {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is = |at: usize, byte: u8| text.get(at) == Some(&byte);
    let year = |at: usize| (at..at + 4).all(digit) && is(at + 4, b' ');
    let start = if year(0) { 5 } else { 0 };
    let is_day = text.len() > start + 16
        && text[start].is_ascii_uppercase()
        && text[start + 1..start + 3].iter().all(u8::is_ascii_lowercase)
        && (is(start + 3, b' ') && (digit(start + 4) || is(start + 4, b' ')) && digit(start + 5))
        && is(start + 6, b' ');
    if !is_day {
        return None;
    }
    let clock = start + if year(start + 7) { 12 } else { 7 };
    if !is(clock + 2, b':') || !is(clock + 5, b':') || !digit(clock + 7) {
        return None;
    }
    let mut end = clock + 8;
    if is(end, b'.') && digit(end + 1) {
        end += 1 + text[end + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
    }
    is(end, b' ').then_some(end)
}

/// The same alone, before a line.
pub(super) fn month_alone(text: &[u8]) -> Option<Around> {
    month(text).map(|end| Around::at(end + 1))
}

/// The same and the name of a host, without a tag.
pub(super) fn without_tag(text: &[u8]) -> Option<Around> {
    let host = month(text)? + 1;
    let end = host + memchr::memchr(b' ', &text[host..])?;
    let word = &text[host..end];
    let is_name = is_host(word) && word.iter().any(u8::is_ascii_alphabetic);
    is_name.then_some(Around { line: end + 1, time: None, host: Some((host, end)) })
}

/// RFC 3164, and similar forms: `Feb 25 16:19:38 host tag[7]: `, with or without the host, or with another time.
fn old(text: &[u8]) -> Option<Around> {
    let (end, time) = time_of(text)?;
    let host = end + 1;
    // HAProxy writes its name there, unless it is configured to write the host's.
    let first = host + memchr::memchr(b' ', text.get(host..)?)?;
    if is_tag(&text[host..first]) {
        return Some(Around { line: first + 1, time, host: None });
    }
    let name = Some((host, first)).filter(|(from, to)| from < to);
    let tag = first + 1;
    // Without a tag, before an object.
    let object = tag + text[tag..].iter().take_while(|&&b| b == b' ').count();
    if tag > host + 1 && text.get(object) == Some(&b'{') && is_host(&text[host..first]) {
        return Some(Around { line: object, time, host: name });
    }
    let end = tag + memchr::memchr(b' ', text.get(tag..)?)?;
    (tag > host + 1 && end > tag + 1 && text[end - 1] == b':').then_some(Around {
        line: end + 1,
        time,
        host: name,
    })
}

/// Whether a word may be the name of a host, and not the level of a message.
fn is_host(word: &[u8]) -> bool {
    const LEVELS: [&[u8]; 8] =
        [b"TRACE", b"DEBUG", b"INFO", b"NOTICE", b"WARN", b"WARNING", b"ERROR", b"FATAL"];
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"-_.:".contains(b);
    word.iter().all(is_of_name)
        && !word.ends_with(b":")
        && !LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level))
}

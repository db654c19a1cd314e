//! The wrappers around the line of a log: the prefix of syslog (RFC 3164, RFC 5424, or with a time of ISO 8601), which
//! journald's short output has as well; those of docker compose and of Kubernetes' files (CRI); a time alone, as in
//! exports of CloudWatch; uWSGI's report of its memory; and the objects of docker's json-file driver and of journald,
//! in which the line is a member.

use urimill_columns::batch::{Records, Text};
use urimill_read::format::json;
use urimill_read::format::json::Value;

use super::check::is_time;

/// The line within a line.
#[derive(Debug, Clone, Copy)]
pub(super) enum Inner {
    /// It begins at this byte and takes the rest.
    From(usize),
    /// It is this member of an object.
    Member(Value),
}

/// The members that hold a line: docker's and journald's, each with another one that such an object has.
const MEMBERS: [(&[u8], &[u8]); 3] =
    [(b"log", b"stream"), (b"log", b"time"), (b"MESSAGE", b"__REALTIME_TIMESTAMP")];

/// Finds the line in the bytes from `start` to the end of `bytes`; `None` if it has no wrapper.
pub(super) fn unwrap(bytes: &[u8], start: usize) -> Option<Inner> {
    let line = &bytes[start..];
    if line.first() == Some(&b'{') {
        let memory = memory(line).map(|at| Inner::From(start + at));
        return memory.or_else(|| member(bytes, start).map(Inner::Member));
    }
    let at = syslog(line).or_else(|| kubernetes(line)).or_else(|| compose(line)).or_else(|| time(line))?;
    (at < line.len()).then_some(Inner::From(start + at))
}

/// The line in an object.
fn member(bytes: &[u8], start: usize) -> Option<Value> {
    let mut found = [None; MEMBERS.len()];
    let mut beside = [false; MEMBERS.len()];
    json::members(bytes, start, bytes.len(), |key, value| {
        for (at, (name, other)) in MEMBERS.iter().enumerate() {
            if key.is(bytes, name) && value.is_text() {
                found[at] = Some(value);
            }
            beside[at] |= key.is(bytes, other);
        }
    })
    .ok()?;
    (0..MEMBERS.len()).find_map(|at| found[at].filter(|_| beside[at]))
}

/// The members beside the line, as an object.
pub(super) fn others(bytes: &[u8], start: usize, line: Value, records: &mut Records) -> Option<Text> {
    let mut members = Vec::new();
    json::members(bytes, start, bytes.len(), |key, value| {
        if value.whole != line.whole {
            members.push((key, value));
        }
    })
    .ok()?;
    Some(json::write_object(
        bytes,
        members.iter().map(|&(key, value)| ([&b""[..], key.written(bytes)], value)),
        records,
    ))
}

/// `{address space usage: 3 bytes/0MB} {rss usage: 3 bytes/0MB} `, of uWSGI with `memory-report`.
fn memory(line: &[u8]) -> Option<usize> {
    let mut at = 0;
    while line[at..].starts_with(b"{") {
        let end = at + memchr::memchr(b'}', &line[at..])?;
        let has_usage = memchr::memmem::find(&line[at..end], b" usage: ").is_some();
        if !has_usage || !line[at..end].ends_with(b"MB") || line.get(end + 1) != Some(&b' ') {
            return None;
        }
        at = end + 2;
    }
    Some(at)
}

/// Where the message begins after the header of syslog.
fn syslog(line: &[u8]) -> Option<usize> {
    let digits = line.iter().skip(1).take(3).take_while(|b| b.is_ascii_digit()).count();
    let priority = match line.first() {
        Some(b'<') if digits > 0 && line.get(digits + 1) == Some(&b'>') => digits + 2,
        Some(b'<') => return None,
        _ => 0,
    };
    let rest = &line[priority..];
    if priority > 0
        && let Some(at) = new(rest)
    {
        return Some(priority + at);
    }
    let at = old(rest).or_else(|| (priority > 0).then(|| bare(rest))?)?;
    Some(priority + at)
}

/// The text after a priority without time and host, as servers write it whose syslog is another program's standard
/// output: `haproxy[7]: `, or nothing.
fn bare(text: &[u8]) -> Option<usize> {
    let end = memchr::memchr(b' ', text).filter(|&end| end > 0)?;
    Some(if is_tag(&text[..end]) { end + 1 } else { 0 })
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

/// RFC 5424: `1 TIME HOST APP PROCID MSGID DATA MESSAGE`.
fn new(text: &[u8]) -> Option<usize> {
    let mut at = text.strip_prefix(b"1 ").map(|_| 2)?;
    for number in 0..5 {
        let end = at + memchr::memchr(b' ', &text[at..])?;
        if number == 0 && &text[at..end] != b"-" && !is_time(&text[at..end]) {
            return None;
        }
        at = end + 1;
    }
    if text.get(at) == Some(&b'-') {
        at += 1;
    } else {
        // Elements in brackets; a backslash escapes a quote or a bracket, which otherwise end a value or an element.
        let mut is_quoted = false;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'\\' => at += 1,
                b'"' => is_quoted = !is_quoted,
                b' ' if !is_quoted && text[at - 1] == b']' => break,
                b'[' | b']' => {}
                _ if text[at - 1] == b']' && !is_quoted => return None,
                _ => {}
            }
            at += 1;
        }
    }
    let message = text.get(at..)?.strip_prefix(b" ")?;
    let mark = message.starts_with(b"\xef\xbb\xbf");
    Some(at + 1 + if mark { 3 } else { 0 })
}

/// RFC 3164, and similar forms: `Feb 25 16:19:38 host tag[7]: `, with or without the host, or with a time in ISO 8601.
fn old(text: &[u8]) -> Option<usize> {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is = |at: usize, byte: u8| text.get(at) == Some(&byte);
    let is_month = text.len() > 16
        && text[0].is_ascii_uppercase()
        && text[1..3].iter().all(u8::is_ascii_lowercase)
        && (is(3, b' ') && (digit(4) || is(4, b' ')) && digit(5) && is(6, b' '))
        && (is(9, b':') && is(12, b':') && is(15, b' '));
    let time = match is_month {
        true => 15,
        false if is(4, b'-') && is(10, b'T') => {
            memchr::memchr(b' ', text).filter(|&at| is_time(&text[..at]))?
        }
        false => return None,
    };
    let host = time + 1;
    // HAProxy writes its name there, unless it is configured to write the host's.
    let first = host + memchr::memchr(b' ', text.get(host..)?)?;
    if is_tag(&text[host..first]) {
        return Some(first + 1);
    }
    let tag = host + memchr::memchr(b' ', text.get(host..)?)? + 1;
    // Without a tag, before an object.
    let object = tag + text[tag..].iter().take_while(|&&b| b == b' ').count();
    if tag > host + 1 && text.get(object) == Some(&b'{') {
        return Some(object);
    }
    let end = tag + memchr::memchr(b' ', text.get(tag..)?)?;
    (tag > host + 1 && end > tag + 1 && text[end - 1] == b':').then_some(end + 1)
}

/// `2016-10-06T00:17:09.669794202Z stdout F `, in the files of Kubernetes' runtimes.
fn kubernetes(line: &[u8]) -> Option<usize> {
    tagged(line).map(|(at, ..)| at + 2)
}

/// Where the tag of a line of such a file is, the number of its stream, and whether the line goes on in the next one of
/// the stream: runtimes cut lines longer than 16 KiB.
fn tagged(line: &[u8]) -> Option<(usize, usize, bool)> {
    let time = memchr::memchr(b' ', line).filter(|&at| at >= 20 && is_time(&line[..at]))?;
    let rest = &line[time + 1..];
    let stream = STREAMS.iter().position(|stream| rest.starts_with(stream))?;
    let tag = STREAMS[stream].len();
    let is_part = match rest.get(tag..tag + 2)? {
        b"F " => false,
        b"P " => true,
        _ => return None,
    };
    Some((time + 1 + tag, stream, is_part))
}

const STREAMS: [&[u8]; 2] = [b"stdout ", b"stderr "];

/// For each stream, whether its next line continues the one before.
type Unfinished = [bool; STREAMS.len()];

/// Reads the next line. If it is a part of a longer one, returns where its tag is.
#[inline]
pub(super) fn part(unfinished: &mut Unfinished, line: &[u8]) -> Option<usize> {
    // Most prefixes are of other kinds.
    if line.get(4) != Some(&b'-') {
        return None;
    }
    let (at, stream, is_part) = tagged(line)?;
    let goes_on = std::mem::replace(&mut unfinished[stream], is_part);
    (goes_on || is_part).then_some(at)
}

/// Reads whole lines.
pub(super) fn follow(unfinished: &mut Unfinished, lines: &[u8]) {
    // The last line of each stream decides.
    let mut is_known = Unfinished::default();
    for line in lines.rsplit(|&b| b == b'\n') {
        if let Some((_, stream, is_part)) = tagged(line).filter(|&(_, stream, _)| !is_known[stream]) {
            (unfinished[stream], is_known[stream]) = (is_part, true);
        }
        if is_known == [true; STREAMS.len()] {
            return;
        }
    }
}

/// `name-1  | `, of docker compose.
fn compose(line: &[u8]) -> Option<usize> {
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let name = line.iter().take_while(is_name).count();
    let pad = line[name..].iter().take_while(|&&b| b == b' ').count();
    let bar = name + pad;
    (name > 0 && pad > 0 && line[bar..].starts_with(b"| ")).then_some(bar + 2)
}

/// `2018-02-16T00:00:00.000Z `, or with a space between date and time.
fn time(line: &[u8]) -> Option<usize> {
    let is = |at: usize, byte: u8| line.get(at) == Some(&byte);
    let has_form = is(4, b'-') && is(7, b'-') && is(13, b':') && is(16, b':');
    let end = 19 + memchr::memchr(b' ', line.get(19..)?)?;
    (has_form && matches!(line[10], b'T' | b' ') && urimill_columns::batch::is_moment(&line[..end]))
        .then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_a_runtime_has_cut_are_told_by_stream() {
        // (lines, whether each is a part of a longer one)
        let time = "2016-10-06T00:17:09.669794202Z";
        let cases: &[(&[&str], &[bool])] = &[
            (&["stdout F a", "stdout F b"], &[false, false]),
            (&["stdout P a", "stdout F b", "stdout F c"], &[true, true, false]),
            (&["stdout P a", "stdout P b", "stdout F c", "stdout F d"], &[true, true, true, false]),
            (&["stdout P a", "stderr F b", "stdout F c", "stderr F d"], &[true, false, true, false]),
            (&["stdout P a", "stderr P b", "stderr F c", "stdout F d"], &[true; 4]),
        ];
        for (lines, parts) in cases {
            let lines: Vec<String> = lines.iter().map(|line| format!("{time} {line}")).collect();
            let mut unfinished = Unfinished::default();
            let found = lines.iter().map(|line| part(&mut unfinished, line.as_bytes()));
            let found: Vec<bool> = found.map(|at| at.is_some()).collect();
            assert_eq!(found, *parts, "{lines:?}");
            for split in 0..=lines.len() {
                let before = lines[..split].iter().map(|line| format!("{line}\n")).collect::<String>();
                let mut unfinished = Unfinished::default();
                follow(&mut unfinished, before.as_bytes());
                let found =
                    lines[split..].iter().map(|line| part(&mut unfinished, line.as_bytes()).is_some());
                assert_eq!(found.collect::<Vec<_>>(), parts[split..], "{lines:?} from {split}");
            }
        }
    }

    #[test]
    fn prefixes_end_where_the_line_begins() {
        // (line, the line in it)
        let cases: &[(&str, Option<&str>)] = &[
            ("Feb 25 16:19:38 host haproxy[7]: a b", Some("a b")),
            ("Feb  5 16:19:38 192.0.2.1 nginx: a", Some("a")),
            ("<134>Feb 25 16:19:38 host tag: a", Some("a")),
            ("2021-11-12T16:59:46.613304+00:00 192.0.2.1  {\"a\":1}", Some("{\"a\":1}")),
            ("Feb 25 16:19:38 host {\"a\":1}", Some("{\"a\":1}")),
            ("<134>2016-07-04T22:37:26Z cache-sjc LogName[62]: a", Some("a")),
            ("2016-07-04T22:37:26.000123+02:00 host app[1]: a", Some("a")),
            ("<171>1 2025-11-05T20:47:03.000000+00:00 h nginx - - - a b", Some("a b")),
            ("<34>1 - h su - ID47 [x@1 a=\"b ] c\" d=\"\\\"\"][y@2] a", Some("a")),
            ("<34>1 2003-10-11T22:14:15Z h su - ID47 - \u{feff}a", Some("a")),
            ("2016-10-06T00:17:09.669794202Z stdout F a b", Some("a b")),
            ("web-1  | a b", Some("a b")),
            ("{\"log\":\"a\\n\",\"stream\":\"stdout\",\"time\":\"x\"}", Some("a\\n")),
            ("{\"MESSAGE\":\"a\",\"__REALTIME_TIMESTAMP\":\"1\"}", Some("a")),
            ("{\"log\":\"a\"}", None),
            (
                "{address space usage: 3589083136 bytes/3422MB} {rss usage: 318144512 bytes/303MB} [pid: 1",
                Some("[pid: 1"),
            ),
            (
                "{address space usage: 1 bytes/0MB} {rss usage: 1 bytes/0MB} {uss usage: 1 bytes/0MB} {pss usage: 1 bytes/0MB} a",
                Some("a"),
            ),
            ("{address space usage: 1 bytes/0MB}[pid: 1", None),
            ("{address space usage: 1 bytes/0MB} {rss usage: 1 bytes} a", None),
            ("{address space usage: 1 bytes/0MB} {rss", None),
            ("{\"log\":{},\"time\":1}", None),
            ("192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\"", None),
            ("2018-02-16T00:00:00.000Z 192.0.2.1 - a", Some("192.0.2.1 - a")),
            ("2018-02-16 00:00:00+02:00 a", Some("a")),
            ("2018-02-16T00:00:00.000Z", None),
            ("2018-02-16T00:00:00x a", None),
            ("2018-02-30T00:00:00Z a", None),
            ("2018-02-16 a", None),
            ("Feb 25 16:19:38 host", None),
            // No host, and no tag.
            ("Feb 25 16:19:38  tag: a", None),
            ("Feb 25 16:19:38 host : a", None),
            ("<134> a", None),
            ("<134>haproxy[1]: a b", Some("a b")),
            ("<134>haproxy: a b", Some("a b")),
            ("<134>Feb 25 16:19:38 haproxy[1]: a b", Some("a b")),
            ("Feb 25 16:19:38 haproxy[1]: a b", Some("a b")),
            ("<134>192.0.2.1:80 [a] b", Some("192.0.2.1:80 [a] b")),
            ("<134>::1: a", Some("::1: a")),
            ("<134>a", None),
            ("a | b", Some("b")),
            ("a|b", None),
            ("", None),
        ];
        for (line, expected) in cases {
            let found = unwrap(line.as_bytes(), 0).map(|inner| match inner {
                Inner::From(at) => &line[at..],
                Inner::Member(value) => &line[value.inner().start as usize..][..value.inner().len as usize],
            });
            assert_eq!(found, *expected, "{line}");
        }
    }
}

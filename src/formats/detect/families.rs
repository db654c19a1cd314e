//! The families of logs and documents that urimill recognizes and does not read as they are.

use std::borrow::Cow;

use urimill_base::option_name::mention;
use urimill_read::format::first_lines::{is_of_web, lines, most};
use urimill_read::format::foreign::Foreign;
use urimill_read::format::xml::root;

use super::advice;
use super::advice::is_access;
use super::excerpt;

/// The advice for a family of lines.
#[derive(Clone, Copy)]
enum Advice {
    /// Advice by the beginning of a server's log.
    Log,
    /// Advice by the beginning of any text.
    Text,
    /// The advice of [`of_ltsv`].
    Ltsv,
    Told(&'static str),
}

/// Elements with which a page without `html` may begin.
const ELEMENTS: &str = " a abbr address area article aside audio b base blockquote body br button canvas caption center \
    code dd details div dl dt em embed fieldset figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr \
    html i iframe img input label li link main map menu meta nav noscript object ol option p picture pre script section \
    select small source span strong style sub summary sup table tbody td template textarea th thead title tr tt u ul \
    video ";

/// Describes an input without one record per line, by its beginning.
pub(super) fn document(first: &[u8]) -> Option<Foreign> {
    let begin = first.trim_ascii_start();
    let begins =
        |text: &str| begin.get(..text.len()).is_some_and(|b| b.eq_ignore_ascii_case(text.as_bytes()));
    let has = |text: &[u8]| memchr::memmem::find(&first[..first.len().min(4096)], text).is_some();
    if begins("#Software:") || begins("#Version:") || begins("#Date:") {
        return Some(w3c());
    }
    if begins("#separator ") {
        let advice = "only its http.log has URIs: give that, or make URIs of columns with zeek-cut";
        return Some(Foreign::new("a log of Zeek", advice));
    }
    if !begin.starts_with(b"<") {
        return None;
    }
    let kinds: &[(&[u8], &str)] = &[
        (b"<html", "an HTML page"),
        (b"<HTML", "an HTML page"),
        (b"<Event", "an event log in XML"),
        (b"<opml", "a list of feeds (OPML)"),
    ];
    let found = kinds.iter().find(|(tag, _)| has(tag)).map(|&(_, what)| what);
    let found = found.or_else(|| begins("<!doctype html").then_some("an HTML page"));
    let found = found.or_else(|| begins_page(begin).then_some("an HTML page"));
    let found = found.or_else(|| begins("<?xml").then_some("an XML document"));
    found.map(|what| match what {
        "an HTML page" => Foreign::new(what, advice::of_page(first)),
        _ => Foreign::new(what, advice::of_text(first)),
    })
}

/// Whether a text begins with an element of HTML, or with a comment and no element of another language. Lines that are
/// one text in angle brackets each may be a list.
fn begins_page(text: &[u8]) -> bool {
    let is_delimited = |line: &[u8]| {
        let inner = line.strip_prefix(b"<").and_then(|line| line.strip_suffix(b">"));
        inner.is_some_and(|inner| !inner.iter().any(|b| matches!(b, b'<' | b'>' | b' ')))
    };
    if lines(text).all(is_delimited) {
        return false;
    }
    match root(text) {
        Some(name) => {
            let name = String::from_utf8_lossy(name).to_ascii_lowercase();
            !name.is_empty() && ELEMENTS.contains(&format!(" {name} "))
        }
        None => text.starts_with(b"<!--"),
    }
}

/// The extended log format of the W3C without the header that names the fields.
fn w3c() -> Foreign {
    Foreign::new(
        "a log in the W3C extended format (IIS, CloudFront and others) without a line #Fields",
        concat!("put the line #Fields: of its beginning before it, and say ", mention!("format w3c")),
    )
}

/// A family of lines: its description, the form of a line, and the advice.
type Family = (&'static str, fn(&[u8]) -> bool, Advice);

/// The families that urimill reads, with the names of their formats. If such a format was requested, an input that is
/// not in it does not "look like" it either.
const READ: [(&str, &str); 6] = [
    ("haproxy", "a log of HAProxy"),
    ("uwsgi", "a log of uWSGI"),
    ("squid", "a log of Squid in its own format"),
    ("alb", "a log of an AWS Application Load Balancer"),
    ("elb", "a log of an AWS Classic Load Balancer (ELB)"),
    ("s3", "a server access log of Amazon S3"),
];

/// The number of families at the end of [`FAMILIES`] that any log may look like.
const LEAST: usize = 2;

/// The more specific ones first.
const FAMILIES: &[Family] = &[
    ("a log of HAProxy", is_haproxy, Advice::Log),
    (
        "a log of uWSGI",
        is_uwsgi,
        Advice::Told(
            "cut out the targets of its requests, as in sed -nE 's/.*\\] [A-Z]+ ([^ ]+) =>.*/\\1/p' FILE | urimill \
             normalize",
        ),
    ),
    (
        "a log of Squid in its own format",
        is_squid,
        Advice::Told("take its seventh word, as in awk '{print $7}' FILE | urimill normalize"),
    ),
    ("a log of an AWS Application Load Balancer", is_alb, Advice::Log),
    ("a log of an AWS Classic Load Balancer (ELB)", is_elb, Advice::Log),
    ("a server access log of Amazon S3", is_s3, Advice::Log),
    ("a log with a prefix of syslog", is_syslog, Advice::Text),
    ("an error log of nginx", is_nginx_error, Advice::Text),
    ("an error log of Apache", is_apache_error, Advice::Text),
    ("a log in LTSV", is_ltsv, Advice::Ltsv),
    ("an access log of a form that is neither Common nor Combined Log Format", is_access, Advice::Log),
    ("a log whose lines begin with a time", is_timed, Advice::Text),
];

/// Describes the first lines that are not in the format `asked`, if more than half of them are of one family.
pub(super) fn of_lines(first: &[u8], asked: &str) -> Option<Foreign> {
    // If the caller named the format of a log, the byte where a line stops being of it is the better hint.
    let is_log = !matches!(asked, "lines" | "csv" | "tsv" | "jsonl" | "seeds");
    let families = &FAMILIES[..FAMILIES.len() - if is_log { LEAST } else { 0 }];
    let is_asked = |what: &str| READ.contains(&(asked, what));
    let found = families.iter().find(|(what, looks, _)| !is_asked(what) && most(first, looks));
    let is_read = |&&(what, ..): &&Family| READ.iter().any(|(_, read)| *read == what);
    if found.filter(is_read).is_none()
        && let Some((name, behind)) = advice::behind_words(first)
        && (!is_log || name == asked)
    {
        return Some(behind);
    }
    let &(what, looks, advice) = found?;
    let line = lines(first).find(|line| looks(line)).unwrap_or_default();
    let advice: Cow<'_, str> = match advice {
        Advice::Log => advice::of_log(first).into(),
        Advice::Text => advice::of_text(first).into(),
        Advice::Ltsv => of_ltsv(line).map_or_else(|| advice::of_text(first).into(), Cow::from),
        Advice::Told(advice) => advice.into(),
    };
    Some(Foreign::new(format!("{what}, as in {}", excerpt(line)), advice.into_owned()))
}

/// The words of a line.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&b| b == b' ').filter(|word| !word.is_empty())
}

/// Whether a text begins with `form`: `d` is a digit, `A` and `a` are letters, `_` is any byte, other characters stand
/// for themselves.
fn has_form(text: &[u8], form: &str) -> bool {
    let fits = |(&b, form): (&u8, u8)| match form {
        b'd' => b.is_ascii_digit(),
        b'A' => b.is_ascii_uppercase(),
        b'a' => b.is_ascii_lowercase(),
        b'_' => true,
        other => b == other,
    };
    text.len() >= form.len() && text.iter().zip(form.bytes()).all(fits)
}

fn contains(line: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(line, text).is_some()
}

fn is_number(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(|b| b.is_ascii_digit() || *b == b'.')
}

/// An address with a port.
fn is_endpoint(word: &[u8]) -> bool {
    let port = word.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    port > 0 && port < word.len() && word[word.len() - port - 1] == b':'
}

fn is_iso(word: &[u8]) -> bool {
    has_form(word, "dddd-dd-ddTdd:dd:dd")
}

/// `Feb 25 16:19:38 host haproxy[7]: …`, or without what syslog puts before it.
fn is_haproxy(line: &[u8]) -> bool {
    let mut words = words(line);
    let is_bare = words.next().is_some_and(is_endpoint)
        && words.next().is_some_and(|time| has_form(time, "[dd/Aaa/dddd:dd:dd:dd."));
    is_bare || contains(&line[..line.len().min(120)], b" haproxy[")
}

fn is_uwsgi(line: &[u8]) -> bool {
    line.starts_with(b"[pid: ") && contains(line, b"|req: ")
}

/// `1066036250.603    310 192.0.2.1 TCP_MISS/200 1105 GET http://…`
fn is_squid(line: &[u8]) -> bool {
    let mut words = words(line);
    let begins = words.next().is_some_and(|time| has_form(time, "ddddddddd") && is_number(time))
        && words.next().is_some_and(is_number);
    let result = words.nth(1);
    begins
        && result.is_some_and(|result| {
            result.first().is_some_and(u8::is_ascii_uppercase) && result.contains(&b'/')
        })
}

/// `https 2018-07-02T22:23:00.186641Z app/lb/50dc 192.0.2.1:2817 …`
fn is_alb(line: &[u8]) -> bool {
    let mut words = words(line);
    let kinds: [&[u8]; 6] = [b"http", b"https", b"h2", b"grpcs", b"ws", b"wss"];
    words.next().is_some_and(|kind| kinds.contains(&kind))
        && words.next().is_some_and(is_iso)
        && line.contains(&b'"')
}

/// `2015-05-13T23:39:43.945958Z lb 192.0.2.1:2817 10.0.0.1:80 0.000086 …`
fn is_elb(line: &[u8]) -> bool {
    let mut words = words(line);
    let begins = words.next().is_some_and(is_iso) && words.nth(1).is_some_and(is_endpoint);
    let backend = words.next().is_some_and(|word| word == b"-" || is_endpoint(word));
    begins
        && backend
        && words.next().is_some_and(|time| is_number(time) || time == b"-1")
        && line.contains(&b'"')
}

/// `OWNER bucket [10/Feb/2012:16:42:07 -0500] 192.0.2.1 requester ID REST.GET.OBJECT …`
fn is_s3(line: &[u8]) -> bool {
    let mut words = words(line);
    let owner =
        words.next().is_some_and(|owner| owner.len() == 64 && owner.iter().all(u8::is_ascii_hexdigit));
    owner && words.nth(1).is_some_and(|time| has_form(time, "[dd/Aaa/dddd:"))
}

/// RFC 5424 or RFC 3164, with the priority that the second may lack.
fn is_syslog(line: &[u8]) -> bool {
    let digits = line.iter().skip(1).take_while(|b| b.is_ascii_digit()).count();
    let has_priority =
        line.starts_with(b"<") && (1..=3).contains(&digits) && line.get(digits + 1) == Some(&b'>');
    let rest = if has_priority { &line[digits + 2..] } else { line };
    let is_new = has_priority && (has_form(rest, "d dddd-dd-dd") || rest.starts_with(b"1 - "));
    is_new || has_form(rest, "Aaa dd dd:dd:dd ") || has_form(rest, "Aaa  d dd:dd:dd ")
}

fn is_nginx_error(line: &[u8]) -> bool {
    has_form(line, "dddd/dd/dd dd:dd:dd [")
}

fn is_apache_error(line: &[u8]) -> bool {
    has_form(line, "[Aaa Aaa dd dd:dd:dd")
}

/// The advice for a log in LTSV with this line: its first field with a path or a URI, or with a request.
fn of_ltsv(line: &[u8]) -> Option<String> {
    let fields = || {
        line.split(|&b| b == b'\t').filter_map(|field| {
            let (name, value) = field.split_at(memchr::memchr(b':', field)?);
            Some((String::from_utf8_lossy(name), &value[1..]))
        })
    };
    let is_uri = |value: &[u8]| value.starts_with(b"/") || is_of_web(value);
    let uri = fields().find(|(_, value)| is_uri(value)).map(|(name, _)| (name, ""));
    let request =
        || fields().find(|(_, value)| contains(value, b" HTTP/")).map(|(name, _)| (name, "[A-Z]+ "));
    let (name, before) = uri.or_else(request)?;
    Some(format!(
        "cut out the values of the field that holds the URI, as in sed -nE 's/(^|.*\\t){name}:{before}([^\\t ]*).*/\\2/p' \
         FILE | urimill normalize"
    ))
}

/// Fields with tabs between, each with its name.
fn is_ltsv(line: &[u8]) -> bool {
    let is_named = |field: &[u8]| {
        let name =
            field.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')).count();
        name > 0 && field.get(name) == Some(&b':') && !field[name..].starts_with(b"://")
    };
    line.iter().filter(|&&b| b == b'\t').count() >= 2 && line.split(|&b| b == b'\t').all(is_named)
}

/// A time, and more after it.
fn is_timed(line: &[u8]) -> bool {
    let forms =
        ["dddd-dd-dd_dd:dd:dd", "[dddd-dd-dd_dd:dd:dd", "dddd/dd/dd dd:dd:dd", "dd/Aaa/dddd:dd:dd:dd"];
    forms.iter().any(|form| has_form(line, form)) && words(line).count() > 2
}

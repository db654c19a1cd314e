//! Whether a text is a value of its field, by its form: this proves that a line is of a format, and that its fields are
//! in their places. Whether a time exists in the calendar is checked by the column.

use memchr::memchr;
use urimill_columns::batch::is_address;
use urimill_read::format::request;
use urimill_read::format::short_search::find;

use super::forms::{Form, Values, begins};
use super::known_forms::{self, BUCKET, DOTTED, OWNER, REQUEST, REQUESTER};
use super::tail::Tail;
use super::vocabulary::MEDIA;
pub(super) use crate::host::endpoint;

/// The form of a field's values: a line with other values is of another form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// Any text.
    None,
    /// Digits, perhaps with a sign and a fraction.
    Number,
    /// The beginning of a moment.
    Time,
    /// A day: `2012-04-01`.
    Date,
    /// A time of day: `00:00:13`.
    Clock,
    /// An IP address.
    Address,
    /// An address with a port.
    Endpoint,
    /// The same, or an address without one.
    Peer,
    /// A request line, or `-`.
    Request,
    /// A method of HTTP.
    Method,
    /// A status of HTTP, or a proxy's sign that there is none.
    Status,
    /// The same, or the number of an error of Windows' network, which Microsoft's proxies write for it.
    Code,
    /// Digits, with a sign where the number is unknown or was still growing.
    Signed,
    /// The name of a user; no method of HTTP is one.
    User,
    /// The same with spaces in it.
    Names,
    /// A user that is not a number: the user by a client's `ident`.
    Ident,
    /// The address of a socket: with a port, of a file, or of a proxy inside.
    Socket,
    /// The name of a bucket of Amazon S3; ids of owners and requests are not.
    Bucket,
    /// The requester of Amazon S3: an id, a name or a resource name, but not the id of a request.
    Requester,
    /// The statuses of all servers that nginx has asked, and their times.
    Answers,
    Times,
    /// Several of the statuses.
    Several,
    /// A form that the definition names.
    Form(&'static Form),
    /// The text that may follow the last field.
    Tail(Tail),
}

impl Check {
    /// The check that the definition of a field names after an equals sign.
    pub(super) fn find(name: &str, values: Values) -> Option<Check> {
        Some(match name {
            "address" => Check::Address,
            "date" => Check::Date,
            "clock" => Check::Clock,
            "peer" => Check::Peer,
            "status" => Check::Status,
            "code" => Check::Code,
            "signed" => Check::Signed,
            "user" => Check::User,
            "names" => Check::Names,
            "ident" => Check::Ident,
            "socket" => Check::Socket,
            "bucket" => Check::Bucket,
            "requester" => Check::Requester,
            "answers" => Check::Answers,
            "several" => Check::Several,
            "times" => Check::Times,
            name => match Tail::find(name) {
                Some(tail) => Check::Tail(tail),
                None => Check::Form(known_forms::find(name, values)?),
            },
        })
    }
}

/// `-` is a value of every field: null.
pub(super) fn is_value(text: &[u8], check: Check) -> bool {
    text == b"-"
        || match check {
            Check::None => true,
            Check::Number => is_number(text),
            Check::Time => is_time(text),
            Check::Date => is_date(text),
            Check::Clock => is_clock(text),
            Check::Address => is_address(text),
            Check::Endpoint => endpoint(text).is_some() || is_unix(text),
            Check::Peer => endpoint(text).is_some(),
            // A client may send anything.
            Check::Request => true,
            // Numbers and hosts are tokens, too; no method begins with a digit or has a dot.
            Check::Method => {
                request::is_token(text)
                    && text.first().is_some_and(u8::is_ascii_alphabetic)
                    && !text.contains(&b'.')
            }
            Check::Status => is_status(text),
            Check::Code => is_status(text) || text.len() == 5 && text[0] == b'1' && is_signed(text),
            Check::Signed => is_signed(text),
            Check::User => is_user(text),
            Check::Names => memchr(b' ', text).is_some() && is_user(text),
            Check::Ident => is_user(text) && !text.iter().all(u8::is_ascii_digit),
            Check::Socket => is_socket(text),
            Check::Bucket => {
                BUCKET.has(text) && !(text.len() == 64 && OWNER.has(text)) && !is_request_id(text)
            }
            Check::Answers => elements(text).all(is_answer),
            Check::Several => memchr(b' ', text).is_some() && elements(text).all(is_answer),
            Check::Times => elements(text).all(is_seconds),
            Check::Requester => {
                let is_number = text.len() < 12 && text.iter().all(u8::is_ascii_digit);
                REQUESTER.has(text) && !is_number && !is_request_id(text)
            }
            Check::Form(form) => form.has(text),
            Check::Tail(tail) => tail.has(text),
        }
}

/// Whether a text may be the name of a user, and not a value of the fields near it. It may have spaces in it, unless
/// its words may be fields.
fn is_user(text: &[u8]) -> bool {
    let is_media = || MEDIA.iter().any(|kind| begins(text, kind));
    !text.contains(&b'"')
        && !METHODS.contains(&text)
        && endpoint(text).is_none()
        && !is_media()
        && !memchr(b':', text).is_some_and(|colon| is_uri(text, colon))
        && (memchr(b' ', text).is_none() || are_names(text))
}

/// Whether a text with a colon at `colon` is a URI, or host and port.
fn is_uri(text: &[u8], colon: usize) -> bool {
    let port = text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    text[colon..].starts_with(b"://") || port > 0 && text[..text.len() - port].ends_with(b":")
}

/// Whether none of several words is another field, or repeats one.
fn are_names(text: &[u8]) -> bool {
    let words = || text.split(|&b| b == b' ');
    let is_name = |word: &[u8]| !word.is_empty() && word != b"-" && !word.starts_with(b"[") && is_user(word);
    let first = words().next().unwrap_or_default();
    words().all(is_name) && !words().skip(1).any(|word| word == first)
}

const METHODS: [&[u8]; 9] =
    [b"GET", b"POST", b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"CONNECT", b"PATCH", b"PROPFIND"];

/// The elements of a list as nginx writes it: with commas between servers of one group, and colons between groups.
fn elements(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = text.split(|&b| b == b' ').filter(|word| *word != b":");
    words.map(|word| word.strip_suffix(b",").unwrap_or(word))
}

/// The number of commas and colons between the elements of a list.
pub(super) fn separators(text: &[u8]) -> (usize, usize) {
    let (mut commas, mut colons, mut from) = (0, 0, 0);
    while let Some(at) = find(text, from, b' ') {
        match &text[..at] {
            [.., b','] => commas += 1,
            [.., b' ', b':'] => colons += 1,
            _ => {}
        }
        from = at + 1;
    }
    (commas, colons)
}

fn is_answer(status: &[u8]) -> bool {
    matches!(status, b"-" | [b'1'..=b'5', b'0'..=b'9', b'0'..=b'9'])
}

fn is_seconds(time: &[u8]) -> bool {
    time == b"-" || DOTTED.has(time) && !time.is_empty()
}

/// Whether a text is the id of a request to Amazon S3.
fn is_request_id(text: &[u8]) -> bool {
    text.len() == 16 && REQUEST.has(text)
}

/// The socket of a file, as HAProxy names it, with the number of its listener for a port.
fn is_unix(text: &[u8]) -> bool {
    text.strip_prefix(b"unix:").is_some_and(|number| number.iter().all(u8::is_ascii_digit))
}

fn is_signed(text: &[u8]) -> bool {
    let digits = match text {
        [b'-' | b'+', digits @ ..] => digits,
        digits => digits,
    };
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Three digits, or the word of a proxy for a request that got no answer.
fn is_status(text: &[u8]) -> bool {
    match text {
        [a, b, c] => a.is_ascii_digit() && b.is_ascii_digit() && c.is_ascii_digit(),
        text => matches!(text, b"0" | b"-1"),
    }
}

fn is_socket(text: &[u8]) -> bool {
    let schemes: [&[u8]; 5] = [b"/", b"tcp://", b"unix:", b"envoy://", b"http"];
    endpoint(text).is_some_and(|(_, port)| !port.is_empty())
        || schemes.iter().any(|scheme| text.starts_with(scheme)) && !text.iter().any(|b| b"\" ".contains(b))
}

/// Whether a value proves that its field is in its place: its form is not that of its neighbours.
pub(super) fn proves(text: &[u8], check: Check) -> bool {
    match check {
        Check::Time | Check::Address | Check::Endpoint => text != b"-",
        Check::Request => request::parts(text, 0, text.len()).is_some_and(|parts| parts.protocol.is_some()),
        _ => false,
    }
}

/// A decimal number, perhaps with a sign or a unit.
pub(super) fn is_number(text: &[u8]) -> bool {
    // Nearly all are digits alone.
    if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        return true;
    }
    let digits = match text {
        [b'-' | b'+', digits @ ..] => digits,
        digits => digits,
    };
    let units: [&[u8]; 5] = [b"ms", b"us", b"ns", "µs".as_bytes(), b"s"];
    let digits = units.iter().find_map(|unit| digits.strip_suffix(*unit)).unwrap_or(digits);
    digits.first().is_some_and(u8::is_ascii_digit) && digits.iter().all(|&b| b.is_ascii_digit() || b == b'.')
}

/// Whether a text begins as one of the forms of a moment ([`urimill_columns::batch::TimeForm::Any`]).
pub(super) fn is_time(text: &[u8]) -> bool {
    let is = |at: usize, byte: u8| text.get(at) == Some(&byte);
    let digits = |from: usize, to: usize| {
        text.get(from..to).is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
    };
    let is_day = || {
        let is_slashed = || is(4, b'/') && is(7, b'/') && digits(0, 4) && digits(5, 7) && digits(8, 10);
        text.get(..10).is_some_and(is_date) || is_slashed()
    };
    let is_clf = |day: usize| {
        let is_slashed = is(day, b'/') && is(day + 4, b'/') && is(day + 9, b':');
        is_slashed && digits(0, day) && digits(day + 5, day + 9)
    };
    let has_fraction = || is(19, b'.') && digits(20, text.len() - 5) && (26..=34).contains(&text.len());
    let is_ctime = || is(3, b' ') && is(7, b' ') && is(13, b':') && (text.len() == 24 || has_fraction());
    let is_http_date = || is(3, b',') && is(19, b':') && is(22, b':') && text.len() == 29;
    is_day() || is_clf(2) || is_clf(1) || is_ctime() || is_http_date() || is_epoch(text)
}

/// A day, as ISO 8601 and the W3C's draft have it.
pub(super) fn is_date(text: &[u8]) -> bool {
    text.len() == 10
        && text
            .iter()
            .enumerate()
            .all(|(at, &b)| if at == 4 || at == 7 { b == b'-' } else { b.is_ascii_digit() })
}

/// A time of day, as the W3C's draft has it: seconds, and a fraction of them, may be missing.
fn is_clock(text: &[u8]) -> bool {
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    let is_pair = |at: usize| is_digit(at) && is_digit(at + 1);
    let is_colon = |at: usize| text.get(at) == Some(&b':');
    let has_seconds = || is_colon(5) && is_pair(6);
    let is_fraction = |text: &[u8]| text[0] == b'.' && text[1..].iter().all(u8::is_ascii_digit);
    is_pair(0)
        && is_colon(2)
        && is_pair(3)
        && (text.len() == 5 || has_seconds() && (text.len() == 8 || is_fraction(&text[8..])))
}

/// Seconds, or parts of them, since 1970, perhaps with a fraction. Logs do not go back to the years whose seconds have
/// fewer digits.
fn is_epoch(text: &[u8]) -> bool {
    let whole = text.iter().take_while(|b| b.is_ascii_digit()).count();
    whole >= 9
        && match &text[whole..] {
            [] => true,
            [b'.', fraction @ ..] => fraction.iter().all(u8::is_ascii_digit),
            _ => false,
        }
}

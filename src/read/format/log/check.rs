//! Whether a text is a value of its field, as far as its form tells: what proves that a line is of a format, and that
//! its fields stand where they belong. Whether a time is one of the calendar the column decides.

use super::shape::Check;
use crate::batch::is_address;
pub(super) use crate::read::format::host::endpoint;
use crate::read::format::request;

/// `-` is a value of every field: none.
pub(super) fn is_value(text: &[u8], check: Check) -> bool {
    text == b"-"
        || match check {
            Check::None => true,
            Check::Number => is_number(text),
            Check::Time => is_time(text),
            Check::Address => is_address(text),
            Check::Endpoint => endpoint(text).is_some() || is_unix(text),
            // What a client sends may be anything.
            Check::Request => true,
            Check::Cache => text.iter().all(|b| b.is_ascii_uppercase() || *b == b'_') && text.len() > 2,
            Check::Method => request::is_token(text),
            Check::Status => is_status(text),
            Check::Signed => is_signed(text),
            Check::User => is_user(text),
            Check::Socket => is_socket(text),
            Check::Form(form) => form.has(text),
            Check::Tail(tail) => tail.has(text),
        }
}

/// Whether a text may be the name of a user, and is no value of the fields near it.
fn is_user(text: &[u8]) -> bool {
    let is_media = || MEDIA.iter().any(|kind| text.starts_with(kind));
    !text.contains(&b'"') && !METHODS.contains(&text) && !is_address(text) && !is_media()
}

const MEDIA: [&[u8]; 6] = [b"text/", b"image/", b"application/", b"audio/", b"video/", b"font/"];
const METHODS: [&[u8]; 9] =
    [b"GET", b"POST", b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"CONNECT", b"PATCH", b"PROPFIND"];

/// A socket of a file, which HAProxy names so, with the number of its listener for a port.
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

/// Three digits, or what proxies write of a request that got no answer.
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

/// Whether a value proves that its field stands where it belongs: its form is not that of its neighbours.
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
    let digits = digits.strip_suffix(b"ms").or_else(|| digits.strip_suffix(b"s")).unwrap_or(digits);
    digits.first().is_some_and(u8::is_ascii_digit) && digits.iter().all(|&b| b.is_ascii_digit() || b == b'.')
}

/// What begins as one of the forms of a moment does ([`crate::batch::TimeForm::Any`]).
pub(super) fn is_time(text: &[u8]) -> bool {
    let is = |at: usize, byte: u8| text.get(at) == Some(&byte);
    let digits = |from: usize, to: usize| {
        text.get(from..to).is_some_and(|digits| digits.iter().all(u8::is_ascii_digit))
    };
    let is_day = || is(4, b'-') && is(7, b'-') && digits(0, 4) && digits(5, 7) && digits(8, 10);
    let is_clf = || is(2, b'/') && is(6, b'/') && is(11, b':') && digits(0, 2) && digits(7, 11);
    let is_ctime = || is(3, b' ') && is(7, b' ') && is(13, b':') && text.len() == 24;
    is_day() || is_clf() || is_ctime() || is_epoch(text)
}

/// Seconds, or parts of them, since 1970, perhaps with a fraction.
fn is_epoch(text: &[u8]) -> bool {
    text.len() >= 9
        && text[0].is_ascii_digit()
        && text.iter().all(|&b| b.is_ascii_digit() || b == b'.')
        && text.iter().filter(|&&b| b == b'.').count() <= 1
}

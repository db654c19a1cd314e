//! The line of a request (RFC 9112, 3), for every format that has one: method, target, protocol, and how the target is
//! to be read. A client chooses the target, so what it says must not be taken for more than it is: `//host` in it is a
//! path.

use std::borrow::Cow;

use memchr::{memchr, memrchr};

use super::span;
use crate::batch::TargetForm;
use crate::simd::Span;

/// A request line in parts.
#[derive(Debug, Clone, Copy)]
pub(in crate::read) struct Request {
    pub(in crate::read) method: Span,
    pub(in crate::read) target: Span,
    /// HTTP/0.9 names none.
    pub(in crate::read) protocol: Option<Span>,
}

/// The parts of the text from `start` to `end`; none where it is not a request line. A target may have spaces in it,
/// which make it invalid: servers log what they were asked.
pub(in crate::read) fn parts(bytes: &[u8], start: usize, end: usize) -> Option<Request> {
    let line = &bytes[start..end];
    let method = memchr(b' ', line)?;
    if !is_token(&line[..method]) {
        return None;
    }
    let protocol = memrchr(b' ', line).filter(|&at| line[at + 1..].starts_with(b"HTTP/"));
    let until = protocol.unwrap_or(line.len());
    let target = (until > method + 1).then(|| span(start + method + 1, start + until))?;
    let protocol = protocol.map(|at| span(start + at + 1, end));
    Some(Request { method: span(start, start + method), target, protocol })
}

/// Whether a text may be a method (RFC 9110, 5.6.2).
pub(in crate::read) fn is_token(text: &[u8]) -> bool {
    let is_part = |&b: &u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.iter().all(is_part)
}

/// The text in which servers write `\xHH` for bytes that they do not like, and a backslash before quotes.
pub(in crate::read) fn plain(written: &[u8]) -> Cow<'_, [u8]> {
    if memchr(b'\\', written).is_none() {
        return Cow::Borrowed(written);
    }
    let mut plain = Vec::with_capacity(written.len());
    let mut at = 0;
    while at < written.len() {
        let (byte, taken) = match &written[at..] {
            [b'\\', b'x', high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                let digit = |b: u8| char::from(b).to_digit(16).unwrap_or(0) as u8;
                (digit(*high) << 4 | digit(*low), 4)
            }
            [b'\\', b'n', ..] => (b'\n', 2),
            [b'\\', b't', ..] => (b'\t', 2),
            [b'\\', b'r', ..] => (b'\r', 2),
            [b'\\', byte @ (b'"' | b'\\'), ..] => (*byte, 2),
            [byte, ..] => (*byte, 1),
            [] => break,
        };
        plain.push(byte);
        at += taken;
    }
    Cow::Owned(plain)
}

/// What the target of a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::read) enum Target {
    /// A URI reference as it stands: a URI, or a path that begins with one slash.
    Reference,
    /// A text that has to be read as this says.
    Form(TargetForm),
    /// The server as a whole (3.2.4), which no reference names.
    Server,
}

/// What `target` is in a request with this method; none where it is of no form that RFC 9112 (3.2) has.
///
/// - origin-form (3.2.1): an absolute path, also where it begins with `//`, and perhaps a query;
/// - absolute-form (3.2.2): a URI;
/// - authority-form (3.2.3): host and port, of `CONNECT` alone;
/// - asterisk-form (3.2.4): `*`, of `OPTIONS` alone.
pub(in crate::read) fn target(method: &[u8], target: &[u8]) -> Option<Target> {
    match target {
        _ if method == b"CONNECT" => is_authority(target).then_some(Target::Form(TargetForm::Authority)),
        [b'/', b'/', ..] => Some(Target::Form(TargetForm::AbsolutePath)),
        [b'/', ..] => Some(Target::Reference),
        b"*" => (method == b"OPTIONS").then_some(Target::Server),
        _ => has_scheme(target).then_some(Target::Reference),
    }
}

/// `uri-host ":" port`. What a host may hold the grammar decides.
fn is_authority(target: &[u8]) -> bool {
    let ends_host = |byte: &u8| matches!(byte, b'/' | b'?' | b'#' | b'@');
    memrchr(b':', target).is_some_and(|colon| {
        let (host, port) = (&target[..colon], &target[colon + 1..]);
        let is_host = !host.is_empty() && !host.iter().any(ends_host);
        is_host && !port.is_empty() && port.iter().all(u8::is_ascii_digit)
    })
}

fn has_scheme(target: &[u8]) -> bool {
    let Some(colon) = memchr(b':', target) else { return false };
    let scheme = &target[..colon];
    let is_rest = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    scheme.first().is_some_and(u8::is_ascii_alphabetic) && scheme.iter().all(is_rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_as_rfc_9112_has_them() {
        let reference = Some(Target::Reference);
        let path = Some(Target::Form(TargetForm::AbsolutePath));
        let authority = Some(Target::Form(TargetForm::Authority));
        // (section, method, target, what it is)
        let cases: &[(&str, &str, &str, Option<Target>)] = &[
            ("3.2.1", "GET", "/", reference),
            ("3.2.1", "GET", "/where?q=now", reference),
            ("3.2.1", "GET", "/a//b", reference),
            ("3.2.1", "GET", "//favicon.ico", path),
            ("3.2.1", "GET", "//", path),
            ("3.2.1", "OPTIONS", "//a:b@c/", path),
            ("3.2.2", "GET", "http://www.example.org/pub/WWW/", reference),
            ("3.2.2", "GET", "HTTP://h", reference),
            ("3.2.2", "OPTIONS", "urn:a", reference),
            ("3.2.3", "CONNECT", "www.example.com:80", authority),
            ("3.2.3", "CONNECT", "[::1]:443", authority),
            ("3.2.3", "CONNECT", "www.example.com", None),
            ("3.2.3", "CONNECT", "www.example.com:", None),
            ("3.2.3", "CONNECT", ":80", None),
            ("3.2.3", "CONNECT", "u@h:80", None),
            ("3.2.3", "CONNECT", "http://h:80", None),
            ("3.2.3", "CONNECT", "//h:80", None),
            ("3.2.3", "CONNECT", "/", None),
            ("3.2.4", "OPTIONS", "*", Some(Target::Server)),
            ("3.2.4", "GET", "*", None),
            ("3.2", "GET", "index.html", None),
            ("3.2", "GET", "?q", None),
            ("3.2", "GET", "1a:b", None),
            ("3.2", "GET", "a_b:c", None),
            ("3.2", "GET", ":", None),
            ("3.2", "GET", "", None),
        ];
        for (section, method, text, expected) in cases {
            assert_eq!(target(method.as_bytes(), text.as_bytes()), *expected, "{section}: {method} {text}");
        }
    }
}

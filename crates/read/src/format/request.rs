//! The line of a request (RFC 9112, 3), for every format that has one: method, target, protocol, and the reading of the
//! target. A client chooses the target, so it must not count for more than it is: `//host` in it is a path.

use memchr::{memchr2, memrchr, memrchr2};
use urimill_columns::batch::TargetForm;
use urimill_uri::simd::Span;

use super::first_lines::has_scheme;
use super::span;

/// A request line in parts.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The method.
    pub method: Span,
    /// The target.
    pub target: Span,
    /// HTTP/0.9 has none.
    pub protocol: Option<Span>,
}

/// The parts of the text from `start` to `end`; `None` if it is not a request line. Runs of white space separate and
/// surround them (RFC 9112, 3). A target may have spaces in it, which make it invalid: servers log the request as it
/// came.
#[inline]
pub fn parts(bytes: &[u8], start: usize, end: usize) -> Option<Request> {
    usual_parts(bytes, start, end).or_else(|| unusual_parts(bytes, start, end))
}

fn unusual_parts(bytes: &[u8], start: usize, end: usize) -> Option<Request> {
    let is_space = |b: &u8| matches!(b, b' ' | b'\t');
    let spaces = |from: usize| bytes[from..end].iter().take_while(|b| is_space(b)).count();
    let start = start + spaces(start);
    let line = bytes[start..end].trim_ascii_end();
    let method = start + memchr2(b' ', b'\t', line)?;
    let end = start + line.len();
    if !is_token(&bytes[start..method]) {
        return None;
    }
    let from = method + spaces(method);
    let protocol = memrchr2(b' ', b'\t', line).map(|at| start + at + 1);
    let protocol = protocol.filter(|&at| is_protocol(&bytes[at..end]));
    let until = protocol.map_or(end, |at| method + bytes[method..at].trim_ascii_end().len());
    let target = (until > from).then(|| span(from, until))?;
    Some(Request { method: span(start, method), target, protocol: protocol.map(|at| span(at, end)) })
}

/// The same for the form of nearly all lines: a method in letters, one space, a target, one space, and `HTTP/1.1`.
#[inline(always)]
fn usual_parts(bytes: &[u8], start: usize, end: usize) -> Option<Request> {
    let line = &bytes[start..end];
    let method = line.iter().position(|b| !b.is_ascii_uppercase()).filter(|&method| method > 0)?;
    let protocol = usual_protocol(line)?;
    let before = &line[..line.len() - protocol];
    let (&space, target) = before.get(method..)?.split_first()?;
    // No space, line end or control character is around the target.
    let is_bare = *target.first()? > b' ' && *target.last()? > b' ';
    (space == b' ' && is_bare).then(|| {
        let at = start + before.len();
        Request {
            method: span(start, start + method),
            target: span(start + method + 1, at),
            protocol: Some(span(at + 1, end)),
        }
    })
}

/// The length of the protocol at the end of nearly all requests, with the space before it.
#[inline]
pub fn usual_protocol(request: &[u8]) -> Option<usize> {
    match request {
        [.., b' ', b'H', b'T', b'T', b'P', b'/', b'0'..=b'9', b'.', b'0'..=b'9'] => Some(9),
        [.., b' ', b'H', b'T', b'T', b'P', b'/', b'0'..=b'9'] => Some(7),
        _ => None,
    }
}

/// Whether a text is a protocol: HTTP, or one with the same form of requests (RFC 2326, RFC 3261, RFC 3507, Icecast).
#[inline]
pub fn is_protocol(text: &[u8]) -> bool {
    if text.starts_with(b"HTTP/") {
        return true;
    }
    let others: [&[u8]; 4] = [b"RTSP/", b"SIP/", b"ICAP/", b"ICE/"];
    let version = others.iter().find_map(|name| text.strip_prefix(*name));
    version.is_some_and(|version| version.first().is_some_and(u8::is_ascii_digit))
}

/// Whether a text may be a method (RFC 9110, 5.6.2).
pub fn is_token(text: &[u8]) -> bool {
    let is_part = |&b: &u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    !text.is_empty() && text.iter().all(is_part)
}

/// What the target of a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A URI reference as it is written: a URI, or a path that begins with one slash.
    Reference,
    /// A text that has to be read in this form.
    Form(TargetForm),
    /// The server as a whole (3.2.4), which no reference identifies.
    Server,
}

/// The form of `target` in a request with this method; `None` if it has no form of RFC 9112 (3.2).
///
/// - origin-form (3.2.1): an absolute path, also where it begins with `//`, and perhaps a query;
/// - absolute-form (3.2.2): a URI;
/// - authority-form (3.2.3): host and port, of `CONNECT` alone;
/// - asterisk-form (3.2.4): `*`, of `OPTIONS`; the first line of HTTP/2 (RFC 9113, 3.4) and UPnP have it, too.
pub fn target(method: &[u8], target: &[u8]) -> Option<Target> {
    match target {
        _ if method == b"CONNECT" => is_authority(target).then_some(Target::Form(TargetForm::Authority)),
        [b'/', b'/', ..] => Some(Target::Form(TargetForm::AbsolutePath)),
        [b'/', ..] => Some(Target::Reference),
        b"*" => OF_SERVER.contains(&method).then_some(Target::Server),
        _ => has_scheme(target).then_some(Target::Reference),
    }
}

/// The methods whose target may be the server as a whole.
const OF_SERVER: [&[u8]; 4] = [b"OPTIONS", b"PRI", b"M-SEARCH", b"NOTIFY"];

/// `uri-host ":" port`. The grammar decides which hosts are valid.
fn is_authority(target: &[u8]) -> bool {
    let ends_host = |byte: &u8| matches!(byte, b'/' | b'?' | b'#' | b'@');
    memrchr(b':', target).is_some_and(|colon| {
        let (host, port) = (&target[..colon], &target[colon + 1..]);
        let is_host = !host.is_empty() && !host.iter().any(ends_host);
        is_host && !port.is_empty() && port.iter().all(u8::is_ascii_digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_stands_between_the_parts_of_a_request() {
        // (line, method, target, protocol)
        type Case = (&'static str, Option<(&'static str, &'static str, &'static str)>);
        let cases: &[Case] = &[
            ("GET /a HTTP/1.1", Some(("GET", "/a", "HTTP/1.1"))),
            ("GET /a", Some(("GET", "/a", ""))),
            ("GET /a ", Some(("GET", "/a", ""))),
            ("GET   /a   HTTP/1.1", Some(("GET", "/a", "HTTP/1.1"))),
            (" GET /a HTTP/1.1  ", Some(("GET", "/a", "HTTP/1.1"))),
            ("GET\t/a\tHTTP/1.1", Some(("GET", "/a", "HTTP/1.1"))),
            ("GET /a b HTTP/1.1", Some(("GET", "/a b", "HTTP/1.1"))),
            ("GET /a HTTP/1.1 b", Some(("GET", "/a HTTP/1.1 b", ""))),
            ("OPTIONS / RTSP/1.0", Some(("OPTIONS", "/", "RTSP/1.0"))),
            ("OPTIONS sip:nm SIP/2.0", Some(("OPTIONS", "sip:nm", "SIP/2.0"))),
            ("SOURCE /live ICE/1.0", Some(("SOURCE", "/live", "ICE/1.0"))),
            ("GET /a RTSP/x", Some(("GET", "/a RTSP/x", ""))),
            ("GET HTTP/1.1", None),
            ("GET  HTTP/1.1", None),
            ("GET", None),
            ("GET ", None),
            ("  ", None),
            ("", None),
            ("G\"T /a", None),
        ];
        for (line, expected) in cases {
            let found = parts(line.as_bytes(), 0, line.len()).map(|request| {
                let text = |part: Span| &line[part.start as usize..][..part.len as usize];
                (text(request.method), text(request.target), request.protocol.map_or("", text))
            });
            assert_eq!(found, *expected, "{line:?}");
        }
    }

    #[test]
    fn targets_are_read_as_rfc_9112_has_them() {
        let reference = Some(Target::Reference);
        let path = Some(Target::Form(TargetForm::AbsolutePath));
        let authority = Some(Target::Form(TargetForm::Authority));
        // (section, method, target, its form)
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
            ("3.2.4", "PRI", "*", Some(Target::Server)),
            ("3.2.4", "M-SEARCH", "*", Some(Target::Server)),
            ("3.2.4", "NOTIFY", "*", Some(Target::Server)),
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

//! Repairs a text that is not a URI reference as browsers and crawlers do: `--repair`.
//!
//! In order: tabs and line ends are removed everywhere, white space and control characters around the text, and the
//! delimiters that prose puts around URIs (RFC 3986 Appendix C: `<…>`, quotes, `URL:`), with all white space within
//! them; a backslash before the query becomes a slash if browsers know the scheme; a host outside ASCII goes through
//! IDNA if the scheme uses DNS, and every other character that its component does not allow is percent-encoded (RFC
//! 3987 section 3.1), a stray `%` as `%25`. A suffix reference (4.5) without its delimiters gets the default scheme if
//! one is given (`suffix`).
//!
//! Some texts cannot be repaired: brackets without an address in them, ports that are not numbers and hosts that are
//! not UTF-8 (3.2.2 forbids to encode those) stay, and so does a text of which nothing would be left: nobody meant the
//! empty reference.

use alloc::borrow::Cow;
use alloc::vec::Vec;

#[cfg(feature = "psl")]
use super::suffix::{self, DefaultScheme, is_suffix};
use crate::encode::write_rest as encode;
use crate::grammar::chars::{self, is};
use crate::grammar::{Spec, scheme};
use crate::idn::ascii_host;
use crate::options::setters;
use crate::reference::UriRef;

/// How [`repair_with`] repairs; by default as [`repair`] does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RepairOptions {
    /// The specification, which defines the characters of a registered name.
    pub spec: Spec,
    /// The scheme that completes suffix references (4.5); without it they stay the relative references that they also
    /// are.
    #[cfg(feature = "psl")]
    pub default_scheme: Option<DefaultScheme>,
}

setters!(RepairOptions {
    spec: Spec,
    #[cfg(feature = "psl")]
    default_scheme: Option<DefaultScheme>,
});

/// A text that may be a URI reference if `text` is not; borrowed if there is nothing to mend. The result has to be
/// parsed like any other text.
#[must_use]
pub fn repair(text: &[u8]) -> Cow<'_, [u8]> {
    repair_with(text, RepairOptions::default())
}

/// [`repair`], and the completion of suffix references (4.5) if a default scheme is given. Those are valid already:
/// [`is_suffix`](super::is_suffix) recognizes them.
///
/// ```
/// use urimill_uri::normalize::{RepairOptions, repair_with};
///
/// let options = RepairOptions::new().default_scheme(Some("https".parse()?));
/// assert_eq!(&*repair_with(b"www.w3.org/Addressing/", options), b"https://www.w3.org/Addressing/");
/// assert_eq!(&*repair_with(b"example.com:8080", options), b"https://example.com:8080");
/// assert_eq!(&*repair_with(b"index.html", options), b"index.html");
/// # Ok::<(), urimill_uri::Error>(())
/// ```
#[must_use]
pub fn repair_with(text: &[u8], options: RepairOptions) -> Cow<'_, [u8]> {
    // First, so that no delimiter hides behind them.
    let joined: Cow<'_, [u8]> = if text.iter().any(|&b| is_inner_space(b)) {
        Cow::Owned(text.iter().copied().filter(|&b| !is_inner_space(b)).collect())
    } else {
        Cow::Borrowed(text)
    };
    let (bare, is_delimited) = strip_delimiters(&joined);
    let spaceless = if is_delimited { without_space(bare) } else { Cow::Borrowed(bare) };
    // White space outside ASCII may have kept further delimiters from the ends.
    let bare = Cow::Borrowed(if is_delimited { strip_delimiters(&spaceless).0 } else { &spaceless });
    let mut out = Vec::with_capacity(joined.len() + 16);
    #[cfg(feature = "psl")]
    let bare = match options.default_scheme.filter(|_| is_suffix(&bare)) {
        Some(scheme) => Cow::Owned(suffix::complete(&bare, scheme)),
        None => bare,
    };
    mend(&bare, options.spec, &mut out);
    if out == text || out.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// The reference that a text means for resolution: the text itself, or [`repair_with`] of it if it is not a reference
/// or begins with `URL:`. White space alone means the base, as in browsers; a text that cannot be repaired stays
/// unchanged.
///
/// ```
/// use urimill_uri::normalize::{RepairOptions, repair_reference};
///
/// let options = RepairOptions::new();
/// assert_eq!(&*repair_reference(b"a b", options), b"a%20b");
/// assert_eq!(&*repair_reference(b" ", options), b"");
/// assert_eq!(&*repair_reference(b"http://[ ", options), b"http://[ ");
/// ```
#[must_use]
pub fn repair_reference(text: &[u8], options: RepairOptions) -> Cow<'_, [u8]> {
    let is_reference = |text: &[u8]| UriRef::parse_as(text, options.spec).is_ok();
    let is_prefixed = text.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"url:"));
    if !is_prefixed && is_reference(text) {
        return Cow::Borrowed(text);
    }
    let mended = match text.iter().all(|&b| is_outer_space(b)) {
        true => Cow::Borrowed(&text[..0]),
        false => repair_with(text, options),
    };
    if is_reference(&mended) { mended } else { Cow::Borrowed(text) }
}

fn is_outer_space(byte: u8) -> bool {
    byte <= b' '
}

/// White space that browsers remove everywhere in a URL.
fn is_inner_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\r' | b'\n')
}

/// A text without white space, which in delimiters only breaks a long URI and is not part of it (Appendix C). White
/// space is defined by Unicode; a hyphen before a line break stays, because it may be part of the URI.
pub(crate) fn without_space(text: &[u8]) -> Cow<'_, [u8]> {
    let is_plain = |&b: &u8| b.is_ascii_graphic();
    if text.iter().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    for chunk in text.utf8_chunks() {
        chunk.valid().split(char::is_whitespace).for_each(|part| out.extend_from_slice(part.as_bytes()));
        out.extend_from_slice(chunk.invalid());
    }
    if out.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// The text inside white space and delimiters (Appendix C), however many layers there are, and whether there were
/// delimiters; the prefix `URL:` alone is not a delimiter.
fn strip_delimiters(text: &[u8]) -> (&[u8], bool) {
    let (mut bare, mut is_delimited) = (trim(text), false);
    loop {
        let inner = match bare {
            [b'<', inner @ .., b'>'] | [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => {
                is_delimited = true;
                inner
            }
            [b'u' | b'U', b'r' | b'R', b'l' | b'L', b':', inner @ ..] => inner,
            _ => return (bare, is_delimited),
        };
        bare = trim(inner);
    }
}

fn trim(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&b| !is_outer_space(b)).unwrap_or(text.len());
    let end = text.iter().rposition(|&b| !is_outer_space(b)).map_or(start, |at| at + 1);
    &text[start..end]
}

/// Splits as Appendix B does and writes each component, with the characters that it cannot hold percent-encoded.
fn mend(text: &[u8], spec: Spec, out: &mut Vec<u8>) {
    let find = |from: usize, delimiters: &[u8]| {
        text[from..].iter().position(|b| delimiters.contains(b)).map_or(text.len(), |at| from + at)
    };
    let delimiter = find(0, b":/?#\\");
    let name = &text[..delimiter];
    let is_scheme = name.first().is_some_and(|&b| is(b, chars::ALPHA))
        && name.iter().all(|&b| is(b, chars::SCHEME))
        && text.get(delimiter) == Some(&b':');
    let mut at = 0;
    let mut slashes: &[u8] = b"/\\";
    let mut uses_dns = true;
    if is_scheme {
        at = delimiter + 1;
        out.extend_from_slice(&text[..at]);
        let name = core::str::from_utf8(name).unwrap_or_default().to_ascii_lowercase();
        if !matches!(name.as_str(), "http" | "https" | "ws" | "wss" | "ftp" | "file") {
            slashes = b"/";
        }
        uses_dns = scheme::find(name.as_bytes()).is_some_and(|scheme| scheme.host_required);
    }
    let is_slash = |at: usize| text.get(at).is_some_and(|b| slashes.contains(b));
    let has_authority = is_slash(at) && is_slash(at + 1);
    if has_authority {
        out.extend_from_slice(b"//");
        let start = at + 2;
        at = find(start, &[slashes, b"?#"].concat());
        authority(&text[start..at], (uses_dns, spec), out);
    }
    let path_end = find(at, b"?#");
    let colon_allowed = is_scheme || has_authority;
    path(&text[at..path_end], slashes, colon_allowed, out);
    let query_end = find(path_end, b"#");
    if path_end < query_end {
        out.push(b'?');
        encode(&text[path_end + 1..query_end], chars::QUERY, out);
    }
    if query_end < text.len() {
        out.push(b'#');
        encode(&text[query_end + 1..], chars::QUERY, out);
    }
}

/// The last `@` ends the user information, as in browsers.
fn authority(text: &[u8], (uses_dns, spec): (bool, Spec), out: &mut Vec<u8>) {
    let host_start = memchr::memrchr(b'@', text).map_or(0, |at| at + 1);
    if host_start > 0 {
        encode(&text[..host_start - 1], chars::USERINFO, out);
        out.push(b'@');
    }
    let host_and_port = &text[host_start..];
    if host_and_port.first() == Some(&b'[') {
        out.extend_from_slice(host_and_port);
        return;
    }
    let host_end = memchr::memchr(b':', host_and_port).unwrap_or(host_and_port.len());
    let (host, port) = host_and_port.split_at(host_end);
    match ascii_host(host).filter(|_| uses_dns) {
        Some(ascii) => out.extend_from_slice(ascii.as_bytes()),
        // A reject stays a reject.
        None if core::str::from_utf8(host).is_err() => out.extend_from_slice(host),
        None => encode(host, spec.reg_name(), out),
    }
    out.extend_from_slice(port);
}

/// A path; the first segment of a relative reference holds no colon (4.2).
fn path(text: &[u8], slashes: &[u8], colon_allowed: bool, out: &mut Vec<u8>) {
    let mut in_first_segment = !colon_allowed;
    for (i, segment) in text.split(|b| slashes.contains(b)).enumerate() {
        if i > 0 {
            out.push(b'/');
            in_first_segment = false;
        }
        if !in_first_segment {
            encode(segment, chars::PCHAR, out);
            continue;
        }
        for (i, part) in segment.split(|&b| b == b':').enumerate() {
            if i > 0 {
                out.extend_from_slice(b"%3A");
            }
            encode(part, chars::PCHAR, out);
        }
    }
}

//! The form of the Internet Archive, by which the indexes of web archives are sorted. It is made in two steps: the
//! cleaning that Google once published for its Safe Browsing lists, and the archive's own rules on top.
//!
//! # Cleaning
//! 1. For `http` and `https`, `http://https://…` becomes the URI inside it, and any run of slashes before the host
//!    becomes two.
//! 2. The fragment goes.
//! 3. In user information, host, path and query, triplets are undone until none is left; then every byte up to
//!    the space, `#`, `%` and everything outside ASCII is written as a triplet again. So `%2541` is `A`, and
//!    `%3F` in a path, `%26` in a query and `%5B` anywhere are bare characters afterwards.
//! 4. A host outside ASCII goes through IDNA (UTS 46; the tools have IDNA 2003, which makes `ss` of `ß`). It is
//!    in lower case; dots around it go, and runs of dots become one.
//! 5. A host that is one decimal number is the IPv4 address of the number modulo 2^32; two to four numbers,
//!    octal where they begin with `0`, are the address that `inet_aton` reads (RFC 3986, 7.4).
//! 6. A port is a number; the empty one goes.
//! 7. In a path after a host `.` goes, `..` takes the segment before it along and stays where there is none, runs of
//!    slashes become one, and the empty path is `/`.
//! 8. The scheme is in lower case.
//!
//! # The archive's rules
//! 9. The host loses one `www.`, `www1.`, `www23.`, … at its start.
//! 10. User information goes, and the default port of `http` and `https`.
//! 11. The path is in lower case, loses session identifiers (below) and the slash at its end, unless it is `/`.
//! 12. The query loses session identifiers, is in lower case and sorted by name, then value: a name alone precedes the
//!     same name with `=`. The empty query goes.
//!
//! A URI without a host (`mailto:…`, `urn:…`, `file:///…`) is cleaned by 2, 3, 8, 11 and 12 alone, and has no
//! `//`, unless its path begins with two slashes, which would be read as a host's without them (the tools do
//! not mind). So is `http:a`, whose `a` is a path by RFC 3986, though the tools read it as a host.
//!
//! # Session identifiers
//! In a query, in this order and each the last time that it occurs (letters in either case, `X` a letter or a digit,
//! `A` a letter), up to and with the `&` after it: `jsessionid=X{32}`, `phpsessid=X{32}`, `sid=X{32}`,
//! `aspsessionidA{8}=A{24}`, `cfid=…&cftoken=…`. In a path the segments `(A(X{24})A(X{24})…)` and `(X{24})` before one
//! that holds `.aspx`.
//!
//! # What it is not
//! The form need not be a URI: a byte that rule 3 leaves bare may not be allowed in its component. And a second pass
//! may change it where the first has decoded something: a `?` in a path, an `@` or `/` in a host, a second `www.`, a
//! second session identifier, and without a host a second slash at the end.

use super::escape::{escape, stays, unescape_repeatedly};
use super::plain::{self, with_room, www};
use super::{DropParams, pieces, port_digits, session};
use crate::grammar::ip;
use crate::options::setters;
use crate::reference::UriRef;
use crate::uri::AsUriRef;
use alloc::string::String;
use alloc::vec::Vec;

/// Which of the rules apply. The default is the rules of existing indexes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Rules {
    /// The archive's own rules, 9 to 12; without them the two fields below have no effect. Default: true.
    pub archive: bool,
    /// Rule 9, `www.`. Default: true.
    pub host_massage: bool,
    /// The query in lower case (rule 12). Default: true.
    pub query_lowercase: bool,
}

impl Default for Rules {
    fn default() -> Self {
        Rules { archive: true, host_massage: true, query_lowercase: true }
    }
}

setters!(Rules { archive: bool, host_massage: bool, query_lowercase: bool });

impl Rules {
    /// The cleaning alone, 1 to 8: what Google published.
    pub const CLEANING: Rules = Rules { archive: false, host_massage: false, query_lowercase: false };
}

/// The form of a URI under other rules than the default's; `None` for a relative reference.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::canonical::wayback::{Rules, form};
///
/// let uri = UriRef::parse("http://www.example.com//A/%252e/?b&a#c")?;
/// assert_eq!(form(&uri, &Rules::default()).as_deref(), Some("http://example.com/a?a&b"));
/// assert_eq!(form(&uri, &Rules::CLEANING).as_deref(), Some("http://www.example.com/A/?b&a"));
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
#[must_use]
pub fn form<'a>(uri: impl AsUriRef<'a>, rules: &Rules) -> Option<String> {
    let uri = uri.uri_ref();
    uri.is_uri().then(|| {
        let mut out = Vec::with_capacity(uri.as_str().len() + 8);
        write(&uri, rules, &DropParams::none(), &mut out);
        super::ascii(out)
    })
}

/// Appends the form of a URI.
pub(super) fn write(uri: &UriRef<'_>, rules: &Rules, drops: &DropParams, out: &mut Vec<u8>) {
    let page = Page::of(uri);
    page.write_scheme(out);
    let mark = out.len();
    out.extend_from_slice(b"//");
    if let Some(userinfo) = page.uri.userinfo().filter(|_| !rules.archive) {
        write_cleaned(userinfo, out);
        out.push(b'@');
    }
    let has_host = page.write_host(rules, out);
    if has_host {
        page.write_port(rules, out);
    } else {
        out.truncate(mark);
    }
    page.write_path_and_query(has_host, (rules, drops), out);
}

/// A URI after rule 1. If that drops slashes, the scheme is no longer directly before the rest.
pub(super) struct Page<'a> {
    scheme: &'a str,
    uri: UriRef<'a>,
}

impl<'a> Page<'a> {
    /// Rule 1: one scheme inside another, and one run of slashes, so that a text of nothing else does not take long.
    pub(super) fn of(uri: &UriRef<'a>) -> Self {
        let mut page = Page { scheme: uri.scheme().unwrap_or_default(), uri: *uri };
        for _ in 0..2 {
            let Some(inner) = page.inner() else { break };
            let Ok(inner) = UriRef::parse_as(inner, uri.spec()) else { break };
            page = Page { scheme: inner.scheme().unwrap_or(page.scheme), uri: inner };
        }
        page
    }

    fn inner(&self) -> Option<&'a str> {
        let is_web = |name: &str| name.eq_ignore_ascii_case("http") || name.eq_ignore_ascii_case("https");
        if !is_web(self.scheme) {
            return None;
        }
        let (text, split) = (self.uri.as_str(), self.uri.split());
        let path = self.uri.path();
        match self.uri.authority()? {
            "" => {
                let slashes = path.bytes().take_while(|&byte| byte == b'/').count();
                (slashes > 0).then(|| &text[split.path_start as usize + slashes - 2..])
            }
            authority => {
                let name = authority.strip_suffix(':')?;
                (path.starts_with("//") && is_web(name)).then(|| &text[split.host_start as usize..])
            }
        }
    }

    /// Appends the scheme with its colon.
    pub(super) fn write_scheme(&self, out: &mut Vec<u8>) {
        let from = out.len();
        out.extend_from_slice(self.scheme.as_bytes());
        out[from..].make_ascii_lowercase();
        out.push(b':');
    }

    /// Appends the host, an address in its brackets; returns whether there is one.
    pub(super) fn write_host(&self, rules: &Rules, out: &mut Vec<u8>) -> bool {
        let from = out.len();
        write_host(self.uri.host().unwrap_or_default(), rules, out);
        out.len() > from
    }

    /// Appends the port with its colon, unless it is dropped.
    pub(super) fn write_port(&self, rules: &Rules, out: &mut Vec<u8>) {
        let Some(digits) = port_digits(&self.uri) else { return };
        let is_default = self.scheme.eq_ignore_ascii_case("http") && digits == b"80"
            || self.scheme.eq_ignore_ascii_case("https") && digits == b"443";
        if !(rules.archive && is_default) {
            out.push(b':');
            out.extend_from_slice(digits);
        }
    }

    /// Rules 3, 7 and 11.
    fn write_path(&self, has_host: bool, rules: &Rules, out: &mut Vec<u8>) {
        let (path, from) = (self.uri.path().as_bytes(), out.len());
        let is_tidy = has_host && is_tidy(path);
        if is_tidy {
            out.extend_from_slice(path);
        } else {
            let has_triplets = unescape_repeatedly(path, out);
            if has_host {
                clean_path(out, from);
            }
            if has_triplets {
                escape(out, from, stays);
            }
        }
        if rules.archive {
            out[from..].make_ascii_lowercase();
            if !is_tidy {
                session::strip_path(out, from);
            }
            if out.len() > from + 1 && out.last() == Some(&b'/') {
                out.pop();
            }
        }
        if !has_host && out[from..].starts_with(b"//") {
            // Otherwise the path would be read back as a host.
            out.splice(from..from, *b"//");
        }
    }

    /// Appends the rest of the form.
    pub(super) fn write_path_and_query(
        &self,
        has_host: bool,
        (rules, drops): (&Rules, &DropParams),
        out: &mut Vec<u8>,
    ) {
        let is_plain = has_host && *rules == Rules::default() && drops.is_none() && {
            with_room(&self.uri, out, |text, split, room| {
                plain::write_path_and_query(text, split, &mut Vec::new(), room)
            })
        };
        if !is_plain {
            self.write_path_and_query_in_steps(has_host, (rules, drops), out);
        }
    }

    /// [`Page::write_path_and_query`] of any page.
    #[inline(never)]
    pub(super) fn write_path_and_query_in_steps(
        &self,
        has_host: bool,
        (rules, drops): (&Rules, &DropParams),
        out: &mut Vec<u8>,
    ) {
        let from = out.len();
        self.write_path(has_host, rules, out);
        let is_path_empty = out.len() == from;
        let Some(query) = self.uri.query() else { return };
        let mark = out.len();
        out.push(b'?');
        let from = out.len();
        write_cleaned(query, out);
        if rules.archive {
            session::strip_query(out, from);
            if rules.query_lowercase {
                out[from..].make_ascii_lowercase();
            }
            pieces::sort_by_name_and_value(out, from);
        }
        let has_dropped = drops.apply(out, from);
        if out.len() == from && (rules.archive || has_dropped) {
            out.truncate(mark);
        } else if is_path_empty && out.len() > from {
            // Only without a host, as in the tools.
            out.insert(mark, b'/');
        }
    }
}

/// Whether rules 3, 7 and the first half of 11 leave a path after a host unchanged, as they leave nearly all.
fn is_tidy(path: &[u8]) -> bool {
    // Without an early exit the compiler vectorizes both loops.
    let is_special = path.iter().fold(path.is_empty(), |found, byte| found | matches!(byte, b'%' | b'('));
    let pairs = path.iter().zip(path.get(1..).unwrap_or_default());
    !pairs.fold(is_special, |found, (&a, &b)| found | (a == b'/') & matches!(b, b'/' | b'.'))
}

/// Rule 3.
fn write_cleaned(text: &str, out: &mut Vec<u8>) {
    let from = out.len();
    if unescape_repeatedly(text.as_bytes(), out) {
        escape(out, from, stays);
    }
}

/// Appends a host, an address in its brackets.
fn write_host(host: &str, rules: &Rules, out: &mut Vec<u8>) {
    let from = out.len();
    let has_triplets = unescape_repeatedly(host.as_bytes(), out);
    if has_triplets
        && !out[from..].is_ascii()
        && let Ok(name) = idna::domain_to_ascii_cow(&out[from..], idna::AsciiDenyList::EMPTY)
    {
        let name = name.into_owned();
        out.truncate(from);
        out.extend_from_slice(name.as_bytes());
    }
    collapse_dots(out, from);
    if let Some(address) = address(&out[from..]) {
        out.truncate(from);
        for (i, octet) in address.to_be_bytes().into_iter().enumerate() {
            if i > 0 {
                out.push(b'.');
            }
            write_number(octet, out);
        }
    }
    out[from..].make_ascii_lowercase();
    if has_triplets {
        escape(out, from, stays);
    }
    if rules.archive {
        out[from..].make_ascii_lowercase();
        if rules.host_massage {
            let www = www(&out[from..]);
            out.drain(from..from + www);
        }
    }
}

/// Removes the dots around `out[from..]`, and collapses runs of dots inside to one.
fn collapse_dots(out: &mut Vec<u8>, from: usize) {
    let host = &out[from..];
    let is_tidy = host.first() != Some(&b'.')
        && host.last() != Some(&b'.')
        && memchr::memchr_iter(b'.', host).all(|at| host[at + 1] != b'.');
    if is_tidy {
        return;
    }
    let mut write = from;
    for read in from..out.len() {
        let follows_dot = write == from || out[write - 1] == b'.';
        if out[read] != b'.' || !follows_dot {
            out[write] = out[read];
            write += 1;
        }
    }
    if write > from && out[write - 1] == b'.' {
        write -= 1;
    }
    out.truncate(write);
}

/// Rule 5.
fn address(host: &[u8]) -> Option<u32> {
    if !host.first()?.is_ascii_digit() {
        return None;
    }
    if host.iter().all(u8::is_ascii_digit) {
        let digit = |digit: u8| u32::from(digit - b'0');
        return Some(host.iter().fold(0u32, |value, &d| value.wrapping_mul(10).wrapping_add(digit(d))));
    }
    let is_octal = host[0] == b'0';
    let is_digit = |byte: u8| byte == b'.' || byte.is_ascii_digit() && !(is_octal && byte > b'7');
    if !host.iter().all(|&byte| is_digit(byte)) {
        return None;
    }
    ip::rare_ipv4(host).map(u32::from)
}

fn write_number(number: u8, out: &mut Vec<u8>) {
    for power in [100, 10, 1] {
        if number >= power || power == 1 {
            out.push(b'0' + number / power % 10);
        }
    }
}

/// Rule 7 on the path `out[from..]`, which is empty or begins with a slash.
fn clean_path(out: &mut Vec<u8>, from: usize) {
    if out.len() == from {
        out.push(b'/');
        return;
    }
    let path = &out[from..];
    let is_clean = memchr::memchr_iter(b'/', path).all(|at| !matches!(path.get(at + 1), Some(b'/' | b'.')));
    if is_clean {
        return;
    }
    let (mut read, mut write, end) = (from, from, out.len());
    while read < end {
        // out[read] is the slash before a segment.
        let next = memchr::memchr(b'/', &out[read + 1..end]).map_or(end, |at| read + 1 + at);
        match &out[read + 1..next] {
            b"." => {}
            b".." if write > from => {
                // Whatever the segment is, also a `..` that stayed and an empty segment.
                write = from + memchr::memrchr(b'/', &out[from..write]).unwrap_or(0);
            }
            _ => {
                out.copy_within(read..next, write);
                write += next - read;
            }
        }
        read = next;
    }
    out.truncate(write);
    if write == from {
        out.push(b'/');
    }
    let mut last = 0;
    let mut write = from;
    for read in from..out.len() {
        let byte = out[read];
        if byte != b'/' || last != b'/' {
            out[write] = byte;
            write += 1;
        }
        last = byte;
    }
    out.truncate(write);
}

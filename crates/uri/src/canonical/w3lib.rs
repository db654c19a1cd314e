//! The form of w3lib's `canonicalize_url` with its defaults, by which Scrapy distinguishes pages. The rules are derived
//! from the output of w3lib 2.5.
//!
//! 1. Scheme and host are in lower case, the digits of the host's triplets too, which all stay.
//! 2. In user information, unreserved characters and `!$&'()*+,` are bare; everything else, bare or not, is a triplet
//!    with digits in upper case, but for the first colon.
//! 3. A port is a number; the empty one goes, the default one stays.
//! 4. An IPv6 address is in the form of RFC 5952, without an IPv4 address at its end.
//! 5. In the path, triplets of unreserved characters and of `!$&'()*+,:=@[]|` are undone (the one of `;` is not);
//!    the others have digits in upper case.
//! 6. In a path that begins with a slash dot segments go (RFC 3986, 5.2.4); the empty path is `/`.
//! 7. Where the scheme has parameters by RFC 1808 ([`PARAMS`]), what follows the first `;` of the last segment stays to
//!    the letter, and goes with its `;` where it is empty. Rules 5 and 6 do not see it.
//! 8. The query is read by the rules of forms ([`query_params`](super::query_params)) and sorted by name, then
//!    value, as decoded. Each parameter is written with its `=`, unreserved characters bare, a space as `+` and
//!    everything else as triplets. The empty query goes.
//! 9. The fragment goes.
//! 10. An empty authority is written for the schemes of [`NETLOC`] where the path begins with a slash
//!     (`file:/a` is `file:///a`), and for others only before a path that begins with two.
//!
//! The form need not be a URI: `%5B`, `%5D` and `%7C` in a path are bare afterwards, which RFC 3986 (3.3) does
//! not allow. The form of a form that is a URI is the form.

use alloc::vec::Vec;
use std::io::Write;

use super::escape::unescape_where;
use super::pieces::{self, name_and_value};
use super::{DropParams, port_digits, write_scheme};
use crate::encode::params::form_bytes;
use crate::encode::{TRIPLETS, decoded_bytes};
use crate::grammar::chars::{self, is};
use crate::grammar::ip::{self, Literal};
use crate::normalize::{has_dot_segments, remove_dot_segments};
use crate::reference::UriRef;

/// The schemes of rule 7.
pub const PARAMS: &[&str] = &[
    "ftp", "hdl", "http", "https", "imap", "mms", "prospero", "rtsp", "rtsps", "rtspu", "sftp", "shttp",
    "sip", "sips", "tel",
];

/// The schemes of rule 10.
pub const NETLOC: &[&str] = &[
    "file", "ftp", "git", "git+ssh", "gopher", "http", "https", "imap", "mms", "nfs", "nntp", "prospero",
    "rsync", "rtsp", "rtsps", "rtspu", "sftp", "shttp", "snews", "svn", "svn+ssh", "telnet", "wais", "ws",
    "wss",
];

/// Whether a character is bare in user information (rule 2), or its triplet in a path is undone (rule 5).
fn is_undone(byte: u8, is_path: bool) -> bool {
    is(byte, chars::UNRESERVED)
        || matches!(byte, b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',')
        || is_path && matches!(byte, b':' | b'=' | b'@' | b'[' | b']' | b'|')
}

/// Appends the form of a URI.
pub(super) fn write(uri: &UriRef<'_>, drops: &DropParams, out: &mut Vec<u8>) {
    let mark = out.len();
    write_scheme(uri, out);
    let (has_params, has_netloc) = {
        let scheme = &out[mark..];
        let is_in = |list: &[&str]| list.iter().any(|name| name.as_bytes() == scheme);
        (is_in(PARAMS), is_in(NETLOC))
    };
    out.push(b':');
    // An empty port counts as no port.
    let has_authority = uri.authority().is_some_and(|authority| !matches!(authority, "" | ":"));
    if has_authority {
        out.extend_from_slice(b"//");
        write_authority(uri, out);
    }
    let from = out.len();
    write_path(uri.path(), has_params, out);
    if !has_authority && (has_netloc && out[from..].starts_with(b"/") || out[from..].starts_with(b"//")) {
        out.extend_from_slice(b"//");
        out[from..].rotate_right(2);
    }
    if let Some(query) = uri.query() {
        write_query(query, drops, out);
    }
}

/// Rules 1 to 4.
fn write_authority(uri: &UriRef<'_>, out: &mut Vec<u8>) {
    if let Some(userinfo) = uri.userinfo() {
        for (number, part) in userinfo.splitn(2, ':').enumerate() {
            if number > 0 {
                out.push(b':');
            }
            for byte in decoded_bytes(part.as_bytes(), b'+') {
                match is_undone(byte, false) {
                    true => out.push(byte),
                    false => out.extend_from_slice(&TRIPLETS[usize::from(byte)]),
                }
            }
        }
        out.push(b'@');
    }
    let host = uri.host().unwrap_or_default().as_bytes();
    match host.strip_prefix(b"[").map(ip::literal) {
        Some(Ok((Literal::V6(address), _))) => {
            let groups = address.segments();
            // As in RFC 5952, except for addresses that it writes with an IPv4 address at the end.
            write_ipv6(groups, out);
        }
        _ => {
            let from = out.len();
            out.extend_from_slice(host);
            out[from..].make_ascii_lowercase();
        }
    }
    if let Some(digits) = port_digits(uri) {
        out.push(b':');
        out.extend_from_slice(digits);
    }
}

/// Rule 4: the longest run of at least two zero groups, the first of equals, as `::`.
fn write_ipv6(groups: [u16; 8], out: &mut Vec<u8>) {
    let (mut gap, mut start) = (0..0, 0);
    for end in 0..=groups.len() {
        if end == groups.len() || groups[end] != 0 {
            if end - start > 1 && end - start > gap.len() {
                gap = start..end;
            }
            start = end + 1;
        }
    }
    out.push(b'[');
    for (i, group) in groups.into_iter().enumerate() {
        if gap.contains(&i) {
            if i == gap.start {
                out.extend_from_slice(b"::");
            }
            continue;
        }
        if i > 0 && i != gap.end {
            out.push(b':');
        }
        write!(out, "{group:x}").expect("a buffer takes everything");
    }
    out.push(b']');
}

/// Rules 5 to 7.
fn write_path(path: &str, has_params: bool, out: &mut Vec<u8>) {
    let last = path.rfind('/').map_or(0, |at| at + 1);
    let semicolon = path[last..].find(';').filter(|_| has_params);
    let (path, params) = match semicolon {
        Some(at) => (&path[..last + at], &path[last + at + 1..]),
        None => (path, ""),
    };
    let from = out.len();
    unescape_where(path.as_bytes(), |byte| is_undone(byte, true), out);
    if out.get(from) == Some(&b'/') && has_dot_segments(&out[from..]) {
        remove_dot_segments(out, from);
    }
    if out.len() == from {
        out.push(b'/');
    }
    if !params.is_empty() {
        out.push(b';');
        out.extend_from_slice(params.as_bytes());
    }
}

/// Rule 8.
fn write_query(query: &str, drops: &DropParams, out: &mut Vec<u8>) {
    let mark = out.len();
    out.push(b'?');
    let from = out.len();
    for piece in pieces::split(query.as_bytes()).filter(|piece| !piece.is_empty()) {
        if out.len() > from {
            out.push(b'&');
        }
        let (name, value) = name_and_value(piece);
        write_quoted(name, out);
        out.push(b'=');
        write_quoted(value.unwrap_or_default(), out);
    }
    pieces::sort(out, from, |a, b| {
        let (a, b) = (decoded(a), decoded(b));
        a.0.cmp(b.0).then_with(|| a.1.cmp(b.1))
    });
    drops.apply(out, from);
    if out.len() == from {
        out.truncate(mark);
    }
}

/// The decoded name and value of a piece.
fn decoded(piece: &[u8]) -> (impl Iterator<Item = u8>, impl Iterator<Item = u8>) {
    let (name, value) = name_and_value(piece);
    (form_bytes(name), form_bytes(value.unwrap_or_default()))
}

/// Decodes by the rules of forms and encodes again.
fn write_quoted(piece: &[u8], out: &mut Vec<u8>) {
    let (same, rest) = piece.split_at(chars::run(piece, chars::UNRESERVED));
    out.extend_from_slice(same);
    for byte in form_bytes(rest) {
        match byte {
            b' ' => out.push(b'+'),
            _ if is(byte, chars::UNRESERVED) => out.push(byte),
            _ => out.extend_from_slice(&TRIPLETS[usize::from(byte)]),
        }
    }
}

//! The form of crawler-commons' `BasicURLNormalizer`, which StormCrawler and other Java crawlers use.
//!
//! 1. Only `http`, `https`, `ftp` and `file` URIs have it (the original accepts every scheme that Java has a handler
//!    for: `mailto` passes there, in odd shapes); the scheme is in lower case.
//! 2. The fragment goes.
//! 3. In path and query, triplets of unreserved characters (RFC 3986, 2.3) are undone, the digits of all others
//!    are in upper case, and `[` and `]` would be encoded, if a URI could hold them there.
//! 4. The query is split at `&`. Parameters without a name go, so does the `=` before an empty value; what is
//!    left is sorted by name, and equal names keep their order. The empty query goes.
//! 5. In the path runs of slashes become one, then dot segments go (RFC 3986, 5.2.4); the empty path is `/`.
//!
//! And of `http`, `https` and `ftp`:
//!
//! 6. User information goes.
//! 7. The host's triplets are undone; it is in lower case, in its ASCII form by IDNA (UTS 46; the original has IDNA
//!    2003) and without dots at its end (the original takes one off). Where it then is not a host, there is no form.
//! 8. The default port and the empty one go; other ports are numbers.
//! 9. Without a host there is no `//`.
//!
//! `file` URIs keep their authority unchanged if 1 and 3 to 5 change nothing; otherwise user information and an empty
//! port go, and so does an empty authority: `file:///a/../b` is `file:/b`. So two forms of one file remain, `file:///b`
//! and `file:/b`.
//!
//! The form of a form is the form. To keep that, some errors of the original are not copied: it cuts a query off where
//! its `?` was before triplets of the path were undone, leaves `/..` before a `?`, takes the `/...` after a `/..` for
//! another one, and lets `%25` in a host become a bare `%`.

use alloc::vec::Vec;
use memchr::memmem;

use super::escape::unescape_where;
use super::{DropParams, pieces, port_digits, write_scheme};
use crate::encode::decode_leniently;
use crate::grammar::chars::{self, is};
use crate::grammar::scheme;
use crate::host::HostKind;
use crate::normalize::{has_dot_segments, remove_dot_segments};
use crate::reference::UriRef;

/// Appends the form of a URI; returns whether there is one.
pub(super) fn write(uri: &UriRef<'_>, drops: &DropParams, out: &mut Vec<u8>) -> bool {
    let mark = out.len();
    write_scheme(uri, out);
    let is_file = match &out[mark..] {
        b"http" | b"https" | b"ftp" => false,
        b"file" => true,
        _ => {
            out.truncate(mark);
            return false;
        }
    };
    let default_port = scheme::find(&out[mark..]).and_then(|scheme| scheme.default_port);
    out.push(b':');
    if is_file {
        write_file(uri, drops, mark, out);
        return true;
    }
    if uri.host().is_some_and(|host| !host.is_empty()) {
        let before = out.len();
        out.extend_from_slice(b"//");
        let from = out.len();
        if !write_host(uri, out) {
            out.truncate(mark);
            return false;
        }
        if out.len() == from {
            out.truncate(before);
        } else {
            write_port(uri, default_port, out);
        }
    }
    write_path_and_query(uri, drops, out);
    true
}

/// Rule 7; returns whether a (possibly empty) host was appended.
fn write_host(uri: &UriRef<'_>, out: &mut Vec<u8>) -> bool {
    let host = uri.host().unwrap_or_default();
    let from = out.len();
    if matches!(
        uri.host_kind(),
        Some(HostKind::DnsName | HostKind::Ipv4 | HostKind::Ipv6 | HostKind::IpvFuture)
    ) {
        out.extend_from_slice(host.as_bytes());
    } else {
        let decoded = decode_leniently(host);
        if decoded.is_ascii() {
            out.extend_from_slice(&decoded);
        } else if let Ok(name) = idna::domain_to_ascii_cow(&decoded, idna::AsciiDenyList::EMPTY) {
            out.extend_from_slice(name.as_bytes());
        } else {
            return false;
        }
        if !out[from..].iter().all(|&byte| is(byte, chars::REG_NAME)) {
            return false;
        }
    }
    out[from..].make_ascii_lowercase();
    while out.len() > from && out.last() == Some(&b'.') {
        out.pop();
    }
    true
}

/// Rule 8.
fn write_port(uri: &UriRef<'_>, default: Option<u16>, out: &mut Vec<u8>) {
    let Some(digits) = port_digits(uri) else { return };
    let number = core::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
    if number.is_none() || number != default {
        out.push(b':');
        out.extend_from_slice(digits);
    }
}

/// The rest of the form of a `file` URI, whose scheme is at `mark`.
fn write_file(uri: &UriRef<'_>, drops: &DropParams, mark: usize, out: &mut Vec<u8>) {
    let authority = uri.authority();
    let from = out.len();
    write_path_and_query(uri, drops, out);
    let text = uri.as_str().as_bytes();
    let split = uri.split();
    let as_it_was = &text[split.path_start as usize..split.query_end as usize];
    let is_same = out[from..] == *as_it_was && text.starts_with(&out[mark..from]);
    let end = out.len();
    match authority {
        Some(authority) if is_same => {
            out.extend_from_slice(b"//");
            out.extend_from_slice(authority.as_bytes());
        }
        Some(_) if uri.host().is_some_and(|host| !host.is_empty()) => {
            out.extend_from_slice(b"//");
            out.extend_from_slice(uri.host().unwrap_or_default().as_bytes());
            write_port(uri, None, out);
        }
        _ => {}
    }
    let len = out.len() - end;
    out[from..].rotate_right(len);
}

fn is_unreserved(byte: u8) -> bool {
    is(byte, chars::UNRESERVED)
}

/// Rules 3 to 5.
fn write_path_and_query(uri: &UriRef<'_>, drops: &DropParams, out: &mut Vec<u8>) {
    let from = out.len();
    if !uri.path().starts_with('/') {
        out.push(b'/');
    }
    unescape_where(uri.path().as_bytes(), is_unreserved, out);
    if memmem::find(&out[from..], b"//").is_some() {
        let mut write = from + 1;
        for read in from + 1..out.len() {
            if out[read] != b'/' || out[write - 1] != b'/' {
                out[write] = out[read];
                write += 1;
            }
        }
        out.truncate(write);
    }
    if has_dot_segments(&out[from..]) {
        remove_dot_segments(out, from);
    }
    let Some(query) = uri.query() else { return };
    let mark = out.len();
    out.push(b'?');
    let from = out.len();
    unescape_where(query.as_bytes(), is_unreserved, out);
    drop_empty(out, from);
    pieces::sort(out, from, |a, b| pieces::name_and_value(a).0.cmp(pieces::name_and_value(b).0));
    drops.apply(out, from);
    if out.len() == from {
        out.truncate(mark);
    }
}

/// Rule 4 except for the order.
fn drop_empty(out: &mut Vec<u8>, from: usize) {
    let is_named = |piece: &[u8]| !matches!(piece.first(), None | Some(b'='));
    if !pieces::split(&out[from..]).all(is_named) {
        pieces::retain(out, from, is_named);
    }
    if out.last() != Some(&b'=') && memmem::find(&out[from..], b"=&").is_none() {
        return;
    }
    // An `=` that begins and ends its piece.
    let (mut write, mut has_equals) = (from, false);
    for read in from..out.len() {
        let byte = out[read];
        let ends = matches!(out.get(read + 1), None | Some(b'&'));
        let goes = byte == b'=' && !has_equals && ends;
        has_equals = byte != b'&' && (has_equals || byte == b'=');
        if !goes {
            out[write] = byte;
            write += 1;
        }
    }
    out.truncate(write);
}

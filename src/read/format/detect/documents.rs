//! Documents and archives that are read record by record although these are not lines: ARC files, sitemaps, feeds, HAR
//! files, dumps of Nutch. By how they begin.

use crate::read::format::{arc, feed, nutch, sitemap};

/// The format of an input that begins with `first`, if it is one of these.
pub(in crate::read) fn framed(first: &[u8]) -> Option<&'static str> {
    if first.starts_with(arc::MAGIC) {
        return Some("arc");
    }
    if nutch::begins(first) {
        return Some("nutch");
    }
    if is_har(first) {
        return Some("har");
    }
    let root = root(first)?;
    let local = root.rsplit(|&b| b == b':').next().unwrap_or(root);
    let has =
        |roots: &[crate::read::format::framing::Root]| roots.iter().any(|root| root.name.as_bytes() == local);
    match (has(sitemap::ROOTS), has(feed::ROOTS)) {
        (true, _) => Some("sitemap"),
        (_, true) => Some("feed"),
        _ => None,
    }
}

/// Whether it is an array of objects, whose members a user names; or one without any.
pub(in crate::read) fn is_array(first: &[u8]) -> bool {
    let rest = first.trim_ascii_start().strip_prefix(b"[").unwrap_or_default().trim_ascii();
    rest.starts_with(b"{") || rest == b"]"
}

/// `{"log": {`, and the names of its members, of which these are always there.
fn is_har(first: &[u8]) -> bool {
    let after = |rest: &[u8], text: &[u8]| rest.trim_ascii_start().strip_prefix(text).map(<[u8]>::to_vec);
    let log = after(first, b"{").and_then(|rest| after(&rest, b"\"log\""));
    let log = log.and_then(|rest| after(&rest, b":")).and_then(|rest| after(&rest, b"{"));
    let has = |rest: &[u8], name: &[u8]| memchr::memmem::find(rest, name).is_some();
    log.is_some_and(|rest| has(&rest, b"\"creator\"") || has(&rest, b"\"entries\""))
}

/// The name of the root of an XML document.
pub(super) fn root(first: &[u8]) -> Option<&[u8]> {
    let mut rest = first.trim_ascii_start();
    loop {
        let behind = rest.strip_prefix(b"<")?;
        let end: &[u8] = match behind.first()? {
            b'?' => b"?>",
            b'!' if behind.starts_with(b"!--") => b"-->",
            b'!' => {
                // A document's type may have declarations in brackets.
                let bracket = behind.iter().position(|&b| matches!(b, b'[' | b'>'));
                if bracket.is_some_and(|at| behind[at] == b'[') { b"]>" } else { b">" }
            }
            _ => {
                let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'>' | b'/');
                return behind.iter().position(is_end).map(|len| &behind[..len]);
            }
        };
        let end = memchr::memmem::find(behind, end)? + end.len();
        rest = behind[end..].trim_ascii_start();
    }
}

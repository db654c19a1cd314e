//! Session identifiers that the Internet Archive strips, because each visit of a crawler got a new one.
//!
//! In a query, in this order and each the last time that it occurs (letters in either case, `X` a letter or a digit,
//! `A` a letter), up to and with the `&` after it:
//!
//! ```text
//! jsessionid=X{32}   phpsessid=X{32}   sid=X{32}   aspsessionidA{8}=A{24}   cfid=…&cftoken=…
//! ```
//!
//! The text before the name is not looked at (of `asid=…` only the `a` stays), and an `&` before it stays, as in the
//! keys of existing indexes.
//!
//! In a path the segment of ASP.NET where a later one holds `.aspx` after at least one character, `A` a letter:
//!
//! ```text
//! /(A(X{24})A(X{24})…)/   /(X{24})/
//! ```

use alloc::vec::Vec;
use memchr::{memchr, memchr_iter, memmem, memrchr, memrchr_iter};

/// The length of a name before an `=` and of the value after it; `None` if it is not a session identifier.
type Rule = fn(&[u8], &[u8]) -> Option<(usize, usize)>;

const RULES: [Rule; 5] = [
    |before, behind| fixed(before, behind, b"jsessionid"),
    |before, behind| fixed(before, behind, b"phpsessid"),
    |before, behind| fixed(before, behind, b"sid"),
    asp_session,
    cold_fusion,
];

/// Strips the session identifiers from the query `out[from..]`.
pub(super) fn strip_query(out: &mut Vec<u8>, from: usize) {
    if !may_have_session(&out[from..]) {
        return;
    }
    for rule in RULES {
        let query = &out[from..];
        let found = memrchr_iter(b'=', query).find_map(|at| {
            let (name, value) = rule(&query[..at], &query[at + 1..])?;
            let end = at + 1 + value;
            match query.get(end) {
                None => Some(at - name..end),
                Some(b'&') => Some(at - name..end + 1),
                Some(_) => None,
            }
        });
        if let Some(range) = found {
            out.drain(from + range.start..from + range.end);
        }
    }
}

/// Whether [`strip_query`] would strip something.
pub(super) fn has_any(query: &[u8]) -> bool {
    memchr_iter(b'=', query).any(|at| {
        let (before, behind) = (&query[..at], &query[at + 1..]);
        RULES.iter().any(|rule| {
            rule(before, behind).is_some_and(|(_, value)| matches!(behind.get(value), None | Some(b'&')))
        })
    })
}

/// False positives are allowed, false negatives are not: every name ends in `d`, or in `d` and eight letters.
fn may_have_session(query: &[u8]) -> bool {
    let is_d = |at: Option<usize>| at.is_some_and(|at| query[at] | 0x20 == b'd');
    memchr_iter(b'=', query).any(|at| is_d(at.checked_sub(1)) || is_d(at.checked_sub(9)))
}

fn fixed(before: &[u8], behind: &[u8], name: &[u8]) -> Option<(usize, usize)> {
    (ends_with(before, name) && begins_with(behind, 32, u8::is_ascii_alphanumeric))
        .then_some((name.len(), 32))
}

fn asp_session(before: &[u8], behind: &[u8]) -> Option<(usize, usize)> {
    let (name, letters) = before.split_at_checked(before.len().checked_sub(8)?)?;
    let is_session = ends_with(name, b"aspsessionid")
        && letters.iter().all(u8::is_ascii_alphabetic)
        && begins_with(behind, 24, u8::is_ascii_alphabetic);
    is_session.then_some((20, 24))
}

fn cold_fusion(before: &[u8], behind: &[u8]) -> Option<(usize, usize)> {
    const TOKEN: &[u8] = b"&cftoken=";
    if !ends_with(before, b"cfid") {
        return None;
    }
    let id = memchr(b'&', behind).filter(|&len| len > 0)?;
    let token = behind.get(id + TOKEN.len()..)?;
    let value = memchr(b'&', token).unwrap_or(token.len());
    let is_token = behind[id..id + TOKEN.len()].eq_ignore_ascii_case(TOKEN) && value > 0;
    is_token.then_some((4, id + TOKEN.len() + value))
}

/// Ignoring case.
fn ends_with(text: &[u8], end: &[u8]) -> bool {
    text.len() >= end.len() && text[text.len() - end.len()..].eq_ignore_ascii_case(end)
}

fn begins_with(text: &[u8], count: usize, class: fn(&u8) -> bool) -> bool {
    text.get(..count).is_some_and(|bytes| bytes.iter().all(class))
}

/// Strips the session identifiers from the path `out[from..]`, which is in lower case.
///
/// The page may follow the segment anywhere, unless a question mark (once encoded) is between them. So each stretch
/// between question marks is searched by itself, for its last page.
pub(super) fn strip_path(out: &mut Vec<u8>, from: usize) {
    if memchr(b'(', &out[from..]).is_none() {
        return;
    }
    for segment in [lettered as fn(&[u8]) -> Option<usize>, bare] {
        let mut end = out.len();
        while end > from {
            let start = memrchr(b'?', &out[from..end]).map_or(from, |at| from + at + 1);
            let stretch = &out[start..end];
            let page = memmem::rfind(stretch, b".aspx").unwrap_or(0);
            let found = memrchr_iter(b'/', &stretch[..page]).find_map(|slash| {
                let behind = slash + 1 + segment(&stretch[slash + 1..])?;
                // At least one character is before the extension.
                (behind < page).then_some(slash + 1..behind)
            });
            if let Some(range) = found {
                out.drain(start + range.start..start + range.end);
                break;
            }
            end = start.saturating_sub(1);
        }
    }
}

/// The length of a segment `(A(X{24})…)/`, slash included.
fn lettered(path: &[u8]) -> Option<usize> {
    let mut rest = path.strip_prefix(b"(")?;
    let mut count = 0;
    while let [letter, inner @ ..] = rest
        && letter.is_ascii_alphabetic()
        && let Some(behind) = identifier(inner)
    {
        rest = behind;
        count += 1;
    }
    let rest = rest.strip_prefix(b")/").filter(|_| count > 0)?;
    Some(path.len() - rest.len())
}

/// The length of a segment `(X{24})/`, slash included.
fn bare(path: &[u8]) -> Option<usize> {
    let rest = identifier(path)?.strip_prefix(b"/")?;
    Some(path.len() - rest.len())
}

/// The text after `(X{24})`.
fn identifier(text: &[u8]) -> Option<&[u8]> {
    let inner = text.strip_prefix(b"(")?;
    begins_with(inner, 24, u8::is_ascii_alphanumeric).then(|| inner[24..].strip_prefix(b")"))?
}

//! The sets of the standard (1.3) as one table, and the writer that encodes by them.

use alloc::vec::Vec;

use crate::simd;
use crate::standard::Standard;

/// A set of ASCII bytes. Every byte from 0x80 up is in all percent-encode sets.
pub(super) type Set = u8;

/// C0 control percent-encode set: C0 controls and all above U+007E.
pub(super) const C0_CONTROL: Set = 1 << 0;
/// Fragment percent-encode set: C0 controls, space, `"`, `<`, `>`, backquote.
pub(super) const FRAGMENT: Set = 1 << 1;
/// Query percent-encode set: C0 controls, space, `"`, `#`, `<`, `>`.
pub(super) const QUERY: Set = 1 << 2;
/// Special-query percent-encode set: the query's and `'`.
pub(super) const SPECIAL_QUERY: Set = 1 << 3;
/// Path percent-encode set: the query's, `?`, `^`, backquote, braces.
pub(super) const PATH: Set = 1 << 4;
/// Userinfo percent-encode set: the path's, `/`, `:`, `;`, `=`, `@`, `[` to `]`, `|`.
pub(super) const USERINFO: Set = 1 << 5;
/// Forbidden host code points (3.2).
pub(super) const FORBIDDEN_HOST: Set = 1 << 6;
/// Forbidden domain code points (3.2): those, C0 controls, `%` and DEL.
pub(super) const FORBIDDEN_DOMAIN: Set = 1 << 7;

const SETS: [Set; 256] = {
    let mut sets = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        sets[byte] = sets_of(byte as u8);
        byte += 1;
    }
    sets
};

const fn sets_of(b: u8) -> Set {
    let mut set = 0;
    if b < 0x20 || b > 0x7e {
        set |= C0_CONTROL;
    }
    let c0 = set != 0;
    if c0 || matches!(b, b' ' | b'"' | b'<' | b'>' | b'`') {
        set |= FRAGMENT;
    }
    let query = c0 || matches!(b, b' ' | b'"' | b'#' | b'<' | b'>');
    if query {
        set |= QUERY;
    }
    if query || b == b'\'' {
        set |= SPECIAL_QUERY;
    }
    let path = query || matches!(b, b'?' | b'^' | b'`' | b'{' | b'}');
    if path {
        set |= PATH;
    }
    if path || matches!(b, b'/' | b':' | b';' | b'=' | b'@' | b'['..=b']' | b'|') {
        set |= USERINFO;
    }
    let forbidden = matches!(
        b,
        0 | b'\t' | b'\n' | b'\r' | b' ' | b'#' | b'/' | b':' | b'<' | b'>' | b'?' | b'@' | b'['
            ..=b'^' | b'|'
    );
    if forbidden {
        set |= FORBIDDEN_HOST;
    }
    if forbidden || b < 0x20 || b == b'%' || b == 0x7f {
        set |= FORBIDDEN_DOMAIN;
    }
    set
}

/// Whether a byte is in a set.
#[inline(always)]
pub(super) const fn is(byte: u8, set: Set) -> bool {
    SETS[byte as usize] & set != 0
}

/// Appends a text, each byte of the set as a triplet (1.3, UTF-8 percent-encode).
#[inline]
pub(super) fn write(text: &[u8], set: Set, out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = rest.iter().position(|&byte| is(byte, set)) {
        out.extend_from_slice(&rest[..at]);
        write_triplet(rest[at], out);
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// [`write`] for a path, a query or a fragment. The characters that kernels accept as text are in none of their sets.
#[inline]
pub(super) fn write_text(text: &[u8], set: Set, out: &mut Vec<u8>) {
    let run = simd::text_run(text, (Standard::Whatwg, None));
    out.extend_from_slice(&text[..run]);
    write(&text[run..], set, out);
}

/// Appends one byte as a triplet.
fn write_triplet(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}

/// The offsets of the bytes of a text that begin a code point that is not a URL unit (4.3): neither a URL code point
/// nor a percent sign with two hexadecimal digits.
pub(super) fn invalid_units(text: &[u8]) -> impl Iterator<Item = usize> {
    let is_triplet =
        |at: usize| text.get(at + 1..at + 3).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    // The text has been decoded, so that it is UTF-8.
    let units = core::str::from_utf8(text).unwrap_or_default();
    units
        .char_indices()
        .filter(move |&(at, unit)| match unit {
            '%' => !is_triplet(at),
            unit => !is_url_code_point(unit),
        })
        .map(|(at, _)| at)
}

/// URL code points (4.3).
fn is_url_code_point(unit: char) -> bool {
    match unit {
        'a'..='z' | 'A'..='Z' | '0'..='9' => true,
        '!' | '$' | '&' | '\'' | '(' | ')' | '*' | '+' | ',' | '-' | '.' | '/' | ':' | ';' | '=' | '?'
        | '@' | '_' | '~' => true,
        '\u{fdd0}'..='\u{fdef}' => false,
        // The last two code points of each plane are noncharacters.
        '\u{a0}'.. => u32::from(unit) & 0xfffe != 0xfffe,
        _ => false,
    }
}

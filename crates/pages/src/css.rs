//! The references of a style sheet: `url(…)` and `@import`. The text is tokenized only as far as they need (CSS Syntax,
//! 4.3): comments, strings and escapes.

use std::io::{self, Read};

use super::stream::LONGEST_VALUE;

/// A reference, its place, and whether it is an `@import`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) url: Vec<u8>,
    pub(super) at: usize,
    pub(super) is_import: bool,
}

/// Functions whose strings are URLs (CSS Images, 2.4; CSS Values, 4.5).
const FUNCTIONS: [&[u8]; 3] = [b"image-set", b"-webkit-image-set", b"src"];

/// The bytes with a meaning outside of comments, strings, escapes and URLs: all others are skipped.
const SPECIAL: [bool; 256] = {
    let (bytes, mut special, mut at) = (b"/\"'@\\();{}", [false; 256], 0);
    while at < bytes.len() {
        special[bytes[at] as usize] = true;
        at += 1;
    }
    special
};

/// How much of a stream must be seen before and after a byte with a meaning: more than the longest of these names.
const AROUND: usize = 24;

/// The references of a style sheet, or of declarations.
pub(super) fn references(text: &[u8], each: impl FnMut(Found)) {
    scan(text, &mut State::default(), true, each);
}

/// The same for a style sheet that is a stream. Returns whether all of it was read: only the beginning of a string that
/// is too long is read.
///
/// # Errors
/// The errors of the stream.
pub(super) fn references_in(page: impl Read, each: impl FnMut(Found)) -> io::Result<bool> {
    references_by(STEP, page, each)
}

/// The same, with this many bytes at a time.
pub(super) fn references_by(
    step: usize,
    mut page: impl Read,
    mut each: impl FnMut(Found),
) -> io::Result<bool> {
    let (mut text, mut start) = (Vec::new(), 0);
    let (mut state, mut is_whole) = (State::default(), true);
    loop {
        // Reads as much again as is undecided, so that a long string is not read too often.
        let wanted = step.max(text.len() - state.at);
        let count = (&mut page).take(wanted as u64).read_to_end(&mut text)?;
        let is_cut = text.len() - state.at > LONGEST_VALUE;
        is_whole &= !is_cut;
        let is_last = count == 0;
        scan(&text, &mut state, is_last || is_cut, |found| each(Found { at: start + found.at, ..found }));
        if is_last {
            return Ok(is_whole);
        }
        let passed = state.at.saturating_sub(AROUND);
        text.drain(..passed);
        (start, state.at, state.behind) =
            (start + passed, state.at - passed, state.behind.saturating_sub(passed));
    }
}

/// How many bytes of a stream are read at once.
const STEP: usize = 256 << 10;

/// The state at a place of a style sheet.
#[derive(Default)]
struct State {
    /// The place, and where the last comment, string, escape or URL ended.
    at: usize,
    behind: usize,
    is_import: bool,
    /// How many brackets are open, and how many were open in the function whose strings are URLs.
    depth: usize,
    function: Option<usize>,
    in_comment: bool,
}

/// Finds references up to the end of the text, or up to a token that may go on in the text after it.
fn scan(text: &[u8], state: &mut State, is_last: bool, mut each: impl FnMut(Found)) {
    let State { at, behind, is_import, depth, function, in_comment } = state;
    loop {
        if *in_comment {
            match memchr::memmem::find(&text[*at..], b"*/") {
                Some(end) => (*in_comment, *at) = (false, *at + end + 2),
                // The asterisk may be there already.
                None => {
                    *at = if is_last { text.len() } else { text.len().saturating_sub(1).max(*at) };
                    return;
                }
            }
            *behind = *at;
        }
        let Some(plain) = text[*at..].iter().position(|&b| SPECIAL[usize::from(b)]) else {
            *at = text.len();
            return;
        };
        *at += plain;
        let rest = &text[*at..];
        if !is_last && rest.len() < AROUND {
            return;
        }
        match rest[0] {
            b'/' if rest.starts_with(b"/*") => {
                *in_comment = true;
                *at += 2;
                continue;
            }
            b'"' | b'\'' => {
                let (url, len) = string(rest);
                if !is_last && len == rest.len() {
                    return;
                }
                if *is_import || *function == Some(*depth) {
                    each(Found { url, at: *at + 1, is_import: *is_import });
                }
                *is_import = false;
                *at += len;
                *behind = *at;
                continue;
            }
            b'@' => *is_import = name_is(&rest[1..], b"import"),
            b'\\' => {
                // Escaped characters do not begin a name.
                *at = text.len().min(*at + 2);
                *behind = *at;
                continue;
            }
            b'(' => {
                let name = name_before(text, (*behind, *at));
                if name.eq_ignore_ascii_case(b"url") {
                    let blank = rest[1..].iter().take_while(|b| b.is_ascii_whitespace()).count();
                    let begin = 1 + blank;
                    let (url, len, quotes) = match rest.get(begin) {
                        Some(b'"' | b'\'') => {
                            let (url, len) = string(&rest[begin..]);
                            (Some(url), len, 1)
                        }
                        _ => {
                            let (url, len) = unquoted(&rest[begin..]);
                            (url, len, 0)
                        }
                    };
                    if !is_last && begin + len == rest.len() {
                        return;
                    }
                    if let Some(url) = url {
                        each(Found { url, at: *at + begin + quotes, is_import: *is_import });
                    }
                    *is_import = false;
                    *at += begin + len;
                    *behind = *at;
                    continue;
                }
                *depth += 1;
                if function.is_none() && FUNCTIONS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
                    *function = Some(*depth);
                }
            }
            b')' => {
                *function = function.filter(|&opened| opened != *depth);
                *depth = depth.saturating_sub(1);
            }
            b';' | b'{' | b'}' => (*is_import, *depth, *function) = (false, 0, None),
            _ => {}
        }
        // An `@` begins a name, which may be `import`; its letters end nothing.
        *at += 1;
    }
}

/// The name that ends before `at`, if all of it comes after `behind`.
fn name_before(text: &[u8], (behind, at): (usize, usize)) -> &[u8] {
    let length = text[..at].iter().rev().take_while(|&&b| is_in_name(b)).count();
    text.get(behind..at).and_then(|plain| plain.get(plain.len().checked_sub(length)?..)).unwrap_or_default()
}

fn begins(text: &[u8], prefix: &[u8]) -> bool {
    text.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
}

/// Whether this name begins here.
fn name_is(text: &[u8], name: &[u8]) -> bool {
    begins(text, name) && !text.get(name.len()).is_some_and(|&b| is_in_name(b))
}

fn is_in_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_') || b >= 0x80
}

/// A string that begins with its quote (4.3.5): its value, and its length with the quotes. A line end makes it a bad
/// string, which ends there.
fn string(text: &[u8]) -> (Vec<u8>, usize) {
    let (quote, mut out, mut at) = (text[0], Vec::new(), 1);
    while let Some(&b) = text.get(at) {
        match b {
            b if b == quote => return (out, at + 1),
            b'\n' | b'\r' | 0x0c => return (out, at),
            b'\\' => at += escape(&text[at..], &mut out),
            b => {
                out.push(b);
                at += 1;
            }
        }
    }
    (out, at)
}

/// The text in `url(…)` without quotes (4.3.6), if it is a URL, and its length with the bracket.
fn unquoted(text: &[u8]) -> (Option<Vec<u8>>, usize) {
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(&b) = text.get(at) {
        match b {
            b')' => return (Some(out), at + 1),
            b'\\' if !matches!(text.get(at + 1), Some(b'\n' | b'\r' | 0x0c) | None) => {
                at += escape(&text[at..], &mut out);
            }
            b if b.is_ascii_whitespace() => {
                let blank = text[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
                at += blank;
                match text.get(at) {
                    None => return (Some(out), at),
                    Some(b')') => return (Some(out), at + 1),
                    Some(_) => return (None, bad(text, at)),
                }
            }
            b'"' | b'\'' | b'(' | b'\\' | 0..=0x1f | 0x7f => return (None, bad(text, at)),
            b => {
                out.push(b);
                at += 1;
            }
        }
    }
    (Some(out), at)
}

/// Where a bad URL ends (4.3.14).
fn bad(text: &[u8], mut at: usize) -> usize {
    while let Some(&b) = text.get(at) {
        at += 1;
        match b {
            b')' => break,
            b'\\' => at += 1,
            _ => {}
        }
    }
    at.min(text.len())
}

/// Appends the character of an escape (4.3.7), and returns the length of the escape. An escaped line end adds nothing.
fn escape(text: &[u8], out: &mut Vec<u8>) -> usize {
    match text.get(1) {
        None => 1,
        Some(b'\r') if text.get(2) == Some(&b'\n') => 3,
        Some(b'\n' | b'\r' | 0x0c) => 2,
        Some(b) if b.is_ascii_hexdigit() => {
            let digits = text[1..].iter().take(6).take_while(|b| b.is_ascii_hexdigit()).count();
            let number = std::str::from_utf8(&text[1..1 + digits]).ok();
            let number = number.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let c = number.filter(|&number| number != 0).and_then(char::from_u32).unwrap_or('\u{fffd}');
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            let blank = match &text[1 + digits..] {
                [b'\r', b'\n', ..] => 2,
                [b, ..] if b.is_ascii_whitespace() => 1,
                _ => 0,
            };
            1 + digits + blank
        }
        Some(&b) => {
            out.push(b);
            2
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_style_sheets() {
        // (text, URLs with where they begin; `@` before those of imports): CSS Syntax, 4.3
        let table: &[(&str, &[(&str, usize)])] = &[
            ("a { background: url(b.png) }", &[("b.png", 20)]),
            ("a{b:URL( 'c d' )}", &[("c d", 10)]),
            ("a{b:url(\"c)d\")}", &[("c)d", 9)]),
            ("a{b:url(c d)} e{f:url(g)}", &[("g", 22)]),
            ("a{b:url(c\"d)} e{f:url(g)}", &[("g", 22)]),
            ("a{b:url(c\\)d\\20 e)}", &[("c)d e", 8)]),
            ("a{b:url()}", &[("", 8)]),
            ("a{b:url(c", &[("c", 8)]),
            ("a{b:curl(c)} d{e:\\4url(f)} g{h:\\url(i)} j{k:\\(url(l)}", &[("l", 50)]),
            ("a{b:c/**/url(d)'e'url(f)url(g)}", &[("d", 13), ("f", 22), ("g", 28)]),
            ("/* url(a) */ b{c:url(d)}", &[("d", 21)]),
            ("a{b:'url(c)'} d{e:url(f)}", &[("f", 22)]),
            ("@import 'a.css'; @import url(b.css) print;", &[("@a.css", 9), ("@b.css", 29)]),
            ("@import \"a\\\nb\"; @charset 'x'", &[("@ab", 9)]),
            ("@imported 'a'; @import; 'b'", &[]),
            ("@font-face{src:url(a.woff2) format('woff2'),url(b)}", &[("a.woff2", 19), ("b", 48)]),
            ("a{b:url(\\0 \\110000 c)}", &[("\u{fffd}\u{fffd}c", 8)]),
            ("a{b:'c\nd} e{f:url(g)}", &[("g", 18)]),
            ("/* url(a)", &[]),
            // CSS Images, 2.4: strings are URLs, but that of a type; CSS Values, 4.5
            ("a{b:image-set('c' 1x type('d'), \"e\" 2x, url(f) 3x) 'g'}", &[("c", 15), ("e", 33), ("f", 44)]),
            ("a{b:-WEBKIT-image-set('c' 1x)} d{e:my-image-set('f')}", &[("c", 23)]),
            ("a{b:src('c')} @font-face{src:local('d')}", &[("c", 9)]),
            ("a{b:image-set('c'} d{e:'f'}", &[("c", 15)]),
        ];
        for (text, expected) in table {
            let mut found = Vec::new();
            references(text.as_bytes(), |one| {
                let mark = if one.is_import { "@" } else { "" };
                found.push((format!("{mark}{}", String::from_utf8(one.url).expect("UTF-8")), one.at));
            });
            let expected: Vec<_> = expected.iter().map(|&(url, at)| (url.to_owned(), at)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}

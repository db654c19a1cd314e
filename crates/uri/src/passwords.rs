//! Passwords in texts (RFC 3986 sections 3.2.1 and 7.5): where they are, and the text without them. Every module may
//! use this one and `printable`, because messages everywhere quote texts, and a message must not reveal secrets to a
//! reader of logs.
//!
//! A text may be a URI, an invalid one, or a whole line of a log with several. The search is for user information after
//! two or more slashes: at the beginning of the text or after its scheme, up to the next `/`, `?` or `#`; elsewhere
//! after a colon, a quote, a bracket, `=` or white space, and within the part that white space, quotes, brackets and
//! `&` delimit. Backslashes count as slashes, since browsers take them for that and JSON writes `\/`. Nothing is
//! decoded. In an invalid text rather too much is hidden than too little.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use memchr::{memchr, memchr2, memrchr};

/// The replacement of a password.
pub const MASK: &str = "***";

/// What is hidden of the user information in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Hide {
    /// Nothing.
    #[default]
    Nothing,
    /// Everything after its first colon: [`MASK`] replaces it.
    Passwords,
    /// All of it, with its `@`.
    UserInfo,
}

/// `text` with its passwords masked; borrowed where there is none.
///
/// ```
/// use urimill_uri::passwords::masked;
///
/// assert_eq!(masked("http://joe:secret@h/"), "http://joe:***@h/");
/// assert_eq!(masked("GET http://h/?from=ftp://joe:secret@h 200"), "GET http://h/?from=ftp://joe:***@h 200");
/// assert_eq!(masked("mailto:joe:x@h"), "mailto:joe:x@h");
/// ```
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    match hidden(text.as_bytes(), Hide::Passwords) {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// `text` without what `hide` names. A second call changes nothing.
#[must_use]
pub fn hidden(text: &[u8], hide: Hide) -> Cow<'_, [u8]> {
    let cuts = cuts(text, hide);
    if cuts.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(without(text, &cuts, hide)) }
}

/// The same for user information by itself, without its `@`: `None` where all of it is hidden.
#[must_use]
pub fn hidden_userinfo(userinfo: &[u8], hide: Hide) -> Option<Cow<'_, [u8]>> {
    match (hide, memchr(b':', userinfo)) {
        (Hide::UserInfo, _) => None,
        (Hide::Passwords, Some(colon)) if colon + 1 < userinfo.len() => {
            Some(Cow::Owned([&userinfo[..=colon], MASK.as_bytes()].concat()))
        }
        _ => Some(Cow::Borrowed(userinfo)),
    }
}

/// [`hidden_userinfo`] for an authority or a host by RFC 2396, where a registry's name may hold user information: the
/// part before the last `@`.
#[must_use]
pub fn masked_authority(authority: &str) -> Cow<'_, str> {
    let Some(at) = memrchr(b'@', authority.as_bytes()) else { return Cow::Borrowed(authority) };
    match hidden_userinfo(&authority.as_bytes()[..at], Hide::Passwords) {
        Some(Cow::Owned(shown)) => {
            Cow::Owned(String::from_utf8_lossy(&shown).into_owned() + &authority[at..])
        }
        _ => Cow::Borrowed(authority),
    }
}

/// A text with its passwords masked, and the map from offsets in the original to offsets in it.
#[derive(Debug, Clone)]
pub struct Masked {
    /// The text.
    pub text: Vec<u8>,
    cuts: Vec<Range<usize>>,
}

impl Masked {
    /// Masks the passwords of a text, or none where `shows` them.
    #[must_use]
    pub fn new(text: &[u8], shows: bool) -> Masked {
        let cuts = if shows { Vec::new() } else { cuts(text, Hide::Passwords) };
        Masked { text: without(text, &cuts, Hide::Passwords), cuts }
    }

    /// Whether the byte at `offset` of the original text is hidden.
    #[must_use]
    pub fn hides(&self, offset: usize) -> bool {
        self.cuts.iter().any(|cut| cut.contains(&offset))
    }

    /// The new offset of the byte at `offset` of the original text; within a mask if it is hidden.
    #[must_use]
    pub fn at(&self, offset: usize) -> usize {
        let (mut lost, mut won) = (0, 0);
        for cut in &self.cuts {
            if offset < cut.end {
                let within = offset.saturating_sub(cut.start);
                return offset + won - lost - within + within.min(MASK.len() - 1);
            }
            lost += cut.len();
            won += MASK.len();
        }
        offset + won - lost
    }
}

fn without(text: &[u8], cuts: &[Range<usize>], hide: Hide) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        out.extend_from_slice(&text[at..cut.start]);
        if hide == Hide::Passwords {
            out.extend_from_slice(MASK.as_bytes());
        }
        at = cut.end;
    }
    out.extend_from_slice(&text[at..]);
    out
}

/// The ranges to cut out of a text, in order.
fn cuts(text: &[u8], hide: Hide) -> Vec<Range<usize>> {
    let mut cuts = Vec::new();
    // True of nearly all texts, and quick to find out.
    if hide == Hide::Nothing || memchr(b'@', text).is_none() {
        return cuts;
    }
    let mut at = 0;
    while let Some(found) = memchr2(b'/', b'\\', &text[at..]) {
        let slashes = at + found;
        at = slashes + run(&text[slashes..], |b| matches!(b, b'/' | b'\\'));
        if at - slashes < 2 {
            continue;
        }
        let is_first = is_beginning(&text[..slashes]);
        if !is_first && !announces(&text[..slashes]) {
            continue;
        }
        let quoted = if is_first { None } else { quoted(text, slashes) };
        let scope = &text[at..quoted.unwrap_or(text.len())];
        let end = userinfo_end(scope, is_first || quoted.is_some());
        let Some(end) = end.map(|length| at + length) else { continue };
        let cut = match hide {
            Hide::UserInfo => at..end + 1,
            _ => memchr(b':', &text[at..end]).map_or(end, |colon| at + colon + 1)..end,
        };
        if !cut.is_empty() && text[cut.clone()] != *MASK.as_bytes() {
            cuts.push(cut);
        }
        at = end;
    }
    cuts
}

/// The end of the quotes or brackets around the URI whose authority follows `slashes`: their contents are one text, as
/// in JSON.
fn quoted(text: &[u8], slashes: usize) -> Option<usize> {
    let is_scheme = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b':');
    let start = text[..slashes].iter().rposition(|b| !is_scheme(b))?;
    let closing = match text[start] {
        b'"' => b'"',
        b'<' => b'>',
        _ => return None,
    };
    memchr(closing, &text[slashes..]).map(|length| slashes + length)
}

/// Whether the text before slashes within a text makes them the beginning of an authority: it ends with the colon of a
/// scheme (also as repair may have encoded it) or with a character that a network-path reference may follow.
fn announces(before: &[u8]) -> bool {
    match before {
        [.., b':' | b'"' | b'\'' | b'<' | b'(' | b'=' | b'`'] | [.., b'%', b'3', b'A' | b'a'] => true,
        [.., last] => last.is_ascii_whitespace(),
        [] => true,
    }
}

/// Whether only a scheme precedes the slashes, perhaps after a delimiter of URIs in text (Appendix C).
fn is_beginning(before: &[u8]) -> bool {
    let delimiters = run(before, |b| b.is_ascii_whitespace() || matches!(b, b'<' | b'"' | b'\''));
    let mut name = &before[delimiters..];
    if name.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"url:")) {
        name = name[4..].trim_ascii_start();
        name = name.strip_prefix(b"<").unwrap_or(name);
    }
    let is_scheme = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    match name.strip_suffix(b":") {
        Some(name) => run(name, is_scheme) == name.len(),
        None => name.is_empty(),
    }
}

/// The length of the user information at the start of `text`, without its `@`.
fn userinfo_end(text: &[u8], is_first: bool) -> Option<usize> {
    let delimits =
        |b: u8| b <= b' ' || matches!(b, b'"' | b'<' | b'>' | b'`' | b'|' | b'{' | b'}' | b'^' | b'&');
    let end = run(text, |b| !matches!(b, b'/' | b'?' | b'#') && (is_first || !delimits(b)));
    if let Some(at) = memrchr(b'@', &text[..end]) {
        return Some(at);
    }
    // A password with a slash in it makes the port not a number, and the text not a URI.
    let port = &text[..end][memchr(b':', &text[..end])? + 1..];
    if !is_first || text[0] == b'[' || port.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let rest = run(&text[end..], |b| !b.is_ascii_whitespace());
    let at = end + memchr(b'@', &text[end..end + rest])?;
    let more = run(&text[at..end + rest], |b| !matches!(b, b'/' | b'?' | b'#'));
    memrchr(b'@', &text[..at + more])
}

/// The length of the prefix of `text` whose bytes satisfy `is_such`.
fn run(text: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&b| !is_such(b)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (text, masked, without user information)
    #[rustfmt::skip]
    const TABLE: &[(&str, &str, &str)] = &[
        ("http://joe:secret@h/", "http://joe:***@h/", "http://h/"),
        ("HTTP://joe:a:b@h:80/x@y", "HTTP://joe:***@h:80/x@y", "HTTP://h:80/x@y"),
        ("//joe:secret@h", "//joe:***@h", "//h"),
        ("http://joe@h/", "http://joe@h/", "http://h/"),
        ("http://@h/", "http://@h/", "http://h/"),
        ("http://joe:@h/", "http://joe:@h/", "http://h/"),
        ("http://:pw@h/", "http://:***@h/", "http://h/"),
        ("http://u:a@b@h/", "http://u:***@h/", "http://h/"),
        ("http://joe:se cret@h/ x", "http://joe:***@h/ x", "http://h/ x"),
        (" <http://joe:pw@h/>", " <http://joe:***@h/>", " <http://h/>"),
        ("URL:<http://joe:p w@h/>", "URL:<http://joe:***@h/>", "URL:<http://h/>"),
        ("\"http://joe:pw@h/\"", "\"http://joe:***@h/\"", "\"http://h/\""),
        ("http:\\\\joe:pw@h\\", "http:\\\\joe:***@h\\", "http:\\\\h\\"),
        ("http://DOMAIN\\joe:pw@h/", "http://DOMAIN\\joe:***@h/", "http://h/"),
        ("http:///joe:pw@h/", "http:///joe:***@h/", "http:///h/"),
        // A password with a delimiter in it, in an invalid text.
        ("http://joe:pa/ss@h/x", "http://joe:***@h/x", "http://h/x"),
        ("http://joe:p#s?t@h/x@y", "http://joe:***@h/x@y", "http://h/x@y"),
        // URIs without any.
        ("http://h:80/a@b", "http://h:80/a@b", "http://h:80/a@b"),
        ("http://h:/a@b", "http://h:/a@b", "http://h:/a@b"),
        ("http://h/x:y@z", "http://h/x:y@z", "http://h/x:y@z"),
        ("http://h//x:y@z/", "http://h//x:y@z/", "http://h//x:y@z/"),
        ("http://[::1]/a@b", "http://[::1]/a@b", "http://[::1]/a@b"),
        ("mailto:joe:x@h", "mailto:joe:x@h", "mailto:joe:x@h"),
        ("x:/joe:pw@h", "x:/joe:pw@h", "x:/joe:pw@h"),
        ("/a:b@c", "/a:b@c", "/a:b@c"),
        ("joe:pw@h", "joe:pw@h", "joe:pw@h"),
        // Within other texts.
        ("http://h/?u=http://joe:pw@h/&m=a@b", "http://h/?u=http://joe:***@h/&m=a@b", "http://h/?u=http://h/&m=a@b"),
        ("http://h/?u=http://i:80&m=a@b", "http://h/?u=http://i:80&m=a@b", "http://h/?u=http://i:80&m=a@b"),
        ("http://a:b@c/http://d:e@f", "http://a:***@c/http://d:***@f", "http://c/http://f"),
        ("x \"http://h:80\" \"joe@h\"", "x \"http://h:80\" \"joe@h\"", "x \"http://h:80\" \"joe@h\""),
        (r#"{"u":"http:\/\/joe:pw@h\/"}"#, r#"{"u":"http:\/\/joe:***@h\/"}"#, r#"{"u":"http:\/\/h\/"}"#),
        ("ht%20tp%3A//joe:pw@h/", "ht%20tp%3A//joe:***@h/", "ht%20tp%3A//h/"),
        ("the base \"//joe:pw@h\" (//a:b@c)", "the base \"//joe:***@h\" (//a:***@c)", "the base \"//h\" (//c)"),
        ("x // a:b@c", "x // a:b@c", "x // a:b@c"),
        (r#"{"u":"http://joe:p w@h/","v":"http://joe:p/w@h/x@y"}"#, r#"{"u":"http://joe:***@h/","v":"http://joe:***@h/x@y"}"#,
            r#"{"u":"http://h/","v":"http://h/x@y"}"#),
        (r#"{"u":"http://h/","v":"a:b@c"}"#, r#"{"u":"http://h/","v":"a:b@c"}"#, r#"{"u":"http://h/","v":"a:b@c"}"#),
        ("x <http://joe:p w@h/> <a@b>", "x <http://joe:***@h/> <a@b>", "x <http://h/> <a@b>"),
        ("1 - http://joe:pw@h/ 200", "1 - http://joe:***@h/ 200", "1 - http://h/ 200"),
        ("", "", ""),
        ("//", "//", "//"),
        ("://:@", "://:@", "://"),
    ];

    #[test]
    fn what_is_hidden() {
        for &(text, expected, bare) in TABLE {
            assert_eq!(masked(text), expected, "{text}");
            assert_eq!(masked(expected), expected, "{text}: twice is once");
            let dropped = hidden(text.as_bytes(), Hide::UserInfo);
            assert_eq!(String::from_utf8_lossy(&dropped), bare, "{text}");
            assert!(matches!(hidden(text.as_bytes(), Hide::Nothing), Cow::Borrowed(_)));
        }
    }

    #[test]
    fn every_place_outside_a_mask_is_the_same_character() {
        for &(text, expected, _) in TABLE {
            let shown = Masked::new(text.as_bytes(), false);
            assert_eq!(shown.text, expected.as_bytes());
            assert_eq!(shown.at(text.len()), expected.len(), "{text}");
            let cuts = cuts(text.as_bytes(), Hide::Passwords);
            for (at, byte) in text.bytes().enumerate() {
                let now = shown.text[shown.at(at)];
                match cuts.iter().any(|cut| cut.contains(&at)) {
                    true => assert_eq!(now, b'*', "{text}: {at}"),
                    false => assert_eq!(now, byte, "{text}: {at}"),
                }
            }
        }
    }

    #[test]
    fn user_information_by_itself() {
        for (userinfo, masked) in [("joe:pw", "joe:***"), ("joe", "joe"), ("joe:", "joe:"), (":a:b", ":***")]
        {
            let shown = hidden_userinfo(userinfo.as_bytes(), Hide::Passwords).expect("a part of it is shown");
            assert_eq!(*shown, *masked.as_bytes());
            assert_eq!(hidden_userinfo(userinfo.as_bytes(), Hide::UserInfo), None);
        }
    }
}

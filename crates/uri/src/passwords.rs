//! Passwords in texts (RFC 3986 sections 3.2.1 and 7.5): where they are, and the text without them. Every module may
//! use this one and `printable`, because messages everywhere quote texts, and a message must not reveal secrets to a
//! reader of logs.
//!
//! A text may be a URI, an invalid one, or a whole line of a log with several. The search is for user information as
//! RFC 3986 and the URL Standard see it: after two or more slashes, where backslashes count as slashes, and after the
//! colon of a scheme of the web, which by the URL Standard needs none. At the beginning of the text or after its scheme
//! it goes up to the next `/`, `?` or `#`; elsewhere it stays within the part that white space, quotes, brackets and
//! `&` delimit; a password there may hold one space, and any number of percent-encoded spaces. Then the same is done
//! with what percent-encoding and the escapes of logs, JSON and HTML stand for, as often as something is left to
//! decode: a URI in a query is mostly encoded. In an invalid text rather too much is hidden than too little.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use memchr::{memchr, memchr3, memmem, memrchr};

/// The replacement of a password.
pub const MASK: &str = "***";

/// The hidden part of the user information in a text.
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

/// [`masked`] for user information by itself, without its `@`.
///
/// ```
/// use urimill_uri::passwords::masked_userinfo;
///
/// assert_eq!(masked_userinfo("joe:secret"), "joe:***");
/// assert_eq!(masked_userinfo("joe"), "joe");
/// ```
#[must_use]
pub fn masked_userinfo(userinfo: &str) -> Cow<'_, str> {
    match password_start(userinfo.as_bytes()) {
        Some(start) if start < userinfo.len() => Cow::Owned([&userinfo[..start], MASK].concat()),
        _ => Cow::Borrowed(userinfo),
    }
}

/// Where the password begins in user information: after the first colon, which may be encoded.
fn password_start(userinfo: &[u8]) -> Option<usize> {
    let mut start = memchr(b':', userinfo).map(|colon| colon + 1);
    let mut layer = Layer::of(userinfo);
    for _ in 0..MOST_LAYERS {
        let Some(next) = layer.decoded() else { break };
        let colon = memchr(b':', &next.text).map(|colon| next.places[colon + 1]);
        start = start.into_iter().chain(colon).min();
        layer = next;
    }
    start
}

/// [`masked_userinfo`] for an authority or a host by RFC 2396, where a registry's name may hold user information: the
/// part before the last `@`.
#[must_use]
pub fn masked_authority(authority: &str) -> Cow<'_, str> {
    let Some((userinfo, host)) = authority.rsplit_once('@') else { return Cow::Borrowed(authority) };
    match masked_userinfo(userinfo) {
        Cow::Owned(shown) => Cow::Owned([&shown, "@", host].concat()),
        Cow::Borrowed(_) => Cow::Borrowed(authority),
    }
}

/// [`masked`] for a part of a text with a password, or for a text made from one: by another specification the password
/// may be in a segment of a path, as in `/joe:pw@h/` of `http:/joe:pw@h/`.
#[must_use]
pub fn masked_segments(text: &str) -> String {
    let masked = masked(text);
    let segments: Vec<_> = masked.split('/').map(masked_authority).collect();
    segments.join("/")
}

/// The ranges of user information in a text of one or several URIs, each without its `@`: for output that shows it
/// apart from the rest (3.2.1).
#[must_use]
pub fn userinfos(text: &[u8]) -> Vec<Range<usize>> {
    let with_at = cuts(text, Hide::UserInfo).into_iter();
    with_at.map(|cut| cut.start..cut.end - usize::from(text[cut.end - 1] == b'@')).collect()
}

/// A text with its passwords masked, and the map from offsets in the original to offsets in it.
#[derive(Debug, Clone)]
pub struct Masked {
    /// The text.
    pub text: Vec<u8>,
    cuts: Vec<Range<usize>>,
}

impl Masked {
    /// Masks the passwords of a text, unless `shows` is set.
    #[must_use]
    pub fn new(text: &[u8], shows: bool) -> Masked {
        let cuts = if shows { Vec::new() } else { cuts(text, Hide::Passwords) };
        Masked { text: without(text, &cuts, Hide::Passwords), cuts }
    }

    /// Whether anything is hidden.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        !self.cuts.is_empty()
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

/// How often a text is decoded.
const MOST_LAYERS: usize = 4;

/// The ranges to cut out of a text, in order.
fn cuts(text: &[u8], hide: Hide) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // True of nearly all texts, and quick to find out.
    let has_escapes = || memchr3(b'%', b'\\', b'&', text).is_some();
    let has_codes = || [b"40", b"64"].iter().any(|code| memmem::find(text, &code[..]).is_some());
    if hide == Hide::Nothing || memchr(b'@', text).is_none() && !(has_escapes() && has_codes()) {
        return found;
    }
    add_cuts(text, hide, |cut| cut, &mut found);
    let mut layer = Layer::of(text);
    for _ in 0..MOST_LAYERS {
        let Some(next) = layer.decoded() else { break };
        add_cuts(&next.text, hide, |cut| next.places[cut.start]..next.places[cut.end], &mut found);
        layer = next;
    }
    found.retain(|cut| !cut.is_empty() && text[cut.clone()] != *MASK.as_bytes());
    found.sort_unstable_by_key(|cut| (cut.start, cut.end));
    let mut cuts: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for cut in found {
        match cuts.last_mut() {
            Some(last) if cut.start < last.end => last.end = last.end.max(cut.end),
            _ => cuts.push(cut),
        }
    }
    cuts
}

/// The byte for a space that was percent-encoded. It does not end a URI, because an encoded text is one text: a parser
/// that decodes it sees a space within the password. No UTF-8 has this byte.
const SPACE: u8 = 0xFF;

/// A text that was decoded, and where each of its bytes, and its end, was in the original.
struct Layer<'t> {
    text: Cow<'t, [u8]>,
    /// Empty in the original.
    places: Vec<usize>,
}

impl<'t> Layer<'t> {
    fn of(text: &'t [u8]) -> Layer<'t> {
        Layer { text: Cow::Borrowed(text), places: Vec::new() }
    }

    /// The text with its escapes undone; `None` where it has none that can matter.
    fn decoded(&self) -> Option<Layer<'static>> {
        let text = &*self.text;
        let first = (0..text.len()).find(|&at| escaped(&text[at..]).is_some())?;
        let place = |at: usize| self.places.get(at).copied().unwrap_or(at);
        let mut layer = Layer { text: Cow::Owned(text[..first].to_vec()), places: Vec::new() };
        layer.places.extend((0..first).map(place));
        let out = layer.text.to_mut();
        let mut at = first;
        while at < text.len() {
            let (byte, length) = escaped(&text[at..]).unwrap_or((text[at], 1));
            out.push(if byte == b' ' && text[at] == b'%' { SPACE } else { byte });
            layer.places.push(place(at));
            at += length;
        }
        layer.places.push(place(at));
        Some(layer)
    }
}

/// The ASCII character of the escape at the beginning of `text`, and the escape's length: `%40`, `\x40`, `\u0040`,
/// `\t`, `&#64;`, `&#x40;`.
fn escaped(text: &[u8]) -> Option<(u8, usize)> {
    let hexadecimal = |digits: &[u8]| {
        let (high, low) = (char::from(digits[0]).to_digit(16)?, char::from(digits[1]).to_digit(16)?);
        u8::try_from(high << 4 | low).ok()
    };
    match text {
        [b'%', high, low, ..] => Some((hexadecimal(&[*high, *low])?, 3)),
        [b'\\', b't', ..] => Some((b'\t', 2)),
        [b'\\', b'n', ..] => Some((b'\n', 2)),
        [b'\\', b'r', ..] => Some((b'\r', 2)),
        [b'\\', b'x', high, low, ..] => Some((hexadecimal(&[*high, *low])?, 4)),
        [b'\\', b'u', b'0', b'0', high, low, ..] => Some((hexadecimal(&[*high, *low])?, 6)),
        [b'&', b'#', rest @ ..] => {
            let (base, from) = if rest.first()?.eq_ignore_ascii_case(&b'x') { (16, 1) } else { (10, 0) };
            let length = run(&rest[from..], |b| char::from(b).is_digit(base));
            let digits = rest[from..].get(..length).filter(|_| (1..=6).contains(&length))?;
            let digits = core::str::from_utf8(digits).ok()?;
            let value = u8::from_str_radix(digits.trim_start_matches('0'), base).ok().filter(u8::is_ascii)?;
            let semicolon = usize::from(rest.get(from + length) == Some(&b';'));
            Some((value, 2 + from + length + semicolon))
        }
        _ => None,
    }
}

/// Adds the ranges to cut out of a text; `place` maps their offsets to the original text.
fn add_cuts(
    text: &[u8],
    hide: Hide,
    place: impl Fn(Range<usize>) -> Range<usize>,
    found: &mut Vec<Range<usize>>,
) {
    if memchr(b'@', text).is_none() {
        return;
    }
    let mut scan = Scan::new(text);
    let mut may_be_first = true;
    let mut at = 0;
    // The target of `CONNECT` is an authority (RFC 9112, 3.2.3).
    let target = "CONNECT ".len();
    if text.starts_with(b"CONNECT ")
        && let Some(end) = scan.userinfo_end(target..text.len(), false, true)
    {
        let colon = memchr(b':', &text[target..end]).map(|colon| target + colon + 1);
        found.push(place(match hide {
            Hide::UserInfo => target..end + 1,
            _ => colon.unwrap_or(end)..end,
        }));
        at = end;
    }
    while let Some(hit) = memchr3(b'/', b'\\', b':', &text[at..]) {
        let hit = at + hit;
        let head = if text[hit] == b':' { hit + 1 } else { hit };
        let is_of_web = text[hit] == b':' && is_of_web(&text[..hit]);
        // White space that browsers remove may have become a space, as in the words of a link.
        let space = if is_of_web { run(&text[head..], |b| b == b' ') } else { 0 };
        let (length, slashes) = slashes(&text[head + space..]);
        at = if slashes > 0 { head + space + length } else { hit + 1 };
        if slashes < 2 && !is_of_web {
            continue;
        }
        let is_first = may_be_first && is_beginning(&text[..head]);
        may_be_first = is_first;
        let quoted = if is_first { None } else { scan.quoted(head) };
        let scope = at..quoted.unwrap_or(text.len());
        let is_announced = is_first || is_of_web || announces(&text[..head]);
        let end = scan.userinfo_end(scope, is_first || quoted.is_some(), is_announced);
        let Some(end) = end else { continue };
        let colon = memchr(b':', &text[at..end]).map(|colon| at + colon);
        let cut = match hide {
            // Names alone may also begin a segment of a path.
            Hide::UserInfo if is_announced || colon.is_some() => at..end + 1,
            Hide::UserInfo => continue,
            _ => colon.map_or(end, |colon| colon + 1)..end,
        };
        found.push(place(cut));
        at = end;
    }
}

/// The length of the slashes at the start of `text`, with the white space that browsers remove between them, and their
/// number.
fn slashes(text: &[u8]) -> (usize, usize) {
    let (mut length, mut count) = (0, 0);
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'/' | b'\\' => (length, count) = (at + 1, count + 1),
            b'\t' | b'\r' | b'\n' => {}
            _ => break,
        }
    }
    (length, count)
}

/// Whether the text before a colon ends with a scheme after which browsers need no slashes.
fn is_of_web(before: &[u8]) -> bool {
    let mut letters = before.iter().rev().filter(|b| !matches!(b, b'\t' | b'\r' | b'\n' | b' '));
    let mut name = [0; 5];
    for place in name.iter_mut().rev() {
        match letters.next() {
            Some(b) if b.is_ascii_alphabetic() => *place = b.to_ascii_lowercase(),
            _ => break,
        }
    }
    [&b"http"[..], b"https", b"ws", b"wss", b"ftp"].iter().any(|scheme| name.ends_with(scheme))
}

/// Whether the text before slashes within a text makes them the beginning of an authority: it ends with the colon of a
/// scheme (also as repair may have encoded it) or with a character that a network-path reference may follow.
fn announces(before: &[u8]) -> bool {
    match before {
        [.., b':' | b'"' | b'\'' | b'<' | b'(' | b'=' | b'`' | SPACE] | [.., b'%', b'3', b'A' | b'a'] => true,
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

/// The search for user information from growing places of a text. It remembers what it found ahead, so that a text in
/// which every word may begin a URI takes time in proportion to its length.
struct Scan<'t> {
    text: &'t [u8],
    /// The last byte before `searched` that is not of a scheme.
    word: Option<usize>,
    searched: usize,
    at_sign: Next,
    colon: Next,
    port_end: Next,
    double_quote: Next,
    angle_bracket: Next,
    /// The ends of authorities and of user information with slashes in it: in running text, and in delimited text.
    authority_end: [Next; 2],
    password_end: [Next; 2],
}

impl<'t> Scan<'t> {
    fn new(text: &'t [u8]) -> Scan<'t> {
        Scan {
            text,
            word: None,
            searched: 0,
            at_sign: Next::default(),
            colon: Next::default(),
            port_end: Next::default(),
            double_quote: Next::default(),
            angle_bracket: Next::default(),
            authority_end: Default::default(),
            password_end: Default::default(),
        }
    }

    /// The end of the quotes or brackets around the URI whose authority follows `slashes`: their contents are one text,
    /// as in JSON.
    fn quoted(&mut self, slashes: usize) -> Option<usize> {
        let is_scheme = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b':');
        let word = self.text[self.searched..slashes].iter().rposition(|b| !is_scheme(b));
        self.word = word.map(|at| self.searched + at).or(self.word);
        self.searched = slashes;
        let end = match self.text[self.word?] {
            b'"' => self.double_quote.find(self.text, slashes, |b| b == b'"'),
            b'<' => self.angle_bracket.find(self.text, slashes, |b| b == b'>'),
            _ => return None,
        };
        (end < self.text.len()).then_some(end)
    }

    /// The end of the user information at the start of `scope`, without its `@`. If the text is not `delimited`,
    /// delimiters of URIs in text end it. It `is_announced` if a URI is expected, even an invalid one.
    fn userinfo_end(&mut self, scope: Range<usize>, delimited: bool, is_announced: bool) -> Option<usize> {
        let text = self.text;
        let delimits =
            |b: u8| b <= b' ' || matches!(b, b'"' | b'<' | b'>' | b'`' | b'|' | b'{' | b'}' | b'^');
        let ends = |b: u8| matches!(b, b'/' | b'?' | b'#') || !delimited && (delimits(b) || b == b'&');
        let which = usize::from(delimited);
        let end = self.authority_end[which].find(text, scope.start, ends).min(scope.end);
        if self.at_sign.find(text, scope.start, |b| b == b'@') < end {
            return memrchr(b'@', &text[scope.start..end]).map(|at| scope.start + at);
        }
        // A password with a slash in it makes the port not a number, and the text not a URI.
        let colon = self.colon.find(text, scope.start, |b| b == b':');
        if colon >= end || !is_announced || text[scope.start] == b'[' {
            return None;
        }
        if self.port_end.find(text, colon + 1, |b| !b.is_ascii_digit()) >= end {
            return None;
        }
        let stops = |b: u8| b.is_ascii_whitespace() || !delimited && delimits(b);
        let at = self.password_end[which].find(text, end, |b| b == b'@' || stops(b));
        if at == end && text.get(at) == Some(&b' ') && at > colon + 1 {
            return with_space(&text[at..scope.end], delimits).map(|more| at + more);
        }
        if at >= scope.end || text[at] != b'@' {
            return None;
        }
        let more = run(&text[at..scope.end], |b| !ends(b) && !stops(b));
        memrchr(b'@', &text[..at + more])
    }
}

/// The `@` after a password with a space in it, in running text that goes on after that space: `http://joe:my word@h/`
/// is not a URI with a port, and by the URL Standard it has a password. More spaces separate other words.
fn with_space(rest: &[u8], delimits: impl Fn(u8) -> bool) -> Option<usize> {
    /// The longest second part of a password.
    const LONGEST: usize = 64;
    let rest = &rest[..rest.len().min(LONGEST)];
    let is_end = |b: u8| delimits(b) || matches!(b, b'/' | b'?' | b'#' | b'&' | b':' | b'@');
    let at = 1 + run(rest.get(1..)?, |b| !is_end(b));
    let has_host = rest.get(at + 1).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'[');
    (at > 1 && rest.get(at) == Some(&b'@') && has_host).then_some(at)
}

/// The next byte of one kind after a place, and the place from which it was searched.
#[derive(Default)]
struct Next(Option<(usize, usize)>);

impl Next {
    /// The first byte at or after `from` that `is_such`; the length of `text` if there is none.
    fn find(&mut self, text: &[u8], from: usize, is_such: impl Fn(u8) -> bool) -> usize {
        match self.0 {
            Some((since, next)) if since <= from && from <= next => next,
            _ => {
                let next = from + run(&text[from..], |b| !is_such(b));
                self.0 = Some((from, next));
                next
            }
        }
    }
}

/// The length of the prefix of `text` whose bytes satisfy `is_such`.
fn run(text: &[u8], is_such: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&b| !is_such(b)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests;

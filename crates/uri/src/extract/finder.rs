//! The search: goes from hit to hit, and decides at each whether a URI begins there.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use memchr::{memchr, memchr2, memchr3, memmem};

use super::angle::{self, Content, wants_host};
use super::extent::{self, Around, Extent};
use super::name::{self, Name};
use super::refang::{self, Refanged};
use super::shape::{self, Shape, is_known};
use super::{Delimiter, Found, Kind, LONGEST, Options, authority, clean, entity};
use crate::grammar::chars::{self, is};

/// The longest scheme accepted in a text; the longest registered one has 36 characters.
const LONGEST_SCHEME: usize = 64;

/// How many bytes after a colon are checked before a URI is measured.
const LOOK_AHEAD: usize = 4;

/// A measured text that is not a URI is skipped whole if it is longer than this; in a shorter one another URI may
/// begin. So no text is measured again and again.
const LONGEST_RETRY: usize = 1 << 10;

/// The URIs of a text, in order; made by [`find`](super::find).
pub struct Finder<'t> {
    text: &'t [u8],
    /// Whether nothing follows `text`.
    ended: bool,
    options: &'t Options,
    /// Everything before it is decided.
    at: usize,
    /// Where the last URI ended: the next one begins at or after it.
    floor: usize,
    hits: Hits,
}

/// The number of bytes of a defanged URI that are examined first.
const FIRST_LENGTH: usize = 256;

/// The end of a defanged URI.
enum Refanging {
    /// To this offset of the text without brackets.
    To(Refanged, usize),
    /// It does not begin as it must.
    Other,
    /// More of the text is needed.
    More,
    /// Too far to count.
    TooFar,
}

/// The next candidates: each is the first of its kind from `at` on, or the length of the text.
///
/// A capital W is rare enough to be searched for together with the colons, which saves a pass over the text.
struct Hits {
    colon_or_capital: Option<usize>,
    www: Option<usize>,
    /// The end of `www.` and of `Www.`.
    finder: memmem::Finder<'static>,
    with_suffixes: bool,
    /// A bracket, in which a dot may be.
    opening: Option<usize>,
    with_names: bool,
}

/// The result of a hit.
enum Step<'t> {
    Found(Found<'t>, usize),
    /// Nothing begins before this place.
    Pass(usize),
    /// More of the text is needed.
    More,
}

impl Hits {
    fn new(with_suffixes: bool, refang: bool) -> Hits {
        let finder = memmem::Finder::new(b"ww.");
        let with_names = with_suffixes && refang;
        Hits { colon_or_capital: None, www: None, finder, with_suffixes, opening: None, with_names }
    }

    /// The first of the next colon or capital W, the next `ww.` and the next bracket.
    fn next(&mut self, text: &[u8], at: usize) -> usize {
        let search = |known: &mut Option<usize>, find: &dyn Fn(&[u8]) -> Option<usize>| match *known {
            Some(hit) if hit >= at => hit,
            _ => *known.insert(find(&text[at..]).map_or(text.len(), |hit| at + hit)),
        };
        if !self.with_suffixes {
            return search(&mut self.colon_or_capital, &|text| memchr(b':', text));
        }
        let first = search(&mut self.colon_or_capital, &|text| memchr2(b':', b'W', text));
        let first = first.min(search(&mut self.www, &|text| self.finder.find(text)));
        match self.with_names {
            true => first.min(search(&mut self.opening, &|text| memchr3(b'[', b'(', b'{', text))),
            false => first,
        }
    }
}

impl<'t> Finder<'t> {
    pub(super) fn new(text: &'t [u8], options: &'t Options) -> Self {
        Self::resume(text, (0, 0), true, options)
    }

    /// Continues where another finder has [stopped](Self::reached), with more of the text.
    pub(super) fn resume(
        text: &'t [u8],
        (at, floor): (usize, usize),
        ended: bool,
        options: &'t Options,
    ) -> Self {
        let hits = Hits::new(options.suffix_scheme.is_some(), options.refang);
        Finder { text, ended, options, at, floor, hits }
    }

    /// The end of the part that is decided, and where the last URI ended.
    pub(super) fn reached(&self) -> (usize, usize) {
        (self.at, self.floor)
    }

    /// Decides whether a scheme ends at a colon.
    fn scheme(&self, colon: usize) -> Step<'t> {
        let text = self.text;
        let pass = Step::Pass(colon + 1);
        if self.options.refang
            && let Some(step) = self.defanged(colon)
        {
            return step;
        }
        if colon == self.floor || !is(text[colon - 1], chars::SCHEME) {
            return pass;
        }
        if !self.ended && text.len() - colon <= LOOK_AHEAD {
            return Step::More;
        }
        let least = self.floor.max(colon.saturating_sub(LONGEST_SCHEME));
        let run = text[least..colon].iter().rposition(|&b| !is(b, chars::SCHEME));
        let run = run.map_or(least, |at| least + at + 1);
        if text[run..colon].eq_ignore_ascii_case(b"url")
            && let Some(step) = self.prefixed(run, colon)
        {
            return step;
        }
        // Nearly always a word and its colon: decided at once.
        if text.get(colon + 1) == Some(&b' ') && angle::opening(text, run).is_none() {
            return pass;
        }
        let Some(start) = self.scheme_start(run, colon) else { return pass };
        if let Some(opening) = angle::opening(text, start) {
            let content = angle::uri(text, (start, colon), opening, self.ended);
            if let Some(step) = self.angle(content, start, Kind::Uri) {
                return step;
            }
        }
        let Some(demand) = Demand::of(&text[start..colon], &text[colon + 1..]) else { return pass };
        let around = Around::of(text, start, self.options.is_markup);
        let (end, quoted) = match extent::of(text, start, self.ended, around) {
            // Emphasis that does not end is none.
            Extent::To(end, _) if around.emphasis == Some(b'_') && text.get(end) != Some(&b'_') => {
                return retry(colon + 1, end);
            }
            Extent::To(end, quoted) if end > colon + 1 => (end, quoted),
            Extent::To(..) => return pass,
            Extent::Unknown => return Step::More,
            Extent::TooFar => return Step::Pass(start + LONGEST),
        };
        match demand.length(&text[colon + 1..end]) {
            Some(length) => {
                let is_whole = colon + 1 + length == end;
                let span = (start, colon + 1 + length);
                self.bare(span, Kind::Uri, around, quoted && is_whole)
            }
            None => retry(colon + 1, end),
        }
    }

    /// Decides whether a defanged URI surrounds a colon.
    fn defanged(&self, colon: usize) -> Option<Step<'t>> {
        let text = self.text;
        if !self.ended && text.len() - colon <= LOOK_AHEAD {
            return Some(Step::More);
        }
        let name_end = refang::opening_before(text, colon).unwrap_or(colon);
        let least = self.floor.max(name_end.saturating_sub(LONGEST_SCHEME));
        let run = text.get(least..name_end)?;
        let start = run.iter().rposition(|b| !b.is_ascii_alphanumeric()).map_or(least, |at| least + at + 1);
        let name = &text[start..name_end];
        let replaced = refang::scheme(name);
        let scheme = replaced.or_else(|| is_known(name).then_some(name))?;
        // All of these schemes are as long as their defanged spellings.
        let behind = scheme.len() + 1;
        let begin = |text: &mut Vec<u8>| {
            text[..scheme.len()].copy_from_slice(scheme);
            text[scheme.len()..].starts_with(b"://")
        };
        let around = Around { quote: None, ..Around::of(text, start, self.options.is_markup) };
        let (refanged, end) = match self.refanged(start, around, begin) {
            Refanging::To(refanged, end) => (refanged, end),
            Refanging::Other => return None,
            Refanging::More => return Some(Step::More),
            Refanging::TooFar => return Some(Step::Pass(start + LONGEST)),
        };
        if refanged.is_unchanged_before(end) && replaced.is_none() {
            return None;
        }
        let demand = Demand::of(scheme, &refanged.text[behind..])?;
        let length = demand.length(refanged.text.get(behind..end)?)?;
        let end = behind + length;
        let span = (start, start + refanged.original_offset(end));
        let bare = refanged.text[..end].to_vec();
        self.found(span, Cow::Owned(bare), (Kind::Uri, Delimiter::Text))
    }

    /// The URI that begins at `start`, with its delimiters out of their brackets. `begin` writes its beginning, or
    /// returns that it has none. Examines little more of the text than belongs to the URI.
    fn refanged(&self, start: usize, around: Around, begin: impl Fn(&mut Vec<u8>) -> bool) -> Refanging {
        let text = self.text;
        let mut len = FIRST_LENGTH;
        loop {
            let limit = text.len().min(start + len);
            let is_end = |&b: &u8| b <= b' ' || matches!(b, b'"' | b'<' | b'>' | b'\\' | 0x7F);
            let stop = text[start..limit].iter().position(is_end);
            let is_whole = stop.is_some() || self.ended && limit == text.len();
            let mut refanged = Refanged::new(&text[start..stop.map_or(limit, |stop| start + stop)]);
            if !is_whole && limit == text.len() && limit - start < FIRST_LENGTH {
                return Refanging::More;
            }
            if !begin(&mut refanged.text) {
                return Refanging::Other;
            }
            match extent::of(&refanged.text, 0, is_whole, around) {
                Extent::To(end, _) => return Refanging::To(refanged, end),
                _ if len >= LONGEST => return Refanging::TooFar,
                _ if limit == text.len() => {
                    return if self.ended { Refanging::TooFar } else { Refanging::More };
                }
                _ => len = (4 * len).min(LONGEST),
            }
        }
    }

    /// Decides whether a name without a scheme surrounds a dot in the brackets that open here.
    fn defanged_name(&self, opening: usize) -> Step<'t> {
        let text = self.text;
        let span = match name::around(text, opening, self.floor, self.ended) {
            Name::At(span) => span,
            Name::NoneBefore(to) => return Step::Pass(to),
            Name::More => return Step::More,
        };
        let (start, mut end) = (span.start, span.end);
        if !self.ended && text.len() - end < refang::LONGEST_DOT {
            return Step::More;
        }
        let mut bare = Refanged::new(&text[span]).text;
        if refang::follows_host(&text[end..]) {
            let around = Around { quote: None, ..Around::of(text, start, self.options.is_markup) };
            match self.refanged(start, around, |_| true) {
                Refanging::To(refanged, to) => {
                    let length = authority::length(&refanged.text[..to], true).filter(|&to| to >= bare.len());
                    if let Some(to) = length {
                        end = start + refanged.original_offset(to);
                        bare = refanged.text[..to].to_vec();
                    }
                }
                Refanging::More => return Step::More,
                Refanging::TooFar => return Step::Pass(start + LONGEST),
                Refanging::Other => {}
            }
        }
        let kind = (Kind::Suffix, Delimiter::Text);
        self.found((start, end), Cow::Owned(bare), kind).unwrap_or(Step::Pass(end))
    }

    /// Decides whether a relative reference follows `URL:` (Appendix C), whose first letter is at `start`. A reference
    /// with its own scheme, or a suffix reference, is found at that.
    fn prefixed(&self, start: usize, colon: usize) -> Option<Step<'t>> {
        self.options.suffix_scheme.as_ref()?;
        angle::opening(self.text, start)?;
        let (start, content) = angle::reference(self.text, colon + 1, self.ended);
        self.angle(content, start, Kind::Relative)
    }

    /// The step for the contents of `<…>`; `None` if there is no URI in it.
    fn angle(&self, content: Content<'t>, start: usize, kind: Kind) -> Option<Step<'t>> {
        match content {
            Content::Uri(end, bare) => self.found((start, end), bare, (kind, Delimiter::Angle)),
            Content::Unknown => Some(Step::More),
            Content::Other => None,
        }
    }

    /// Where the scheme before a colon begins, if there is one. In a text it may follow characters that are also
    /// allowed in a scheme, of which `run` is the first: `-http`, `12http`, and the cases of [`known_tail`].
    fn scheme_start(&self, run: usize, colon: usize) -> Option<usize> {
        let text = self.text;
        let first = run + text[run..colon].iter().position(u8::is_ascii_alphabetic)?;
        let escaped = first > 0 && text[first - 1] == b'\\';
        let start = first + known_tail(&text[first..colon], escaped);
        let name = &text[start..colon];
        let joins = match text[..start].last() {
            // Markdown's emphasis is not joined to a word.
            Some(b'_') => start != first || !is_emphasis(&text[..start]),
            Some(b) if b.is_ascii_alphanumeric() && start == first => !is_known(name),
            _ => false,
        };
        // One letter is a Windows drive or a prefix, and `URL` only announces a reference (Appendix C).
        (name.len() > 1 && !joins && !name.eq_ignore_ascii_case(b"url")).then_some(start)
    }

    /// Decides whether a capital W begins `WWW.`.
    fn capital(&self, hit: usize) -> Step<'t> {
        match &self.text[hit..] {
            [b'W', b'W', b'W', b'.', ..] => self.suffix(hit + 1),
            few if few.len() < 4 && !self.ended => Step::More,
            _ => Step::Pass(hit + 1),
        }
    }

    /// Decides whether a suffix reference begins one byte before `ww.`.
    fn suffix(&self, hit: usize) -> Step<'t> {
        let text = self.text;
        let pass = Step::Pass(hit + 3);
        let Some(start) = hit.checked_sub(1).filter(|&start| start >= self.floor) else { return pass };
        let joins = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/' | b'@' | b'%');
        if !text[start].eq_ignore_ascii_case(&b'w') || start > 0 && joins(text[start - 1]) {
            return pass;
        }
        if angle::opening(text, start).is_some() {
            let content = angle::suffix(text, start, self.ended);
            if let Some(step) = self.angle(content, start, Kind::Suffix) {
                return step;
            }
        }
        let around = Around::of(text, start, self.options.is_markup);
        let (end, quoted) = match extent::of(text, start, self.ended, around) {
            Extent::To(end, quoted) => (end, quoted),
            Extent::Unknown => return Step::More,
            Extent::TooFar => return Step::Pass(start + LONGEST),
        };
        let written = &text[start..end];
        match authority::length(written, true) {
            Some(length) if authority::is_suffix(&written[..length]) => {
                let quoted = quoted && length == written.len();
                self.bare((start, start + length), Kind::Suffix, around, quoted)
            }
            _ => retry(hit + 3, end),
        }
    }

    /// A URI without white space in it.
    fn bare(&self, span: (usize, usize), kind: Kind, around: Around, quoted: bool) -> Step<'t> {
        let written = &self.text[span.0..span.1];
        let plain = match around.has_references(self.text, span.1, quoted) {
            true => entity::decode(written),
            false => Cow::Borrowed(written),
        };
        let delimiter = if quoted { Delimiter::Quotes } else { Delimiter::Text };
        self.found(span, plain, (kind, delimiter)).unwrap_or(Step::Pass(span.1))
    }

    fn found(
        &self,
        (start, end): (usize, usize),
        bare: Cow<'t, [u8]>,
        (kind, delimiter): (Kind, Delimiter),
    ) -> Option<Step<'t>> {
        let raw = core::str::from_utf8(&self.text[start..end]).ok()?;
        let whole = match (kind, &self.options.suffix_scheme) {
            (Kind::Suffix, Some(scheme)) => Cow::Owned([scheme.as_bytes(), b"://", &bare].concat()),
            _ => bare,
        };
        let uri = clean(whole, self.options)?;
        let breaks = |behind: &str| behind.trim_start_matches([' ', '\t']).starts_with(['\r', '\n']);
        // Outside attributes a line break ends the URI.
        let hyphen_break = delimiter == Delimiter::Angle && raw.split('-').skip(1).any(breaks);
        Some(Step::Found(Found { offset: start, raw, uri, kind, delimiter, hyphen_break }, end))
    }
}

/// What must follow the colon of a scheme in a text.
enum Demand {
    /// `//`, a host if required, and what follows.
    Authority { needs_host: bool },
    /// What the scheme's URIs look like.
    Shape(Shape),
}

impl Demand {
    /// From the first bytes after the colon; `None` if it can't be met.
    fn of(name: &[u8], behind: &[u8]) -> Option<Demand> {
        let [b'/', b'/', behind @ ..] = behind else { return shape::of(name).map(Demand::Shape) };
        let needs_host = wants_host(name);
        let first = match behind {
            // `file:///` alone is the root of a file system, and any path may follow.
            [b'/', ..] if !needs_host && is_known(name) => return Some(Demand::Authority { needs_host }),
            [b'/', path @ ..] if !needs_host => path.first(),
            _ => behind.first(),
        };
        first.is_some_and(|&b| authority::may_begin(b)).then_some(Demand::Authority { needs_host })
    }

    /// The length of the part of `rest`, the text from the colon to where a URI would end, that is part of the URI;
    /// `None` if it is not what is required.
    fn length(&self, rest: &[u8]) -> Option<usize> {
        match self {
            Demand::Shape(shape) => shape.holds(rest).then_some(rest.len()),
            Demand::Authority { needs_host } => {
                // A bracket directly after the slashes may not be part of the URI: then nothing follows them.
                let length = authority::length(rest.get(2..)?, *needs_host).filter(|&length| length > 0)?;
                Some(2 + length)
            }
        }
    }
}

/// Whether underscores end a text that are Markdown's emphasis: at most three, at the beginning of a word.
fn is_emphasis(text: &[u8]) -> bool {
    let marks = text.iter().rev().take(4).take_while(|&&byte| byte == b'_').count();
    let before = text[..text.len() - marks].last();
    marks < 4 && before.is_none_or(|&byte| byte.is_ascii() && !is(byte, chars::SCHEME) && byte != b'\\')
}

/// The text up to `end` is not a URI: the next may begin at `next`.
fn retry<'t>(next: usize, end: usize) -> Step<'t> {
    Step::Pass(if end > next + LONGEST_RETRY { end } else { next })
}

/// Where a known scheme begins in a run of scheme characters: after the dot of a sentence without a space (`see.http`),
/// or after an escape as source code and JSON write it (`
/// http`, `\u003chttp`).
fn known_tail(name: &[u8], escaped: bool) -> usize {
    let escape = match name {
        [b'n' | b'r' | b't', ..] if escaped => 1,
        [b'u', digits @ ..] if escaped && digits.iter().take(4).all(|&b| is(b, chars::HEXDIG)) => 5,
        _ => 0,
    };
    match memchr::memrchr(b'.', name) {
        Some(dot) if is_known(&name[dot + 1..]) => dot + 1,
        _ if escape > 0 && name.get(escape..).is_some_and(is_known) => escape,
        _ => 0,
    }
}

impl<'t> Iterator for Finder<'t> {
    type Item = Found<'t>;

    fn next(&mut self) -> Option<Found<'t>> {
        loop {
            let hit = self.hits.next(self.text, self.at);
            if hit >= self.text.len() {
                // The beginning of `ww.` may be at the end.
                let rest = if self.ended { 0 } else { 2 };
                self.at = self.at.max(self.text.len().saturating_sub(rest));
                return None;
            }
            let step = match self.text[hit] {
                b':' => self.scheme(hit),
                b'W' => self.capital(hit),
                b'[' | b'(' | b'{' => self.defanged_name(hit),
                _ => self.suffix(hit),
            };
            match step {
                Step::Found(found, end) => {
                    (self.at, self.floor) = (end, end);
                    return Some(found);
                }
                Step::Pass(to) => self.at = to.min(self.text.len()),
                Step::More => {
                    self.at = hit;
                    return None;
                }
            }
        }
    }
}

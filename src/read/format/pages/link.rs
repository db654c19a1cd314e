//! The references that were found in a page, in order, before they become records: their texts lie one after the other in
//! one buffer, so that a page with a million links costs little more than their bytes.

use std::borrow::Cow;

use super::base::BaseKind;
use crate::simd::Span;

/// The longest text of a link.
pub(super) const LONGEST_TEXT: usize = 1024;

/// So many references of a page are taken: a page of two bytes for each would otherwise take a hundred times its length.
const MOST: usize = 1 << 20;

/// The bases that elements of a page say take this much at most.
pub(super) const MOST_BASES: usize = 16 << 20;

/// Which base a reference has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Against {
    /// The one that the page has from outside, whatever stands in it.
    Outer,
    /// The one of the document, which is known only at its end.
    Document,
    /// One that an element says, by number: see [`Links::bases`].
    Element(u32),
}

/// A reference.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) raw: Span,
    /// The element, if it stands in one.
    pub(super) element: Option<Span>,
    /// The attribute, the field of a header, or what CSS writes before it.
    pub(super) attribute: Option<Span>,
    pub(super) rel: Option<Span>,
    pub(super) text: Option<Span>,
    /// Where in the decoded page, if it stands there.
    pub(super) position: Option<u32>,
    pub(super) against: Against,
}

/// All of a page.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) list: Vec<Link>,
    /// The bases that elements and entities say, resolved.
    pub(super) bases: Vec<(String, BaseKind)>,
    /// The bytes of these.
    pub(super) bases_len: usize,
    /// The base that the document says of itself, resolved.
    pub(super) document: Option<String>,
    bytes: Vec<u8>,
    /// Names are few: those before are looked through.
    names: Vec<Span>,
    /// Whether there were more than are taken.
    pub(super) is_full: bool,
}

/// So many names of elements and attributes are known at once.
const KNOWN_NAMES: usize = 32;

impl Links {
    pub(super) fn clear(&mut self) {
        let Links { list, bases, bases_len, document, bytes, names, is_full } = self;
        list.clear();
        bases.clear();
        bytes.clear();
        names.clear();
        *document = None;
        *bases_len = 0;
        *is_full = false;
    }

    /// The bytes of a text.
    pub(super) fn get(&self, text: Span) -> &[u8] {
        &self.bytes[text.start as usize..][..text.len as usize]
    }

    /// Takes a text in.
    pub(super) fn store(&mut self, text: &[u8]) -> Span {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text);
        Span { start, len: text.len() as u32 }
    }

    /// Takes in a base, and returns its number.
    pub(super) fn add_base(&mut self, base: String, kind: BaseKind) -> u32 {
        self.bases_len += base.len();
        self.bases.push((base, kind));
        self.bases.len() as u32 - 1
    }

    /// Takes in a name, which many links may have.
    pub(super) fn name(&mut self, name: &[u8]) -> Span {
        if let Some(&known) = self.names.iter().find(|&&known| self.get(known) == name) {
            return known;
        }
        let name = self.store(name);
        if self.names.len() == KNOWN_NAMES {
            self.names.remove(0);
        }
        self.names.push(name);
        name
    }

    /// Adds a reference, without white space as HTML takes it off: that around it, and tabs and line ends in it.
    /// Of too many the last are left out.
    pub(super) fn push(&mut self, raw: &[u8], place: Place<'_>) {
        let Place { element, attribute, rel, text, position, against } = place;
        if self.list.len() == MOST {
            self.is_full = true;
            return;
        }
        let raw = self.store(&stripped(raw));
        let element = element.map(|name| self.name(name));
        let attribute = attribute.map(|name| self.name(name));
        let rel = rel.map(|rel| collapsed(rel, true)).filter(|rel| !rel.is_empty());
        let rel = rel.map(|rel| self.name(&rel));
        let text = text.map(|text| collapsed(text, false)).filter(|text| !text.is_empty());
        let text = text.map(|text| self.store(&text));
        self.list.push(Link { raw, element, attribute, rel, text, position, against });
    }

    /// Sets the text of a link that was known too late.
    pub(super) fn set_text(&mut self, number: usize, text: &[u8]) {
        let text = cut(text);
        if !text.is_empty() {
            self.list[number].text = Some(self.store(text));
        }
    }
}

/// Where a reference stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) element: Option<&'a [u8]>,
    pub(super) attribute: Option<&'a [u8]>,
    pub(super) rel: Option<&'a [u8]>,
    pub(super) text: Option<&'a [u8]>,
    pub(super) position: Option<u32>,
    pub(super) against: Against,
}

impl Default for Place<'_> {
    fn default() -> Self {
        Place {
            element: None,
            attribute: None,
            rel: None,
            text: None,
            position: None,
            against: Against::Document,
        }
    }
}

/// A reference without white space around it, and without tabs and line ends in it.
pub(super) fn stripped(raw: &[u8]) -> Cow<'_, [u8]> {
    let raw = raw.trim_ascii();
    match memchr::memchr3(b'\t', b'\n', b'\r', raw) {
        None => Cow::Borrowed(raw),
        Some(_) => raw.iter().copied().filter(|b| !matches!(b, b'\t' | b'\n' | b'\r')).collect(),
    }
}

/// A text with its white space collapsed, up to the longest; relations are in lower case, because they are compared so.
fn collapsed(text: &[u8], is_relation: bool) -> Vec<u8> {
    let mut out = Vec::new();
    collapse(text, &mut out);
    if is_relation {
        out.make_ascii_lowercase();
    }
    cut(&out).to_vec()
}

/// Appends a text with each stretch of white space as one space, also across calls, as far as [`cut`] needs.
pub(super) fn collapse(text: &[u8], out: &mut Vec<u8>) {
    for &b in text {
        if out.len() > LONGEST_TEXT {
            break;
        }
        match b.is_ascii_whitespace() {
            true if out.last().is_none_or(|&last| last == b' ') => {}
            true => out.push(b' '),
            false => out.push(b),
        }
    }
}

/// At most [`LONGEST_TEXT`] bytes of a text, without a part of a character and without white space around.
fn cut(text: &[u8]) -> &[u8] {
    let text = match text.len() > LONGEST_TEXT {
        true => {
            let text = &text[..LONGEST_TEXT];
            &text[..std::str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len)]
        }
        false => text,
    };
    text.trim_ascii()
}

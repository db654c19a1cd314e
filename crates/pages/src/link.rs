//! The references of a page, in order, before they become records: their texts lie one after the other in one buffer.
//! The buffer has room for most pages; references of longer pages go to a temporary file (`spool`) in batches and come
//! back likewise, so that a page may have any number.

use std::borrow::Cow;

use urimill_base::error::Result;
use urimill_base::temporary::TemporaryPlace;
use urimill_read::format::base::BaseKind;
use urimill_uri::simd::Span;

use super::reference::{Against, Link};
use super::spool::Spool;

/// The longest text of a link.
pub(super) const LONGEST_TEXT: usize = 1024;

/// The references of a document within a page are held until its end, because its base is known only there: at most
/// this many.
const MOST: usize = 1 << 20;

/// Once this many references, or this many bytes of them, are in memory, they go to the file.
const BATCH: usize = 1 << 17;
const BATCH_BYTES: usize = 8 << 20;

/// The bases of elements in a page take at most this many bytes.
pub(super) const MOST_BASES: usize = 16 << 20;

/// All references of a page.
#[derive(Debug, Default)]
pub(super) struct Links {
    pub(super) list: Vec<Link>,
    /// The bases of elements and entities, resolved.
    pub(super) bases: Vec<(String, BaseKind)>,
    /// The number of bytes of these.
    pub(super) bases_len: usize,
    /// The document's own base, resolved.
    pub(super) document: Option<String>,
    bytes: Vec<u8>,
    /// Names are few: each new one is compared with all before it.
    names: Vec<Span>,
    /// The number of references before those in the list.
    before: usize,
    /// While it is greater than zero, those in the list may still change.
    held: usize,
    spool: Option<Spool>,
    /// The folder of its file.
    place: TemporaryPlace,
    /// Whether a part of the page was not read, because of a limit.
    pub(super) is_cut: bool,
    /// Whether a base of it is too long, or the bases are too many: then its references are not resolved.
    pub(super) is_baseless: bool,
    weight: Weight,
}

/// How many references each base has: those of elements, by their numbers among [`Links::bases`], that of the document,
/// and that from outside.
#[derive(Debug, Default)]
struct Weight {
    of_elements: Vec<u64>,
    of_document: u64,
    of_outer: u64,
}

/// At most this many names of elements and attributes are remembered at once.
const KNOWN_NAMES: usize = 32;

impl Links {
    pub(super) fn clear(&mut self) {
        let Links { list, bases, bases_len, document, bytes, names, before, held, spool, .. } = self;
        list.clear();
        bases.clear();
        bytes.clear();
        names.clear();
        *document = None;
        (*bases_len, *before, *held) = (0, 0, 0);
        *spool = None;
        (self.is_cut, self.is_baseless, self.weight) = (false, false, Weight::default());
    }

    /// Sets the folder for the temporary file that long pages need.
    pub(super) fn set_place(&mut self, place: &TemporaryPlace) {
        self.place = place.clone();
    }

    /// The bytes of a text.
    pub(super) fn get(&self, text: Span) -> &[u8] {
        &self.bytes[text.start as usize..][..text.len as usize]
    }

    /// Adds a text.
    pub(super) fn store(&mut self, text: &[u8]) -> Span {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(text);
        Span { start, len: text.len() as u32 }
    }

    /// Adds a base, and returns its number. Neighbours often have the same.
    pub(super) fn add_base(&mut self, base: String, kind: BaseKind) -> u32 {
        if self.bases.last().is_some_and(|last| last.0 == base && last.1 == kind) {
            return self.bases.len() as u32 - 1;
        }
        self.bases_len += base.len();
        self.bases.push((base, kind));
        self.bases.len() as u32 - 1
    }

    /// Adds a name, which many links may have.
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

    /// Adds a reference, without the white space that HTML removes: around it, and tabs and line ends in it. Returns
    /// false and adds nothing while references are held and the list already has `MOST` of them.
    pub(super) fn push(&mut self, raw: &[u8], place: Place<'_>) -> bool {
        let Place { element, attribute, rel, text, position, against } = place;
        if self.held > 0 && self.list.len() >= MOST {
            self.is_cut = true;
            return false;
        }
        if self.held == 0 && (self.list.len() >= BATCH || self.bytes.len() >= BATCH_BYTES) {
            self.write_out();
        }
        let raw = self.store(&stripped(raw));
        let element = element.map(|name| self.name(name));
        let attribute = attribute.map(|name| self.name(name));
        let rel = rel.map(|rel| collapsed(rel, true)).filter(|rel| !rel.is_empty());
        let rel = rel.map(|rel| self.name(&rel));
        let text = text.map(|text| collapsed(text, false)).filter(|text| !text.is_empty());
        let text = text.map(|text| self.store(&text));
        self.list.push(Link { raw, element, attribute, rel, text, position, against });
        true
    }

    /// Adds a reference, unless it is empty.
    pub(super) fn push_filled(&mut self, raw: &[u8], place: Place<'_>) {
        if !raw.trim_ascii().is_empty() {
            self.push(raw, place);
        }
    }

    /// Adds the name of a map in the document, with its `#`.
    pub(super) fn push_map(&mut self, name: &[u8], place: Place<'_>) {
        if name.len() > 1 {
            self.push(name, Place { against: Against::Outer, ..place });
        }
    }

    /// Adds several references from one place.
    pub(super) fn push_all<'u>(&mut self, urls: impl IntoIterator<Item = &'u [u8]>, place: Place<'_>) {
        for url in urls {
            self.push(url, place);
        }
    }

    /// Sets the text of a link, which becomes known only after the link; `number` counts all links of the page from 0.
    pub(super) fn set_text(&mut self, number: usize, text: &[u8]) {
        let text = cut(text);
        if text.is_empty() {
            return;
        }
        match (number.checked_sub(self.before), &mut self.spool) {
            (Some(at), _) => self.list[at].text = Some(self.store(text)),
            (None, Some(spool)) => spool.set_text(number, text),
            (None, None) => {}
        }
    }

    /// The number of references.
    pub(super) fn count(&self) -> usize {
        match &self.spool {
            Some(spool) if spool.is_done() => spool.count(),
            _ => self.before + self.list.len(),
        }
    }

    /// Holds all later references in the list, until [`Self::release`]; returns where in the list they begin. They may
    /// be changed there, and their number is limited.
    pub(super) fn hold(&mut self) -> usize {
        self.held += 1;
        self.list.len()
    }

    pub(super) fn release(&mut self) {
        self.held -= 1;
    }

    /// Moves those in the list to the file.
    fn write_out(&mut self) {
        if self.list.is_empty() {
            return;
        }
        self.weigh();
        let mut spool = self.spool.take().unwrap_or_else(|| Spool::new(&self.place));
        spool.write(&self.list, &self.bytes);
        self.before += self.list.len();
        self.spool = Some(spool);
        self.list.clear();
        self.bytes.clear();
        self.names.clear();
    }

    /// Ends the list: all references of the page have been found, and can be read.
    ///
    /// # Errors
    /// `Io`, if they could not be written to the file.
    pub(super) fn finish(&mut self) -> Result<()> {
        if self.spool.is_some() {
            self.write_out();
        }
        match &mut self.spool {
            Some(spool) => spool.finish(),
            None => {
                self.weigh();
                Ok(())
            }
        }
    }

    /// Counts the references in the list by their bases.
    fn weigh(&mut self) {
        for link in &self.list {
            match link.against {
                Against::Document => self.weight.of_document += 1,
                Against::Outer => self.weight.of_outer += 1,
                Against::Element(number) => {
                    let (counts, number) = (&mut self.weight.of_elements, number as usize);
                    counts.resize(counts.len().max(number + 1), 0);
                    counts[number] += 1;
                }
            }
        }
    }

    /// The number of bytes of the bases of all references: each row has its own copy. All references have been found.
    pub(super) fn weight(&self, outer: usize) -> u64 {
        let Weight { of_elements, of_document, of_outer } = &self.weight;
        // A `codebase` has its length only once the base of the document is known.
        let of_elements: u64 =
            self.bases.iter().zip(of_elements).map(|((base, _), n)| base.len() as u64 * n).sum();
        let document = self.document.as_ref().map_or(outer, String::len) as u64;
        of_elements + of_document * document + of_outer * outer as u64
    }

    /// The reference of a number; `None` after the last. It is the one of the last call, or the next. The second value
    /// changes when the texts of earlier references are no longer there.
    ///
    /// # Errors
    /// `Io`, if it cannot be read from the file.
    pub(super) fn link(&mut self, number: usize) -> Result<Option<(Link, usize)>> {
        if let Some(spool) = &mut self.spool
            && (number == self.before + self.list.len() || number < self.before)
        {
            self.before = spool.read(number, &mut self.list, &mut self.bytes)?;
        }
        Ok(self.list.get(number - self.before).map(|&link| (link, self.before)))
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

/// A text with its white space collapsed, up to the limit; relations are in lower case, because they are compared so.
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

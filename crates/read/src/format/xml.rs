//! An element of an XML document that is a record, and the elements in it that are its fields. The parser is
//! quick-xml's. A text that the chunk contains as it is becomes a place in the chunk; only a text with references in it
//! is written anew.

use std::borrow::Cow;
use std::ops::Range;

use quick_xml::escape::resolve_html5_entity;
use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use serde_json::{Map, Value};
use urimill_columns::batch::{Cell, Records, Text};

use super::framing::Root;
use super::json::add;
use super::span;

/// Deeper elements are not taken apart.
const DEEPEST: usize = 64;

/// A field: an element, its attributes and its text.
pub struct Child<'a> {
    /// Its name.
    pub name: &'a str,
    attributes: BytesStart<'a>,
    text: Content,
    /// All of it, tags included.
    raw: &'a str,
    /// Where the record begins in the chunk.
    start: usize,
    /// Where the field begins.
    pub at: usize,
    /// Whether it contains elements: then its text is only a part of its contents.
    pub has_elements: bool,
}

/// The text of an element, without that of elements in it.
#[derive(Default)]
struct Content {
    /// Where it stands in the record, if the record contains it as it is.
    place: Option<Range<usize>>,
    written: Option<String>,
}

impl Content {
    /// Appends a piece; `place` is where the record contains it as it is.
    fn push(&mut self, record: &str, piece: &str, place: Option<Range<usize>>) {
        let is_blank = || piece.bytes().all(|b| b.is_ascii_whitespace());
        match (&mut self.written, &self.place, place) {
            (Some(written), ..) => written.push_str(piece),
            (None, None, Some(_)) if is_blank() => {}
            (None, None, Some(place)) => self.place = Some(place),
            (None, first, _) => {
                let mut written = first.clone().map_or("", |first| &record[first]).to_owned();
                written.push_str(piece);
                self.written = Some(written);
            }
        }
    }
}

impl Child<'_> {
    /// The text, without white space around it; `None` if it is empty.
    pub fn text(&self, bytes: &[u8], records: &mut Records) -> Option<Text> {
        if let Some(written) = &self.text.written {
            let text = written.trim_ascii();
            return (!text.is_empty())
                .then(|| records.unescape(|out| out.extend_from_slice(text.as_bytes())));
        }
        let Range { start, end } = self.text.place.clone()?;
        let text = &bytes[self.start + start..self.start + end];
        let from = self.start + start + (text.len() - text.trim_ascii_start().len());
        let len = text.trim_ascii().len();
        (len > 0).then(|| Text::Read(span(from, from + len)))
    }

    /// The same as a field.
    pub fn cell(&self, bytes: &[u8], records: &mut Records) -> Cell {
        self.text(bytes, records).map_or(Cell::NULL, Cell::from)
    }

    /// The value of an attribute; `None` if it is missing or broken.
    pub fn attribute(&self, name: &str) -> Option<String> {
        attribute(&self.attributes, name, resolve_html5_entity)
    }

    /// The text of its child element of this name, if that holds nothing else.
    pub fn text_within(&self, name: &str, records: &mut Records) -> Option<Text> {
        let mut object = match self.json() {
            Value::Object(object) if object.len() == 1 => object,
            _ => return None,
        };
        let Some(Value::String(text)) = object.remove(name) else { return None };
        Some(records.unescape(|out| out.extend_from_slice(text.as_bytes())))
    }

    /// All of it as JSON: a text, or an object with the attributes (`@name`), the elements and the text (`#text`).
    pub fn json(&self) -> Value {
        to_json(self.raw).unwrap_or_else(|| self.raw.into())
    }
}

/// The value of an attribute of a tag; `None` if it is missing or broken. `entities` has the texts of entities.
pub fn attribute<'e>(
    tag: &BytesStart<'_>,
    name: &str,
    entities: impl FnMut(&str) -> Option<&'e str>,
) -> Option<String> {
    let found = tag.attributes().flatten().find(|attribute| attribute.key.0 == name)?;
    value(&found, entities).map(Cow::into_owned)
}

/// The value of an attribute; `None` if it is broken.
pub fn value<'a, 'e>(
    attribute: &Attribute<'a>,
    entities: impl FnMut(&str) -> Option<&'e str>,
) -> Option<Cow<'a, str>> {
    attribute.normalized_value_with(XmlVersion::Implicit1_0, 1, entities).ok()
}

/// The value of `xml:base` (XML Base, 3) in the start tag that the text begins with.
pub fn base_of_tag(text: &[u8]) -> Option<String> {
    memchr::memmem::find(text, BASE.as_bytes())?;
    let text = String::from_utf8_lossy(text);
    match Reader::from_str(&text).read_event().ok()? {
        Event::Start(tag) | Event::Empty(tag) => attribute(&tag, BASE, resolve_html5_entity),
        _ => None,
    }
}

/// The attribute with the base of an element.
pub const BASE: &str = "xml:base";

/// The text for a reference: a character by its number, or by a name of XML or HTML.
fn resolved(name: &BytesRef<'_>) -> Option<String> {
    match name.is_char_ref() {
        true => name.resolve_char_ref().ok().flatten().map(String::from),
        false => resolve_html5_entity(name).map(str::to_owned),
    }
}

/// Whether a tag has a name and attributes that are whole. The parser does not look at them.
fn is_tag(tag: &BytesStart<'_>) -> bool {
    let is_no_name =
        |b: u8| b.is_ascii_whitespace() || matches!(b, b'<' | b'>' | b'&' | b'"' | b'\'' | b'=' | b'/');
    let is_whole = |attribute: Attribute<'_>| value(&attribute, resolve_html5_entity).is_some();
    !tag.name().0.bytes().any(is_no_name) && tag.attributes().all(|attribute| attribute.is_ok_and(is_whole))
}

/// Calls `each` with the name of the record at `bytes[range]`, and with the elements in it.
///
/// # Errors
/// The byte of the chunk from which on it is not such an element.
pub fn children<'a>(
    bytes: &'a [u8],
    range: Range<usize>,
    mut each: impl FnMut(&'a str, Child<'a>),
) -> Result<(), usize> {
    let start = range.start;
    let text = std::str::from_utf8(&bytes[range]).map_err(|error| start + error.valid_up_to())?;
    let mut reader = Reader::from_str(text);
    let mut record = None;
    let mut depth = 0usize;
    let mut open: Option<(usize, BytesStart<'a>)> = None;
    let mut content = Content::default();
    let mut has_elements = false;
    loop {
        let before = reader.buffer_position() as usize;
        let event =
            reader.read_event().map_err(|_| start + (reader.error_position() as usize).min(text.len()))?;
        let after = reader.buffer_position() as usize;
        let wrong = Err(start + before);
        let is_empty = matches!(event, Event::Empty(_));
        if let Event::Start(tag) | Event::Empty(tag) = &event
            && !is_tag(tag)
        {
            return wrong;
        }
        match event {
            Event::Start(_) | Event::Empty(_) if depth == 0 => {
                if record.is_some() {
                    return wrong;
                }
                record = Some(name_at(text, before));
                depth = usize::from(!is_empty);
                continue;
            }
            Event::Start(tag) | Event::Empty(tag) => {
                if depth == 1 {
                    open = Some((before, tag));
                    (content, has_elements) = (Content::default(), false);
                }
                has_elements |= depth > 1;
                depth += usize::from(!is_empty);
            }
            Event::End(_) => depth = depth.checked_sub(1).ok_or(start + before)?,
            Event::Text(piece) if depth < 2 => {
                let blank = piece.len() - piece.trim_ascii_start().len();
                if blank < piece.len() {
                    return Err(start + before + blank);
                }
            }
            Event::Text(piece) if depth == 2 => content.push(text, &piece, Some(before..after)),
            Event::CData(_) | Event::GeneralRef(_) if depth < 2 => return wrong,
            Event::CData(piece) if depth == 2 => {
                content.push(text, &piece, Some(before + "<![CDATA[".len()..after - "]]>".len()));
            }
            Event::GeneralRef(name) => match resolved(&name) {
                Some(piece) if depth == 2 => content.push(text, &piece, None),
                Some(_) => {}
                None => return wrong,
            },
            Event::Eof if depth > 0 || record.is_none() => return Err(start + text.len()),
            Event::Eof => return Ok(()),
            _ => {}
        }
        if depth == 1
            && let Some((from, attributes)) = open.take()
        {
            let (raw, text) = (&text[from..after], std::mem::take(&mut content));
            let (name, at) = (name_at(raw, 0), start + from);
            let child = Child { name, attributes, text, raw, start, at, has_elements };
            each(record.unwrap_or_default(), child);
        }
    }
}

/// The text of an element that holds nothing else and has no attributes.
pub fn text_alone(element: &[u8]) -> Option<String> {
    match to_json(std::str::from_utf8(element).ok()?)? {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The name of the element whose tag begins here.
fn name_at(text: &str, at: usize) -> &str {
    let rest = &text[at + 1..];
    let end = rest.bytes().position(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>'));
    &rest[..end.unwrap_or(rest.len())]
}

/// An element as JSON; `None` if it is too deep.
fn to_json(element: &str) -> Option<Value> {
    let mut reader = Reader::from_str(element);
    let mut open: Vec<(String, Map<String, Value>, String)> = Vec::new();
    loop {
        let event = reader.read_event().ok()?;
        let is_empty = matches!(event, Event::Empty(_));
        let is_end = matches!(event, Event::End(_)) || is_empty;
        match event {
            Event::Start(tag) | Event::Empty(tag) => {
                let mut members = Map::new();
                for attribute in tag.attributes() {
                    let attribute = attribute.ok()?;
                    let text = value(&attribute, resolve_html5_entity)?;
                    members.insert(format!("@{}", attribute.key.0), text.into());
                }
                if open.len() == DEEPEST {
                    return None;
                }
                open.push((tag.name().0.to_owned(), members, String::new()));
            }
            Event::Text(piece) => open.last_mut()?.2.push_str(&piece),
            Event::CData(piece) => open.last_mut()?.2.push_str(&piece),
            Event::GeneralRef(name) => open.last_mut()?.2.push_str(&resolved(&name)?),
            Event::Eof => return None,
            _ => {}
        }
        if is_end {
            let (name, mut members, text) = open.pop()?;
            let text = text.trim_ascii();
            let value = match (members.is_empty(), text) {
                (true, text) => text.into(),
                (false, "") => Value::from(members),
                (false, text) => {
                    members.insert("#text".into(), text.into());
                    members.into()
                }
            };
            match open.last_mut() {
                Some((_, outer, _)) => add(outer, &name, value),
                None => return Some(value),
            }
        }
    }
}

/// Whether the root of an XML document is one of these, in whichever namespace.
pub fn has_root(first: &[u8], roots: &[Root]) -> bool {
    let local = root(first).and_then(|root| root.rsplit(|&b| b == b':').next());
    local.is_some_and(|local| roots.iter().any(|root| root.name.as_bytes() == local))
}

/// The name of the root of an XML document.
pub fn root(first: &[u8]) -> Option<&[u8]> {
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

//! The members of a JSON object and the elements of an array (RFC 8259), found in place: keys and values are spans, and
//! only escaped texts are written anew. For the formats whose records are objects or arrays.

mod names;
pub mod path;
mod places;
mod proof;

use std::borrow::Cow;
use std::ops::Range;

use super::{short_search, span};
use memchr::memchr;
pub(crate) use names::members_within_first;
pub use names::{each, members_of_first};
pub use places::place_of;
use proof::{nested_end, scalar_end};
use serde_json::{Map, Value as Json};
use urimill_columns::batch::{Cell, Records, Text};
use urimill_uri::simd::{Span, Stops};

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value {
    /// With its quotes, brackets or braces.
    pub whole: Span,
    /// What it is.
    pub shape: Shape,
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A string, and whether there are escapes in it.
    Text {
        /// Whether a backslash stands in it.
        is_escaped: bool,
    },
    /// `null`.
    Null,
    /// A number, `true`, `false`, an array or an object.
    Other,
}

/// Calls `each` with the key and value of every member of the object at `bytes[start..end]`; the key is a string.
/// Returns the place of the first wrong byte, if there is one.
// In its caller it takes 3 % more instructions a record of JSON Lines.
#[inline(never)]
pub fn members(
    bytes: &[u8],
    start: usize,
    end: usize,
    mut each: impl FnMut(Value, Value),
) -> Result<(), usize> {
    let bytes = &bytes[..end];
    let mut stops = Stops::of(bytes);
    let mut at = space(bytes, expect(bytes, space(bytes, start), b'{')?);
    if bytes.get(at) == Some(&b'}') {
        return ends(bytes, at + 1);
    }
    loop {
        // A result passed from function to function is stored and read again, which takes as long as the search.
        let key = match plain_string(bytes, at, &mut stops) {
            Some(key) => key,
            None => escaped_string(bytes, at, &mut stops)?,
        };
        at = space(bytes, key.end());
        if bytes.get(at) != Some(&b':') {
            return Err(at);
        }
        at = space(bytes, at + 1);
        let value = match plain_string(bytes, at, &mut stops) {
            Some(value) => value,
            None => value(bytes, at, &mut stops)?,
        };
        each(key, value);
        at = space(bytes, value.end());
        match bytes.get(at) {
            Some(b',') => at = space(bytes, at + 1),
            Some(b'}') => return ends(bytes, at + 1),
            _ => return Err(at),
        }
    }
}

/// The members of a value from [`members`] or [`elements`], which have checked it; no members if it is not an object.
pub fn members_within(bytes: &[u8], object: Value, each: impl FnMut(Value, Value)) {
    let _ = members(bytes, object.whole.start as usize, object.end(), each);
}

/// The same for the elements of an array.
pub fn elements_within(bytes: &[u8], array: Value, each: impl FnMut(Value)) {
    let _ = elements(bytes, array.whole.start as usize, array.end(), each);
}

/// Calls `each` with every element of the array at `bytes[start..end]`. Returns the place of the first wrong byte, if
/// there is one.
pub fn elements(bytes: &[u8], start: usize, end: usize, mut each: impl FnMut(Value)) -> Result<(), usize> {
    let bytes = &bytes[..end];
    let mut stops = Stops::of(bytes);
    let mut at = space(bytes, expect(bytes, space(bytes, start), b'[')?);
    if bytes.get(at) == Some(&b']') {
        return ends(bytes, at + 1);
    }
    loop {
        let value = value(bytes, at, &mut stops)?;
        each(value);
        at = space(bytes, value.end());
        match bytes.get(at) {
            Some(b',') => at = space(bytes, at + 1),
            Some(b']') => return ends(bytes, at + 1),
            _ => return Err(at),
        }
    }
}

impl Value {
    pub(super) fn end(self) -> usize {
        (self.whole.start + self.whole.len) as usize
    }

    /// Whether it is a string.
    pub fn is_text(self) -> bool {
        matches!(self.shape, Shape::Text { .. })
    }

    /// Whether it is `null`.
    pub fn is_null(self) -> bool {
        self.shape == Shape::Null
    }

    /// Where the text of a string lies, with its escapes; for other values, the value as it is written.
    pub fn inner(self) -> Span {
        match self.shape {
            Shape::Text { .. } => Span { start: self.whole.start + 1, len: self.whole.len - 2 },
            Shape::Null | Shape::Other => self.whole,
        }
    }

    /// The text of a string; for other values, the value as it is written.
    pub fn text(self, bytes: &[u8], records: &mut Records) -> Text {
        let inner = self.inner();
        match self.shape {
            Shape::Text { is_escaped: true } => records.unescape(|out| {
                unescape(&bytes[inner.start as usize..][..inner.len as usize], out);
            }),
            _ => Text::Read(inner),
        }
    }

    /// The same as a field; `null` becomes an absent field.
    pub fn cell(self, bytes: &[u8], records: &mut Records) -> Cell {
        match self.shape {
            Shape::Null => Cell::NULL,
            _ => self.text(bytes, records).into(),
        }
    }

    /// The text of a key.
    pub fn name(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        let text = self.written(bytes);
        if self.shape == (Shape::Text { is_escaped: true }) {
            let mut plain = Vec::new();
            unescape(text, &mut plain);
            return Cow::Owned(plain);
        }
        Cow::Borrowed(text)
    }

    /// The same with its escapes.
    pub fn written(self, bytes: &[u8]) -> &[u8] {
        let inner = self.inner();
        &bytes[inner.start as usize..][..inner.len as usize]
    }

    /// Whether a key is `name`.
    pub fn is(self, bytes: &[u8], name: &[u8]) -> bool {
        *self.name(bytes) == *name
    }
}

/// Members as an object of their own; absent if there are none.
pub fn object(bytes: &[u8], members: &[(Value, Value)], records: &mut Records) -> Cell {
    if members.is_empty() {
        return Cell::NULL;
    }
    write_object(bytes, members.iter().map(|&(key, value)| ([&b""[..], key.written(bytes)], value)), records)
        .into()
}

/// An object of members of `bytes`: the name of each comes in two pieces, with the escapes as they were read.
pub fn write_object<'b>(
    bytes: &[u8],
    members: impl Iterator<Item = ([&'b [u8]; 2], Value)>,
    records: &mut Records,
) -> Text {
    records.unescape(|out| {
        out.push(b'{');
        for (at, (name, value)) in members.enumerate() {
            out.extend_from_slice(if at > 0 { b",\"" } else { b"\"" });
            name.iter().for_each(|piece| out.extend_from_slice(piece));
            out.extend_from_slice(b"\":");
            out.extend_from_slice(&bytes[value.whole.start as usize..][..value.whole.len as usize]);
        }
        out.push(b'}');
    })
}

/// Adds a member to an object; a name that comes several times has a list.
pub fn add(object: &mut Map<String, Json>, name: &str, value: Json) {
    match object.get_mut(name) {
        None => drop(object.insert(name.to_owned(), value)),
        Some(Json::Array(values)) => values.push(value),
        Some(first) => *first = Json::Array(vec![first.take(), value]),
    }
}

/// An object as a field; absent if it is empty.
pub fn extra(object: Map<String, Json>, records: &mut Records) -> Cell {
    if object.is_empty() {
        return Cell::NULL;
    }
    let text = Json::from(object).to_string();
    records.unescape(|out| out.extend_from_slice(text.as_bytes())).into()
}

#[inline(always)]
fn space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
        at += 1;
    }
    at
}

#[inline(always)]
fn expect(bytes: &[u8], at: usize, byte: u8) -> Result<usize, usize> {
    if bytes.get(at) == Some(&byte) { Ok(at + 1) } else { Err(at) }
}

/// Nothing but white space may come after the object.
fn ends(bytes: &[u8], at: usize) -> Result<(), usize> {
    let at = space(bytes, at);
    if at == bytes.len() { Ok(()) } else { Err(at) }
}

/// The string that begins at `start`; `stops` are those of `bytes`. If no string begins there, the place of the first
/// wrong byte.
#[inline(always)]
fn string(bytes: &[u8], start: usize, stops: &mut Stops) -> Result<Value, usize> {
    match plain_string(bytes, start, stops) {
        Some(string) => Ok(string),
        None => escaped_string(bytes, start, stops),
    }
}

/// The same for a string without escapes.
#[inline(always)]
fn plain_string(bytes: &[u8], start: usize, stops: &mut Stops) -> Option<Value> {
    if bytes.get(start) != Some(&b'"') {
        return None;
    }
    let end = stops.next(start + 1)?;
    let string = Value { whole: span(start, end + 1), shape: Shape::Text { is_escaped: false } };
    (bytes[end] == b'"').then_some(string)
}

/// The same for any string, with escapes or without.
#[inline(never)]
fn escaped_string(bytes: &[u8], start: usize, stops: &mut Stops) -> Result<Value, usize> {
    let mut at = expect(bytes, start, b'"')?;
    let end = loop {
        match stops.next(at).map(|stop| (stop, bytes[stop])) {
            Some((stop, b'"')) => break Some(stop),
            Some((stop, b'\\')) => match escape_end(bytes, stop) {
                Some(end) => at = end,
                None => break None,
            },
            _ => break None,
        }
    };
    let Some(end) = end else { return Err(string_fault(bytes, start)) };
    Ok(Value { whole: span(start, end + 1), shape: Shape::Text { is_escaped: true } })
}

/// The end of the escape that begins at `start`.
fn escape_end(bytes: &[u8], start: usize) -> Option<usize> {
    match bytes.get(start + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(start + 2),
        b'u' => {
            let digits = bytes.get(start + 2..start + 6)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(start + 6)
        }
        _ => None,
    }
}

/// Where the text at `start`, which begins like a string, stops being one: it does not end, or has a control character
/// or a wrong escape. Wrong escapes come first.
#[cold]
fn string_fault(bytes: &[u8], start: usize) -> usize {
    let Some((end, _)) = closing_quote(bytes, start + 1) else { return bytes.len() };
    let inner = &bytes[start + 1..end];
    let control = inner.iter().position(|&b| b < b' ');
    start + 1 + control.or_else(|| memchr(b'\\', inner)).unwrap_or(0)
}

#[inline(always)]
fn value(bytes: &[u8], start: usize, stops: &mut Stops) -> Result<Value, usize> {
    match bytes.get(start) {
        Some(b'"') => string(bytes, start, stops),
        Some(b'{' | b'[') => nested(bytes, start, stops),
        first => {
            let end = scalar_end(bytes, start).ok_or(start)?;
            let shape = if first == Some(&b'n') { Shape::Null } else { Shape::Other };
            Ok(Value { whole: span(start, end), shape })
        }
    }
}

/// An array or an object that is proved.
#[inline(never)]
fn nested(bytes: &[u8], start: usize, stops: &mut Stops) -> Result<Value, usize> {
    match nested_end(bytes, start, stops) {
        Some(end) => Ok(Value { whole: span(start, end), shape: Shape::Other }),
        None => Err(nested_fault(bytes, start, stops)),
    }
}

/// Where the text stops being an array or an object, as far as its strings and brackets show; otherwise its beginning.
#[cold]
fn nested_fault(bytes: &[u8], start: usize, stops: &mut Stops) -> usize {
    let (mut at, mut depth) = (start, 0usize);
    loop {
        match bytes.get(at) {
            Some(b'"') => match string(bytes, at, stops) {
                Ok(text) => at = text.end() - 1,
                Err(fault) => return fault,
            },
            Some(b'{' | b'[') => depth += 1,
            Some(b'}' | b']') => depth -= 1,
            Some(_) => {}
            None => return at,
        }
        at += 1;
        if depth == 0 {
            return start;
        }
    }
}

/// Appends the text of a string whose escapes have been checked. Half of a surrogate pair is U+FFFD.
fn unescape(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let (byte, mut taken) = match rest.get(at + 1) {
            Some(b'n') => (b'\n', 2),
            Some(b't') => (b'\t', 2),
            Some(b'r') => (b'\r', 2),
            Some(b'b') => (8, 2),
            Some(b'f') => (12, 2),
            Some(b'u') => (b'u', 6),
            Some(&byte) => (byte, 2),
            None => (b'\\', 1),
        };
        if taken == 6 {
            let first = unit(rest, at);
            let second =
                unit(rest, at + 6).filter(|_| first.is_some_and(|unit| (0xd800..0xdc00).contains(&unit)));
            let pair: Vec<u16> = first.into_iter().chain(second).collect();
            let decoded: Vec<_> = char::decode_utf16(pair).collect();
            // An escape that is not a second half stands for itself.
            let is_pair = decoded.len() == 1 && second.is_some();
            let first = decoded.first().and_then(|found| found.as_ref().ok()).copied();
            out.extend_from_slice(first.unwrap_or('\u{fffd}').encode_utf8(&mut [0; 4]).as_bytes());
            taken += if is_pair { 6 } else { 0 };
        } else {
            out.push(byte);
        }
        rest = rest.get(at + taken..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
}

/// The UTF-16 unit of the escape at `at`.
fn unit(text: &[u8], at: usize) -> Option<u16> {
    let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The wanted parts of a value: the value itself, or some of an object's members. Names match exactly, or in any case.
#[derive(Debug, Clone, Copy)]
pub enum Tree {
    /// The value is the field with this place.
    Field(u8),
    /// The value is an object with these members.
    Members(&'static [(&'static str, Tree)]),
    /// The same with names in any case.
    AnyCase(&'static [(&'static str, Tree)]),
}

/// Calls `each` with the values that `tree` wants of the object at `bytes[range]`. Skips a value that is not an object
/// where one is expected. Returns the place of the first wrong byte, if there is one.
pub fn pick(
    bytes: &[u8],
    range: Range<usize>,
    tree: Tree,
    each: &mut impl FnMut(u8, Value),
) -> Result<(), usize> {
    let mut within = Vec::new();
    members(bytes, range.start, range.end, |key, value| match wanted(bytes, tree, key) {
        Some(Tree::Field(place)) => each(place, value),
        Some(tree) => within.push((tree, value)),
        None => {}
    })?;
    for (tree, value) in within {
        pick_within(bytes, tree, value, each);
    }
    Ok(())
}

/// The same for a value that is known to be right.
fn pick_within(bytes: &[u8], tree: Tree, value: Value, each: &mut impl FnMut(u8, Value)) {
    members_within(bytes, value, |key, value| match wanted(bytes, tree, key) {
        Some(Tree::Field(place)) => each(place, value),
        Some(tree) => pick_within(bytes, tree, value, each),
        None => {}
    });
}

fn wanted(bytes: &[u8], tree: Tree, key: Value) -> Option<Tree> {
    let found = match tree {
        Tree::Field(_) => None,
        Tree::Members(names) => names.iter().find(|(name, _)| key.is(bytes, name.as_bytes())),
        Tree::AnyCase(names) => {
            names.iter().find(|(name, _)| key.written(bytes).eq_ignore_ascii_case(name.as_bytes()))
        }
    };
    found.map(|&(_, tree)| tree)
}

/// The quote that ends the string whose text begins at `at`, and whether there are escapes before it.
#[inline]
pub(super) fn closing_quote(bytes: &[u8], mut at: usize) -> Option<(usize, bool)> {
    let mut is_escaped = false;
    loop {
        at = short_search::find2(bytes, at, b'"', b'\\')?;
        if bytes[at] == b'"' {
            return Some((at, is_escaped));
        }
        is_escaped = true;
        at += 2;
    }
}

/// Whether a byte may follow a number or a word.
#[inline(always)]
fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n')
}

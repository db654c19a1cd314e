//! The body of a request as arguments of a URL, as the tools write it: forms, multipart forms, JSON, and all others in
//! base 64. The tests of `post` have the cases of the tools' own tests.

use std::collections::HashMap;
use std::fmt::Write;

use data_encoding::BASE64;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use urimill_read::http::{Message, fields};
use urimill_uri::encode::decode_leniently;

use super::tool::Like;

/// The most characters of a body that are added to a URL.
pub(super) const LONGEST: usize = 4096;
/// The bytes read of a body without a length.
const WITHOUT_LENGTH: usize = 8192;

/// The body of a message as arguments of a URL.
pub(super) fn arguments(message: &Message<'_>, like: Like) -> String {
    let text = |name: &[u8]| String::from_utf8_lossy(message.field(name).unwrap_or_default()).into_owned();
    let length = message.field(b"content-length").map(|_| text(b"content-length").parse::<usize>());
    let length = match (length, like) {
        (Some(Ok(length)), _) => length,
        (None, Like::CdxjIndexer) => WITHOUT_LENGTH,
        (None, Like::Pywb) | (Some(Err(_)), _) => return String::new(),
    };
    if length == 0 && like == Like::Pywb {
        return String::new();
    }
    // pywb does not decode the body.
    let decoded = (like == Like::CdxjIndexer).then(|| message.decoded().bytes);
    let body = decoded.as_deref().unwrap_or(message.body);
    let body = &body[..length.min(body.len())];
    let kind = text(b"content-type");
    let is = |name: &str| kind.get(..name.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(name));
    match () {
        () if is("application/x-www-form-urlencoded") => form(body),
        () if is("multipart/") => multipart(body, &kind).unwrap_or_else(|| data(body)),
        () if is("application/json") => json(body, like).unwrap_or_default(),
        () if is("text/plain") => json(body, like).unwrap_or_else(|| data(body)),
        () => data(body),
    }
}

/// A form: its triplets are decoded, and `+` is a space.
fn form(body: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(body) else { return data(body) };
    String::from_utf8_lossy(&decode_leniently(&text.replace('+', " "))).into_owned()
}

/// Any other body, in base 64 (RFC 4648, 4).
fn data(body: &[u8]) -> String {
    // The caller cuts the rest off.
    format!("__wb_post_data={}", BASE64.encode(&body[..body.len().min(LONGEST)]))
}

/// The parts of a multipart form (RFC 7578), by name and value; `None` if the media type has no boundary.
fn multipart(body: &[u8], kind: &str) -> Option<String> {
    let boundary = parameter(kind, "boundary").filter(|boundary| !boundary.is_empty())?;
    let (mut out, mut begin, mut at) = (String::new(), None, 0);
    for line in body.split_inclusive(|&b| b == b'\n') {
        let text =
            line.trim_ascii_end().strip_prefix(b"--").and_then(|text| text.strip_prefix(boundary.as_bytes()));
        if let Some(end @ (b"" | b"--")) = text {
            begin.into_iter().for_each(|begin| part(&mut out, &body[begin..at]));
            begin = Some(at + line.len());
            if !end.is_empty() || out.len() > LONGEST {
                return Some(out);
            }
        }
        at += line.len();
    }
    begin.into_iter().for_each(|begin| part(&mut out, &body[begin..]));
    Some(out)
}

/// Adds a part, if it has a name.
fn part(out: &mut String, part: &[u8]) {
    // The line end before a boundary belongs to the boundary.
    let part = part.strip_suffix(b"\n").unwrap_or(part);
    let part = part.strip_suffix(b"\r").unwrap_or(part);
    let with_line = [b"\r\n", part].concat();
    let Some(Message { head, body }) = Message::of(&with_line) else { return };
    let disposition = fields(head, b"content-disposition").next().unwrap_or_default();
    if let Some(name) = parameter(&String::from_utf8_lossy(disposition), "name") {
        argument(out, name.as_bytes(), body);
    }
}

/// A parameter of a header field; quotes around its value are removed, as in Python's `cgi`.
fn parameter(field: &str, name: &str) -> Option<String> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let ends = |c: char| {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_quoted,
            '"' => is_quoted = !is_quoted,
            _ => return c == ';' && !is_quoted,
        }
        false
    };
    field.split(ends).skip(1).find_map(|parameter| {
        let (own, value) = parameter.split_once('=')?;
        let value = value.trim();
        let value = match value.strip_prefix('"').and_then(|value| value.strip_suffix('"')) {
            Some(quoted) => quoted.replace("\\\\", "\\").replace("\\\"", "\""),
            None => value.to_owned(),
        };
        own.trim().eq_ignore_ascii_case(name).then_some(value)
    })
}

/// Adds an argument, encoded as forms are.
fn argument(out: &mut String, name: &[u8], value: &[u8]) {
    if !out.is_empty() {
        out.push('&');
    }
    encode(out, name);
    out.push('=');
    encode(out, value);
}

fn encode(out: &mut String, text: &[u8]) {
    for &b in &text[..text.len().min(LONGEST)] {
        match b {
            b' ' => out.push('+'),
            b'_' | b'.' | b'-' | b'~' => out.push(char::from(b)),
            _ if b.is_ascii_alphanumeric() => out.push(char::from(b)),
            // Writing to a string cannot fail.
            _ => drop(write!(out, "%{b:02X}")),
        }
    }
}

/// The members of JSON objects, at any depth, by name; `None` if the body is not JSON. cdxj-indexer also reads JSON
/// Lines.
fn json(body: &[u8], like: Like) -> Option<String> {
    let mut members = Members::default();
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    if members.read(body).is_err() {
        members = Members::default();
        if like != Like::CdxjIndexer || !body.contains(&b'\n') {
            return None;
        }
        body.split(|&b| b == b'\n').try_for_each(|line| members.read(line)).ok()?;
    }
    let mut out = String::new();
    members.list.iter().for_each(|(name, value)| argument(&mut out, name.as_bytes(), value.as_bytes()));
    Some(out)
}

/// Names and values, in order. A repeated name gets a number.
#[derive(Default)]
struct Members {
    list: Vec<(String, String)>,
    places: HashMap<String, usize>,
    repeated: HashMap<String, usize>,
    bytes: usize,
}

impl Members {
    fn read(&mut self, text: &[u8]) -> serde_json::Result<()> {
        let mut reader = serde_json::Deserializer::from_slice(text);
        let mut found = Found::default();
        MemberValue { found: &mut found, name: "" }.deserialize(&mut reader)?;
        reader.end()?;
        found.list.into_iter().for_each(|(name, value)| self.add(&name, value));
        Ok(())
    }

    fn add(&mut self, name: &str, value: String) {
        // The caller cuts the rest off. The tools drop values without a name.
        if name.is_empty() || self.bytes > LONGEST {
            return;
        }
        let name = match self.places.contains_key(name) {
            false => name.to_owned(),
            true => {
                let count = self.repeated.entry(name.to_owned()).or_insert(1);
                *count += 1;
                format!("{name}.{count}_")
            }
        };
        self.bytes += name.len() + value.len() + 1;
        match self.places.get(&name) {
            Some(&place) => self.list[place].1 = value,
            None => {
                self.places.insert(name.clone(), self.list.len());
                self.list.push((name, value));
            }
        }
    }
}

/// The values of one JSON text, with the names of their members.
#[derive(Default)]
struct Found {
    list: Vec<(String, String)>,
    pub bytes: usize,
}

impl Found {
    fn add(&mut self, name: &str, value: String) {
        // The caller cuts the rest off. The tools drop values without a name.
        if !name.is_empty() && self.bytes <= LONGEST {
            self.bytes += name.len() + value.len() + 1;
            self.list.push((name.to_owned(), value));
        }
    }
}

/// Reads a value with this name.
struct MemberValue<'m, 'n> {
    found: &'m mut Found,
    name: &'n str,
}

impl<'de> DeserializeSeed<'de> for MemberValue<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for MemberValue<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.found.add(self.name, value.to_string());
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.found.add(self.name, value.to_string());
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.found.add(self.name, value.to_string());
        Ok(())
    }

    /// As in JavaScript: 44.0 is 44, -0 is 0, and 0.0000001 is 1e-7.
    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        let text =
            if value.abs() < 1e-6 && value != 0.0 { format!("{value:e}") } else { (value + 0.0).to_string() };
        self.found.add(self.name, text);
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.found.add(self.name, value.to_owned());
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.found.add(self.name, "null".to_owned());
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(MemberValue { found: &mut *self.found, name: self.name })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        // If a name is repeated, Python keeps the last value, in the position of the first.
        let (mut seen, mut own) = (HashMap::new(), Vec::<Vec<(String, String)>>::new());
        while let Some(name) = entries.next_key::<String>()? {
            let mut found = Found { list: Vec::new(), bytes: self.found.bytes };
            entries.next_value_seed(MemberValue { found: &mut found, name: &name })?;
            self.found.bytes = found.bytes;
            match seen.get(&name) {
                Some(&place) => own[place] = found.list,
                None => {
                    seen.insert(name, own.len());
                    own.push(found.list);
                }
            }
        }
        self.found.list.extend(own.into_iter().flatten());
        Ok(())
    }
}

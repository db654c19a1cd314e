//! The body of a request as arguments of a URL, as the tools write it: forms, forms in parts, JSON, and all else in base
//! 64. What follows from the tools' own tests stands in those of `post`.

use std::collections::HashMap;
use std::fmt::Write;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::tool::Like;
use crate::read::http::{Message, fields};

/// What is added to a URL has at most so many characters of the body.
pub(super) const LONGEST: usize = 4096;
/// So much of a body without a length is read.
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
    // pywb takes it as it was transferred.
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
    let (mut out, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    let digit = |b: u8| char::from(b).to_digit(16);
    loop {
        rest = match rest {
            [] => return String::from_utf8_lossy(&out).into_owned(),
            [b'%', high, low, after @ ..] if let (Some(high), Some(low)) = (digit(*high), digit(*low)) => {
                out.push((high << 4 | low) as u8);
                after
            }
            [b'+', after @ ..] => {
                out.push(b' ');
                after
            }
            [b, after @ ..] => {
                out.push(*b);
                after
            }
        };
    }
}

/// What is neither: in base 64 (RFC 4648, 4).
fn data(body: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::from("__wb_post_data=");
    // What comes after these is cut off.
    for group in body[..body.len().min(LONGEST)].chunks(3) {
        let bits = (0..3).fold(0u32, |bits, at| bits << 8 | u32::from(*group.get(at).unwrap_or(&0)));
        for at in 0..4 {
            out.push(match at <= group.len() {
                true => char::from(LETTERS[(bits >> (18 - 6 * at)) as usize & 63]),
                false => '=',
            });
        }
    }
    out
}

/// The parts of a form in parts (RFC 7578), by name and value; none where nothing says what stands between them.
fn multipart(body: &[u8], kind: &str) -> Option<String> {
    let boundary = kind.split("boundary=").nth(1)?;
    let boundary = match boundary.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next().unwrap_or_default(),
        None => boundary.split(';').next().unwrap_or_default().trim(),
    };
    let between = memchr::memmem::Finder::new(boundary.as_bytes());
    if boundary.is_empty() {
        return None;
    }
    let marker = format!("--{boundary}");
    let mut starts = Vec::new();
    for at in between.find_iter(body) {
        let begin = at.wrapping_sub(2);
        let begins_line = begin == 0 || body.get(begin.wrapping_sub(1)) == Some(&b'\n');
        if begins_line && body[begin..].starts_with(marker.as_bytes()) {
            starts.push(begin);
        }
    }
    let mut out = String::new();
    for (at, &start) in starts.iter().enumerate() {
        let part = &body[start + marker.len()..starts.get(at + 1).copied().unwrap_or(body.len())];
        if part.starts_with(b"--") || out.len() > LONGEST {
            break;
        }
        let part = &part[memchr::memchr(b'\n', part).map_or(part.len(), |end| end + 1)..];
        // Its line end belongs to what stands between.
        let part = part.strip_suffix(b"\n").unwrap_or(part);
        let part = part.strip_suffix(b"\r").unwrap_or(part);
        let with_line = [b"\r\n", part].concat();
        let Some(Message { head, body }) = Message::of(&with_line) else { continue };
        if let Some(name) = name_of(head) {
            argument(&mut out, name.as_bytes(), body);
        }
    }
    Some(out)
}

/// The name of a part.
fn name_of(head: &[u8]) -> Option<String> {
    let value = fields(head, b"content-disposition").next()?;
    let value = String::from_utf8_lossy(value).into_owned();
    let parameter =
        value.split(';').map(str::trim_start).find_map(|parameter| parameter.strip_prefix("name="))?;
    let parameter = parameter.trim();
    Some(parameter.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(parameter).to_owned())
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

/// The members of an object of JSON, at any depth, by name; none where it is no JSON. cdxj-indexer also takes lines of it.
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

/// Names and values, in order. A name that comes again gets a number.
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
        Of { members: self, name: "" }.deserialize(&mut reader)?;
        reader.end()
    }

    fn add(&mut self, name: &str, value: String) {
        // What comes after these is cut off. A value without a name is none of them.
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

/// Reads a value that has this name.
struct Of<'m, 'n> {
    members: &'m mut Members,
    name: &'n str,
}

impl<'de> DeserializeSeed<'de> for Of<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Of<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.members.add(self.name, value.to_string());
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.members.add(self.name, value.to_string());
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.members.add(self.name, value.to_string());
        Ok(())
    }

    /// As JavaScript has it: without a fraction where there is none.
    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.members.add(self.name, value.to_string());
        Ok(())
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        self.members.add(self.name, value.to_owned());
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.members.add(self.name, "null".to_owned());
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Of { members: &mut *self.members, name: self.name })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        while let Some(name) = entries.next_key::<String>()? {
            entries.next_value_seed(Of { members: &mut *self.members, name: &name })?;
        }
        Ok(())
    }
}

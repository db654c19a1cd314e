//! The references of a page in a WAT: an extract of a WARC file, written as JSON, with one record of metadata for each
//! of its records (Web Archive Transformation). `Base`, `Links` and the members of `Head` come from the page, and
//! header fields from the response.
//!
//! The JSON is walked and not held: a visitor knows its place in the JSON (`At`), and skips the rest.
//!
//! ```text
//! Envelope ─ WARC-Header-Metadata ─ WARC-Type, WARC-Target-URI
//!          └ Payload-Metadata ─ HTTP-Response-Metadata ─ Headers ─ Location, Link …
//!                                                      └ HTML-Metadata ─ Head ─ Base, Link[], Scripts[], Metas[]
//!                                                                      └ Links[]
//! ```

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::attributes::{self, Holds};
use super::header::{FIELDS, field};
use super::link::{Links, Place};
use super::reference::Against;
use super::values::refresh;

/// The description of a record.
#[derive(Debug, Default)]
pub(super) struct Described {
    pub(super) uri: Option<String>,
    kind: Option<String>,
    /// Whether it has the members of an HTTP response.
    has_response: bool,
    /// The page's own base.
    pub(super) base: Option<String>,
}

impl Described {
    /// Whether it is a response or a resource.
    pub(super) fn is_page(&self) -> bool {
        match self.kind.as_deref() {
            None | Some("response") => self.has_response,
            kind => kind == Some("resource"),
        }
    }
}

/// Adds the references of a block.
///
/// # Errors
/// The byte from which on it is not JSON.
pub(super) fn read(block: &[u8], links: &mut Links) -> Result<Described, usize> {
    let mut walk = Walk { links, described: Described::default(), item: Item::default() };
    let mut json = serde_json::Deserializer::from_slice(block);
    let found = Step { walk: &mut walk, at: At::Top }.deserialize(&mut json).and_then(|()| json.end());
    match found {
        Ok(()) => Ok(walk.described),
        Err(error) => {
            let lines = block.split_inclusive(|&b| b == b'\n').take(error.line().saturating_sub(1));
            Err(lines.map(<[u8]>::len).sum::<usize>() + error.column().saturating_sub(1))
        }
    }
}

/// The place of a value in the JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Top,
    Envelope,
    Record,
    Kind,
    Target,
    Payload,
    Response,
    Headers,
    /// The field of a header, by its number among [`FIELDS`].
    Header(usize),
    Html,
    Head,
    Base,
    /// A list of items, and whether they are `meta`.
    Items(bool),
    Item(bool),
    /// A member of an item, by its number among [`MEMBERS`].
    Member(usize),
    /// Any other place.
    Nowhere,
}

/// The members of an item.
const MEMBERS: [&str; 8] = ["path", "url", "href", "text", "alt", "rel", "http-equiv", "content"];

impl At {
    /// The place of the member of this name.
    fn member(self, name: &str) -> At {
        match (self, name) {
            (At::Top, "Envelope") => At::Envelope,
            (At::Envelope, "WARC-Header-Metadata" | "ARC-Header-Metadata") => At::Record,
            (At::Envelope, "Payload-Metadata") => At::Payload,
            (At::Record, "WARC-Type") => At::Kind,
            (At::Record, "WARC-Target-URI" | "Target-URI") => At::Target,
            (At::Payload, "HTTP-Response-Metadata") => At::Response,
            (At::Response, "Headers") => At::Headers,
            (At::Response, "HTML-Metadata") => At::Html,
            (At::Headers, name) => {
                let known = FIELDS.iter().position(|known| known.eq_ignore_ascii_case(name));
                known.map_or(At::Nowhere, At::Header)
            }
            (At::Html, "Head") => At::Head,
            (At::Html, "Links") | (At::Head, "Link" | "Scripts") => At::Items(false),
            (At::Head, "Metas") => At::Items(true),
            (At::Head, "Base") => At::Base,
            (At::Item(_), name) => {
                MEMBERS.iter().position(|known| *known == name).map_or(At::Nowhere, At::Member)
            }
            _ => At::Nowhere,
        }
    }
}

/// The members of the item that is being read.
type Item<'b> = [Option<Cow<'b, str>>; MEMBERS.len()];

/// A walk through a block.
struct Walk<'b, 'l> {
    links: &'l mut Links,
    described: Described,
    item: Item<'b>,
}

impl<'b> Walk<'b, '_> {
    fn text(&mut self, at: At, text: Cow<'b, str>) {
        match at {
            At::Kind => self.described.kind = Some(text.into_owned()),
            At::Target => self.described.uri = Some(text.into_owned()),
            At::Header(number) => field(FIELDS[number].as_bytes(), text.as_bytes(), self.links),
            At::Base if self.described.base.is_none() => {
                let (element, attribute) = (Some(&b"base"[..]), Some(&b"href"[..]));
                let place = Place { element, attribute, against: Against::Outer, ..Place::default() };
                self.links.push(text.as_bytes(), place);
                self.described.base = Some(text.into_owned());
            }
            At::Member(number) => self.item[number] = Some(text),
            _ => {}
        }
    }

    /// The reference of the item that was read: its `url`, and `path`, such as `A@/href` or `STYLE/#text`, which names
    /// its place in the page.
    fn item(&mut self, is_meta: bool) {
        let [path, url, href, text, alt, rel, http_equiv, content] = std::mem::take(&mut self.item);
        if is_meta {
            // Properties of a page (`og:image`) are not rows here: a WAT lists the links of its page separately.
            let (element, attribute) = (Some(&b"meta"[..]), Some(&b"content"[..]));
            let content = content.as_deref().unwrap_or_default().as_bytes();
            if http_equiv.is_some_and(|name| name.eq_ignore_ascii_case("refresh")) {
                self.links.push_all(refresh(content), Place { element, attribute, ..Place::default() });
            }
            return;
        }
        let Some(url) = url.or(href) else { return };
        let mut path = path.unwrap_or_default();
        if path.bytes().any(|b| b.is_ascii_uppercase()) {
            path.to_mut().make_ascii_lowercase();
        }
        let (element, attribute) = match (path.split_once("@/"), path.split_once('/')) {
            (Some(found), _) => found,
            (None, Some((element, _))) => (element, "url()"),
            (None, None) => (&*path, ""),
        };
        let words = text.or(alt);
        let named = |name: &'_ str| !name.is_empty();
        let place = Place {
            element: Some(element).filter(|name| named(name)).map(str::as_bytes),
            attribute: Some(attribute).filter(|name| named(name)).map(str::as_bytes),
            rel: rel.as_deref().map(str::as_bytes),
            text: words.as_deref().map(str::as_bytes),
            ..Place::default()
        };
        let holds = attributes::known(attribute.as_bytes())
            .and_then(|attribute| attributes::holds(element.as_bytes(), attribute));
        match holds {
            Some(Holds::Filled | Holds::FilledOfDocument) => self.links.push_filled(url.as_bytes(), place),
            _ => self.links.push_all([url.as_bytes()], place),
        }
    }
}

/// The value at a place.
struct Step<'w, 'b, 'l> {
    walk: &'w mut Walk<'b, 'l>,
    at: At,
}

impl<'de> DeserializeSeed<'de> for Step<'_, 'de, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        match self.at {
            At::Nowhere => json.deserialize_ignored_any(IgnoredAny).map(drop),
            _ => json.deserialize_any(self),
        }
    }
}

/// The name of a member, which is seldom escaped.
struct Name;

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Cow<'de, str>, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_borrowed_str<E>(self, name: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(name))
    }

    fn visit_str<E>(self, name: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(name.to_owned()))
    }
}

impl<'de> Visitor<'de> for Step<'_, 'de, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if self.at == At::Response {
            self.walk.described.has_response = true;
        }
        while let Some(name) = map.next_key_seed(Name)? {
            map.next_value_seed(Step { walk: &mut *self.walk, at: self.at.member(&name) })?;
        }
        if let At::Item(is_meta) = self.at {
            self.walk.item(is_meta);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let at = match self.at {
            At::Items(is_meta) => At::Item(is_meta),
            // A field that occurs several times may have a list.
            At::Header(number) => At::Header(number),
            _ => At::Nowhere,
        };
        while list.next_element_seed(Step { walk: &mut *self.walk, at })?.is_some() {}
        Ok(())
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<(), E> {
        self.walk.text(self.at, Cow::Borrowed(text));
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.walk.text(self.at, Cow::Owned(text.to_owned()));
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_told_by_its_byte() {
        // The first byte that cannot be right is an x, whichever line it is in.
        for text in ["x", "{x", "{\"Envelope\": {\n x", "{\r\n\"Envelope\":\n{\n\n\"a\": [1,\nx"] {
            let found = read(text.as_bytes(), &mut Links::default()).map(|_| ());
            assert_eq!(found.err(), text.find('x'), "{text:?}");
        }
    }
}

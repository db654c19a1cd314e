//! The references of a message: of its parts that are HTML or style sheets, decoded (quoted-printable, base64, their
//! character sets). The parser is mail-parser's.
//!
//! A part has the base that its own header says (`Content-Base`, RFC 2110, 4.2; `Content-Location`, RFC 2557, 5), or that of
//! the multipart or message around it (RFC 3986, 5.1.2). What a part says of itself in its content goes before both.

use mail_parser::{HeaderName, Message, MessagePart, MimeHeaders, PartType};

use super::base::{BaseKind, Reading, Resolve};
use super::link::{Links, Place};
use super::reference::Against;
use super::{css, html};
use crate::read::mail::{DEEPEST, parsed, uri};

/// What is known of a message.
#[derive(Debug, Default)]
pub(super) struct Letter {
    /// Its URI (RFC 2392, 2).
    pub(super) uri: Option<String>,
    /// Whether the encoding of a part is damaged.
    pub(super) is_damaged: bool,
    /// Whether only its beginning was read.
    pub(super) is_cut: bool,
}

/// Adds the references of a message; `None` where it is none. `outer` is the base that the caller says.
pub(super) fn read(
    bytes: &[u8],
    outer: Option<&[u8]>,
    reading: &Reading,
    links: &mut Links,
) -> Option<Letter> {
    let (message, is_cut) = parsed(bytes)?;
    let uri = uri(&message);
    let mut walk = Walk { outer, reading, links, is_damaged: false };
    walk.message(&message, None, 0);
    Some(Letter { uri, is_damaged: walk.is_damaged, is_cut })
}

struct Walk<'w> {
    outer: Option<&'w [u8]>,
    reading: &'w Reading,
    links: &'w mut Links,
    is_damaged: bool,
}

impl Walk<'_> {
    /// A message within the entity with this base, by its number among [`Links::bases`].
    fn message(&mut self, message: &Message<'_>, around: Option<u32>, depth: usize) {
        if !message.parts.is_empty() {
            self.part(message, 0, around, depth);
        }
    }

    fn part(&mut self, message: &Message<'_>, number: usize, around: Option<u32>, depth: usize) {
        let Some(part) = message.parts.get(number).filter(|_| depth < DEEPEST) else { return };
        self.is_damaged |= part.is_encoding_problem;
        let own = self.own_base(part, around);
        match &part.body {
            PartType::Html(text) => {
                self.page(own.or(around), |links, resolve| html::read(text, links, resolve));
            }
            PartType::Text(text) if is_css(part) => {
                self.page(own.or(around), |links, _| {
                    css::references(text.as_bytes(), |found| {
                        let attribute = Some(if found.is_import { &b"@import"[..] } else { b"url()" });
                        let position = Some(found.at as u32);
                        links.push(&found.url, Place { attribute, position, ..Place::default() });
                    });
                });
            }
            PartType::Message(inner) => {
                let around = self.of_entity(own, around);
                self.message(inner, around, depth + 1);
            }
            PartType::Multipart(parts) => {
                let around = self.of_entity(own, around);
                for &number in parts {
                    self.part(message, number as usize, around, depth + 1);
                }
            }
            PartType::Text(_) | PartType::Binary(_) | PartType::InlineBinary(_) => {}
        }
    }

    /// The base that an entity gives to those in it.
    fn of_entity(&mut self, own: Option<u32>, around: Option<u32>) -> Option<u32> {
        match own {
            Some(own) => {
                let base = self.links.bases[own as usize].0.clone();
                Some(self.links.add_base(base, BaseKind::Encapsulating))
            }
            None => around,
        }
    }

    /// The base that a part's own header says.
    fn own_base(&mut self, part: &MessagePart<'_>, around: Option<u32>) -> Option<u32> {
        let is_base = |name: &HeaderName<'_>| name.as_str().eq_ignore_ascii_case("content-base");
        let said = part.headers.iter().find(|header| is_base(&header.name));
        let said = said.and_then(|header| header.value.as_text());
        let said = said.or_else(|| part.content_location())?;
        // Long ones are folded, and may be in quotes or brackets.
        let said: String = said.split_ascii_whitespace().collect();
        let said = said.trim_matches(|c| matches!(c, '"' | '<' | '>'));
        let outer = match around {
            Some(around) => Some(self.links.bases[around as usize].0.as_bytes()),
            None => self.outer,
        };
        let base = self.reading.base(outer, said.as_bytes())?;
        Some(self.links.add_base(base, BaseKind::Content))
    }

    /// A part that has references, with its base.
    fn page(&mut self, base: Option<u32>, read: impl FnOnce(&mut Links, &mut Resolve<'_>)) {
        let from = self.links.hold();
        let outer = match base {
            Some(base) => Some(self.links.bases[base as usize].0.clone().into_bytes()),
            None => self.outer.map(<[u8]>::to_vec),
        };
        let reading = self.reading;
        let outer = outer.as_deref();
        read(self.links, &mut |within, said| reading.base(within.map(str::as_bytes).or(outer), said));
        let document = self.links.document.take();
        let document = document.map(|document| self.links.add_base(document, BaseKind::Content));
        let against = |base: Option<u32>| base.map_or(Against::Outer, Against::Element);
        for link in &mut self.links.list[from..] {
            link.against = match link.against {
                Against::Document => against(document.or(base)),
                Against::Outer => against(base),
                Against::Element(number) => Against::Element(number),
            };
        }
        self.links.release();
    }
}

fn is_css(part: &MessagePart<'_>) -> bool {
    part.content_type()
        .is_some_and(|kind| kind.subtype().is_some_and(|name| name.eq_ignore_ascii_case("css")))
}

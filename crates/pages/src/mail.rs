//! The references of a message: of its parts that are HTML, XML or style sheets, decoded (quoted-printable, base64, their
//! character sets). The parser is mail-parser's.
//!
//! A part has the base in its own header (`Content-Base`, RFC 2110, 4.2; `Content-Location`, RFC 2557, 5), or the base
//! of the multipart or message around it (RFC 3986, 5.1.2). A base in the part's content comes before both.

use std::borrow::Cow;
use std::cell::Cell;

use mail_parser::{HeaderName, Message, MessagePart, MimeHeaders, PartType};
use urimill_read::format::base::{BaseKind, LinkRules, Resolve};

use super::charset::{Markup, decode};
use super::link::{Links, Place};
use super::reference::Against;
use super::{css, html, xml};
use crate::message::{DEEPEST, decoded, parsed, uri};

/// The facts about a message.
#[derive(Debug, Default)]
pub(super) struct Letter {
    /// Its URI (RFC 2392, 2).
    pub(super) uri: Option<String>,
    /// Whether the encoding of a part is damaged.
    pub(super) is_damaged: bool,
    /// Where the part begins that could be read only up to a fault, in bytes of the message; for a nested message,
    /// where that message begins.
    pub(super) fault: Option<usize>,
    /// Whether a part does not declare its character set although it matters, and whether bytes are not of it.
    pub(super) is_charset_unknown: bool,
    pub(super) is_charset_damaged: bool,
    /// Whether only its beginning was read.
    pub(super) is_cut: bool,
}

/// Adds the references of a message; `None` if it is not one. `outer` is the caller's base.
pub(super) fn read(
    bytes: &[u8],
    outer: Option<&[u8]>,
    rules: &LinkRules,
    links: &mut Links,
) -> Option<Letter> {
    let (message, is_cut) = parsed(bytes)?;
    let uri = uri(&message);
    let mut walk = Walk {
        outer,
        rules,
        links,
        within: None,
        is_damaged: false,
        fault: None,
        is_charset_unknown: false,
        is_charset_damaged: false,
    };
    walk.message(&message, None, 0);
    let Walk { is_damaged, fault, is_charset_unknown, is_charset_damaged, .. } = walk;
    Some(Letter { uri, is_damaged, fault, is_charset_unknown, is_charset_damaged, is_cut })
}

struct Walk<'w> {
    outer: Option<&'w [u8]>,
    rules: &'w LinkRules,
    links: &'w mut Links,
    /// Where the message begins whose parts are read now.
    within: Option<usize>,
    is_damaged: bool,
    fault: Option<usize>,
    is_charset_unknown: bool,
    is_charset_damaged: bool,
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
            PartType::Message(inner) => {
                let around = self.of_entity(own, around);
                let outside = self.within;
                self.within = Some(self.place(part));
                self.message(inner, around, depth + 1);
                self.within = outside;
            }
            PartType::Multipart(parts) => {
                let around = self.of_entity(own, around);
                for &number in parts {
                    self.part(message, number as usize, around, depth + 1);
                }
            }
            _ => {
                let Some(markup) = markup(part) else { return };
                let text = self.text(message, part, markup);
                if !self.document(&text, markup, own.or(around)) {
                    self.is_damaged = true;
                    self.fault.get_or_insert(self.place(part));
                }
            }
        }
    }

    /// Where a part begins in the outermost message.
    fn place(&self, part: &MessagePart<'_>) -> usize {
        self.within.unwrap_or(part.offset_body as usize)
    }

    /// The text of a part.
    fn text<'m>(
        &mut self,
        message: &'m Message<'_>,
        part: &'m MessagePart<'_>,
        markup: Markup,
    ) -> Cow<'m, str> {
        let bytes = match &part.body {
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => Cow::Borrowed(&bytes[..]),
            // Without a charset that the parser knows it is read as UTF-8, whatever the text declares.
            PartType::Text(text) | PartType::Html(text) => {
                match part.is_encoding_problem || text.contains('\u{fffd}') {
                    true => decoded(message, part),
                    false => return Cow::Borrowed(text),
                }
            }
            PartType::Message(_) | PartType::Multipart(_) => return Cow::Borrowed(""),
        };
        let charset = part.content_type().and_then(|kind| kind.attribute("charset"));
        let transferred = charset.map_or(String::new(), |charset| format!("charset={charset}"));
        let found = decode(&bytes, transferred.as_bytes(), markup, false);
        self.is_charset_unknown |= found.is_unknown;
        self.is_charset_damaged |= found.is_damaged;
        Cow::Owned(found.text.into_owned())
    }

    /// The references of a part that is a document with this base; returns whether it could be read to its end.
    fn document(&mut self, text: &str, markup: Markup, base: Option<u32>) -> bool {
        let mut is_whole = true;
        self.page(base, |links, resolve| match markup {
            Markup::Html | Markup::Markdown => html::read(text, links, resolve),
            Markup::Xml => is_whole = xml::read(text.as_bytes(), links, resolve).is_ok(),
            Markup::Css => css::references(text.as_bytes(), |found| {
                let attribute = Some(if found.is_import { &b"@import"[..] } else { b"url()" });
                let position = Some(found.at as u32);
                links.push(&found.url, Place { attribute, position, ..Place::default() });
            }),
        });
        is_whole
    }

    /// The base that an entity gives to its parts.
    fn of_entity(&mut self, own: Option<u32>, around: Option<u32>) -> Option<u32> {
        match own {
            Some(own) => {
                let base = self.links.bases[own as usize].0.clone();
                Some(self.links.add_base(base, BaseKind::Encapsulating))
            }
            None => around,
        }
    }

    /// The base in a part's own header.
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
        let base = self.rules.base(outer, said.as_bytes());
        self.links.is_baseless |= base.is_err();
        Some(self.links.add_base(base.ok()??, BaseKind::Content))
    }

    /// A part that has references, with its base.
    fn page(&mut self, base: Option<u32>, read: impl FnOnce(&mut Links, &mut Resolve<'_>)) {
        let from = self.links.hold();
        let outer = match base {
            Some(base) => Some(self.links.bases[base as usize].0.clone().into_bytes()),
            None => self.outer.map(<[u8]>::to_vec),
        };
        let is_too_long = Cell::default();
        read(self.links, &mut self.rules.resolver(outer.as_deref(), &is_too_long));
        self.links.is_baseless |= is_too_long.get();
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

/// The language of a part, if it has references. XHTML is read as HTML; SVG, feeds and others are XML (RFC 7303, 9).
fn markup(part: &MessagePart<'_>) -> Option<Markup> {
    let name = part.content_type().and_then(|kind| kind.subtype()).unwrap_or_default().to_ascii_lowercase();
    match &*name {
        _ if matches!(part.body, PartType::Html(_)) => Some(Markup::Html),
        "html" | "xhtml+xml" => Some(Markup::Html),
        "css" => Some(Markup::Css),
        "xml" => Some(Markup::Xml),
        name if name.ends_with("+xml") => Some(Markup::Xml),
        _ => None,
    }
}

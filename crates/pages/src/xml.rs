//! The references of an XML document: sitemaps, feeds, SVG, and other documents with links by XLink or `href`. The
//! parser is quick-xml's. `xml:base` is the base of an element and of those in it (XML Base, 3; RFC 4287, 2).

use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use urimill_read::format::base::{BaseKind, Resolve};
use urimill_read::format::first_lines::has_scheme;
use urimill_read::format::xml;

use super::attributes::{self, Holds};
use super::css;
use super::entities::Entities;
use super::html;
use super::link::{Links, MOST_BASES, Place};
use super::reference::Against;
use super::stream::{Bounded, LONGEST_VALUE};
use super::values::{candidates, items, tokens};

/// The most nested elements with a base of their own.
const DEEPEST: usize = 1024;

/// At most `MOST_OPEN` elements are open at once, with `MOST_NAMES` bytes of names: beyond that the page is cut.
const MOST_OPEN: usize = 1 << 20;
const MOST_NAMES: usize = 64 << 20;

/// Elements whose text is a reference, by the root of the document: sitemaps, RSS, Atom.
const TEXTS: [(&[&str], &[&str]); 3] = [
    (&["urlset", "sitemapindex"], &["loc", "content_loc", "player_loc", "thumbnail_loc", "license"]),
    (&["rss", "RDF"], &["link", "guid", "comments", "docs", "url"]),
    (&["feed", "entry"], &["icon", "logo", "uri"]),
];

/// Elements whose text is HTML, by the root of the document: always in RSS, in Atom if they say so (RFC 4287, 3.1.1).
const HTML: [(&[&str], &[&str]); 2] = [
    (&["rss", "RDF"], &["description", "encoded", "summary", "body"]),
    (&["feed", "entry"], &["content", "summary", "title", "subtitle", "rights"]),
];

/// Attributes that hold one reference on these elements: feeds and their extension for media.
const ATTRIBUTES: [(&str, &[&str]); 4] = [
    ("url", &["enclosure", "source", "content", "thumbnail", "player", "image"]),
    ("uri", &["generator"]),
    ("about", &[]),
    ("resource", &[]),
];

/// The kind of an element's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    Reference,
    Style,
    Html,
}

/// An element whose text has references.
struct Open {
    name: String,
    at: usize,
    text: String,
    /// Its depth.
    depth: usize,
    holds: Text,
}

/// Adds the references of a document. `resolve` returns the base for an `xml:base`, or for a `base` in HTML.
///
/// # Errors
/// The byte from which on it is not XML.
pub(super) fn read(page: impl BufRead, links: &mut Links, resolve: &mut Resolve<'_>) -> Result<(), usize> {
    let mut reader = Reader::from_reader(Bounded::new(page));
    let mut entities = Entities::default();
    let read = read_all(&mut reader, &mut entities, links, resolve);
    // The end of a tag, text or name that is too long is unknown, and so is all after it: the page counts as cut.
    match reader.get_ref().is_over || entities.are_too_much() {
        true => {
            links.is_cut = true;
            Ok(())
        }
        false => read,
    }
}

fn read_all<R: BufRead>(
    reader: &mut Reader<Bounded<R>>,
    entities: &mut Entities,
    links: &mut Links,
    resolve: &mut Resolve<'_>,
) -> Result<(), usize> {
    let (mut buffer, mut names, mut names_len) = (Vec::new(), Vec::<u32>::new(), 0);
    let (mut depth, mut root, mut html) = (0usize, &[][..], &[][..]);
    let mut is_atom = false;
    let mut bases: Vec<(usize, Against)> = Vec::new();
    let mut open: Option<Open> = None;
    loop {
        let before = reader.buffer_position() as usize;
        buffer.clear();
        let event = match reader.read_event_into(&mut buffer) {
            Ok(event) => event,
            Err(_) => return Err(reader.error_position() as usize),
        };
        reader.get_mut().told();
        entities.have_read(reader.buffer_position());
        match event {
            Event::Start(ref tag) | Event::Empty(ref tag) => {
                let (name, is_empty) = (tag.name().0.to_owned(), matches!(event, Event::Empty(_)));
                let local = local(&name);
                if depth == 0 {
                    let fits = |texts: &&(&'static [&'static str], _)| texts.0.contains(&local);
                    root = TEXTS.iter().find(fits).map_or(&[][..], |texts| texts.1);
                    html = HTML.iter().find(fits).map_or(&[][..], |texts| texts.1);
                    is_atom = matches!(local, "feed" | "entry");
                }
                depth += 1;
                if !is_empty {
                    names.push(name.len() as u32);
                    names_len += name.len();
                    if names.len() > MOST_OPEN || names_len > MOST_NAMES {
                        links.is_cut = true;
                        return Ok(());
                    }
                }
                let around = bases.last().map_or(Against::Document, |&(_, base)| base);
                let mut against = around;
                if let Some(base) = value(tag, "xml:base", entities) {
                    if let Some(base) = resolve(base_of(links, around).as_deref(), base.trim().as_bytes()) {
                        against = Against::Element(links.add_base(base, BaseKind::Content));
                    }
                    if links.bases_len > MOST_BASES || bases.len() == DEEPEST {
                        links.is_cut = true;
                        return Ok(());
                    }
                    bases.push((depth, against));
                }
                attributes(tag, (&name, local), (before, against), entities, links)?;
                let is_permalink = || value(tag, "isPermaLink", entities).is_none_or(|is| is != "false");
                // As a media type, too: RFC 4287, 4.1.3.3, and Atom 0.3.
                let is_named = |kind: &str| kind == "html" || kind.eq_ignore_ascii_case("text/html");
                let is_html = || !is_atom || value(tag, "type", entities).is_some_and(|kind| is_named(&kind));
                let holds = match local {
                    "style" => Some(Text::Style),
                    "guid" if !is_permalink() => None,
                    _ if root.contains(&local) => Some(Text::Reference),
                    _ if html.contains(&local) && is_html() => Some(Text::Html),
                    _ => None,
                };
                if let Some(holds) = holds.filter(|_| !is_empty && open.is_none()) {
                    let at = reader.buffer_position() as usize;
                    open = Some(Open { name, at, text: String::new(), depth, holds });
                }
                if is_empty {
                    close(&mut bases, &mut depth);
                }
            }
            Event::End(_) => {
                if let Some(done) = open.take_if(|open| open.depth == depth) {
                    let against = bases.last().map_or(Against::Document, |&(_, base)| base);
                    text(&done, against, links, resolve);
                }
                if depth == 0 {
                    return Err(before);
                }
                names_len -= names.pop().unwrap_or_default() as usize;
                close(&mut bases, &mut depth);
            }
            Event::Text(piece) => push(&mut open, &piece, links),
            Event::CData(piece) => push(&mut open, &piece, links),
            Event::GeneralRef(reference) => {
                let named = entities.get(&reference);
                match reference.resolve_char_ref().ok().flatten() {
                    Some(c) => push(&mut open, c.encode_utf8(&mut [0; 4]), links),
                    None => push(&mut open, named.ok_or(before)?, links),
                }
            }
            Event::DocType(ref doctype) => entities.declare(doctype),
            Event::PI(ref instruction) if instruction.starts_with("xml-stylesheet") => {
                if let Some(href) = pseudo_attribute(instruction) {
                    let position = Some(before as u32);
                    let (element, attribute) = (Some(&b"?xml-stylesheet"[..]), Some(&b"href"[..]));
                    links.push(href.as_bytes(), Place { element, attribute, position, ..Place::default() });
                }
            }
            Event::Eof if depth > 0 => return Err(reader.buffer_position() as usize),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// The text of a base, if it is in an element.
fn base_of(links: &Links, against: Against) -> Option<String> {
    match against {
        Against::Element(number) => links.bases.get(number as usize).map(|(base, _)| base.clone()),
        Against::Document | Against::Outer => None,
    }
}

/// Adds a piece to the text of the open element, unless the text would be too long: then the page counts as cut.
fn push(open: &mut Option<Open>, piece: &str, links: &mut Links) {
    if let Some(open) = open {
        match open.text.len() + piece.len() > LONGEST_VALUE {
            true => links.is_cut = true,
            false => open.text.push_str(piece),
        }
    }
}

/// An element has ended.
fn close(bases: &mut Vec<(usize, Against)>, depth: &mut usize) {
    bases.pop_if(|(of, _)| *of == *depth);
    *depth -= 1;
}

/// A name without its prefix.
fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The value of an attribute.
fn value(tag: &BytesStart<'_>, name: &str, entities: &Entities) -> Option<String> {
    xml::attribute(tag, name, entities.of_value())
}

/// The references in the attributes of a tag that begins at `at`.
///
/// # Errors
/// That byte, if an attribute is malformed, or has references and cannot be read.
fn attributes(
    tag: &BytesStart<'_>,
    (name, local): (&str, &str),
    (at, against): (usize, Against),
    entities: &Entities,
    links: &mut Links,
) -> Result<(), usize> {
    let rel = value(tag, "rel", entities);
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|_| at)?;
        let key = attribute.key.0;
        let Some(holds) = holds(local, key) else { continue };
        let value = xml::value(&attribute, entities.of_value()).ok_or(at)?;
        let place = Place {
            element: Some(name.as_bytes()),
            attribute: Some(key.as_bytes()),
            rel: rel.as_deref().map(str::as_bytes),
            text: None,
            position: Some(at as u32),
            against,
        };
        let value = value.as_bytes();
        match holds {
            Holds::Action if value.is_empty() => {
                links.push_all([value], Place { against: Against::Outer, ..place });
            }
            Holds::One | Holds::Action => links.push_all([value], place),
            Holds::Filled | Holds::FilledOfDocument => links.push_filled(value, place),
            Holds::Map => {
                if let Some(hash) = memchr::memchr(b'#', value) {
                    links.push_map(&value[hash..], place);
                }
            }
            Holds::Names => links.push_all(tokens(value).filter(|name| has_scheme(name)), place),
            Holds::List => links.push_all(tokens(value), place),
            Holds::Commas => links.push_all(items(value), place),
            Holds::Candidates => links.push_all(candidates(value), place),
            Holds::Style => css::references(value, |found| links.push_all([&found.url[..]], place)),
            Holds::Content | Holds::Html => {}
        }
    }
    Ok(())
}

/// The form in which an attribute holds references: on every element, `href` and `src` do.
fn holds(element: &str, key: &str) -> Option<Holds> {
    let name = local(key);
    let is_prefixed = name.len() < key.len();
    let in_html = || attributes::holds(element.as_bytes(), attributes::known(name.as_bytes())?);
    if name == "href" {
        // An empty one is the document itself, if it is a link and not a thing to be drawn.
        let is_filled = element != "link" && in_html() == Some(Holds::Filled);
        return Some(if is_filled { Holds::Filled } else { Holds::One });
    }
    if name == "src" && !is_prefixed {
        return Some(Holds::Filled);
    }
    let is_on = |row: &&(&str, &[&str])| {
        row.0 == name && (row.1.is_empty() && is_prefixed || row.1.contains(&element))
    };
    if ATTRIBUTES.iter().any(|row| is_on(&row)) {
        return Some(if name == "url" { Holds::Filled } else { Holds::One });
    }
    if is_prefixed { None } else { in_html() }
}

/// The reference that the text of an element is, or the references of its style sheet or its HTML.
fn text(open: &Open, against: Against, links: &mut Links, resolve: &mut Resolve<'_>) {
    let (element, position) = (Some(open.name.as_bytes()), Some(open.at as u32));
    let place = Place { element, position, against, ..Place::default() };
    match open.holds {
        Text::Style => css::references(open.text.as_bytes(), |found| {
            let attribute = Some(if found.is_import { &b"@import"[..] } else { b"url()" });
            links.push(&found.url, Place { attribute, ..place });
        }),
        Text::Html => {
            let around = base_of(links, against);
            let mut within = |inner: Option<&str>, said: &[u8]| resolve(inner.or(around.as_deref()), said);
            html::read_within(&open.text, (position, against), 1, links, &mut within);
        }
        Text::Reference if open.text.trim_ascii().is_empty() => {}
        Text::Reference => links.push_all([open.text.as_bytes()], place),
    }
}

/// The `href` of a processing instruction (Associating Style Sheets with XML, 4).
fn pseudo_attribute(instruction: &str) -> Option<&str> {
    let behind = instruction.split_once("href")?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = behind.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    behind[1..].split_once(quote).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_documents() {
        // (document, element attribute reference, or how far it is XML)
        type Case = (&'static str, &'static [&'static str], Result<(), usize>);
        let table: &[Case] = &[
            (
                "<urlset xmlns:i='x'><url><loc>\n http://h/?a&amp;b </loc><i:image><i:loc>c</i:loc></i:image></url></urlset>",
                &["loc - http://h/?a&b", "i:loc - c"],
                Ok(()),
            ),
            ("<urlset><loc><![CDATA[a&b]]></loc></urlset>", &["loc - a&b"], Ok(())),
            (
                "<rss><channel><link>a</link><item><guid isPermaLink='false'>b</guid><guid>c</guid>\
                 <enclosure url='d'/><atom:link href='e'/></item></channel></rss>",
                &["link - a", "guid - c", "enclosure url d", "atom:link href e"],
                Ok(()),
            ),
            (
                "<feed><link rel='self' href='a'/><id>b</id><author><uri>c</uri></author><content src='d'/></feed>",
                &["link href a", "uri - c", "content src d"],
                Ok(()),
            ),
            (
                "<?xml-stylesheet href=\"a.css\"?><svg><a xlink:href='b'/><style>@import 'c';</style>\
                 <rect style='fill:url(#d)'/><image href='e'/></svg>",
                &[
                    "?xml-stylesheet href a.css",
                    "a xlink:href b",
                    "style @import c",
                    "rect style #d",
                    "image href e",
                ],
                Ok(()),
            ),
            ("<rdf:RDF><item rdf:about='a' about='b'/></rdf:RDF>", &["item rdf:about a"], Ok(())),
            // HTML in feeds: in RSS, and in Atom where it says so.
            (
                "<rss><item><description>&lt;a href='b?c&amp;amp;d'></description>\
                 <content:encoded><![CDATA[<img src=e>]]></content:encoded><title>&lt;a href=f></title></item></rss>",
                &["a href b?c&d", "img src e"],
                Ok(()),
            ),
            (
                "<feed><entry><summary type='html'>&lt;a href=b></summary><content>&lt;a href=c></content>\
                 <content type='xhtml'><div><a href='d'/></div></content>\
                 <content type='text/html'>&lt;a href=e></content></entry></feed>",
                &["a href b", "a href d", "a href e"],
                Ok(()),
            ),
            ("<r><a href='b'/><c", &["a href b"], Err(18)),
            ("<r><a href='b'/>", &["a href b"], Err(16)),
            ("<r>&nosuch;</r>", &[], Err(3)),
            // In a malformed tag, the attributes before the fault have been found (XML, 2.3, 3.1 and 4.1).
            ("<r><a href='b'/><c href='d' src=e/><f href='g'/></r>", &["a href b", "c href d"], Err(16)),
            ("<r><a href='b'/><c href='d' href='e'/></r>", &["a href b", "c href d"], Err(16)),
            ("<r><a href='b'/><c href='d?e&f'/></r>", &["a href b"], Err(16)),
            ("<r><a href='b'/><c href='&nosuch;'/></r>", &["a href b"], Err(16)),
            ("<r xmlns='&nosuch;'><a href='b'/></r>", &["a href b"], Ok(())),
            (
                "<!DOCTYPE urlset [<!ENTITY h 'http://h/'>]><urlset a='&h;'><loc>&h;b</loc><x href='&h;c'/></urlset>",
                &["loc - http://h/b", "x href http://h/c"],
                Ok(()),
            ),
        ];
        for (document, expected, end) in table {
            let mut links = Links::default();
            let found = read(document.as_bytes(), &mut links, &mut |_, _| None);
            assert_eq!(found.is_ok(), end.is_ok(), "{document}: {found:?}");
            let name =
                |name: Option<_>| name.map_or("-".into(), |name| String::from_utf8_lossy(links.get(name)));
            let rows: Vec<_> = links
                .list
                .iter()
                .map(|link| {
                    format!("{} {} {}", name(link.element), name(link.attribute), name(Some(link.raw)))
                })
                .collect();
            assert_eq!(rows, *expected, "{document}");
        }
    }
}

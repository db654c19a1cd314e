//! The references of a text in Markdown. The parser is pulldown-cmark's, for CommonMark. Its events are written as
//! HTML, in which HTML of the text stays as it is, and read as a page; positions lead back to the text.

use std::sync::Mutex;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use urimill_base::locks::lock;
use urimill_read::format::base::Resolve;

use super::html;
use super::link::Links;

/// The origin of a piece of the HTML.
struct Piece {
    /// Where it begins in the HTML, and in the text.
    html: usize,
    text: usize,
    /// Whether it is a copy, in which every byte has its own place.
    is_copy: bool,
}

/// At most this many characters with a possible meaning are read: the parser makes a node of each, of a hundred bytes
/// and more.
const MOST_MARKS: usize = 1 << 19;

/// A text with more of them is read while no other such text is, in any thread: together they would take more memory
/// than threads may.
const MANY_MARKS: usize = 1 << 15;

static MANY: Mutex<()> = Mutex::new(());

/// The characters with a possible meaning.
const MARKS: &[u8] = b"[]<>*_`~\\&!|\n";

/// The beginning of a text that is read: whole lines, if there are lines; and whether it has many marks.
fn beginning(text: &str) -> (&str, bool) {
    let mut marks = text.bytes().enumerate().filter(|(_, byte)| MARKS.contains(byte));
    let has_many = marks.nth(MANY_MARKS).is_some();
    let Some((end, _)) = marks.nth(MOST_MARKS - MANY_MARKS - 1) else { return (text, has_many) };
    // A mark is a character of one byte.
    let text = &text[..end];
    (text.rfind('\n').map_or(text, |newline| &text[..=newline]), has_many)
}

/// Adds the references of a text. The position of a link in brackets is where the brackets begin.
pub(super) fn read(whole: &str, links: &mut Links, resolve: &mut Resolve<'_>) {
    let (text, has_many) = beginning(whole);
    // A panic leaves nothing behind that others would see.
    let _alone = has_many.then(|| lock(&MANY));
    links.is_cut |= text.len() < whole.len();
    let from = links.hold();
    let (html, pieces) = written(text);
    html::read(&html, links, resolve);
    for link in &mut links.list[from..] {
        let Some(at) = &mut link.position else { continue };
        let before = pieces.partition_point(|piece| piece.html <= *at as usize);
        let Some(piece) = before.checked_sub(1).and_then(|number| pieces.get(number)) else { continue };
        let within = if piece.is_copy { *at as usize - piece.html } else { 0 };
        *at = (piece.text + within) as u32;
    }
    links.release();
}

/// The text as HTML, as far as references and the words of links need it.
fn written(text: &str) -> (String, Vec<Piece>) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
    let (mut html, mut pieces) = (String::with_capacity(text.len()), Vec::new());
    // An image's text is its description, which becomes an attribute; the metadata before a page is skipped.
    let (mut images, mut is_metadata) = (0usize, false);
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        let is_copy = matches!(event, Event::Html(_) | Event::InlineHtml(_));
        // Other pieces, of which there are many, begin no reference.
        if is_copy || matches!(event, Event::Start(Tag::Image { .. } | Tag::Link { .. })) {
            pieces.push(Piece { html: html.len(), text: range.start, is_copy });
        }
        match event {
            Event::Start(Tag::MetadataBlock(_)) => is_metadata = true,
            Event::End(TagEnd::MetadataBlock(_)) => is_metadata = false,
            _ if is_metadata => {}
            Event::Start(Tag::Image { dest_url, .. }) => {
                if images == 0 {
                    html.push_str("<img src=\"");
                    escape(&dest_url, &mut html);
                    html.push_str("\" alt=\"");
                }
                images += 1;
            }
            Event::End(TagEnd::Image) => {
                images = images.saturating_sub(1);
                if images == 0 {
                    html.push_str("\">");
                }
            }
            Event::Text(words) | Event::Code(words) => escape(&words, &mut html),
            Event::SoftBreak | Event::HardBreak => html.push(' '),
            // No tags in an attribute.
            _ if images > 0 => {}
            Event::Start(Tag::Link { dest_url, link_type, .. }) => {
                html.push_str("<a href=\"");
                if link_type == pulldown_cmark::LinkType::Email {
                    html.push_str("mailto:");
                }
                escape(&dest_url, &mut html);
                html.push_str("\">");
            }
            Event::End(TagEnd::Link) => html.push_str("</a>"),
            Event::Html(copy) | Event::InlineHtml(copy) => html.push_str(&copy),
            // The end of a block ends its words.
            Event::End(_) => html.push('\n'),
            _ => {}
        }
    }
    (html, pieces)
}

/// A text escaped for HTML.
fn escape(text: &str, html: &mut String) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '"' => html.push_str("&quot;"),
            c => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_of_markdown() {
        // (text, element attribute reference, its words, where): CommonMark 0.31
        let table: &[(&str, &[&str])] = &[
            ("See [the *b*](a).", &["a href a (the b) 4"]),
            ("[x]: /a 'title'\n\n[One][x] and [x]", &["a href /a (One) 17", "a href /a (x) 30"]),
            (
                "![an *i*](i.png) <http://h/?a&b> <u@h>",
                &[
                    "img src i.png (an i) 0",
                    "a href http://h/?a&b (http://h/?a&b) 17",
                    "a href mailto:u@h (u@h) 33",
                ],
            ),
            ("[![i](j)](k)", &["a href k () 0", "img src j (i) 1"]),
            ("a <a href=b>c *d*</a>\n\n<img src=e>", &["a href b (c d) 10", "img src e () 32"]),
            ("`[a](b)` \\[c](d)\n\n    [e](f)\n\n```\n[g](h)\n```", &[]),
            ("---\nlink: <a href=x>\n---\n[a](b)", &["a href b (a) 25"]),
            ("| [a](b) |\n|---|\n| [c](<d e>) |", &["a href b (a) 2", "a href d e (c) 19"]),
            ("[a](b\"c) and [d](&#47;e)", &["a href b\"c (a) 0", "a href /e (d) 13"]),
            ("<base href=//h/>\n\n[a](b)", &["base href //h/ () 11", "a href b (a) 18"]),
        ];
        for (text, expected) in table {
            let mut links = Links::default();
            read(text, &mut links, &mut |_, _| None);
            let name = |name: Option<_>| {
                name.map_or(String::new(), |name| String::from_utf8_lossy(links.get(name)).into_owned())
            };
            let rows: Vec<_> = links
                .list
                .iter()
                .map(|link| {
                    let (element, attribute, raw) =
                        (name(link.element), name(link.attribute), name(Some(link.raw)));
                    format!(
                        "{element} {attribute} {raw} ({}) {}",
                        name(link.text),
                        link.position.unwrap_or(u32::MAX)
                    )
                })
                .collect();
            assert_eq!(rows, *expected, "{text}");
        }
    }
}

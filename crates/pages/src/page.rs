//! Finds the references of a record's page: its kind, where it was retrieved, its body as text. A body that is too long
//! to be held is a stream.

use std::cell::Cell;
use std::io::{BufReader, Read};

use urimill_base::error::Result;
use urimill_base::temporary::Temporary;
use urimill_read::format::base;
use urimill_read::format::base::{BaseKind, LinkRules};
use urimill_read::format::headers::arc::index_words;
use urimill_read::http::{BodyEnd, LONGEST_BODY, Message, fields, media_type};

use super::charset::{Decoded, Markup, PRESCAN, decode, encoding};
use super::header;
use super::html;
use super::kind::PageRecord;
use super::link::{Links, Place};
use super::mail;
use super::markdown;
use super::stream::Utf8Stream;
use super::wat;
use super::{css, xml};
use crate::amplified::is_too_much;
use crate::http_body::BodyStream;

/// The longest page, decoded, in bytes: a packed page may be a thousandth of it.
const LONGEST_PAGE: u64 = u32::MAX as u64;

/// The facts about a page beside its references.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// Its URI.
    pub(super) uri: Option<Vec<u8>>,
    /// Its base from outside.
    pub(super) outer: Option<(Vec<u8>, BaseKind)>,
    /// Its flags by name, with commas between them.
    pub(super) flags: String,
    /// Whether a part could not be read, and where in the decoded page that part begins.
    pub(super) fault: Option<usize>,
    /// Whether only its beginning was read.
    pub(super) is_cut: bool,
    /// Whether its references are not resolved: a base is too long, or copies of bases would take too much memory.
    pub(super) is_baseless: bool,
    /// Its length, decoded, in bytes.
    pub(super) len: u64,
}

impl Page {
    /// Whether it has the flag of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.flags.split(',').any(|flag| flag == name)
    }

    fn flag(&mut self, name: &str) {
        if self.has(name) {
            return;
        }
        if !self.flags.is_empty() {
            self.flags.push(',');
        }
        self.flags.push_str(name);
    }

    /// The URI from which it was retrieved; in angle brackets, as some tools write it.
    fn retrieved(&mut self, uri: &[u8]) {
        let bare = uri.strip_prefix(b"<").and_then(|uri| uri.strip_suffix(b">")).unwrap_or(uri);
        self.uri = Some(bare.to_vec());
        match bare.len() > base::LONGEST {
            true => {
                self.flag("base_too_long");
                self.outer = None;
            }
            false => self.outer = Some((bare.to_vec(), BaseKind::Retrieval)),
        }
    }

    pub(super) fn outer(&self) -> Option<&[u8]> {
        self.outer.as_ref().map(|(base, _)| &base[..])
    }
}

/// A record as the chunk has it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Record<'a> {
    pub(super) header: &'a [u8],
    pub(super) block: &'a [u8],
    /// All of it, if it is too long to be in the chunk.
    pub(super) long_block: Option<&'a Temporary>,
    /// Whether the block is only the beginning of one.
    pub(super) is_cut: bool,
    /// Whether a byte-order mark of UTF-8 was removed, or the text was transcoded.
    pub(super) is_utf8: bool,
}

/// The context of a reader of pages.
#[derive(Debug)]
pub(super) struct Context<'a> {
    pub(super) kind: PageRecord,
    pub(super) rules: &'a LinkRules,
    /// The caller's base, and the URI of a file.
    pub(super) base: Option<&'a str>,
    pub(super) document: Option<&'a str>,
}

/// The references of a record; `None` if it is not a page.
///
/// # Errors
/// `Io`, if a temporary file cannot be written or read.
pub(super) fn read(record: Record<'_>, context: &Context<'_>, links: &mut Links) -> Result<Option<Page>> {
    let mut page = references(record, context, links);
    if let Some(long_block) = record.long_block {
        long_block.check()?;
    }
    links.finish()?;
    if let Some(page) = &mut page {
        let weight = links.weight(page.outer().map_or(0, <[u8]>::len));
        let is_too_much = is_too_much(weight, page.len.max(record.block.len() as u64));
        if links.is_baseless || is_too_much {
            page.is_baseless = true;
            page.flag("base_too_long");
        }
    }
    Ok(page)
}

fn references(record: Record<'_>, context: &Context<'_>, links: &mut Links) -> Option<Page> {
    let mut page = Page { is_cut: record.is_cut, ..Page::default() };
    page.outer = context.base.map(|base| (base.as_bytes().to_vec(), BaseKind::Default));
    match context.kind {
        PageRecord::Warc => warc(record, &mut page, context.rules, links)?,
        PageRecord::Arc => arc(record, &mut page, context.rules, links)?,
        PageRecord::Wat => extracted(record, &mut page, context.rules, links)?,
        PageRecord::Letter => letter(record, &mut page, context, links)?,
        PageRecord::Document(markup) => {
            page.uri = context.document.map(|uri| uri.as_bytes().to_vec());
            let retrieval = || context.document.map(|uri| (uri.as_bytes().to_vec(), BaseKind::Retrieval));
            page.outer = page.outer.or_else(retrieval);
            body(record, (markup, b"", record.is_utf8), &mut page, context.rules, links);
        }
    }
    page.is_cut |= links.is_cut;
    if page.is_cut {
        page.flag("cut");
    }
    Some(page)
}

/// A message: in a mailbox, without the line before it.
fn letter(record: Record<'_>, page: &mut Page, context: &Context<'_>, links: &mut Links) -> Option<()> {
    let is_in_mailbox = record.block.starts_with(b"From ");
    let line = memchr::memchr(b'\n', record.block).filter(|_| is_in_mailbox).map_or(0, |end| end + 1);
    // Without another base, references lead to parts of the message itself (RFC 2557, 5).
    let base = context.base.unwrap_or("thismessage:/");
    page.outer = Some((base.as_bytes().to_vec(), BaseKind::Default));
    match mail::read(&record.block[line..], page.outer(), context.rules, links) {
        Some(letter) => {
            page.uri = letter.uri.map(String::into_bytes);
            page.is_cut |= letter.is_cut;
            if letter.is_charset_unknown {
                page.flag("charset_unknown");
            }
            if letter.is_charset_damaged {
                page.flag("charset_damaged");
            }
            if letter.is_damaged {
                page.flag("damaged");
            }
            page.fault = letter.fault.map(|at| line + at);
        }
        None => {
            page.fault = Some(0);
            page.flag("undecodable");
        }
    }
    Some(())
}

/// A record of a WARC file: responses and resources are pages.
fn warc(record: Record<'_>, page: &mut Page, rules: &LinkRules, links: &mut Links) -> Option<()> {
    let own = |name: &[u8]| fields(record.header, name).next();
    let kind = own(b"warc-type").unwrap_or(b"response");
    let is_response = kind.eq_ignore_ascii_case(b"response");
    if !is_response && !kind.eq_ignore_ascii_case(b"resource") {
        return None;
    }
    if let Some(uri) = own(b"warc-target-uri") {
        page.retrieved(uri);
    }
    let own_type = own(b"content-type").unwrap_or_default();
    let begins_http = own_type.get(..16).is_some_and(|begin| begin.eq_ignore_ascii_case(b"application/http"));
    if begins_http || is_response && record.block.starts_with(b"HTTP/") {
        return response(record, page, rules, links);
    }
    let markup = markup(own_type, record.block)?;
    body(record, (markup, own_type, false), page, rules, links);
    Some(())
}

/// A record of an ARC file. Its URI may have spaces in it, so that its words count from the end.
fn arc(record: Record<'_>, page: &mut Page, rules: &LinkRules, links: &mut Links) -> Option<()> {
    let [uri, _, own_type] = index_words(record.header)?;
    if uri.starts_with(b"filedesc:") {
        return None;
    }
    page.retrieved(uri);
    if record.block.starts_with(b"HTTP/") {
        return response(record, page, rules, links);
    }
    let markup = markup(own_type, record.block)?;
    body(record, (markup, own_type, false), page, rules, links);
    Some(())
}

/// A response of HTTP: its header fields, then its body.
fn response(record: Record<'_>, page: &mut Page, rules: &LinkRules, links: &mut Links) -> Option<()> {
    let message = Message::of(record.block)?;
    for name in header::FIELDS {
        for value in message.fields(name.as_bytes()) {
            header::field(name.as_bytes(), &header::transcoded(value), links);
        }
    }
    let own_type = message.field(b"content-type").unwrap_or_default();
    // Its media type decides whether it is markup; without one its text has to be seen.
    let is_typed = !media_type(own_type).is_empty();
    let named = if is_typed { markup(own_type, b"") } else { Some(Markup::Html) };
    let Some(named) = named.filter(|_| !message.body.is_empty()) else {
        return (links.count() > 0).then_some(());
    };
    if let Some(long_block) = record.long_block {
        let from = (record.block.len() - message.body.len()) as u64;
        let stream = BodyStream::decoded(&message, long_block.reader(from), LONGEST_PAGE);
        return long_response(stream, (is_typed.then_some(named), own_type), page, rules, links);
    }
    let body = message.decoded();
    if body.end == BodyEnd::Limit {
        let stream = BodyStream::decoded(&message, message.body, LONGEST_PAGE);
        return long_response(stream, (is_typed.then_some(named), own_type), page, rules, links);
    }
    let markup = if is_typed { Some(named) } else { markup(own_type, &body.bytes) };
    match markup {
        Some(markup) if body.end != BodyEnd::Unknown => {
            text(&body.bytes, (markup, own_type, false), page, rules, links);
        }
        None if body.end != BodyEnd::Unknown => return (links.count() > 0).then_some(()),
        _ => {}
    }
    ended(body.end, body.bytes.len(), page);
    Some(())
}

/// The body of a response, which is a stream; `markup` is the kind by its media type.
fn long_response(
    stream: Option<BodyStream<'_>>,
    (markup, own_type): (Option<Markup>, &[u8]),
    page: &mut Page,
    rules: &LinkRules,
    links: &mut Links,
) -> Option<()> {
    let Some(stream) = stream else {
        ended(BodyEnd::Unknown, 0, page);
        return Some(());
    };
    let (beginning, stream) = stream.beginning(PRESCAN);
    match markup.or_else(|| looks_like(&beginning)) {
        Some(markup) => {
            long_text(stream, &beginning, (markup, own_type, false), page, rules, links);
            Some(())
        }
        None => (links.count() > 0).then_some(()),
    }
}

/// The result for a body, of which this many bytes could be read.
fn ended(end: BodyEnd, len: usize, page: &mut Page) {
    match end {
        BodyEnd::Whole => {}
        BodyEnd::Limit => page.is_cut = true,
        // The end is missing because the block was cut.
        BodyEnd::Damage if page.is_cut => {}
        BodyEnd::Damage => {
            page.fault.get_or_insert(len);
            page.flag("damaged");
        }
        BodyEnd::Unknown => {
            page.fault = Some(0);
            page.flag("undecodable");
        }
    }
}

/// The references of a metadata record about a page.
fn extracted(record: Record<'_>, page: &mut Page, rules: &LinkRules, links: &mut Links) -> Option<()> {
    let kind = fields(record.header, b"warc-type").next().unwrap_or(b"metadata");
    if !kind.eq_ignore_ascii_case(b"metadata") || !record.block.trim_ascii_start().starts_with(b"{") {
        return None;
    }
    match wat::read(record.block, links) {
        Ok(described) if described.is_page() => {
            if let Some(uri) = &described.uri {
                page.retrieved(uri.as_bytes());
            }
            let said = described.base.map(|base| rules.base(page.outer(), base.as_bytes()));
            links.is_baseless = matches!(said, Some(Err(_)));
            links.document = said.and_then(|said| said.ok().flatten());
            Some(())
        }
        // Metadata of a request is not about a page.
        Ok(_) => {
            links.clear();
            None
        }
        Err(at) => {
            if let Some(uri) = fields(record.header, b"warc-target-uri").next() {
                page.retrieved(uri);
            }
            page.fault = Some(at);
            page.flag("damaged");
            Some(())
        }
    }
}

/// The kind of a text with this media type; without one its beginning decides.
fn markup(value: &[u8], text: &[u8]) -> Option<Markup> {
    let name = media_type(value);
    match &name[..] {
        b"text/html" | b"application/xhtml+xml" | b"application/vnd.wap.xhtml+xml" => Some(Markup::Html),
        b"text/css" => Some(Markup::Css),
        b"text/markdown" | b"text/x-markdown" => Some(Markup::Markdown),
        b"text/xml" | b"application/xml" => Some(Markup::Xml),
        b"" | b"unk" | b"no-type" | b"unknown" => looks_like(text),
        name if name.ends_with(b"+xml") => Some(Markup::Xml),
        _ => None,
    }
}

/// The kind of a text that begins so, if it is markup.
pub(super) fn looks_like(text: &[u8]) -> Option<Markup> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    let first = &text[..text.len().min(1024)];
    let lower = first.to_ascii_lowercase();
    let has = |name: &[u8]| memchr::memmem::find(&lower, name).is_some();
    match () {
        () if !first.starts_with(b"<") => None,
        () if has(b"<html") || has(b"<!doctype html") => Some(Markup::Html),
        () if lower.starts_with(b"<?xml") => Some(Markup::Xml),
        () if [&b"<rss"[..], b"<feed", b"<urlset", b"<sitemapindex", b"<rdf", b"<svg"]
            .iter()
            .any(|n| lower.starts_with(n)) =>
        {
            Some(Markup::Xml)
        }
        () => Some(Markup::Html),
    }
}

/// Whether a record of an archive, with this header and this beginning of its block, may be a page that can be read as
/// a stream: HTML, XML or a style sheet.
pub(super) fn may_be_page(is_arc: bool, header: &[u8], beginning: &[u8]) -> bool {
    let own_type = match is_arc {
        true => index_words(header).map(|[_, _, own_type]| own_type),
        false => {
            let kind = fields(header, b"warc-type").next().unwrap_or(b"response");
            if !kind.eq_ignore_ascii_case(b"response") && !kind.eq_ignore_ascii_case(b"resource") {
                return false;
            }
            fields(header, b"content-type").next()
        }
    };
    let message = Message::of(beginning).filter(|_| beginning.starts_with(b"HTTP/"));
    let found = match message {
        Some(message) => {
            let own_type = message.field(b"content-type").unwrap_or_default();
            // Without a media type its text, which may be packed, has to be seen.
            let is_typed = !media_type(own_type).is_empty();
            if is_typed { markup(own_type, b"") } else { Some(Markup::Html) }
        }
        None => markup(own_type.unwrap_or_default(), beginning),
    };
    found.is_some_and(|found| found != Markup::Markdown)
}

/// The references of a record whose block is a text.
fn body(
    record: Record<'_>,
    how: (Markup, &[u8], bool),
    page: &mut Page,
    rules: &LinkRules,
    links: &mut Links,
) {
    match record.long_block {
        Some(long_block) => {
            let stream = BodyStream::new(Box::new(BufReader::new(long_block.reader(0))), LONGEST_PAGE);
            long_text(stream, record.block, how, page, rules, links);
        }
        None => text(record.block, how, page, rules, links),
    }
}

/// The references of a text that is a stream and begins so.
fn long_text(
    mut stream: BodyStream<'_>,
    beginning: &[u8],
    (markup, transferred, is_utf8): (Markup, &[u8], bool),
    page: &mut Page,
    rules: &LinkRules,
    links: &mut Links,
) {
    let (encoding, is_said) = encoding(beginning, transferred, markup, is_utf8);
    if markup == Markup::Markdown {
        // Its parser needs all of the text.
        let mut bytes = Vec::new();
        let _ = (&mut stream).take(LONGEST_BODY).read_to_end(&mut bytes);
        page.is_cut = true;
        return text(&bytes, (markup, transferred, is_utf8), page, rules, links);
    }
    let mut utf8 = Utf8Stream::new(&mut stream, encoding);
    let is_too_long = Cell::default();
    let outer = page.outer.as_ref().map(|(base, _)| &base[..]);
    let mut resolve = rules.resolver(outer, &is_too_long);
    // The stream ends at a fault, and does not report it here.
    match markup {
        Markup::Html | Markup::Markdown => {
            let _ = html::read_stream(&mut utf8, links, &mut resolve);
        }
        Markup::Css => {
            let read = css::references_in(&mut utf8, |found| style_reference(&found, links));
            links.is_cut |= !read.unwrap_or(true);
        }
        Markup::Xml => {
            if let Err(at) = xml::read(&mut utf8, links, &mut resolve)
                && !page.is_cut
                && !links.is_cut
            {
                page.fault = Some(at);
            }
        }
    }
    drop(resolve);
    links.is_baseless |= is_too_long.get();
    let is_damaged = utf8.is_damaged;
    page.len = stream.len;
    if !is_said && !stream.is_ascii {
        page.flag("charset_unknown");
    }
    if is_damaged {
        page.flag("charset_damaged");
    }
    if page.fault.is_some() && stream.end != BodyEnd::Damage {
        page.flag("damaged");
    }
    ended(stream.end, usize::try_from(stream.len).unwrap_or(usize::MAX), page);
}

/// A reference of a style sheet.
fn style_reference(found: &css::Found, links: &mut Links) {
    let attribute = Some(if found.is_import { &b"@import"[..] } else { b"url()" });
    let position = Some(found.at as u32);
    links.push(&found.url, Place { attribute, position, ..Place::default() });
}

/// The references of a text. `transferred` is the media type that it came with.
fn text(
    bytes: &[u8],
    (markup, transferred, is_utf8): (Markup, &[u8], bool),
    page: &mut Page,
    rules: &LinkRules,
    links: &mut Links,
) {
    let Decoded { text, is_unknown, is_damaged } = decode(bytes, transferred, markup, is_utf8);
    if is_unknown {
        page.flag("charset_unknown");
    }
    if is_damaged {
        page.flag("charset_damaged");
    }
    page.len = bytes.len() as u64;
    let is_too_long = Cell::default();
    let outer = page.outer.clone().map(|(base, _)| base);
    let mut resolve = rules.resolver(outer.as_deref(), &is_too_long);
    match markup {
        Markup::Html => html::read(&text, links, &mut resolve),
        Markup::Markdown => markdown::read(&text, links, &mut resolve),
        Markup::Css => css::references(text.as_bytes(), |found| style_reference(&found, links)),
        Markup::Xml => {
            if let Err(at) = xml::read(text.as_bytes(), links, &mut resolve)
                && !page.is_cut
            {
                page.fault = Some(at);
                page.flag("damaged");
            }
        }
    }
    links.is_baseless |= is_too_long.get();
}

//! The kinds of sources of pages, with a row for each.

use urimill_read::format::framing::{Framing, Keeps};

use super::charset::Markup;

/// The kind of a source: its name, its inputs, how its records are found, and what they hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageKind {
    name: &'static str,
    meaning: &'static str,
    pub(super) framing: Framing,
    pub(super) record: PageRecord,
}

/// The contents of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageRecord {
    /// A file that is a page.
    Document(Markup),
    Warc,
    Arc,
    Wat,
    Letter,
}

const fn row(name: &'static str, meaning: &'static str, framing: Framing, record: PageRecord) -> PageKind {
    PageKind { name, meaning, framing, record }
}

const PAGE: Framing = Framing::Whole(Keeps::Page);
/// For parsers that need the whole text.
const TEXT: Framing = Framing::Whole(Keeps::Block);

#[rustfmt::skip]
#[allow(non_upper_case_globals, reason = "they are used as the variants of an enum are")]
impl PageKind {
    /// Decided by its beginning.
    pub const Auto: PageKind = row("auto", "Found out by the beginning of each input, and by the end of its name", PAGE, PageRecord::Document(Markup::Html));
    /// A page.
    pub const Html: PageKind = row("html", "A page", PAGE, PageRecord::Document(Markup::Html));
    /// A style sheet.
    pub const Css: PageKind = row("css", "A style sheet", PAGE, PageRecord::Document(Markup::Css));
    /// A document: a sitemap, a feed, SVG.
    pub const Xml: PageKind = row("xml", "An XML document: a sitemap, a feed, SVG", PAGE, PageRecord::Document(Markup::Xml));
    /// A text in Markdown.
    pub const Markdown: PageKind = row("markdown", "A text in Markdown, as CommonMark reads it, with tables and footnotes", TEXT, PageRecord::Document(Markup::Markdown));
    /// A web archive.
    pub const Warc: PageKind = row("warc", "The files of web archives: responses and resources; auto also reads those in WACZ files", Framing::Warc(Keeps::Page), PageRecord::Warc);
    /// A web archive of the older format.
    pub const Arc: PageKind = row("arc", "ARC, the files of web archives before WARC", Framing::Arc(Keeps::Page), PageRecord::Arc);
    /// An extract of a web archive.
    pub const Wat: PageKind = row("wat", "Metadata records extracted from web archives", Framing::Warc(Keeps::Json), PageRecord::Wat);
    /// A message, or a page saved as MHTML.
    pub const Mail: PageKind = row("mail", "A message (.eml), also a page saved as MHTML: its parts that are HTML, XML or style sheets", TEXT, PageRecord::Letter);
    /// Messages, each after a line that begins with `From `.
    pub const Mbox: PageKind = row("mbox", "A mailbox: messages, each after a line that begins with From and a space", Framing::Mailbox, PageRecord::Letter);

    /// All kinds.
    pub const ALL: [PageKind; 10] = [
        Self::Auto, Self::Html, Self::Css, Self::Xml, Self::Markdown, Self::Warc, Self::Arc, Self::Wat, Self::Mail, Self::Mbox,
    ];
}

impl PageKind {
    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// An input of this kind: a clause.
    pub const fn meaning(self) -> &'static str {
        self.meaning
    }

    pub(super) fn is_detected(self) -> bool {
        self == PageKind::Auto
    }

    /// Whether each source is one page, which has a URI of its own.
    pub(super) fn is_document(self) -> bool {
        !self.is_detected() && matches!(self.record, PageRecord::Document(_))
    }
}

impl Default for PageKind {
    fn default() -> PageKind {
        PageKind::Auto
    }
}

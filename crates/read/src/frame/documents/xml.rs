//! Elements of an XML document, each of which is a record: `<url>` of a sitemap, `<item>` of a feed. This module only
//! finds them, by their tags; a worker reads their contents with a parser.
//!
//! An element ends with its end tag. If that is missing, it ends where the next record begins, or its root ends, and
//! the worker finds it malformed: so a broken record does not cost another one.

use memchr::memmem;
use memchr::{memchr, memchr2, memchr3};
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

use super::RecordWalk;
use super::scan::Scan;
use crate::format::base_of_tag;
use crate::format::framing::Root;
use crate::frame::document::{DEEPEST, MOST, Name};

enum Markup {
    Start(Name, Form),
    End(Name),
    /// A comment, an instruction, text that is marked.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Open,
    /// Without content.
    Empty,
}

impl RecordWalk<'_> {
    /// Reads one record; false if the chunk is full or the source ends.
    pub(super) fn element(&mut self, roots: &[Root]) -> Result<bool> {
        loop {
            if !self.pass_space()? {
                return match self.open.document.root {
                    Some(_) => Err(self.cut_off(&self.scan(), "the rest of the document")),
                    None => Ok(false),
                };
            }
            if self.ahead()[0] != b'<' {
                let root = self.open.document.root.map(|(root, ..)| root);
                match root {
                    // Texts between the elements of a feed are not read.
                    Some(root) if !root.is_list => {
                        let mut scan = self.scan();
                        self.search(&mut scan, 0, |bytes| memchr(b'<', bytes))?;
                        self.at += scan.at;
                        continue;
                    }
                    None if !self.archive.force_format && !self.open.document.has_begun => {
                        return Err(self.no_document(roots));
                    }
                    _ => return self.stray(|bytes| memchr(b'<', bytes)),
                }
            }
            let mut scan = self.scan();
            let Some(markup) = self.markup(&mut scan)? else {
                return Err(self.cut_off(&self.scan(), "the rest of the document"));
            };
            match markup {
                Markup::Start(name, form) => match self.open.document.root {
                    None => {
                        // Another root is read wherever any input is, with a message.
                        let is_known = roots.iter().any(|root| root.name.as_bytes() == name.local());
                        let is_row = !is_known && self.archive.force_format;
                        // The tag is no longer held once it is a row.
                        let base = self.base(roots, &scan, form)?;
                        if is_row && !self.finish(&scan) {
                            return Ok(false);
                        }
                        self.root(roots, &name, form)?;
                        self.open.document.push_base(base);
                        if is_row {
                            return Ok(true);
                        }
                    }
                    Some((root, _, record)) if root.is_list || name == record => {
                        return self.rest_of_element(scan, &name, form);
                    }
                    Some(_) if form == Form::Open && self.open.document.open.len() < DEEPEST => {
                        self.open.document.open.push(name);
                        let base = self.base(roots, &scan, form)?;
                        self.open.document.push_base(base);
                    }
                    Some(_) => {}
                },
                Markup::End(name) => {
                    let is_end = self.ends(&name);
                    // A chunk without room leaves it where it is, for the next one.
                    if !is_end && !self.finish(&scan) {
                        return Ok(false);
                    }
                    self.end(&name);
                    if !is_end {
                        return Ok(true);
                    }
                }
                Markup::Other => {}
            }
            self.at += scan.at;
        }
    }

    /// The root of a document begins.
    fn root(&mut self, roots: &[Root], name: &Name, form: Form) -> Result<()> {
        let found = roots.iter().find(|root| root.name.as_bytes() == name.local());
        let root = match found {
            Some(root) => *root,
            None if self.archive.force_format => roots[0],
            None => return Err(self.no_document(roots)),
        };
        self.open.document.has_begun = true;
        if form == Form::Open {
            // RSS 1.0 has its items in another namespace than its root.
            let prefix = if root.name == "RDF" { &b""[..] } else { name.prefix() };
            let record = Name::of(&[prefix, root.record.as_bytes()].concat());
            self.open.document.root = Some((root, *name, record));
        }
        Ok(())
    }

    /// Notes the base that the start tag just searched gives to its contents, in feeds (RFC 4287, 2). Sitemaps have no
    /// bases.
    fn base(&self, roots: &[Root], scan: &Scan, form: Form) -> Result<Option<String>> {
        if form == Form::Empty || roots.iter().any(|root| root.is_list) {
            return Ok(None);
        }
        match self.is_held(scan) {
            Ok(()) => Ok(base_of_tag(&self.ahead()[..scan.at])),
            Err(begin) => Err(Error::data(self.archive.name, begin, "a start tag of more than 16 MiB")),
        }
    }

    /// Whether an element ends at an end tag outside of a record. If none does, the start tag of one is broken, and
    /// that one may be a record. In a list every element is a record, so its contents show this.
    fn ends(&self, name: &Name) -> bool {
        let document = &self.open.document;
        document.root.is_none_or(|(root, own, _)| match own == *name {
            true => document.open.is_empty(),
            // With more open elements than that, their names are unknown.
            false => root.is_list || document.open.len() == DEEPEST || document.open.last() == Some(name),
        })
    }

    /// Notes an end tag outside of a record: it ends the elements within it, too.
    fn end(&mut self, name: &Name) {
        let document = &mut self.open.document;
        match document.root {
            Some((_, own, _)) if own == *name => {
                document.root = None;
                document.open.clear();
            }
            Some(_) if document.open.len() < DEEPEST => {
                let place = document.open.iter().rposition(|open| open == name);
                document.open.truncate(place.unwrap_or(document.open.len().saturating_sub(1)));
            }
            _ => return,
        }
        document.forget_bases();
    }

    /// The record whose start tag has been searched.
    fn rest_of_element(&mut self, mut scan: Scan, name: &Name, form: Form) -> Result<bool> {
        let Some((_, root, record)) = self.open.document.root else { return Ok(false) };
        if form == Form::Empty {
            return Ok(self.finish(&scan));
        }
        scan.is_record = true;
        // The element in it with the last start tag, until another tag comes that is not an empty element's.
        let mut inner = None;
        loop {
            let (place, markup) = self.next_markup(&mut scan)?;
            match markup {
                Markup::End(end) if end == *name => break,
                Markup::End(end) if end == root => {
                    self.take_back(&mut scan, place);
                    break;
                }
                Markup::Start(start, form) if start == record => {
                    let is_within = match inner {
                        Some(inner) if form == Form::Open => self.is_wrapped(&mut scan, (&start, &inner))?,
                        _ => false,
                    };
                    if !is_within {
                        self.take_back(&mut scan, place);
                        break;
                    }
                    inner = None;
                }
                Markup::Start(start, Form::Open) => inner = Some(start),
                Markup::Start(_, Form::Empty) | Markup::Other => {}
                Markup::End(_) => inner = None,
            }
        }
        Ok(self.finish(&scan))
    }

    /// Whether an element with the name of records, whose start tag was searched, only wraps the text of the element
    /// `inner`: `<loc><url>http://example.com/</url></loc>`. Skips both then.
    fn is_wrapped(&mut self, scan: &mut Scan, (name, inner): (&Name, &Name)) -> Result<bool> {
        for expected in [name, inner] {
            loop {
                match self.next_markup(scan)?.1 {
                    Markup::Other => {}
                    Markup::End(end) if end == *expected => break,
                    _ => return Ok(false),
                }
            }
        }
        Ok(true)
    }

    /// The next markup of a record, and where it begins.
    fn next_markup(&mut self, scan: &mut Scan) -> Result<(u64, Markup)> {
        if self.search(scan, 0, |bytes| memchr(b'<', bytes))? {
            let place = self.place(scan);
            if let Some(markup) = self.markup(scan)? {
                return Ok((place, markup));
            }
        }
        Err(self.cut_off(scan, "the element"))
    }

    /// Skips the markup that begins here; `None` if the source ends within it.
    fn markup(&mut self, scan: &mut Scan) -> Result<Option<Markup>> {
        self.look(scan, CDATA.len())?;
        let rest = self.rest(scan);
        let (begin, end): (usize, &[u8]) = match rest {
            _ if rest.starts_with(b"<!--") => (4, b"-->"),
            _ if rest.starts_with(CDATA) => (CDATA.len(), b"]]>"),
            _ if rest.starts_with(b"<?") => (2, b"?>"),
            _ if rest.starts_with(b"<!") => return self.declaration(scan),
            _ => {
                self.is_tag(scan);
                return self.tag(scan);
            }
        };
        scan.at += begin;
        if !self.search(scan, end.len() - 1, |bytes| memmem::find(bytes, end))? {
            return Ok(None);
        }
        scan.at += end.len();
        Ok(Some(Markup::Other))
    }

    /// A declaration of the document's type, which may contain others in brackets.
    fn declaration(&mut self, scan: &mut Scan) -> Result<Option<Markup>> {
        let mut depth = 0i64;
        while self.search(scan, 0, |bytes| memchr3(b'[', b']', b'>', bytes))? {
            let byte = self.rest(scan)[0];
            scan.at += 1;
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ if depth <= 0 => return Ok(Some(Markup::Other)),
                _ => {}
            }
        }
        Ok(None)
    }

    /// A start tag or an end tag. A tag without an end ends where other markup begins.
    fn tag(&mut self, scan: &mut Scan) -> Result<Option<Markup>> {
        self.look(scan, MOST + 3)?;
        let rest = self.rest(scan);
        let is_end = rest.get(1) == Some(&b'/');
        let text = &rest[1 + usize::from(is_end)..];
        let is_name = |b: &&u8| !b.is_ascii_whitespace() && !matches!(b, b'/' | b'>' | b'<');
        let len = text.iter().take(MOST + 1).take_while(is_name).count();
        let name = Name::of(&text[..len]);
        scan.at += 1 + usize::from(is_end) + len;
        let mut is_empty = false;
        loop {
            let is_delimiter = |b: &u8| matches!(b, b'>' | b'<' | b'"' | b'\'' | b'/');
            if !self.search(scan, 0, |bytes| bytes.iter().position(is_delimiter))? {
                return Ok(None);
            }
            let byte = self.rest(scan)[0];
            if byte == b'<' {
                break;
            }
            scan.at += 1;
            match byte {
                b'>' => break,
                b'/' => {
                    self.look(scan, 1)?;
                    is_empty = self.rest(scan).first() == Some(&b'>');
                }
                quote => {
                    if !self.search(scan, 0, |bytes| memchr2(quote, b'<', bytes))? {
                        return Ok(None);
                    }
                    if self.rest(scan)[0] == b'<' {
                        break;
                    }
                    scan.at += 1;
                }
            }
        }
        let form = if is_empty { Form::Empty } else { Form::Open };
        Ok(Some(match (len, is_end) {
            (0, _) => Markup::Other,
            (_, true) => Markup::End(name),
            (_, false) => Markup::Start(name, form),
        }))
    }

    fn no_document(&self, roots: &[Root]) -> Error {
        let names: Vec<String> = roots.iter().map(|root| format!("<{}>", root.name)).collect();
        Error::usage(format!(
            "{} is no XML document with the root {}, it begins with {:?}: check {}, or insist with {}",
            self.archive.name,
            names.join(" or "),
            self.beginning(),
            OptionName::Format.named(),
            OptionName::OnInvalid.with_any(&["keep", "reject"])
        ))
    }
}

const CDATA: &[u8] = b"<![CDATA[";

impl Name {
    fn of(text: &[u8]) -> Name {
        let mut bytes = [0; MOST];
        let len = text.len().min(MOST);
        bytes[..len].copy_from_slice(&text[..len]);
        Name { bytes, len: len as u8 }
    }

    fn text(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The name after the prefix of the namespace.
    fn local(&self) -> &[u8] {
        &self.text()[self.prefix().len()..]
    }

    /// The prefix of the namespace, with its colon.
    fn prefix(&self) -> &[u8] {
        memchr(b':', self.text()).map_or(b"", |colon| &self.text()[..=colon])
    }
}

//! The references of an HTML page. The tokenizer is html5gum's. This module does the standard tree builder's part
//! (which elements hold only text, where SVG and MathML begin), as far as that is possible without a tree.

mod emitter;

use std::cell::RefCell;
use std::io::{self, Read};

use html5gum::{State, Tokenizer};
use urimill_read::format::base::{BaseKind, Resolve};
use urimill_read::format::first_lines::has_scheme;

use super::attributes::{self, Holds, Name};
use super::codebase::Codebases;
use super::css;
use super::foreign;
use super::link::{Links, MOST_BASES, Place, stripped};
use super::meta;
use super::reference::Against;
use super::stream::{Window, Windowed};
use super::values::{candidates, items, refresh, tokens};

/// Deeper nesting of SVG and MathML within HTML within them is not distinguished.
const DEEPEST: usize = 64;

/// The deepest nesting of HTML in attributes of HTML that is read.
const DEEPEST_DOCUMENT: usize = 4;

/// Adds the references of a page, and its own base: `resolve` returns the URI for the `href` of the first `base`, if it
/// can be a base (HTML, 2.4.3 and 4.2.3).
pub(super) fn read(page: &str, links: &mut Links, resolve: &mut Resolve<'_>) {
    read_at(page, 0, links, resolve);
}

/// The same for a page that is a stream. Only the beginning of a value or style sheet that is too long is read.
///
/// # Errors
/// The errors of the stream.
pub(super) fn read_stream(page: impl Read, links: &mut Links, resolve: &mut Resolve<'_>) -> io::Result<()> {
    let window = RefCell::default();
    let emitter = Collector::new(Text::Window(&window), 0, links, resolve);
    Tokenizer::new_with_emitter(Windowed::new(page, &window), emitter).finish()?;
    links.is_cut |= window.borrow().is_cut;
    Ok(())
}

/// Adds the references of a page in an attribute or a text: `at` is where it begins, and `against` the base around it,
/// which `resolve` knows. Its own base is for its references alone.
pub(super) fn read_within(
    page: &str,
    (at, against): (Option<u32>, Against),
    depth: usize,
    links: &mut Links,
    resolve: &mut Resolve<'_>,
) {
    let (from, around) = (links.hold(), links.document.take());
    let mut of_inner = |within: Option<&str>, said: &[u8]| resolve(within.or(around.as_deref()), said);
    read_at(page, depth, links, &mut of_inner);
    let own = match links.document.take() {
        Some(base) if links.bases_len + base.len() > MOST_BASES => {
            links.list.truncate(from);
            links.is_cut = true;
            None
        }
        own => own.map(|base| links.add_base(base, BaseKind::Content)),
    };
    for link in &mut links.list[from..] {
        link.position = at;
        link.against = match link.against {
            Against::Document => own.map_or(against, Against::Element),
            Against::Outer => against,
            Against::Element(number) => Against::Element(number),
        };
    }
    links.document = around;
    links.release();
}

fn read_at(page: &str, depth: usize, links: &mut Links, resolve: &mut Resolve<'_>) {
    let emitter = Collector::new(Text::Whole(page.as_bytes()), depth, links, resolve);
    // Reading from memory does not fail.
    let _ = Tokenizer::new_with_emitter(page, emitter).finish();
}

/// The context of an element in which names do not have their meaning in HTML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Foreign {
    Svg,
    MathMl,
    /// HTML again, in an element of SVG with this name.
    Html(&'static str),
}

/// An attribute of the tag that is being read.
#[derive(Debug, Clone, Copy)]
struct Held {
    name: Name,
    /// Where its value lies in [`Collector::values`].
    from: usize,
    to: usize,
    /// Where it begins in the page.
    at: usize,
}

/// The longest name of a tag or an attribute that is kept whole.
const LONGEST_NAME: usize = 64 << 10;

/// The text of the page.
#[derive(Clone, Copy)]
enum Text<'a> {
    Whole(&'a [u8]),
    /// The last token.
    Window(&'a RefCell<Window>),
}

/// Receives the tokens of the tokenizer.
struct Collector<'a, 'r> {
    page: Text<'a>,
    /// The number of documents around it.
    depth: usize,
    links: &'a mut Links,
    resolve: &'a mut Resolve<'r>,
    /// Whether a `base` with `href` has been seen: later ones do not count.
    has_base: bool,
    position: usize,
    tag: Vec<u8>,
    is_end: bool,
    is_self_closing: bool,
    last_start_tag: Vec<u8>,
    name: Vec<u8>,
    has_attribute: bool,
    /// The attribute that is being read, if it matters.
    known: Option<Name>,
    value_at: usize,
    held: Vec<Held>,
    values: Vec<u8>,
    foreign: Vec<Foreign>,
    /// The number of open `template` elements: their contents are not in the document.
    templates: usize,
    /// The number of open `frameset` elements. They replace the body.
    framesets: usize,
    has_body: bool,
    codebases: Codebases,
    /// Where the text began of an element that holds only text.
    raw: Option<usize>,
    /// The text of a style sheet in SVG or MathML, where it is ordinary text, with entities.
    sheet: Vec<u8>,
    /// The link of the open anchor, and its text up to here.
    anchor: Option<usize>,
    text: Vec<u8>,
}

impl<'a, 'r> Collector<'a, 'r> {
    fn new(page: Text<'a>, depth: usize, links: &'a mut Links, resolve: &'a mut Resolve<'r>) -> Self {
        Collector {
            page,
            depth,
            links,
            resolve,
            has_base: false,
            position: 0,
            tag: Vec::new(),
            is_end: false,
            is_self_closing: false,
            last_start_tag: Vec::new(),
            name: Vec::new(),
            has_attribute: false,
            known: None,
            value_at: 0,
            held: Vec::new(),
            values: Vec::new(),
            foreign: Vec::new(),
            templates: 0,
            framesets: 0,
            has_body: false,
            codebases: Codebases::default(),
            raw: None,
            sheet: Vec::new(),
            anchor: None,
            text: Vec::new(),
        }
    }

    fn is_foreign(&self) -> bool {
        matches!(self.foreign.last(), Some(Foreign::Svg | Foreign::MathMl))
    }

    /// Whether a `base` here is an element of HTML in the document (4.2.3). The contents of a template are not in it
    /// (4.12.3), and among frames a `base` is ignored (13.2.6.4.20).
    fn may_be_base(&self) -> bool {
        self.templates == 0 && self.framesets == 0 && !self.is_foreign()
    }

    /// Ends the attribute that is read. The first of two with one name counts (13.2.5.33).
    fn end_attribute(&mut self) {
        if !std::mem::take(&mut self.has_attribute) {
            return;
        }
        let known = self.known.take().or_else(|| attributes::known(&self.name));
        let from = self.held.last().map_or(0, |held| held.to);
        let to = self.values.len();
        match known {
            Some(name) if !self.is_end && !self.held.iter().any(|held| held.name == name) => {
                // An attribute without a value has an empty one, where its name ends.
                let at = if self.value_at > 0 { self.value_at } else { self.position };
                self.held.push(Held { name, from, to, at });
            }
            _ => self.values.truncate(from),
        }
    }

    /// The references of the start tag that was read.
    fn start_tag(&mut self) {
        if self.tag == b"a" {
            self.end_anchor();
        }
        if self.held.is_empty() {
            return;
        }
        let held = std::mem::take(&mut self.held);
        let values = std::mem::take(&mut self.values);
        let value = |name: &str| {
            let held = held.iter().find(|held| held.name.0 == name)?;
            Some(&values[held.from..held.to])
        };
        let refreshes = || value("http-equiv").is_some_and(|value| value.eq_ignore_ascii_case(b"refresh"));
        let may_be_base = self.may_be_base();
        let mut codebase = None;
        for &Held { name, from, to, at } in &held {
            let Some(holds) = attributes::holds(&self.tag, name) else { continue };
            let (bytes, is_base) = (&values[from..to], self.tag == b"base");
            let links = &mut *self.links;
            let against = match attributes::is_in_codebase(&self.tag, name) {
                true => *codebase.get_or_insert_with(|| self.codebases.against(value("codebase"), links)),
                false if is_base || holds == Holds::FilledOfDocument => Against::Outer,
                false if holds == Holds::Action && bytes.is_empty() => Against::Outer,
                false => Against::Document,
            };
            let place = Place {
                element: Some(&self.tag),
                attribute: Some(name.0.as_bytes()),
                rel: value("rel"),
                text: value("alt").filter(|_| matches!(&self.tag[..], b"area" | b"img" | b"input")),
                position: Some(at as u32),
                against,
            };
            match holds {
                Holds::Filled | Holds::FilledOfDocument => links.push_filled(bytes, place),
                Holds::Map => {
                    if let Some(hash) = memchr::memchr(b'#', bytes) {
                        let position = Some((at + hash) as u32);
                        links.push_map(&bytes[hash..], Place { position, ..place });
                    }
                }
                Holds::Names => links.push_all(tokens(bytes).filter(|name| has_scheme(name)), place),
                Holds::One | Holds::Action => {
                    let is_taken = links.push(bytes, place);
                    if is_base && may_be_base && !std::mem::replace(&mut self.has_base, true) {
                        links.document = (self.resolve)(None, &stripped(bytes));
                    }
                    if self.tag == b"a" && self.anchor.is_none() && is_taken {
                        self.anchor = Some(links.count() - 1);
                    }
                }
                Holds::List => links.push_all(tokens(bytes), place),
                Holds::Commas => links.push_all(items(bytes), place),
                Holds::Candidates => links.push_all(candidates(bytes), place),
                Holds::Style => css::references(bytes, |found| links.push_all([&found.url[..]], place)),
                Holds::Content if refreshes() => links.push_all(refresh(bytes), place),
                Holds::Content => {
                    if let Some(rel) = meta::property(["property", "name", "itemprop"].map(value)) {
                        links.push_filled(bytes, Place { rel: Some(rel), ..place });
                    }
                }
                Holds::Html if self.depth < DEEPEST_DOCUMENT => {
                    let text = String::from_utf8_lossy(bytes);
                    let place = (Some(at as u32), Against::Document);
                    read_within(&text, place, self.depth + 1, links, &mut *self.resolve);
                }
                Holds::Html => {}
            }
        }
        (self.held, self.values) = (held, values);
    }

    fn end_anchor(&mut self) {
        if let Some(number) = self.anchor.take() {
            self.links.set_text(number, &self.text);
        }
        self.text.clear();
    }

    /// The style sheet in an element, from where its text began up to this position; the end tag here is part of it or
    /// not.
    fn style_sheet(&mut self, from: usize, to: usize, has_end_tag: bool) {
        let mut window;
        let text = match self.page {
            Text::Whole(page) => page.get(from..to).unwrap_or_default(),
            Text::Window(of) => {
                window = of.borrow_mut();
                window.release(from, to)
            }
        };
        let is_whole = text.len() == to.saturating_sub(from);
        let end = if has_end_tag && is_whole { memchr::memmem::rfind(text, b"</") } else { None };
        let (links, text) = (&mut *self.links, &text[..end.unwrap_or(text.len())]);
        // With entities decoded, places in it are not places in the page.
        let is_decoded = !self.sheet.is_empty() && text.contains(&b'&');
        css::references(if is_decoded { &self.sheet } else { text }, |found| {
            let attribute = if found.is_import { &b"@import"[..] } else { b"url()" };
            let position = Some((if is_decoded { from } else { from + found.at }) as u32);
            let element = Some(&b"style"[..]);
            links.push(
                &found.url,
                Place { element, attribute: Some(attribute), position, ..Place::default() },
            );
        });
    }

    /// The state to which the tree builder would switch after a start tag (13.2.6.4), scripting disabled.
    fn next_state(&mut self) -> Option<State> {
        if self.is_foreign() {
            self.enter_html();
        }
        if self.is_foreign() {
            return None;
        }
        match &self.tag[..] {
            b"svg" if !self.is_self_closing => self.enter(Foreign::Svg),
            b"math" if !self.is_self_closing => self.enter(Foreign::MathMl),
            b"textarea" | b"title" => return Some(State::RcData),
            b"plaintext" => return Some(State::PlainText),
            b"script" => return Some(State::ScriptData),
            b"style" | b"xmp" | b"iframe" | b"noembed" | b"noframes" => return Some(State::RawText),
            _ => {}
        }
        None
    }

    fn enter(&mut self, foreign: Foreign) {
        if self.foreign.len() < DEEPEST {
            self.foreign.push(foreign);
        }
    }

    /// In SVG and MathML: elements that hold HTML (13.2.6, HTML integration point), and those that end the other
    /// language because they cannot be in it (13.2.6.5).
    fn enter_html(&mut self) {
        let holds_html = foreign::holds_html(&self.tag);
        let is_svg = self.foreign.last() == Some(&Foreign::Svg);
        match holds_html {
            Some(name)
                if is_svg == matches!(name, "foreignobject" | "desc" | "title") && !self.is_self_closing =>
            {
                self.enter(Foreign::Html(name));
                // Its contents are HTML; the element itself is not.
                self.tag.clear();
            }
            _ if foreign::ends(&self.tag) => self.foreign.clear(),
            _ => {}
        }
    }

    /// An end tag that leaves SVG, MathML or HTML within them.
    fn leave(&mut self) {
        let is_end = |foreign: &Foreign| match foreign {
            Foreign::Svg => self.tag == b"svg",
            Foreign::MathMl => self.tag == b"math",
            Foreign::Html(name) => self.tag == name.as_bytes(),
        };
        if let Some(at) = self.foreign.iter().rposition(is_end) {
            self.foreign.truncate(at);
        } else if self.is_foreign() && matches!(&self.tag[..], b"p" | b"br") {
            self.foreign.clear();
        }
    }
}

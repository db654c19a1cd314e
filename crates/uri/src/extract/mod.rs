//! URIs in running text: prose, mail, Markdown, HTML source (RFC 3986 Appendix C, RFC 2396 Appendix E). It uses the
//! ladder, whose normal forms it writes; the command line feeds it.
//!
//! The text is searched for colons and for `www.` in bulk; everything else happens only around a hit. A colon is a
//! candidate if a scheme precedes it and either `//` and the beginning of a host follow, or the scheme is one of a few
//! whose URIs have a known shape. Inside `<…>` a URI of any scheme is accepted, after `URL:` also a relative reference,
//! and white space that was added to break it over lines is removed.
//!
//! ```text
//! text ──> hit (finder) ──> inside <…>? (angle) ──> as far as it goes (extent) ──> cleaned ──> Found
//! ```
//!
//! The result never depends on more than [`LOOK_BEHIND`] bytes before a hit and [`LONGEST`] after it, so a text may
//! come in pieces ([`each_found`]), and memory does not grow with it.

mod angle;
mod authority;
mod entity;
mod extent;
mod finder;
mod name;
mod refang;
mod shape;
mod stream;

use alloc::borrow::Cow;
use alloc::borrow::ToOwned;
use alloc::string::String;

pub use finder::Finder;
pub use refang::refang;
pub use stream::{LOOK_BEHIND, each_found};

use crate::grammar::Spec;
use crate::normalize::{Level, RepairOptions, normalize, repair_with};
use crate::options::setters;
use crate::reference::UriRef;

/// The limit, in bytes, of a URI as written; longer ones are skipped. No more than this is examined or kept.
pub const LONGEST: usize = 1 << 20;

/// The limit, in bytes, of a URI between `<` and `>`, where it may hold white space.
pub const LONGEST_IN_ANGLE: usize = 8 << 10;

/// What counts as a URI, and how it is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// The specification by which the cleaned form is parsed.
    pub spec: Spec,
    /// The normal form in which the cleaned form is written (6.2).
    pub level: Level,
    /// The scheme that completes suffix references such as `www.w3.org/Addressing/` (4.5); `None` leaves
    /// them out, and the relative references of `<URL:…>` too: whatever has no scheme.
    pub suffix_scheme: Option<String>,
    /// Whether the text is HTML or XML, in which `&amp;` and other character references stand for characters outside
    /// attributes too. In other texts they do in attributes, and in an element that is one URI:
    /// `<loc>http://example.com/?a&amp;b</loc>`.
    pub is_markup: bool,
    /// Whether defanged URIs are found in their original form: `hxxp://example[.]com`; names without a scheme too
    /// (`example[.]com/a`), if `suffix_scheme` completes them.
    pub refang: bool,
}

impl Default for Options {
    /// RFC 3986, as written, and `http`, which section 4.5 has in its example.
    fn default() -> Self {
        let suffix_scheme = Some("http".to_owned());
        Options { spec: Spec::default(), level: Level::None, suffix_scheme, is_markup: false, refang: false }
    }
}

setters!(Options { spec: Spec, level: Level, suffix_scheme: Option<String>, is_markup: bool, refang: bool });

/// A URI in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<'a> {
    /// Its start, in bytes from the start of the text that was given.
    pub offset: usize,
    /// As it is written, without its delimiters and the prefix `URL:`; inside `<…>` including the white space that
    /// breaks it.
    pub raw: &'a str,
    /// The URI reference: without that white space, mapped from an IRI to a URI (RFC 3987 3.1), with the character
    /// references of markup replaced, completed if it is a suffix reference, at the requested level. It is valid by the
    /// specification.
    pub uri: Cow<'a, str>,
    /// Whether it has a scheme of its own.
    pub kind: Kind,
    /// What surrounds it.
    pub delimiter: Delimiter,
    /// Whether a line broke after a hyphen, which may or may not be part of the URI (Appendix C). It is kept.
    pub hyphen_break: bool,
}

/// Whether a URI in a text is a complete URI as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// With a scheme and a colon (3).
    Uri,
    /// Only an authority and a path, beginning with `www.`, or with a defanged name (4.5).
    Suffix,
    /// A relative reference (4.2), found only in `<URL:…>`. It stays relative.
    Relative,
}

impl Kind {
    /// The name in JSON Lines.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Uri => "uri",
            Kind::Suffix => "suffix",
            Kind::Relative => "relative",
        }
    }
}

/// What separates a URI from the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delimiter {
    /// `<` and `>`.
    Angle,
    /// A pair of quotation marks of some script, directly around it.
    Quotes,
    /// White space or any other character that does not belong to it.
    Text,
}

impl Delimiter {
    /// The name in JSON Lines.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Delimiter::Angle => "angle",
            Delimiter::Quotes => "quotes",
            Delimiter::Text => "text",
        }
    }
}

/// Every URI in `text`, in order; they never overlap. `text` may hold any bytes.
///
/// ```
/// use urimill_uri::extract::{Options, find};
///
/// let text = "Under \"http://www.w3.org/Addressing/\", or (http://example.com/a_(b)), or <ftp://foo.example.\n\
///             com/rfc/>. Not path:to:file.pm.";
/// let options = Options::default();
/// let uris: Vec<_> = find(text.as_bytes(), &options).map(|found| found.uri).collect();
/// assert_eq!(uris, ["http://www.w3.org/Addressing/", "http://example.com/a_(b)", "ftp://foo.example.com/rfc/"]);
/// ```
#[must_use]
pub fn find<'t>(text: &'t [u8], options: &'t Options) -> Finder<'t> {
    Finder::new(text, options)
}

/// The URI reference that `written` stands for; `None` if it can't be mended.
fn clean<'a>(written: Cow<'a, [u8]>, options: &Options) -> Option<Cow<'a, str>> {
    match written {
        Cow::Borrowed(bytes) => clean_borrowed(bytes, options),
        Cow::Owned(bytes) => Some(Cow::Owned(clean_borrowed(&bytes, options)?.into_owned())),
    }
}

fn clean_borrowed<'a>(written: &'a [u8], options: &Options) -> Option<Cow<'a, str>> {
    if let Ok(uri) = UriRef::parse_as(written, options.spec) {
        return Some(normalize(&uri, options.level));
    }
    let mended = repair_with(written, RepairOptions::new().spec(options.spec));
    let uri = UriRef::parse_as(&mended, options.spec).ok()?;
    Some(Cow::Owned(normalize(&uri, options.level).into_owned()))
}

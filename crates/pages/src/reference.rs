//! A reference of a page: where its texts lie, and which base it has.

use urimill_uri::simd::Span;

/// Which base a reference has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Against {
    /// The page's base from outside, whatever the page says.
    Outer,
    /// The base of the document, which is known only at its end.
    Document,
    /// The base of an element, by number: see [`super::link::Links::bases`].
    Element(u32),
}

/// A reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) raw: Span,
    /// The element, if it is in one.
    pub(super) element: Option<Span>,
    /// The attribute, the field of a header, or the word of CSS before it.
    pub(super) attribute: Option<Span>,
    pub(super) rel: Option<Span>,
    pub(super) text: Option<Span>,
    /// The place in the decoded page, if it is there.
    pub(super) position: Option<u32>,
    pub(super) against: Against,
}

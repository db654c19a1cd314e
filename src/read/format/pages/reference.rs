//! A reference that was found in a page: where its texts lie, and which base it has.

use crate::simd::Span;

/// Which base a reference has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Against {
    /// The one that the page has from outside, whatever stands in it.
    Outer,
    /// The one of the document, which is known only at its end.
    Document,
    /// One that an element says, by number: see [`super::link::Links::bases`].
    Element(u32),
}

/// A reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) raw: Span,
    /// The element, if it stands in one.
    pub(super) element: Option<Span>,
    /// The attribute, the field of a header, or what CSS writes before it.
    pub(super) attribute: Option<Span>,
    pub(super) rel: Option<Span>,
    pub(super) text: Option<Span>,
    /// Where in the decoded page, if it stands there.
    pub(super) position: Option<u32>,
    pub(super) against: Against,
}

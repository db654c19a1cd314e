//! The elements at which a parser leaves HTML for SVG and MathML, and returns to HTML.

/// The name of an element of SVG or MathML that holds HTML (13.2.6, HTML integration point).
pub(super) fn holds_html(tag: &[u8]) -> Option<&'static str> {
    HOLD_HTML.iter().find(|name| name.as_bytes() == tag).copied()
}

/// Whether a start tag ends SVG and MathML, because it cannot be in them (13.2.6.5).
pub(super) fn ends(tag: &[u8]) -> bool {
    ENDS_FOREIGN.iter().any(|name| name.as_bytes() == tag)
}

const HOLD_HTML: [&str; 9] =
    ["foreignobject", "desc", "title", "annotation-xml", "mi", "mo", "mn", "ms", "mtext"];

/// Start tags that end SVG and MathML (13.2.6.5).
const ENDS_FOREIGN: [&str; 44] = [
    "b",
    "big",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "i",
    "img",
    "li",
    "listing",
    "menu",
    "meta",
    "nobr",
    "ol",
    "p",
    "pre",
    "ruby",
    "s",
    "small",
    "span",
    "strong",
    "strike",
    "sub",
    "sup",
    "table",
    "tt",
    "u",
    "ul",
    "var",
];

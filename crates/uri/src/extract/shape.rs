//! Schemes whose URIs have no authority, and the shapes of these URIs. In a text `data:`, `tel:` or `news:` may well be
//! a word and a colon; the text after it decides. Called by the finder for a colon without `//` after it.

use memchr::{memchr, memchr2};

use crate::grammar::scheme;

/// The shape of the text after the colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// An address with something on both sides of its `@`, or header fields alone (RFC 6068).
    Mail,
    /// The same without header fields (RFC 3261, RFC 5122).
    Address,
    /// Digits, perhaps after a plus (RFC 3966, RFC 5724).
    Number,
    /// A namespace, a colon and a name (RFC 8141).
    Name,
    /// Perhaps a media type or parameters, then a comma (RFC 2397).
    Data,
    /// A group's name with a dot, or an article's with an `@` (RFC 5538).
    Group,
    /// Two numbers with a comma between them (RFC 5870).
    Place,
    /// A path from the root (RFC 8089).
    Rooted,
    /// A query without a path.
    Query,
    /// A call: what pages have in place of a link.
    Call,
}

/// The schemes. A few are not in the registry, because normalization has no rule for them.
const SHAPES: &[(&str, Shape)] = &[
    ("data", Shape::Data),
    ("file", Shape::Rooted),
    ("geo", Shape::Place),
    ("javascript", Shape::Call),
    ("magnet", Shape::Query),
    ("mailto", Shape::Mail),
    ("news", Shape::Group),
    ("sip", Shape::Address),
    ("sips", Shape::Address),
    ("sms", Shape::Number),
    ("tel", Shape::Number),
    ("urn", Shape::Name),
    ("xmpp", Shape::Address),
];

/// The shape of a scheme's URIs; `None` if only `//` or `<…>` distinguishes them from text.
pub(super) fn of(scheme: &[u8]) -> Option<Shape> {
    SHAPES.iter().find(|(name, _)| name.as_bytes().eq_ignore_ascii_case(scheme)).map(|(_, shape)| *shape)
}

/// Whether a text is likely to mean this scheme: its URIs have a shape, or it is registered.
pub(super) fn is_known(name: &[u8]) -> bool {
    scheme::find(name).is_some() || of(name).is_some()
}

impl Shape {
    /// Whether `rest`, the text after the colon, has this shape.
    pub(super) fn holds(self, rest: &[u8]) -> bool {
        let digits = |text: &[u8]| text.first().is_some_and(u8::is_ascii_digit);
        let word = |text: &[u8]| text.first().is_some_and(|b| b.is_ascii_alphanumeric() || !b.is_ascii());
        match self {
            Shape::Mail => rest.len() > 1 && rest[0] == b'?' || Shape::Address.holds(rest),
            Shape::Address => memchr(b'@', rest).is_some_and(|at| at > 0 && word(&rest[at + 1..])),
            Shape::Number => digits(rest.strip_prefix(b"+").unwrap_or(rest)),
            Shape::Name => memchr(b':', rest).is_some_and(|at| {
                let is_namespace = |b: &u8| b.is_ascii_alphanumeric() || *b == b'-';
                word(rest) && rest[..at].iter().all(is_namespace) && at > 1 && at + 1 < rest.len()
            }),
            Shape::Data => memchr(b',', rest).is_some_and(|comma| {
                let media = &rest[..memchr(b';', &rest[..comma]).unwrap_or(comma)];
                media.is_empty() || memchr(b'/', media).is_some_and(|at| at > 0 && at + 1 < media.len())
            }),
            Shape::Group => word(rest) && memchr2(b'.', b'@', rest).is_some_and(|at| word(&rest[at + 1..])),
            Shape::Place => {
                let number = |text: &[u8]| digits(text.strip_prefix(b"-").unwrap_or(text));
                memchr(b',', rest).is_some_and(|at| number(rest) && number(&rest[at + 1..]))
            }
            Shape::Rooted => rest.first() == Some(&b'/') && word(&rest[1..]),
            Shape::Query => rest.first() == Some(&b'?') && memchr(b'=', rest).is_some(),
            Shape::Call => memchr(b'(', rest).is_some_and(|at| at > 0),
        }
    }
}

//! Why a text is not a URI reference, with the line of the grammar that it breaks.

use crate::grammar::Spec;
use crate::grammar::abnf::{Rule, Symbol};
use crate::reject::{Code, Component, Reject};

/// A reject with its context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The verdict.
    pub reject: Reject,
    /// The character at the offset.
    pub found: Found,
    /// How many characters precede the offset; a byte outside UTF-8 counts as one.
    pub chars_before: usize,
    /// The line of the grammar; `None` if the text was not checked against one.
    pub rule: Option<Rule>,
    /// What the text could have been up to the offset, if that is not what it was meant to be: then the offset is after
    /// the byte that a reader would blame.
    pub until_there: Option<&'static str>,
}

/// What is where the grammar expects something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// A character.
    Char(char),
    /// A byte that does not begin a UTF-8 character.
    Byte(u8),
    /// Nothing: the text ends.
    End,
}

impl Fault {
    /// The fault of `text`, which `spec` rejects.
    #[must_use]
    pub fn new(text: &[u8], reject: Reject, spec: Spec) -> Fault {
        let at = reject.offset.min(text.len());
        Fault {
            reject,
            found: found(&text[at..]),
            chars_before: chars(&text[..at]),
            rule: symbol(text, &reject, spec).map(|symbol| symbol.rule(spec)),
            until_there: until_there(&text[at..], reject.code),
        }
    }
}

/// See [`Fault::until_there`]. `rest` begins at the offset.
fn until_there(rest: &[u8], code: Code) -> Option<&'static str> {
    match (code, rest.first()) {
        (Code::SchemeInvalidChar, Some(b':')) => Some("a path, whose first segment holds no colon"),
        (Code::HostInvalidChar | Code::PortInvalidChar, None | Some(b'/' | b'?' | b'#')) => {
            Some("user information, which an @ would end")
        }
        _ => None,
    }
}

/// How many characters `text` has, each byte outside UTF-8 counted as one.
pub(super) fn chars(text: &[u8]) -> usize {
    text.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum()
}

fn found(rest: &[u8]) -> Found {
    // A character has four bytes at most.
    let head = &rest[..rest.len().min(4)];
    match (head.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()), head.first()) {
        (Some(c), _) => Found::Char(c),
        (None, Some(&byte)) => Found::Byte(byte),
        (None, None) => Found::End,
    }
}

/// The grammar symbol that the text failed to match.
fn symbol(text: &[u8], reject: &Reject, spec: Spec) -> Option<Symbol> {
    Some(match (reject.code, reject.component) {
        (Code::TooLong | Code::FieldMissing | Code::RecordMalformed, _) => return None,
        (Code::BaseNotAbsolute | Code::BaseInvalid | Code::Disagreement, _) => return None,
        // The URL Standard has states instead of a grammar.
        (code, _) if code.is_of_url_standard() => return None,
        (Code::PercentTruncated | Code::PercentInvalidDigit, _) => Symbol::Triplet,
        (Code::PathEmpty | Code::SchemeMissing, _) => Symbol::SchemeSpecificPart,
        (Code::FragmentNotAllowed, _) => Symbol::AbsoluteUri,
        (Code::HostIpv6Malformed, _) => Symbol::Ipv6,
        (Code::HostIpvfutureMalformed, _) => Symbol::IpvFuture,
        (_, Component::Scheme) => Symbol::Scheme,
        (_, Component::Userinfo) => Symbol::Userinfo,
        (_, Component::Host) if breaks_authority(text, reject.offset) => Symbol::Authority,
        (_, Component::Host) => Symbol::Name,
        (_, Component::Port) => Symbol::Port,
        (_, Component::Path) if is_opaque(text) && spec == Spec::Rfc2396 => Symbol::OpaquePart,
        (_, Component::Path) => Symbol::Path,
        (_, Component::Query) => Symbol::Query,
        (_, Component::Fragment) => Symbol::Fragment,
    })
}

/// Whether the byte at `offset` ends a host where a host cannot end: a second `@`, or a byte after a bracket.
fn breaks_authority(text: &[u8], offset: usize) -> bool {
    text.get(offset) == Some(&b'@') || offset > 0 && text.get(offset - 1) == Some(&b']')
}

/// Whether the part after the scheme does not begin with a slash (RFC 2396 section 3).
fn is_opaque(text: &[u8]) -> bool {
    let delimiter = text.iter().position(|b| b":/?#".contains(b));
    delimiter.is_some_and(|at| text[at] == b':' && text.get(at + 1) != Some(&b'/'))
}

//! `https://{host}{path}?{query}`: a template makes the URI of a record from fields, for every format whose fields have
//! names. The formats find the fields; the template makes the text.
//!
//! A value stays in its own part of the URI. A field that is null adds nothing, and takes along the `?`, `#` or `:` of
//! a port directly before it; if scheme or host are null, the record has no URI. A value that would end its part, and
//! so move what follows into another one, makes the record malformed; in an authority, which is fixed before values are
//! put in, the value is percent-encoded. A client that chooses the path does not choose the host: a template without an
//! authority makes one only if the name of its first field says that it may hold one (`names`, `reading`).

mod names;
mod reading;

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_uri::normalize::is_suffix;

use names::{Says, says};
use reading::heads;

/// A text with fields in it; doubled braces stand for a brace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    text: String,
    pieces: Vec<Piece>,
    /// The text after the last field.
    tail: String,
    /// Whether it names a scheme.
    is_absolute: bool,
    /// Whether it names an authority, which is not empty.
    has_authority: bool,
}

/// A field, and the text before it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    lead: String,
    name: String,
    /// Where in the template the name stands.
    at: usize,
    part: Part,
    /// Whether the lead's last character is left out where the field is null.
    drops_lead: bool,
    /// Whether the path begins with the field: directly after the authority, or after a field that may have one.
    begins_path: bool,
    /// Whether nothing follows, so that the value may contain further parts.
    is_last: bool,
}

/// The part of a URI that a field makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The first field, without a scheme after it: a reference, or its beginning.
    Start(Says),
    Scheme,
    /// The whole host; an empty one is null.
    Host,
    /// A host and everything after it.
    Rest,
    /// A part of the host, or the user information before it; if it is null, there is no URI.
    OfHost,
    /// Another field of the authority.
    Authority,
    Path,
    Query,
    Fragment,
}

/// The result for a record's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Made {
    /// A text.
    Text,
    /// The record has no URI.
    Null,
    /// A value does not stay in its part; the byte of the text where it leaves it.
    Malformed(usize),
}

/// Stands for a field in the text of a template: the value does not change where the other fields stand.
const FIELD: char = '\0';

fn wrong(text: &str, at: usize, what: &str) -> Error {
    Error::usage(format!("{} is wrong at byte {at}: {what}", OptionName::UriTemplate.named()))
        .marking(text, at)
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// Usage, if a brace is not closed or a field has no name; [`Error::marked`] says where.
    pub fn new(text: &str) -> Result<Template> {
        let (mut pieces, mut lead) = (Vec::new(), String::new());
        // The text before a place.
        let mut before = String::new();
        let mut rest = text;
        while let Some(brace) = rest.find(['{', '}']) {
            let at = text.len() - rest.len() + brace;
            lead.push_str(&rest[..brace]);
            let behind = &rest[brace + 1..];
            if rest[brace..].starts_with("{{") || rest[brace..].starts_with("}}") {
                lead.push_str(&rest[brace..=brace]);
                rest = &behind[1..];
                continue;
            }
            if rest[brace..].starts_with('}') {
                return Err(wrong(text, at, "no brace is open: write }} for one that is meant"));
            }
            let Some(close) = behind.find('}') else {
                return Err(wrong(text, at, "the brace is not closed: write {{ for one that is meant"));
            };
            let name = behind[..close].to_owned();
            if name.is_empty() || name.contains('{') {
                return Err(wrong(text, at + 1, "a field has no name: give one, as in {host}"));
            }
            rest = &behind[close + 1..];
            before.push_str(&lead);
            let (part, begins_path) = part(&before, says(&name), rest);
            let drops_lead = match lead.as_bytes().last() {
                Some(b'?') => part == Part::Query && (rest.is_empty() || rest.starts_with('#')),
                Some(b'#') => part == Part::Fragment && rest.is_empty(),
                Some(b':') => part == Part::Authority,
                _ => false,
            };
            let (lead, is_last) = (std::mem::take(&mut lead), rest.is_empty());
            pieces.push(Piece { lead, name, at: at + 1, part, drops_lead, begins_path, is_last });
            before.push(FIELD);
        }
        if pieces.is_empty() {
            return Err(wrong(text, text.len(), "it has no field, as {host} is one"));
        }
        let whole = before + &lead + rest;
        let is_absolute =
            scheme_end(&whole).is_some_and(|end| end > 0) && !matches!(pieces[0].part, Part::Start(_));
        let after_scheme = scheme_end(&whole).map_or(whole.as_str(), |end| &whole[end + 1..]);
        let has_authority = after_scheme
            .strip_prefix("//")
            .is_some_and(|authority| !authority.is_empty() && !authority.starts_with(['/', '?', '#']));
        let tail = lead + rest;
        Ok(Template { text: text.to_owned(), pieces, tail, is_absolute, has_authority })
    }

    /// The names of its fields, in order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.pieces.iter().map(|piece| piece.name.as_str())
    }

    /// Whether it makes URIs with a scheme, so that a base has no effect.
    pub fn is_absolute(&self) -> bool {
        self.is_absolute
    }

    /// An error about the field of this number, with its place.
    pub fn about(&self, number: usize, error: Error) -> Error {
        let at = self.pieces.get(number).map_or(0, |piece| piece.at);
        let option = OptionName::UriTemplate.named();
        error
            .rephrased(|sentence| format!("{option} is wrong at byte {at}: {sentence}"))
            .marking(&self.text, at)
    }

    /// Writes the URI of a record to `out`. `values` are those of the fields; `None` and `-` stand for null.
    pub(crate) fn write<'v>(&self, values: impl Fn(usize) -> Option<&'v [u8]>, out: &mut Vec<u8>) -> Made {
        out.clear();
        let mut fault = None;
        // Where the first value ends.
        let mut first_end = 0;
        for (number, piece) in self.pieces.iter().enumerate() {
            let Some(value) = values(number).filter(|&value| value != b"-") else {
                if piece.is_needed() {
                    return Made::Null;
                }
                let dropped = usize::from(piece.drops_lead);
                out.extend_from_slice(&piece.lead.as_bytes()[..piece.lead.len() - dropped]);
                continue;
            };
            out.extend_from_slice(piece.lead.as_bytes());
            match piece.part {
                // nginx writes `_` for no name.
                Part::Host if value == b"_" => return Made::Null,
                Part::Host if value.trim_ascii().is_empty() && !out.eq_ignore_ascii_case(b"file://") => {
                    return Made::Null;
                }
                Part::Rest if value.trim_ascii().is_empty() => return Made::Null,
                Part::Host | Part::OfHost | Part::Authority => encode(value, out),
                // Some servers write the question mark, too.
                Part::Query if piece.lead.ends_with('?') && value.starts_with(b"?") => {
                    fault = fault.or(piece.fault(&value[1..]).map(|at| out.len() + at));
                    out.extend_from_slice(&value[1..]);
                }
                _ => {
                    fault = fault.or(piece.fault(value).map(|at| out.len() + at));
                    out.extend_from_slice(value);
                }
            }
            if number == 0 {
                first_end = out.len();
            }
        }
        out.extend_from_slice(self.tail.as_bytes());
        if !self.has_authority {
            fault = self.without_authority(out, first_end, fault);
        }
        fault.map_or(Made::Text, Made::Malformed)
    }

    /// Makes sure that the text of a template without an authority has none, and no other scheme than the template's,
    /// except what its first value brings, which ends at `first_end`. Returns the fault of the text.
    fn without_authority(&self, out: &mut Vec<u8>, first_end: usize, fault: Option<usize>) -> Option<usize> {
        let found = heads(out);
        let Some(&Part::Start(says)) = self.pieces.first().map(|piece| &piece.part) else {
            let named_scheme = scheme_end_of(out).filter(|_| self.is_absolute);
            return match named_scheme {
                Some(end) if found.authority => fault.or(Some(end + 1)),
                Some(_) => fault,
                None => guard(out, found.scheme || found.authority, fault),
            };
        };
        let is_whole = self.pieces.len() == 1 && self.tail.is_empty();
        let own = match says {
            Says::Host | Says::Reference => heads(&out[..first_end]),
            Says::Nothing if is_whole => found,
            Says::Nothing if found.scheme => return fault.or(Some(0)),
            Says::Nothing | Says::Path => heads(b""),
        };
        match (own.scheme, own.authority) {
            (_, true) => fault,
            (true, false) if found.authority => fault.or(Some(first_end)),
            (true, false) => fault,
            (false, false) => {
                let has_colon = || {
                    let segment = out.iter().position(|b| b"/?#".contains(b)).unwrap_or(out.len());
                    out[..segment].contains(&b':') || is_suffix(out)
                };
                let is_taken = found.scheme || found.authority || says == Says::Path && has_colon();
                guard(out, is_taken, fault)
            }
        }
    }
}

/// Puts `/.` or `./` before a path that would be taken for something else (RFC 3986, 4.2 and 3.3).
fn guard(out: &mut Vec<u8>, is_taken: bool, fault: Option<usize>) -> Option<usize> {
    if !is_taken {
        return fault;
    }
    out.splice(..0, if out.starts_with(b"/") { *b"/." } else { *b"./" });
    fault.map(|at| at + 2)
}

/// Writes a value of an authority; percent-encodes bytes that would end the authority, or the user information in it.
fn encode(value: &[u8], out: &mut Vec<u8>) {
    for &byte in value {
        match byte {
            b'/' => out.extend_from_slice(b"%2F"),
            b'?' => out.extend_from_slice(b"%3F"),
            b'#' => out.extend_from_slice(b"%23"),
            b'\\' => out.extend_from_slice(b"%5C"),
            b'@' => out.extend_from_slice(b"%40"),
            _ => out.push(byte),
        }
    }
}

impl Piece {
    /// Whether there is no URI without it.
    fn is_needed(&self) -> bool {
        matches!(self.part, Part::Start(_) | Part::Scheme | Part::Host | Part::Rest | Part::OfHost)
    }

    /// The first byte of a value that does not belong in its part.
    fn fault(&self, value: &[u8]) -> Option<usize> {
        let first = |ends: &[u8]| value.iter().position(|b| ends.contains(b));
        if self.begins_path && !matches!(value.first(), None | Some(b'/' | b'?' | b'#')) {
            return Some(0);
        }
        match self.part {
            Part::Scheme => {
                let is_scheme = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
                value.iter().position(|b| !is_scheme(b)).or(value.is_empty().then_some(0))
            }
            Part::Rest => value.trim_ascii_start().first().filter(|&b| b"/\\?#".contains(b)).map(|_| 0),
            _ if self.is_last => None,
            Part::Path => first(b"?#"),
            Part::Query => first(b"#"),
            Part::Start(_) | Part::Host | Part::OfHost | Part::Authority | Part::Fragment => None,
        }
    }
}

/// Where the scheme of a text ends (at its colon), if it has one.
fn scheme_end(text: &str) -> Option<usize> {
    scheme_end_of(text.as_bytes())
}

fn scheme_end_of(text: &[u8]) -> Option<usize> {
    let end = text.iter().position(|b| b":/?#".contains(b))?;
    (text[end] == b':').then_some(end)
}

/// The part that a field makes whose name says `says`, between the texts `before` and `behind`; and whether it begins
/// the path.
fn part(before: &str, says: Says, behind: &str) -> (Part, bool) {
    if before.contains('#') {
        return (Part::Fragment, false);
    }
    if before.contains('?') {
        return (Part::Query, false);
    }
    let after_scheme = scheme_end(before).map_or(before, |end| &before[end + 1..]);
    let has_scheme = after_scheme.len() < before.len();
    // A part of a host follows, or the host itself.
    let goes_on = behind.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ']'))
        || behind.split(['/', '?', '#']).next().is_some_and(|authority| authority.contains('@'));
    match after_scheme.strip_prefix("//") {
        Some(authority) if authority.contains('/') => (Part::Path, false),
        Some(authority) if authority.is_empty() || authority.ends_with('@') => match says {
            _ if goes_on => (Part::OfHost, false),
            Says::Host => (Part::Host, false),
            _ if behind.is_empty() => (Part::Rest, false),
            _ => (Part::Host, false),
        },
        Some(authority) if authority.ends_with(':') => (Part::Authority, false),
        Some(authority) if authority.ends_with(['.', '-', '[']) => (Part::OfHost, false),
        Some(_) if says == Says::Host => (Part::OfHost, false),
        // Letters of a host on both sides.
        Some(authority) if goes_on && says != Says::Path && !authority.ends_with(FIELD) => {
            (Part::OfHost, false)
        }
        Some(_) => (Part::Path, true),
        None if has_scheme || before.contains('/') => (Part::Path, false),
        None if before.is_empty() && behind.starts_with(':') => (Part::Scheme, false),
        None if before.is_empty() => (Part::Start(says), false),
        None => (Part::Path, true),
    }
}

#[cfg(test)]
mod tests;

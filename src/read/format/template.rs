//! `https://{host}{path}?{query}`: the URI of a record as a text with fields in it, for every format whose fields have
//! names. Between the formats, which know where fields stand, and the records.
//!
//! A value stays in its own part of the URI. A field that is null adds nothing, and takes along the `?`, `#` or `:` of
//! a port that stands directly before it; where scheme or host are null the record has no URI. A value that would end
//! its part, and so move what follows into another one, makes the record malformed: a client that chooses the path
//! chooses no host.

use crate::error::{Error, Result};
use crate::option_name::OptionName;

/// A text with fields in it; braces that are meant are doubled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    text: String,
    pieces: Vec<Piece>,
    /// What follows the last field.
    tail: String,
    /// Whether it names a scheme.
    is_absolute: bool,
    /// Whether two slashes may begin what it makes.
    may_begin_authority: bool,
}

/// A field, and what precedes it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    lead: String,
    name: String,
    /// Where the name stands in the text.
    at: usize,
    part: Part,
    /// Whether the lead's last character goes where the field is null.
    drops_lead: bool,
    /// Whether the path begins with the field, directly after the authority, or after a field that may have one.
    begins_path: bool,
    /// Whether nothing follows, so that the value may have further parts in it.
    is_last: bool,
}

/// The part of a URI in which a field stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// The first field, without a scheme after it: a reference, or its beginning.
    Start,
    Scheme,
    /// The host, or the user information before it; without it there is no URI.
    Host,
    /// Another field of the authority.
    Authority,
    Path,
    Query,
    Fragment,
}

/// What became of a record's fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::read) enum Made {
    /// A text.
    Text,
    /// The record has no URI.
    Null,
    /// A value does not stay in its part: the byte of the text.
    Malformed(usize),
}

fn wrong(text: &str, at: usize, what: &str) -> Error {
    Error::usage(format!("{} is wrong at byte {at}: {what}", OptionName::UriTemplate.named()))
        .marking(text, at)
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// Usage, where a brace is not closed or a field has no name; [`Error::marked`] says where.
    pub fn new(text: &str) -> Result<Template> {
        let (mut pieces, mut lead) = (Vec::new(), String::new());
        // The text before a place, with an x for each field: what stands in a field does not change where it stands.
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
            let (part, begins_path) = part(&before, rest);
            let drops_lead = match lead.as_bytes().last() {
                Some(b'?') => part == Part::Query && (rest.is_empty() || rest.starts_with('#')),
                Some(b'#') => part == Part::Fragment && rest.is_empty(),
                Some(b':') => part == Part::Authority,
                _ => false,
            };
            let (lead, is_last) = (std::mem::take(&mut lead), rest.is_empty());
            pieces.push(Piece { lead, name, at: at + 1, part, drops_lead, begins_path, is_last });
            before.push('x');
        }
        if pieces.is_empty() {
            return Err(wrong(text, text.len(), "it has no field, as {host} is one"));
        }
        let whole = before + &lead + rest;
        let is_absolute = scheme_end(&whole).is_some_and(|end| end > 0) && pieces[0].part != Part::Start;
        let may_begin_authority = whole.starts_with("//");
        let tail = lead + rest;
        Ok(Template { text: text.to_owned(), pieces, tail, is_absolute, may_begin_authority })
    }

    /// The names of its fields, in order.
    pub(in crate::read) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.pieces.iter().map(|piece| piece.name.as_str())
    }

    /// Whether it makes URIs with a scheme, so that a base has nothing to say.
    pub(in crate::read) fn is_absolute(&self) -> bool {
        self.is_absolute
    }

    /// An error about the field of this number, with its place.
    pub(in crate::read) fn about(&self, number: usize, error: Error) -> Error {
        let at = self.pieces.get(number).map_or(0, |piece| piece.at);
        let option = OptionName::UriTemplate.named();
        error
            .rephrased(|sentence| format!("{option} is wrong at byte {at}: {sentence}"))
            .marking(&self.text, at)
    }

    /// Writes the URI of a record to `out`, whose `values` are those of the fields, `None` and `-` where there is none.
    pub(in crate::read) fn write<'v>(
        &self,
        values: impl Fn(usize) -> Option<&'v [u8]>,
        out: &mut Vec<u8>,
    ) -> Made {
        out.clear();
        let mut fault = None;
        for (number, piece) in self.pieces.iter().enumerate() {
            let Some(value) = values(number).filter(|&value| value != b"-") else {
                if matches!(piece.part, Part::Start | Part::Scheme | Part::Host) {
                    return Made::Null;
                }
                let dropped = usize::from(piece.drops_lead);
                out.extend_from_slice(&piece.lead.as_bytes()[..piece.lead.len() - dropped]);
                continue;
            };
            out.extend_from_slice(piece.lead.as_bytes());
            // Some servers write the mark, too.
            let value = match (piece.part, piece.lead.ends_with('?')) {
                (Part::Query, true) => value.strip_prefix(b"?").unwrap_or(value),
                _ => value,
            };
            fault = fault.or(piece.fault(value).map(|at| out.len() + at));
            out.extend_from_slice(value);
        }
        out.extend_from_slice(self.tail.as_bytes());
        if out.starts_with(b"//") && !self.may_begin_authority {
            // An absolute path, as in a request (RFC 9112, 3.2.1): RFC 3986 (4.2) has `/.` before it.
            out.splice(..0, *b"/.");
            fault = fault.map(|at| at + 2);
        }
        fault.map_or(Made::Text, Made::Malformed)
    }
}

impl Piece {
    /// The first byte of a value that does not belong where the field stands.
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
            Part::Path if self.lead.ends_with(':') && value.starts_with(b"//") => Some(0),
            _ if self.is_last => None,
            Part::Host | Part::Authority => first(b"/?#\\@"),
            Part::Path => first(b"?#"),
            Part::Query => first(b"#"),
            Part::Start | Part::Fragment => None,
        }
    }
}

/// Where the scheme of a text ends, if it has one: at its colon.
fn scheme_end(text: &str) -> Option<usize> {
    let end = text.find([':', '/', '?', '#'])?;
    text[end..].starts_with(':').then_some(end)
}

/// The part in which a field comes after `before` and before `behind`; and whether it begins the path.
fn part(before: &str, behind: &str) -> (Part, bool) {
    if before.contains('#') {
        return (Part::Fragment, false);
    }
    if before.contains('?') {
        return (Part::Query, false);
    }
    let after_scheme = scheme_end(before).map_or(before, |end| &before[end + 1..]);
    let has_scheme = after_scheme.len() < before.len();
    match after_scheme.strip_prefix("//") {
        Some(authority) if authority.contains('/') => (Part::Path, false),
        Some(authority) if authority.is_empty() || authority.ends_with('@') => (Part::Host, false),
        Some(authority) if authority.ends_with([':', '.', '-', '[']) => (Part::Authority, false),
        Some(_) => (Part::Path, true),
        None if has_scheme || before.contains('/') => (Part::Path, false),
        None if before.is_empty() && behind.starts_with(':') => (Part::Scheme, false),
        None if before.is_empty() => (Part::Start, false),
        None => (Part::Path, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uri::UriRef;

    /// Template, values, text.
    type Case<'a> = (&'a str, &'a [Option<&'a str>], Option<&'a str>);

    /// A text as it is made of these values; `!` and the byte where one does not stay in its part.
    fn made(template: &str, values: &[Option<&str>]) -> Option<String> {
        let template = Template::new(template).expect(template);
        let mut out = Vec::new();
        let made = template.write(|at| values[at].map(str::as_bytes), &mut out);
        let text = String::from_utf8(out).expect("UTF-8");
        match made {
            Made::Text => Some(text),
            Made::Null => None,
            Made::Malformed(at) => Some(format!("{at}!{text}")),
        }
    }

    #[test]
    fn a_value_is_in_its_own_part_or_nowhere() {
        const WEB: &str = "https://{host}{path}?{query}";
        let cases: &[Case<'_>] = &[
            (WEB, &[Some("h"), Some("/a"), Some("b=c")], Some("https://h/a?b=c")),
            // Undefined is not empty (RFC 3986, 5.3).
            (WEB, &[Some("h"), Some("/a"), None], Some("https://h/a")),
            (WEB, &[Some("h"), Some("/a"), Some("-")], Some("https://h/a")),
            (WEB, &[Some("h"), Some("/a"), Some("")], Some("https://h/a?")),
            (WEB, &[Some("h"), None, Some("b")], Some("https://h?b")),
            (WEB, &[Some("h"), Some("/a"), Some("?b")], Some("https://h/a?b")),
            (WEB, &[None, Some("/a"), Some("b")], None),
            // What a client sends is not a host, and no query in the path.
            (WEB, &[Some("h"), Some("@evil/"), None], Some("9!https://h@evil/")),
            (WEB, &[Some("h"), Some("a"), None], Some("9!https://ha")),
            (WEB, &[Some("h"), Some("//evil/"), None], Some("https://h//evil/")),
            (WEB, &[Some("u@h"), Some("/"), None], Some("9!https://u@h/")),
            (WEB, &[Some("h/x"), Some("/"), None], Some("9!https://h/x/")),
            (WEB, &[Some("h"), Some("/a?b"), Some("c")], Some("11!https://h/a?b?c")),
            // The last field may have what follows its part.
            (WEB, &[Some("h"), Some("/"), Some("a#b")], Some("https://h/?a#b")),
            ("http://{h}{target}", &[Some("h"), Some("/a?b#c")], Some("http://h/a?b#c")),
            ("http://{rest}", &[Some("h/a?b")], Some("http://h/a?b")),
            (
                "{scheme}://{host}:{port}{path}",
                &[Some("http"), Some("h"), Some("8"), Some("/")],
                Some("http://h:8/"),
            ),
            (
                "{scheme}://{host}:{port}{path}",
                &[Some("http"), Some("h"), None, Some("/")],
                Some("http://h/"),
            ),
            ("{scheme}://{host}/", &[Some("a b"), Some("h")], Some("1!a b://h/")),
            ("{scheme}://{host}/", &[None, Some("h")], None),
            ("https://www.{d}{p}", &[Some("h"), Some("/")], Some("https://www.h/")),
            ("https://h{p}", &[Some(".evil/")], Some("9!https://h.evil/")),
            ("https://h/{p}", &[Some("a")], Some("https://h/a")),
            ("https://h/a?b={b}&c={c}#{f}", &[Some("1"), None, None], Some("https://h/a?b=1&c=")),
            ("https://h/?{a}&{b}", &[None, Some("1")], Some("https://h/?&1")),
            // Without a host in the template there is none in the text.
            ("{path}?{query}", &[Some("//evil/"), Some("q")], Some("/.//evil/?q")),
            ("{path}?{query}", &[Some("http://h/"), None], Some("http://h/")),
            ("/{path}", &[Some("/evil")], Some("/.//evil")),
            ("file:{path}", &[Some("//evil/x")], Some("5!file://evil/x")),
            ("{origin}{path}", &[Some("http://h"), Some(".evil/")], Some("8!http://h.evil/")),
            ("//{host}{path}", &[Some("h"), Some("/")], Some("//h/")),
            // Braces.
            ("/{{{a}}}", &[Some("x")], Some("/{x}")),
        ];
        for (template, values, text) in cases {
            assert_eq!(made(template, values).as_deref(), *text, "{template} {values:?}");
        }
    }

    /// Every text of at most so many of the characters that end parts of a URI.
    fn texts(most: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        let mut from = 0;
        for _ in 0..most {
            let end = all.len();
            for at in from..end {
                let longer = "/?#@:\\a.-".chars().map(|c| format!("{}{c}", all[at]));
                all.extend(longer.collect::<Vec<_>>());
            }
            from = end;
        }
        all
    }

    #[test]
    fn no_value_gets_into_another_part() {
        let template = Template::new("https://{h}{p}?{q}").expect("a template");
        let mut out = Vec::new();
        let mut valid = 0;
        for path in texts(3) {
            for query in texts(2) {
                let values = ["h.example", &path, &query];
                if template.write(|at| Some(values[at].as_bytes()), &mut out) != Made::Text {
                    continue;
                }
                let text = std::str::from_utf8(&out).expect("UTF-8");
                // What the grammar does not have is a reject.
                let Ok(uri) = UriRef::parse(text) else { continue };
                let own_path = if path == "-" { "" } else { &path };
                let own_query = query.strip_prefix('?').unwrap_or(&query);
                let (own_query, fragment) = match own_query.split_once('#') {
                    Some((query, fragment)) => (query, Some(fragment)),
                    None => (own_query, None),
                };
                let own_query = (query != "-").then_some(own_query);
                assert_eq!((uri.host(), uri.path()), (Some("h.example"), own_path), "{text}");
                assert_eq!((uri.query(), uri.fragment()), (own_query, fragment), "{text}");
                valid += 1;
            }
        }
        assert!(valid > 1000, "{valid}");
    }

    #[test]
    fn errors_have_their_place() {
        for (text, at, part) in [
            ("https://{host", 8, "not closed"),
            ("https://{}/", 9, "no name"),
            ("a}b", 1, "no brace is open"),
            ("https://h/", 10, "no field"),
        ] {
            let error = Template::new(text).expect_err(text);
            assert_eq!(error.marked(), Some((text, at)), "{text}: {error}");
            assert!(error.to_string().contains(part), "{text}: {error}");
        }
        let template = Template::new("http://{a}{b}").expect("a template");
        let error = template.about(1, Error::usage("there is no b"));
        assert_eq!(error.marked(), Some(("http://{a}{b}", 11)));
        assert_eq!(error.to_string(), "uri_template is wrong at byte 11: there is no b");
    }
}

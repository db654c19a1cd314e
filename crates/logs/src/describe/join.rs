//! The fields of a format string as a whole: those that make one field together, the places where one ends, and their
//! names.

use std::collections::HashSet;

use urimill_base::error::Result;

use super::LineForm;
use super::scan::wrong;
use crate::pattern::{Part, Reach};

/// A field of a format string.
#[derive(Debug, Clone, Default)]
pub(super) struct Field {
    /// The byte of its directive.
    pub(super) at: usize,
    /// The text before it.
    pub(super) lead: String,
    /// As in [`Shape::field`](crate::shape::Shape::field).
    pub(super) field: String,
    /// Whether it is named by an argument, so that nothing is known of its values.
    pub(super) is_open: bool,
    /// Whether its values have one space in them.
    pub(super) is_pair: bool,
    /// Whether a server leaves it out with the braces around it.
    pub(super) is_optional: bool,
    /// The byte that begins the next field, if no text stands between.
    pub(super) stop: Option<u8>,
}

/// The field that takes the rest of a line.
pub(super) const REST: &str = "rest:rest";

impl Field {
    /// The name of its column, and the kind of its values.
    fn parts(&self) -> (&str, &str) {
        let field = self.field.split(['=', '~']).next().unwrap_or_default().trim_end_matches(['?', '!']);
        field.split_once(':').unwrap_or((field, ""))
    }

    fn kind(&self) -> &str {
        self.parts().1
    }

    /// Whether it makes a URI, without others or with them.
    pub(super) fn makes_uri(&self) -> bool {
        self.is_target() || matches!(self.kind(), "request" | "proxied-request")
    }

    fn is_target(&self) -> bool {
        matches!(self.kind(), "url" | "uri" | "proxied" | "path" | "whole-path")
    }

    /// Whether its values are texts of no known form.
    fn is_text(&self) -> bool {
        !self.field.contains([':', '=', '~'])
    }

    /// Whether its values may have spaces.
    fn is_words(&self) -> bool {
        let names = ["", "user_agent", "referer", "user", "moment", "filename"];
        self.is_text() && (self.is_open || names.contains(&self.field.as_str())) || self.kind() == "time"
    }
}

/// Puts together the fields that are parts of one.
pub(super) fn join(fields: &mut Vec<Field>, tail: &str) {
    versions(fields);
    moments(fields);
    endpoints(fields);
    uris(fields);
    requests(fields, tail);
}

/// `HTTP/` and a version are the protocol.
fn versions(fields: &mut [Field]) {
    for field in fields {
        if field.field == "http_version" && field.lead.ends_with("HTTP/") {
            field.lead.truncate(field.lead.len() - "HTTP/".len());
            "protocol:protocol".clone_into(&mut field.field);
        }
    }
}

/// Seconds, a point and their thousandths are one moment.
fn moments(fields: &mut Vec<Field>) {
    let is_moment = |pair: &[Field]| {
        pair[0].field == "time:time" && pair[1].field == "milliseconds:int" && pair[1].lead == "."
    };
    while let Some(at) = fields.windows(2).position(is_moment) {
        fields.remove(at + 1);
    }
}

/// An address, a colon and its port are one field, because an address may have colons.
fn endpoints(fields: &mut Vec<Field>) {
    let is_endpoint = |pair: &[Field]| {
        let ((name, kind), (port, number)) = (pair[0].parts(), pair[1].parts());
        (kind, number, pair[1].lead.as_str()) == ("addr", "int", ":")
            && port.strip_suffix("_port") == Some(name)
    };
    while let Some(at) = fields.windows(2).position(is_endpoint) {
        fields[at].field = format!("{}:endpoint", fields[at].parts().0);
        fields.remove(at + 1);
    }
}

/// A path and a query without a text between them are one target; a host ends where the target after it begins.
fn uris(fields: &mut Vec<Field>) {
    let mut at = 0;
    while at + 1 < fields.len() {
        let query = at + 1 + usize::from(fields[at + 1].field == "is_args" && fields[at + 1].lead.is_empty());
        let follows = |field: &Field| field.field == ":query" && field.lead.is_empty();
        if fields[at].field == ":path" && fields.get(query).is_some_and(follows) {
            ":url".clone_into(&mut fields[at].field);
            fields.drain(at + 1..=query);
        }
        at += 1;
    }
    let mut at = 1;
    while at < fields.len() {
        let begins = fields[at].is_target() && fields[at].lead.is_empty();
        let host = match fields[at - 1].kind() {
            "host" if begins => Some(at - 1),
            "port" if begins && at > 1 && fields[at - 1].lead == ":" && fields[at - 2].kind() == "host" => {
                Some(at - 2)
            }
            _ => None,
        };
        if let Some(host) = host {
            fields[at - 1].stop = Some(b'/');
            at += usize::from(scheme(fields, host));
        }
        at += 1;
    }
}

/// Makes a field of the scheme that a string has before the host at this place.
fn scheme(fields: &mut Vec<Field>, host: usize) -> bool {
    let lead = &fields[host].lead;
    let Some(before) = ["https://", "http://"].iter().find_map(|scheme| lead.strip_suffix(scheme)) else {
        return false;
    };
    if before.ends_with(|c: char| c.is_ascii_alphanumeric()) || before.is_empty() && host > 0 {
        return false;
    }
    let scheme = Field {
        lead: before.to_owned(),
        field: ":scheme".to_owned(),
        at: fields[host].at,
        ..Field::default()
    };
    "://".clone_into(&mut fields[host].lead);
    fields.insert(host, scheme);
    true
}

/// A method, a target and a protocol in quotes are a request, which may hold spaces.
fn requests(fields: &mut Vec<Field>, tail: &str) {
    let mut at = 0;
    while at + 2 < fields.len() {
        let next = fields.get(at + 3).map_or(tail, |field| &field.lead);
        let [method, target, protocol] = &fields[at..at + 3] else { return };
        let field = match target.field.as_str() {
            ":url" => ":request",
            ":proxied" => ":proxied-request",
            _ => "",
        };
        let is_request = method.kind() == "method"
            && protocol.kind() == "protocol"
            && (target.lead.as_str(), protocol.lead.as_str()) == (" ", " ")
            && method.lead.ends_with('"')
            && next.starts_with('"');
        if is_request && !field.is_empty() {
            field.clone_into(&mut fields[at].field);
            fields.drain(at + 1..at + 3);
        }
        at += 1;
    }
}

/// Whether every field has an end.
///
/// # Errors
/// Usage, with the place of a field that begins where nobody can tell.
pub(super) fn check(fields: &[Field], tail: &str, text: &str) -> Result<()> {
    for pair in fields.windows(2) {
        if pair[0].field == REST {
            let what = "the field before it takes the rest of the line: it must be the last";
            return Err(wrong(text, pair[1].at, what));
        }
        if pair[1].lead.is_empty() && pair[0].stop.is_none() {
            let what = "nothing stands between two fields, so that nobody can tell where one ends: a text must \
                        stand there, but between host, path and query";
            return Err(wrong(text, pair[1].at, what));
        }
    }
    match fields.last() {
        Some(last) if last.field == REST && !tail.is_empty() => {
            Err(wrong(text, last.at, "it takes the rest of the line: nothing may stand after it"))
        }
        _ => Ok(()),
    }
}

/// Gives the first of two fields with one meaning a column of its own.
pub(super) fn name(fields: &mut [Field]) {
    let mut taken: HashSet<String> = HashSet::new();
    for field in fields.iter_mut().rev() {
        let (name, kind) = field.parts();
        let role = match (name, kind) {
            ("", "url" | "uri" | "proxied") => "url",
            ("", "path" | "whole-path") => "path",
            ("", "request" | "proxied-request") => "request",
            ("", "method" | "query" | "scheme") => kind,
            ("", _) => continue,
            (name, _) => name,
        };
        if kind == "endpoint" {
            taken.insert(format!("{name}_port"));
        }
        if taken.insert(role.to_owned()) {
            continue;
        }
        let mut number = 2;
        while !taken.insert(format!("{role}_{number}")) {
            number += 1;
        }
        let kind = match kind {
            _ if name.is_empty() => "",
            "host" | "method" | "protocol" => "",
            "port" => ":int",
            kind => &format!(":{kind}"),
        };
        field.field = format!("{role}_{number}{}", if kind == ":" { "" } else { kind });
    }
}

/// The fields of the forms of lines, and the texts after them: with the fields that may be missing, and without them.
pub(super) fn variants(fields: Vec<Field>, tail: String) -> Vec<(Vec<Field>, String)> {
    let optional: Vec<usize> = (0..fields.len()).filter(|&at| fields[at].is_optional).collect();
    let without = |missing: &[usize], name: Option<&str>| {
        let (mut fields, mut tail) = (fields.clone(), tail.clone());
        if let Some((&at, name)) = optional.first().zip(name) {
            name.clone_into(&mut fields[at].field);
        }
        missing.iter().rev().for_each(|&at| leave_out(&mut fields, &mut tail, at));
        (fields, tail)
    };
    let mut variants = match optional[..] {
        [] => return vec![(fields, tail)],
        // It is not known of which of the two there is only one.
        [a, b] if a + 1 == b => vec![without(&[a, b], None), without(&[b], Some("headers"))],
        [a, b] => vec![without(&[a, b], None), without(&[a], None), without(&[b], None)],
        ref all => vec![without(all, None)],
    };
    variants.insert(0, (fields, tail));
    variants.retain(|(fields, _)| !fields.is_empty());
    variants
}

/// Removes a field with its braces, and the quotes around them.
fn leave_out(fields: &mut Vec<Field>, tail: &mut String, at: usize) {
    let before = fields.remove(at).lead;
    let next = fields.get_mut(at).map_or(tail, |field| &mut field.lead);
    let before = before.trim_end_matches('{');
    let after = next.trim_start_matches('}');
    let (before, after) = match (before.strip_suffix('"'), after.strip_prefix('"')) {
        (Some(before), Some(after)) => (before, after),
        _ => (before, after),
    };
    *next = match before.ends_with(' ') || at == 0 && before.is_empty() {
        true => before.to_owned() + after.trim_start_matches(' '),
        false => before.to_owned() + after,
    };
}

/// The form of lines with these fields.
pub(super) fn form(fields: &[Field], tail: String) -> LineForm {
    let texts = || fields.iter().skip(1).map(|field| field.lead.as_str()).chain([tail.as_str()]);
    let has_tabs = texts().any(|text| text.contains('\t'));
    let part = |(at, (field, next)): (usize, (&Field, &str))| {
        let before = at.checked_sub(1).map(|at| &fields[at]);
        let reach = match field.stop {
            Some(byte) => Reach::Before(byte),
            None if has_tabs => Reach::Word,
            None if field.is_words() && separates(next) => Reach::Words,
            None if at + 1 == fields.len() && next.is_empty() && is_last(field, before) => Reach::Words,
            None if field.is_pair => Reach::Pair,
            None => Reach::Word,
        };
        Part { lead: field.lead.clone(), field: field.field.clone(), reach }
    };
    let parts = fields.iter().zip(texts()).enumerate().map(part).collect();
    LineForm { parts, tail }
}

/// Whether a text between fields is more than a space, so that the field before it may have some.
fn separates(text: &str) -> bool {
    let is_between = || text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
    text.starts_with(['|', ';']) || is_between()
}

/// Whether the last field of a line takes all words to its end: the reason after a status, or a user agent, after a
/// field that is known by its form.
fn is_last(field: &Field, before: Option<&Field>) -> bool {
    match before {
        Some(status) if status.parts().0 == "status" => field.is_open && field.is_text(),
        before => {
            let is_proved = || field.lead.trim() != "" || before.is_some_and(|before| !before.is_text());
            field.field == "user_agent" && is_proved()
        }
    }
}

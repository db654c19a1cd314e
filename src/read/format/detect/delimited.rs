//! Tables in text: fields with commas, tabs, semicolons or bars between, one of which holds URIs.

use super::Foreign;
use crate::option_name::OptionName;
use crate::read::format::first_lines::{has_scheme, is_of_web, lines};

/// What the lines of an input are that have URIs in one of several fields.
pub(super) fn find(first: &[u8]) -> Option<Foreign> {
    header_alone(first).or_else(|| b"\t,;|".iter().find_map(|&separator| table(first, separator)))
}

/// Names that a column of URIs has.
const NAMES: [&str; 14] = [
    "url",
    "uri",
    "urls",
    "uris",
    "link",
    "links",
    "href",
    "loc",
    "page",
    "address",
    "target",
    "website",
    "location",
    "landing_page",
];

/// One column: a name, and URIs below it.
fn header_alone(first: &[u8]) -> Option<Foreign> {
    let mut lines = lines(first);
    let name = lines.next()?;
    let plain = String::from_utf8_lossy(unquoted(name)).to_ascii_lowercase();
    if !NAMES.contains(&plain.as_str()) {
        return None;
    }
    let mut others = lines.map(|line| is_of_web(unquoted(line)));
    let is_column = others.next().is_some_and(|is_uri| is_uri) && others.all(|is_uri| is_uri);
    let name = String::from_utf8_lossy(unquoted(name)).into_owned();
    is_column.then(|| named("a column with a header", "csv", &name))
}

fn table(first: &[u8], separator: u8) -> Option<Foreign> {
    let rows: Vec<Vec<&[u8]>> = lines(first).map(|line| fields(line, separator)).collect();
    let width = rows.first()?.len();
    // Fields may hold the separator: not all rows need have as many.
    let like = rows.iter().filter(|row| row.len() == width).count();
    if width < 2 || like * 4 < rows.len() * 3 {
        return None;
    }
    let (format, what) = match separator {
        b'\t' => ("tsv", "fields with tabs between"),
        b',' => ("csv", "fields with commas between"),
        b';' => ("", "fields with semicolons between"),
        _ => ("", "fields with bars between"),
    };
    let names = &rows[0];
    let is_name = |field: &&[u8]| {
        let is_plain = |b: &u8| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ' | b'.' | b'(' | b')') || *b >= 0x80
        };
        field.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b >= 0x80)
            && field.iter().all(is_plain)
    };
    let is_distinct = |(at, name): (usize, &&[u8])| !names[..at].contains(name);
    let has_header = names.iter().all(is_name) && names.iter().enumerate().all(is_distinct);
    let data = if has_header { &rows[1..] } else { &rows[..] };
    let holds_uris = |at: &usize| {
        let found = data.iter().filter(|row| row.get(*at).is_some_and(|field| is_of_web(field))).count();
        found * 2 > data.len()
    };
    // A URI may hold all of them but the tab and the bar: without a header one that begins a line is none of a table.
    let first_column = usize::from(!has_header && matches!(separator, b',' | b';'));
    let Some(column) = (first_column..width).find(holds_uris) else {
        let named = names
            .iter()
            .find(|name| NAMES.contains(&String::from_utf8_lossy(name).to_ascii_lowercase().as_str()));
        let named =
            named.filter(|_| has_header && !data.iter().any(|row| row.iter().any(|field| has_scheme(field))));
        return named.map(|name| foreign(what, format, &String::from_utf8_lossy(name)));
    };
    Some(match has_header {
        true => foreign(what, format, &String::from_utf8_lossy(names[column])),
        false => foreign(what, format, &(column + 1).to_string()),
    })
}

/// The fields of a line; of quotes no more is known than that they stand around fields.
fn fields(line: &[u8], separator: u8) -> Vec<&[u8]> {
    let mut fields = Vec::new();
    let mut at = 0;
    loop {
        let rest = &line[at..];
        let quoted = rest.strip_prefix(b"\"").and_then(|inner| {
            let close = memchr::memchr_iter(b'"', inner).find(|&at| {
                inner.get(at + 1).is_none_or(|&behind| behind == separator)
                    && (at == 0 || inner[at - 1] != b'"')
            })?;
            Some((&inner[..close], at + close + 2))
        });
        let (field, end) = quoted.unwrap_or_else(|| {
            let len = memchr::memchr(separator, rest).unwrap_or(rest.len());
            (&rest[..len], at + len)
        });
        fields.push(field);
        if end >= line.len() {
            return fields;
        }
        at = end + 1;
    }
}

fn unquoted(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\"").and_then(|text| text.strip_suffix(b"\"")).unwrap_or(text)
}

fn foreign(what: &'static str, format: &str, field: &str) -> Foreign {
    match format {
        "" => Foreign::new(
            what,
            format!(
                "make it a table with commas or tabs, and read that with {} and {}",
                OptionName::Format.with_any(&["csv", "tsv"]),
                OptionName::UriField.with(field)
            ),
        ),
        _ => named(what, format, field),
    }
}

fn named(what: &'static str, format: &str, field: &str) -> Foreign {
    Foreign::new(
        what,
        format!(
            "use {} {}, or {} if every line is a URI",
            OptionName::Format.with(format),
            OptionName::UriField.with(field),
            OptionName::Format.with("lines")
        ),
    )
}

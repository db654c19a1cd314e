//! Tables in text: fields with commas, tabs, semicolons or bars between them, one of which holds URIs.

use urimill_base::option_name::OptionName;
use urimill_read::format::first_lines::{has_scheme, is_of_web, lines};
use urimill_read::format::foreign::Foreign;

/// Describes the lines of an input that have URIs in one of several fields.
pub(super) fn find(first: &[u8]) -> Option<Foreign> {
    let table = |text: &[u8]| b"\t,;|".iter().find_map(|&separator| table(text, separator));
    header_alone(first).or_else(|| table(first)).or_else(|| {
        // Some programs export a title line above the table.
        let newline = memchr::memchr(b'\n', first)?;
        let found = table(&first[newline + 1..])?;
        let advice = format!("drop that line, as in tail -n +2 FILE, and of the rest {}", found.advice);
        Some(Foreign::new(format!("{}, below another line", found.what), advice))
    })
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

fn is_known(name: &[u8]) -> bool {
    NAMES.contains(&String::from_utf8_lossy(name).to_ascii_lowercase().as_str())
}

/// One column: a name, and URIs below it.
fn header_alone(first: &[u8]) -> Option<Foreign> {
    let mut lines = lines(first);
    let name = unquoted(lines.next()?);
    if !is_known(name) {
        return None;
    }
    let mut others = lines.map(|line| is_of_web(unquoted(line)));
    let is_column = others.next().is_some_and(|is_uri| is_uri) && others.all(|is_uri| is_uri);
    is_column.then(|| named("a column with a header", b',', &Column::of(name, 0)))
}

/// The column's name in a hint.
struct Column {
    field: String,
    /// Whether there is a header, although the column is called by its number.
    needs_header: bool,
}

impl Column {
    /// By its name in a header, unless that is no name.
    fn of(name: &[u8], at: usize) -> Column {
        let is_number = name.iter().all(u8::is_ascii_digit);
        match str::from_utf8(name) {
            Ok(name) if !is_number => Column { field: name.to_owned(), needs_header: false },
            _ => Column { field: (at + 1).to_string(), needs_header: true },
        }
    }
}

fn table(first: &[u8], separator: u8) -> Option<Foreign> {
    let rows: Vec<Vec<&[u8]>> = lines(first).map(|line| fields(line, separator)).collect();
    let width = rows.first()?.len();
    // Fields may hold the separator: not all rows need have this number of fields.
    let like = rows.iter().filter(|row| row.len() == width).count();
    if width < 2 || like * 4 < rows.len() * 3 {
        return None;
    }
    let what = match separator {
        b'\t' => "fields with tabs between",
        b',' => "fields with commas between",
        b';' => "fields with semicolons between",
        _ => "fields with bars between",
    };
    let (names, below) = (&rows[0], &rows[1..]);
    let has_header = is_header(names, below);
    let data = if has_header { below } else { &rows[..] };
    let count = |at: usize, is: fn(&[u8]) -> bool| {
        data.iter().filter(|row| row.get(at).is_some_and(|field| is(field))).count()
    };
    let column = |at: usize| match names.iter().filter(|name| **name == names[at]).count() {
        1 if has_header => Column::of(names[at], at),
        _ => Column { field: (at + 1).to_string(), needs_header: has_header },
    };
    // A URI may hold commas and semicolons: a line that begins with one, and has no header above, may be that URI alone.
    let first_column = usize::from(!has_header && matches!(separator, b',' | b';'));
    let has_uris = (first_column..width).any(|at| 2 * count(at, is_of_web) > data.len());
    if !has_uris {
        let at = names.iter().position(|name| is_known(name)).filter(|_| has_header);
        let at = at.filter(|_| !data.iter().any(|row| row.iter().any(|field| has_scheme(field))));
        return at.map(|at| named(what, separator, &column(at)));
    }
    // The column that is a URI in nearly every row. In logs that is the path next to the method, although the referer is a
    // whole URI in many rows.
    let is_log = (0..width).any(|at| 10 * count(at, is_method) >= 9 * data.len());
    let whole = |at: usize| if is_log { 0 } else { count(at, is_of_web) };
    let is_path = |at: usize| if is_log { count(at, |field| field.starts_with(b"/")) } else { 0 };
    let score = |at: &usize| (is_path(*at), count(*at, may_be_uri), whole(*at), std::cmp::Reverse(*at));
    let best = (first_column..width).max_by_key(score)?;
    Some(named(what, separator, &column(best)))
}

/// Whether a row names the columns: with plain names, each once, or without the URIs that the rows below have.
fn is_header(names: &[&[u8]], below: &[Vec<&[u8]>]) -> bool {
    let is_name = |field: &&[u8]| {
        let is_plain = |b: &u8| {
            b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ' | b'.' | b'(' | b')') || *b >= 0x80
        };
        field.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b >= 0x80)
            && field.iter().all(is_plain)
    };
    let is_distinct = |(at, name): (usize, &&[u8])| !names[..at].contains(name);
    if names.iter().all(is_name) && names.iter().enumerate().all(is_distinct) {
        return true;
    }
    let is_above_uris = |(at, name): (usize, &&[u8])| {
        let found = below.iter().filter(|row| row.get(at).is_some_and(|field| is_of_web(field))).count();
        !may_be_uri(name) && !name.is_empty() && below.len() > 1 && found * 10 >= below.len() * 9
    };
    !names.iter().any(|name| is_of_web(name)) && names.iter().enumerate().any(is_above_uris)
}

fn is_method(field: &[u8]) -> bool {
    const METHODS: [&[u8]; 7] = [b"GET", b"POST", b"HEAD", b"PUT", b"DELETE", b"OPTIONS", b"PATCH"];
    METHODS.contains(&field)
}

/// Whether a field is a URI, or the path of one.
fn may_be_uri(field: &[u8]) -> bool {
    is_of_web(field) || field.starts_with(b"/")
}

/// The fields of a line; quotes only enclose fields here.
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

fn named(what: &'static str, separator: u8, column: &Column) -> Foreign {
    let format = OptionName::Format.with(if separator == b'\t' { "tsv" } else { "csv" });
    let delimiter = match separator {
        b'\t' | b',' => String::new(),
        other => format!(" {}", OptionName::Delimiter.with(&char::from(other).to_string())),
    };
    let header =
        if column.needs_header { format!(" {}", OptionName::Header.with("yes")) } else { String::new() };
    Foreign::new(
        what,
        format!(
            "use {format}{delimiter}{header} {}, or {} if every line is a URI",
            OptionName::UriField.with(&column.field),
            OptionName::Format.with("lines")
        ),
    )
}

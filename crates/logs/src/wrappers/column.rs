//! The column of a table in text that holds a line, with the quotes of CSV.

use serde_json::{Map, Value};
use urimill_read::format::csv::Place;
use urimill_read::format::quotes::Rule;

use super::member::{HOSTS, LINES, TIMES};

/// A column that holds lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    /// Its name in options and summaries.
    pub(crate) name: String,
    separator: u8,
    /// Its number, from 0.
    at: usize,
    /// The names of all columns, if the first record has them.
    names: Vec<String>,
    time: Option<usize>,
    host: Option<usize>,
}

/// The longest text in quotes.
const LONGEST: usize = 1 << 20;
/// At most this many columns are tried.
const MOST: usize = 64;

/// The rule of quotes for a separator.
fn rule(separator: u8) -> Rule<'static> {
    Rule { separator, has_quotes: true, longest: LONGEST, comment: b"" }
}

/// The fields of a record, by their places.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    /// The line, and where it begins.
    pub(crate) line: Option<Place>,
    pub(crate) time: Option<Place>,
    pub(crate) host: Option<Place>,
    /// The record's end.
    pub(crate) stop: usize,
    /// Where the next record begins.
    pub(crate) next: usize,
}

impl Column {
    /// The rule of its quotes.
    pub(crate) fn rule(&self) -> Rule<'static> {
        rule(self.separator)
    }

    /// The record that begins at `start`.
    pub(crate) fn record(&self, bytes: &[u8], start: usize) -> Fields {
        let rule = self.rule();
        let mut fields = Fields::default();
        let (mut at, mut number) = (start, 0);
        loop {
            let field = rule.field(bytes, at);
            for (wanted, slot) in [
                (Some(self.at), &mut fields.line),
                (self.time, &mut fields.time),
                (self.host, &mut fields.host),
            ] {
                if wanted == Some(number) {
                    *slot = Some(field);
                }
            }
            number += 1;
            match rule.behind(bytes, field.stop) {
                Ok(next) => at = next,
                Err(next) => {
                    (fields.stop, fields.next) = (field.stop, next);
                    return fields;
                }
            }
        }
    }

    /// Whether a field of this column is its name: the record is a header.
    pub(crate) fn is_header(&self, bytes: &[u8], field: Option<Place>) -> bool {
        let Some((name, field)) = self.names.get(self.at).zip(field) else { return false };
        !name.is_empty() && bytes[field.start..field.end] == *name.as_bytes()
    }

    /// Whether a user calls it so: by its name, or by its number from 1.
    pub(super) fn is_called(&self, field: &str) -> bool {
        self.names.get(self.at).is_some_and(|name| name == field) || field.parse() == Ok(self.at + 1)
    }

    /// Whether the first record names the columns.
    pub(crate) fn has_header(&self) -> bool {
        !self.names.is_empty()
    }

    /// The other fields of the record that begins at `start`, as an object.
    pub(crate) fn others(&self, bytes: &[u8], start: usize) -> Map<String, Value> {
        let rule = self.rule();
        let mut others = Map::new();
        let (mut at, mut number) = (start, 0);
        loop {
            let field = rule.field(bytes, at);
            if number != self.at && field.start < field.end {
                let mut text = Vec::new();
                field.write(bytes, &mut text);
                let name = self.names.get(number).filter(|name| !name.is_empty()).cloned();
                let name = name.unwrap_or_else(|| format!("field_{}", number + 1));
                others.insert(name, String::from_utf8_lossy(&text).into());
            }
            number += 1;
            match rule.behind(bytes, field.stop) {
                Ok(next) => at = next,
                Err(_) => return others,
            }
        }
    }
}

/// A field of the beginning of an input, and whether it is in quotes.
type Field = (Vec<u8>, bool);

/// The records of the beginning of an input that may be a table: the fields of each.
fn records(first: &[u8], separator: u8) -> Vec<Vec<Field>> {
    let rule = rule(separator);
    let mut records = Vec::new();
    let mut at = first.iter().take_while(|b| b"\xef\xbb\xbf".contains(b)).count();
    while at < first.len() && records.len() <= urimill_read::format::first_lines::LINES {
        let mut fields = Vec::new();
        loop {
            let field = rule.field(first, at);
            let mut text = Vec::new();
            field.write(first, &mut text);
            fields.push((text, field.is_quoted));
            match rule.behind(first, field.stop) {
                Ok(next) => at = next,
                Err(next) => {
                    at = next;
                    break;
                }
            }
        }
        let is_whole = at < first.len() || first.ends_with(b"\n") || records.is_empty();
        if is_whole && fields.iter().any(|(field, _)| !field.is_empty()) {
            records.push(fields);
        }
    }
    records
}

/// The columns of an input that may hold lines, those of known names first, each with its texts.
pub(super) fn find(first: &[u8]) -> Vec<(Column, Vec<Vec<u8>>)> {
    let mut found = Vec::new();
    for separator in *b",\t;|" {
        if !first.split(|&b| b == b'\n').next().is_some_and(|line| line.contains(&separator)) {
            continue;
        }
        let records = records(first, separator);
        let Some((head, below)) = records.split_first().filter(|(head, _)| head.len() > 1) else { continue };
        if 2 * below.iter().filter(|fields| fields.len() == head.len()).count() < below.len() {
            continue;
        }
        let has_names = head.iter().all(|(name, _)| is_name(name));
        for at in 0..head.len().min(MOST) {
            let rows = if has_names { below } else { &records[..] };
            // Without a header only tabs and quotes show that it is a table.
            let is_field = |(text, is_quoted): &&Field| {
                (has_names || separator == b'\t' || *is_quoted) && super::may_be_line(text)
            };
            let like = rows.iter().filter_map(|fields| fields.get(at)).filter(is_field).count();
            if like == 0 || 2 * like < rows.len() {
                continue;
            }
            let lines: Vec<Vec<u8>> =
                rows.iter().filter_map(|fields| Some(fields.get(at)?.0.trim_ascii_end().to_vec())).collect();
            let text = |(name, _): &Field| String::from_utf8_lossy(name).into_owned();
            let names: Vec<String> = if has_names { head.iter().map(text).collect() } else { Vec::new() };
            let place =
                |known: &[&str]| known.iter().find_map(|name| names.iter().position(|own| own == name));
            let kind = if separator == b'\t' { "tsv" } else { "csv" };
            let name = names.get(at).filter(|name| !name.is_empty());
            let name = name.map_or_else(|| format!("{kind}:{}", at + 1), |name| format!("{kind}:{name}"));
            let (time, host) = (place(TIMES), place(HOSTS));
            found.push((Column { name, separator, at, names, time, host }, lines));
        }
    }
    let rank = |(column, _): &(Column, Vec<Vec<u8>>)| {
        let name = column.names.get(column.at);
        LINES.iter().position(|line| name.is_some_and(|name| name == line)).unwrap_or(LINES.len())
    };
    found.sort_by_key(rank);
    found
}

/// Whether a field may be the name of a column.
fn is_name(field: &[u8]) -> bool {
    const LONGEST: usize = 60;
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || *b >= 0x80 || b"_@.- ()/:#$".contains(b);
    let is_number = field.iter().all(|b| b.is_ascii_digit() || b".:-/ ".contains(b));
    field.len() <= LONGEST && field.iter().all(is_of_name) && (field.is_empty() || !is_number)
}

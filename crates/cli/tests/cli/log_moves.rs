//! Fields of log lines that are lost, doubled, put in or changed for one another, quotes put in or taken out, and lines
//! that are cut: no value comes into the column of another field, in every reader. `log_seeds` has the lines.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

use super::log_formats::rows;
use super::log_mutants::Random;
use super::log_seeds::{SEEDS, Seed};
use super::table::Row;

/// Fields that are put in.
const PIECES: &[&str] =
    &["-", "\"-\"", "x1", "\"x y\"", "7777", "0.777", "9.9.9.9", "9.9.9.9:99", "[x]", "\"\"", "/", "%2"];

/// Texts that are put in anywhere.
const QUOTES: &[&str] = &["\"", "\" \"", "\\\"", "\"\"", "\\", " \""];

/// A line of which something has moved.
struct Moved {
    line: String,
    /// What was done, for messages.
    what: String,
}

impl Seed {
    fn line(&self, units: &[&str]) -> String {
        format!("{}{}{}", self.open, units.join(self.separator), self.close)
    }

    fn whole(&self) -> String {
        self.line(&self.texts())
    }

    fn texts(&self) -> Vec<&'static str> {
        self.units.iter().map(|(text, _)| *text).collect()
    }

    fn moved(&self, random: &mut Random) -> Moved {
        let mut units = self.texts();
        let (a, b) = (random.below(units.len()), random.below(units.len()));
        let kind = random.below(8);
        let what = match kind {
            0 | 1 => format!("without {}", units.remove(a)),
            2 => {
                units.insert(a, units[a]);
                format!("{} twice", units[a])
            }
            3 => {
                let piece = PIECES[random.below(PIECES.len())];
                units.insert(a, piece);
                format!("{piece} before field {a}")
            }
            4 => {
                let copy = units[b];
                units.insert(a, copy);
                format!("{copy} before field {a}")
            }
            // Two values of one form leave no trace.
            5 | 6 if self.units[a].1 != self.units[b].1 => {
                units.swap(a, b);
                format!("{} for {}", units[a], units[b])
            }
            _ => String::new(),
        };
        let mut moved = Moved { line: self.line(&units), what };
        if moved.what.is_empty() {
            cut_or_quote(&mut moved, random);
        }
        moved
    }
}

/// Quotes put in or taken out, or the line cut at either end.
fn cut_or_quote(moved: &mut Moved, random: &mut Random) {
    let line = &mut moved.line;
    let places: Vec<usize> = line.char_indices().map(|(at, _)| at).collect();
    let Some(&at) = places.get(random.below(places.len().max(1))) else { return };
    let quotes: Vec<usize> = line.match_indices('"').map(|(at, _)| at).collect();
    match random.below(6) {
        0 | 1 if !quotes.is_empty() => {
            let at = quotes[random.below(quotes.len())];
            line.remove(at);
            let _ = write!(moved.what, " without the quote at {at}");
        }
        4 => {
            line.truncate(at);
            let _ = write!(moved.what, " cut at {at}");
        }
        5 => {
            drop(line.drain(..at));
            let _ = write!(moved.what, " from {at} on");
        }
        _ => {
            let piece = QUOTES[random.below(QUOTES.len())];
            line.insert_str(at, piece);
            let _ = write!(moved.what, " with {piece} at {at}");
        }
    }
}

/// The columns of a whole line or of its URI, not of a field.
const NO_FIELDS: &[&str] = &[
    "record",
    "uri",
    "raw",
    "flags",
    "error",
    "error_offset",
    "field_errors",
    "source",
    "page",
    "scheme",
    "host_kind",
];

fn shown(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The values of a whole line's columns, and the numbers of its fields in the units of other columns.
struct Values {
    own: HashMap<String, String>,
    /// Texts, with the columns that hold them in the line as it was.
    others: HashMap<String, Vec<String>>,
    /// Whether the format says what may follow its last field.
    is_closed: bool,
}

impl Values {
    fn of(seed: &Seed, row: &Row) -> Values {
        let (mut own, mut others) = (HashMap::new(), HashMap::<String, Vec<String>>::new());
        for (column, value) in row.iter().filter(|(column, _)| !NO_FIELDS.contains(&column.as_str())) {
            let Some(text) = shown(value) else { continue };
            others.entry(text.clone()).or_default().push(column.clone());
            own.insert(column.clone(), text);
        }
        // Seconds and milliseconds, as columns of microseconds would have them.
        for (text, _) in seed.units {
            let parts = text.split(|c: char| !(c.is_ascii_digit() || c == '.'));
            for number in parts.filter_map(|part| part.parse::<f64>().ok()).filter(|number| *number > 0.0) {
                for factor in [1.0, 1e3, 1e6] {
                    let text = format!("{}", (number * factor).round());
                    if text.len() > 2 && number >= 100.0 {
                        others.entry(text).or_default();
                    }
                }
            }
        }
        Values { own, others, is_closed: seed.from != "clf" }
    }

    /// The fault of a row: a column that holds the value of another one.
    fn fault(&self, row: &Row) -> Option<String> {
        for (column, value) in row.iter().filter(|(column, _)| !NO_FIELDS.contains(&column.as_str())) {
            let Some(text) = shown(value) else { continue };
            if self.own.get(column) == Some(&text) {
                continue;
            }
            // HAProxy does not say which headers these are, where it has captured those of one side.
            if ["headers", "forwarded_for"].contains(&column.as_str()) {
                continue;
            }
            if let Some(columns) = self.others.get(&text) {
                return Some(format!("{column} holds {text:?} of {columns:?}"));
            }
            if column == "rest" && self.is_closed {
                let own = self.own.get(column).map_or("", String::as_str);
                let is_in = |(other, _): &(&String, &Vec<String>)| {
                    other.len() > 3 && text.contains(other.as_str()) && !own.contains(other.as_str())
                };
                if let Some((other, columns)) = self.others.iter().find(is_in) {
                    return Some(format!("{column} holds {other:?} of {columns:?}"));
                }
            }
        }
        None
    }
}

/// Their readers take words as they come.
const NOT_PROVED: &[&str] = &["clf", "w3c", "zeek", "cloudfront", "gcs"];

/// How many of so many mutants of a seed have a value in the column of another field, with some of them.
fn shifted(seed: &Seed, count: usize) -> (usize, String) {
    let mut random = Random(29);
    let whole = seed.whole();
    let options = format!("--from {}", seed.from);
    let header = if seed.header.is_empty() { String::new() } else { format!("{}\n", seed.header) };
    let read = rows(&options, format!("{header}{whole}\n"));
    assert_eq!(read.len(), 1, "{}", seed.from);
    assert_eq!(
        (&read[0]["error"], read[0]["field_errors"].as_str()),
        (&Value::Null, None),
        "{}: {read:?}",
        seed.from
    );
    let values = Values::of(seed, &read[0]);
    let mut moved = Vec::with_capacity(count);
    while moved.len() < count {
        let next = seed.moved(&mut random);
        // Blank lines, brackets around rows, and comments have no row, and what begins as another format is one.
        if !next.line.trim_matches(['[', ']', ',', ' ']).is_empty()
            && !next.line.starts_with(['#', ' ', '\u{feff}'])
            && next.line != whole
        {
            moved.push(next);
        }
    }
    let first = format!("{header}{whole}\n");
    let input = moved.iter().fold(first, |input, moved| input + &moved.line + "\n");
    // The first line and the last one are whole.
    let rows = rows(&options, format!("{input}{whole}\n"));
    assert_eq!(rows.len(), count + 2, "{}", seed.from);
    let (mut faults, mut examples) = (0, String::new());
    for (row, moved) in rows[1..].iter().zip(&moved) {
        let Some(fault) = values.fault(row) else { continue };
        faults += 1;
        if faults <= std::env::var("URIMILL_EXAMPLES").map_or(6, |text| text.parse().unwrap_or(6)) {
            let _ = writeln!(examples, "{} {}: {fault}\n    {}", seed.from, moved.what, moved.line);
        }
    }
    (faults, examples)
}

fn assert_none_shifted(count: usize) {
    let only = std::env::var("URIMILL_ONLY").ok();
    let is_wanted = |seed: &&Seed| match &only {
        Some(only) => only == seed.from,
        None => !NOT_PROVED.contains(&seed.from),
    };
    let seeds = SEEDS.iter().filter(is_wanted);
    let found: Vec<_> =
        seeds.map(|seed| (seed.from, shifted(seed, count))).filter(|(_, (faults, _))| *faults > 0).collect();
    let counts: Vec<_> = found.iter().map(|(from, (faults, _))| format!("{from} {faults}")).collect();
    let examples: String = found.iter().map(|(_, (_, examples))| examples.as_str()).collect();
    assert!(found.is_empty(), "of {count} each: {}\n{examples}", counts.join(", "));
}

#[test]
fn no_value_comes_into_the_column_of_another_field() {
    assert_none_shifted(1_000);
}

#[test]
#[ignore = "takes minutes"]
fn no_value_comes_into_the_column_of_another_field_in_many() {
    assert_none_shifted(20_000);
}

//! Fields of lines that are lost, doubled, inserted or exchanged, quotes that are inserted or removed, and lines that are
//! cut: no value gets into the column of another field, in every reader.
//!
//! A mutant that a writer could have written proves nothing. Two values that have changed places leave no trace where
//! each has the form of the other's field. In an object the name of a member proves its place: there values are
//! exchanged, and a value is its member's as long as it has the form of it.

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::Value;

use crate::reading::Row;

/// A line in fields. Each has the form of its values. Two values change places without a trace if each has the form of
/// the other's field: forms are the same, or `has_form` says so.
pub struct Seed {
    pub from: &'static str,
    pub header: &'static str,
    pub open: &'static str,
    pub separator: &'static str,
    pub close: &'static str,
    pub units: &'static [(&'static str, char)],
    pub has_form: Option<fn(char, &str) -> bool>,
}

pub const fn words(from: &'static str, units: &'static [(&'static str, char)]) -> Seed {
    Seed { from, header: "", open: "", separator: " ", close: "", units, has_form: None }
}

pub const fn headed(
    from: &'static str,
    header: &'static str,
    separator: &'static str,
    units: &'static [(&'static str, char)],
) -> Seed {
    Seed { from, header, open: "", separator, close: "", units, has_form: None }
}

/// A line whose units are members of an object, which have names.
pub const fn members(from: &'static str, units: &'static [(&'static str, char)]) -> Seed {
    Seed { open: "{", close: "}", ..headed(from, "", ",", units) }
}

/// A generator of its own: the same mutants everywhere.
pub struct Random(pub u64);

impl Random {
    /// 0 to `limit - 1`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Fields that are put in.
const PIECES: &[&str] =
    &["-", "\"-\"", "x1", "\"x y\"", "7777", "0.777", "9.9.9.9", "9.9.9.9:99", "[x]", "\"\"", "/", "%2"];

/// Texts that are put in anywhere.
const QUOTES: &[&str] = &["\"", "\" \"", "\\\"", "\"\"", "\\", " \""];

/// A line of which something has moved.
struct Moved {
    line: String,
    /// The change, for messages.
    what: String,
    /// The members that have each other's value.
    exchanged: Option<(usize, usize)>,
}

/// Where the value of a member is: after its name, without quotes and brackets.
fn value_of(member: &str) -> (usize, usize) {
    let from = member.rfind("\":").expect("a member") + 2;
    let from = from + member[from..].len() - member[from..].trim_start_matches(['[', '"']).len();
    (from, member.trim_end_matches([']', '}', '"']).len())
}

fn value(member: &str) -> &str {
    let (from, to) = value_of(member);
    &member[from..to]
}

/// The same member with this value, which gets or loses its quotes.
fn with_value(member: &str, other: &str) -> String {
    let (from, to) = value_of(member);
    let (before, behind) = (member[..from].trim_end_matches('"'), member[to..].trim_start_matches('"'));
    let (from, _) = value_of(other);
    let quote = if other[..from].ends_with('"') { "\"" } else { "" };
    format!("{before}{quote}{}{quote}{behind}", value(other))
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

    /// Whether it is an object whose values have known forms.
    fn is_object(&self) -> bool {
        self.open == "{" && self.has_form.is_some()
    }

    /// Whether a value of one field has the form of another one.
    fn fits(&self, (from, to): (usize, usize)) -> bool {
        let ((text, own), (_, form)) = (self.units[from], self.units[to]);
        let text = if self.is_object() { value(text) } else { text.trim_matches('"') };
        own == form || self.has_form.is_some_and(|has_form| has_form(form, text))
    }

    /// Whether a line without this unit is one that servers write, too: in access logs a name, or an address in quotes,
    /// before ident and user is the client. What stood before the client is it then.
    fn is_another_form_without(&self, unit: usize) -> bool {
        self.from == "clf" && unit == 1 && self.units[1].1 == 'a' && "ha".contains(self.units[0].1)
    }

    fn moved(&self, random: &mut Random) -> Moved {
        let mut units = self.texts();
        let (a, b) = (random.below(units.len()), random.below(units.len()));
        let kind = random.below(8);
        let what = match kind {
            0 | 1 if !self.is_another_form_without(a) => format!("without {}", units.remove(a)),
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
            5 | 6 if self.is_object() && a != b => {
                let both = (with_value(units[a], units[b]), with_value(units[b], units[a]));
                let mut units: Vec<&str> = units;
                (units[a], units[b]) = (&both.0, &both.1);
                let what = format!("{} and {}", units[a], units[b]);
                return Moved { line: self.line(&units), what, exchanged: Some((a, b)) };
            }
            5 | 6 if !self.fits((a, b)) || !self.fits((b, a)) => {
                units.swap(a, b);
                format!("{} for {}", units[a], units[b])
            }
            _ => String::new(),
        };
        let mut moved = Moved { line: self.line(&units), what, exchanged: None };
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
struct Values<'s> {
    seed: &'s Seed,
    own: HashMap<String, String>,
    /// Texts, with the columns that hold them in the line as it was.
    others: HashMap<String, Vec<String>>,
    /// Whether the format says what may follow its last field.
    is_closed: bool,
}

impl<'s> Values<'s> {
    fn of(seed: &'s Seed, row: &Row) -> Values<'s> {
        let (mut own, mut others) = (HashMap::new(), HashMap::<String, Vec<String>>::new());
        for (column, value) in row.iter().filter(|(column, _)| !NO_FIELDS.contains(&column.as_str())) {
            let Some(text) = shown(value) else { continue };
            others.entry(text.clone()).or_default().push(column.clone());
            own.insert(column.clone(), text);
        }
        // Seconds and milliseconds, as columns of microseconds would have them.
        // A text after the last field has no column.
        for (text, _) in seed.units.iter().filter(|(_, form)| *form != '.') {
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
        Values { seed, own, others, is_closed: seed.from != "clf" }
    }

    /// Whether a column is that of the member `to`, and shows the value of `from` as it should.
    fn is_members(&self, column: &str, text: &str, (to, from): (usize, usize)) -> bool {
        let of = |unit: usize| value(self.seed.units[unit].0);
        // A time is shown in another form.
        let are_times = self.seed.units[from].1 == 't' && self.seed.units[to].1 == 't';
        are_times && text.ends_with('Z')
            || self.seed.fits((from, to))
                && self.own.get(column).is_none_or(|own| shows(own, of(to)))
                && shows(text, of(from))
    }

    /// The fault of a row: a column that holds the value of another one.
    fn fault(&self, row: &Row, exchanged: Option<(usize, usize)>) -> Option<String> {
        for (column, value) in row.iter().filter(|(column, _)| !NO_FIELDS.contains(&column.as_str())) {
            let Some(text) = shown(value) else { continue };
            if self.own.get(column) == Some(&text) {
                continue;
            }
            // HAProxy does not say which headers these are, where it has captured those of one side.
            if ["headers", "forwarded_for"].contains(&column.as_str()) {
                continue;
            }
            // If anything may follow the last field, the rest is not a field.
            if column == "rest" && !self.is_closed {
                continue;
            }
            let is_members =
                |(a, b)| self.is_members(column, &text, (a, b)) || self.is_members(column, &text, (b, a));
            if exchanged.is_some_and(is_members) {
                continue;
            }
            if let Some(columns) = self.others.get(&text) {
                return Some(format!("{column} holds {text:?} of {columns:?}"));
            }
            if column == "rest" {
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

/// Whether a column shows a value: as it is, a part of it, or in another unit.
fn shows(text: &str, value: &str) -> bool {
    let is_scaled = |(text, value): (f64, f64)| {
        [1e-3, 1.0, 1e3, 1e6].iter().any(|factor| (value * factor - text).abs() < 1.0)
    };
    value.contains(text) || text.parse().ok().zip(value.parse().ok()).is_some_and(is_scaled)
}

/// How many of this many mutants of a seed have a value in the column of another field, with some of them.
fn shifted(seed: &Seed, count: usize, rows: impl Fn(&str, String) -> Vec<Row>) -> (usize, String) {
    let mut random = Random(std::env::var("URIMILL_SEED").map_or(29, |text| text.parse().expect("a number")));
    let whole = seed.whole();
    let header = if seed.header.is_empty() { String::new() } else { format!("{}\n", seed.header) };
    let read = rows(seed.from, format!("{header}{whole}\n"));
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
    let rows = rows(seed.from, format!("{input}{whole}\n"));
    assert_eq!(rows.len(), count + 2, "{}", seed.from);
    let (mut faults, mut examples) = (0, String::new());
    for (row, moved) in rows[1..].iter().zip(&moved) {
        let Some(fault) = values.fault(row, moved.exchanged) else { continue };
        faults += 1;
        if faults <= std::env::var("URIMILL_EXAMPLES").map_or(6, |text| text.parse().unwrap_or(6)) {
            let _ = writeln!(examples, "{} {}: {fault}\n    {}", seed.from, moved.what, moved.line);
        }
    }
    (faults, examples)
}

/// Asserts that none of this many mutants of each seed has a value in the column of another field; `rows` reads a text
/// in a format.
///
/// # Panics
/// If one has.
pub fn assert_none_shifted<'s>(
    seeds: impl Iterator<Item = &'s Seed>,
    count: usize,
    rows: impl Fn(&str, String) -> Vec<Row>,
) {
    let only = std::env::var("URIMILL_ONLY").ok();
    let is_wanted = |seed: &&Seed| only.as_deref().is_none_or(|only| only == seed.from);
    let found: Vec<_> = seeds
        .filter(is_wanted)
        .map(|seed| (seed.from, shifted(seed, count, &rows)))
        .filter(|(_, (faults, _))| *faults > 0)
        .collect();
    let counts: Vec<_> = found.iter().map(|(from, (faults, _))| format!("{from} {faults}")).collect();
    let examples: String = found.iter().map(|(_, (_, examples))| examples.as_str()).collect();
    assert!(found.is_empty(), "of {count} each: {}\n{examples}", counts.join(", "));
}

//! The readers of logs, compared with readers that are not ours: a regular expression for each form of lines and for
//! each header, serde_json for objects. Thousands of mutants of the samples: every row is accounted for, and a value is
//! in its own column or nowhere.

use std::fmt::Write;

use regex::bytes::{Captures, Regex};
use serde_json::{Value, json};
use urimill_testkit::moves::Random;
use urimill_testkit::reading::Row;
use urimill_testkit::samples::log;

use super::readers::{ENDPOINT, FORMS, Form, Headed, MORE, OBJECTS, headed};
use super::rows;

/// A word, a number or none, an address with a port or none, a moment or none.
const PARTS: [(&str, &str); 10] = [
    ("⟨b⟩", BRACKETED),
    ("⟨l⟩", "(?:[^ \n]*, )*[^ \n]*[^ ,\n]"),
    ("⟨ip⟩", IP),
    ("⟨w⟩", "[^ \n]+"),
    ("⟨n⟩", "-|[-+]?[0-9][0-9.]*(?:ms|s)?"),
    ("⟨t⟩", TIME),
    ("⟨q⟩", r#"(?:[^"\\\n]|\\[^\n])*"#),
    ("⟨c⟩", "-|[A-Z_]{3,}"),
    ("⟨m⟩", "[-!#$%&'*+.^_`|~0-9A-Za-z]+"),
    ("⟨x⟩", "[^\n]*"),
];
const IP: &str = r"(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f.:]*?:[0-9A-Fa-f.:]*?:[0-9A-Fa-f.:]*?)";
/// The same in brackets, where spaces may stand.
const BRACKETED: &str = r"(?:-|[^\]\n]{4}-[^\]\n]{2}-[^\]\n]*|[^\]\n]{1,2}/[^\]\n]{3}/[^\]\n]{4}:[^\]\n]*|[^\n\]]{3} [^\n\]]{3} [^\n\]]{5}:[^\n\]]{10}|[0-9.]{9,})";
const TIME: &str = r"(?:-|[^ \n]{4}-[^ \n]{2}-[^ \n]*|[^ \n]{1,2}/[^ \n]{3}/[^ \n]{4}:[^\]\n]*|[^\n\]]{3} [^\n\]]{3} [^\n\]]{5}:[^\n\]]{10}|[0-9.]{9,})";

/// The reader of a form: its whole expression, and what precedes each place where a line may break off.
struct Reader {
    whole: Regex,
    heads: Vec<Regex>,
}

impl Reader {
    fn new(form: &Form) -> Reader {
        let mut line = form.line.to_owned();
        for name in ["client", "target"] {
            line = line.replace(&format!("@{name}@"), &ENDPOINT.replace("NAME", name));
        }
        // These writers do not mark quotes: the text between two of them is a field.
        if ["s3", "haproxy", "envoy", "istio", "traefik"].contains(&form.format) {
            line = line.replace("⟨q⟩", "[^\"\n]*");
        }
        for _ in 0..2 {
            for (part, expression) in PARTS {
                line = line.replace(part, expression);
            }
        }
        let expression = |text: &str| Regex::new(&format!("(?s-u)^ *{text}")).expect(form.format);
        let cuts = line.char_indices().filter(|&(_, c)| c == '¦').map(|(at, _)| at);
        // Groups that are open where it breaks off.
        let close = |text: &str| {
            let (mut depth, mut is_class, mut is_escaped) = (0usize, false, false);
            for c in text.chars() {
                match c {
                    _ if is_escaped => is_escaped = false,
                    '\\' => is_escaped = true,
                    '[' if !is_class => is_class = true,
                    ']' => is_class = false,
                    '(' if !is_class => depth += 1,
                    ')' if !is_class => depth -= 1,
                    _ => {}
                }
            }
            format!("{text}{}", ")".repeat(depth))
        };
        let heads = cuts.map(|at| expression(&close(&line[..at]).replace('¦', ""))).collect();
        Reader { whole: expression(&format!("{}$", line.replace('¦', ""))), heads }
    }
}

const PIECES: &[&str] = &[
    " ",
    "-",
    " - ",
    "\"",
    "\" \"",
    "\\",
    "[",
    "]",
    "{",
    "}",
    ":",
    "/",
    "\t",
    ",",
    "=",
    "1.2.3.4",
    "1.2.3.4:80",
    "::1",
    " 7 ",
    "0.5",
    "GET /x HTTP/1.1",
    "http://h/",
    "2020-01-01T00:00:00Z",
    "HTTP/1.1",
    "//",
    "é",
    "\"a\":1,",
    "null",
];

/// Mutants of lines: a piece more, a character less, cut off, or two words in each other's place.
fn mutants(count: usize, seeds: &[&str], random: &mut Random) -> Vec<String> {
    let mut mutants = Vec::with_capacity(count);
    while mutants.len() < count {
        let mut text = seeds[random.below(seeds.len())].to_owned();
        for _ in 0..=random.below(3) {
            let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let Some(&at) = bounds.get(random.below(bounds.len().max(1))) else { break };
            match random.below(4) {
                0 => drop(text.remove(at)),
                1 => text.insert_str(at, PIECES[random.below(PIECES.len())]),
                2 => text.truncate(if random.below(8) == 0 { at } else { text.len() }),
                _ => {
                    let mut words: Vec<&str> = text.split(' ').collect();
                    let (a, b) = (random.below(words.len()), random.below(words.len()));
                    words.swap(a, b);
                    text = words.join(" ");
                }
            }
        }
        // Blank lines have no row, and comments of headers neither.
        if !text.trim().is_empty() && !text.starts_with('#') {
            mutants.push(text);
        }
    }
    mutants
}

/// The value of a column by a group: its text, a number if the column has one, nothing if it is a dash.
fn expected(found: &Captures<'_>, name: &str, shown: &Value) -> Option<Value> {
    let text = found.name(name).map(|found| String::from_utf8_lossy(found.as_bytes()).into_owned());
    let Some(text) = text.filter(|text| text != "-") else { return Some(Value::Null) };
    let is_number = !["upstream_size", "cache_status"].contains(&name)
        && ["status", "size", "_port", "_number", "pid", "_connections", "retries", "_queue"]
            .iter()
            .any(|end| name.ends_with(end));
    if is_number {
        let number = text.trim_start_matches('+').parse::<i64>().ok();
        let is_wide = name.ends_with("size") || name.ends_with("_number");
        return Some(json!(number.filter(|&number| is_wide || i32::try_from(number).is_ok())));
    }
    // A decoded text differs.
    if text.contains('\\') {
        return None;
    }
    if name.contains("time") {
        // Whether it is one of the calendar the column decides.
        return shown.is_null().then_some(Value::Null);
    }
    Some(json!(text))
}

const NO_COLUMNS: [&str; 4] = ["request", "target", "host", "other"];

fn assert_same(expression: &Regex, found: &Captures<'_>, row: &Row, is_whole: bool, what: &str) {
    for name in expression.capture_names().flatten() {
        let is_target = NO_COLUMNS.contains(&name) && !(name == "target" && row.contains_key("target_port"));
        // A text that is not an address is not a client.
        let errors = row.get("field_errors").and_then(Value::as_str);
        let is_no_client =
            row.get(name).is_some_and(Value::is_null) && errors.is_some_and(|errors| errors.contains(name));
        if is_target || is_no_client || !is_whole && row[name].is_null() {
            continue;
        }
        if let Some(expected) = expected(found, name, &row[name]) {
            assert_eq!(row[name], expected, "{what}: {name} of {row:?}");
        }
    }
}

fn compare_lines(count: usize) {
    let only = std::env::var("URIMILL_ONLY").ok();
    for form in FORMS.iter().chain(MORE).filter(|form| only.as_deref().is_none_or(|only| only == form.format))
    {
        let reader = Reader::new(form);
        let text = log(form.file);
        // Without what syslog puts before a line.
        let seeds: Vec<&str> = text
            .lines()
            .map(|line| line.split_once("haproxy[14389]: ").map_or(line, |(_, own)| own))
            .collect();
        for seed in &seeds {
            assert!(reader.whole.is_match(seed.as_bytes()), "{}: {seed}", form.format);
        }
        let mutants = mutants(count, &seeds, &mut Random(11));
        let input = mutants.iter().fold(String::new(), |mut input, line| {
            let _ = writeln!(input, "{line}");
            input
        });
        let rows = rows(form.format, &input);
        assert_eq!(rows.len(), count, "{}", form.format);
        let (mut read, mut refused, mut kept) = (0, 0, 0);
        let fewest = seeds.iter().map(|seed| seed.matches('"').count()).min().unwrap_or(0);
        for (row, line) in rows.iter().zip(&mutants) {
            let what = format!("{}: {line}", form.format);
            let is_refused = row["error"] == json!("record_malformed") && row["uri"] == json!(line);
            let line = line.trim_matches(' ');
            let found = reader.whole.captures(line.as_bytes());
            // Where the quotes of a line can be placed in one way alone, it is read: `moves` looks at these.
            let has_quotes = line.matches('"').count() > 2;
            match found {
                _ if !is_refused && has_quotes && line.matches('"').count() > fewest => {}
                None if !is_refused && has_quotes => {}
                Some(found) if !is_refused => {
                    assert_same(&reader.whole, &found, row, true, &what);
                    read += 1;
                }
                // Who is careful may refuse more.
                _ => {
                    assert!(is_refused, "{what}: {row:?}");
                    refused += 1;
                    let head = reader
                        .heads
                        .iter()
                        .rev()
                        .find_map(|head| Some((head, head.captures(line.as_bytes())?)));
                    let own = |name: &&String| reader.whole.capture_names().flatten().any(|own| own == *name);
                    let named: Vec<_> = row.keys().filter(own).filter(|name| !row[*name].is_null()).collect();
                    match head {
                        None => assert!(named.is_empty(), "{what}: {named:?} of {row:?}"),
                        Some((head, found)) => {
                            let is_in = |name: &&&String| {
                                head.capture_names().flatten().any(|own| own == name.as_str())
                            };
                            assert!(named.iter().all(|name| is_in(&name)), "{what}: {named:?}");
                            assert_same(head, &found, row, false, &what);
                            kept += usize::from(!named.is_empty());
                        }
                    }
                }
            }
        }
        assert!(
            read > count / 20 && refused > count / 20 && (kept > count / 200 || form.format == "uwsgi"),
            "{}: {read} {refused} {kept}",
            form.format
        );
    }
}

fn compare_objects(count: usize) {
    for (format, columns) in OBJECTS {
        let text = log(&format!("{format}.log"));
        let mutants = mutants(count, &text.lines().collect::<Vec<_>>(), &mut Random(13));
        let input = mutants.iter().fold(String::new(), |input, line| input + line + "\n");
        let rows = rows(format, &input);
        assert_eq!(rows.len(), count, "{format}");
        let (mut read, mut refused) = (0, 0);
        for (row, line) in rows.iter().zip(&mutants) {
            let what = format!("{format}: {line}");
            let is_refused = row["error"] == json!("record_malformed") && row["uri"] == json!(line);
            let object = serde_json::from_str::<Value>(line).ok().filter(Value::is_object);
            // Other readers take the last of several members with one name.
            let is_once = |path: &str| {
                let name = path.rsplit('/').find(|part| part.parse::<u8>().is_err()).expect("a name");
                line.matches(&format!("\"{name}\"")).count() <= 1
            };
            for (path, column) in columns.iter().filter(|(path, _)| is_once(path)) {
                let found = &row[*column];
                let Some(object) = &object else {
                    // Fields before the fault may stay.
                    let text = found.as_str().map(|text| serde_json::to_string(text).expect("JSON"));
                    let is_there = |text: &str| line.contains(text) || line.contains('\\');
                    assert!(text.is_none_or(|text| is_there(text.trim_matches('"'))), "{what}: {row:?}");
                    continue;
                };
                let value = object.pointer(path).unwrap_or(&Value::Null);
                let is_number = matches!(*column, "status" | "size");
                let expected = match value {
                    Value::String(text) if text == "-" => Value::Null,
                    Value::String(text) if is_number => json!(text.parse::<i64>().ok()),
                    Value::String(_) | Value::Null => value.clone(),
                    other if is_number => json!(other.as_i64()),
                    other => json!(other.to_string()),
                };
                // A number outside the column's type is null; an object is as it is written.
                // If an object has no client, it is the address at the other end of the connection.
                // A port after its address has a column of its own, and a refused object keeps nothing.
                let is_part = |text: &str| found.as_str().is_some_and(|found| text.contains(found));
                let is_peer = *column == "client" && (value.is_null() || value.as_str().is_some_and(is_part))
                    || is_refused && found.is_null();
                let is_other = is_peer
                    || (is_number
                        || row["field_errors"].as_str().is_some_and(|errors| errors.contains(column)))
                        && found.is_null()
                    || value.is_object()
                    || value.is_array()
                    || value.is_f64();
                assert!(*found == expected || is_other, "{what}: {column} of {row:?}, not {expected}");
            }
            assert!(object.is_some() || is_refused, "{what}: {row:?}");
            read += usize::from(!is_refused);
            refused += usize::from(is_refused);
        }
        assert!(read > count / 40 && refused > count / 20, "{format}: {read} {refused}");
    }
}

fn compare_headed(count: usize) {
    let ip = Regex::new(&format!("^(?:-|\\[?{IP}\\]?)$")).expect("an expression");
    let number = Regex::new(r"^(?:-|[-+]?[0-9][0-9.]*(?:ms|s)?)$").expect("an expression");
    let method = Regex::new(r"^[-!#$%&'*+.^_`|~0-9A-Za-z]+$").expect("an expression");
    for Headed { format, split, header, lines, columns } in headed() {
        let mutants = mutants(count, &lines.iter().map(String::as_str).collect::<Vec<_>>(), &mut Random(17));
        let header = if header.is_empty() { header } else { header + "\n" };
        let input = mutants.iter().fold(header, |input, line| input + line + "\n");
        let rows = rows(format, &input);
        assert_eq!(rows.len(), count, "{format}");
        let (mut read, mut refused) = (0, 0);
        for (row, line) in rows.iter().zip(&mutants) {
            let what = format!("{format}: {line}");
            let is_refused = row["error"] == json!("record_malformed") && row["uri"] == json!(line);
            read += usize::from(!is_refused);
            refused += usize::from(is_refused);
            // A tab anywhere makes tabs of all separators: then there are too few fields.
            let has_tabs = format == "w3c" && line.contains('\t');
            let texts = split(line);
            for (at, (column, holds)) in
                columns.iter().enumerate().filter(|(_, (column, _))| !column.is_empty())
            {
                let shown = &row[*column];
                if shown.is_null() {
                    continue;
                }
                let text = texts.get(at).unwrap_or_else(|| panic!("{what}: {column} of {row:?}"));
                let is_same = match shown.as_i64() {
                    Some(number) => text.trim_start_matches('+').parse() == Ok(number),
                    // An unescaped text differs.
                    None if text.contains(['%', '\\']) || text == "(empty)" => true,
                    None => shown.as_str() == Some(text),
                };
                assert!(is_same, "{what}: {column} of {row:?}, not {text}");
                let is_value = match holds {
                    'n' => number.is_match(text.as_bytes()),
                    'a' => ip.is_match(text.as_bytes()),
                    'm' => method.is_match(text.as_bytes()),
                    _ => true,
                };
                assert!(is_value || text.is_empty(), "{what}: {column} of {row:?}");
            }
            if !is_refused && !has_tabs {
                assert_eq!(texts.len(), columns.len(), "{what}: {row:?}");
            }
        }
        assert!(read > count / 20 && refused > count / 20, "{format}: {read} {refused}");
    }
}

/// Mutants of each format; `#[ignore]`d tests have more.
const FEW: usize = 600;
const MANY: usize = 20_000;

#[test]
fn mutants_of_lines_have_their_values_in_their_columns_or_nowhere() {
    compare_lines(FEW);
}

#[test]
fn mutants_of_objects_have_their_values_in_their_columns_or_nowhere() {
    compare_objects(FEW);
}

#[test]
fn mutants_under_headers_have_their_values_in_their_columns_or_nowhere() {
    compare_headed(FEW);
}

#[test]
#[ignore = "takes minutes"]
fn many_mutants_have_their_values_in_their_columns_or_nowhere() {
    compare_lines(MANY);
    compare_objects(MANY);
    compare_headed(MANY);
}

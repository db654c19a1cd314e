//! The files of formats: their samples are read as they say, and no value of a sample comes into the column of another
//! field when its line loses or gains a word.

use serde_json::{Map, Value};
use urimill_testkit::reading::{Reading, Row};

/// The name and the text of each file.
fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    urimill_logs::rows().map(|row| (row.name, urimill_logs::file_of(row.name).expect("a file")))
}

fn read(format: &str, text: &str) -> Vec<Row> {
    Reading::named(format, urimill_logs::rows()).rows(text.as_bytes())
}

#[test]
fn every_file_has_a_sample_and_is_found_by_it() {
    let mut faults = Vec::new();
    for (name, file) in files() {
        let (samples, _) = urimill_logs::samples(name, file).expect(name);
        assert!(!samples.is_empty(), "{name} has no sample");
        for sample in &samples {
            let found = urimill_logs::detect(sample.text.as_bytes()).map(|found| found.name());
            if found != Some(name) {
                faults.push(format!("{name} is found as {found:?}: {}", sample.text));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A row of small numbers that depend on a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A line that has lost a word, or has one twice, or was cut.
fn changed(line: &str, separator: char, numbers: &mut Numbers) -> String {
    let mut words: Vec<&str> = line.split(separator).collect();
    let at = numbers.below(words.len());
    match numbers.below(3) {
        0 if words.len() > 1 => {
            words.remove(at);
        }
        1 => words.insert(at, words[numbers.below(words.len())]),
        _ => words.truncate(at.max(1)),
    }
    words.join(&separator.to_string())
}

/// The column into which a value of the sample's row has come that is another column's.
fn shifted<'r>(row: &'r Row, sample: &Map<String, Value>) -> Option<(&'r String, &'r Value)> {
    row.iter().find(|(column, value)| {
        let is_short =
            value.as_str().is_some_and(|text| text.len() < 2) || value.as_u64().is_some_and(|n| n < 10);
        let own = sample.get(*column);
        // The column of a line that is refused has the line.
        !is_short
            && *column != "uri"
            && own.is_some_and(|own| own != *value)
            && sample.iter().any(|(other, held)| other != *column && held == *value)
    })
}

fn assert_none_shifted(count: usize) {
    let mut faults = Vec::new();
    // The members of an object have names: they cannot take another's place.
    for (name, file) in files().filter(|(_, file)| !file.contains("kind = \"json\"")) {
        let (samples, _) = urimill_logs::samples(name, file).expect(name);
        let mut numbers = Numbers(7);
        for sample in &samples {
            let (headers, lines): (Vec<&str>, Vec<&str>) =
                sample.text.lines().partition(|line| line.starts_with('#'));
            let is_csv = file.contains("kind = \"csv\"") && lines.len() > sample.rows.len();
            let (titles, lines) = lines.split_at(if is_csv { lines.len() - sample.rows.len() } else { 0 });
            // Rows of records with several lines are not taken apart.
            if lines.len() != sample.rows.len() {
                continue;
            }
            for (line, wanted) in lines.iter().zip(&sample.rows) {
                let separator = [('\t', '\t'), (',', ',')];
                let separator = separator.iter().find(|(sign, _)| match sign {
                    ',' => is_csv || line.matches(',').count() > line.matches(' ').count(),
                    sign => line.contains(*sign),
                });
                let separator = separator.map_or(' ', |(_, separator)| *separator);
                let begin: String = headers.iter().chain(titles).map(|line| format!("{line}\n")).collect();
                let mutants: Vec<String> =
                    (0..count / samples.len()).map(|_| changed(line, separator, &mut numbers)).collect();
                // The line itself comes first, so that the input is of the format.
                let text = format!("{begin}{line}\n{}\n", mutants.join("\n"));
                for row in read(name, &text) {
                    if let Some((column, value)) = shifted(&row, wanted) {
                        let at = row["record"].as_u64().unwrap_or_default() as usize;
                        let line = text.lines().nth(at - 1).unwrap_or_default();
                        faults.push(format!("{name}: {column} is {value} in {line}"));
                    }
                }
            }
        }
    }
    faults.sort();
    faults.dedup_by_key(|fault| fault.split(" is ").next().map(str::to_owned));
    assert!(faults.is_empty(), "{} values in other columns:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn no_value_of_a_sample_comes_into_another_column() {
    assert_none_shifted(1_000);
}

#[test]
#[ignore = "takes minutes"]
fn no_value_of_a_sample_comes_into_another_column_in_many() {
    assert_none_shifted(20_000);
}

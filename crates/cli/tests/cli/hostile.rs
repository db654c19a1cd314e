//! URIs that attack parsers, as lines of a list: `check` answers for each as a single call does, and nothing that it
//! prints acts on a terminal.

use serde_json::Value;
use urimill::UriRef;
use urimill_testkit::hostile::TABLE;

use super::run::urimill;

#[test]
fn check_says_what_single_calls_say() {
    let lines: Vec<_> =
        TABLE.iter().filter(|(text, ..)| !text.contains(&b'\n') && !text.is_empty()).collect();
    let text = lines.iter().map(|(text, ..)| *text).collect::<Vec<_>>().join(&b'\n');
    let done = urimill("check --to jsonl --quiet").stdin(&text).go();
    assert_eq!(done.code, Some(1), "rejects are among them");
    let mut found = done.text().lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    for (record, (text, _, expected, _)) in (1..).zip(&lines) {
        // White space before a URI is not part of it, and a line of white space is blank.
        if UriRef::parse(text.trim_ascii_start()).is_ok() {
            continue;
        }
        let row = found.next().expect("a reject has a report");
        assert_eq!(row["record"], record, "{}", text.escape_ascii());
        let (code, offset) = (row["error"].as_str().expect("a code"), &row["error_offset"]);
        assert_eq!(format!("{code} {offset}"), *expected, "{}", text.escape_ascii());
    }
    assert_eq!(found.next(), None);
    let done = urimill("check").stdin(&text).go();
    assert_eq!(done.code, Some(1), "rejects are among them");
    let acts = |c: char| c.is_control() && c != '\n' || ('\u{202a}'..='\u{202e}').contains(&c);
    let said = done.text();
    assert!(!said.contains(acts), "{:?}", said.lines().find(|line| line.contains(acts)));
}

//! Lines of Markdown fit a screen: at most 120 columns, so that a change of a sentence shows as one.
//!
//! Rows of tables and blocks of code are exempt: neither can be broken.

use std::fs;
use std::path::Path;
use std::process::Command;

const COLUMNS: usize = 120;

/// The lines of `text` that are too long, by number.
fn long_lines(text: &str) -> Vec<usize> {
    let mut in_code = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code && !line.trim_start().starts_with('|') && line.chars().count() > COLUMNS {
            found.push(number + 1);
        }
    }
    found
}

#[test]
fn long_lines_are_found_outside_of_tables_and_code() {
    let long = "x".repeat(COLUMNS + 1);
    let fits = "é".repeat(COLUMNS);
    let text = format!("{fits}\n{long}\n| {long} |\n```sh\n{long}\n```\n- {long}\n");
    assert_eq!(long_lines(&text), [2, 7]);
}

#[test]
fn markdown_has_lines_of_at_most_120_columns() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let Ok(listed) = Command::new("git").args(["ls-files", "-z", "*.md"]).current_dir(root).output() else {
        println!("skipped: no git");
        return;
    };
    let names = String::from_utf8(listed.stdout).expect("names of documents are ASCII");
    let mut wrong = Vec::new();
    for name in names.split_terminator('\0') {
        let Ok(text) = fs::read_to_string(root.join(name)) else { continue };
        wrong.extend(long_lines(&text).into_iter().map(|line| format!("{name}:{line}")));
    }
    assert!(wrong.is_empty(), "more than {COLUMNS} columns: {}", wrong.join(", "));
}

//! Comments name their subject first. One that opens with "Of", "So many" or "Those of" is understood only at its end.

use super::below;

/// Every folder with sources of this repository.
const FOLDERS: [&str; 8] =
    ["src", "crates", "python/src", "tests", "benches", "examples", "fuzz/src", "fuzz/fuzz_targets"];

const OPENINGS: [&str; 5] = ["Of", "So many", "As many", "That of", "Those of"];

/// The forbidden opening of a line, if the line is a comment with one.
fn opening(line: &str) -> Option<&'static str> {
    let comment = line.trim_start().strip_prefix("//")?;
    let comment = comment.strip_prefix(['/', '!']).unwrap_or(comment);
    let text = comment.strip_prefix(' ').unwrap_or(comment);
    let has = |opening: &&str| {
        text.strip_prefix(*opening).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    OPENINGS.into_iter().find(has)
}

#[test]
fn openings_are_found_in_comments_alone() {
    for line in ["// Of x", "    /// So many rows.", "//! As many", "//Those of", "/// That of [`x`]"] {
        assert!(opening(line).is_some(), "{line}");
    }
    for line in
        ["// Often", "/// of x", "// Some of", "let x = 1; // Of", "Of", "\"// Of\"", "//", "/// - Of"]
    {
        assert_eq!(opening(line), None, "{line}");
    }
}

#[test]
fn comments_say_who_does_what() {
    let mut wrong = Vec::new();
    for (path, text) in FOLDERS.into_iter().flat_map(below).filter(|(path, _)| !path.contains("/target/")) {
        for (number, line) in text.lines().enumerate() {
            if let Some(opening) = opening(line) {
                wrong.push(format!(
                    "{path}:{}: a comment opens with {opening:?}: say who does what: subject, verb, object",
                    number + 1
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

//! The table of `datasets/oddities.txt`: every row was read against `datasets/README.md`.

use std::fs;

use super::run::urimill;
use urimill_testkit::paths::repository;

#[test]
fn the_oddities_as_a_table() {
    let root = repository();
    let done = urimill("normalize --to jsonl datasets/oddities.txt").within(root).ok();
    let golden =
        fs::read_to_string(root.join("crates/cli/tests/cli/golden/oddities.jsonl")).expect("the golden file");
    for (row, expected) in done.text().lines().zip(golden.lines()) {
        assert_eq!(row, expected, "if the new row is right, write the command's output to the golden file");
    }
    assert_eq!(done.text().len(), golden.len());
    assert!(
        done.stderr.starts_with("222 lines = 157 valid records + 62 rejects + 3 blank\n"),
        "{}",
        done.stderr
    );
}

//! The last line of a log, which may be cut: every input has its own, whatever the threads and chunks.

use serde_json::{Value, json};

use super::run::{dir, urimill, write};

#[test]
fn a_last_line_that_may_be_cut_is_counted_and_dropped() {
    let folder = dir();
    let line = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 ";
    // For each input at its own end, also compressed; lists have no such lines.
    write(folder.path(), "a.log", format!("{}{line}7", format!("{line}70\n").repeat(500)));
    for (options, rows, unfinished, dropped) in [
        ("", 1002, 2, 0),
        ("--chunk 64KiB --threads 4", 1002, 2, 0),
        ("--last-line drop --chunk 64KiB --threads 4 --verify", 1000, 2, 2),
        ("--last-line keep", 1002, 0, 0),
    ] {
        let line = format!("normalize a.log a.log --summary json --force {options} -o out.csv");
        let done = urimill(&line).within(folder.path()).ok();
        let stats: Value =
            serde_json::from_str(done.stderr.lines().last().unwrap_or_default()).expect("a summary");
        let found = (&stats["rows"], &stats["unfinished"], &stats["unfinished_dropped"], &stats["blank"]);
        assert_eq!(found, (&json!(rows), &json!(unfinished), &json!(dropped), &json!(0)), "{options}");
    }
    let text = urimill("normalize --last-line drop -o /dev/null --to csv --from clf")
        .stdin(format!("{line}7\n{line}7"))
        .ok();
    assert!(
        text.stderr.contains("2 lines = 1 valid record + 0 rejects + 0 blank + 1 unfinished, dropped"),
        "{}",
        text.stderr
    );
    let text = urimill("normalize -o /dev/null --to csv --from clf").stdin(format!("{line}7\n{line}7")).ok();
    assert!(text.stderr.contains("unfinished: 1 last line without a line feed"), "{}", text.stderr);
}

//! Notes in indexes, which some writers put between captures.

use super::run::{dir, urimill, write};

/// OpenWayback's header, which may be repeated where files were joined, and notes of other writers.
#[test]
fn notes_in_an_index_are_no_captures() {
    let folder = dir();
    let lines = [
        "com,example)/ 20200101000000 {\"url\":\"http://example.com/\"}",
        "com,example)/a 20200101000000 {\"url\":\"http://example.com/a\"}",
    ];
    let table = [
        ("!OpenWayback-CDXJ 1.0", ""),
        ("!OpenWayback-CDXJ 1.0\n!OpenWayback-CDXJ 1.1", ""),
        ("!OpenWayback-CDXJ 1.0", "!OpenWayback-CDXJ 1.0"),
        ("!meta {\"a\": 1} x", "@keys [\"a\", \"b\", \"c\"]"),
        ("# a comment of some words", "#"),
    ];
    for (first, between) in table {
        write(folder.path(), "i.cdxj", format!("{first}\n{}\n{between}\n{}\n", lines[0], lines[1]));
        for from in ["", "--from cdxj"] {
            let done = urimill(&format!("normalize i.cdxj {from} --to uris")).within(folder.path()).ok();
            assert_eq!(done.text(), "http://example.com/\nhttp://example.com/a\n", "{first}");
            assert!(done.stderr.contains("2 valid records + 0 rejects"), "{first}: {}", done.stderr);
        }
        let found = urimill("lookup http://example.com/a --index i.cdxj").within(folder.path()).ok();
        assert_eq!(found.text().lines().count(), 1, "{first}");
    }
}

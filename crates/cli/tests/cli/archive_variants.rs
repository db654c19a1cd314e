//! Forms of archives and their indexes that some writers have: notes in CDXJ, ARC without line ends between records.

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

/// A block ends where its header says, whether a line end follows or not.
#[test]
fn arc_records_need_no_line_end_between() {
    let block = "HTTP/1.1 200 OK\r\n\r\n<a href=x>";
    let record = |url: &str, block: &str, length: usize, end: &str| {
        format!("{url} 192.0.2.1 20140216050221 text/html {length}\n{block}{end}")
    };
    let info = "1 0 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n";
    let first = |end: &str| record("filedesc://a.arc", info, info.len(), end);
    let urls = ["http://h/1", "https://h/2", "dns:h", "ftp://h/4"];
    let whole = |end: &str| {
        first(end) + &urls.iter().map(|url| record(url, block, block.len(), end)).collect::<String>()
    };
    let expected = urls.map(|url| format!("{url}\n")).concat();
    for end in ["\n", "", "\r\n", "\n\n"] {
        for options in ["", "--chunk 1", "--chunk 100 --threads 3"] {
            let done = urimill(&format!("normalize --from arc --to uris {options}")).stdin(whole(end)).ok();
            assert_eq!(done.text(), expected, "{end:?} {options}");
            assert!(done.stderr.contains("+ 0 rejects"), "{end:?}: {}", done.stderr);
        }
    }
    // If the length is wrong, the text after it is not a header: neither the rest of a block nor of a header is one.
    for wrong in [block.len() - 3, block.len() + 2, block.len() + 5] {
        let text = first("\n")
            + &record(urls[0], block, wrong, "")
            + &record("http://h/2", block, block.len(), "\n");
        let done = urimill("normalize --from arc --to jsonl --columns uri,error").stdin(&text).ok();
        assert!(done.text().contains("record_malformed"), "{wrong}: {}", done.text());
        assert!(!done.text().contains("p://h/2\",\"error\":null"), "{wrong}: {}", done.text());
    }
}

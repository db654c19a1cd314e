//! Where invalid records go, and that no byte of them is lost.

use super::run::{dir, names, urimill, write};
use super::table::{as_read, jsonl, read};

/// Records of random bytes, none of them blank or with a line end: most are not URI references.
fn noise(count: usize) -> Vec<Vec<u8>> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut record = || {
        let length = 1 + next() % 90;
        let mut bytes: Vec<u8> = (0..length)
            .map(|_| match next() {
                n if n % 3 == 0 => (n >> 8) as u8,
                n => b"http://a.b:8?#[]@%20\r\0 AZ\"',\xc3\xa9"[(n >> 8) as usize % 29],
            })
            .filter(|&b| b != b'\n')
            .collect();
        bytes.push(b'!');
        bytes
    };
    // No repair helps those that begin an address and do not end it.
    let open = |n: usize| format!("http://[{n}").into_bytes();
    (0..count).map(|n| if n % 9 == 0 { open(n) } else { record() }).collect()
}

#[test]
fn a_table_of_their_own() {
    let dir = dir();
    let stdin = b"HTTP://a/\n\nbad one\nhttp://b/\nb\xffd\n";
    let line = "normalize -o good.csv --rejects bad.jsonl --columns record,uri --summary json";
    let done = urimill(line).within(dir.path()).stdin(stdin).ok();
    let good = std::fs::read_to_string(dir.path().join("good.csv")).expect("a file");
    assert_eq!(good, "record,uri\n1,http://a/\n4,http://b/\n");
    let bad = std::fs::read_to_string(dir.path().join("bad.jsonl")).expect("a file");
    let expected = [
        r#"{"source":"standard input","record":3,"offset":11,"uri":"bad one","error":"path_invalid_char","error_offset":3,"raw_bytes":null}"#,
        "{\"source\":\"standard input\",\"record\":5,\"offset\":29,\"uri\":\"b\u{fffd}d\",\"error\":\"not_utf8\",\"error_offset\":1,\"raw_bytes\":\"62ff64\"}",
    ];
    assert_eq!(bad.lines().collect::<Vec<_>>(), expected);
    let summary = done.summary();
    let numbers = ["lines", "valid", "rejects", "blank"].map(|name| summary[name].as_u64());
    assert_eq!(numbers, [5, 2, 2, 1].map(Some));
    assert_eq!(summary["rejects_output"]["name"], "bad.jsonl");
    assert_eq!(summary["rejects_output"]["bytes"], bad.len());
    assert_eq!(names(dir.path()), ["bad.jsonl", "good.csv"]);
}

#[test]
fn beside_standard_output_and_in_the_format_of_to() {
    let dir = dir();
    let done = urimill("normalize --on-invalid reject --rejects bad.txt")
        .within(dir.path())
        .stdin("http://a/\n<b>\n")
        .ok();
    assert_eq!(done.text(), "http://a/\n");
    assert!(done.stderr.ends_with(" to bad.txt\n"), "{}", done.stderr);
    assert_eq!(std::fs::read(dir.path().join("bad.txt")).expect("a file"), b"<b>\n");
    let done = urimill("normalize --to jsonl --columns uri --rejects bad").within(dir.path());
    assert_eq!(done.stdin("http://a/\n<b>\n").ok().text(), "{\"uri\":\"http://a/\"}\n");
    assert_eq!(jsonl(&std::fs::read(dir.path().join("bad")).expect("a file"))[0]["uri"], "<b>");
    // Nothing to reject: the table is there, and empty.
    urimill("normalize --rejects none.csv").within(dir.path()).stdin("http://a/\n").ok();
    assert_eq!(read(&dir.path().join("none.csv")), []);
}

#[test]
fn every_record_comes_back_byte_for_byte() {
    let dir = dir();
    let records = noise(2000);
    write(dir.path(), "in.txt", records.join(&b'\n'));
    for format in ["parquet", "arrow", "jsonl", "csv"] {
        for options in ["", "--level none", "--repair"] {
            let line = format!("normalize in.txt --force {options} -o all.{format} --chunk 5000");
            // It looks like no list of URIs.
            urimill(&format!("{line} --on-invalid keep")).within(dir.path()).ok();
            let rows = read(&dir.path().join(format!("all.{format}")));
            assert_eq!(rows.len(), records.len());
            for (row, record) in rows.iter().zip(&records) {
                assert!(as_read(row) == *record, "{line}: {row:?} is not {}", record.escape_ascii());
            }

            let line = format!("{line} --on-invalid reject --rejects bad.{format}");
            urimill(&line).within(dir.path()).ok();
            let accepted = read(&dir.path().join(format!("all.{format}")));
            let rejected = read(&dir.path().join(format!("bad.{format}")));
            assert!(rejected.len() > 200, "{line}: {}", rejected.len());
            assert_eq!(accepted.len() + rejected.len(), records.len());
            for row in accepted.iter().chain(&rejected) {
                let number = row["record"].as_u64().or_else(|| row["record"].as_str()?.parse().ok());
                let record = &records[number.expect("a number") as usize - 1];
                assert!(as_read(row) == *record, "{line}: {row:?} is not {}", record.escape_ascii());
            }
            assert!(accepted.iter().all(|row| row["error"].is_null()), "{line}");
            assert!(rejected.iter().all(|row| row["error"].is_string()), "{line}");
        }
    }
}

/// Rejects that the user does not want: dropped, or written where they are not kept. The counts are those of any run.
#[test]
fn rejects_that_nobody_wants() {
    let stdin = "http://a/\nbad one\n\nhttp://b/\n<worse>\n";
    for (line, uris, said) in [
        ("normalize --on-invalid drop", "http://a/\nhttp://b/\n", "dropped: 2 rejects\n"),
        ("normalize --on-invalid drop --to csv --columns uri", "uri\nhttp://a/\nhttp://b/\n", "dropped: 2"),
        (
            "normalize --on-invalid drop --sort-by uri:desc --to csv --columns uri",
            "uri\nhttp://b/\nhttp://a/\n",
            "dropped: 2",
        ),
        ("normalize --rejects /dev/null", "http://a/\nhttp://b/\n", "2 rows, "),
        ("normalize --rejects /dev/null --to csv --columns uri", "uri\nhttp://a/\nhttp://b/\n", "2 rows, "),
    ] {
        let done = urimill(line).stdin(stdin).ok();
        assert_eq!(done.text(), uris, "{line}");
        assert!(
            done.stderr.contains("5 lines = 2 valid records + 2 rejects + 1 blank"),
            "{line}: {}",
            done.stderr
        );
        assert!(done.stderr.contains(said), "{line}: {}", done.stderr);
    }
    let done = urimill("normalize --on-invalid drop --summary json").stdin(stdin).ok();
    let summary: serde_json::Value = serde_json::from_str(&done.stderr).expect("JSON");
    let counts =
        ["records", "rows", "valid", "rejects", "dropped", "blank"].map(|name| summary[name].as_u64());
    assert_eq!(counts, [4, 2, 2, 2, 2, 1].map(Some));
    // `links` drops rejects, too. Dropped rows cannot be verified, and garbage is still refused.
    let dir = dir();
    write(dir.path(), "a.html", "<a href=a><a href='http://['>");
    let done = urimill("links a.html --base http://h/ --on-invalid drop --to csv --columns uri,raw")
        .within(dir.path())
        .ok();
    assert_eq!(done.text(), "uri,raw\nhttp://h/a,a\n");
    urimill("normalize --on-invalid drop --verify -o t.csv")
        .within(dir.path())
        .stdin(stdin)
        .fails(2, &["--verify", "drop"]);
    urimill("normalize --on-invalid drop --rejects r.csv")
        .within(dir.path())
        .stdin(stdin)
        .fails(2, &["--rejects"]);
    let prose = "This is no log at all.\n".repeat(1200);
    urimill("normalize --from clf --on-invalid drop").stdin(prose).fails(2, &["clf"]);
    // A device has no telling name; a file has one.
    urimill("normalize -o t.parquet --rejects /dev/null").within(dir.path()).stdin(stdin).ok();
    urimill("normalize -o t.csv --rejects bad").within(dir.path()).stdin(stdin).fails(2, &["bad"]);
    assert_eq!(names(dir.path()), ["a.html", "t.parquet"]);
}

//! `--verify`: its report, the inputs and columns that it covers, and the uses that it refuses.

use std::path::Path;

use super::logs::corpora;
use super::run::{dir, names, urimill, write};

const OUTPUTS: [&str; 7] =
    ["t.parquet", "t.arrow", "t.arrows", "t.csv", "t.jsonl", "t.txt", "t/ --partition-by scheme"];

#[test]
fn the_summary_says_what_was_verified() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://a/\n<b>\n\nhttp://c/\n");
    for output in OUTPUTS {
        let line = format!("normalize in.txt --force --rejects bad.csv -o {output}");
        let run = |options: &str| urimill(&format!("{line} {options}")).within(dir.path()).ok();
        let summary = run("--verify --summary json").summary();
        assert_eq!(
            (&summary["verified"], &summary["verified_records"]),
            (&true.into(), &true.into()),
            "{output}"
        );
        let summary = run("--summary json").summary();
        assert_eq!((&summary["verified"], &summary["verified_records"]), (&false.into(), &false.into()));
        let text = run("--verify").stderr;
        let said = "\nverified: the outputs hold every record as it was read\n";
        assert!(text.ends_with(said), "{output}: {text}");
    }
    let text =
        urimill("normalize in.txt --verify --columns host -o t.csv --force").within(dir.path()).ok().stderr;
    let said = "\nverified: one row per record (the columns written do not include the text as read)\n";
    assert!(text.ends_with(said), "{text}");
    let text = urimill("dedupe in.txt --verify -o d.csv").within(dir.path()).ok().stderr;
    let said = "\nverified: every record read is in one row, and no two rows stand for the same record\n";
    assert!(text.ends_with(said), "{text}");
}

/// Whether the run is verified, and then whether it shows every record.
fn shown(line: &str, dir: &Path) -> bool {
    let all = format!("{line} --verify --force --summary json");
    let said = urimill(&all).within(dir).ok().stderr;
    // Before it comes the detected format.
    let summary: serde_json::Value =
        serde_json::from_str(said.lines().last().expect("a line")).expect("a summary");
    assert_eq!(summary["verified"], true, "{line}");
    summary["verified_records"].as_bool().expect("a boolean")
}

const WARC: &str = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: HTTP://h/%7e\r\nContent-Length: 4\r\n\r\n\nab\n\r\n\r\n\
    WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\njunk\n\r\nWARC/1.0\r\nContent-Length: x\r\n\r\n";

/// Inputs with everything that makes the text of a row differ from its record's.
fn inputs(dir: &Path) {
    let lines =
        b"\xef\xbb\xbfHTTP://H/%7e\r\n\r\nhttp://h/\n\n<b\xff>\n<c>\nhttp://\xe9/\n/a/../b\n\xff\n \nlast\r"
            .to_vec();
    write(dir, "lines.txt", lines);
    write(dir, "long.txt", format!("http://h/{}\nx\n\n{}", "y".repeat(20 << 20), "z".repeat(17 << 20)));
    write(dir, "empty.txt", "");
    write(
        dir,
        "t.csv",
        b"a,url\n1,HTTP://H/%7e\n2,\"a \"\"b\"\"\nc, d\"\n\n3\n4,\n5,\"\"\n6,\"http://h/\"\r\n7,\xe9",
    );
    write(
        dir,
        "t.jsonl",
        "{\"u\":\"HTTP:\\/\\/h\\/\\u00e9\\n\",\"x\":[1]}\n\nno\n{\"u\":1}\n{\"u\":\"/a\",\"uri\":\"b\",\"raw\":\"c\"}",
    );
    write(dir, "in.warc", WARC);
    write(
        dir,
        "in.cdxj",
        "k 20200101000000 {\"url\": \"http://H/\", \"status\": \"200\", \"length\": \"1\", \"offset\": \"2\", \"filename\": \"f\"}\nno\n",
    );
    let list = "a\n\"b \"\"c\"\"\nd\"\n,\n";
    write(dir, "list.csv", list);
    let table =
        urimill("normalize t.jsonl --from jsonl --uri-field u --on-invalid keep -o t.parquet").within(dir);
    table.ok();
    urimill("normalize t.jsonl --from jsonl --uri-field u --on-invalid keep -o t.arrow").within(dir).ok();
}

/// (arguments, whether the outputs tell every record as it was read)
const RUNS: [(&str, bool); 43] = [
    ("lines.txt -o o.parquet", true),
    ("lines.txt -o o.csv", true),
    ("lines.txt -o o.jsonl", true),
    ("lines.txt -o o.arrows", true),
    ("lines.txt -o o.csv --chunk 1 --threads 3", true),
    ("lines.txt -o o.parquet --rejects bad.jsonl", true),
    ("lines.txt -o o.jsonl --rejects bad.csv --repair", true),
    ("lines.txt lines.txt empty.txt -o o.arrow --repair", true),
    ("lines.txt -o o.parquet --base http://Base/x/", true),
    ("lines.txt -o o.csv --base http://Base/x/ --columns raw_bytes,raw,uri", true),
    ("lines.txt -o o.parquet --sort-by host --columns +source", true),
    ("lines.txt -o o/ --partition-by host_kind --to csv", true),
    ("lines.txt -o o/ --file-size 1K --to jsonl", true),
    // Not the text as read, nor bytes that are not UTF-8.
    ("lines.txt -o o.txt", false),
    ("lines.txt -o o.csv --columns uri,raw", false),
    ("lines.txt -o o.csv --columns uri,raw --rejects bad.csv", true),
    ("lines.txt -o o.csv --columns uri,raw_bytes", false),
    ("lines.txt -o o.csv --columns raw,raw_bytes", false),
    ("lines.txt -o o.csv --columns uri --level none --rejects bad.csv", true),
    ("lines.txt -o o.txt --level none --rejects bad.jsonl", true),
    ("lines.txt -o o/ --partition-by uri --to csv", false),
    ("empty.txt -o o.csv --columns host", true),
    ("empty.txt -o o.parquet", true),
    ("long.txt -o o.parquet", true),
    ("long.txt -o o.csv --chunk 1000 --threads 2 --rejects bad.csv", true),
    ("long.txt -o o.jsonl --max-record 30M", true),
    ("t.csv --from csv --uri-field url -o o.csv", true),
    ("t.csv --from csv --uri-field url -o o.parquet --chunk 10", true),
    ("t.csv --from csv --uri-field 2 --base-field 1 -o o.jsonl --base http://b/ --repair", true),
    ("t.csv --from csv --uri-field url --no-quotes -o o.jsonl", true),
    ("t.jsonl --from jsonl --uri-field u -o o.csv --on-invalid keep", true),
    ("t.jsonl --from jsonl --uri-field u -o o.jsonl --on-invalid keep --keep uri,raw", true),
    ("t.jsonl --from jsonl --uri-field u -o o.jsonl --on-invalid keep --keep uri,raw --columns host", false),
    ("in.warc --from warc -o o.jsonl --on-invalid keep", true),
    ("in.warc --from warc -o o.parquet --rejects bad.csv --chunk 1", true),
    ("in.cdxj --from auto -o o.parquet --on-invalid keep", true),
    ("in.cdxj --from cdxj --schema cc-index --rejects bad.csv -o o.parquet", true),
    ("in.cdxj --from cdxj --schema cc-index --fill -o o.csv --columns +uri,+raw_bytes", true),
    ("lines.txt --schema cc-index --fill -o o.csv --on-invalid keep", false),
    ("t.parquet --from parquet --uri-field raw -o o.csv", true),
    ("t.parquet --from auto --uri-field uri -o o.parquet --base http://b/", true),
    ("t.arrow --from arrow --uri-field uri -o o.jsonl --rejects bad.csv", true),
    // A list of URIs has no place for line ends in a reject.
    ("list.csv --from csv --uri-field 1 -o o.txt --level none", false),
];

#[test]
fn every_record_is_verified_if_the_columns_contain_it() {
    let dir = dir();
    inputs(dir.path());
    for (line, all) in RUNS {
        assert_eq!(shown(&format!("normalize {line}"), dir.path()), all, "{line}");
        let path = dir.path().join("o");
        if path.is_dir() {
            std::fs::remove_dir_all(path).expect("removed");
        }
    }
}

/// Files of the corpora, and how they are read.
const REAL: [(&str, &str); 13] = [
    ("apache_access_semicomplete.log", "--from clf --base http://h/"),
    ("apache_access_semicomplete.log", "--from clf --rejects bad.csv"),
    ("eot2024_seedlists.txt", ""),
    ("eot2024_seedlists.txt", "--repair --default-scheme http"),
    ("heritrix_crawl.log", "--from heritrix --sort-by fetch_time"),
    ("html_refs.tsv", "--from tsv --uri-field 2 --base-field 1"),
    ("html_refs.tsv", "--from tsv --uri-field 2 --base-field 1 --no-quotes --repair"),
    ("iri_pairs.tsv", "--from tsv --uri-field 1 --repair"),
    ("kasztp.txt", "--level none"),
    ("openwayback_test-cdx.txt", "--from cdx"),
    ("pywb_iana.cdxj", "--from cdxj --schema cc-index --rejects bad.csv"),
    ("top100.txt", "--sort-by host --rejects bad.jsonl"),
    ("top100.txt", "--base http://h/a/b --chunk 70000"),
];

#[test]
fn every_record_of_real_lists_and_logs_is_verified() {
    let Some(corpora) = corpora() else { return };
    let dir = dir();
    for (name, options) in REAL {
        for output in ["o.parquet", "o.csv", "o.jsonl"] {
            let line = format!("normalize {} {options} -o {output}", corpora.join(name).display());
            assert!(shown(&line, dir.path()), "{line}");
        }
    }
    for name in ["eot2024_seedlists.txt", "kasztp.txt", "top100.txt"] {
        for output in ["o.arrow", "o.csv", "o.txt"] {
            let path = corpora.join(name);
            let line =
                format!("dedupe {} --repair --verify --force --summary json -o {output}", path.display());
            assert_eq!(urimill(&line).within(dir.path()).ok().summary()["verified"], true, "{line}");
        }
    }
}

#[test]
fn distinct_forms_are_verified() {
    let dir = dir();
    inputs(dir.path());
    let many: String =
        (0..60_000).map(|n| format!("http://h{}.example/{}\n<{n}>\n", n % 700, n % 9000)).collect();
    write(dir.path(), "many.txt", many);
    let verify = |line: &str| {
        let line = format!("dedupe {line} --verify --force --summary json");
        assert_eq!(urimill(&line).within(dir.path()).ok().summary()["verified"], true, "{line}");
    };
    verify("long.txt long.txt -o o.csv");
    for input in ["lines.txt lines.txt", "empty.txt", "many.txt --memory 1M --threads 3"] {
        for output in ["o.parquet", "o.arrow", "o.csv", "o.jsonl", "o.txt"] {
            for options in ["", "--repair", "--level none"] {
                verify(&format!("{input} -o {output} {options}"));
            }
        }
    }
}

#[test]
fn what_cannot_be_read_back_is_refused_before_any_work() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://a/\n");
    for (line, parts) in [
        ("normalize in.txt --verify", ["--verify", "-o FILE"]),
        ("normalize in.txt --verify --to csv -o -", ["--verify", "-o FILE"]),
        (
            "normalize in.txt --verify --to csv -o /dev/full",
            ["cannot verify /dev/full", "not a file that can be read back"],
        ),
        (
            "normalize in.txt --verify --to csv -o t --rejects /dev/full",
            ["cannot verify /dev/full", "not a file that can be read back"],
        ),
        ("dedupe in.txt --verify", ["--verify", "-o FILE"]),
        (
            "dedupe in.txt --verify --to csv -o /dev/full",
            ["cannot verify /dev/full", "not a file that can be read back"],
        ),
    ] {
        urimill(line).within(dir.path()).fails(2, &parts);
    }
    assert_eq!(names(dir.path()), ["in.txt"]);
}

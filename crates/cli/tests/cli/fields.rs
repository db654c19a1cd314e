//! References with a base, and records with fields: `--base`, `--from`, `--uri-field`, `--base-field`, `--header`.

use std::fs;
use std::io::Write;

use serde_json::{Value, json};

use super::run::{dir, names, urimill, write};
use super::table::{jsonl, read};

/// (what is special, options, standard input, standard output)
#[rustfmt::skip]
const LINES: &[(&str, &str, &str, &str)] = &[
    ("--base", "--base http://a/b/c/d;p?q", "../g\n\n?y\n#s\nhttp:g\nmailto:x\n",
        "http://a/b/g\nhttp://a/b/c/d;p?y\nhttp://a/b/c/d;p?q#s\nhttp:g\nmailto:x\n"),
    ("--compat", "--base http://a/b/c/d;p?q --compat", "http:g\nHTTP:g?y\n", "http://a/b/c/g\nhttp://a/b/c/g?y\n"),
    ("targets are normalized", "--base HTTP://A:80/b/", "%7ec/./d\n", "http://a/b/~c/d\n"),
    ("as far as asked for", "--base HTTP://A:80/b/ --level none", "%7ec/./d\n", "HTTP://A:80/b/%7ec/d\n"),
    ("a reference is repaired before it is resolved", "--base http://a/b --repair", " c d \n", "http://a/c%20d\n"),
    ("tsv without header", "--from tsv --base-field 1 --uri-field 2", "http://a/b\tc\nhttp://a/b\t\nhttp://a/b\t\"\"\nhttp://d/e\t../f\n",
        "http://a/c\n\nhttp://a/b\nhttp://d/f\n"),
    ("csv with a header", "--from csv --uri-field href --base-field page", "page,n,href\r\nhttp://a/b,\"1\n2\",\"c,\"\"d\"\r\n",
        "c,\"d\n"),
    ("one URI has one normal form, with a base or without", "--from tsv --base-field 1 --uri-field 2",
        "http://h/x\tfoo:a/./b\nhttp://h/x\turn:a:b/../c\nhttp://h/x\thttp://h/a/b/%2e%2e/..\nhttp://h/a/b/\t%2e%2e/..\n",
        "foo:a/b\nurn:/c\nhttp://h/\nhttp://h/\n"),
    ("without a base of their own they have the common one", "--from csv --base-field 1 --uri-field 2 --base http://x/",
        ",a\n\"\",b\nhttp://y/,c\n", "http://x/a\nhttp://x/b\nhttp://y/c\n"),
    ("fields without bases", "--from csv --uri-field 2 --header yes", "a,b\n1,HTTP://h/\n2,/x\n", "http://h/\n/x\n"),
    ("a line feed in a reject", "--from csv --uri-field 1", "\"a\nb\"\n", "a%0Ab\n"),
    ("a quote that nothing closes", "--from csv --uri-field 2", "1,\"/a\n2,/b\n", "\"/a\n/b\n"),
    ("quotes as characters", "--from csv --uri-field 2 --no-quotes", "1,\"/a\n2,\"/b\",\"\n", "\"/a\n\"/b\"\n"),
    ("codes", "--from csv --uri-field 2 --base-field 1 --to csv --columns record,uri,error,error_offset",
        "http://h/,a\nx,b\n,\"\"\nx\n://,/\n,\n",
        "record,uri,error,error_offset\n1,http://h/a,,\n2,b,base_not_absolute,0\n3,\"\",base_not_absolute,0\n4,x,field_missing,1\n5,/,base_invalid,0\n6,,,\n"),
    ("raw is the reference", "--base http://h/a --to csv --columns uri,raw,flags", "b\n#c\nhttp://h/x\n",
        "uri,raw,flags\nhttp://h/b,b,\"\"\nhttp://h/a#c,#c,same_document\nhttp://h/x,,\"\"\n"),
];

#[test]
fn references_in_and_targets_out() {
    for (what, options, stdin, expected) in LINES {
        for chunk in ["", "--threads 3 --chunk 5"] {
            let line = format!("normalize --summary none {chunk} {options}");
            let done = urimill(&line).stdin(stdin).ok();
            assert_eq!(done.text(), *expected, "{what}: {line}");
        }
    }
}

/// (arguments, what the sentence has in it)
const MISTAKES: &[(&str, &[&str])] = &[
    ("--base /a/b", &["\"/a/b\"", "no scheme", "whole URI"]),
    ("--base http://h/<", &["\"http://h/<\"", "path_invalid_char", "byte 9"]),
    ("--compat", &["--compat", "--base URI", "--base-field"]),
    ("--from lines --uri-field 1", &["--uri-field", "--from csv"]),
    ("--from lines --base-field 1", &["--base-field", "--from csv"]),
    ("--base-field 1", &["--uri-field NAME or NUMBER"]),
    ("--header yes", &["--header", "--from csv"]),
    ("--from lines --header yes", &["--header", "--from csv"]),
    ("--from csv", &["--from csv", "--uri-field NAME or NUMBER"]),
    ("--from tsv --base-field 1", &["--from tsv", "--uri-field"]),
    ("--from csv --uri-field url --header no", &["\"url\"", "number"]),
    ("--no-quotes", &["--no-quotes", "--from csv"]),
    ("--from jsonl --uri-field u --no-quotes", &["--no-quotes", "--from csv or tsv"]),
    ("--from jsonl --uri-field u --header yes", &["--header", "--from csv or tsv"]),
    ("--from csv --uri-field 0", &["no field 0", "from 1"]),
    ("--from csv --uri-field href", &["standard input", "no field \"href\"", "\"page\", \"url\""]),
    ("--from csv --uri-field url --base-field base", &["no field \"base\"", "\"page\", \"url\""]),
    ("--from csv --uri-field 3 --header yes", &["no field 3", "\"page\", \"url\""]),
];

#[test]
fn options_that_make_no_sense_are_one_sentence() {
    let dir = dir();
    for (options, parts) in MISTAKES {
        let run = urimill(&format!("normalize -o out.csv {options}")).within(dir.path());
        run.stdin("page,url\nhttp://h/,a\n").fails(2, parts);
        assert_eq!(names(dir.path()), [""; 0], "{options}");
    }
    write(dir.path(), "one.csv", "page,url\nhttp://h/,a\n");
    write(dir.path(), "two.csv", "url,site\nb,http://h/\n");
    let run = urimill("normalize --from csv --uri-field url --base-field page one.csv two.csv -o out.csv");
    run.within(dir.path()).fails(2, &["two.csv", "no field \"page\"", "\"url\", \"site\""]);
    assert_eq!(names(dir.path()), ["one.csv", "two.csv"], "nothing is published");
}

/// A terminal may read what the sentence quotes.
#[test]
fn a_header_cannot_speak_to_the_terminal() {
    let run = urimill("normalize --from csv --uri-field url").stdin("\x1b[31m,b\n");
    let done = run.go();
    assert_eq!(done.code, Some(2));
    assert!(!done.stderr.contains('\x1b'), "{:?}", done.stderr);
}

#[test]
fn each_input_has_its_header_and_may_be_compressed() {
    let dir = dir();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(b"\xef\xbb\xbfurl\tpage\n?q\thttp://c/d\n").expect("gzip");
    write(dir.path(), "one.tsv", "page\turl\r\nhttp://a/b\tc\r\n\r\nhttp://a/b\td");
    write(dir.path(), "two.tsv.gz", gzip.finish().expect("gzip"));
    write(dir.path(), "empty.tsv", "");
    write(dir.path(), "header.tsv", "url\tpage\n");
    for threads in [1, 3] {
        let line = format!(
            "normalize --from tsv --uri-field url --base-field page --to jsonl --columns source,record,offset,uri \
             --summary json --threads {threads} one.tsv empty.tsv two.tsv.gz header.tsv"
        );
        let done = urimill(&line).within(dir.path()).ok();
        let row = |source: &str, record: u32, offset: u32, uri: &str| {
            json!({ "source": source, "record": record, "offset": offset, "uri": uri }).to_string()
        };
        let expected = [
            row("one.tsv", 1, 10, "http://a/c"),
            row("one.tsv", 3, 26, "http://a/d"),
            row("two.tsv.gz", 1, 12, "http://c/d?q"),
        ];
        let rows: Vec<_> =
            jsonl(&done.stdout).into_iter().map(|row| serde_json::Value::from(row).to_string()).collect();
        assert_eq!(rows, expected);
        let summary = done.summary();
        let names = ["lines", "records", "valid", "rejects", "blank", "headers", "changed"];
        let found = names.map(|name| summary[name].as_u64().unwrap_or_else(|| panic!("{name}")));
        assert_eq!(found, [4, 3, 3, 0, 1, 3, 3]);
    }
}

#[test]
fn the_account_of_rows_with_fields() {
    let stdin = "page,url\nhttp://h/,a\n\nhttp://h/,<\nshort\nhttp://h/,\"b\nc\"\n";
    let done = urimill("normalize --from csv --uri-field url --base-field page").stdin(stdin).ok();
    let lines: Vec<_> = done.stderr.lines().collect();
    assert_eq!(lines[0], "4 records = 1 valid record + 3 rejects; 7 lines read, 1 blank, 1 header");
    assert_eq!(lines[1], "1 rewritten");
    assert!(
        lines[2].ends_with("path_invalid_char: first in standard input, record 3, byte 0: \"<\""),
        "{}",
        lines[2]
    );
    let missing = "field_missing: first in standard input, record 4, byte 5: no field 2: \"short\"";
    assert!(lines[3].ends_with(missing), "{}", lines[3]);

    let base = "normalize --from csv --uri-field 2 --base-field 1 --on-invalid fail";
    urimill(base).stdin("http://h/,a\n\nshort\n").fails_after(
        "http://h/a\n",
        1,
        "record 3 of standard input has no field 2: \"short\"",
    );
    urimill(base).stdin("http://h/,a\nx,b\n").fails_after(
        "http://h/a\n",
        1,
        "record 2 of standard input has no base",
    );
}

/// Rows of every kind; the kind follows from the number.
fn mixed(count: usize) -> String {
    let row = |n: usize| match n % 9 {
        0 => format!("http://Example.com/{n}/\t../{n}?q={n}\n"),
        1 => format!("http://Example.com/{n}/\t\"/{n}/\n\t{}\"\r\n", "x".repeat(n % 150)),
        2 => format!("\"http://h/{n}\"\t\"#{n}\"\n"),
        3 => format!("http://h/{n}\t\"http://h/{n}\">broken\n"),
        4 => "\n".to_owned(),
        5 => format!("{n}\n"),
        6 => format!("//h/{n}\t{n}\n"),
        7 => format!("http://h/{n}\t\"a\"\"{n}\"\t\"more\n\"\n"),
        _ => format!("http://u@h:81/{n}\t{n}\n"),
    };
    (0..count).map(row).collect()
}

#[test]
fn files_are_the_same_to_the_byte_at_every_thread_count_and_chunk() {
    let dir = dir();
    let count = 2000;
    write(dir.path(), "in.tsv", mixed(count));
    // Where batches end depends on the chunks, and a Parquet file's pages on the batches.
    let cuts: [(&str, &[(u32, &str)]); 3] = [
        ("jsonl", &[(1, "1M"), (1, "100"), (2, "1000"), (3, "64"), (8, "4096")]),
        ("parquet", &[(1, "1000"), (2, "1000"), (3, "1000"), (8, "1000")]),
        ("arrow", &[(1, "1000"), (3, "1000")]),
    ];
    for (extension, cuts) in cuts {
        let mut first: Option<[Vec<u8>; 2]> = None;
        for (threads, chunk) in cuts {
            let line = format!(
                "normalize in.tsv --from tsv --base-field 1 --uri-field 2 --repair -o out.{extension} \
                 --rejects bad.{extension} --force --threads {threads} --chunk {chunk} --row-group-rows 700"
            );
            urimill(&line).within(dir.path()).ok();
            let paths = ["out", "bad"].map(|name| dir.path().join(format!("{name}.{extension}")));
            let rows = paths.each_ref().map(|path| read(path).len());
            assert_eq!(rows, [count - count / 9 * 3, count / 9 * 2], "{line}");
            let bytes = paths.map(|path| fs::read(path).expect("a file"));
            let first = first.get_or_insert_with(|| bytes.clone());
            assert!(*first == bytes, "{line} writes other bytes");
        }
    }
}

#[test]
fn metadata_names_the_base_of_references() {
    let dir = dir();
    let stdin = "a\n";
    urimill("normalize --base http://h/ --compat -o t.parquet").within(dir.path()).stdin(stdin).ok();
    let text = fs::read(dir.path().join("t.parquet")).expect("a file");
    for part in ["urimill.base", "http://h/", "urimill.resolution", "compatible"] {
        assert!(text.windows(part.len()).any(|window| window == part.as_bytes()), "{part}");
    }
}

/// The values of a row: base, uri, error.
type Edge = [Option<&'static str>; 3];

/// (options, rows of base and reference, what rows say)
#[rustfmt::skip]
const BASES: &[(&str, &str, &[Edge])] = &[
    // In the normal form, without a fragment: an edge is base and uri.
    ("", "HTTP://H.example:80/a/./b#top\tc\n", &[[Some("http://h.example/a/b"), Some("http://h.example/a/c"), None]]),
    ("--level none", "HTTP://H.example:80/a/./b#top\tc\n",
        &[[Some("HTTP://H.example:80/a/./b"), Some("HTTP://H.example:80/a/c"), None]]),
    // A page stays beside what became of its links.
    ("", "http://h/a\t<\nhttp://h/a\t//x\nhttp://i/\tb\n", &[[Some("http://h/a"), Some("<"), Some("path_invalid_char")],
        [Some("http://h/a"), Some("http://x/"), None], [Some("http://i/"), Some("http://i/b"), None]]),
    // The user's base if a record has none.
    ("--base http://x", "\ta\nhttp://h\ta\n", &[[Some("http://x/"), Some("http://x/a"), None],
        [Some("http://h/"), Some("http://h/a"), None]]),
    // A text that is not a base stays as it was read.
    ("", "/b\ta\n\ta\nhttp://h/ %\ta\n", &[[Some("/b"), Some("a"), Some("base_not_absolute")], [None, Some("a"), Some("base_not_absolute")],
        [Some("http://h/ %"), Some("a"), Some("base_invalid")]]),
    ("--repair", "http://h/ b\ta\n", &[[Some("http://h/%20b"), Some("http://h/a"), None]]),
    // A row too short.
    ("", "http://h/a\n", &[[None, Some("http://h/a"), Some("field_missing")]]),
];

#[test]
fn the_page_stays_beside_its_links() {
    let dir = dir();
    for (options, input, expected) in BASES {
        let fields = "--from tsv --base-field 1 --uri-field 2";
        let line = format!("normalize {fields} {options}");
        let expected: Vec<_> = expected.iter().map(|row| json!(row)).collect();
        let found = |rows: &[super::table::Row]| -> Vec<Value> {
            rows.iter().map(|row| json!([row["base"], row["uri"], row["error"]])).collect()
        };
        for name in ["t.jsonl", "t.csv", "t.parquet", "t.arrow"] {
            let run = urimill(&format!("{line} -o {name} --force --verify --on-invalid keep"))
                .stdin(input)
                .within(dir.path());
            run.ok();
            let rows = read(&dir.path().join(name));
            assert_eq!(found(&rows), expected, "{line} {name}");
        }
        // Rejects have theirs.
        let line = format!("{line} -o good.jsonl --rejects bad.parquet --force --on-invalid reject");
        urimill(&line).stdin(input).within(dir.path()).ok();
        let mut rows = read(&dir.path().join("good.jsonl"));
        rows.extend(read(&dir.path().join("bad.parquet")));
        rows.sort_by_key(|row| row["record"].as_i64());
        assert_eq!(found(&rows), expected, "{line}");
    }
}

#[test]
fn the_column_base_is_there_where_records_bring_theirs() {
    // (options, the columns after `raw_bytes`)
    let cases: &[(&str, &[&str])] = &[
        ("--base-field page", &["base", "n", "field_errors"]),
        ("--base-field page --keep page", &["base", "page", "field_errors"]),
        ("--base-field page --keep none", &["base"]),
        ("--base-field page --keep none --columns -base", &[]),
        ("--base-field page --keep none --columns +offset", &["base", "offset"]),
        ("--base-field page --keep none --columns +base", &["base"]),
        ("--base http://h/ --keep none", &[]),
        ("--base http://h/ --keep none --columns +base", &["base"]),
        ("--keep page", &["page", "field_errors"]),
    ];
    let input = "page,href,n\nhttp://H/a#b,c,1\n";
    for (options, expected) in cases {
        let line = format!("normalize --from csv --uri-field href --to csv --summary none {options}");
        let done = urimill(&line).stdin(input).ok();
        let header = done.text().lines().next().expect("a header");
        let (_, behind) = header.split_once("raw_bytes").expect("the default table");
        let found: Vec<_> = behind.split(',').filter(|name| !name.is_empty()).collect();
        assert_eq!(found, *expected, "{line}");
    }
    let exact = "normalize --from csv --uri-field href --base-field page --to csv --summary none --columns";
    let done = urimill(exact).arg("base,uri").stdin(input).ok();
    assert_eq!(done.text(), "base,uri\nhttp://h/a,http://h/c\n");
    let done = urimill(&format!("{exact} uri --keep page")).stdin(input).ok();
    assert_eq!(done.text(), "uri,page,field_errors\nhttp://h/c,http://H/a#b,\n");
    // A field of that name is another one.
    let done = urimill(
        "normalize --from jsonl --uri-field u --base-field base --keep base --columns uri,base --to csv --summary none",
    );
    let done = done.stdin("{\"base\": \"http://H/\", \"u\": \"a\"}\n").ok();
    assert_eq!(done.text(), "uri,base,field_base,field_errors\nhttp://h/a,http://h/,http://H/,\n");
    // Common Crawl's table is what it is.
    let done =
        urimill("normalize --from csv --uri-field href --base-field page --schema cc-index --fill --to csv");
    let done = done.stdin(input).ok();
    assert!(!done.text().lines().next().expect("a header").split(',').any(|name| name == "base"));
}

/// Many pages, in batches and chunks of every size; and bases that meet in one slot of the table of them.
#[test]
fn each_row_has_its_own_base() {
    let dir = dir();
    let count = 5000;
    let mut input = String::new();
    for n in 0..count {
        input.push_str(&format!("http://Example.com/{}/\t{n}\n", if n % 2 == 0 { n } else { n / 100 }));
    }
    write(dir.path(), "in.tsv", input);
    for sizes in ["--threads 1", "--threads 3 --chunk 999"] {
        let line =
            format!("normalize in.tsv --from tsv --base-field 1 --uri-field 2 -o t.parquet --force {sizes}");
        urimill(&line).within(dir.path()).ok();
        let rows = read(&dir.path().join("t.parquet"));
        assert_eq!(rows.len(), count);
        for (n, row) in rows.iter().enumerate() {
            let page = if n % 2 == 0 { n } else { n / 100 };
            assert_eq!(row["base"], json!(format!("http://example.com/{page}/")));
            assert_eq!(row["uri"], json!(format!("http://example.com/{page}/{n}")));
        }
        // A table has its bases in a column.
        let line = format!(
            "normalize t.parquet --from parquet --uri-field raw --base-field base --keep none -o u.parquet --force {sizes}"
        );
        urimill(&line).within(dir.path()).ok();
        let again = read(&dir.path().join("u.parquet"));
        assert!(rows.iter().zip(&again).all(|(a, b)| (&a["uri"], &a["base"]) == (&b["uri"], &b["base"])));
    }
}

type LongRow = (&'static str, [Option<&'static str>; 2], Option<(&'static str, i64)>);

/// (a row under the header `url,title,x`, its uri, title, error and offset): a separator within a field shifts all that
/// follow, so a row with more fields than the header holds no value.
const LONG_ROWS: &[LongRow] = &[
    ("http://h/,a,b", [Some("http://h/"), Some("a")], None),
    ("http://h/,a,b,", [Some("http://h/"), Some("a")], None),
    ("http://h/,a,b,,", [Some("http://h/"), Some("a")], None),
    ("http://h/,a,b,c", [Some("http://h/,a,b,c"), None], Some(("record_malformed", 13))),
    ("http://h/,a,b,,c", [Some("http://h/,a,b,,c"), None], Some(("record_malformed", 13))),
    ("http://h/a,b,c,d,", [Some("http://h/a,b,c,d,"), None], Some(("record_malformed", 14))),
    ("\"http://h/\",\"a\",b,c", [Some("\"http://h/\",\"a\",b,c"), None], Some(("record_malformed", 17))),
    ("\"http://h/,\",\"a\",b,", [Some("http://h/,"), Some("a")], None),
    ("\"http://h/\",a,b,\"\"", [Some("\"http://h/\",a,b,\"\""), None], Some(("record_malformed", 15))),
];

#[test]
fn a_row_with_more_fields_than_the_header_is_malformed() {
    let rows: String = LONG_ROWS.iter().map(|(row, ..)| format!("{row}\n")).collect();
    for keep in ["all", "none", "title"] {
        let done = urimill(&format!("normalize --from csv --uri-field url --keep {keep} --to jsonl -o -"))
            .stdin(format!("url,title,x\n{rows}"))
            .ok();
        for ((row, [uri, title], error), line) in LONG_ROWS.iter().zip(done.text().lines()) {
            let made: Value = serde_json::from_str(line).expect("JSON");
            assert_eq!(made["uri"].as_str(), *uri, "{row} with {keep}");
            assert_eq!(made["error"].as_str(), error.map(|(code, _)| code), "{row} with {keep}");
            assert_eq!(made["error_offset"].as_i64(), error.map(|(_, at)| at), "{row} with {keep}");
            assert!(keep == "none" || made["title"].as_str() == *title, "{row} with {keep}: {line}");
        }
        assert_eq!(done.text().lines().count(), LONG_ROWS.len());
    }
    // Without a header two rows do not say how many there are.
    let done = urimill("normalize --from csv --uri-field 1 --to uris -o -").stdin("/a,b\n/c,d,e\n").ok();
    assert_eq!(done.text(), "/a\n/c\n");
}

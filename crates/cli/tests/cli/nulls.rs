//! Records without a URI: null if the field marks it as absent, a code if the field is missing; and CSV, in which an
//! empty field is null and `""` the empty text, read back as it was written.

use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::{jsonl, read};

#[test]
fn no_uri_is_null_in_every_format() {
    // (options, a record whose field is marked as absent, one with a value)
    let cases: &[(&str, &str, &str)] = &[
        (
            "--from heritrix",
            "2012-05-23T15:06:28Z 200 5 - - - a/b #1 20120523150627325+7 - - -\n",
            "2012-05-23T15:06:28Z 200 5 http://h/ - - a/b #1 20120523150627325+7 - - -\n",
        ),
        (
            "--from cdx",
            "k 20140126200624 - a/b 200 A - - 1 2 f\n",
            "k 20140126200624 http://h/ a/b 200 A - - 1 2 f\n",
        ),
        (
            "--from cdx",
            "[\"k\",\"20140126200624\",null,\"a/b\",\"200\",\"A\",\"1\"]\n",
            "[\"k\",\"20140126200624\",\"http://h/\",\"a/b\",\"200\",\"A\",\"1\"]\n",
        ),
        ("--from cdxj", "k 20140126200624 {\"url\": null}\n", "k 20140126200624 {\"url\": \"http://h/\"}\n"),
        ("--from cdxj", "k 20140126200624 {\"url\": \"-\"}\n", "k 20140126200624 {\"url\": \"http://h/\"}\n"),
        (
            "--from clf",
            "h - - [17/May/2015:12:05:03 +0000] \"-\" 408 0\n",
            "h - - [17/May/2015:12:05:03 +0000] \"GET http://h/ HTTP/1.0\" 200 0\n",
        ),
        ("--from jsonl --uri-field u", "{\"u\": null}\n", "{\"u\": \"http://h/\"}\n"),
        ("--from csv --uri-field u", "u,a\n,1\n", "http://h/,2\n"),
        ("--from csv --uri-field 1", ",1\n", "http://h/,2\n"),
        ("--from csv --uri-field 1", ",\"1\n\"\n", "\"http://h/\",2\n"),
        ("--from tsv --uri-field 2 --no-quotes", "1\t\n", "2\thttp://h/\n"),
    ];
    for (options, null, right) in cases {
        for base in ["", "--base http://b/"] {
            let line = format!(
                "normalize {options} {base} --to jsonl --columns uri,raw,host,path,error --summary json"
            );
            let done = urimill(&line).stdin(format!("{null}{right}")).ok();
            let rows: Vec<_> =
                jsonl(&done.stdout).into_iter().map(|row| Value::from(row).to_string()).collect();
            let expected = [
                json!({"uri": null, "raw": null, "host": null, "path": null, "error": null}).to_string(),
                json!({"uri": "http://h/", "raw": null, "host": "h", "path": "/", "error": null}).to_string(),
            ];
            assert_eq!(rows, expected, "{line}: {null}");
            let summary = done.summary();
            let names = ["records", "valid", "rejects", "nulls", "rows"];
            assert_eq!(names.map(|name| summary[name].as_u64()), [2, 1, 0, 1, 2].map(Some), "{line}: {null}");
        }
        // A null is not a reject: it stays in the table.
        let dir = dir();
        write(dir.path(), "in", format!("{null}{right}"));
        for line in [
            format!("normalize in {options} --rejects bad.jsonl -o good.jsonl --verify --force"),
            format!("normalize in {options} --on-invalid fail -o good.jsonl --force"),
        ] {
            urimill(&line).within(dir.path()).ok();
            assert_eq!(read(&dir.path().join("good.jsonl")).len(), 2, "{line}");
        }
        assert_eq!(read(&dir.path().join("bad.jsonl")).len(), 0, "{options}");
    }
}

#[test]
fn a_field_that_is_not_there_is_a_reject() {
    // (options, records, their codes)
    let cases: &[(&str, &str, &[Option<&str>])] = &[
        (
            "--from jsonl --uri-field u",
            "{\"u\": \"/\"}\n{\"a\": 1}\n{\"u\": 5}\n{\"u\": [\"/\"]}\n",
            &[None, Some("field_missing"), Some("record_malformed"), Some("record_malformed")],
        ),
        (
            "--from csv --uri-field 2",
            "1,/\n2\n\"3\"\n",
            &[None, Some("field_missing"), Some("field_missing")],
        ),
        (
            "--from heritrix",
            "2012-05-23T15:06:28Z 200 5 http://h/\n2012-05-23T15:06:28Z 200\n",
            &[None, Some("field_missing")],
        ),
        (
            "--from cdxj",
            "k 20140126200624 {\"url\": \"http://h/\"}\nk 20140126200624 {}\nk 20140126200624 {\"url\": 5}\n",
            &[None, Some("field_missing"), Some("record_malformed")],
        ),
    ];
    for (options, input, codes) in cases {
        let done = urimill(&format!("normalize {options} --to jsonl")).stdin(input).ok();
        let rows = jsonl(&done.stdout);
        let found: Vec<_> = rows.iter().map(|row| row["error"].as_str()).collect();
        assert_eq!(found, *codes, "{options}");
    }
}

#[test]
fn a_misspelt_member_is_a_sentence() {
    let input = "{\"url\": \"http://h/\", \"page\": \"http://p/\", \"n\": 1}\n".repeat(20);
    // (options, what the sentence has in it)
    let cases: &[(&str, &[&str])] = &[
        ("--from jsonl --uri-field urll", &["\"urll\"", "\"n\", \"page\", \"url\""]),
        ("--uri-field urll", &["\"urll\"", "\"n\", \"page\", \"url\""]),
        ("--from jsonl --uri-field url --base-field pgae", &["\"pgae\"", "\"n\", \"page\", \"url\""]),
    ];
    let dir = dir();
    for (options, parts) in cases {
        write(dir.path(), "in.jsonl", &input);
        let run = urimill(&format!("normalize in.jsonl {options} -o t.csv")).within(dir.path());
        run.fails(2, &[&["no record of in.jsonl has a member"], *parts].concat());
        for threads in ["--threads 1", "--threads 3 --chunk 100"] {
            write(dir.path(), "right.jsonl", "{\"url\": \"/\", \"urll\": \"/\", \"pgae\": \"http://h/\"}\n");
            let run = urimill(&format!("normalize in.jsonl right.jsonl {options} {threads} -o t.csv"))
                .within(dir.path());
            run.fails(2, &["in.jsonl", parts[0]]);
        }
        assert!(!dir.path().join("t.csv").exists(), "{options}");
    }
    // A member may be missing in most records, if it is there in one.
    let sparse = "{\"n\": 1}\n".repeat(50) + "{\"u\": \"/a\"}\n";
    let done = urimill("normalize --from jsonl --uri-field u --summary json").stdin(sparse).ok();
    assert_eq!(done.summary()["by_code"]["field_missing"]["count"], 50);
}

#[test]
fn our_csv_reads_back_as_it_was_written() {
    let dir = dir();
    // URIs, an empty reference, nulls of two kinds, a reject.
    let input = "{\"u\": \"http://h/\", \"t\": \"\"}\n{\"u\": \"\", \"t\": null}\n{\"u\": null, \"t\": \"x\"}\n{\"u\": \"<a>\"}\n{\"u\": null}\n";
    write(dir.path(), "in.jsonl", input);
    for columns in ["uri", "uri,t", "uri,error,t", "record,uri"] {
        let line = format!("normalize in.jsonl --uri-field u --columns {columns} --to csv --level none");
        let first = urimill(&line).within(dir.path()).ok();
        write(dir.path(), "first.csv", &first.stdout);
        let back = "normalize first.csv --from csv --level none --to jsonl --columns uri --uri-field uri";
        let done = urimill(back).within(dir.path()).ok();
        let found: Vec<_> = jsonl(&done.stdout).into_iter().map(|row| row["uri"].clone()).collect();
        let expected = [json!("http://h/"), json!(""), json!(null), json!("<a>"), json!(null)];
        assert_eq!(found, expected, "{columns}: {}", first.text());
    }
    // One column: a blank line is a null.
    let done = urimill("normalize --from csv --uri-field u --to csv --columns uri")
        .stdin("u\n\nhttp://h/\n\"\"\n\r\n")
        .ok();
    assert_eq!(done.text(), "uri\n\nhttp://h/\n\"\"\n\n");
    // With more columns a blank line is not a record, and not a null.
    let done = urimill("normalize --from csv --uri-field u --summary json").stdin("u,a\n\n/,1\n").ok();
    let summary = done.summary();
    assert_eq!(
        (&summary["records"], &summary["blank"], &summary["nulls"]),
        (&json!(1), &json!(1), &json!(0))
    );
}

#[test]
fn other_fields_keep_their_nulls() {
    // As DuckDB writes null, the empty string and a text.
    let input = "u,t\nhttp://h/1,\nhttp://h/2,\"\"\nhttp://h/3,x\n,x\n\"\",x\n";
    let done = urimill("normalize --from csv --uri-field u --to jsonl --columns uri,t").stdin(input).ok();
    let found: Vec<_> = jsonl(&done.stdout).into_iter().map(|row| json!([row["uri"], row["t"]])).collect();
    let expected = [
        json!(["http://h/1", null]),
        json!(["http://h/2", ""]),
        json!(["http://h/3", "x"]),
        json!([null, "x"]),
        json!(["", "x"]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_null_has_no_place_in_common_crawls_table() {
    let cdx = "k 20140126200624 - text/html 200 A - - 1 2 f\nk 20140126200624 http://h/ text/html 200 A - - 1 2 f\n";
    let dir = dir();
    let line = "normalize --from cdx --schema cc-index -o t.parquet";
    urimill(line).within(dir.path()).stdin(cdx).fails(1, &["record 1"]);
    urimill(&format!("{line} --rejects bad.jsonl")).within(dir.path()).stdin(cdx).ok();
    let bad = read(&dir.path().join("bad.jsonl"));
    assert_eq!((bad.len(), &bad[0]["error"]), (1, &json!("field_unfit")));
    assert_eq!(read(&dir.path().join("t.parquet")).len(), 1);
}

//! The fields that pass through: `--keep`, the names of their columns, fields of CSV and JSON; the detected format, and
//! the results of a wrong one.

use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl, read};

const HERITRIX: &str =
    "2012-05-23T15:06:28.689Z   200   56 http://h/ P - text/dns #048 20120523150627325+74 - - 3t\n";
const CDX: &str = "h)/ 20140126200624 http://h/ text/html 200 A - - 1 2 f.gz\n";
const CDXJ: &str = "h)/ 20140126200624 {\"url\": \"http://h/\"}\n";
const CLF: &str = "h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"-\"\n";
const JSON: &str = "{\"url\": \"http://h/\", \"n\": 1}\n";

/// The columns after `raw_bytes`, the last of the default table, and the rows.
fn passed(options: &str, stdin: &str) -> (Vec<String>, Vec<Row>) {
    let done = urimill(&format!("normalize --to csv {options}")).stdin(stdin).ok();
    let header = done.text().lines().next().expect("a header").to_owned();
    let names = header.split(',').map(str::to_owned).collect::<Vec<_>>();
    let behind = names.iter().position(|name| name == "raw_bytes").map_or(0, |at| at + 1);
    let done = urimill(&format!("normalize --to jsonl {options}")).stdin(stdin).ok();
    (names[behind..].to_vec(), jsonl(&done.stdout))
}

#[test]
fn keep_says_which() {
    // (options, input, columns after the default table)
    let cases: &[(&str, &str, &[&str])] = &[
        ("--from heritrix --keep none", HERITRIX, &[]),
        ("--from heritrix --keep mime,status", HERITRIX, &["mime", "status", "field_errors"]),
        // An exact list of columns is exact…
        ("--from heritrix --columns uri,host", HERITRIX, &["uri", "host"]),
        // … unless other fields are asked for.
        ("--from heritrix --columns uri --keep size", HERITRIX, &["uri", "size", "field_errors"]),
        ("--from cdx --keep urlkey --columns +offset", CDX, &["offset", "urlkey", "field_errors"]),
        ("--from lines", "http://h/\n", &[]),
        ("--from lines --keep all", "http://h/\n", &[]),
        ("--from jsonl --uri-field url", JSON, &["extra", "field_errors"]),
        ("--from jsonl --uri-field url --keep n", JSON, &["n", "field_errors"]),
        ("--from jsonl --uri-field url --keep extra,n", JSON, &["extra", "n", "field_errors"]),
        // Names that the table has already, or that come twice, are changed; empty ones are numbers.
        (
            "--from csv --uri-field u",
            "u,host,a,a,,a_2\n/,1,2,3,4,5\n",
            &["field_host", "a", "a_2", "field_5", "a_2_2", "field_errors"],
        ),
        ("--from csv --uri-field u --base-field b", "u,b,c\n/,http://h/,1\n", &["base", "c", "field_errors"]),
        ("--from csv --uri-field 2", "x,/,z\n", &["field_1", "field_3", "field_errors"]),
        ("--from csv --uri-field 2 --header yes", "a,b,c\nx,/,z\n", &["a", "c", "field_errors"]),
        ("--from csv --uri-field 2 --keep 3", "x,/,z\n", &["field_3", "field_errors"]),
        ("--from tsv --uri-field u --keep c,u", "u\tb\tc\n/\t1\t2\n", &["c", "u", "field_errors"]),
        ("--from csv --uri-field u", "", &[]),
        ("--from csv --uri-field 1", "\r\n\n/,b\n", &["field_2", "field_errors"]),
    ];
    for (options, input, expected) in cases {
        let (names, _) = passed(options, input);
        assert_eq!(names, *expected, "{options}");
    }
}

#[test]
fn wrong_choices_are_refused() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("--from heritrix --keep via,nix --to csv", HERITRIX, &["no field \"nix\"", "hop_path, via, mime"]),
        ("--from cdx --keep all", CDX, &["uris", "--keep"]),
        ("--from lines --keep a --to csv", "/\n", &["--keep", "lines have none"]),
        ("--from auto --keep a --to csv", "/\n", &["no field \"a\"", "a list of URIs"]),
        ("--from auto", JSON, &["JSON Lines", "--uri-field"]),
        ("--from jsonl", JSON, &["--uri-field NAME"]),
        ("--from jsonl --uri-field a --base-field a", JSON, &["\"a\"", "both"]),
        ("--from clf --uri-field 3", CLF, &["--uri-field", "--from csv"]),
        ("--from csv --uri-field u --keep x --to csv", "u,a\n/,1\n", &["no field \"x\"", "\"u\", \"a\""]),
        ("--from csv --uri-field 1 --keep x --to csv", "u,a\n/,1\n", &["\"x\"", "--header yes"]),
    ];
    for (options, input, parts) in cases {
        urimill(&format!("normalize {options}")).stdin(input).fails(2, parts);
    }
    // The list itself is wrong, whatever the format.
    for (list, part) in
        [("a,a", "\"a\" is to be kept twice"), ("a,,b", "separated by commas"), (",", "commas")]
    {
        let done = urimill("normalize --from cdx --keep").arg(list).stdin(CDX).go();
        assert_eq!(done.code, Some(2), "{list}");
        assert!(done.stderr.contains("--keep") && done.stderr.contains(part), "{list}: {}", done.stderr);
    }
}

#[test]
fn fields_of_csv_are_text_as_it_was_meant() {
    let input = "u,n,t\n/1,007,\"a,\"\"b\"\"\n\"\n/2,,x\n\"/3\",-\n\n/4,1,2,3\n/5,\"\",\n";
    let (_, rows) = passed("--from csv --uri-field u", input);
    let found: Vec<_> =
        rows.iter().map(|row| json!([row["uri"], row["n"], row["t"], row["field_errors"]])).collect();
    let expected: [Value; 5] = [
        json!(["/1", "007", "a,\"b\"\n", null]),
        json!(["/2", null, "x", null]),
        json!(["/3", "-", null, "t:missing"]),
        json!(["/4,1,2,3", null, null, null]),
        json!(["/5", "", null, null]),
    ];
    assert_eq!(found, expected);
}

#[test]
fn another_input_may_have_its_fields_in_another_order() {
    let dir = dir();
    write(dir.path(), "a.csv", "u,x,y\n/1,x1,y1\n");
    write(dir.path(), "b.csv", "y,u,z,x\ny2,/2,z2,x2\n");
    urimill("normalize a.csv b.csv --from csv --uri-field u -o t.parquet").within(dir.path()).ok();
    let rows = read(&dir.path().join("t.parquet"));
    let found: Vec<_> = rows.iter().map(|row| json!([row["uri"], row["x"], row["y"]])).collect();
    assert_eq!(found, [json!(["/1", "x1", "y1"]), json!(["/2", "x2", "y2"])]);
    write(dir.path(), "c.csv", "u,x\n/3,x3\n");
    let run = urimill("normalize a.csv c.csv --from csv --uri-field u -o u.parquet").within(dir.path());
    run.fails(2, &["c.csv", "no field \"y\""]);
}

#[test]
fn rejects_take_their_fields_along() {
    let dir = dir();
    let input = format!("{HERITRIX}{}", HERITRIX.replace("http://h/", "http://h/%"));
    urimill("normalize --from heritrix --keep status,mime -o good.jsonl --rejects bad.jsonl")
        .stdin(input)
        .within(dir.path())
        .ok();
    for (name, error) in [("good.jsonl", Value::Null), ("bad.jsonl", json!("percent_truncated"))] {
        let rows = read(&dir.path().join(name));
        assert_eq!(rows.len(), 1, "{name}");
        let row = &rows[0];
        assert_eq!((&row["error"], &row["status"], &row["mime"]), (&error, &json!(200), &json!("text/dns")));
    }
}

#[test]
fn auto_says_what_it_took_the_input_for() {
    let csv = "url,n\nhttp://h/,1\n";
    let tsv = "n\turl\n1\thttp://h/\n";
    // (options, input, format)
    let cases: &[(&str, String, &str)] = &[
        ("", HERITRIX.repeat(3), "heritrix"),
        ("", format!("\n\nbroken\n{}", HERITRIX.repeat(3)), "heritrix"),
        ("", CDX.into(), "cdx"),
        ("", " CDX a b s\nhttp://h/ 20140126200624 200\n".into(), "cdx"),
        ("", CDXJ.into(), "cdxj"),
        ("--base http://h/", CLF.into(), "clf"),
        ("", "http://h/\n".into(), "lines"),
        ("", "http://h/ is not\n".into(), "lines"),
        ("", String::new(), "lines"),
        ("--uri-field url", JSON.into(), "jsonl"),
        ("--uri-field url", csv.into(), "csv"),
        ("--uri-field url", tsv.into(), "tsv"),
    ];
    for (options, input, format) in cases {
        let line = format!("normalize --from auto --summary none --to jsonl {options}");
        let done = urimill(&line).stdin(input).ok();
        done.says(&line, &[&format!("read the input as {format}")]);
        let same = urimill(&line.replace("auto", format)).stdin(input).ok();
        assert_eq!(done.text(), same.text(), "{options} {input}");
    }
}

#[test]
fn an_empty_first_input_does_not_decide_the_columns() {
    let dir = dir();
    write(dir.path(), "a", "");
    write(dir.path(), "b", CDXJ);
    let done = urimill("normalize a b --from auto --columns source,record,uri --to csv --summary none");
    let done = done.within(dir.path()).ok();
    assert_eq!(done.text(), "source,record,uri\nb,1,http://h/\n");
    done.says("auto", &["cdxj"]);
}

#[test]
fn a_thousand_records_of_another_format_end_the_run() {
    // (options, a record that is not of the format, one that is)
    let cases: &[(&str, &str, &str)] = &[
        ("--from heritrix", "http://example.com/\n", HERITRIX),
        ("--from heritrix", CLF, HERITRIX),
        ("--from cdx", CLF, CDX),
        ("--from cdx", HERITRIX, CDX),
        ("--from cdxj", CDX, CDXJ),
        ("--from clf", HERITRIX, CLF),
        ("--from csv --uri-field 9", JSON, "1,2,3,4,5,6,7,8,9\n"),
        ("--from jsonl --uri-field url", CDXJ, JSON),
    ];
    let dir = dir();
    for (options, wrong, right) in cases {
        for sizes in ["--threads 1", "--threads 3 --chunk 700"] {
            let line = format!("normalize {options} --to jsonl {sizes}");
            let quoted = wrong.split(['"', '\n']).next().expect("a part");
            let run = urimill(&format!("{line} -o t.jsonl")).within(dir.path()).stdin(wrong.repeat(1000));
            run.fails(2, &["standard input", "first 1000 records", quoted, "--from", "--on-invalid keep"]);
            assert!(!dir.path().join("t.jsonl").exists(), "{line}");
            // Who insists gets rows.
            let done = urimill(&format!("{line} --on-invalid keep")).stdin(wrong.repeat(4000)).ok();
            assert_eq!(jsonl(&done.stdout).len(), 4000, "{line}");
            let rejects = format!("{line} -o good.jsonl --force --rejects bad.jsonl");
            let run = urimill(&rejects).within(dir.path()).stdin(wrong.repeat(1000));
            run.fails(2, &["--on-invalid keep or reject"]);
            urimill(&format!("{rejects} --on-invalid reject"))
                .within(dir.path())
                .stdin(wrong.repeat(1000))
                .ok();
            let count = |name: &str| read(&dir.path().join(name)).len();
            assert_eq!(count("good.jsonl") + count("bad.jsonl"), 1000, "{line}");
            // One that is right proves it.
            let done = urimill(&line).stdin(wrong.repeat(900) + right + &wrong.repeat(99)).ok();
            assert_eq!(jsonl(&done.stdout).len(), 1000, "{line}");
        }
    }
}

#[test]
fn the_first_that_is_wrong_is_named() {
    // (options, input, the message)
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "--from jsonl --uri-field u",
            "{\"u\": \"/\"}\n{\"v\": 1}\n",
            &["record 2", "has no URI", "{\\\"v\\\": 1}"],
        ),
        ("--from jsonl --uri-field u", "[]\n", &["record 1", "record_malformed, byte 0", "\"[]\""]),
        ("--from heritrix", "a b\n", &["record 1", "no field 4", "\"a b\""]),
    ];
    let dir = dir();
    for (options, input, parts) in cases {
        let line = format!("normalize {options} --to csv");
        let run = urimill(&format!("{line} -o t.csv --on-invalid fail")).within(dir.path()).stdin(input);
        run.fails(1, parts);
        // The summary does not invent a number for a field with a name.
        let done = urimill(&format!("{line} --on-invalid keep")).stdin(input).ok();
        assert!(!done.stderr.contains("field 0"), "{}", done.stderr);
    }
}

#[test]
fn each_input_has_to_prove_its_format() {
    let dir = dir();
    write(dir.path(), "a.log", HERITRIX.repeat(10));
    write(dir.path(), "b.log", CLF.repeat(1000));
    let run = urimill("normalize a.log b.log --from heritrix -o t.parquet --chunk 1000").within(dir.path());
    run.fails(2, &["b.log", "first 1000 records"]);
}

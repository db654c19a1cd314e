//! The summary of a run reports its counts; and columns of a log by name, as any other.

use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::{batches, jsonl};

const HERITRIX: &str = "2012-05-23T15:06:28Z 200 5 HTTP://h/ P - text/dns #048 20120523150627325+74 - - 3t\n2012-05-23T15:06:29Z 404 7 http://h/% L - a/b #1 - - - -\n";

#[test]
fn lines_records_rows_and_headers_are_counted_separately() {
    let csv = "page,url\nhttp://h/,a\n\nhttp://h/,<\nshort\nhttp://h/,\"b\nc\"\nhttp://h/,\n";
    // (options, input, first line, lines, records, rows, rows of the rejects, blank, headers)
    let cases: &[(&str, &str, &str, [u64; 6])] = &[
        ("", "HTTP://a/\n\n<b>\n", "3 lines = 1 valid record + 1 reject + 1 blank", [3, 2, 1, 1, 1, 0]),
        (
            "--from csv --uri-field url --base-field page",
            csv,
            "5 records = 1 valid record + 3 rejects + 1 null; 8 lines read, 1 blank, 1 header",
            [7, 5, 2, 3, 1, 1],
        ),
        (
            "--from cdx",
            " CDX a b s\nhttp://h/ 20140126200624 200\n- 20140126200624 200\n",
            "3 lines = 1 valid record + 0 rejects + 1 null + 0 blank + 1 header",
            [2, 2, 2, 0, 0, 1],
        ),
        ("--from heritrix", HERITRIX, "2 lines = 1 valid record + 1 reject + 0 blank", [2, 2, 1, 1, 0, 0]),
        (
            "--from warc",
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://h/a\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
            "1 record = 1 valid record + 0 rejects + 0 warcinfo",
            [1, 1, 1, 0, 0, 0],
        ),
    ];
    let dir = dir();
    for (options, input, first, counts) in cases {
        for sizes in ["", "--threads 3 --chunk 10"] {
            let line = format!("normalize {options} {sizes} -o t.csv --rejects bad.csv --force");
            let done = urimill(&line).within(dir.path()).stdin(input).ok();
            assert_eq!(done.stderr.lines().next(), Some(*first), "{line}");
            let rows = |n: u64, name: &str| {
                let line = done.stderr.lines().find(|line| line.ends_with(name)).expect(name);
                let rows = format!("{n} row{}, ", if n == 1 { "" } else { "s" });
                assert!(line.contains(&rows), "{line}: {rows}");
            };
            rows(counts[2], " to t.csv");
            rows(counts[3], " to bad.csv");
            let summary =
                urimill(&format!("{line} --summary json")).within(dir.path()).stdin(input).ok().summary();
            let found = [
                &summary["lines"],
                &summary["records"],
                &summary["rows"],
                &summary["rejects_output"]["rows"],
                &summary["blank"],
                &summary["headers"],
            ];
            assert_eq!(found.map(|value| value.as_u64().expect("a number")), *counts, "{line}");
        }
    }
}

#[test]
fn codes_come_by_frequency() {
    let list = "http://a/\nhttp://b/\nhttp://c/\nhttp://d/\nhttp://[/\nhttp://a/%\n%x\n%y\n%z\n/<\n/>\n";
    let done = urimill("normalize").stdin(list).ok();
    let codes: Vec<_> = done.stderr.lines().filter(|line| line.contains(": first in")).collect();
    let found: Vec<_> =
        codes.iter().map(|line| line.split_whitespace().take(2).collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "3 percent_invalid_digit:",
        "2 path_invalid_char:",
        "1 host_ipv6_malformed:",
        "1 percent_truncated:",
    ];
    assert_eq!(found, expected, "{}", done.stderr);
}

#[test]
fn a_base_that_is_no_uri_has_a_code_of_its_own() {
    let input = "http://h/,a\n/b,a\n,a\nhttp://h/<,a\n://,a\n";
    let line =
        "normalize --from csv --base-field 1 --uri-field 2 --to jsonl --columns uri,error,error_offset";
    let done = urimill(line).stdin(input).ok();
    let found: Vec<_> =
        jsonl(&done.stdout).into_iter().map(|row| json!([row["error"], row["error_offset"]])).collect();
    let expected = [
        json!([null, null]),
        json!(["base_not_absolute", 0]),
        json!(["base_not_absolute", 0]),
        json!(["base_invalid", 0]),
        json!(["base_invalid", 0]),
    ];
    assert_eq!(found, expected);
    // The first of each is shown by its base.
    assert!(
        done.stderr.contains("base_not_absolute: first in standard input, record 2, byte 0: \"/b\""),
        "{}",
        done.stderr
    );
    assert!(done.stderr.contains("base_invalid: first in standard input, record 4, byte 0: \"http://h/<\""));
    let fail = urimill(&format!("{line} --on-invalid fail")).stdin("http://h/<,a\n");
    fail.fails(1, &["record 1", "has a base that is no URI", "http://h/<"]);
    let schema: Value = serde_json::from_slice(&urimill("schema --to json").ok().stdout).expect("JSON");
    assert!(schema.to_string().contains("\"base_invalid\""));
}

#[test]
fn columns_of_a_log_are_named_as_any_other() {
    // (options, input, header)
    let cases: &[(&str, &str, &str)] = &[
        ("--from heritrix --columns uri,status,mime", HERITRIX, "uri,status,mime"),
        ("--columns uri,status,mime", HERITRIX, "uri,status,mime"),
        ("--columns mime,uri,status,host", HERITRIX, "mime,uri,status,host"),
        ("--columns status,mime", HERITRIX, "status,mime"),
        ("--columns uri,status,field_errors", HERITRIX, "uri,status,field_errors"),
        ("--columns uri,field_errors", HERITRIX, "uri,field_errors"),
        ("--columns status,uri --keep mime,size", HERITRIX, "status,uri,mime,size,field_errors"),
        (
            "--from heritrix --columns -raw,-raw_bytes,-via,-extra,-field_errors --keep via,extra,size",
            HERITRIX,
            "record,uri,scheme,userinfo,host,host_kind,port,path,query,fragment,flags,error,error_offset,size",
        ),
        (
            "--from heritrix --columns +status,-raw --keep none",
            HERITRIX,
            "record,uri,scheme,userinfo,host,host_kind,port,path,query,fragment,flags,error,error_offset,raw_bytes,status,\
             field_errors",
        ),
        ("--from csv --uri-field u --columns uri,n", "u,n,m\n/,1,2\n", "uri,n"),
        ("--from csv --uri-field u --columns field_host,uri", "u,host\n/,1\n", "field_host,uri"),
        ("--from jsonl --uri-field u --columns n,uri", "{\"u\": \"/\", \"n\": 1}\n", "n,uri"),
    ];
    for (options, input, header) in cases {
        let done = urimill(&format!("normalize {options} --to csv --summary none")).stdin(input).ok();
        assert_eq!(done.text().lines().next(), Some(*header), "{options}");
    }
    // The values are in their columns, in every format and beside a table of rejects.
    let dir = dir();
    for name in ["t.parquet", "t.arrow", "t.jsonl", "t.csv"] {
        let line =
            format!("normalize --columns mime,uri,status -o {name} --verify --rejects bad.jsonl --force");
        urimill(&line).within(dir.path()).stdin(HERITRIX).ok();
        let row = Value::from(super::table::read(&dir.path().join(name)).remove(0));
        let status = if name == "t.csv" { json!("200") } else { json!(200) };
        assert_eq!(row, json!({"mime": "text/dns", "uri": "http://h/", "status": status}), "{name}");
        let bad = super::table::read(&dir.path().join("bad.jsonl")).remove(0);
        assert_eq!((&bad["mime"], &bad["status"]), (&json!("a/b"), &json!(404)));
        let sorted = format!("normalize --columns uri,status -o sorted.{name} --sort-by status:desc --force");
        urimill(&sorted).within(dir.path()).stdin(HERITRIX).ok();
        let first = super::table::read(&dir.path().join(format!("sorted.{name}"))).remove(0);
        assert_eq!(first["uri"], "http://h/%", "{name}");
    }
    // Tables keep theirs after.
    write(dir.path(), "in.csv", "u,n\n/,1\n");
    urimill("normalize in.csv --uri-field u -o in.parquet --columns uri,n").within(dir.path()).ok();
    urimill("normalize in.parquet --uri-field uri -o out.parquet --columns uri,n").within(dir.path()).ok();
    let schema = batches(&dir.path().join("out.parquet"))[0].schema();
    let names: Vec<_> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["uri", "n"]);
    // (options, input, what the sentence has in it)
    let wrong: &[(&str, &str, &[&str])] = &[
        ("--from lines --columns uri,hots", "/\n", &["no column \"hots\"", "host_kind"]),
        ("--columns uri,hots", "/\n", &["\"hots\"", "host_kind"]),
        ("--from heritrix --columns uri,hots", HERITRIX, &["no column \"hots\"", "heritrix", "hop_path"]),
        ("--columns uri,hots", HERITRIX, &["no field \"hots\"", "hop_path"]),
        ("--columns uri,status,status", HERITRIX, &["\"status\" is named twice"]),
        ("--columns +status,uri", HERITRIX, &["+ or -"]),
        ("--columns -hots", HERITRIX, &["no column \"hots\""]),
        ("--from csv --uri-field u --columns uri,x", "u,n\n/,1\n", &["no field \"x\"", "\"u\", \"n\""]),
    ];
    for (options, input, parts) in wrong {
        urimill(&format!("normalize {options} --to csv")).stdin(input).fails(2, parts);
    }
}

/// (options, whether the summary has the times of the stages) as text and as JSON.
#[test]
fn the_stages_of_a_run_are_timed_where_that_is_asked_for() {
    let dir = dir();
    for (options, has_times) in [("", false), ("--time-stages", true)] {
        let line = format!("normalize {options} --threads 2 -o t.csv --force");
        let done = urimill(&line).within(dir.path()).stdin("http://a/\n").ok();
        let lines: Vec<_> =
            done.stderr.lines().skip_while(|line| !line.starts_with("seconds of work")).collect();
        let names = lines.iter().skip(1).map(|line| line[19..].split(": ").next().unwrap_or_default());
        let expected: &[&str] =
            if has_times { &["* begin", "* source", "  workers", "* output", "* end"] } else { &[] };
        assert_eq!(names.collect::<Vec<_>>(), expected, "{line}");
        let summary =
            urimill(&format!("{line} --summary json")).within(dir.path()).stdin("http://a/\n").ok().summary();
        assert_eq!(summary["stages"].as_array().map(Vec::len), has_times.then_some(5), "{line}");
        if has_times {
            let end = &summary["stages"][4];
            assert_eq!((&end["name"], &end["ordered"]), (&json!("end"), &json!(true)));
            assert!(end["busy"].as_f64() > Some(0.0) && end["steps"]["sync"].is_number(), "{end}");
        }
    }
}

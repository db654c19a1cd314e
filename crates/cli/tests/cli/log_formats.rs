//! The logs of servers, proxies and clouds beside other formats: their samples detected, refused, and in one table.

use serde_json::{Value, json};
use urimill_testkit::samples::{LOGS, assert_facts, log};

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl};

pub(crate) fn rows(options: &str, input: impl AsRef<[u8]>) -> Vec<Row> {
    let line = format!("normalize --on-invalid keep --to jsonl --summary none {options}");
    jsonl(&urimill(&line).stdin(input).ok().stdout)
}

#[test]
fn every_sample_is_detected_and_has_its_facts() {
    let formats = urimill("formats").ok();
    let (inputs, _) = formats.text().split_once("\n\n").expect("inputs, then what else there is");
    let listed: Vec<&str> =
        inputs.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
    for (file, format) in LOGS {
        let text = log(file);
        assert!(listed.contains(format), "{format}");
        for sizes in ["", "--threads 3 --chunk 200"] {
            let options = format!("--from auto {sizes}");
            assert_facts(file, &rows(&options, &text), &format!("{file} {options}"));
            let crlf = text.replace('\n', "\r\n");
            assert_facts(file, &rows(&options, &crlf), &format!("{file} {options} with CR LF"));
        }
        let done = urimill("normalize --from auto --to csv").stdin(&text).ok();
        assert!(done.stderr.contains(&format!("read the input as {format}")), "{file}: {}", done.stderr);
        // Nothing is lost, and nothing is another format.
        let dir = dir();
        write(dir.path(), "in", &text);
        urimill("normalize in -o out.parquet --verify").within(dir.path()).ok();
        for other in ["heritrix", "cdx", "cdxj", "alb", "gcp", "w3c"] {
            // A header is a header: CloudFront's logs are of the W3C's format.
            if other == *format || [("w3c", "cloudfront"), ("cdxj", "ecs")].contains(&(other, format)) {
                continue;
            }
            let run = urimill(&format!("normalize --to csv --from {other}")).stdin(text.repeat(12)).go();
            assert_eq!((run.code, run.text()), (Some(2), ""), "{file} as {other}: {}", run.stderr);
        }
    }
    // Every format of the table has its sample.
    let known = [
        "lines", "csv", "tsv", "heritrix", "cdx", "cdxj", "clf", "jsonl", "warc", "wat", "parquet", "arrow",
        "auto", // Archives and documents have tests of their own.
        "wacz", "arc", "sitemap", "feed", "burp", "har", "json", "robots", "nutch", "seeds", "scrapy",
        "json-log",
    ];
    let logs: Vec<&str> = listed.into_iter().filter(|name| !known.contains(name)).collect();
    // The files of formats have samples, which tests of the engine read.
    assert!(logs.len() >= 120, "{logs:?}");
}

#[test]
fn a_log_whose_header_is_missing_is_refused() {
    let bare = "2020-01-02 00:00:00 GET /a 200\n";
    urimill("normalize --from w3c --to csv").stdin(bare).fails(2, &["#Fields:", "w3c"]);
    urimill("normalize --from zeek --to csv").stdin(bare).fails(2, &["#fields"]);
}

#[test]
fn a_wrapper_that_is_not_there_is_refused() {
    let bare = "192.0.2.1 - al [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7\n".repeat(3);
    for wrapper in ["array", "csv", "tsv", "json", "csv,docker"] {
        for from in ["--from clf", "", "--log-format common"] {
            let line = format!("normalize --to csv --unwrap {wrapper} {from}");
            urimill(&line).stdin(&bare).fails(2, &["no lines of the format within", "--unwrap"]);
        }
    }
    // What is no log has none.
    for wrapper in ["array", "csv", "docker", "json:message"] {
        for input in ["http://h.example/a\n/b\n", "{\n  \"events\": [\n    {\"a\": 1}\n  ]\n}\n"] {
            let line = format!("normalize --to csv --unwrap {wrapper}");
            urimill(&line).stdin(input).fails(2, &["no lines of the format within", "--unwrap"]);
        }
    }
}

#[test]
fn logs_of_several_formats_make_one_table() {
    let clf = "192.0.2.1 - al [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7 \"-\" \"curl\"\n";
    let inputs = [
        ("1.log", log("haproxy.log")),
        ("2.log", log("caddy.log")),
        ("3.log", log("w3c.log")),
        ("4.log", clf.to_owned()),
        ("5.log", clf.lines().map(|line| format!("web-1  | {line}\n")).collect()),
        (
            "6.log",
            "com,example)/ 20140126200624 http://example.com/ text/html 200 A - - 1 2 f.gz\n".to_owned(),
        ),
        ("7.log", "http://example.com/list\n".to_owned()),
        ("8.log", String::new()),
        ("9.log", "#Fields: date time cs-uri-stem x-own\n2020-01-02 03:04:05 /w own\n".to_owned()),
    ];
    // The same in documents, whose records are at other places.
    let lines = |file: &str| log(file).lines().collect::<Vec<_>>().join(",\n");
    let documents = [
        ("10.json", format!("[{}]", lines("caddy.log"))),
        ("11.json", format!("[]\n[\n{}\n]\n", lines("traefik-json.log"))),
        ("12.json", format!("[{0}][{0}]", lines("caddy.log"))),
    ];
    let inputs: Vec<_> = inputs.into_iter().chain(documents).collect();
    let dir = dir();
    inputs.iter().for_each(|(name, text)| write(dir.path(), name, text));
    let read = |names: &str, options: &str| {
        let line = format!(
            "normalize {names} --on-invalid keep --to jsonl --summary none --columns +source {options}"
        );
        jsonl(&urimill(&line).within(dir.path()).ok().stdout)
    };
    let alone: Vec<Row> = inputs.iter().flat_map(|(name, _)| read(name, "")).collect();
    for order in [
        "1.log 2.log 3.log 4.log 5.log 6.log 7.log 8.log 9.log 10.json 11.json 12.json",
        "7.log 9.log 8.log 5.log 6.log 4.log 3.log 2.log 1.log 12.json 11.json 10.json",
        "11.json 2.log 10.json 12.json 9.log 8.log 5.log 6.log 4.log 3.log 7.log 1.log",
    ] {
        for sizes in ["", "--threads 3 --chunk 300"] {
            let all = read(order, sizes);
            assert_eq!(all.len(), alone.len(), "{order}");
            let mut columns: Vec<&String> = all[0].keys().collect();
            columns.sort_unstable();
            for row in &all {
                let own = alone
                    .iter()
                    .find(|own| (&own["source"], &own["record"]) == (&row["source"], &row["record"]));
                let own = own.expect("its row");
                for (name, value) in row {
                    let expected = own.get(name).unwrap_or(&Value::Null);
                    // Fields that the first header lacks are in another column.
                    if !(own["source"] == json!("9.log") && ["extra", "x_own"].contains(&name.as_str())) {
                        assert_eq!(value, expected, "{order} {sizes}: {name} of {row:?}");
                    }
                }
                assert!(own.keys().all(|name| row.contains_key(name)), "{order}: {row:?}");
            }
        }
    }
    urimill("normalize 1.log 2.log 6.log 7.log -o out.parquet --verify").within(dir.path()).ok();
}

//! The logs of servers, proxies and clouds: a sample of each format with its facts, by name and detected, bare and
//! after the prefixes of loggers.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl};
use urimill_testkit::paths::repository;

/// Where the samples are; their lines are written by hand, after the documentation of those who make such logs.
pub(crate) fn samples() -> PathBuf {
    repository().join("tests/samples/logs")
}

/// (file, format)
pub(crate) const SAMPLES: &[(&str, &str)] = &[
    ("alb.log", "alb"),
    ("elb.log", "elb"),
    ("s3.log", "s3"),
    ("haproxy.log", "haproxy"),
    ("squid.log", "squid"),
    ("squid-combined.log", "squid-combined"),
    ("uwsgi.log", "uwsgi"),
    ("nginx-proxy-manager.log", "nginx-proxy-manager"),
    ("envoy.log", "envoy"),
    ("istio.log", "istio"),
    ("traefik.log", "traefik"),
    ("nginx-ingress.log", "nginx-ingress"),
    ("cloudfront.log", "cloudfront"),
    ("cloudfront-bare.log", "cloudfront"),
    ("cloudfront-realtime.log", "cloudfront-realtime"),
    ("w3c.log", "w3c"),
    ("zeek.log", "zeek"),
    ("gcs.log", "gcs"),
    ("caddy.log", "caddy"),
    ("traefik-json.log", "traefik-json"),
    ("envoy-json.log", "envoy-json"),
    ("gcp.log", "gcp"),
    ("cloudflare.log", "cloudflare"),
    ("zeek-json.log", "zeek-json"),
    ("fastly.log", "fastly"),
    ("vercel.log", "vercel"),
    ("ecs.log", "ecs"),
    ("nginx-json.log", "nginx-json"),
];

pub(crate) fn sample(file: &str) -> String {
    fs::read_to_string(samples().join(file)).expect("a sample")
}

pub(crate) fn rows(options: &str, input: impl AsRef<[u8]>) -> Vec<Row> {
    let line = format!("normalize --on-invalid keep --to jsonl --summary none {options}");
    jsonl(&urimill(&line).stdin(input).ok().stdout)
}

/// The facts of a sample: for each row what some of its columns hold. `extra` is an object there.
fn facts(file: &str) -> Vec<Value> {
    let facts = sample("facts.jsonl");
    let facts = facts.lines().map(|line| serde_json::from_str::<Value>(line).expect("a fact"));
    facts.filter(|fact| fact["file"] == json!(file)).map(|fact| fact["fields"].clone()).collect()
}

fn assert_facts(file: &str, rows: &[Row], what: &str) {
    let facts = facts(file);
    assert!(!facts.is_empty(), "{file} has no facts");
    assert_eq!(rows.len(), facts.len(), "{what}");
    for (row, fact) in rows.iter().zip(&facts) {
        for (name, expected) in fact.as_object().expect("an object") {
            let shown = match (name.as_str(), row[name].as_str()) {
                ("extra", Some(text)) => serde_json::from_str(text).expect("an object"),
                _ => row[name].clone(),
            };
            assert_eq!(shown, *expected, "{what}: {name} of {row:?}");
        }
    }
}

#[test]
fn every_format_has_a_sample_whose_facts_hold() {
    let help = urimill("normalize --help").ok();
    for (file, format) in SAMPLES {
        let text = sample(file);
        assert!(help.text().contains(&format!("- {format}:")), "{format}");
        for from in [format!("--from {format}"), "--from auto".to_owned()] {
            for sizes in ["", "--threads 3 --chunk 200"] {
                let options = format!("{from} {sizes}");
                assert_facts(file, &rows(&options, &text), &format!("{file} {options}"));
                let crlf = text.replace('\n', "\r\n");
                assert_facts(file, &rows(&options, &crlf), &format!("{file} {options} with CR LF"));
            }
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
    let names = help.text().split("--from <FORMAT>").nth(1).expect("the option");
    let names = names.split("--uri-field").next().expect("its values");
    let known = [
        "lines", "csv", "tsv", "heritrix", "cdx", "cdxj", "clf", "jsonl", "warc", "wat", "parquet", "arrow",
        "auto", // Archives and documents have tests of their own.
        "wacz", "arc", "sitemap", "feed", "burp", "har", "json", "robots", "nutch", "seeds", "scrapy",
    ];
    let listed =
        names.lines().filter_map(|line| line.trim().strip_prefix("- ")?.split(':').next().map(str::to_owned));
    let listed: Vec<String> = listed.filter(|name| !known.contains(&name.as_str())).collect();
    for name in &listed {
        assert!(SAMPLES.iter().any(|(_, format)| format == name), "{name} has no sample");
    }
    assert!(listed.len() >= 26, "{listed:?}");
}

/// Ways in which loggers write a line, and what precedes it then.
fn around(line: &str) -> Vec<(&'static str, String)> {
    let escaped = serde_json::to_string(line).expect("JSON");
    let docker = serde_json::to_string(&format!("{line}\n")).expect("JSON");
    vec![
        ("RFC 3164", format!("Feb 25 16:19:38 host web[7]: {line}")),
        ("RFC 3164 with its priority", format!("<134>Feb  5 16:19:38 192.0.2.9 web: {line}")),
        ("RFC 5424", format!("<134>1 2025-11-05T20:47:03.000000+00:00 h web 12 - [a@1 b=\"c d\"] {line}")),
        ("short-iso", format!("2025-11-05T20:47:03+0100 host web[7]: {line}")),
        ("journald", format!("{{\"__REALTIME_TIMESTAMP\":\"1\",\"MESSAGE\":{escaped},\"_PID\":\"7\"}}")),
        ("docker", format!("{{\"log\":{docker},\"stream\":\"stdout\",\"time\":\"2025-11-05T20:47:03Z\"}}")),
        ("compose", format!("web-1  | {line}")),
        ("Kubernetes", format!("2025-11-05T20:47:03.000000001Z stdout F {line}")),
    ]
}

/// A runtime of containers cuts lines longer than 16 KiB. A client may have chosen the text at the cut.
#[test]
fn parts_of_lines_are_marked() {
    let line = "192.0.2.1 - al [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7 \"-\" \"curl/8\"";
    // (tag, whether the line is a part)
    let lines = [
        ("stdout F", false),
        ("stdout P", true),
        ("stderr F", false),
        ("stdout P", true),
        ("stdout F", true),
        ("stdout F", false),
    ];
    let input: String =
        lines.iter().map(|(tag, _)| format!("2025-11-05T20:47:03.000000001Z {tag} {line}\n")).collect();
    for from in ["--from clf", "--from auto"] {
        let found = rows(from, &input);
        assert_eq!(found.len(), lines.len(), "{from}");
        for (row, (tag, is_part)) in found.iter().zip(lines) {
            let (error, client) = (&row["error"], &row["client"]);
            match is_part {
                true => {
                    assert_eq!((error, client.is_null()), (&json!("record_malformed"), true), "{row:?}");
                    assert_eq!(row["error_offset"], 38, "{row:?}");
                    assert!(row["uri"].as_str().is_some_and(|uri| uri.contains(tag) && uri.contains(line)));
                }
                false => assert_eq!((error, client), (&json!(null), &json!("192.0.2.1")), "{row:?}"),
            }
        }
    }
}

#[test]
fn what_stands_around_a_line_is_taken_off_and_kept() {
    let clf =
        "192.0.2.1 - al [17/May/2015:10:05:03 +0000] \"GET //a\\\"b HTTP/1.1\" 200 7 \"-\" \"a \\\"b\\\"\"\n";
    let vhost = "example.com:443 192.0.2.1, ::1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7\n";
    let headed = [
        "cloudfront.log",
        "cloudfront-bare.log",
        "cloudfront-realtime.log",
        "w3c.log",
        "zeek.log",
        "gcs.log",
    ];
    let files = SAMPLES.iter().filter(|(file, _)| !headed.contains(file) && *file != "haproxy.log");
    let texts = files.map(|(file, format)| (sample(file), *format));
    for (text, format) in texts.chain([(clf.to_owned(), "clf"), (vhost.to_owned(), "clf")]) {
        let bare = rows(&format!("--from {format}"), &text);
        let kinds = around("").len();
        for kind in 0..kinds {
            let wrapped: Vec<_> = text.lines().map(|line| around(line).swap_remove(kind)).collect();
            let input: String = wrapped.iter().map(|(_, line)| format!("{line}\n")).collect();
            for from in [format!("--from {format}"), "--from auto".to_owned()] {
                let what = format!("{format} behind {}, {from}", wrapped[0].0);
                let found = rows(&from, &input);
                assert_eq!(found.len(), bare.len(), "{what}");
                for ((mut row, bare), (_, line)) in found.into_iter().zip(&bare).zip(&wrapped) {
                    let prefix = row.remove("prefix").unwrap_or_else(|| panic!("{what} has no prefix"));
                    let prefix = prefix.as_str().unwrap_or_else(|| panic!("{what}: {row:?}"));
                    assert!(line.starts_with(prefix) || prefix.starts_with("{\""), "{what}: {prefix}");
                    // Only the place in the whole line differs.
                    row.insert("error_offset".into(), bare["error_offset"].clone());
                    assert_eq!(&row, bare, "{what}");
                }
            }
        }
    }
    // A line that has none is read as it is.
    let mixed = format!("Feb 25 16:19:38 host web[7]: {clf}{clf}Feb 25 16:19:38 host web[7]: {clf}");
    let mixed = rows("--from clf", mixed);
    assert_eq!(mixed.iter().filter(|row| row["prefix"].is_null()).count(), 1);
    assert!(mixed.iter().all(|row| row["status"] == json!(200)), "{mixed:?}");
}

#[test]
fn a_line_that_does_not_fit_keeps_its_row_and_what_is_certain() {
    let alb = "http 2018-07-02T22:23:00.186641Z app/lb/50 192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 \
               \"GET http://www.example.com:80/ HTTP/1.1\" \"curl/7\" - - arn \"t\"";
    // (format, a line, the text with which it stops to fit, what stays and what does not)
    let cases: &[(&str, String, &str, Value)] = &[
        ("alb", alb.replace(" 34 ", " 34 5 "), "366", json!({"client": "192.0.2.1", "status": null, "method": null})),
        ("alb", alb.replace(" 200 200 ", " 200 x "), "x 34", json!({"client": "192.0.2.1", "status": null})),
        ("alb", format!("x {alb}"), "http 2018", json!({"type": null, "time": null, "client": null})),
        ("alb", alb.replace(" \"curl/7\"", ""), "- - arn", json!({"status": 200, "method": null, "user_agent": null})),
        ("alb", alb[..80].to_owned(), "", json!({"time": "2018-07-02T22:23:00.186Z", "target": "10.0.0.1"})),
        (
            "squid",
            "1066036250.603    310 192.0.2.1 TCP_MISS/200 1105 GET http://a/ b - HIER_DIRECT/192.0.2.2 text/html".into(),
            " HIER_DIRECT",
            json!({"time": "2003-10-13T09:10:50.603Z", "client": null, "status": null, "peer": null}),
        ),
        ("gcp", "{\"httpRequest\":{\"requestUrl\":\"/a\",\"status\":200},\"x\":}".into(), "}", json!({"status": 200})),
        ("caddy", "{\"a\": 1}".into(), "{\"a", json!({"status": null, "extra": null})),
    ];
    for (format, line, at, kept) in cases {
        for row in rows(&format!("--from {format}"), line) {
            assert_eq!(row["error"], json!("record_malformed"), "{line}: {row:?}");
            assert_eq!(row["uri"], json!(line), "{row:?}");
            let offset = row["error_offset"].as_u64().expect("an offset") as usize;
            assert!(
                offset <= line.len() && line[offset..].starts_with(at),
                "{line}: byte {offset}, not at {at}"
            );
            assert!(!at.is_empty() || offset == line.len(), "{line}: byte {offset}");
            for (name, value) in kept.as_object().expect("an object") {
                assert_eq!(&row[name], value, "{line}: {name} of {row:?}");
            }
        }
    }
}

#[test]
fn fields_change_in_the_midst_of_a_file() {
    let head = |names: &str| format!("#Fields: {names}\n");
    let mut input = head("date time cs-method cs-uri-stem sc-status");
    let mut expected = Vec::new();
    for block in 0..40 {
        let is_other = block % 2 == 1;
        if block > 0 {
            let names =
                ["date time cs-method cs-uri-stem sc-status", "sc-status x-new cs-uri-stem date time"];
            input.push_str(&head(names[usize::from(is_other)]));
        }
        for line in 0..block {
            let (path, status) = (format!("/{block}/{line}"), 200 + line);
            input.push_str(&match is_other {
                false => format!("2020-01-02 00:00:{line:02} GET {path} {status}\n"),
                true => format!("{status} {block} {path} 2020-01-02 00:00:{line:02}\n"),
            });
            let extra = is_other.then(|| format!("{{\"x-new\":\"{block}\"}}"));
            let time = format!("2020-01-02T00:00:{line:02}Z");
            expected.push(json!({"uri": path, "status": status, "time": time, "extra": extra}));
        }
    }
    for sizes in ["", "--chunk 64", "--chunk 300 --threads 3", "--chunk 4000 --threads 2"] {
        let options = format!("--from w3c --columns uri,status,time,extra {sizes}");
        let found: Vec<Value> = rows(&options, &input).into_iter().map(Value::Object).collect();
        assert_eq!(found, expected, "{sizes}");
    }
    // Without a header the fields are unknown.
    let bare = "2020-01-02 00:00:00 GET /a 200\n";
    urimill("normalize --from w3c --to csv").stdin(bare).fails(2, &["#Fields:", "w3c"]);
    urimill("normalize --from zeek --to csv").stdin(bare).fails(2, &["#fields"]);
}

#[test]
fn a_client_writes_no_host_into_the_table() {
    let line = |host: &str, target: &str| {
        format!(
            "[2016-04-15T20:17:00.310Z] \"GET {target} HTTP/1.1\" 200 - 1 2 3 4 \"-\" \"c\" \"id\" \"{host}\" \"-\"\n"
        )
    };
    // (host, target, the URI, its host, what is wrong)
    let cases: &[(&str, &str, &str, Value, Value)] = &[
        (
            "example.com",
            "//evil.example/x",
            "http://example.com//evil.example/x",
            json!("example.com"),
            Value::Null,
        ),
        ("example.com:443", "/a", "https://example.com/a", json!("example.com"), Value::Null),
        ("[::1]:8080", "/a", "http://[::1]:8080/a", json!("[::1]"), Value::Null),
        ("example.com/evil", "/a", "/a", Value::Null, json!("base_not_absolute")),
        ("u@evil.example", "/a", "/a", Value::Null, json!("base_not_absolute")),
        ("evil.example?", "/a", "/a", Value::Null, json!("base_not_absolute")),
        ("a b", "/a", "/a", Value::Null, json!("base_invalid")),
        ("-", "/a", "/a", Value::Null, Value::Null),
        ("h", "a/b", "GET a/b HTTP/1.1", Value::Null, json!("record_malformed")),
    ];
    for (host, target, uri, own, error) in cases {
        let rows = rows("--from envoy", line(host, target));
        let row = &rows[0];
        assert_eq!((&row["uri"], &row["host"], &row["error"]), (&json!(uri), own, error), "{host} {target}");
        // A base from the user takes its place.
        let rows = self::rows("--from envoy --base http://base.example/x", line(host, "/a"));
        assert_eq!(rows[0]["uri"], json!("http://base.example/a"), "{host}");
    }
}

#[test]
fn logs_of_several_formats_make_one_table() {
    let clf = "192.0.2.1 - al [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7 \"-\" \"curl\"\n";
    let inputs = [
        ("1.log", sample("haproxy.log")),
        ("2.log", sample("caddy.log")),
        ("3.log", sample("w3c.log")),
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
        "1.log 2.log 3.log 4.log 5.log 6.log 7.log 8.log 9.log",
        "7.log 9.log 8.log 5.log 6.log 4.log 3.log 2.log 1.log",
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

//! A sample of each format with its facts, bare and after the prefixes of loggers.

use serde_json::{Value, json};
use urimill_testkit::samples::{LOGS, assert_facts, log};

use super::rows;

#[test]
fn every_format_has_a_sample_whose_facts_hold() {
    for (file, format) in LOGS {
        let text = log(file);
        for from in [format, "auto"] {
            for sizes in ["", "--chunk 200 --threads 3"] {
                let what = format!("{from} {sizes}");
                assert_facts(file, &rows(&what, &text), &format!("{file} {what}"));
                let crlf = text.replace('\n', "\r\n");
                assert_facts(file, &rows(&what, &crlf), &format!("{file} {what} with CR LF"));
            }
        }
        let found = urimill_logs::detect(text.as_bytes());
        assert_eq!(found.as_ref().map(urimill_logs::Detected::name), Some(*format), "{file}");
        let is_bare = found.is_some_and(|found| found.wrappers().is_empty());
        assert_eq!(is_bare, *file != "haproxy.log", "{file}");
    }
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
    for from in ["clf", "auto"] {
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
    let files = LOGS.iter().filter(|(file, _)| !headed.contains(file) && *file != "haproxy.log");
    let texts = files.map(|(file, format)| (log(file), *format));
    for (text, format) in texts.chain([(clf.to_owned(), "clf"), (vhost.to_owned(), "clf")]) {
        let bare = rows(format, &text);
        let kinds = around("").len();
        for kind in 0..kinds {
            let wrapped: Vec<_> = text.lines().map(|line| around(line).swap_remove(kind)).collect();
            let input: String = wrapped.iter().map(|(_, line)| format!("{line}\n")).collect();
            for from in [(*format).to_owned(), "auto".to_owned()] {
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
    let mixed = rows("clf", mixed);
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
        for row in rows(format, line) {
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
        let options = format!("w3c --columns uri,status,time,extra {sizes}");
        let found: Vec<Value> = rows(&options, &input).into_iter().map(Value::Object).collect();
        assert_eq!(found, expected, "{sizes}");
    }
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
        let rows = rows("envoy", line(host, target));
        let row = &rows[0];
        assert_eq!((&row["uri"], &row["host"], &row["error"]), (&json!(uri), own, error), "{host} {target}");
        // A base from the user takes its place.
        let rows = self::rows("envoy --base http://base.example/x", line(host, "/a"));
        assert_eq!(rows[0]["uri"], json!("http://base.example/a"), "{host}");
    }
}

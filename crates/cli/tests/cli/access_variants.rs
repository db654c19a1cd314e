//! What stands around lines of logs, and values that several formats have.

use serde_json::{Value, json};
use urimill_testkit::reading::assert_has;

use super::run::{dir, urimill, write};
use super::table::jsonl;

const HEAD: &str = "192.0.2.1 - al [17/May/2015:10:05:03 +0000]";

#[test]
fn what_loggers_put_around_a_line_is_not_part_of_it() {
    let line = format!("{HEAD} \"GET /a HTTP/1.1\" 200 7 \"-\" \"curl/8\"");
    let expected = json!({"uri": "/a", "error": null, "client": "192.0.2.1", "user": "al", "vhost": null, "host": null,
        "user_agent": "curl/8", "rest": null});
    // (line, prefix)
    let cases = [
        (format!("\"{line}\""), Value::Null),
        (format!("   {line}"), Value::Null),
        (format!("2018-02-16T00:00:00.000Z {line}"), json!("2018-02-16T00:00:00.000Z ")),
        (format!("2018-02-16 00:00:00.123+02:00 {line}"), json!("2018-02-16 00:00:00.123+02:00 ")),
    ];
    for (text, prefix) in cases {
        let input = format!("{text}\n{text}\n");
        for from in ["", "--from clf"] {
            let done = urimill(&format!("normalize {from} --to jsonl")).stdin(&input).ok();
            let row = &jsonl(&done.stdout)[0];
            assert_has(row, &expected, &text);
            assert_eq!(row.get("prefix").cloned().unwrap_or_default(), prefix, "{text}");
        }
    }
}

#[test]
fn who_asked_is_an_address_or_a_name() {
    let clf = |client: &str| format!("{client} - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7\n");
    let json = |client: &str| {
        format!("{{\"remote_addr\":{},\"status\":200,\"request_uri\":\"/a\"}}\n", json!(client))
    };
    // (client, as lines of `clf` have it, as objects have it)
    let cases: &[(&str, Option<&str>, Option<&str>)] = &[
        ("192.0.2.1", Some("192.0.2.1"), Some("192.0.2.1")),
        ("[2001:db8::1]", Some("2001:db8::1"), Some("2001:db8::1")),
        ("host.example.com", Some("host.example.com"), None),
        ("GARBAGE!!1.2.3.4", None, None),
        ("1.2.3.999", None, None),
        ("unix:", None, None),
    ];
    for (client, in_lines, in_objects) in cases {
        for (line, expected) in [(clf(client), in_lines), (json(client), in_objects)] {
            let done = urimill("normalize --to jsonl").stdin(line.repeat(2)).ok();
            let fault = expected.is_none().then_some("client:not_an_address");
            let expected = json!({"client": expected, "uri": "/a", "error": null, "field_errors": fault});
            assert_has(&jsonl(&done.stdout)[0], &expected, &line);
        }
    }
}

#[test]
fn a_host_is_what_the_log_says_was_asked_for() {
    // (options, a line with HOST in it)
    let cases = [
        ("", "HOST 192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7\n"),
        (
            "",
            "{\"remote_addr\":\"192.0.2.1\",\"status\":200,\"request_uri\":\"/a\",\"server_name\":\"HOST\"}\n",
        ),
        ("--log-format|$host $remote_addr $request_uri", "HOST 192.0.2.1 /a\n"),
        ("--log-format|%v:%p %a %U", "HOST:80 192.0.2.1 /a\n"),
        ("", "#Fields: c-ip cs-method cs-uri-stem cs-host sc-status\n192.0.2.1 GET /a HOST 200\n"),
    ];
    for (options, line) in cases {
        for (host, expected) in [
            ("www.example.com", json!({"host": "www.example.com", "vhost": "www.example.com"})),
            ("_", json!({"host": null, "vhost": null, "uri": "/a"})),
            ("-", json!({"host": null, "vhost": null, "uri": "/a"})),
            ("*.example.com", json!({"host": null, "vhost": "*.example.com", "uri": "/a"})),
        ] {
            let mut command = urimill("normalize --to jsonl --on-invalid keep");
            for option in options.split('|').filter(|option| !option.is_empty()) {
                command = command.arg(option);
            }
            let done = command.stdin(line.replace("HOST", host)).ok();
            assert_has(&jsonl(&done.stdout)[0], &expected, &format!("{options} {line} {host}"));
        }
    }
}

#[test]
fn nul_bytes_before_lines_are_not_part_of_them() {
    // (options, a line, columns)
    let cases = [
        ("", format!("{HEAD} \"GET /a HTTP/1.1\" 200 7"), json!({"uri": "/a", "client": "192.0.2.1"})),
        (
            "",
            "1533744000.777     11 192.0.2.1 TCP_MISS/200 1390 GET http://h.example/a - HIER_NONE/- text/xml"
                .to_owned(),
            json!({"uri": "http://h.example/a", "client": "192.0.2.1"}),
        ),
        (
            "",
            "{\"remote_addr\":\"192.0.2.1\",\"status\":200,\"request_uri\":\"/a\"}".to_owned(),
            json!({"uri": "/a", "client": "192.0.2.1"}),
        ),
        ("--from jsonl --uri-field u", "{\"u\":\"/a\"}".to_owned(), json!({"uri": "/a"})),
    ];
    let dir = dir();
    for (options, line, expected) in cases {
        let line = line + "\n";
        let mut input = vec![0; 900];
        input.extend(line.as_bytes());
        input.extend(line.as_bytes());
        input.extend([0; 300]);
        input.extend(line.as_bytes());
        write(dir.path(), "in.log", &input);
        let line =
            format!("normalize in.log {options} --to jsonl --verify -o t.jsonl --force --summary json");
        let done = urimill(&line).within(dir.path()).ok();
        let summary = done.stderr.lines().last().expect("a summary");
        let summary: Value = serde_json::from_str(summary).expect("JSON");
        assert_eq!(summary["nul_bytes"], json!(1200), "{options}");
        let found = jsonl(&std::fs::read(dir.path().join("t.jsonl")).expect("a file"));
        assert_eq!(found.len(), 3, "{options}");
        found.iter().for_each(|row| assert_has(row, &expected, options));
        let done = urimill(&format!("normalize in.log {options} --to csv")).within(dir.path()).ok();
        assert!(done.stderr.contains("1,200 NUL bytes"), "{}", done.stderr);
    }
    // Bytes that are not a log are unchanged.
    urimill("normalize --to csv").stdin(vec![0; 900]).fails(2, &["binary data"]);
}

#[test]
fn a_line_of_white_space_is_blank() {
    let clf = format!("{HEAD} \"GET /a HTTP/1.1\" 200 7\n");
    // (options, a line)
    let cases = [
        ("", "http://h/a\n"),
        ("--spec whatwg", "http://h/a\n"),
        ("--from lines --base http://b/ --repair", "a\n"),
        ("", &clf[..]),
        ("--from jsonl --uri-field u", "{\"u\":\"/a\"}\n"),
        (
            "--from heritrix",
            "2012-05-23T15:06:28Z 200 1 http://h/1 LE - text/html #0 20120523150627325+1 sha1:A - -\n",
        ),
        ("--from cdxj", "com,h)/ 20240101000000 {\"url\":\"http://h/\"}\n"),
    ];
    let dir = dir();
    for (options, line) in cases {
        let input = format!(" \t \n{line}\t\n   \n\r\n{line} \r\n\n{line}  ");
        write(dir.path(), "in.log", &input);
        let line = format!(
            "normalize in.log {options} --to jsonl -o t.jsonl --force --verify --summary json --columns record,uri,error"
        );
        let done = urimill(&line).within(dir.path()).ok();
        let summary = done.stderr.lines().last().expect("a summary");
        let summary: Value = serde_json::from_str(summary).expect("JSON");
        let found = (&summary["records"], &summary["rejects"], &summary["lines"]);
        assert_eq!(found, (&json!(3), &json!(0), &json!(10)), "{options}");
        let rows = jsonl(&std::fs::read(dir.path().join("t.jsonl")).expect("a file"));
        let numbers: Vec<_> = rows.iter().map(|row| row["record"].clone()).collect();
        assert_eq!(numbers, [json!(2), json!(6), json!(9)], "{options}");
    }
    // The commands that look at lines themselves agree.
    write(dir.path(), "in.txt", "http://h/a\n  \nhttp://h/ b\n\t\n");
    let done = urimill("check in.txt").within(dir.path()).go();
    assert!(done.text().starts_with("in.txt:3:"), "{}", done.text());
    assert!(done.stderr.contains("2 records, 1 reject"), "{}", done.stderr);
}

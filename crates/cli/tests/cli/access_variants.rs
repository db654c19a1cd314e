//! Variants of the Common and Combined Log Format that servers, proxies and loggers write, and lines of other formats.

use serde_json::{Value, json};

use super::access::{assert_has, rows};
use super::run::{dir, urimill, write};
use super::table::jsonl;

const HEAD: &str = "192.0.2.1 - al [17/May/2015:10:05:03 +0000]";

/// (what it is, what follows the time, what the row has)
fn tails() -> Vec<(&'static str, &'static str, Value)> {
    let whole = json!({"uri": "/a", "error": null, "method": "GET", "protocol": "HTTP/1.1", "status": 200, "size": 7});
    let with = |more: Value| {
        let mut all = whole.clone();
        all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        all
    };
    let malformed = |at: u32| json!({"error": "record_malformed", "error_offset": at, "referer": null, "user_agent": null, "rest": null});
    vec![
        (
            "common",
            r#""GET /a HTTP/1.1" 200 7"#,
            with(json!({"referer": null, "user_agent": null, "rest": null})),
        ),
        (
            "combined",
            r#""GET /a HTTP/1.1" 200 7 "http://r/" "curl/8""#,
            with(json!({"referer": "http://r/", "user_agent": "curl/8", "rest": null})),
        ),
        (
            "spaces",
            r#""GET /a HTTP/1.1"  200  7  "-"  "curl/8"  9"#,
            with(json!({"user_agent": "curl/8", "rest": "9"})),
        ),
        ("spaces in the request", r#""GET     /a  HTTP/1.1 " 200 7"#, whole.clone()),
        (
            "further fields",
            r#""GET /a HTTP/1.1" 200 7 "-" "curl/8" "1.2.3.4, ::1" 0.5"#,
            with(json!({"user_agent": "curl/8", "rest": "\"1.2.3.4, ::1\" 0.5"})),
        ),
        (
            "numbers before the referer",
            r#""GET /a HTTP/1.1" 200 7 512 0.1 "-" "-" "curl/8""#,
            with(json!({"referer": null, "user_agent": null, "rest": "512 0.1 \"-\" \"-\" \"curl/8\""})),
        ),
        (
            "either of two",
            r#""GET /a HTTP/1.1" 200 7 "curl/8""#,
            with(json!({"referer": null, "user_agent": null, "rest": "\"curl/8\""})),
        ),
        (
            "other protocols",
            r#""OPTIONS / RTSP/1.0" 200 7"#,
            json!({"uri": "/", "method": "OPTIONS", "protocol": "RTSP/1.0", "error": null}),
        ),
        (
            "HTTP/0.9",
            r#""GET /a" 200 7"#,
            json!({"uri": "/a", "protocol": null, "status": 200, "error": null}),
        ),
        (
            "dashes",
            r#""GET /a HTTP/1.1" - -"#,
            json!({"uri": "/a", "status": null, "size": null, "error": null, "field_errors": null}),
        ),
        (
            "no number",
            r#""GET /a HTTP/1.1" x 7"#,
            json!({"uri": "/a", "status": null, "size": 7, "field_errors": "status:not_a_number"}),
        ),
        (
            "no number",
            r#""GET /a HTTP/1.1" 200 x "-" "curl/8""#,
            json!({"uri": "/a", "status": 200, "size": null, "user_agent": "curl/8", "field_errors": "size:not_a_number"}),
        ),
        (
            "quotes in the request",
            r#""GET /a"b"c HTTP/1.1" 404 9 "-" "curl/8""#,
            json!({"uri": "/a\"b\"c", "error": "path_invalid_char", "error_offset": 2, "method": "GET", "status": 404, "size": 9,
                "user_agent": "curl/8"}),
        ),
        // The tail of a line never moves.
        ("no status", r#""GET /a HTTP/1.1" 7 "-" "curl/8""#, malformed(62)),
        ("no size", r#""GET /a HTTP/1.1" 200 "-" "curl/8""#, malformed(66)),
        ("nor at the end", r#""GET /a HTTP/1.1" 200"#, malformed(65)),
        ("a word more", r#""GET /a HTTP/1.1" x 200 7 "-" "curl/8""#, malformed(62)),
        ("a word more", r#""GET /a HTTP/1.1" 200 x 7 "-" "curl/8""#, malformed(66)),
        ("swapped", r#""GET /a HTTP/1.1" 7 200 "-" "curl/8""#, malformed(62)),
        ("status twice", r#""GET /a HTTP/1.1" 200 200 7 "-" "curl/8""#, malformed(66)),
        ("a text behind a quote", r#""GET /a HTTP/1.1" 200 7 "-"x "curl/8""#, malformed(71)),
        ("swapped", r#""GET /a HTTP/1.1" 200 7 "curl/8" "http://r/""#, malformed(69)),
        ("swapped", r#""GET /a HTTP/1.1" 200 7 "Mozilla/5.0 (x)" "-""#, malformed(69)),
        ("referer twice", r#""GET /a HTTP/1.1" 200 7 "http://r/" "http://r/" "curl/8""#, malformed(69)),
        (
            "two lines in one",
            r#""GET /a HTTP/1.1" 200 7 "-" "curl/8"192.0.2.2 - - [17/May/2015:10:05:03 +0000] "GET /b HTTP/1.1" 200 8"#,
            malformed(80),
        ),
        // A client has written what looks like the end of the request.
        (
            "forged",
            r#""GET /x" 200 5 "-" "y HTTP/1.1" 404 9 "-" "curl/8""#,
            json!({"error": "record_malformed", "status": null, "size": null}),
        ),
        (
            "forged",
            r#""GET /x HTTP/1.1" 200 5 "-" "y HTTP/1.1" 404 9 "-" "curl/8""#,
            json!({"error": "record_malformed", "user_agent": null}),
        ),
        (
            "forged",
            r#""GET /x HTTP/1.1" 200 5 HTTP/1.1" 404 9 "-" "curl/8""#,
            json!({"error": "record_malformed", "rest": null}),
        ),
    ]
}

#[test]
fn each_field_behind_the_time_proves_its_place() {
    for (what, tail, expected) in tails() {
        let line = format!("{HEAD} {tail}");
        let found = rows("", format!("{line}\n"));
        assert_eq!(found.len(), 1, "{what}: {line}");
        assert_has(&found[0], &expected, &format!("{what}: {line}"));
        // The same after a prefix.
        if expected["error"].is_null() {
            let row = &rows("", format!("Feb 25 16:19:38 h web[7]: {line}\n").repeat(2))[0];
            assert_has(row, &expected, &format!("behind a prefix, {what}: {line}"));
        }
    }
}

#[test]
fn times_stand_in_brackets_of_several_kinds_and_forms() {
    // (time with its brackets, moment)
    let cases = [
        ("[17/May/2015:10:05:03 +0000]", "2015-05-17T10:05:03Z"),
        ("[17/May/2015:12:05:03.143 +0200]", "2015-05-17T10:05:03.143Z"),
        ("[2015-05-17T12:05:03+02:00]", "2015-05-17T10:05:03Z"),
        ("[2015-05-17T10:05:03.5Z]", "2015-05-17T10:05:03.500Z"),
        ("[+0200](17/May/2015:12:05:03)", "2015-05-17T10:05:03Z"),
        ("(17/May/2015:10:05:03 +0000)", "2015-05-17T10:05:03Z"),
        ("<2015-05-17T10:05:03Z>", "2015-05-17T10:05:03Z"),
    ];
    for (time, moment) in cases {
        for head in ["192.0.2.1 - al", "Feb 25 16:19:38 h web[7]: 192.0.2.1 - al"] {
            let row = &rows("", format!("{head} {time} \"GET /a HTTP/1.1\" 200 7\n").repeat(2))[0];
            let expected = json!({"time": moment, "uri": "/a", "client": "192.0.2.1", "field_errors": null});
            assert_has(row, &expected, time);
        }
    }
    // Without a zone the moment is unknown.
    let row = &rows("", "192.0.2.1 - - [17/May/2015:10:05:03] \"GET /a HTTP/1.1\" 200 7\n")[0];
    assert_has(row, &json!({"time": null, "uri": "/a", "field_errors": "time:not_a_time"}), "no zone");
}

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
    // A quote before a line does not enclose it.
    let row = &rows("", format!("\"{line}\n"))[0];
    assert_has(row, &json!({"error": "record_malformed", "client": null}), "a quote");
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

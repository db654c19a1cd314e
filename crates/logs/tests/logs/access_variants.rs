//! Variants of the Common and Combined Log Format that servers and proxies write.

use serde_json::{Value, json};
use urimill_testkit::reading::assert_has;

use super::access::rows;

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
fn a_quote_before_a_line_does_not_enclose_it() {
    let line = format!("{HEAD} \"GET /a HTTP/1.1\" 200 7 \"-\" \"curl/8\"");
    let row = &rows("", format!("\"{line}\n"))[0];
    assert_has(row, &json!({"error": "record_malformed", "client": null}), "a quote");
}

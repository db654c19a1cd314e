//! Lines of access logs with faults, and the forms of their times.

use serde_json::{Value, json};
use urimill_testkit::reading::assert_has;

use super::rows;

/// (a line, what its row says)
#[rustfmt::skip]
fn broken() -> Vec<(&'static [u8], Value)> {
    vec![
        (b"h - - [17/May/2015:12:05:03 +0200] \"GET /a HTTP/1.0\" 200 -", json!({"error": null, "uri": "/a",
            "time": "2015-05-17T10:05:03Z", "size": null, "referer": null, "rest": null, "field_errors": null})),
        (b"h - a b [17/May/2015:12:05:03 -0330] \"GET /a\" 200 1 \"r\\\"s\" \"\\xe9\" 7 8", json!({"uri": "/a", "user": "a b",
            "time": "2015-05-17T15:35:03Z", "method": "GET", "protocol": null, "referer": "r\"s",
            "user_agent": "\\xe9", "rest": "7 8"})),
        // Requests without a URI keep their rows.
        (b"h - - [17/May/2015:12:05:03 +0000] \"-\" 408 0", json!({"error": null, "uri": null,
            "status": 408, "method": null, "time": "2015-05-17T12:05:03Z"})),
        (b"h - - [17/May/2015:12:05:03 +0000] \"\\x16\\x03\\x01\" 400 0", json!({"error": "record_malformed", "status": 400})),
        (b"h - - [17/May/2015:12:05:03 +0000] \"OPTIONS * HTTP/1.0\" 200 0", json!({"error": null, "uri": null, "method": "OPTIONS",
            "protocol": "HTTP/1.0"})),
        (b"h - - [17/May/2015:12:05:03 +0000] \"CONNECT h:443 HTTP/1.0\" 200 0", json!({"error": null, "host": "h", "port": 443,
            "scheme": null, "raw": "h:443", "method": "CONNECT"})),
        // A text that the server has escaped is the one that was requested.
        (b"h - - [17/May/2015:12:05:03 +0000] \"GET /a\\\"b HTTP/1.0\" 200 0", json!({"error": "path_invalid_char", "uri": "/a\"b"})),
        (b"h - - [17/May/2015:12:05:03 +0000] \"GET /a b HTTP/1.0\" 200 0", json!({"error": "path_invalid_char", "uri": "/a b"})),
        (b"h - - [32/May/2015:12:05:03 +0000] \"GET /a HTTP/1.0\" x 0", json!({"error": null,
            "field_errors": "time:not_a_time,status:not_a_number"})),
        (b"h - - [17/May/2015:12:05:03 +0000] \"GET /a HTTP/1.0 200 0", json!({"error": "record_malformed", "error_offset": 57})),
        (b"h - -", json!({"error": "record_malformed"})),
    ]
}

#[test]
fn a_broken_line_keeps_its_row() {
    for (line, expected) in broken() {
        let what = line.escape_ascii().to_string();
        let rows = rows("clf", [line, b"\n"].concat());
        assert_eq!(rows.len(), 1, "{what}");
        assert_has(&rows[0], &expected, &what);
    }
}

#[test]
fn moments_are_those_of_the_calendar_with_a_zone() {
    // (time, moment or null)
    let forms: &[(&str, Option<&str>)] = &[
        ("29/Feb/2016:00:30:00 +0100", Some("2016-02-28T23:30:00Z")),
        ("31/Dec/2015:23:59:59 -0001", Some("2016-01-01T00:00:59Z")),
        ("31/dec/2015:23:59:59 +0000", None),
        ("31/Nov/2015:23:59:59 +0000", None),
        ("31/Dec/2015:23:59:59 +2400", None),
        ("31/Dec/2015:23:59:59", None),
    ];
    for (time, moment) in forms {
        let row = &rows("clf", format!("h - - [{time}] \"GET / HTTP/1.0\" 200 0\n"))[0];
        let fault = moment.is_none().then_some("time:not_a_time");
        assert_has(row, &json!({"time": moment, "field_errors": fault}), time);
    }
}

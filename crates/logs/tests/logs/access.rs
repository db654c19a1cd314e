//! The logs of web servers with virtual hosts, and the targets of requests (RFC 9112, 3.2).

use serde_json::{Value, json};
use urimill_testkit::reading::{Row, assert_has};

const TIME: &str = "[17/May/2015:10:05:03 +0000]";
const REST: &str = "200 7 \"-\" \"curl/8\"";

/// A line with these words before the time, and this request.
pub(crate) fn line(head: &str, request: &str) -> String {
    format!("{head} {TIME} \"{request}\" {REST}\n")
}

/// The rows of an access log.
pub(crate) fn rows(options: &str, input: impl AsRef<[u8]>) -> Vec<Row> {
    super::rows(&format!("clf {options}"), input)
}

/// (what precedes the time, what the row says of a request for /a)
pub(crate) fn heads() -> Vec<(&'static str, Value)> {
    vec![
        (
            "1.2.3.4 - -",
            json!({"uri": "/a", "client": "1.2.3.4", "vhost": null, "vhost_port": null, "forwarded_for": null}),
        ),
        // Debian's other_vhosts_access.log.
        (
            "example.com:443 1.2.3.4 - -",
            json!({"uri": "https://example.com/a", "raw": "/a", "vhost": "example.com", "vhost_port": 443,
                "client": "1.2.3.4", "ident": null, "user": null}),
        ),
        (
            "Example.com:80 1.2.3.4 - al",
            json!({"uri": "http://example.com/a", "vhost": "Example.com", "vhost_port": 80, "user": "al"}),
        ),
        (
            "example.com:8443 1.2.3.4 - -",
            json!({"uri": "http://example.com:8443/a", "vhost": "example.com", "vhost_port": 8443, "port": 8443}),
        ),
        ("h:0443 ::1 - -", json!({"uri": "https://h/a", "vhost": "h", "vhost_port": 443, "client": "::1"})),
        // An address before the client was sent by somebody, as X-Forwarded-For.
        (
            "[::1]:443 ::1 - -",
            json!({"uri": "/a", "vhost": null, "vhost_port": null, "client": "::1", "forwarded_for": "[::1]:443"}),
        ),
        (
            "2001:db8::1 ::1 - -",
            json!({"uri": "/a", "vhost": null, "client": "::1", "forwarded_for": "2001:db8::1"}),
        ),
        (
            "203.0.113.5 10.0.0.10 - al",
            json!({"uri": "/a", "vhost": null, "client": "10.0.0.10", "forwarded_for": "203.0.113.5", "user": "al"}),
        ),
        (
            "unknown 10.0.0.10 - -",
            json!({"uri": "/a", "vhost": null, "client": "10.0.0.10", "forwarded_for": "unknown"}),
        ),
        (
            "203.0.113.5, ::1 10.0.0.10 - al",
            json!({"uri": "/a", "client": "10.0.0.10", "forwarded_for": "203.0.113.5, ::1", "user": "al"}),
        ),
        (
            "\"203.0.113.5, ::1\" 10.0.0.10 - al",
            json!({"uri": "/a", "client": "10.0.0.10", "forwarded_for": "203.0.113.5, ::1", "user": "al"}),
        ),
        (
            "\"203.0.113.5\" 10.0.0.10 - -",
            json!({"uri": "/a", "client": "10.0.0.10", "forwarded_for": "203.0.113.5"}),
        ),
        (
            "\"-\" 10.0.0.10 - -",
            json!({"uri": "/a", "client": "10.0.0.10", "vhost": null, "forwarded_for": null}),
        ),
        ("\"w.example\" 10.0.0.10 - -", json!({"uri": "http://w.example/a", "client": "10.0.0.10"})),
        (
            "w:80 \"203.0.113.5, ::1\" 10.0.0.10 - -",
            json!({"uri": "http://w/a", "client": "10.0.0.10", "forwarded_for": "203.0.113.5, ::1"}),
        ),
        (
            "10.0.0.10:567 w.example:443 - -",
            json!({"uri": "https://w.example/a", "client": "10.0.0.10", "client_port": 567}),
        ),
        // No host, and a pattern.
        ("_ 10.0.0.10 - -", json!({"uri": "/a", "host": null, "vhost": null, "client": "10.0.0.10"})),
        ("_:80 10.0.0.10 - -", json!({"uri": "/a", "host": null, "vhost": null, "client": "10.0.0.10"})),
        ("\"\" 10.0.0.10 - -", json!({"uri": "/a", "host": null, "client": "10.0.0.10"})),
        ("*.example.com 10.0.0.10 - -", json!({"uri": "/a", "host": null, "vhost": "*.example.com"})),
        // Ports and brackets.
        (
            "w.example 10.0.0.10:567 - -",
            json!({"uri": "http://w.example/a", "client": "10.0.0.10", "client_port": 567}),
        ),
        ("[::1]:567 - -", json!({"uri": "/a", "client": "::1", "client_port": 567})),
        ("[10.0.0.10] - al", json!({"uri": "/a", "client": "10.0.0.10", "client_port": null, "user": "al"})),
        ("w.example [::1] - -", json!({"uri": "http://w.example/a", "client": "::1"})),
        // lighttpd, Jetty.
        (
            "10.0.0.10 [2001:db8::9]:81 al",
            json!({"uri": "http://[2001:db8::9]:81/a", "vhost": "[2001:db8::9]", "vhost_port": 81, "client": "10.0.0.10"}),
        ),
        ("10.0.0.10 - ", json!({"uri": "/a", "client": "10.0.0.10", "ident": null, "user": null})),
        ("10.0.0.10 -  - ", json!({"uri": "/a", "client": "10.0.0.10", "ident": null, "user": null})),
        ("  10.0.0.10 - al", json!({"uri": "/a", "client": "10.0.0.10", "user": "al"})),
        (
            "www.example.com 1.2.3.4 - al",
            json!({"uri": "http://www.example.com/a", "vhost_port": null, "user": "al"}),
        ),
        // A server that does not know its name.
        ("- 1.2.3.4 - -", json!({"uri": "/a", "vhost": null, "client": "1.2.3.4"})),
        // OVH.
        (
            "1.2.3.4 www.example.com al",
            json!({"uri": "http://www.example.com/a", "vhost": "www.example.com", "client": "1.2.3.4", "ident": null,
                "user": "al"}),
        ),
        ("1.2.3.4 frank al", json!({"uri": "/a", "vhost": null, "ident": "frank", "user": "al"})),
        // X-Forwarded-For.
        (
            "1.2.3.4, 5.6.7.8 - -",
            json!({"uri": "/a", "client": "1.2.3.4", "forwarded_for": "1.2.3.4, 5.6.7.8", "ident": null, "user": null}),
        ),
        (
            "example.com:443 1.2.3.4, 5.6.7.8, ::1 - al",
            json!({"uri": "https://example.com/a", "vhost": "example.com", "client": "1.2.3.4",
                "forwarded_for": "1.2.3.4, 5.6.7.8, ::1", "user": "al"}),
        ),
        (
            "h.example 1.2.3.4 - 95386da81aa13b6ab3ce9c989e1e470e -",
            json!({"uri": "http://h.example/a", "ident": null, "user": null,
                "extra": "{\"request_id\":\"95386da81aa13b6ab3ce9c989e1e470e\"}"}),
        ),
        ("1.2.3.4 - al bert", json!({"uri": "/a", "client": "1.2.3.4", "user": "al bert"})),
        // A text that cannot be a host: the grammar reports it, as for any base.
        (
            "a%zz 1.2.3.4 - -",
            json!({"error": "base_invalid", "uri": "/a", "vhost": "a%zz", "client": "1.2.3.4"}),
        ),
    ]
}

#[test]
fn a_virtual_host_is_the_base_of_its_requests() {
    for (head, expected) in heads() {
        let row = &rows("", line(head, "GET /a HTTP/1.1"))[0];
        assert_has(row, &expected, head);
        let always = json!({"time": "2015-05-17T10:05:03Z", "method": "GET", "protocol": "HTTP/1.1", "status": 200,
            "size": 7, "referer": null, "user_agent": "curl/8", "rest": null, "field_errors": null});
        assert_has(row, &always, head);
        // The user's base counts.
        let row = &rows("--base http://b.example/x/y", line(head, "GET /a HTTP/1.1"))[0];
        assert_eq!(row["uri"], json!("http://b.example/a"), "{head}");
        let expected =
            json!({"client": row["client"], "vhost": expected.get("vhost").unwrap_or(&row["vhost"])});
        assert_has(row, &expected, head);
    }
}

/// (what precedes the time, the byte where the line stops to be of a form, the client that stays)
const UNKNOWN: &[(&str, u32, Option<&str>)] = &[
    ("a b c d", 4, None),
    ("www.example.com 1.2.3.4 -", 16, None),
    ("1.2.3.4 5.6.7.8 -", 8, None),
    ("w 1.2.3.4 - al bert", 12, Some("1.2.3.4")),
    ("1.2.3.4 - - -", 10, Some("1.2.3.4")),
    ("w - - -", 4, None),
    ("a/b?c 1.2.3.4 - -", 0, None),
    ("u@h 1.2.3.4 - -", 0, None),
    ("1.2.3.4 -", 9, Some("1.2.3.4")),
    ("al - 1.2.3.4", 5, None),
    ("1.2.3.4 - al al", 10, Some("1.2.3.4")),
    ("1.2.3.4 w.example - al", 8, None),
    ("2018-02-16 1.2.3.4 - -", 0, None),
    ("1518739200.123 1.2.3.4 - -", 0, None),
    ("[info] 1.2.3.4 - -", 0, None),
];

#[test]
fn a_line_of_no_form_keeps_what_could_be_read() {
    for &(head, at, client) in UNKNOWN {
        let line = line(head, "GET /a HTTP/1.1");
        let row = &rows("", &line)[0];
        let expected = json!({"uri": line.trim_end(), "error": "record_malformed", "error_offset": at, "client": client,
            "ident": null, "user": null, "time": "2015-05-17T10:05:03Z", "method": "GET", "protocol": "HTTP/1.1",
            "status": 200, "size": 7, "user_agent": "curl/8", "field_errors": null});
        assert_has(row, &expected, head);
    }
    // The line breaks off after what could be read.
    let row = &rows("", format!("w:443 1.2.3.4 - al {TIME} \"GET /a HTTP/1.1"))[0];
    let expected = json!({"error": "record_malformed", "error_offset": 64, "vhost": "w", "vhost_port": 443,
        "client": "1.2.3.4", "user": "al", "time": "2015-05-17T10:05:03Z", "method": null, "status": null,
        "field_errors": "unfinished"});
    assert_has(row, &expected, "cut off");
    let row = &rows("", "Mar 24 14:02:50 web1 tomcat.log: 127.0.0.1 - - \"GET /a HTTP/1.1\" 200 6 4\n")[0];
    assert_has(row, &json!({"error": "record_malformed", "client": null, "method": null}), "no time");
}

/// (options, request, what the row says): without a base, and with one.
#[rustfmt::skip]
fn targets() -> Vec<(&'static str, &'static str, Value)> {
    const B: &str = "--base http://b.example/x/y?z";
    vec![
        // RFC 9112, 3.2.1: an absolute path, whatever it begins with.
        ("", "GET /where?q=now HTTP/1.1", json!({"uri": "/where?q=now", "raw": null})),
        ("", "GET //favicon.ico HTTP/1.1", json!({"uri": "/.//favicon.ico", "raw": "//favicon.ico", "host": null,
            "path": "/.//favicon.ico", "flags": []})),
        (B, "GET //favicon.ico HTTP/1.1", json!({"uri": "http://b.example//favicon.ico", "raw": "//favicon.ico",
            "host": "b.example", "path": "//favicon.ico"})),
        ("--level none", "GET //a/../b HTTP/1.1", json!({"uri": "/.//a/../b", "host": null})),
        ("--spec rfc2396", "GET //evil.example/a HTTP/1.1", json!({"uri": "/.//evil.example/a", "host": null})),
        ("--spec rfc2396 --base http://b.example/", "GET //evil.example/a HTTP/1.1",
            json!({"uri": "http://b.example//evil.example/a", "host": "b.example"})),
        ("--base foo:/x", "GET //evil.example/a HTTP/1.1", json!({"uri": "foo:/.//evil.example/a", "host": null})),
        ("--spec rfc2396 --base foo:/x", "GET //evil.example/a HTTP/1.1", json!({"uri": "foo:/.//evil.example/a", "host": null})),
        (B, "GET ///a?b//c HTTP/1.0", json!({"uri": "http://b.example///a?b//c", "path": "///a", "query": "b//c"})),
        (B, "GET //u:p@evil.example:1/ HTTP/1.0", json!({"host": "b.example", "userinfo": null, "port": null,
            "path": "//u:p@evil.example:1/"})),
        (B, "GET // HTTP/1.0", json!({"uri": "http://b.example//", "path": "//"})),
        (B, "GET //a/%2e%2e/b HTTP/1.0", json!({"host": "b.example"})),
        // The server has escaped it.
        (B, "GET \\x2F/evil.example/ HTTP/1.1", json!({"uri": "http://b.example//evil.example/", "host": "b.example"})),
        // Its faults are at the byte of the target.
        ("", "GET //a b HTTP/1.1", json!({"uri": "//a b", "error": "path_invalid_char", "error_offset": 3})),
        (B, "GET //a b HTTP/1.1", json!({"uri": "//a b", "error": "path_invalid_char", "error_offset": 3})),
        ("", "GET //%4 HTTP/1.1", json!({"error": "percent_truncated", "error_offset": 4})),
        ("--repair", "GET //a b HTTP/1.1", json!({"uri": "/.//a%20b", "raw": "//a b", "flags": ["repaired"]})),
        ("--repair --base http://b.example", "GET //a b HTTP/1.1", json!({"uri": "http://b.example//a%20b"})),
        ("--repair", "GET //\\xff HTTP/1.1", json!({"uri": "/.//%FF"})),
        ("--max-record 4", "GET //abc HTTP/1.1", json!({"error": "too_long", "error_offset": 4})),
        // 3.2.2: a URI.
        (B, "GET HTTP://H.example:80/%7ea HTTP/1.1", json!({"uri": "http://h.example/~a", "host": "h.example"})),
        // 3.2.3: host and port.
        ("--level syntax", "CONNECT H.example:443 HTTP/1.1", json!({"uri": "//h.example:443", "raw": "H.example:443",
            "host": "h.example", "port": 443, "path": "", "scheme": null, "method": "CONNECT"})),
        ("--level syntax --base https://b.example/", "CONNECT h.example:8443 HTTP/1.1",
            json!({"uri": "https://h.example:8443", "host": "h.example", "port": 8443})),
        ("--level syntax", "CONNECT [::1]:443 HTTP/1.1", json!({"uri": "//[::1]:443", "host_kind": "ipv6"})),
        ("", "CONNECT a<b:443 HTTP/1.1", json!({"uri": "a<b:443", "error": "host_invalid_char", "error_offset": 1})),
        ("", "CONNECT h.example HTTP/1.1", json!({"uri": "CONNECT h.example HTTP/1.1", "error": "record_malformed",
            "error_offset": 8, "method": "CONNECT", "host": null})),
        ("", "CONNECT //h.example:443 HTTP/1.1", json!({"error": "record_malformed", "host": null})),
        // 3.2.4: the server, for OPTIONS alone.
        ("", "OPTIONS * HTTP/1.1", json!({"uri": null, "raw": null, "error": null, "method": "OPTIONS", "protocol": "HTTP/1.1"})),
        (B, "OPTIONS * HTTP/1.1", json!({"uri": null, "host": null, "path": null, "error": null, "status": 200})),
        ("", "GET * HTTP/1.1", json!({"uri": "GET * HTTP/1.1", "error": "record_malformed", "error_offset": 4, "method": "GET"})),
        // No form at all.
        (B, "GET index.html HTTP/1.1", json!({"error": "record_malformed", "error_offset": 4, "host": null})),
        (B, "GET ?q HTTP/1.1", json!({"error": "record_malformed", "error_offset": 4, "host": null})),
        ("", "\\x16\\x03\\x01\\x00", json!({"uri": "\\x16\\x03\\x01\\x00", "error": "record_malformed", "error_offset": 0,
            "method": null, "status": 200})),
    ]
}

#[test]
fn targets_of_requests_are_read_as_rfc_9112_has_them() {
    for (options, request, expected) in targets() {
        let row = &rows(options, line("1.2.3.4 - -", request))[0];
        assert_has(row, &expected, &format!("{options} {request}"));
    }
}

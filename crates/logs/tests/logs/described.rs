//! Logs by format strings of Apache and nginx, and what is the same for all servers.

use serde_json::{Value, json};
use urimill_testkit::reading::{Reading, Row, assert_has};
use urimill_testkit::samples::log;

use super::rows;

/// The rows of a log that a format string describes.
pub(super) fn described(format: &str, options: &str, input: &str) -> Vec<Row> {
    let formats = std::iter::once(urimill_logs::DESCRIBED);
    let what = format!("{} {options}", urimill_logs::DESCRIBED.name);
    Reading::named(&what, formats).described_by(format).rows(input)
}

#[test]
fn format_strings_of_configurations_describe_logs() {
    const TIME: &str = "[17/May/2015:10:05:03 +0000]";
    // (format string, a line, what its row has)
    let cases: &[(&str, String, Value)] = &[
        (
            "combined",
            format!("192.0.2.1 - al {TIME} \"GET //a HTTP/1.1\" 200 7 \"http://h/\" \"curl \\\"8\\\"\""),
            json!({"uri": "/.//a", "client": "192.0.2.1", "user": "al", "time": "2015-05-17T10:05:03Z", "status": 200,
                "size": 7, "method": "GET", "protocol": "HTTP/1.1", "referer": "http://h/", "user_agent": "curl \"8\""}),
        ),
        (
            r#"%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" %D %{X-Id}o"#,
            format!(
                "www.example.com:443 h.example - - {TIME} \"GET /a?b HTTP/1.1\" 200 7 \"-\" \"-\" 1500 x7"
            ),
            json!({"uri": "https://www.example.com/a?b", "client": "h.example", "vhost": "www.example.com",
                "server_port": 443, "sent": 7, "duration_us": 1500, "response_x_id": "x7", "referer": null}),
        ),
        (
            "%a\t%m\t%U\t%q\t%s\t%{Host}i",
            "192.0.2.1\tGET\t/a b\t?c=d\t200\texample.com:8080".to_owned(),
            json!({"error": "path_invalid_char", "status": 200, "vhost": "example.com", "vhost_port": 8080}),
        ),
        (
            r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" rt=$request_time uct="$upstream_connect_time" $my_own"#,
            format!(
                "192.0.2.1 - - {TIME} \"GET /a HTTP/2.0\" 200 7 \"-\" \"x\" rt=0.250 uct=\"0.1, 0.2\" own"
            ),
            json!({"uri": "/a", "duration_us": 250_000, "upstream_connect_time": "0.1, 0.2", "my_own": "own"}),
        ),
        (
            "$scheme|$host|$request_uri|$msec|$upstream_addr|$status",
            "https|example.com|//x?y|1431864303.123|10.0.0.1:80, 10.0.0.2:80|404".to_owned(),
            json!({"uri": "https://example.com//x?y", "time": "2015-05-17T12:05:03.123Z", "status": 404,
                "upstream": "10.0.0.1:80, 10.0.0.2:80"}),
        ),
        // Fields of another form: the line is of another log.
        (
            "common",
            format!("www.example.com 192.0.2.1 - - {TIME} \"GET /a HTTP/1.1\" 200 7"),
            json!({"error": "record_malformed", "client": null, "status": null}),
        ),
    ];
    for (format, line, expected) in cases {
        assert_has(&described(format, "", line)[0], expected, line);
        // After a prefix it is the same, and the prefix is kept.
        if expected["error"].is_null() {
            let row = &described(format, "", &format!("Feb 25 16:19:38 h web[7]: {line}\n"))[0];
            assert_has(row, expected, line);
            assert_eq!(row["prefix"], json!("Feb 25 16:19:38 h web[7]: "), "{line}");
        }
    }
    // The same as by name.
    let text = log("traefik.log");
    let format = r#"%h - %u %t "%r" %s %b "%{Referer}i" "%{User-Agent}i" %{number}n "%{router}n" "%{upstream}n" %{ms}T"#;
    let columns =
        "--columns uri,raw,client,user,time,status,size,referer,user_agent,router,upstream,duration_us";
    assert_eq!(described(format, columns, &text), rows(&format!("traefik {columns}"), &text));
}

#[test]
fn a_uri_may_be_of_several_fields() {
    // (format string, a line, what its row has)
    let cases: &[(&str, &str, Value)] = &[
        (
            "$scheme://$host$request_uri $status",
            "https://www.example.org/a//b?c=d 301",
            json!({"uri": "https://www.example.org/a//b?c=d", "vhost": "www.example.org", "status": 301}),
        ),
        (
            "$scheme://$host:$server_port$uri$is_args$args $status",
            "https://www.example.org:8443/a?c 200",
            json!({"uri": "https://www.example.org:8443/a?c", "server_port": 8443}),
        ),
        (
            "$scheme://$host:$server_port$uri$is_args$args $status",
            "http://www.example.org:80/a 200",
            json!({"uri": "http://www.example.org/a", "server_port": 80}),
        ),
        (
            "https://$host$request_uri|$status",
            "https://[2001:db8::1]:8443//a|200",
            json!({"uri": "https://[2001:db8::1]:8443//a"}),
        ),
        (
            "%v%U%q %s",
            "www.example.org/?c=d 200",
            json!({"uri": "http://www.example.org/?c=d", "vhost_port": null}),
        ),
        (
            "%h \"%m %U%q %H\" %s",
            "192.0.2.1 \"GET /a?b HTTP/1.1\" 200",
            json!({"uri": "/a?b", "method": "GET",
            "protocol": "HTTP/1.1", "status": 200}),
        ),
        // No host, no path, another scheme.
        ("$scheme://$host$request_uri $status", "https://-/a 200", json!({"uri": "/a"})),
        (
            "$scheme://$host$request_uri $status",
            "https://example.org 200",
            json!({"error": "record_malformed"}),
        ),
        ("$host$request_uri $status", "example.org:8080/a 200", json!({"uri": "http://example.org:8080/a"})),
        (
            "https://$host$request_uri $status",
            "http://example.org/a 200",
            json!({"uri": "http://example.org/a"}),
        ),
    ];
    for (format, line, expected) in cases {
        assert_has(&described(format, "", line)[0], expected, &format!("{format}: {line}"));
    }
}

#[test]
fn fields_may_be_skipped_and_the_rest_taken() {
    // (format string, a line, what its row has)
    let cases: &[(&str, &str, Value)] = &[
        (
            "%h %^ %^ %t \"%r\" %s %^",
            "192.0.2.1 x y [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 z",
            json!({"uri": "/a", "client": "192.0.2.1", "status": 200}),
        ),
        (
            "%h \"%r\" %s …",
            "192.0.2.1 \"GET /a HTTP/1.1\" 200 a b \"c\"",
            json!({"uri": "/a", "rest": "a b \"c\""}),
        ),
        ("%h \"%r\" %s…", "192.0.2.1 \"GET /a HTTP/1.1\" 200", json!({"uri": "/a", "rest": null})),
        (
            "$request_uri $status $reason",
            "/a 422 Unprocessable Entity",
            json!({"reason": "Unprocessable Entity"}),
        ),
        ("$request_uri $status $reason", "/a x 422", json!({"error": "record_malformed", "reason": null})),
        (
            "$time_local | $http_user_agent | $request_uri",
            "17/May/2015:10:05:03 +0000 | a b (c; d) | /a",
            json!({"uri": "/a", "user_agent": "a b (c; d)", "time": "2015-05-17T10:05:03Z"}),
        ),
        // A time without brackets.
        (
            "$time_local $remote_addr \"$request\"",
            "17/May/2015:10:05:03 +0200 192.0.2.1 \"GET /a HTTP/1.1\"",
            json!({"uri": "/a", "client": "192.0.2.1", "time": "2015-05-17T08:05:03Z"}),
        ),
        (
            "$time_local $remote_addr \"$request\"",
            "17/May/2015:10:05:03 192.0.2.1 \"GET /a HTTP/1.1\"",
            json!({"error": "record_malformed"}),
        ),
        (
            "squid:%ru %tl",
            "http://h/ 17/May/2015:10:05:03 +0200",
            json!({"uri": "http://h/",
            "time": "2015-05-17T08:05:03Z"}),
        ),
        // The first of two fields with one name has its own column.
        ("%s %>s %U", "301 200 /a", json!({"status": 200, "status_2": 301})),
    ];
    for (format, line, expected) in cases {
        assert_has(&described(format, "", line)[0], expected, &format!("{format}: {line}"));
    }
}

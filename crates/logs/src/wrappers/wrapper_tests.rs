//! Where each wrapper ends, and what it says of time and host.

use super::text::ROWS;
use super::*;

/// The wrapper of a line that is alone, by the order in which they are tried, and the line in it.
fn first(line: &str) -> Option<(Wrapper, String)> {
    let wrapper = sure(line.as_bytes())?;
    let inner = wrapper.take_off(line.as_bytes())?;
    Some((wrapper, String::from_utf8(inner).expect("UTF-8")))
}

#[test]
fn wrappers_of_a_line_alone_end_where_the_line_begins() {
    // (line, the line in it)
    let cases: &[(&str, Option<&str>)] = &[
        ("Feb 25 16:19:38 host haproxy[7]: a b", Some("a b")),
        ("Feb  5 16:19:38 192.0.2.1 nginx: a", Some("a")),
        ("<134>Feb 25 16:19:38 host tag: a", Some("a")),
        ("2021-11-12T16:59:46.613304+00:00 192.0.2.1  {\"a\":1}", Some("{\"a\":1}")),
        ("Feb 25 16:19:38 host {\"a\":1}", Some("{\"a\":1}")),
        ("<134>2016-07-04T22:37:26Z cache-sjc LogName[62]: a", Some("a")),
        ("2016-07-04T22:37:26.000123+02:00 host app[1]: a", Some("a")),
        ("<171>1 2025-11-05T20:47:03.000000+00:00 h nginx - - - a b", Some("a b")),
        ("<34>1 - h su - ID47 [x@1 a=\"b ] c\" d=\"\\\"\"][y@2] a", Some("a")),
        ("<34>1 2003-10-11T22:14:15Z h su - ID47 - \u{feff}a", Some("a")),
        ("2016-10-06T00:17:09.669794202Z stdout F a b", Some("a b")),
        ("web-1  | a b", Some("a b")),
        ("{\"log\":\"a\\n\",\"stream\":\"stdout\",\"time\":\"x\"}", Some("a")),
        ("{\"MESSAGE\":\"a\",\"__REALTIME_TIMESTAMP\":\"1\"}", Some("a")),
        ("{\"log\":\"a\"}", None),
        (
            "{address space usage: 3589083136 bytes/3422MB} {rss usage: 318144512 bytes/303MB} [pid: 1",
            Some("[pid: 1"),
        ),
        (
            "{address space usage: 1 bytes/0MB} {rss usage: 1 bytes/0MB} {uss usage: 1 bytes/0MB} {pss usage: 1 bytes/0MB} a",
            Some("a"),
        ),
        ("{address space usage: 1 bytes/0MB}[pid: 1", None),
        ("{address space usage: 1 bytes/0MB} {rss usage: 1 bytes} a", None),
        ("{address space usage: 1 bytes/0MB} {rss", None),
        ("{\"log\":{},\"time\":1}", None),
        ("192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\"", None),
        ("2018-02-16T00:00:00.000Z 192.0.2.1 - a", Some("192.0.2.1 - a")),
        ("2018-02-16 00:00:00+02:00 a", Some("a")),
        ("2018-02-16T00:00:00.000Z", None),
        ("2018-02-16T00:00:00x a", None),
        ("2018-02-30T00:00:00Z a", None),
        ("2018-02-16 a", None),
        ("Feb 25 16:19:38 host", None),
        // No host, and no tag.
        ("Feb 25 16:19:38  tag: a", None),
        ("Feb 25 16:19:38 host : a", None),
        ("<134> a", None),
        ("<134>haproxy[1]: a b", Some("a b")),
        ("<134>haproxy: a b", Some("a b")),
        ("<134>Feb 25 16:19:38 haproxy[1]: a b", Some("a b")),
        ("Feb 25 16:19:38 haproxy[1]: a b", Some("a b")),
        ("<134>192.0.2.1:80 [a] b", Some("192.0.2.1:80 [a] b")),
        ("<134>::1: a", Some("::1: a")),
        ("<134>a", None),
        ("a | b", Some("b")),
        ("a|b", None),
        ("", None),
    ];
    for (line, expected) in cases {
        let found = first(line).map(|(_, inner)| inner);
        assert_eq!(found.as_deref(), *expected, "{line}");
    }
}

#[test]
fn texts_have_a_time_and_a_host() {
    // (name, line, time, host, the line in it)
    let cases: &[(&str, &str, &str, &str, &str)] = &[
        ("syslog", "<134>Feb 25 16:19:38 web1 nginx[7]: a", "", "web1", "a"),
        ("syslog", "Feb 25 16:19:38 web1 a", "", "web1", "a"),
        ("syslog", "Feb 25 2024 16:19:38 web1 nginx: a", "", "web1", "a"),
        ("syslog", "2024 Feb 25 16:19:38 web1 nginx: a", "", "web1", "a"),
        ("syslog", "Feb 25 16:19:38.123456 web1 nginx[7]: a", "", "web1", "a"),
        ("syslog", "2016-07-04T22:37:26+0200 web1 app[1]: a", "2016-07-04T22:37:26+0200", "web1", "a"),
        ("syslog", "2016-07-04 22:37:26 web1 app[1]: a", "2016-07-04 22:37:26", "web1", "a"),
        ("syslog", "Mon 2016-07-04 22:37:26 CEST web1 app[1]: a", "", "web1", "a"),
        ("syslog", "Mon 2016-07-04 22:37:26 UTC web1 app[1]: a", "2016-07-04 22:37:26", "web1", "a"),
        ("syslog", "1467664646.000123 web1 app[1]: a", "1467664646.000123", "web1", "a"),
        ("syslog", "[    1.234567] web1 app[1]: a", "", "web1", "a"),
        ("syslog", "[12345.234567 <    0.000001 >] web1 app[1]: a", "", "web1", "a"),
        ("syslog", "<34>1 2003-10-11T22:14:15Z h su - ID47 - a", "2003-10-11T22:14:15Z", "h", "a"),
        ("syslog", "<34>1 - - su - ID47 [x@1][y z=\"]\"] a", "", "", "a"),
        (
            "syslog",
            "83 <40>1 2012-11-30T06:45:29+00:00 host app web.3 - a b",
            "2012-11-30T06:45:29+00:00",
            "host",
            "a b",
        ),
        (
            "syslog",
            "<40>1 2012-11-30T06:45:29Z host app web.3 - [pid: 1] b",
            "2012-11-30T06:45:29Z",
            "host",
            "[pid: 1] b",
        ),
        ("cri", "2016-10-06T00:17:09.669794202Z stderr F a", "2016-10-06T00:17:09.669794202Z", "", "a"),
        ("compose", "web-1  | a", "", "", "a"),
        ("compose", "web.1.jx@node-1    | a", "", "node-1", "a"),
        (
            "heroku",
            "2023-01-01T00:00:00.123456+00:00 app[web.1]: a",
            "2023-01-01T00:00:00.123456+00:00",
            "",
            "a",
        ),
        (
            "fly",
            "2021-11-08T21:52:05.910 app[1ae5ed1d] iad [info] a",
            "2021-11-08T21:52:05.910",
            "1ae5ed1d",
            " a",
        ),
        ("gcloud", "2024-01-01 00:00:00 default[v1]  a", "2024-01-01 00:00:00", "", "a"),
        ("cf", "2024-01-01T00:00:00.00+0000 [APP/PROC/WEB/0] OUT a", "2024-01-01T00:00:00.00+0000", "", "a"),
        ("kubectl", "[pod/web-7d9c/nginx] a", "", "web-7d9c", "a"),
        ("kail", "default/web-7d9c[nginx]: a", "", "web-7d9c", "a"),
        ("stern", "web-7d9c-abcde nginx a", "", "web-7d9c-abcde", "a"),
        ("pm2", "0|web  | a", "", "", "a"),
        ("foreman", "16:19:38 web.1  | a", "", "", "a"),
        ("logcli", "2024-01-01T00:00:00Z {app=\"web\", x=\"}\"} a", "2024-01-01T00:00:00Z", "", "a"),
        ("logcli", "2024-01-01T00:00:00.1+0000{app=\"web\"}\ta", "2024-01-01T00:00:00.1+0000", "", "a"),
        ("journalctl", "data: {}", "", "", "{}"),
        ("journalctl", "\u{1e}{}", "", "", "{}"),
        ("address", "2024-01-01T00:00:00Z 192.0.2.7 a", "2024-01-01T00:00:00Z", "192.0.2.7", "a"),
        ("address", "2024-01-01 00:00:00 [2001:db8::7]: a", "2024-01-01 00:00:00", "2001:db8::7", "a"),
        ("address", "192.0.2.7 <134>haproxy: a", "", "192.0.2.7", "<134>haproxy: a"),
        ("kiwi", "2024-01-01 00:00:00\tLocal7.Info\t192.0.2.7\ta", "2024-01-01 00:00:00", "192.0.2.7", "a"),
        (
            "console",
            "2021/03/12 08:57:48.541\tinfo\tx\thandled\t{\"a\":1}",
            "2021/03/12 08:57:48.541",
            "",
            "{\"a\":1}",
        ),
        ("console", "2024-01-01T00:00:00Z INFO {x} {\"a\":1}", "2024-01-01T00:00:00Z", "", "{\"a\":1}"),
        ("time", "2018-02-16T00:00:00.000Z a", "2018-02-16T00:00:00.000Z", "", "a"),
        ("time", "[2018-02-16T00:00:00.000Z] a", "2018-02-16T00:00:00.000Z", "", "a"),
        ("time", "2018-02-16T00:00:00.000Z\ta", "2018-02-16T00:00:00.000Z", "", "a"),
        ("time", "Feb 25 16:19:38 a", "", "", "a"),
        ("time", "@4000000037c219bf2ef02e94 a", "", "", "a"),
        ("aws", "2022-10-05T08:32:51+00:00 ecs/web/0123 a", "2022-10-05T08:32:51+00:00", "", "a"),
        ("grep", "/var/log/access.log:a", "", "", "a"),
        ("grep", "access.log.1:17:a", "", "", "a"),
    ];
    for &(name, line, time, host, inner) in cases {
        let find = |row: &Row| row.find(line.as_bytes()).filter(|_| row.name == name);
        let around = ROWS.iter().find_map(find).unwrap_or_else(|| panic!("{name}: {line}"));
        let part = |part: Option<(usize, usize)>| part.map_or("", |(from, to)| &line[from..to]);
        assert_eq!((part(around.time), part(around.host)), (time, host), "{line}");
        assert_eq!(&line[around.line..], inner, "{line}");
    }
    for row in ROWS {
        assert!(cases.iter().any(|case| case.0 == row.name) || row.name == "uwsgi-memory", "{}", row.name);
        let line = row.example.to_owned() + if row.name == "console" { "{\"a\":1}" } else { "a b" };
        assert!(row.find(line.as_bytes()).is_some_and(|around| around.line == row.example.len()), "{line}");
    }
}

#[test]
fn other_lines_have_no_text_around_them() {
    let lines = [
        "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5",
        "example.com:80 192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5",
        "my-site.example.com 192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5",
        "my-site 192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5",
        "1066036250.603    310 192.0.2.1 TCP_MISS/200 1105 GET http://a/ b - HIER_DIRECT/192.0.2.2 text/html",
        "[2016-04-15T20:17:00.310Z] \"GET",
        "http://example.com/a: b c",
        "",
    ];
    for line in lines {
        let found = ROWS.iter().find(|row| row.find(line.as_bytes()).is_some()).map(|row| row.name);
        let expected = line.starts_with("[2016").then_some("time");
        assert_eq!(found, expected, "{line}");
    }
}

#[test]
fn a_chain_is_named_by_words() {
    // (text, whether it is right)
    let cases = [
        ("auto", true),
        ("none", true),
        ("syslog", true),
        ("journald,docker", true),
        ("json:event.original", true),
        ("csv:_raw, syslog", true),
        ("json", true),
        ("xml", false),
        ("syslog:a", false),
        ("json:", false),
        ("docker,csv", false),
        ("", false),
        ("syslog,syslog,syslog,syslog,syslog", false),
    ];
    for (text, is_right) in cases {
        assert_eq!(text.parse::<Unwrap>().is_ok(), is_right, "{text}");
    }
    let error = "sislog".parse::<Unwrap>().expect_err("no such wrapper").to_string();
    assert!(error.contains("sislog") && error.contains("syslog"), "{error}");
}

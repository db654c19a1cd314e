//! Variants of logs that the documentation of servers and the samples of other projects show.

use serde_json::{Value, json};
use urimill_testkit::reading::{Row, assert_has};

use super::rows;

/// The rows of a format, of lines with prefixes or without them.
fn read(format: &str, input: &str) -> Vec<Row> {
    rows(format, format!("{input}\n"))
}

#[test]
fn lines_of_load_balancers_are_read_as_their_documents_have_them() {
    let alb = |targets: &str| {
        format!(
            "https 2018-07-02T22:23:00.186641Z app/lb/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 0.037 200 \
             200 0 57 \"GET https://h.example:443/ HTTP/1.1\" \"curl/8\" ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 \
             arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/t/73e2 \"Root=1-5833\" \"h.example\" \"-\" 1 \
             2018-07-02T22:22:48.364000Z \"forward\" \"-\" \"-\" {targets} \"-\" \"-\" TID_dc57"
        )
    };
    let haproxy = |client: &str, size: &str, end: &str| {
        format!(
            "{client} [06/Feb/2009:12:14:14.655] https-in static/srv1 10/0/30/69/109 200 {size} - - ---- 1/1/1/1/0 0/0 \
             {{h.example}} {{}} \"GET /a HTTP/1.1\"{end}"
        )
    };
    let https = " 0/0/0/0/1 h.example/TLSv1.3/TLS_AES_256_GCM_SHA384";
    // (format, line, what its row has)
    let cases: Vec<(&str, String, Value)> = vec![
        // Lists of targets, with quotes around them or without.
        (
            "alb",
            alb("\"10.0.0.1:80\" \"200\""),
            json!({"error": null, "target_list": "10.0.0.1:80", "target_status_list": "200", "rest": "TID_dc57"}),
        ),
        (
            "alb",
            alb("10.0.0.1:80 200"),
            json!({"error": null, "target_list": "10.0.0.1:80", "target_status_list": "200", "rest": "TID_dc57"}),
        ),
        // But each proves its place.
        (
            "alb",
            alb("200 10.0.0.1:80"),
            json!({"error": "record_malformed", "target_list": null, "rest": null}),
        ),
        ("alb", alb("10.0.0.1:80"), json!({"error": "record_malformed", "target_list": null, "rest": null})),
        // `option httpslog`, as the manual has it.
        (
            "haproxy",
            haproxy("192.0.2.1:33317", "2750", https),
            json!({"error": null, "size": 2750, "rest": &https[1..]}),
        ),
        (
            "haproxy",
            haproxy("192.0.2.1:33317", "2750", " 0/-/-/-/0 -/-/-"),
            json!({"error": null, "rest": "0/-/-/-/0 -/-/-"}),
        ),
        (
            "haproxy",
            haproxy("192.0.2.1:33317", "2750", " 10/0/30/69/109"),
            json!({"error": "record_malformed", "size": null}),
        ),
        // `option logasap`.
        ("haproxy", haproxy("192.0.2.1:33317", "+2750", ""), json!({"error": null, "size": 2750})),
        // A socket of a file, whose listener has the number.
        (
            "haproxy",
            haproxy("unix:1", "2750", ""),
            json!({"error": null, "uri": "/a", "client": null, "client_port": null, "field_errors": "client:not_an_address"}),
        ),
        ("haproxy", haproxy("unix:a", "2750", ""), json!({"error": "record_malformed", "client": null})),
    ];
    for (format, line, expected) in cases {
        let found = read(format, &line);
        assert_has(&found[0], &expected, &format!("{format}: {line}"));
    }
}

#[test]
fn lines_of_both_versions_of_traefik_are_read() {
    let line = |referer: &str, user_agent: &str, upstream: &str| {
        format!(
            "192.0.2.1 - - [28/Feb/2018:17:30:33 +0000] \"GET /en/ HTTP/2.0\" 200 2814 {referer} \"{user_agent}\" 13 \
             \"web\" \"{upstream}\" 247ms"
        )
    };
    let url = "http://172.19.0.6:14008";
    let whole =
        json!({"error": null, "uri": "/en/", "size": 2814, "request_number": 13, "duration_us": 247_000});
    let with = |more: Value| {
        let mut all = whole.clone();
        all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        all
    };
    // (line, what its row has)
    let cases = [
        (
            line("\"http://r/\"", "curl/8", url),
            with(json!({"referer": "http://r/", "user_agent": "curl/8", "upstream": url})),
        ),
        // Version 1 has no quotes around a referer that is not there, and the path of a redirect for a server.
        (line("-", "curl/8", url), with(json!({"referer": null, "user_agent": "curl/8", "upstream": url}))),
        (line("\"-\"", "curl/8", "/"), with(json!({"referer": null, "upstream": "/"}))),
        // Version 3 writes a backslash before quotes, and before no other character.
        (
            line("\"-\"", r#"a \"b\" \x41 c\\d"#, url),
            with(json!({"user_agent": r#"a "b" \x41 c\\d"#, "upstream": url})),
        ),
        (line("http://r/", "curl/8", url), json!({"error": "record_malformed", "referer": null})),
        (line("\"-\"", "curl/8", "/a"), json!({"error": "record_malformed", "upstream": null})),
    ];
    for (line, expected) in cases {
        assert_has(&read("traefik", &line)[0], &expected, &line);
    }
}

#[test]
fn objects_are_read_as_their_writers_make_them() {
    let traefik = |more: &str| {
        format!(
            r#"{{"StartUTC":"2025-11-28T09:21:55Z","RequestMethod":"GET","RequestPath":"/a","RequestHost":"h.example","RequestScheme":"https","DownstreamStatus":204{more}}}"#
        )
    };
    let nginx = |more: &str| format!(r#"{{"request":"GET /a HTTP/1.1","host":"h.example",{more}}}"#);
    let fastly = r#"{ "timestamp": "2021-11-12T16:59:45+0000", "client_ip": "192.0.2.1", "host": "h.example", "url": "/a", "request_method": "GET", "response_status": 404 }"#;
    // (format, line, what its row has)
    let cases: Vec<(&str, String, Value)> = vec![
        // A list for the client is that of X-Forwarded-For; its first address is the client's, as in access logs.
        (
            "traefik-json",
            traefik(
                r#","ClientHost":"192.0.2.1, 10.0.0.50","ClientAddr":"10.0.0.9:11029","ClientPort":"11029""#,
            ),
            json!({"client": "192.0.2.1", "forwarded_for": "192.0.2.1, 10.0.0.50", "field_errors": null}),
        ),
        (
            "traefik-json",
            traefik(r#","ClientHost":"192.0.2.1","request_X-Forwarded-For":"192.0.2.1, ::1""#),
            json!({"client": "192.0.2.1", "forwarded_for": "192.0.2.1, ::1"}),
        ),
        (
            "traefik-json",
            traefik(r#","ClientHost":"192.0.2.1, unknown""#),
            json!({"client": null, "forwarded_for": null, "field_errors": "client:not_an_address"}),
        ),
        (
            "nginx-json",
            nginx(r#""status":200,"remote_addr":"192.0.2.1, ::1""#),
            json!({"client": "192.0.2.1", "forwarded_for": "192.0.2.1, ::1", "field_errors": null}),
        ),
        // Names that configurations give.
        (
            "nginx-json",
            nginx(r#""response_status":404,"client_address":"192.0.2.1","client_port":"43834","https":"on""#),
            json!({"uri": "https://h.example/a", "status": 404, "client": "192.0.2.1", "client_port": 43834}),
        ),
        (
            "nginx-json",
            nginx(r#""response_status":404,"remote_addr":"192.0.2.1","http_scheme":"https""#),
            json!({"uri": "https://h.example/a", "status": 404}),
        ),
        // A relay of syslog leaves no tag before an object.
        (
            "fastly",
            format!("2021-11-12T16:59:46.613304+00:00 192.0.2.7  {fastly}"),
            json!({"uri": "http://h.example/a", "status": 404, "prefix": "2021-11-12T16:59:46.613304+00:00 192.0.2.7  "}),
        ),
        (
            "fastly",
            format!("Feb 25 16:19:38 cache {fastly}"),
            json!({"uri": "http://h.example/a", "status": 404}),
        ),
    ];
    for (format, line, expected) in cases {
        for from in [format, "auto"] {
            let found = read(from, &format!("{line}\n{line}"));
            assert_eq!(found.len(), 2, "{from}: {line}");
            assert_has(&found[0], &expected, &format!("{from}: {line}"));
        }
    }
}

#[test]
fn ids_of_connections_are_those_of_any_version_of_zeek() {
    let log = |uid: &str| {
        let line = [
            "1300475168.855305",
            uid,
            "192.0.2.1",
            "49762",
            "192.0.2.2",
            "80",
            "GET",
            "h.example",
            "/a",
            "200",
        ];
        let names = "ts\tuid\tid.orig_h\tid.orig_p\tid.resp_h\tid.resp_p\tmethod\thost\turi\tstatus_code";
        format!("#fields\t{names}\n{}", line.join("\t"))
    };
    // (the id of the connection, whether it is one): those of Bro 2.1 do not begin with C
    let cases = [
        ("CHhAvVGS1DHFjwGM9", true),
        ("UWkUyAuUGXf", true),
        ("j4u32Pc5bif", true),
        ("GET", false),
        ("49762", false),
        ("localhost", false),
        ("h.example", false),
    ];
    for (uid, is_one) in cases {
        let row = &read("zeek", &log(uid))[0];
        assert_eq!(row["error"].is_null(), is_one, "{uid}: {row:?}");
    }
}

//! Variants of logs that the samples of further projects show: real-time logs of CloudFront by their age, memory
//! reports of uWSGI, Istio before its routes.

use serde_json::{Value, json};
use urimill_testkit::reading::{Row, assert_has};

use super::rows;

/// The rows of a format.
fn read(format: &str, input: &str) -> Vec<Row> {
    rows(format, format!("{input}\n"))
}

/// A line of standard logs of CloudFront, as Amazon's guide has them.
const STANDARD: &str = "2019-12-04 21:02:31 LAX1 392 192.0.2.100 GET d111111abcdef8.cloudfront.net /index.html 200 - \
                        Mozilla/5.0%20(X11) a=b - Hit SOX4xwn4XV6Q4rgb7XiVGOHms_BGlTAC4KyHmureZmBNrjGdRLiNIQ== \
                        www.example.com https 23 0.001 - TLSv1.2 ECDHE-RSA-AES128-GCM-SHA256 Hit HTTP/2.0 - - 11040 \
                        0.002 Hit text/html 78 - -";

/// The first fields of real-time logs, those about headers the last of them.
const REALTIME: &str = "1684226820.937 192.0.2.21 0.332 403 347 GET https h.example /a?b 50 ARN1-C1 \
                        uou6Ljhoc34wyRb55wNDXeO836E8CqkfsxLhvhNGrR_447xMT10PNA== d111111abcdef8.cloudfront.net 0.333 \
                        HTTP/2.0 IPv4 curl/7.88.1 - - b Error - TLSv1.3 TLS_AES_128_GCM_SHA256 Error - - \
                        application/json 23 - - 39096 Error SE - */* * host:h.example%0A host%0A 3";

/// Fields with tabs between.
fn tabs(fields: &[&str]) -> String {
    fields.join("\t")
}

#[test]
fn cloudfront_without_a_header_has_the_fields_of_their_number() {
    let standard: Vec<&str> = STANDARD.split(' ').collect();
    let whole = json!({"error": null, "uri": "https://www.example.com/index.html?a=b", "status": 200,
        "vhost": "www.example.com", "time": "2019-12-04T21:02:31Z", "distribution": "d111111abcdef8.cloudfront.net"});
    let early = json!({"error": null, "uri": "http://d111111abcdef8.cloudfront.net/index.html?a=b", "vhost": "d111111abcdef8.cloudfront.net"});
    let with = |of: &Value, more: Value| {
        let mut all = of.clone();
        all.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        all
    };
    let duration = json!({"duration_us": 1000, "request_size": 23});
    // (fields, what the row has): as the guide's page was from 2012 on, and Snowplow's loader
    let mut cases: Vec<(&str, String, Value)> = [
        (12, with(&early, json!({"cache_status": null, "user_agent": "Mozilla/5.0 (X11)"}))),
        (15, with(&early, json!({"cache_status": "Hit"}))),
        (18, with(&whole, json!({"request_size": 23, "duration_us": null}))),
        (19, with(&whole, duration.clone())),
        (23, with(&whole, json!({"ssl_protocol": "TLSv1.2", "protocol": null}))),
        (24, with(&whole, json!({"protocol": "HTTP/2.0"}))),
        (26, with(&whole, json!({"protocol": "HTTP/2.0", "client_port": null}))),
        (33, with(&whole, json!({"client_port": 11040, "response_us": 2000, "content_length": 78}))),
    ]
    .into_iter()
    .map(|(count, expected)| ("cloudfront", tabs(&standard[..count]), expected))
    .collect();
    let first: Vec<&str> = REALTIME.split(' ').collect();
    // `cs-host` is what the client asked for, by Amazon's guide: in standard logs it is `x-host-header`.
    let realtime = json!({"error": null, "uri": "https://h.example/a?b", "vhost": "h.example",
        "distribution": "d111111abcdef8.cloudfront.net", "client": "192.0.2.21", "status": 403,
        "time": "2023-05-16T08:47:00.937Z", "country": "SE", "cs_headers_count": "3"});
    let distribution = ["E1ABCDEF23456", "d111111abcdef8.cloudfront.net"];
    let origin = ["0.111", "0.222", "16509"];
    let origins = json!({"upstream_first_us": 111_000, "upstream_us": 222_000, "asn": "16509"});
    let own = json!({"primary_distribution_id": "E1ABCDEF23456"});
    let server = [&first[..2], &["198.51.100.9"], &first[2..]].concat();
    let media = [&["1500"][..], &["-"; 17], &["r.example", "-", "-", "dt_1", "c_1"]].concat();
    let of_server = [&server[..], &distribution, &origin].concat();
    // Amazon's guide of 2020; a report to Elastic; Amazon's guides of 2023 and of today
    cases.extend([
        ("cloudfront-realtime", tabs(&first), with(&realtime, json!({"asn": null, "extra": null}))),
        (
            "cloudfront-realtime",
            tabs(&[&first[..], &origin].concat()),
            with(&with(&realtime, origins.clone()), json!({"primary_distribution_id": null})),
        ),
        (
            "cloudfront-realtime",
            tabs(&[&first[..], &distribution, &origin].concat()),
            with(&with(&realtime, origins.clone()), own.clone()),
        ),
        (
            "cloudfront-realtime",
            tabs(&of_server),
            with(&with(&realtime, origins.clone()), json!({"extra": {"s-ip": "198.51.100.9"}})),
        ),
        (
            "cloudfront-realtime",
            tabs(&[&of_server[..], &media].concat()),
            with(
                &with(&with(&realtime, origins), own),
                json!({"extra": {"s-ip": "198.51.100.9", "cmcd-encoded-bitrate": "1500", "r-host": "r.example",
                    "distribution-tenant-id": "dt_1", "connection-id": "c_1"}}),
            ),
        ),
    ]);
    for (format, line, expected) in &cases {
        for from in [format, "auto"] {
            let found = read(from, &format!("{line}\n{line}"));
            assert_eq!(found.len(), 2, "{from}: {line}");
            for mut row in found {
                // As an object, not as its text.
                if let Some(Value::String(text)) = row.get("extra") {
                    let object = serde_json::from_str(text).expect("an object");
                    row.insert("extra".into(), object);
                }
                assert_has(&row, expected, &format!("{from}: {line}"));
            }
        }
    }
    // Within an input all lines have as many: one with fewer has lost some.
    for (format, lines) in [("cloudfront", [24, 33, 33]), ("cloudfront", [24, 24, 33])] {
        let input = lines.map(|count| tabs(&standard[..count])).join("\n");
        let odd = usize::from(lines[1] == 24) * 2;
        let errors: Vec<bool> = read(format, &input).iter().map(|row| !row["error"].is_null()).collect();
        assert_eq!(errors, [0, 1, 2].map(|line| line == odd), "{lines:?}");
    }
    // 25 fields are of no age.
    let line = tabs(&standard[..25]);
    assert_eq!(read("cloudfront", &line)[0]["error"], "record_malformed");
}

#[test]
fn cloudfront_has_the_fields_of_todays_headers() {
    // Standard logging of version 2, whose fields a user chooses, as a site's notes show them.
    let names = "timestamp DistributionId date time x-edge-location c-ip cs-method cs(Host) cs-uri-stem sc-status \
                 cs-uri-query x-edge-request-id x-host-header cs-protocol time-taken timestamp(ms) origin-fbl asn";
    let line = "1738535441 EHLMG1T8SOX48 2025-02-02 22:30:41 SEA900-P1 192.0.2.1 GET d111111abcdef8.cloudfront.net /a 200 \
                id=1 tgmtZK2wqyr8ZGwFkBYXB2xzkk4xr3IDyDRrqeKFiG9dOIinPsZMug== h.example https 0.500 1738535441041 0.051 7922";
    let log = format!("#Version: 1.0\n#Fields: {names}\n{}", line.replace(' ', "\t"));
    let expected = json!({"error": null, "uri": "https://h.example/a?id=1", "time": "2025-02-02T22:30:41Z",
        "distributionid": "EHLMG1T8SOX48", "timestamp_ms": "1738535441041", "duration_us": 500_000});
    assert_has(&read("auto", &log)[0], &expected, &log);
    // Real-time logs with the address of the server, which has the column of W3C.
    let names = "timestamp c-ip s-ip sc-status cs-method cs-protocol cs-host cs-uri-stem x-edge-location";
    let line = "1759687234.191\t192.0.2.1\t198.51.100.9\t200\tGET\thttps\th.example\t/a\tSFO53-P9";
    let expected = json!({"error": null, "uri": "https://h.example/a", "server_ip": "198.51.100.9"});
    let log = format!("#Fields: {names}\n{line}");
    assert_has(&read("auto", &log)[0], &expected, &log);
}

#[test]
fn uwsgi_may_report_memory_before_its_line() {
    let line = |head: &str, request: &str| {
        format!(
            "[pid: 8510|app: {head} (-) {{50 vars in 1552 bytes}} [Mon Oct 19 13:07:10 2015] {request} => generated 42453 \
             bytes in 302 msecs (HTTP/1.1 200) 3 headers in 250 bytes (2 switches on core 1)"
        )
    };
    let own = line("0|req: 4874/239423] 192.0.2.1", "GET /a?b");
    let row = json!({"error": null, "uri": "/a?b", "pid": 8510, "client": "192.0.2.1", "status": 200, "duration_us": 302_000});
    let usage = "{address space usage: 3589083136 bytes/3422MB} {rss usage: 318144512 bytes/303MB} ";
    let all = format!("{usage}{{uss usage: 1 bytes/0MB}} {{pss usage: 1 bytes/0MB}} ");
    // (line, what its row has): uWSGI's source, notes of a site; uWSGI's page on its format
    let cases = [
        (own.clone(), row.clone()),
        (
            format!("{usage}{own}"),
            json!({"error": null, "uri": "/a?b", "prefix": usage, "time": "2015-10-19T13:07:10Z"}),
        ),
        (format!("{all}{own}"), json!({"error": null, "uri": "/a?b", "prefix": all})),
        (
            line("-|req: -/-] 192.0.2.1", "GET /a"),
            json!({"error": null, "uri": "/a", "app": null, "app_request": null, "worker_request": null, "user": null}),
        ),
        // A request that is too long for its line.
        (
            line("0|req: 1/1] 0.0.0.0", "- -"),
            json!({"error": null, "uri": null, "method": null, "size": 42453}),
        ),
    ];
    for (line, expected) in cases {
        for from in ["uwsgi", "auto"] {
            let found = read(from, &format!("{line}\n{line}"));
            assert_has(&found[1], &expected, &format!("{from}: {line}"));
        }
    }
}

#[test]
fn istio_is_read_before_it_named_routes() {
    let line = |mixer: &str, end: &str| {
        format!(
            "[2019-09-03T05:37:41.341Z] \"GET /index HTTP/1.1\" 200 - {mixer} 148 171 4 3 \"-\" \"-\" \
             \"c0ce81db-4f5a-9134-8a5c-f8c076c91652\" \"h.example\" \"192.0.2.50:9001\" outbound|80||h.default.svc.cluster.local \
             - 192.0.2.53:80 192.0.2.113:39953 {end}"
        )
    };
    // (line, what its row has): 1.1 and 1.2, in the tests of engarde; 1.6 to 1.8
    let mesh = "outbound_.80_._.h.svc";
    let cases = [
        (line("\"-\"", "-"), json!({"error": null, "uri": "http://h.example/index", "client_port": 39953})),
        (
            line("\"OK\"", mesh),
            json!({"error": null, "mixer_status": "OK", "server_name": mesh, "route_name": null}),
        ),
        (
            line("\"delayed_connect_error:_111\"", "- default"),
            json!({"error": null, "upstream_failure": "delayed_connect_error:_111", "route_name": "default"}),
        ),
        // A later line that has lost a field, whose values would be in others' columns.
        (
            line("\"delayed_connect_error:_111\"", "-"),
            json!({"error": "record_malformed", "mixer_status": null}),
        ),
        (line("\"-\"", "default"), json!({"error": "record_malformed", "server_name": null})),
    ];
    for (line, expected) in cases {
        assert_has(&read("istio", &line)[0], &expected, &line);
    }
}

#[test]
fn members_of_nginx_have_the_names_of_any_configuration() {
    let line = |members: &str| format!(r#"{{"time":"2025-10-30T00:00:00Z","status":"200",{members}}}"#);
    // (members, what the row has)
    let cases = [
        // The documentation of the Ingress controller.
        (
            r#""remote_addr":"192.0.2.1","x_forwarded_for":"192.0.2.1, ::1","vhost":"h.example","request_proto":"HTTP/1.1","path":"/a","request_query":"b=c","method":"GET""#,
            json!({"uri": "http://h.example/a?b=c", "forwarded_for": "192.0.2.1, ::1", "protocol": "HTTP/1.1", "extra": null}),
        ),
        (
            r#""remote_addr":"192.0.2.1","x-forward-for":"::1","vhost":"h.example","path":"/a","request_query":"","method":"GET""#,
            json!({"uri": "http://h.example/a", "forwarded_for": "::1"}),
        ),
        // `$request_uri` where others write `$uri`, and its query once more.
        (r#""remote_addr":"192.0.2.1","uri":"/a?b=c","args":"b=c""#, json!({"uri": "/a?b=c"})),
        (r#""remote_addr":"192.0.2.1","uri":"/a?b=c","args":"-""#, json!({"uri": "/a?b=c"})),
        // A mark in a path that was decoded does not begin a query.
        (r#""remote_addr":"192.0.2.1","uri":"/a?b","args":"c""#, json!({"uri": "/a?b?c"})),
        (
            r#""remote_addr":"192.0.2.1","req_method":"POST","req_uri":"/a?b","domain":"h.example","ua":"curl/8","body_bytes":"7","xff":"::1""#,
            json!({"uri": "http://h.example/a?b", "method": "POST", "user_agent": "curl/8", "size": 7, "forwarded_for": "::1"}),
        ),
        // `$request_uri` in the place of `$request`, the method beside it.
        (
            r#""client_ip":"192.0.2.1","method":"GET","request":"/a?b=c","url":"/a","query":"b=c""#,
            json!({"error": null, "uri": "/a?b=c", "method": "GET"}),
        ),
        (r#""client_ip":"192.0.2.1","request":"/a?b=c""#, json!({"error": "record_malformed"})),
        // `$server_addr` in the place of the host: another member has that.
        (
            r#""host":"10.0.0.5","clientip":"192.0.2.1","domain":"h.example","url":"/a""#,
            json!({"uri": "http://h.example/a", "vhost": "h.example", "client": "192.0.2.1"}),
        ),
        (
            r#""host":"10.0.0.5","clientip":"192.0.2.1","http_host":"h.example:8080","url":"/a""#,
            json!({"uri": "http://h.example:8080/a"}),
        ),
        (r#""host":"192.0.2.7","clientip":"192.0.2.1","url":"/a""#, json!({"uri": "http://192.0.2.7/a"})),
        // `$remote_addr` in its place, or the host: it is unknown.
        (
            r#""host":"192.0.2.7","port":"4433","method":"GET","uri":"/a""#,
            json!({"uri": "/a", "vhost": "192.0.2.7", "client": null}),
        ),
        (r#""host":"h.example","method":"GET","uri":"/a""#, json!({"uri": "http://h.example/a"})),
    ];
    for (members, expected) in cases {
        assert_has(&read("nginx-json", &line(members))[0], &expected, members);
    }
}

#[test]
fn users_of_access_logs_have_their_escapes_undone() {
    let line =
        |user: &str| format!(r#"192.0.2.1 - {user} [12/Apr/2026:18:22:20 +0200] "GET /a HTTP/1.1" 200 7"#);
    // (the user as it is written, the user): Apache's `log_remote_user`, and servers without escapes
    let cases = [
        ("-", json!(null)),
        ("frank", json!("frank")),
        // Apache, where the name is empty: a report to CrowdSec.
        (r#""""#, json!("")),
        (r"a\x20b", json!("a b")),
        (r"\x2d", json!("-")),
        (r#"\"car5941 \""#, json!(r#""car5941 ""#)),
        (r"DOMAIN\\frank", json!(r"DOMAIN\frank")),
        // IIS (NCSA), Tomcat: a backslash before a letter is not an escape.
        (r"DOMAIN\frank", json!(r"DOMAIN\frank")),
        (r"DOMAIN\nick", json!(r"DOMAIN\nick")),
        (r"DOMAIN\tom", json!(r"DOMAIN\tom")),
        (r"DOMAIN\xavier", json!(r"DOMAIN\xavier")),
        // No text of UTF-8 would be left.
        (r"a\xff", json!(r"a\xff")),
    ];
    for (user, expected) in cases {
        for prefix in ["", "web-1  | "] {
            let line = format!("{prefix}{}", line(user));
            let row = &read("clf", &format!("{line}\n{line}"))[1];
            assert_eq!((&row["user"], &row["error"]), (&expected, &json!(null)), "{line}");
        }
    }
}

#[test]
fn w3c_may_have_its_columns_aligned() {
    let header = "#Fields: date time cs-method cs-uri-stem s-port cs-username c-ip sc-status";
    let row = json!({"error": null, "uri": "/api", "server_port": 8065, "client": "::1", "status": 200});
    let bad = json!({"error": "record_malformed", "status": null});
    // (fields, what the row has): Octopus Deploy's documentation
    let cases = [
        ("2015-08-10 00:25:22 GET /api   8065 admin ::1 200", row.clone()),
        ("2015-08-10 00:25:22 GET /api 8065 -  ::1 200", row.clone()),
        // An empty field, where none is doubled.
        ("2015-08-10 00:25:22 GET /api 8065  ::1 200", row),
        ("2015-08-10 00:25:22 GET /api  8065  ::1 200", bad.clone()),
        ("2015-08-10 00:25:22 GET /api 8065  ::1 200 7", bad),
    ];
    for (line, expected) in cases {
        let line = line.replace(' ', "\t");
        assert_has(&read("w3c", &format!("{header}\n{line}"))[0], &expected, &line);
    }
}

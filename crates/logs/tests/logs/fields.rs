//! Logs whose fields have names: fields that show TLS, escapes that are undone, fields that a later
//! header names; and the last line of any log.

use serde_json::{Value, json};

use super::rows;

/// The columns of the rows of `input` that `wanted` names.
fn columns(options: &str, input: &str, wanted: &[&str]) -> Vec<Vec<Value>> {
    let rows = rows(options, input);
    rows.iter().map(|row| wanted.iter().map(|name| row[*name].clone()).collect()).collect()
}

#[test]
fn https_is_said_by_the_fields_of_tls() {
    let nginx = |more: &str| {
        format!(
            "{{\"remote_addr\":\"192.0.2.1\",\"request\":\"GET /a HTTP/1.1\",\"status\":200,\"host\":\"h\"{more}}}"
        )
    };
    let caddy = |more: &str| {
        format!(
            "{{\"logger\":\"http\",\"request\":{{\"method\":\"GET\",\"host\":\"h\",\"uri\":\"/a\"{more}}}}}"
        )
    };
    let ecs = |more: &str| {
        format!(
            "{{\"@timestamp\":\"2023-01-01T00:00:00Z\",\"url\":{{\"original\":\"/a\",\"domain\":\"h\"}}{more}}}"
        )
    };
    let envoy = |more: &str| {
        format!("{{\"authority\":\"h\",\"method\":\"GET\",\"path\":\"/a\",\"response_code\":200{more}}}")
    };
    let traefik = |more: &str| {
        format!(
            "{{\"RequestHost\":\"h\",\"RequestMethod\":\"GET\",\"RequestPath\":\"/a\",\"DownstreamStatus\":200{more}}}"
        )
    };
    let cloudflare =
        |more: &str| format!("{{\"ClientRequestHost\":\"h\",\"ClientRequestURI\":\"/a\"{more}}}");
    let fastly = |more: &str| {
        format!("{{\"url\":\"/a\",\"host\":\"h\",\"request_method\":\"GET\",\"response_status\":200{more}}}")
    };
    let w3c = |name: &str, value: &str| format!("#Fields: cs-uri-stem cs-host {name}\n/a h {value}\n");
    let istio = |local: &str| {
        format!(
            "[2020-11-25T21:26:18.409Z] \"GET /a HTTP/1.1\" 418 - via_upstream - \"-\" 0 135 4 4 \"-\" \"curl/7\" \
             \"84961386-6d84-929d-98bd-c5aee93b5c88\" \"h\" \"10.44.1.27:80\" outbound|80||h 10.44.1.23:37652 {local} \
             10.44.1.24:46520 - default"
        )
    };
    // (format, record, scheme)
    let cases: &[(&str, String, &str)] = &[
        ("nginx-json", nginx(""), "http"),
        ("nginx-json", nginx(",\"https\":\"on\""), "https"),
        ("nginx-json", nginx(",\"https\":\"\""), "http"),
        ("nginx-json", nginx(",\"ssl_protocol\":\"TLSv1.3\""), "https"),
        ("nginx-json", nginx(",\"ssl_cipher\":\"-\""), "http"),
        ("nginx-json", nginx(",\"server_port\":\"443\""), "https"),
        ("nginx-json", nginx(",\"scheme\":\"http\",\"ssl_protocol\":\"TLSv1.3\""), "http"),
        ("caddy", caddy(""), "http"),
        ("caddy", caddy(",\"tls\":{\"proto\":\"\",\"version\":772}"), "https"),
        ("caddy", caddy(",\"tls\":{\"proto\":\"h2\"}"), "https"),
        ("caddy", caddy(",\"tls\":null"), "http"),
        ("ecs", ecs(",\"tls\":{\"version\":\"1.3\"}"), "https"),
        ("ecs", ecs(",\"tls\":{\"version_protocol\":\"tls\"}"), "https"),
        ("ecs", ecs(",\"tls\":{\"next_protocol\":\"http/1.1\"}"), "https"),
        ("ecs", ecs(",\"tls\":{\"established\":true}"), "https"),
        ("ecs", ecs(",\"tls\":{\"established\":false}"), "http"),
        ("ecs", ecs(",\"tls.cipher\":\"TLS_AES_128_GCM_SHA256\""), "https"),
        ("ecs", ecs(",\"server\":{\"port\":443}"), "https"),
        ("envoy-json", envoy(",\"downstream_tls_version\":\"TLSv1.2\""), "https"),
        ("envoy-json", envoy(",\"downstream_tls_version\":null"), "http"),
        ("envoy-json", envoy(",\"downstream_local_address\":\"10.0.0.1:443\""), "https"),
        ("envoy-json", envoy(",\"scheme\":\"https\""), "https"),
        ("traefik-json", traefik(",\"TLSVersion\":\"1.3\""), "https"),
        ("traefik-json", traefik(",\"RequestScheme\":\"http\",\"TLSVersion\":\"1.3\""), "http"),
        ("cloudflare", cloudflare(",\"ClientSSLProtocol\":\"TLSv1.3\""), "https"),
        ("cloudflare", cloudflare(",\"ClientSSLProtocol\":\"none\""), "http"),
        ("istio", istio("10.0.45.184:443"), "https"),
        ("istio", istio("10.0.45.184:8000"), "http"),
        ("fastly", fastly(",\"is_tls\":\"true\""), "https"),
        ("fastly", fastly(",\"is_tls\":false"), "http"),
        ("w3c", w3c("s-port", "443"), "https"),
        ("w3c", w3c("ssl-protocol", "TLSv1.2"), "https"),
        ("w3c", w3c("crypt-protocol", "-"), "http"),
        ("w3c", w3c("cs-uri-scheme", "https"), "https"),
    ];
    for (format, record, scheme) in cases {
        let found = columns(format, record, &["uri"]);
        assert_eq!(found, [[json!(format!("{scheme}://h/a"))]], "{format}: {record}");
    }
}

#[test]
fn one_request_is_one_uri_in_every_log() {
    let (path, query) = ("/a%2Cb%20c~", "x=%2Fy&z=%22");
    let whole = format!("{path}?{query}");
    // As CloudFront writes it.
    let (path_25, query_25) = (path.replace('%', "%25"), query.replace('%', "%25"));
    let clf = format!("h:80 192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET {whole} HTTP/1.1\" 200 7\n");
    let cases = [
        ("clf", clf.clone()),
        ("clf", clf.replace('~', "\\x7e")),
        ("w3c", format!("#Fields: cs-method cs-uri-stem cs-uri-query cs-host\nGET {path} {query} h\n")),
        (
            "cloudfront",
            format!(
                "#Fields: date time x-edge-location cs-method cs(Host) cs-uri-stem cs-uri-query\n\
                 2019-12-04\t21:02:31\tLAX1\tGET\th\t{path_25}\t{query_25}\n"
            ),
        ),
        (
            "w3c",
            format!(
                "#Fields: timestamp x-edge-location cs-method cs-host cs-uri-stem cs-uri-query\n\
                 1661520380.123\tLAX1\tGET\th\t{path_25}\t{query_25}\n"
            ),
        ),
        (
            "zeek",
            format!(
                "#separator \\x09\n#fields\tts\tid.orig_h\tmethod\thost\turi\n1637348125.5\t192.0.2.1\tGET\th\t{}\n",
                whole.replace('~', "\\x7e")
            ),
        ),
        (
            "zeek-json",
            format!(
                "{{\"ts\":1637348125.5,\"id.orig_h\":\"192.0.2.1\",\"method\":\"GET\",\"host\":\"h\",\"uri\":\"{whole}\"}}\n"
            ),
        ),
        (
            "nginx-json",
            format!(
                "{{\"remote_addr\":\"192.0.2.1\",\"request\":\"GET {} HTTP/1.1\",\"status\":\"200\",\"host\":\"h\"}}\n",
                whole.replace('~', "\\x7E")
            ),
        ),
        (
            "caddy",
            format!(
                "{{\"logger\":\"l\",\"request\":{{\"method\":\"GET\",\"host\":\"h\",\"uri\":\"{}\"}}}}\n",
                whole.replace('&', "\\u0026")
            ),
        ),
        (
            "ecs",
            format!(
                "{{\"@timestamp\":\"2023-01-01T00:00:00Z\",\"url.original\":\"{whole}\",\"url.domain\":\"h\"}}\n"
            ),
        ),
        (
            "envoy-json",
            format!(
                "{{\":authority\":\"h\",\"method\":\"GET\",\"x-envoy-origin-path\":\"{whole}\",\"response_code\":200}}\n"
            ),
        ),
    ];
    for (format, log) in &cases {
        let found = columns(&format!("{format} --level none"), log, &["uri", "path", "query"]);
        assert_eq!(
            found,
            [[json!(format!("http://h{whole}")), json!(path), json!(query)]],
            "{format}: {log}"
        );
    }
}

#[test]
fn escapes_are_undone_in_every_field_and_a_dash_that_was_sent_is_one() {
    let zeek = "#fields\tid.orig_h\thost\turi\treferrer\tuser_agent\tusername\ttags\n";
    let cases = [
        (
            "zeek",
            format!("{zeek}192.0.2.1\th\t/a\t(empty)\tx\\x09y \\\\x07\t\\x2d\t\\xc3\\xa9\n"),
            json!(["", "x\ty \\x07", "-", "é"]),
        ),
        ("zeek", format!("{zeek}192.0.2.1\th\t/a\t-\t-\t-\t-\n"), json!([null, null, null, null])),
    ];
    for (format, log, expected) in cases {
        let found = columns(format, &log, &["referer", "user_agent", "user", "tags"]);
        assert_eq!(json!(found[0]), expected, "{log}");
    }
    let squid = "1066036250.603 310 192.0.2.1 TCP_MISS/200 11 GET http://h/a%20b j%c3%bcrgen%20k HIER_DIRECT/192.0.2.2 -\n";
    assert_eq!(json!(columns("squid", squid, &["user", "path"])[0]), json!(["jürgen k", "/a%20b"]));
    let iis = "#Fields: cs-uri-stem cs(User-Agent) cs(Cookie) cs(Referer)\n\
               /a Mozilla/5.0+(X;++http://b/) a=x+y;+b=1 http://r/?q=a+b\n";
    let expected = json!(["Mozilla/5.0 (X; +http://b/)", "a=x+y; b=1", "http://r/?q=a+b"]);
    assert_eq!(json!(columns("w3c", iis, &["user_agent", "cookie", "referer"])[0]), expected);
    let cloudfront = "#Fields: date time x-edge-location cs-uri-stem cs(User-Agent) cs(Referer)\n\
                      2019-12-04\t21:02:31\tLAX1\t/a%22b\tA%20%2525%20%22B%22\thttp://r/%2520\n";
    let found = columns("cloudfront", cloudfront, &["path", "user_agent", "referer"]);
    // Bytes that no URI has stay as triplets.
    assert_eq!(json!(found[0]), json!(["/a%22b", "A %25 \"B\"", "http://r/%20"]));
}

#[test]
fn what_a_later_header_names_reaches_the_uri() {
    let log = "#Fields: date time cs-uri-stem c-ip\n2022-01-01 00:00:01 /a 192.0.2.1\n\
               #Fields: cs-host s-port cs-method cs-uri-stem cs-uri-query ssl-protocol date time c-ip\n\
               h 8443 GET /b x=1 TLSv1.2 2022-01-01 00:00:02 192.0.2.2\n";
    let found = columns("w3c", log, &["uri", "time", "client"]);
    let second = json!(["https://h:8443/b?x=1", "2022-01-01T00:00:02Z", "192.0.2.2"]);
    assert_eq!(json!(found), json!([["/a", "2022-01-01T00:00:01Z", "192.0.2.1"], second]));
}

#[test]
fn a_member_that_comes_twice_or_tells_nothing_is_no_record() {
    let good =
        "{\"remote_addr\":\"192.0.2.1\",\"request\":\"GET /a HTTP/1.1\",\"status\":200,\"host\":\"h\"}\n";
    // (record, error, status)
    let cases = [
        // A client has written it, where the server does not escape quotes.
        (
            "{\"remote_addr\":\"192.0.2.1\",\"request\":\"GET /a HTTP/1.1\",\"status\":200,\"host\":\"h\",\"http_user_agent\":\"x\",\"host\":\"evil\"}",
            "record_malformed",
            json!(null),
        ),
        ("{\"level\":\"info\",\"msg\":\"x\"}", "record_malformed", json!(null)),
        ("{\"status\":200}", "field_missing", json!(200)),
        ("{\"status\":200,\"request\":{\"x\":1},\"remote_addr\":\"192.0.2.1\"}", "field_missing", json!(200)),
    ];
    for (record, error, status) in cases {
        let found = columns("nginx-json", &format!("{good}{record}\n"), &["error", "status", "vhost"]);
        assert_eq!(json!(found[1]), json!([error, status, null]), "{record}");
    }
}

#[test]
fn who_asked_is_the_other_end_of_the_connection_where_nothing_else_says_so() {
    let caddy = |more: &str| {
        format!(
            "{{\"logger\":\"l\",\"request\":{{\"method\":\"GET\",\"host\":\"h\",\"uri\":\"/\",{more}}}}}\n"
        )
    };
    // (members, client, its port, the other end)
    let cases = [
        ("\"remote_addr\":\"192.0.2.1:7\"", json!("192.0.2.1"), json!(7), json!("192.0.2.1")),
        ("\"remote_addr\":\"[2001:db8::1]:7\"", json!("2001:db8::1"), json!(7), json!("2001:db8::1")),
        (
            "\"remote_ip\":\"192.0.2.1\",\"remote_port\":\"7\"",
            json!("192.0.2.1"),
            json!(7),
            json!("192.0.2.1"),
        ),
        (
            "\"remote_ip\":\"10.0.0.1\",\"client_ip\":\"192.0.2.1\"",
            json!("192.0.2.1"),
            json!(null),
            json!("10.0.0.1"),
        ),
    ];
    for (members, client, port, peer) in cases {
        let found = columns("caddy", &caddy(members), &["client", "client_port", "remote_client"]);
        assert_eq!(found, [[client, port, peer]], "{members}");
    }
}

#[test]
fn a_last_line_that_may_be_cut_is_marked_kept_or_dropped() {
    let line = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 ";
    let marked = json!("unfinished");
    // (how the last line ends, its field_errors)
    for (end, errors) in [
        ("7\n", json!(null)),
        ("7", marked.clone()),
        ("7 \"-\" \"curl\"", json!(null)),
        ("7\r", json!("size:not_a_number,unfinished")),
        ("7 \"-\" \"curl\"\n#", marked.clone()),
    ] {
        let log = format!("{line}70\n{line}{end}");
        let found = columns("clf", &log, &["field_errors"]);
        if !end.ends_with('#') {
            assert_eq!(found, [[json!(null)], [errors.clone()]], "{end}");
        }
        let kept = columns("clf --last-line keep", &log, &["field_errors"]);
        assert!(kept.iter().all(|row| !row[0].to_string().contains("\"unfinished\"")), "{end}: {kept:?}");
        let dropped = columns("clf --last-line drop", &log, &["uri"]);
        assert_eq!(kept.len() - dropped.len(), usize::from(!errors.is_null()), "{end}");
    }
}

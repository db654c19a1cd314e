//! Lines whose fields have the forms of others, or are in other places than their writers put them; and lines that are
//! rare but right.

use serde_json::{Value, json};

use super::rows;

const OWNER: &str = "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be";

fn s3(head: &str, middle: &str, tail: &str) -> String {
    format!(
        "{head} [06/Feb/2019:00:00:38 +0000] 192.0.2.3 {middle} REST.GET.OBJECT a.txt \"GET /a.txt HTTP/1.1\" 200 - 7 9 5 4 {tail}"
    )
}

const S3_TAIL: &str =
    "\"-\" \"curl/8\" - aGk+/= SigV4 ECDHE-RSA-AES128-GCM-SHA256 AuthHeader b.s3.amazonaws.com TLSv1.2 - -";

fn squid(result: &str, request: &str, rest: &str) -> String {
    format!("1066036250.603    310 192.0.2.1 {result} 1105 {request} {rest}")
}

fn combined(names: &str, numbers: &str, results: &str) -> String {
    format!(
        "192.0.2.1 {names} [17/May/2015:10:05:03 +0000] \"GET http://h/a HTTP/1.1\" {numbers} \"-\" \"curl/8\" {results}"
    )
}

fn ingress(head: &str, tail: &str) -> String {
    format!(
        "192.0.2.1 - {head} [10/Oct/2022:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 612 \"-\" \"curl/8\" 345 0.015 [web-80] {tail}"
    )
}

const ID: &str = "752178adb17130b291aefd8c386279e7";

fn manager(upstream: &str) -> String {
    format!(
        "[17/May/2015:10:05:03 +0000] MISS {upstream} 200 - GET https h \"/a\" [Client 192.0.2.1] [Length 7] [Gzip -] \
         [Sent-to 10.0.0.1] \"curl/8\" \"-\""
    )
}

fn traefik(user: &str, numbers: &str) -> String {
    format!(
        "192.0.2.1 - {user} [17/May/2015:10:05:03 +0200] \"GET /a HTTP/1.1\" {numbers} \"-\" \"curl/8\" 17 \"web@docker\" \
         \"http://172.17.0.2:80\" 72ms"
    )
}

fn alb(places: &str) -> String {
    format!(
        "http 2018-07-02T22:23:00.186641Z app/lb/50 {places} 460 - 34 366 \"GET http://www.example.com:80/ HTTP/1.1\" \
         \"curl/7\" - - arn:aws:x \"Root=1-5\""
    )
}

fn clf(names: &str, tail: &str) -> String {
    format!("192.0.2.1 {names} [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7 {tail}")
}

/// A line that its format cannot have written is malformed, and what stays of it is its own.
#[test]
fn a_value_in_the_place_of_another_field_makes_the_line_malformed() {
    let bucket = format!("{OWNER} mybucket");
    // (format, a line, what stays and what does not)
    let cases: Vec<(&str, String, Value)> = vec![
        // Amazon S3: owner and bucket, requester and request.
        ("s3", s3(&format!("mybucket {OWNER}"), "- 3E57427F3EXAMPLE", S3_TAIL), json!({"bucket": null})),
        ("s3", s3("mybucket 79a5", "- 3E57427F3EXAMPLE", S3_TAIL), json!({"bucket_owner": null})),
        ("s3", s3(&format!("{OWNER} 3E57427F3EXAMPLE"), "- mybucket1", S3_TAIL), json!({"bucket": null})),
        ("s3", s3(&bucket, "3E57427F3EXAMPLE -", S3_TAIL), json!({"requester": null})),
        ("s3", s3(&bucket, &format!("3E57427F3EXAMPLE {OWNER}"), S3_TAIL), json!({"request_id": null})),
        ("s3", s3(&bucket, "3E57427F3EXAMPLE AmazonS3", S3_TAIL), json!({"request_id": null})),
        ("s3", s3(&bucket, "- a1b2", S3_TAIL), json!({"request_id": null})),
        // One more field before the user agent, or after it.
        ("s3", s3(&bucket, "- 3E57427F3EXAMPLE", &S3_TAIL.replace("\" -", "\" - \"-\"")), json!({"user_agent": null})),
        ("s3", s3(&bucket, "- 3E57427F3EXAMPLE", &format!("\"http://h/\" - {S3_TAIL}")), json!({"user_agent": null})),
        ("s3", s3(&bucket, "- 3E57427F3EXAMPLE", &format!("\"-\" - {S3_TAIL}")), json!({"user_agent": null})),
        // A dash before the client moves it to the target.
        (
            "alb",
            alb("- 192.0.2.1:2817 - 0.000 0.001 0.000"),
            json!({"client": null, "target": null, "target_port": null, "time": "2018-07-02T22:23:00.186Z"}),
        ),
        (
            "elb",
            "2018-07-02T22:23:00.186641Z lb - 192.0.2.1:2817 - 0.0 0.1 0.0 200 200 0 1 \"GET http://h/ HTTP/1.1\" \"c\" - -"
                .into(),
            json!({"client": null, "target": null}),
        ),
        // Squid.
        ("squid", squid("TCP_MISS/200", "GET http://h/a -", "HIER_DIRECT/192.0.2.2 GET"), json!({"mime": null})),
        ("squid", squid("TCP_MISS/200", "GET http://h/a -", "HIER_DIRECT/192.0.2.2 word"), json!({"mime": null})),
        ("squid", squid("TCP_MISS/200", "GET http://h/a -", "HIER_DIRECT/192.0.2.2 /a"), json!({"mime": null})),
        ("squid", squid("TCP_MISS/200", "GET - http://h/a", "HIER_DIRECT/192.0.2.2 -"), json!({"user": null})),
        ("squid", squid("TCP_MISS/200", "CONNECT - h:443", "HIER_DIRECT/192.0.2.2 -"), json!({"user": null})),
        ("squid", squid("TCP_MISS/200", "GET http://h/a binary/x", "HIER_DIRECT/192.0.2.2 -"), json!({"user": null})),
        ("squid", squid("HIER_NONE/-", "GET http://h/a -", "TCP_MISS/200 -"), json!({"hierarchy": null})),
        ("squid", squid("HIER_NONE/000", "GET http://h/a -", "TCP_MISS/- -"), json!({"cache_result": null})),
        ("squid", squid("TCP_MISS/200", "GET http://h/a -", "TAG_NONE/- -"), json!({"hierarchy": null})),
        ("squid-combined", combined("200 -", "- 7", "TCP_MISS:HIER_DIRECT"), json!({"ident": null, "status": null})),
        ("squid-combined", combined("- 200", "- 7", "TCP_MISS:HIER_DIRECT"), json!({"user": null, "status": null})),
        ("squid-combined", combined("200 -", "200 7", "TCP_MISS:HIER_DIRECT"), json!({"ident": null})),
        ("squid-combined", combined("- 512", "200 -", "TCP_MISS:HIER_DIRECT"), json!({"user": null, "size": null})),
        ("squid-combined", combined("- -", "200 7", "HIER_DIRECT:TCP_MISS"), json!({"cache_result": null})),
        ("traefik", traefik("200", "- 7"), json!({"user": null, "status": null})),
        ("traefik", traefik("- al", "200 7"), json!({"user": null, "client": null})),
        ("traefik", traefik("9.9.9.9 al", "200 7"), json!({"user": null})),
        ("traefik", traefik("al al", "200 7"), json!({"user": null})),
        ("traefik", traefik("http://h/", "200 7"), json!({"user": null})),
        // nginx: lists of the servers that were asked.
        (
            "nginx-ingress",
            ingress("-", &format!("[] 10.0.0.1:80, 10.0.0.2:80 612 0.001, 0.002 502, 200 {ID}")),
            json!({"upstream": null, "upstream_size": null}),
        ),
        (
            "nginx-ingress",
            ingress("-", &format!("[] 10.0.0.1:80 612 0.001 502, 200 {ID}")),
            json!({"upstream_status_list": null}),
        ),
        (
            "nginx-ingress",
            ingress("-", &format!("[] 10.0.0.1:80, 10.0.0.2:80 1, 2 0.1 : 0.2 502, 200 {ID}")),
            json!({"upstream_time": null}),
        ),
        ("nginx-ingress", ingress("-", &format!("[] 10.0.0.1:80 200 0.001 612 {ID}")), json!({"upstream_size": null})),
        ("nginx-ingress", ingress("-", &format!("[] 10.0.0.1:80 612 0.001 20 {ID}")), json!({"request_id": null})),
        ("nginx-ingress", ingress("[192.0.2.1] - -", "10.0.0.1:80 612 0.001 200 word"), json!({"request_id": null})),
        ("nginx-proxy-manager", manager("612, 200"), json!({"upstream_status": null})),
        // Access logs: a user, and what could be another field.
        ("clf", clf("- \"curl/8\"", "\"-\" -"), json!({"user": null})),
        ("clf", clf("\"curl/8\" -", "\"-\" -"), json!({"ident": null, "user": null})),
        ("clf", clf("- al [17/May/2015:10:05:03 +0000]", "\"-\" \"c\""), json!({"status": null})),
        ("clf", clf("- \"-\" al", "\"-\" \"c\""), json!({"user": null})),
        // Two ways to place the quotes; status and size stay right.
        ("clf", clf("- -", "\"a\" \"b\"x\" \"c\""), json!({"referer": null, "status": 200, "size": 7})),
        ("clf", clf("- -", "\"-\" \"a\"x\" 0.1 \"b\""), json!({"user_agent": null, "status": 200, "size": 7})),
    ];
    for (format, line, expected) in &cases {
        let row = &rows(format, format!("{line}\n"))[0];
        assert_eq!(row["error"], json!("record_malformed"), "{format}: {line}\n{row:?}");
        for (column, value) in expected.as_object().expect("an object") {
            assert_eq!(&row[column], value, "{format}: {line}: {column} of {row:?}");
        }
    }
}

#[test]
fn rare_lines_of_a_format_are_read() {
    let istio = |details: &str, end: &str| {
        format!(
            "[2019-03-06T09:31:27.354Z] \"GET /status/418 HTTP/1.1\" 418 - {details} 0 135 11 10 \"-\" \"curl/7.60.0\" \
             \"d209e46f-9ed5-9b61-bbdd-43e22662702a\" \"httpbin:8000\" \"127.0.0.1:80\" \
             inbound|8000|http|httpbin.default.svc.cluster.local - 172.30.146.73:80 172.30.146.82:38618 {end}"
        )
    };
    let haproxy = "192.0.2.1:3331 [06/Feb/2009:12:14:14.655] http-in static/s 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 \
                   0/0 \"GET /a HTTP/1.1\"";
    let uwsgi = "[pid: 7|app: 0|req: 1/3] 192.0.2.1 () {34 vars in 617 bytes} [Tue Mar  1 22:49:15 2016] OPTIONS * => \
                 generated 215 bytes in 68 msecs (HTTP/1.1 200) 9 headers in 373 bytes (1 switches on core 8)";
    let lists = "10.0.0.1:80, 10.0.0.2:80 : unix:/run/a.sock - : 612, 7 0.001, - : 0.002 502, - : 200";
    let lists = lists.replace("- : 612, 7 ", "-, 612 : 7 ");
    // (format, a line, what the row says)
    let cases: Vec<(&str, String, Value)> = vec![
        // Ids and names that samples have in the places of longer ones.
        (
            "s3",
            s3("79a5 mybucket", "79a5 3E57427F3EXAMPLE", S3_TAIL),
            json!({"bucket_owner": "79a5", "bucket": "mybucket", "requester": "79a5"}),
        ),
        (
            "s3",
            s3("79a5 deadbeef", "- 3E57427F3EXAMPLE", S3_TAIL),
            json!({"bucket": "deadbeef", "error": null}),
        ),
        (
            "s3",
            s3("BucketOwner bucket", "- 00000IDxxxx", S3_TAIL),
            json!({"bucket_owner": "BucketOwner", "error": null}),
        ),
        ("s3", s3("79a5 MyBucket", "AmazonS3 3E57427F3EXAMPLE", S3_TAIL), json!({"requester": "AmazonS3"})),
        (
            "s3",
            s3("79a5 b-1", "svc:storageinsights.amazonaws.com 3E57427F3EXAMPLE", S3_TAIL),
            json!({"requester": "svc:storageinsights.amazonaws.com", "error": null}),
        ),
        (
            "s3",
            s3("79a5 b-1", "- 3E57427F3EXAMPLE", &S3_TAIL.replace("curl/8", "a \"b\" c")),
            json!({"user_agent": "a \"b\" c", "error": null}),
        ),
        // No target.
        (
            "alb",
            alb("192.0.2.1:2817 - -1 -1 -1"),
            json!({"client": "192.0.2.1", "target": null, "error": null}),
        ),
        // Squid.
        (
            "squid",
            squid("TAG_NONE/503", "GET http://h/a al", "HIER_NONE/- text/html"),
            json!({"cache_result": "TAG_NONE", "hierarchy": "HIER_NONE", "user": "al", "mime": "text/html"}),
        ),
        (
            "squid",
            squid("NONE/400", "OPTIONS * -", "NONE/- -"),
            json!({"uri": null, "error": null, "status": 400}),
        ),
        (
            "squid",
            squid("UDP_HIT/000", "GET http://h/a a%20b", "TIMEOUT_SIBLING_HIT/p application/x-a.b+c"),
            json!({"user": "a b", "mime": "application/x-a.b+c", "hierarchy": "TIMEOUT_SIBLING_HIT"}),
        ),
        (
            "squid-combined",
            combined("17a 4711", "200 7", "NONE:DIRECT"),
            json!({"ident": "17a", "user": "4711", "hierarchy": "DIRECT"}),
        ),
        // nginx: several servers, groups of them, and forms of older versions.
        (
            "nginx-ingress",
            ingress("-", &format!("[] {lists} {ID}")),
            json!({
                "upstream": "10.0.0.1:80, 10.0.0.2:80 : unix:/run/a.sock", "upstream_size": "-, 612 : 7",
                "upstream_time": "0.001, - : 0.002", "upstream_status_list": "502, - : 200", "request_id": ID,
            }),
        ),
        (
            "nginx-ingress",
            ingress("[192.0.2.9] - al", &format!("10.0.0.1:80 612 0.001 200 {ID}")),
            json!({"the_real_ip": "192.0.2.9", "user": "al", "request_id": ID, "upstream_status_list": "200"}),
        ),
        (
            "nginx-ingress",
            ingress("[192.0.2.9] - al", "10.0.0.1:80, 10.0.0.2:80 -, 612 -, 0.001 502, 200"),
            json!({"upstream_status_list": "502, 200", "request_id": null, "upstream_time": "-, 0.001"}),
        ),
        (
            "nginx-ingress",
            ingress("joe smith", &format!("[] - - - - {ID}")),
            json!({"user": "joe smith", "upstream": null}),
        ),
        (
            "nginx-proxy-manager",
            manager("502, 200"),
            json!({"upstream_status_list": "502, 200", "upstream_status": null, "status": 200}),
        ),
        (
            "nginx-proxy-manager",
            manager("502 : 200"),
            json!({"upstream_status_list": "502 : 200", "uri": "https://h/a"}),
        ),
        (
            "nginx-proxy-manager",
            manager("502"),
            json!({"upstream_status_list": null, "upstream_status": 502}),
        ),
        // Istio's versions without names of routes.
        (
            "istio",
            istio("\"-\"", "outbound_.8000_._.httpbin.default.svc.cluster.local"),
            json!({"server_name": "outbound_.8000_._.httpbin.default.svc.cluster.local", "route_name": null}),
        ),
        (
            "istio",
            istio("\"-\"", "-"),
            json!({"uri": "http://httpbin:8000/status/418", "client": "172.30.146.82"}),
        ),
        (
            "istio",
            istio("\"none\" \"reset reason\"", "-"),
            json!({"mixer_status": "none", "upstream_failure": "reset reason", "error": null}),
        ),
        ("istio", istio("\"-\"", "- default"), json!({"route_name": "default", "server_name": null})),
        // Syslog without a host.
        (
            "haproxy",
            format!("<134>haproxy[1]: {haproxy}"),
            json!({"path": "/a", "prefix": "<134>haproxy[1]: "}),
        ),
        ("haproxy", format!("<134>{haproxy}"), json!({"path": "/a", "prefix": "<134>"})),
        (
            "haproxy",
            format!("<134>Feb  6 12:14:14 haproxy[1]: {haproxy}"),
            json!({"path": "/a", "prefix": "<134>Feb  6 12:14:14 haproxy[1]: "}),
        ),
        ("haproxy", format!("Feb  6 12:14:14 haproxy: {haproxy}"), json!({"path": "/a"})),
        ("uwsgi", uwsgi.to_owned(), json!({"uri": null, "error": null, "method": "OPTIONS", "status": 200})),
        // Names of users.
        (
            "traefik",
            traefik("joe smith", "200 7"),
            json!({"user": "joe smith", "client": "192.0.2.1", "size": 7}),
        ),
        ("clf", clf("- [x]", "\"-\" \"c\""), json!({"user": "[x]", "path": "/a", "user_agent": "c"})),
        ("clf", clf("- joe [x] smith", "\"-\" \"c\""), json!({"user": "joe [x] smith", "size": 7})),
        ("clf", clf("\"-\" \"-\"", "\"-\" \"c\""), json!({"ident": null, "user": null, "path": "/a"})),
        ("clf", clf("\"-\" \"joe smith\"", "\"-\" \"c\""), json!({"ident": null, "user": "joe smith"})),
        ("clf", clf("- \"-\"", "\"-\" \"c\""), json!({"ident": null, "user": null, "path": "/a"})),
        // Quotes of a client without marks.
        (
            "clf",
            clf("- -", "\"-\" \"a \"b\" c\""),
            json!({"user_agent": "a \"b\" c", "referer": null, "size": 7}),
        ),
        (
            "clf",
            clf("- -", "\"http://h/?q=\"x\"\" \"c\""),
            json!({"referer": "http://h/?q=\"x\"", "user_agent": "c", "status": 200}),
        ),
        ("clf", clf("- -", "\"-\" \"a\" b\""), json!({"user_agent": "a\" b", "rest": null})),
        ("clf", clf("- -", "\"-\" \"a\"b\" 0.1"), json!({"user_agent": "a\"b", "rest": "0.1"})),
    ];
    for (format, line, expected) in &cases {
        let row = &rows(format, format!("{line}\n"))[0];
        for (column, value) in expected.as_object().expect("an object") {
            assert_eq!(&row[column], value, "{format}: {line}: {column} of {row:?}");
        }
    }
    for method in ["PRI * HTTP/2.0", "M-SEARCH * HTTP/1.1", "OPTIONS * HTTP/1.1"] {
        let line = clf("- -", "\"-\" \"c\"").replace("GET /a HTTP/1.1", method);
        let row = &rows("clf", line)[0];
        assert_eq!(
            (&row["uri"], &row["error"], &row["status"]),
            (&Value::Null, &Value::Null, &json!(200)),
            "{method}"
        );
    }
}

/// CONNECT names host and port (RFC 9112, 3.2.3): user information before them makes no URI of it, and its password is
/// found.
#[test]
fn a_target_of_connect_has_no_user_information() {
    let line =
        |target: &str| squid("TCP_TUNNEL/200", &format!("CONNECT {target} -"), "HIER_DIRECT/192.0.2.2 -\n");
    for (options, uri) in [("", "CONNECT joe:pw@h:443"), ("--mask-passwords", "CONNECT joe:***@h:443")] {
        let row = &rows(&format!("squid {options}"), line("joe:pw@h:443"))[0];
        assert_eq!((&row["uri"], &row["raw"]), (&json!(uri), &Value::Null));
        assert_eq!((&row["error"], &row["error_offset"]), (&json!("record_malformed"), &json!(8)));
        assert!(row["scheme"].is_null() && row["host"].is_null(), "{row:?}");
    }
    let row = &rows("squid", line("h:443"))[0];
    assert_eq!((&row["host"], &row["port"], &row["error"]), (&json!("h"), &json!(443), &Value::Null));
}

/// CloudFront has added fields at the end of its lines; a line has those of its year.
#[test]
fn files_of_cloudfront_without_a_header_have_the_fields_of_their_year() {
    let whole = "2014-05-23\t01:13:11\tFRA2\t182\t192.0.2.10\tGET\td1.cloudfront.net\t/a\t200\thttp://h/\tcurl/8\tq=1\t-\t\
                 RefreshHit\tMRVMF7KydIvxMWfJIglgwHQwZsbG2IhRJ07sn9AkKUFSHS9EXAMPLE==\twww.example.com\thttps\t17\t0.001\t-\t\
                 TLSv1.2\tECDHE-RSA-AES128-GCM-SHA256\tRefreshHit\tHTTP/1.1\tProcessed\t1\t11040\t0.001\tHit\ttext/html\t7\t-\t-";
    let fields: Vec<&str> = whole.split('\t').collect();
    // (how many fields, the URI, whether there is a time, a protocol, a status of encryption)
    let cases = [
        (12, "http://d1.cloudfront.net/a?q=1", false, false, false),
        (15, "http://d1.cloudfront.net/a?q=1", false, false, false),
        (18, "https://www.example.com/a?q=1", false, false, false),
        (19, "https://www.example.com/a?q=1", true, false, false),
        (23, "https://www.example.com/a?q=1", true, false, false),
        (24, "https://www.example.com/a?q=1", true, true, false),
        (26, "https://www.example.com/a?q=1", true, true, true),
        (33, "https://www.example.com/a?q=1", true, true, true),
    ];
    for (count, uri, has_time, has_protocol, has_status) in cases {
        let line = fields[..count].join("\t") + "\n";
        for options in ["auto", "cloudfront", "cloudfront --chunk 64"] {
            for row in rows(options, line.repeat(3)) {
                assert_eq!((&row["uri"], &row["error"]), (&json!(uri), &Value::Null), "{count} {options}");
                let has = |name: &str| row.get(name).is_some_and(|value| !value.is_null());
                assert_eq!(
                    (has("duration_us"), has("protocol"), has("fle_status")),
                    (has_time, has_protocol, has_status)
                );
            }
        }
        // One more field does not fit the first line.
        let odd = line.clone() + &fields[..count - 1].join("\t") + "\n";
        assert_eq!(rows("cloudfront", odd)[1]["error"], json!("record_malformed"), "{count}");
    }
    // The result of a request is not a status of encryption.
    let odd = whole.replace("\tProcessed\t", "\tMiss\t");
    let row = &rows("cloudfront", format!("{whole}\n{odd}\n"))[1];
    assert_eq!((&row["error"], &row["fle_status"]), (&json!("record_malformed"), &Value::Null));
}

/// The error of fields that have changed places is at the first of them.
#[test]
fn fields_that_have_changed_places_are_an_error_at_the_first_of_them() {
    let line = |forwarded: &str, host: &str| {
        format!(
            "[2016-04-15T20:17:00.310Z] \"GET /a HTTP/1.1\" 204 - 154 0 226 100 \"{forwarded}\" \"curl/8\" \
             \"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2\" \"{host}\" \"tcp://10.0.2.1:80\"\n"
        )
    };
    let swapped = line("www.example.com", "192.0.2.7, 10.0.0.1");
    let row = &rows("envoy", line("192.0.2.7", "www.example.com") + &swapped)[1];
    let offset = row["error_offset"].as_u64().expect("an offset") as usize;
    assert!(swapped[offset..].starts_with("www.example.com"), "{row:?}");
}

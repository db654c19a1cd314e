//! Logs whose writers do not mark the quotes of a client: its text is never read as the fields after it; and the variants
//! of lines that are read.

use serde_json::{Value, json};

use super::rows;

fn envoy(request: &str, forwarded_for: &str, user_agent: &str, request_id: &str) -> String {
    format!(
        "[2016-04-15T20:17:00.310Z] \"{request}\" 204 - 154 0 226 100 \"{forwarded_for}\" \"{user_agent}\" \
         \"{request_id}\" \"www.example.com\" \"tcp://10.0.2.1:80\""
    )
}

fn istio(user_agent: &str) -> String {
    format!(
        "[2020-11-25T21:26:18.409Z] \"GET /a HTTP/1.1\" 418 - via_upstream - \"-\" 0 135 4 4 \"-\" \"{user_agent}\" \
         \"84961386-6d84-929d-98bd-c5aee93b5c88\" \"www.example.com\" \"10.44.1.27:80\" outbound|80||b.c 10.44.1.23:37652 \
         10.0.45.184:8000 192.0.2.1:46520 - default"
    )
}

fn s3(key: &str, request: &str, referer: &str, user_agent: &str) -> String {
    format!(
        "79a5 bucket [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 3E57427F3EXAMPLE REST.GET.OBJECT {key} {request} 206 - 1 2 3 \
         4 {referer} {user_agent} - aGk+/= SigV4 ECDHE-RSA-AES128-GCM-SHA256 AuthHeader b.s3.amazonaws.com TLSv1.2 - -"
    )
}

fn traefik(request: &str, user_agent: &str) -> String {
    format!(
        "192.0.2.1 - - [17/May/2015:10:05:03 +0200] \"{request}\" 200 2326 \"-\" \"{user_agent}\" 17 \"web@docker\" \
         \"http://172.17.0.2:80\" 72ms"
    )
}

fn haproxy(server: &str, cookie: &str, request: &str) -> String {
    format!(
        "192.0.2.1:3331 [06/Feb/2009:12:14:14.655] http-in static/{server} 10/0/30/69/109 200 2750 {cookie} - ---- \
         1/1/1/1/0 0/0 \"{request}\""
    )
}

const ID: &str = "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2";
const GET: &str = "GET /a HTTP/1.1";
const EVIL: &str = "curl/8\" \"x\" \"evil.example\" \"10.9.9.9:80";

/// (format, a line)
fn refused() -> Vec<(&'static str, String)> {
    let tail = "x\" - aGk+/= SigV4 ECDHE-RSA-AES128-GCM-SHA256 AuthHeader evil.example TLSv1.2 - -";
    vec![
        ("envoy", envoy(GET, "192.0.2.7", EVIL, ID)),
        ("envoy", envoy(GET, EVIL, "curl/8", ID)),
        ("envoy", envoy(GET, "192.0.2.7", "curl/8", EVIL)),
        ("envoy", envoy(GET, "192.0.2.7\" \"x", "curl/8", "a\" \"b")),
        ("envoy", envoy(&format!("GET /x HTTP/1.1\" 200 - 1 2 3 4 \"-\" \"{EVIL}"), "-", "curl/8", ID)),
        // A field too many, and one too few.
        ("envoy", envoy(GET, "192.0.2.7", "curl/8", ID) + " more"),
        ("envoy", envoy(GET, "192.0.2.7", "curl/8", ID).replace(" 226 ", " ")),
        ("istio", istio(EVIL)),
        (
            "istio",
            istio(
                "a\" \"b\" \"evil.example\" \"10.9.9.9:80\" outbound|1||x 1.1.1.1:1 2.2.2.2:2 6.6.6.6:666 - x",
            ),
        ),
        ("istio", istio("curl/8").replace(" 10.44.1.23:37652", "")),
        ("s3", s3("a", &format!("\"{GET}\""), "\"-\"", &format!("\"{tail}\""))),
        ("s3", s3("a", &format!("\"GET /x\" 200 - 1 2 3 4 \"-\" \"{tail} HTTP/1.1\""), "\"-\"", "\"curl\"")),
        ("s3", s3("a", &format!("\"{GET}\""), "\"a\" \"b\"", "\"curl\"")),
        ("traefik", traefik(GET, "a\" 18 \"evil\" \"http://10.9.9.9\" 1ms")),
        ("traefik", traefik("GET /?a\" 200 1 \"-\" \"b HTTP/1.1", "curl/8")),
        ("haproxy", haproxy("s", "SID=x - ---- 1/1/1/1/0 0/0 \"GET http://evil.example/ HTTP/1.1\"", GET)),
        ("haproxy", haproxy("s", "-", GET).replace(" 0/0 ", " ")),
    ]
}

#[test]
fn a_client_writes_no_field_behind_its_own() {
    for (format, line) in refused() {
        let found = rows(format, format!("{line}\n"));
        let row = &found[0];
        assert_eq!((&row["error"], &row["uri"]), (&json!("record_malformed"), &json!(line)), "{row:?}");
        for column in ["host", "user_agent", "request_id", "vhost", "upstream", "rest", "method", "router"] {
            assert!(row.get(column).is_none_or(Value::is_null), "{format}: {column} of {row:?}");
        }
        // Values that no client can write stay, and none comes from after the quotes.
        let client = row.get("client").unwrap_or(&Value::Null);
        assert!(
            client.is_null() || client.as_str().is_some_and(|client| client.starts_with("192.0.2.")),
            "{row:?}"
        );
    }
}

#[test]
fn variants_of_lines_are_read() {
    let quoted = format!("\"{GET}\"");
    let alb = "http 2018-07-02T22:23:00.186641Z app/lb/50 192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 34 366 \
               \"GET http://www.example.com:80/ HTTP/1.1\" \"curl/7\" - - arn:aws:x \"Root=1-5\"";
    let later = "\"-\" \"-\" 0 2018-07-02T22:22:48.364000Z \"forward\" \"-\" \"-\" \"10.0.0.1:80\" \"200\" \"-\" \"-\"";
    // (format, a line, what the row says)
    let cases: &[(&str, String, Value)] = &[
        // One way alone to place the fields.
        (
            "envoy",
            envoy(GET, "192.0.2.7", "Moz\"illa 5\"", ID),
            json!({"uri": "http://www.example.com/a", "user_agent": "Moz\"illa 5\"", "request_id": ID, "status": 204}),
        ),
        (
            "envoy",
            envoy("GET /a\"b HTTP/1.1", "-", "curl\\", ID),
            json!({"error": "path_invalid_char", "vhost": "www.example.com", "user_agent": "curl\\", "status": 204}),
        ),
        (
            "istio",
            istio("a\"b"),
            json!({"uri": "http://www.example.com/a", "client": "192.0.2.1", "client_port": 46520, "user_agent": "a\"b"}),
        ),
        (
            "istio",
            istio("curl").replace(" via_upstream - ", " "),
            json!({"uri": "http://www.example.com/a", "response_details": null, "upstream_failure": null}),
        ),
        (
            "istio",
            istio("curl").replace(" via_upstream - ", " \"none\" "),
            json!({"uri": "http://www.example.com/a", "mixer_status": "none", "size": 135}),
        ),
        (
            "s3",
            s3("%2522", "\"GET /\" HTTP/1.1\"", "\"a b\"", "\"curl\""),
            json!({"error": "path_invalid_char", "status": 206, "client": "192.0.2.3", "referer": "a b"}),
        ),
        (
            "s3",
            s3("a", &quoted, "\"https://h/\"", "\"Safari/604.1\"\""),
            json!({"uri": "https://b.s3.amazonaws.com/a", "user_agent": "Safari/604.1\"", "tls_version": "TLSv1.2"}),
        ),
        ("s3", s3("a", "-", "-", "-"), json!({"uri": null, "error": null, "key": "a", "host_id": "aGk+/="})),
        ("s3", s3("a", &quoted, "-", "\"curl\""), json!({"path": "/a", "referer": null, "user_agent": "curl"})),
        (
            "s3",
            s3("a", &quoted, "\"-\"", "\"c\"") + " us-west-2",
            json!({"path": "/a", "source_region": "us-west-2", "acl_required": null}),
        ),
        ("traefik", traefik("GET /?a=\"b\" HTTP/1.1", "c"), json!({"error": "query_invalid_char", "size": 2326})),
        ("traefik", traefik(GET, "a \"b\" c"), json!({"path": "/a", "user_agent": "a \"b\" c", "router": "web@docker"})),
        ("haproxy", haproxy("", "-", GET), json!({"path": "/a", "server": null, "backend": "static"})),
        ("haproxy", haproxy("<NOSRV>", "-", GET), json!({"path": "/a", "server": "<NOSRV>"})),
        (
            "haproxy",
            haproxy("s", "-", GET) + " 0/0000000000000000/0/0/0 1wt.eu/TLSv1.3/TLS_AES_256_GCM_SHA384",
            json!({"path": "/a", "rest": "0/0000000000000000/0/0/0 1wt.eu/TLSv1.3/TLS_AES_256_GCM_SHA384"}),
        ),
        ("haproxy", format!("  {}  ", haproxy("s", "-", GET)), json!({"path": "/a", "client": "192.0.2.1"})),
        ("alb", alb.to_owned(), json!({"trace_id": "Root=1-5", "domain_name": null, "error": null})),
        ("alb", format!("{alb} {later}"), json!({"target_list": "10.0.0.1:80", "target_status_list": "200"})),
        (
            "alb",
            format!("{alb} {later} TID_1a \"-\" \"-\" \"-\""),
            json!({"rest": "TID_1a \"-\" \"-\" \"-\"", "error": null}),
        ),
        (
            "alb",
            format!("{alb} {}", later.replacen(" \"-\" \"-\" \"10", " \"-\" \"10", 1)),
            json!({"error": "record_malformed", "error_reason": null, "target_list": null, "status": 200}),
        ),
        (
            "squid",
            "1761121144.919      0 192.0.2.1 NONE_NONE/000 0 - error:transaction-end-before-headers - HIER_NONE/- - \"-\" \"-\""
                .into(),
            json!({"uri": null, "error": null, "status": 0, "rest": "\"-\" \"-\""}),
        ),
        (
            "squid-combined",
            "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"NONE error:invalid-request HTTP/0.0\" 400 7 \"-\" \"-\" NONE:HIER_NONE"
                .into(),
            json!({"uri": null, "error": null, "status": 400}),
        ),
        (
            "uwsgi",
            "[pid: 7|app: -1|req: -1/3]  () {34 vars in 617 bytes} [Tue Mar  1 22:49:15 2016] GET /a => generated 215 bytes \
             in 68 msecs via sendfile() (HTTP/1.0 404) 9 headers in 373 bytes (1 switches on core 8)"
                .into(),
            json!({"path": "/a", "client": null, "duration_us": 68000, "status": 404}),
        ),
        (
            "nginx-ingress",
            "192.0.2.3 - [192.0.2.4] - frank [16/May/2018:08:34:01 +0000] \"GET /a HTTP/2.0\" 200 8319 \"-\" \"c\" 563 0.102 \
             [web-80] unix:/run/a.sock 39615 0.102 200"
                .into(),
            json!({"path": "/a", "client": "192.0.2.3", "the_real_ip": "192.0.2.4", "user": "frank", "request_id": null}),
        ),
    ];
    for (format, line, expected) in cases {
        let found = rows(format, format!("{line}\n"));
        for (column, value) in expected.as_object().expect("an object") {
            assert_eq!(&found[0][column], value, "{format}: {column} of {:?}", found[0]);
        }
    }
}

/// Work by the square of the number of quotes is bounded.
#[test]
fn many_quotes_take_no_time() {
    let line = envoy(GET, "-", &"\" \"".repeat(100_000), ID);
    let began = std::time::Instant::now();
    let found = rows("envoy --max-record 4194304", format!("{line}\n"));
    assert_eq!(found[0]["error"], json!("record_malformed"));
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

/// An upstream has a port and always stands there: it is no list that has changed places with what a client sent.
#[test]
fn a_list_of_clients_may_be_any_text() {
    for forwarded_for in ["unknown", "unknown, 10.0.0.1", "10.0.0.1, unknown", "_hidden"] {
        let line = envoy("GET /a HTTP/1.1", forwarded_for, "curl/8", "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2");
        let found = rows("envoy", line.replace("tcp://10.0.2.1:80", "127.0.0.1:8001"));
        assert_eq!(found[0]["error"], Value::Null, "{forwarded_for}: {found:?}");
        assert_eq!(found[0]["forwarded_for"], json!(forwarded_for));
    }
}

/// No method has a dot, as most hosts have.
#[test]
fn a_host_in_the_place_of_a_method_is_malformed() {
    let header = "#Fields: date time s-ip cs-method cs-uri-stem cs-host sc-status\n";
    let line = |method: &str, host: &str| format!("2023-01-01 00:00:01 10.0.0.1 {method} /a {host} 200\n");
    let text = [header, &line("GET", "www.example.com"), &line("www.example.com", "GET")].concat();
    let found = rows("w3c", text);
    assert_eq!(found[0]["uri"], json!("http://www.example.com/a"));
    assert_eq!((&found[1]["error"], &found[1]["method"]), (&json!("record_malformed"), &Value::Null));
}

/// The dash for the id of the version is not a user agent if the referer is missing.
#[test]
fn a_line_of_s3_without_its_referer_is_malformed() {
    let line = s3("s3-dg.pdf", "\"GET /s3-dg.pdf HTTP/1.1\"", "\"http://h/\"", "\"curl/8\"");
    let whole = line.split_inclusive("\"curl/8\" -").next().expect("the beginning of the line");
    assert_eq!(rows("s3", whole)[0]["user_agent"], json!("curl/8"));
    let both = [whole, &whole.replace("\"http://h/\" ", "")].join("\n");
    let found = rows("s3", both);
    assert_eq!((&found[1]["error"], &found[1]["referer"]), (&json!("record_malformed"), &Value::Null));
}

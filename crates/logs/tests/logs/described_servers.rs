//! Each server's format strings: the formats that its documentation has as its own, and lines that it has written so.

use serde_json::{Value, json};
use urimill_testkit::moves::{Seed, assert_none_shifted, words};
use urimill_testkit::reading::assert_has;

use super::described::described;

/// (format string, a line, what its row has)
type Case = (&'static str, &'static str, Value);

fn check(cases: &[Case]) {
    for (format, line, expected) in cases {
        let rows = described(format, "", line);
        assert_has(&rows[0], expected, &format!("{format}: {line}"));
        // A line that is not whole is not read.
        let cut = &line[..line.len() / 2];
        assert_has(&described(format, "", cut)[0], &json!({"error": "record_malformed"}), cut);
    }
}

/// The configuration manual of HAProxy, 8.2.3 and 8.2.4, with its examples.
#[test]
fn haproxy() {
    let http = json!({"uri": "/index.html", "client": "10.0.1.2", "client_port": 33317, "time": "2009-02-06T12:14:14.655Z",
        "frontend": "http-in", "backend": "static", "server": "srv1", "request_us": 10_000, "queue_us": 0,
        "connect_us": 30_000, "response_us": 69_000, "duration_us": 109_000, "status": 200, "size": 2750,
        "request_cookie": null, "termination_state": "----", "server_queue": 0, "retries": 0,
        "request_headers": "1wt.eu", "response_headers": "", "method": "GET", "protocol": "HTTP/1.1"});
    let line = "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- \
                1/1/1/1/0 0/0 {1wt.eu} {} \"GET /index.html HTTP/1.1\"";
    check(&[
        ("haproxy:httplog", line, http.clone()),
        (
            "haproxy:%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC \\\n                %CS %tsc \
             %ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r",
            line,
            http,
        ),
        // Without captures; a connection that went on; an address of version 6.
        (
            "haproxy:httplog",
            "2001:db8::1:33317 [06/Feb/2009:12:14:14.655] http-in static/<NOSRV> 10/0/-1/69/+109 200 +2750 - - ---- \
             1/1/1/1/0 0/0 \"GET /index.html HTTP/1.1\"",
            json!({"uri": "/index.html", "client": "2001:db8::1", "client_port": 33317, "server": "<NOSRV>",
                "connect_us": null, "duration_us": 109_000, "size": 2750, "request_headers": null, "headers": null}),
        ),
        (
            "haproxy:httplog",
            "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- \
             1/1/1/1/0 0/0 {a|b c} \"GET /a#22b HTTP/1.1\"",
            json!({"uri": "/a\"b", "headers": "a|b c", "request_headers": null}),
        ),
        (
            "haproxy:httpslog",
            "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] https-in static/srv1 10/0/30/69/109 200 2750 - - ---- \
             1/1/1/1/0 0/0 {1wt.eu} {} \"GET /index.html HTTP/1.1\" 0/0/0/0/0 1wt.eu/TLSv1.3/TLS_AES_256_GCM_SHA384",
            json!({"uri": "/index.html", "fc_err": "0", "server_name": "1wt.eu", "ssl_protocol": "TLSv1.3",
                "ssl_cipher": "TLS_AES_256_GCM_SHA384"}),
        ),
        (
            "haproxy:httplog clf",
            "172.21.102.219 - - [07/May/2024:08:39:37 +0000] \"POST /some/uri HTTP/1.1\" 401 271 \"\" \"\" 25792 302 \
             \"ft~\" \"bk01\" \"srv01\" 0 0 4 3 7 ---- 19 19 0 0 0 0 0 \"\" \"\"",
            json!({"uri": "/some/uri", "client": "172.21.102.219", "client_port": 25792, "status": 401, "size": 271,
                "time": "2024-05-07T08:39:37Z", "milliseconds": 302, "frontend": "ft~", "backend": "bk01",
                "server": "srv01", "duration_us": 7000, "process_connections": 19, "rest": null}),
        ),
        (
            "haproxy:%ci:%cp [%T] %HM %[req.hdr(host)]%HU %HV %sslv %ST %[capture.req.hdr(0)]",
            "192.0.2.1:1 [06/Feb/2009:12:14:14 +0100] GET www.example.com/a?b HTTP/2.0 TLSv1.3 200 Mozilla/5.0 (X11)",
            json!({"uri": "https://www.example.com/a?b", "method": "GET", "protocol": "HTTP/2.0",
                "time": "2009-02-06T11:14:14Z", "capture_req_hdr_0": "Mozilla/5.0 (X11)"}),
        ),
    ]);
}

/// The formats of `squid.conf.documented`.
#[test]
fn squid() {
    check(&[
        (
            "squid:squid",
            "1525334330.556      3 120.65.1.1 TCP_REFRESH_MISS/200 2014 GET http://www.sample.com/hellow_world.txt \
             public%20user DIRECT/www.sample.com text/plain",
            json!({"uri": "http://www.sample.com/hellow_world.txt", "time": "2018-05-03T07:58:50.556Z",
                "duration_us": 3000, "client": "120.65.1.1", "cache_result": "TCP_REFRESH_MISS", "status": 200,
                "size": 2014, "method": "GET", "user": "public user", "hierarchy": "DIRECT",
                "peer": "www.sample.com", "mime": "text/plain"}),
        ),
        (
            "%ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt",
            "1525344856.899  16867 10.170.72.111 TCP_TUNNEL/200 6256 CONNECT \
             logs.ap-southeast-2.amazonaws.com:443 - HIER_DIRECT/53.140.206.134 -",
            json!({"uri": "//logs.ap-southeast-2.amazonaws.com:443", "method": "CONNECT", "duration_us": 16_867_000,
                "user": null, "mime": null}),
        ),
        (
            "squid:combined",
            "192.0.2.1 - al [17/May/2015:10:05:03 +0200] \"GET http://example.com/a b HTTP/1.1\" 200 7 \
             \"http://h/\" \"a \\\"b\\\"\" TCP_MISS:HIER_DIRECT",
            json!({"error": "path_invalid_char", "client": "192.0.2.1", "user": "al", "time": "2015-05-17T08:05:03Z",
                "method": "GET", "protocol": "HTTP/1.1", "size": 7, "referer": "http://h/", "user_agent": "a \"b\"",
                "cache_result": "TCP_MISS", "hierarchy": "HIER_DIRECT"}),
        ),
        (
            "squid:common",
            "192.0.2.1 - - [17/May/2015:10:05:03 +0200] \"NONE error:invalid-request HTTP/0.0\" 400 3912 \
             TAG_NONE:HIER_NONE",
            json!({"uri": null, "error": null, "status": 400}),
        ),
        (
            "squid:[%{%Y-%m-%d %H:%M:%S}tl] %>rs://%>rd:%>rP%>rp %>Hs",
            "[2015-05-17 10:05:03] https://example.com:443/a?b 200",
            json!({"uri": "https://example.com/a?b", "time": "2015-05-17T10:05:03Z", "status": 200}),
        ),
    ]);
}

/// The formats that the page on `AccessLogValve` has, and its patterns.
#[test]
fn tomcat() {
    let line = "0:0:0:0:0:0:0:1 - - [24/Jul/2014:18:32:18 +0200] \"GET /manager/html HTTP/1.1\" 401 2473";
    check(&[
        (
            "tomcat:common",
            line,
            json!({"uri": "/manager/html", "client": "0:0:0:0:0:0:0:1", "time": "2014-07-24T16:32:18Z",
                "status": 401, "size": 2473, "method": "GET"}),
        ),
        (
            "tomcat:%h %l %u %t &quot;%r&quot; %s %b &quot;%{Referer}i&quot; &quot;%{User-Agent}i&quot; %D %S %I",
            "127.0.0.1 - al [24/Jul/2014:18:32:18 +0200] \"GET /a?b HTTP/1.1\" 200 - \"-\" \"x \\\"y\\\"\" 1500 \
             A1B2.jvm1 http-nio-8080-exec-1",
            json!({"uri": "/a?b", "user": "al", "size": null, "referer": null, "user_agent": "x \"y\"",
                "duration_us": 1500, "session": "A1B2.jvm1", "thread": "http-nio-8080-exec-1"}),
        ),
        (
            "tomcat9:%v%U%q %D %T",
            "example.com/a?b 12 0.012",
            json!({"uri": "http://example.com/a?b",
            "duration_us": 12_000, "duration_us_2": 12_000}),
        ),
    ]);
}

/// `logging.yaml.default`, and a format that a report shows.
#[test]
fn trafficserver() {
    check(&[
        (
            "trafficserver:squid",
            "1563448725.263 4 127.0.0.1 TCP_HIT/206 1347584 GET http://origin.example.net/a%20b.ts - NONE/- video/mp2t",
            json!({"uri": "http://origin.example.net/a%20b.ts", "time": "2019-07-18T11:18:45.263Z",
                "duration_us": 4000, "client": "127.0.0.1", "cache_result": "TCP_HIT", "status": 206,
                "sent": 1_347_584, "method": "GET", "user": null, "hierarchy": "NONE", "upstream_host": null,
                "mime": "video/mp2t"}),
        ),
        (
            "trafficserver:common",
            "127.0.0.1 - - [10/Dec/2019:08:24:44 -0800] \"GET http://example.com/ HTTP/1.1\" 200 11650",
            json!({"uri": "http://example.com/", "time": "2019-12-10T16:24:44Z", "status": 200, "size": 11650,
                "protocol": "HTTP/1.1"}),
        ),
        (
            "trafficserver:extended2",
            "127.0.0.1 - - [10/Dec/2019:08:24:44 -0800] \"GET http://example.com/ HTTP/1.1\" 200 11650 200 11650 0 0 \
             120 300 130 290 1 DIRECT FIN FIN TCP_MISS",
            json!({"uri": "http://example.com/", "upstream_status": 200, "request_header_size": 120,
                "duration_us": 1_000_000, "hierarchy": "DIRECT", "client_finish": "FIN", "cache_result": "TCP_MISS"}),
        ),
        (
            r#"trafficserver:%<cqtq> chi=%<chi> shn=%<shn> url=%<pquc> rng="%<{Range}cqh>" cqhm=%<cqhm> pssc=%<pssc> ttms=%<ttms> b=%<pscl> sssc=%<sssc> sscl=%<sscl> cfsc=%<cfsc> pfsc=%<pfsc> crc=%<crc> phr=%<phr> uas="%<{User-Agent}cqh>" xmt="%<{X-MoneyTrace}cqh>""#,
            "1563448725.263 chi=127.0.0.1 shn=- url=http://origin.example.net/t6qam14/DIS_4QAM.ts \
             rng=\"bytes=134758400-136105983\" cqhm=GET pssc=206 ttms=4 b=1347584 sssc=000 sscl=0 cfsc=FIN pfsc=FIN \
             crc=TCP_HIT phr=NONE uas=\"X/Y\" xmt=\"trace-id=16fe9209;parent-id=27;span-id=-37\"",
            json!({"uri": "http://origin.example.net/t6qam14/DIS_4QAM.ts", "status": 206, "size": 1_347_584,
                "request_range": "bytes=134758400-136105983", "upstream_status": 0, "user_agent": "X/Y",
                "request_x_moneytrace": "trace-id=16fe9209;parent-id=27;span-id=-37"}),
        ),
    ]);
}

/// The default format of `varnishncsa`, and its extended variables.
#[test]
fn varnish() {
    check(&[
        (
            "varnish:default",
            "192.0.2.1 - - [17/May/2015:10:05:14 +0000] \"GET http://www.example.com/a?b=c HTTP/1.1\" 200 18848 \
             \"http://www.google.ro/\" \"Mozilla/5.0\"",
            json!({"uri": "http://www.example.com/a?b=c", "client": "192.0.2.1", "status": 200, "size": 18848,
                "referer": "http://www.google.ro/", "user_agent": "Mozilla/5.0"}),
        ),
        (
            r#"varnish:%{X-Forwarded-For}i %{%Y-%m-%dT%H:%M:%S}t %m %{Host}i%U%q %s %{Varnish:time_firstbyte}x %{Varnish:hitmiss}x %{VCL_Log:backend}x %D\n"#,
            "192.0.2.1, 192.0.2.2 2015-05-17T10:05:14 GET www.example.com/a?b 200 0.000104 hit web1 250",
            json!({"uri": "http://www.example.com/a?b", "forwarded_for": "192.0.2.1, 192.0.2.2",
                "time": "2015-05-17T10:05:14Z", "first_byte_us": 104, "cache_status": "hit", "vcl_log_backend": "web1",
                "duration_us": 250}),
        ),
    ]);
}

/// The default format of Envoy with the example of its documentation.
#[test]
fn envoy() {
    let format = "envoy:[%START_TIME%] \"%REQ(:METHOD)% %REQ(X-ENVOY-ORIGINAL-PATH?:PATH)% %PROTOCOL%\"\n  \
                  %RESPONSE_CODE% %RESPONSE_FLAGS% %BYTES_RECEIVED% %BYTES_SENT% %DURATION%\n  \
                  %RESP(X-ENVOY-UPSTREAM-SERVICE-TIME)% \"%REQ(X-FORWARDED-FOR)%\" \"%REQ(USER-AGENT)%\"\n  \
                  \"%REQ(X-REQUEST-ID)%\" \"%REQ(:AUTHORITY)%\" \"%UPSTREAM_HOST%\"\\n";
    let line = "[2016-04-15T20:17:00.310Z] \"POST /api/v1/locations HTTP/2\" 204 - 154 0 226 100 \"10.0.35.28\" \
                \"nsq2http\" \"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2\" \"locations\" \"tcp://10.0.2.1:80\"";
    let row = json!({"uri": "http://locations/api/v1/locations", "time": "2016-04-15T20:17:00.310Z", "method": "POST",
        "protocol": "HTTP/2", "status": 204, "response_flags": null, "request_size": 154, "size": 0,
        "duration_us": 226_000, "upstream_us": 100_000, "forwarded_for": "10.0.35.28", "user_agent": "nsq2http",
        "request_id": "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2", "vhost": "locations", "upstream": "tcp://10.0.2.1:80"});
    check(&[
        (format, line, row.clone()),
        ("envoy:default", line, row),
        (
            "envoy:default",
            "[2019-04-06T06:20:05.972Z] \"- - -\" 0 UF,URX 0 0 0 - \"-\" \"-\" \"-\" \"-\" \"127.0.0.1:9200\"",
            json!({"uri": null, "error": null, "status": 0, "response_flags": "UF,URX"}),
        ),
        (
            "envoy:%START_TIME(%s.%3f)% %DOWNSTREAM_REMOTE_ADDRESS% %REQ(:METHOD)% \
             %REQ(X-FORWARDED-PROTO)%://%REQ(:AUTHORITY)%%REQ(:PATH)% %RESPONSE_CODE% %UPSTREAM_CLUSTER%",
            "1527590590.528 10.0.0.1:4000 GET https://example.com/a?b 200 outbound|80||x",
            json!({"uri": "https://example.com/a?b", "time": "2018-05-29T10:43:10.528Z", "client": "10.0.0.1",
                "client_port": 4000, "upstream_cluster": "outbound|80||x"}),
        ),
    ]);
}

/// Lines of these formats, with another value in every field.
const SEEDS: &[Seed] = &[
    words(
        "haproxy:httplog",
        &[
            ("10.0.1.2:33317", 'e'),
            ("[06/Feb/2009:12:14:14.655]", 't'),
            ("http-in", 'w'),
            ("static/srv1", 'b'),
            ("11/2/33/69/109", 'C'),
            ("203", 's'),
            ("2750", 'n'),
            ("a=b", 'w'),
            ("c=d", 'w'),
            ("SC--", 'x'),
            ("15/16/17/18/19", 'C'),
            ("21/22", 'q'),
            ("\"GET /a?b HTTP/1.1\"", 'r'),
        ],
    ),
    words(
        "squid:squid",
        &[
            ("1525334330.556", 'f'),
            ("1234", 'n'),
            ("192.0.2.1", 'a'),
            ("TCP_REFRESH_MISS/203", 'c'),
            ("2014", 'n'),
            ("GET", 'm'),
            ("http://www.example.com/a?b", 'u'),
            ("alice", 'm'),
            ("HIER_DIRECT/www.example.org", 'h'),
            ("text/plain", 'M'),
        ],
    ),
    words(
        "squid:combined",
        &[
            ("192.0.2.1", 'a'),
            ("-", '-'),
            ("alice", 'w'),
            ("[17/May/2015:10:05:03 +0200]", 't'),
            ("\"GET http://example.com/a HTTP/1.1\"", 'r'),
            ("203", 's'),
            ("7120", 'n'),
            ("\"http://www.example.org/r\"", 'q'),
            ("\"curl/8 (x)\"", 'q'),
            ("TCP_MISS:HIER_DIRECT", 'c'),
        ],
    ),
    words(
        "tomcat:%t %h %u \"%r\" %s %b \"%{User-Agent}i\" %D %S %I",
        &[
            ("[17/May/2015:10:05:03 +0200]", 't'),
            ("h.example", 'w'),
            ("alice", 'w'),
            ("\"GET /a?b HTTP/1.1\"", 'r'),
            ("203", 's'),
            ("7120", 'n'),
            ("\"curl/8 (x)\"", 'q'),
            ("1500", 'n'),
            ("A1B2.jvm1", 'w'),
            ("http-nio-8080-exec-1", 'w'),
        ],
    ),
    words(
        "trafficserver:squid",
        &[
            ("1563448725.263", 'f'),
            ("1234", 'n'),
            ("192.0.2.1", 'a'),
            ("TCP_HIT/203", 'c'),
            ("2014", 'n'),
            ("GET", 'w'),
            ("http://www.example.com/a?b", 'w'),
            ("alice", 'w'),
            ("NONE/www.example.org", 'c'),
            ("text/plain", 'w'),
        ],
    ),
    words(
        "envoy:default",
        &[
            ("[2016-04-15T20:17:00.310Z]", 't'),
            ("\"POST /a?b HTTP/2\"", 'r'),
            ("203", 's'),
            ("UF,URX", 'g'),
            ("1540", 'n'),
            ("2750", 'n'),
            ("2260", 'n'),
            ("1000", 'n'),
            ("\"10.0.35.28\"", 'q'),
            ("\"nsq2http (x)\"", 'q'),
            ("\"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2\"", 'q'),
            ("\"www.example.com\"", 'q'),
            ("\"10.0.2.1:80\"", 'E'),
        ],
    ),
    words(
        "$remote_addr $scheme://$host$request_uri $status $request_time",
        &[("192.0.2.1", 'a'), ("https://www.example.org/a?b", 'u'), ("203", 's'), ("0.123", 'f')],
    ),
];

#[test]
fn no_value_comes_into_the_column_of_another_field() {
    assert_none_shifted(SEEDS.iter(), 300, |format, input| described(format, "", &input));
}

#[test]
#[ignore = "takes minutes"]
fn no_value_comes_into_the_column_of_another_field_in_many() {
    assert_none_shifted(SEEDS.iter(), 20_000, |format, input| described(format, "", &input));
}

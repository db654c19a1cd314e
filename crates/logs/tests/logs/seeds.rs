//! A line of each format of logs with another value in every field, for `moves`.

use urimill_testkit::moves::{Seed, words};

/// A line of ALB: type, time, the fields that all these lines have, and the fields after them.
macro_rules! alb {
    ($type:expr, $time:expr, $($field:expr),+) => {
        words(
            "alb",
            &[
                $type,
                $time,
                ("app/my-balancer/50dc6c495c0c9188", 'b'),
                ("192.168.131.39:2817", 'e'),
                ("10.0.0.77:8181", 'e'),
                ("0.186", 'f'),
                ("0.248", 'f'),
                ("0.337", 'f'),
                ("403", 's'),
                ("502", 's'),
                ("3411", 'n'),
                ("366123", 'n'),
                $($field),+
            ],
        )
    };
}

/// A line of a web server: what precedes the time, and what follows the request.
macro_rules! clf {
    ([$($head:expr),+], $($tail:expr),+) => {
        words(
            "clf",
            &[
                $($head,)+
                ("[17/May/2015:10:05:03 +0000]", 't'),
                ("\"GET /a?b HTTP/1.1\"", 'r'),
                $($tail),+
            ],
        )
    };
}

/// A line of Nginx Proxy Manager with the status of the server that was asked, or those of several.
macro_rules! nginx_proxy_manager {
    ($upstream:expr) => {
        words(
            "nginx-proxy-manager",
            &[
                ("[22/Jan/2024:12:16:48 +0000]", 't'),
                ("HIT", 'c'),
                $upstream,
                ("404", 's'),
                ("-", '-'),
                ("GET", 'm'),
                ("https", 'k'),
                ("www.example.com", 'h'),
                ("\"/a?b=c\"", 'u'),
                ("[Client 192.0.2.1]", 'C'),
                ("[Length 4311]", 'L'),
                ("[Gzip 2.11]", 'G'),
                ("[Sent-to 10.0.0.5]", 'X'),
                ("\"Mozilla/5.0 (X11; Linux x86_64)\"", 'q'),
                ("\"https://www.example.org/r\"", 'U'),
            ],
        )
    };
}

/// A line of Traefik with a user and a referer.
macro_rules! traefik {
    ($user:expr, $referer:expr) => {
        words(
            "traefik",
            &[
                ("192.0.2.1", 'a'),
                ("-", '-'),
                $user,
                ("[17/May/2015:10:05:03 +0200]", 't'),
                ("\"GET /a?b HTTP/1.1\"", 'r'),
                ("203", 's'),
                ("23261", 'n'),
                $referer,
                ("\"Mozilla/5.0 (x)\"", 'q'),
                ("1177", 'n'),
                ("\"web@docker\"", 'q'),
                ("\"http://172.17.0.2:80\"", 'u'),
                ("72ms", 'd'),
            ],
        )
    };
}

/// A line of the NGINX Ingress controller: what precedes the time, and what follows the name of the service.
macro_rules! nginx_ingress {
    ([$($head:expr),+], $($tail:expr),+) => {
        words(
            "nginx-ingress",
            &[
                ("192.0.2.1", 'a'),
                $($head,)+
                ("[17/May/2015:10:05:03 +0000]", 't'),
                ("\"GET /a?b HTTP/1.1\"", 'r'),
                ("203", 's'),
                ("6123", 'n'),
                ("\"http://www.example.org/ref\"", 'u'),
                ("\"curl/8 (x)\"", 'q'),
                ("7411", 'n'),
                ("0.011", 'f'),
                ("[default-web-80]", 'b'),
                $($tail),+
            ],
        )
    };
}

pub(super) use {clf, nginx_ingress, nginx_proxy_manager, traefik};

pub(super) const SEEDS: &[Seed] = &[
    alb!(
        ("https", 'k'),
        ("2018-07-02T22:23:01.186641Z", 't'),
        ("\"GET https://www.example.com:443/a?b=1 HTTP/1.1\"", 'r'),
        ("\"curl/7.46.0 (X11)\"", 'q'),
        ("ECDHE-RSA-AES128-GCM-SHA256", 'c'),
        ("TLSv1.2", 'v'),
        ("arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/t/73e2", 'a'),
        ("\"Root=1-58337281-1d84f3d73c47ec4e58577259\"", 'i'),
        ("\"sni.example.net\"", 'h'),
        ("\"arn:aws:acm:us-east-2:123456789012:certificate/12345678\"", 'A'),
        ("1077", 'n'),
        ("2018-07-02T22:22:48.364000Z", 't'),
        ("\"authenticate,forward\"", 'x'),
        ("\"https://www.example.org:443/r\"", 'u'),
        ("\"AuthInvalidCookie\"", 'w'),
        ("\"10.0.0.11:8080\"", 'E'),
        ("\"201\"", 'S'),
        ("\"Ambiguous\"", 'C'),
        ("\"SpaceInUri\"", 'w'),
        ("TID_1234abcd5678ef90", 'T')
    ),
    alb!(
        ("http", 'k'),
        ("2018-07-02T22:23:00.186641Z", 't'),
        ("\"GET http://www.example.com:80/ HTTP/1.1\"", 'r'),
        ("\"curl/7.46.0\"", 'q'),
        ("-", '-'),
        ("-", '-'),
        ("arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/t/73e2", 'a'),
        ("\"Root=1-58337281-1d84f3d73c47ec4e58577259\"", 'i'),
        ("\"-\"", '-'),
        ("\"-\"", '-'),
        ("1077", 'n'),
        ("2018-07-02T22:22:48.364000Z", 't'),
        ("\"forward\"", 'x'),
        ("\"-\"", '-'),
        ("\"-\"", '-'),
        ("\"10.0.0.1:80\"", 'E'),
        ("\"201\"", 'S'),
        ("\"-\"", '-'),
        ("\"-\"", '-')
    ),
    words(
        "elb",
        &[
            ("2015-05-13T23:39:43.945958Z", 't'),
            ("my-loadbalancer", 'b'),
            ("192.168.131.39:2817", 'e'),
            ("10.0.0.77:8181", 'e'),
            ("0.000186", 'f'),
            ("0.001048", 'f'),
            ("0.001337", 'f'),
            ("403", 's'),
            ("502", 's'),
            ("3411", 'n'),
            ("366123", 'n'),
            ("\"GET https://www.example.com:443/a?b HTTP/1.1\"", 'r'),
            ("\"curl/7.38.0\"", 'q'),
            ("DHE-RSA-AES128-SHA", 'c'),
            ("TLSv1.2", 'v'),
        ],
    ),
    words(
        "s3",
        &[
            ("79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be", 'o'),
            ("amzn-s3-demo-bucket1", 'w'),
            ("[06/Feb/2019:00:00:38 +0000]", 't'),
            ("192.0.2.3", 'a'),
            ("arn:aws:iam::111122223333:user/me", 'p'),
            ("3E57427F3EXAMPLE", 'I'),
            ("REST.GET.OBJECT", 'O'),
            ("a/b%2520c.txt", 'k'),
            ("\"GET /amzn-s3-demo-bucket1/a/b%20c.txt?list-type=2 HTTP/1.1\"", 'r'),
            ("206", 's'),
            ("AccessDenied", 'w'),
            ("11377", 'n'),
            ("4406583", 'n'),
            ("41711", 'n'),
            ("28217", 'n'),
            ("\"https://www.example.org/start\"", 'u'),
            ("\"S3Console/0.4 (x)\"", 'q'),
            ("3HL4kqtJvjVBH40Nrjfkd", 'w'),
            ("s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234=", 'H'),
            ("SigV4", 'g'),
            ("ECDHE-RSA-AES128-GCM-SHA256", 'c'),
            ("AuthHeader", 'W'),
            ("amzn-s3-demo-bucket1.s3.us-west-1.amazonaws.com", 'h'),
            ("TLSv1.2", 'v'),
            ("arn:aws:s3:us-west-1:123456789012:accesspoint/example-AP", 'A'),
            ("Yes", 'y'),
            ("us-west-2", 'w'),
        ],
    ),
    words(
        "haproxy",
        &[
            ("10.0.1.2:33317", 'e'),
            ("[06/Feb/2009:12:14:14.655]", 't'),
            ("http-in~", 'p'),
            ("static/srv1", 'P'),
            ("10/201/30/69/109", 'T'),
            ("503", 's'),
            ("27501", 'n'),
            ("SID=abc", 'c'),
            ("RID=xyz", 'c'),
            ("SC--", 'x'),
            ("1111/2222/3333/4444/5", 'T'),
            ("6666/7777", 'Q'),
            ("{1wt.eu|x y}", 'h'),
            ("{nginx|}", 'h'),
            ("\"GET /index.html?a HTTP/1.1\"", 'r'),
            ("TLSv1.2", 'z'),
        ],
    ),
    words(
        "haproxy",
        &[
            ("10.0.1.2:33317", 'e'),
            ("[06/Feb/2009:12:14:14.655]", 't'),
            ("http-in", 'p'),
            ("static/<NOSRV>", 'P'),
            ("10/-1/-1/-1/109", 'T'),
            ("503", 's'),
            ("27501", 'n'),
            ("-", '-'),
            ("-", '-'),
            ("SC--", 'x'),
            ("1111/2222/3333/4444/5", 'T'),
            ("6666/7777", 'Q'),
            ("\"GET /index.html?a HTTP/1.1\"", 'r'),
        ],
    ),
    words(
        "squid",
        &[
            ("1066036250.603", 't'),
            ("310", 'n'),
            ("192.0.2.1", 'a'),
            ("TCP_MISS/203", 'C'),
            ("11053", 'n'),
            ("GET", 'm'),
            ("http://www.example.com/a?b", 'u'),
            ("alice", 'w'),
            ("HIER_DIRECT/192.0.2.22", 'H'),
            ("text/html", 'M'),
        ],
    ),
    words(
        "squid-combined",
        &[
            ("192.0.2.1", 'a'),
            ("ident7", 'w'),
            ("alice", 'w'),
            ("[17/May/2015:10:05:03 +0000]", 't'),
            ("\"GET http://www.example.com/a HTTP/1.1\"", 'r'),
            ("203", 's'),
            ("11053", 'n'),
            ("\"http://www.example.org/ref\"", 'u'),
            ("\"curl/8 (x)\"", 'q'),
            ("TCP_MISS:HIER_DIRECT", 'C'),
        ],
    ),
    words(
        "uwsgi",
        &[
            ("[pid: 88185|app: 10|req: 221/331]", 'p'),
            ("192.0.2.1", 'a'),
            ("(alice)", 'U'),
            ("{38 vars in 696 bytes}", 'V'),
            ("[Sun Mar 13 22:49:12 2016]", 't'),
            ("POST", 'm'),
            ("/update?b=c", 'u'),
            ("=> generated", '='),
            ("4711", 'n'),
            ("bytes in", '='),
            ("129", 'n'),
            ("msecs", '='),
            ("(HTTP/1.1 404)", 'P'),
            ("9 headers in 378 bytes (1 switches on core 3)", 'R'),
        ],
    ),
    nginx_proxy_manager!(("502", 's')),
    words(
        "envoy",
        &[
            ("[2016-04-15T20:17:00.310Z]", 't'),
            ("\"POST /api/v1/locations?a=b HTTP/2\"", 'r'),
            ("204", 's'),
            ("UF,URX", 'f'),
            ("15411", 'n'),
            ("3311", 'n'),
            ("2261", 'n'),
            ("1071", 'n'),
            ("\"10.0.35.28, 10.0.35.29\"", 'x'),
            ("\"nsq2http/1 (a)\"", 'q'),
            ("\"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2\"", 'i'),
            ("\"locations.example.com:8443\"", 'h'),
            ("\"tcp://10.0.2.1:80\"", 'e'),
        ],
    ),
    words(
        "istio",
        &[
            ("[2020-11-25T21:26:18.409Z]", 't'),
            ("\"GET /status/418 HTTP/1.1\"", 'r'),
            ("418", 's'),
            ("UF,URX", 'f'),
            ("via_upstream", 'd'),
            ("closed_early", 'd'),
            ("\"delayed connect error: 111\"", 'q'),
            ("15411", 'n'),
            ("3311", 'n'),
            ("2261", 'n'),
            ("1071", 'n'),
            ("\"10.0.35.28\"", 'x'),
            ("\"curl/7.73.0-DEV (a)\"", 'q'),
            ("\"84961386-6d84-929d-98bd-c5aee93b5c88\"", 'i'),
            ("\"httpbin.example.com:8000\"", 'h'),
            ("\"10.44.1.27:80\"", 'E'),
            ("outbound|8000||httpbin.foo.svc.cluster.local", 'c'),
            ("10.44.1.23:37652", 'e'),
            ("10.0.45.184:8000", 'e'),
            ("10.44.1.24:46520", 'e'),
            ("sni.example.net", 'w'),
            ("default", 'w'),
        ],
    ),
    words(
        "istio",
        &[
            ("[2020-11-25T21:26:18.409Z]", 't'),
            ("\"GET /status/418 HTTP/1.1\"", 'r'),
            ("418", 's'),
            ("-", '-'),
            ("via_upstream", 'd'),
            ("-", 'd'),
            ("\"-\"", 'q'),
            ("15411", 'n'),
            ("3311", 'n'),
            ("2261", 'n'),
            ("1071", 'n'),
            ("\"-\"", '-'),
            ("\"curl/7.73.0-DEV\"", 'q'),
            ("\"84961386-6d84-929d-98bd-c5aee93b5c88\"", 'i'),
            ("\"httpbin:8000\"", 'h'),
            ("\"10.44.1.27:80\"", 'E'),
            ("outbound|8000||httpbin.foo.svc.cluster.local", 'c'),
            ("10.44.1.23:37652", 'e'),
            ("10.0.45.184:8000", 'e'),
            ("10.44.1.24:46520", 'e'),
            ("-", 'w'),
            ("default", 'w'),
        ],
    ),
    traefik!(("alice", 'w'), ("\"http://www.example.org/ref\"", 'u')),
    nginx_ingress!(
        [("-", '-'), ("alice", 'w')],
        ("[other-web-81]", 'b'),
        ("10.244.0.5:80, 10.244.0.6:80", 'E'),
        ("6124, 17", 'S'),
        ("5.017, 0.002", 'F'),
        ("504, 200", 'S'),
        ("2a1fa6b4e1d5e0c7a4f0d1c6c0f7e9aa", 'w')
    ),
    clf!(
        [("192.0.2.1", 'a'), ("ident7", 'w'), ("alice", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q')
    ),
    clf!([("192.0.2.1", 'a'), ("ident7", 'w'), ("alice", 'w')], ("203", 's'), ("6123", 'n')),
    clf!([("192.0.2.1", 'a'), ("-", 'w'), ("alice", 'w')], ("203", 's'), ("-", 'n')),
    clf!(
        [("www.example.com:443", 'h'), ("192.0.2.1", 'a'), ("-", 'w'), ("alice", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"Mozilla/5.0 (X11)\"", 'q')
    ),
    clf!(
        [("www.example.com", 'h'), ("192.0.2.1", 'a'), ("ident7", 'w'), ("alice", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q')
    ),
    clf!(
        // Each of the two may be a user.
        [("192.0.2.1", 'a'), ("www.example.com", 'w'), ("alice", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q')
    ),
    clf!(
        [("192.0.2.1, 198.51.100.7", 'l'), ("-", 'w'), ("alice", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q')
    ),
    clf!(
        [("203.0.113.5, 198.51.100.7", 'l'), ("192.0.2.1", 'a'), ("-", 'w'), ("alice", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q')
    ),
    clf!(
        [("\"203.0.113.5\"", 'a'), ("192.0.2.1", 'a'), ("-", 'w'), ("alice", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q')
    ),
    clf!(
        [
            ("www.example.com", 'h'),
            ("192.0.2.1", 'a'),
            ("-", 'w'),
            ("95386da81aa13b6ab3ce9c989e1e470e", 'i'),
            ("alice", 'w')
        ],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"Mozilla/5.0 (X11)\"", 'q')
    ),
    clf!(
        [("w.example", 'h'), ("192.0.2.1:4711", 'a'), ("-", 'w'), ("alice", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q'),
        ("\"198.51.100.7\"", 'l')
    ),
    clf!(
        [("192.0.2.1", 'a'), ("-", 'w'), ("alice", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q'),
        ("4417", '.'),
        ("9019", '.')
    ),
    clf!(
        [("192.0.2.1", 'a'), ("-", 'w'), ("alice", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q'),
        ("\"-\"", '-'),
        ("0.011", '.')
    ),
];

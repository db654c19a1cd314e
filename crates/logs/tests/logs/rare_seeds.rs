//! Lines of logs in rare forms, or with dashes for absent values, for `moves`.

use urimill_testkit::moves::{Seed, words};

use super::seeds::{clf, nginx_ingress, nginx_proxy_manager, traefik};

/// A line of Amazon S3 with who has sent the request.
macro_rules! s3 {
    ($requester:expr) => {
        words(
            "s3",
            &[
                ("79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be", 'o'),
                ("mybucket", 'b'),
                ("[06/Feb/2019:00:00:38 +0000]", 't'),
                ("192.0.2.3", 'a'),
                $requester,
                ("3E57427F3EXAMPLE", 'I'),
                ("REST.GET.OBJECT", 'O'),
                ("a/b.txt", 'k'),
                ("\"GET /a/b.txt HTTP/1.1\"", 'r'),
                ("206", 's'),
                ("-", '-'),
                ("11377", 'n'),
                ("4406583", 'n'),
                ("41711", 'n'),
                ("28217", 'n'),
                ("\"-\"", '-'),
                ("\"S3Console/0.4 (x)\"", 'q'),
                ("-", '-'),
                ("s9lzHYrFp76ZVxRcpX9+5cjAnEH2ROuNkd2BHfIa6UkFVdtjf5mKR3/eTPFvsiP/XV/VLi31234=", 'H'),
                ("-", '-'),
                ("ECDHE-RSA-AES128-GCM-SHA256", 'c'),
                ("-", '-'),
                ("mybucket.s3.us-west-1.amazonaws.com", 'h'),
                ("TLSv1.2", 'v'),
            ],
        )
    };
}

/// A line of Istio with the reason of a failure, and what follows the address of the client.
macro_rules! istio {
    ($time:expr, $failure:expr, $($end:expr),+) => {
        words(
            "istio",
            &[
                $time,
                ("\"GET /status/418 HTTP/1.1\"", 'r'),
                ("418", 's'),
                ("-", '-'),
                $failure,
                ("15411", 'n'),
                ("3311", 'n'),
                ("2261", 'n'),
                ("1071", 'n'),
                ("\"-\"", '-'),
                ("\"curl/7.60.0\"", 'q'),
                ("\"d209e46f-9ed5-9b61-bbdd-43e22662702a\"", 'i'),
                ("\"httpbin:8000\"", 'h'),
                ("\"127.0.0.1:80\"", 'E'),
                ("inbound|8000|http|httpbin.default.svc.cluster.local", 'c'),
                ("-", '-'),
                ("172.30.146.73:80", 'e'),
                ("172.30.146.82:38618", 'e'),
                $($end),+
            ],
        )
    };
}

pub(super) const RARE_SEEDS: &[Seed] = &[
    words(
        "alb",
        &[
            ("http", 'k'),
            ("2018-07-02T22:23:00.186641Z", 't'),
            ("app/my-balancer/50dc6c495c0c9188", 'b'),
            ("192.168.131.39:2817", 'e'),
            ("-", '-'),
            ("-1", 'N'),
            ("-1", 'N'),
            ("-1", 'N'),
            ("460", 's'),
            ("-", 's'),
            ("3411", 'n'),
            ("366123", 'n'),
            ("\"GET http://www.example.com:80/ HTTP/1.1\"", 'r'),
            ("\"curl/7.46.0\"", 'q'),
            ("-", '-'),
            ("-", '-'),
            ("arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/t/73e2", 'a'),
            ("\"Root=1-58337281-1d84f3d73c47ec4e58577259\"", 'i'),
        ],
    ),
    words(
        "elb",
        &[
            ("2015-05-13T23:39:43.945958Z", 't'),
            ("my-loadbalancer", 'b'),
            ("192.168.131.39:2817", 'e'),
            ("-", '-'),
            ("-1", 'N'),
            ("-1", 'N'),
            ("-1", 'N'),
            ("503", 's'),
            ("0", 's'),
            ("3411", 'n'),
            ("366123", 'n'),
            ("\"GET https://www.example.com:443/a?b HTTP/1.1\"", 'r'),
            ("\"curl/7.38.0\"", 'q'),
            ("-", '-'),
            ("-", '-'),
        ],
    ),
    s3!(("-", '-')),
    s3!(("88b59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be", 'o')),
    s3!(("AmazonS3", 'p')),
    words(
        "squid",
        &[
            ("1066036250.603", 't'),
            ("310", 'n'),
            ("192.0.2.1", 'a'),
            ("TAG_NONE/203", 'C'),
            ("11053", 'n'),
            ("GET", 'm'),
            ("http://www.example.com/a?b", 'u'),
            ("-", '-'),
            ("HIER_NONE/-", 'H'),
            ("text/html", 'M'),
        ],
    ),
    words(
        "squid",
        &[
            ("1066036250.603", 't'),
            ("310", 'n'),
            ("192.0.2.1", 'a'),
            ("TCP_TUNNEL/203", 'C'),
            ("11053", 'n'),
            ("CONNECT", 'm'),
            ("www.example.com:443", 'u'),
            ("-", '-'),
            ("HIER_DIRECT/192.0.2.22", 'H'),
            ("-", '-'),
        ],
    ),
    words(
        "squid-combined",
        &[
            ("192.0.2.1", 'a'),
            ("-", '-'),
            ("-", '-'),
            ("[17/May/2015:10:05:03 +0000]", 't'),
            ("\"GET http://www.example.com/a HTTP/1.1\"", 'r'),
            ("203", 's'),
            ("11053", 'n'),
            ("\"http://www.example.org/ref\"", 'u'),
            ("\"curl/8 (x)\"", 'q'),
            ("NONE:HIER_NONE", 'C'),
        ],
    ),
    nginx_proxy_manager!(("502, 201", 'S')),
    istio!(
        ("[2019-03-06T09:31:27.354Z]", 't'),
        ("\"-\"", '-'),
        ("outbound_.8000_._.httpbin.default.svc.cluster.local", 'w')
    ),
    istio!(("[2019-11-06T09:31:27.354Z]", 't'), ("\"reset reason\"", 'q'), ("-", 'w'), ("default", 'w')),
    traefik!(("-", '-'), ("\"-\"", 'u')),
    nginx_ingress!(
        [("-", '-'), ("-", '-')],
        ("[]", 'B'),
        ("10.244.0.5:80, 10.244.0.6:80 : 10.244.0.7:80", 'E'),
        ("6124, 17 : 6", 'S'),
        ("5.017, 0.002 : 0.031", 'F'),
        ("504, 502 : 201", 'A'),
        ("2a1fa6b4e1d5e0c7a4f0d1c6c0f7e9aa", 'w')
    ),
    nginx_ingress!(
        [("-", '-'), ("[192.0.2.9]", 'R'), ("-", '-'), ("-", '-')],
        ("10.244.0.5:80, 10.244.0.6:80 : 10.244.0.7:80", 'E'),
        ("6124, 17 : 6", 'S'),
        ("5.017, 0.002 : 0.031", 'F'),
        ("504, 502 : 201", 'A')
    ),
    clf!(
        [("192.0.2.1", 'a'), ("\"-\"", '-'), ("\"alice\"", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q')
    ),
    clf!(
        [("192.0.2.1", 'a'), ("-", '-'), ("[x]", 'w')],
        ("203", 's'),
        ("6123", 'n'),
        ("\"http://www.example.org/ref\"", 'u'),
        ("\"curl/8 (x)\"", 'q')
    ),
];

//! The readers of `mutants` for each format: an expression for its lines, the paths of its members, the fields
//! under its header.

use regex::bytes::Regex;
use urimill_testkit::samples::log;

/// A format of lines: its sample, and its expression. A name of a group is a column; `⟨a⟩` in it becomes what [`PARTS`]
/// has, `(?P<client>…)` with `@` is an address with its port; up to each `¦` a line that breaks off keeps its fields.
pub(super) struct Form {
    pub(super) format: &'static str,
    pub(super) file: &'static str,
    pub(super) line: &'static str,
}

pub(super) const ENDPOINT: &str = r"(?:-|\[?(?P<NAME>⟨ip⟩)\]?(?::(?P<NAME_port>[0-9]{1,5}))?)";

pub(super) const FORMS: &[Form] = &[
    Form {
        format: "alb",
        file: "alb.log",
        line: r#"(?P<type>⟨w⟩) (?P<time>⟨t⟩)¦ (?P<elb>⟨w⟩) @client@(?: |$)¦@target@(?: |$)¦(?:⟨n⟩) (?:⟨n⟩) (?:⟨n⟩) (?P<status>⟨n⟩) (?P<target_status>⟨n⟩) (?P<request_size>⟨n⟩) (?P<size>⟨n⟩) "(?P<request>⟨q⟩)¦" "(?P<user_agent>⟨q⟩)" (?P<ssl_cipher>⟨w⟩) (?P<ssl_protocol>⟨w⟩) (?P<target_group_arn>⟨w⟩) "(?P<trace_id>⟨q⟩)"(?: "(?P<domain_name>⟨q⟩)"(?: "(?P<chosen_cert_arn>⟨q⟩)"(?: (?P<rule_priority>⟨w⟩)(?: (?P<request_creation_time>⟨t⟩)¦(?: "(?P<actions_executed>⟨q⟩)"(?: "(?P<redirect_url>⟨q⟩)"(?: "(?P<error_reason>⟨q⟩)"(?: "(?P<target_list>⟨q⟩)"(?: "(?P<target_status_list>⟨q⟩)"(?: "(?P<classification>⟨q⟩)"(?: "(?P<classification_reason>⟨q⟩)"(?: (?P<rest>⟨x⟩))?)?)?)?)?)?)?)?)?)?)?)?"#,
    },
    Form {
        format: "elb",
        file: "elb.log",
        line: r#"(?P<time>⟨t⟩)¦ (?P<elb>⟨w⟩) @client@(?: |$)¦@target@(?: |$)¦(?:⟨n⟩) (?:⟨n⟩) (?:⟨n⟩) (?P<status>⟨n⟩) (?P<target_status>⟨n⟩) (?P<request_size>⟨n⟩) (?P<size>⟨n⟩) "(?P<request>⟨q⟩)¦"(?: "(?P<user_agent>⟨q⟩)"(?: (?P<ssl_cipher>⟨w⟩)(?: (?P<ssl_protocol>⟨w⟩)(?: (?P<rest>⟨x⟩))?)?)?)?"#,
    },
    Form {
        format: "squid",
        file: "squid.log",
        line: r#" *(?P<time>⟨t⟩)¦ +(?:⟨n⟩) +(?P<client>⟨w⟩) +(?P<cache_result>⟨c⟩)/ *(?P<status>⟨n⟩) +(?P<size>⟨n⟩) +(?P<method>⟨m⟩) +(?P<target>⟨w⟩) +(?P<user>⟨w⟩) +(?P<hierarchy>[^ /\n]+)/ *(?P<peer>⟨w⟩) +(?P<mime>⟨w⟩)(?: +(?P<rest>⟨x⟩))?"#,
    },
    Form {
        format: "squid-combined",
        file: "squid-combined.log",
        line: r#"(?P<client>⟨w⟩) (?P<ident>⟨w⟩) (?P<user>⟨w⟩) \[(?P<time>⟨b⟩)¦\] "(?P<request>⟨q⟩)¦" (?P<status>⟨n⟩) (?P<size>⟨n⟩) "(?P<referer>⟨q⟩)" "(?P<user_agent>⟨q⟩)" (?P<cache_result>⟨c⟩):(?P<hierarchy>⟨c⟩)"#,
    },
    Form {
        format: "envoy",
        file: "envoy.log",
        line: r#"\[(?P<time>⟨b⟩)¦\] "(?P<request>⟨q⟩)¦" (?P<status>⟨n⟩) (?P<response_flags>⟨w⟩) (?P<request_size>⟨n⟩) (?P<size>⟨n⟩) (?:⟨n⟩) (?:⟨n⟩) "(?P<forwarded_for>⟨q⟩)" "(?P<user_agent>⟨q⟩)" "(?P<request_id>⟨q⟩)" "(?P<host>⟨q⟩)" "(?P<upstream>⟨q⟩)"(?: (?P<rest>⟨x⟩))?"#,
    },
    Form {
        format: "traefik",
        file: "traefik.log",
        line: r#"(?P<client>⟨w⟩) - (?P<user>⟨w⟩(?: ⟨w⟩)*?) \[(?P<time>⟨b⟩)¦\] "(?P<request>⟨q⟩)¦" (?P<status>⟨n⟩) (?P<size>⟨n⟩) "(?P<referer>⟨q⟩)" "(?P<user_agent>⟨q⟩)" (?P<request_number>⟨n⟩) "(?P<router>⟨q⟩)" "(?P<upstream>⟨q⟩)" (?:⟨n⟩)"#,
    },
];

pub(super) const MORE: &[Form] = &[
    Form {
        format: "s3",
        file: "s3.log",
        line: r#"(?P<bucket_owner>⟨w⟩) (?P<bucket>⟨w⟩) \[(?P<time>⟨b⟩)¦\] (?P<client>-|\[?⟨ip⟩\]?)(?: |$)¦(?P<requester>⟨w⟩) (?P<request_id>⟨w⟩) (?P<operation>⟨w⟩) (?P<key>⟨w⟩) (?:"(?P<request>⟨q⟩)¦"|(?P<other>⟨w⟩)) (?P<status>⟨n⟩) (?P<error_code>⟨w⟩) (?P<size>⟨n⟩) (?P<object_size>⟨n⟩) (?:⟨n⟩) (?:⟨n⟩) "(?P<referer>⟨q⟩)" "(?P<user_agent>⟨q⟩)"(?: (?P<version_id>⟨w⟩)(?: (?P<host_id>⟨w⟩)(?: (?P<signature_version>⟨w⟩)(?: (?P<cipher_suite>⟨w⟩)(?: (?P<authentication_type>⟨w⟩)(?: (?P<host>⟨w⟩)(?: (?P<tls_version>⟨w⟩)(?: (?P<access_point_arn>⟨w⟩)(?: (?P<acl_required>⟨w⟩)(?: (?P<rest>⟨x⟩))?)?)?)?)?)?)?)?)?)?"#,
    },
    Form {
        format: "uwsgi",
        file: "uwsgi.log",
        line: r#"\[pid: (?P<pid>⟨n⟩)\|app: (?P<app>[^ |\n]+)\|req: (?P<app_request>[^ /\n]+)/(?P<worker_request>[^ \]\n]+)\] (?P<client>[^ \n]*) \((?P<user>.*?)\) \{(?P<variables>.*?)\} \[(?P<time>⟨b⟩)¦\] (?P<method>⟨m⟩|-) (?P<target>⟨w⟩) => generated (?P<size>⟨n⟩) bytes in (?:⟨n⟩) (?:msecs|micros) \((?P<protocol>⟨w⟩) (?P<status>⟨n⟩)\)(?: (?P<rest>⟨x⟩))?"#,
    },
    Form {
        format: "nginx-ingress",
        file: "nginx-ingress.log",
        line: r#"(?P<client>⟨w⟩) - (?P<user>⟨w⟩(?: ⟨w⟩)*?) \[(?P<time>⟨b⟩)¦\] "(?P<request>⟨q⟩)¦" (?P<status>⟨n⟩) (?P<size>⟨n⟩) "(?P<referer>⟨q⟩)" "(?P<user_agent>⟨q⟩)" (?P<request_size>⟨n⟩) (?:⟨n⟩) \[(?P<upstream_name>.*?)\] \[(?P<alternative_upstream>.*?)\] (?P<upstream>⟨l⟩) (?P<upstream_size>⟨l⟩) (?P<upstream_time>⟨l⟩) (?P<upstream_status_list>⟨l⟩) (?P<request_id>⟨w⟩)"#,
    },
    Form {
        format: "haproxy",
        file: "haproxy.log",
        line: r#"@client@(?: |$)¦\[(?P<time>⟨b⟩)¦\] (?P<frontend>⟨w⟩) (?P<backend>[^ /\n]+)/(?P<server>[^ \n]*) (?:⟨n⟩)/(?:⟨n⟩)/(?:⟨n⟩)/(?:⟨n⟩)/(?:⟨n⟩) (?P<status>⟨n⟩) (?P<size>⟨n⟩) (?P<request_cookie>⟨w⟩) (?P<response_cookie>⟨w⟩) (?P<termination_state>⟨w⟩) (?P<process_connections>⟨n⟩)/(?P<frontend_connections>⟨n⟩)/(?P<backend_connections>⟨n⟩)/(?P<server_connections>⟨n⟩)/(?P<retries>⟨n⟩) (?P<server_queue>⟨n⟩)/(?P<backend_queue>⟨n⟩)(?: \{(?P<request_headers>[^}\n]*)\} \{(?P<response_headers>[^}\n]*)\}| \{(?P<headers>[^}\n]*)\}|) "(?P<request>⟨q⟩)¦"(?: (?P<rest>⟨x⟩))?"#,
    },
    Form {
        format: "istio",
        file: "istio.log",
        line: r#"\[(?P<time>⟨b⟩)¦\] "(?P<request>⟨q⟩)¦" (?P<status>⟨n⟩) (?P<response_flags>⟨w⟩) (?P<response_details>⟨w⟩) (?P<termination_details>⟨w⟩) "(?P<upstream_failure>⟨q⟩)" (?P<request_size>⟨n⟩) (?P<size>⟨n⟩) (?:⟨n⟩) (?:⟨n⟩) "(?P<forwarded_for>⟨q⟩)" "(?P<user_agent>⟨q⟩)" "(?P<request_id>⟨q⟩)" "(?P<host>⟨q⟩)" "(?P<upstream>⟨q⟩)"(?: (?P<upstream_cluster>⟨w⟩)(?: (?P<upstream_local>⟨w⟩)(?: (?P<downstream_local>⟨w⟩)(?: @client@(?: |$)¦(?:(?P<server_name>⟨w⟩)(?: (?P<route_name>⟨w⟩)(?: (?P<rest>⟨x⟩))?)?)?)?)?)?)?"#,
    },
    Form {
        format: "nginx-proxy-manager",
        file: "nginx-proxy-manager.log",
        line: r#"\[(?P<time>⟨b⟩)¦\] (?:(?P<cache_status>⟨w⟩) (?P<upstream_status>⟨n⟩) )?(?P<status>⟨n⟩) - (?P<method>⟨m⟩) (?:⟨m⟩) (?P<host>⟨w⟩) "(?P<target>⟨q⟩)" \[Client (?P<client>-|⟨ip⟩)(?:\]|$)¦ \[Length (?P<size>⟨n⟩)\] \[Gzip (?P<gzip_ratio>[^ \]\n]+)\](?: \[Sent-to (?P<upstream>[^ \]\n]+)\])? "(?P<user_agent>⟨q⟩)" "(?P<referer>⟨q⟩)""#,
    },
];

/// Objects: the sample, and the columns that hold texts and numbers as they stand, by their paths (RFC 6901).
pub(super) const OBJECTS: &[(&str, &[(&str, &str)])] = &[
    (
        "caddy",
        &[
            ("/request/client_ip", "client"),
            ("/request/method", "method"),
            ("/request/proto", "protocol"),
            ("/request/headers/User-Agent/0", "user_agent"),
            ("/logger", "logger"),
            ("/size", "size"),
            ("/status", "status"),
        ],
    ),
    (
        "gcp",
        &[
            ("/httpRequest/remoteIp", "client"),
            ("/httpRequest/requestMethod", "method"),
            ("/httpRequest/userAgent", "user_agent"),
            ("/httpRequest/status", "status"),
            ("/insertId", "request_id"),
        ],
    ),
    (
        "nginx-json",
        &[
            ("/remote_addr", "client"),
            ("/remote_user", "user"),
            ("/http_referer", "referer"),
            ("/http_user_agent", "user_agent"),
        ],
    ),
    (
        "zeek-json",
        &[("/uid", "uid"), ("/id.orig_h", "client"), ("/method", "method"), ("/status_code", "status")],
    ),
    (
        "cloudflare",
        &[
            ("/ClientIP", "client"),
            ("/ClientRequestMethod", "method"),
            ("/ClientRequestUserAgent", "user_agent"),
            ("/EdgeResponseStatus", "status"),
            ("/EdgeResponseBytes", "size"),
            ("/RayID", "request_id"),
        ],
    ),
    (
        "fastly",
        &[
            ("/client_ip", "client"),
            ("/request_method", "method"),
            ("/request_user_agent", "user_agent"),
            ("/response_status", "status"),
            ("/response_reason", "status_text"),
            ("/response_body_size", "size"),
        ],
    ),
    (
        "ecs",
        &[
            ("/source/ip", "client"),
            ("/http/request/method", "method"),
            ("/http/response/status_code", "status"),
            ("/http/response/body/bytes", "size"),
        ],
    ),
    (
        "traefik-json",
        &[
            ("/ClientHost", "client"),
            ("/RequestMethod", "method"),
            ("/DownstreamStatus", "status"),
            ("/DownstreamContentSize", "size"),
            ("/RouterName", "router"),
            ("/request_User-Agent", "user_agent"),
        ],
    ),
    (
        "envoy-json",
        &[
            ("/method", "method"),
            ("/response_code", "status"),
            ("/bytes_sent", "size"),
            ("/user_agent", "user_agent"),
            ("/request_id", "request_id"),
            ("/upstream_host", "upstream"),
        ],
    ),
];

/// The fields of a line.
type Split = fn(&str) -> Vec<String>;

/// Logs with a header: the name, what splits a line, the header, the lines, and the columns of the fields with what
/// they hold: `n` numbers, `t` a part of a moment, `a` an address, `m` a method, others texts.
pub(super) struct Headed {
    pub(super) format: &'static str,
    pub(super) split: Split,
    pub(super) header: String,
    pub(super) lines: Vec<String>,
    pub(super) columns: &'static [(&'static str, char)],
}

const W3C: &[(&str, char)] = &[
    ("", 't'),
    ("", 't'),
    ("client", 'a'),
    ("method", 'm'),
    ("", ' '),
    ("status", 'n'),
    ("user_agent", ' '),
    ("x_own", ' '),
];

const ZEEK: &[(&str, char)] =
    &[("", 't'), ("client", 'a'), ("method", 'm'), ("", ' '), ("status", 'n'), ("user_agent", ' ')];

const NO: (&str, char) = ("", ' ');

const CLOUDFRONT: &[(&str, char)] = &[
    NO,
    NO,
    ("edge_location", ' '),
    ("size", 'n'),
    ("client", 'a'),
    ("method", 'm'),
    ("distribution", ' '),
    NO,
    ("status", 'n'),
    ("referer", ' '),
    ("user_agent", ' '),
    NO,
    ("cookie", ' '),
    ("cache_status", ' '),
    ("request_id", ' '),
    NO,
    NO,
    ("request_size", 'n'),
    NO,
    ("forwarded_for", ' '),
    ("ssl_protocol", ' '),
    ("ssl_cipher", ' '),
    NO,
    ("protocol", ' '),
    NO,
    NO,
    ("client_port", 'n'),
    NO,
    NO,
    ("sc_content_type", ' '),
    ("content_length", 'n'),
    NO,
    NO,
];

const REALTIME: &[(&str, char)] = &[
    NO,
    ("client", 'a'),
    NO,
    ("status", 'n'),
    ("size", 'n'),
    ("method", 'm'),
    NO,
    NO,
    NO,
    ("request_size", 'n'),
    ("edge_location", ' '),
    ("request_id", ' '),
    ("distribution", ' '),
    NO,
    ("protocol", ' '),
    NO,
    ("user_agent", ' '),
    ("referer", ' '),
    ("cookie", ' '),
    NO,
    NO,
    ("forwarded_for", ' '),
    ("ssl_protocol", ' '),
    ("ssl_cipher", ' '),
    ("cache_status", ' '),
    NO,
    NO,
    NO,
    ("content_length", 'n'),
    NO,
    NO,
    ("client_port", 'n'),
    NO,
    ("country", ' '),
    NO,
    NO,
    NO,
    NO,
    NO,
    NO,
    NO,
    NO,
    NO,
    NO,
    ("asn", ' '),
];

const STORAGE: &[(&str, char)] = &[
    NO,
    ("client", 'a'),
    ("c_ip_type", ' '),
    ("c_ip_region", ' '),
    ("method", 'm'),
    NO,
    ("status", 'n'),
    ("request_size", 'n'),
    ("size", 'n'),
    NO,
    NO,
    ("referer", ' '),
    ("user_agent", ' '),
    ("request_id", ' '),
    ("cs_operation", ' '),
    ("cs_bucket", ' '),
    ("cs_object", ' '),
];

pub(super) fn headed() -> Vec<Headed> {
    let lines = |lines: &[&str]| lines.iter().map(|&line| line.to_owned()).collect();
    let tabs = |line: &str| line.split('\t').map(str::to_owned).collect();
    // The last lines of a sample, and what precedes them.
    let sampled = |file: &str| {
        let text = log(file);
        let from = text.trim_end().rmatch_indices('\n').nth(1).map_or(0, |(at, _)| at + 1);
        (text[..from].trim_end().to_owned(), text[from..].lines().map(str::to_owned).collect::<Vec<_>>())
    };
    let w3c = [
        "2012-04-01 00:00:13 192.0.2.1 GET /foo/bar 200 curl/8 own",
        "2012-04-01 00:00:13 2001:db8::1 POST /foo 404 \"a \"\"b\"\" c\" -",
    ];
    let zeek = [
        "1320279566.452687\t192.0.2.1\tGET\t/a b\t200\tMozilla/5.0 (X11)",
        "1320279566.4\t::1\tGET\t//x\t-\t-",
    ];
    let mut all = vec![
        Headed {
            format: "w3c",
            split: words,
            header: "#Fields: date time c-ip cs-method cs-uri-stem sc-status cs(User-Agent) x-own".to_owned(),
            lines: lines(&w3c),
            columns: W3C,
        },
        Headed {
            format: "zeek",
            split: tabs,
            header: "#fields\tts\tid.orig_h\tmethod\turi\tstatus_code\tuser_agent".to_owned(),
            lines: lines(&zeek),
            columns: ZEEK,
        },
    ];
    let files: [(&str, &str, Split, &[_]); 4] = [
        ("cloudfront", "cloudfront.log", tabs, CLOUDFRONT),
        ("cloudfront", "cloudfront-bare.log", tabs, CLOUDFRONT),
        ("cloudfront-realtime", "cloudfront-realtime.log", tabs, REALTIME),
        ("gcs", "gcs.log", commas, STORAGE),
    ];
    for (format, file, split, columns) in files {
        let (header, lines) = sampled(file);
        all.push(Headed { format, split, header, lines, columns });
    }
    all
}

/// Fields with spaces between, in quotes or not.
fn words(line: &str) -> Vec<String> {
    let field = Regex::new(r#""(?:[^"\n]|"")*"(?: |$)|[^ \n]+"#).expect("an expression");
    let quoted = Regex::new(r#"^"(?:[^"]|"")*"$"#).expect("an expression");
    let plain = |text: &str| {
        let text = text.trim_end_matches(' ');
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
        let inner = inner.filter(|_| quoted.is_match(text.as_bytes()));
        inner.map_or(text.to_owned(), |inner| inner.replace("\"\"", "\""))
    };
    field.find_iter(line.as_bytes()).map(|found| plain(&String::from_utf8_lossy(found.as_bytes()))).collect()
}

/// Fields with commas between, in quotes or not.
fn commas(mut line: &str) -> Vec<String> {
    let quoted = regex::Regex::new(r#"^"((?:[^"]|"")*)"(?:,|$)"#).expect("an expression");
    let mut fields = Vec::new();
    loop {
        let (field, len) = match quoted.captures(line) {
            Some(found) => (found[1].replace("\"\"", "\""), found[0].trim_end_matches(',').len()),
            None => {
                let len = line.find(',').unwrap_or(line.len());
                (line[..len].to_owned(), len)
            }
        };
        fields.push(field);
        match line.get(len + 1..) {
            Some(rest) => line = rest,
            None => return fields,
        }
    }
}

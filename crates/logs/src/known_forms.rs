//! The forms of values that every definition can name.

use super::forms::Values;
use super::forms::{
    ANY, BAR, BRACKET, COLON, COMMA, CONTROL, DASH, DIGIT, DOT, EQUALS, Form, LETTER, LOWER, LOWER_HEX,
    LOWER_REST, NAME, OTHER, PERCENT, PLUS, QUOTE, SLASH, SPACE, UNDERSCORE, UPPER, UPPER_HEX, UPPER_REST,
    WORD,
};
use super::vocabulary::{
    AUTHENTICATIONS, CACHED, CLASSES, CLUSTERS, FIELD_LEVEL, HIERARCHIES, MEDIA, NO_TLS, PROTOCOLS, RESULTS,
    SPOKEN, TARGETS, TLS,
};

pub(super) const CIPHER: Form =
    Form::of(UPPER | DIGIT | DASH | UNDERSCORE).first(UPPER).needs(DIGIT, DASH | UNDERSCORE);

/// Amazon S3's names of buckets, ids of owners and requests, and who sends requests.
pub(super) static BUCKET: Form = Form::of(NAME).never(&["Amazon"]);
pub(super) const OWNER: Form = Form::of(LOWER_HEX | DIGIT);
pub(super) static REQUEST: Form = Form::of(UPPER | DIGIT).needs(DIGIT, ANY);
pub(super) static REQUESTER: Form =
    Form::of(LETTER | DIGIT | DASH | UNDERSCORE).or_prefixes(&["arn:", "svc:"]);

pub(super) static DOTTED: Form = Form::of(DIGIT | DOT).first(DIGIT).needs(DOT, ANY);

static KNOWN: &[(&str, Form)] = &[
    ("whole", Form::of(DIGIT).number()),
    ("fraction", Form::of(DIGIT | DOT).first(DIGIT).needs(DOT, ANY).or_words(&["-1"]).number()),
    ("word", Form::of(WORD)),
    ("name", Form::of(NAME | SLASH)),
    // HAProxy's names may have colons in them, and end with a tilde if the connection was encrypted.
    ("proxy", Form::of(NAME | COLON | OTHER).never(TLS)),
    ("cipher", CIPHER),
    ("tls", Form::prefixes(TLS)),
    ("arn", Form::prefixes(&["arn:"]).or_words(&["session-reused"])),
    ("protocol", Form::prefixes(&["HTTP/"])),
    ("scheme", Form::words(&["http", "https", "ws", "wss", "grpcs"])),
    // A host with a dot or a port, which a version of TLS is not.
    ("dns", Form::of(NAME | COLON | BRACKET).needs(DOT | COLON, LOWER | COLON).never(TLS)),
    ("host", Form::of(NAME | COLON | BRACKET)),
    // The same, in capitals or not; and a name without a dot that is not all capitals.
    ("site", Form::of(NAME | COLON | BRACKET).needs(DOT | COLON, LETTER | COLON).never(TLS)),
    ("viewed", Form::of(NAME | COLON | BRACKET).needs(LOWER | DOT | COLON, LETTER | COLON).never(TLS)),
    ("domain", Form::of(NAME | OTHER).needs(LETTER, DOT)),
    // An address, or the name that a server has resolved it to.
    ("client", Form::of(NAME | COLON | BRACKET | PERCENT).needs(LETTER | COLON | DOT, ANY)),
    // AWS load balancers.
    ("type", Form::of(LOWER | DIGIT).first(LOWER)),
    ("trace", Form::of(ANY & !QUOTE).needs(EQUALS, ANY)),
    ("actions", Form::of(LOWER | COMMA | DASH).first(LOWER)),
    ("redirect", Form::of(ANY & !QUOTE).url()),
    ("reason", Form::of(LETTER | DIGIT | UNDERSCORE).first(UPPER).needs(LOWER, ANY).never(CLASSES)),
    (
        "targets",
        Form::of(DIGIT | LOWER_HEX | UPPER_HEX | DOT | COLON | BRACKET | SPACE | DASH).needs(COLON, ANY),
    ),
    ("statuses", Form::of(DIGIT | SPACE | DASH | COMMA | COLON)),
    ("class", Form::words(CLASSES)),
    // Amazon S3.
    ("owner", Form::of(LETTER | DIGIT | DASH | UNDERSCORE).never(&["Amazon"])),
    // No name of a bucket is as long as an id; those of examples are shorter.
    ("owner-id", Form::of(ANY).least(64)),
    ("any-owner-id", OWNER),
    ("id", Form::of(LETTER | DIGIT).needs(DIGIT, UPPER)),
    ("access-point", Form::prefixes(&["arn:aws:s3", "arn:aws-cn:s3", "arn:aws-us-gov:s3"])),
    ("authentication", Form::words(AUTHENTICATIONS)),
    ("error", Form::of(LETTER | DIGIT | UNDERSCORE).first(UPPER).needs(LOWER, ANY).never(AUTHENTICATIONS)),
    ("operation", Form::of(UPPER | DIGIT | UNDERSCORE | DOT).first(UPPER).needs(DOT, ANY)),
    ("none", Form::of(0)),
    ("base64", Form::of(LETTER | DIGIT | PLUS | SLASH | EQUALS)),
    ("version", Form::of(NAME & !DASH).needs(LETTER, ANY).most(63).never(&["Amazon"])),
    ("sigv", Form::prefixes(&["SigV"])),
    ("yes", Form::words(&["Yes", "No"])),
    ("region", Form::of(LOWER | DIGIT | DASH).first(LOWER).needs(DASH, DIGIT)),
    // Envoy and Istio.
    ("flags", Form::of(UPPER | COMMA | DIGIT | UNDERSCORE).first(UPPER)),
    ("details", Form::of(WORD).first(LOWER).needs(UNDERSCORE, ANY).never(CLUSTERS).or_words(&["overload"])),
    ("failure", Form::of(ANY & !QUOTE).needs(LOWER_REST, ANY)),
    (
        "cluster",
        Form::of(WORD & !BRACKET).first(LETTER | UNDERSCORE).needs(LOWER_REST | UPPER_REST | BAR, ANY),
    ),
    ("sni", Form::of(NAME & !UNDERSCORE).needs(LETTER, ANY).or_prefixes(&["outbound_.", "inbound_."])),
    // Before Istio named routes: neither is the reason of a failure, nor the name of a route.
    ("mixer", Form::words(&["OK"])),
    // The same beside the reason of a failure, which mostly has several words.
    ("word-mixer", Form::of(WORD).needs(LETTER, ANY)),
    ("mesh", Form::prefixes(&["outbound_.", "inbound_."])),
    ("route", Form::of(WORD & !BAR).never(CLUSTERS)),
    ("unquoted", Form::of(ANY & !QUOTE)),
    // HAProxy: four signs of how a session ended.
    ("cookie", Form::of(WORD).needs(EQUALS, ANY)),
    ("state", Form::of(LETTER | DASH).most(4)),
    // Traefik.
    ("label", Form::of(ANY & !(QUOTE | CONTROL)).never(&["http:", "https:", "h2c:"])),
    // Version 1 had the path of a redirect alone.
    ("service", Form::of(WORD).url().or_words(&["/"])),
    // nginx: lists, where it has asked several servers.
    ("service-name", Form::of(WORD).least(1)),
    ("servers", Form::of(WORD | SPACE).needs(COLON | LOWER_REST, ANY)),
    ("sizes", Form::of(DIGIT | COMMA | SPACE | DASH | COLON)),
    ("hash", Form::of(DIGIT | LOWER_HEX).least(32).most(32)),
    ("ratio", Form::of(DIGIT | DOT)),
    ("cached", Form::words(CACHED)),
    // uWSGI, Squid.
    ("variables", Form::of(DIGIT | LOWER | SPACE).first(DIGIT).needs(LOWER, SPACE)),
    ("target", Form::of(WORD).needs(COLON | SLASH, ANY).or_words(&["*"])),
    ("method", Form::of(LETTER | DIGIT | DASH | UNDERSCORE).first(LETTER)),
    ("mime", Form::of(WORD & !COLON).first(LETTER).needs(SLASH, ANY)),
    ("cache", Form::of(UPPER | UNDERSCORE).least(3).begins(RESULTS)),
    ("hierarchy", Form::of(UPPER | UNDERSCORE).least(3).begins(HIERARCHIES)),
    // CloudFront: where an edge is, what became of a request, and its id, which ends as base64 does.
    ("edge", Form::of(LETTER | DIGIT | DASH).first(LETTER).last(DIGIT).most(12)),
    ("fle", Form::of(LETTER).begins(FIELD_LEVEL)),
    ("result", Form::of(LETTER | DASH).first(UPPER).last(LOWER)),
    ("edge-id", Form::of(ANY).last(EQUALS)),
    ("ip-version", Form::words(&["IPv4", "IPv6"])),
    ("distribution", Form::of(UPPER | DIGIT).first(UPPER).needs(DIGIT, ANY)),
    ("country", Form::of(LETTER | DIGIT).most(2)),
    // W3C's format: `HTTP/1.1`, `SMTP`.
    ("spoken", Form::prefixes(&["HTTP/", "RTSP/", "ICE/", "SIP/", "SPDY/"]).or_words(SPOKEN)),
    // Zeek: ids of connections begin with C, but those of Bro 2.1 and before. Only methods of WebDAV are as long. Ids of
    // examples may be short.
    (
        "uid",
        Form::of(LETTER | DIGIT)
            .needs(LETTER, DIGIT | UPPER)
            .least(8)
            .never(&["PROP", "CHECK", "MK"])
            .or_prefixes(&["C0", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"]),
    ),
    (
        "http-version",
        Form::of(DIGIT | DOT)
            .first(DIGIT)
            .needs(DOT, DIGIT)
            .most(5)
            .or_words(&["2", "3"])
            .or_prefixes(&["HTTP/"]),
    ),
    // Google Cloud Storage.
    ("ip-type", Form::words(&["1", "2"])),
    ("ip-region", Form::of(UPPER).most(2)),
    ("storage-id", Form::of(LETTER | DIGIT | DASH | UNDERSCORE | EQUALS).needs(LOWER | DIGIT, ANY)),
    ("storage-operation", Form::of(LETTER | UNDERSCORE | DOT).first(LETTER).needs(DOT | UNDERSCORE, LOWER)),
    ("storage-bucket", Form::of(LOWER | DIGIT | DASH | UNDERSCORE | DOT).first(LOWER | DIGIT)),
    // Values of JSON, whose names users choose.
    ("level", Form::of(LETTER).most(9)),
    ("codes", Form::of(LETTER | DIGIT | COMMA | UNDERSCORE).first(LETTER)),
    ("cache-state", Form::of(LETTER | DASH | UNDERSCORE).first(LETTER)),
    ("ray", Form::of(LETTER | DIGIT | DASH)),
    ("http", Form::prefixes(&["HTTP/", "SPDY/", "QUIC"]).or_words(PROTOCOLS)),
    ("tls-version", Form::prefixes(&["TLS", "SSL", "DTLS", "QUIC", "tls", "ssl", "quic"]).or_words(NO_TLS)),
    // Values that clients or servers send, which may have other forms: see `Loose`.
    ("url", Form::of(ANY).url()),
    ("stem", Form::of(ANY).first(SLASH)),
    ("path", Form::of(ANY).first(SLASH).or_prefixes(TARGETS)),
    ("media", Form::prefixes(MEDIA)),
    (
        "addresses",
        Form::of(DIGIT | LOWER_HEX | UPPER_HEX | DOT | COLON | BRACKET | COMMA | SPACE | PLUS)
            .needs(DOT | COLON, ANY),
    ),
    ("request-id", Form::of(DIGIT | LOWER_HEX | UPPER_HEX | DASH).needs(DIGIT, LOWER_HEX | UPPER_HEX | DASH)),
    ("authority", Form::of(NAME | COLON | BRACKET)),
    ("whole-authority", Form::of(NAME | COLON | BRACKET).needs(DOT | COLON, ANY)),
];

/// The form of this name: one of those that a format defines, or of those that all have.
pub(super) fn find(name: &str, values: Values) -> Option<&'static Form> {
    values.iter().chain(KNOWN).find(|(own, _)| *own == name).map(|(_, form)| form)
}

/// The names of the forms that all formats have.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|(name, _)| *name)
}

/// A field that a client writes mostly has a form. If it does not, and another one of them has it, the two may have
/// changed places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Loose {
    /// The form that it mostly has.
    pub(super) own: &'static Form,
    /// The form that nothing else has.
    pub(super) alone: &'static Form,
}

impl Loose {
    pub(super) fn find(name: &str, values: Values) -> Option<Loose> {
        let own = find(name, values)?;
        let alone = match name {
            "authority" => find("whole-authority", &[])?,
            "owner-id" => find("any-owner-id", &[])?,
            _ => own,
        };
        Some(Loose { own, alone })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_forms_of_their_fields() {
        // (form, values, values of other fields)
        let cases: &[(&str, &[&str], &[&str])] = &[
            ("whole", &["0", "366"], &["+1", "0.1", "-1", "a", "7 7"]),
            ("fraction", &["0.000", "-1", "12.5"], &["200", "10", "-2", "10:80"]),
            ("cipher", &["ECDHE-RSA-AES128-GCM-SHA256", "TLS_AES_128_GCM_SHA256"], &["TLSv1.2", "-1", "AES"]),
            ("tls", &["TLSv1.2", "TLSV1.3", "SSLv3"], &["TLS_AES_128_GCM_SHA256", "SigV4", "arn:a"]),
            ("arn", &["arn:aws:x", "session-reused"], &["arn", "TLSv1", "10.0.0.1:80"]),
            ("dns", &["s3.amazonaws.com", "a.b:80", "[::1]:80"], &["TLSv1.2", "Yes", "SigV4", "a b.c"]),
            ("actions", &["forward", "waf,fixed-response"], &["200", "LambdaInvalidResponse", "http://h/"]),
            ("reason", &["LambdaInvalidResponse", "Error_4"], &["10.0.0.1:80", "200", "forward", "a\"b"]),
            ("service", &["http://10.0.0.1:80", "/"], &["a", "10.0.0.1:80", "/a"]),
            ("targets", &["10.0.0.1:80", "10.0.0.1:80 [::1]:80"], &["200", "TID_1", "forward"]),
            ("statuses", &["200", "200 304", "504, 200"], &["10.0.0.1:80", "0.1"]),
            (
                "operation",
                &["REST.GET.OBJECT", "S3.TRANSITION_SIA.OBJECT"],
                &["3E57427F3EXAMPLE", "a.b", "1.2"],
            ),
            ("none", &[], &["a", "\"GET"]),
            (
                "cluster",
                &["outbound|80||a.b", "PassthroughCluster"],
                &["10.0.0.1:80", "::1", "fd00::1:80", "[::1]:1"],
            ),
            ("details", &["via_upstream", "route_not_found"], &["UF,URX", "10.0.0.1:80", "\"-\"", "418"]),
            ("state", &["----", "SC--", "--"], &["1/1/1/1/0", "200", "a=b"]),
            ("cookie", &["SID=x"], &["----", "200"]),
            (
                "servers",
                &["10.0.0.1:80, [::1]:80", "unix:/a", "upstream_balancer"],
                &["612", "0.1", "200, 504", "2a1fa6"],
            ),
            ("variables", &["38 vars in 696 bytes"], &["38", "GET /"]),
            ("cache", &["TCP_MISS", "NONE", "TAG_NONE"], &["HIER_NONE", "DIRECT", "TCP_1", "GET"]),
            ("hierarchy", &["HIER_DIRECT", "NONE", "TIMEOUT_HIER_NONE"], &["TCP_MISS", "UDP_HIT", "HIER_1"]),
            ("mime", &["text/html", "image/svg+xml"], &["GET", "html", "/a", "http://h/"]),
            ("fle", &["Processed", "ForwardedByContentType"], &["Miss", "RefreshHit"]),
            ("region", &["us-east-1"], &["Yes", "arn:a", "east"]),
        ];
        for (name, own, others) in cases {
            let form = find(name, &[]).expect(name);
            own.iter().for_each(|text| assert!(form.has(text.as_bytes()), "{name}: {text}"));
            others.iter().for_each(|text| assert!(!form.has(text.as_bytes()), "{name}: {text}"));
        }
    }
}

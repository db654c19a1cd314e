//! The forms of values that distinguish a field from its neighbours: names of ciphers, versions of TLS, codes, resource
//! names. A definition names one after an equals sign (`{ssl_cipher=cipher}`). A line whose fields do not have their forms
//! has lost or gained a field, or is of another format. One pass over the bytes of a value finds whether it has its form.

use super::vocabulary::{
    AUTHENTICATIONS, CACHED, CLASSES, CLUSTERS, FIELD_LEVEL, HIERARCHIES, MEDIA, NO_TLS, PROTOCOLS, RESULTS,
    SPOKEN, TARGETS, TLS,
};

/// The form of a value: its bytes, words and beginnings. `-` is a value of every form, and so is the empty text, but
/// where the least number of bytes is known.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// The kinds of bytes that it may have, that it may begin with, and that it may end with.
    allowed: u32,
    first: u32,
    last: u32,
    /// It has a byte of each of these.
    needs: [u32; 2],
    /// Instead, it may begin so, and have neither quotes nor spaces.
    prefixes: &'static [&'static str],
    /// Instead, it may be one of these.
    words: &'static [&'static str],
    /// It never begins so.
    never: &'static [&'static str],
    /// It begins in one of these ways.
    begins: &'static [&'static str],
    /// It begins with a scheme and two slashes.
    is_url: bool,
    /// Nothing is known of its beginning but the first byte.
    is_open: bool,
    /// It has no more bytes than the first, and no fewer than the second.
    most: usize,
    least: usize,
    /// It is a number, which nothing but a number can be taken for.
    pub(super) is_number: bool,
}

const DIGIT: u32 = 1;
/// Letters that hexadecimal numbers have, and others.
const LOWER_HEX: u32 = 1 << 1;
const LOWER_REST: u32 = 1 << 2;
const UPPER_HEX: u32 = 1 << 3;
const UPPER_REST: u32 = 1 << 4;
const DASH: u32 = 1 << 5;
const UNDERSCORE: u32 = 1 << 6;
const DOT: u32 = 1 << 7;
const COLON: u32 = 1 << 8;
const SLASH: u32 = 1 << 9;
const BAR: u32 = 1 << 10;
const COMMA: u32 = 1 << 11;
const PLUS: u32 = 1 << 12;
const EQUALS: u32 = 1 << 13;
const SPACE: u32 = 1 << 14;
const BRACKET: u32 = 1 << 15;
const QUOTE: u32 = 1 << 16;
/// All other printable bytes, in ASCII or not.
const OTHER: u32 = 1 << 17;
const CONTROL: u32 = 1 << 18;
const PERCENT: u32 = 1 << 19;

const LOWER: u32 = LOWER_HEX | LOWER_REST;
const UPPER: u32 = UPPER_HEX | UPPER_REST;
const LETTER: u32 = LOWER | UPPER;
/// Every kind.
pub(super) const ANY: u32 = u32::MAX;
const WORD: u32 = ANY & !(QUOTE | SPACE | CONTROL);
const NAME: u32 = LETTER | DIGIT | DASH | UNDERSCORE | DOT;

const fn kind(byte: u8) -> u32 {
    match byte {
        b'0'..=b'9' => DIGIT,
        b'a'..=b'f' => LOWER_HEX,
        b'g'..=b'z' => LOWER_REST,
        b'A'..=b'F' => UPPER_HEX,
        b'G'..=b'Z' => UPPER_REST,
        b'-' => DASH,
        b'_' => UNDERSCORE,
        b'.' => DOT,
        b':' => COLON,
        b'/' => SLASH,
        b'|' => BAR,
        b',' => COMMA,
        b'+' => PLUS,
        b'=' => EQUALS,
        b' ' => SPACE,
        b'[' | b']' => BRACKET,
        b'"' => QUOTE,
        b'%' => PERCENT,
        0..=0x1f | 0x7f => CONTROL,
        _ => OTHER,
    }
}

/// The kind of a byte.
#[inline]
pub(super) fn kind_of(byte: u8) -> u32 {
    KINDS[usize::from(byte)]
}

/// The kinds of all bytes of a text; eight at a time, because most of what it takes to check a log is this.
#[inline]
fn kinds_of(text: &[u8]) -> u32 {
    let all = |bytes: &[u8]| bytes.iter().fold(0, |seen, &byte| seen | kind_of(byte));
    let (eights, rest) = text.as_chunks::<8>();
    eights.iter().fold(all(rest), |seen, eight| seen | all(eight))
}

static KINDS: [u32; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = kind(byte as u8);
        byte += 1;
    }
    kinds
};

impl Form {
    const fn of(allowed: u32) -> Form {
        Form {
            allowed,
            first: ANY,
            last: ANY,
            needs: [ANY; 2],
            prefixes: &[],
            words: &[],
            never: &[],
            begins: &[],
            is_url: false,
            is_open: true,
            most: usize::MAX,
            least: 0,
            is_number: false,
        }
    }

    const fn words(words: &'static [&'static str]) -> Form {
        Form { words, ..Form::of(0) }
    }

    const fn prefixes(prefixes: &'static [&'static str]) -> Form {
        Form { prefixes, ..Form::of(0) }
    }

    const fn first(self, first: u32) -> Form {
        Form { first, ..self }
    }

    const fn last(self, last: u32) -> Form {
        Form { last, ..self }
    }

    const fn needs(self, a: u32, b: u32) -> Form {
        Form { needs: [a, b], ..self }
    }

    const fn or_words(self, words: &'static [&'static str]) -> Form {
        Form { words, ..self }
    }

    const fn number(self) -> Form {
        Form { is_number: true, ..self }
    }

    const fn least(self, least: usize) -> Form {
        Form { least, ..self }
    }

    const fn most(self, most: usize) -> Form {
        Form { most, ..self }
    }

    const fn url(self) -> Form {
        Form { is_url: true, is_open: false, ..self }
    }

    const fn never(self, never: &'static [&'static str]) -> Form {
        Form { never, is_open: false, ..self }
    }

    const fn begins(self, begins: &'static [&'static str]) -> Form {
        Form { begins, is_open: false, ..self }
    }

    const fn or_prefixes(self, prefixes: &'static [&'static str]) -> Form {
        Form { prefixes, ..self }
    }

    /// Whether a text that is not `-` has the form.
    #[inline]
    pub(super) fn has(&self, text: &[u8]) -> bool {
        let (&[first, ..], &[.., last]) = (text, text) else { return self.least == 0 };
        self.allowed != 0
            && kind_of(first) & self.first != 0
            && kind_of(last) & self.last != 0
            && text.len() >= self.least
            && text.len() <= self.most
            && self.has_bytes(text)
            && (self.is_open || self.has_beginning(text))
            || self.is_other(text)
    }

    /// Whether a text begins as it may.
    #[inline(never)]
    fn has_beginning(&self, text: &[u8]) -> bool {
        let begins = |prefix: &&str| begins(text, prefix);
        (self.begins.is_empty() || self.begins.iter().any(begins))
            && !self.never.iter().any(begins)
            && (!self.is_url || is_url(text))
    }

    /// Whether a text is one of those that it may be instead.
    #[inline(never)]
    fn is_other(&self, text: &[u8]) -> bool {
        self.words.iter().any(|word| word.len() == text.len() && begins(text, word))
            || self.prefixes.iter().any(|prefix| begins(text, prefix)) && kinds_of(text) & !WORD == 0
    }

    /// Whether a text has the bytes that it may have, and those that it must have.
    #[inline]
    fn has_bytes(&self, text: &[u8]) -> bool {
        if self.allowed == ANY && self.needs == [ANY; 2] {
            return true;
        }
        let seen = kinds_of(text);
        seen & !self.allowed == 0 && seen & self.needs[0] != 0 && seen & self.needs[1] != 0
    }

    /// The kinds of bytes that a text of the form begins and ends with, and whether more must be known of it.
    pub(super) fn ends(&self) -> (u32, u32, bool) {
        let is_open = self.words.is_empty() && self.prefixes.is_empty();
        let is_known = (self.allowed, self.needs, self.most) == (ANY, [ANY; 2], usize::MAX) && self.is_open;
        if is_open { (self.first, self.last, !is_known) } else { (ANY, ANY, true) }
    }

    /// Whether every text without quotes is of the form.
    pub(super) fn is_any_but_quotes(&self) -> bool {
        *self == Form::of(self.allowed) && self.allowed | QUOTE == ANY
    }

    /// Whether `-` alone is of the form.
    pub(super) fn is_none(&self) -> bool {
        self.allowed == 0 && self.words.is_empty() && self.prefixes.is_empty()
    }

    /// The form of this name.
    pub(super) fn find(name: &str) -> Option<&'static Form> {
        FORMS.iter().find(|(own, _)| *own == name).map(|(_, form)| form)
    }
}

/// Whether a text begins so; most texts that do not have another first byte.
#[inline]
pub(super) fn begins(text: &[u8], prefix: &str) -> bool {
    text.first() == prefix.as_bytes().first() && text.starts_with(prefix.as_bytes())
}

/// Whether a text begins with a scheme and two slashes.
fn is_url(text: &[u8]) -> bool {
    let scheme = text.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
    scheme > 0 && text[scheme..].starts_with(b"://")
}

pub(super) const CIPHER: Form =
    Form::of(UPPER | DIGIT | DASH | UNDERSCORE).first(UPPER).needs(DIGIT, DASH | UNDERSCORE);

/// Amazon S3's names of buckets, ids of owners and requests, and who sends requests.
pub(super) static BUCKET: Form = Form::of(NAME).never(&["Amazon"]);
pub(super) const OWNER: Form = Form::of(LOWER_HEX | DIGIT);
pub(super) static REQUEST: Form = Form::of(UPPER | DIGIT).needs(DIGIT, ANY);
pub(super) static REQUESTER: Form =
    Form::of(LETTER | DIGIT | DASH | UNDERSCORE).or_prefixes(&["arn:", "svc:"]);

pub(super) static DOTTED: Form = Form::of(DIGIT | DOT).first(DIGIT).needs(DOT, ANY);

static FORMS: &[(&str, Form)] = &[
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
    pub(super) fn find(name: &str) -> Option<Loose> {
        let own = Form::find(name)?;
        let alone = match name {
            "authority" => Form::find("whole-authority")?,
            "owner-id" => Form::find("any-owner-id")?,
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
            let form = Form::find(name).expect(name);
            own.iter().for_each(|text| assert!(form.has(text.as_bytes()), "{name}: {text}"));
            others.iter().for_each(|text| assert!(!form.has(text.as_bytes()), "{name}: {text}"));
        }
    }
}

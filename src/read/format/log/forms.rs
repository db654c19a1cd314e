//! The forms of values that distinguish a field from its neighbours: names of ciphers, versions of TLS, codes, resource
//! names. A definition names one after an equals sign (`{ssl_cipher=cipher}`). A line whose fields do not have their forms
//! has lost or gained a field, or is of another format. One pass over the bytes of a value finds whether it has its form.

/// The form of a value: its bytes, words and beginnings. `-` and the empty text are values of every form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// The kinds of bytes that it may have, and that it may begin with.
    allowed: u32,
    first: u32,
    /// It has a byte of each of these.
    needs: [u32; 2],
    /// Instead, it may begin so, and have neither quotes nor spaces.
    prefixes: &'static [&'static str],
    /// Instead, it may be one of these.
    words: &'static [&'static str],
    /// It never begins so.
    never: &'static [&'static str],
    /// It begins with a scheme and two slashes.
    is_url: bool,
    /// It has no more bytes.
    most: usize,
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
const ANY: u32 = u32::MAX;
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
            needs: [ANY; 2],
            prefixes: &[],
            words: &[],
            never: &[],
            is_url: false,
            most: usize::MAX,
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

    const fn needs(self, a: u32, b: u32) -> Form {
        Form { needs: [a, b], ..self }
    }

    const fn or_words(self, words: &'static [&'static str]) -> Form {
        Form { words, ..self }
    }

    const fn number(self) -> Form {
        Form { is_number: true, ..self }
    }

    const fn most(self, most: usize) -> Form {
        Form { most, ..self }
    }

    const fn url(self) -> Form {
        Form { is_url: true, ..self }
    }

    const fn never(self, never: &'static [&'static str]) -> Form {
        Form { never, ..self }
    }

    const fn or_prefixes(self, prefixes: &'static [&'static str]) -> Form {
        Form { prefixes, ..self }
    }

    /// Whether a text that is not `-` has the form.
    #[inline]
    pub(super) fn has(&self, text: &[u8]) -> bool {
        let Some(&first) = text.first() else { return true };
        let seen = text.iter().fold(0, |seen, &byte| seen | KINDS[usize::from(byte)]);
        let is_made_so = KINDS[usize::from(first)] & self.first != 0
            && seen & !self.allowed == 0
            && seen & self.needs[0] != 0
            && seen & self.needs[1] != 0;
        let begins = |prefix: &&str| text.starts_with(prefix.as_bytes());
        is_made_so
            && !self.never.iter().any(begins)
            && (!self.is_url || is_url(text))
            && text.len() <= self.most
            || self.words.iter().any(|word| word.as_bytes() == text)
            || seen & !WORD == 0 && self.prefixes.iter().any(begins)
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

/// Whether a text begins with a scheme and two slashes.
fn is_url(text: &[u8]) -> bool {
    let scheme = text.iter().take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b)).count();
    scheme > 0 && text[scheme..].starts_with(b"://")
}

const AUTHENTICATIONS: &[&str] = &["AuthHeader", "QueryString"];
/// The states of nginx's cache.
const CACHED: &[&str] = &["HIT", "MISS", "BYPASS", "EXPIRED", "STALE", "UPDATING", "REVALIDATED", "SCARCE"];
const CLASSES: &[&str] = &["Acceptable", "Ambiguous", "Severe"];
const TLS: &[&str] = &["TLSv", "TLSV", "SSLv"];

/// Names of Istio's clusters begin so, and those that its proxies ask one another for.
const CLUSTERS: &[&str] = &["outbound", "inbound"];

const CIPHER: Form = Form::of(UPPER | DIGIT | DASH | UNDERSCORE).first(UPPER).needs(DIGIT, DASH | UNDERSCORE);

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
    ("scheme", Form::words(&["http", "https", "ws", "wss"])),
    // A host with a dot or a port, which a version of TLS is not.
    ("dns", Form::of(NAME | COLON | BRACKET).needs(DOT | COLON, LOWER | COLON).never(TLS)),
    ("host", Form::of(NAME | COLON | BRACKET)),
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
    ("owner", Form::of(LETTER | DIGIT | DASH | UNDERSCORE)),
    ("requester", Form::of(LETTER | DIGIT | DASH | UNDERSCORE).or_prefixes(&["arn:", "svc:"])),
    ("id", Form::of(LETTER | DIGIT).needs(DIGIT, ANY)),
    ("access-point", Form::prefixes(&["arn:aws:s3", "arn:aws-cn:s3", "arn:aws-us-gov:s3"])),
    ("authentication", Form::words(AUTHENTICATIONS)),
    ("error", Form::of(LETTER | DIGIT | UNDERSCORE).first(UPPER).needs(LOWER, ANY).never(AUTHENTICATIONS)),
    ("operation", Form::of(UPPER | DIGIT | UNDERSCORE | DOT).first(UPPER).needs(DOT, ANY)),
    ("none", Form::of(0)),
    ("base64", Form::of(LETTER | DIGIT | PLUS | SLASH | EQUALS)),
    ("bucket", Form::of(NAME)),
    ("version", Form::of(NAME & !DASH)),
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
    ("servers", Form::of(WORD | SPACE).needs(COLON | LOWER_REST, ANY)),
    ("sizes", Form::of(DIGIT | COMMA | SPACE | DASH | COLON)),
    ("times", Form::of(DIGIT | COMMA | SPACE | DASH | COLON | DOT).needs(DOT, ANY)),
    ("ratio", Form::of(DIGIT | DOT)),
    ("cached", Form::words(CACHED)),
    // uWSGI, Squid.
    ("variables", Form::of(DIGIT | LOWER | SPACE).first(DIGIT).needs(LOWER, SPACE)),
    ("target", Form::of(WORD).needs(COLON | SLASH, ANY)),
    ("method", Form::of(LETTER | DIGIT | DASH | UNDERSCORE).first(LETTER)),
    ("mime", Form::of(WORD & !COLON)),
    // Values that clients send, which may have other forms: see `Loose`.
    ("url", Form::of(ANY).url()),
    (
        "addresses",
        Form::of(DIGIT | LOWER_HEX | UPPER_HEX | DOT | COLON | BRACKET | COMMA | SPACE)
            .needs(DOT | COLON, ANY),
    ),
    ("request-id", Form::of(DIGIT | LOWER_HEX | UPPER_HEX | DASH).needs(DIGIT, LOWER_HEX | UPPER_HEX | DASH)),
    ("authority", Form::of(NAME | COLON | BRACKET)),
    ("whole-authority", Form::of(NAME | COLON | BRACKET).needs(DOT | COLON, ANY)),
];

/// The text that may follow the last field of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    /// The number of the connection, and three fields of requests that were rewritten.
    Alb,
    /// Fields that a user has added, in quotes or brackets, or a moment.
    Squid,
    /// Words that a user has added: a version of TLS, a cipher.
    HaProxy,
    /// How many headers and switches.
    Uwsgi,
    /// Nothing: its fields are all there are.
    Nothing,
}

impl Tail {
    pub(super) fn find(name: &str) -> Option<Tail> {
        Some(match name {
            "alb-tail" => Tail::Alb,
            "squid-tail" => Tail::Squid,
            "haproxy-tail" => Tail::HaProxy,
            "uwsgi-tail" => Tail::Uwsgi,
            "nothing" => Tail::Nothing,
            _ => return None,
        })
    }

    pub(super) fn has(self, text: &[u8]) -> bool {
        match self {
            Tail::Alb => {
                let id = text.iter().position(|&b| b == b' ').unwrap_or(text.len());
                text.starts_with(b"TID_")
                    && text[4..id].iter().all(u8::is_ascii_alphanumeric)
                    && matches!(quoted(&text[id..]), Some(0 | 3))
            }
            Tail::Squid => quoted(text).is_some() || DOTTED.has(text),
            Tail::HaProxy => {
                // Five errors, as `option httpslog` writes them; the second one is of sixteen digits.
                let is_errors = |word: &[u8]| {
                    let mut parts = word.split(|&b| b == b'/');
                    parts.nth(1).is_some_and(|part| part.len() == 16) && parts.count() == 3
                };
                let is_own = |word: &[u8]| {
                    word == b"-"
                        || is_errors(word)
                        || CIPHER.has(word)
                        || word.windows(4).any(|part| part == b"TLSv" || part == b"SSLv")
                        // A name and a text in quotes.
                        || word.ends_with(b"\"") && word.windows(2).any(|part| part == b":\"")
                };
                is_https(text) || !text.is_empty() && text.split(|&b| b == b' ').all(is_own)
            }
            Tail::Nothing => false,
            Tail::Uwsgi => {
                let mut rest = text;
                // Digits precede and separate these.
                ["", " headers in ", " bytes (", " switches on core ", ")"].iter().enumerate().all(
                    |(at, part)| {
                        let Some(after) = rest.strip_prefix(part.as_bytes()) else { return false };
                        let digits = after.iter().take_while(|b| b.is_ascii_digit()).count();
                        rest = &after[digits..];
                        digits > 0 || at == 4
                    },
                ) && rest.is_empty()
            }
        }
    }
}

/// Whether a text is what `option httpslog` adds, and nothing else: five errors, of whatever length, and the name that
/// the client asked for, the version of TLS and the cipher.
fn is_https(text: &[u8]) -> bool {
    let is_error = |part: &[u8]| part == b"-" || !part.is_empty() && part.iter().all(u8::is_ascii_hexdigit);
    let parts = |word: &[u8]| word.split(|&b| b == b'/').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let Some(space) = memchr::memchr(b' ', text) else { return false };
    let (errors, names) = (parts(&text[..space]), parts(&text[space + 1..]));
    let is_none = |part: &Vec<u8>| part == b"-";
    errors.len() == 5
        && errors.iter().all(|part| is_error(part))
        && names.len() == 3
        && (names[1..].iter().all(is_none)
            || TLS.iter().any(|tls| names[1].starts_with(tls.as_bytes())) && CIPHER.has(&names[2]))
}

static DOTTED: Form = Form::of(DIGIT | DOT).first(DIGIT).needs(DOT, ANY);

/// How many texts in quotes or brackets, with spaces between, make all of a text.
fn quoted(text: &[u8]) -> Option<usize> {
    let (mut at, mut count) = (0, 0);
    loop {
        while text.get(at) == Some(&b' ') {
            at += 1;
        }
        let close = match text.get(at) {
            None => return Some(count),
            Some(b'"') => b'"',
            Some(b'[') => b']',
            Some(_) => return None,
        };
        at += 1;
        loop {
            match *text.get(at)? {
                b'\\' => at += 2,
                byte => {
                    at += 1;
                    if byte == close {
                        break;
                    }
                }
            }
        }
        count += 1;
        if text.get(at).is_some_and(|&b| b != b' ') {
            return None;
        }
    }
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
    pub(super) fn find(name: &str) -> Option<Loose> {
        let own = Form::find(name)?;
        let alone = if name == "authority" { Form::find("whole-authority")? } else { own };
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
                "requester",
                &["79a5", "arn:aws:iam::1:user/a@b.c", "AmazonS3"],
                &["192.0.2.3", "REST.GET.OBJECT"],
            ),
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
            ("times", &["0.001", "0.100, -"], &["200", "612, 5", "a.b"]),
            ("variables", &["38 vars in 696 bytes"], &["38", "GET /"]),
            ("region", &["us-east-1"], &["Yes", "arn:a", "east"]),
        ];
        for (name, own, others) in cases {
            let form = Form::find(name).expect(name);
            own.iter().for_each(|text| assert!(form.has(text.as_bytes()), "{name}: {text}"));
            others.iter().for_each(|text| assert!(!form.has(text.as_bytes()), "{name}: {text}"));
        }
    }

    #[test]
    fn what_follows_the_last_field_has_its_form() {
        // (tail, texts, others)
        let cases: &[(Tail, &[&str], &[&str])] = &[
            (
                Tail::Alb,
                &["TID_1a", "TID_1a \"-\" \"-\" \"-\"", "TID_1a \"a \\\" b\" \"\" \"-\""],
                &[
                    "TID_1 TID_1",
                    "TID_1 \"-\"",
                    "\"-\"",
                    "x",
                    "TID_1 - - -",
                    "TID_1 \"a",
                    "TID_1\"-\" \"-\" \"-\"",
                ],
            ),
            (
                Tail::Squid,
                &["\"-\" \"a b\"", "[a] [b c]", "902351708.872"],
                &["text/html", "-", "\"a\"b", "1"],
            ),
            (
                Tail::HaProxy,
                &[
                    "TLSv1.2",
                    "-",
                    "TLSv1.2 a:\"46.1\"",
                    "0/0000000000000000/0/0/0 1wt.eu/TLSv1.3/TLS_AES_256_GCM_SHA384",
                    "0/0/0/0/1 1wt.eu/TLSv1.3/TLS_AES_256_GCM_SHA384",
                    "34/a000086/0/0/0 -/-/-",
                ],
                &[
                    "\"GET / HTTP/1.1\"",
                    "0/0",
                    "200",
                    "TLS  a",
                    "0/0/0/0/1",
                    "0/0/0/0/1 a/b/c",
                    "0/0/0/0/1 a/TLSv1.3/b",
                ],
            ),
            (
                Tail::Uwsgi,
                &["9 headers in 378 bytes (1 switches on core 3)"],
                &[
                    "9 headers",
                    "9 headers in 378 bytes (1 switches on core 3) x",
                    " headers in 3 bytes (1 switches on core 3)",
                ],
            ),
        ];
        for (tail, own, others) in cases {
            own.iter().for_each(|text| assert!(tail.has(text.as_bytes()), "{tail:?}: {text}"));
            others.iter().for_each(|text| assert!(!tail.has(text.as_bytes()), "{tail:?}: {text}"));
        }
    }
}

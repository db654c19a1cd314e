//! RFC 3986 Appendix A as text, and a reader that turns ABNF (RFC 5234) into syntax trees: the first half of the
//! oracle.

use std::collections::HashMap;

use urimill::Spec;

/// RFC 3986 Appendix A, with the core rules of RFC 5234 Appendix B.1 that it uses.
pub(crate) const APPENDIX_A: &str = r##"
URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]

hier-part     = "//" authority path-abempty
              / path-absolute
              / path-rootless
              / path-empty

URI-reference = URI / relative-ref

absolute-URI  = scheme ":" hier-part [ "?" query ]

relative-ref  = relative-part [ "?" query ] [ "#" fragment ]

relative-part = "//" authority path-abempty
              / path-absolute
              / path-noscheme
              / path-empty

scheme        = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )

authority     = [ userinfo "@" ] host [ ":" port ]
userinfo      = *( unreserved / pct-encoded / sub-delims / ":" )
host          = IP-literal / IPv4address / reg-name
port          = *DIGIT

IP-literal    = "[" ( IPv6address / IPvFuture  ) "]"

IPvFuture     = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )

IPv6address   =                            6( h16 ":" ) ls32
              /                       "::" 5( h16 ":" ) ls32
              / [               h16 ] "::" 4( h16 ":" ) ls32
              / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32
              / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32
              / [ *3( h16 ":" ) h16 ] "::"    h16 ":"   ls32
              / [ *4( h16 ":" ) h16 ] "::"              ls32
              / [ *5( h16 ":" ) h16 ] "::"              h16
              / [ *6( h16 ":" ) h16 ] "::"

h16           = 1*4HEXDIG
ls32          = ( h16 ":" h16 ) / IPv4address
IPv4address   = dec-octet "." dec-octet "." dec-octet "." dec-octet

dec-octet     = DIGIT                 ; 0-9
              / %x31-39 DIGIT         ; 10-99
              / "1" 2DIGIT            ; 100-199
              / "2" %x30-34 DIGIT     ; 200-249
              / "25" %x30-35          ; 250-255

reg-name      = *( unreserved / pct-encoded / sub-delims )

path          = path-abempty    ; begins with "/" or is empty
              / path-absolute   ; begins with "/" but not "//"
              / path-noscheme   ; begins with a non-colon segment
              / path-rootless   ; begins with a segment
              / path-empty      ; zero characters

path-abempty  = *( "/" segment )
path-absolute = "/" [ segment-nz *( "/" segment ) ]
path-noscheme = segment-nz-nc *( "/" segment )
path-rootless = segment-nz *( "/" segment )
path-empty    = 0<pchar>

segment       = *pchar
segment-nz    = 1*pchar
segment-nz-nc = 1*( unreserved / pct-encoded / sub-delims / "@" )
              ; non-zero-length segment without any colon ":"

pchar         = unreserved / pct-encoded / sub-delims / ":" / "@"

query         = *( pchar / "/" / "?" )

fragment      = *( pchar / "/" / "?" )

pct-encoded   = "%" HEXDIG HEXDIG

unreserved    = ALPHA / DIGIT / "-" / "." / "_" / "~"
reserved      = gen-delims / sub-delims
gen-delims    = ":" / "/" / "?" / "#" / "[" / "]" / "@"
sub-delims    = "!" / "$" / "&" / "'" / "(" / ")"
              / "*" / "+" / "," / ";" / "="

ALPHA         = %x41-5A / %x61-7A   ; A-Z / a-z
DIGIT         = %x30-39             ; 0-9
HEXDIG        = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"
"##;

/// RFC 2396 Appendix A, written as ABNF: "/" for its "|", hyphens for its underscores. One thing is added: RFC 2396's
/// own Appendix C resolves `?y`, which its grammar cannot derive, so a query may be alone here.
pub(crate) const RFC2396_APPENDIX_A: &str = r##"
URI-reference = [ absoluteURI / relativeURI ] [ "#" fragment ]
absoluteURI   = scheme ":" ( hier-part / opaque-part )
relativeURI   = ( net-path / abs-path / rel-path ) [ "?" query ]
              / "?" query
hier-part     = ( net-path / abs-path ) [ "?" query ]
opaque-part   = uric-no-slash *uric
uric-no-slash = unreserved / escaped / ";" / "?" / ":" / "@" / "&" / "=" / "+" / "$" / ","
net-path      = "//" authority [ abs-path ]
abs-path      = "/" path-segments
rel-path      = rel-segment [ abs-path ]
rel-segment   = 1*( unreserved / escaped / ";" / "@" / "&" / "=" / "+" / "$" / "," )
scheme        = alpha *( alpha / digit / "+" / "-" / "." )
authority     = server / reg-name
reg-name      = 1*( unreserved / escaped / "$" / "," / ";" / ":" / "@" / "&" / "=" / "+" )
server        = [ [ userinfo "@" ] hostport ]
userinfo      = *( unreserved / escaped / ";" / ":" / "&" / "=" / "+" / "$" / "," )
hostport      = host [ ":" port ]
host          = hostname / IPv4address
hostname      = *( domainlabel "." ) toplabel [ "." ]
domainlabel   = alphanum / alphanum *( alphanum / "-" ) alphanum
toplabel      = alpha / alpha *( alphanum / "-" ) alphanum
IPv4address   = 1*digit "." 1*digit "." 1*digit "." 1*digit
port          = *digit
path          = [ abs-path / opaque-part ]
path-segments = segment *( "/" segment )
segment       = *pchar *( ";" param )
param         = *pchar
pchar         = unreserved / escaped / ":" / "@" / "&" / "=" / "+" / "$" / ","
query         = *uric
fragment      = *uric
uric          = reserved / unreserved / escaped
reserved      = ";" / "/" / "?" / ":" / "@" / "&" / "=" / "+" / "$" / ","
unreserved    = alphanum / mark
mark          = "-" / "_" / "." / "!" / "~" / "*" / "'" / "(" / ")"
escaped       = "%" hex hex
hex           = digit / "A" / "B" / "C" / "D" / "E" / "F"
alphanum      = alpha / digit
alpha         = %x41-5A / %x61-7A
digit         = %x30-39
"##;

/// The grammar of a specification.
pub(crate) fn grammar(spec: Spec) -> String {
    const REG_NAME: &str = "reg-name      = *( unreserved / pct-encoded / sub-delims )";
    match spec {
        Spec::Rfc3986Errata => {
            assert!(APPENDIX_A.contains(REG_NAME));
            // Erratum 4942.
            APPENDIX_A.replace(REG_NAME, r#"reg-name = *( unreserved / pct-encoded / "-" / "." )"#)
        }
        Spec::Rfc2396 => RFC2396_APPENDIX_A.to_owned(),
        _ => APPENDIX_A.to_owned(),
    }
}

/// A syntax tree of ABNF.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Rule(String),
    Bytes(ByteSet),
    Sequence(Vec<Node>),
    Alternatives(Vec<Node>),
    Repeat { at_least: usize, at_most: Option<usize>, node: Box<Node> },
}

/// A set of byte values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(crate) fn range(first: u8, last: u8) -> ByteSet {
        let mut set = ByteSet::default();
        (first..=last).for_each(|byte| set.0[usize::from(byte >> 6)] |= 1 << (byte & 63));
        set
    }

    /// ABNF strings are case-insensitive (RFC 5234 section 2.3).
    fn either_case(byte: u8) -> ByteSet {
        let (lower, upper) = (byte.to_ascii_lowercase(), byte.to_ascii_uppercase());
        ByteSet::range(lower, lower).union(ByteSet::range(upper, upper))
    }

    pub(crate) fn union(mut self, other: ByteSet) -> ByteSet {
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
        self
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] & 1 << (byte & 63) != 0
    }
}

/// Rules by name.
pub(crate) type Grammar = HashMap<String, Node>;

/// Reads a list of ABNF rules; a rule begins at the line's start, a continuation is indented.
pub(crate) fn read(text: &str) -> Grammar {
    let mut rules: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = line.split(" ;").next().unwrap_or_default();
        if line.starts_with(' ') {
            rules.last_mut().expect("a continuation follows a rule").push_str(line);
        } else if !line.is_empty() {
            rules.push(line.to_owned());
        }
    }
    rules
        .iter()
        .map(|rule| {
            let (name, definition) = rule.split_once('=').expect("a rule has an equals sign");
            let mut reader = Reader { rest: definition };
            let node = reader.alternatives();
            assert!(reader.rest.trim().is_empty(), "left over in {name}: {:?}", reader.rest);
            (name.trim().to_owned(), node)
        })
        .collect()
}

/// Recursive descent over RFC 5234 section 4.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn next_is(&mut self, mark: char) -> bool {
        self.rest = self.rest.trim_start();
        self.rest.starts_with(mark)
    }

    fn take(&mut self, mark: char) -> bool {
        let found = self.next_is(mark);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn until(&mut self, mark: char) -> &'a str {
        let (taken, rest) = self.rest.split_once(mark).expect("a closing mark");
        self.rest = rest;
        taken
    }

    fn alternatives(&mut self) -> Node {
        let mut nodes = vec![self.sequence()];
        while self.take('/') {
            nodes.push(self.sequence());
        }
        if nodes.len() == 1 { nodes.remove(0) } else { Node::Alternatives(nodes) }
    }

    fn sequence(&mut self) -> Node {
        let mut nodes = Vec::new();
        while !(self.next_is('/') || self.next_is(')') || self.next_is(']') || self.rest.is_empty()) {
            nodes.push(self.repetition());
        }
        if nodes.len() == 1 { nodes.remove(0) } else { Node::Sequence(nodes) }
    }

    fn repetition(&mut self) -> Node {
        let low = self.take_while(|c| c.is_ascii_digit()).parse().ok();
        let star = self.rest.starts_with('*') && self.take('*');
        let high = self.take_while(|c| c.is_ascii_digit()).parse().ok();
        let node = self.element();
        match (low, star) {
            (None, false) => node,
            (Some(times), false) => {
                Node::Repeat { at_least: times, at_most: Some(times), node: Box::new(node) }
            }
            (_, true) => Node::Repeat { at_least: low.unwrap_or(0), at_most: high, node: Box::new(node) },
        }
    }

    fn element(&mut self) -> Node {
        if self.take('(') {
            let node = self.alternatives();
            assert!(self.take(')'), "unclosed group before {:?}", self.rest);
            node
        } else if self.take('[') {
            let node = Box::new(self.alternatives());
            assert!(self.take(']'), "unclosed option before {:?}", self.rest);
            Node::Repeat { at_least: 0, at_most: Some(1), node }
        } else if self.take('"') {
            let bytes = self.until('"').bytes().map(|b| Node::Bytes(ByteSet::either_case(b)));
            Node::Sequence(bytes.collect())
        } else if self.take('%') {
            assert!(self.take('x'), "only hexadecimal values are used");
            let first = self.hexadecimal();
            let last = if self.rest.starts_with('-') && self.take('-') { self.hexadecimal() } else { first };
            Node::Bytes(ByteSet::range(first, last))
        } else if self.take('<') {
            // The one prose value, `<pchar>`, names a rule.
            Node::Rule(self.until('>').to_owned())
        } else {
            let name = self.take_while(|c| c.is_ascii_alphanumeric() || c == '-');
            assert!(!name.is_empty(), "no element at {:?}", self.rest);
            Node::Rule(name.to_owned())
        }
    }

    fn hexadecimal(&mut self) -> u8 {
        u8::from_str_radix(self.take_while(|c| c.is_ascii_hexdigit()), 16).expect("a byte value")
    }
}

#[test]
fn the_reader_knows_each_form_that_appendix_a_uses() {
    let byte = |b: u8| Node::Sequence(vec![Node::Bytes(ByteSet::range(b, b))]);
    let rule = |name: &str| Node::Rule(name.to_owned());
    let repeat = |at_least, at_most, node| Node::Repeat { at_least, at_most, node: Box::new(node) };
    let table: &[(&str, Node, &str)] = &[
        ("x = %x31-39 ; note", Node::Bytes(ByteSet::range(0x31, 0x39)), "RFC 5234 2.3"),
        ("x = \"v\"", Node::Sequence(vec![Node::Bytes(ByteSet::either_case(b'V'))]), "2.3: no case"),
        ("x = a / \";\"", Node::Alternatives(vec![rule("a"), byte(b';')]), "3.2"),
        ("x = a\n  b", Node::Sequence(vec![rule("a"), rule("b")]), "3.1"),
        ("x = *a", repeat(0, None, rule("a")), "3.6"),
        ("x = 1*a", repeat(1, None, rule("a")), "3.6"),
        ("x = *5( a )", repeat(0, Some(5), rule("a")), "3.6"),
        ("x = 1*4a", repeat(1, Some(4), rule("a")), "3.6"),
        ("x = 2a", repeat(2, Some(2), rule("a")), "3.7"),
        ("x = [ a ]", repeat(0, Some(1), rule("a")), "3.8"),
        ("x = 0<a>", repeat(0, Some(0), rule("a")), "RFC 3986 3.3: path-empty"),
    ];
    for (text, expected, section) in table {
        assert_eq!(read(text).get("x"), Some(expected), "{text:?} ({section})");
    }
}

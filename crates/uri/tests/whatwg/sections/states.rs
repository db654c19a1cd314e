//! The states of the basic URL parser (4.4), in the order of the standard; those of files are in `files`.

use urimill_uri::whatwg::{Url, ValidationError};

use super::{Row, check};

const BEFORE: &[Row] = &[
    (" \u{1}http://h/\u{1f} ", "", Ok("http://h/"), "4.4: C0 controls and spaces at the ends go"),
    ("h\nt\rt\tp://h/\ta", "", Ok("http://h/a"), "4.4: tabs and newlines go"),
    ("http://h:\t8\n0\r/", "", Ok("http://h/"), "4.4"),
    ("http://h/%\n41", "", Ok("http://h/%41"), "4.4: before anything is decoded"),
    ("http:\t/\n/h/.\t./", "", Ok("http://h/"), "4.4"),
    ("java\nscript:alert(1)", "", Ok("javascript:alert(1)"), "4.4"),
    ("http://h/\u{a0}", "", Ok("http://h/%C2%A0"), "4.4: a no-break space stays"),
    ("http://h/\u{7f}", "", Ok("http://h/%7F"), "4.4: DEL is no C0 control"),
    ("\u{feff}http://h/", "", Err(("missing-scheme-non-relative-URL", 0)), "4.4: a byte-order mark stays"),
    ("", "", Err(("missing-scheme-non-relative-URL", 0)), "4.4"),
    ("", "http://h/a?q#f", Ok("http://h/a?q"), "4.4"),
    (" \t", "http://h/a", Ok("http://h/a"), "4.4"),
];

#[test]
fn before_the_first_state() {
    check(BEFORE);
}

const SCHEMES: &[Row] = &[
    ("HTTP://h", "", Ok("http://h/"), "4.4 scheme state"),
    ("a+-.1:b", "", Ok("a+-.1:b"), "4.4 scheme state"),
    ("A:B", "", Ok("a:B"), "4.4 scheme state"),
    ("a:", "", Ok("a:"), "4.4 scheme state"),
    ("a:?", "", Ok("a:?"), "4.4 scheme state"),
    ("1a:b", "", Err(("missing-scheme-non-relative-URL", 0)), "4.4 scheme start state"),
    (":a", "", Err(("missing-scheme-non-relative-URL", 0)), "4.4 scheme start state"),
    ("a_b:c", "", Err(("missing-scheme-non-relative-URL", 0)), "4.4 scheme state"),
    ("ht%74p://h", "", Err(("missing-scheme-non-relative-URL", 0)), "4.4 scheme state"),
    ("http", "", Err(("missing-scheme-non-relative-URL", 0)), "4.4 scheme state"),
    ("1a:b", "http://h/c/d", Ok("http://h/c/1a:b"), "4.4 scheme state: no scheme, and so a path"),
    ("a_b:c", "http://h/c/d", Ok("http://h/c/a_b:c"), "4.4 scheme state"),
    ("a:c", "a://h/a", Ok("a:c"), "4.4 scheme state: the base is not used"),
    ("a:", "a://h/a", Ok("a:"), "4.4 scheme state"),
];

#[test]
fn schemes() {
    check(SCHEMES);
}

const NO_SCHEME: &[Row] = &[
    ("b", "mailto:a", Err(("missing-scheme-non-relative-URL", 0)), "4.4 no scheme state"),
    ("?q", "mailto:a", Err(("missing-scheme-non-relative-URL", 0)), "4.4 no scheme state"),
    ("", "mailto:a", Err(("missing-scheme-non-relative-URL", 0)), "4.4 no scheme state"),
    ("//h", "mailto:a", Err(("missing-scheme-non-relative-URL", 0)), "4.4 no scheme state"),
    ("#f", "mailto:a?q#g", Ok("mailto:a?q#f"), "4.4 no scheme state"),
    ("#", "mailto:a", Ok("mailto:a#"), "4.4 no scheme state"),
    (" #f", "mailto:a%20?q", Ok("mailto:a%20?q#f"), "4.4 no scheme state"),
];

#[test]
fn no_scheme() {
    check(NO_SCHEME);
}

const RELATIVE: &[Row] = &[
    ("c", "http://h/a/b?q#f", Ok("http://h/a/c"), "4.4 relative state"),
    ("c/", "http://h", Ok("http://h/c/"), "4.4 relative state"),
    ("?y", "http://h/a/b?q#f", Ok("http://h/a/b?y"), "4.4 relative state"),
    ("?", "http://h/a/b?q#f", Ok("http://h/a/b?"), "4.4 relative state"),
    ("#y", "http://h/a/b?q#f", Ok("http://h/a/b?q#y"), "4.4 relative state"),
    ("#", "http://h/a/b?q#f", Ok("http://h/a/b?q#"), "4.4 relative state"),
    ("../../../c", "http://h/a/b", Ok("http://h/c"), "4.4 path state"),
    (".", "http://h/a/b", Ok("http://h/a/"), "4.4 path state"),
    ("c:8", "http://h/a/b", Ok("c:8"), "4.4 scheme state: what ends at a colon is a scheme"),
    ("./c:8", "http://h/a/b", Ok("http://h/a/c:8"), "4.4 relative state"),
    ("c", "a://h", Ok("a://h/c"), "4.4 path state"),
    ("c", "a:/b", Ok("a:/c"), "4.4 path state"),
    ("", "a://u:p@h:1?q#f", Ok("a://u:p@h:1?q"), "4.4 relative state"),
    ("/c", "http://u:p@h:8/a", Ok("http://u:p@h:8/c"), "4.4 relative slash state"),
    (r"\c", "http://h/a", Ok("http://h/c"), "4.4 relative state"),
    (r"\c", "a://h/a/b", Ok(r"a://h/a/\c"), "4.4 relative state: not special"),
    ("//g/c", "http://u:p@h:8/a?q", Ok("http://g/c"), "4.4 relative slash state"),
    ("//g/c", "a://h/a", Ok("a://g/c"), "4.4 relative slash state"),
    ("//c", "a:/b", Ok("a://c"), "4.4 relative slash state"),
    ("///g", "a://h/a", Ok("a:///g"), "4.4 relative slash state: not special"),
    (r"\\g\c", "http://h/a", Ok("http://g/c"), "4.4 relative slash state"),
    (r"/\g", "http://h/a", Ok("http://g/"), "4.4 relative slash state"),
    (r"/\g", "a://h/a", Ok(r"a://h/\g"), "4.4 relative slash state: not special"),
    ("////g/c", "http://h/a", Ok("http://g/c"), "4.4 special authority ignore slashes state"),
    ("//", "http://h/a", Err(("host-missing", 2)), "4.4 host state"),
    ("//", "a://h/a", Ok("a://"), "4.4 host state: not special"),
    ("http:c", "http://h/a/b?q", Ok("http://h/a/c"), "4.4 special relative or authority state"),
    ("http:/c", "http://h/a/b", Ok("http://h/c"), "4.4 special relative or authority state"),
    ("http:", "http://h/a/b?q#f", Ok("http://h/a/b?q"), "4.4 special relative or authority state"),
    ("HTTP:?y", "http://h/a/b?q", Ok("http://h/a/b?y"), "4.4 special relative or authority state"),
    (r"http:\\g", "http://h/a", Ok("http://g/"), "4.4 special relative or authority state"),
    ("http:///g", "http://h/a", Ok("http://g/"), "4.4 special authority ignore slashes state"),
    ("http:c", "https://h/a/b", Ok("http://c/"), "4.4 special authority slashes state"),
    ("http:/c", "", Ok("http://c/"), "4.4 special authority slashes state"),
    ("http:c", "", Ok("http://c/"), "4.4 special authority slashes state"),
    (r"http:/\/\c", "", Ok("http://c/"), "4.4 special authority ignore slashes state"),
    ("http:?q", "", Err(("host-missing", 5)), "4.4 host state"),
];

#[test]
fn relative_references() {
    check(RELATIVE);
}

const AUTHORITIES: &[Row] = &[
    ("http://u:p@h", "", Ok("http://u:p@h/"), "4.4 authority state"),
    ("http://u:p:q@h/", "", Ok("http://u:p%3Aq@h/"), "4.4 authority state: the first colon"),
    ("http://u@@h", "", Ok("http://u%40@h/"), "4.4 authority state: the last @"),
    ("http://u@v:p@q@h", "", Ok("http://u%40v:p%40q@h/"), "4.4 authority state"),
    ("http://:@h", "", Ok("http://h/"), "4.4 authority state"),
    ("http://@h", "", Ok("http://h/"), "4.4 authority state"),
    ("http://:p@h", "", Ok("http://:p@h/"), "4.4 authority state"),
    ("http://u:@h", "", Ok("http://u@h/"), "4.4 authority state"),
    ("a://u:p@h", "", Ok("a://u:p@h"), "4.4 authority state"),
    ("http://\u{e9}:%41@h", "", Ok("http://%C3%A9:%41@h/"), "4.4 authority state"),
    ("http://u/@h", "", Ok("http://u/@h"), "4.4 authority state: a slash ends it"),
    (r"http://u\@h", "", Ok("http://u/@h"), "4.4 authority state: a backslash too"),
    (r"a://u\@h", "", Ok(r"a://u%5C@h"), "4.4 authority state: not special"),
    ("http://u?@h", "", Ok("http://u/?@h"), "4.4 authority state"),
    ("http://u#@h", "", Ok("http://u/#@h"), "4.4 authority state"),
    ("http://u@", "", Err(("host-missing", 9)), "4.4 authority state"),
    ("http://u@/p", "", Err(("host-missing", 9)), "4.4 authority state"),
    ("a://u@/p", "", Err(("host-missing", 6)), "4.4 authority state"),
    ("a://@", "", Err(("host-missing", 5)), "4.4 authority state"),
    ("http://", "", Err(("host-missing", 7)), "4.4 host state"),
    ("http://?q", "", Err(("host-missing", 7)), "4.4 host state"),
    ("http://:80", "", Err(("host-missing", 7)), "4.4 host state"),
    ("http://u@:80", "", Err(("host-missing", 9)), "4.4 host state"),
    ("a://:80", "", Err(("host-missing", 4)), "4.4 host state"),
    ("a:///p", "", Ok("a:///p"), "4.4 host state"),
    ("a://", "", Ok("a://"), "4.4 host state"),
    ("a://?q", "", Ok("a://?q"), "4.4 host state"),
    ("http://h:80", "", Ok("http://h/"), "4.2 default port"),
    ("https://h:443", "", Ok("https://h/"), "4.2 default port"),
    ("ftp://h:21/", "", Ok("ftp://h/"), "4.2 default port"),
    ("ws://h:80", "", Ok("ws://h/"), "4.2 default port"),
    ("wss://h:443", "", Ok("wss://h/"), "4.2 default port"),
    ("http://h:443", "", Ok("http://h:443/"), "4.2 default port"),
    ("a://h:80", "", Ok("a://h:80"), "4.2 default port"),
    ("http://h:", "", Ok("http://h/"), "4.4 port state: an empty port is none"),
    ("a://h:/", "", Ok("a://h/"), "4.4 port state"),
    ("https://h:080", "", Ok("https://h:80/"), "4.4 port state"),
    ("http://h:00000000000000000000080", "", Ok("http://h/"), "4.4 port state"),
    ("a://h:0/", "", Ok("a://h:0/"), "4.4 port state"),
    ("http://h:65535", "", Ok("http://h:65535/"), "4.4 port state"),
    ("http://h:65536", "", Err(("port-out-of-range", 9)), "4.4 port state"),
    ("http://h:99999999999999999999/", "", Err(("port-out-of-range", 9)), "4.4 port state"),
    ("http://h:8a", "", Err(("port-invalid", 10)), "4.4 port state"),
    ("http://h:99999a", "", Err(("port-invalid", 14)), "4.4 port state: the digits are counted behind them"),
    ("http://h:80:80", "", Err(("port-invalid", 11)), "4.4 port state"),
    ("http://h:+80", "", Err(("port-invalid", 9)), "4.4 port state"),
    ("http://h:%38", "", Err(("port-invalid", 9)), "4.4 port state"),
    ("http://h:\u{ff18}", "", Err(("port-invalid", 9)), "4.4 port state"),
    ("ws://h:80 wss://", "", Err(("port-invalid", 9)), "4.4 port state"),
    (r"http://h:8\a", "", Ok("http://h:8/a"), "4.4 port state"),
    (r"a://h:8\a", "", Err(("port-invalid", 7)), "4.4 port state: not special"),
    ("http://a<b:c", "", Err(("domain-invalid-code-point", 8)), "4.4 host state: before the port"),
    ("http://[::1]:8", "", Ok("http://[::1]:8/"), "4.4 host state: colons in brackets"),
    ("http://::1", "", Err(("host-missing", 7)), "4.4 host state: colons outside of brackets"),
];

#[test]
fn authorities() {
    check(AUTHORITIES);
}

const PATH_STATES: &[Row] = &[
    ("http://h?q", "", Ok("http://h/?q"), "4.4 path start state"),
    ("http://h#f", "", Ok("http://h/#f"), "4.4 path start state"),
    ("a://h?q", "", Ok("a://h?q"), "4.4 path start state"),
    ("a://h#f", "", Ok("a://h#f"), "4.4 path start state"),
    (r"http://h\a", "", Ok("http://h/a"), "4.4 path start state"),
    ("a:/", "", Ok("a:/"), "4.4 path or authority state"),
    ("a:/b", "", Ok("a:/b"), "4.4 path or authority state"),
    ("a:b/../c", "", Ok("a:b/../c"), "4.4 opaque path state: no segments"),
    ("a:b c", "", Ok("a:b c"), "4.4 opaque path state"),
    ("a: b ?q", "", Ok("a: b%20?q"), "4.4 opaque path state"),
    ("a:b #f", "", Ok("a:b%20#f"), "4.4 opaque path state"),
    ("a:b  #f", "", Ok("a:b %20#f"), "4.4 opaque path state: the last space"),
    ("a:b \t#f", "", Ok("a:b%20#f"), "4.4 opaque path state: tabs have gone"),
    ("a: ?", "", Ok("a:%20?"), "4.4 opaque path state"),
    ("a:b  ", "", Ok("a:b"), "4.4: spaces at the end have gone"),
    (r"a:\\b", "", Ok(r"a:\\b"), "4.4 opaque path state"),
    ("javascript:alert('a')//\u{e9}", "", Ok("javascript:alert('a')//%C3%A9"), "4.4 opaque path state"),
    ("http://h/?a?b'#c#d'", "", Ok("http://h/?a?b%27#c#d'"), "4.4 query state, fragment state"),
    ("a:?a b#c d", "", Ok("a:?a%20b#c%20d"), "4.4 query state, fragment state"),
];

#[test]
fn path_start_opaque_path_query_and_fragment() {
    check(PATH_STATES);
}

/// Bytes that are not UTF-8 are read as U+FFFD, by maximal subparts, and offsets count bytes of the input.
#[test]
fn bytes_outside_utf_8() {
    for (input, href) in [
        (&b"http://h/\xff"[..], "http://h/%EF%BF%BD"),
        (b"http://h/\xe9\x80?\xf0\x9f\x92", "http://h/%EF%BF%BD?%EF%BF%BD"),
        (b"http://h/\xed\xa0\x80", "http://h/%EF%BF%BD%EF%BF%BD%EF%BF%BD"),
        (b"http://h/\xc0\xae", "http://h/%EF%BF%BD%EF%BF%BD"),
        (b"http://h/\xc3\t\xa9", "http://h/%EF%BF%BD%EF%BF%BD"),
        (b"a://\xff/", "a://%EF%BF%BD/"),
        (b"http://\xff@h/", "http://%EF%BF%BD@h/"),
        (b"a:\xff#\xff", "a:%EF%BF%BD#%EF%BF%BD"),
        (b"\x00http://h/\x00", "http://h/"),
    ] {
        let url = Url::parse(input, None);
        assert_eq!(url.map(|url| url.href().to_owned()).as_deref(), Ok(href), "{}", input.escape_ascii());
    }
    for (input, error, at) in [
        (&b"http://\xff/"[..], ValidationError::DomainToAscii, 7),
        (b"http://\xff\t@h:8\xff/", ValidationError::PortInvalid, 13),
        (b"\xff", ValidationError::MissingSchemeNonRelativeUrl, 0),
        (b"  http://u:\xff\xff@[1:2:\xff]/", ValidationError::Ipv6InvalidCodePoint, 19),
    ] {
        let failure = Url::parse(input, None).unwrap_err();
        assert_eq!((failure.error, failure.offset), (error, at), "{}", input.escape_ascii());
    }
}

/// Failures count bytes of the input, also behind what was removed from it.
#[test]
fn offsets_are_those_of_the_input() {
    for (input, error, at) in [
        ("\t\n http://a\tb\n<c/", "domain-invalid-code-point", 14),
        (" http://h:\t8\t\ta", "port-invalid", 14),
        ("  http://", "host-missing", 9),
        ("  http://  ", "host-missing", 11),
        ("  x", "missing-scheme-non-relative-URL", 2),
        ("http://\u{e9}\t:\tx", "port-invalid", 12),
        ("http://1.\t2.\t3.4.5", "IPv4-too-many-parts", 7),
        ("ht\ttp://[::\t1", "IPv6-unclosed", 13),
    ] {
        let failure = Url::parse(input, None).unwrap_err();
        assert_eq!((failure.error.as_str(), failure.offset), (error, at), "{input:?}");
    }
}

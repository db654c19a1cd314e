//! What the URL Standard and RFC 3986 see differently: every name alone where that is possible, the constructions of
//! published attacks, and texts on which the two agree.

use urimill_uri::Spec;
use urimill_uri::whatwg::{Disagreement, Url, disagreements};

fn names(text: &[u8], base: Option<&str>) -> Vec<&'static str> {
    let base = base.map(|base| Url::parse(base, None).unwrap());
    disagreements(text, base.as_ref(), Spec::Rfc3986).iter().map(Disagreement::as_str).collect()
}

/// (text, base, names)
type Row = (&'static str, Option<&'static str>, &'static [&'static str]);

const HTTP: Option<&str> = Some("http://good.example/a/b");

const ROWS: &[Row] = &[
    // Backslashes.
    (
        r"http://good.example\@evil.example/",
        None,
        &["host_differs", "backslash_authority", "invalid_for_rfc"],
    ),
    (r"http://evil.example\.good.example", None, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"http:\\evil.example", None, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"http:/\evil.example", None, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"/\evil.example", HTTP, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"\\evil.example", HTTP, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"http://good.example/a\b", None, &["invalid_for_rfc"]),
    (r"a:\\b", None, &["invalid_for_rfc"]),
    // Slashes.
    ("http:///evil.example/", None, &["host_differs", "extra_slashes", "empty_host"]),
    ("http:////evil.example/", None, &["host_differs", "extra_slashes", "empty_host"]),
    ("///evil.example", HTTP, &["host_differs", "extra_slashes", "empty_host"]),
    ("https:evil.example", None, &["host_differs", "extra_slashes"]),
    ("https:/evil.example", HTTP, &["host_differs", "extra_slashes"]),
    ("//evil.example", HTTP, &[]),
    ("file:///a", None, &[]),
    ("a:///b", None, &[]),
    // Hosts that are numbers.
    ("http://127.1/", None, &["host_differs", "numeric_host"]),
    ("http://0x7f000001/", None, &["host_differs", "numeric_host"]),
    ("http://2130706433/", None, &["host_differs", "numeric_host"]),
    ("http://0177.0.0.1/", None, &["host_differs", "numeric_host"]),
    ("http://127.0.0.1/", None, &[]),
    ("http://127.0.0.1./", None, &["host_differs", "numeric_host"]),
    ("http://1.2.3.4.5/", None, &["numeric_host", "invalid_for_whatwg"]),
    ("http://a.0x/", None, &["numeric_host", "invalid_for_whatwg"]),
    ("http://256.0.0.1/", None, &["numeric_host", "invalid_for_whatwg"]),
    // IDNA.
    ("http://\u{2460}\u{2461}\u{2466}.0.0.1/", None, &["numeric_host", "idna_mapped", "invalid_for_rfc"]),
    ("http://b\u{fc}cher.example/", None, &["idna_mapped", "invalid_for_rfc"]),
    ("http://b%C3%BCcher.example/", None, &["idna_mapped", "percent_host"]),
    ("http://evil%E3%80%82example/", None, &["idna_mapped", "percent_host"]),
    ("http://xn--bcher-kva.example/", None, &[]),
    // What is removed.
    ("ht\ttp://evil.example/", None, &["host_differs", "tab_or_newline", "invalid_for_rfc"]),
    ("http://good.example/a\tb", None, &["tab_or_newline", "invalid_for_rfc"]),
    (" http://good.example/", None, &["host_differs", "tab_or_newline", "invalid_for_rfc"]),
    ("http://good.example/\u{1}", None, &["tab_or_newline", "invalid_for_rfc"]),
    // Credentials.
    ("http://a@b@evil.example/", None, &["userinfo_at", "invalid_for_rfc"]),
    ("http://foo@127.0.0.1 @good.example/", None, &["userinfo_at", "invalid_for_rfc"]),
    ("http://foo@evil.example:80@good.example/", None, &["userinfo_at", "invalid_for_rfc"]),
    ("http://1.1.1.1 &@2.2.2.2# @3.3.3.3/", None, &["invalid_for_rfc"]),
    ("http://good.example:80@evil.example/", None, &[]),
    ("http://good.example#@evil.example/", None, &[]),
    // Ports.
    ("http://good.example:65617/", None, &["port_differs", "invalid_for_whatwg"]),
    ("http://good.example:00080/", None, &[]),
    ("http://good.example:/", None, &[]),
    (
        r"http://good.example:8080\@evil.example:80/",
        None,
        &["host_differs", "backslash_authority", "port_differs", "invalid_for_rfc"],
    ),
    // Triplets and dots.
    ("http://good%2eexample/", None, &["percent_host"]),
    ("http://good%00.example/", None, &["percent_host", "invalid_for_whatwg"]),
    ("http://good%23.example/", None, &["percent_host", "invalid_for_whatwg"]),
    ("http://good.example/%2e%2e/admin", None, &["dot_encoded"]),
    ("http://good.example/a/.%2E", None, &["dot_encoded"]),
    ("%2e%2e/c", HTTP, &["dot_encoded"]),
    ("http://good.example/a%2eb", None, &[]),
    // Empty hosts.
    ("http://:80/", None, &["empty_host", "invalid_for_whatwg"]),
    ("http://u@/", None, &["empty_host", "invalid_for_whatwg"]),
    ("a://", None, &[]),
    // What both see alike, or both refuse.
    ("http://good.example/?a='b'", None, &[]),
    ("HTTP://GOOD.example:80", None, &[]),
    ("http://[0:0::1]/", None, &[]),
    ("http://[::ffff:127.0.0.1]/", None, &[]),
    ("file://localhost/a", None, &[]),
    ("mailto:a@b.example", None, &[]),
    ("http://[::1/", None, &[]),
    ("/a/b", None, &[]),
    ("//good.example/a", None, &[]),
    (r"..\c", None, &[]),
    ("../c?d#e", HTTP, &[]),
    ("", HTTP, &[]),
    ("http:c", HTTP, &[]),
];

#[test]
fn each_text_has_its_names() {
    let told: Vec<_> = ROWS
        .iter()
        .map(|&(text, base, expected)| (text, names(text.as_bytes(), base), expected))
        .filter(|(_, found, expected)| found != expected)
        .map(|(text, found, expected)| format!("{text:?} has {found:?} and should have {expected:?}"))
        .collect();
    assert!(told.is_empty(), "{}", told.join("\n"));
}

#[test]
fn every_name_is_in_the_table() {
    for one in Disagreement::ALL {
        assert!(ROWS.iter().any(|(.., names)| names.contains(&one.as_str())), "{one}");
    }
}

#[test]
fn names_do_not_depend_on_how_the_bytes_are_given() {
    assert_eq!(names(b"http://h/\xff", None), ["invalid_for_rfc"]);
    assert_eq!(names(b"http://h\xff/", None), [""; 0], "both refuse it");
}

//! Texts outside the grammar: each reject code with its component and offset, and the codes' stable names.

use urimill::Code::*;
use urimill::{Code, Component, Reject, UriRef};

use crate::compare::compare;
use crate::oracle::oracle;

#[rustfmt::skip]
const TABLE: &[(&[u8], Code, Component, usize, &str)] = &[
    (b"1http://h/", SchemeInvalidChar, Component::Scheme, 5, "3.1: a letter first"),
    (b"ht_tp://h/", SchemeInvalidChar, Component::Scheme, 5, "3.1: until the colon it could be a segment"),
    (b"bar,baz:foo", SchemeInvalidChar, Component::Scheme, 7, "3.1"),
    (b"+a:b", SchemeInvalidChar, Component::Scheme, 2, "3.1"),
    (b"a%41:b", SchemeInvalidChar, Component::Scheme, 4, "3.1: no triplets"),
    (b"a@b:c", SchemeInvalidChar, Component::Scheme, 3, "4.2: no colon in the first segment"),
    (b"ht tp://h/", SchemeInvalidChar, Component::Scheme, 2, "3.1: the first byte that no segment has"),
    (b"<x:y>", SchemeInvalidChar, Component::Scheme, 0, "3.1"),
    (b":", SchemeEmpty, Component::Scheme, 0, "3.1"),
    (b"://h/", SchemeEmpty, Component::Scheme, 0, "3.1"),
    (b"::", SchemeEmpty, Component::Scheme, 0, "3.1"),
    (b"http://a<b@h/", UserinfoInvalidChar, Component::Userinfo, 8, "3.2.1"),
    (b"http://[@h/", HostIpv6Malformed, Component::Host, 8, "3.2.2: a bracket opens an IP literal"),
    (b"http://u:p\"@h:80/", UserinfoInvalidChar, Component::Userinfo, 10, "3.2.1"),
    (b"//a\\b@h", UserinfoInvalidChar, Component::Userinfo, 3, "3.2.1"),
    (b"http:// h/", HostInvalidChar, Component::Host, 7, "3.2.2"),
    (b"http://a b/", HostInvalidChar, Component::Host, 8, "3.2.2"),
    (b"http://h\\p", HostInvalidChar, Component::Host, 8, "3.2.2"),
    (b"http://u@a|b/", HostInvalidChar, Component::Host, 10, "3.2.2"),
    (b"http://]/", HostInvalidChar, Component::Host, 7, "3.2.2"),
    (b"http://[::1]x/", HostInvalidChar, Component::Host, 12, "3.2.2: behind the bracket"),
    (b"http://[::1].h:80/", HostInvalidChar, Component::Host, 12, "3.2.2"),
    (b"//a@b@example.com/", HostInvalidChar, Component::Host, 5, "3.2.1: one at-sign"),
    (b"http://[::1", HostIpv6Malformed, Component::Host, 11, "3.2.2: unclosed"),
    (b"http://[::1/", HostIpv6Malformed, Component::Host, 11, "3.2.2: unclosed"),
    (b"http://[", HostIpv6Malformed, Component::Host, 8, "3.2.2: unclosed"),
    (b"http://[]/", HostIpv6Malformed, Component::Host, 8, "3.2.2"),
    (b"http://[1.2.3.4]/", HostIpv6Malformed, Component::Host, 9, "3.2.2"),
    (b"http://[xyz]/", HostIpv6Malformed, Component::Host, 8, "3.2.2"),
    (b"http://[1::2::3]/", HostIpv6Malformed, Component::Host, 13, "3.2.2: one gap"),
    (b"http://[12345::]/", HostIpv6Malformed, Component::Host, 12, "3.2.2: h16 has four digits"),
    (b"http://[1:2:3:4:5:6:7]/", HostIpv6Malformed, Component::Host, 21, "3.2.2: seven groups"),
    (b"http://[1:2:3:4:5:6:7:8:9]/", HostIpv6Malformed, Component::Host, 23, "3.2.2: nine groups"),
    (b"http://[::ffff:01.2.3.4]", HostIpv6Malformed, Component::Host, 17, "3.2.2: 01 is no dec-octet"),
    (b"http://[::256.1.1.1]/", HostIpv6Malformed, Component::Host, 13, "3.2.2"),
    (b"http://[fe80::1%25eth0]/", HostIpv6Malformed, Component::Host, 15, "3.2.2: no zone (RFC 6874)"),
    (b"http://[v]/", HostIpvfutureMalformed, Component::Host, 9, "3.2.2"),
    (b"http://[vx.a]/", HostIpvfutureMalformed, Component::Host, 9, "3.2.2: a hexadecimal version"),
    (b"http://[v1]/", HostIpvfutureMalformed, Component::Host, 10, "3.2.2: a dot"),
    (b"http://[V1.]/", HostIpvfutureMalformed, Component::Host, 11, "3.2.2: at least one character"),
    (b"http://[v1.a%41]/", HostIpvfutureMalformed, Component::Host, 12, "3.2.2: no triplets"),
    (b"http://[v1.a", HostIpvfutureMalformed, Component::Host, 12, "3.2.2: unclosed"),
    (b"http://[::1]:8a/", PortInvalidChar, Component::Port, 14, "3.2.3"),
    (b"http://u@h:8a/", PortInvalidChar, Component::Port, 12, "3.2.3"),
    (b"http://u@h:80:80/", PortInvalidChar, Component::Port, 13, "3.2.3"),
    (b"//[::1]:-1", PortInvalidChar, Component::Port, 8, "3.2.3"),
    (b"/a b", PathInvalidChar, Component::Path, 2, "3.3"),
    (b"a\\b", PathInvalidChar, Component::Path, 1, "3.3"),
    (b"\\\\WINDOWS\\fileshare", PathInvalidChar, Component::Path, 0, "3.3"),
    (b"http:/[::1]", PathInvalidChar, Component::Path, 6, "3.3: brackets are for hosts"),
    (b"http://h/a\x00", PathInvalidChar, Component::Path, 10, "3.3: NUL"),
    (b"http://h/a\r", PathInvalidChar, Component::Path, 10, "3.3: a lone carriage return"),
    (b"http://h/\x7f", PathInvalidChar, Component::Path, 9, "3.3: DEL"),
    ("/é".as_bytes(), PathInvalidChar, Component::Path, 1, "2: US-ASCII only"),
    (b"x:a^b", PathInvalidChar, Component::Path, 3, "3.3"),
    (b"a/b c:d", PathInvalidChar, Component::Path, 3, "3.3: a colon in a later segment makes no scheme"),
    (b"?a`b", QueryInvalidChar, Component::Query, 2, "3.4"),
    (b"http://h?a[b]=c", QueryInvalidChar, Component::Query, 10, "3.4: brackets"),
    (b"/p?a|b#f", QueryInvalidChar, Component::Query, 4, "3.4"),
    (b"#a#b", FragmentInvalidChar, Component::Fragment, 2, "3.5: a second number sign"),
    (b"http://h/p?q#a{", FragmentInvalidChar, Component::Fragment, 14, "3.5"),
    (b"a%4", PercentTruncated, Component::Path, 3, "2.1: the record ends"),
    (b"a%", PercentTruncated, Component::Path, 2, "2.1"),
    (b"%", PercentTruncated, Component::Path, 1, "2.1"),
    (b"a%4?q", PercentTruncated, Component::Path, 3, "2.1: the path ends"),
    (b"a%#f", PercentTruncated, Component::Path, 2, "2.1"),
    (b"?a%2#", PercentTruncated, Component::Query, 4, "2.1: the query ends"),
    (b"#%2", PercentTruncated, Component::Fragment, 3, "2.1"),
    (b"http://h%4/p", PercentTruncated, Component::Host, 10, "2.1: the host ends"),
    (b"http://h/%4/p", PercentInvalidDigit, Component::Path, 11, "2.1: a slash inside a path is no digit"),
    (b"/%zz", PercentInvalidDigit, Component::Path, 2, "2.1"),
    (b"A%AZ", PercentInvalidDigit, Component::Path, 3, "2.1"),
    (b"/%%41", PercentInvalidDigit, Component::Path, 2, "2.1"),
    (b"http://a%4g/", PercentInvalidDigit, Component::Host, 10, "2.1"),
    (b"http://u%4g@h/", PercentInvalidDigit, Component::Userinfo, 10, "2.1"),
    (b"?%g0", PercentInvalidDigit, Component::Query, 2, "2.1"),
    (b"#%0g", PercentInvalidDigit, Component::Fragment, 3, "2.1"),
    (b"/a\xFF", NotUtf8, Component::Path, 2, "2: not UTF-8"),
    (b"http://h/\xC3", NotUtf8, Component::Path, 9, "2: half an e-acute"),
    (b"a b?\xFF", NotUtf8, Component::Path, 1, "the grammar's offset, whatever the record"),
    (b"http://h\xFF/", NotUtf8, Component::Host, 8, "2"),
    (b"?\xED\xA0\x80", NotUtf8, Component::Query, 1, "RFC 3629 3: a surrogate"),
];

#[test]
fn each_code_with_component_and_offset() {
    let mut failures = Vec::new();
    for &(text, code, component, offset, section) in TABLE {
        let shown = text.escape_ascii();
        let expected = Reject { code, component, offset };
        assert_eq!(oracle().answer(text).err(), Some(offset), "the oracle on \"{shown}\" ({section})");
        match UriRef::parse(text) {
            Err(got) if got == expected => failures.extend(compare(text).err()),
            got => failures.push(format!("\"{shown}\" ({section}): {expected:?} expected, got {got:?}")),
        }
    }
    assert!(failures.is_empty(), "{} of {} differ:\n{}", failures.len(), TABLE.len(), failures.join("\n"));
}

#[test]
fn the_table_has_every_code_of_a_single_reference() {
    for (code, name) in NAMES {
        let in_table = TABLE.iter().any(|row| row.1 == *code);
        // Only bulk input has a limit on the length of a record.
        assert_eq!(in_table, *code != TooLong, "{name}");
    }
}

/// `a:b` may be a userinfo until the record or the authority ends without "@": the offset is there, and either code for
/// it is right, a port that is not a number or a userinfo that is not closed.
#[test]
fn a_port_that_could_be_a_password() {
    let table: &[(&str, usize)] = &[
        ("http://a:b", 10),
        ("http://a:b/c", 10),
        ("http://example.com:abc/path", 22),
        ("//example.com:abc?q", 17),
        ("http://h:8x#f", 11),
        ("http://w3c.org:80path1/path2", 22),
    ];
    for &(text, offset) in table {
        assert_eq!(oracle().answer(text.as_bytes()), Err(offset), "the oracle on {text:?}");
        let got = UriRef::parse(text).expect_err(text);
        assert_eq!(got.offset, offset, "{text:?} (3.2.1, 3.2.3): {got:?}");
        assert!(matches!(got.code, PortInvalidChar | UserinfoInvalidChar), "{text:?} (3.2.3): {got:?}");
        assert_eq!(compare(text.as_bytes()), Ok(()));
    }
}

const NAMES: &[(Code, &str)] = &[
    (SchemeInvalidChar, "scheme_invalid_char"),
    (SchemeEmpty, "scheme_empty"),
    (UserinfoInvalidChar, "userinfo_invalid_char"),
    (HostInvalidChar, "host_invalid_char"),
    (HostIpv6Malformed, "host_ipv6_malformed"),
    (HostIpvfutureMalformed, "host_ipvfuture_malformed"),
    (PortInvalidChar, "port_invalid_char"),
    (PathInvalidChar, "path_invalid_char"),
    (QueryInvalidChar, "query_invalid_char"),
    (FragmentInvalidChar, "fragment_invalid_char"),
    (PercentTruncated, "percent_truncated"),
    (PercentInvalidDigit, "percent_invalid_digit"),
    (NotUtf8, "not_utf8"),
    (TooLong, "too_long"),
];

/// Stored tables have these names: they must never change.
#[test]
fn names_of_the_codes() {
    for (code, name) in NAMES {
        assert_eq!(code.as_str(), *name, "{code:?}");
        assert_eq!(code.to_string(), *name, "{code:?}");
    }
}

/// A reject as a sentence: code, its meaning, component and position.
#[test]
fn a_reject_is_reported_completely() {
    let reject = UriRef::parse("://h/").expect_err("no scheme before the colon");
    assert_eq!(reject.to_string(), "scheme_empty: there is no scheme before the colon (scheme, byte 0)");
}

//! Results of the tools themselves (surt 0.3.1 and w3lib 2.5.0), and of urimill where it differs on purpose, with the
//! reason.

use urimill::UriRef;
use urimill::canonical::wayback::{self, Rules};
use urimill::canonical::{Canonical, SurtOptions, surt, surt_with};

use super::rows;

/// Form, input, the tool's result, urimill's (or `=`), reason (or `-`).
const ANSWERS: &str = include_str!("answers.tsv");

#[test]
fn forms_match_the_tools_answers() {
    let (mut problems, mut count) = (Vec::new(), 0);
    for [form, input, theirs, ours, reason] in rows(ANSWERS) {
        let uri = UriRef::parse(input).unwrap_or_else(|reject| panic!("{input}: {reject:?}"));
        let got = match form {
            "key" => Some(surt(&uri)),
            "wayback" => Canonical::Wayback.form(&uri),
            "cleaning" => wayback::form(&uri, &Rules::CLEANING),
            "w3lib" => Canonical::W3lib.form(&uri),
            _ => panic!("no form is called {form}"),
        };
        let got = got.unwrap_or_default();
        assert_eq!(ours == "=", reason == "-", "{input}: a difference has a reason, nothing else has");
        assert_ne!(ours, theirs, "{input}: that is no difference");
        if got != if ours == "=" { theirs } else { ours } {
            problems.push(format!("{form}\t{input}\t{theirs}\t{got}"));
        }
        count += 1;
    }
    assert!(problems.is_empty(), "{} of {count}:\n{}", problems.len(), problems.join("\n"));
}

/// Layouts of a key, as surt 0.3.1 writes them with `trailing_comma`, `with_scheme` and `reverse_ipaddr`.
#[test]
fn layouts_of_a_key() {
    // URI, with a comma, with its scheme, with both, with numbers of an address in their order.
    let cases = [
        (
            "http://u:p@www.a.com:81/x",
            "com,a:81,)/x",
            "http://(com,a:81)/x",
            "http://(com,a:81,)/x",
            "com,a:81)/x",
        ),
        (
            "http://1.2.3.4:81/",
            "4,3,2,1:81,)/",
            "http://(4,3,2,1:81)/",
            "http://(4,3,2,1:81,)/",
            "1.2.3.4:81)/",
        ),
        ("http://[::1]:81/x", "::1:81,)/x", "http://(::1:81)/x", "http://(::1:81,)/x", "::1:81)/x"),
        ("http://1.2.3.4.5/", "5,4,3,2,1,)/", "http://(5,4,3,2,1)/", "http://(5,4,3,2,1,)/", "5,4,3,2,1)/"),
        ("foo://H?Q", "h,)/?q", "foo://(h)/?q", "foo://(h,)/?q", "h)/?q"),
        ("file:///etc/A", "file:/etc/a", "file:/etc/a", "file:/etc/a", "file:/etc/a"),
        ("urn:x/", "urn:x", "urn:x", "urn:x", "urn:x"),
        ("filedesc:A%41?b", "filedesc:A%41?b", "filedesc:A%41?b", "filedesc:A%41?b", "filedesc:A%41?b"),
    ];
    for (input, comma, scheme, both, in_order) in cases {
        let uri = UriRef::parse(input).unwrap_or_else(|reject| panic!("{input}: {reject:?}"));
        let key = |trailing_comma, with_scheme, reverse_ip| {
            let mut options = SurtOptions::default();
            (options.trailing_comma, options.with_scheme) = (trailing_comma, with_scheme);
            options.reverse_ip = reverse_ip;
            surt_with(&uri, &options)
        };
        assert_eq!(key(true, false, true), comma);
        assert_eq!(key(false, true, true), scheme);
        assert_eq!(key(true, true, true), both);
        assert_eq!(key(false, false, false), in_order);
    }
}

/// crawler-commons, by its rules: cases that its suite has no row for.
#[test]
fn crawler_commons() {
    let cases: &[(&str, Option<&str>, &str)] = &[
        ("mailto:a@example.com", None, "rule 1"),
        ("gopher://example.com/", None, "rule 1"),
        ("a/b", None, "a relative reference"),
        ("HTTPS://U:P@Example.COM:443", Some("https://example.com/"), "rules 1, 5, 6, 7, 8"),
        ("http://example.com:443/", Some("http://example.com:443/"), "rule 8"),
        ("ftp://example.com:0021/", Some("ftp://example.com/"), "rule 8"),
        ("http://example.com:008080/", Some("http://example.com:8080/"), "rule 8"),
        ("http://[2001:DB8::1]:80/", Some("http://[2001:db8::1]/"), "rule 7"),
        ("http://a%20b/", None, "rule 7: no host"),
        ("http://a%2Fb/", None, "rule 7: no host"),
        ("http://a%25b/", None, "rule 7: no host"),
        ("http://./", Some("http:/"), "rules 7, 9"),
        ("http:/a", Some("http:/a"), "rule 9"),
        ("http:a", Some("http:/a"), "rules 5, 9"),
        ("http://h/a//../b", Some("http://h/b"), "rule 5: slashes before dots"),
        ("http://h/a/%2E%2E/b", Some("http://h/b"), "rules 3, 5"),
        (
            "http://h/?a=1&&=2&b&=&c=&a=0&d==",
            Some("http://h/?a=1&a=0&b&c&d=="),
            "rule 4: order of equal names",
        ),
        ("http://h/?b=&b&a-b&a=1", Some("http://h/?a=1&a-b&b&b"), "rule 4: by name alone"),
        ("http://h/?=&=1", Some("http://h/"), "rule 4"),
        ("http://h/?%3d=%7e%2b", Some("http://h/?%3D=~%2B"), "rule 3"),
        ("file://u@H/a", Some("file://u@H/a"), "file: nothing changes"),
        ("file://u@H/a/../b", Some("file://H/b"), "file: the path changes"),
        ("file:///a/../b", Some("file:/b"), "file: an empty authority goes"),
        ("file:///b#c", Some("file:///b"), "file: a fragment is no change"),
        ("FILE:///b", Some("file:/b"), "file: the scheme changes"),
        ("file:a", Some("file:/a"), "rule 5"),
        ("file://h:/%41", Some("file://h/A"), "file: an empty port goes with a change"),
        ("file://h:/a", Some("file://h:/a"), "file: and stays without"),
        ("file://h:080/%41", Some("file://h:80/A"), "file: a port is a number"),
        ("http://h/%41?a=1&b", Some("http://h/A?a=1&b"), "the query from its question mark on"),
        ("http://h/..?a", Some("http://h/?a"), "rule 5"),
        ("http://h/../.../a", Some("http://h/.../a"), "rule 5: three dots are a name"),
    ];
    for (input, expected, rule) in cases {
        let uri = UriRef::parse(*input).unwrap_or_else(|reject| panic!("{input}: {reject:?}"));
        assert_eq!(Canonical::CrawlerCommons.form(&uri).as_deref(), *expected, "{input}: {rule}");
    }
}

/// Relative references have no form, and their key shows that it is missing.
#[test]
fn what_is_relative_has_none() {
    for input in ["", "a", "/a?b", "//example.com/", "?q", "#f"] {
        let uri = UriRef::parse(input).unwrap_or_else(|reject| panic!("{input}: {reject:?}"));
        assert!(Canonical::ALL.into_iter().all(|form| form.form(&uri).is_none()), "{input}");
        assert_eq!(surt(&uri), "-", "{input}");
    }
}

#[test]
fn names() {
    for form in Canonical::ALL {
        assert_eq!(form.as_str().parse::<Canonical>().ok(), Some(form));
        assert_eq!(form.to_string(), form.as_str());
    }
    let error = "Wayback".parse::<Canonical>().expect_err("names are in lower case").to_string();
    assert_eq!(error, "there is no canonical form \"Wayback\": use wayback, crawler-commons or w3lib");
}

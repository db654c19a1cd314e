//! RFC 3986 section 6 as tables: the normal form at each level of the ladder.

use std::borrow::Cow;

use urimill::{Level, UriRef, normalize};

const LEVELS: [Level; 5] = [Level::None, Level::Case, Level::Percent, Level::Syntax, Level::Scheme];

fn check(table: &[(&str, Level, &str, &str)]) {
    let mut failures = Vec::new();
    for &(text, level, expected, section) in table {
        let uri = UriRef::parse(text).unwrap_or_else(|reject| panic!("{text:?} ({section}): {reject:?}"));
        let got = normalize(&uri, level);
        if got != expected {
            failures.push(format!("{text:?} at {level:?} ({section}): {expected:?} expected, got {got:?}"));
        }
        if matches!(got, Cow::Owned(_)) && got == text {
            failures.push(format!("{text:?} at {level:?}: copied, although it is in normal form"));
        }
    }
    assert!(failures.is_empty(), "{} of {} differ:\n{}", failures.len(), table.len(), failures.join("\n"));
}

/// One reference on every rung: (text, at none, case, percent, syntax, scheme).
#[test]
fn each_rung_includes_those_before_it() {
    let table: &[(&str, [&str; 5], &str)] = &[
        (
            "eXAMPLE://a/./b/../b/%63/%7bfoo%7d",
            [
                "eXAMPLE://a/./b/../b/%63/%7bfoo%7d",
                "example://a/./b/../b/%63/%7Bfoo%7D",
                "example://a/./b/../b/c/%7Bfoo%7D",
                "example://a/b/c/%7Bfoo%7D",
                "example://a/b/c/%7Bfoo%7D",
            ],
            "6.2.2",
        ),
        (
            "HTTP://U@Ex%41mple.COM:80/%7e/%2e%2E/%c3?A=%7E#%5f",
            [
                "HTTP://U@Ex%41mple.COM:80/%7e/%2e%2E/%c3?A=%7E#%5f",
                "http://U@ex%41mple.com:80/%7E/%2E%2E/%C3?A=%7E#%5F",
                "http://U@example.com:80/~/../%C3?A=~#_",
                "http://U@example.com:80/%C3?A=~#_",
                "http://U@example.com/%C3?A=~#_",
            ],
            "6.2.2, 6.2.3",
        ),
        (
            "http://h:?",
            ["http://h:?", "http://h:?", "http://h:?", "http://h:?", "http://h/?"],
            "6.2.3: the empty port goes, the empty query stays",
        ),
        (
            "FILE://LOCALHOST/./%61",
            [
                "FILE://LOCALHOST/./%61",
                "file://localhost/./%61",
                "file://localhost/./a",
                "file://localhost/a",
                "file:///a",
            ],
            "6.2.3: localhost is the default of file",
        ),
    ];
    for (text, rungs, section) in table {
        for (level, expected) in LEVELS.into_iter().zip(rungs) {
            check(&[(*text, level, *expected, *section)]);
        }
    }
    assert!(LEVELS.is_sorted(), "the levels have an order");
    assert_eq!(Level::default(), Level::Scheme);
}

#[test]
#[rustfmt::skip]
fn case() {
    use Level::Case;
    check(&[
        ("HTTP://www.EXAMPLE.com/", Case, "http://www.example.com/", "6.2.2.1"),
        ("http://h/A%3aB?C%c3#D%aF", Case, "http://h/A%3AB?C%C3#D%AF", "6.2.2.1: only the digits of triplets"),
        ("http://Us%4aER:Pa@H/", Case, "http://Us%4AER:Pa@h/", "6.2.2.1: userinfo keeps its case"),
        ("//Alpha%ce%b1", Case, "//alpha%CE%B1", "6.2.2.1: letters down, hexadecimal digits up"),
        ("//ALPHA%CE%B1", Case, "//alpha%CE%B1", "6.2.2.1"),
        ("//[2001:DB8::AB]:80/X", Case, "//[2001:db8::ab]:80/X", "6.2.2.1: a host"),
        ("//[V1F.AB]", Case, "//[v1f.ab]", "6.2.2.1: a host"),
        ("URN:Example:A%2f", Case, "urn:Example:A%2F", "6.2.2.1: only scheme and host"),
        ("MailTo:John.Doe@EXAMPLE.com", Case, "mailto:John.Doe@EXAMPLE.com", "6.2.2.1: a path keeps its case"),
        ("A/B", Case, "A/B", "6.2.2.1: no scheme, no host"),
        ("http://h/%7E%41", Case, "http://h/%7E%41", "6.2.2.2 comes later"),
        ("http://h:80/a/../b", Case, "http://h:80/a/../b", "6.2.2.3 comes later"),
    ]);
}

#[test]
#[rustfmt::skip]
fn percent() {
    use Level::Percent;
    check(&[
        ("http://h/%7Esmith/%7esmith", Percent, "http://h/~smith/~smith", "6.2.2.2"),
        ("/%41%5A%61%7A%30%39%2D%2E%5F%7E", Percent, "/AZaz09-._~", "2.3: unreserved"),
        ("/%2d%2e%5f%7e", Percent, "/-._~", "2.3"),
        ("/%21%24%26%27%28%29%2A%2B%2C%3B%3D", Percent, "/%21%24%26%27%28%29%2A%2B%2C%3B%3D", "2.2: sub-delims stay"),
        ("/%3A%2F%3F%23%5B%5D%40", Percent, "/%3A%2F%3F%23%5B%5D%40", "2.2: gen-delims stay"),
        ("/%25%34%31", Percent, "/%2541", "2.4: not decoded twice"),
        ("/%2541", Percent, "/%2541", "2.4"),
        ("/%00%20%7f%c3%a9", Percent, "/%00%20%7F%C3%A9", "2.1"),
        ("//%55@%48%4f%53%54/%50?%51#%46", Percent, "//U@host/P?Q#F", "6.2.2.1: what is decoded in a host is lowered too"),
        ("//ex%2Dample%2ecom", Percent, "//ex-ample.com", "6.2.2.2"),
        ("//%31.2.3.4", Percent, "//1.2.3.4", "6.2.2.2"),
        ("/a/%2e%2E/b", Percent, "/a/../b", "6.2.2.3 comes later"),
        ("./%41%3ab", Percent, "./A%3Ab", "4.2"),
    ]);
}

#[test]
#[rustfmt::skip]
fn syntax() {
    use Level::Syntax;
    check(&[
        ("/a/b/c/./../../g", Syntax, "/a/g", "5.2.4"),
        ("http://h/mid/content=5/../6", Syntax, "http://h/mid/6", "5.2.4"),
        ("http://h/.", Syntax, "http://h/", "5.2.4"),
        ("http://h/..", Syntax, "http://h/", "5.2.4"),
        ("http://h/a/.", Syntax, "http://h/a/", "5.2.4"),
        ("http://h/a/..", Syntax, "http://h/", "5.2.4"),
        ("http://h/a/b/..", Syntax, "http://h/a/", "5.2.4"),
        ("http://h/../../a", Syntax, "http://h/a", "5.4.2: no more levels"),
        ("http://h/a//../b", Syntax, "http://h/a/b", "5.2.4: an empty segment is one"),
        ("http://h//..//a", Syntax, "http://h//a", "5.2.4"),
        ("http://h/.//a", Syntax, "http://h//a", "5.2.4: allowed behind an authority"),
        ("http://h/..a/.b/c./d../...", Syntax, "http://h/..a/.b/c./d../...", "5.4.2: no dot segments"),
        ("http://h/a/.;x/..;y", Syntax, "http://h/a/.;x/..;y", "3.3: a parameter makes another segment"),
        ("http://h/a/%2E/b/%2e%2E/c", Syntax, "http://h/a/c", "6.2.2.2 comes first"),
        ("http://h/p?a/../b#c/./d", Syntax, "http://h/p?a/../b#c/./d", "3.4: not in query and fragment"),
        ("/a/../b", Syntax, "/b", "4.2: the same against every base"),
        ("/../a", Syntax, "/a", "5.2.4"),
        ("//h/a/../b", Syntax, "//h/b", "4.2"),
        ("x:/a/../b", Syntax, "x:/b", "5.2.4"),
        ("x:/.//b", Syntax, "x:/.//b", "3.3: no authority, no // in front"),
        ("x:/a/..//b", Syntax, "x:/.//b", "3.3: guarded"),
        ("/.//b", Syntax, "/.//b", "3.3, 4.2"),
        ("/a/..//b?q", Syntax, "/.//b?q", "3.3, 4.2"),
        ("/.///b", Syntax, "/.///b", "3.3"),
        ("x:/%2e//b", Syntax, "x:/.//b", "3.3"),
        ("urn:a/../b", Syntax, "urn:a/../b", "3.3: a rootless path is opaque"),
        ("x:../a", Syntax, "x:../a", "3.3"),
        ("mailto:a/./b@h", Syntax, "mailto:a/./b@h", "3.3"),
        ("a/../b", Syntax, "a/../b", "5.2: needs its base"),
        ("../../a/./b", Syntax, "../../a/./b", "5.2"),
        ("./a:b", Syntax, "./a:b", "4.2"),
        (".", Syntax, ".", "5.2"),
        ("..", Syntax, "..", "5.2"),
        ("", Syntax, "", "4.4"),
        ("http://h", Syntax, "http://h", "6.2.3 comes later"),
        ("http://h:/", Syntax, "http://h:/", "6.2.3 comes later"),
        ("http://h:80/", Syntax, "http://h:80/", "6.2.3 comes later"),
        ("file://localhost/a", Syntax, "file://localhost/a", "6.2.3 comes later"),
        ("//[0:0::1]/", Syntax, "//[0:0::1]/", "RFC 5952 comes later"),
    ]);
}

#[test]
#[rustfmt::skip]
fn scheme() {
    use Level::Scheme;
    check(&[
        ("http://example.com", Scheme, "http://example.com/", "6.2.3"),
        ("http://example.com/", Scheme, "http://example.com/", "6.2.3"),
        ("http://example.com:/", Scheme, "http://example.com/", "6.2.3"),
        ("http://example.com:80/", Scheme, "http://example.com/", "6.2.3"),
        ("http://example.com:80", Scheme, "http://example.com/", "6.2.3"),
        ("HTTPS://H:443?q", Scheme, "https://h/?q", "6.2.3"),
        ("http://h:443/", Scheme, "http://h:443/", "6.2.3: another scheme's port"),
        ("https://h:80/", Scheme, "https://h:80/", "6.2.3"),
        ("ftp://h:21/", Scheme, "ftp://h/", "6.2.3"),
        ("ws://h:80/", Scheme, "ws://h/", "6.2.3, RFC 6455 3"),
        ("wss://h:443/", Scheme, "wss://h/", "6.2.3, RFC 6455 3"),
        ("ldap://h:389/", Scheme, "ldap://h/", "6.2.3, RFC 4516 2"),
        ("http://u@[::1]:80/", Scheme, "http://u@[::1]/", "6.2.3"),
        ("unknown-scheme://h:/", Scheme, "unknown-scheme://h/", "6.2.3: an empty port is the default of any scheme"),
        ("unknown-scheme://h:80/", Scheme, "unknown-scheme://h:80/", "6.2.3: no default is known"),
        ("//h:80/", Scheme, "//h:80/", "6.2.3: no scheme, no default"),
        ("//h:/", Scheme, "//h/", "6.2.3"),
        ("http://h/?", Scheme, "http://h/?", "6.2.3: an empty query is kept"),
        ("http://h/#", Scheme, "http://h/#", "6.2.3: an empty fragment is kept"),
        ("http://h?#", Scheme, "http://h/?#", "6.2.3"),
        ("http://@h/", Scheme, "http://@h/", "6.2.3: an empty userinfo is not undefined"),
        ("mailto:", Scheme, "mailto:", "6.2.3: no authority"),
        ("x:?q", Scheme, "x:?q", "6.2.3: no authority"),
        ("", Scheme, "", "4.4"),
        ("?q", Scheme, "?q", "4.2"),
        ("file://localhost/etc", Scheme, "file:///etc", "3.2.2, 6.2.3"),
        ("file:///etc", Scheme, "file:///etc", "3.2.2"),
        ("file:/etc", Scheme, "file:/etc", "3.3: no authority to drop"),
        ("file://h/etc", Scheme, "file://h/etc", "3.2.2"),
        ("http://localhost/", Scheme, "http://localhost/", "3.2.2: file alone"),
        ("MAILTO:John.Doe@EXAMPLE.com", Scheme, "mailto:John.Doe@example.com", "6.2.3: the host part"),
        ("mailto:J%C3%A9@EX.com?Subject=A", Scheme, "mailto:J%C3%A9@ex.com?Subject=A", "6.2.3"),
        ("mailto:NoAt", Scheme, "mailto:NoAt", "6.2.3: no host part"),
        ("urn:EXAMPLE:A", Scheme, "urn:EXAMPLE:A", "6.2.3: no rule of ours"),
        ("news:A@EXAMPLE.com", Scheme, "news:A@EXAMPLE.com", "6.2.3: mailto alone"),
        ("//[2001:DB8:0:0:1:0:0:1]/", Scheme, "//[2001:db8::1:0:0:1]/", "RFC 5952 4.2.3: the first of two equal runs"),
        ("http://[2001:0db8:0000:0000:0000:0000:0000:0001]/", Scheme, "http://[2001:db8::1]/", "RFC 5952 4.1, 4.2.1"),
        ("http://[2001:db8:0:1:1:1:1:1]/", Scheme, "http://[2001:db8:0:1:1:1:1:1]/", "RFC 5952 4.2.2: one group is no run"),
        ("http://[2001:db8::1:1:1:1:1]/", Scheme, "http://[2001:db8:0:1:1:1:1:1]/", "RFC 5952 4.2.2"),
        ("http://[1:0:0:2:0:0:0:3]/", Scheme, "http://[1:0:0:2::3]/", "RFC 5952 4.2.3: the longest run"),
        ("http://[0:0:0:0:0:0:0:0]/", Scheme, "http://[::]/", "RFC 5952 4.2.1"),
        ("http://[0:0:0:0:0:0:0:1]/", Scheme, "http://[::1]/", "RFC 5952 4.2.1"),
        ("http://[1:2:3:4:5:6:7:0]/", Scheme, "http://[1:2:3:4:5:6:7:0]/", "RFC 5952 4.2.2"),
        ("http://[ABCD::0]/", Scheme, "http://[abcd::]/", "RFC 5952 4.3"),
        ("http://[::FFFF:192.0.2.33]/", Scheme, "http://[::ffff:192.0.2.33]/", "RFC 5952 5: IPv4-mapped"),
        ("http://[v1.A]/", Scheme, "http://[v1.a]/", "RFC 5952 is for IPv6"),
        ("http://1.2.3.4/", Scheme, "http://1.2.3.4/", "3.2.2"),
        ("http://001.2.3/", Scheme, "http://001.2.3/", "7.4: rare forms are not rewritten"),
    ]);
}

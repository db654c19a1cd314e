//! RFC 3986 section 6 as tables: the normal form at each level of the ladder.

use std::borrow::Cow;

use urimill::{Level, UriRef, normalize};

const LEVELS: [Level; 5] = [Level::None, Level::Case, Level::Percent, Level::Syntax, Level::Scheme];

fn check(level: Level, table: &[(&str, &str, &str)]) {
    let mut failures = Vec::new();
    for &(text, expected, section) in table {
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
            check(level, &[(*text, *expected, *section)]);
        }
    }
    assert!(LEVELS.is_sorted(), "the levels have an order");
    assert_eq!(Level::default(), Level::Scheme);
}

#[test]
#[rustfmt::skip]
fn case() {
    check(Level::Case, &[
        ("HTTP://www.EXAMPLE.com/", "http://www.example.com/", "6.2.2.1"),
        ("http://h/A%3aB?C%c3#D%aF", "http://h/A%3AB?C%C3#D%AF", "6.2.2.1: only the digits of triplets"),
        ("http://Us%4aER:Pa@H/", "http://Us%4AER:Pa@h/", "6.2.2.1: userinfo keeps its case"),
        ("//Alpha%ce%b1", "//alpha%CE%B1", "6.2.2.1: letters down, hexadecimal digits up"),
        ("//ALPHA%CE%B1", "//alpha%CE%B1", "6.2.2.1"),
        ("//[2001:DB8::AB]:80/X", "//[2001:db8::ab]:80/X", "6.2.2.1: a host"),
        ("//[V1F.AB]", "//[v1f.ab]", "6.2.2.1: a host"),
        ("URN:Example:A%2f", "urn:Example:A%2F", "6.2.2.1: only scheme and host"),
        ("MailTo:John.Doe@EXAMPLE.com", "mailto:John.Doe@EXAMPLE.com", "6.2.2.1: a path keeps its case"),
        ("A/B", "A/B", "6.2.2.1: no scheme, no host"),
        ("http://h/%7E%41", "http://h/%7E%41", "6.2.2.2 comes later"),
        ("http://h:80/a/../b", "http://h:80/a/../b", "6.2.2.3 comes later"),
    ]);
}

#[test]
#[rustfmt::skip]
fn percent() {
    check(Level::Percent, &[
        ("http://h/%7Esmith/%7esmith", "http://h/~smith/~smith", "6.2.2.2"),
        ("/%41%5A%61%7A%30%39%2D%2E%5F%7E", "/AZaz09-._~", "2.3: unreserved"),
        ("/%2d%2e%5f%7e", "/-._~", "2.3"),
        ("/%21%24%26%27%28%29%2A%2B%2C%3B%3D", "/%21%24%26%27%28%29%2A%2B%2C%3B%3D", "2.2: sub-delims stay"),
        ("/%3A%2F%3F%23%5B%5D%40", "/%3A%2F%3F%23%5B%5D%40", "2.2: gen-delims stay"),
        ("/%25%34%31", "/%2541", "2.4: not decoded twice"),
        ("/%2541", "/%2541", "2.4"),
        ("/%00%20%7f%c3%a9", "/%00%20%7F%C3%A9", "2.1"),
        ("/a%0d%0aQUIT", "/a%0D%0AQUIT", "7.2: line ends stay what they are"),
        ("//%55@%48%4f%53%54/%50?%51#%46", "//U@host/P?Q#F", "6.2.2.1: decoded in a host, then lowered"),
        ("//ex%2Dample%2ecom", "//ex-ample.com", "6.2.2.2"),
        ("//%31.2.3.4", "//1.2.3.4", "6.2.2.2"),
        ("/a/%2e%2E/b", "/a/../b", "6.2.2.3 comes later"),
        ("./%41%3ab", "./A%3Ab", "4.2"),
    ]);
}

#[test]
#[rustfmt::skip]
fn syntax() {
    check(Level::Syntax, &[
        ("/a/b/c/./../../g", "/a/g", "5.2.4"),
        ("http://h/mid/content=5/../6", "http://h/mid/6", "5.2.4"),
        ("http://h/.", "http://h/", "5.2.4"),
        ("http://h/..", "http://h/", "5.2.4"),
        ("http://h/a/.", "http://h/a/", "5.2.4"),
        ("http://h/a/..", "http://h/", "5.2.4"),
        ("http://h/a/b/..", "http://h/a/", "5.2.4"),
        ("http://h/../../a", "http://h/a", "5.4.2: no more levels"),
        ("http://h/a//../b", "http://h/a/b", "5.2.4: an empty segment is one"),
        ("http://h//..//a", "http://h//a", "5.2.4"),
        ("http://h/.//a", "http://h//a", "5.2.4: allowed behind an authority"),
        ("http://h/..a/.b/c./d../...", "http://h/..a/.b/c./d../...", "5.4.2: no dot segments"),
        ("http://h/a/.;x/..;y", "http://h/a/.;x/..;y", "3.3: a parameter makes another segment"),
        ("http://h/a/%2E/b/%2e%2E/c", "http://h/a/c", "6.2.2.2 comes first"),
        ("http://h/p?a/../b#c/./d", "http://h/p?a/../b#c/./d", "3.4: not in query and fragment"),
        ("/a/../b", "/b", "4.2: the same against every base"),
        ("/../a", "/a", "5.2.4"),
        ("//h/a/../b", "//h/b", "4.2"),
        ("x:/a/../b", "x:/b", "5.2.4"),
        ("x:/.//b", "x:/.//b", "3.3: no authority, no // in front"),
        ("x:/a/..//b", "x:/.//b", "3.3: guarded"),
        ("/.//b", "/.//b", "3.3, 4.2"),
        ("/a/..//b?q", "/.//b?q", "3.3, 4.2"),
        ("/.///b", "/.///b", "3.3"),
        ("x:/%2e//b", "x:/.//b", "3.3"),
        ("foo:a/./b", "foo:a/b", "6.2.2.3 excepts no path"),
        ("urn:a/../b", "urn:/b", "5.2.4, C: the slash behind the first segment stays"),
        ("urn:a:b/../c", "urn:/c", "5.2.4, C"),
        ("x:../a", "x:a", "5.2.4, A"),
        ("x:./../a", "x:a", "5.2.4, A"),
        ("x:.", "x:", "5.2.4, D"),
        ("x:..?q#f", "x:?q#f", "5.2.4, D"),
        ("x:a/..", "x:/", "5.2.4, C"),
        ("x:%2e%2E/a", "x:a", "6.2.2.2 comes first"),
        ("x:a/..//b", "x:/.//b", "3.3: guarded"),
        ("x:.///b", "x:/.//b", "3.3: guarded"),
        ("x:.//b", "x:/b", "5.2.4, A"),
        ("x:./b:c", "x:b:c", "3.3: behind a scheme the first segment may hold a colon"),
        ("x:...", "x:...", "3.3: three dots are no dot segment"),
        ("mailto:a/./b@h", "mailto:a/b@h", "6.2.2.3 excepts no scheme"),
        ("data:,a/../b", "data:/b", "6.2.2.3 excepts no scheme"),
        ("a/../b", "a/../b", "5.2: needs its base"),
        ("../../a/./b", "../../a/./b", "5.2"),
        ("./a:b", "./a:b", "4.2"),
        (".", ".", "5.2"),
        ("..", "..", "5.2"),
        ("", "", "4.4"),
        ("http://h", "http://h", "6.2.3 comes later"),
        ("http://h:/", "http://h:/", "6.2.3 comes later"),
        ("http://h:80/", "http://h:80/", "6.2.3 comes later"),
        ("file://localhost/a", "file://localhost/a", "6.2.3 comes later"),
        ("//[0:0::1]/", "//[0:0::1]/", "RFC 5952 comes later"),
    ]);
}

#[test]
#[rustfmt::skip]
fn scheme() {
    check(Level::Scheme, &[
        ("http://example.com", "http://example.com/", "6.2.3"),
        ("http://example.com/", "http://example.com/", "6.2.3"),
        ("http://example.com:/", "http://example.com/", "6.2.3"),
        ("http://example.com:80/", "http://example.com/", "6.2.3"),
        ("http://example.com:80", "http://example.com/", "6.2.3"),
        ("HTTPS://H:443?q", "https://h/?q", "6.2.3"),
        ("http://h:443/", "http://h:443/", "6.2.3: another scheme's port"),
        ("https://h:80/", "https://h:80/", "6.2.3"),
        ("ftp://h:21/", "ftp://h/", "6.2.3"),
        ("ws://h:80/", "ws://h/", "6.2.3, RFC 6455 3"),
        ("wss://h:443/", "wss://h/", "6.2.3, RFC 6455 3"),
        ("ldap://h:389/", "ldap://h/", "6.2.3, RFC 4516 2"),
        ("http://u@[::1]:80/", "http://u@[::1]/", "6.2.3"),
        ("unknown-scheme://h:/", "unknown-scheme://h/", "6.2.3: an empty port is any scheme's default"),
        ("unknown-scheme://h:80/", "unknown-scheme://h:80/", "6.2.3: no default is known"),
        ("//h:80/", "//h:80/", "6.2.3: no scheme, no default"),
        ("//h:/", "//h/", "6.2.3: an empty port is any scheme's default"),
        ("//h", "//h", "6.2.3: no scheme, and some tell an empty path from the root"),
        ("//h:", "//h", "6.2.3"),
        ("//h?q", "//h?q", "6.2.3"),
        ("//localhost/a", "//localhost/a", "6.2.3: no scheme, no default host"),
        ("/a", "/a", "6.2.3: no scheme, no default host"),
        ("foo://h", "foo://h/", "6.2.3: in general an empty path is the root"),
        ("http://h/?", "http://h/?", "6.2.3: an empty query is kept"),
        ("http://h/#", "http://h/#", "6.2.3: an empty fragment is kept"),
        ("http://h?#", "http://h/?#", "6.2.3"),
        ("http://@h/", "http://@h/", "6.2.3: an empty userinfo is not undefined"),
        ("mailto:", "mailto:", "6.2.3: no authority"),
        ("x:?q", "x:?q", "6.2.3: no authority"),
        ("", "", "4.4"),
        ("?q", "?q", "4.2"),
        ("file://localhost/etc", "file:///etc", "3.2.2, 6.2.3"),
        ("file:///etc", "file:///etc", "3.2.2"),
        ("file:/etc", "file:///etc", "3.2.2: an undefined host is the default one too"),
        ("file:/.//a", "file:////a", "3.3: behind an authority the path needs no guard"),
        ("file:////a", "file:////a", "3.3"),
        ("file:/a/..//b", "file:////b", "5.2.4, 3.3"),
        ("FILE:/%2e/a?q#f", "file:///a?q#f", "3.2.2"),
        ("file:a", "file:a", "3.3: no path without a root stands behind an authority"),
        ("file:", "file:", "3.3"),
        ("file://", "file:///", "6.2.3: an empty path behind an authority"),
        ("file://localhost", "file:///", "6.2.3"),
        ("file://%6cocalhost/a", "file:///a", "6.2.2.2"),
        ("file://u@/a", "file://u@localhost/a", "6.2.3: beside user information the host is named"),
        ("file://:8/a", "file://localhost:8/a", "6.2.3: beside a port too"),
        ("file://@localhost/a", "file://@/a", "6.2.3: beside user information that is not empty"),
        ("redis:/0", "redis:///0", "3.2.2: the registration has a default host"),
        ("redis://localhost:6379/0", "redis:///0", "6.2.3"),
        ("redis://:6380/0", "redis://localhost:6380/0", "6.2.3"),
        ("rediss://:pw@/0", "rediss://:pw@localhost/0", "6.2.3"),
        ("http:/a", "http:/a", "6.2.3: http has no default host"),
        ("http:///a", "http:///a", "3.2.2: an empty host is no host of http"),
        ("file://h/etc", "file://h/etc", "3.2.2"),
        ("http://localhost/", "http://localhost/", "3.2.2: file alone"),
        ("file://u@localhost/a", "file://u@localhost/a", "6.2.3: beside user information the host is named"),
        ("file://localhost:8/a", "file://localhost:8/a", "6.2.3: beside a port too"),
        ("file://localhost:/a", "file:///a", "6.2.3: but an empty port goes"),
        ("amqp://h", "amqp://h", "6.2.3: an empty path is another virtual host than /"),
        ("sftp://h", "sftp://h", "6.2.3: an empty path is another folder than /"),
        ("MAILTO:John.Doe@EXAMPLE.com", "mailto:John.Doe@example.com", "6.2.3: the host part"),
        ("mailto:J%C3%A9@EX.com?Subject=A", "mailto:J%C3%A9@ex.com?Subject=A", "6.2.3"),
        ("mailto:NoAt", "mailto:NoAt", "6.2.3: no host part"),
        ("urn:EXAMPLE:A", "urn:EXAMPLE:A", "6.2.3: no rule of ours"),
        ("news:A@EXAMPLE.com", "news:A@EXAMPLE.com", "6.2.3: mailto alone"),
        ("//[2001:DB8:0:0:1:0:0:1]/", "//[2001:db8::1:0:0:1]/", "RFC 5952 4.2.3: the first run"),
        ("http://[2001:0db8:0000:0000:0000:0000:0000:0001]/", "http://[2001:db8::1]/", "RFC 5952 4.1, 4.2.1"),
        ("http://[2001:db8:0:1:1:1:1:1]/", "http://[2001:db8:0:1:1:1:1:1]/", "RFC 5952 4.2.2: no run"),
        ("http://[2001:db8::1:1:1:1:1]/", "http://[2001:db8:0:1:1:1:1:1]/", "RFC 5952 4.2.2"),
        ("http://[1:0:0:2:0:0:0:3]/", "http://[1:0:0:2::3]/", "RFC 5952 4.2.3: the longest run"),
        ("http://[0:0:0:0:0:0:0:0]/", "http://[::]/", "RFC 5952 4.2.1"),
        ("http://[0:0:0:0:0:0:0:1]/", "http://[::1]/", "RFC 5952 4.2.1"),
        ("http://[1:2:3:4:5:6:7:0]/", "http://[1:2:3:4:5:6:7:0]/", "RFC 5952 4.2.2"),
        ("http://[ABCD::0]/", "http://[abcd::]/", "RFC 5952 4.3"),
        ("http://[::FFFF:192.0.2.33]/", "http://[::ffff:192.0.2.33]/", "RFC 5952 5: IPv4-mapped"),
        ("http://[v1.A]/", "http://[v1.a]/", "RFC 5952 is for IPv6"),
        ("http://1.2.3.4/", "http://1.2.3.4/", "3.2.2"),
        ("http://001.2.3/", "http://001.2.3/", "7.4: rare forms are not rewritten"),
    ]);
}

/// The names on the command line and in files of users: they must never change.
#[test]
fn names_of_the_levels() {
    for (level, name) in LEVELS.into_iter().zip(["none", "case", "percent", "syntax", "scheme"]) {
        assert_eq!(level.as_str(), name);
        assert_eq!(level.to_string(), name);
        assert_eq!(name.parse::<Level>().ok(), Some(level), "{name}");
    }
    let error = "Scheme".parse::<Level>().expect_err("names are in lower case");
    assert_eq!(error.kind(), urimill::uri::ErrorKind::Usage);
    assert!(error.to_string().contains("\"Scheme\": use none, case, percent, syntax or scheme"), "{error}");
}

//! What the URL Standard and RFC 3986 see differently: every name alone where that is possible, the constructions of
//! published attacks, and texts on which the two agree.

use std::fs;
use std::net::Ipv6Addr;

use urimill_testkit::hostile::TABLE;
use urimill_testkit::paths::repository;
use urimill_testkit::shared;
use urimill_uri::resolve::{Mode, resolve};
use urimill_uri::whatwg::{Disagreement, Url, disagreements};
use urimill_uri::{HostKind, Level, Spec, UriRef, normalize};

fn names(text: &[u8], base: Option<&str>) -> Vec<&'static str> {
    let base = base.map(|base| Url::parse(base, None).unwrap());
    disagreements(text, base.as_ref(), Spec::Rfc3986).iter().map(Disagreement::as_str).collect()
}

/// (text, base, names)
type Row = (&'static str, Option<&'static str>, &'static [&'static str]);

const HTTP: Option<&str> = Some("http://good.example/a/b");

const FILE: Option<&str> = Some("file:///a/b");

const ROWS: &[Row] = &[
    // Backslashes (Orange Tsai, A New Era of SSRF, 2017; Claroty and Snyk, Exploiting URL Parsing Confusion, 2022).
    (
        r"http://good.example\@evil.example/",
        None,
        &["host_differs", "backslash_authority", "invalid_for_rfc"],
    ),
    (
        r"http://evil.example\\\@good.example/",
        None,
        &["host_differs", "backslash_authority", "invalid_for_rfc"],
    ),
    (r"http://evil.example\.good.example", None, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (
        r"http://0\/x.orange.tw:80/",
        None,
        &["host_differs", "backslash_authority", "numeric_host", "invalid_for_rfc"],
    ),
    (r"http:\\evil.example", None, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"http:/\evil.example", None, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"/\evil.example", HTTP, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"\\evil.example", HTTP, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"\/evil.example", HTTP, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"http://good.example\", None, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"file:\\evil.example\share", None, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"file://c:\x", None, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    (r"\\evil.example\share", FILE, &["host_differs", "backslash_authority", "invalid_for_rfc"]),
    // Behind the authority a backslash is a slash too, but moves no host.
    (r"http://good.example/a\b", None, &["invalid_for_rfc"]),
    (r"\a", HTTP, &["invalid_for_rfc"]),
    (r"file:///a\b", None, &["invalid_for_rfc"]),
    (r"http://good.example/?\@evil.example", None, &["invalid_for_rfc"]),
    (r"a:\\b", None, &["invalid_for_rfc"]),
    // Slashes.
    ("http:///evil.example/", None, &["host_differs", "extra_slashes", "empty_host"]),
    ("http:////evil.example/", None, &["host_differs", "extra_slashes", "empty_host"]),
    ("///evil.example", HTTP, &["host_differs", "extra_slashes", "empty_host"]),
    ("////evil.example", HTTP, &["host_differs", "extra_slashes", "empty_host"]),
    ("https:evil.example", None, &["host_differs", "extra_slashes"]),
    ("https:/evil.example", None, &["host_differs", "extra_slashes"]),
    ("https:/evil.example", HTTP, &["host_differs", "extra_slashes"]),
    ("https:good.example@evil.example", None, &["host_differs", "extra_slashes"]),
    // With the scheme of the base it is relative to the standard, and has no host by the RFC (5.2.2).
    ("http:c", HTTP, &["host_differs", "extra_slashes"]),
    ("http:/c", HTTP, &["host_differs", "extra_slashes"]),
    ("http:", HTTP, &["host_differs", "extra_slashes"]),
    ("http:///evil.example", HTTP, &["host_differs", "extra_slashes", "empty_host"]),
    ("http:///evil.example:8080/", None, &["host_differs", "extra_slashes", "empty_host", "port_differs"]),
    ("http:////", None, &["extra_slashes", "empty_host", "invalid_for_whatwg"]),
    ("http:/?q", None, &["extra_slashes", "invalid_for_whatwg"]),
    (
        r"http:/\/\evil.example",
        None,
        &["host_differs", "backslash_authority", "extra_slashes", "invalid_for_rfc"],
    ),
    ("//evil.example", HTTP, &[]),
    ("/..//evil.example", HTTP, &[]),
    ("/%2Fevil.example", HTTP, &[]),
    ("file:///a", None, &[]),
    ("file:////a", None, &[]),
    ("file:/a", None, &[]),
    ("file:a", FILE, &[]),
    ("a:///b", None, &[]),
    // Hosts that are numbers (RFC 3986, 7.4).
    ("http://127.1/", None, &["host_differs", "numeric_host"]),
    ("http://0x7f000001/", None, &["host_differs", "numeric_host"]),
    ("http://2130706433/", None, &["host_differs", "numeric_host"]),
    ("http://0177.0.0.1/", None, &["host_differs", "numeric_host"]),
    ("http://0/", None, &["host_differs", "numeric_host"]),
    ("http://0xA9FEA9FE/latest/", None, &["host_differs", "numeric_host"]),
    ("//127.1/", HTTP, &["host_differs", "numeric_host"]),
    ("http://u@127.1:80/", None, &["host_differs", "numeric_host"]),
    ("http://127.0.0.1/", None, &[]),
    ("http://127.0.0.1@good.example/", None, &[]),
    ("http://127.0.0.1./", None, &["host_differs", "numeric_host"]),
    ("http://127.0.0.1../", None, &[]),
    ("http://1.2.3.4.5/", None, &["numeric_host", "invalid_for_whatwg"]),
    ("http://a.0x/", None, &["numeric_host", "invalid_for_whatwg"]),
    ("http://256.0.0.1/", None, &["numeric_host", "invalid_for_whatwg"]),
    ("http://1.1.1.08/", None, &["numeric_host", "invalid_for_whatwg"]),
    ("http://10.0.0.1.nip.io/", None, &[]),
    ("a://127.1/", None, &[]),
    // IDNA.
    ("http://\u{2460}\u{2461}\u{2466}.0.0.1/", None, &["numeric_host", "idna_mapped", "invalid_for_rfc"]),
    ("http://b\u{fc}cher.example/", None, &["idna_mapped", "invalid_for_rfc"]),
    ("http://\u{ff45}vil.example/", None, &["idna_mapped", "invalid_for_rfc"]),
    ("//\u{ff45}vil.example/", HTTP, &["idna_mapped", "invalid_for_rfc"]),
    ("http://evil\u{3002}example/", None, &["idna_mapped", "invalid_for_rfc"]),
    ("http://b%C3%BCcher.example/", None, &["idna_mapped", "percent_host"]),
    ("http://evil%E3%80%82example/", None, &["idna_mapped", "percent_host"]),
    ("http://g%E2%80%8Doogle.example/", None, &["idna_mapped", "percent_host", "invalid_for_whatwg"]),
    ("http://good.example%EF%BC%83@evil.example/", None, &[]),
    ("http://xn--bcher-kva.example/", None, &[]),
    ("http://good.example/\u{e9}", None, &["invalid_for_rfc"]),
    ("file:///\u{e9}", None, &["invalid_for_rfc"]),
    ("a://\u{e9}/", None, &["invalid_for_rfc"]),
    // Characters that are removed (CVE-2023-24329: a space before the scheme).
    ("ht\ttp://evil.example/", None, &["host_differs", "tab_or_newline", "invalid_for_rfc"]),
    ("http://ev\nil.example/", None, &["host_differs", "tab_or_newline", "invalid_for_rfc"]),
    ("/\t/evil.example", HTTP, &["host_differs", "tab_or_newline", "invalid_for_rfc"]),
    (
        "/\t\\evil.example",
        HTTP,
        &["host_differs", "backslash_authority", "tab_or_newline", "invalid_for_rfc"],
    ),
    ("http://good.example/a\tb", None, &["tab_or_newline", "invalid_for_rfc"]),
    ("http://good.example/.\t./a", None, &["tab_or_newline", "invalid_for_rfc"]),
    ("java\nscript:alert(1)", None, &["tab_or_newline", "invalid_for_rfc"]),
    ("\u{1}javascript:alert(1)", None, &["tab_or_newline", "invalid_for_rfc"]),
    (" http://good.example/", None, &["host_differs", "tab_or_newline", "invalid_for_rfc"]),
    ("http://good.example/\u{1}", None, &["tab_or_newline", "invalid_for_rfc"]),
    ("http://good.example:8\t0/", None, &["tab_or_newline", "port_differs", "invalid_for_rfc"]),
    ("http://127.0.0.1:6379/\r\nSLAVEOF h 6379\r\n", None, &["tab_or_newline", "invalid_for_rfc"]),
    ("http://good.example/%0D%0A", None, &[]),
    // Credentials.
    ("http://a@b@evil.example/", None, &["userinfo_at", "invalid_for_rfc"]),
    ("http://foo@127.0.0.1 @good.example/", None, &["userinfo_at", "invalid_for_rfc"]),
    ("http://foo@evil.example:80@good.example/", None, &["userinfo_at", "invalid_for_rfc"]),
    ("http://foo@127.0.0.1:11211@good.example:80/", None, &["userinfo_at", "invalid_for_rfc"]),
    ("http://a@b@127.1/", None, &["host_differs", "numeric_host", "userinfo_at", "invalid_for_rfc"]),
    ("a://b@c@d/", None, &["userinfo_at", "invalid_for_rfc"]),
    ("http://1.1.1.1 &@2.2.2.2# @3.3.3.3/", None, &["invalid_for_rfc"]),
    ("http://[::1]@evil.example/", None, &["invalid_for_rfc"]),
    ("http://good.example:80@evil.example/", None, &[]),
    ("http://good.example%5C@evil.example/", None, &[]),
    ("http://good.example&@evil.example/", None, &[]),
    ("http://good.example/@a@b", None, &[]),
    ("http://good.example#@evil.example/", None, &[]),
    ("http://good.example?@evil.example/", None, &[]),
    // Ports.
    ("http://good.example:65617/", None, &["port_differs", "invalid_for_whatwg"]),
    ("http://good.example:4294967376/", None, &["port_differs", "invalid_for_whatwg"]),
    ("a://good.example:65536/", None, &["port_differs", "invalid_for_whatwg"]),
    ("http://good.example:65535/", None, &[]),
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
    ("http://good.example%00.evil.example/", None, &["percent_host", "invalid_for_whatwg"]),
    ("http://good.example%2Fevil.example/", None, &["percent_host", "invalid_for_whatwg"]),
    ("http://good%23.example/", None, &["percent_host", "invalid_for_whatwg"]),
    ("http://%31%32%37.0.0.1/", None, &["percent_host"]),
    ("http://%31%32%37.1/", None, &["host_differs", "numeric_host", "percent_host"]),
    ("http://good%zz.example/", None, &[]),
    ("file:///%41", None, &[]),
    ("file://%41/", None, &["percent_host"]),
    ("a://%41/", None, &[]),
    ("http://good.example/%2e%2e/admin", None, &["dot_encoded"]),
    ("http://good.example/a/.%2E", None, &["dot_encoded"]),
    ("http://good.example/%2e", None, &["dot_encoded"]),
    (r"http://good.example/a\%2e%2e\b", None, &["dot_encoded", "invalid_for_rfc"]),
    ("http://good.example/%2\te./a", None, &["tab_or_newline", "dot_encoded", "invalid_for_rfc"]),
    ("%2e%2e/c", HTTP, &["dot_encoded"]),
    ("file:///%2e%2e/a", None, &["dot_encoded"]),
    ("a:/%2e%2e/b", None, &["dot_encoded"]),
    ("a:%2e%2e/b", None, &[]),
    ("http:%2e%2e/b", None, &["host_differs", "extra_slashes", "percent_host"]),
    ("http://good.example/a%2eb", None, &[]),
    ("http://good.example/?/%2e%2e/", None, &[]),
    ("http://good.example/#/%2e%2e/", None, &[]),
    ("http://good.example/%252e%252e/", None, &[]),
    ("http://good.example/..;/a", None, &[]),
    // Empty hosts.
    ("http://:80/", None, &["empty_host", "invalid_for_whatwg"]),
    ("http://u@/", None, &["empty_host", "invalid_for_whatwg"]),
    ("http://", None, &["empty_host", "invalid_for_whatwg"]),
    ("http://?q", None, &["empty_host", "invalid_for_whatwg"]),
    ("//", HTTP, &["empty_host", "invalid_for_whatwg"]),
    ("a://u@/", None, &["invalid_for_whatwg"]),
    ("a://", None, &[]),
    // Only one has an answer.
    ("http://good.example/{a}", None, &["invalid_for_rfc"]),
    ("http://good.example/%", None, &["invalid_for_rfc"]),
    ("http://good.example/#a#b", None, &["invalid_for_rfc"]),
    ("http://[v1.a]/", None, &["invalid_for_whatwg"]),
    ("file://good.example:80/", None, &["invalid_for_whatwg"]),
    ("file://u@good.example/", None, &["invalid_for_whatwg"]),
    // Texts that both read alike.
    ("http://good.example/?a='b'", None, &[]),
    ("HTTP://GOOD.example:80", None, &[]),
    ("A://GOOD.example", None, &[]),
    ("http://good.example.", None, &[]),
    ("http://good..example/", None, &[]),
    ("http://[0:0::1]/", None, &[]),
    ("http://[::ffff:127.0.0.1]/", None, &[]),
    ("a://[0:0::1]/", None, &[]),
    ("file://localhost/a", None, &[]),
    ("mailto:a@b.example", None, &[]),
    ("URL:http://evil.example/", None, &[]),
    ("../c?d#e", HTTP, &[]),
    ("", HTTP, &[]),
    // Texts that both reject.
    ("http://[::1/", None, &[]),
    ("http://[::1%25eth0]/", None, &[]),
    ("http://127.0.0.1:11211:80/", None, &[]),
    ("http://good.example:+80/", None, &[]),
    ("http://good.example\0.evil.example/", None, &[]),
    ("http://good.example\u{2100}.evil.example/", None, &[]),
    // References without a target unless there is a base.
    ("/a/b", None, &[]),
    ("//good.example/a", None, &[]),
    ("///evil.example", None, &[]),
    (r"/\evil.example", None, &[]),
    (r"..\c", None, &[]),
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

/// docs/DISAGREEMENTS.md: each name has a row, whose example has it, and says what it is used for.
#[test]
fn the_page_has_each_name_with_an_example() {
    let page = fs::read_to_string(repository().join("docs/DISAGREEMENTS.md")).unwrap();
    let mut rows = page.lines().filter_map(|line| {
        let (name, rest) = line.strip_prefix("| `")?.split_once("` | `")?;
        Some((name, rest.split('`').next()?.replace("<TAB>", "\t")))
    });
    for one in Disagreement::ALL {
        let (name, example) = rows.next().unwrap();
        assert_eq!(name, one.as_str());
        let found = names(example.as_bytes(), None);
        assert!(found.contains(&name), "{example:?} has {found:?}");
        assert!(page.contains(&format!("**`{name}`**")), "{name}: what is it used for?");
    }
    assert_eq!(rows.next(), None);
}

/// An attack has a name, unless both refuse it, or both see the same host, port and path: then it is for who reads it,
/// and not for two programs that read it differently.
#[test]
fn attacks_have_names() {
    let mut named = 0;
    for (text, attack, ..) in TABLE {
        for base in [None, HTTP] {
            let base = base.map(|base| Url::parse(base, None).unwrap());
            if !disagreements(*text, base.as_ref(), Spec::Rfc3986).is_empty() {
                named += 1;
                continue;
            }
            let shown = (text.escape_ascii().to_string(), attack);
            let rfc = UriRef::parse(*text).ok().filter(|rfc| base.is_some() || rfc.is_uri());
            let url = Url::parse(*text, base.as_ref()).ok();
            assert_eq!(rfc.is_some(), url.is_some(), "{shown:?}: both refuse it, or none does");
            let (Some(rfc), Some(url)) = (rfc, url) else { continue };
            let target = base.as_ref().map_or(rfc.as_str().into(), |base| {
                resolve(&UriRef::parse(base.href()).unwrap(), &rfc, Mode::Strict).unwrap()
            });
            let of_rfc = address(&UriRef::parse(target.as_ref()).unwrap());
            let of_url = address(&UriRef::parse(url.href()).unwrap());
            assert_eq!(of_rfc, of_url, "{shown:?}");
        }
    }
    assert!(named > 150, "{named}");
}

/// Host, port and path in normal form.
fn address(uri: &UriRef<'_>) -> (Option<String>, Option<String>, String) {
    let normal = normalize(uri, Level::Scheme);
    let normal = UriRef::parse(normal.as_ref()).unwrap();
    // An IPv6 address has two notations, with an IPv4 address in it and without.
    let host = normal.host().map(|host| match host.trim_matches(['[', ']']).parse::<Ipv6Addr>() {
        Ok(address) => address.to_string(),
        Err(_) => host.to_owned(),
    });
    (host, normal.port().map(str::to_owned), normal.path().to_owned())
}

/// Real URLs with a domain name and a valid port have no names, but for encoded dots.
#[test]
fn real_urls_have_no_names() {
    let Some(corpora) = shared::corpora() else { return };
    let (mut count, mut named) = (0, 0);
    for text in corpora.iter().step_by(7) {
        let found = disagreements(text, None, Spec::Rfc3986);
        count += 1;
        named += usize::from(!found.is_empty());
        let is_clean = UriRef::parse(text).is_ok_and(|uri| {
            let is_port = uri.port().is_none_or(|port| port.is_empty() || port.parse::<u16>().is_ok());
            let is_dotted = uri.path().to_ascii_lowercase().contains("%2e");
            uri.is_uri() && uri.host_kind() == Some(HostKind::DnsName) && is_port && !is_dotted
        });
        if is_clean {
            let names: Vec<_> = found.iter().map(Disagreement::as_str).collect();
            assert_eq!(names, [""; 0], "{}", text.escape_ascii());
        }
    }
    assert!(count > 10_000 && named * 100 < count, "{named} of {count}");
}

#[test]
fn names_do_not_depend_on_how_the_bytes_are_given() {
    assert_eq!(names(b"http://h/\xff", None), ["invalid_for_rfc"]);
    assert_eq!(names(b"http://h\xff/", None), [""; 0], "both refuse it");
}

//! RFC 3986 section 4.5: the texts that count as suffix references if a default scheme is given, and the URIs that they
//! become. Single calls here, large tables in `bulk`.

mod bulk;

use std::fs;

use urimill::UriRef;
use urimill::normalize::{DefaultScheme, RepairOptions, is_suffix, repair, repair_with};

use crate::shared;

fn https() -> DefaultScheme {
    "https".parse().expect("a scheme whose URIs name a host")
}

/// (text as read, its URI, reason)
#[rustfmt::skip]
const COMPLETED: &[(&str, &str, &str)] = &[
    ("www.w3.org/Addressing/", "https://www.w3.org/Addressing/", "4.5: the section's example"),
    ("example.com", "https://example.com", "4.5: a registered name alone"),
    ("example.com/", "https://example.com/", "4.5"),
    ("example.com/a/b?c#d", "https://example.com/a/b?c#d", "4.5: authority and path, and what follows"),
    ("example.com?q", "https://example.com?q", "4.5: an empty path"),
    ("example.com#f", "https://example.com#f", "4.5"),
    ("EXAMPLE.Com/A", "https://EXAMPLE.Com/A", "3.2.2: hosts have no case"),
    ("example.com./", "https://example.com./", "3.2.2: the rightmost dot"),
    ("a.b.example.co.uk/", "https://a.b.example.co.uk/", "4.5"),
    ("my_shop.example.com/", "https://my_shop.example.com/", "names on the web have underscores"),
    ("xn--bcher-kva.example.com/", "https://xn--bcher-kva.example.com/", "3.2.2"),
    ("xn--e1afmkfd.xn--p1ai/", "https://xn--e1afmkfd.xn--p1ai/", "a public suffix in its ASCII form"),
    ("b\u{fc}cher.de/caf\u{e9}", "https://xn--bcher-kva.de/caf%C3%A9", "RFC 3987 3.1: the host by IDNA"),
    ("\u{43f}\u{440}\u{438}\u{43c}\u{435}\u{440}.\u{440}\u{444}", "https://xn--e1afmkfd.xn--p1ai", "RFC 3987 3.1"),
    ("www.example.local/", "https://www.example.local/", "4.5: names that begin with www"),
    ("WWW.intranet.corp", "https://WWW.intranet.corp", "4.5"),
    ("localhost", "https://localhost", "RFC 6761 6.3"),
    ("localhost/x", "https://localhost/x", "RFC 6761 6.3"),
    ("app.localhost/x", "https://app.localhost/x", "RFC 6761 6.3: the names below it"),
    ("localhost:8080/x", "https://localhost:8080/x", "3.1: a scheme by its form"),
    ("example.com:8080/x", "https://example.com:8080/x", "3.1: a scheme by its form"),
    ("example.com:8080", "https://example.com:8080", "3.2.3"),
    ("example.com:65535?q", "https://example.com:65535?q", "3.2.3"),
    ("192.0.2.1/x", "https://192.0.2.1/x", "3.2.2: an IPv4address"),
    ("192.0.2.1:80", "https://192.0.2.1:80", "4.2: not even valid without the scheme"),
    ("[2001:db8::1]/x", "https://[2001:db8::1]/x", "3.2.2: an IPv6address"),
    ("[::1]:8080", "https://[::1]:8080", "3.2.2"),
    ("<www.w3.org/Addressing/>", "https://www.w3.org/Addressing/", "C: delimiters go first"),
    ("URL:www.w3.org/", "https://www.w3.org/", "C: so does the prefix"),
    (" example.com/a b ", "https://example.com/a%20b", "2.1: and mended"),
    ("example.com/100%", "https://example.com/100%25", "2.4: and mended"),
    ("www.example.com\\a", "https://www.example.com/a", "as browsers have it"),
    ("script.pl", "https://script.pl", "4.5: a guess that is wrong in a list of files"),
];

/// (text as read, why it is not a suffix reference)
#[rustfmt::skip]
const LEFT: &[(&str, &str)] = &[
    ("", "4.4"),
    ("index.html", "html is no public suffix"),
    ("favicon.ico", "nor is ico"),
    ("main.js", "nor js"),
    ("jquery.min.js?v=1", "nor js, however many labels"),
    ("page.php/x", "nor php"),
    ("a.b/c", "nor b"),
    ("host.test/", "nor test (RFC 6761 6.2)"),
    ("example/x", "one label"),
    ("com", "one label"),
    ("com/x", "one label"),
    ("www/x", "one label"),
    ("www.txt", "two labels, and txt is no public suffix"),
    ("name;v=1.com/x", "3.3: no label has a semicolon"),
    ("a b.com/", "nor a space"),
    ("-a.com/", "RFC 1034 3.5"),
    ("a-.com/", "RFC 1034 3.5"),
    (".com/", "an empty label"),
    ("a..com/", "an empty label"),
    ("a.com../", "an empty label"),
    ("%77ww.example.com/", "a triplet is no letter of a host here"),
    ("/www.example.com/", "4.2: an absolute path"),
    ("./www.example.com/", "4.2: a relative path that says so"),
    ("../example.com", "4.2"),
    ("//www.example.com/", "4.2: a network-path reference"),
    ("?www.example.com", "4.2"),
    ("#www.example.com", "4.2"),
    ("user@example.com", "a mailbox"),
    ("user@example.com/", "7.6, or a mailbox"),
    ("user:secret@example.com/", "3.1: user is a scheme"),
    ("git@example.com:a/b", "a file as scp writes it"),
    ("example.com:a/b", "a file as scp writes it"),
    ("example.com:/a", "a file as scp writes it"),
    ("example.com:", "3.1: a scheme"),
    ("example.com:8080a", "3.2.3"),
    ("example.com:65536/", "3.2.3: no port has this number"),
    ("main.js:12", "js is no public suffix"),
    ("intranet:8080/x", "3.1: one label is a scheme"),
    ("tel:5551212", "3.1"),
    ("urn:a.com/x", "3.1"),
    ("mailto:a@example.com", "3.1"),
    ("http:www.example.com", "3.1: it has a scheme"),
    ("https://www.example.com/", "3.1"),
    ("192.0.2/x", "7.4: three numbers are a version"),
    ("192.0.2.256/x", "3.2.2"),
    ("1.2.3.4.5", "3.2.2"),
    ("0x7f.1/", "7.4: no rare forms"),
    ("[v1.a]/x", "3.2.2: nobody knows what it is"),
    ("[::1", "3.2.2: unclosed"),
    ("[::1]x/", "3.2.2"),
    ("*.example.com", "a pattern"),
    ("'www.w3.org'", "2.2: valid, and so not mended"),
];

#[test]
fn what_is_completed() {
    let options = RepairOptions::new().default_scheme(Some(https()));
    for &(text, expected, why) in COMPLETED {
        let alone = repair_with(text.as_bytes(), options);
        assert_eq!(std::str::from_utf8(&alone), Ok(expected), "{why}: {text}");
        assert_eq!(repair_with(&alone, options), alone, "once is enough: {text}");
        let target = UriRef::parse(&alone).unwrap_or_else(|reject| panic!("{text}: {reject}"));
        assert_eq!(target.scheme(), Some("https"), "{text}");
        // Without a default scheme it is read by the grammar.
        assert_eq!(repair_with(text.as_bytes(), RepairOptions::default()), repair(text.as_bytes()), "{text}");
    }
}

#[test]
fn what_is_left() {
    let options = RepairOptions::new().default_scheme(Some(https()));
    for (text, why) in LEFT {
        assert!(!is_suffix(text.as_bytes()), "{why}: {text}");
        // Valid texts are not repaired.
        if UriRef::parse(*text).is_err() {
            assert_eq!(repair_with(text.as_bytes(), options), repair(text.as_bytes()), "{why}: {text}");
        }
    }
}

/// A suffix reference has no scheme, so its backslashes become slashes, whatever scheme it gets.
#[test]
fn with_another_scheme() {
    let table = [
        ("example.com/a", "ssh://example.com/a"),
        ("example.com\\a\\b?c\\d", "ssh://example.com/a/b?c%5Cd"),
        ("b\u{fc}cher.de", "ssh://xn--bcher-kva.de"),
    ];
    let options = RepairOptions::new().default_scheme("ssh".parse().ok());
    for (text, expected) in table {
        assert_eq!(std::str::from_utf8(&repair_with(text.as_bytes(), options)), Ok(expected), "{text}");
    }
}

#[test]
fn default_schemes() {
    for (name, expected) in [("https", "https"), ("HTTP", "http"), ("ftp", "ftp"), ("ssh", "ssh")] {
        assert_eq!(name.parse::<DefaultScheme>().map(DefaultScheme::as_str).ok(), Some(expected));
    }
    // An unknown name, a scheme without hosts, or not a scheme at all.
    for name in ["", "htps", "mailto", "urn", "data", "file", "https:", "https://", "1"] {
        let error = name.parse::<DefaultScheme>().expect_err(name);
        assert_eq!(error.kind(), urimill::uri::ErrorKind::Usage, "{name}");
    }
}

/// A name below an entry of the public suffix list is a host.
#[test]
fn every_public_suffix() {
    let Some(folder) = shared::folder() else { return };
    let path = folder.join("suites/psl/public_suffix_list.dat");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let icann = text.split("===END ICANN DOMAINS===").next().expect("a first part");
    let (mut count, mut unknown) = (0, Vec::new());
    for rule in icann.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        let text = match rule.strip_prefix("*.") {
            Some(above) => format!("example.any.{above}/"),
            None => format!("example.{}/", rule.trim_start_matches('!')),
        };
        count += 1;
        unknown.extend((!is_suffix(text.as_bytes())).then_some(text));
    }
    // Two editions of the list differ by the entries that were added and removed.
    assert!(count > 5_000 && unknown.len() < 20, "{count} rules, of which are unknown: {unknown:?}");
}

/// The option's effect on other lists: none on lists of URIs, and on the links of real pages only where authors forgot
/// the scheme.
#[test]
fn lists_of_other_things() {
    let Some(uris) = shared::corpora() else { return };
    let completed: Vec<_> = uris.iter().filter(|text| is_suffix(text)).collect();
    for text in &completed {
        let is_uri = UriRef::parse(text.as_slice()).is_ok_and(|uri| uri.is_uri());
        assert!(!is_uri, "{} has a scheme", text.escape_ascii());
    }
    let completed = completed.len();
    assert!((1..10).contains(&completed), "{completed} of {} are completed", uris.len());
}

/// Real lists without their schemes are the purpose of the option: it restores nearly every line.
#[test]
fn lists_without_their_schemes() {
    let Some(uris) = shared::corpora() else { return };
    let options = RepairOptions::new().default_scheme(Some(https()));
    let whole: Vec<_> = uris.iter().filter(|uri| is_whole(uri)).collect();
    let mut left = 0;
    for whole in &whole {
        let bare = &whole[b"https://".len()..];
        match is_suffix(bare) {
            true => assert_eq!(repair_with(bare, options), **whole, "{}", bare.escape_ascii()),
            false => left += 1,
        }
    }
    assert!(whole.len() > 100_000 && left < 10, "{left} of {} are left", whole.len());
}

/// A URI that a default scheme can give back.
fn is_whole(uri: &[u8]) -> bool {
    uri.starts_with(b"https://") && UriRef::parse(uri).is_ok()
}

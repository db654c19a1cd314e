//! `--repair` (SEMANTICS, bad input): which texts are repaired, into what, and which stay rejects. Single calls here,
//! large tables in `bulk`.

mod bulk;

use urimill::UriRef;
use urimill::normalize::repair;

use crate::{Rng, dataset};

/// The result of repair for a record; `None` if it stays a reject.
const TABLE: &[(&[u8], Option<&str>, &str)] = &[
    // White space around it.
    (b" http://a/ ", Some("http://a/"), "C"),
    (b"\t\x0bhttp://a/\x00\x1f", Some("http://a/"), "C: control characters too"),
    (b"http://a/\xc2\xa0", Some("http://a/%C2%A0"), "3987 3.1: a no-break space is a character like others"),
    // Delimiters around it.
    (b"<http://a/>", Some("http://a/"), "C"),
    (b"\"http://a/\"", Some("http://a/"), "C"),
    (b"< http://a/ >", Some("http://a/"), "C"),
    (b"<URL:http://a/>", Some("http://a/"), "C"),
    (b"URL:http://a/", Some("http://a/"), "C: valid without repair, a scheme by its form"),
    (b"url: http://a/", Some("http://a/"), "C"),
    (b"\"<url:'http://a/'>\"", Some("http://a/"), "C: as many layers as there are"),
    (b"' http://a/ '", Some("http://a/"), "C"),
    (b"<http://a/", Some("%3Chttp%3A//a/"), "C: a lone delimiter is a character of the text; 4.2"),
    (b"http://a/>", Some("http://a/%3E"), "C: the same at the end"),
    (b"\"http://a/'", Some("%22http%3A//a/'"), "C: two that do not match"),
    // White space inside delimiters.
    (b"<http://ex ample.com/ a>", Some("http://example.com/a"), "C: it is ignored"),
    (b"\"http://a/b c\"", Some("http://a/bc"), "C: in quotes too"),
    (b"'http://a/b c'", Some("http://a/bc"), "C"),
    (b"<URL: http://a/ b\xc2\xa0c >", Some("http://a/bc"), "C: whatever Unicode calls white space"),
    (b"URL:<http://a/b c>", Some("http://a/bc"), "C: the prefix outside"),
    (b"<http://a/b- c>", Some("http://a/b-c"), "C: a hyphen at a break is kept"),
    (b"<http://a/\xff b>", Some("http://a/%FFb"), "C: beside bytes that are not UTF-8"),
    (b"<../b c>", Some("../bc"), "C: a reference"),
    (b"<\"http://a/\"\xc2\xa0>", Some("http://a/"), "C: no white space hides further delimiters"),
    (b"\"'\xc2\x85\"'\xc2\x85\"", Some("%22"), "C: nor whatever Unicode calls white space"),
    (b"URL:http://a/b c", Some("http://a/b%20c"), "C: the prefix alone is no delimiter"),
    (b"<http://a/b c", Some("%3Chttp%3A//a/b%20c"), "C: nor is half of a pair"),
    (b"<http://a/b c>x", Some("%3Chttp%3A//a/b%20c%3Ex"), "C: nor a pair within the text; 4.2"),
    // Line ends and tabs inside.
    (b"http://a/b\tc", Some("http://a/bc"), "C: white space that a line break put in"),
    (b"http://a/b\rc", Some("http://a/bc"), "C"),
    (b"u\trl:http://a/", Some("http://a/"), "C: a prefix is one without the tab"),
    (b"<\thttp://a/\t>", Some("http://a/"), "C"),
    // Bytes that are not allowed in their place.
    (b"http://a/b c", Some("http://a/b%20c"), "2.1"),
    (b"http://a/\"<>^`{|}", Some("http://a/%22%3C%3E%5E%60%7B%7C%7D"), "2.1"),
    (b"http://a/[b]", Some("http://a/%5Bb%5D"), "3.3: brackets stand in an IP literal alone"),
    (b"http://a/?q=[b]|c", Some("http://a/?q=%5Bb%5D%7Cc"), "3.4"),
    (b"http://a/?q=b\\c", Some("http://a/?q=b%5Cc"), "3.4: a backslash is a slash before the query alone"),
    (b"http://a/#b#c", Some("http://a/#b%23c"), "3.5"),
    (b"http://a/\x00\x7fb", Some("http://a/%00%7Fb"), "2.1"),
    (b"http://a/\xff", Some("http://a/%FF"), "2.1: a byte that is not UTF-8"),
    (b"http://u v@a/", Some("http://u%20v@a/"), "3.2.1"),
    (b"http://u@v@a/", Some("http://u%40v@a/"), "3.2.1: the last @ ends it, as browsers have it"),
    (b"http://u[@a/", Some("http://u%5B@a/"), "3.2.1"),
    (b"http://a b/", Some("http://a%20b/"), "3.2.2"),
    // Percent signs.
    (b"http://a/100%", Some("http://a/100%25"), "2.4"),
    (b"http://a/%4", Some("http://a/%254"), "2.4"),
    (b"http://a/%zz%41", Some("http://a/%25zz%41"), "2.4: what is a triplet stays one"),
    (b"http://a/%%41", Some("http://a/%25%41"), "2.4"),
    (b"http://a/%u00e9", Some("http://a/%25u00e9"), "2.4: the form of old scripts means nothing here"),
    (b"http://a/?%&b=%4", Some("http://a/?%25&b=%254"), "2.4"),
    // IRIs.
    (b"http://a/caf\xc3\xa9?\xc3\xa9#\xc3\xa9", Some("http://a/caf%C3%A9?%C3%A9#%C3%A9"), "3987 3.1"),
    (b"http://b\xc3\xbccher.example/", Some("http://xn--bcher-kva.example/"), "3987 3.1, IDNA"),
    (
        b"http://B\xc3\x9cCHER.example:80/",
        Some("http://xn--bcher-kva.example:80/"),
        "3987 3.1, IDNA maps case",
    ),
    (b"//b\xc3\xbccher.example/", Some("//xn--bcher-kva.example/"), "3987 3.1"),
    (b"ftp://b\xc3\xbccher.example/", Some("ftp://xn--bcher-kva.example/"), "3987 3.1: ftp uses DNS"),
    (b"http://xn--xn---epa.\xc3\x9f/", Some("http://xn--xn---epa.%C3%9F/"), "UTS 46, 4.1: no domain name"),
    (b"x:b\xc3\xbccher", Some("x:b%C3%BCcher"), "3987 3.1"),
    (b"x://b\xc3\xbccher/", Some("x://b%C3%BCcher/"), "3987 3.1: an unknown scheme need not use DNS"),
    (b"http://b\xc3\xbccher%20x/", Some("http://b%C3%BCcher%20x/"), "3987 3.1: no domain name"),
    (
        b"http://\"\xc3\xa9\"/",
        Some("http://%22%C3%A9%22/"),
        "3.2.2: browsers let the quotes pass, reg-name does not",
    ),
    (b"http://\xc2\xad/", Some("http://%C2%AD/"), "3.2.2: a soft hyphen alone is no empty host"),
    (b"http://a\xff/", None, "3.2.2: nothing but UTF-8 is percent-encoded in a host"),
    (b"http://b\xfccher.de/", None, "3.2.2"),
    (b"x://b\xfccher.de/", None, "3.2.2: whatever the scheme"),
    (b"//b\xc3\xbc\xfc.de/a b", None, "3.2.2: no part of it"),
    (b"http://\xfc@a/\xfc", Some("http://%FC@a/%FC"), "3.2.2: of the host alone"),
    (b"http://b%FCcher.de/a b", Some("http://b%FCcher.de/a%20b"), "2.4: what is encoded stays"),
    // Backslashes.
    (b"http:\\\\a\\b\\c?d", Some("http://a/b/c?d"), "as browsers have it"),
    (b"http://a\\b", Some("http://a/b"), "as browsers have it"),
    (b"\\a\\b", Some("/a/b"), "as browsers have it"),
    (b"\\\\a\\b", Some("//a/b"), "as browsers have it"),
    (b"x:\\a", Some("x:%5Ca"), "not with schemes that browsers do not know"),
    // Colons.
    (b"1http://a/", Some("1http%3A//a/"), "4.2: no scheme, so no colon in the first segment"),
    (b"ht_tp://a/", Some("ht_tp%3A//a/"), "4.2"),
    (b":a", Some("%3Aa"), "4.2"),
    (b"a b:c", Some("a%20b%3Ac"), "4.2"),
    (b"a b/c:d", Some("a%20b/c:d"), "4.2: behind the first segment it may stand"),
    (b"//a b/c:d", Some("//a%20b/c:d"), "3.3: behind an authority too"),
    // Texts that cannot be repaired.
    (b"http://[::1/", None, "3.2.2"),
    (b"http://[fe80::1%25eth0]/", None, "3.2.2: zone identifiers"),
    (b"http://[1:2]/", None, "3.2.2"),
    (b"http://[::1]x/", None, "3.2.2"),
    (b"http://a:80b/", None, "3.2.3"),
    (b"http://a: 80/", None, "3.2.3"),
    (b"http://a:-1/", None, "3.2.3"),
    (b"http://::1/", None, "3.2.2, 3.2.3"),
];

#[test]
fn what_is_mended() {
    for &(text, expected, why) in TABLE {
        let mended = repair(text);
        let found = UriRef::parse(&mended).ok().map(|uri| uri.as_str());
        assert_eq!(found, expected, "{why}: {}", text.escape_ascii());
    }
}

/// Texts that look like URIs in delimiters, with white space and prefixes.
fn wrapped() -> Vec<Vec<u8>> {
    let mut rng = Rng(7);
    let wrap = |rng: &mut Rng, text: Vec<u8>| match rng.below(8) {
        0 => [b"<", &text[..], b">"].concat(),
        1 => [b"\"\t", &text[..], b"\""].concat(),
        2 => [b"u\trl:", &text[..]].concat(),
        3 => [b" '", &text[..], b"' "].concat(),
        4 => [b"URL: \r", &text[..]].concat(),
        _ => text,
    };
    let mut values: Vec<Vec<u8>> = TABLE.iter().map(|row| row.0.to_vec()).collect();
    for _ in 0..60_000 {
        let text = rng.text(8);
        let text = wrap(&mut rng, text);
        values.push(wrap(&mut rng, text));
    }
    let dataset = dataset("oddities.txt");
    values.extend(dataset.split(|&b| b == b'\n').map(<[u8]>::to_vec));
    values
}

#[test]
fn repair_is_idempotent() {
    for text in wrapped() {
        let mended = repair(&text);
        assert_eq!(repair(&mended), mended, "a second time mends nothing more: {}", text.escape_ascii());
    }
}

//! The rules one by one: a text, the URIs in it, and the source of the rule.

use std::borrow::Cow;

use urimill::extract::{Delimiter, Found, Kind, Options, find};
use urimill::{Level, Spec};

use super::uris;

/// Texts, the URIs in them with spaces between, and the rule.
fn check(rows: &[(&str, &str, &str)]) {
    for (text, expected, rule) in rows {
        assert_eq!(uris(text).join(" "), *expected, "{rule}: {text:?}");
    }
}

#[test]
fn both_specifications_examples_give_their_lists() {
    let rfc3986 = "   Yes, Jim, I found it under \"http://www.w3.org/Addressing/\",\n   \
                   but you can probably pick it up from <ftp://foo.example.\n   com/rfc/>.  \
                   Note the warning in <http://www.ics.uci.edu/pub/\n   ietf/uri/historical.html#WARNING>.\n";
    let rfc2396 = "   Yes, Jim, I found it under \"http://www.w3.org/Addressing/\",\r\n   \
                   but you can probably pick it up from <ftp://ds.internic.\r\n   net/rfc/>.  \
                   Note the warning in <http://www.ics.uci.edu/pub/\r\n   ietf/uri/historical.html#WARNING>.\r\n";
    let last = "http://www.ics.uci.edu/pub/ietf/uri/historical.html#WARNING";
    for (text, spec, second) in [
        (rfc3986, Spec::Rfc3986, "ftp://foo.example.com/rfc/"),
        (rfc2396, Spec::Rfc2396, "ftp://ds.internic.net/rfc/"),
    ] {
        for text in [text.to_owned(), text.replace(['\r', '\n'], "")] {
            let options = Options::new().spec(spec);
            let found: Vec<_> = find(text.as_bytes(), &options).collect();
            let uris: Vec<_> = found.iter().map(|found| found.uri.as_ref()).collect();
            assert_eq!(uris, ["http://www.w3.org/Addressing/", second, last], "{text:?}");
            let delimiters = found.iter().map(|found| found.delimiter);
            assert!(delimiters.eq([Delimiter::Quotes, Delimiter::Angle, Delimiter::Angle]));
        }
    }
}

/// The same from the specifications' own files: the URIs in the example are those listed below it.
#[test]
fn the_specifications_files_give_the_lists_that_they_hold() {
    let Some(folder) = crate::shared::folder() else { return };
    for (name, spec) in [("rfc3986-part3-en.txt", Spec::Rfc3986), ("rfc2396.md", Spec::Rfc2396)] {
        let path = folder.join("specs").join(name);
        let file =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let (_, rest) = file.split_once("Yes, Jim, I found it").expect("the example");
        let (example, rest) = rest.split_once("contains the URI references").expect("its list");
        let list: Vec<_> = rest.split_whitespace().filter(|word| word.contains("://")).take(3).collect();
        let options = Options::new().spec(spec);
        let found: Vec<_> = find(example.as_bytes(), &options).map(|found| found.uri).collect();
        assert_eq!(found, list, "{name}");
    }
}

/// Quotation marks of any script delimit exactly, as `"` does.
#[test]
fn quotation_marks_delimit() {
    let marks = "«» »« »» ‹› ›‹ “” „“ „” ‟” ‘’ ‚‘ ‚’ 「」 『』 〈〉 《》 〝〞 ＂＂";
    for pair in marks.split(' ') {
        let (open, close) = pair.split_at(pair.len() / 2);
        let text = format!(
            "x {open}http://example.com/?{close}. {open}www.example.com/a,{close} {open}see http://h/?{close}"
        );
        let options = Options::default();
        let found: Vec<_> = find(text.as_bytes(), &options).collect();
        let uris: Vec<_> = found.iter().map(|found| found.uri.as_ref()).collect();
        assert_eq!(uris, ["http://example.com/?", "http://www.example.com/a,", "http://h/"], "{text}");
        let delimiters = found.iter().map(|found| found.delimiter);
        assert!(delimiters.eq([Delimiter::Quotes, Delimiter::Quotes, Delimiter::Text]), "{text}");
    }
}

#[test]
fn appendix_c_says_what_delimits() {
    check(&[
        ("see \"http://example.com/\" there", "http://example.com/", "double quotes"),
        ("see <http://example.com/> there", "http://example.com/", "angle brackets"),
        ("see http://example.com/ there", "http://example.com/", "white space"),
        ("see\thttp://example.com/\x0bthere", "http://example.com/", "white space"),
        ("<URL:http://example.com/>", "http://example.com/", "the prefix URL:"),
        ("<url: http://example.com/ >", "http://example.com/", "the prefix with a space"),
        ("URL:http://example.com/", "http://example.com/", "the prefix without brackets"),
        ("<http://a/b#f>", "http://a/b#f", "RFC 2396 E: the fragment stands in the brackets"),
        ("<http://a/b\r\n\t c\n>", "http://a/bc", "white space in brackets is ignored"),
        ("<\n http://a/b>", "http://a/b", "white space in brackets is ignored"),
        ("<http://a/b c>", "http://a/bc", "spaces too"),
        ("<http://a/\u{a0}b>", "http://a/b", "and those that do not break"),
        ("<http://a/b-\n  c>", "http://a/b-c", "a hyphen at a line's end is kept"),
        ("http://a/b\nc", "http://a/b", "elsewhere a line end delimits"),
        ("\"http://a/b\nc\"", "http://a/b", "between quotes too"),
        ("<http://a/ http://b/>", "http://a/ http://b/", "two URIs in a line are a list"),
        ("<http://a/\nhttp://b/>", "http://a/http://b/", "on two lines they are one that was broken"),
        ("'http://a/b'", "http://a/b", "single quotes"),
        ("“http://a/b” «http://a/c» ‘http://a/d’", "http://a/b http://a/c http://a/d", "quotes of print"),
        ("`http://a/b`", "http://a/b", "code in Markdown"),
        ("\"url\":\"http://a/b\",\"n\":1", "http://a/b", "JSON"),
        (r#""\u003chttp://a/b\u003e" "\u0022ftp://a/c\u0022""#, "http://a/b ftp://a/c", "JSON with escapes"),
        (r#""text":"at\nhttp://a/b\nor\t<http://a/c>""#, "http://a/b http://a/c", "JSON with escapes"),
    ]);
}

#[test]
fn punctuation_and_brackets_belong_to_the_sentence() {
    check(&[
        (
            "http://a/b. http://a/b, http://a/b; http://a/b: x",
            "http://a/b http://a/b http://a/b http://a/b",
            "2.2",
        ),
        (
            "http://a/b! http://a/b? http://a/b?!..",
            "http://a/b http://a/b http://a/b",
            "the end of a sentence",
        ),
        ("http://a/b?c=d.", "http://a/b?c=d", "a query has a question mark"),
        ("http://a/b.c,d;e!f?g:h", "http://a/b.c,d;e!f?g:h", "what stands inside is kept"),
        ("http://a/b- http://a/c/ http://a/#", "http://a/b- http://a/c/ http://a/#", "kept at the end"),
        ("(http://a/b) [http://a/c] {http://a/d}", "http://a/b http://a/c http://a/d", "brackets around it"),
        ("(see http://a/b_(c))", "http://a/b_(c)", "brackets that it opened itself"),
        ("(http://a/b).", "http://a/b", "brackets, then a full stop"),
        ("[t](http://a/b(c)d) x", "http://a/b(c)d", "Markdown"),
        ("[t](http://a/b \"title\")", "http://a/b", "Markdown with a title"),
        ("http://a/b(see there)", "http://a/b", "a bracket that is not closed"),
        ("http://a/(b]c)", "http://a/", "brackets that do not match"),
        ("http://[2001:db8::1]:8080/x]", "http://[2001:db8::1]:8080/x", "3.2.2: those of an address"),
        ("http://a/{x}", "http://a/%7Bx%7D", "2.1: no URI holds braces, but one that was written may"),
        ("'it's at http://a/b'", "http://a/b", "a quote that is not its own"),
        ("http://a/it's", "http://a/it's", "2.2: an apostrophe is a sub-delim"),
        ("**http://a/b** ~http://a/c~ http://a/d*", "http://a/b http://a/c http://a/d*", "emphasis"),
        (
            "_http://a/b_ (__http://a/c_d__) ___http://a/e___.",
            "http://a/b http://a/c_d http://a/e",
            "emphasis",
        ),
        ("x_http://a/b \\_http://a/c ____http://a/d____ http://a/e_", "http://a/e_", "no emphasis"),
        ("_http://a/b _http://a/c-", "", "emphasis that does not end"),
        ("| http://a/b |http://a/c|", "http://a/b http://a/c", "cells of a table"),
        ("http://a/b… http://a/c’s", "http://a/b http://a/c%E2%80%99s", "print's punctuation"),
        ("看http://a/b。http://a/c，http://a/d）", "http://a/b http://a/c http://a/d", "full width"),
    ]);
}

#[test]
fn a_scheme_and_what_follows_make_a_candidate() {
    check(&[
        ("see.http://a/b", "http://a/b", "a sentence without a space"),
        (
            "-http://a/b +http://a/c 2http://a/d",
            "http://a/b http://a/c http://a/d",
            "3.1: a scheme begins with a letter",
        ),
        ("git+ssh://a/b", "git+ssh://a/b", "3.1: a scheme may hold a plus"),
        ("x-any.thing://a/b", "x-any.thing://a/b", "any scheme with //"),
        ("C://dir X://y", "", "one letter is a drive"),
        ("http:// http://? http://# http://. http://: http:///a", "", "3.2.2: these schemes need a host"),
        (
            "file:///etc/passwd file:/etc/fstab foo:///x",
            "file:///etc/passwd file:/etc/fstab foo:///x",
            "RFC 8089",
        ),
        (
            "file:/// (file:///), file:///. file:///.a file:///~b/",
            "file:/// file:/// file:/// file:///.a file:///~b/",
            "RFC 8089: the root",
        ),
        ("foo:/// foo:///.a", "", "of an unknown scheme it takes a name"),
        ("http:a https:80 ftp:x", "", "these without //"),
        (
            "http://a:80/ http://a:x http://a:/b",
            "http://a:80/ http://a http://a:/b",
            "3.2.3: a port is a number",
        ),
        ("http://u:p@a:1/x", "http://u:p@a:1/x", "3.2.1"),
        ("http://[::1 http://[::g]/", "", "3.2.2: an address that is none"),
        ("mailto:a@b.example. mailto:?to=x mailto:b", "mailto:a@b.example mailto:?to=x", "RFC 6068"),
        ("tel:+1-816-555-1212 tel:me sms:123", "tel:+1-816-555-1212 sms:123", "RFC 3966"),
        ("urn:isbn:0451450523 urn:x urn:a:", "urn:isbn:0451450523", "RFC 8141"),
        ("news:comp.infosystems.www news:today", "news:comp.infosystems.www", "RFC 5538"),
        (
            "data:,x data:text/plain;charset=utf-8,a%20b data:a,b",
            "data:,x data:text/plain;charset=utf-8,a%20b",
            "RFC 2397",
        ),
        ("geo:48.2,16.3 geo:here magnet:?xt=urn:x:y", "geo:48.2,16.3 magnet:?xt=urn:x:y", "RFC 5870"),
        ("sip:a@b.example xmpp:c@d.example sip:x", "sip:a@b.example xmpp:c@d.example", "RFC 3261"),
        ("javascript:void(0) javascript: x", "javascript:void(0)", "what pages have"),
        ("path:to:file.pm std::string 12:30 a:b key:value default:x", "", "words and colons"),
        (
            "http://web.archive.org/web/2020/http://a/b",
            "http://web.archive.org/web/2020/http://a/b",
            "one within another",
        ),
        ("foo://[bar file://[x mailto://[::1 x", "", "3.2: nothing is left behind the slashes"),
        ("view-source:http://a/b", "http://a/b", "behind a scheme that is not told from a word"),
    ]);
}

#[test]
fn angle_brackets_hold_any_scheme_but_are_also_tags() {
    check(&[
        (
            "<doi:10.1000/182> <about:blank?x> <x-y:z+1>",
            "doi:10.1000/182 about:blank?x x-y:z+1",
            "any scheme",
        ),
        ("<mailto:\n a@b.example> <urn:isbn:\n1>", "mailto:a@b.example urn:isbn:1", "broken"),
        ("<dc:title>x</dc:title> <x:y/> <svg:rect width=1>", "", "tags of XML"),
        ("Vec<std::string::String> <a:b> <o:p>", "", "types of programs"),
        ("if a < b.c:\n// x > y; < foo://a b> <foo:\n//a>", "foo://a", "comparisons"),
        ("< http://a/b > <URL: foo://a\nb>", "http://a/b foo://ab", "white space before"),
        ("<foo:a b> <foo:a\"b\">", "", "attributes"),
        ("<a href=http://a/b>x</a>", "http://a/b", "a tag with a URI"),
        ("<x-y:z+1 > <x-y:z+1\n>", "x-y:z+1 x-y:z+1", "white space behind"),
        ("<http://a/b\u{85}c>", "http://a/b", "nor do those outside ASCII"),
        ("<http://a/b", "http://a/b", "never closed"),
        ("<http://a/b <c>", "http://a/b", "another opens before"),
        ("<http://a/b.>", "http://a/b.", "the brackets delimit, no sentence does"),
        ("<http://a/(b>", "http://a/(b", "nor other brackets"),
        ("<www.w3.org/Addr\n essing/>", "http://www.w3.org/Addressing/", "4.5"),
        ("<http://a/\x1b[0m>", "http://a/", "control characters do not come through"),
        ("<about:blank> <ABOUT:srcdoc> <about:>", "about:blank ABOUT:srcdoc", "RFC 6694: no tag of XML"),
        (
            "<http://../> <http://-/a> <ftp://.>",
            "http://../ http://-/a ftp://.",
            "3.2.2: a reg-name holds dots",
        ),
        ("<foo://../>", "", "not of a scheme that may be none"),
        ("<http://?x> <http://>", "", "3.2.2: these schemes need a host"),
    ]);
}

#[test]
fn the_prefix_announces_relative_references() {
    check(&[
        (
            "<URL:../b/c> <URL:/d?e#f> <url:#g> <URL:?h>",
            "../b/c /d?e#f #g ?h",
            "C: the URI references of a text",
        ),
        ("<URL:index.html> <URL: a/b >", "index.html a/b", "C"),
        ("<URL://h/a>", "//h/a", "4.2: a network-path reference"),
        ("< URL:\n ../a/\n  b>", "../a/b", "C: white space is ignored"),
        ("<URL:../a b>", "../ab", "C: within a line too"),
        ("<URL:an-\n address>", "an-address", "C: a line that was broken"),
        ("<URL:your address here> <URL:> <URL: >", "", "words, and nothing"),
        (
            "<URL:http://a/b> <URL:www.example.com/x> <URL:about:blank>",
            "http://a/b http://www.example.com/x about:blank",
            "what has a scheme, or is a suffix reference, is found as ever",
        ),
        ("<URL:/bücher>", "/b%C3%BCcher", "RFC 3987 3.1"),
        ("URL:../a (URL:/b) <a URL:/c> URL:<../d> <../e> <URL:\"/f\"> <URL:/g", "", "C: in brackets alone"),
        ("<URL:/a\x1b>", "", "control characters do not come through"),
    ]);
    let options = Options::default();
    let found: Vec<_> = find(b"x <URL: ../a\n b > y", &options).collect();
    let expected = Found {
        offset: 8,
        raw: "../a\n b",
        uri: "../ab".into(),
        kind: Kind::Relative,
        delimiter: Delimiter::Angle,
        hyphen_break: false,
    };
    assert_eq!(found, [expected]);
    let with_schemes = Options::new().suffix_scheme(None);
    assert_eq!(find(b"<URL:../a>", &with_schemes).count(), 0, "what has no scheme is left out");
}

#[test]
fn attributes_of_markup_have_character_references() {
    check(&[
        (r#"<a href="http://a/?b=1&amp;c=2">"#, "http://a/?b=1&c=2", "an attribute"),
        (r"<a href='http://a/?b=1&#38;c=&#x26;'>", "http://a/?b=1&c=&", "by number"),
        (r#"<a href="http://a/?b&copy=1&c;&#x;&#+1;">"#, "http://a/?b&copy=1&c;&#x;&%23+1;", "others stay"),
        (r#"<a href="http://a/?b=&quot;&lt;">"#, "http://a/?b=%22%3C", "2.1: then encoded"),
        (r#"<link href="http://a/?f=A|B,C">"#, "http://a/?f=A%7CB,C", "what browsers take between quotes"),
        ("http://a/?b=1&amp;c=2", "http://a/?b=1&amp;c=2", "2.2: in a text they are sub-delims"),
        ("&lt;http://a/b&gt; &quot;http://a/c&quot;", "http://a/b http://a/c", "delimiters, escaped"),
        (r#"<a href="//a/b" src="/c" title="x: y">"#, "", "4.2: relative references need their page"),
    ]);
}

#[test]
fn iris_are_kept_whole_and_become_uris() {
    check(&[
        ("http://a/ä/日本?ü#é x", "http://a/%C3%A4/%E6%97%A5%E6%9C%AC?%C3%BC#%C3%A9", "RFC 3987 3.1"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/", "RFC 3987 3.1: the host by IDNA"),
        ("日本http://a/b", "http://a/b", "no space before"),
        ("http://a/b\u{200b}c\u{200e}d", "http://a/b%E2%80%8Bc", "RFC 3987 4.1: no marks of direction"),
        ("http://a/b\u{3000}c \u{feff}http://a/c\u{fffd}", "http://a/b http://a/c", "RFC 3987 2.2: ucschar"),
        ("http://a/100% http://a/%zz", "http://a/100%25 http://a/%25zz", "2.1: a stray percent sign"),
    ]);
}

#[test]
fn suffix_references_begin_with_www() {
    check(&[
        ("www.w3.org/Addressing/", "http://www.w3.org/Addressing/", "4.5"),
        (
            "WWW.Example.COM, Www.example.com:80.",
            "http://WWW.Example.COM http://Www.example.com:80",
            "any case",
        ),
        ("(www.example.com)", "http://www.example.com", "delimited alike"),
        ("|www.example.com?x#y|", "http://www.example.com?x#y", "no path"),
        ("www.bücher.example", "http://www.xn--bcher-kva.example", "RFC 3987 3.1"),
        ("www. www.example www..com www.a.b1 www.-a.com awww.a.com a.www.b.com", "", "no domain name"),
        (
            "a@www.example.com /www.example.com/ _www.example.com www.example.com@x",
            "",
            "part of something else",
        ),
        ("http://www.example.com", "http://www.example.com", "no suffix"),
    ]);
    let text = b"www.example.com http://www.example.org www.example.net";
    let https = Options::new().suffix_scheme(Some("https".to_owned()));
    let found: Vec<_> = find(text, &https).map(|found| (found.kind, found.uri)).collect();
    let expected = [
        (Kind::Suffix, "https://www.example.com"),
        (Kind::Uri, "http://www.example.org"),
        (Kind::Suffix, "https://www.example.net"),
    ];
    assert_eq!(found, expected.map(|(kind, uri)| (kind, Cow::Borrowed(uri))));
    let none = Options::new().suffix_scheme(None);
    let found: Vec<_> = find(text, &none).map(|found| found.uri).collect();
    assert_eq!(found, ["http://www.example.org"]);
}

#[test]
fn what_is_found_says_where_and_how() {
    let text = "x <http://a/b-\n c> y".as_bytes();
    let options = Options::default();
    let found: Vec<_> = find(text, &options).collect();
    let expected = Found {
        offset: 3,
        raw: "http://a/b-\n c",
        uri: "http://a/b-c".into(),
        kind: Kind::Uri,
        delimiter: Delimiter::Angle,
        hyphen_break: true,
    };
    assert_eq!(found, [expected]);
}

#[test]
fn the_level_decides_the_normal_form() {
    let text = b"HTTP://Example.COM:80/%7ea/../b";
    for (level, expected) in [
        (Level::None, "HTTP://Example.COM:80/%7ea/../b"),
        (Level::Case, "http://example.com:80/%7Ea/../b"),
        (Level::Percent, "http://example.com:80/~a/../b"),
        (Level::Syntax, "http://example.com:80/b"),
        (Level::Scheme, "http://example.com/b"),
    ] {
        let options = Options::new().level(level);
        let found: Vec<_> = find(text, &options).map(|found| found.uri).collect();
        assert_eq!(found, [expected]);
    }
}

/// An escape of markup counts as its character (HTML 13.1.4, XML 4.1), if the text is recognized as markup.
#[test]
fn markup_writes_references_to_characters() {
    check(&[
        ("<loc>http://a/?b=1&amp;c=2</loc>", "http://a/?b=1&c=2", "an element that is one URI"),
        ("<p>http://a/?b&#38;c</p>", "http://a/?b&c", "by number"),
        ("<p>see http://a/?b&amp;c there</p>", "http://a/?b&amp;c", "text that may be no markup"),
        ("<b>http://a/?b&amp;c there", "http://a/?b&amp;c", "no element ends behind it"),
        ("<a href=\"http://a/b c?d e\">", "http://a/b%20c?d%20e", "spaces in an attribute that is one URI"),
        ("<img\nSRC='http://a/b c '>", "http://a/b%20c", "those at the end are not part of it"),
        ("<a title=\"http://a/b c\">", "http://a/b", "an attribute that is text"),
        ("x-href=\"http://a/b c\" ahref=\"http://a/b c\"", "http://a/b http://a/b", "other names"),
        ("<a href=\"http://a/b c>\nx", "http://a/b", "a quote that does not end"),
    ]);
    let options = Options::new().is_markup(true);
    for (text, expected) in [
        ("<p>see http://a/?b&amp;c, there</p>", "http://a/?b&c"),
        ("see http://a/?b&amp;. Or www.a.example/?b&#x26;c;", "http://a/?b& http://www.a.example/?b&c"),
        ("&quot;http://a/b&quot;", "http://a/b"),
    ] {
        let found: Vec<_> = find(text.as_bytes(), &options).map(|found| found.uri).collect();
        assert_eq!(found.join(" "), expected, "{text:?}");
    }
}

/// Reports of threats defang URIs; they are found in their original form if that is asked for.
#[test]
fn harmless_uris_become_what_they_were() {
    let options = Options::new().refang(true);
    for (text, expected, raw) in [
        ("see hxxp://a.example/b.", "http://a.example/b", "hxxp://a.example/b"),
        (
            "hXXps://a[.]example[.]com/b[.]html",
            "https://a.example.com/b.html",
            "hXXps://a[.]example[.]com/b[.]html",
        ),
        ("(hxxp[:]//a(dot)example)", "http://a.example", "hxxp[:]//a(dot)example"),
        ("http[://]a{.}example/c[d]", "http://a.example/c%5Bd%5D", "http[://]a{.}example/c[d]"),
        ("fxp://u[at]h[.]example", "ftp://u@h.example", "fxp://u[at]h[.]example"),
        ("http://a[.example[.com/x), y", "http://a.example.com/x", "http://a[.example[.com/x"),
        ("http://[2001:db8::1]/[.]x", "http://[2001:db8::1]/.x", "http://[2001:db8::1]/[.]x"),
        ("http://a.example/(b)", "http://a.example/(b)", "http://a.example/(b)"),
        ("\"meow://a[.]b/c\"", "http://a.b/c", "meow://a[.]b/c"),
        ("hxxp:a[.]b hxxp://", "", ""),
        ("Names: a[.]example/b?c.", "http://a.example/b?c", "a[.]example/b?c"),
        ("a.example[.]org, u@a[.]example", "http://a.example.org", "a.example[.]org"),
    ] {
        let found: Vec<_> = find(text.as_bytes(), &options).collect();
        let uris: Vec<_> = found.iter().map(|found| found.uri.as_ref()).collect();
        assert_eq!(
            (uris.join(" ").as_str(), found.first().map_or("", |found| found.raw)),
            (expected, raw),
            "{text:?}"
        );
    }
    assert_eq!(uris("hxxp://a[.]b/"), ["hxxp://a%5B.%5Db/"], "not asked for");
}

//! The texts that templates make of values, and that no value gets into another part.

use urimill_uri::UriRef;

use super::*;

/// Template, values, text.
type Case<'a> = (&'a str, &'a [Option<&'a str>], Option<&'a str>);

/// The text that these values make; `!` and the byte where a value does not stay in its part.
fn made(template: &str, values: &[Option<&str>]) -> Option<String> {
    let template = Template::new(template).expect(template);
    let mut out = Vec::new();
    let made = template.write(|at| values[at].map(str::as_bytes), &mut out);
    let text = String::from_utf8(out).expect("UTF-8");
    match made {
        Made::Text => Some(text),
        Made::Null => None,
        Made::Malformed(at) => Some(format!("{at}!{text}")),
    }
}

#[test]
fn a_value_is_in_its_own_part_or_nowhere() {
    const WEB: &str = "https://{host}{path}?{query}";
    let cases: &[Case<'_>] = &[
        (WEB, &[Some("h"), Some("/a"), Some("b=c")], Some("https://h/a?b=c")),
        // Undefined is not empty (RFC 3986, 5.3).
        (WEB, &[Some("h"), Some("/a"), None], Some("https://h/a")),
        (WEB, &[Some("h"), Some("/a"), Some("-")], Some("https://h/a")),
        (WEB, &[Some("h"), Some("/a"), Some("")], Some("https://h/a?")),
        (WEB, &[Some("h"), None, Some("b")], Some("https://h?b")),
        (WEB, &[Some("h"), Some("/a"), Some("?b")], Some("https://h/a?b")),
        (WEB, &[None, Some("/a"), Some("b")], None),
        // A value of a client is not a host, nor a query in the path.
        (WEB, &[Some("h"), Some("@evil/"), None], Some("9!https://h@evil/")),
        (WEB, &[Some("h"), Some("a"), None], Some("9!https://ha")),
        (WEB, &[Some("h"), Some("//evil/"), None], Some("https://h//evil/")),
        // An authority is whole before the values are put in.
        (WEB, &[Some("u@h"), Some("/"), None], Some("https://u%40h/")),
        (WEB, &[Some("h/x"), Some("/"), None], Some("https://h%2Fx/")),
        (WEB, &[Some("h\\?#"), Some("/"), None], Some("https://h%5C%3F%23/")),
        (WEB, &[Some(""), Some("/evil/"), None], None),
        (WEB, &[Some("\t"), Some("/evil/"), None], None),
        (WEB, &[Some("_"), Some("/"), None], None),
        ("file://{host}{path}", &[Some(""), Some("/x")], Some("file:///x")),
        ("https://{host}", &[Some("h/x")], Some("https://h%2Fx")),
        ("https://h:{port}{p}", &[Some("80@evil"), Some("/")], Some("https://h:80%40evil/")),
        ("https://h:{port}", &[Some("80@evil")], Some("https://h:80%40evil")),
        ("https://{u}:{pw}@{host}/", &[Some("a"), Some("b@c"), Some("h")], Some("https://a:b%40c@h/")),
        ("https://www.{d}", &[Some("x@evil")], Some("https://www.x%40evil")),
        ("https://www.{d}/", &[None], None),
        ("https://{v6}x/", &[None], None),
        // A part of a host, and the path after it.
        ("https://cdn{n}.example{path}", &[Some("1"), Some("/a")], Some("https://cdn1.example/a")),
        ("https://cdn{n}.example{path}", &[Some("@evil"), Some("/")], Some("https://cdn%40evil.example/")),
        ("https://cdn{n}.example{path}", &[Some("1"), Some("@evil")], Some("20!https://cdn1.example@evil")),
        ("https://cdn{n}.example{path}", &[None, Some("/a")], None),
        ("https://{n}cdn.example/", &[Some("1")], Some("https://1cdn.example/")),
        ("https://h{path}.html", &[Some("/a")], Some("https://h/a.html")),
        ("https://h{file}x", &[Some("/a")], Some("https://h/ax")),
        (WEB, &[Some("h"), Some("/a?b"), Some("c")], Some("11!https://h/a?b?c")),
        // The last field may contain later parts.
        (WEB, &[Some("h"), Some("/"), Some("a#b")], Some("https://h/?a#b")),
        ("http://{h}{target}", &[Some("h"), Some("/a?b#c")], Some("http://h/a?b#c")),
        ("http://{rest}", &[Some("h/a?b")], Some("http://h/a?b")),
        (
            "{scheme}://{host}:{port}{path}",
            &[Some("http"), Some("h"), Some("8"), Some("/")],
            Some("http://h:8/"),
        ),
        ("{scheme}://{host}:{port}{path}", &[Some("http"), Some("h"), None, Some("/")], Some("http://h/")),
        ("{scheme}://{host}/", &[Some("a b"), Some("h")], Some("1!a b://h/")),
        ("{scheme}://{host}/", &[None, Some("h")], None),
        ("https://www.{d}{p}", &[Some("h"), Some("/")], Some("https://www.h/")),
        ("https://h{p}", &[Some(".evil/")], Some("9!https://h.evil/")),
        ("https://h/{p}", &[Some("a")], Some("https://h/a")),
        ("https://h/a?b={b}&c={c}#{f}", &[Some("1"), None, None], Some("https://h/a?b=1&c=")),
        ("https://h/?{a}&{b}", &[None, Some("1")], Some("https://h/?&1")),
        // A template without a host makes a text without one.
        ("{path}?{query}", &[Some("//evil/"), Some("q")], Some("/.//evil/?q")),
        ("{path}?{query}", &[Some("http://evil/"), None], Some("./http://evil/")),
        ("{path}?{query}", &[Some("/\\evil/"), None], Some("/./\\evil/")),
        ("{path}?{query}", &[Some("\\\\evil/"), None], Some("./\\\\evil/")),
        ("{path}?{query}", &[Some("@evil/"), None], Some("@evil/")),
        ("{path}?{query}", &[Some("1:b"), None], Some("./1:b")),
        ("{path}", &[Some("http:evil")], Some("./http:evil")),
        ("{path}", &[Some("evil.com/x")], Some("./evil.com/x")),
        ("{path}", &[Some("a/b:c")], Some("a/b:c")),
        ("{1}?{2}", &[Some("http://h/"), None], Some("0!http://h/")),
        ("{1}{2}", &[Some("ht"), Some("/x")], Some("ht/x")),
        // The whole URI, or its beginning.
        ("{url}", &[Some("http://h/a?b#c")], Some("http://h/a?b#c")),
        ("{url}", &[Some("//h/")], Some("//h/")),
        ("{col}", &[Some("//h/")], Some("//h/")),
        ("{url}?{query}", &[Some("http://h/a"), Some("b")], Some("http://h/a?b")),
        ("{origin}{path}", &[Some("http://h"), Some("/a")], Some("http://h/a")),
        ("{origin}{path}", &[Some("http:"), Some("//evil/")], Some("5!http://evil/")),
        ("{origin}{path}", &[Some("http://"), Some("/evil/")], Some("7!http:///evil/")),
        ("{origin}{path}", &[Some(""), Some("//evil/")], Some("/.//evil/")),
        ("{origin}{path}", &[Some("file://"), Some("/a")], Some("file:///a")),
        ("{s}:{path}", &[Some("http"), Some("/evil")], Some("5!http:/evil")),
        ("{s}:{path}", &[Some("urn"), Some("a:b")], Some("urn:a:b")),
        ("{s}://{host}/", &[Some("http://evil/"), Some("h")], Some("4!http://evil/://h/")),
        ("/{path}", &[Some("/evil")], Some("/.//evil")),
        ("file:{path}", &[Some("//evil/x")], Some("5!file://evil/x")),
        ("{origin}{path}", &[Some("http://h"), Some(".evil/")], Some("8!http://h.evil/")),
        ("//{host}{path}", &[Some("h"), Some("/")], Some("//h/")),
        // Braces.
        ("/{{{a}}}", &[Some("x")], Some("/{x}")),
    ];
    for (template, values, text) in cases {
        assert_eq!(made(template, values).as_deref(), *text, "{template} {values:?}");
    }
}

/// Every text of at most this many of these characters.
pub(super) fn texts(most: usize, characters: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut from = 0;
    for _ in 0..most {
        let end = all.len();
        for at in from..end {
            let longer = characters.chars().map(|c| format!("{}{c}", all[at]));
            all.extend(longer.collect::<Vec<_>>());
        }
        from = end;
    }
    all
}

#[test]
fn no_value_brings_a_host_whoever_reads_the_text() {
    const GOOD: &str = "good.example";
    let base = urimill_uri::whatwg::Url::parse("https://good.example/d/", None).expect("a URL");
    let beginnings = texts(4, "/:@\\\t<h ");
    for template in [
        "https://good.example{path}",
        "https://good.example{p}?{q}",
        "https://good.example:{port}/",
        "https://good.example:8{port}",
        "https://good.example/{p}",
        "{path}?{query}",
        "{p}",
        "{path}",
        "/{path}",
        "{file}#f",
        "https:{path}",
        "file:{p}",
    ] {
        let is_own = template == "{p}";
        let template = Template::new(template).expect(template);
        for beginning in &beginnings {
            for value in [format!("{beginning}evil.example/"), format!("http{beginning}evil.example/")] {
                let mut out = Vec::new();
                let made = template.write(|at| (at == 0).then_some(value.as_bytes()), &mut out);
                if made != Made::Text || is_own {
                    continue;
                }
                let text = String::from_utf8(out).expect("UTF-8");
                let mended = String::from_utf8(urimill_uri::normalize::repair(text.as_bytes()).into_owned());
                for text in [&text, &mended.expect("UTF-8")] {
                    if let Ok(uri) = UriRef::parse(text) {
                        assert!(uri.host().is_none_or(|host| host.is_empty() || host == GOOD), "{text:?}");
                    }
                    if let Ok(url) = urimill_uri::whatwg::Url::parse(text.as_str(), Some(&base)) {
                        assert!(["", GOOD].contains(&url.hostname()), "{value:?} {text:?} {url}");
                    }
                }
            }
        }
    }
}

/// The characters that end parts of a URI.
const ENDS: &str = "/?#@:\\a.-";

#[test]
fn no_value_gets_into_another_part() {
    let template = Template::new("https://{h}{p}?{q}").expect("a template");
    let mut out = Vec::new();
    let mut valid = 0;
    for path in texts(3, ENDS) {
        for query in texts(2, ENDS) {
            let values = ["h.example", &path, &query];
            if template.write(|at| Some(values[at].as_bytes()), &mut out) != Made::Text {
                continue;
            }
            let text = std::str::from_utf8(&out).expect("UTF-8");
            // A text outside of the grammar is a reject.
            let Ok(uri) = UriRef::parse(text) else { continue };
            let own_path = if path == "-" { "" } else { &path };
            let own_query = query.strip_prefix('?').unwrap_or(&query);
            let (own_query, fragment) = match own_query.split_once('#') {
                Some((query, fragment)) => (query, Some(fragment)),
                None => (own_query, None),
            };
            let own_query = (query != "-").then_some(own_query);
            assert_eq!((uri.host(), uri.path()), (Some("h.example"), own_path), "{text}");
            assert_eq!((uri.query(), uri.fragment()), (own_query, fragment), "{text}");
            valid += 1;
        }
    }
    assert!(valid > 1000, "{valid}");
}

#[test]
fn errors_have_their_place() {
    for (text, at, part) in [
        ("https://{host", 8, "not closed"),
        ("https://{}/", 9, "no name"),
        ("a}b", 1, "no brace is open"),
        ("https://h/", 10, "no field"),
    ] {
        let error = Template::new(text).expect_err(text);
        assert_eq!(error.marked(), Some((text, at)), "{text}: {error}");
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
    let template = Template::new("http://{a}{b}").expect("a template");
    let error = template.about(1, Error::usage("there is no b"));
    assert_eq!(error.marked(), Some(("http://{a}{b}", 11)));
    assert_eq!(error.to_string(), "uri_template is wrong at byte 11: there is no b");
}

//! The references of pages, and the base that each of them has.

use urimill_testkit::archives::{html, record_of as record, response};

use super::{links, values};

#[test]
fn every_rule_of_5_1_gives_its_base() {
    // (section, options, input, uri and base and kind by row)
    type Case = (&'static str, &'static str, Vec<u8>, &'static [&'static str]);
    let table: Vec<Case> = vec![
        // The content says it.
        (
            "5.1.1",
            "html --base http://h/a/b",
            b"<base href=http://other/c/d><a href=e>".to_vec(),
            &["http://other/c/d,http://h/a/b,default", "http://other/c/e,http://other/c/d,content"],
        ),
        // It is a reference itself, resolved against what the base would be without it (HTML, 2.4.3).
        (
            "5.1.1",
            "auto",
            html("http://h/a/b", "<a href=e></a><base href=../c/>"),
            &["http://h/c/e,http://h/c/,content", "http://h/c/,http://h/a/b,retrieval"],
        ),
        // The first with an attribute href counts, and what cannot be a base does not.
        (
            "5.1.1",
            "auto",
            html("http://h/a/b", "<base target=t><base href=c/><base href=/d/><a href=e>"),
            &[
                "http://h/a/c/,http://h/a/b,retrieval",
                "http://h/d/,http://h/a/b,retrieval",
                "http://h/a/c/e,http://h/a/c/,content",
            ],
        ),
        (
            "5.1.1",
            "auto",
            html("http://h/a/b", "<base href=javascript:x><a href=e>"),
            &["javascript:x,http://h/a/b,retrieval", "http://h/a/e,http://h/a/b,retrieval"],
        ),
        // The fragment of a base is not part of it (5.1).
        (
            "5.1",
            "auto",
            html("http://h/a/b?c#d", "<a href=''><a href='#e'><a href='?f'>"),
            &[
                "http://h/a/b?c,http://h/a/b?c,retrieval",
                "http://h/a/b?c#e,http://h/a/b?c,retrieval",
                "http://h/a/b?f,http://h/a/b?c,retrieval",
            ],
        ),
        // xml:base of an element is the base of the elements in it (XML Base, 3; RFC 4287, 2).
        (
            "5.1.1",
            "auto",
            response(
                "http://h/feed",
                "Content-Type: application/atom+xml\r\n",
                b"<feed xml:base='/a/'><link href='b'/><entry xml:base='c/d'><link href='e'/></entry><link href='f'/></feed>",
            ),
            &[
                "http://h/a/b,http://h/a/,content",
                "http://h/a/c/e,http://h/a/c/d,content",
                "http://h/a/f,http://h/a/,content",
            ],
        ),
        // The rule is that of the media type: SVG 1.1 and the generic types have xml:base (RFC 7303, 6), and XHTML has
        // not (HTML, 2.4.3), which has the base of HTML.
        (
            "5.1.1",
            "auto",
            [
                response(
                    "http://h/p/",
                    "Content-Type: image/svg+xml\r\n",
                    b"<svg xml:base='/a/'><a xlink:href='b'/></svg>",
                ),
                response(
                    "http://h/p/",
                    "Content-Type: application/xml\r\n",
                    b"<html xml:base='/a/'><a href='b'/></html>",
                ),
                response(
                    "http://h/p/",
                    "Content-Type: application/xhtml+xml\r\n",
                    b"<html xml:base='/a/'><p xml:base='/c/'><a href='b'/></p></html>",
                ),
                response(
                    "http://h/p/",
                    "Content-Type: application/xhtml+xml\r\n",
                    b"<html xml:base='/a/'><base href='/d/'/><a href='b'/></html>",
                ),
            ]
            .concat(),
            &[
                "http://h/a/b,http://h/a/,content",
                "http://h/a/b,http://h/a/,content",
                "http://h/p/b,http://h/p/,retrieval",
                "http://h/d/,http://h/p/,retrieval",
                "http://h/d/b,http://h/d/,content",
            ],
        ),
        // HTML in a feed has the base of the element that holds it (RFC 4287, 2), or its own.
        (
            "5.1.1",
            "auto",
            response(
                "http://h/feed",
                "Content-Type: application/atom+xml\r\n",
                b"<feed><entry xml:base='/a/'><summary type='html'>&lt;a href=b></summary>\
                  <content type='html'>&lt;base href=c/>&lt;a href=d></content></entry></feed>",
            ),
            &["http://h/a/b,http://h/a/,content", "http://h/a/c/,http://h/a/,content", "http://h/a/c/d,http://h/a/c/,content"],
        ),
        // Markdown has the bases of HTML.
        (
            "5.1.3",
            "auto",
            response("http://h/a/b", "Content-Type: text/markdown; charset=utf-8\r\n", b"# c\n\n[d](e)\n\n[f]: g\n[f]"),
            &["http://h/a/e,http://h/a/b,retrieval", "http://h/a/g,http://h/a/b,retrieval"],
        ),
        // It was retrieved by a URI: the last of a chain of redirections, whose responses are records of their own.
        (
            "5.1.3",
            "auto",
            [
                record(
                    "WARC-Type: response\r\nWARC-Target-URI: http://h/old\r\nContent-Type: application/http\r\n",
                    b"HTTP/1.1 301 Moved\r\nLocation: new/\r\n\r\n",
                ),
                html("http://h/new/", "<a href=a>"),
            ]
            .concat(),
            &["http://h/new/,http://h/old,retrieval", "http://h/new/a,http://h/new/,retrieval"],
        ),
        // Header fields are resolved against that, whatever the content says (RFC 9110, 10.2.2; RFC 8288, 3.2), and
        // Content-Location is not a base (RFC 9110, 8.7).
        (
            "5.1.3",
            "auto",
            response(
                "http://h/a/b",
                "Content-Type: text/html\r\nLink: <c>; rel=next\r\nContent-Location: /d/e\r\n",
                b"<base href=/f/><a href=g>",
            ),
            &[
                "http://h/d/e,http://h/a/b,retrieval",
                "http://h/a/c,http://h/a/b,retrieval",
                "http://h/f/,http://h/a/b,retrieval",
                "http://h/f/g,http://h/f/,content",
            ],
        ),
        (
            "5.1.3",
            "auto --base http://other/",
            html("<http://h/a/b>", "<a href=c>"),
            &["http://h/a/c,http://h/a/b,retrieval"],
        ),
        // The caller says it.
        (
            "5.1.4",
            "html --base http://h/a/b",
            b"<a href=c><a href=//i/d>".to_vec(),
            &["http://h/a/c,http://h/a/b,default", "http://i/d,http://h/a/b,default"],
        ),
        (
            "5.1.4",
            "auto --base http://h/a/b",
            record("WARC-Type: resource\r\nContent-Type: text/html\r\n", b"<a href=c>"),
            &["http://h/a/c,http://h/a/b,default"],
        ),
        (
            "5.1.1",
            "auto --base http://h/a/b",
            record("WARC-Type: resource\r\nContent-Type: text/html\r\n", b"<base href=/d/><a href=c>"),
            &["http://h/d/,http://h/a/b,default", "http://h/d/c,http://h/d/,content"],
        ),
        // Without any base a relative reference stays one.
        ("5.1", "html", b"<a href=c><a href=http://h/d>".to_vec(), &["c,,", "http://h/d,,"]),
        (
            "5.1.1",
            "html",
            b"<base href=http://h/a/><a href=c>".to_vec(),
            &["http://h/a/,,", "http://h/a/c,http://h/a/,content"],
        ),
    ];
    for (section, options, input, expected) in table {
        let found = values(&links(options, &input), &["uri", "base", "base_kind"]);
        assert_eq!(found, *expected, "{section}: {options} {}", input.escape_ascii());
    }
}

#[test]
fn internal_says_whose_page_it_is() {
    let page = "<a href=a><a href=http://WWW.Example.co.uk/><a href=//news.example.co.uk/b><a href=http://example.com/>\
                <a href=mailto:a@example.co.uk><a href='http://www.example.co.uk./'><a href='http://[x/'>";
    let expected = ["host", "host", "domain", "no", "", "host", ""];
    for spec in ["rfc3986", "whatwg"] {
        let found = links(&format!("auto --spec {spec}"), html("http://www.example.co.uk/", page));
        assert_eq!(values(&found, &["internal"]), expected, "{spec}");
    }
    // A base elsewhere does not make the page's own host of its own.
    let found = links(
        "auto",
        html("http://h.example/", "<base href=http://other.example/><a href=a><a href=http://h.example/b>"),
    );
    assert_eq!(values(&found, &["internal"]), ["no", "no", "host"]);
    // A scheme that is the base's and is ignored says nothing about the host (RFC 3986, 5.2.2; the URL Standard, 4.4).
    let page = "<a href=http:a><a href=HTTP:/b><a href=http:><a href=http://i/c><a href=https://h.example/>";
    for options in ["auto --compat", "auto --spec whatwg"] {
        let found = links(options, html("http://h.example/", page));
        assert_eq!(values(&found, &["internal"]), ["host", "host", "host", "no", "host"], "{options}");
    }
}

#[test]
fn references_are_read_as_they_are_asked_for() {
    let page = html("http://h/a/b", "<a href='c d'><a href='\\\\i\\e'><a href='http:f'><a href='%7Eg'>");
    for (options, expected) in [
        ("auto", ["c d,path_invalid_char", "\\\\i\\e,path_invalid_char", "http:f,", "http://h/a/~g,"]),
        (
            "auto --level none",
            ["c d,path_invalid_char", "\\\\i\\e,path_invalid_char", "http:f,", "http://h/a/%7Eg,"],
        ),
        ("auto --repair", ["http://h/a/c%20d,", "http://i/e,", "http:f,", "http://h/a/~g,"]),
        (
            "auto --compat",
            ["c d,path_invalid_char", "\\\\i\\e,path_invalid_char", "http://h/a/f,", "http://h/a/~g,"],
        ),
        ("auto --spec whatwg", ["http://h/a/c%20d,", "http://i/e,", "http://h/a/f,", "http://h/a/%7Eg,"]),
    ] {
        assert_eq!(values(&links(options, &page), &["uri", "error"]), expected, "{options}");
    }
}

#[test]
fn a_page_that_says_no_encoding_has_one_guessed() {
    let latin1 = links("html --base http://h/", b"<a href=\xe9>");
    assert_eq!(values(&latin1, &["raw", "uri", "page_flags"]), [",é,charset_unknown"]);
}

#[test]
fn a_page_may_have_more_links_than_a_batch_rows() {
    let body: String = (0..70_000).map(|i| format!("<a href={i}>")).collect();
    let found = links("auto --columns uri --keep none", html("http://h/", &body));
    assert_eq!((found.len(), &found[69_999]["uri"]), (70_000, &"http://h/69999".into()));
}

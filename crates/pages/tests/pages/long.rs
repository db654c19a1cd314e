//! The references of pages that no chunk holds: they are streams.

use std::io::Write;

use urimill_testkit::archives::{record_of as record, response};

use super::{links, values};

/// A page that no chunk holds: `page.html`, references at its beginning and at its end, and its base after them.
fn long_page(link: &str, filler: &str, end: &str) -> Vec<u8> {
    let filler = filler.repeat((17 << 20) / filler.len());
    [link.replace('#', "a").as_bytes(), filler.as_bytes(), link.replace('#', "b").as_bytes(), end.as_bytes()]
        .concat()
}

/// A member of gzip that takes little time.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

fn arc(body: &[u8]) -> Vec<u8> {
    let http = [&b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n"[..], body].concat();
    let begin = "filedesc://a.arc 0.0.0.0 20000101000000 text/plain 2\n1\n\n";
    [
        format!("{begin}http://h/a/b 192.0.2.1 20000101000000 text/html {}\n", http.len()).as_bytes(),
        &http,
        b"\n",
    ]
    .concat()
}

/// Reads the cases that are records of archives, or those that are files.
fn compare(are_records: bool) {
    let page =
        long_page("<a href=#>#</a>", &format!("<p>{}\u{e9}</p>\n", "text ".repeat(60)), "<base href=/c/>");
    let own =
        ["a,http://h/c/,http://h/c/a,a,", "b,http://h/c/,http://h/c/b,b,", "/c/,http://h/a/b,http://h/c/,,"];
    let sheet = long_page("@import '#';", &format!("a{{b:c}}\n/* {}url(x) */", "text ".repeat(60)), "");
    let references = ["a,http://h/a/b,http://h/a/a,,", "b,http://h/a/b,http://h/a/b,,"];
    let document = long_page("<a href='#'/>", &format!("<c>{}</c>\n", "text ".repeat(60)), "</r>");
    let document = [&b"<r xml:base='e/'>"[..], &document].concat();
    let within = ["a,http://h/a/e/,http://h/a/e/a,,", "b,http://h/a/e/,http://h/a/e/b,,"];
    let html = "Content-Type: text/html; charset=utf-8\r\n";
    let deflated = || {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(&page).expect("memory");
        encoder.finish().expect("memory")
    };
    let chunks = || {
        let chunk = |part: &[u8]| [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
        let chunks: Vec<Vec<u8>> = page.chunks(1 << 20).map(chunk).collect();
        [chunks.concat(), b"0\r\n\r\n".to_vec()].concat()
    };
    let encoded = |encoding: &str| format!("{html}Content-Encoding: {encoding}\r\n");
    let half = [&page[..page.len() - 100], b"<a href=b"].concat();
    let damaged = || {
        let packed = gzip(&half);
        packed[..packed.len() - 8].to_vec()
    };
    let uri = "http://h/a/b";
    // (what it is, options, input, raw and base and uri and text and flags by row)
    type Case<'c> = (&'c str, &'c str, &'c dyn Fn() -> Vec<u8>, &'c [&'c str]);
    let table: &[Case<'_>] = &[
        ("a file", "html --base http://h/a/b --encoding utf-8", &|| page.clone(), &own),
        ("compressed", "html --base http://h/a/b --encoding utf-8", &|| gzip(&page), &own),
        ("a style sheet", "css --base http://h/a/b", &|| sheet.clone(), &references),
        ("a document", "xml --base http://h/a/b", &|| document.clone(), &within),
        ("a response", "auto", &|| response(uri, html, &page), &own),
        (
            "in chunks",
            "auto",
            &|| response(uri, &format!("{html}Transfer-Encoding: chunked\r\n"), &chunks()),
            &own,
        ),
        ("packed", "auto", &|| response(uri, &encoded("gzip"), &gzip(&page)), &own),
        ("packed, without a wrapper", "auto", &|| response(uri, &encoded("deflate"), &deflated()), &own),
        (
            "of no type",
            "auto",
            &|| response(uri, "", &[b"<!doctype html><meta charset=utf-8>", &page[..]].concat()),
            &own,
        ),
        (
            "a style sheet of a response",
            "auto",
            &|| response(uri, "Content-Type: text/css\r\n", &sheet),
            &references,
        ),
        (
            "a document of a response",
            "auto",
            &|| response(uri, "Content-Type: text/xml\r\n", &document),
            &within,
        ),
        (
            "a resource",
            "auto",
            &|| {
                record(
                    "WARC-Type: resource\r\nWARC-Target-URI: http://h/a/b\r\nContent-Type: text/css\r\n",
                    &sheet,
                )
            },
            &references,
        ),
        (
            "in ARC, of an encoding that nothing says",
            "auto",
            &|| arc(&page),
            &[
                "a,http://h/c/,http://h/c/a,a,charset_unknown",
                "b,http://h/c/,http://h/c/b,b,charset_unknown",
                "/c/,http://h/a/b,http://h/c/,,charset_unknown",
            ],
        ),
        (
            "damaged in the packed page",
            "auto",
            &|| response(uri, &encoded("gzip"), &damaged()),
            &["a,http://h/a/b,http://h/a/a,a,damaged", ",,http://h/a/b,,damaged"],
        ),
        (
            "a document that ends before its end",
            "xml --base http://h/a/b",
            &|| document[..document.len() - 4].to_vec(),
            &[
                "a,http://h/a/e/,http://h/a/e/a,,damaged",
                "b,http://h/a/e/,http://h/a/e/b,,damaged",
                ",,,,damaged",
            ],
        ),
        // Its parser needs the whole text.
        (
            "a text in Markdown",
            "markdown --base http://h/a/b",
            &|| long_page("[#](#)\n\n", &format!("{}\n\n", "text ".repeat(60)), ""),
            &["a,http://h/a/b,http://h/a/a,a,cut"],
        ),
        ("an image", "auto", &|| response(uri, "Content-Type: image/png\r\n", &page), &[]),
    ];
    let table = table.iter().filter(|(_, options, ..)| options.starts_with("auto") == are_records);
    for (what, options, input, expected) in table {
        let found = links(options, input());
        let found = values(&found, &["raw", "base", "uri", "text", "page_flags"]);
        assert_eq!(found, *expected, "{what}");
    }
}

#[test]
fn files_that_no_chunk_holds_have_all_their_references() {
    compare(false);
}

#[test]
fn pages_of_archives_that_no_chunk_holds_have_all_their_references() {
    compare(true);
}

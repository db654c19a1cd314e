//! `urimill links`: the references of pages, as files and in archives, and the base that each of them has.

use std::io::Write;

use serde_json::{Value, json};

use super::archives::zip;
use super::run::{dir, names, urimill, write};
use super::table::{Row, jsonl, read};

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

pub(crate) fn record(fields: &str, block: &[u8]) -> Vec<u8> {
    let head = format!("WARC/1.0\r\n{fields}Content-Length: {}\r\n\r\n", block.len());
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

pub(crate) fn response(page: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let http = [format!("HTTP/1.1 200 OK\r\n{fields}\r\n").as_bytes(), body].concat();
    let fields = format!(
        "WARC-Type: response\r\nWARC-Target-URI: {page}\r\nContent-Type: application/http;msgtype=response\r\n"
    );
    record(&fields, &http)
}

pub(crate) fn html(page: &str, body: &str) -> Vec<u8> {
    response(page, "Content-Type: text/html\r\n", body.as_bytes())
}

/// The values of some columns, with commas between; a null is empty.
pub(crate) fn values(rows: &[Row], columns: &[&str]) -> Vec<String> {
    let value = |row: &Row, column: &&str| match &row[*column] {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let line = |row| columns.iter().map(|column| value(row, column)).collect::<Vec<_>>().join(",");
    rows.iter().map(line).collect()
}

pub(crate) fn rows(options: &str, input: &[u8]) -> Vec<Row> {
    jsonl(&urimill(&format!("links --to jsonl {options}")).stdin(input).ok().stdout)
}

#[test]
fn every_rule_of_5_1_gives_its_base() {
    // (section, options, input, uri and base and kind by row)
    type Case = (&'static str, &'static str, Vec<u8>, &'static [&'static str]);
    let table: Vec<Case> = vec![
        // The content says it.
        (
            "5.1.1",
            "--from html --base http://h/a/b",
            b"<base href=http://other/c/d><a href=e>".to_vec(),
            &["http://other/c/d,http://h/a/b,default", "http://other/c/e,http://other/c/d,content"],
        ),
        // It is a reference itself, resolved against what the base would be without it (HTML, 2.4.3).
        (
            "5.1.1",
            "",
            html("http://h/a/b", "<a href=e></a><base href=../c/>"),
            &["http://h/c/e,http://h/c/,content", "http://h/c/,http://h/a/b,retrieval"],
        ),
        // The first with an attribute href counts, and what cannot be a base does not.
        (
            "5.1.1",
            "",
            html("http://h/a/b", "<base target=t><base href=c/><base href=/d/><a href=e>"),
            &[
                "http://h/a/c/,http://h/a/b,retrieval",
                "http://h/d/,http://h/a/b,retrieval",
                "http://h/a/c/e,http://h/a/c/,content",
            ],
        ),
        (
            "5.1.1",
            "",
            html("http://h/a/b", "<base href=javascript:x><a href=e>"),
            &["javascript:x,http://h/a/b,retrieval", "http://h/a/e,http://h/a/b,retrieval"],
        ),
        // The fragment of a base is not part of it (5.1).
        (
            "5.1",
            "",
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
            "",
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
            "",
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
            "",
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
            "",
            response("http://h/a/b", "Content-Type: text/markdown; charset=utf-8\r\n", b"# c\n\n[d](e)\n\n[f]: g\n[f]"),
            &["http://h/a/e,http://h/a/b,retrieval", "http://h/a/g,http://h/a/b,retrieval"],
        ),
        // It was retrieved by a URI: the last of a chain of redirections, whose responses are records of their own.
        (
            "5.1.3",
            "",
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
            "",
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
            "--base http://other/",
            html("<http://h/a/b>", "<a href=c>"),
            &["http://h/a/c,http://h/a/b,retrieval"],
        ),
        // The caller says it.
        (
            "5.1.4",
            "--from html --base http://h/a/b",
            b"<a href=c><a href=//i/d>".to_vec(),
            &["http://h/a/c,http://h/a/b,default", "http://i/d,http://h/a/b,default"],
        ),
        (
            "5.1.4",
            "--base http://h/a/b",
            record("WARC-Type: resource\r\nContent-Type: text/html\r\n", b"<a href=c>"),
            &["http://h/a/c,http://h/a/b,default"],
        ),
        (
            "5.1.1",
            "--base http://h/a/b",
            record("WARC-Type: resource\r\nContent-Type: text/html\r\n", b"<base href=/d/><a href=c>"),
            &["http://h/d/,http://h/a/b,default", "http://h/d/c,http://h/d/,content"],
        ),
        // Without any base a relative reference stays one.
        ("5.1", "--from html", b"<a href=c><a href=http://h/d>".to_vec(), &["c,,", "http://h/d,,"]),
        (
            "5.1.1",
            "--from html",
            b"<base href=http://h/a/><a href=c>".to_vec(),
            &["http://h/a/,,", "http://h/a/c,http://h/a/,content"],
        ),
    ];
    for (section, options, input, expected) in table {
        let found = values(&rows(options, &input), &["uri", "base", "base_kind"]);
        assert_eq!(found, *expected, "{section}: {options} {}", input.escape_ascii());
    }
}

#[test]
fn a_file_has_its_own_uri() {
    let dir = dir();
    let folder = dir.path().canonicalize().expect("a folder");
    write(dir.path(), "a b.html", "<a href=c>");
    write(dir.path(), "d.html", "<a href=e>");
    write(dir.path(), "f.md", "`<a href=g>` [h](i)");
    let line = "links --to csv --columns page,uri,base_kind --summary none";
    let done = urimill(line).arg("a b.html").arg("d.html").arg("f.md").within(&folder).ok();
    let folder = folder.display();
    let expected = format!(
        "page,uri,base_kind\nfile://{folder}/a%20b.html,file://{folder}/c,retrieval\n\
         file://{folder}/d.html,file://{folder}/e,retrieval\n\
         file://{folder}/f.md,file://{folder}/i,retrieval\n"
    );
    assert_eq!(done.text(), expected);
    let done = urimill(&format!("{line} --base http://h/f/g d.html")).within(dir.path()).ok();
    assert!(done.text().ends_with("/d.html,http://h/f/e,default\n"), "{}", done.text());
}

/// Records of each kind, and the rows that come of them.
#[test]
fn archives_give_the_references_of_their_pages() {
    let page = "<title>t</title><a href='/a' rel=nofollow> A <b>B</b></a><img src=b.png alt=C>";
    let http = "WARC-Type: response\r\nContent-Type: application/http\r\n";
    let archive = [
        record(
            "WARC-Type: warcinfo\r\nContent-Type: application/warc-fields\r\n",
            b"software: <a href=no>\r\n",
        ),
        record(
            "WARC-Type: request\r\nWARC-Target-URI: http://h/\r\nContent-Type: application/http\r\n",
            b"GET / HTTP/1.1\r\n\r\n",
        ),
        html("http://h/1/", page),
        response("http://h/2", "Content-Type: text/html\r\nContent-Encoding: gzip\r\n", &gzip(b"<a href=c>")),
        response(
            "http://h/3",
            "Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n",
            b"5\r\n<a hr\r\n5\r\nef=d>\r\n0\r\n\r\n",
        ),
        response("http://h/4", "Content-Type: text/css\r\n", b"@import 'e'; f{g:url(h)}"),
        response("http://h/5", "Content-Type: image/svg+xml\r\n", b"<svg><a xlink:href='i'/></svg>"),
        response("http://h/6", "Content-Type: image/png\r\n", b"<a href=no>"),
        html("http://h/7", "nothing"),
        record(
            "WARC-Type: resource\r\nWARC-Target-URI: http://h/8\r\nContent-Type: application/rss+xml\r\n",
            b"<rss><link>j</link></rss>",
        ),
        record(
            &format!("{http}WARC-Target-URI: http://h/9\r\n"),
            b"HTTP/1.1 200\r\nContent-Type: text/html\r\nContent-Encoding: compress\r\n\r\nx",
        ),
        response("http://h/10", "", b"<html><a href=k>"),
        response("http://h/11", "", b"no markup"),
    ]
    .concat();
    let expected = [
        "http://h/1/,3,http://h/a,a,href,nofollow,A B,25,host,",
        "http://h/1/,3,http://h/1/b.png,img,src,,C,66,host,",
        "http://h/2,4,http://h/c,a,href,,,8,host,",
        "http://h/3,5,http://h/d,a,href,,,8,host,",
        "http://h/4,6,http://h/e,,@import,,,9,host,",
        "http://h/4,6,http://h/h,,url(),,,21,host,",
        "http://h/5,7,http://h/i,a,xlink:href,,,5,host,",
        "http://h/8,10,http://h/j,link,,,,11,host,",
        "http://h/9,11,http://h/9,,,,,0,,undecodable",
        "http://h/10,12,http://h/k,a,href,,,14,host,",
    ];
    let columns = [
        "page",
        "page_record",
        "uri",
        "element",
        "attribute",
        "rel",
        "text",
        "position",
        "internal",
        "page_flags",
    ];
    for archive in [archive.clone(), gzip(&archive)] {
        let found = rows("", &archive);
        assert_eq!(values(&found, &columns), expected);
        let errors: Vec<_> = found.iter().filter(|row| !row["error"].is_null()).collect();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0]["error"], "record_malformed");
    }
    let done = urimill("links --to jsonl --summary json").stdin(&archive).ok();
    let summary = done.summary();
    let pages = json!({
        "pages": 9, "links": 9, "with_links": 7, "without_links": 1, "unread": 1, "partial": 0, "others": 4,
        "based_on_files": 0, "base_too_long": 0, "charset_unknown": 0, "charset_damaged": 0,
    });
    assert_eq!(summary["pages"], pages);
    assert_eq!((&summary["records"], &summary["rejects"]), (&json!(10), &json!(1)));
    let done = urimill("links --to jsonl").stdin(&archive).ok();
    for line in [
        "9 pages = 7 with links + 1 without + 1 unreadable; 4 records that hold no page\n",
        "10 rows = 9 valid links + 1 reject\n",
    ] {
        assert!(done.stderr.contains(line), "{line}: {}", done.stderr);
    }
}

#[test]
fn damaged_bodies_keep_the_links_before_the_damage() {
    let long: String = (0..2000).map(|i| format!("<a href={i}>")).collect();
    let packed = gzip(long.as_bytes());
    let table = [
        ("Content-Encoding: gzip\r\n", packed[..packed.len() / 2].to_vec(), "damaged"),
        ("Transfer-Encoding: chunked\r\n", b"a\r\n<a href=0>\r\n9\r\n<a".to_vec(), "damaged"),
    ];
    for (fields, body, flag) in table {
        let input = response("http://h/", &format!("Content-Type: text/html\r\n{fields}"), &body);
        let found = rows("", &input);
        assert_eq!(found[0]["uri"], "http://h/0", "{fields}");
        let last = found.last().expect("a row");
        assert_eq!(
            (&last["error"], &last["uri"]),
            (&json!("record_malformed"), &json!("http://h/")),
            "{fields}"
        );
        assert!(found.iter().all(|row| row["page_flags"] == flag), "{fields}");
        let pages = &urimill("links --to jsonl --summary json").stdin(&input).ok().summary()["pages"];
        assert_eq!((&pages["with_links"], &pages["partial"]), (&json!(1), &json!(1)), "{fields}");
    }
    let broken = response("http://h/", "Content-Type: text/xml\r\n", b"<r><a href='b'/></x>");
    assert_eq!(values(&rows("", &broken), &["uri", "error"]), ["http://h/b,", "http://h/,record_malformed"]);
}

/// The part of a page in a WAT, as Common Crawl writes it.
#[test]
fn a_wat_gives_the_references_that_were_extracted() {
    let envelope = json!({ "Envelope": {
        "WARC-Header-Metadata": { "WARC-Type": "response", "WARC-Target-URI": "http://h/a/b" },
        "Payload-Metadata": { "HTTP-Response-Metadata": {
            "Headers": { "Location": "/c", "Link": ["<d>; rel=next", "<e>"] },
            "HTML-Metadata": {
                "Head": {
                    "Base": "/f/",
                    "Link": [{ "path": "LINK@/href", "url": "g.css", "rel": "stylesheet" }],
                    "Scripts": [{ "path": "SCRIPT@/src", "url": "h.js" }],
                    "Metas": [{ "http-equiv": "refresh", "content": "0;url=i" }, { "name": "x", "content": "0;url=no" },
                              { "property": "og:url", "content": "p" }, { "name": "twitter:image", "content": "" }],
                },
                "Links": [
                    { "path": "A@/href", "url": "j", "text": " K  L " },
                    { "path": "IMG@/src", "url": "m", "alt": "N" },
                    { "path": "STYLE/#text", "href": "o" },
                    { "path": "A@/href" },
                    { "path": "IMG@/src", "url": " " },
                ],
            },
        } },
    } });
    let of_request = json!({ "Envelope": { "WARC-Header-Metadata": { "WARC-Type": "request", "WARC-Target-URI": "http://h/" } } });
    let fields = "WARC-Type: metadata\r\nWARC-Target-URI: http://h/a/b\r\nContent-Type: application/json\r\n";
    let wat = [
        record(fields, envelope.to_string().as_bytes()),
        record(fields, of_request.to_string().as_bytes()),
        record(fields, b"{\"Envelope\":"),
    ]
    .concat();
    let found = rows("--from wat", &wat);
    let columns = ["page_record", "uri", "base", "element", "attribute", "rel", "text", "error"];
    let expected = [
        "1,http://h/a/d,http://h/a/b,,link,next,,",
        "1,http://h/a/e,http://h/a/b,,link,,,",
        "1,http://h/c,http://h/a/b,,location,,,",
        "1,http://h/f/,http://h/a/b,base,href,,,",
        "1,http://h/f/g.css,http://h/f/,link,href,stylesheet,,",
        "1,http://h/f/h.js,http://h/f/,script,src,,,",
        "1,http://h/f/i,http://h/f/,meta,content,,,",
        "1,http://h/f/j,http://h/f/,a,href,,K L,",
        "1,http://h/f/m,http://h/f/,img,src,,N,",
        "1,http://h/f/o,http://h/f/,style,url(),,,",
        "3,http://h/a/b,,,,,,record_malformed",
    ];
    let mut found = values(&found, &columns);
    // The members of a JSON object have no order. Properties of the page are not links of a WAT.
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn an_arc_gives_the_references_of_its_pages() {
    let head = b"filedesc://a.arc 0.0.0.0 20010101000000 text/plain 4\n1 0\n\n";
    let block = b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n<a href=b>";
    let line = format!("http://h/a 192.0.2.1 20010101000000 text/html {}\n", block.len());
    let arc = [&head[..], line.as_bytes(), block, b"\n"].concat();
    assert_eq!(
        values(&rows("--from arc", &arc), &["page", "page_record", "uri"]),
        ["http://h/a,2,http://h/b"]
    );
}

#[test]
fn internal_says_whose_page_it_is() {
    let page = "<a href=a><a href=http://WWW.Example.co.uk/><a href=//news.example.co.uk/b><a href=http://example.com/>\
                <a href=mailto:a@example.co.uk><a href='http://www.example.co.uk./'><a href='http://[x/'>";
    let expected = ["host", "host", "domain", "no", "", "host", ""];
    for spec in ["rfc3986", "whatwg"] {
        let found = rows(&format!("--spec {spec}"), &html("http://www.example.co.uk/", page));
        assert_eq!(values(&found, &["internal"]), expected, "{spec}");
    }
    // A base elsewhere does not make the page's own host of its own.
    let found = rows(
        "",
        &html("http://h.example/", "<base href=http://other.example/><a href=a><a href=http://h.example/b>"),
    );
    assert_eq!(values(&found, &["internal"]), ["no", "no", "host"]);
    // A scheme that is the base's and is ignored says nothing about the host (RFC 3986, 5.2.2; the URL Standard, 4.4).
    let page = "<a href=http:a><a href=HTTP:/b><a href=http:><a href=http://i/c><a href=https://h.example/>";
    for options in ["--compat", "--spec whatwg"] {
        let found = rows(options, &html("http://h.example/", page));
        assert_eq!(values(&found, &["internal"]), ["host", "host", "host", "no", "host"], "{options}");
    }
}

#[test]
fn references_are_read_as_they_are_asked_for() {
    let page = html("http://h/a/b", "<a href='c d'><a href='\\\\i\\e'><a href='http:f'><a href='%7Eg'>");
    for (options, expected) in [
        ("", ["c d,path_invalid_char", "\\\\i\\e,path_invalid_char", "http:f,", "http://h/a/~g,"]),
        (
            "--level none",
            ["c d,path_invalid_char", "\\\\i\\e,path_invalid_char", "http:f,", "http://h/a/%7Eg,"],
        ),
        ("--repair", ["http://h/a/c%20d,", "http://i/e,", "http:f,", "http://h/a/~g,"]),
        (
            "--compat",
            ["c d,path_invalid_char", "\\\\i\\e,path_invalid_char", "http://h/a/f,", "http://h/a/~g,"],
        ),
        ("--spec whatwg", ["http://h/a/c%20d,", "http://i/e,", "http://h/a/f,", "http://h/a/%7Eg,"]),
    ] {
        assert_eq!(values(&rows(options, &page), &["uri", "error"]), expected, "{options}");
    }
}

/// Tables in every format, partitions, sorting, rejects and verification are the same as in `normalize`.
#[test]
fn links_go_through_every_sink() {
    let dir = dir();
    let body: String = (0..3000)
        .map(|i| format!("<a href='{i}'>{i}</a><a href='http://h{}.example/{i} x'>", i % 3))
        .collect();
    write(
        dir.path(),
        "in.warc.gz",
        gzip(&[html("http://h/", &body), html("http://i/", "<a href=a>")].concat()),
    );
    let run = |line: &str| urimill(&format!("links in.warc.gz {line}")).within(dir.path()).ok();
    run("-o all.jsonl --verify --threads 3");
    let all = read(&dir.path().join("all.jsonl"));
    assert_eq!(all.len(), 6001);
    for format in ["parquet", "arrow", "csv"] {
        run(&format!("-o all.{format} --verify"));
        let columns = ["page", "uri", "text", "position", "error"];
        assert_eq!(
            values(&read(&dir.path().join(format!("all.{format}"))), &columns),
            values(&all, &columns),
            "{format}"
        );
    }
    run("-o valid.jsonl --rejects bad.jsonl --verify");
    assert_eq!(read(&dir.path().join("valid.jsonl")).len(), 3001);
    assert_eq!(read(&dir.path().join("bad.jsonl")).len(), 3000);
    run("-o sorted.jsonl --sort-by position:desc --columns page,uri,position --verify");
    let sorted = read(&dir.path().join("sorted.jsonl"));
    let positions: Vec<_> = sorted.iter().map(|row| row["position"].as_i64().expect("a number")).collect();
    assert!(positions.is_sorted_by(|a, b| a >= b) && sorted.len() == 6001);
    run("-o parts/ --partition-by page --columns page,uri --to jsonl --verify");
    assert_eq!(names(&dir.path().join("parts")).iter().filter(|name| name.starts_with("page=")).count(), 2);
    assert_eq!(run("--to uris --summary none").text().lines().count(), 6001);
    // However the source is cut, the rows are the same.
    for chunk in [1, 100, 10_000] {
        run(&format!("-o cut.jsonl --force --chunk {chunk} --threads 2"));
        assert_eq!(read(&dir.path().join("cut.jsonl")), all, "{chunk}");
    }
}

/// A page has more links than a batch has rows.
#[test]
fn a_page_may_have_more_links_than_a_batch_rows() {
    let body: String = (0..70_000).map(|i| format!("<a href={i}>")).collect();
    let done = urimill("links --to csv --columns uri,page_record --summary json")
        .stdin(html("http://h/", &body))
        .ok();
    assert_eq!(done.text().lines().count(), 70_001);
    assert!(done.text().ends_with("\nhttp://h/69999,1\n"));
    assert_eq!(done.summary()["pages"]["links"], 70_000);
}

#[test]
fn what_a_file_is_its_beginning_and_its_name_say() {
    let dir = dir();
    let utf16: Vec<u8> = "\u{feff}<a href='é'>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    // (name, contents, raw)
    let table: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.html", b"text, then <a href=a>".to_vec(), "a"),
        ("b", b" <!DOCTYPE html><a href=b>".to_vec(), "b"),
        ("c.css", b"c{d:url(c)}".to_vec(), "c"),
        ("d.css.gz", gzip(b"c{d:url(d)}"), "d"),
        ("e.xml", b"<?xml version='1.0'?><urlset><url><loc>e</loc></url></urlset>".to_vec(), "e"),
        ("f.svg", b"<svg><a xlink:href='f'/></svg>".to_vec(), "f"),
        ("g.warc", html("http://h/", "<a href=g>"), "g"),
        ("h.htm", utf16.clone(), "é"),
        ("h", utf16, "é"),
        // The name says more than an element that XML documents begin with.
        ("j.html", b"<svg></svg><a href=j>".to_vec(), "j"),
        ("i.html", b"\xef\xbb\xbf<a href=\xc3\xa9>".to_vec(), "é"),
    ];
    let all: Vec<&str> = table.iter().map(|(name, ..)| *name).collect();
    for (name, contents, _) in &table {
        write(dir.path(), name, contents);
    }
    let run = all.iter().fold(urimill("links --to jsonl").within(dir.path()), |run, name| run.arg(name));
    let found = jsonl(&run.ok().stdout);
    let read: Vec<_> =
        found.iter().map(|row| row["raw"].as_str().or(row["uri"].as_str()).expect("a text")).collect();
    assert_eq!(read, table.iter().map(|(.., raw)| *raw).collect::<Vec<_>>());
    assert!(found.iter().all(|row| row["page_flags"].is_null()));
    let list: Vec<u8> = "\u{feff}http://h/\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for input in [&b"http://h/\n"[..], &list] {
        urimill("links --to jsonl")
            .stdin(input)
            .fails(2, &["standard input does not look like a page", "--from html"]);
    }
    let latin1 = rows("--from html --base http://h/", b"<a href=\xe9>");
    assert_eq!(values(&latin1, &["raw", "uri", "page_flags"]), [",é,charset_unknown"]);
    let cyrillic = rows("--from html --encoding windows-1251", b"<a href=\xcf>");
    assert_eq!(values(&cyrillic, &["uri", "page_flags"]), ["П,"]);
}

#[test]
fn wrong_options_are_refused() {
    for (line, parts) in [
        ("--to csv --columns no", &["there is no column \"no\"", "internal"][..]),
        ("--to csv --columns uri,+page", &["use a sign for all names or for none"]),
        ("--base a", &["no scheme"]),
        ("--base http://[", &["\"http://[\""]),
        ("--spec whatwg --repair", &["--repair is for the RFCs"]),
        ("--to uris --columns page", &["the format uris has only the column uri"]),
    ] {
        urimill(&format!("links {line}")).stdin("<a href=b>").fails(2, parts);
    }
    let text = urimill("links --columns -page,-base,+surt --to csv --summary none --from html")
        .stdin("<a href=http://h/>")
        .ok();
    let header = text.text().lines().next().expect("a header").to_owned();
    assert!(
        header.starts_with("page_record,base_kind,uri,raw,") && header.ends_with(",raw_bytes,surt"),
        "{header}"
    );
}

#[test]
fn the_archives_in_a_wacz_file_give_their_links() {
    let dir = dir();
    let [first, second] = ["http://h/a/", "http://i/b/"].map(|page| html(page, "<a href=c>"));
    let wacz = zip(&[
        ("datapackage.json", b"{}", true),
        ("archive/a.warc.gz", &gzip(&first), false),
        ("archive/b.warc", &second, true),
        ("pages/pages.jsonl", b"{}\n", true),
    ]);
    write(dir.path(), "a.wacz", &wacz);
    let done = urimill("links a.wacz --to csv --columns uri,source --summary none").within(dir.path()).ok();
    assert_eq!(done.text(), "uri,source\nhttp://h/a/c,a.wacz\nhttp://i/b/c,a.wacz\n");
}

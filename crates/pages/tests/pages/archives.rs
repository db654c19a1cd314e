//! The references of pages in web archives.

use serde_json::json;
use urimill_testkit::archives::{gzip, pages, record_of as record, response};

use super::{links, values};

/// Records of each kind, and the rows that come of them.
#[test]
fn archives_give_the_references_of_their_pages() {
    let archive = pages();
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
        let found = links("auto", &archive);
        assert_eq!(values(&found, &columns), expected);
        let errors: Vec<_> = found.iter().filter(|row| !row["error"].is_null()).collect();
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0]["error"], "record_malformed");
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
        let found = links("auto", &input);
        assert_eq!(found[0]["uri"], "http://h/0", "{fields}");
        let last = found.last().expect("a row");
        assert_eq!(
            (&last["error"], &last["uri"]),
            (&json!("record_malformed"), &json!("http://h/")),
            "{fields}"
        );
        assert!(found.iter().all(|row| row["page_flags"] == flag), "{fields}");
    }
    let broken = response("http://h/", "Content-Type: text/xml\r\n", b"<r><a href='b'/></x>");
    assert_eq!(
        values(&links("auto", &broken), &["uri", "error"]),
        ["http://h/b,", "http://h/,record_malformed"]
    );
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
    let found = links("wat", &wat);
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
    assert_eq!(values(&links("arc", &arc), &["page", "page_record", "uri"]), ["http://h/a,2,http://h/b"]);
}

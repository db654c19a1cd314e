//! Documents through the program: which are detected, where they are truncated, arrays of JSON, feeds of Scrapy.
//! `crates/pages/tests/pages` has the rows of each record.

use serde_json::{Value, json};
use urimill_testkit::documents::{ATOM, BURP, HAR, RSS, SITEMAP};

use super::run::{urimill, write};
use super::table::{Row, jsonl};

fn rows(options: &str, input: &str) -> Vec<Row> {
    jsonl(&urimill(&format!("normalize --to jsonl {options}")).stdin(input).ok().stdout)
}

/// That the rows have these members, in chunks of any size, with and without the name of the format.
fn assert_rows(name: &str, options: &str, input: &str, expected: &Value) {
    let expected = expected.as_array().expect("an array");
    for options in [
        format!("--from {name} {options}"),
        format!("--from {name} --chunk 1 {options}"),
        format!("--from {name} --chunk 300 --threads 3 {options}"),
        format!("--from auto {options}"),
    ] {
        let rows = rows(&options, input);
        assert_eq!(rows.len(), expected.len(), "{options}: {rows:?}");
        for (row, expected) in rows.iter().zip(expected) {
            for (member, value) in expected.as_object().expect("an object") {
                assert_eq!(row.get(member), Some(value), "{options}: {member} of {row:?}");
            }
        }
    }
    let done = urimill(&format!("normalize --to csv --from auto {options}")).stdin(input).ok();
    assert!(done.stderr.contains(&format!("read the input as {name}\n")), "{}", done.stderr);
}

/// What each document looks like, and how many rows it has.
#[test]
fn documents_are_detected() {
    let rdf = "<rdf:RDF xmlns:rdf=\"r\" xmlns=\"s\"><channel><items><rdf:Seq/></items></channel>\
               <item rdf:about=\"x\"><link>http://h/1</link></item></rdf:RDF>";
    let index = "<sm:sitemapindex xmlns:sm=\"s\"><sm:sitemap><sm:loc>http://h/1.xml</sm:loc></sm:sitemap></sm:sitemapindex>";
    let robots = "User-agent: *\nDisallow: /x # y\nsitemap : http://h/1.xml # one\r\n\nSITEMAP:http://h/2.xml\nSitemap:\n";
    let dump = "http://h/1\tVersion: 7\nStatus: 2 (db_fetched)\nScore: 1.0\n\nhttp://h/2\tVersion: 7\nStatus: 1 (db_unfetched)\n";
    let table = [
        ("sitemap", SITEMAP, 6),
        ("sitemap", index, 1),
        ("feed", RSS, 3),
        ("feed", ATOM, 2),
        ("feed", rdf, 1),
        ("har", HAR, 6),
        ("robots", robots, 3),
        ("robots", "Sitemap: http://h/1.xml\n", 1),
        ("burp", BURP, 6),
        ("nutch", dump, 2),
    ];
    for (name, input, count) in table {
        let found = rows("--from auto", input);
        assert_eq!((found.len(), &found), (count, &rows(&format!("--from {name}"), input)), "{name}");
        let done = urimill("normalize --to csv --from auto").stdin(input).ok();
        assert!(done.stderr.contains(&format!("read the input as {name}\n")), "{}", done.stderr);
    }
    // Other items are not Burp's.
    let others = BURP.replace("burpVersion", "version");
    urimill("normalize --to csv").stdin(others).fails(2, &["standard input"]);
}

/// A document that ends too early is damage; what was whole can be kept.
#[test]
fn truncated_documents() {
    let cut = SITEMAP.find("<priority>1").expect("a part of it");
    let har = HAR.find("\"pageref\": \"page_2\"").expect("a part of it");
    for (name, input, whole) in [("sitemap", &SITEMAP[..cut], 3), ("har", &HAR[..har], 1)] {
        let line = format!("normalize --from {name}");
        urimill(&line).stdin(input).fails(3, &["is truncated", &format!("at byte {}", input.len())]);
        let done = urimill(&format!("{line} --to jsonl --on-damage keep")).stdin(input).go();
        assert_eq!(done.code, Some(3), "{}", done.stderr);
        assert_eq!(jsonl(&done.stdout).len(), whole, "{name}");
    }
    urimill("normalize --from sitemap")
        .stdin("<urlset>")
        .fails(3, &["the rest of the document", "is truncated"]);
    urimill("normalize --from sitemap").stdin("<rss/>").fails(2, &["no XML document with the root <urlset>"]);
    urimill("normalize --from har")
        .stdin("{\"a\": 1}")
        .fails(2, &["no JSON document with an array log.entries"]);
}

#[test]
fn arrays_of_objects() {
    let array = "[\n{\"url\": \"http://h/1\", \"n\": 1},\n{\"url\": \"http://h/2\"\n, \"n\": [1, \"]\"]}\n,{\"n\": 3}, 4]\n";
    let expected = json!([
        {"record": 1, "uri": "http://h/1", "extra": "{\"n\":1}"},
        {"record": 2, "uri": "http://h/2", "extra": "{\"n\":[1, \"]\"]}"},
        {"record": 3, "error": "field_missing"},
        {"record": 4, "uri": "4", "error": "record_malformed"},
    ]);
    assert_rows("json", "--uri-field url", array, &expected);
    // The output of Scrapy, in each of its forms.
    let lines = "{\"url\": \"http://h/1\", \"n\": 1}\n{\"url\": \"http://h/2\"}\n";
    for (input, column) in [(array, "extra"), (lines, "extra"), ("n,url\n1,http://h/1\n2,http://h/2\n", "n")]
    {
        let rows = rows("--from scrapy", input);
        assert_eq!(
            (&rows[0]["uri"], &rows[1]["uri"]),
            (&json!("http://h/1"), &json!("http://h/2")),
            "{input}"
        );
        assert!(rows[0].get(column).is_some(), "{input}");
    }
    urimill("normalize --from scrapy --uri-field link").stdin(array).fails(2, &["\"link\"", "\"url\""]);
    urimill("normalize --from json").stdin(array).fails(2, &["--uri-field NAME"]);
}

/// Documents are bounded in memory, whatever their length.
#[test]
#[cfg(target_os = "linux")]
fn a_long_document_takes_no_more_memory() {
    let dir = super::run::dir();
    let element =
        "<url><loc>http://example.org/a/path/of/some/length</loc><lastmod>2005-06-04</lastmod></url>\n";
    let mut text = String::from("<urlset>\n");
    (0..300_000).for_each(|_| text.push_str(element));
    text.push_str("</urlset>\n");
    write(dir.path(), "a.xml", &text);
    let done =
        urimill("normalize a.xml --from sitemap --columns uri -o a.parquet --memory 64M --summary json")
            .within(dir.path())
            .ok();
    let summary = done.summary();
    assert_eq!(summary["records"], 300_000, "{summary}");
}

#[test]
fn feeds_of_scrapy_may_have_no_items() {
    // (the feed, its URIs): as Scrapy's exporters write them
    let cases: [(&str, &[&str]); 7] = [
        ("[\n]", &[]),
        ("[\n\n]", &[]),
        ("[]", &[]),
        (" [ ] \n", &[]),
        ("", &[]),
        ("[\n{\"url\": \"http://h/1\"},\n{\"url\": \"http://h/2\"}\n]", &["http://h/1", "http://h/2"]),
        // Another run has added to the file.
        ("[\n{\"url\": \"http://h/1\"}\n][\n{\"url\": \"http://h/2\"}\n]", &["http://h/1", "http://h/2"]),
    ];
    for (feed, expected) in cases {
        let done = urimill("normalize --from scrapy --to jsonl").stdin(feed).ok();
        let found = jsonl(&done.stdout);
        let uris: Vec<_> = found.iter().map(|row| row["uri"].as_str().unwrap_or_default()).collect();
        assert_eq!(uris, expected, "{feed:?}");
    }
}

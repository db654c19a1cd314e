//! Sitemaps, feeds, HAR files, and the lists of crawlers: a row for each record, every field in its own column, and
//! broken records beside whole ones.

use serde_json::{Value, json};
use urimill_testkit::documents::{ATOM, BURP, HAR, RSS, SITEMAP};
use urimill_testkit::reading::assert_has;

use super::rows;

/// Asserts that the rows have these members, in chunks of any size.
fn assert_rows(name: &str, options: &str, input: &str, expected: &Value) {
    let expected = expected.as_array().expect("an array");
    for sizes in ["", "--chunk 1", "--chunk 300 --threads 3"] {
        let what = format!("{name} {sizes} {options}");
        let rows = rows(&what, input);
        assert_eq!(rows.len(), expected.len(), "{what}: {rows:?}");
        rows.iter().zip(expected).for_each(|(row, expected)| assert_has(row, expected, &what));
    }
}

#[test]
fn an_element_of_a_sitemap_is_a_row() {
    let first = json!({"image:image": [{"image:loc": "http://example.org/a.png"}, {"image:loc": "http://example.org/b.png"}],
        "xhtml:link": {"@rel": "alternate", "@hreflang": "de", "@href": "http://example.org/de?x&y"}});
    let at = |text: &str| SITEMAP.find(text).expect("a part of it");
    let expected = json!([
        {"record": 1, "uri": "http://example.org/a?b=1&c=~", "raw": "http://Example.org/a?b=1&c=%7e", "element": "url",
         "lastmod": "2005-06-04T12:00:00Z", "changefreq": "weekly", "priority": "0.8", "extra": first.to_string(),
         "field_errors": null, "error": null, "offset": at("<url>\n")},
        {"record": 2, "uri": "http://example.org/c&d", "lastmod": "2005-06-04T00:00:00Z", "changefreq": null,
         "extra": null, "offset": at("<url><loc><![CDATA")},
        {"record": 3, "uri": "<url><lastmod>yesterday</lastmod></url>", "error": "field_missing", "lastmod": null,
         "field_errors": "lastmod:not_a_time"},
        {"record": 4, "uri": null, "error": null, "priority": "1"},
        {"record": 5, "uri": "<url/>", "error": "field_missing"},
        {"record": 6, "uri": "http://example.org/ef", "extra": "{\"loc\":\"http://second/\"}"},
    ]);
    assert_rows("sitemap", "--columns +offset", SITEMAP, &expected);
    let index = "<sm:sitemapindex xmlns:sm=\"s\"><sm:sitemap><sm:loc>http://h/1.xml</sm:loc><sm:lastmod>2005</sm:lastmod>\
                 </sm:sitemap></sm:sitemapindex>";
    let expected =
        json!([{"uri": "http://h/1.xml", "element": "sitemap", "lastmod": "2005-01-01T00:00:00Z"}]);
    assert_rows("sitemap", "", index, &expected);
}

/// (the bytes between two good elements, rows: text and error)
#[test]
fn broken_elements_of_a_sitemap_keep_their_rows() {
    let table: &[(&str, &[(&str, &str)])] = &[
        ("<url><loc>http://x/</loc>", &[("<url><loc>http://x/</loc>", "record_malformed 25")]),
        ("<url><loc>http://x/</url>", &[("<url><loc>http://x/</url>", "record_malformed 19")]),
        ("<url><loc>http://x/<loc></url>", &[("<url><loc>http://x/<loc></url>", "record_malformed 24")]),
        ("<url><loc>a&b</loc></url>", &[("<url><loc>a&b</loc></url>", "record_malformed 11")]),
        ("<url><loc>a&x;b</loc></url>", &[("<url><loc>a&x;b</loc></url>", "record_malformed 11")]),
        ("<url>x/</url>", &[("<url>x/</url>", "record_malformed 5")]),
        ("<url><loc>http://x/</loc>y</url>", &[("<url><loc>http://x/</loc>y</url>", "record_malformed 25")]),
        ("<urk><loc>http://x/</loc></urk>", &[("<urk><loc>http://x/</loc></urk>", "record_malformed 1")]),
        ("http://x/", &[("http://x/", "record_malformed 0")]),
        ("</url>", &[]),
        ("<!-- <url> -->", &[]),
        ("<url><loc>\u{e9}</loc></url>", &[("\u{e9}", "path_invalid_char 0")]),
    ];
    for &(between, expected) in table {
        let good = |n: u8| format!("<url><loc>http://h/{n}</loc></url>");
        let input = format!("<urlset>{}{between}{}</urlset>", good(1), good(2));
        for options in ["sitemap", "sitemap --chunk 1"] {
            let rows = rows(options, &input);
            let found: Vec<(String, String)> = rows
                .iter()
                .map(|row| {
                    let text = row["uri"].as_str().expect("a text").to_owned();
                    let error = row["error"].as_str().map(|error| format!("{error} {}", row["error_offset"]));
                    (text, error.unwrap_or_default())
                })
                .collect();
            let mut all = vec![("http://h/1".to_owned(), String::new())];
            all.extend(expected.iter().map(|&(text, error)| (text.to_owned(), error.to_owned())));
            all.push(("http://h/2".to_owned(), String::new()));
            assert_eq!(found, all, "{between}");
        }
    }
}

#[test]
fn an_element_that_is_too_long_costs_itself() {
    let long = format!(
        "<urlset><url><loc>http://h/{}</loc></url><url><loc>http://h/2</loc></url></urlset>",
        "x".repeat(17 << 20)
    );
    let rows = rows("sitemap --columns record,error", &long);
    assert_eq!(json!(rows), json!([{"record": 1, "error": "too_long"}, {"record": 2, "error": null}]));
}

#[test]
fn an_entry_of_a_feed_is_a_row() {
    let extra = json!({"description": "<p>text"}).to_string();
    let expected = json!([
        {"uri": "http://h/1", "title": "One & two\u{a0}", "id": "g1", "published": "2005-06-04T12:00:00Z",
         "updated": null, "author": "A. B.", "extra": extra, "error": null, "field_errors": null},
        {"uri": "http://h/2", "id": "http://h/2",
         "extra": json!({"source": {"@url": "http://s/", "#text": "S"}}).to_string()},
        {"uri": "<item><guid isPermaLink=\"false\">g3</guid></item>", "error": "field_missing", "id": "g3"},
    ]);
    assert_rows("feed", "", RSS, &expected);
    let extra = json!({"link": {"@rel": "self", "@href": "http://h/self"}, "author": {"name": "A"},
                       "content": {"@type": "html", "#text": "<p>"}});
    let expected = json!([
        {"uri": "http://h/1?a&b", "id": "urn:1", "title": "T", "published": "2005-06-04T12:00:00Z",
         "updated": "2005-06-05T11:00:00.500Z", "extra": extra.to_string()},
        {"error": "field_missing", "id": "urn:2"},
    ]);
    assert_rows("feed", "", ATOM, &expected);
    let rdf = "<rdf:RDF xmlns:rdf=\"r\" xmlns=\"s\"><channel><items><rdf:Seq/></items></channel>\
               <item rdf:about=\"x\"><link>http://h/1</link></item></rdf:RDF>";
    assert_rows("feed", "", rdf, &json!([{"uri": "http://h/1", "error": null}]));
}

#[test]
fn a_request_of_a_har_file_is_a_row() {
    let expected = json!([
        {"record": 1, "uri": "http://example.org/a?b", "raw": "http://Example.org/a?b",
         "time": "2005-06-04T12:00:00.250Z", "method": "GET", "protocol": "HTTP/2", "status": 301,
         "mime": "text/html; charset=x", "size": 1234, "body_size": null, "redirect": "http://example.org/c",
         "server_ip": "192.0.2.7", "page": "page_1", "duration_us": 12_750, "resource_type": "document", "field_errors": null},
        {"record": 2, "uri": "http://h/\u{e9}", "error": "path_invalid_char", "method": "POST", "status": null,
         "redirect": null, "page": "page_2", "field_errors": null},
        {"record": 3, "uri": "{\"request\": {}}", "error": "field_missing"},
        {"record": 4, "uri": "{\"request\": {\"url\": 7}}", "error": "record_malformed", "error_offset": 20},
        {"record": 5, "uri": "17", "error": "record_malformed", "error_offset": 0},
        {"record": 6, "uri": null, "error": null},
    ]);
    assert_rows("har", "", HAR, &expected);
}

#[test]
fn sitemaps_of_robots_and_seeds_are_rows() {
    let robots = "User-agent: *\nDisallow: /x # y\nsitemap : http://h/1.xml # one\r\n\nSITEMAP:http://h/2.xml\nSitemap:\n";
    let expected = json!([
        {"record": 3, "uri": "http://h/1.xml"},
        {"record": 5, "uri": "http://h/2.xml"},
        {"record": 6, "uri": null},
    ]);
    assert_rows("robots", "", robots, &expected);
    assert_rows("robots", "", "Sitemap: http://h/1.xml\n", &json!([{"uri": "http://h/1.xml"}]));
    let seeds = "http://h/1\tnutch.score=10\tkey=a=b\r\n# no seed\nhttp://h/2\nhttp://h/3 \tk=1\tk=2\nhttp://h/4\tk=1\tx\n";
    let expected = json!([
        {"record": 1, "uri": "http://h/1", "metadata": "{\"key\":\"a=b\",\"nutch.score\":\"10\"}"},
        {"record": 3, "uri": "http://h/2", "metadata": null},
        {"record": 4, "uri": "http://h/3", "metadata": "{\"k\":[\"1\",\"2\"]}"},
        {"record": 5, "uri": "http://h/4\tk=1\tx", "error": "record_malformed", "error_offset": 15, "metadata": "{\"k\":\"1\"}"},
    ]);
    let rows_of = rows("seeds", seeds);
    for (row, expected) in rows_of.iter().zip(expected.as_array().expect("an array")) {
        for (member, value) in expected.as_object().expect("an object") {
            let (found, value) = (&row[member], value);
            let same = match (found.as_str(), value.as_str()) {
                (Some(a), Some(b)) if a.starts_with('{') => {
                    serde_json::from_str::<Value>(a).ok() == serde_json::from_str::<Value>(b).ok()
                }
                _ => found == value,
            };
            assert!(same, "{member} of {row:?}");
        }
    }
    assert_eq!(rows_of.len(), 4);
}

#[test]
fn an_item_of_burp_is_a_row() {
    let expected = json!([
        {"record": 1, "uri": "https://h.example/a?b=~&c", "raw": "https://h.example/a?b=%7e&c", "error": null,
         "time": "2024-05-21T03:00:01Z", "method": "POST", "status": 201, "size": 345, "mime": "JSON",
         "comment": "twice", "server_ip": "192.0.2.1", "field_errors": null},
        {"record": 2, "uri": null, "error": null, "status": null},
        {"record": 3, "error": "field_missing", "field_errors": "status:not_a_number"},
        {"record": 4, "uri": "<items><url>http://h/</url></items>", "error": "record_malformed", "error_offset": 1},
        {"record": 5, "error": "record_malformed"},
        {"record": 6, "uri": "/relative", "error": null, "server_ip": null},
    ]);
    assert_rows("burp", "", BURP, &expected);
}

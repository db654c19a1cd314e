//! Sitemaps, feeds, HAR files, arrays of JSON, and the lists and dumps of crawlers: a row for each record, every field
//! in its own column, and broken records beside whole ones.

use serde_json::{Value, json};

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

const SITEMAP: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- <url><loc>http://no/</loc></url> -->
<!DOCTYPE urlset [ <!ENTITY a "b"> ]>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i" xmlns:xhtml="x">
  <url>
    <loc>http://Example.org/a?b=1&amp;c=%7e</loc>
    <lastmod>2005-06-04T14:00:00+02:00</lastmod><changefreq>weekly</changefreq>
    <priority> 0.8 </priority>
    <image:image><image:loc>http://example.org/a.png</image:loc></image:image>
    <image:image><image:loc>http://example.org/b.png</image:loc></image:image>
    <xhtml:link rel="alternate" hreflang="de" href="http://example.org/de?x&amp;y"/>
  </url>
  <url><loc><![CDATA[http://example.org/c&d]]></loc><lastmod>2005-06-04</lastmod></url>
  <url><lastmod>yesterday</lastmod></url>
  <url><loc/><priority>1</priority></url><url/>
  <url note="a>b"><loc>
     http://example.org/e&#x66;
  </loc><loc>http://second/</loc></url>
</urlset>
"#;

#[test]
fn sitemaps() {
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
fn broken_elements_of_a_sitemap() {
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
        for options in ["--from sitemap", "--from sitemap --chunk 1"] {
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
    // An element longer than is held, and records after it.
    let long = format!(
        "<urlset><url><loc>http://h/{}</loc></url><url><loc>http://h/2</loc></url></urlset>",
        "x".repeat(17 << 20)
    );
    let rows = rows("--from sitemap --columns record,error --keep none", &long);
    assert_eq!(json!(rows), json!([{"record": 1, "error": "too_long"}, {"record": 2, "error": null}]));
}

const RSS: &str = r#"<?xml version="1.0"?>
<rss version="2.0" xmlns:dc="d" xmlns:atom="a"><channel>
  <title>A feed</title><link>http://feed/</link><atom:link rel="self" href="http://feed/rss"/>
  <image><url>http://feed/i.png</url></image>
  <item><title>One &amp; two&nbsp;</title><link>http://h/1</link><guid isPermaLink="false">g1</guid>
    <pubDate>Sat, 04 Jun 2005 12:00:00 GMT</pubDate><dc:creator>A. B.</dc:creator>
    <description><![CDATA[<p>]]>text</description></item>
  <item><guid>http://h/2</guid><source url="http://s/">S</source></item>
  <item><guid isPermaLink="false">g3</guid></item>
</channel></rss>"#;

const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:feed</id><link href="http://feed/"/>
  <entry><link rel="self" href="http://h/self"/><link href="http://h/1?a&amp;b"/><id>urn:1</id><title>T</title>
    <published>2005-06-04T12:00:00Z</published><updated>2005-06-05T12:00:00.5+01:00</updated>
    <author><name>A</name></author><content type="html">&lt;p&gt;</content></entry>
  <entry><id>urn:2</id></entry>
</feed>"#;

#[test]
fn feeds() {
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

const HAR: &str = r#"{ "log": {"version": "1.2", "creator": {"name": "x \"entries\": [{}]"}, "pages": [{"id": "page_1"}],
  "entries": [
    {"pageref": "page_1", "startedDateTime": "2005-06-04T14:00:00.250+02:00", "time": 12.75,
     "request": {"method": "GET", "url": "http://Example.org/a?b", "httpVersion": "HTTP/2", "headers": [{"name": "url"}]},
     "response": {"status": 301, "redirectURL": "http://example.org/c", "bodySize": -1, "headers": [],
       "content": {"size": 1234, "mimeType": "text/html; charset=x", "text": "}]\"{ \\"}},
     "serverIPAddress": "192.0.2.7", "_resourceType": "document"},
    {"pageref": "page_2", "request": {"url": "http://h/\u00e9", "method": "POST"},
     "response": {"status": -1, "redirectURL": "", "content": {}}}, {"request": {}},
    {"request": {"url": 7}}, 17, {"request": {"url": null}}
  ], "comment": "]"} }"#;

#[test]
fn har_files() {
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

#[test]
fn robots_and_seeds() {
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
    let rows_of = rows("--from seeds", seeds);
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

const BURP: &str = r#"<?xml version="1.0"?>
<!DOCTYPE items [ <!ELEMENT items (item*)> <!ATTLIST items burpVersion CDATA ""> ]>
<items burpVersion="2024.6" exportTime="Tue May 21 12:00:00 UTC 2024">
  <item><time>Tue May 21 12:00:01 KST 2024</time><url><![CDATA[https://h.example/a?b=%7e&c]]></url>
    <host ip="192.0.2.1">h.example</host><port>443</port><protocol>https</protocol>
    <method><![CDATA[POST]]></method><path><![CDATA[/a?b=%7e&c]]></path><extension>null</extension>
    <request base64="true"><![CDATA[UE9TVA==]]></request><status>201</status>
    <responselength>345</responselength><mimetype>JSON</mimetype>
    <response base64="false"><![CDATA[HTTP/1.1 201 Created <url>]]></response><comment>twice</comment></item>
  <item><url></url><status></status></item>
  <item><status>2x</status></item>
  <items><url>http://h/</url></items>
  <item><url>http://h/<b/></item>
  <item><url>/relative</url><host ip="">h</host></item>
</items>
"#;

#[test]
fn items_of_burp() {
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
    // Other items are not Burp's.
    let others = BURP.replace("burpVersion", "version");
    urimill("normalize --to csv").stdin(others).fails(2, &["standard input"]);
}

#[test]
fn dumps_of_nutch() {
    let dump = "http://h/1\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Sat Jun 04 12:00:00 UTC 2005\n\
                Modified time: Thu Jan 01 00:00:00 UTC 1970\nRetries since fetch: 0\n\
                Retry interval: 2592000 seconds (30 days)\nScore: 1.0\nSignature: null\nMetadata: \n \
                \t_pst_=success(1), lastModified=0\n\tContent-Type=text/html\n\n\
                http://h/2\tVersion: 7\r\nStatus: 1 (db_unfetched)\r\nScore: 0.5\r\n\r\n\
                http://h/3\nStatus: 1\n\nhttp://h/4\tVersion: 7\nStatus: 1 (db_unfetched)\nWhat: 1\nScore: 0.25\n";
    let expected = json!([
        {"record": 1, "uri": "http://h/1", "version": 7, "status": 2, "status_name": "db_fetched",
         "fetch_time": "2005-06-04T12:00:00Z", "modified_time": "1970-01-01T00:00:00Z", "retries": 0,
         "retry_interval": 2592000, "score": "1.0", "signature": null, "field_errors": null,
         "metadata": json!({"_pst_": "success(1), lastModified=0", "Content-Type": "text/html"}).to_string()},
        {"record": 2, "uri": "http://h/2", "status": 1, "status_name": "db_unfetched", "score": "0.5", "metadata": null},
        {"record": 3, "uri": "http://h/3\nStatus: 1", "error": "record_malformed", "error_offset": 0},
        {"record": 4, "error": "record_malformed", "error_offset": 47, "status": 1, "score": null},
    ]);
    assert_rows("nutch", "", dump, &expected);
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

//! Small archives and documents that are not lists of lines, with what real ones have of odd.

use std::fs;
use std::path::Path;

const SITEMAP: &str = r#"<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="i">
  <url><loc>http://Example.org/a?b=1&amp;c=%7e</loc><lastmod>2005-06-04T14:00:00+02:00</lastmod>
    <changefreq>weekly</changefreq><priority> 0.8 </priority><image:image><image:loc>i "1"</image:loc></image:image></url>
  <url><loc>http://example.org/ä</loc><lastmod>0001-01-01</lastmod></url>
  <url><lastmod>yesterday</lastmod></url><other/>
</urlset>
"#;

const FEED: &str = r#"<rss version="2.0" xmlns:dc="d"><channel><title>A feed</title>
  <item><title>One &amp; "two", 3</title><link>http://h/1</link><guid isPermaLink="false">g1</guid>
    <pubDate>Sat, 04 Jun 2005 12:00:00 GMT</pubDate><dc:creator>ä</dc:creator><description>line
line</description></item>
  <item><guid>http://h/2</guid></item><item><guid isPermaLink="false">g3</guid></item>
</channel></rss>"#;

const BURP: &str = r#"<?xml version="1.0"?>
<items burpVersion="2024.6" exportTime="Tue May 21 12:00:00 UTC 2024">
  <item><time>Tue May 21 12:00:01 UTC 2024</time><url><![CDATA[https://h.example/a?b=%7e&c]]></url>
    <host ip="192.0.2.1">h.example</host><port>443</port><protocol>https</protocol>
    <method><![CDATA[POST]]></method><path><![CDATA[/a?b=%7e&c]]></path><status>201</status>
    <responselength>345</responselength><mimetype>JSON</mimetype><comment>twice</comment></item>
  <item><url></url><status></status></item>
  <item><url>http://h/%zz</url><status>200</status></item>
</items>
"#;

const HAR: &str = r#"{"log": {"version": "1.2", "creator": {"name": "x"}, "entries": [
  {"pageref": "page_1", "startedDateTime": "2005-06-04T14:00:00.250+02:00", "time": 12.75,
   "request": {"method": "GET", "url": "http://Example.org/a?b", "httpVersion": "HTTP/2"},
   "response": {"status": 301, "redirectURL": "http://example.org/c", "bodySize": -1,
     "content": {"size": 9007199254740993, "mimeType": "text/html"}}, "serverIPAddress": "192.0.2.7"},
  {"request": {"url": "http://h/\u00e9"}, "response": {"status": 99999999999, "content": {}}}, {"request": {}}, 17
]}}"#;

const NUTCH: &str = "http://h/1\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Sat Jun 04 12:00:00 UTC 2005\n\
    Modified time: Thu Jan 01 00:00:00 UTC 1970\nRetries since fetch: 0\nRetry interval: 2592000 seconds (30 days)\n\
    Score: 1.0\nSignature: null\nMetadata: \n \tContent-Type=text/html\n\n\
    http://h/2\tVersion: 7\nStatus: x\nScore: 0.5\n\nhttp://h/3\nStatus: 1\n\n";

const SEEDS: &str = "http://h/1\tnutch.score=10\tkey=a=\"b\"\nhttp://h/2\n# none\nhttp://h/3\tx\n";

const ARC: [(&str, &str); 4] = [
    ("filedesc://a.arc 0.0.0.0 20050604120000 text/plain", "1 0 Archive\n"),
    ("http://Example.org/a 192.0.2.7 20050604120001 text/html", "HTTP/1.1 404 Not Found\r\n\r\n<p>"),
    ("dns:example.org 2001:db8::1 20059999999999 text/dns", "x"),
    ("http://example.org/2 - 20050604120003 text/html 301 CHECK http://l/ 99 a.arc", "HTTP/1.0 301\n"),
];

/// Writes them into a folder.
pub(crate) fn write(folder: &Path) {
    let arc: String = ARC.iter().map(|(head, block)| format!("{head} {}\n{block}\n", block.len())).collect();
    for (name, text) in [
        ("sitemap.xml", SITEMAP),
        ("feed.xml", FEED),
        ("a.har", HAR),
        ("items.xml", BURP),
        ("crawldb.txt", NUTCH),
        ("seeds.txt", SEEDS),
        ("a.arc", &arc),
    ] {
        fs::write(folder.join(name), text).expect("a file");
    }
}

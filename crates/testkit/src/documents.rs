//! Documents that tests read: a sitemap, feeds, a HAR file, and what Burp saves.

pub const SITEMAP: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
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

pub const RSS: &str = r#"<?xml version="1.0"?>
<rss version="2.0" xmlns:dc="d" xmlns:atom="a"><channel>
  <title>A feed</title><link>http://feed/</link><atom:link rel="self" href="http://feed/rss"/>
  <image><url>http://feed/i.png</url></image>
  <item><title>One &amp; two&nbsp;</title><link>http://h/1</link><guid isPermaLink="false">g1</guid>
    <pubDate>Sat, 04 Jun 2005 12:00:00 GMT</pubDate><dc:creator>A. B.</dc:creator>
    <description><![CDATA[<p>]]>text</description></item>
  <item><guid>http://h/2</guid><source url="http://s/">S</source></item>
  <item><guid isPermaLink="false">g3</guid></item>
</channel></rss>"#;

pub const ATOM: &str = r#"<feed xmlns="http://www.w3.org/2005/Atom"><id>urn:feed</id><link href="http://feed/"/>
  <entry><link rel="self" href="http://h/self"/><link href="http://h/1?a&amp;b"/><id>urn:1</id><title>T</title>
    <published>2005-06-04T12:00:00Z</published><updated>2005-06-05T12:00:00.5+01:00</updated>
    <author><name>A</name></author><content type="html">&lt;p&gt;</content></entry>
  <entry><id>urn:2</id></entry>
</feed>"#;

pub const HAR: &str = r#"{ "log": {"version": "1.2", "creator": {"name": "x \"entries\": [{}]"}, "pages": [{"id": "page_1"}],
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

pub const BURP: &str = r#"<?xml version="1.0"?>
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

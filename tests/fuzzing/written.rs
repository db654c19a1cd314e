//! Small inputs in text formats, as seeds of mutations.

pub(crate) const CSV: &[&str] = &[
    "name,url,size",
    "a,http://example.com/a,1",
    "\"b\",\"http://example.com/b\",\"2\"",
    "\"c,\"\"d\"\"\",\"http://example.com/?q=\"\"x\"\"\",",
    "\"e\nf\",http://example.com/e",
    "g",
    "http://example.com/base,../relative,3",
    "\"unclosed,http://example.com/h,4",
    "i,\"http://example.com/i\"x,5",
    "j,\"http://example.com/k\n\nl\"",
    "m,\"\nn\"\"\n\"",
];

pub(crate) const JSONL: &[&str] = &[
    "{\"url\":\"http://example.com/a\"}",
    "{\"base\":\"http://example.com/b/\",\"url\":\"../c\",\"n\":1}",
    "{\"n\":[1,{\"x\":null}],\"url\":\"http:\\/\\/example.com\\/\\u00e9\\ud83d\\ude00\",\"t\":true}",
    "{\"url\":5}",
    "{}",
    " { \"url\" : \"x\" , \"url\" : \"y\" } ",
    "[1,2]",
    "{\"n\":-1.5e+3,\"url\":\"\\\"\"}",
];

pub(crate) const HERITRIX: &[&str] = &[
    "2016-02-08T20:45:20.041Z   200       5031 http://example.com/ LLX http://example.com/via text/html #012 20160208204519957+77 sha1:2P2ZTJ7WA - -",
    "2016-02-08T20:45:20.041Z    -6          - dns:example.com - - text/dns #003 - - - unknown",
    "2016-02-08T20:45:21.041Z 404 12 http://example.com/robots.txt P http://example.com/ text/plain #001 20160208204519957+7 sha1:AAAA tag {\"a\":1}",
];

pub(crate) const CDX: &[&str] = &[
    " CDX N b a m s k r M S V g",
    "com,example)/ 20130729195151 http://example.com/ text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 2258 334 example.warc.gz",
    "com,example)/a 20130729195151 http://example.com/a warc/revisit - B2LT - - 553 11875 example.warc.gz",
    " CDX N b a m s k r V g",
    "com,example)/ 20130729195151 http://example.com/ - - - - 1 x",
    "com,example)/ 2013",
];

pub(crate) const CDXJ: &[&str] = &[
    "com,example)/ 20140126200624 {\"url\": \"http://example.com/\", \"mime\": \"text/html\", \"status\": \"200\", \"digest\": \"OSSA\", \"length\": \"1656\", \"offset\": \"621\", \"filename\": \"x.warc.gz\"}",
    "com,example)/a 20140126200625 {\"url\":\"http://example.com/a\",\"status\":\"-\",\"unknown\":[1,2]}",
    "!OpenWayback-CDXJ 1.0",
    "com,example)/b 20140126200626 {\"status\": \"200\"}",
];

pub(crate) const ARC: &str = "filedesc://a.arc 0.0.0.0 20050604120000 text/plain 4\n1 0\n\n\
    http://example.com/ 192.0.2.1 20050604120000 text/html 13\nHTTP/1.0 200\n\n\
    http://example.com/b 192.0.2.1 20050604120000 text/plain 200 SUM http:x 5 a.arc 4\nabc\n\n\
    http://example.com/c 2001:db8::1 20050604120000 text/plain 7\na\n\nb\n\nc\n";

pub(crate) const SITEMAPS: &[&str] = &[
    "<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n<url>\n<loc>http://h/?a&amp;b</loc>\n\
     <lastmod>2024-05-01</lastmod></url><url/><url><loc> http://h/ </loc><x:y z='1'>&#xe9;<w/></x:y></url></urlset>\n",
    "<s:sitemapindex><s:sitemap><s:loc><![CDATA[http://h/a]]></s:loc></s:sitemap><!-- <url> --><other/></s:sitemapindex>",
    "<!DOCTYPE urlset [<!ENTITY a \"b\">]><urlset><url><loc>http://h/<b/>c</loc><priority>0.5</priority></url>",
];

pub(crate) const FEEDS: &[&str] = &[
    "<rss><channel><title>x</title><item><title>a</title><link>http://h/a</link><guid isPermaLink=\"false\">g</guid>\
     <pubDate>Mon, 06 Sep 2021 00:01:00 +0000</pubDate></item><item><guid>http://h/b</guid></item></channel></rss>",
    "<feed><entry><link rel=\"self\" href=\"b\"/><link href=\"http://h/\"/><title>t</title><id>urn:x</id></entry>\
     <entry><link rel='alternate' href='http://h/2'/></entry></feed>",
    "<rdf:RDF><item rdf:about=\"http://h/\"><link>http://h/</link><dc:date>2020</dc:date></item></rdf:RDF>",
];

pub(crate) const HARS: &[&str] = &[
    "{\"log\":{\"version\":\"1.2\",\"entries\":[{\"pageref\":\"p\",\"time\":1.5,\"request\":{\"method\":\"GET\",\"url\":\
     \"http://h/\"},\"response\":{\"status\":200,\"content\":{\"size\":7,\"text\":\"]}\\\"{\"}}},{\"request\":{\"url\":\
     \"http:\\/\\/h\\/\"}},5,{}]}}",
    "[\n{\"url\": \"http://h/a\", \"x\": [1, {\"y\": \"]}\"}]},\n{\"url\":\"http:\\u002f/h/\"}, {\"n\":1},\n[]]\n",
    "{\"log\":{\"entries\":[]},\"more\":{\"entries\":[{\"request\":{\"url\":\"x\"}}]}}",
];

pub(crate) const NUTCH: &str = "http://h/\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Sat May 04 18:52:13 UTC 2024\n\
    Signature: ab\nMetadata: \n \t_pst_=success(1), lastModified=0\n \tx=y\n\n\
    Recno:: 0\nURL:: http://h/b\n\nCrawlDatum::\nVersion: 7\n\nhttp://h/c\tVersion: 7\n\n\n";

pub(crate) const LISTS: &str = "User-agent: *\nSitemap: http://h/sitemap.xml # it\nDisallow: /x\nsitemap:http://h/2\n\
    http://h/\n+http://(h\n# comment\n-h\nh/path F+ x=y\n";

pub(crate) const CLF: &[&str] = &[
    "192.0.2.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /a.gif HTTP/1.0\" 200 2326",
    "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a?b=\\\"c\\\" HTTP/1.1\" 200 - \"http://example.com/\" \"Mozilla/5.0 (X11; \\x22x\\x22)\" rest",
    "- - - [17/May/2015:10:05:03 +0000] \"\\x16\\x03\\x01\" 400 226 \"-\" \"-\"",
    "host - - [17/May/2015:10:05:03 +0000] \"OPTIONS * HTTP/1.0\" 200 1",
    "::1 - - [x] \"CONNECT h:443 HTTP/1.1\" 405 -",
];

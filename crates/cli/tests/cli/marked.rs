//! Unknown input is marked: inputs in which a value could be taken for another one, or a record be skipped.

use std::time::{Duration, Instant};

use super::run::{dir, urimill, write};

/// (format, input, columns, rows)
const CASES: &[(&str, &str, &str, &str)] = &[
    // A feed whose item has a broken start tag; its end is a row.
    (
        "feed",
        "<rss><channel><itxem><link>http://a/1</link></item><item><link>http://a/2</link></item></channel></rss>",
        "record,uri,error",
        "1,</item>,record_malformed\n2,http://a/2,\n",
    ),
    // Text around an element is a part of a URI, and the rest would be another one.
    (
        "sitemap",
        "<urlset><url><loc>http://a/<b>1</b>2</loc></url><url><loc>http://a/<!-- c -->3</loc></url></urlset>",
        "record,error,error_offset,path",
        "1,record_malformed,5,\n2,,,/3\n",
    ),
    (
        "feed",
        "<rss><item><link>http://a/<b/>2</link></item><item><title>T<b>1</b></title><guid>http://a/3</guid></item></rss>",
        "error,path,title,extra",
        "record_malformed,,,\n,/3,,\"{\"\"title\"\":{\"\"#text\"\":\"\"T\"\",\"\"b\"\":\"\"1\"\"}}\"\n",
    ),
    // The meaning of a broken attribute is unknown.
    (
        "feed",
        "<feed><entry><link rel=self href=\"http://self/\"/></entry><entry><link href=\"http://a/?b&c=1\"/></entry>\
         <entry><link hrf=\"http://b/\"/></entry><entry><l&k/></entry></feed>",
        "error,error_offset",
        "record_malformed,7\nrecord_malformed,7\nrecord_malformed,7\nrecord_malformed,7\n",
    ),
    // The block is shorter than the header says, or longer: the rest of one is not a header.
    (
        "arc",
        "http://a/1 192.0.2.1 20050604120000 a/b 3\nabcdef\nhttp://a/2 192.0.2.1 20050604120000 a/b 3\nabc\n",
        "record,uri,error",
        "1,http://a/1,\n2,def,record_malformed\n3,http://a/2,\n",
    ),
    (
        "arc",
        "http://a/1 192.0.2.1 20050604120000 a/b 5\nabc\nhttp://a/2 192.0.2.1 20050604120000 a/b 3\nabc\n",
        "record,uri,error",
        "1,http://a/1,\n2,ttp://a/2 192.0.2.1 20050604120000 a/b 3,record_malformed\n",
    ),
    ("arc", "/1 192.0.2.1 20050604120000 a/b 3\nabc\n", "error", "record_malformed\n"),
    // Lines of a dump that run together.
    (
        "nutch",
        "http://a/1\tVersion: 7\nStatus: 2 (a)\nScore: 1.0Signature: abc\n\n\
         http://a/2\tVersion: 7\nStatus: 2 (a)\nMetadata: \n \tk=v\nhttp://a/?b=3\tVersion: 7\nStatus: 1 (b)\n\n\
         http://a/4\tVersion: 7Status: 2 (a)\nScore: 1.0\n\nhttp://a/5\tVersion: 7\nScore: 1\nScore: 2\n",
        "record,error,error_offset,status,score,metadata",
        "1,record_malformed,36,2,,\n2,record_malformed,53,2,,\n3,record_malformed,20,,,\n4,record_malformed,31,,1,\n",
    ),
    // White space after the last paragraph is none. It was one after the other, for ever.
    ("nutch", "http://a/1\tVersion: 7\nScore: 1.0\n\n \n", "record,uri,score", "1,http://a/1,1.0\n"),
    // A line that is not a rule is not a robots.txt.
    (
        "robots",
        "<html>\nhttp://a/\nSitemap: http://b/\nDisallow\n# c\nX-Rule: 1\n",
        "record,uri,error",
        "1,<html>,record_malformed\n2,http://a/,record_malformed\n3,http://b/,\n4,Disallow,record_malformed\n",
    ),
    // A header without its line end has the next one in its value.
    (
        "warc",
        "WARC/1.0\r\nWARC-Type: resourceWARC-IP-Address: 192.0.2.1\r\nWARC-Target-URI: http://a/\r\nWARC-Record-ID: <urn:a>\
         \r\nContent-Type: a/bWARC-Payload-Digest: sha1:A\r\nWARC-Date: 2005-06-04T12:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n",
        "uri,warc_type,content_type,field_errors",
        "http://a/,,,warc_type:missing\n",
    ),
    // It is unknown which of two members with one name is meant.
    (
        "jsonl --uri-field url",
        "{\"url\":\"http://a/\",\"url\":\"http://b/\"}\n{\"url\":\"http://c/\"}\n",
        "error,error_offset,host",
        "record_malformed,19,\n,,c\n",
    ),
    (
        "har",
        "{\"log\":{\"entries\":[{\"request\":{\"url\":\"http://a/\"},\"request\":{\"url\":\"http://b/\"}}]}}",
        "error,error_offset",
        "record_malformed,48\n",
    ),
    (
        "cdxj",
        "com,a)/ 20050604120000 {\"url\":\"http://a/\",\"url\":\"http://b/\"}\n",
        "error,error_offset",
        "record_malformed,42\n",
    ),
    // Fields with one name have columns of their own.
    (
        "w3c",
        "#Fields: c-ip c-ip cs-uri-stem a a\n192.0.2.1 192.0.2.2 /x A1 A2\n#Fields: a a a cs-uri-stem\n1 2 3 /y\n",
        "uri,client,c_ip,a,a_2,extra",
        "/x,192.0.2.1,192.0.2.2,A1,A2,\n/y,,,1,2,\"{\"\"a\"\":\"\"3\"\"}\"\n",
    ),
    // A header without names is a comment.
    (
        "w3c",
        "#Fields: cs-uri-stem sc-status\n/a 200\n#Fields: sc-status cs-uri-stem\n#Fields: \n201 /b\n",
        "uri,status",
        "/a,200\n/b,201\n",
    ),
    ("cloudfront", "#Fields: \n.\n", "uri,error,error_offset", ".,record_malformed,0\n"),
    // The first element of an array has a column; the others are not lost.
    (
        "caddy",
        "{\"logger\":\"x\",\"request\":{\"uri\":\"/a\",\"method\":\"GET\",\"headers\":{\"User-Agent\":[1,\"b\"]}}}\n",
        "user_agent,extra",
        "1,\"{\"\"request.headers.User-Agent\"\":[1,\"\"b\"\"]}\"\n",
    ),
];

#[test]
fn what_is_not_understood_is_marked() {
    for (format, input, columns, expected) in CASES {
        for sizes in ["", "--chunk 1"] {
            let line =
                format!("normalize --from {format} --on-invalid keep --to csv --columns {columns} {sizes}");
            let done = urimill(&line).stdin(input).ok();
            let (header, rows) = done.text().split_once('\n').expect("a header");
            assert_eq!((header, rows), (*columns, *expected), "{line}: {input}");
        }
    }
}

/// A robots.txt is detected only by more than a header of a request.
#[test]
fn requests_are_no_robots_txt() {
    let request = "GET / HTTP/1.1\nHost: a\nUser-Agent: b\nAccept: */*\n";
    let done = urimill("normalize --to csv --columns error").stdin(request).go();
    assert_eq!(done.code, Some(2));
    assert!(!done.stderr.contains("robots"), "{}", done.stderr);
    urimill("normalize --from robots").stdin("<html>\n<body>\n").fails(2, &["no record", "robots"]);
    let robots = "# c\nHost: a\n\nUser-agent: *\nDisallow: /\nSitemap: http://a/s\n";
    let done = urimill("normalize --to csv --columns uri").stdin(robots).ok();
    assert_eq!(done.text(), "uri\nhttp://a/s\n");
}

/// A document that ends before its array does is damage, also where any document is taken.
#[test]
fn documents_that_end_before_their_records_are_damage() {
    for document in ["{\"og\":{\"size\"[7}}", "{\"log\":{\"entries\"", "{\"log\":{\"entries\":[]}}{\"log\":{"]
    {
        let line = "normalize --from har --on-invalid keep --to csv";
        let begin = document.find("}{").map_or(0, |at| at + 1);
        let said =
            format!("the document that begins at byte {begin} is truncated at byte {}", document.len());
        urimill(line).stdin(document).fails(3, &[&said]);
    }
}

/// Moments are read as their own format writes them, whatever formats stand beside it.
#[test]
fn moments_in_tables_of_several_formats() {
    let dir = dir();
    write(
        dir.path(),
        "a.cdx",
        " CDX N b a m s k r M S V g\ncom,a)/ 2012 http://a/ text/html 200 A - - 1 2 f\ncom,a)/ 20120102030405 http://a/ text/html 200 A - - 1 2 f\n",
    );
    write(
        dir.path(),
        "b.log",
        "2012-05-23T15:06:28.689Z   200   1 http://b/ - - text/html #001 20120523150628689+45 sha1:A - -\n"
            .repeat(3),
    );
    write(dir.path(), "c.log", "192.0.2.1 - - [17/May/2015:10:05:03 +0200] \"GET /c HTTP/1.1\" 200 1\n");
    let alone = |name: &str| {
        let line = format!(
            "normalize {name} --keep time --on-invalid keep --to csv --columns uri,time,field_errors"
        );
        let text = urimill(&line).within(dir.path()).ok().text().to_owned();
        text.split_once('\n').expect("a header").1.to_owned()
    };
    let line =
        "normalize a.cdx c.log b.log --keep time --on-invalid keep --to csv --columns uri,time,field_errors";
    let together = urimill(line).within(dir.path()).ok();
    let expected = ["a.cdx", "c.log", "b.log"].map(alone).concat();
    assert_eq!(together.text().split_once('\n').expect("a header").1, expected);
    assert!(expected.contains("not_a_time") && expected.contains("2012-01-02T03:04:05Z"), "{expected}");
}

/// Headers of thousands of equal names take no longer than others.
#[test]
fn thousands_of_equal_names_are_accepted() {
    let inputs = [
        ("w3c", format!("#Fields: cs-uri-stem{}\n/x{}\n", " a".repeat(4000), " 1".repeat(4000))),
        ("csv --uri-field url", format!("url{}\nhttp://h/\n", ",a".repeat(20_000))),
    ];
    for (format, input) in inputs {
        let begin = Instant::now();
        let line = format!("normalize --from {format} --keep all --to csv");
        let header = urimill(&line).stdin(&input).ok().text().lines().next().expect("a header").to_owned();
        assert!(header.contains(",a_3999"), "{format}");
        // Each against each other would be hours.
        assert!(begin.elapsed() < Duration::from_secs(60), "{format}: {:?}", begin.elapsed());
    }
}

/// The names of files decide which files of a WACZ file are read: the directory's names must be those before the files.
#[test]
fn a_wacz_file_whose_directory_has_other_names_is_damaged() {
    let warc =
        b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://a/\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let mut wacz = super::archives::zip(&[("archive/a.warc", warc, false), ("archive/b.warc", warc, true)]);
    let dir = dir();
    write(dir.path(), "a.wacz", &wacz);
    assert_eq!(
        urimill("normalize a.wacz --to csv --columns uri").within(dir.path()).ok().text().lines().count(),
        3
    );
    let at = wacz.windows(14).rposition(|bytes| bytes == b"archive/b.warc").expect("the directory");
    wacz[at] = b'x';
    write(dir.path(), "a.wacz", &wacz);
    urimill("normalize a.wacz -o t.csv")
        .within(dir.path())
        .fails(3, &["the zip archive is damaged", "different names"]);
}

//! Small inputs that have, in few lines, what real logs and lists have of odd.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, DictionaryArray, Float64Array, Int16Array, Int64Array, RecordBatch,
    StringViewArray, TimestampMillisecondArray,
};
use arrow::datatypes::Int16Type;
use arrow::ipc::writer::StreamWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use parquet::arrow::ArrowWriter;
use urimill_testkit::paths::repository;

const HERITRIX: &str = r#"
2012-05-23T15:06:28.689Z   200         56 http://example.com/?a=1&b=%20+x&&c P http://example.com/ text/html #048 20120523150627325+74 sha1:FNXOHI5LCGLX5BO2AG2RWEH4RLIO47ML http://example.com/ content-size:56 {"a":"b c"}
1969-12-31T23:59:59.999Z    -5          - dns:example.com - - text/dns #001 - - - -
2012-05-23T15:06:29Z       404 9223372036854775807 http://www.bücher.example/ L http://example.com/ - #2147483647 20120523150629017+51 sha1:A - 3t,dup:2
soon                       abc        -56 HTTP://10.0.0.1:81/%7e X - text/html 048 2012 sha1:B - -
9999-12-31T23:59:59.999Z 2147483648 9223372036854775808 http://example.com/ L
nothing
"#;

const CDX: &str = r" CDX N b a m s k r M S V g
com,example)/ 20140126200624 http://example.com/ text/html 200 OSSAPWJ23L56IYVRW3GFEAR4MCJMGPTB - - 2258 334 a.warc.gz
com,example)/a 20140126200825 http://www.example.com:8080/A?z=1&a=2 - 302 - http://example.com/b - 4294967296 9007199254740993 a.warc.gz
- 2014 - - - - - - - - -
com,example)/x 20149999999999 http://example.com/%zz warc/revisit - 3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ - - -1 x b.warc.gz
";

const CDXJ: &str = r#"
com,example)/ 20140126200624 {"url": "http://example.com/", "mime": "text/html", "status": "200", "digest": "OSSAPWJ23L56", "length": "2258", "offset": "334", "filename": "a.warc.gz"}
com,example)/b 20240229235959 {"url": "https://example.com/?q=ä", "mime": "-", "status": "-", "length": 12, "offset": "9007199254740993", "languages": "eng,deu", "note": "\u0000\"\n\ud83d\ude00", "n": [1, {"a": null}]}
com,example)/c x {"url": "", "status": "99999999999", "charset": "", "truncated": "length"}
com,example)/d 20140126200624 {"url": 1}
"#;

const CLF: &str = r#"
192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /a?b=c HTTP/1.1" 200 203023 "http://example.com/" "Mozilla/5.0 (X11; Linux) \"q\""
192.0.2.2 - frank [29/Feb/2016:23:59:59 -0730] "GET //x/../y HTTP/1.0" 304 - "-" "-"
2001:db8::1 - - [17/May/2015:10:05:03 +0000] "\x16\x03\x01" 400 0 "-" "-"
- - - [xx] "POST http://example.com:99999/ HTTP/1.1" 2000000000000 -1 "" "\xe4\xf6"
192.0.2.3 - - [17/May/2015:10:05:03 +0000] "GET /b HTTP/1.1" 200 1
"#;

/// Texts that readers of CSV take for something else: nulls, numbers, dates, comments, quotes, spaces to be trimmed.
const FIELDS: &str = "url,text,n
http://a/1,\" before\",1
http://a/2,behind ,007
http://a/3,\\N,1e5
http://a/4,NULL,0x10
http://a/5,null,nan
http://a/6,NA,-
http://a/7,\"\",\"\"
http://a/8,,2024-02-30
http://a/9,'single',true
http://a/10,#comment,\"1,5\"
http://a/11,\"two
lines\",\"two\r\nlines\"
http://a/12,\"say \"\"no\"\"\",\"\"\"\"
http://a/13,\ttab\t,\\
http://a/14,ä\u{2028}\u{feff}😀,\u{1}
http://a/15,\\\",\\N\\N
http://a/16
 http://a/17,x,y
http://a/18 ,x,y
\\N,x,y
NULL,x,y
";

const OBJECTS: &str = r#"{"url": "http://a/1", "n": 1, "text": "x", "more": {"a": [1.5, null]}}
{"url": "http://a/2", "n": 1.50, "text": "", "b": true}
{"url": "http://a/3", "n": null, "text": null}
{"url": "http://a/4", "n": "\u0000", "text": "\ud83d\ude00 \" \\ \n"}
{"url": 5, "n": 123456789012345678901234567890}
no object
"#;

/// A table of somebody else's, with the types that all readers have a class for; its texts have a dictionary.
fn table() -> RecordBatch {
    let rows = 60_i64;
    let some = |n: i64, text: String| (n % 7 != 0).then_some(text);
    let urls = (0..rows).map(|n| match n % 9 {
        0 => None,
        1 => Some(format!("http://example.com/{n} b")),
        2 => Some(format!("//h/é{n}")),
        _ => Some(format!("HTTP://h{}.Example.com:80/%7e{n}?q={n}", n % 4)),
    });
    let kinds = (0..rows).map(|n| some(n, ["a/b", "ü=%", "c d"][n as usize % 3].to_owned()));
    let kinds: DictionaryArray<Int16Type> = kinds.collect::<Vec<_>>().iter().map(Option::as_deref).collect();
    let moments = (0..rows).map(|n| (n % 11 != 0).then_some(1_700_000_000_123 - n * 86_400_001));
    let bytes: Vec<_> = (0..rows).map(|n| (n % 3 != 0).then(|| vec![0xff, n as u8])).collect();
    let columns: [(&str, ArrayRef); 8] = [
        ("url", Arc::new(StringViewArray::from_iter(urls))),
        ("kind", Arc::new(kinds)),
        ("flag", Arc::new(BooleanArray::from_iter((0..rows).map(|n| (n % 4 != 0).then_some(n % 3 == 0))))),
        (
            "number",
            Arc::new(Int64Array::from_iter((0..rows).map(|n| (n % 6 != 0).then_some((n % 10) << 40)))),
        ),
        ("short", Arc::new(Int16Array::from_iter_values((0..rows).map(|n| 300 - n as i16 * 20)))),
        (
            "ratio",
            Arc::new(Float64Array::from_iter((0..rows).map(|n| (n % 8 != 0).then_some(n as f64 / 8.0)))),
        ),
        ("when", Arc::new(TimestampMillisecondArray::from_iter(moments).with_timezone("UTC"))),
        ("bytes", Arc::new(BinaryArray::from_iter(bytes))),
    ];
    RecordBatch::try_from_iter(columns).expect("columns")
}

/// Members of gzip, one a record, as crawlers write them.
fn archive() -> Vec<u8> {
    let records = [
        ("warcinfo", "", "Content-Type: application/warc-fields", "software: a crawler\r\n"),
        (
            "request",
            "http://example.com/a b",
            "Content-Type: application/http; msgtype=request",
            "GET / HTTP/1.1\r\n\r\n",
        ),
        (
            "response",
            "HTTP://example.com/?q=é",
            "Content-Type: application/http; msgtype=response",
            "HTTP/1.1 404 No\r\n\r\n<",
        ),
        (
            "response",
            "http://h/",
            "Content-Type: application/http; msgtype=response",
            "HTTP/1.1 99999999999\r\n\r\n",
        ),
        (
            "revisit",
            "<http://www.example.com:8080/>",
            "WARC-Refers-To-Date: x\r\nWARC-Payload-Digest: sha1:A",
            "",
        ),
        ("metadata", "dns:example.com", "WARC-IP-Address: 192.0.2.1\r\nX-Odd: \"\u{1}\"", "a: b"),
    ];
    let mut archive = Vec::new();
    for (number, (kind, target, more, block)) in records.into_iter().enumerate() {
        let target = if target.is_empty() { String::new() } else { format!("WARC-Target-URI: {target}\r\n") };
        let record = format!(
            "WARC/1.1\r\nWARC-Type: {kind}\r\n{target}WARC-Date: 2024-04-12T10:13:5{number}.5Z\r\nWARC-Record-ID: \
             <urn:uuid:{number}>\r\n{more}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
            block.len()
        );
        let mut member = GzEncoder::new(archive, Compression::default());
        member.write_all(record.as_bytes()).expect("memory");
        archive = member.finish().expect("memory");
    }
    archive
}

/// Writes them into `folder`, and the lists of `datasets/` beside them.
pub(crate) fn inputs(folder: &Path) {
    let datasets = repository().join("datasets");
    for list in ["oddities.txt", "sample.txt"] {
        fs::copy(datasets.join(list), folder.join(list)).expect("a copy");
    }
    // Longer than a page, than what statistics keep, and than what readers take for a line.
    let large = format!(
        "http://example.com/{}\nhttp://{}.example/?{}\nhttp://example.com/%\nhttp://example.com/{}#{}\n",
        "a".repeat(2_500_000),
        "label.".repeat(40),
        "k=v&".repeat(30_000),
        "é".repeat(300_000),
        "x".repeat(70),
    );
    let distinct = |n: usize| format!("http://label-{n:040}.example/,name {n:050}\n");
    let distinct = "url,name\n".to_owned() + &(0..30_000).map(distinct).collect::<String>();
    let rejects = "http://example.com/ \n:x\nhttp://[\n\u{7f}\n".repeat(3);
    for (name, text) in [
        ("empty.txt", ""),
        ("large.txt", &large),
        ("rejects.txt", &rejects),
        ("heritrix.log", HERITRIX),
        ("index.cdx", CDX),
        ("index.cdxj", CDXJ),
        ("access.log", CLF),
        ("distinct.csv", &distinct),
        ("fields.csv", FIELDS),
        ("fields.jsonl", OBJECTS),
    ] {
        fs::write(folder.join(name), text).expect("a file");
    }
    fs::write(folder.join("a.warc.gz"), archive()).expect("a file");
    super::documents::write(folder);
    let table = table();
    let file = File::create(folder.join("fields.parquet")).expect("a file");
    let mut writer = ArrowWriter::try_new(file, table.schema(), None).expect("a writer");
    writer.write(&table).expect("rows");
    writer.close().expect("a file");
    let file = File::create(folder.join("fields.arrows")).expect("a file");
    let mut writer = StreamWriter::try_new(file, &table.schema()).expect("a writer");
    (0..6).for_each(|at| writer.write(&table.slice(at * 10, 10)).expect("rows"));
    writer.finish().expect("a file");
}

/// What `docs/WAREHOUSES.md` begins with: two days of a crawler's log, made of the lists of `datasets/`, and an index
/// of an archive that has a part of it.
pub(crate) fn crawl(folder: &Path) {
    let datasets = repository().join("datasets");
    let sample = fs::read_to_string(datasets.join("sample.txt")).expect("the sample");
    let oddities = fs::read(datasets.join("oddities.txt")).expect("the oddities");
    let oddities = String::from_utf8_lossy(&oddities);
    // A log has no spaces in a URI, and what is not UTF-8 is told elsewhere.
    let is_word = |uri: &&str| !uri.is_empty() && uri.chars().all(|c| c > ' ' && c != '\u{fffd}');
    let uris: Vec<_> = sample.lines().chain(oddities.lines().filter(is_word)).collect();
    let mut logs = [String::new(), String::new()];
    let mut index = " CDX N b a m s k r M S V g\n".to_owned();
    for (number, uri) in uris.iter().enumerate() {
        let (day, minute) = (number * 2 / uris.len(), number * 2 % uris.len());
        let time = format!("2026-11-{}T{:02}:{:02}:07.125Z", 19 + day, minute / 60 % 24, minute % 60);
        let status = match number * 37 % 50 {
            0..35 => 200,
            35..38 => 301,
            38..41 => 302,
            41..48 => 404,
            _ => -5,
        };
        let digest = format!("sha1:{:032X}", number % 900);
        let mut line = |uri: &str, via: &str| {
            let rest =
                format!("L {via} text/html #{:03} 20261119000000000+{number} {digest} - -", number % 50);
            logs[day].push_str(&format!("{time} {status} {} {uri} {rest}\n", 200 + number * 13 % 5000));
        };
        line(uri, uris[number / 20]);
        // Some are found again, written in another way.
        if number % 20 == 0 {
            line(&uri.replace("https://", "HTTPS://"), "-");
        }
        if number % 3 == 0 {
            let name = "example.warc.gz";
            index.push_str(&format!(
                "- 20250101000000 {uri} text/html 200 - - - {} {number} {name}\n",
                number + 1
            ));
        }
    }
    for (name, text) in
        [("crawl-2026-11-19.log", &logs[0]), ("crawl-2026-11-20.log", &logs[1]), ("archive.cdx", &index)]
    {
        fs::write(folder.join(name), text).expect("a file");
    }
}

/// An archive of pages that have links to each other: every tenth URI of the sample is a page with links to the next
/// nine, and to the page before it.
pub(crate) fn pages(folder: &Path) {
    let sample = fs::read_to_string(repository().join("datasets/sample.txt")).expect("the sample");
    let uris: Vec<_> = sample.lines().filter(|uri| uri.starts_with("http")).collect();
    let mut archive = String::new();
    let mut before = "/";
    for page in uris.chunks(10) {
        let links: String =
            page[1..].iter().chain([&before]).map(|uri| format!("<a href=\"{uri}\">")).collect();
        let block = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{links}");
        archive.push_str(&format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {}\r\nContent-Type: application/http\r\n\
             Content-Length: {}\r\n\r\n{block}\r\n\r\n",
            page[0],
            block.len()
        ));
        before = page[0];
    }
    fs::write(folder.join("pages.warc"), archive).expect("a file");
}

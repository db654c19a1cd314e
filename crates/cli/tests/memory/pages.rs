//! Pages whose references take much more than their bytes would.

use std::io::Write;

use super::inputs::{RecordSource, measure};

/// A record of a WARC with this head and this block.
fn record(fields: &str, block: Vec<u8>) -> RecordSource {
    let head =
        format!("WARC/1.0\r\nWARC-Target-URI: http://h/\r\n{fields}Content-Length: {}\r\n\r\n", block.len());
    (head.into_bytes(), block, 1, b"\r\n\r\n".to_vec())
}

fn page(begin: &str, piece: &str, bytes: usize) -> RecordSource {
    let end = if begin.ends_with('\'') { "'>" } else { "" };
    let block = [begin, &piece.repeat(bytes / piece.len()), end].concat().into_bytes();
    record("WARC-Type: resource\r\nContent-Type: text/html\r\n", block)
}

/// A message of 15 MiB.
fn mail(begin: &str, piece: &str) -> RecordSource {
    let head = format!("MIME-Version: 1.0\nContent-Type: {begin}");
    let head = if piece.starts_with("--") { format!("{head}\n\n") } else { head };
    (head.into_bytes(), piece.repeat((15 << 20) / piece.len()).into_bytes(), 1, Vec::new())
}

/// (what it is, input, what is said): at most three eighths of a gibibyte of memory each, with two threads.
#[test]
fn pages_take_bounded_memory() {
    let mib = 1 << 20;
    let wat = ["{\"Envelope\":[", &"0,".repeat(7 * mib), "0]}"].concat();
    let base = format!("<base href='http://h/{}/'>", "b".repeat(7900));
    let table: Vec<(&str, RecordSource, &str)> = vec![
        ("a reference in two bytes", page("<a ping='", "a ", 15 * mib), "7,864,320 rows"),
        ("anchors that never end", page("", "<a href=a>b", 4 * mib), "381,300 rows"),
        ("svg in svg", page("", "<svg><desc>", 16 * mib), "1 without"),
        ("an attribute of 15 MiB", page("<a href='", "a", 15 * mib), "1 reject"),
        ("a long base", page(&base, "<a href>", 1 << 16), "8,193 rows"),
        ("a long text", page("<a href=a>", "b ", 16 * mib), "1 row"),
        ("mail of empty parts", mail("multipart/mixed; boundary=x", "--x\n"), "1 page"),
        (
            "mail of parts in parts",
            mail("multipart/mixed; boundary=x", "--x\nContent-Type: multipart/mixed; boundary=x\n\n"),
            "1 page",
        ),
        ("mail of header fields", mail("text/html\n", "To: a,a,a,a,a,a,a,a\n"), "1 page"),
        ("mail of addresses", mail("text/html\nTo: ", "a@b,"), "1 page"),
        ("mail of parameters", mail("text/html; ", "a=b;"), "1 page"),
        ("JSON of numbers", record("WARC-Type: metadata\r\n", wat.into_bytes()), "0 pages"),
    ];
    for (what, feed, said) in table {
        let kind = match what.split(' ').next() {
            Some("JSON") => "wat",
            Some("mail") => "mail",
            _ => "warc",
        };
        let (code, mebibytes, stderr) = measure(&format!("links --to csv --threads 2 --from {kind}"), feed);
        println!("{what}: {mebibytes} MiB");
        assert_eq!(code, Some(0), "{what}: {stderr}");
        assert!(stderr.contains(said), "{what}: {stderr}");
        assert!((2..384).contains(&mebibytes), "{what}: {mebibytes} MiB");
    }
}

/// A document of so many bytes in which little stands for much, for its reader and for what comes out.
fn amplified(what: &str, bytes: usize) -> Vec<u8> {
    let half = "x".repeat(bytes / 2);
    let fill = |piece: &str| piece.repeat(bytes / 2 / piece.len());
    match what {
        "xml entities in texts" => {
            format!(
                "<!DOCTYPE r [<!ENTITY a '{half}'>]><urlset>{}</urlset>",
                fill("<url><loc>/&a;</loc></url>")
            )
        }
        "xml entities in a tag" => {
            format!("<!DOCTYPE r [<!ENTITY a '{half}'>]><r><a href='{}'/></r>", fill("&a;"))
        }
        "html with a long base" => format!(
            "<base href='http://h/{}/'>{}{}",
            "b".repeat(7900),
            fill("<a href=a>"),
            fill("<a href=b>")
        ),
        "xml with a long base" => {
            format!("<r xml:base='http://h/{}/'>{}</r>", "b".repeat(7900), fill("<a href='a'/><a href='b'/>"))
        }
        "html with a long codebase" => {
            format!(
                "<base href='http://h/{}/'>{}",
                "b".repeat(7900),
                fill("<applet codebase=a code=b><applet codebase=c code=b>")
            )
        }
        "mail of messages in messages" => {
            format!("MIME-Version: 1.0\n{0}{0}", fill("Content-Type: message/rfc822\n\n"))
        }
        _ => fill(what.split(' ').next_back().unwrap_or_default()).repeat(2),
    }
    .into_bytes()
}

/// Twice as much of it takes no more memory, and the output no more than a hundred times its bytes.
#[test]
fn amplified_documents_take_bounded_memory() {
    let marks = ["]", "[", "<", ">", "_a", "![", "\\", "[a](b)", "<a>", "*a"];
    let marks = marks.map(|mark| format!("markdown of {mark}"));
    let others = [
        "xml entities in texts",
        "xml entities in a tag",
        "html with a long base",
        "html with a long codebase",
        "xml with a long base",
    ];
    let named = others.map(|what| (what.to_owned(), 128 << 10)).into_iter();
    let named = named
        .chain(marks.map(|what| (what, 4 << 20)))
        .chain([("mail of messages in messages".to_owned(), 4 << 20)]);
    for (what, bytes) in named {
        let kind = what.split(' ').next().unwrap_or_default();
        let peaks = [bytes, 3 * bytes].map(|bytes| {
            let line =
                format!("links --to csv --threads 2 --columns raw,base --base http://h/ --from {kind}");
            let (code, mebibytes, stderr) =
                measure(&line, (amplified(&what, bytes), Vec::new(), 0, Vec::new()));
            println!("{what}, {} KiB: {mebibytes} MiB", bytes >> 10);
            assert_eq!(code, Some(0), "{what}: {stderr}");
            mebibytes
        });
        let most = if kind == "markdown" { 320 } else { 464 };
        assert!(peaks[1] < most && peaks[1] < peaks[0] + 128, "{what}: {peaks:?} MiB");
    }
}

/// A page of so many bytes on standard input: a beginning, the same piece again and again, an end.
fn stream(begin: &str, piece: &str, end: &str, bytes: usize) -> RecordSource {
    let block = piece.repeat((1 << 20) / piece.len());
    let times = bytes / block.len();
    (begin.into(), block.into_bytes(), times, end.into())
}

/// (what it is, input, what is said): pages that are streams take no more.
fn take_bounded_memory(bytes: usize) {
    let table: Vec<(&str, RecordSource, &str)> = vec![
        (
            "html of links",
            stream("", "<a href=/a/path>a text</a><img src=b>", "<base href=/c/>", bytes),
            "1 with",
        ),
        ("html of text", stream("<a href=a>", "some text ", "</a><a href=b>", bytes), "2 rows"),
        (
            "html with a style sheet",
            stream("<style>", "a{b:url(c)}", "</style><a href=d>", bytes),
            "the beginning",
        ),
        ("html with a value", stream("<a href='", "a", "'><a href=b>", bytes), "1 reject"),
        ("html with a name that ends nothing", stream("<title></", "a", "", bytes), "the beginning"),
        ("css of references", stream("", "a{b:url(c)}", "", bytes), "1 with"),
        ("css of a comment", stream("/*", "a*", "*/a{b:url(c)}", bytes), "1 row"),
        ("css of a string", stream("a{b:url('", "a", "')}", bytes), "1 reject"),
        (
            "xml of links",
            stream("<urlset>", "<url><loc>http://h/a</loc></url>", "</urlset>", bytes),
            "0 rejects",
        ),
        ("xml of elements in elements", stream("", "<a>", "", bytes), "the beginning"),
        ("xml of a text", stream("<rss><link>", "a", "</link></rss>", bytes), "the beginning"),
    ];
    for (what, feed, said) in table {
        let kind = what.split(' ').next().unwrap_or_default();
        let line = format!("links --to csv --threads 2 --columns raw,base --base http://h/ --from {kind}");
        let (code, mebibytes, stderr) = measure(&line, feed);
        println!("{what}: {mebibytes} MiB");
        assert_eq!(code, Some(0), "{what}: {stderr}");
        assert!(stderr.contains(said), "{what}: {stderr}");
        assert!((2..384).contains(&mebibytes), "{what}: {mebibytes} MiB");
    }
}

#[test]
fn long_pages_take_bounded_memory() {
    take_bounded_memory(40 << 20);
}

#[test]
#[ignore = "takes minutes"]
fn pages_of_a_gibibyte_take_bounded_memory() {
    take_bounded_memory(1 << 30);
}

/// A payload of a gibibyte in a response of some megabytes, and one that is not packed: every reference is there.
#[test]
#[ignore = "takes minutes"]
fn responses_of_a_gibibyte_have_all_their_references() {
    let piece = "<p>some text<a href='/a/path'>a text</a>\n".repeat(1 << 15).into_bytes();
    let times = (1 << 30) / piece.len();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    (0..times).for_each(|_| encoder.write_all(&piece).unwrap());
    let packed = encoder.finish().unwrap();
    let head = |encoding: &str, length: usize| {
        let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{encoding}\r\n");
        let length = http.len() + length;
        format!(
            "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/\r\nContent-Type: application/http\r\n\
             Content-Length: {length}\r\n\r\n{http}"
        )
        .into_bytes()
    };
    let table: [(&str, RecordSource); 2] = [
        ("plain", (head("", piece.len() * times), piece, times, b"\r\n\r\n".to_vec())),
        ("packed", (head("Content-Encoding: gzip\r\n", packed.len()), packed, 1, b"\r\n\r\n".to_vec())),
    ];
    for (what, feed) in table {
        let (code, mebibytes, stderr) =
            measure("links --to csv --threads 2 --columns raw,base --from warc --summary json", feed);
        println!("{what}: {mebibytes} MiB");
        assert_eq!(code, Some(0), "{what}: {stderr}");
        let links = format!("\"links\":{}", times << 15);
        assert!(stderr.replace(' ', "").contains(&links), "{what}: {stderr}");
        assert!((2..384).contains(&mebibytes), "{what}: {mebibytes} MiB");
    }
}

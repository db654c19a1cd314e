//! A page that is a stream has the references that it has in memory.

use std::io::{self, BufReader, Cursor, Read};

use urimill_read::http::{BodyEnd, Message};

use super::link::Links;
use super::reference::Link;
use super::stream::Utf8Stream;
use super::{css, html, xml};
use crate::http_body::BodyStream;

/// Reads a few bytes at a time, in numbers that take turns.
struct Few<'t>(Cursor<&'t [u8]>, usize);

impl Read for Few<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.1 = self.1 % 5 + 1;
        let count = self.1.min(out.len());
        self.0.read(&mut out[..count])
    }
}

fn few(text: &str) -> BufReader<Few<'_>> {
    BufReader::with_capacity(3, Few(Cursor::new(text.as_bytes()), 0))
}

/// Every reference with its fields, and the document's base.
fn all(links: &mut Links) -> Vec<String> {
    links.finish().expect("no file");
    let row = |links: &Links, link: Link| {
        let named = |span: Option<_>| span.map(|span| String::from_utf8_lossy(links.get(span)).into_owned());
        let parts = [link.element, link.attribute, link.rel, link.text].map(named);
        format!("{:?} {parts:?} {:?} {:?}", named(Some(link.raw)), link.position, link.against)
    };
    let mut rows = Vec::new();
    while let Some((link, _)) = links.link(rows.len()).expect("no file") {
        rows.push(row(links, link));
    }
    rows.push(format!("{:?} {:?} {}", links.document, links.bases, links.is_cut));
    rows
}

/// The references in both ways, and whether they are all of the page.
fn both(
    page: &str,
    whole: impl Fn(&mut Links) -> Result<(), usize>,
    stream: impl Fn(&mut Links) -> Result<(), usize>,
) {
    let (mut one, mut other) = (Links::default(), Links::default());
    assert_eq!(whole(&mut one), stream(&mut other), "{page}");
    assert_eq!(all(&mut one), all(&mut other), "{page}");
}

fn base(_: Option<&str>, said: &[u8]) -> Option<String> {
    Some(format!("http://h/{}", String::from_utf8_lossy(said)))
}

/// Each page, and each beginning of it.
fn beginnings(page: &str) -> impl Iterator<Item = &str> {
    (0..=page.len()).filter(|&end| page.is_char_boundary(end)).map(|end| &page[..end])
}

#[test]
fn streams_have_the_references_of_texts() {
    let pages = [
        "<base href=/b/><a href='c&amp;d' rel=x>e é<b>f</b><img srcset='f 1x, g' alt=h></a>&ampi<style>@import 'i';\
         j{k:url(l)}</style x></style><svg><title/><a xlink:href=m><style>n{o:url(p)}</style></svg><script></scrip",
        "<textarea><a href=b></textarea><a\r\nhref=\"\r\nb\"><iframe srcdoc='<base href=q/><a href=r>'></iframe><a>\r\n\0s",
        "<style>a{b:url(c)}",
        "<!-- <a href=b> --><![CDATA[<a href=c>]]><?x?><a href=d ping='e f' style='g:url(h)' itemid=i>",
    ];
    for page in pages.iter().flat_map(|page| beginnings(page)) {
        let whole = |links: &mut Links| {
            html::read(page, links, &mut base);
            Ok(())
        };
        let stream = |links: &mut Links| html::read_stream(few(page), links, &mut base).map_err(|_| 0);
        both(page, whole, stream);
    }
    let sheets = [
        "/* a **/ @import url( b ); @import\"c\";c{d:url('e\\66 g'), url( h ),image-set('i' type('j'), \"k\")}l{m:url(n o)}\
         src('p')\\(\\",
        "@importé 'a';url(b\\)c)éurl(d)url(\"e\\\nf\")'g\nh'url('i'x)-webkit-image-set( 'j' )/**/url(k/*l*/)/*",
    ];
    let collected = |links: &mut Links, found: css::Found| {
        let rel = if found.is_import { &b"@"[..] } else { b"u" };
        let place =
            super::link::Place { rel: Some(rel), position: Some(found.at as u32), ..Default::default() };
        links.push(&found.url, place);
    };
    for sheet in sheets.iter().flat_map(|sheet| beginnings(sheet)) {
        let whole = |links: &mut Links| {
            css::references(sheet.as_bytes(), |found| collected(links, found));
            Ok(())
        };
        for step in [1, 2, 24, 25, 40] {
            let stream = |links: &mut Links| {
                let read = css::references_by(step, few(sheet), |found| collected(links, found));
                if read.expect("no fault") { Ok(()) } else { Err(0) }
            };
            both(sheet, whole, stream);
        }
    }
    let documents = [
        "<?xml-stylesheet href='a'?><feed xml:base='/b/'><link href='c'/><icon>d&amp;é</icon><e xml:base='f'/></feed>",
        "<rss><item><link>a</link><description>&lt;a href=b>&lt;base href=c></description><x xml:base='d'>\
         <content:encoded><![CDATA[<img src=e>]]></content:encoded></x></item><style>f{g:url(h)}</style></rss>",
        "<a><b></a></b>&nosuch;<c href='d'/></e>",
    ];
    for document in documents.iter().flat_map(|document| beginnings(document)) {
        let whole = |links: &mut Links| xml::read(document.as_bytes(), links, &mut base);
        both(document, whole, |links: &mut Links| xml::read(few(document), links, &mut base));
    }
}

#[test]
fn streams_are_decoded_as_texts_are() {
    let packed = {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut encoder, b"a long enough text, text, text").expect("memory");
        encoder.finish().expect("memory")
    };
    let bare = {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        io::Write::write_all(&mut encoder, b"a long enough text, text, text").expect("memory");
        encoder.finish().expect("memory")
    };
    let chunked = [&b"5\r\n"[..], &packed[..5], b"\r\n 5;a=b\n", &packed[5..10], b"\r\n\r\n"].concat();
    let rest = format!("{:X}\r\n", packed.len() - 10).into_bytes();
    let chunked = [&chunked[..], &rest, &packed[10..], b"\r\n0\r\n\r\n"].concat();
    // (fields, body): RFC 9112, 7.1; RFC 9110, 8.4
    let table: &[(&str, &[u8])] = &[
        ("server: x", b"text"),
        ("content-encoding: gzip", &packed),
        ("content-encoding: gzip", b"text"),
        ("content-encoding: identity", b"text"),
        ("content-encoding: deflate", &bare),
        ("content-encoding: br", b"\xff\xff\xff"),
        ("content-encoding: zstd", b"text"),
        ("content-encoding: compress", b"text"),
        ("content-encoding: a, b, c, d, e", b"text"),
        ("transfer-encoding: chunked\r\ncontent-encoding: gzip", &chunked),
        ("transfer-encoding: chunked", b"4\r\ntext\r\n0\r\n\r\n"),
        ("transfer-encoding: chunked", b"4\r\ntext\r\nx\r\n"),
        ("transfer-encoding: chunked", b"text, and more of it"),
    ];
    for (fields, whole) in table {
        for end in 0..=whole.len() {
            let body = &whole[..end];
            let block = [b"HTTP/1.1 200 OK\r\n", fields.as_bytes(), b"\r\n\r\n", body].concat();
            let message = Message::of(&block).expect("an empty line");
            let expected = message.decoded();
            let found = BodyStream::decoded(&message, Few(Cursor::new(body), 0), 1 << 20);
            let Some(mut stream) = found else {
                assert_eq!(expected.end, BodyEnd::Unknown, "{fields}");
                continue;
            };
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).expect("a fault ends it");
            let what = format!("{fields}: {}", body.escape_ascii());
            assert_eq!((&bytes[..], stream.len), (&expected.bytes[..], bytes.len() as u64), "{what}");
            assert_eq!(stream.end, expected.end, "{what}");
        }
    }
    // (encoding, bytes, text, whether they are damaged), with limits on the bytes read at once
    let table: &[(&str, &[u8], u64, &str, bool)] = &[
        ("utf-8", b"\xef\xbb\xbfa\xc3\xa9", 99, "a\u{e9}", false),
        ("utf-8", b"a\xc3", 99, "a\u{fffd}", true),
        ("windows-1252", b"\x80\xe9", 99, "\u{20ac}\u{e9}", false),
        ("shift_jis", b"\x83\x65\x83\x58", 99, "\u{30c6}\u{30b9}", false),
        ("utf-8", b"\xff\xfea\0b\0", 99, "ab", false),
        ("utf-8", b"abc", 2, "ab", false),
    ];
    for (name, bytes, most, text, is_damaged) in table {
        let encoding = encoding_rs::Encoding::for_label(name.as_bytes()).expect("a label");
        let mut stream = BodyStream::new(Box::new(BufReader::new(Few(Cursor::new(bytes), 0))), *most);
        let mut utf8 = Utf8Stream::new(&mut stream, encoding);
        let mut found = String::new();
        utf8.read_to_string(&mut found).expect("UTF-8");
        assert_eq!((found.as_str(), utf8.is_damaged), (*text, *is_damaged), "{}", bytes.escape_ascii());
        let is_cut = bytes.len() as u64 > *most;
        assert_eq!(stream.end == BodyEnd::Limit, is_cut, "{}", bytes.escape_ascii());
    }
}

//! Readers of the caller's as inputs: they are read as files are, in their places among these, and once.

use std::fs;
use std::io::{self, Cursor};
use std::path::Path;

use urimill::ErrorKind;
use urimill::run::{
    AnswerTexts, Check, Conversion, Dedupe, Edges, Encoding, Extract, Index, IndexForm, InputFormat, Links,
    Node, OnDamage, OnInvalid, Output, Report,
};
use urimill_testkit::stored::{Format, Slow, member};

use crate::Then;

/// Options that a test adds to a run.
type Options = fn(Conversion) -> Conversion;

/// A record of a web archive.
fn warc() -> Vec<u8> {
    let body = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a href=/x>x</a>";
    let head = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.com/a/../b\r\n\
        WARC-Date: 2025-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:5c1b2f0e-0d5a-4a5b-8f0e-3f0a3a1b2c3d>\r\n\
        Content-Type: application/http; msgtype=response\r\n";
    format!("{head}Content-Length: {}\r\n\r\n{body}\r\n\r\n", body.len()).into_bytes()
}

/// A table of Arrow as a stream.
fn arrows() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("t.arrows");
    let run = Conversion::new().inputs_from(&b"/a\n/b/../c\n"[..], "list").columns(["raw"]);
    run.write_to(Output::to(&path)).run().expect("a table");
    fs::read(path).expect("a table")
}

fn csv(run: Conversion, folder: &Path) -> urimill::Result<String> {
    let table = folder.join("t.csv");
    run.write_to(Output::to(&table).force(true)).run()?;
    Ok(fs::read_to_string(table).expect("a table"))
}

#[test]
fn a_reader_is_read_as_a_file_is() {
    let list = b"http://example.com/a/../b\n\n/c d\n".to_vec();
    let log = b"192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 5\n".repeat(3000);
    let utf16: Vec<u8> = "\u{feff}/\u{e9}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let page = b"<base href=/b/><a href=c>x</a>".to_vec();
    let plain: Options = |run| run.columns(["+source", "+record"]);
    let links: Options =
        |run| run.links(Links::new().base("http://example.com/")).columns(["base", "uri", "text"]);
    // (name, bytes, options): names as those of files, which no reader goes by
    let cases: [(&str, Vec<u8>, Options); 13] = [
        ("list", list.clone(), plain),
        ("list.gz", member(Format::Gzip, &list), plain),
        ("list.zst", member(Format::Zstd, &list), plain),
        ("list.bz2", member(Format::Bzip2, &list), plain),
        ("list.xz", member(Format::Xz, &list), plain),
        ("two.gz", [member(Format::Gzip, &log), member(Format::Gzip, &log)].concat(), plain),
        ("access.log", log, plain),
        ("a.csv", b"u,n\n/a,1\n/b,2\n".to_vec(), |run| run.format(InputFormat::Csv).uri_field("u")),
        ("crawl.warc", warc(), plain),
        ("crawl.warc.gz", [member(Format::Gzip, &warc()), member(Format::Gzip, &warc())].concat(), plain),
        ("t.arrows", arrows(), |run| run.uri_field("raw")),
        ("utf16", utf16, |run| {
            run.encoding("utf-16".parse::<Encoding>().expect("an encoding")).on_invalid(OnInvalid::Keep)
        }),
        ("page.html", page, links),
    ];
    for (name, bytes, options) in cases {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        fs::write(&path, &bytes).expect("a file");
        let expected = csv(options(Conversion::new().inputs([&path])), folder.path()).expect(name);
        assert!(expected.lines().count() > 1, "{name}: {expected}");
        let called = path.to_str().expect("UTF-8");
        for (threads, step) in [(1, usize::MAX), (2, usize::MAX), (3, 7)] {
            let run = Conversion::new().inputs_from(Slow::boxed(&bytes, step), called).threads(threads);
            assert_eq!(csv(options(run), folder.path()).expect(name), expected, "{name}");
        }
    }
}

#[test]
fn readers_and_files_are_read_in_the_order_of_the_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "/f\n").expect("a file");
    let gzip = member(Format::Gzip, b"/one\n/two\n");
    let run = Conversion::new()
        .inputs_from(Cursor::new(gzip), "first")
        .inputs(["no such file"])
        .inputs([&file])
        .inputs_from(io::empty(), "empty")
        .inputs_from(&b"/last"[..], "last");
    let table = csv(run.columns(["source", "record", "uri"]), folder.path()).expect("a table");
    let file = file.display();
    let rows = format!("source,record,uri\nfirst,1,/one\nfirst,2,/two\n{file},1,/f\nlast,1,/last\n");
    assert_eq!(table, rows);
}

/// A name that is the URI by which the contents were retrieved is that of the page.
#[test]
fn a_page_has_the_uri_of_its_reader() {
    let folder = tempfile::tempdir().expect("a folder");
    // (name, page, uri of ../c)
    let cases = [
        ("http://h/a/b/", "http://h/a/b/", "http://h/a/c"),
        ("upload", "", "../c"),
        ("urn:a:b", "", "../c"),
        ("/a/b", "", "../c"),
        ("http://h/ /", "", "../c"),
    ];
    for (name, page, uri) in cases {
        let run = Conversion::new().links(Links::new()).inputs_from(&b"<a href=../c>c</a>"[..], name);
        let table = csv(run.columns(["page", "uri"]), folder.path()).expect(name);
        assert_eq!(table, format!("page,uri\n{page},{uri}\n"), "{name}");
    }
}

#[test]
fn empty_readers_have_no_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    for formats in [InputFormat::default(), InputFormat::Lines, InputFormat::Clf, InputFormat::Warc] {
        let run = Conversion::new().inputs_from(io::empty(), "none").inputs_from(io::empty(), "nothing");
        let table = csv(run.format(formats).columns(["uri"]), folder.path()).expect("a table");
        assert_eq!(table, "uri\n");
    }
}

#[test]
fn an_empty_reader_is_no_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("empty");
    fs::write(&file, "").expect("a file");
    let run = |run: Conversion| run.inputs_from(Cursor::new(arrows()), "t").uri_field("raw").columns(["uri"]);
    let name = file.to_str().expect("UTF-8");
    let of_file = csv(run(Conversion::new().inputs([name])), folder.path()).expect_err("no table");
    let of_reader = csv(run(Conversion::new().inputs_from(io::empty(), name)), folder.path());
    assert_eq!(of_reader.expect_err("no table").to_string(), of_file.to_string());
}

#[test]
fn a_reader_that_fails_ends_the_run_with_its_name() {
    type Case = (usize, fn() -> io::Result<usize>, ErrorKind, &'static str);
    // (lines before, what then, kind, sentence)
    let cases: [Case; 6] = [
        (0, || Err(io::Error::other("it is gone")), ErrorKind::Io, "cannot read remote: it is gone"),
        (1, || Err(io::ErrorKind::ConnectionReset.into()), ErrorKind::Io, "cannot read remote: "),
        (20_000, || Err(io::Error::other("it is gone")), ErrorKind::Io, "cannot read remote: it is gone"),
        (20_000, || Err(io::ErrorKind::InvalidData.into()), ErrorKind::Data, "cannot read remote: "),
        (0, || panic!("oops"), ErrorKind::Io, "cannot read remote: its reader panicked: oops"),
        (20_000, || panic!("oops"), ErrorKind::Io, "cannot read remote: its reader panicked: oops"),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    for (lines, then, kind, sentence) in cases {
        for threads in [1, 2, 16] {
            let reader = Then(Cursor::new(b"http://example.com/\n".repeat(lines)), then);
            let run = Conversion::new().inputs_from(reader, "remote").threads(threads);
            let error = csv(run, folder.path()).expect_err(sentence);
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().starts_with(sentence), "{error}");
            assert_eq!(error.file(), None);
            assert!(!folder.path().join("t.csv").exists());
        }
    }
}

/// These are not the errors of a file that is missing, nor of a pipe that nobody reads.
#[test]
fn an_error_of_a_reader_is_one_of_reading() {
    let folder = tempfile::tempdir().expect("a folder");
    let kinds: [fn() -> io::Result<usize>; 2] =
        [|| Err(io::ErrorKind::NotFound.into()), || Err(io::ErrorKind::BrokenPipe.into())];
    for then in kinds {
        let run = Conversion::new().inputs_from(Then(Cursor::default(), then), "http://h/a");
        let error = csv(run, folder.path()).expect_err("no contents");
        assert_eq!(error.kind(), ErrorKind::Io, "{error}");
        assert!(error.to_string().starts_with("cannot read http://h/a: "), "{error}");
    }
}

#[test]
fn damage_in_a_reader_is_accepted_as_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut gzip = member(Format::Gzip, &b"http://example.com/\n".repeat(100));
    gzip.truncate(gzip.len() - 8);
    let run = || Conversion::new().inputs_from(Cursor::new(gzip.clone()), "upload").columns(["uri"]);
    let error = csv(run(), folder.path()).expect_err("a truncated stream");
    assert!(error.kind() == ErrorKind::Data && error.to_string().contains("upload"), "{error}");
    let table = folder.path().join("kept.csv");
    let stats = run().on_damage(OnDamage::Keep).write_to(Output::to(table)).run().expect("rows");
    assert_eq!((stats.records, stats.damaged[0].source.as_str()), (100, "upload"));
}

#[test]
fn what_needs_a_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let parquet: Options = |run| run.format(InputFormat::Parquet).uri_field("u");
    let cases: [(Options, &[u8], &str); 3] = [
        (parquet, b"PAR1....PAR1", "a reader cannot seek; give a file"),
        (|run| run.uri_field("u"), b"PAR1....PAR1", "a reader cannot seek; give a file"),
        (|run| run.format(InputFormat::Wacz), b"PK\x03\x04..", "a reader cannot go back; give a file"),
    ];
    for (options, bytes, sentence) in cases {
        let run = options(Conversion::new().inputs_from(Cursor::new(bytes), "x"));
        let error = csv(run, folder.path()).expect_err(sentence);
        assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
        assert!(error.to_string().contains(sentence), "{error}");
    }
}

#[test]
fn a_reader_is_read_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Conversion::new().inputs_from(&b"/a\n"[..], "upload");
    csv(run.clone(), folder.path()).expect("a table");
    let error = csv(run, folder.path()).expect_err("a reader that was read");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().starts_with("cannot read upload again: "), "{error}");
}

/// The same mechanism serves every job: each counts two records.
#[test]
fn every_job_takes_readers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let list = || Cursor::new(member(Format::Gzip, b"http://example.com/a\nhttp://example.com/b c\n"));
    let page = || Cursor::new(b"<a href=//example.org/a></a><a href=//example.org/b></a>");
    let dedupe = Dedupe::new().inputs_from(list(), "list").write_to(Output::to(path("d.csv"))).run();
    assert_eq!(dedupe.expect("statistics").records, 2);
    let edges = Edges::new(Node::Uri).inputs_from(page(), "http://h/page");
    assert_eq!(edges.write_to(Output::to(path("e.csv"))).run().expect("statistics").rows, 2);
    let index = Index::new().form(IndexForm::Cdxj).inputs_from(Cursor::new(warc()), "crawl.warc");
    let index = index.inputs_from(Cursor::new(warc()), "other.warc").write_to(path("i")).run();
    assert_eq!(index.expect("statistics").rows, 2);
    let lines = fs::read_to_string(path("i")).expect("an index");
    assert!(lines.contains("\"crawl.warc\"") && lines.contains("\"other.warc\""), "{lines}");
    let extract = Extract::new().inputs_from(list(), "list").write_to(path("x.txt")).run();
    assert_eq!(extract.expect("statistics").found, 2);
    let check = Check::new().inputs_from(list(), "list").run(|_, _| {}, |_| Ok(()));
    assert_eq!(check.expect("statistics").found, 1);
    let report = Report::new().inputs_from(list(), "list").state(path("r.state")).run();
    assert!(report.expect("figures").damaged.is_empty());
    let texts = AnswerTexts::new().inputs_from(list(), "list").write_to(path("t.txt"));
    let mut unanswered = Vec::new();
    let answer = |text: &[u8], _: &mut Vec<u8>| if text.contains(&b' ') { Err("no".into()) } else { Ok(()) };
    let stats = texts.run(answer, |text| unanswered.push(text.text)).expect("statistics");
    assert_eq!((stats.texts, unanswered), (2, vec!["list: line 2".to_owned()]));
}

#[test]
fn standard_input_is_named_once_among_readers() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Conversion::new().inputs(["-"]).inputs_from(&b"/a"[..], "a").inputs(["-", "-"]);
    let error = csv(run, folder.path()).expect_err("standard input twice");
    assert!(error.kind() == ErrorKind::Usage && error.to_string().contains("given twice"), "{error}");
}

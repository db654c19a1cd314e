//! `urimill links`: files, sinks, summaries, refusals. `crates/pages/tests/pages` has the references of pages and their
//! bases.

use serde_json::json;
use urimill_testkit::archives::{gzip, html, pages, response};
use urimill_testkit::reading::values;

use super::archives::zip;
use super::run::{dir, names, urimill, write};
use super::table::{Row, jsonl, read};

pub(crate) fn rows(options: &str, input: &[u8]) -> Vec<Row> {
    jsonl(&urimill(&format!("links --to jsonl {options}")).stdin(input).ok().stdout)
}

#[test]
fn a_file_has_its_own_uri() {
    let dir = dir();
    let folder = dir.path().canonicalize().expect("a folder");
    write(dir.path(), "a b.html", "<a href=c>");
    write(dir.path(), "d.html", "<a href=e>");
    write(dir.path(), "f.md", "`<a href=g>` [h](i)");
    let line = "links --to csv --columns page,uri,base_kind --summary none";
    let done = urimill(line).arg("a b.html").arg("d.html").arg("f.md").within(&folder).ok();
    let folder = folder.display();
    let expected = format!(
        "page,uri,base_kind\nfile://{folder}/a%20b.html,file://{folder}/c,retrieval\n\
         file://{folder}/d.html,file://{folder}/e,retrieval\n\
         file://{folder}/f.md,file://{folder}/i,retrieval\n"
    );
    assert_eq!(done.text(), expected);
    let done = urimill(&format!("{line} --base http://h/f/g d.html")).within(dir.path()).ok();
    assert!(done.text().ends_with("/d.html,http://h/f/e,default\n"), "{}", done.text());
}

/// The summary counts pages of each kind.
#[test]
fn pages_are_counted() {
    let archive = pages();
    let done = urimill("links --to jsonl --summary json").stdin(&archive).ok();
    let summary = done.summary();
    let pages = json!({
        "pages": 9, "links": 9, "with_links": 7, "without_links": 1, "unread": 1, "partial": 0, "others": 4,
        "based_on_files": 0, "base_too_long": 0, "charset_unknown": 0, "charset_damaged": 0,
    });
    assert_eq!(summary["pages"], pages);
    assert_eq!((&summary["records"], &summary["rejects"]), (&json!(10), &json!(1)));
    let done = urimill("links --to jsonl").stdin(&archive).ok();
    for line in [
        "9 pages = 7 with links + 1 without + 1 unreadable; 4 records that hold no page\n",
        "10 rows = 9 valid links + 1 reject\n",
    ] {
        assert!(done.stderr.contains(line), "{line}: {}", done.stderr);
    }
}

#[test]
fn pages_with_damage_are_counted_as_partial() {
    let long: String = (0..2000).map(|i| format!("<a href={i}>")).collect();
    let packed = gzip(long.as_bytes());
    let fields = "Content-Type: text/html\r\nContent-Encoding: gzip\r\n";
    let input = response("http://h/", fields, &packed[..packed.len() / 2]);
    let pages = &urimill("links --to jsonl --summary json").stdin(&input).ok().summary()["pages"];
    assert_eq!((&pages["with_links"], &pages["partial"]), (&json!(1), &json!(1)));
}

/// Tables in every format, partitions, sorting, rejects and verification are the same as in `normalize`.
#[test]
fn links_go_through_every_sink() {
    let dir = dir();
    let body: String = (0..3000)
        .map(|i| format!("<a href='{i}'>{i}</a><a href='http://h{}.example/{i} x'>", i % 3))
        .collect();
    write(
        dir.path(),
        "in.warc.gz",
        gzip(&[html("http://h/", &body), html("http://i/", "<a href=a>")].concat()),
    );
    let run = |line: &str| urimill(&format!("links in.warc.gz {line}")).within(dir.path()).ok();
    run("-o all.jsonl --verify --threads 3");
    let all = read(&dir.path().join("all.jsonl"));
    assert_eq!(all.len(), 6001);
    for format in ["parquet", "arrow", "csv"] {
        run(&format!("-o all.{format} --verify"));
        let columns = ["page", "uri", "text", "position", "error"];
        assert_eq!(
            values(&read(&dir.path().join(format!("all.{format}"))), &columns),
            values(&all, &columns),
            "{format}"
        );
    }
    run("-o valid.jsonl --rejects bad.jsonl --verify");
    assert_eq!(read(&dir.path().join("valid.jsonl")).len(), 3001);
    assert_eq!(read(&dir.path().join("bad.jsonl")).len(), 3000);
    run("-o sorted.jsonl --sort-by position:desc --columns page,uri,position --verify");
    let sorted = read(&dir.path().join("sorted.jsonl"));
    let positions: Vec<_> = sorted.iter().map(|row| row["position"].as_i64().expect("a number")).collect();
    assert!(positions.is_sorted_by(|a, b| a >= b) && sorted.len() == 6001);
    run("-o parts/ --partition-by page --columns page,uri --to jsonl --verify");
    assert_eq!(names(&dir.path().join("parts")).iter().filter(|name| name.starts_with("page=")).count(), 2);
    assert_eq!(run("--to uris --summary none").text().lines().count(), 6001);
    // However the source is cut, the rows are the same.
    for chunk in [1, 100, 10_000] {
        run(&format!("-o cut.jsonl --force --chunk {chunk} --threads 2"));
        assert_eq!(read(&dir.path().join("cut.jsonl")), all, "{chunk}");
    }
}

/// A page has more links than a batch has rows.
#[test]
fn a_page_may_have_more_links_than_a_batch_rows() {
    let body: String = (0..70_000).map(|i| format!("<a href={i}>")).collect();
    let done = urimill("links --to csv --columns uri,page_record --summary json")
        .stdin(html("http://h/", &body))
        .ok();
    assert_eq!(done.text().lines().count(), 70_001);
    assert!(done.text().ends_with("\nhttp://h/69999,1\n"));
    assert_eq!(done.summary()["pages"]["links"], 70_000);
}

#[test]
fn what_a_file_is_its_beginning_and_its_name_say() {
    let dir = dir();
    let utf16: Vec<u8> = "\u{feff}<a href='é'>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    // (name, contents, raw)
    let table: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a.html", b"text, then <a href=a>".to_vec(), "a"),
        ("b", b" <!DOCTYPE html><a href=b>".to_vec(), "b"),
        ("c.css", b"c{d:url(c)}".to_vec(), "c"),
        ("d.css.gz", gzip(b"c{d:url(d)}"), "d"),
        ("e.xml", b"<?xml version='1.0'?><urlset><url><loc>e</loc></url></urlset>".to_vec(), "e"),
        ("f.svg", b"<svg><a xlink:href='f'/></svg>".to_vec(), "f"),
        ("g.warc", html("http://h/", "<a href=g>"), "g"),
        ("h.htm", utf16.clone(), "é"),
        ("h", utf16, "é"),
        // The name says more than an element that XML documents begin with.
        ("j.html", b"<svg></svg><a href=j>".to_vec(), "j"),
        ("i.html", b"\xef\xbb\xbf<a href=\xc3\xa9>".to_vec(), "é"),
    ];
    let all: Vec<&str> = table.iter().map(|(name, ..)| *name).collect();
    for (name, contents, _) in &table {
        write(dir.path(), name, contents);
    }
    let run = all.iter().fold(urimill("links --to jsonl").within(dir.path()), |run, name| run.arg(name));
    let found = jsonl(&run.ok().stdout);
    let read: Vec<_> =
        found.iter().map(|row| row["raw"].as_str().or(row["uri"].as_str()).expect("a text")).collect();
    assert_eq!(read, table.iter().map(|(.., raw)| *raw).collect::<Vec<_>>());
    assert!(found.iter().all(|row| row["page_flags"].is_null()));
    let list: Vec<u8> = "\u{feff}http://h/\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
    for input in [&b"http://h/\n"[..], &list] {
        urimill("links --to jsonl")
            .stdin(input)
            .fails(2, &["standard input does not look like a page", "--from html"]);
    }
    let cyrillic = rows("--from html --encoding windows-1251", b"<a href=\xcf>");
    assert_eq!(values(&cyrillic, &["uri", "page_flags"]), ["П,"]);
}

#[test]
fn wrong_options_are_refused() {
    for (line, parts) in [
        ("--to csv --columns no", &["there is no column \"no\"", "internal"][..]),
        ("--to csv --columns uri,+page", &["use a sign for all names or for none"]),
        ("--base a", &["no scheme"]),
        ("--base http://[", &["\"http://[\""]),
        ("--spec whatwg --repair", &["--repair is for the RFCs"]),
        ("--to uris --columns page", &["the format uris has only the column uri"]),
    ] {
        urimill(&format!("links {line}")).stdin("<a href=b>").fails(2, parts);
    }
    let text = urimill("links --columns -page,-base,+surt --to csv --summary none --from html")
        .stdin("<a href=http://h/>")
        .ok();
    let header = text.text().lines().next().expect("a header").to_owned();
    assert!(
        header.starts_with("page_record,base_kind,uri,raw,") && header.ends_with(",raw_bytes,surt"),
        "{header}"
    );
}

#[test]
fn the_archives_in_a_wacz_file_give_their_links() {
    let dir = dir();
    let [first, second] = ["http://h/a/", "http://i/b/"].map(|page| html(page, "<a href=c>"));
    let wacz = zip(&[
        ("datapackage.json", b"{}", true),
        ("archive/a.warc.gz", &gzip(&first), false),
        ("archive/b.warc", &second, true),
        ("pages/pages.jsonl", b"{}\n", true),
    ]);
    write(dir.path(), "a.wacz", &wacz);
    let done = urimill("links a.wacz --to csv --columns uri,source --summary none").within(dir.path()).ok();
    assert_eq!(done.text(), "uri,source\nhttp://h/a/c,a.wacz\nhttp://i/b/c,a.wacz\n");
}

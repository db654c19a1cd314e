//! The targets of requests in every output and in later runs; rows of access logs, by threads and chunks.

use std::fs;

use serde_json::json;
use urimill_testkit::reading::assert_has;

use super::run::{dir, urimill, write};
use super::table::{jsonl, read};

const TIME: &str = "[17/May/2015:10:05:03 +0000]";
const REST: &str = "200 7 \"-\" \"curl/8\"";

/// A line with these words before the time, and this request.
fn line(head: &str, request: &str) -> String {
    format!("{head} {TIME} \"{request}\" {REST}\n")
}

/// A path is a path in each output, and in later runs: its text never becomes a host.
#[test]
fn a_client_cannot_write_a_host_into_a_table() {
    let dir = dir();
    let input = line("w.example:443 1.2.3.4 - -", "GET //evil.example/a HTTP/1.1")
        + &line("1.2.3.4 - -", "GET //evil.example/a HTTP/1.1")
        + &line("1.2.3.4 - -", "GET /b HTTP/1.1");
    write(dir.path(), "in.log", &input);
    for name in ["t.csv", "t.jsonl", "t.parquet", "t.arrow"] {
        urimill(&format!("normalize in.log --from clf -o {name} --verify")).within(dir.path()).ok();
        let found: Vec<_> = read(&dir.path().join(name))
            .iter()
            .map(|row| json!([row["uri"], row["host"], row["path"]]))
            .collect();
        let expected = [
            json!(["https://w.example//evil.example/a", "w.example", "//evil.example/a"]),
            json!(["/.//evil.example/a", null, "/.//evil.example/a"]),
            json!(["/b", null, "/b"]),
        ];
        assert_eq!(found, expected, "{name}");
    }
    // The list is read again, resolved again, and counted.
    let list = urimill("normalize in.log --from clf --summary none").within(dir.path()).ok();
    assert_eq!(list.text(), "https://w.example//evil.example/a\n/.//evil.example/a\n/b\n");
    let again = urimill("normalize --summary none --base https://w.example").stdin(&list.stdout).ok();
    let target = "https://w.example//evil.example/a\n";
    assert_eq!(again.text(), format!("{target}{target}https://w.example/b\n"));
    let counted = urimill("dedupe --to csv --summary none").stdin(&again.stdout).ok();
    assert!(counted.text().contains("https://w.example//evil.example/a,2,1,"), "{}", counted.text());
    let counted = urimill("dedupe --to csv --summary none").stdin(&list.stdout).ok();
    assert!(counted.text().contains("\n/.//evil.example/a,1,1,"), "{}", counted.text());

    let index = "normalize in.log --from clf --schema cc-index --fill --base http://b.example -o cc.jsonl";
    urimill(index).within(dir.path()).ok();
    let found: Vec<_> = read(&dir.path().join("cc.jsonl"))
        .iter()
        .map(|row| json!([row["url"], row["url_host_name"], row["url_path"]]))
        .collect();
    let evil = json!(["http://b.example//evil.example/a", "b.example", "//evil.example/a"]);
    assert_eq!(found, [evil.clone(), evil, json!(["http://b.example/b", "b.example", "/b"])]);
    let index = "normalize --from clf --schema cc-index --fill --to jsonl --columns +base";
    let vhost = line("w.example:443 1.2.3.4 - -", "GET //evil.example/a HTTP/1.1");
    let row = &jsonl(&urimill(index).stdin(vhost).ok().stdout)[0];
    let expected = json!({"url": "https://w.example//evil.example/a", "url_host_name": "w.example", "url_port": null,
        "url_surtkey": "example,w)/evil.example/a", "base": "https://w.example/"});
    assert_has(row, &expected, index);
}

/// Lines of all forms, good and bad.
fn mixed(count: usize) -> String {
    let mut text = String::new();
    for n in 0..count {
        let request = format!("GET /{}{n} HTTP/1.1", if n % 3 == 0 { "/" } else { "" });
        let head = match n % 7 {
            0 => "1.2.3.4 - -".to_owned(),
            1 => format!("h{}.example:443 1.2.3.4 - -", n % 5),
            2 => format!("h{n}.example 1.2.3.4 - al"),
            3 => "1.2.3.4 www.example.com al".to_owned(),
            4 => "1.2.3.4, 5.6.7.8 - -".to_owned(),
            5 => "a b c d".to_owned(),
            _ => "\n1.2.3.4 - -".to_owned(),
        };
        text.push_str(&line(&head, &request));
    }
    text
}

#[test]
fn rows_do_not_depend_on_threads_and_chunks() {
    let dir = dir();
    write(dir.path(), "in.log", mixed(3000));
    let mut first: Option<Vec<u8>> = None;
    for sizes in ["--threads 1", "--threads 1 --chunk 300", "--threads 3 --chunk 5000"] {
        let line = format!(
            "normalize in.log --from clf --to csv --columns +base,+offset {sizes} --verify --summary none"
        );
        let stdout = urimill(&format!("{line} -o t.csv --force")).within(dir.path()).ok();
        drop(stdout);
        let bytes = fs::read(dir.path().join("t.csv")).expect("a file");
        assert!(*first.get_or_insert_with(|| bytes.clone()) == bytes, "{line}");
    }
    let rows = read(&dir.path().join("t.csv"));
    assert_eq!(rows.len(), 3000);
    for (n, row) in rows.iter().enumerate() {
        let slash = if n % 3 == 0 { "/" } else { "" };
        let base = match n % 7 {
            1 => Some(format!("https://h{}.example/", n % 5)),
            2 => Some(format!("http://h{n}.example/")),
            3 => Some("http://www.example.com/".to_owned()),
            _ => None,
        };
        assert_eq!(row["base"], json!(base), "{n}");
        let uri = match &base {
            Some(base) => format!("{base}{slash}{n}"),
            None if n % 3 == 0 => format!("/.//{n}"),
            None => format!("/{n}"),
        };
        match n % 7 {
            5 => assert_eq!(row["error"], json!("record_malformed"), "{n}"),
            _ => assert_eq!(row["uri"], json!(uri), "{n}"),
        }
    }
}

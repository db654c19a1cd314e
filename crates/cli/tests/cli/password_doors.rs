//! Passwords on every path: however a text writes one, by any specification, and whichever command reads it, its bytes
//! are in no output.

use std::path::Path;

use serde_json::json;

use super::run::{Done, dir, names, urimill, write};

/// A password that occurs nowhere else.
const SECRET: &str = "s3cr3t";

/// References that tell it, by RFC 3986 or the URL Standard, in themselves or in what they hold.
const REFERENCES: &[&str] = &[
    "http://joe:s3cr3t@h/",
    // By the URL Standard alone (4.4, special authority slashes state).
    "http:/joe:s3cr3t@h/",
    "http:joe:s3cr3t@h/",
    "http:\\\\joe:s3cr3t@h\\x",
    "/\\joe:s3cr3t@h",
    "ws:/joe:s3cr3t@h",
    // A path of a request, and a reference elsewhere.
    "//joe:s3cr3t@h/",
    "http://h//joe:s3cr3t@i/",
    // In queries, encoded and not, valid and not.
    "/?r=http://joe:p/s3cr3t@h/",
    "http://h/?r=http%3A%2F%2Fjoe%3As3cr3t%40h",
    "http://h/?r=http%253A%252F%252Fjoe%253As3cr3t%2540h",
    "http://h/a^b?r=http%3A%2F%2Fjoe%3As3cr3t%40h",
    "http://h/?%2F%2Fjoe%3As3cr3t%40i%2F",
    "http://h/http://joe:s3cr3t@i/",
];

/// Lines of a format, one of each reference.
fn lines(line: impl Fn(&str) -> String) -> String {
    REFERENCES.iter().map(|reference| line(reference)).collect()
}

/// (name, options, input)
fn inputs() -> Vec<(&'static str, &'static str, String)> {
    let clf = |host: &str, reference: &str| {
        format!(
            "{host}192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET {reference} HTTP/1.1\" 200 7 \"{reference}\" \
             \"bot (+{reference})\"\n"
        )
    };
    let body = lines(|r| format!("<a href='{r}'>words {r}</a><img alt='{r}' src=x>"));
    let html = format!("<base href='http:/joe:s3cr3t@h/'>{body}");
    let message = format!(
        "HTTP/1.1 302 Found\r\nLocation: http:/joe:s3cr3t@l/\r\nContent-Type: text/html\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let warc = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http:/joe:s3cr3t@h/\r\n\
         WARC-Date: 2024-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
         Content-Type: application/http;msgtype=response\r\nContent-Length: {}\r\n\r\n{message}\r\n\r\n",
        message.len()
    );
    vec![
        ("lines.txt", "", lines(|r| format!("{r}\n"))),
        (
            "t.csv",
            "--from csv --uri-field u",
            "u,v\n".to_owned() + &lines(|r| format!("{r},see {r} there\n")),
        ),
        (
            "t.jsonl",
            "--from jsonl --uri-field u",
            lines(|r| format!("{}\n", json!({ "u": r, "v": format!("see\t{r}"), "o": { "p": [r] } }))),
        ),
        ("clf.log", "--from clf", lines(|r| clf("", r)) + "no line http:/joe:s3cr3t@h/ of it\n"),
        ("vhost.log", "--from clf", lines(|r| clf("v.example ", r))),
        (
            "w3c.log",
            "--from w3c",
            "#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip cs(Referer) sc-status\n".to_owned()
                + &lines(|r| format!("2024-01-02 03:04:05 GET {r} r={r} 192.0.2.1 {r} 200\n")),
        ),
        (
            "crawl.log",
            "--from heritrix",
            lines(|r| {
                let more = "text/html #1 20240101000000000+1 sha1:A - -";
                format!("2024-01-01T00:00:00.000Z 200 1 {r} L {r} {more} {}\n", json!({ "a": r }))
            }),
        ),
        (
            "index.cdxj",
            "--from cdxj",
            lines(|r| {
                let fields =
                    json!({ "url": r, "mime": "text/html", "status": "200", "redirect": r, "more": r });
                format!("com,example)/ 20240101000000 {fields}\n")
            }),
        ),
        ("page.html", "--from html", html),
        ("page.md", "--from markdown", lines(|r| format!("[words {r}](<{r}>)\n\n"))),
        ("pages.warc", "--from warc", warc),
    ]
}

/// The bytes of every file below a directory except the inputs, and the messages.
fn outputs(done: &Done, directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found =
        vec![("stdout".to_owned(), done.stdout.clone()), ("stderr".to_owned(), done.stderr.clone().into())];
    for name in names(directory).into_iter().filter(|name| name.starts_with("out.")) {
        let bytes = std::fs::read(directory.join(&name)).expect("an output");
        std::fs::remove_file(directory.join(&name)).expect("it goes");
        found.push((name, bytes));
    }
    found
}

fn tells_nothing(line: &str, more: Option<&str>, directory: &Path) {
    let run = more.iter().fold(urimill(line), |run, more| run.arg(more));
    let done = run.within(directory).go();
    assert!(matches!(done.code, Some(0..=2)), "{line} {more:?}: {:?} {}", done.code, done.stderr);
    for (name, bytes) in outputs(&done, directory) {
        let text = String::from_utf8_lossy(&bytes);
        let at = text.find(SECRET);
        let around = at.map(|at| text[..at].chars().rev().take(80).collect::<Vec<_>>());
        let around = around.map(|around| around.into_iter().rev().collect::<String>());
        assert!(at.is_none(), "{line} {more:?}: {name}: {}", around.unwrap_or_default());
    }
}

#[test]
fn no_row_tells_a_password_that_is_to_be_hidden() {
    let dir = dir();
    const COLUMNS: &str =
        "+offset,+surt,+query_params,+query_params_raw,+raw_bytes,+whatwg_uri,+template,+base";
    for (name, options, input) in inputs() {
        write(dir.path(), name, &input);
        for hide in ["--mask-passwords", "--drop-userinfo"] {
            for spec in ["rfc3986", "whatwg"] {
                let rows = format!("{hide} --spec {spec} --to jsonl -o out.jsonl --force");
                if name.starts_with("page") {
                    for more in ["", "--base http://b/", "--base http:/joe:s3cr3t@b/"] {
                        let line = format!("links {name} {options} {rows} {more} --rejects out.r.jsonl");
                        tells_nothing(&line, None, dir.path());
                    }
                    continue;
                }
                tells_nothing(&format!("dedupe {name} {options} {rows}"), None, dir.path());
                for more in ["", "--base http://b/", "--base http:/joe:s3cr3t@b/", "--on-invalid fail"] {
                    let rejects = if more.starts_with("--on") { "" } else { "--rejects out.r.jsonl" };
                    let line =
                        format!("normalize {name} {options} {rows} {more} {rejects} --columns {COLUMNS}");
                    tells_nothing(&line, None, dir.path());
                }
            }
        }
    }
}

#[test]
fn no_report_tells_a_password() {
    let dir = dir();
    for (name, options, input) in inputs().into_iter().filter(|(name, ..)| !name.starts_with("page.")) {
        write(dir.path(), name, &input);
        for spec in ["rfc3986", "whatwg"] {
            let read = format!("{name} {options} --spec {spec}");
            for line in [
                format!("check {read} --require absolute-uri"),
                format!("check {read} --to jsonl"),
                format!("report {read} -o out.html --state out.state --force"),
                format!("report {read} -o out.json --force"),
            ] {
                tells_nothing(&line, None, dir.path());
            }
            let bys = match (name, spec) {
                ("lines.txt" | "vhost.log", _) => {
                    "uri raw userinfo path query template first_segment parameter"
                }
                ("clf.log", "rfc3986") => "path agent failed_path referrer user_agent referer",
                _ => "uri",
            };
            for by in bys.split(' ') {
                tells_nothing(&format!("top {read} --by {by}"), None, dir.path());
            }
        }
        tells_nothing(&format!("check {name} {options} --spec rfc3986,rfc2396,whatwg"), None, dir.path());
    }
}

#[test]
fn no_message_tells_a_password() {
    let dir = dir();
    write(dir.path(), "in.txt", "/a\n");
    for reference in REFERENCES.iter().copied().chain(["ht\ttp:/joe:s3cr3t@h/"]) {
        for line in [
            "explain",
            "explain --to json",
            "explain --repair",
            "explain --base http://b/",
            "explain a --base",
            "explain a --to json --base",
            "compare a",
            "normalize in.txt --mask-passwords -o out.csv --force --base",
            "check in.txt --spec rfc3986,whatwg --base",
            "lookup",
            "top in.txt --by",
        ] {
            tells_nothing(line, Some(reference), dir.path());
        }
    }
}

//! `urimill report`: its outputs, and what it refuses.

use serde_json::Value;

use super::run::{dir, names, urimill, write};

const LIST: &[u8] =
    b"http://example.com/a\nhttp://example.com/b?x=1&y\nhttp://www.example.org/\nhttp://h/a b\n";

#[test]
fn figures_as_json_on_standard_output() {
    let json = urimill("report --json - --summary none").stdin(LIST).ok();
    let json: Value = serde_json::from_str(json.text()).expect("JSON");
    assert_eq!(json["accounts"]["records"], 4);
    assert_eq!(json["rejects"]["path_invalid_char"]["records"], 1);
    let example = &json["rejects"]["path_invalid_char"]["examples"][0];
    assert_eq!((&example["record"], &example["offset"]), (&4.into(), &10.into()));
    assert_eq!(json["figures"]["host"]["top"][0], serde_json::json!({ "text": "example.com", "sum": 2 }));
    assert_eq!(json["figures"]["registered_domain"]["distinct"]["estimate"], 2);
    assert_eq!(json["figures"]["parameter"]["total"], 2);
    assert_eq!(json["series"], Value::Null);
}

#[test]
fn a_page_a_state_and_the_page_of_states() {
    let folder = dir();
    write(folder.path(), "list.txt", LIST);
    let urimill = |line: &str| urimill(line).within(folder.path());
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("a file");
    let done = urimill("report list.txt -o a.html --state a.state --title <A&B>").ok();
    assert!(done.stderr.starts_with("4 records = 3 URI references + 1 reject\n"), "{}", done.stderr);
    let page = read("a.html");
    assert!(page.contains("<h1>&lt;A&amp;B&gt;</h1>") && page.len() < 600_000);
    urimill("report a.state a.state -o all.html --force").ok();
    assert!(read("all.html").contains("<dt>Records</dt><dd>8</dd>"));
    // Outputs are not replaced, nor inputs.
    urimill("report list.txt -o a.html").fails(2, &["a.html", "exists"]);
    urimill("report list.txt -o a.html --force").ok();
    urimill("report list.txt --state list.txt --force").fails(2, &["list.txt", "input"]);
    urimill("report list.txt -o b.html --json b.html").fails(2, &["b.html"]);
    urimill("report a.state list.txt -o b.html").fails(2, &["a.state is a state and other inputs are not"]);
    assert_eq!(names(folder.path()), ["a.html", "a.state", "all.html", "list.txt"]);
}

#[test]
fn outputs_that_make_no_sense_are_refused() {
    urimill("report").stdin(LIST).fails(2, &["there is nothing to write"]);
    urimill("report -o - --json -").stdin(LIST).fails(2, &["only one output"]);
    let folder = dir();
    write(folder.path(), "a.state", b"urimill report state\nxxxxxxxxxxxxxxxxxxxxxx");
    urimill("report a.state -o -").within(folder.path()).fails(3, &["a.state: the state has version"]);
}

/// Pages with a session and a number, in the formats that have digests.
#[test]
fn parameters_that_never_matter_are_dropped_as_the_summary_says() {
    let uri = |page: usize, session: &str| format!("http://example.com/?id={page}&sid={session}");
    let record = |form: &str, page: usize, session: &str| {
        let (uri, digest) = (uri(page, session), format!("FNXOHI5LCGLX5BO2AG2RWEH4RLIO47M{page}"));
        match form {
            "heritrix" => format!(
                "2012-05-23T15:06:28.689Z   200         56 {uri} L http://example.com/ text/html #048 \
                 20120523150627325+74 sha1:{digest} - -\n"
            ),
            "cdx" => {
                format!("com,example)/ 20240101000000 {uri} text/html 200 {digest} - - 56 0 a.warc.gz\n")
            }
            "nutch" => format!(
                "{uri}\tVersion: 7\nStatus: 2 (db_fetched)\nFetch time: Sat Apr 13 10:13:54 UTC 2024\n\
                 Modified time: Thu Jan 01 00:00:00 UTC 1970\nRetries since fetch: 0\nRetry interval: 2592000 \
                 seconds (30 days)\nScore: 1.0\nSignature: {page}{page}f2\nMetadata: \n\n"
            ),
            "warc" => {
                let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
                format!(
                    "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n\
                     WARC-Record-ID: <urn:uuid:0-{page}-{session}>\r\nWARC-Payload-Digest: sha1:{digest}\r\n\
                     Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{head}\r\n\r\n",
                    head.len()
                )
            }
            _ => format!("{uri},200,{digest}\n"),
        }
    };
    for (form, options) in [
        ("heritrix", "--from heritrix"),
        ("cdx", "--from cdx"),
        ("nutch", "--from nutch"),
        ("warc", "--from warc"),
        ("csv", "--from csv --uri-field uri"),
    ] {
        let sessions = (0..3).flat_map(|page| ["x", "y"].map(|session| (page, session)));
        let head = if form == "csv" { "uri,fetch_status,content_digest\n" } else { "" };
        let records = sessions.map(|(page, session)| record(form, page, session));
        let log = head.to_owned() + &records.collect::<String>();
        let done = urimill(&format!("report {options} --json -")).stdin(&log).ok();
        let json: Value = serde_json::from_str(done.text()).expect("JSON");
        let parameters = &json["crawl"]["parameters"]["all_hosts"];
        let told: Vec<_> = parameters
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| (one["name"].as_str().expect("a name"), one["same"].clone(), one["different"].clone()))
            .collect();
        assert_eq!(told, [("sid", 3.into(), 0.into()), ("id", 0.into(), 6.into())], "{form}");
        // As a user would paste it.
        let line =
            done.stderr.lines().find_map(|line| line.strip_prefix("1 parameter never changed the content: "));
        let option = line.unwrap_or_else(|| panic!("{form}: {}", done.stderr));
        assert_eq!(option, "--drop-params sid");
        let list = (0..3).map(|page| uri(page, "x") + "\n").collect::<String>();
        let line = format!("normalize --canonical w3lib --columns canonical --to csv {option}");
        let rows = urimill(&line).stdin(&list).ok();
        assert_eq!(rows.text().lines().nth(2), Some("http://example.com/?id=1"), "{form}");
    }
}

/// A text in a message of HTTP has a type of its own.
#[test]
fn media_types_of_archives_are_those_of_payloads() {
    let record = |kind: &str, content: &str, head: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://h/\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n\
             WARC-Record-ID: <urn:uuid:0>\r\nContent-Type: {content}\r\nContent-Length: {}\r\n\r\n{head}\r\n\r\n",
            head.len()
        )
    };
    let http = "application/http; msgtype=response";
    let warc = [
        record("response", http, "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"),
        record("response", http, "HTTP/1.1 200 OK\r\nContent-Type: Image/PNG\r\n\r\n"),
        record("response", http, "HTTP/1.1 204 No Content\r\n\r\n"),
        record("request", "application/http; msgtype=request", "GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        record("resource", "text/dns", "20240101"),
    ];
    let done = urimill("report --from warc --json -").stdin(warc.concat()).ok();
    let json: Value = serde_json::from_str(done.text()).expect("JSON");
    let told: Vec<_> = json["figures"]["media_type"]["top"].as_array().expect("a list").iter().collect();
    let one = |text: &str| serde_json::json!({ "text": text, "sum": 1 });
    assert_eq!(told, [&one("image/png"), &one("text/dns"), &one("text/html")]);
}

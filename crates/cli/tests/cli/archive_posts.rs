//! `urimill index`: the bodies of POST and PUT requests are part of the keys of their answers. The tests of
//! `index::post` have the arguments that each kind of body becomes.

use std::collections::BTreeSet;

use serde_json::Value;

use super::run::{dir, urimill, write};

/// A record of this type, with a target, an id, the id of another record (or none), and a block.
fn record(kind: &str, target: &str, id: &str, of: &str, block: &[u8]) -> Vec<u8> {
    let of = if of.is_empty() { String::new() } else { format!("WARC-Concurrent-To: <urn:uuid:{of}>\r\n") };
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Target-URI: {target}\r\n\
         WARC-Date: 2026-11-20T10:00:00Z\r\n{of}Content-Type: application/http\r\nContent-Length: {}\r\n\r\n",
        block.len()
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn answer(target: &str, id: &str, of: &str) -> Vec<u8> {
    record(
        "response",
        target,
        id,
        of,
        format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{id}").as_bytes(),
    )
}

fn request(method: &str, target: &str, id: &str, of: &str, body: &str) -> Vec<u8> {
    let block = format!(
        "{method} / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    record("request", target, id, of, block.as_bytes())
}

/// The keys of the lines, and their method and body.
fn found(archive: &[u8], options: &str) -> Vec<(String, Option<String>, Option<String>)> {
    let done = urimill(&format!("index --summary none {options}")).stdin(archive).ok();
    let of = |line: &str| {
        let (key, rest) = line.split_once(' ').expect("a key");
        let object: Value = serde_json::from_str(rest.split_once(' ').expect("a time").1).expect("JSON");
        let text = |name: &str| object[name].as_str().map(str::to_owned);
        (key.to_owned(), text("method"), text("requestBody"))
    };
    done.text().lines().map(of).collect()
}

#[test]
fn an_answer_has_the_key_of_its_request() {
    let url = "http://h.example/find?z=1";
    let plain = "example,h)/find?z=1";
    let post = "example,h)/find?__wb_method=post&q=a&z=1";
    let revisit = record("revisit", url, "a", "", b"HTTP/1.1 200 OK\r\n\r\n");
    let other = answer("http://other.example/", "x", "");
    // (what, records, keys)
    type Case = (&'static str, Vec<Vec<u8>>, Vec<&'static str>);
    let table: Vec<Case> = vec![
        ("answer first", vec![answer(url, "a", ""), request("POST", url, "b", "a", "q=a")], vec![post]),
        ("request first", vec![request("POST", url, "b", "", "q=a"), answer(url, "a", "b")], vec![post]),
        (
            "the first names the second",
            vec![answer(url, "a", "b"), request("POST", url, "b", "", "q=a")],
            vec![post],
        ),
        (
            "neither names the other",
            vec![answer(url, "a", ""), request("POST", url, "b", "", "q=a")],
            vec![post],
        ),
        (
            "PUT",
            vec![answer(url, "a", ""), request("PUT", url, "b", "a", "q=a")],
            vec!["example,h)/find?__wb_method=put&q=a&z=1"],
        ),
        ("GET", vec![answer(url, "a", ""), request("GET", url, "b", "a", "")], vec![plain]),
        ("a revisit", vec![revisit, request("POST", url, "b", "a", "q=a")], vec![post]),
        (
            "it names another one",
            vec![answer(url, "a", ""), request("POST", url, "b", "c", "q=a")],
            vec![plain],
        ),
        (
            "another target",
            vec![answer(url, "a", ""), request("POST", "http://h.example/", "b", "a", "q=a")],
            vec![plain],
        ),
        (
            "one between",
            vec![answer(url, "a", ""), other, request("POST", url, "b", "a", "q=a")],
            vec![plain, "example,other)/"],
        ),
        ("no answer", vec![request("POST", url, "b", "", "q=a")], vec![]),
        // Each has its own.
        (
            "two exchanges",
            vec![
                answer(url, "a", ""),
                request("POST", url, "b", "", "q=a"),
                answer(url, "c", ""),
                request("POST", url, "d", "", "q=b"),
            ],
            vec![post, "example,h)/find?__wb_method=post&q=b&z=1"],
        ),
        (
            "a GET before",
            vec![
                request("GET", url, "a", "", ""),
                answer(url, "b", ""),
                request("POST", url, "c", "", "q=a"),
                answer(url, "d", ""),
            ],
            vec![post, plain],
        ),
    ];
    for (what, records, keys) in table {
        let archive = records.concat();
        for options in ["", "--like pywb", "--chunk 1", "--threads 4 --chunk 300"] {
            let mut found: Vec<_> = found(&archive, options).into_iter().map(|(key, ..)| key).collect();
            found.sort();
            assert_eq!(found, keys, "{what} {options}");
        }
        for (key, method, body) in found(&archive, "--no-post") {
            assert_eq!((method, body), (None, None), "{what}");
            assert!(!key.contains("__wb_method"), "{what}: {key}");
        }
    }
}

#[test]
fn the_members_are_those_of_the_tools() {
    let url = "http://h.example/";
    let archive = [answer(url, "a", ""), request("POST", url, "b", "a", "a=b%20c")].concat();
    let line = |options: &str| {
        urimill(&format!("index --summary none {options}")).stdin(&archive).ok().text().to_owned()
    };
    let ends = [
        "\"offset\": \"0\", \"filename\": \"standard input\", \"requestBody\": \"a=b c\", \"method\": \"POST\"}\n",
        "\"offset\": \"0\", \"method\": \"POST\", \"requestBody\": \"a=b c\", \"filename\": \"standard input\"}\n",
    ];
    for (options, end) in ["", "--like pywb"].into_iter().zip(ends) {
        let line = line(options);
        assert!(
            line.starts_with(
                "example,h)/?__wb_method=post&a=b%20c 20261120100000 {\"url\": \"http://h.example/\""
            ),
            "{line}"
        );
        assert!(line.ends_with(end), "{line}");
    }
    // pywb's keys have every method but GET; a request itself has the key of its answer.
    let head = [answer(url, "a", ""), request("HEAD", url, "b", "a", "")].concat();
    assert_eq!(found(&head, "")[0], ("example,h)/".into(), None, None));
    assert_eq!(
        found(&head, "--like pywb")[0],
        ("example,h)/?__wb_method=head".into(), Some("HEAD".into()), None)
    );
    let keys: BTreeSet<_> = found(&archive, "--records all").into_iter().map(|(key, ..)| key).collect();
    assert_eq!(keys.len(), 1, "{keys:?}");
    // An empty body.
    let empty = [answer(url, "a", ""), request("POST", url, "b", "a", "")].concat();
    let expected = ("example,h)/?__wb_method=post".to_owned(), Some("POST".to_owned()));
    assert_eq!(found(&empty, "")[0], (expected.0.clone(), expected.1.clone(), Some(String::new())));
    assert_eq!(found(&empty, "--like pywb")[0], (expected.0, expected.1, None));
}

/// However the archive is cut into pieces, compressed or not.
#[test]
fn pairs_are_the_same_whatever_the_pieces() {
    let mut archive = Vec::new();
    let mut members = Vec::new();
    for number in 0..400 {
        let target = format!("http://h{}.example/{}", number % 7, number % 11);
        let body = format!("n={number}&pad={}", "p".repeat(number * 37 % 5000));
        let id = |end: &str| format!("{number}{end}");
        let (one, other) =
            (answer(&target, &id("a"), ""), request("POST", &target, &id("b"), &id("a"), &body));
        let (first, second) = match number % 3 {
            0 => (one, other),
            1 => (request("POST", &target, &id("b"), "", &body), answer(&target, &id("a"), &id("b"))),
            // Without names.
            _ => (one, request("POST", &target, &id("b"), "", &body)),
        };
        for record in [first, second] {
            members.extend(gzip(&record));
            archive.extend(record);
        }
    }
    let expected: BTreeSet<_> = found(&archive, "").into_iter().collect();
    assert_eq!(expected.len(), 400);
    assert!(expected.iter().all(|(_, method, _)| method.as_deref() == Some("POST")));
    for options in ["--chunk 1", "--chunk 700", "--chunk 5000 --threads 3", "--threads 1", "--skip-bodies"] {
        for bytes in [&archive, &members] {
            let found: BTreeSet<_> = found(bytes, options).into_iter().collect();
            assert!(found == expected, "{options}");
        }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

#[test]
fn a_lookup_finds_what_was_answered_to_a_body() {
    let dir = dir();
    let url = "http://h.example/find";
    let archive = [
        answer(url, "a", ""),
        request("POST", url, "b", "a", "q=One"),
        answer(url, "c", ""),
        request("POST", url, "d", "c", "q=Two&p=3"),
    ]
    .concat();
    write(dir.path(), "a.warc", archive);
    for index in ["a.cdxj", "a.parquet"] {
        urimill(&format!("index a.warc -o {index} --summary none")).within(dir.path()).ok();
        for (query, body) in
            [("__wb_method=POST&q=One", "q=One"), ("p=3&q=two&__wb_method=post", "q=Two&p=3")]
        {
            let done = urimill(&format!("lookup {url}?{query} -i {index}")).within(dir.path()).ok();
            let line: Value = serde_json::from_str(done.text()).expect("one line");
            assert_eq!((&line["requestBody"], &line["method"]), (&body.into(), &"POST".into()), "{index}");
        }
        assert_eq!(urimill(&format!("lookup {url} -i {index}")).within(dir.path()).go().code, Some(1));
    }
}

//! Logs in documents of JSON: each element of the array is a record, or holds a line.

use serde_json::{Value, json};
use urimill_testkit::samples::{LOGS, log};

use super::rows;

const CLF: &str = "192.0.2.1 - al [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7 \"-\" \"c\\\"d\"";

fn named(input: &str) -> Option<(&'static str, String)> {
    let found = urimill_logs::detect(input.as_bytes())?;
    Some((found.name(), found.wrappers().join(",")))
}

/// An event of CloudWatch with another path in its line.
fn event(path: &str) -> Value {
    json!({"id": "1", "timestamp": 1_431_857_103_000_i64, "message": CLF.replace("/a", path)})
}

#[test]
fn every_format_of_objects_is_read_in_an_array() {
    for (file, format) in LOGS {
        let text = log(file);
        let lines: Vec<&str> = text.lines().take(2).collect();
        let Ok(objects) = lines.iter().map(|line| serde_json::from_str::<Value>(line)).collect() else {
            continue;
        };
        let objects: Vec<Value> = objects;
        if !objects.iter().all(Value::is_object) {
            continue;
        }
        if lines.len() < 2 {
            continue;
        }
        let plain: Vec<_> = rows(format, lines.join("\n") + "\n");
        // The same in several lines, in one, in several documents, and as a member.
        let (joined, first, last) = (lines.join(","), lines[0], lines[lines.len() - 1]);
        let documents = [
            ("array", format!("[\n{}\n]\n", lines.join(",\n"))),
            ("array", format!("[{joined}]")),
            ("array", format!("[]\r\n[{first}][{last}]\n")),
            ("array:Records", format!("{{\"n\": 7, \"Records\": [ {joined} ], \"next\": [1]}}\r\n")),
            ("array:hits.hits", format!("{{\"hits\":{{\"total\":2,\"hits\":[{joined}]}}}}")),
            ("array:records", format!("{{\"records\":[{first}]}}{{\"records\":[{last}]}}\n")),
        ];
        for (name, document) in documents {
            assert_eq!(named(&document), Some((*format, name.to_owned())), "{document}");
            for from in [(*format).to_owned(), "auto".to_owned(), format!("{format} --chunk 300 --threads 3")]
            {
                let found = rows(&from, &document);
                assert_eq!(found.len(), plain.len(), "{from}: {document}");
                for (at, (row, plain)) in found.iter().zip(&plain).enumerate() {
                    for (name, value) in plain {
                        assert_eq!(row.get(name), Some(value), "{name} of {at}, {from}: {document}");
                    }
                }
            }
        }
    }
}

#[test]
fn lines_in_the_elements_of_an_array_are_records() {
    let all = |count: usize| (0..count).map(|at| event(&format!("/{at}"))).collect::<Vec<_>>();
    let array = |count: usize| json!(all(count)).to_string();
    let sent = |count: usize| format!("{{\"logGroup\":\"g\",\"logEvents\":{}}}", array(count));
    let pretty = |value: &Value| serde_json::to_string_pretty(value).expect("JSON");
    // (wrapper, document, the number of its lines)
    let cases = [
        ("array", format!("{}\n", array(3)), 3),
        ("array", format!("{}\n{}\n", array(1), array(2)), 3),
        ("array", format!("{}{}", array(2), array(1)), 3),
        ("array", array(2).replace("},{", "},\r\n\n {"), 2),
        ("array", pretty(&json!(all(20))), 20),
        ("array:logEvents", format!("{}\n", sent(3)), 3),
        ("array:logEvents", format!("{0}\n{0}\n", sent(1)), 2),
        ("array:logEvents", format!("{}{}", sent(2), sent(1)), 3),
        ("array:logEvents", sent(2).replace("},{", "},\r\n\n {"), 2),
        ("array:events", pretty(&json!({"events": all(3), "searchedLogStreams": [{"a": [1]}]})), 3),
        ("array:logEvents", format!("{{\"logEvents\":[]}}\n{}\n", sent(2)), 2),
    ];
    for (wrapper, document, count) in cases {
        let wrappers = format!("{wrapper},json:message");
        assert_eq!(named(&document), Some(("clf", wrappers.clone())), "{document}");
        let unwrap = format!("clf --unwrap {wrappers}");
        for from in ["clf", "auto", "clf --chunk 300 --threads 3", &unwrap] {
            let found = rows(&format!("{from} --keep status,log_time"), &document);
            assert_eq!(found.len(), count, "{from}: {document}");
            for row in found {
                assert!(row["uri"].as_str().is_some_and(|uri| uri.starts_with('/')), "{row:?}");
                assert_eq!((&row["status"], &row["log_time"]), (&json!(200), &json!("2015-05-17T10:05:03Z")));
            }
            for row in rows(from, &document) {
                let prefix = row["prefix"].as_str().expect("a prefix");
                assert!(prefix.contains("\"id\""), "{prefix}");
                assert_eq!(
                    prefix.starts_with("{\"logGroup\":\"g\"} {"),
                    document.contains("logGroup"),
                    "{prefix}"
                );
            }
        }
    }
}

#[test]
fn what_is_no_element_of_the_format_keeps_its_row() {
    let document =
        json!([event("/a"), {"other": 1}, 7, event("/b"), {"message": "no line"}, event("/c"), event("/d")]);
    let found = rows("auto", serde_json::to_string_pretty(&document).expect("JSON"));
    let errors: Vec<bool> = found.iter().map(|row| !row["error"].is_null()).collect();
    assert_eq!(errors, [false, true, true, false, true, false, false], "{found:?}");
    for (document, what) in [("[]", "empty"), ("[\"/a\"]", "texts"), ("[[1]]", "arrays"), ("[][]", "none")] {
        assert_eq!(named(document), None, "{what}");
    }
}

#[test]
fn an_object_between_arrays_is_a_record() {
    let inputs = [
        // (between two documents, the row's URI, its error)
        (event("/b").to_string(), json!("/b"), Value::Null),
        (
            "{\"nextToken\": {\"a\": [1]}}".to_owned(),
            json!("{\"nextToken\": {\"a\": [1]}}"),
            json!("record_malformed"),
        ),
        ("lost".to_owned(), json!("lost"), json!("record_malformed")),
    ];
    for (between, uri, error) in inputs {
        let document = |path: &str| json!([event(path), event(path)]).to_string();
        let input = format!("{}\n{between}\n{}", document("/a"), document("/c"));
        let found = rows("auto", &input);
        let found: Vec<_> = found.iter().map(|row| (&row["uri"], &row["error"])).collect();
        let none = &Value::Null;
        let (first, last) = (json!("/a"), json!("/c"));
        let expected = [(&first, none), (&first, none), (&uri, &error), (&last, none), (&last, none)];
        assert_eq!(found, expected, "{input}");
    }
}

/// The rows of these documents: a URI, or the row's text and no URI.
fn texts(input: &str) -> Vec<(String, bool)> {
    let found = rows("clf --unwrap array:logEvents,json:message", input);
    let again = rows("clf --unwrap array:logEvents,json:message --chunk 300 --threads 3", input);
    assert_eq!(found, again, "{input}");
    found
        .iter()
        .map(|row| (row["uri"].as_str().expect("a text").to_owned(), row["error"].is_null()))
        .collect()
}

#[test]
fn a_document_that_is_cut_ends_with_its_line() {
    let line = |paths: &[&str]| {
        let events: Vec<Value> = paths.iter().map(|path| event(path)).collect();
        json!({"logGroup": "g", "logEvents": events, "owner": "someone"}).to_string()
    };
    let (before, after) = (line(&["/a", "/b"]), line(&["/e", "/f"]));
    let cut = line(&["/c", "/d"]);
    // Wherever it is cut, no row of the lines around it is lost, and it has a row of its own.
    for end in 1..cut.len() {
        let input = format!("{before}\n{}\n{}", &cut[..end], format!("{after}\n").repeat(3));
        let found = texts(&input);
        let uris: Vec<&str> = found.iter().filter(|(_, is_read)| *is_read).map(|(uri, _)| &**uri).collect();
        let misfits = found.iter().filter(|(_, is_read)| !is_read).count();
        assert_eq!(uris[..2], ["/a", "/b"], "{input}");
        assert_eq!(uris[uris.len() - 2..], ["/e", "/f"], "{input}: {found:?}");
        let is_visible = misfits > 0 || uris.len() == 10;
        assert!(is_visible, "{input}: {found:?}");
    }
}

#[test]
fn what_is_no_document_with_the_array_keeps_its_row() {
    let events = |paths: &[&str]| json!(paths.iter().map(|path| event(path)).collect::<Vec<_>>()).to_string();
    let (first, last) = (events(&["/a"]), events(&["/z"]));
    let left = format!(" {}}}", event("/c"));
    // (between two documents, the rows' texts, and which of them are read)
    let cases: &[(String, &[(&str, bool)])] = &[
        ("{\"messageType\":\"CONTROL_MESSAGE\"}".into(), &[("{\"messageType\":\"CONTROL_MESSAGE\"}", false)]),
        ("{\"logEvents\":null}".into(), &[("{\"logEvents\":null}", false)]),
        ("{\"logEvents\":[]}".into(), &[]),
        ("lost".into(), &[("lost", false)]),
        (
            "lost\nalso [7]\n: and\n\nthis".into(),
            &[("lost", false), ("also", false), ("[7]", false), (": and", false), ("this", false)],
        ),
        // Something else than members after the array.
        (format!("{{\"logEvents\":{} {}}}", events(&["/b"]), event("/c")), &[("/b", true), (&left, false)]),
        (event("/b").to_string(), &[("/b", true)]),
        // The second array of a document is one, too.
        (
            format!("{{\"logEvents\":{},\"x\":{{}},\"logEvents\":{}}}", events(&["/b"]), events(&["/c"])),
            &[("/b", true), ("/c", true)],
        ),
    ];
    for (between, expected) in cases {
        let input =
            format!("{{\"logEvents\":{first}}}\n{between}\n{{\"a\":1,\"logEvents\":{last},\"b\":2}}\n");
        let expected: Vec<(String, bool)> = [&[("/a", true)], *expected, &[("/z", true)]]
            .concat()
            .iter()
            .map(|(text, is)| ((*text).into(), *is))
            .collect();
        assert_eq!(texts(&input), expected, "{input}");
    }
}

#[test]
fn documents_longer_than_what_is_read_at_once_are_whole() {
    let line = |event: Value| format!("{{\"logEvents\":[{event}]}}\n");
    let many = |count: usize| line(event("/p")).repeat(count);
    let pad = "}".repeat(300_000);
    // (document, its rows: a URI, or the length of the text)
    let cases: Vec<(String, Vec<Result<&str, usize>>)> = vec![
        (json!({"a": pad, "logEvents": null, "x": event("/x"), "message": CLF}).to_string(), vec![Ok("/a")]),
        (json!({"a": pad, "logEvents": [event("/b")], "z": pad, "message": CLF}).to_string(), vec![Ok("/b")]),
        (json!({"a": pad, "x": event("/x")}).to_string(), vec![Err(300_000)]),
        (
            format!("{{\"logEvents\":[{}],\"t\":\"{pad}\",\"q\":{},\"z\":\"w", event("/b"), event("/x")),
            vec![Ok("/b"), Err(300_000)],
        ),
    ];
    for (document, expected) in cases {
        // Before it, less and more than what detection and a chunk take.
        for before in [1, 1_000, 8_000, 12_000] {
            let input = format!("{}{document}\n{}", many(before), line(event("/q")));
            for from in ["auto", "auto --chunk 300 --threads 3", "auto --chunk 250000"] {
                let found = rows(from, &input);
                let own = &found[before..found.len() - 1];
                assert_eq!(own.len(), expected.len(), "{from}, {before}: {}", &document[..40]);
                for (row, expected) in own.iter().zip(&expected) {
                    let uri = row["uri"].as_str().expect("a text");
                    match expected {
                        Ok(expected) => {
                            assert_eq!((uri, row["error"].is_null()), (*expected, true), "{from}")
                        }
                        Err(least) => {
                            assert!(uri.len() > *least && !row["error"].is_null(), "{from}, {before}")
                        }
                    }
                }
                assert_eq!(found[found.len() - 1]["uri"], json!("/q"), "{from}, {before}");
            }
        }
    }
}

#[test]
fn a_second_object_around_the_array_keeps_its_row() {
    let hits = |path: &str| format!("{{\"hits\":[{}]}}", event(path));
    let input = format!("{{\"hits\":{},\"hits\":{}}}\n", hits("/a"), hits("/b"));
    let found = rows("auto", &input);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((&found[0]["uri"], &found[0]["error"]), (&json!("/a"), &Value::Null));
    assert_eq!(found[1]["error"], json!("record_malformed"));
    assert!(found[1]["uri"].as_str().is_some_and(|text| text.contains("/b")));
}

#[test]
fn elements_may_have_many_brackets() {
    for depth in [3, 63, 64, 65, 100] {
        let nested = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let element = format!("{{\"a\":[{nested},\n{{\"b\":1}}],\"message\":{}}}", json!(CLF));
        for document in [format!("[{element},{element}]"), format!("{{\"events\":[{element},{element}]}}")] {
            let found = rows("auto", &document);
            assert_eq!(found.len(), 2, "{depth}: {document}");
            assert!(found.iter().all(|row| row["uri"] == json!("/a")), "{depth}");
        }
    }
}

#[test]
fn the_only_element_may_be_named() {
    let input = format!("{{\"logEvents\":[{}]}}\n", event("/a")).repeat(2);
    for from in ["clf --unwrap json:logEvents[0].message", "auto --unwrap json:logEvents[0].message"] {
        let found = rows(from, &input);
        assert!(found.len() == 2 && found.iter().all(|row| row["uri"] == json!("/a")), "{from}: {found:?}");
    }
}

#[test]
fn a_stream_may_begin_with_another_document() {
    let control = "{\"messageType\":\"CONTROL_MESSAGE\"}\n";
    let input = format!("{control}{{\"logEvents\":[{0},{0}]}}\n{{\"logEvents\":[{0}]}}\n", event("/a"));
    let found = rows("auto", &input);
    let errors: Vec<bool> = found.iter().map(|row| !row["error"].is_null()).collect();
    assert_eq!(errors, [true, false, false, false]);
}

#[test]
fn the_arrays_in_records_are_no_records() {
    let own = |at: usize| {
        json!({"url": format!("http://h.example/{at}"), "method": "GET", "status": 200,
               "results": [event("/inner"), event("/inner")]})
    };
    let lines: String = (0..3).map(|at| format!("{}\n", own(at))).collect();
    assert_eq!(named(&lines), None);
    // Which of two arrays has the lines is not known.
    let several = json!({"events": [event("/a"), event("/b")], "data": [event("/a"), event("/b")]});
    assert_eq!(named(&several.to_string()), None);
}

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
        // The same in several lines, in one, and in several documents.
        let joined = lines.join(",");
        let documents = [
            format!("[\n{}\n]\n", lines.join(",\n")),
            format!("[{joined}]"),
            format!("[]\r\n[{}][{}]\n", lines[0], lines[lines.len() - 1]),
        ];
        for document in documents {
            assert_eq!(named(&document), Some((*format, "array".to_owned())), "{document}");
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
    // (document, the number of its lines)
    let cases = [
        (format!("{}\n", array(3)), 3),
        (format!("{}\n{}\n", array(1), array(2)), 3),
        (format!("{}{}", array(2), array(1)), 3),
        (array(2).replace("},{", "},\r\n\n {"), 2),
        (serde_json::to_string_pretty(&json!(all(20))).expect("JSON"), 20),
    ];
    for (document, count) in cases {
        assert_eq!(named(&document), Some(("clf", "array,json:message".to_owned())), "{document}");
        for from in ["clf", "auto", "clf --chunk 300 --threads 3", "clf --unwrap array,json:message"] {
            let found = rows(&format!("{from} --keep status,log_time"), &document);
            assert_eq!(found.len(), count, "{from}: {document}");
            for row in found {
                assert!(row["uri"].as_str().is_some_and(|uri| uri.starts_with('/')), "{row:?}");
                assert_eq!((&row["status"], &row["log_time"]), (&json!(200), &json!("2015-05-17T10:05:03Z")));
            }
            for row in rows(from, &document) {
                let prefix = row["prefix"].as_str().expect("a prefix");
                assert!(prefix.contains("\"id\""), "{prefix}");
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

#[test]
fn the_arrays_in_records_are_no_records() {
    let own = |at: usize| {
        json!({"url": format!("http://h.example/{at}"), "method": "GET", "status": 200,
               "results": [event("/inner"), event("/inner")]})
    };
    let lines: String = (0..3).map(|at| format!("{}\n", own(at))).collect();
    assert_eq!(named(&lines), None);
    let delivered = json!({"logGroup": "g", "logEvents": [event("/a"), event("/b")]});
    assert_eq!(named(&delivered.to_string()), None);
}

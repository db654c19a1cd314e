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
        // The same in several lines, in one, and as the member of an object.
        let joined = lines.join(",");
        let documents = [
            format!("[\n{}\n]\n", lines.join(",\n")),
            format!("[{joined}]"),
            format!("{{\"n\": 7, \"Records\": [ {joined} ], \"next\": [1]}}\r\n"),
            format!("{{\"hits\":{{\"total\":2,\"hits\":[{joined}]}}}}"),
            format!("{{\"events\":[{}]}}{{\"events\":[{}]}}\n", lines[0], lines[lines.len() - 1]),
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
    let delivered = |count: usize| format!("{{\"logGroup\":\"g\",\"logEvents\":{}}}", json!(all(count)));
    let pretty = |value: &Value| serde_json::to_string_pretty(value).expect("JSON");
    // (document, the number of its lines)
    let cases = [
        (format!("{}\n", delivered(3)), 3),
        (format!("{}\n{}\n", delivered(1), delivered(2)), 3),
        (format!("{}{}", delivered(2), delivered(1)), 3),
        (delivered(2).replace("},{", "},\r\n\n {"), 2),
        (pretty(&json!({"events": all(3), "searchedLogStreams": []})), 3),
        (pretty(&json!(all(20))), 20),
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
                assert_eq!(prefix.contains("logGroup"), document.starts_with("{\"logGroup"), "{prefix}");
            }
        }
    }
    // Each line has one event.
    let single = format!("{0}\n{0}\n", delivered(1));
    assert_eq!(named(&single), Some(("clf", "json:logEvents[0].message".to_owned())));
}

#[test]
fn what_is_no_element_of_the_format_keeps_its_row() {
    let document = json!({"events": [event("/a"), {"other": 1}, 7, event("/b"), {"message": "no line"}, event("/c"), event("/d")]});
    let found = rows("auto", serde_json::to_string_pretty(&document).expect("JSON"));
    let errors: Vec<bool> = found.iter().map(|row| !row["error"].is_null()).collect();
    assert_eq!(errors, [false, true, true, false, true, false, false], "{found:?}");
    for (document, what) in
        [("[]", "empty"), ("[\"/a\"]", "texts"), ("[[1]]", "arrays"), ("{\"events\":[]}", "none")]
    {
        assert_eq!(named(document), None, "{what}");
    }
}

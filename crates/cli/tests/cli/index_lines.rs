//! A header in the middle of an index, where files were joined, is a header.

use serde_json::json;

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl};

/// The values of the row for the capture of this number.
fn is_capture(row: &Row, n: usize) -> bool {
    (&row["uri"], &row["status"], &row["filename"])
        == (&json!(format!("http://h/{n}")), &json!(200), &json!(format!("{n}.warc.gz")))
}

#[test]
fn a_header_in_the_middle_names_the_fields_of_what_follows() {
    let dir = dir();
    let count = 300;
    let joined = |headers: [&str; 3], line: &dyn Fn(usize, usize) -> String| {
        let part = |form: usize| {
            let lines = (0..count).map(|n| line(form, form * count + n) + "\n");
            format!("{}\n{}", headers[form], lines.collect::<String>())
        };
        (0..3).map(part).collect::<String>()
    };
    let words = joined(
        [" CDX N b a m s k r M S V g", "CDX a b s g", " CDX N b a m s k r V g"],
        &|form, n| match form {
            0 => format!("h)/{n} 20140126200624 http://h/{n} text/html 200 A - - 1 2 {n}.warc.gz"),
            1 => format!("http://h/{n} 20140126200624 200 {n}.warc.gz"),
            _ => format!("h)/{n} 20140126200624 http://h/{n} text/html 200 A - 2 {n}.warc.gz"),
        },
    );
    let arrays = joined(
        [
            "[[\"timestamp\",\"original\",\"statuscode\",\"filename\"],",
            "[[\"filename\",\"statuscode\",\"original\",\"timestamp\"],",
            "[[\"original\",\"filename\",\"statuscode\"],",
        ],
        &|form, n| match form {
            0 => format!("[\"20140126200624\",\"http://h/{n}\",\"200\",\"{n}.warc.gz\"],"),
            1 => format!("[\"{n}.warc.gz\",\"200\",\"http://h/{n}\",\"20140126200624\"],"),
            _ => format!("[\"http://h/{n}\",\"{n}.warc.gz\",\"200\"],"),
        },
    );
    for (name, text) in [("a.cdx", &words), ("a.json", &arrays)] {
        write(dir.path(), name, text);
        for sizes in ["--threads 1", "--threads 3 --chunk 700", "--chunk 1"] {
            let line =
                format!("normalize {name} --from cdx --to jsonl -o o.jsonl --force --summary json {sizes}");
            let done = urimill(&line).within(dir.path()).ok();
            assert_eq!(
                (&done.summary()["rejects"], &done.summary()["blank"]),
                (&json!(0), &json!(2)),
                "{line}"
            );
            let rows = jsonl(&std::fs::read(dir.path().join("o.jsonl")).expect("rows"));
            assert_eq!(rows.len(), 3 * count, "{line}");
            assert!(rows.iter().enumerate().all(|(n, row)| is_capture(row, n)), "{line}");
        }
    }
}

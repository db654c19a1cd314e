//! The answers of web-archive index servers: which are detected, which are refused, and several inputs.

use serde_json::json;
use urimill_testkit::reading::assert_has;

use super::logs::corpora;
use super::run::{dir, urimill, write};
use super::table::read;

const SEVEN: &str = "com,example)/a 20020120142510 http://example.com:80/a text/html 200 HT2D 1792\n";
const HEADER: &str = r#"["urlkey","timestamp","original","mimetype","statuscode","digest","length"]"#;

#[test]
fn auto_finds_what_servers_answer() {
    let object = "{\"urlkey\": \"k\", \"timestamp\": \"20240518015810\", \"url\": \"http://h/\"}\n";
    let cases = [
        (SEVEN.to_owned(), "cdx"),
        (
            format!("[{HEADER},\n[\"k\",\"20020120142510\",\"http://h/\",\"a/b\",\"200\",\"D\",\"7\"]]\n"),
            "cdx",
        ),
        ("[[\"original\"],\n[\"http://h/\"]]\n".to_owned(), "cdx"),
        (format!("{HEADER}\n"), "cdx"),
        (object.to_owned(), "cdxj"),
    ];
    for (input, format) in cases {
        let done = urimill("normalize --from auto --summary none --to jsonl").stdin(&input).ok();
        done.says(&input, &[&format!("read the input as {format}")]);
        let same =
            urimill(&format!("normalize --from {format} --summary none --to jsonl")).stdin(&input).ok();
        assert_eq!(done.text(), same.text(), "{input}");
    }
}

#[test]
fn arrays_that_are_no_lines_are_refused() {
    for input in [
        format!("[{HEADER},[\"k\",\"20020120142510\",\"http://h/\",\"a/b\",\"200\",\"D\",\"7\"]]"),
        format!("[\n{HEADER},\n[\"k\",\"20020120142510\",\"http://h/\",\"a/b\",\"200\",\"D\",\"7\"]\n]\n"),
        "[\n  [\n    \"urlkey\",\n    \"original\"\n  ]\n]\n".to_owned(),
    ] {
        for from in ["cdx", "auto"] {
            let run = urimill(&format!("normalize --from {from} --to csv")).stdin(&input).go();
            assert_eq!(run.code, Some(2), "{input}");
            assert!(run.stdout.is_empty() && run.stderr.contains("jq -c '.[]'"), "{}", run.stderr);
        }
    }
}

/// Inputs may differ in form, each has its own header; and rows do not depend on where chunks are cut.
#[test]
fn each_input_has_its_own_form() {
    let dir = dir();
    let count = 500;
    let (mut arrays, mut words) = (format!("[{HEADER}"), String::new());
    for n in 0..count {
        arrays.push_str(&format!(
            ",\n[\"k{n}\",\"20020120142510\",\"http://h/{n}\",\"a/b\",\"200\",\"\\u0041{n}\",\"{n}\"]"
        ));
        words.push_str(&format!("k{n} 20020120142510 http://h/{n} a/b 200 A{n} {n}\n"));
    }
    write(dir.path(), "a.json", arrays + "]\n");
    write(dir.path(), "b.cdx", words);
    for sizes in ["--threads 1", "--threads 3 --chunk 700"] {
        let line = format!("normalize a.json b.cdx --from cdx -o t.parquet --force --summary json {sizes}");
        let done = urimill(&line).within(dir.path()).ok();
        assert_eq!(done.summary()["rejects"], json!(0));
        let rows = read(&dir.path().join("t.parquet"));
        assert_eq!(rows.len(), 2 * count);
        for (n, row) in rows.iter().enumerate() {
            let at = n % count;
            assert_has(
                row,
                &json!({"record": at + 1, "uri": format!("http://h/{at}"), "digest": format!("A{at}"), "length": at}),
                &line,
            );
        }
    }
}

#[test]
fn samples_of_servers_are_detected() {
    let Some(corpora) = corpora() else { return };
    for (name, format) in [("wayback_wb.cdx", "cdx"), ("wayback_wbjson.json", "cdx"), ("ccidx.jsonl", "cdxj")]
    {
        let bytes = std::fs::read(corpora.join("logs").join(name)).expect("a sample");
        let [found, named] = ["auto", format].map(|from| {
            urimill(&format!("normalize --from {from} --to jsonl --summary none")).stdin(&bytes).ok().stdout
        });
        assert!(!named.is_empty() && found == named, "{name}");
    }
}

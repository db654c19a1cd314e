//! `urimill dedupe`: one row for each distinct form, on every machine the same bytes, and nothing left behind.

use std::fs;
use std::process::Stdio;

use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use super::run::{bounded, has_unnamed, peak, wait_until};
use super::run::{dir, names, urimill, write};
use super::table::{batches, read};

/// Lines of few forms, each in several ways, and some that have no form.
fn mixed(count: usize) -> String {
    let line = |n: usize| match n % 6 {
        0 => format!("HTTP://Example.com:80/{}/../{}\n", n % 50, n % 90),
        1 => format!("http://example.com/{}\n", n % 90),
        2 => format!("http://example.com/%7e{}\n", n % 70),
        3 => format!("http://h/{} not a URI\n", n % 40),
        4 => "\n".to_owned(),
        _ => format!("http://example.com/~{}\r\n", n % 70),
    };
    (0..count).map(line).collect()
}

/// Lines that are all different: more than 1 MiB of memory holds.
fn different(count: usize) -> String {
    (0..count).map(|n: usize| format!("http://example.com/{:x}/{n}\n", n.wrapping_mul(0x9e37_79b9))).collect()
}

const LIST: &str = "http://b/\nHTTP://A:80/%7E\n\nhttp://a/~\n<b>\nhttp://b/\n<b>\nhttp://A/~\n";

fn expected() -> Vec<Value> {
    let row = |uri: &str, records: u64, distinct: u64, merged: Value, first: u64, error: Value| {
        json!({
            "uri": uri, "records": records, "distinct": distinct, "merged": merged, "first_record": first,
            "first_source": "in.txt", "error": error, "raw_bytes": null,
        })
    };
    vec![
        row("http://b/", 2, 1, json!("identical"), 1, Value::Null),
        row("http://a/~", 3, 3, json!("case,scheme"), 2, Value::Null),
        row("<b>", 2, 1, json!("identical"), 5, json!("path_invalid_char")),
    ]
}

#[test]
fn every_format_holds_the_same_rows() {
    let dir = dir();
    write(dir.path(), "in.txt", LIST);
    for name in ["t.parquet", "t.arrow", "t.arrows", "t.jsonl", "t.csv"] {
        urimill(&format!("dedupe in.txt -o {name}")).within(dir.path()).ok();
        let found = read(&dir.path().join(name));
        assert_eq!(found.len(), 3, "{name}");
        for (found, expected) in found.into_iter().zip(expected()) {
            for (column, value) in found {
                let of_text = |value: &Value| value.as_u64().map_or(value.clone(), |n| json!(n.to_string()));
                let expected = &expected[&column];
                let expected = if name == "t.csv" { of_text(expected) } else { expected.clone() };
                assert_eq!(value, expected, "{name}: {column}");
            }
        }
    }
    let done = urimill("dedupe in.txt").within(dir.path()).ok();
    assert_eq!(done.text(), "http://b/\nhttp://a/~\n<b>\n");
}

/// References that are equal without a base, and those that only a base could make equal.
#[test]
fn references_without_a_scheme_wait_for_one() {
    let done = urimill("dedupe")
        .stdin("//h\n//h/\n//h:\n../g\n%2e%2e/g\nfile:/a\nfile://localhost/a\nx:./a\nx:a\n")
        .ok();
    assert_eq!(done.text(), "//h\n//h/\n../g\nfile:///a\nx:a\n");
}

#[test]
fn the_columns_are_plain() {
    let dir = dir();
    write(dir.path(), "in.txt", LIST);
    for name in ["t.parquet", "t.arrow"] {
        urimill(&format!("dedupe in.txt -o {name}")).within(dir.path()).ok();
        let schema = batches(&dir.path().join(name))[0].schema();
        let fields: Vec<_> =
            schema.fields().iter().map(|f| format!("{} {}", f.name(), f.data_type())).collect();
        let expected = [
            "uri Utf8",
            "records Int64",
            "distinct Int64",
            "merged Utf8",
            "first_record Int64",
            "first_source Utf8",
            "error Utf8",
            "raw_bytes Binary",
        ];
        assert_eq!(fields, expected, "{name}");
    }
    // No rows are a table as well.
    urimill("dedupe -o none.parquet").within(dir.path()).ok();
    assert_eq!(read(&dir.path().join("none.parquet")).len(), 0);
}

#[test]
fn files_are_the_same_to_the_byte() {
    let dir = dir();
    write(dir.path(), "a.txt", mixed(2000) + &different(20_000));
    write(dir.path(), "b.txt", different(30_000) + &mixed(1000));
    for extension in ["parquet", "arrow", "csv", "jsonl", "txt"] {
        let mut first: Option<Vec<u8>> = None;
        for (options, spills) in [
            ("--threads 1", false),
            ("--threads 2 --chunk 4096", false),
            ("--threads 3 --memory 1M", true),
            ("--threads 1 --memory 2M --chunk 100000", true),
            ("--threads 8 --memory 1M --chunk 1000", true),
        ] {
            let name = format!("out.{extension}");
            let line = format!("dedupe a.txt b.txt -o {name} --force --summary json --temp-dir . {options}");
            let done = urimill(&line).within(dir.path()).ok();
            assert_eq!(done.summary()["spilled_bytes"].as_u64() > Some(0), spills, "{line}");
            let bytes = fs::read(dir.path().join(&name)).expect("a file");
            assert!(
                *first.get_or_insert_with(|| bytes.clone()) == bytes,
                "{line}: other bytes than with 1 thread"
            );
        }
    }
}

#[test]
fn rows_are_in_the_order_of_their_first_records() {
    let dir = dir();
    write(dir.path(), "b.txt", "http://2/\nhttp://1/\n");
    write(dir.path(), "a.txt", "http://3/\nhttp://1\n");
    urimill("dedupe b.txt a.txt -o t.jsonl").within(dir.path()).ok();
    let rows = read(&dir.path().join("t.jsonl"));
    let found: Vec<_> = rows
        .iter()
        .map(|row| [&row["uri"], &row["first_source"], &row["first_record"], &row["records"]])
        .collect();
    let expected = [
        [json!("http://2/"), json!("b.txt"), json!(1), json!(1)],
        [json!("http://1/"), json!("b.txt"), json!(2), json!(2)],
        [json!("http://3/"), json!("a.txt"), json!(1), json!(1)],
    ];
    assert_eq!(found, expected.each_ref().map(|row| row.each_ref()));
}

#[test]
fn the_options_decide_what_is_equal() {
    let list = "http://A/%7e\nhttp://a/%7E\nhttp://a/~\n http://a/~\nhttp://a/./~\nhttp://a:80/~\n";
    // (options, forms in their order)
    let forms: &[(&str, &str)] = &[
        ("--level none", "http://A/%7e\nhttp://a/%7E\nhttp://a/~\nhttp://a/./~\nhttp://a:80/~\n"),
        ("--level case", "http://a/%7E\nhttp://a/~\nhttp://a/./~\nhttp://a:80/~\n"),
        ("--level percent", "http://a/~\nhttp://a/./~\nhttp://a:80/~\n"),
        ("--level syntax", "http://a/~\nhttp://a:80/~\n"),
        ("--level scheme", "http://a/~\n"),
        ("--repair", "http://a/~\n"),
        ("--max-record 11", "http://A/%7e\nhttp://a/%7E\nhttp://a/~\nhttp://a/./~\nhttp://a:80/~\n"),
    ];
    for (options, expected) in forms {
        let done = urimill(&format!("dedupe {options}")).stdin(list).ok();
        assert_eq!(done.text(), *expected, "{options}");
    }
}

#[test]
fn no_byte_of_a_reject_is_lost() {
    let dir = dir();
    write(dir.path(), "in.txt", b"a\xff\na\xfe\na\xff\n");
    urimill("dedupe in.txt --from lines -o t.jsonl").within(dir.path()).ok();
    let rows = read(&dir.path().join("t.jsonl"));
    let found: Vec<_> =
        rows.iter().map(|row| (&row["uri"], &row["raw_bytes"], &row["records"], &row["error"])).collect();
    let (text, error) = (json!("a\u{fffd}"), json!("not_utf8"));
    assert_eq!(
        found,
        [(&text, &json!("61ff"), &json!(2), &error), (&text, &json!("61fe"), &json!(1), &error)]
    );
}

#[test]
fn the_summary_counts() {
    let done = urimill("dedupe --summary json --to csv").stdin(LIST).ok();
    let summary = done.summary();
    for (key, value) in [
        ("lines", json!(8)),
        ("records", json!(7)),
        ("valid", json!(5)),
        ("rejects", json!(2)),
        ("blank", json!(1)),
        ("rows", json!(3)),
        ("reject_rows", json!(1)),
        (
            "merged",
            json!({
                "identical": 2, "repair": 0, "resolve": 0, "case": 1, "percent": 0, "syntax": 0, "scheme": 1,
                "key": 0,
            }),
        ),
        ("by_code", json!({"path_invalid_char": 2})),
        ("spilled_bytes", json!(0)),
    ] {
        assert_eq!(summary[key], value, "{key}");
    }
    let done = urimill("dedupe --to csv").stdin(LIST).ok();
    for line in [
        "8 lines = 5 valid records + 2 rejects + 1 blank\n",
        "3 rows = 2 normal forms of level scheme + 1 distinct reject\n",
        "rows with duplicates: 2 identical, 1 after case, 1 after scheme\n",
    ] {
        assert!(done.stderr.contains(line), "{line:?} is not in {}", done.stderr);
    }
}

#[test]
fn wrong_usage_is_one_sentence_and_leaves_no_file() {
    let dir = dir();
    write(dir.path(), "in.txt", LIST);
    // (arguments, exit code, what the sentence has in it)
    let mistakes: &[(&str, i32, &[&str])] = &[
        ("in.txt -o out", 2, &["the name out has no known extension"]),
        ("in.txt -o in.txt --force", 2, &["cannot write in.txt", "it is an input"]),
        (
            "in.txt -o out.csv --temp-dir nosuch",
            3,
            &["cannot create temporary files in nosuch", "--temp-dir"],
        ),
        (
            "in.txt -o out.csv --temp-dir in.txt",
            3,
            &["cannot create temporary files in in.txt", "--temp-dir"],
        ),
        ("nosuch -o out.csv", 3, &["cannot read nosuch"]),
        ("in.txt -o nosuch/out.csv", 3, &["cannot create nosuch/out.csv"]),
    ];
    for (line, code, parts) in mistakes {
        urimill(&format!("dedupe {line}")).within(dir.path()).fails(*code, parts);
        assert_eq!(names(dir.path()), ["in.txt"], "{line}");
    }
    for (line, part) in
        [("--memory 5", "1M up"), ("--memory 1X", "64K or 1M"), ("--max-record 65M", "1 to 64M")]
    {
        let done = urimill(&format!("dedupe {line}")).go();
        assert_eq!((done.code, done.text()), (Some(2), ""), "{line}");
        assert!(done.stderr.contains(part), "{line}: {}", done.stderr);
    }
    urimill("dedupe in.txt -o out.csv").within(dir.path()).ok();
    let again = urimill("dedupe in.txt -o out.csv").within(dir.path());
    again.fails(2, &["cannot write out.csv", "--force"]);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_one_sentence_and_nothing_is_left() {
    let dir = dir();
    write(dir.path(), "in.txt", different(100_000));
    write(dir.path(), "out.csv", "old\n");
    for threads in [1, 4] {
        // Runs of the tables do not fit; at the greater size those of the rows, which lie in one file.
        for kilobytes in [1, 300] {
            let line =
                format!("dedupe in.txt -o out.csv --force --memory 1M --temp-dir . --threads {threads}");
            bounded(kilobytes, &line, dir.path())
                .fails(3, &["cannot write temporary files in .", "there is no space for them", "--temp-dir"]);
            assert_eq!(names(dir.path()), ["in.txt", "out.csv"]);
            assert_eq!(fs::read_to_string(dir.path().join("out.csv")).expect("a file"), "old\n");
        }
    }
    // The output's disk is another one.
    let line = "dedupe in.txt -o /dev/full --to csv --memory 1M --temp-dir .";
    urimill(line).within(dir.path()).fails(3, &["cannot write /dev/full", "no space is left on the device"]);
}

#[test]
fn damaged_input_publishes_nothing() {
    let dir = dir();
    write(dir.path(), "in.txt", different(30_000));
    write(dir.path(), "damaged.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03 this is no deflate stream");
    for threads in [1, 4] {
        let line =
            format!("dedupe in.txt damaged.gz -o out.csv --memory 1M --temp-dir . --threads {threads}");
        urimill(&line).within(dir.path()).fails(3, &["damaged.gz"]);
        assert_eq!(names(dir.path()), ["damaged.gz", "in.txt"]);
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    use std::io::Read;
    let dir = dir();
    write(dir.path(), "in.txt", different(60_000));
    for options in ["", "--memory 1M --temp-dir . --to csv"] {
        let mut command = urimill(&format!("dedupe in.txt {options}")).within(dir.path()).command;
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("urimill starts");
        child.stdout.take().expect("a pipe").read_exact(&mut [0; 4]).expect("four bytes");
        let output = child.wait_with_output().expect("urimill ends");
        assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]), "{options}");
        assert_eq!(names(dir.path()), ["in.txt"]);
    }
}

/// A run that has spilled and waits for more of its standard input, ended by each signal; SIGKILL too leaves
/// no temporary files, because those have no names.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_leaves_no_temporary_files() {
    use std::io::Write;
    use std::process::Command;
    for (signal, code, said) in [
        ("-INT", Some(130), "urimill: interrupted; nothing was published\n"),
        ("-TERM", Some(143), "urimill: terminated; nothing was published\n"),
        ("-KILL", None, ""),
    ] {
        let (dir, temporary) = (dir(), dir());
        let mut command = urimill("dedupe -o out.csv --memory 1M --temp-dir")
            .arg(temporary.path())
            .within(dir.path())
            .command;
        command.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("urimill starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(different(60_000).as_bytes()).expect("urimill reads");
        wait_until(|| has_unnamed(&child, temporary.path()));
        assert_eq!(names(temporary.path()), [""; 0]);
        let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(status.expect("kill").success());
        let output = child.wait_with_output().expect("urimill ends");
        drop(stdin);
        assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (code, said));
        assert_eq!(names(temporary.path()), [""; 0], "{signal}");
        if code.is_some() {
            assert_eq!(names(dir.path()), [""; 0], "{signal}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded() {
    let dir = dir();
    write(dir.path(), "in.txt", different(3_000_000));
    let line = "dedupe in.txt -o out.parquet --memory 16M --temp-dir . --threads 2 --row-group-rows 50000 --summary json";
    let mut command = urimill(line).within(dir.path()).command;
    let mut child = command.stderr(Stdio::piped()).spawn().expect("urimill starts");
    let mut largest = 0;
    while child.try_wait().expect("a child").is_none() {
        largest = largest.max(peak(child.id()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let output = child.wait_with_output().expect("urimill ends");
    let summary: Value = serde_json::from_slice(&output.stderr).expect("a summary");
    assert_eq!(summary["rows"], 3_000_000);
    // All of it takes several hundred megabytes.
    assert!((10 << 10..240 << 10).contains(&largest), "{largest} kB at most");
}

/// Every record but the first of each row is a duplicate.
#[test]
fn duplicates_are_counted() {
    for (list, rows, duplicates, said) in [
        ("http://a/\nHTTP://A\nhttp://b/\n", 2, 1, "3 records = 2 rows + 1 duplicate\n"),
        ("http://a/\n\nhttp://b/\n", 2, 0, "2 records = 2 rows + 0 duplicates\n"),
        ("a b\na b\nhttp://a/\nhttp://a/\n", 2, 2, "4 records = 2 rows + 2 duplicates\n"),
    ] {
        let done = urimill("dedupe").stdin(list).ok();
        assert!(done.stderr.contains(said), "{list:?}: {}", done.stderr);
        let done = urimill("dedupe --summary json").stdin(list).ok();
        let summary: serde_json::Value = serde_json::from_str(&done.stderr).expect("JSON");
        assert_eq!([&summary["rows"], &summary["duplicates"]], [rows, duplicates], "{list:?}");
    }
}

//! JSON of any shape: what is said of it, and the definition that is written, corrected and given back.

use serde_json::{Value, json};

use super::run::{dir, names, urimill, write};

/// Objects of no known format.
fn objects(count: usize) -> String {
    let object = |at: usize| {
        json!({"request": {"url": format!("http://h.example/{at}?x='y'"), "verb": "GET"}, "resp_code": 200 + at,
               "took_ms": 5, "ts": 1_715_940_303 + at, "n": {"a": "\"é\"\t"}})
    };
    (0..count).map(|at| format!("{}\n", object(at))).collect()
}

const TAKEN: &str = "url = \"request.url\", method = \"request.verb\", time = \"ts\", status = \"resp_code\", duration_us = \
                     \"took_ms\"";

#[test]
fn what_members_are_taken_for_is_said() {
    for options in ["", "--from json-log", "--threads 3 --chunk 99"] {
        let done = urimill(&format!("normalize --to csv --columns uri,status,method {options}"));
        let done = done.stdin(objects(3)).ok();
        let sentence = format!(
            "urimill: no format is known for this JSON: {TAKEN} (write it down with --save-format FILE)\n"
        );
        assert!(done.stderr.contains(&sentence), "{}", done.stderr);
        assert!(done.text().contains("http://h.example/2?x='y',202,GET"), "{}", done.text());
    }
    let done = urimill("normalize --to csv -o /dev/null --summary json").stdin(objects(3)).ok();
    let stats: Value =
        serde_json::from_str(done.stderr.lines().last().unwrap_or_default()).expect("a summary");
    assert_eq!(stats["guess"], json!(TAKEN));
    for command in ["check", "dedupe", "stats", "top --by status"] {
        let done = urimill(command).stdin(objects(3)).go();
        assert!(done.stderr.contains(TAKEN), "{command}: {}", done.stderr);
    }
}

#[test]
fn a_definition_is_saved_and_given_back() {
    let folder = dir();
    write(folder.path(), "app.jsonl", objects(5));
    let combined = "192.0.2.1 - al [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7 \"http://r/\" \"c \\\"x\\\"\"\n";
    write(folder.path(), "access.log", combined.repeat(3));
    let plain = "17/May/2015:10:05:03 +0000 192.0.2.1 \"GET /a HTTP/1.1\" 200 2015-05-17 10:05:03\n";
    write(folder.path(), "plain.log", plain.repeat(3));
    write(folder.path(), "bars.log", "2015-05-17 10:05:03 | 192.0.2.1 | GET /a | 200\n".repeat(3));
    let alb = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../logs/formats/alb.toml"));
    let alb = alb.expect("the file of a format");
    let sample = alb.split("'''\n").nth(1).and_then(|rest| rest.split("'''").next()).expect("a sample");
    write(folder.path(), "alb.log", format!("{sample}\n"));
    // (the input, how it is read, the name of the format that is saved)
    let cases = [
        ("app.jsonl", vec![], "mine"),
        ("app.jsonl", vec!["--from", "json-log"], "mine"),
        (
            "access.log",
            vec!["--log-format", "%h %l %u %t \"%r\" %>s %b \"%{Referer}i\" \"%{User-Agent}i\""],
            "mine",
        ),
        ("access.log", vec!["--log-format", "%h %^ %u [%{%d/%b/%Y:%T %z}t] \"%m %U %H\" %>s …"], "mine"),
        ("plain.log", vec!["--log-format", "varnish:%{%d/%b/%Y:%T %z}t %h \"%r\" %s %{%F %T}t"], "mine"),
        ("bars.log", vec!["--log-format", "varnish:%{%F %T}t | %h | %m %U | %s"], "mine"),
        ("alb.log", vec![], "alb"),
    ];
    for (input, options, name) in cases {
        let read = |more: &[&str]| {
            let run = urimill("normalize --to jsonl --summary none").within(folder.path());
            more.iter().fold(run, |run, word| run.arg(word)).arg(input).ok()
        };
        let saved = read(&[&options[..], &["--save-format", "mine.toml"]].concat());
        let text = std::fs::read_to_string(folder.path().join("mine.toml")).expect("the file");
        assert!(text.contains(&format!("name = \"{name}\"\n")), "{text}");
        let is_guessed = saved.stderr.contains("no format is known for this JSON");
        assert_eq!(is_guessed, input == "app.jsonl", "{}", saved.stderr);
        assert!(!saved.stderr.contains("--save-format"), "{}", saved.stderr);
        urimill("formats --test mine.toml").within(folder.path()).ok();
        // By detection, and by name.
        let back = read(&["--format-file", "mine.toml"]);
        let named = read(&["--format-file", "mine.toml", "--from", name]);
        let rows = |text: &str| text.replace(",\"skipped\":null", "");
        assert_eq!(
            (rows(back.text()), rows(named.text())),
            (rows(saved.text()), rows(saved.text())),
            "{text}"
        );
        assert!(!back.stderr.contains("no format is known"), "{}", back.stderr);
        // What is there is not replaced.
        let again = urimill("normalize --to jsonl --save-format mine.toml").within(folder.path());
        let again = options.iter().fold(again, |run, word| run.arg(word)).arg(input);
        again.fails(2, &["mine.toml", "--force"]);
        read(&[&options[..], &["--save-format", "mine.toml", "--force"]].concat());
        assert_eq!(std::fs::read_to_string(folder.path().join("mine.toml")).expect("the file"), text);
        std::fs::remove_file(folder.path().join("mine.toml")).expect("removed");
    }
}

#[test]
fn no_definition_is_saved_where_there_is_none() {
    let folder = dir();
    write(folder.path(), "list.txt", "http://h/\n");
    write(folder.path(), "list.csv", "url,n\nhttp://h/,1\n");
    // (options, what the sentence has in it)
    let cases: &[(&str, &[&str])] = &[
        ("list.txt", &["--save-format", "lines"]),
        ("list.csv --uri-field url", &["--save-format", "csv"]),
        ("list.txt -o f.toml --to csv", &["f.toml"]),
    ];
    for (options, parts) in cases {
        let run = urimill(&format!("normalize --save-format f.toml {options}")).within(folder.path());
        run.fails(2, parts);
        assert_eq!(names(folder.path()), ["list.csv", "list.txt"], "{options}");
    }
}

#[test]
fn inputs_that_are_read_together_have_the_same_members() {
    let folder = dir();
    write(folder.path(), "a.jsonl", objects(3));
    write(folder.path(), "b.jsonl", objects(9).lines().skip(5).collect::<Vec<_>>().join("\n"));
    write(folder.path(), "c.jsonl", "{\"path\":\"/a\",\"status\":200,\"method\":\"GET\",\"bytes\":1}\n");
    let done = urimill("normalize --to csv --columns uri,status a.jsonl b.jsonl").within(folder.path()).ok();
    assert_eq!(done.text().lines().count(), 8);
    urimill("normalize --to csv a.jsonl c.jsonl")
        .within(folder.path())
        .fails(2, &["c.jsonl", "other members"]);
    urimill("normalize --to csv c.jsonl").within(folder.path()).ok();
}

#[test]
fn objects_without_a_uri_are_refused_with_what_was_found() {
    // (options, an object, what the sentence has in it)
    let cases: &[(&str, Value, &[&str])] = &[
        ("", json!({"status": 200, "ts": 1_715_940_303}), &["looks like JSON Lines", "\"status\", \"ts\""]),
        (
            "--from json-log",
            json!({"status": 200, "x": 1}),
            &["status = \"status\"", "\"x\"", "--uri-field NAME"],
        ),
        ("--from json-log", json!(["/a"]), &["a JSON document, a list"]),
        ("", json!({"url": "http://h/a", "n": 1}), &["--from jsonl --uri-field url"]),
    ];
    for (options, object, parts) in cases {
        urimill(&format!("normalize --to csv {options}")).stdin(format!("{object}\n")).fails(2, parts);
    }
    // A user who names the format knows that the objects are records.
    let done = urimill("normalize --from json-log --to csv --columns uri");
    let done = done.stdin("{\"url\":\"http://h/a\",\"n\":1}\n").ok();
    assert_eq!(done.text(), "uri\nhttp://h/a\n");
}

//! `urimill explain`: the pages word by word, and the JSON field by field.

use std::fs;
use urimill_testkit::paths::repository;

use super::run::{Done, Run, urimill};

fn explain(arguments: &[&str]) -> Run {
    arguments.iter().fold(urimill("explain"), |run, argument| run.arg(argument))
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let done = explain(arguments).arg("--to").arg("json").go();
    assert_eq!(done.stderr, "", "{arguments:?}");
    serde_json::from_slice(&done.stdout).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {}", done.text()))
}

/// (arguments, exit code) of the pages in the golden file, each read by eye.
const PAGES: &[(&[&str], i32)] = &[
    (&["HTTP://user:pw@Example.COM:80/%7Ea/../b%c3?q#f"], 0),
    (&["http://h?#"], 0),
    (&["http://[2001:DB8::0:1]:8080"], 0),
    (&["file://localhost:/a", "mailto:a@B.Com,c@D.e"], 0),
    (&["http://0x7f.1:25/%2F%00"], 0),
    (&["http://Alpha%ce%b1/", "--level", "case"], 0),
    (&["http://exa mple.com/a"], 1),
    (&["http://h:8a/"], 1),
    (&["/漢字 x", "/e\u{301}%4g", "/a\tb|"], 1),
    (&["http://[::1", "--repair"], 1),
    (&["<http://a b/漢>", "--repair"], 0),
    (&["URL:http://a/", "--repair"], 0),
    (&["www.w3.org/Addressing/", "--repair", "--default-scheme", "https"], 0),
    (&["../g", "?y", "#s", "//g", "http:g", "--base", "http://a/b/c/d;p?q"], 0),
    (&["http:g", "--base", "http://a/b/c/d;p?q", "--compat"], 0),
    (&["..//g", "--base", "x:/a/b"], 0),
    (&["?y", "#s", "../../../g", "--base", "http://a/b/c/d;p?q", "--spec", "rfc2396"], 0),
    (&["mailto:a?b%21", "http://u@A_b:80/"], 0),
    (&["mailto:a?b%21", "http://u@A_b:80/", "http://[::1]/", "x:", "--spec", "rfc2396"], 1),
    (&["../../g", "--base", "http://a/b", "--spec", "rfc3986-errata"], 0),
    (&["/a;v=1;x/b;%C3%BC=", "--spec", "rfc2396"], 0),
    (&["c", "--base", "mailto:a@b"], 0),
    (&["%2e%2E/..", "--base", "http://h/a/%2e/b/"], 0),
    (&["http:../g", "--base", "http://h/a/b", "--compat"], 0),
    (&["file:/.//a", "redis://:8/0", "foo:a/%2e/b"], 0),
];

#[test]
fn the_pages() {
    let path = repository().join("crates/cli/tests/cli/golden/explain.txt");
    let golden = fs::read_to_string(path).expect("the golden file");
    let mut pages = String::new();
    for (arguments, code) in PAGES {
        let done = explain(arguments).go();
        assert_eq!((done.code, done.stderr.as_str()), (Some(*code), ""), "{arguments:?}");
        pages.push_str(&format!("$ urimill explain {}\n{}\n", arguments.join(" "), done.text()));
    }
    for (line, expected) in pages.lines().zip(golden.lines()) {
        assert_eq!(line, expected, "if the new line is right, write it to the golden file");
    }
    assert_eq!(pages.len(), golden.len());
}

/// The text without what colours it.
fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').expect("a colour ends").1)
}

#[test]
fn colours_change_nothing_but_the_colour() {
    for (arguments, _) in PAGES {
        let coloured = explain(arguments).arg("--color").arg("always").go();
        let text = coloured.text();
        assert!(text.contains("\x1b["), "{arguments:?}");
        assert_eq!(text.matches("\x1b[0m").count() * 2, text.matches("\x1b[").count(), "{arguments:?}");
        assert_eq!(plain(text), explain(arguments).go().text(), "{arguments:?}");
    }
    let host = explain(&["http://h/", "--color", "always"]).ok();
    assert!(
        host.text().starts_with("reference    \x1b[36mhttp\x1b[0m://\x1b[1;32mh\x1b[0m\x1b[34m/\x1b[0m\n")
    );
}

#[test]
fn no_terminal_no_colour() {
    for (name, value) in [("NO_COLOR", "1"), ("TERM", "xterm"), ("TERM", "dumb")] {
        let mut run = explain(&["http://h/"]);
        run.command.env(name, value);
        assert!(!run.ok().text().contains('\x1b'), "{name}={value}");
    }
}

#[test]
fn the_lines_of_standard_input() {
    let lines = "\u{feff}http://a/\r\n\n/b c\n\nd\r";
    let done = urimill("explain --to json").stdin(lines).go();
    let texts: Vec<String> = done.text().lines().map(|line| field(line, "text")).collect();
    // The last line feed is missing, and so the carriage return is not a part of a line's end.
    assert_eq!(texts, ["http://a/", "/b c", "d\r"]);
    assert_eq!(done.code, Some(1));
    assert_eq!(urimill("explain").stdin("").ok().text(), "");
    assert_eq!(urimill("explain").stdin("\n\n").ok().text(), "");
}

fn field(line: &str, name: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {line}")).to_owned()
}

/// The answer to a line comes before the next one is there.
#[test]
fn every_line_is_answered_at_once() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::Stdio;
    let mut command = urimill("explain --to json").command;
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("urimill starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut answers = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for text in ["http://a/", "/b"] {
        stdin.write_all(format!("{text}\n").as_bytes()).expect("it reads");
        let answer = answers.next().expect("an answer").expect("UTF-8");
        assert_eq!(field(&answer, "text"), text);
    }
    drop(stdin);
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}

#[test]
fn bytes_outside_utf_8() {
    let done = urimill("explain").stdin(b"http://a/\xc3\xa9\xff b\n").go();
    let lines: Vec<&str> = done.text().lines().take(4).collect();
    assert_eq!(lines[0], "text         http://a/é\\xff b");
    assert_eq!(lines[1], "                      ^");
    assert_eq!(lines[2], "reject       not_utf8: the record is not UTF-8");
    let value: serde_json::Value =
        serde_json::from_slice(&urimill("explain --to json").stdin(b"/\xff").go().stdout).expect("JSON");
    assert_eq!((&value["text"], &value["error"]["offset"]), (&"/\u{fffd}".into(), &1.into()));
}

#[test]
fn a_huge_text_is_shown_in_part_and_explained_completely() {
    let text = format!("http://h/{}", "a".repeat(1 << 20));
    // One byte more than a record may have; the offset is the limit.
    let done = urimill("explain").stdin(&text).go();
    assert_eq!(done.code, Some(1));
    assert!(
        done.text().contains("reject       too_long: the record is longer than allowed"),
        "{}",
        done.text()
    );
    assert!(done.text().len() < 1000);
    let fits = &text[..1 << 20];
    let page = urimill("explain").stdin(fits).ok();
    assert!(page.text().contains("… (1048576 bytes)") && page.text().len() < 20_000);
    let told = urimill("explain --to json").stdin(fits).ok();
    assert_eq!(field(told.text(), "text").len(), 1 << 20);
    // A text that is cut off is not taken for another line.
    let line = format!("{}\n/next\n", "a".repeat(17 << 20));
    let both = urimill("explain --to json").stdin(line).go();
    assert_eq!(both.text().lines().count(), 2);
    assert_eq!(field(both.text().lines().nth(1).expect("the next line"), "text"), "/next");
}

/// The names of the fields are stable.
#[test]
fn the_schema_of_the_json() {
    fn names(value: &serde_json::Value) -> Vec<&str> {
        value.as_object().expect("an object").keys().map(String::as_str).collect()
    }
    let told = json(&["../%7Eg", "--base", "HTTP://u@a/b/c"]);
    assert_eq!(
        names(&told),
        ["error", "level", "mended", "reference", "repaired", "spec", "text", "valid", "whatwg"]
    );
    assert_eq!((&told["error"], &told["mended"]), (&serde_json::Value::Null, &serde_json::Value::Null));
    let reference = &told["reference"];
    assert_eq!(
        names(reference),
        [
            "components",
            "flags",
            "form",
            "host_address",
            "host_kind",
            "normal_form",
            "path_params",
            "resolution",
            "steps",
            "text",
        ]
    );
    assert_eq!(names(&reference["components"][0]), ["end", "name", "start", "text"]);
    assert_eq!(names(&reference["flags"][0]), ["meaning", "name"]);
    assert_eq!(names(&reference["steps"][0]), ["after", "before", "level", "rule", "section", "sentence"]);
    let resolution = &reference["resolution"];
    assert_eq!(
        names(resolution),
        ["base", "branch", "mode", "path", "same_document", "section", "sentence", "target"]
    );
    assert_eq!(names(&resolution["path"][0]), ["after", "before", "rule", "section", "sentence"]);
    let error = &json(&["/a b"])["error"];
    assert_eq!(
        names(error),
        ["code", "column", "component", "found", "offset", "rule", "sentence", "until_there"]
    );
    assert_eq!(names(&error["rule"]), ["line", "name", "section"]);
    let url = &json(&["http:\\\\[::1"])["whatwg"];
    assert_eq!(names(url), ["disagreement", "failure", "host", "href", "validation_errors"]);
    assert_eq!(names(&url["failure"]), ["error", "offset", "sentence", "state"]);
    assert_eq!(names(&url["validation_errors"][0]), ["error", "offset", "sentence", "state"]);
}

#[test]
fn what_the_json_says() {
    let told = json(&["HTTP://[::FFFF:1.2.3.4]/"]);
    let reference = &told["reference"];
    assert_eq!((told["valid"].as_bool(), reference["form"].as_str()), (Some(true), Some("uri")));
    assert_eq!(reference["host_address"].as_str(), Some("::ffff:1.2.3.4"));
    let rules: Vec<_> = reference["steps"].as_array().expect("a list").iter().map(|s| &s["rule"]).collect();
    assert_eq!(rules, ["scheme_case", "host_case"]);
    assert_eq!(reference["normal_form"].as_str(), Some("http://[::ffff:1.2.3.4]/"));
    let told = json(&["/é"]);
    assert_eq!((told["valid"].as_bool(), told["mended"].as_str()), (Some(false), Some("/%C3%A9")));
    assert_eq!((told["error"]["found"].as_str(), told["error"]["column"].as_i64()), (Some("é"), Some(2)));
    assert!(told["reference"].is_null());
    let told = json(&["/é", "--repair"]);
    assert_eq!(told["reference"]["flags"][0]["name"].as_str(), Some("repaired"));
    assert_eq!((told["valid"].as_bool(), told["repaired"].as_bool()), (Some(false), Some(true)));
}

#[test]
fn mistakes() {
    explain(&["x", "--base", "/a"]).fails(2, &["the base \"/a\"", "no scheme"]);
    explain(&["x", "--base", "http://a b/"]).fails(2, &["the base \"http://a b/\"", "host_invalid_char"]);
    explain(&["x", "--base", "http://[::1]/", "--spec", "rfc2396"]).fails(2, &["by rfc2396"]);
    let done: Done = explain(&["x", "--compat"]).go();
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("--base"), "{}", done.stderr);
    let done = explain(&["x", "--default-scheme", "https"]).go();
    assert_eq!(done.code, Some(2));
    assert!(done.stderr.contains("--repair"), "{}", done.stderr);
    let done = explain(&["-x"]).go();
    assert_eq!(done.code, Some(2), "a hyphen begins an option");
    assert_eq!(explain(&["--", "-x"]).ok().text().lines().next(), Some("reference    -x"));
}

/// White space alone means the base where it is repaired; a line of it is blank in a table.
#[test]
fn white_space_against_a_base() {
    let told = json(&["--repair", "--base", "http://h/b/c", " \t"]);
    assert_eq!(told["reference"]["normal_form"], "http://h/b/c");
    let done = urimill("normalize --repair --base http://h/b/c").stdin(" \t\n").ok();
    assert_eq!(done.text(), "");
}

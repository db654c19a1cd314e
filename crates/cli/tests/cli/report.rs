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
    urimill("report a.state a.state -o all.html").ok();
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

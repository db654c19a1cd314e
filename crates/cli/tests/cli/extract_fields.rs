//! The text that `extract --uri-field` searches: the field, whatever else is in the record, and as much of it as the
//! limit allows.

use super::run::{urimill, write};

/// More than a record, or a field, may have.
const LONG: usize = 17 << 20;

fn found(arguments: &str, name: &str, text: &str) -> (Vec<String>, String) {
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), name, text);
    let done = urimill(&format!("extract {name} --uri-field body {arguments}")).within(dir.path()).ok();
    (done.text().lines().map(str::to_owned).collect(), done.stderr)
}

#[test]
fn other_fields_are_not_searched() {
    let malformed = |count: &str| format!("urimill: not searched: {count} without the form of the format\n");
    // (name, text, URIs, the message)
    let table = [
        (
            "a.jsonl",
            "{\"body\":\"http://h/1\"}\n{\"x\":\"http://no/\"}\n{\"body\":null,\"x\":\"http://no/\"}\n",
            vec!["http://h/1"],
            String::new(),
        ),
        (
            "b.jsonl",
            "{\"body\":\"http://h/1\"}\n{\"x\":\"http://no/\",\n{\"body\":[\"http://no/\"]}\n",
            vec!["http://h/1"],
            malformed("2 records"),
        ),
        (
            "c.json",
            "[{\"body\":\"http://h/1\"},{\"x\":\"http://no/\"},{\"x\" \"http://no/\"}]",
            vec!["http://h/1"],
            malformed("1 record"),
        ),
        (
            "d.csv",
            "x,body\nhttp://no/\n1,http://h/1,http://no/\n2,http://h/2\n",
            vec!["http://h/2"],
            malformed("2 records"),
        ),
        // A URI that the grammar rejects is nevertheless text.
        ("e.csv", "x,body\n1,a b http://h/1\n", vec!["http://h/1"], String::new()),
    ];
    for (name, text, uris, said) in table {
        let expected = (uris.iter().map(|&uri| uri.to_owned()).collect(), said);
        assert_eq!(found("", name, text), expected, "{name}");
        let format = name.split('.').next_back().unwrap_or_default();
        assert_eq!(found(&format!("--from {format}"), name, text), expected, "{name}");
    }
}

#[test]
fn long_fields_are_searched_up_to_the_limit() {
    let words = "word ".repeat(LONG / 5);
    let field = format!("http://h/first {words} http://no/");
    let cut = "urimill: searched up to damage or to a limit: 1 text\n";
    let object = |before: &str, body: &str, after: &str| format!("{{{before}\"body\":\"{body}\"{after}}}\n");
    let other = format!("\"x\":\"http://no/ {words}\"");
    let next = object("", "http://h/next", "");
    // (name, text, URIs, the message): a field that is there whole has no message
    let table = [
        ("a.jsonl", object("", &field, "") + &next, vec!["http://h/first", "http://h/next"], cut),
        (
            "b.jsonl",
            object("", "http://h/1", &format!(",{other}")) + &next,
            vec!["http://h/1", "http://h/next"],
            "",
        ),
        ("c.jsonl", object(&format!("{other},"), "http://no/", "") + &next, vec!["http://h/next"], cut),
        // Items of an array, of which the last is the one after.
        (
            "d.json",
            format!("[{},{}]", object("", &field, ""), next),
            vec!["http://h/first", "http://h/next"],
            cut,
        ),
        (
            "d2.json",
            format!("[{},{}]", object("", "http://h/1", &format!(",{other}")), next),
            vec!["http://h/1", "http://h/next"],
            "",
        ),
        (
            "d3.json",
            format!("[{},{}]", object(&format!("{other},"), "http://no/", ""), next),
            vec!["http://h/next"],
            cut,
        ),
        (
            "e.csv",
            format!("x,body\n1,{field}\n2,http://h/next\n"),
            vec!["http://h/first", "http://h/next"],
            cut,
        ),
        (
            "f.csv",
            format!("body,x\n\"http://h/1\",http://no/ {words}\nhttp://h/next,\n"),
            vec!["http://h/1", "http://h/next"],
            "",
        ),
    ];
    for (name, text, uris, said) in table {
        let uris: Vec<String> = uris.iter().map(|&uri| uri.to_owned()).collect();
        assert_eq!(found("", name, &text), (uris.clone(), said.to_owned()), "{name}");
        let format = name.split('.').next_back().unwrap_or_default();
        assert_eq!(found(&format!("--from {format}"), name, &text), (uris, said.to_owned()), "{name}");
    }
}

#[test]
fn long_fields_of_tables_are_searched_up_to_the_limit() {
    let dir = tempfile::tempdir().expect("a folder");
    let long = format!("http://h/first {} http://no/", "word ".repeat(LONG / 5));
    write(dir.path(), "t.csv", format!("id,body\n/a,{long}\n/b,http://h/next\n"));
    urimill("normalize t.csv --from csv --uri-field id --max-record 64M --columns record,body -o t.parquet")
        .within(dir.path())
        .ok();
    let done = urimill("extract t.parquet --uri-field body").within(dir.path()).ok();
    assert_eq!(done.text(), "http://h/first\nhttp://h/next\n");
    assert_eq!(done.stderr, "urimill: searched up to damage or to a limit: 1 text\n");
}

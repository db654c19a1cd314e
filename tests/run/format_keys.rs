//! What files that define formats can say beside forms and fields: words for no value, lines that are no records, quotes
//! that may be missing, lines with different numbers of fields.

use std::io::Cursor;

use urimill::run::{Conversion, FormatFile, Output};

/// A file with these lines at its top level, and with what follows: tables and samples.
fn file(kind: &str, keys: &str, rest: &str) -> String {
    format!("name = \"own\"\ntitle = \"a log\"\nkind = \"{kind}\"\n{keys}\n{rest}\n")
}

fn assert_is_as_it_says(text: &str) {
    let file = FormatFile::parse("own.toml", text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    assert_eq!(file.test().expect("a run"), [] as [&str; 0], "{text}");
}

#[test]
fn words_for_no_value_are_null_in_every_field() {
    let nulls = "nulls = [\"N/A\", \"(null)\"]";
    // (kind, keys, what follows)
    let cases = [
        (
            "lines",
            r#"lines = ['{time} {client} {status=status} "{:url}" {size} "{user_agent}"']"#,
            r#"
[[sample]]
text = '''
2024-05-17T10:05:03Z N/A N/A "http://h/a" N/A "N/A"
2024-05-17T10:05:03Z 192.0.2.1 200 "(null)" 17 "N/A b"
2024-05-17T10:05:03Z - 200 "http://h/a" 17 "-"'''
rows = [
    { uri = "http://h/a", client = "", status = "", size = "", user_agent = "", error = "", field_errors = "" },
    { uri = "", error = "", client = "192.0.2.1", status = 200, size = 17, user_agent = "N/A b" },
    { uri = "http://h/a", client = "", status = 200, size = 17, user_agent = "" },
]

[[refused]]
text = '2024-05-17T10:05:03Z n/a 200 "http://h/a" 17 "-"'
at = 21"#,
        ),
        (
            "lines",
            "lines = ['{client} {status!} {url} {size}']",
            r#"
[[sample]]
text = '192.0.2.1 200 http://h/a N/A'
rows = [{ status = 200, size = "" }]

[[refused]]
text = '192.0.2.1 N/A http://h/a 17'
at = 10"#,
        ),
        (
            "csv",
            "told_by = [\"when\", \"link\"]",
            r#"
[fields]
when = "time"
link = ":url"
state = "status=status"

[[sample]]
text = '''
when,link,state,note
N/A,http://h/a,N/A,"N/A"
2024-05-17T10:05:03Z,(null),200,n'''
rows = [{ uri = "http://h/a", time = "", status = "", note = "", error = "" }, { uri = "", status = 200, note = "n" }]"#,
        ),
        (
            "pairs",
            "told_by = [\"link\"]",
            r#"
[fields]
link = ":url"
state = "status=status"
from = "client:addr"

[[sample]]
text = '''
link=http://h/a state=N/A from=(null) more=N/A other=1
link=N/A state=200 from=192.0.2.1'''
rows = [
    { uri = "http://h/a", status = "", client = "", extra = '{"other":"1"}', field_errors = "" },
    { uri = "", status = 200, client = "192.0.2.1" },
]"#,
        ),
        (
            "json",
            "told_by = [\"link\"]",
            r#"
[fields]
link = ":url"
state = "status=status"

[[sample]]
text = '''
{"link":"http://h/a","state":"N/A"}
{"link":"(null)","state":200}'''
rows = [{ uri = "http://h/a", status = "", field_errors = "" }, { uri = "", status = 200 }]"#,
        ),
    ];
    for (kind, keys, rest) in cases {
        assert_is_as_it_says(&file(kind, &format!("{nulls}\n{keys}"), rest));
    }
}

const SKIPPING: &str = r##"
skip = ["#", "Total"]
lines = ['{client} {status} {url}']

[[sample]]
text = '''
# client status url
192.0.2.1 200 http://h/a

192.0.2.2 404 http://h/b
Total 2'''
rows = [{ record = 2, uri = "http://h/a" }, { record = 4, uri = "http://h/b" }]
"##;

#[test]
fn lines_that_are_no_records_are_counted() {
    let text = file("lines", SKIPPING, "");
    assert_is_as_it_says(&text);
    let line = "192.0.2.1 200 http://h/a\n";
    // (input, lines, records, lines that are blank or skipped): most of the first lines may be no records
    let cases = [
        (format!("# a\n# b\n#c\n{line}  # d\nTotal 1\n\n"), (7, 1, 6)),
        (format!("{line}Totals\n{line}"), (3, 2, 1)),
        (format!("Feb 25 16:19:38 host web[7]: {line}Feb 25 16:19:38 host web[7]: # a\n"), (2, 1, 1)),
    ];
    for (input, expected) in cases {
        for is_named in [true, false] {
            let folder = tempfile::tempdir().expect("a folder");
            let file = FormatFile::parse("own.toml", &text).expect("a format");
            let run = Conversion::new().format_file(file.clone());
            let run = if is_named { run.format(file.format()) } else { run };
            let output = Output::to(folder.path().join("t.jsonl"));
            let stats =
                run.inputs_from(Cursor::new(input.clone()), "log").write_to(output).run().expect("a run");
            assert_eq!((stats.lines, stats.records, stats.blank), expected, "{input}");
            assert!(stats.has_comments);
        }
    }
}

#[test]
fn quotes_may_stand_where_a_value_needs_them() {
    let forms = r#"lines = ['{client} "?{user_agent}"? {status} "?{user}"?']"#;
    let url = r#"lines = ['{client} "?{user_agent}"? {status} {url} "?{user}"?']"#;
    assert!(FormatFile::parse("own.toml", &file("lines", forms, "")).is_err(), "no field makes the URI");
    let samples = r#"
[[sample]]
text = '''
192.0.2.1 curl/8 200 http://h/a al
192.0.2.1 "Mozilla/5.0 (X11)" 200 http://h/a "al b"
192.0.2.1 "curl/8" 200 http://h/a -
192.0.2.1 - 200 http://h/a "-"'''
rows = [
    { user_agent = "curl/8", status = 200, user = "al" },
    { user_agent = "Mozilla/5.0 (X11)", status = 200, user = "al b" },
    { user_agent = "curl/8", user = "" },
    { user_agent = "", user = "" },
]

[[refused]]
text = '192.0.2.1 Mozilla/5.0 (X11) 200 http://h/a al'
at = 22

[[refused]]
text = '192.0.2.1 "Mozilla/5.0" (X11) 200 http://h/a al'

[[refused]]
text = '192.0.2.1 "Mozilla/5.0 (X11) 200 http://h/a al'
at = 10"#;
    assert_is_as_it_says(&file("lines", url, samples));
    let escaped = r#"
[[sample]]
text = '192.0.2.1 "a \"b\" c" 200 http://h/a al'
rows = [{ user_agent = 'a "b" c', user = "al" }]"#;
    assert_is_as_it_says(&file(
        "lines",
        &format!("{url}\nwritten = \"escaped\"\nescapes = \"backslash\""),
        escaped,
    ));
}

#[test]
fn each_line_is_read_by_its_own_number_of_fields() {
    let fields = r#"
[fields]
time = "time!"
link = ":url=url"
state = "status=status"
"#;
    let orders = r#"
told_by = ["time", "link"]
orders = [{ mixed = true, first = [6, 3, 4], names = ["time", "link", "state", "a", "b", "c"] }]"#;
    let samples = r#"
[[sample]]
text = '''
2024-05-17T10:05:03Z,http://h/a,200,1,2,3
2024-05-17T10:05:04Z,http://h/b,200,1,2,3
2024-05-17T10:05:05Z,http://h/c,200,1,2,3'''
rows = [{ uri = "http://h/a", a = "1", c = "3" }, { uri = "http://h/b" }, { uri = "http://h/c" }]

[[sample]]
text = '''
2024-05-17T10:05:03Z,http://h/a,200,1,2,3
2024-05-17T10:05:04Z,http://h/b,404'''
rows = [{ uri = "http://h/a", c = "3" }, { uri = "http://h/b", status = 404, a = "", c = "" }]"#;
    let alone = orders.replace("[6, 3, 4]", "[6, 3]");
    assert_is_as_it_says(&file("csv", &alone, &format!("{fields}{samples}")));
    // A line with three fields may have lost one of four, and one with five one of six.
    let first =
        samples.split("\n[[sample]]").nth(1).map(|sample| format!("\n[[sample]]{sample}")).expect("one");
    let refused = |line: &str, at: usize| format!("\n[[refused]]\ntext = '{line}'\nat = {at}\n");
    let line = "2024-05-17T10:05:04Z,http://h/b,404";
    let lost = format!("{fields}{first}{}{}", refused(line, 35), refused(&format!("{line},1,2"), 39));
    assert_is_as_it_says(&file("csv", orders, &lost));
    // Elsewhere the number of most lines counts.
    let one = format!("{fields}{first}{}", refused(line, 35));
    assert_is_as_it_says(&file("csv", &alone.replace("mixed = true, ", ""), &one));
    // More fields than the longest list has names.
    let more = alone.replace("\"c\"] }", "\"c\"], more = true }");
    let rest = r#"
[[sample]]
text = '''
2024-05-17T10:05:03Z,http://h/a,200,1,2,3,4,"5,6",-,
2024-05-17T10:05:04Z,http://h/b,404'''
rows = [{ c = "3", extra = '{"field_10":"","field_7":"4","field_8":"5,6"}' }, { status = 404, extra = "" }]"#;
    assert_is_as_it_says(&file("csv", &more, &format!("{fields}{rest}")));
    let refuses = format!("{fields}{first}{}", refused("2024-05-17T10:05:04Z,http://h/b,200,1,2,3,4", 42));
    assert_is_as_it_says(&file("csv", &alone, &refuses));
}

#[test]
fn wrong_use_is_told_in_its_place() {
    // (kind, keys, the line and the column, a part of the sentence)
    let cases = [
        ("lines", "nulls = [\"a\", \"\"]\nlines = ['{url}']", "4:15", "`nulls` has words"),
        ("lines", "skip = [\"\"]\nlines = ['{url}']", "4:9", "`skip` has beginnings"),
        ("lines", "skip = [\"a\\nb\"]\nlines = ['{url}']", "4:9", "no line end"),
        ("lines", "skip = [\" #\"]\nlines = ['{url}']", "4:9", "no space before it"),
        ("lines", "skip = \"#\"\nlines = ['{url}']", "4:8", "expected a sequence"),
        ("lines", "lines = ['\"?{url}\" {status}']", "4:10", "both sides"),
        ("lines", "lines = ['{url}\"? {status}']", "4:10", "both sides"),
        (
            "csv",
            "told_by = [\"a\"]\norders = [{ names = [\"a\"], most = true }]",
            "5:28",
            "unknown field `most`",
        ),
    ];
    for (kind, keys, place, part) in cases {
        let text = file(kind, keys, "[[sample]]\ntext = ''\nrows = []");
        let error = FormatFile::parse("own.toml", &text).expect_err(keys).to_string();
        assert!(error.starts_with(&format!("own.toml:{place}: ")), "{keys}: {error}");
        assert!(error.contains(part), "{keys}: {error}");
    }
}

//! Paths through all elements of a list: a column has the first value of its form, and nothing is lost.

use serde_json::{Value, json};
use urimill_testkit::reading::{Reading, Row};

const FILE: &str = r#"
name = "listed"
title = "objects with lists"
kind = "json"
told_by = ["url"]

[fields]
url = ":url"
"rules[*].id" = "rule"
"rules[*].code" = "status"
"tags[*]" = "category"
"deep[*].inner[*].n" = "size"
"first[0]" = "country"
"first[*]" = "city"

[[sample]]
text = '{"url":"/a","rules":[{"id":"x"}]}'
rows = [{ uri = "/a", rule = "x" }]
"#;

fn rows(input: &str) -> Vec<Row> {
    let row = urimill_logs::row_of_file("listed.toml", FILE).expect("a format");
    Reading::new(move |asked, _| row.reader(asked)).rows(input.as_bytes())
}

#[test]
fn a_column_has_the_first_value_of_its_form() {
    // (the members beside the URI, the columns that are not null)
    let cases: &[(&str, Value)] = &[
        (r#""rules":[{"id":"x"}]"#, json!({"rule": "x"})),
        (
            r#""rules":[{"id":"x"}, {"id":"y"}]"#,
            json!({"rule": "x", "extra": r#"{"rules":[{"id":"x"}, {"id":"y"}]}"#}),
        ),
        // Two columns of one list, of different elements.
        (r#""rules":[{"id":"x"},{"code":404}]"#, json!({"rule": "x", "status": 404})),
        // A value of another form is not the column's.
        (
            r#""rules":[{"code":"no"},{"code":200}]"#,
            json!({"status": 200, "extra": r#"{"rules":[{"code":"no"},{"code":200}]}"#}),
        ),
        (
            r#""rules":[7,{"id":"x","n":1}]"#,
            json!({"rule": "x", "extra": r#"{"rules":[7,{"id":"x","n":1}]}"#}),
        ),
        (r#""rules":[]"#, json!({})),
        (r#""rules":{"id":"x"}"#, json!({"extra": r#"{"rules.id":"x"}"#})),
        (r#""rules":"x""#, json!({"extra": r#"{"rules":"x"}"#})),
        (r#""tags":["a"]"#, json!({"category": "a"})),
        (r#""tags":["a" , "b"],"z":1"#, json!({"category": "a", "extra": r#"{"tags":["a" , "b"],"z":1}"#})),
        (r#""tags":[{"a":1},"b"]"#, json!({"category": "b", "extra": r#"{"tags":[{"a":1},"b"]}"#})),
        (r#""deep":[{"inner":[{"n":5}]}]"#, json!({"size": 5})),
        (
            r#""deep":[{"inner":[]},{"inner":[{"n":5},{"n":6}]}]"#,
            json!({"size": 5, "extra": r#"{"deep":[{"inner":[]},{"inner":[{"n":5},{"n":6}]}]}"#}),
        ),
        // A number is surer than every element.
        (r#""first":["a","b"]"#, json!({"country": "a", "city": "b"})),
    ];
    for (members, expected) in cases {
        let row = &rows(&format!("{{\"url\":\"/a\",{members}}}\n"))[0];
        for column in
            ["rule", "status", "category", "size", "country", "city", "extra", "error", "field_errors"]
        {
            assert_eq!(row[column], expected[column], "{column} of {members}");
        }
    }
}

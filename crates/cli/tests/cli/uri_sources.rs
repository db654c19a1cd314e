//! URIs that are made of fields: `--uri-template` and `--request-line`, in every format whose fields have names.

use serde_json::{Value, json};

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl};

const CSV: &str = "id,h,p,q\n\
    1,a.example,/x,b=c\n\
    2,a.example,/x,\n\
    3,a.example,/x,\"\"\n\
    4,,/x,b\n\
    5,a.example,@evil.example/,\n\
    6,-,/x,\n\
    7,A.example,//y,?z\n\
    8,a.example,/x?y,z\n\
    9,a.example,,z\n";

/// The values of each row: the URI, and the code and the place of a value that is out of place.
fn expected() -> Vec<(Value, Value, Value)> {
    let good = |uri: &str| (json!(uri), Value::Null, Value::Null);
    let none = || (Value::Null, Value::Null, Value::Null);
    let bad = |uri: &str, at: u64| (json!(uri), json!("record_malformed"), json!(at));
    vec![
        good("https://a.example/x?b=c"),
        good("https://a.example/x"),
        good("https://a.example/x?"),
        none(),
        bad("https://a.example@evil.example/", 17),
        none(),
        good("https://a.example//y?z"),
        bad("https://a.example/x?y?z", 19),
        good("https://a.example/?z"),
    ]
}

fn found(rows: &[Row]) -> Vec<(Value, Value, Value)> {
    rows.iter().map(|row| (row["uri"].clone(), row["error"].clone(), row["error_offset"].clone())).collect()
}

const TEMPLATE: &str = "https://{h}{p}?{q}";

#[test]
fn a_template_makes_the_same_uris_in_every_format() {
    let dir = dir();
    write(dir.path(), "in.csv", CSV);
    write(dir.path(), "in.tsv", CSV.replace(',', "\t"));
    for name in ["in.jsonl", "in.parquet", "in.arrow", "in.arrows"] {
        let line = format!("normalize in.csv --from csv --uri-field id --columns h,p,q -o {name}");
        urimill(&line).within(dir.path()).ok();
    }
    let array = std::fs::read_to_string(dir.path().join("in.jsonl")).expect("JSON");
    write(dir.path(), "in.json", format!("[{}]", array.trim_end().replace('\n', ",")));
    for (name, format) in [
        ("in.csv", "csv"),
        ("in.tsv", "tsv"),
        ("in.jsonl", "jsonl"),
        ("in.json", "json"),
        ("in.parquet", "parquet"),
        ("in.arrow", "arrow"),
        ("in.arrows", "arrow"),
        ("in.csv", "auto"),
        ("in.jsonl", "auto"),
        ("in.parquet", "auto"),
    ] {
        for more in ["", "--chunk 40 --threads 2", "--verify"] {
            let line = format!(
                "normalize {name} --from {format} --on-invalid keep --force -o t.jsonl {more} --uri-template"
            );
            urimill(&line).arg(TEMPLATE).within(dir.path()).ok();
            let rows = jsonl(&std::fs::read(dir.path().join("t.jsonl")).expect("a table"));
            assert_eq!(found(&rows), expected(), "{name} as {format} {more}");
            // The fields have columns of their own.
            let path = if format.ends_with("json") || name.starts_with("in.json") {
                serde_json::from_str::<Value>(rows[0]["extra"].as_str().expect("an object")).expect("JSON")["p"].clone()
            } else {
                rows[0]["p"].clone()
            };
            assert_eq!(path, json!("/x"), "{name} as {format}");
        }
    }
    // Fields by number, numbers as fields, and a base.
    let done = urimill("normalize --from csv --to csv --columns uri --uri-template http://{2}:{1}/{3}")
        .stdin("80,h,a\n8080,h,a/b\n,h,c\n")
        .ok();
    assert_eq!(done.text(), "uri\nhttp://h/a\nhttp://h:8080/a/b\nhttp://h/c\n");
    let line = "normalize --from jsonl --to csv --columns uri,n --base-field b --uri-template {p.x}?{n}";
    let done = urimill(line).stdin("{\"b\":\"http://h/\",\"p\":{\"x\":\"//y\"},\"n\":7}\n").ok();
    assert_eq!(done.text(), "uri,n\nhttp://h//y?7,7\n");
}

type Hostile = (&'static str, &'static str, &'static str, &'static str, &'static str, Option<&'static str>);

/// (template, values of a and b, uri, host, error): a value brings no host but where its field's name says that it may.
#[rustfmt::skip]
const HOSTILE: &[Hostile] = &[
    ("{path}?{b}", "http://evil/", "q", "https://good/http://evil/?q", "good", None),
    ("{path}?{b}", "//evil/", "q", "https://good//evil/?q", "good", None),
    ("{path}?{b}", "@evil", "q#", "https://good/@evil?q#", "good", None),
    ("{path}", "http:evil", "", "https://good/http:evil", "good", None),
    ("{n}?{b}", "http://evil/", "q", "http://evil/?q", "", Some("record_malformed")),
    ("{url}?{b}", "http://h/a", "q", "http://h/a?q", "h", None),
    ("https://good:{n}/", "80@evil", "", "https://good:80%40evil/", "", Some("port_invalid_char")),
    ("https://cdn{n}.good{path}", "1", "/a", "https://cdn1.good/a", "cdn1.good", None),
    ("https://cdn{n}.good{path}", "@evil", "/a", "https://cdn%40evil.good/a", "cdn%40evil.good", None),
    ("https://cdn{n}.good{path}", "1", "@evil/", "https://cdn1.good@evil/", "", Some("record_malformed")),
    ("{n}://good{path}", "http://evil/", "/a", "http://evil/://good/a", "", Some("record_malformed")),
];

#[test]
fn no_value_brings_a_host() {
    for (template, a, b, uri, host, error) in HOSTILE {
        // The columns have the names that the template gives them.
        let named = |known: &str, other: &str| {
            if template.contains(known) { known.trim_matches(['{', '}']) } else { other }.to_owned()
        };
        let first =
            ["{path}", "{n}", "{url}"].into_iter().find(|name| template.contains(name)).expect("a field");
        let (one, two) = match (template.contains("{n}"), template.contains("{path}")) {
            (true, true) => ("n".to_owned(), "path".to_owned()),
            _ => (named(first, "a"), "b".to_owned()),
        };
        let csv = format!("{one},{two}\n\"{a}\",\"{b}\"\n");
        let object = format!("{}\n", json!({ one: a, two: b }));
        for (format, input) in [("csv", &csv), ("jsonl", &object)] {
            for more in ["", "--repair"] {
                let line = format!(
                    "normalize --from {format} --to jsonl --summary none --base https://good/ {more} --uri-template"
                );
                let done = urimill(&line).arg(template).stdin(input).ok();
                let row = &jsonl(&done.stdout)[0];
                let found =
                    (row["uri"].as_str(), row["host"].as_str().unwrap_or_default(), row["error"].as_str());
                // A value that becomes a port may be repaired, but never to another host.
                if !more.is_empty() && error.is_some() {
                    assert_ne!(found.1, "evil", "{template} {a} {b}");
                    continue;
                }
                assert_eq!(found, (Some(*uri), *host, *error), "{template} {a} {b} as {format} {more}");
            }
        }
    }
}

#[test]
fn a_template_makes_uris_of_logs() {
    let w3c = "#Fields: date time cs-host cs-uri-stem cs-uri-query sc-status\n\
        2024-01-02 03:04:05 h.example /a b=c 200\n2024-01-02 03:04:05 h.example //x - 404\n\
        2024-01-02 03:04:05 - /a - 200\n";
    let template = "https://{cs-host}{cs-uri-stem}?{cs-uri-query}";
    let of_w3c = &["https://h.example/a?b=c,200", "https://h.example//x,404", ",200"][..];
    let clf =
        "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7 \"http://r/\\\"\" \"x\"\n";
    // (options, template, input, rows)
    let cases = [
        ("--from w3c --columns uri,status", template, w3c, of_w3c),
        ("--columns uri,status", template, w3c, of_w3c),
        (
            "--from w3c --columns uri,status",
            "http://{host}{path}",
            w3c,
            &["http://h.example/a,200", "http://h.example//x,404", ",200"],
        ),
        // Another field of an access log.
        (
            "--from clf --columns uri,method,error --on-invalid keep",
            "{referer}",
            clf,
            &["\"http://r/\"\"\",GET,path_invalid_char"],
        ),
        ("--columns uri,method --repair", "{referer}", clf, &["http://r/%22,GET"]),
        (
            "--log-format $my_host|$my_path|$status --columns uri,status",
            "http://{my_host}/{my_path}",
            "h|a|200\n-|b|404\n",
            &["http://h/a,200", ",404"],
        ),
        (
            "--from nginx-json --columns uri,status",
            "http://{server_name}{path}?{query}",
            "{\"remote_addr\":\"192.0.2.1\",\"status\":\"200\",\"server_name\":\"n\",\"uri\":\"/a\",\"args\":\"b\",\"host\":\"h\"}\n",
            &["http://n/a?b,200"],
        ),
    ];
    for (options, template, input, rows) in cases {
        for more in ["", "--chunk 60"] {
            let line = format!("normalize --to csv --summary none {options} {more} --uri-template");
            let done = urimill(&line).arg(template).stdin(input).ok();
            let text = done.text();
            let found: Vec<_> = text.lines().skip(1).collect();
            assert_eq!(found, rows, "{options} {more} {template}");
        }
    }
}

#[test]
fn a_request_line_is_read_as_rfc_9112_has_it() {
    let lines = [
        ("GET /a?b HTTP/1.1", json!(["/a?b", null, null, "GET", "HTTP/1.1"])),
        ("GET //favicon.ico HTTP/1.1", json!(["/.//favicon.ico", "//favicon.ico", null, "GET", "HTTP/1.1"])),
        ("GET http://H/ HTTP/2", json!(["http://h/", "http://H/", null, "GET", "HTTP/2"])),
        (
            "CONNECT h.example:443 HTTP/1.1",
            json!(["//h.example:443", "h.example:443", null, "CONNECT", "HTTP/1.1"]),
        ),
        ("OPTIONS * HTTP/1.1", json!([null, null, null, "OPTIONS", "HTTP/1.1"])),
        ("GET /old", json!(["/old", null, null, "GET", null])),
        ("-", json!([null, null, null, null, null])),
        ("", json!([null, null, null, null, null])),
        ("nonsense", json!(["nonsense", null, "record_malformed", null, null])),
        ("GET a HTTP/1.1", json!(["GET a HTTP/1.1", null, "record_malformed", "GET", "HTTP/1.1"])),
    ];
    let dir = dir();
    let rows: String = lines.iter().map(|(line, _)| format!("1,{line}\n")).collect();
    write(dir.path(), "in.csv", format!("n,r\n{rows}"));
    let objects: String =
        lines.iter().map(|(line, _)| format!("{}\n", json!({"n": "1", "r": line}))).collect();
    write(dir.path(), "in.jsonl", objects);
    for name in ["in.parquet", "in.arrows"] {
        let line = format!("normalize in.csv --from csv --uri-field n --columns n,r -o {name}");
        urimill(&line).within(dir.path()).ok();
    }
    for (name, format) in [
        ("in.csv", "csv"),
        ("in.jsonl", "jsonl"),
        ("in.parquet", "parquet"),
        ("in.arrows", "arrow"),
        ("in.csv", "auto"),
    ] {
        let columns = if format == "parquet" || format == "arrow" {
            "--columns uri,raw,error --keep all"
        } else {
            "--columns uri,raw,error,method,protocol,n"
        };
        let line = format!(
            "normalize {name} --from {format} --request-line r {columns} --on-invalid keep --verify --force -o t.jsonl"
        );
        urimill(&line).within(dir.path()).ok();
        let rows = jsonl(&std::fs::read(dir.path().join("t.jsonl")).expect("a table"));
        for (row, (line, expected)) in rows.iter().zip(&lines) {
            let found = json!(["uri", "raw", "error", "method", "protocol"].map(|name| row[name].clone()));
            // The empty text of JSON is not a request line, that of CSV is null.
            if !line.is_empty() || format != "jsonl" {
                assert_eq!(found, *expected, "{format}: {line}");
            }
            assert_eq!(row["n"], "1", "{format}: {line}");
        }
        assert_eq!(rows.len(), lines.len(), "{format}");
    }
    // Against a base, `//x` stays a path.
    let line =
        "normalize --from csv --request-line 1 --base https://h.example/ --to csv --columns uri,method";
    let done = urimill(line).stdin("GET //x HTTP/1.1\n").ok();
    assert_eq!(done.text(), "uri,method\nhttps://h.example//x,GET\n");
    // A field of the same name keeps its values, under another name.
    let line = "normalize --from csv --request-line r --to csv --columns uri --keep all";
    let done = urimill(line).stdin("method,r\nx,POST / HTTP/1.1\n").ok();
    assert_eq!(done.text(), "uri,method,protocol,method_2,field_errors\n/,POST,HTTP/1.1,x,\n");
}

#[test]
fn mistakes_have_their_place() {
    let dir = dir();
    write(dir.path(), "in.csv", CSV);
    write(dir.path(), "in.jsonl", "{\"a\":1}\n");
    write(dir.path(), "in.log", "#Fields: time cs-host\n03:04:05 h\n");
    urimill("normalize in.csv --from csv --uri-field id --columns h -o in.parquet").within(dir.path()).ok();
    for (options, template, parts) in [
        (
            "in.csv --from csv",
            "https://{host}{p}",
            &[
                "wrong at byte 9",
                "has no field \"host\": its fields are \"id\", \"h\", \"p\", \"q\"",
                "\n  https://{host}{p}\n           ^\n",
            ][..],
        ),
        (
            "in.csv --from csv",
            "https://{h",
            &["--uri-template is wrong at byte 8: the brace is not closed", "^"],
        ),
        ("in.csv --from csv", "https://h/", &["it has no field"]),
        (
            "in.csv --from csv --header no",
            "https://{h}",
            &["wrong at byte 9: without a header no field is named"],
        ),
        ("in.jsonl --from jsonl", "https://{b}", &["has a member \"b\": the members of the first are \"a\""]),
        (
            "in.log --from w3c",
            "https://{sc-host}",
            &["wrong at byte 9: in.log has no field \"sc-host\"", "cs-host"],
        ),
        (
            "in.parquet --from parquet",
            "https://{b}",
            &["wrong at byte 9: in.parquet has no column \"b\"", "\"h\"", "^"],
        ),
        (
            "in.csv --from lines",
            "https://{b}",
            &["--uri-template is for formats whose fields the user names", "--from lines"],
        ),
        ("in.csv --from csv --uri-field h", "https://{h}", &["--uri-template and --uri-field both say"]),
        (
            "in.csv --from csv --request-line h",
            "https://{h}",
            &["--uri-template and --request-line both say"],
        ),
    ] {
        let line = format!("normalize --to csv {options} --uri-template");
        let done = urimill(&line).arg(template).within(dir.path()).go();
        assert_eq!((done.code, done.text()), (Some(2), ""), "{options}");
        for part in parts {
            assert!(done.stderr.contains(part), "{options}: {part:?} is not in {}", done.stderr);
        }
    }
    for (options, parts) in [
        (
            "in.csv --from clf --request-line r",
            &["--request-line is for formats whose fields the user names"][..],
        ),
        ("in.csv --from csv --request-line r", &["in.csv has no field \"r\""]),
    ] {
        urimill(&format!("normalize --to csv {options}")).within(dir.path()).fails(2, parts);
    }
}

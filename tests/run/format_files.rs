//! Files that define formats: those of urimill and of the documentation are as they say, faults have their places.

use std::io::Cursor;
use std::path::Path;

use urimill::arrow_array::RecordBatchReader;
use urimill::run::{Conversion, FormatFile, InputFormat};

const GATE: &str = r#"
name = "gate"
title = "the gate of our shop"
kind = "lines"
lines = ['{time} {client} {method} {url} {status} {size}']

[[sample]]
text = '2024-05-17T10:05:03Z 192.0.2.1 GET http://example.com/a 200 17'
rows = [{ uri = "http://example.com/a", status = 200, client_port = "" }]

[[refused]]
text = '2024-05-17T10:05:03Z 192.0.2.1 GET http://example.com/a abc 17'
at = 56
"#;

#[test]
fn files_of_urimill_are_as_they_say() {
    let files = InputFormat::all().filter_map(FormatFile::of);
    let faults: Vec<String> = files.flat_map(|file| file.test().expect("a run")).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The blocks of TOML in the page, with the second one's changes made to the first.
#[test]
fn the_page_has_a_format_that_is_as_it_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/FORMAT-FILES.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let blocks: Vec<&str> =
        page.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    let [first, change, ..] = blocks[..] else { panic!("the page has two blocks") };
    let file = FormatFile::parse("gate.toml", first).expect("a format");
    assert_eq!(file.test().expect("a run"), [] as [&str; 0]);
    let (lines, rest) = change.split_once("\n\n").expect("a line of forms, and more");
    let old = first.lines().find(|line| line.starts_with("lines = ")).expect("the form");
    let changed = first.replace(old, lines) + rest;
    let file = FormatFile::parse("gate.toml", &changed).expect("a format");
    assert_eq!(file.test().expect("a run"), [] as [&str; 0]);
    for block in &blocks[2..] {
        if block.starts_with("name = ") {
            let file = FormatFile::parse("probe.toml", block).expect("a format");
            assert_eq!(file.test().expect("a run"), [] as [&str; 0]);
            continue;
        }
        let text = GATE.replace("[[sample]]", &format!("{block}\n[[sample]]"));
        FormatFile::parse("gate.toml", &text).expect("a format with these values");
    }
}

#[test]
fn a_format_of_a_user_is_found_before_those_of_urimill() {
    let file = || FormatFile::parse("gate.toml", GATE).expect("a format");
    let log = "2024-05-17T10:05:03Z 192.0.2.1 GET http://example.com/a 200 17\n";
    let columns = |run: Conversion| {
        let batches = run.inputs_from(Cursor::new(log), "log").into_batches().expect("a run");
        let schema = batches.schema();
        let names = schema.fields().iter().map(|field| field.name().clone());
        names.filter(|name| matches!(&**name, "client" | "status" | "size")).collect::<Vec<_>>()
    };
    let auto = columns(Conversion::new().format_file(file()));
    assert_eq!(auto, ["client", "status", "size"]);
    let named = columns(Conversion::new().format_file(file()).format(file().format()));
    assert_eq!(named, ["client", "status", "size"]);
}

/// `{?}` behind a field, a quote, a text, and a text after several words.
#[test]
fn a_line_may_end_where_its_form_says() {
    // (form, the text that the line may have less, the columns that are null then)
    let cases = [
        ("{time} {url} {a}{?} {b}", " y", "b"),
        ("{time} {url} \"{a}\"{?} \"{b}\"", " \"y\"", "b"),
        ("{time} {url} took {a}ms{?} {b}", " y", "b"),
        ("{time} {url} {a:words} end{?} {b}{?} {c}", " y z", "b"),
        ("{time} {url} {a:words} end{?} {b}{?} {c}", " z", "c"),
        ("{time} {url} {a:words}{?} go {b}", " go y", "b"),
    ];
    for (form, rest, null) in cases {
        let line =
            form.replace("{?}", "").replace("{a:words}", "x x").replace("{time}", "2024-05-17T10:05:03Z");
        let line = line.replace("{url}", "http://h.example/").replace("{a}", "x").replace("{b}", "y");
        let line = line.replace("{c}", "z");
        let short = line.strip_suffix(rest).expect(form);
        let text = format!(
            "name = \"own\"\ntitle = \"own\"\nkind = \"lines\"\nlines = ['{form}']\n[[sample]]\ntext = '''\n{line}\n{short}'''\n\
             rows = [{{ a = \"{0}\", b = \"y\" }}, {{ a = \"{0}\", {null} = \"\" }}]",
            if form.contains("words") { "x x" } else { "x" }
        );
        let faults = FormatFile::parse("own.toml", &text).expect(form).test().expect("a run").join("\n");
        assert_eq!(faults, "", "{form}");
    }
}

#[test]
fn an_input_of_no_given_format_is_told() {
    let file = || FormatFile::parse("gate.toml", GATE).expect("a format");
    let log = "2024-05-17T10:05:03Z 192.0.2.1 GET http://example.com/a 200 17\nother line\nand another\n";
    let read = |run: Conversion| run.inputs_from(Cursor::new(log), "log").into_batches().map(Iterator::count);
    let error = read(Conversion::new().format_file(file())).expect_err("an error").to_string();
    assert!(error.contains("of its first lines 1 of 3 are of gate"), "{error}");
    read(Conversion::new().format_file(file()).format(file().format())).expect("a log");
    let picture =
        Conversion::new().format_file(file()).inputs_from(Cursor::new(b"\x89PNG\r\n\x1a\n\0\0"), "log");
    let error = picture.into_batches().map(Iterator::count).expect_err("no text").to_string();
    assert!(!error.contains("gate"), "{error}");
}

#[test]
fn a_fault_in_a_file_has_its_place() {
    // (a text of the file, what stands in its place, the place, a part of the sentence)
    let cases: &[(&str, &str, &str, &str)] = &[
        ("\"gate\"", "\"Gate\"", "2:8", "lower-case letter"),
        ("\"gate\"", "\"alb\"", "2:8", "urimill has a format \"alb\""),
        ("\"gate\"", "\"csv\"", "", "urimill has a format \"csv\""),
        ("\"lines\"", "\"line\"", "4:8", "lines"),
        ("{status}", "{status:itn}", "5:10", "did you mean \"int\""),
        ("{status}", "{status=stattus}", "5:10", "there is no form \"stattus\""),
        ("{status}", "{Status}", "5:10", "lower-case letters"),
        ("{status} ", "{status}", "5:10", "without a text between"),
        ("{status}", "{status", "5:10", "the name of a column"),
        ("{url}", "{link}", "2:8", "no field makes the URI"),
        ("{url} {status}", "{url} x{?} y{?} {status}", "5:10", "has one {?}"),
        ("{size}'", "{size}{?} end'", "5:10", "a field follows {?}"),
        ("title =", "titel =", "3:1", "unknown field `titel`"),
        ("kind = \"lines\"", "kind = \"json\"", "2:8", "no `lines`"),
        ("[[sample]]", "[values]\na = { bytes = \"digit\" }\n[[sample]]", "8:5", "no kind of bytes"),
        ("[[refused]]", "[[refused]", "11:11", "expected `]`"),
        ("[[sample]]", "[[refused]]", "", "rows"),
    ];
    for (old, new, place, part) in cases {
        let text = GATE.replacen(old, new, 1);
        let error = FormatFile::parse("gate.toml", &text).expect_err(new).to_string();
        assert!(error.starts_with(&format!("gate.toml:{place}")), "{new}: {error}");
        assert!(error.contains(part), "{new}: {error}");
    }
}

#[test]
fn samples_that_contradict_a_file_are_told() {
    // (a text of the file, what stands in its place, what the test says)
    let cases: &[(&str, &str, &str)] = &[
        ("status = 200", "status = 404", "gate.toml: sample 1, row 1: status is 200, not 404"),
        ("status = 200", "state = 200", "there is no column \"state\""),
        ("at = 56", "at = 50", "gate.toml: refused line 1 stops fitting at byte 56, not 50"),
        ("a abc 17'", "a 201 17'", "gate.toml: refused line 1 is read"),
        ("rows = [", "rows = [{}, ", "gate.toml: sample 1 has 1 row, not 2"),
        ("/a 200 17'", "/a 2x0 17'", "byte 56"),
    ];
    for (old, new, said) in cases {
        let file = FormatFile::parse("gate.toml", &GATE.replacen(old, new, 1)).expect(new);
        let faults = file.test().expect("a run").join("\n");
        assert!(faults.contains(said), "{new}: {faults}");
    }
}

#[test]
fn two_files_of_one_name_are_refused() {
    let file = |title: &str| FormatFile::parse(title, &GATE.replace("the gate", title)).expect("a format");
    let run = Conversion::new().format_file(file("one")).format_file(file("two"));
    let error = run.inputs_from(Cursor::new("x\n"), "x").into_batches().map(drop).expect_err("two");
    assert_eq!(error.to_string(), "one and two both define the format \"gate\": rename one of them");
}

/// The error about an unknown key names those that are known.
#[test]
fn the_schema_for_editors_has_the_keys_of_a_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/format-file.schema.json");
    let schema: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("the schema")).expect("JSON");
    let keys = |at: &str| {
        let members = schema.pointer(at).and_then(serde_json::Value::as_object).expect(at);
        members.keys().cloned().collect::<std::collections::BTreeSet<String>>()
    };
    let places = [
        ("", "/properties"),
        ("[values.a]\n", "/properties/values/additionalProperties/properties"),
        ("[[orders]]\n", "/properties/orders/items/properties"),
        ("[[sample]]\n", "/properties/sample/items/properties"),
        ("[[refused]]\n", "/properties/refused/items/properties"),
    ];
    for (table, at) in places {
        let text = format!("{table}unknown = 1\n");
        let error = FormatFile::parse("x", &text).expect_err(table).to_string();
        let (_, known) =
            error.split_once("expected one of ").or_else(|| error.split_once("expected ")).expect(&error);
        let known = known.split([',', ' ']).map(|name| name.trim_matches('`').to_owned());
        let known = known.filter(|name| !name.is_empty() && name != "or").collect();
        assert_eq!(keys(at), known, "{at}");
    }
}

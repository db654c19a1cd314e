//! Lines of names and values: which text is a value, and what ends the form of a line.

use serde_json::{Value, json};
use urimill_testkit::reading::{Reading, Row, assert_has};

/// The rows that a format file with these lines gives.
fn rows(keys: &str, text: &str) -> Vec<Row> {
    let file = format!(
        "name = \"own\"\ntitle = \"of a test\"\nkind = \"pairs\"\n{keys}\n[[sample]]\ntext = \"a\"\nrows = []\n"
    );
    let row = urimill_logs::row_of_file("own.toml", &file).expect("a format");
    Reading::named("own", [row].into_iter()).rows(text.as_bytes())
}

const WORDS: &str = "told_by = [\"path\", \"status\"]\n[fields]\npath = \":url\"\nstatus = \"status\"\nua = \"user_agent\"\nms = \"duration_us:ms\"";

#[test]
fn words_are_names_and_values() {
    let refused =
        |at: u64| json!({"error": "record_malformed", "error_offset": at, "status": null, "extra": null});
    // (line, what its row has)
    let cases: &[(&str, Value)] = &[
        (
            "path=/a status=200 ua=\"b c\" x=1",
            json!({"uri": "/a", "status": 200, "user_agent": "b c", "extra": "{\"x\":\"1\"}"}),
        ),
        ("  path=/a?b=c  status=200 ", json!({"uri": "/a?b=c", "status": 200, "extra": null})),
        ("status=200 path=\"/a\"", json!({"uri": "/a", "status": 200})),
        ("path=/a status=200 ua=\"a \\\" b\"", json!({"user_agent": "a \\\" b"})),
        ("path=/a status= ua= x=", json!({"uri": "/a", "status": null, "user_agent": null, "extra": null})),
        ("path=/a status=- ua=-", json!({"status": null, "user_agent": null})),
        ("path=/a status=200 ms=12ms", json!({"duration_us": 12_000})),
        ("path=/a status=200 a.b-c/d=1", json!({"extra": "{\"a.b-c/d\":\"1\"}"})),
        // A value that had to be in quotes.
        ("path=/a status=200 ua=b c", refused(24)),
        ("path=/a b status=200", refused(8)),
        // A name that comes twice, known or not.
        ("path=/a status=200 path=/b", refused(24)),
        ("path=/a status=200 x=1 x=2", json!({"error": null, "extra": "{\"x\":[\"1\",\"2\"]}"})),
        ("path=/a status=200 ua=\"b", refused(24)),
        ("path=/a status=200 ua=\"b\"c", refused(25)),
        ("path=/a", refused(0)),
        ("=/a status=200", refused(0)),
        ("{\"path\":\"/a\"}", refused(0)),
    ];
    let text: String = cases.iter().map(|(line, _)| format!("{line}\n")).collect();
    let found = rows(WORDS, &text);
    assert_eq!(found.len(), cases.len());
    for (row, (line, expected)) in found.iter().zip(cases) {
        assert_has(row, expected, line);
    }
}

#[test]
fn separators_and_signs_are_told_by_the_file() {
    // (keys, line, what its row has)
    let cases: &[(&str, &str, Value)] = &[
        (
            "separator = \",\"",
            "path=\"/a\",status=\"200\",ua=\"b, c\"",
            json!({"uri": "/a", "user_agent": "b, c"}),
        ),
        (
            "separator = \";\"\nassign = \":\"",
            "path:\"/a:b\"; status:200; ua:b c;",
            json!({"uri": "/a:b", "user_agent": "b c"}),
        ),
        ("separator = \"\\t\"", "path=/a\tstatus=200\tua=b c", json!({"uri": "/a", "user_agent": "b c"})),
        (
            "escapes = \"backslash\"",
            "path=/a status=200 ua=\"a \\\"b\\\"\" x=\"\\\"\"",
            json!({"user_agent": "a \"b\"", "extra": "{\"x\":\"\\\"\"}"}),
        ),
        (
            "lines = ['{time} {host}[router]: ']",
            "2023-01-01T00:00:00Z h[router]: path=/a status=200",
            json!({"uri": "http://h/a", "time": "2023-01-01T00:00:00Z"}),
        ),
        (
            "lines = ['{time} ']",
            "2023x-01-01 path=/a status=200",
            json!({"error": "record_malformed", "error_offset": 0}),
        ),
    ];
    for (keys, line, expected) in cases {
        let found = rows(&format!("{keys}\n{WORDS}"), line);
        assert_has(&found[0], expected, line);
    }
}

#[test]
fn events_of_security_products_have_a_header() {
    let cef = "pairs = \"cef\"\ntold_by = [\"request\", \"cef.vendor\"]\n[fields]\nrequest = \":url\"\n\
               \"cef.vendor\" = \"vendor\"\n\"cef.name\" = \"message\"\nsrc = \"client:addr\"\nrequestClientApplication = \"user_agent\"";
    let leef = "pairs = \"leef\"\ntold_by = [\"url\"]\n[fields]\nurl = \":url\"\nsrc = \"client:addr\"\n\"leef.id\" = \"rule\"";
    // (keys, line, what its row has)
    let cases: &[(&str, &str, Value)] = &[
        (
            cef,
            "CEF:0|A|B|1|9|a \\| b|5|request=http://h/a?b=c src=192.0.2.1 requestClientApplication=Mozilla/5.0 (X11) x cs1=d",
            json!({"uri": "http://h/a?b=c", "vendor": "A", "message": "a | b", "client": "192.0.2.1",
                   "user_agent": "Mozilla/5.0 (X11) x",
                   "extra": "{\"cef.device_version\":\"1\",\"cef.id\":\"9\",\"cef.product\":\"B\",\"cef.severity\":\"5\",\"cef.version\":\"0\",\"cs1\":\"d\"}"}),
        ),
        (cef, "Jan 18 11:07:53 host CEF:0|A|B|1|9|n|5|request=/a\\=b", json!({"uri": "/a=b", "vendor": "A"})),
        (cef, "CEF:0|A|B|1|9|n|5|src=192.0.2.1", json!({"error": "record_malformed", "client": null})),
        (cef, "CEF:0|A|B|1|9", json!({"error": "record_malformed", "error_offset": 13, "vendor": null})),
        (
            cef,
            "CEF:0|A|B|1|9|n|5|src=192.0.2.1 request=/a src=192.0.2.2",
            json!({"error": "record_malformed", "client": null}),
        ),
        (
            leef,
            "LEEF:1.0|A|B|1|deny|src=192.0.2.1\turl=http://h/a b",
            json!({"client": "192.0.2.1", "rule": "deny", "uri": "http://h/a b"}),
        ),
        (leef, "LEEF:2.0|A|B|1|deny|^|src=192.0.2.1^url=/a", json!({"client": "192.0.2.1", "uri": "/a"})),
        (leef, "LEEF:2.0|A|B|1|deny|x7C|src=192.0.2.1|url=/a", json!({"client": "192.0.2.1", "uri": "/a"})),
    ];
    for (keys, line, expected) in cases {
        assert_has(&rows(keys, line)[0], expected, line);
    }
}

#[test]
fn a_form_is_around_the_pairs() {
    let keys =
        "lines = ['{time} {server_name}[{pid:int}] <{*}>', 'id=\"{rule}\" {action} {*}{?} ({category})']";
    let refused =
        |at: usize| json!({"error": "record_malformed", "error_offset": at, "status": null, "rule": null});
    // (line, what its row has)
    let cases: &[(&str, Value)] = &[
        (
            "2023-01-01T00:00:00Z h[7] <path=/a status=\"200\">",
            json!({"uri": "/a", "time": "2023-01-01T00:00:00Z", "server_name": "h", "pid": 7, "status": 200}),
        ),
        (
            "id=\"9 = x\" deny path=/a status=200 x=1 (b c)",
            json!({"uri": "/a", "rule": "9 = x", "action": "deny", "category": "b c", "extra": "{\"x\":\"1\"}"}),
        ),
        (
            "id=\"9\" deny path=/a status=200",
            json!({"uri": "/a", "rule": "9", "status": 200, "category": null}),
        ),
        ("id=\"9\" deny path=/a status=200 ", json!({"uri": "/a", "status": 200})),
        // The form after the pairs.
        ("id=\"9\" deny path=/a status=200 (b", refused(33)),
        ("id=\"9\" deny path=/a status=200 b", refused(31)),
        ("2023-01-01T00:00:00Z h[7] <path=/a status=\"200\"", refused(47)),
        ("2023-01-01T00:00:00Z h[7] <path=/a status=\"200\">>", refused(47)),
        // The form before them.
        ("2023-01-01T00:00:00Z h <path=/a status=\"200\">", refused(22)),
        ("id=\"9\" path=/a status=200", refused(0)),
    ];
    for (line, expected) in cases {
        assert_has(&rows(&format!("{keys}\n{WORDS}"), line)[0], expected, line);
    }
}

#[test]
fn a_value_may_have_several_fields() {
    let keys = "told_by = [\"path\"]\n[fields]\npath = \":url\"\n\
                src = \"{client:addr}{?}:{client_port:int=whole}{?}:{zone}\"\ntook = \"{duration_us:s} sec(s)\"";
    // (line, what its row has)
    let cases: &[(&str, Value)] = &[
        (
            "path=/a src=192.0.2.1:4711:lan took=\"0.5 sec(s)\"",
            json!({"client": "192.0.2.1", "client_port": 4711, "zone": "lan", "duration_us": 500_000, "extra": null}),
        ),
        ("path=/a src=192.0.2.1", json!({"client": "192.0.2.1", "client_port": null, "zone": null})),
        ("path=/a src=192.0.2.1::lan", json!({"client": "192.0.2.1", "client_port": null, "zone": "lan"})),
        ("path=/a src=:80:lan", json!({"client": null, "client_port": 80, "zone": "lan", "extra": null})),
        ("path=/a src=", json!({"client": null, "extra": null})),
        // Values of other forms.
        (
            "path=/a src=h:80 took=5",
            json!({"uri": "/a", "client": null, "client_port": null, "duration_us": null,
                   "extra": "{\"src\":\"h:80\",\"took\":\"5\"}"}),
        ),
        ("path=/a src=192.0.2.1:x", json!({"client": null, "extra": "{\"src\":\"192.0.2.1:x\"}"})),
        (
            "path=/a src=192.0.2.1 src=192.0.2.2",
            json!({"error": "record_malformed", "error_offset": 26, "client": null}),
        ),
    ];
    for (line, expected) in cases {
        assert_has(&rows(keys, line)[0], expected, line);
    }
}

#[test]
fn faults_of_forms_are_told() {
    let file = |lines: &str, field: &str| {
        format!(
            "name = \"own\"\ntitle = \"of a test\"\nkind = \"pairs\"\nlines = ['{lines}']\ntold_by = [\"path\"]\n\
             [fields]\npath = \":url\"\nsrc = \"{field}\"\n[[sample]]\ntext = \"a\"\nrows = []\n"
        )
    };
    // (the form of the line, that of a value, what is said)
    let cases = [
        ("{action}{*}]", "user", "own.toml:4:10: a text is between a field and {*}, not in \"{action}{*}]\""),
        (
            "{action:wrod} {*}]",
            "user",
            "own.toml:4:10: {action:wrod}: there is no kind \"wrod\": the kinds are",
        ),
        ("{*}] {pid:itn}", "user", "{pid:itn}: there is no kind \"itn\" (did you mean \"int\"?)"),
        (
            "",
            "{user:itn}:{zone}",
            "own.toml:8:7: {user:itn}: there is no kind \"itn\" (did you mean \"int\"?)",
        ),
        ("", "{user}{zone}", "fields without a text between them"),
    ];
    for (lines, field, expected) in cases {
        let fault =
            urimill_logs::row_of_file("own.toml", &file(lines, field)).expect_err("a fault").to_string();
        assert!(fault.contains(expected), "{lines} {field}: {fault}");
    }
}

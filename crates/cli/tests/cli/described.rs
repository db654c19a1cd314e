//! The errors of format strings and of logs that they do not describe; members within members, another delimiter.

use serde_json::{Value, json};

use super::log_formats::rows;
use super::run::urimill;

#[test]
fn an_error_in_a_format_string_has_its_place_and_a_caret() {
    // (format string, what the sentence has in it, the lines below it)
    let cases: &[(&str, &str, &str)] = &[
        ("%h %Q %r", "no directive %Q", "  %h %Q %r\n     ^\n"),
        ("%h %{Referer", "not closed", "  %h %{Referer\n      ^\n"),
        ("$remote_addr$request", "between two fields", "  $remote_addr$request\n              ^\n"),
        ("$remote_addr $status", "no request", "  $remote_addr $status\n                      ^\n"),
        ("squid:%>a %xx", "Squid has no format code %xx", "  squid:%>a %xx\n            ^\n"),
        ("haproxy:%HU %[src", "not closed", "  haproxy:%HU %[src\n               ^\n"),
        (
            "envoy:%PATH%%PROTOCOL%",
            "between host, path and query",
            "  envoy:%PATH%%PROTOCOL%\n              ^\n",
        ),
    ];
    for (format, what, marked) in cases {
        let done = urimill("normalize --to csv --log-format").arg(format).stdin("").go();
        assert_eq!((done.code, done.text()), (Some(2), ""), "{format}: {}", done.stderr);
        let (sentence, rest) = done.stderr.split_once('\n').expect("a sentence");
        assert!(sentence.starts_with("urimill: --log-format") && sentence.contains(what), "{}", done.stderr);
        assert_eq!(rest, *marked, "{format}");
    }
}

#[test]
fn an_input_of_another_form_is_told_where_it_stops_to_be_described() {
    // (format string, the field and the byte)
    let line = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7 \"-\" \"curl/8\"\n";
    for (format, place) in [
        ("common", "at byte 66, in the field \"size\""),
        (
            "$remote_addr - $remote_user [$time_local] \"$request\" $request_time $status",
            "at byte 66, in the field \"status\"",
        ),
        ("%v %h %l %u %t \"%r\" %>s %b", "at byte 36, in the field \"time\""),
        ("varnish:%h %l %u %t \"%r\" %s %b", "at byte 66, in the field \"size\""),
        ("haproxy:httplog", "at byte 10, in the field \"time\""),
    ] {
        let done = urimill("normalize --to csv --log-format").arg(format).stdin(line.repeat(2)).go();
        assert_eq!(done.code, Some(2), "{format}: {}", done.stderr);
        assert!(done.stderr.contains(place), "{format}: {}", done.stderr);
        let at: usize = place.split([' ', ',']).nth(2).and_then(|at| at.parse().ok()).expect("a byte");
        let marked = format!("\n  {}\n  {}^\n", line.trim_end(), " ".repeat(at));
        assert!(done.stderr.ends_with(&marked), "{format}: {}", done.stderr);
    }
}

#[test]
fn members_within_members_hold_the_uri() {
    let input = concat!(
        "{\"a\":{\"b\":[{\"c\":\"http://h/1\"},{\"c\":\"x\"}],\"base\":\"http://g/\"},\"n\":1}\n",
        "{\"a\":{\"b\":[{\"c\":\"\\u002f2\"}]}}\n",
        "{\"a\":{\"b\":[{\"c\":null}]}}\n",
        "{\"a\":{\"b\":[]}}\n",
        "{\"a\":7}\n",
        "{\"a.b[0].c\":\"http://h/own\",\"a\":{\"b\":[{\"c\":\"http://h/other\"}]}}\n",
    );
    let found = rows("--from jsonl --uri-field a.b[0].c --columns uri,error", input);
    let expected = [
        json!({"uri": "http://h/1", "error": null}),
        json!({"uri": "/2", "error": null}),
        json!({"uri": null, "error": null}),
        json!({"uri": "{\"a\":{\"b\":[]}}", "error": "field_missing"}),
        json!({"uri": "{\"a\":7}", "error": "field_missing"}),
        json!({"uri": "http://h/own", "error": null}),
    ];
    assert_eq!(found.into_iter().map(Value::Object).collect::<Vec<_>>(), expected);
    let input = "{\"n\":{\"uri\":\"../x\",\"base\":\"http://g/a/b\"}}\n";
    let found = rows("--from jsonl --uri-field n.uri --base-field n.base", input);
    assert_eq!(found[0]["uri"], json!("http://g/x"));
    // A name that no record has is misspelt, also where it is to be kept.
    let input = "{\"a\":{\"b\":1},\"n\":\"/a\"}\n{\"n\":\"/b\"}\n";
    for options in
        ["--uri-field a.x", "--uri-field n.c", "--uri-field n --keep n,q", "--uri-field n --columns uri,q"]
    {
        let line = format!("normalize --from jsonl {options} --to csv");
        urimill(&line).stdin(input).fails(2, &["no record", "has a member"]);
    }
    let found = rows("--from jsonl --uri-field n --keep q", "{\"n\":\"/a\"}\n{\"n\":\"/b\",\"q\":1}\n");
    assert_eq!((&found[0]["q"], &found[1]["q"]), (&Value::Null, &json!("1")));
}

#[test]
fn fields_of_csv_may_have_another_delimiter() {
    let found =
        rows("--from csv --delimiter ; --uri-field url", "id;url\n1;http://h/a,b\n2;\"http://h/;c\"\n");
    let uris: Vec<_> = found.iter().map(|row| row["uri"].clone()).collect();
    assert_eq!(uris, [json!("http://h/a,b"), json!("http://h/;c")]);
    let found = rows("--from csv --delimiter | --uri-field 2", "1|http://h/a\n");
    assert_eq!(found[0]["uri"], json!("http://h/a"));
    let found = rows("--from csv --delimiter \\t --uri-field 2", "1\thttp://h/a\n");
    assert_eq!(found[0]["uri"], json!("http://h/a"));
}

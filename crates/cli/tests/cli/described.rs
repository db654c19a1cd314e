//! Logs by description: format strings of Apache and nginx, members within members, another delimiter.

use serde_json::{Value, json};

use super::log_formats::{rows, samples};
use super::run::urimill;
use super::table::{Row, jsonl};

/// The rows of a log that a format string describes.
fn described(format: &str, options: &str, input: &str) -> Vec<Row> {
    let line = format!("normalize --on-invalid keep --to jsonl --summary none {options} --log-format");
    jsonl(&urimill(&line).arg(format).stdin(input).ok().stdout)
}

fn assert_has(row: &Row, expected: &Value, what: &str) {
    for (name, value) in expected.as_object().expect("an object") {
        assert_eq!(&row[name], value, "{what}: {name} of {row:?}");
    }
}

#[test]
fn format_strings_of_configurations_describe_logs() {
    const TIME: &str = "[17/May/2015:10:05:03 +0000]";
    // (format string, a line, what its row has)
    let cases: &[(&str, String, Value)] = &[
        (
            "combined",
            format!("192.0.2.1 - al {TIME} \"GET //a HTTP/1.1\" 200 7 \"http://h/\" \"curl \\\"8\\\"\""),
            json!({"uri": "/.//a", "client": "192.0.2.1", "user": "al", "time": "2015-05-17T10:05:03Z", "status": 200,
                "size": 7, "method": "GET", "protocol": "HTTP/1.1", "referer": "http://h/", "user_agent": "curl \"8\""}),
        ),
        (
            r#"%v:%p %h %l %u %t \"%r\" %>s %O \"%{Referer}i\" \"%{User-Agent}i\" %D %{X-Id}o"#,
            format!(
                "www.example.com:443 h.example - - {TIME} \"GET /a?b HTTP/1.1\" 200 7 \"-\" \"-\" 1500 x7"
            ),
            json!({"uri": "https://www.example.com/a?b", "client": "h.example", "vhost": "www.example.com",
                "server_port": 443, "sent": 7, "duration_us": 1500, "response_x_id": "x7", "referer": null}),
        ),
        (
            "%a\t%m\t%U\t%q\t%s\t%{Host}i",
            "192.0.2.1\tGET\t/a b\t?c=d\t200\texample.com:8080".to_owned(),
            json!({"error": "path_invalid_char", "status": 200, "vhost": "example.com", "vhost_port": 8080}),
        ),
        (
            r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" rt=$request_time uct="$upstream_connect_time" $my_own"#,
            format!(
                "192.0.2.1 - - {TIME} \"GET /a HTTP/2.0\" 200 7 \"-\" \"x\" rt=0.250 uct=\"0.1, 0.2\" own"
            ),
            json!({"uri": "/a", "duration_us": 250_000, "upstream_connect_time": "0.1, 0.2", "my_own": "own"}),
        ),
        (
            "$scheme|$host|$request_uri|$msec|$upstream_addr|$status",
            "https|example.com|//x?y|1431864303.123|10.0.0.1:80, 10.0.0.2:80|404".to_owned(),
            json!({"uri": "https://example.com//x?y", "time": "2015-05-17T12:05:03.123Z", "status": 404,
                "upstream": "10.0.0.1:80, 10.0.0.2:80"}),
        ),
        // Fields of another form: the line is of another log.
        (
            "common",
            format!("www.example.com 192.0.2.1 - - {TIME} \"GET /a HTTP/1.1\" 200 7"),
            json!({"error": "record_malformed", "client": null, "status": null}),
        ),
    ];
    for (format, line, expected) in cases {
        assert_has(&described(format, "", line)[0], expected, line);
        // After a prefix it is the same, and the prefix is kept.
        if expected["error"].is_null() {
            let row = &described(format, "", &format!("Feb 25 16:19:38 h web[7]: {line}\n"))[0];
            assert_has(row, expected, line);
            assert_eq!(row["prefix"], json!("Feb 25 16:19:38 h web[7]: "), "{line}");
        }
    }
    // The same as by name.
    let text = std::fs::read_to_string(samples().join("traefik.log")).expect("a sample");
    let format = r#"%h - %u %t "%r" %s %b "%{Referer}i" "%{User-Agent}i" %{number}n "%{router}n" "%{upstream}n" %{ms}T"#;
    let columns =
        "--columns uri,raw,client,user,time,status,size,referer,user_agent,router,upstream,duration_us";
    assert_eq!(described(format, columns, &text), rows(&format!("--from traefik {columns}"), &text));
}

#[test]
fn an_error_in_a_format_string_has_its_place_and_a_caret() {
    // (format string, what the sentence has in it, the lines below it)
    let cases: &[(&str, &str, &str)] = &[
        ("%h %Q %r", "no directive %Q", "  %h %Q %r\n     ^\n"),
        ("%h %{Referer", "not closed", "  %h %{Referer\n      ^\n"),
        ("$remote_addr$request", "between two fields", "  $remote_addr$request\n              ^\n"),
        ("$remote_addr $status", "no request", "  $remote_addr $status\n                      ^\n"),
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
    ] {
        let done = urimill("normalize --to csv --log-format").arg(format).stdin(line.repeat(2)).go();
        assert_eq!(done.code, Some(2), "{format}: {}", done.stderr);
        assert!(done.stderr.contains(place), "{format}: {}", done.stderr);
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

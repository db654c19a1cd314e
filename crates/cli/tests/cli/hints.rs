//! The hints in a sentence that refuses an input work on that input: its options read it, and its commands write what
//! they promise.

use std::process::Command;

use super::run::{dir, urimill, write};

/// Lines with numbers in place of `#`.
fn lines(line: &str, count: usize) -> String {
    (0..count).map(|n| line.replace('#', &n.to_string()) + "\n").collect()
}

#[test]
fn options_in_a_hint_read_the_input() {
    let crawl = |title: &str| {
        let rows = lines("\"http://h/#\",\"text/html\",\"1\",\"http://c/\"", 6)
            + &lines("\"http://h/#\",\"text/html\",\"1\",\"\"", 4);
        format!("{title}\"Address\",\"Content Type\",\"% of Total\",\"Canonical Link Element 1\"\n{rows}")
    };
    let cloudfront = lines(
        "2014-05-23\t01:13:1#\tFRA2\t18\t192.0.2.1\tGET\td1.cloudfront.net\t/a/#\t200\thttp://r/\tM\t-\t-",
        5,
    ) + &lines(
        "2014-05-23\t01:13:1#\tFRA2\t18\t192.0.2.1\tGET\td1.cloudfront.net\t/b/#\t200\t-\tM\t-\t-",
        3,
    );
    let zeek = lines("1#.1\tC\t192.0.2.1\t1\t192.0.2.2\t80\t1\tGET\th\t/a/#\thttp://r/\tM", 6);
    // (input, the options in the hint, the first URI that they read)
    let inputs: Vec<(String, &str, &str)> = vec![
        (crawl(""), "--from csv --uri-field Address", "http://h/0"),
        (cloudfront, "--from tsv --uri-field 8", "/a/0"),
        (zeek, "--from tsv --uri-field 10", "/a/0"),
        (
            "id;url\n1;http://a/\n2;http://b/\n".into(),
            "--from csv --delimiter \";\" --uri-field url",
            "http://a/",
        ),
        (
            "1|http://a/\n2|http://b/\n3|http://c/\n".into(),
            "--from csv --delimiter \"|\" --uri-field 2",
            "http://a/",
        ),
        (
            "url,url,x\nhttp://a/,http://b/,1\nhttp://c/,http://d/,2\n".into(),
            "--from csv --header yes --uri-field 1",
            "http://a/",
        ),
        ("id,url\n1,http://a/\n2,http://b/\n".into(), "--from csv --uri-field url", "http://a/"),
        ("http://a/\thttp://b/\nhttp://a/\thttp://c/\n".into(), "--from tsv --uri-field 1", "http://a/"),
        ("url\nhttp://a/\nhttp://b/\n".into(), "--from csv --uri-field url", "http://a/"),
        (
            lines("{\"id\":\"/x\",\"request\":{\"method\":\"GET\",\"url\":\"http://h/#\"}}", 3),
            "--from jsonl --uri-field request.url",
            "http://h/0",
        ),
        (lines("{\"id\":#,\"link\":\"http://h/#\"}", 3), "--from jsonl --uri-field link", "http://h/0"),
        // The path of a file is not the path of a URI, and a text that is the same in all objects proves less.
        (
            lines("{\"log\":{\"file\":{\"path\":\"/var/log/a\"}},\"page\":\"http://h/#\"}", 3),
            "--from jsonl --uri-field page",
            "http://h/0",
        ),
        (
            lines("{\"file\":{\"path\":\"/v\"},\"process\":{\"path\":\"/p\"},\"req\":{\"path\":\"/#\"}}", 3),
            "--from jsonl --uri-field req.path",
            "/0",
        ),
        (
            lines("{\"schema\":\"http://json-schema.org/\",\"to\":\"http://h/#\"}", 3),
            "--from jsonl --uri-field to",
            "http://h/0",
        ),
        // Objects of two kinds, of which one has it.
        (
            lines("{\"a\":\"/x\",\"p\":{\"requestUri\":\"http://h/#\"}}", 3) + &lines("{\"a\":\"/y#\"}", 2),
            "--from jsonl --uri-field p.requestUri",
            "http://h/0",
        ),
        (
            format!("[{{\"link\":\"http://h/\"}},{{\"link\":\"{}\"}}]", "x".repeat(1 << 17)),
            "--from json --uri-field link",
            "http://h/",
        ),
        (
            "[{\"a\":1,\"link\":\"http://h/\"},{\"a\":2,\"link\":\"http://h/2\"}]".into(),
            "--from json --uri-field link",
            "http://h/",
        ),
    ];
    let dir = dir();
    for (input, options, first) in inputs {
        write(dir.path(), "in", &input);
        urimill("normalize in").within(dir.path()).fails(2, &["in looks like", options]);
        let plain = options.replace('"', "");
        let done = urimill(&format!("normalize in {plain} --to uris")).within(dir.path()).ok();
        assert_eq!(done.text().lines().next(), Some(first), "{options}: {input}");
    }
    // The hint drops a title above the table first.
    write(dir.path(), "in", crawl("Export of monday\n"));
    let parts = ["below another line", "tail -n +2 in", "--from csv --uri-field Address"];
    for command in ["normalize in", "stats in"] {
        urimill(command).within(dir.path()).fails(2, &parts);
    }
}

#[test]
fn commands_in_a_hint_find_the_uris() {
    // (input, the command in the hint, its output)
    let inputs: &[(&str, &str, &str)] = &[
        ("<!DOCTYPE html>\n<a href='http://h/a'>x</a>\n", "urimill links in", "http://h/a\n"),
        ("{\n \"a\": 1,\n \"u\": \"see http://h/\"\n}\n", "urimill extract in", "http://h/\n"),
        (
            "time:1\thost:h\turi:/a\tstatus:200\n",
            "sed -nE 's/(^|.*\\t)uri:([^\\t ]*).*/\\2/p' in | urimill normalize",
            "/a\n",
        ),
        (
            "time:1\thost:h\trequest_url:https://h/a?b\tstatus:200\n",
            "sed -nE 's/(^|.*\\t)request_url:([^\\t ]*).*/\\2/p' in | urimill normalize",
            "https://h/a?b\n",
        ),
        (
            "time:1\thost:h\treq:GET /a?b HTTP/1.1\tstatus:200\n",
            "sed -nE 's/(^|.*\\t)req:[A-Z]+ ([^\\t ]*).*/\\2/p' in | urimill normalize",
            "/a?b\n",
        ),
        (
            "x y \"GET /a HTTP/1.1\" 200 at noon\n",
            "sed -nE 's/.*\"[A-Z]+ ([^ ]+) HTTP.*/\\1/p' in | urimill normalize",
            "/a\n",
        ),
        ("[Wed Oct 11 14:32:52 2000] [error] no http://h/x\n", "urimill extract in", "http://h/x\n"),
        (
            "2019/08/25 23:59:53 [error] 9#9: failed, request: \"GET /a HTTP/1.1\"\n",
            "sed -nE 's/.*\"[A-Z]+ ([^ ]+) HTTP.*/\\1/p' in | urimill normalize",
            "/a\n",
        ),
        // Pages without html: a comment first, or any element.
        ("<!-- c -->\n<div><a href='http://h/a'>x</a>\n", "urimill links in", "http://h/a\n"),
        (
            "<!-- saved from url=(0014)about:internet -->\nx <img src=http://h/a>\n",
            "urimill links in",
            "http://h/a\n",
        ),
        ("  <A HREF='http://h/a'>x</A> some words\n", "urimill links in", "http://h/a\n"),
        ("<table>\n<tr><td><form action=http://h/a>\n", "urimill links in", "http://h/a\n"),
        ("<p>see http://h/a now\n", "urimill extract in", "http://h/a\n"),
        ("<config><item url=\"http://h/a\"/></config>\n", "urimill extract", "http://h/a\n"),
        (
            "{\n \"a\": \"/x\",\n \"u\": {\"url\": \"/a\"}\n}\n",
            "jq -c . in | urimill normalize --from jsonl --uri-field u.url",
            "/a\n",
        ),
        ("[\"http://h/a\", \"/b\"]", "jq -r '.[]' in | urimill normalize", "http://h/a\n/b\n"),
    ];
    let logs: Vec<(String, String, &str)> = logs_with_words_before();
    let logs = logs.iter().map(|(input, command, expected)| (&**input, &**command, *expected));
    let dir = dir();
    let program = env!("CARGO_BIN_EXE_urimill");
    let has_jq = Command::new("jq").arg("--version").output().is_ok();
    for (input, command, expected) in inputs.iter().copied().chain(logs) {
        write(dir.path(), "in", input);
        urimill("normalize in").within(dir.path()).fails(2, &[command]);
        let line =
            command.replace("urimill", program) + if command.ends_with("extract") { " in" } else { "" };
        // The plain columns of links are those of a table.
        let line = if command.contains("links") { line + " --to uris" } else { line };
        if command.starts_with("jq") && !has_jq {
            continue;
        }
        let done = Command::new("sh").args(["-c", &line]).current_dir(dir.path()).output().expect("a shell");
        assert_eq!(String::from_utf8_lossy(&done.stdout), expected, "{command}");
        assert!(done.status.success(), "{command}");
    }
}

/// Logs whose lines come after words of a tool that shows several: (input, the command in the hint, its output).
fn logs_with_words_before() -> Vec<(String, String, &'static str)> {
    let clf = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"x\"";
    let alb = "http 2018-07-02T22:23:00.186641Z app/lb/50dc6c495c0c9188 192.0.2.1:2817 10.0.0.1:80 0.000 0.001 0.000 200 200 \
               34 366 \"GET http://h:80/a HTTP/1.1\" \"curl/7.46.0\" - - arn:aws:elasticloadbalancing:us-east-2:1:targetgroup/t/7 \
               \"Root=1-58337262-36d228ad5d99923122bbe354\" \"-\" \"-\" 0 2018-07-02T22:22:48.364000Z \"forward\" \"-\" \"-\" \
               \"10.0.0.1:80\" \"200\" \"-\" \"-\"";
    // (what comes before each line, how many words that is)
    let before = [("[nginx-7d] ", 1), ("web > ", 2), ("<web> <1> <2> ", 3)];
    let command =
        |count, name| format!("sed -E 's/^ *([^ ]+ +){{{count}}}//' in | urimill normalize --from {name}");
    let clf = before.map(|(words, count)| (format!("{words}{clf}\n"), command(count, "clf"), "/a\n"));
    let alb = [(format!("[pod/lb] {alb}\n"), command(1, "alb"), "http://h/a\n")];
    clf.into_iter().chain(alb).collect()
}

/// (input, what no hint of it may name)
#[test]
fn no_hint_names_what_finds_nothing() {
    let log = |line: &str| lines(line, 12);
    let table = [
        (log("[Thu Oct 06 00:17:0# 2016] [error] file not found: /x"), "extract"),
        (log("2016/10/06 00:17:0# [error] 1#1: open() /x failed"), "extract"),
        (log("2016-10-06 00:17:0# started job # now"), "extract"),
        (log("Feb 25 16:19:38 host app[1]: started #"), "--from"),
        (log("a line of words ://# in it"), "extract"),
        ("<?xml version=\"1.0\"?>\n<config><item url=\"x\"/></config>\n".to_owned(), "extract"),
        ("<p>no links here\n".to_owned(), "links"),
        ("{\n \"a\": 1,\n \"b\": [1, 2]\n}\n".to_owned(), "extract"),
        ("[[1, 2], [3, 4]]".to_owned(), "--uri-field"),
        (log("{\"log\":{\"file\":{\"path\":\"/var/log/a\"}},\"n\":#}"), "log.file.path"),
    ];
    for (input, never) in table {
        let done = urimill("normalize --to csv").stdin(&input).go();
        assert_eq!(done.code, Some(2), "{input}: {}", done.stderr);
        let hint = done.stderr.split("check --from").next().unwrap_or_default();
        assert!(!hint.contains(never), "{input}: {}", done.stderr);
    }
}

/// A log in a member of objects, as shippers write it.
#[test]
fn a_log_within_objects_is_named() {
    let dir = dir();
    let line = "192.0.2.1 - - [17/May/2015:10:05:0# +0000] \\\"GET /a HTTP/1.1\\\" 200 5";
    // (the members, the line's member for jq within single quotes)
    let cases = [
        (r#""log":{"file":{"path":"/v"}},"event":{"original":LINE}"#, r#"."event"."original""#),
        (r#""event.original":LINE"#, r#"."event.original""#),
        (r#""it's":{"a b":LINE}"#, r#"."it\u0027s"."a b""#),
    ];
    for (members, path) in cases {
        let object = format!("{{{}}}", members.replace("LINE", &format!("\"{line}\"")));
        write(dir.path(), "in", lines(&object, 3));
        let command = format!("jq -r '{path}' in | urimill normalize --from clf");
        urimill("normalize in --unwrap none").within(dir.path()).fails(2, &[&command]);
    }
}

#[test]
fn lines_with_uris_in_them_are_for_extract() {
    for (line, has_uri) in [
        ("# http://h/#", true),
        ("<http://h/#> <http://p/> <http://o/> .", true),
        ("- [text](http://h/#)", true),
        ("INSERT INTO t VALUES (#, 'http://h/#');", true),
        ("line # of a text", false),
    ] {
        let input = lines(line, 12);
        let done = urimill("normalize --to csv").stdin(&input).go();
        assert_eq!(done.code, Some(2), "{line}: {}", done.stderr);
        assert_eq!(
            done.stderr.contains("urimill extract finds the URIs"),
            has_uri,
            "{line}: {}",
            done.stderr
        );
        let found = urimill("extract -").stdin(&input).ok();
        assert_eq!(found.text().starts_with("http://h/0"), has_uri, "{line}: {}", found.text());
    }
}

#[test]
fn a_named_format_says_where_a_line_stops_to_have_it() {
    let line = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] GET /a HTTP/1.1 200 1";
    let done = urimill("normalize --from clf").stdin(line).go();
    let (sentence, marked) = done.stderr.split_once('\n').expect("two lines");
    assert!(
        sentence.contains("stops fitting at byte 43") && !sentence.contains("looks like an"),
        "{sentence}"
    );
    assert_eq!(marked, format!("  {line}\n  {}^\n", " ".repeat(43)));
    // For an input of another format the sentence names that.
    let cdx = "h)/ 20140126200624 http://h/ text/html 200 A - - 1 2 f.gz\n";
    urimill("normalize --from clf").stdin(cdx).fails(2, &["it looks like the format cdx: say --from cdx"]);
}

#[test]
fn the_caret_names_the_field_where_a_line_stops_to_have_its_format() {
    let tabs = |text: &str| text.replace(' ', "\t");
    // (format, input, the byte and the field)
    let table = [
        ("alb", "prose of a novel\n".to_owned(), "byte 6, in the field \"time\""),
        ("cdx", "some prose of a novel\n".to_owned(), "byte 5, in the field \"time\""),
        ("cdx", " CDX b a\n2014 novel\n".to_owned(), "byte 5, in the field \"uri\""),
        ("cdxj", "some prose of a novel\n".to_owned(), "byte 5, in the field \"time\""),
        (
            "w3c",
            "#Fields: date time c-ip cs-method cs-uri-stem\n2020-01-01 00:00:00 x GET /\n".to_owned(),
            "byte 20, in the field \"c-ip\"",
        ),
        ("cloudfront", tabs("2019-12-04 21:02:31 LAX1 x y z\n"), "byte 25, in the field \"sc-bytes\""),
    ];
    for (format, input, expected) in table {
        let done = urimill(&format!("normalize --from {format} --to uris")).stdin(&input).go();
        assert_eq!(done.code, Some(2), "{format}: {input}");
        assert!(done.stderr.contains(expected), "{format}: {}", done.stderr);
    }
}

#[test]
fn a_workbook_is_no_archive_to_unpack() {
    let zip = |name: &str, more: &str| {
        let mut bytes = b"PK\x03\x04\x14\0\0\0\x08\0".to_vec();
        bytes.extend([0; 16]);
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend([0, 0]);
        [bytes, name.as_bytes().to_vec(), more.as_bytes().to_vec()].concat()
    };
    for (name, more) in [("xl/workbook.xml", ""), ("docProps/app.xml", "xl/worksheets/sheet1.xml")] {
        let done = urimill("normalize").stdin(zip(name, more)).go();
        assert!(
            done.stderr.contains("Excel workbook") && done.stderr.contains("--uri-field"),
            "{}",
            done.stderr
        );
        assert!(!done.stderr.contains("unzip"), "{}", done.stderr);
    }
}

#[test]
fn a_name_that_nothing_has_is_corrected() {
    let dir = dir();
    write(dir.path(), "t.csv", "id,Address\n1,http://h/\n");
    write(dir.path(), "t.jsonl", "{\"request\":{\"url\":\"http://h/\"}}\n");
    write(dir.path(), "list", "http://h/\n");
    // (arguments, the name that was meant)
    let lines = [
        ("t.csv --from csv --uri-field adress", "Address"),
        ("t.jsonl --from jsonl --uri-field url", "request.url"),
        ("list --to csv --columns uri,hots", "host"),
        ("list --to csv --sort-by hsot", "host"),
        ("list --from clf --to csv --keep statsu", "status"),
        ("list -o out/ --partition-by hosts", "host"),
    ];
    for (line, meant) in lines {
        let run = urimill(&format!("normalize {line}")).within(dir.path());
        run.fails(2, &[&format!("(did you mean \"{meant}\"?)")]);
    }
}

#[test]
fn inputs_that_are_no_files_are_named_with_what_reads_them() {
    let inputs = [
        ("s3://b/k.gz", "aws s3 cp 's3://b/k.gz' - | urimill"),
        ("https://h/list.txt", "curl -fsSL 'https://h/list.txt' | urimill"),
        ("gs://b/*.gz", "gcloud storage cat"),
        ("hdfs://n/a", "hdfs dfs -cat"),
        ("abfss://c@a/b", "hadoop fs -cat"),
        ("file:///tmp/none", "give the path, as in /tmp/none"),
        ("file://localhost/tmp/none", "give the path, as in /tmp/none"),
        ("https://h/it's", "curl -fsSL 'https://h/it'\\''s' | urimill"),
    ];
    for (input, part) in inputs {
        for command in ["normalize", "check", "extract", "links", "stats", "dedupe"] {
            urimill(command).arg(input).fails(2, &[input, "inputs are files", part]);
        }
    }
}

//! Lines with something around them: each wrapper, found by itself and named, and one in another.

use serde_json::{Value, json};
use urimill_testkit::moves::Random;
use urimill_testkit::reading::Row;
use urimill_testkit::samples::{LOGS, log};

use super::rows;

/// A line within something.
type Way = (&'static str, fn(&str) -> String);

fn quoted(line: &str) -> String {
    serde_json::to_string(line).expect("JSON")
}

fn doubled(line: &str) -> String {
    format!("\"{}\"", line.replace('"', "\"\""))
}

/// The wrappers by the names of their chains.
const WAYS: &[Way] = &[
    ("syslog", |line| format!("<134>Feb 25 16:19:38 web1 nginx[7]: {line}")),
    ("syslog", |line| format!("Feb 25 16:19:38.123456 web1 nginx[7]: {line}")),
    ("syslog", |line| format!("Mon 2016-07-04 22:37:26 CEST web1 nginx[7]: {line}")),
    ("syslog", |line| format!("1467664646.000123 web1 nginx[7]: {line}")),
    ("syslog", |line| format!("[    1.234567] web1 nginx[7]: {line}")),
    ("syslog", |line| format!("83 <40>1 2012-11-30T06:45:29+00:00 host app web.3 - {line}")),
    ("syslog", |line| format!("Feb 25 16:19:38 web1 {line}")),
    ("time", |line| format!("Feb 25 16:19:38 {line}")),
    ("cri", |line| format!("2016-10-06T00:17:09.669794202Z stdout F {line}")),
    ("compose", |line| format!("web-1  | {line}")),
    ("compose", |line| format!("web.1.jx@node-1    | {line}")),
    ("uwsgi-memory", |line| {
        format!("{{address space usage: 3 bytes/0MB}} {{rss usage: 3 bytes/0MB}} {line}")
    }),
    ("heroku", |line| format!("2023-01-01T00:00:00.123456+00:00 app[web.1]: {line}")),
    ("fly", |line| format!("2021-11-08T21:52:05Z app[1ae5ed1d] iad [info]{line}")),
    ("gcloud", |line| format!("2024-01-01 00:00:00 default[v1]  {line}")),
    ("cf", |line| format!("2024-01-01T00:00:00.00+0000 [APP/PROC/WEB/0] OUT {line}")),
    ("kubectl", |line| format!("[pod/web-7d9c/nginx] {line}")),
    ("kail", |line| format!("default/web-7d9c[nginx]: {line}")),
    ("stern", |line| format!("web-7d9c-abcde nginx {line}")),
    ("pm2", |line| format!("0|web  | {line}")),
    ("foreman", |line| format!("16:19:38 web.1  | {line}")),
    ("logcli", |line| format!("2024-01-01T00:00:00Z {{app=\"web\"}} {line}")),
    ("address", |line| format!("2024-01-01T00:00:00Z 198.51.100.9 {line}")),
    ("kiwi", |line| format!("2024-01-01 00:00:00\tLocal7.Info\t198.51.100.9\t{line}")),
    ("time", |line| format!("2018-02-16T00:00:00.000Z {line}")),
    ("time", |line| format!("[2018-02-16T00:00:00.000Z] {line}")),
    ("time", |line| format!("@4000000037c219bf2ef02e94 {line}")),
    ("aws", |line| format!("2022-10-05T08:32:51+00:00 ecs/web/0123456789abcdef {line}")),
    ("grep", |line| format!("/var/log/access.log:{line}")),
    ("docker", |line| {
        let line = quoted(&format!("{line}\n"));
        format!("{{\"log\":{line},\"stream\":\"stdout\",\"time\":\"2025-11-05T20:47:03Z\"}}")
    }),
    ("journald", |line| {
        format!("{{\"__REALTIME_TIMESTAMP\":\"1\",\"MESSAGE\":{},\"_PID\":\"7\"}}", quoted(line))
    }),
    ("json:message", |line| {
        format!(
            "{{\"@timestamp\":\"2023-01-01T00:00:00Z\",\"message\":{},\"host\":{{\"name\":\"web1\"}}}}",
            quoted(line)
        )
    }),
    ("json:_raw", |line| format!("{{\"_raw\":{},\"_time\":\"1\"}}", quoted(line))),
    ("json:event.original", |line| {
        format!("{{\"event\":{{\"dataset\":\"x\",\"original\":{}}}}}", quoted(line))
    }),
    ("json:event.original", |line| format!("{{\"event.original\":{},\"a\":[]}}", quoted(line))),
    ("json:textPayload", |line| format!("{{\"insertId\":\"x\",\"textPayload\":{}}}", quoted(line))),
    ("json:odd.name", |line| format!("{{\"odd\":{{\"name\":{}}},\"n\":1}}", quoted(line))),
    ("array:logEvents,json:message", |line| {
        format!(
            "{{\"messageType\":\"DATA_MESSAGE\",\"logEvents\":[{{\"id\":\"1\",\"message\":{}}}]}}",
            quoted(line)
        )
    }),
    ("kubectl,time", |line| format!("[pod/web-7d9c/nginx] 2018-02-16T00:00:00.000000001Z {line}")),
    ("compose,time", |line| format!("web-1  | 2018-02-16T00:00:00.000Z {line}")),
    ("address,syslog", |line| format!("198.51.100.9 <134>Feb 25 16:19:38 web1 nginx[7]: {line}")),
    ("syslog,syslog", |line| format!("Feb 25 16:19:38 relay fwd: Feb 25 16:19:38 web1 nginx[7]: {line}")),
    ("journalctl,journald", |line| {
        format!("data: {{\"__REALTIME_TIMESTAMP\":\"1\",\"MESSAGE\":{}}}", quoted(line))
    }),
    ("journald,docker", |line| {
        let docker = format!("{{\"log\":{},\"stream\":\"stdout\"}}", quoted(&format!("{line}\n")));
        format!("{{\"__REALTIME_TIMESTAMP\":\"1\",\"MESSAGE\":{}}}", quoted(&docker))
    }),
    ("json:message,cri,docker,syslog", |line| {
        let docker = format!(
            "{{\"log\":{},\"stream\":\"stdout\"}}",
            quoted(&format!("<134>Feb 25 16:19:38 h a: {line}"))
        );
        format!("{{\"message\":{}}}", quoted(&format!("2016-10-06T00:17:09.669794202Z stdout F {docker}")))
    }),
];

type Table = (&'static str, &'static str, fn(&str) -> String);

/// The same in a table, with its header.
const TABLES: &[Table] = &[
    ("csv:_raw", "\"_time\",\"_raw\",host", |line| {
        format!("\"2024-01-01T00:00:00.000+0000\",{},web1", doubled(line))
    }),
    ("csv:message", "@timestamp,message", |line| format!("\"Jan 1, 2024 @ 00:00:00.000\",{}", doubled(line))),
    ("csv:Line", "Time;Line", |line| format!("1700000000;{}", doubled(line))),
    ("tsv:message", "timestamp\tmessage\tx", |line| format!("2024-01-01 00:00:00\t{}\t1", doubled(line))),
    ("tsv:3", "", |line| format!("1\tweb1\t{}", doubled(line))),
    ("csv:_raw,docker", "_raw,host", |line| {
        format!("{},web1", doubled(&format!("{{\"log\":{},\"stream\":\"stdout\"}}", quoted(line))))
    }),
];

/// The lines of every format without a header.
fn samples() -> Vec<(&'static str, Vec<String>)> {
    let headed = [
        "cloudfront.log",
        "cloudfront-bare.log",
        "cloudfront-realtime.log",
        "w3c.log",
        "zeek.log",
        "gcs.log",
    ];
    let files = LOGS.iter().filter(|(file, _)| !headed.contains(file) && *file != "haproxy.log");
    let mut samples: Vec<(&str, Vec<String>)> = files
        .map(|(file, format)| (*format, log(file).lines().take(2).map(str::to_owned).collect()))
        .collect();
    let clf =
        "192.0.2.1 - al [17/May/2015:10:05:03 +0000] \"GET //a\\\"b HTTP/1.1\" 200 7 \"-\" \"a \\\"b\\\" é\"";
    samples.push(("clf", vec![clf.to_owned(), clf.replace("//a", "/b")]));
    samples
}

fn input(lines: &[String], way: fn(&str) -> String) -> String {
    lines.iter().map(|line| way(line) + "\n").collect()
}

fn named(input: &str) -> Option<(String, String)> {
    let found = urimill_logs::detect(input.as_bytes())?;
    Some((found.name().to_owned(), found.wrappers().join(",")))
}

/// A row without what the wrapper adds.
fn own(mut row: Row) -> Row {
    for name in ["prefix", "error_offset", "record"] {
        row.remove(name);
    }
    row
}

#[test]
fn every_format_is_read_in_every_wrapper() {
    // Every format in a third of the wrappers, and the forms of lines that differ most in all.
    let is_tried = |format: &str, place: usize, way: usize| {
        matches!(format, "clf" | "alb" | "caddy") || (place + way).is_multiple_of(3)
    };
    for (place, (format, lines)) in samples().into_iter().enumerate() {
        let bare: Vec<Row> = rows(format, input(&lines, str::to_owned)).into_iter().map(own).collect();
        for (_, (chain, way)) in WAYS.iter().enumerate().filter(|(way, _)| is_tried(format, place, *way)) {
            let input = input(&lines, *way);
            let what = format!("{format} in {chain}: {}", input.lines().next().unwrap_or_default());
            // Syslog may lack its tag before an object.
            let is_syslog = *chain == "address" && lines[0].starts_with('{');
            let chain = if is_syslog { "syslog" } else { *chain };
            assert_eq!(named(&input), Some((format.to_owned(), chain.to_owned())), "{what}");
            for from in [format.to_owned(), "auto".to_owned()] {
                let found: Vec<Row> = rows(&from, &input).into_iter().map(own).collect();
                assert_eq!(found, bare, "{what}, {from}");
            }
        }
        for (_, (chain, header, way)) in
            TABLES.iter().enumerate().filter(|(way, _)| is_tried(format, place, *way))
        {
            let head = if header.is_empty() { String::new() } else { format!("{header}\n") };
            let input = head + &input(&lines, *way);
            let what = format!("{format} in {chain}: {}", input.lines().nth(1).unwrap_or_default());
            assert_eq!(named(&input), Some((format.to_owned(), (*chain).to_owned())), "{what}");
            for from in [format.to_owned(), "auto".to_owned(), format!("{format} --chunk 300 --threads 3")] {
                let found = rows(&from, &input);
                let first = if header.is_empty() { 1 } else { 2 };
                assert!(
                    found.iter().zip(first..).all(|(row, number)| row["record"] == json!(number)),
                    "{what}"
                );
                let found: Vec<Row> = found.into_iter().map(own).collect();
                assert_eq!(found, bare, "{what}, {from}");
            }
        }
    }
}

#[test]
fn names_and_values_in_an_object_end_where_its_string_ends() {
    // (a line of names and values, the format)
    let cases = [(
        "CEF:0|Citrix|NetScaler|NS11.0|APPFW|APPFW_STARTURL|6|src=175.16.199.1 spt=47606 method=GET \
             request=http://aaron.stratum8.net/FFC/login.html act=blocked",
        "cef",
    )];
    for (line, format) in cases {
        let bare: Vec<Row> = rows(format, format!("{line}\n")).into_iter().map(own).collect();
        for chain in ["docker", "journald", "json:message"] {
            let (_, way) = WAYS.iter().find(|(name, _)| *name == chain).expect(chain);
            let input = format!("{0}\n{0}\n", way(line));
            for from in ["auto", format] {
                let found: Vec<Row> = rows(from, &input).into_iter().map(own).collect();
                assert_eq!(found, [bare.clone(), bare.clone()].concat(), "{chain}, {from}: {line}");
            }
            // Among bare lines, and behind the text of a logger.
            for one in [way(line), format!("Feb 25 16:19:38 web1 app: {}", way(line))] {
                let found = rows("auto", format!("{line}\n{line}\n{line}\n{one}\n"));
                assert_eq!(found[3]["error"], json!("record_malformed"), "{one}");
            }
        }
    }
}

const CLF: &str = "192.0.2.1 - al [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7 \"-\" \"c\\\"d\"";

#[test]
fn time_and_host_of_the_wrapper_are_columns_where_they_are_named() {
    let clf = |before: &str| format!("{before}{CLF}\n");
    let object = |before: &str, after: &str| format!("{before}{}{after}\n", quoted(CLF));
    // (an input, its time, its host)
    let cases = [
        (
            clf("<134>1 2025-11-05T20:47:03+01:00 web1 nginx - - - "),
            json!("2025-11-05T19:47:03Z"),
            json!("web1"),
        ),
        (clf("Feb 25 16:19:38 web1 nginx: "), Value::Null, json!("web1")),
        (clf("2018-02-16T00:00:00.5Z "), json!("2018-02-16T00:00:00.500Z"), Value::Null),
        (clf("2018/02/16 00:00:00 "), json!("2018-02-16T00:00:00Z"), Value::Null),
        (clf("[pod/web-7d9c/nginx] 2018-02-16T00:00:00Z "), json!("2018-02-16T00:00:00Z"), json!("web-7d9c")),
        (
            object(
                "{\"__REALTIME_TIMESTAMP\":\"1467664646000123\",\"_HOSTNAME\":\"h\\u0031\",\"MESSAGE\":",
                "}",
            ),
            json!("2016-07-04T20:37:26Z"),
            json!("h1"),
        ),
        (
            object(
                "{\"log\":{\"offset\":1},\"host\":{\"name\":\"web1\"},\"@timestamp\":\"2023-01-01T00:00:00Z\",\"message\":",
                "}",
            ),
            json!("2023-01-01T00:00:00Z"),
            json!("web1"),
        ),
        // The innermost one.
        (
            object("{\"time\":\"2020-01-01T00:00:00Z\",\"host\":\"a\",\"message\":", "}")
                .replace("192.0.2.1", "2021-01-01T00:00:00Z 192.0.2.1"),
            json!("2021-01-01T00:00:00Z"),
            json!("a"),
        ),
        (
            format!("_time,_raw,host\n1700000000,{},web1\n", doubled(CLF)),
            json!("2023-11-14T22:13:20Z"),
            json!("web1"),
        ),
        // No wrapper.
        (clf(""), Value::Null, Value::Null),
    ];
    for (input, time, host) in cases {
        for from in ["clf", "auto"] {
            let found = rows(&format!("{from} --keep client,log_time,log_host"), &input);
            assert_eq!((&found[0]["log_time"], &found[0]["log_host"]), (&time, &host), "{from}: {input}");
            assert_eq!(found[0]["client"], json!("192.0.2.1"), "{from}: {input}");
            assert_eq!(found[0]["field_errors"], Value::Null, "{from}: {input}");
            assert!(rows(from, &input)[0].keys().all(|name| !name.starts_with("log_")), "{input}");
        }
    }
}

#[test]
fn prefix_has_what_is_around_the_line() {
    let line = quoted(CLF);
    // (an input, the prefix)
    let cases = [
        (format!("web-1  | 2018-02-16T00:00:00Z {CLF}\n"), "web-1  | 2018-02-16T00:00:00Z "),
        (format!("{{\"a\":1,\"message\":{line},\"b\":\"c\"}}\n"), "{\"a\":1,\"b\":\"c\"}"),
        (
            format!("{{\"event\":{{\"dataset\":\"x\",\"original\":{line}}},\"b\":[]}}\n"),
            "{\"event.dataset\":\"x\",\"b\":[]}",
        ),
        (
            format!("{{\"a\":1,\"message\":{}}}\n", quoted(&format!("Feb 25 16:19:38 h a: {CLF}"))),
            "{\"a\":1} Feb 25 16:19:38 h a: ",
        ),
        (format!("time,message,x\n1,{},2\n", doubled(CLF)), "{\"time\":\"1\",\"x\":\"2\"}"),
    ];
    for (input, prefix) in cases {
        let found = rows("auto", &input);
        let prefix = prefix.trim_end();
        assert_eq!(found[0]["prefix"].as_str().map(str::trim_end), Some(prefix), "{input}");
    }
}

#[test]
fn a_fault_within_a_wrapper_has_its_place_in_the_whole_line() {
    // A word too many before the status.
    let bad = CLF.replace(" 200 7 ", " x2 200 7 ").replace("/a", "/\\\"é");
    for (chain, way) in WAYS {
        let lines = [way(CLF), way(CLF), way(&bad)];
        let whole: String = lines.iter().map(|line| format!("{line}\n")).collect();
        assert!(named(&whole).is_some(), "{chain}: {whole}");
        let found = rows("auto", &whole);
        assert_eq!(found[2]["error"], json!("record_malformed"), "{chain}: {}", lines[2]);
        let offset = found[2]["error_offset"].as_u64().expect("an offset") as usize;
        // The element of an array is the whole line.
        let line = match chain.starts_with("array:") {
            true => lines[2].split_once('[').and_then(|(_, rest)| rest.strip_suffix("]}")).expect("an array"),
            false => &lines[2],
        };
        assert!(line[offset..].starts_with("x2 200 7 "), "{chain}: {} of {line}", &line[offset..]);
        assert_eq!(found[2]["uri"].as_str().map(str::trim_start), Some(line.trim_start()), "{chain}");
    }
    for (chain, header, way) in TABLES {
        let line = way(&bad);
        let header = if header.is_empty() { String::new() } else { format!("{header}\n") };
        let input = format!("{header}{}\n{}\n{line}\n", way(CLF), way(CLF));
        assert!(named(&input).is_some(), "{chain}: {input}");
        let found = rows("auto", input);
        let offset = found[2]["error_offset"].as_u64().expect("an offset") as usize;
        assert!(line[offset..].starts_with("x2 200 7 "), "{chain}: {} of {line}", &line[offset..]);
    }
    // An object or a row that is broken itself.
    let docker = WAYS.iter().find(|(chain, _)| *chain == "docker").expect("Docker").1;
    let broken = docker(CLF).replace(",\"stream\"", ",stream\"");
    let found = rows("auto", format!("{0}\n{0}\n{broken}\n", docker(CLF)));
    let offset = found[2]["error_offset"].as_u64().expect("an offset") as usize;
    assert!(broken[offset..].starts_with("stream\""), "{}", &broken[offset..]);
    let found = rows("auto", format!("a,message\n1,{0}\n1,{0}\n1\n", doubled(CLF)));
    assert_eq!((&found[2]["error"], &found[2]["error_offset"]), (&json!("record_malformed"), &json!(1)));
}

#[test]
fn nothing_is_taken_off_if_a_user_wants_that() {
    let input = format!("web-1  | {CLF}\n");
    let found = rows("clf --unwrap none", &input);
    assert_eq!(found[0]["error"], json!("record_malformed"), "{found:?}");
    let found = rows("clf --unwrap compose", format!("{input}{CLF}\n"));
    assert_eq!((&found[0]["status"], &found[1]["status"]), (&json!(200), &json!(200)));
    // The wrapper that is named is the only one that is looked for.
    let first =
        format!("{{\"message\":{},\"other\":{}}}\n", quoted(CLF), quoted(&CLF.replace(" 200 ", " 404 ")));
    for (unwrap, status) in [("auto", 200), ("json", 200), ("json:other", 404)] {
        let found = rows(&format!("auto --unwrap {unwrap}"), &first);
        assert_eq!(found[0]["status"], json!(status), "{unwrap}");
    }
}

/// Mutants of what is around a line: the row is refused, or has the values of the line.
fn mutants(count: usize) {
    let alb = log("alb.log").lines().next().expect("a line").to_owned();
    let caddy = log("caddy.log").lines().next().expect("a line").to_owned();
    let pieces =
        [" ", "-", "\"", "\\", "[", "]", "{", "}", ":", "|", ",", "\t", "1.2.3.4", "x", "::1", "é", "a b"];
    let mut random = Random(17);
    let (mut read, mut all) = (0, 0);
    for line in [CLF.to_owned(), alb, caddy] {
        let wanted = own(rows("auto", format!("{line}\n{line}\n{line}\n")).swap_remove(0));
        let header = |text: &str| if text.is_empty() { String::new() } else { format!("{text}\n") };
        let tables = TABLES.iter().map(|(chain, text, way)| (*chain, header(text), *way));
        let ways = WAYS.iter().map(|(chain, way)| (*chain, String::new(), *way));
        for (chain, header, way) in ways.chain(tables) {
            let whole = way(&line);
            let inner = whole.find(line.split(['"', ' ']).find(|word| !word.is_empty()).expect("a word"));
            // The first byte of the line, and the character before it, stay.
            let end = whole[..inner.expect("the line")].char_indices().next_back().map_or(0, |(at, _)| at);
            if end == 0 {
                continue;
            }
            let mut input = format!("{header}{}", format!("{whole}\n").repeat(2 * count + 1));
            let mut lines = Vec::new();
            for _ in 0..count {
                let mut mutant = whole.clone();
                for _ in 0..=random.below(3) {
                    let at = random.below(end);
                    let Some(at) = (at..mutant.len()).find(|&at| mutant.is_char_boundary(at)) else {
                        continue;
                    };
                    if at >= mutant.len() - (whole.len() - end) {
                        continue;
                    }
                    match random.below(3) {
                        0 => drop(mutant.remove(at)),
                        1 => mutant.insert_str(at, pieces[random.below(pieces.len())]),
                        _ => mutant.replace_range(..at, ""),
                    }
                }
                if !mutant.trim().is_empty() && mutant != whole {
                    input.push_str(&format!("{mutant}\n"));
                    lines.push(mutant);
                }
            }
            let found = rows(&format!("auto --unwrap {chain}"), &input);
            let found = &found[2 * count + 1..];
            let mut refused = 0;
            for (row, mutant) in found.iter().zip(&lines) {
                let row = own(row.clone());
                if row["error"] == json!("record_malformed") {
                    let kept = row.iter().filter(|(name, value)| {
                        !value.is_null()
                            && !["uri", "error", "flags", "raw_bytes", "field_errors"]
                                .contains(&name.as_str())
                    });
                    for (name, value) in kept {
                        assert_eq!(Some(value), wanted.get(name), "{chain}: {name} of {mutant}");
                    }
                    refused += 1;
                    continue;
                }
                let errors = row["field_errors"].as_str().unwrap_or_default();
                for (name, value) in row.iter().filter(|(name, _)| *name != "field_errors") {
                    let is_refused = value.is_null() && errors.contains(name.as_str());
                    assert!(
                        is_refused || wanted.get(name) == Some(value),
                        "{chain}: {name} of {mutant}: {row:?}"
                    );
                }
            }
            (read, all) = (read + found.len() - refused, all + found.len());
        }
    }
    assert!(all / 10 < read && read < all - all / 10, "{read} of {all}");
}

#[test]
fn what_is_around_a_line_gives_no_value() {
    mutants(40);
}

#[test]
#[ignore = "takes minutes"]
fn what_is_around_a_line_gives_no_value_in_many() {
    mutants(2000);
}

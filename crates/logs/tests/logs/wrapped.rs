//! Lines with something around them: each wrapper, found by itself and named, and one in another.

use serde_json::json;
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
    ("journald", |line| format!("{{\"__REALTIME_TIMESTAMP\":\"1\",\"MESSAGE\":{},\"_PID\":\"7\"}}", quoted(line))),
    ("json:message", |line| {
        format!("{{\"@timestamp\":\"2023-01-01T00:00:00Z\",\"message\":{},\"host\":{{\"name\":\"web1\"}}}}", quoted(line))
    }),
    ("json:_raw", |line| format!("{{\"_raw\":{},\"_time\":\"1\"}}", quoted(line))),
    ("json:event.original", |line| format!("{{\"event\":{{\"dataset\":\"x\",\"original\":{}}}}}", quoted(line))),
    ("json:event.original", |line| format!("{{\"event.original\":{},\"a\":[]}}", quoted(line))),
    ("json:textPayload", |line| format!("{{\"insertId\":\"x\",\"textPayload\":{}}}", quoted(line))),
    ("json:odd.name", |line| format!("{{\"odd\":{{\"name\":{}}},\"n\":1}}", quoted(line))),
    ("json:logEvents[0].message", |line| {
        format!("{{\"messageType\":\"DATA_MESSAGE\",\"logEvents\":[{{\"id\":\"1\",\"message\":{}}}]}}", quoted(line))
    }),
    ("kubectl,time", |line| format!("[pod/web-7d9c/nginx] 2018-02-16T00:00:00.000000001Z {line}")),
    ("compose,time", |line| format!("web-1  | 2018-02-16T00:00:00.000Z {line}")),
    ("address,syslog", |line| format!("198.51.100.9 <134>Feb 25 16:19:38 web1 nginx[7]: {line}")),
    ("syslog,syslog", |line| format!("Feb 25 16:19:38 relay fwd: Feb 25 16:19:38 web1 nginx[7]: {line}")),
    ("journalctl,journald", |line| format!("data: {{\"__REALTIME_TIMESTAMP\":\"1\",\"MESSAGE\":{}}}", quoted(line))),
    ("journald,docker", |line| {
        let docker = format!("{{\"log\":{},\"stream\":\"stdout\"}}", quoted(&format!("{line}\n")));
        format!("{{\"__REALTIME_TIMESTAMP\":\"1\",\"MESSAGE\":{}}}", quoted(&docker))
    }),
    ("json:message,cri,docker,syslog", |line| {
        let docker = format!("{{\"log\":{},\"stream\":\"stdout\"}}", quoted(&format!("<134>Feb 25 16:19:38 h a: {line}")));
        format!("{{\"message\":{}}}", quoted(&format!("2016-10-06T00:17:09.669794202Z stdout F {docker}")))
    }),
];

/// The same in a table, with its header.
const TABLES: &[(&str, &str, fn(&str) -> String)] = &[
    ("csv:_raw", "\"_time\",\"_raw\",host", |line| format!("\"2024-01-01T00:00:00.000+0000\",{},web1", doubled(line))),
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
    let headed =
        ["cloudfront.log", "cloudfront-bare.log", "cloudfront-realtime.log", "w3c.log", "zeek.log", "gcs.log"];
    let files = LOGS.iter().filter(|(file, _)| !headed.contains(file) && *file != "haproxy.log");
    let mut samples: Vec<(&str, Vec<String>)> =
        files.map(|(file, format)| (*format, log(file).lines().take(2).map(str::to_owned).collect())).collect();
    let clf = "192.0.2.1 - al [17/May/2015:10:05:03 +0000] \"GET //a\\\"b HTTP/1.1\" 200 7 \"-\" \"a \\\"b\\\" é\"";
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
    for (format, lines) in samples() {
        let bare: Vec<Row> = rows(format, input(&lines, str::to_owned)).into_iter().map(own).collect();
        for (chain, way) in WAYS {
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
        for (chain, header, way) in TABLES {
            let mut input = input(&lines, *way);
            if !header.is_empty() {
                input = format!("{header}\n{input}");
            }
            let what = format!("{format} in {chain}: {}", input.lines().nth(1).unwrap_or_default());
            assert_eq!(named(&input), Some((format.to_owned(), (*chain).to_owned())), "{what}");
            for from in [format.to_owned(), "auto".to_owned(), format!("{format} --chunk 300 --threads 3")] {
                let found = rows(&from, &input);
                let first = if header.is_empty() { 1 } else { 2 };
                assert!(found.iter().zip(first..).all(|(row, number)| row["record"] == json!(number)), "{what}");
                let found: Vec<Row> = found.into_iter().map(own).collect();
                assert_eq!(found, bare, "{what}, {from}");
            }
        }
    }
}

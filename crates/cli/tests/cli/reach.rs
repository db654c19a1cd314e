//! `dedupe` and `check` take what `normalize` takes: every format, by name and detected, several inputs, compressed
//! ones, tables and archives. Their answers are compared with the table of `normalize`.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use urimill_testkit::samples::{LOGS, log};

use super::run::{dir, urimill, write};
use super::table::{Row, jsonl, read};

const CLF: &str = "\
192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"x\"
192.0.2.1 - - [17/May/2015:10:05:04 +0000] \"GET //a HTTP/1.1\" 200 5 \"-\" \"x\"
192.0.2.1 - - [17/May/2015:10:05:05 +0000] \"GET /a|b HTTP/1.1\" 400 5 \"-\" \"x\"
192.0.2.2 - - [17/May/2015:10:05:06 +0000] \"-\" 408 0 \"-\" \"-\"
192.0.2.2 - - [17/May/2015:10:05:06 +0000] \"-\" 408 0 \"-\" \"-\"
192.0.2.2 - - [17/May/2015:10:05:07 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"y\"
";
const VHOST: &str = "\
h:443 192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"x\"
g:443 192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 5 \"-\" \"x\"
h:443 192.0.2.2 - - [17/May/2015:10:05:03 +0000] \"GET /./a HTTP/1.1\" 200 5 \"-\" \"x\"
";
const CSV: &str = "id,url,page\n1,http://H/a,http://h/\n2,\"http://h/a\",http://h/\n3,../b,\n4,\"x\n|\",http://h/\n5,../b,/c\n6,,http://h/\n7,../b,http://h/\n";
const JSONL: &str = "{\"u\": \"http:\\/\\/h\", \"a\": 1}\n\n{\"u\": \"http://h/\"}\n{\"a\": 1}\n{\"u\": null}\n{\"u\": [\"x\"]}\nnonsense\n{\"u\": \"|\"}\n";
const CDX: &str = " CDX N b a m s k r M S V g\nk 20140126200624 http://h/ a/b 200 A - - 1 2 f\nk 20140126200625 HTTP://h a/b 200 A - - 1 2 f\n";
const CDXJ: &str = "k 20140126200624 {\"url\": \"http://h/\"}\nk 20140126200625 {\"url\": \"http://h:80\"}\n";
const HERITRIX: &str = "2012-05-23T15:06:28Z 200 5 http://h/ - - a/b #1 20120523150627325+7 - - -\n";
const SITEMAP: &str = "<?xml version=\"1.0\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n\
<url><loc>http://h/a</loc></url>\n<url><loc>http://h/b c</loc></url>\n<url><loc>http://H/a</loc></url>\n</urlset>\n";
const WARC: &str = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/a\r\nContent-Length: 4\r\n\r\nbody\r\n\r\n\
WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 4\r\n\r\nbody\r\n\r\n\
WARC/1.0\r\nWARC-Type: request\r\nWARC-Target-URI: http://H/a\r\nContent-Length: 4\r\n\r\nbody\r\n\r\n\
WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h/a b\r\nContent-Length: 0\r\n\r\n\r\n\r\n";

/// (options of reading, the input)
const INPUTS: &[(&str, &str)] = &[
    ("", "http://h/\n\nHTTP://h\n/ a\n"),
    ("--from lines", "http://h/\n\nHTTP://h\n/ a\n"),
    ("--comment #", "# http://c/\nhttp://h/\n\n#\nHTTP://h\n/ a\n"),
    ("--from csv --uri-field 1 --comment #", "# http://c/\nhttp://h/\n\n#\nHTTP://h\n/ a\n"),
    ("", CLF),
    ("--from clf", CLF),
    ("--base http://b/c", CLF),
    ("--base http://b/c --repair", CLF),
    ("", VHOST),
    ("--log-format vhost_combined", VHOST),
    ("--from csv --uri-field url", CSV),
    ("--uri-field url", CSV),
    ("--from csv --uri-field url --base-field page", CSV),
    ("--from csv --uri-field url --base-field page --base http://b/x/y", CSV),
    ("--from csv --uri-field 2 --header yes", CSV),
    ("--from csv --uri-field url --no-quotes", CSV),
    ("--from csv --uri-field 1 --delimiter ; --header no", "http://h/;1\nhttp://H/;2\n"),
    ("--from tsv --uri-field 2", "1\thttp://h/\n2\t\n3\n4\thttp://H/\n"),
    ("--from jsonl --uri-field u", JSONL),
    ("--from json --uri-field u", "[{\"u\": \"http://h/\"},\n{\"u\": \"http://H/\"}, {\"u\": \"\\\\\"}]"),
    ("", CDX),
    ("", CDXJ),
    ("", HERITRIX),
    ("--from heritrix", HERITRIX),
    ("", SITEMAP),
    ("", WARC),
    ("--records response", WARC),
    ("--from seeds", "http://h/\tk=v\nhttp://H/\n"),
    ("--from robots", "Sitemap: http://h/a\nSitemap: http://h/a b\n"),
];

/// The expected answer of `dedupe`, by the table of `normalize`: a row for each form and each distinct reject.
fn distinct(table: &[Row]) -> Vec<Value> {
    let mut rows: Vec<(Value, u64)> = Vec::new();
    for row in table {
        let key = json!([row["uri"], row["error"], row["raw_bytes"]]);
        let key = if row["error"].is_null() { json!([row["uri"], null, null]) } else { key };
        match rows.iter_mut().find(|(row, _)| row["key"] == key) {
            Some((_, records)) => *records += 1,
            None => rows.push((json!({ "key": key, "first": row["record"], "source": row["source"] }), 1)),
        }
    }
    rows.into_iter().map(|(row, records)| json!([row["key"], row["first"], row["source"], records])).collect()
}

/// Holds the three commands against each other, for inputs in `dir`.
fn agree(dir: &Path, options: &str, inputs: &str) {
    let columns = "--columns source,record,uri,error,error_offset,raw_bytes --on-invalid keep";
    let line = format!("normalize {inputs} {options} {columns} -o all.jsonl --force --summary json");
    let all = urimill(&line).within(dir).ok();
    let table = read(&dir.join("all.jsonl"));
    let what = format!("{options} of {inputs}");

    let line =
        format!("dedupe {inputs} {options} -o distinct.jsonl --force --verify --memory 2M --summary json");
    let done = urimill(&line).within(dir).ok();
    let found: Vec<Value> = read(&dir.join("distinct.jsonl"))
        .iter()
        .map(|row| {
            let key = json!([row["uri"], row["error"], row["raw_bytes"]]);
            json!([key, row["first_record"], row["first_source"], row["records"]])
        })
        .collect();
    assert_eq!(found, distinct(&table), "{what}");
    // After what the input was read as.
    let summary = |stderr: &str| -> Value {
        serde_json::from_str(stderr.lines().last().expect("a summary")).expect("JSON")
    };
    let (all, of_dedupe) = (summary(&all.stderr), summary(&done.stderr));
    for member in ["lines", "records", "valid", "rejects", "nulls", "blank", "headers", "stored_bytes"] {
        assert_eq!(of_dedupe[member], all[member], "{what}: {member}");
    }

    // Options that `check` lacks do not change which records are at fault.
    if options.contains("--base ") || options.contains("--repair") {
        return;
    }
    let done = urimill(&format!("check {inputs} {options} --to jsonl")).within(dir).go();
    let found: Vec<Value> = jsonl(&done.stdout)
        .iter()
        .map(|row| json!([row["source"], row["record"], row["error"], row["error_offset"]]))
        .collect();
    let rejects = table.iter().filter(|row| !row["error"].is_null());
    let expected: Vec<Value> =
        rejects.map(|row| json!([row["source"], row["record"], row["error"], row["error_offset"]])).collect();
    assert_eq!(found, expected, "{what}: {}", done.stderr);
    assert_eq!(done.code, Some(i32::from(!expected.is_empty())), "{what}: {}", done.stderr);
    let said = format!("{} records, {} reject", table.len(), expected.len());
    let said = if table.len() == 1 { said.replace("records", "record") } else { said };
    assert!(done.stderr.contains(&said), "{what}: {said} is not in {}", done.stderr);
}

#[test]
fn every_format_to_distinct_forms_and_to_rejects() {
    let dir = dir();
    for (options, input) in INPUTS {
        write(dir.path(), "in", input);
        agree(dir.path(), options, "in");
    }
}

#[test]
fn logs_of_servers() {
    let dir = dir();
    for (file, format) in LOGS {
        write(dir.path(), file, log(file));
        agree(dir.path(), &format!("--from {format}"), file);
        agree(dir.path(), "", file);
    }
    // One call reads logs of several formats.
    agree(dir.path(), "", "alb.log squid.log cloudfront.log alb.log");
}

#[test]
fn tables_compressed_and_several_inputs() {
    let dir = dir();
    let list = "http://h/\nHTTP://h\n/ a\n/ a\n";
    write(dir.path(), "list.txt", list);
    write(dir.path(), "a.log", CLF);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(list.as_bytes()).expect("bytes in memory");
    write(dir.path(), "list.gz", gzip.finish().expect("bytes in memory"));
    for name in ["t.parquet", "t.arrow", "t.arrows"] {
        let line = format!("normalize list.txt --level none --columns uri,record -o {name}");
        urimill(&line).within(dir.path()).ok();
        agree(dir.path(), "--uri-field uri", name);
        agree(dir.path(), "--uri-field uri", &format!("{name} {name}"));
    }
    agree(dir.path(), "--from parquet --uri-field 1", "t.parquet");
    agree(dir.path(), "", "list.txt list.gz a.log list.gz");
    let utf_16: Vec<u8> = list.encode_utf16().flat_map(u16::to_le_bytes).collect();
    write(dir.path(), "utf-16.txt", utf_16);
    agree(dir.path(), "--encoding utf-16le", "utf-16.txt");
    fs::write(dir.path().join("none"), "").expect("a file");
    agree(dir.path(), "", "none list.gz");
    agree(dir.path(), "--uri-field uri", "t.arrow");
}

#[test]
fn references_with_one_target_come_together_by_resolution() {
    let done = urimill("dedupe --from csv --uri-field 1 --base-field 2 --to jsonl")
        .stdin(
            "a,http://h/x/\n../x/a,http://h/x/\nhttp://h/x/a,\nHTTP://h/x/a,\na,http://g/\na,http://h/x/\n",
        )
        .ok();
    let found: Vec<Value> =
        jsonl(&done.stdout).iter().map(|row| json!([row["uri"], row["records"], row["merged"]])).collect();
    // The third and fourth have no base, and need none.
    assert_eq!(found, [json!(["http://h/x/a", 5, "identical,resolve,case"]), json!(["http://g/a", 1, null])]);
    let done = urimill("dedupe --base http://h/x/ --repair --to jsonl")
        .stdin("a\n./a \nhttp://h/x/a\nHTTP://h/x/a\n/x/a\n")
        .ok();
    let found: Vec<Value> =
        jsonl(&done.stdout).iter().map(|row| json!([row["uri"], row["records"], row["merged"]])).collect();
    assert_eq!(found, [json!(["http://h/x/a", 5, "resolve,case"])]);
    let done = urimill("dedupe").stdin(VHOST).ok();
    assert_eq!(done.text(), "https://h/a\nhttps://g/a\n");
    assert!(done.stderr.contains("urimill: read the input as clf"), "{}", done.stderr);
}

#[test]
fn inputs_of_another_format_are_refused_as_by_normalize() {
    let dir = dir();
    write(dir.path(), "a.cdx", CDX.lines().skip(1).collect::<Vec<_>>().join("\n").repeat(20));
    write(dir.path(), "zeros", [0; 5000]);
    write(dir.path(), "t.csv", CSV);
    // (arguments, what the sentence has in it)
    let cases: &[(&str, &[&str])] = &[
        ("zeros --from lines", &["zeros"]),
        ("t.csv --from csv --uri-field nosuch", &["has no field \"nosuch\""]),
        ("t.csv --from csv", &["--from csv needs the field of the URI", "--uri-field"]),
        ("t.csv --from lines --uri-field 1", &["--uri-field needs a format with fields"]),
        ("a.cdx --records response --from cdx", &["--records is for web archives"]),
    ];
    for (line, parts) in cases {
        for command in ["dedupe", "check"] {
            let done = urimill(&format!("{command} {line}")).within(dir.path()).go();
            assert_eq!(done.code, Some(2), "{command} {line}: {}", done.stderr);
            for part in *parts {
                assert!(done.stderr.contains(part), "{command} {line}: {}", done.stderr);
            }
            assert!(!done.stderr.contains("--on-invalid"), "it has no such option: {}", done.stderr);
        }
    }
    let what = "no record of a.cdx looks like the format heritrix";
    urimill("dedupe a.cdx --from heritrix").within(dir.path()).fails(2, &[what]);
    // Faults are what `check` is for, however many: no reason to doubt the format.
    assert_eq!(urimill("check a.cdx --from heritrix -q").within(dir.path()).go().code, Some(1));
    let rejects = "/ a\n".repeat(50);
    urimill("dedupe").stdin(&rejects).fails(2, &["50 of 50", "say --from lines"]);
    assert_eq!(urimill("dedupe --from lines").stdin(&rejects).ok().text(), "/ a\n");
    assert_eq!(urimill("check -q").stdin(&rejects).go().text().lines().count(), 150);
}

#[test]
fn damaged_inputs() {
    let dir = dir();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    gzip.write_all("http://h/\n/ a\n".repeat(10_000).as_bytes()).expect("bytes in memory");
    let whole = gzip.finish().expect("bytes in memory");
    write(dir.path(), "cut.gz", &whole[..whole.len() / 2]);
    for command in ["dedupe", "check -q"] {
        urimill(&format!("{command} cut.gz")).within(dir.path()).fails(3, &["cut.gz"]);
        let done = urimill(&format!("{command} cut.gz --on-damage keep")).within(dir.path()).go();
        assert_eq!(done.code, Some(3), "{command}: {}", done.stderr);
        assert!(done.text().contains("/ a\n"), "{command}");
    }
}

//! `urimill lookup` finds what a reader of all lines finds.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterProperties;

use super::run::{dir, urimill, write};

/// Lines of many hosts, sorted: names below each other and beside each other.
fn lines() -> Vec<String> {
    let mut lines = BTreeSet::new();
    for number in 0..5000u64 {
        let host =
            ["com,example", "com,example-a", "com,example,www", "com,example:8080", "com,examplea", "org,h"]
                [number as usize % 6];
        let time = 20240101000000 + number % 400 * 1_000_000 / 31;
        let time = format!("{time:014}");
        let path = ["", "a", "a/b", "ab", "a?b=c"][number as usize % 5];
        let path = format!("{path}{}", if number % 7 == 0 { String::new() } else { format!("{number}") });
        lines.insert(format!("{host})/{path} {time} {{\"n\": \"{number}\", \"url\": \"http://h/\"}}"));
    }
    lines.into_iter().collect()
}

fn blocks(dir: &Path, lines: &[String], size: usize) {
    use std::io::Write;
    std::fs::create_dir(dir.join("index")).expect("a folder");
    let (mut list, mut shard) = (String::new(), Vec::new());
    for (number, block) in lines.chunks(size).enumerate() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        block.iter().for_each(|line| writeln!(encoder, "{line}").expect("memory"));
        let packed = encoder.finish().expect("memory");
        let first: Vec<&str> = block[0].splitn(3, ' ').take(2).collect();
        list.push_str(&format!(
            "{}\tpart\t{}\t{}\t{}\n",
            first.join(" "),
            shard.len(),
            packed.len(),
            number + 1
        ));
        shard.extend(packed);
    }
    write(dir, "index/cdx.idx", list);
    write(dir, "index/cdx.loc", "part\tpart.gz\n");
    write(dir, "index/part.gz", shard);
}

fn found(dir: &Path, index: &str, options: &str) -> Vec<String> {
    let done = urimill(&format!("lookup --index {index} {options}")).within(dir).go();
    let line = |line: &str| {
        let object: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let text = |name: &str| object[name].as_str().expect("a text").to_owned();
        format!(
            "{} {} {{\"n\": \"{}\", \"url\": \"http://h/\"}}",
            text("urlkey"),
            text("timestamp"),
            text("n")
        )
    };
    let found: Vec<_> = done.text().lines().map(line).collect();
    assert_eq!(done.code, Some(i32::from(found.is_empty())), "{options}: {}", done.stderr);
    found
}

#[test]
fn what_is_found_is_what_reading_all_lines_finds() {
    let dir = dir();
    let lines = lines();
    write(dir.path(), "index.cdxj", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    write(dir.path(), "no-end.cdxj", lines.join("\n"));
    blocks(dir.path(), &lines, 37);
    let is = |line: &str, ends: &[&str]| ends.iter().any(|end| line.starts_with(end));
    // (options, which lines)
    type Case = (&'static str, Box<dyn Fn(&str) -> bool>);
    let mut cases: Vec<Case> = vec![
        ("http://example.com/", Box::new(move |line| is(line, &["com,example)/ "]))),
        ("http://www.EXAMPLE.com:80/a", Box::new(move |line| is(line, &["com,example)/a "]))),
        ("com,example)/a?b=c", Box::new(move |line| is(line, &["com,example)/a?b=c "]))),
        ("http://example.com/a --match prefix", Box::new(move |line| is(line, &["com,example)/a"]))),
        ("http://example.com/a/ --match prefix", Box::new(move |line| is(line, &["com,example)/a/"]))),
        ("example.com --match host", Box::new(move |line| is(line, &["com,example)", "com,example:"]))),
        (
            "example.com --match domain",
            Box::new(move |line| is(line, &["com,example)", "com,example,", "com,example:"])),
        ),
        ("com --match domain", Box::new(move |line| is(line, &["com,"]))),
        ("org,h)/ --match host", Box::new(move |line| is(line, &["org,h)"]))),
        ("http://nothing.example/", Box::new(|_| false)),
        ("zz,h)/ --match prefix", Box::new(|_| false)),
        ("aa,h)/ --match prefix", Box::new(|_| false)),
        (
            "example.com --match domain --from 202401 --to 20240105",
            Box::new(move |line| {
                let time = line.split(' ').nth(1).expect("a time");
                is(line, &["com,example)", "com,example,", "com,example:"])
                    && ("20240101000000".."20240106000000").contains(&time)
            }),
        ),
    ];
    for (options, is_meant) in &mut cases {
        let expected: Vec<&String> = lines.iter().filter(|line| is_meant(line)).collect();
        for index in ["index.cdxj", "no-end.cdxj", "index", "index/", "index/cdx.idx"] {
            let mut found = found(dir.path(), index, options);
            // A domain's hosts come one after the other.
            found.sort();
            assert_eq!(found.iter().collect::<Vec<_>>(), expected, "{index} {options}");
        }
    }
    // Each line by its key and time.
    for line in lines.iter().step_by(211) {
        let fields: Vec<&str> = line.splitn(3, ' ').collect();
        let options = format!("{} --from {} --to {}", fields[0], fields[1], fields[1]);
        for index in ["index.cdxj", "index"] {
            assert!(found(dir.path(), index, &options).contains(line), "{index} {options}");
        }
    }
}

#[test]
fn answers_say_their_question_where_there_are_several() {
    let dir = dir();
    write(
        dir.path(),
        "i.cdxj",
        "com,h)/ 20240101000000 {\"a\": 1}\ncom,h)/ 20250101000000 {}\norg,h)/ 20240101000000 {}\n",
    );
    let run = |options: &str| urimill(&format!("lookup -i i.cdxj {options}")).within(dir.path());
    let first = "\"urlkey\": \"com,h)/\", \"timestamp\": \"20240101000000\", \"a\": 1}\n";
    let second = "\"urlkey\": \"com,h)/\", \"timestamp\": \"20250101000000\"}\n";
    assert_eq!(run("h.com").ok().text(), format!("{{{first}{{{second}"));
    assert_eq!(run("h.com --limit 1").ok().text(), format!("{{{first}"));
    let both = run("").stdin("http://h.com/\n\nnowhere.com\nh.org\n").ok();
    let [a, b] = ["http://h.com/", "h.org"].map(|url| format!("{{\"query\": \"{url}\", "));
    let third = "\"urlkey\": \"org,h)/\", \"timestamp\": \"20240101000000\"}\n";
    assert_eq!(both.text(), format!("{a}{first}{a}{second}{b}{third}"));
    assert_eq!(run("nowhere.com h.net").go().code, Some(1));
}

#[test]
fn what_is_no_index_is_refused() {
    let dir = dir();
    write(
        dir.path(),
        "a.cdx",
        " CDX N b a m s k r M S V g\ncom,h)/ 20240101000000 http://h/ - - - - - - - -\n",
    );
    write(dir.path(), "a.cdxj.gz", b"\x1f\x8b\x08\0");
    write(dir.path(), "a.txt", "com,h)/ is no line\n");
    write(dir.path(), "b.cdxj", "com,a)/ 20240101000000 {}\ncom,h)/ is no line\n");
    write(dir.path(), "a.parquet", "PAR1");
    write(dir.path(), "uris.txt", "http://h/\n");
    urimill("normalize uris.txt -o other.parquet --summary none").within(dir.path()).ok();
    write(dir.path(), "keys.csv", "urlkey,timestamp,url\n\"com,h)/\",20240101000000,http://h/\n");
    let columns = "--from csv --uri-field url --keep urlkey,timestamp --columns urlkey,timestamp";
    urimill(&format!("normalize keys.csv {columns} -o unsorted.parquet --summary none"))
        .within(dir.path())
        .ok();
    write(dir.path(), "long.cdxj", "a".repeat(33 << 20));
    std::fs::create_dir(dir.path().join("empty")).expect("a folder");
    write(dir.path(), "bad.idx", "com,h)/ 20240101000000\n");
    write(dir.path(), "far.idx", "com,h)/ 20240101000000\tpart\t5\t100\t1\n");
    write(dir.path(), "part", "short");
    for (line, code, parts) in [
        ("-i a.cdx h.com", 2, &["it is CDX"][..]),
        ("-i a.cdxj.gz h.com", 2, &["compressed as a whole"]),
        ("-i a.parquet h.com", 3, &["cannot read a.parquet"]),
        ("-i other.parquet h.com", 2, &["no table that begins with the columns urlkey and timestamp"]),
        ("-i unsorted.parquet h.com", 2, &["is sorted by them"]),
        ("-i a.txt h.com", 2, &["a.txt cannot be searched: its first line has no key"]),
        ("-i uris.txt h.com", 2, &["its first line has no key"]),
        ("-i b.cdxj h.com", 3, &["byte 26 of b.cdxj is no line of CDXJ"]),
        ("-i long.cdxj h.com", 3, &["is longer than"]),
        ("-i empty h.com", 2, &["empty has 0 files that end with .idx"]),
        ("-i bad.idx h.com", 3, &["does not say where a block is"]),
        ("-i far.idx h.com", 3, &["part"]),
        ("-i absent h.com", 3, &["absent"]),
        ("-i b.cdxj http://[", 2, &["is no URL and no key"]),
        ("-i b.cdxj h.com --from x", 2, &["is no time"]),
    ] {
        urimill(&format!("lookup {line}")).within(dir.path()).fails(code, parts);
    }
}

#[test]
fn an_index_that_was_made_is_searched() {
    let dir = dir();
    let pages: String = (0..50)
        .map(|number| {
            let block = "HTTP/1.1 200 OK\r\n\r\n";
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://h{}.example/\r\nWARC-Date: \
                 2026-11-20T10:00:{number:02}Z\r\nContent-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
                number % 9,
                block.len()
            )
        })
        .collect();
    write(dir.path(), "a.warc", pages);
    urimill("index a.warc -o a.cdxj --summary none").within(dir.path()).ok();
    urimill("index a.warc --to zipnum --block-lines 3 --shards 4 -o z/ --summary none")
        .within(dir.path())
        .ok();
    for index in ["a.cdxj", "z"] {
        let done = urimill(&format!("lookup h4.example --index {index}")).within(dir.path()).ok();
        assert_eq!(done.text().lines().count(), 6, "{index}");
    }
}

/// There are enough records for a table of several pages, some of which begin within the captures of one page.
#[test]
fn a_table_answers_as_the_lines_do() {
    let dir = dir();
    let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let pages: String = (0..60_000u32)
        .map(|number| {
            // One host has a third of the records, and one page of it has many.
            let page = match number % 3 {
                0 => format!("one.example/{}", if number % 2 == 0 { 7 } else { number }),
                _ => format!("h{}.example/{number}", number % 997),
            };
            let (day, minute, second) = (number % 28 + 1, number / 60 % 60, number % 60);
            format!(
                "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://{page}\r\nWARC-Date: \
                 2026-11-{day:02}T10:{minute:02}:{second:02}Z\r\nContent-Type: application/http\r\nContent-Length: \
                 {}\r\n\r\n{block}\r\n\r\n",
                block.len()
            )
        })
        .collect();
    write(dir.path(), "a.warc", pages);
    for index in ["a.cdxj", "a.parquet"] {
        urimill(&format!("index a.warc -o {index} --summary none")).within(dir.path()).ok();
    }
    for (options, least) in [
        ("one.example/7", 10_000),
        ("one.example --match host", 20_000),
        ("example --match domain", 60_000),
        ("example --match domain --limit 5", 5),
        ("h5.example --match host --from 2026111 --to 20261120", 10),
        ("example,h99)/ --match host", 40),
        ("example,h99)/1 --match prefix", 1),
        ("h0.example/1994", 1),
        ("aa,first)/ --match prefix", 0),
        ("zz,last)/", 0),
        ("example,h5)/nothing", 0),
    ] {
        let [lines, table] = ["a.cdxj", "a.parquet"].map(|index| {
            let done = urimill(&format!("lookup --index {index} {options}")).within(dir.path()).go();
            (done.code, done.text().to_owned())
        });
        assert_eq!(lines, table, "{options}");
        assert!(lines.1.lines().count() >= least, "{options}: {} lines", lines.1.lines().count());
        assert_eq!(lines.0, Some(i32::from(least == 0)), "{options}");
    }
}

/// Parquet has its order by row group: a bound of one need not hold for the next.
#[test]
fn a_table_whose_row_groups_are_not_in_order_answers_all_the_same() {
    let dir = dir();
    let keys = |keys: &[&str]| {
        let texts = |texts: Vec<&str>| Arc::new(StringArray::from(texts)) as ArrayRef;
        let columns =
            [("urlkey", texts(keys.to_vec())), ("timestamp", texts(vec!["20240101000000"; keys.len()]))];
        RecordBatch::try_from_iter(columns).expect("columns")
    };
    let groups =
        [keys(&["com,b)/", "com,c)/"]), keys(&["com,a)/", "com,b)/", "com,d)/"]), keys(&["com,b)/"])];
    let sorted = SortingColumn { column_idx: 0, descending: false, nulls_first: false };
    let properties = WriterProperties::builder().set_sorting_columns(Some(vec![sorted])).build();
    let file = File::create(dir.path().join("a.parquet")).expect("a file");
    let mut writer = ArrowWriter::try_new(file, groups[0].schema(), Some(properties)).expect("a writer");
    for group in &groups {
        writer.write(group).and_then(|()| writer.flush()).expect("a row group");
    }
    writer.close().expect("a footer");
    for (options, lines) in [("com,b)/", 3), ("com,a)/", 1), ("com --match domain", 6), ("com,e)/", 0)] {
        let done = urimill(&format!("lookup --index a.parquet {options}")).within(dir.path()).go();
        assert_eq!(done.text().lines().count(), lines, "{options}");
    }
}

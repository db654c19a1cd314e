//! The inputs that every command refuses because of their records: those in which no record has the form of the format,
//! and detected lists without a reference. An invalid record that has the form has a row.

use super::run::{dir, names, urimill, write};
use super::table::jsonl;

const HERITRIX: &str =
    "2012-05-23T15:06:28.689Z 200 56 http://h/ P - text/dns #048 20120523150627325+74 - - 3t\n";
const CDX: &str = "h)/ 20140126200624 http://h/ text/html 200 A - - 1 2 f.gz\n";
const CLF: &str = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 1 \"-\" \"-\"\n";
const PROSE: &str = "the crawl of monday was finished in 2012\n";

/// Everything that reads records and writes what it makes of them.
const COMMANDS: [&str; 7] = [
    "normalize --to jsonl",
    "normalize -o out/",
    "normalize -o out.parquet --threads 3 --chunk 700",
    "dedupe --to csv",
    "stats",
    "top --by host",
    "report --json out.json --state out.state -o out.html",
];

#[test]
fn garbage_is_refused_by_every_command_at_every_size() {
    // (options, one line)
    let inputs: &[(&str, &str)] = &[
        ("", PROSE),
        ("", "date=\"2022-03-11\" host=\"x\" line=\"get http://h/ HTTP/1.1\"\n"),
        ("", "15.2 chi=127.0.0.1 url=http://h/a rng=\"bytes=1-2\" b=3\n"),
        ("", "lb[7]: [ACCESS] {\"a\": 1}\n"),
        ("", "the quick brown [fox] \"jumps\" 200 over\n"),
        ("--from heritrix", PROSE),
        ("--from heritrix", CDX),
        ("--from heritrix", "a b\n"),
        ("--from cdx", PROSE),
        ("--from cdx", HERITRIX),
        ("--from cdx", "in 2012 we crawled it\n"),
        ("--from cdxj", PROSE),
        ("--from clf", PROSE),
        ("--from clf", "- - - [x] \"y\" - -\n"),
        ("--from s3", PROSE),
        ("--from nutch", PROSE),
        ("--from seeds", PROSE),
        ("--from robots", PROSE),
        ("--from jsonl --uri-field url", PROSE),
        ("--from jsonl --uri-field url", "{\"url\": 5}\n"),
        ("--from csv --uri-field 1", PROSE),
        ("--from csv --uri-field 3", "a,b\n"),
        ("--from tsv --uri-field 2", PROSE),
    ];
    let dir = dir();
    write(dir.path(), "right", CLF);
    for (options, line) in inputs {
        for count in [1, 3, 9, 10, 1500] {
            write(dir.path(), "in", line.repeat(count));
            let commands = if count == 3 { &COMMANDS[..] } else { &COMMANDS[..1] };
            for command in commands {
                let line = format!("{command} in {options}");
                urimill(&line).within(dir.path()).fails(2, &["in"]);
                assert_eq!(names(dir.path()), ["in", "right"], "{command} {options}: {line}");
            }
        }
        // Each input is judged by itself.
        if options.is_empty() {
            urimill("normalize right in -o out.csv").within(dir.path()).fails(2, &["of in "]);
        }
        // With --on-invalid there are rows, and `check` finds the faults.
        let keep =
            urimill(&format!("normalize in {options} --on-invalid keep --to jsonl")).within(dir.path()).ok();
        assert!(!jsonl(&keep.stdout).is_empty(), "{options}: {line}");
        if !options.contains("uri-field") {
            assert_eq!(
                urimill(&format!("check in {options}")).within(dir.path()).go().code,
                Some(1),
                "{options}"
            );
        }
    }
}

#[test]
fn what_has_the_form_is_read_whatever_its_uris_are() {
    let s3 = |quote: &str| {
        format!(
            "{} b [06/Feb/2019:00:00:38 +0000] 192.0.2.3 - 3E57427F3EXAMPLE REST.GET.OBJECT k \"GET /k HTTP/1.1\" 200 - 1 1 7 - \
             {quote} \"curl\" -\n",
            "7".repeat(64)
        )
    };
    // (options, input, rows)
    let inputs: Vec<(&str, String, usize)> = vec![
        // A quiet hour: one request, and a bad one.
        ("--from clf", CLF.replace("/a", "/a|b"), 1),
        ("", CLF.replace("/a", "/a|b"), 1),
        ("--from clf", CLF.replace("GET /a HTTP/1.1", "\\x16\\x03"), 1),
        ("--from heritrix", HERITRIX.replace("http://h/", "http://h/%"), 1),
        ("--from cdx", CDX.replace("http://h/", "http://h/%"), 1),
        ("--from jsonl --uri-field url", "{\"url\": \"a b\"}\n".repeat(20), 20),
        ("--from csv --uri-field 1", "some words,http://a/\n".repeat(20), 20),
        ("--from csv --uri-field url", "url\nsome words\n".to_owned(), 1),
        // Odd lines of a format that is named, and of one that is found out.
        ("--from heritrix", format!("{}{HERITRIX}", PROSE.repeat(300)), 301),
        ("--from clf", format!("{}{CLF}{}", PROSE.repeat(40), PROSE.repeat(400)), 441),
        ("", format!("{CLF}{CLF}{PROSE}"), 3),
        ("", format!("{}{PROSE}", s3("\"-\"")), 2),
        ("", s3("\"-\"") + &s3("-"), 2),
        ("--from s3", s3("\"-\"") + &s3("-"), 2),
        // Lists of invalid URIs.
        ("", "http://a/?q={\"a\":1}\n".to_owned(), 1),
        ("", "http://a/b c\n".to_owned(), 1),
        ("", "http://a/{b}\n".repeat(40), 40),
        // A robots.txt without sitemaps and with a line that is not a rule.
        ("--from robots", "User-agent: *\nDisallow: /\nnot a rule\n".to_owned(), 1),
        // A list by the caller's word.
        ("--from lines", PROSE.to_owned(), 1),
        ("--from lines", CLF.repeat(20), 20),
        ("", format!("http://a/\n{}", "http://a/b c\n".repeat(20)), 21),
    ];
    let dir = dir();
    for (options, input, rows) in inputs {
        write(dir.path(), "in", &input);
        for sizes in ["", "--threads 3 --chunk 700"] {
            let done = urimill(&format!("normalize in {options} {sizes} --to jsonl")).within(dir.path()).ok();
            assert_eq!(jsonl(&done.stdout).len(), rows, "{options}: {input}");
        }
        urimill(&format!("stats in {options}")).within(dir.path()).ok();
    }
}

#[test]
fn words_are_no_records_of_crawl_logs_and_indexes() {
    // (format, a line, the byte where it stops to be one)
    let lines: &[(&str, &str, u64)] = &[
        ("heritrix", PROSE, 0),
        ("heritrix", CDX, 0),
        // A field is missing, or there is one too many: nothing of it is read as another.
        ("heritrix", "200 56 http://h/ P - text/dns #048 20120523150627325+74 - - 3t", 0),
        (
            "heritrix",
            "2012-05-23T15:06:28.689Z 200 http://h/ P http://v/ text/dns #048 20120523150627325+74 - - 3t",
            29,
        ),
        (
            "heritrix",
            "2012-05-23T15:06:28.689Z 200 5 6 http://h/ P http://v/ text/dns #048 20120523150627325+74 - - 3t",
            31,
        ),
        (
            "heritrix",
            "2012-05-23T15:06:28.689Z 200 5 http://h/ http://v/ text/dns #048 20120523150627325+74 - - 3t",
            41,
        ),
        (
            "heritrix",
            "2012-05-23T15:06:28.689Z 200 5 http://h/ P text/dns #048 20120523150627325+74 - - 3t",
            43,
        ),
        ("heritrix", "2012-05-23T15:06:28.689Z 200 5 http://h/ P - #048 20120523150627325+74 - - 3t", 45),
        ("cdx", PROSE, 36),
        ("cdx", "20140126200624 http://h/ text/html 200 A - - 1 2 f.gz", 15),
        ("cdx", "h)/ 20140126200624 text/html 200 A - - 1 2 f.gz", 19),
        ("cdx", "h)/ 20140126200624 http://h/ text/html A - - 1 2 f.gz", 45),
    ];
    for (format, line, at) in lines {
        let done = urimill(&format!("normalize --from {format} --to jsonl --on-invalid keep"))
            .stdin(format!("{}\n", line.trim_end()))
            .ok();
        let row = &jsonl(&done.stdout)[0];
        let found = (row["error"].as_str(), row["error_offset"].as_u64(), row["uri"].as_str());
        assert_eq!(found, (Some("record_malformed"), Some(*at), Some(line.trim_end())), "{format}: {line}");
        for (name, value) in row {
            let is_own = ["record", "uri", "error", "error_offset", "flags"].contains(&name.as_str());
            assert!(is_own || value.is_null(), "{format}: {line}: {name}");
        }
    }
    // Lines of another program after them are not records either.
    let mixed = format!("{HERITRIX}{}", CDX.repeat(300));
    let done = urimill("normalize --from heritrix --to jsonl").stdin(mixed).ok();
    let rows = jsonl(&done.stdout);
    assert_eq!(rows.iter().filter(|row| row["error"] == "record_malformed").count(), 300);
}

#[test]
fn an_empty_input_has_the_columns_of_its_format() {
    let dir = dir();
    write(dir.path(), "empty", "");
    write(dir.path(), "log", CLF);
    // The format is named, or it is the one of the other inputs.
    for line in [
        "normalize empty --from clf --columns uri,time --to csv",
        "normalize empty log --columns uri,time --to csv",
        "normalize log empty --columns uri,time --to csv",
        "normalize empty --columns uri,time --to csv",
        "normalize empty --columns uri --keep time --to csv",
        // A header would name the fields.
        "normalize empty --from w3c --columns uri,time --to csv",
        "normalize empty --from zeek --columns uri,time --to csv",
        "normalize empty --from gcs --columns uri --keep time --to csv",
        "normalize empty --from csv --uri-field u --columns uri,time --to csv",
        "normalize empty --from tsv --uri-field u --columns uri --keep time --to csv",
        "normalize empty --uri-field u --columns uri,time --to csv",
    ] {
        let done = urimill(line).within(dir.path()).ok();
        let header = done.text().lines().next().unwrap_or_default();
        assert!(matches!(header, "uri,time" | "uri,time,field_errors"), "{line}: {header}");
    }
    // Alone it has those of a list, with a word, and those that the run names.
    let done = urimill("normalize empty --to csv").within(dir.path()).ok();
    assert!(done.text().starts_with("record,uri,") && !done.text().contains("time"), "{}", done.text());
    assert!(done.stderr.contains("all inputs are empty"), "{}", done.stderr);
    for options in
        ["--partition-by time:day", "--sort-by time", "--partition-by time:hour --sort-by status,via"]
    {
        for from in ["", "--from heritrix", "--from w3c", "--from cloudfront"] {
            let done =
                urimill(&format!("normalize empty {from} {options} -o out/ --force")).within(dir.path()).ok();
            assert_eq!(done.stderr.contains("all inputs are empty"), from.is_empty(), "{}", done.stderr);
        }
    }
}

#[test]
fn a_first_line_without_a_known_name_is_no_header() {
    for (from, part) in [
        ("gcs", "a line of names such as time_micros, cs_uri, sc_status"),
        ("w3c", "no line #Fields:"),
        ("zeek", "no line #fields"),
    ] {
        for input in [PROSE.to_owned(), PROSE.repeat(20), CLF.to_owned()] {
            urimill(&format!("normalize --from {from} --to csv"))
                .stdin(input)
                .fails(2, &["standard input", part, &format!("--from {from}")]);
        }
    }
}

#[test]
fn white_space_before_a_line_of_a_list_is_no_part_of_its_uri() {
    let list = "http://h/a\n    http://h/b\n\t../c\n  # comment\n http://h/d e\n";
    for options in ["", "--comment #", "--threads 2 --chunk 20"] {
        let line = format!("normalize --columns uri,raw,offset,error --to csv {options}");
        let done = urimill(&line).stdin(list).ok();
        let rows: Vec<&str> = done.text().lines().skip(1).collect();
        assert_eq!(
            rows[..3],
            ["http://h/a,,0,", "http://h/b,\"    http://h/b\",11,", "../c,\"\t../c\",26,"],
            "{options}"
        );
        assert!(
            rows[4].starts_with("\" http://h/d e\",") && rows[4].ends_with("scheme_invalid_char"),
            "{}",
            rows[4]
        );
    }
}

#[test]
fn a_row_of_csv_with_more_fields_than_the_others_is_malformed() {
    // (options, input, the error of each row)
    let (good, bad, lacks) = (None, Some("record_malformed"), Some("field_missing"));
    let long = format!("/a,\"{}\"\n", "line\n".repeat(10_000)).repeat(3);
    let tables: &[(&str, &str, &[Option<&str>])] = &[
        (
            "--uri-field 2 --header no",
            "1,http://h/a,x\n2,http://h/b,c,x\n3,\"http://h/b,c\",x\n",
            &[good, bad, good],
        ),
        // Whichever it is.
        (
            "--uri-field 2 --header no",
            "1,http://h/a,b,x\n2,http://h/b,x\n3,http://h/b,x\n",
            &[bad, good, good],
        ),
        ("--uri-field 1 --header no", "http://h/a\nhttp://h/b,c\nhttp://h/d\n", &[good, bad, good]),
        (
            "--uri-field 2 --header no",
            "1,http://h/a,x\n\"2\",http://h/b,c,x\n3,http://h/b,x\n",
            &[good, bad, good],
        ),
        // Separators at the end of a line are not too many.
        ("--uri-field 2 --header no", "1,http://h/a\n2,http://h/b,,\n3,http://h/b\n", &[good; 3]),
        // A URI in quotes is whole.
        ("--uri-field 2 --header no", "1,http://h/a,x\n2,\"http://h/b\",c,x\n3,http://h/b,x\n", &[good; 3]),
        // A record with the field that is asked for is not too long.
        (
            "--uri-field 2 --header no",
            "a\nb\nc\nd\n1,/a\n\"1\",/a\n1,/a,b\n",
            &[lacks, lacks, lacks, lacks, good, good, bad],
        ),
        // The last record of the first 64 KiB is not whole: its lines are not records.
        ("--uri-field 1 --header no", &long, &[good; 3]),
        // Records that do not agree have no usual number of fields.
        ("--uri-field 1 --header no", "/a,b\n/c,d,e\n", &[good; 2]),
        ("--uri-field 1 --header no", "http://h/a\nhttp://h/b,x\nhttp://h/c,x,y\n", &[good; 3]),
    ];
    for (options, input, expected) in tables {
        for sizes in ["", "--keep all", "--keep none --chunk 20"] {
            let line = format!("normalize --from csv {options} {sizes} --to jsonl --columns error");
            let done = urimill(&line).stdin(input).ok();
            let rows = jsonl(&done.stdout);
            let found: Vec<_> = rows.iter().map(|row| row["error"].as_str()).collect();
            assert_eq!(found, *expected, "{line}: {input}");
        }
    }
}

#[test]
fn rows_that_are_nulls_for_the_most_part_are_refused() {
    let header = format!("u{}", ",".repeat(29_999));
    let run = urimill("normalize --from csv --uri-field 1 --header yes --keep all -o t.csv");
    let dir = dir();
    run.within(dir.path())
        .stdin(format!("{header}\n{}", "http://h/\n".repeat(10_000)))
        .fails(2, &["29999", "standard input", "--keep"]);
    assert!(names(dir.path()).is_empty());
    urimill("normalize --from csv --uri-field 1 --header yes --keep none --to uris")
        .stdin(format!("{header}\n{}", "http://h/\n".repeat(10_000)))
        .ok();
}

#[test]
fn a_robots_txt_may_have_rules_of_any_name() {
    let robots =
        "User-agent: *\nAllow: /\nLLM-Policy: /a\nSitemap: /s.xml\nHost: h\nComment: c\nVisit-time: 1\n";
    let done = urimill("normalize --to uris").stdin(robots).ok();
    assert_eq!(done.text(), "/s.xml\n");
    // The header of a request is not a robots.txt.
    urimill("normalize --to uris")
        .stdin("Host: h\nUser-Agent: x\nAccept: */*\nAllow: GET\n")
        .fails(2, &["Host: h"]);
}

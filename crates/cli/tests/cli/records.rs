//! Records, and how the options read them.

use serde_json::json;

use super::run::urimill;

const TWENTY: &str = "http://example.com/x";

/// (what is special, options, standard input, standard output)
#[rustfmt::skip]
const LINES: &[(&str, &str, &[u8], &[u8])] = &[
    ("nothing", "", b"", b""),
    ("a line", "", b"http://a/\n", b"http://a/\n"),
    ("the last line lacks its newline", "", b"http://a/\nhttp://b/", b"http://a/\nhttp://b/\n"),
    ("CRLF", "", b"http://a/\r\nhttp://b/\r\n", b"http://a/\nhttp://b/\n"),
    ("only one carriage return belongs to the line end", "", b"x\r\r\n", b"x\r\n"),
    ("blank lines are skipped", "", b"\n\r\n\nhttp://a/\n\n", b"http://a/\n"),
    ("white space alone is a blank line", "", b"  \n \t\r\nhttp://a/\n ", b"http://a/\n"),
    ("a byte-order mark at the start of the source", "", b"\xef\xbb\xbfhttp://a/\n", b"http://a/\n"),
    ("nothing but a byte-order mark", "", b"\xef\xbb\xbf", b""),
    ("a byte-order mark elsewhere is content", "", b"x\n\xef\xbb\xbfy\n", b"x\n\xef\xbb\xbfy\n"),
    ("NUL is an invalid byte like others", "", b"http://a/\0b\n", b"http://a/\0b\n"),
    ("a reject that is not UTF-8", "", b"http://a/\xff\n", b"http://a/\xef\xbf\xbd\n"),
    ("--level none", "--level none", b"HTTP://Ex%41mple.com:80/%7e/../b\n", b"HTTP://Ex%41mple.com:80/%7e/../b\n"),
    ("--level case", "--level case", b"HTTP://Ex%41mple.com:80/%7e/../b\n", b"http://ex%41mple.com:80/%7E/../b\n"),
    ("--level percent", "--level percent", b"HTTP://Ex%41mple.com:80/%7e/../b\n", b"http://example.com:80/~/../b\n"),
    ("--level syntax", "--level syntax", b"HTTP://Ex%41mple.com:80/%7e/../b\n", b"http://example.com:80/b\n"),
    ("--level scheme", "--level scheme", b"HTTP://Ex%41mple.com:80/%7e/../b\n", b"http://example.com/b\n"),
    ("the default is scheme", "", b"HTTP://Ex%41mple.com:80/%7e/../b\n", b"http://example.com/b\n"),
    ("the default specification, by name", "--spec rfc3986", b"HTTP://a\n", b"http://a/\n"),
    ("without --repair", "", b" <http://a/b c>\n", b" <http://a/b c>\n"),
    ("--repair", "--repair", b" <http://a/b c>\n", b"http://a/bc\n"),
    ("--default-scheme", "--repair --default-scheme http", b"www.w3.org/Addressing/\nmain.js\n", b"http://www.w3.org/Addressing/\nmain.js\n"),
    ("the address that a host means", "--to csv --columns host,host_address", b"http://0x7f.1\n//[::0]/\n//h\n", b"host,host_address\n0x7f.1,127.0.0.1\n[::],::\nh,\n"),
    ("- is standard input", "-", b"http://a/\n", b"http://a/\n"),
    ("- is standard output", "-o -", b"http://a/\n", b"http://a/\n"),
    ("csv", "--to csv --columns record,uri,raw,query", b"\nHTTP://a/?\n", b"record,uri,raw,query\n2,http://a/?,HTTP://a/?,\"\"\n"),
    ("no rows, but a header", "--to csv --columns host,path", b"", b"host,path\n"),
    ("columns in the order asked for", "--to csv --columns path,host", b"http://a/b\n", b"path,host\n/b,a\n"),
    ("null, empty and quoted", "--to csv --columns query,path,error", b"x,\"y\"\nmailto:\n?\n",
        b"query,path,error\n,,path_invalid_char\n,\"\",\n\"\",\"\",\n"),
    ("flags have names", "--to csv --columns flags", b"HTTP://u@a:80\n/\n",
        b"flags\nhas_userinfo|case_changed|port_dropped\n\"\"\n"),
    ("bytes are hexadecimal", "--to csv --columns uri,raw_bytes", b"a\xff\n", b"uri,raw_bytes\na\xef\xbf\xbd,61ff\n"),
    ("jsonl", "--to jsonl --columns record,host,port,flags", b"http://a:81/\n/\n",
        b"{\"record\":1,\"host\":\"a\",\"port\":81,\"flags\":[]}\n{\"record\":2,\"host\":null,\"port\":null,\"flags\":[]}\n"),
    ("where and why", "--to csv --columns error,error_offset", b"http://a/ b\n", b"error,error_offset\npath_invalid_char,9\n"),
    ("byte offsets count the mark and all line ends", "--to csv --columns record,offset", b"\xef\xbb\xbfa\r\n\nb",
        b"record,offset\n1,3\n3,7\n"),
];

#[test]
fn lines_in_and_lines_out() {
    for (what, options, stdin, expected) in LINES {
        for chunk in ["", "--threads 3 --chunk 5"] {
            let line = format!("normalize --from lines --summary none {chunk} {options}");
            let done = urimill(&line).stdin(stdin).ok();
            let shown = |bytes: &[u8]| bytes.escape_ascii().to_string();
            assert_eq!(shown(&done.stdout), shown(expected), "{what}: {line}");
            assert_eq!(done.stderr, "", "{what}: --summary none says nothing");
        }
    }
}

#[test]
fn columns_with_signs_change_the_default_table() {
    let header = |columns: &str| {
        let done = urimill("normalize --to csv --summary none --columns").arg(columns).ok();
        done.text().trim_end().to_owned()
    };
    let default = "record,uri,raw,scheme,userinfo,host,host_kind,port,path,query,fragment,flags,error,\
                   error_offset,raw_bytes";
    assert_eq!(urimill("normalize --to csv --summary none").ok().text().trim_end(), default);
    assert_eq!(header("+offset,+source"), format!("{default},offset,source"));
    assert_eq!(header("-raw,-raw_bytes"), default.replace(",raw_bytes", "").replace(",raw", ""));
    assert_eq!(header("+uri"), default);
    assert_eq!(header("record, fingerprint"), "record,fingerprint");
}

#[test]
fn a_record_over_the_limit_is_a_reject_and_the_next_is_intact() {
    let longer = format!("{TWENTY}y");
    let far = format!("{TWENTY}{}", "z".repeat(5000));
    let stdin = format!("{TWENTY}\r\n{longer}\n{TWENTY}\n{far}\r\n{TWENTY}");
    for chunk in ["1", "16", "64", "1M"] {
        let line =
            format!("normalize --max-record 20 --chunk {chunk} --to jsonl --columns uri,error,error_offset");
        let done = urimill(&line).stdin(&stdin).ok();
        let row = |uri: &str| json!({ "uri": uri, "error": null, "error_offset": null });
        let reject = |uri: &str| json!({ "uri": uri, "error": "too_long", "error_offset": 20 });
        let expected = [row(TWENTY), reject(&longer), row(TWENTY), reject(&far), row(TWENTY)]
            .map(|row| format!("{row}"));
        let rows: Vec<serde_json::Value> =
            done.text().lines().map(|l| serde_json::from_str(l).expect("an object")).collect();
        assert_eq!(rows.iter().map(|row| format!("{row}")).collect::<Vec<_>>(), expected, "chunk {chunk}");
        assert!(done.stderr.contains("5 lines = 3 valid records + 2 rejects + 0 blank"), "{}", done.stderr);
    }
    // Letters stand for powers of 1024.
    for (limit, rejects) in [("20", 0), ("19", 1), ("1k", 0), ("1KiB", 0), ("1M", 0)] {
        let line = format!("normalize --summary json --max-record {limit}");
        assert_eq!(urimill(&line).stdin(TWENTY).ok().summary()["rejects"], rejects, "{limit}");
    }
}

#[test]
fn an_overlong_record_keeps_its_beginning() {
    let mut stdin = vec![b'a'; 17 << 20];
    stdin.extend_from_slice(b"\nhttp://b/\n");
    let done = urimill("normalize --summary json").stdin(&stdin).ok();
    let lines: Vec<_> = done.text().lines().collect();
    assert_eq!((lines[0].len(), lines[1]), (16 << 20, "http://b/"));
    let summary = done.summary();
    assert_eq!((&summary["cut"], &summary["rejects"]), (&json!(1), &json!(1)));
    assert_eq!(summary["by_code"]["too_long"]["count"], 1);
    assert_eq!(summary["bytes"], stdin.len());
    let done = urimill("normalize").stdin(&stdin).ok();
    assert!(done.stderr.contains("too long: 1 record, of which only the beginning is kept"));
}

#[test]
fn the_account_adds_up() {
    let stdin = b"HTTP://a/\n\nhttp://b/\n<c>\n<d>\n%\n\xff\n\n\n http://e/\nhttp://[\n";
    // (options, lines, records, valid, rejects, blank, changed, repaired, not_utf8)
    let runs = [("", [11, 8, 3, 5, 3, 2, 0, 1]), ("--repair", [11, 8, 7, 1, 3, 6, 5, 1])];
    for (options, numbers) in runs {
        let summary = urimill(&format!("normalize --summary json {options}")).stdin(stdin).ok().summary();
        let names = ["lines", "records", "valid", "rejects", "blank", "changed", "repaired", "not_utf8"];
        let found = names.map(|name| summary[name].as_u64().unwrap_or_else(|| panic!("{name}")));
        assert_eq!(found, numbers, "{options}");
        let by_code = summary["by_code"].as_object().expect("an object").values();
        assert_eq!(by_code.map(|code| code["count"].as_u64().expect("a number")).sum::<u64>(), numbers[3]);
        assert_eq!(summary["bytes"], stdin.len());
        assert_eq!(summary["stored_bytes"], stdin.len());
        assert_eq!(summary["level"], "scheme");
        assert_eq!(summary["spec"], "rfc3986");
        assert_eq!(summary["output"]["name"], "standard output");
        assert_eq!(summary["output"]["format"], "uris");
    }
    let summary = urimill("normalize --summary json").stdin(stdin).ok().summary();
    let first = &summary["by_code"]["path_invalid_char"]["example"];
    assert_eq!(*first, json!({ "source": "standard input", "record": 4, "offset": 0, "text": "<c>" }));
}

#[test]
fn the_summary_for_people() {
    let done = urimill("normalize").stdin("HTTP://a/\n\n<\x1b[31m>\n").ok();
    let lines: Vec<_> = done.stderr.lines().collect();
    assert_eq!(lines[0], "3 lines = 1 valid record + 1 reject + 1 blank");
    assert_eq!(lines[1], "1 rewritten");
    let example = "1  path_invalid_char: first in standard input, record 3, byte 0: \"<\\u{1b}[31m>\"";
    assert_eq!(lines[2].trim_start(), example);
    assert!(lines[3].ends_with(" to standard output"), "{}", lines[3]);
    assert_eq!(lines.len(), 4);
    let done = urimill("normalize --repair").stdin("<a>\n").ok();
    assert!(done.stderr.contains("1 rewritten, 1 of them repaired\n"), "{}", done.stderr);
    let mut lost = urimill("normalize --from lines --to csv --columns uri");
    lost = lost.stdin(b"\xff\n\xff\n");
    assert!(lost.ok().stderr.contains("not UTF-8: 2 records, whose bytes are lost"));
}

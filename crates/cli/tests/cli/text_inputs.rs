//! Text inputs as people have them: lines of comments between the records, and encodings other than UTF-8.

use serde_json::json;

use super::run::{dir, urimill, write};

/// The table of an input.
fn go(options: &str, input: impl AsRef<[u8]>) -> String {
    let dir = dir();
    urimill(&format!("normalize -o t.csv {options}")).within(dir.path()).stdin(input).ok();
    std::fs::read_to_string(dir.path().join("t.csv")).expect("a table")
}

fn utf16(text: &str, is_little: bool) -> Vec<u8> {
    let bytes = |unit: u16| if is_little { unit.to_le_bytes() } else { unit.to_be_bytes() };
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn lines_of_comments_are_no_records() {
    // (options, input, table)
    let cases = [
        (
            "--columns record,uri --from lines --comment #",
            "# a\nhttp://h/\n\n#\n/b#c\n",
            "2,http://h/\n5,/b#c\n",
        ),
        (
            "--columns record,uri --comment //",
            "// list\nhttp://h/\nhttp://i/\n//\n",
            "2,http://h/\n3,http://i/\n",
        ),
        // A line of quotes begins no comment, and a comment no quotes.
        (
            "--columns record,uri,a --from csv --uri-field u --comment #",
            "# made by x\n#,\"y\na,u\n1,http://h/\n#,\"2,http://no/\n\"#\n3\",http://i/\n",
            "3,http://h/,1\n5,http://i/,\"#\n3\"\n",
        ),
        (
            "--columns uri --keep 1 --from tsv --uri-field 2 --comment %%",
            "%% x\n\n1\thttp://h/\n%%2\thttp://no/\n%3\thttp://i/",
            "http://h/,1,\nhttp://i/,%3,\n",
        ),
        (
            "--columns uri,a --from csv --no-quotes --uri-field u --comment ;",
            ";\"\na,u\n\"1,/b\n;x",
            "/b,\"\"\"1\"\n",
        ),
        // Detected formats: the contents of comments do not count.
        ("--columns uri --comment # --uri-field u", "#{\"a\":1}\na,u\n1,http://h/\n", "http://h/\n"),
        ("--columns uri --comment #", "#a,url\n#1,http://no/\nhttp://h/\n", "http://h/\n"),
        // Without the option they are what they are.
        ("--columns uri --from lines", "#a\n", "#a\n"),
    ];
    for (options, input, table) in cases {
        for chunk in ["", " --chunk 7", " --verify --threads 2"] {
            let text = go(&format!("{options}{chunk}"), input);
            let rows = text.split_once('\n').expect("a header").1;
            assert_eq!(rows, table, "{options}{chunk}: {input:?}");
        }
    }
}

#[test]
fn comments_are_counted() {
    let csv = "#\n#\na,u\n1,/x\n\n#\n\"2\n\",/y\n";
    let line = "normalize --to csv --columns uri --from csv --uri-field u --comment #";
    for chunk in ["", " --chunk 5"] {
        let done = urimill(&format!("{line}{chunk}")).stdin(csv).ok();
        let said = "2 records = 2 valid records + 0 rejects; 8 lines read, 4 of comments or blank, 1 header";
        assert!(done.stderr.starts_with(said), "{chunk}: {}", done.stderr);
        let summary = urimill(&format!("{line}{chunk} --summary json")).stdin(csv).ok().summary();
        assert_eq!((&summary["blank"], &summary["lines"]), (&json!(4), &json!(7)), "{summary}");
    }
    let done = urimill("normalize --to csv --columns uri --comment #").stdin("#\n/x\n\n").ok();
    let said = "3 lines = 1 valid record + 0 rejects + 2 of comments or blank";
    assert!(done.stderr.starts_with(said), "{}", done.stderr);
}

#[test]
fn what_cannot_have_comments_is_refused() {
    for (options, parts) in [
        (
            "--from jsonl --uri-field u --comment #",
            &["--comment is for lines, CSV and TSV", "--from lines, csv or tsv"][..],
        ),
        ("--comment \"", &["cannot begin comments"]),
        ("--comment #", &["--comment is for lines, CSV and TSV, and standard input looks like clf: drop it"]),
    ] {
        let log = "192.0.2.1 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7\n";
        urimill(&format!("normalize --to csv {options}")).stdin(log).fails(2, parts);
    }
}

#[test]
fn text_of_other_encodings_is_read() {
    let list = "http://h/é\n/b\n";
    let marked = |is_little: bool| [utf16("\u{feff}", is_little), utf16(list, is_little)].concat();
    // (options, bytes, table)
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("--encoding utf-16", marked(true), "0,http://h/é,path_invalid_char\n12,/b,\n"),
        ("--encoding utf-16", marked(false), "0,http://h/é,path_invalid_char\n12,/b,\n"),
        ("--encoding utf-16le", utf16(list, true), "0,http://h/é,path_invalid_char\n12,/b,\n"),
        ("--encoding UTF-16BE --repair", utf16(list, false), "0,http://h/%C3%A9,\n12,/b,\n"),
        ("--encoding latin1 --repair", b"http://h/\xe9\r\n/b\n".to_vec(), "0,http://h/%C3%A9,\n13,/b,\n"),
        ("--encoding windows-1251 --repair", b"http://h/\xcf\n".to_vec(), "0,http://h/%D0%9F,\n"),
        ("--encoding utf-8", list.into(), "0,http://h/é,path_invalid_char\n12,/b,\n"),
        // Bytes that are not text of the encoding are a reject, and cost no other record.
        (
            "--encoding utf-16le",
            [utf16("/a\n/", true), vec![0x3d, 0xd8], utf16("x\n/c\n", true)].concat(),
            "0,/a,\n3,/�x,not_utf8\n7,/c,\n",
        ),
        ("--encoding utf-16le", [utf16("/a\n/b", true), vec![0]].concat(), "0,/a,\n3,/b�,not_utf8\n"),
    ];
    for (options, bytes, table) in cases {
        for more in ["", "--chunk 5", "--verify --from lines"] {
            let found = go(&format!("--on-invalid keep --columns offset,uri,error {options} {more}"), bytes);
            assert_eq!(found, format!("offset,uri,error\n{table}"), "{options} {more}");
        }
    }
}

#[test]
fn formats_in_other_encodings_are_found_and_read() {
    let dir = dir();
    let log = "192.0.2.1 - é [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 7\n";
    write(dir.path(), "a.log", utf16(&format!("\u{feff}{log}"), true));
    write(dir.path(), "b.log", utf16(&format!("\u{feff}{log}"), false));
    let line = "normalize a.log b.log --encoding utf-16 --to csv --summary none --columns uri,user";
    let done = urimill(line).within(dir.path()).ok();
    assert_eq!(done.text(), "uri,user\n/a,é\n/a,é\n");
    write(dir.path(), "a.csv", utf16("\u{feff}# é\na;u\né;http://h/\n", true));
    let line =
        "normalize a.csv --encoding utf-16 --from csv --delimiter ; --comment # --uri-field u --to csv";
    let done = urimill(&format!("{line} --columns uri,a")).within(dir.path()).ok();
    assert_eq!(done.text(), "uri,a\nhttp://h/,é\n");
    write(dir.path(), "a.jsonl", b"{\"u\":\"/a\",\"n\":\"\xe9\"}\n");
    let line = "normalize a.jsonl --encoding iso-8859-1 --from jsonl --uri-field u --columns uri,n --to csv";
    assert_eq!(urimill(line).within(dir.path()).ok().text(), "uri,n\n/a,é\n");
}

#[test]
fn encodings_that_cannot_be_are_refused() {
    let dir = dir();
    write(dir.path(), "be.txt", utf16("\u{feff}/a\n", false));
    write(dir.path(), "bare.txt", utf16("/a\n/b\n/c\n/d\n", true));
    urimill("normalize -o t.parquet").within(dir.path()).stdin("/a\n").ok();
    for (options, parts) in [
        (
            "be.txt --encoding utf-16le",
            &["be.txt begins with the byte-order mark of UTF-16BE", "use --encoding utf-16be"][..],
        ),
        (
            "bare.txt --encoding utf-16",
            &["bare.txt does not begin with the byte-order mark", "utf-16le or utf-16be"],
        ),
        ("bare.txt", &["bare.txt looks like text in UTF-16LE: use --encoding utf-16le, or convert it first"]),
        (
            "t.parquet --from parquet --uri-field uri --encoding latin1",
            &["--encoding applies to text formats, and --from parquet is not one"],
        ),
        (
            "t.parquet --uri-field uri --encoding latin1",
            &["--encoding applies to text formats, and t.parquet looks like parquet"],
        ),
    ] {
        urimill(&format!("normalize --to csv {options}")).within(dir.path()).fails(2, parts);
    }
}

#[test]
fn damaged_inputs_in_other_encodings_keep_what_was_whole() {
    use std::io::Write;
    let dir = dir();
    let list = |from: usize| (from..from + 300).map(|n| format!("http://h/{n}\n")).collect::<String>();
    let member = |bytes: &[u8]| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).expect("gzip");
        gzip.finish().expect("gzip")
    };
    for (encoding, is_wide, behind) in [("utf-16le", true, 0), ("latin1", false, 299)] {
        let stored = |from: usize| if is_wide { utf16(&list(from), true) } else { list(from).into_bytes() };
        let members: Vec<_> = [0, 300, 600].map(|from| member(&stored(from))).into();
        let mut damaged = members.concat();
        damaged[members[0].len() + members[1].len() / 2] ^= 1;
        write(dir.path(), "a.gz", damaged);
        let line =
            format!("normalize a.gz --encoding {encoding} --on-damage skip --columns uri --force -o t.csv");
        let done = urimill(&line).within(dir.path()).go();
        assert_eq!(done.code, Some(3), "{}", done.stderr);
        let table = std::fs::read_to_string(dir.path().join("t.csv")).expect("a table");
        assert_eq!(table.lines().count() - 1, 300 + behind, "{encoding}: {}", done.stderr);
    }
}

//! Rows, errors and bytes do not depend on the number of threads.

use std::fs;
use std::io::Write;

use super::run::{dir, urimill, write};
use super::table::read;

const THREADS: [u32; 4] = [1, 2, 3, 8];

/// Lines of every kind; the kind follows from the number.
fn mixed(count: usize) -> String {
    let line = |n: usize| match n % 7 {
        0 => format!("HTTP://Example.com:80/{n}/../{n}?q={n}\n"),
        1 => format!("http://example.com/{n}/{}\n", "x".repeat(n % 150)),
        2 => format!("/path/{n}#f\r\n"),
        3 => format!("http://h{}.example/{n} not a URI\n", n % 5),
        4 => "\n".to_owned(),
        5 => format!("https://user@[::1]:8080/%7e{n}\n"),
        _ => format!("mailto:a{n}@EXAMPLE.com\n"),
    };
    (0..count).map(line).collect()
}

#[test]
fn files_are_the_same_to_the_byte() {
    let dir = dir();
    write(dir.path(), "in.txt", mixed(3000));
    for extension in ["parquet", "arrow", "arrows", "csv", "jsonl", "txt"] {
        let mut first: Option<[Vec<u8>; 2]> = None;
        for threads in THREADS {
            let name = format!("{threads}.{extension}");
            let line = format!(
                "normalize in.txt -o {name} --rejects bad-{name} --threads {threads} --chunk 4096 --row-group-rows 700"
            );
            urimill(&line).within(dir.path()).ok();
            let bytes =
                [name.clone(), format!("bad-{name}")].map(|n| fs::read(dir.path().join(n)).expect("a file"));
            assert!(bytes.iter().all(|b| b.len() > 1000), "{name}");
            let first = first.get_or_insert_with(|| bytes.clone());
            assert!(*first == bytes, "{extension}: {threads} threads write other bytes than 1");
        }
    }
}

#[test]
fn rows_are_in_the_order_of_the_input() {
    let dir = dir();
    let count = 5000;
    write(dir.path(), "in.txt", mixed(count));
    for threads in THREADS {
        let line = format!("normalize in.txt --to csv -o {threads}.csv --threads {threads} --chunk 100");
        urimill(&line).within(dir.path()).ok();
        let rows = read(&dir.path().join(format!("{threads}.csv")));
        let expected = (0..count).filter(|n| n % 7 != 4);
        assert_eq!(rows.len(), expected.clone().count());
        for (row, n) in rows.iter().zip(expected) {
            assert_eq!(row["record"], (n + 1).to_string());
            assert!(row["uri"].as_str().expect("text").contains(&n.to_string()), "{row:?} is not line {n}");
        }
    }
}

#[test]
fn fail_names_the_first_invalid_record_in_the_input() {
    let dir = dir();
    let mut lines = vec!["http://example.com/"; 4000];
    for (at, bad) in [(1234, "first bad one"), (1235, "<second>"), (1300, "http://["), (3999, "%")] {
        lines[at] = bad;
    }
    write(dir.path(), "in.txt", lines.join("\n"));
    for threads in THREADS.into_iter().chain([8; 8]) {
        let line = format!("normalize in.txt -o out.csv --on-invalid fail --threads {threads} --chunk 64");
        urimill(&line)
            .within(dir.path())
            .fails(1, &["record 1235 of in.txt", "path_invalid_char", "byte 5", "\"first bad one\""]);
        assert_eq!(super::run::names(dir.path()), ["in.txt"]);
    }
    let done = urimill("normalize --on-invalid fail").stdin("http://a/\n\nb\n").ok();
    assert_eq!(done.text(), "http://a/\nb\n");
}

#[test]
fn what_was_read_before_the_damage_comes_first() {
    let dir = dir();
    // It must not compress well: the damage has to lie after the invalid record by far.
    let line = |n: u64| format!("http://example.com/{:x}\n", n.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let compress = |text: &str| {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).expect("gzip");
        gzip.finish().expect("gzip")
    };
    let text: String = (0..20_000).map(line).collect();
    let bytes = compress(&text);
    write(dir.path(), "cut.gz", &bytes[..bytes.len() - 10_000]);
    let bytes = compress(&format!("bad one\n{text}"));
    write(dir.path(), "bad-and-cut.gz", &bytes[..bytes.len() - 10_000]);
    let mut first: Option<Vec<u8>> = None;
    for threads in THREADS.into_iter().chain([8; 4]) {
        let run = format!("normalize cut.gz --threads {threads} --chunk 2000");
        let done = urimill(&run).within(dir.path()).go();
        assert_eq!(done.code, Some(3));
        done.says(&run, &["cut.gz", "truncated at byte"]);
        assert!(done.stdout.len() > text.len() / 2 && text.as_bytes().starts_with(&done.stdout));
        let first = first.get_or_insert_with(|| done.stdout.clone());
        assert!(*first == done.stdout, "{threads} threads write other rows than 1");

        let line = format!("normalize bad-and-cut.gz --on-invalid fail --threads {threads} --chunk 300000");
        urimill(&line).within(dir.path()).fails(1, &["record 1 of bad-and-cut.gz", "\"bad one\""]);
    }
}

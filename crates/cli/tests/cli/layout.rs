//! A directory of files in place of one: its rows, its summary, and that it is there as a whole or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::run::{dir, names, urimill, write};
use super::table::{Row, read};

/// The files of a table by their paths in `directory`, without those that readers skip.
fn files(directory: &Path) -> Vec<String> {
    fn visit(directory: &Path, name: &str, found: &mut Vec<String>) {
        for entry in names(directory) {
            let path = directory.join(&entry);
            if path.is_dir() {
                visit(&path, &format!("{name}{entry}/"), found);
            } else if !entry.starts_with('_') {
                found.push(format!("{name}{entry}"));
            }
        }
    }
    let mut found = Vec::new();
    visit(directory, "", &mut found);
    found
}

/// All rows below `directory`, with the columns that stand in the paths, by record.
fn rows(directory: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    for file in files(directory) {
        for mut row in read(&directory.join(&file)) {
            for (name, value) in file.split('/').filter_map(|segment| segment.split_once('=')) {
                let value = match value {
                    "__HIVE_DEFAULT_PARTITION__" => Value::Null,
                    value => value.into(),
                };
                assert!(row.insert(name.to_owned(), value).is_none(), "{file} has {name} twice");
            }
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| match &row["record"] {
        Value::String(text) => text.parse().expect("a number"),
        number => number.as_u64().expect("a number"),
    });
    rows
}

/// Lines of several schemes and hosts, invalid ones among them.
fn lines(count: usize) -> String {
    let line = |n: usize| match n % 9 {
        0 => format!("HTTP://Example.com:80/{n}\n"),
        1..=3 => format!("https://h{}.example/{n}?q={n}\n", n % 4),
        4 => format!("http://192.0.2.{}/{n}\n", n % 250),
        5 => format!("/path/{n}#f\n"),
        6 => format!("http://bad host/{n}\n"),
        7 => format!("mailto:a{n}@example.com\n"),
        _ => format!("https://[::1]:8080/{n}\n"),
    };
    (0..count).map(line).collect()
}

#[test]
fn a_directory_holds_the_rows_of_the_file() {
    let dir = dir();
    write(dir.path(), "in.txt", lines(2000));
    for format in ["parquet", "arrow", "arrow-stream", "csv", "jsonl"] {
        let extension = if format == "arrow-stream" { "arrows" } else { format };
        let whole = format!("whole.{extension}");
        urimill(&format!("normalize in.txt -o {whole}")).within(dir.path()).ok();
        let expected = read(&dir.path().join(&whole));
        for options in
            ["--partition-by scheme,host_kind", "--file-size 8K", "--partition-by error --file-size 8K"]
        {
            let line = format!("normalize in.txt -o out/ --force --to {format} --chunk 3000 {options}");
            urimill(&line).within(dir.path()).ok();
            let out = dir.path().join("out");
            assert_eq!(rows(&out), expected, "{line}");
            let files = files(&out);
            assert!(files.len() > 4 && files.iter().all(|file| file.ends_with(extension)), "{files:?}");
        }
    }
}

/// (arguments, files)
#[test]
fn a_directory_is_what_is_asked_for_as_one() {
    let dir = dir();
    fs::create_dir(dir.path().join("there")).expect("a directory");
    for (line, expected) in [
        ("-o a/", "a/part-00000.parquet"),
        ("-o there", "there/part-00000.parquet"),
        ("-o b --file-size 1G", "b/part-00000.parquet"),
        ("-o c.csv/", "c.csv/part-00000.csv"),
        ("-o d --to jsonl --partition-by scheme", "d/scheme=http/part-00000.jsonl"),
        ("-o e.csv/ --to uris", "e.csv/part-00000.txt"),
    ] {
        urimill(&format!("normalize {line}")).within(dir.path()).stdin("http://a/\n").ok();
        let (directory, file) = expected.split_once('/').expect("a directory");
        assert_eq!(files(&dir.path().join(directory)), [file], "{line}");
        let names = names(&dir.path().join(directory));
        assert!(names.starts_with(&["_SUCCESS".to_owned(), "_summary.json".to_owned()]), "{line}: {names:?}");
    }
}

#[test]
fn fields_of_logs_divide_a_table() {
    let dir = dir();
    write(dir.path(), "in.csv", "url,day,n\nhttp://a/,mon/1,1\nhttp://b/,,2\nhttp://c/,mon/1,3\n");
    let line = "normalize in.csv --from csv --uri-field url -o out/ --partition-by day --to csv";
    urimill(line).within(dir.path()).ok();
    let out = dir.path().join("out");
    assert_eq!(files(&out), ["day=__HIVE_DEFAULT_PARTITION__/part-00000.csv", "day=mon%2F1/part-00000.csv"]);
    let of_monday = read(&out.join("day=mon%2F1/part-00000.csv"));
    assert_eq!(of_monday.iter().map(|row| row["n"].as_str()).collect::<Vec<_>>(), [Some("1"), Some("3")]);
}

#[test]
fn the_summary_tells_files_and_partitions() {
    let dir = dir();
    write(dir.path(), "in.txt", lines(900));
    let line = "normalize in.txt -o out/ --partition-by scheme --rejects bad.jsonl";
    let said = urimill(line).within(dir.path()).ok().stderr;
    assert!(said.contains(" to out/: 4 files in 4 partitions\n"), "{said}");
    let told = urimill(&format!("{line} --force --summary json")).within(dir.path()).ok().summary();
    assert_eq!((&told["output"]["files"], &told["output"]["partitions"]), (&4.into(), &4.into()));

    let beside = fs::read(dir.path().join("out/_summary.json")).expect("a file");
    let beside: Value = serde_json::from_slice(&beside).expect("JSON");
    for name in ["lines", "valid", "rejects", "by_code", "level", "version"] {
        assert_eq!(beside[name], told[name], "{name}");
    }
    assert_eq!(beside["partition_by"], serde_json::json!(["scheme"]));
    let listed: BTreeMap<&str, (u64, u64)> = beside["files"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| {
            let number = |name: &str| file[name].as_u64().expect("a number");
            (file["path"].as_str().expect("a path"), (number("rows"), number("bytes")))
        })
        .collect();
    let found = files(&dir.path().join("out"));
    assert_eq!(listed.keys().copied().collect::<Vec<_>>(), found);
    for (path, (rows, bytes)) in &listed {
        let path = dir.path().join("out").join(path);
        assert_eq!((*rows, *bytes), (read(&path).len() as u64, fs::metadata(&path).expect("a file").len()));
    }
    let all: u64 = listed.values().map(|(rows, _)| rows).sum();
    assert_eq!(all, told["valid"].as_u64().expect("a number"));

    let done = urimill("normalize in.txt -o bar/ --partition-by scheme --progress always --summary none");
    assert!(done.within(dir.path()).ok().stderr.contains(" records"));
}

#[test]
fn files_are_the_same_to_the_byte() {
    let dir = dir();
    write(dir.path(), "in.txt", lines(20_000));
    let mut first: Option<Vec<(String, Vec<u8>)>> = None;
    for threads in [1, 2, 3, 8] {
        let line = format!(
            "normalize in.txt -o out/ --force --partition-by host --chunk 9000 --memory 1M --file-size 20K \
             --threads {threads}"
        );
        urimill(&line).within(dir.path()).ok();
        let out = dir.path().join("out");
        let found: Vec<_> =
            files(&out).into_iter().map(|f| (f.clone(), fs::read(out.join(f)).expect("a file"))).collect();
        assert!(found.len() > 250, "{}", found.len());
        let first = first.get_or_insert_with(|| found.clone());
        assert!(*first == found, "{threads} threads write other files than 1");
    }
}

/// A null and the empty text have one directory: what is in it is sorted as a whole, as its file declares.
#[test]
fn what_has_no_value_is_sorted_as_one() {
    let dir = dir();
    let count = 3000;
    let line = |n: usize| format!("http://h{}/{}\n", n * 7919 % count, ["", "?", "?q", "#", "?#"][n % 5]);
    write(dir.path(), "in.txt", (0..count).map(line).collect::<String>());
    for options in [
        "--partition-by query",
        "--partition-by query,fragment",
        "--partition-by fragment,query --memory 1M --chunk 2000 --threads 3",
    ] {
        let line = format!("normalize in.txt -o out/ --force --to jsonl --sort-by uri {options}");
        urimill(&line).within(dir.path()).ok();
        let out = dir.path().join("out");
        for file in files(&out) {
            let uris: Vec<_> = read(&out.join(&file)).into_iter().map(|row| row["uri"].clone()).collect();
            let uris: Vec<_> = uris.iter().map(|uri| uri.as_str().expect("a text")).collect();
            assert!(uris.is_sorted(), "{options}: {file}");
        }
        assert_eq!(rows(&out).len(), count, "{options}");
    }
}

#[test]
fn wrong_usage_is_one_sentence() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://a/\n");
    fs::create_dir(dir.path().join("full")).expect("a directory");
    write(&dir.path().join("full"), "in.txt", "http://a/\n");
    // (arguments, parts of the sentence)
    let table: &[(&str, &[&str])] = &[
        ("--partition-by scheme", &["--partition-by is for a directory of files", "-o DIR/"]),
        ("--file-size 1M", &["--file-size is for a directory of files"]),
        ("-o - --file-size 1M", &["--file-size is for a directory of files"]),
        ("-o out --partition-by nosuch", &["cannot partition by \"nosuch\"", "it has record, uri, raw"]),
        ("-o out --partition-by tld", &["cannot partition by \"tld\"", "--columns adds others"]),
        ("-o out --partition-by scheme,", &["cannot partition by \"\"", "it has record, uri, raw"]),
        ("-o out.csv --max-partitions 9", &["--partition-by"]),
        ("--sort-by scheme", &["the format uris has only the column uri", "--sort-by"]),
        ("-o out.txt --sort-by scheme", &["the format uris has only the column uri", "--sort-by"]),
        ("-o out --partition-by scheme,scheme", &["cannot partition by scheme twice"]),
        ("-o out --to uris --partition-by scheme", &["the format uris has only the column uri"]),
        (
            "-o out --columns host_parts,uri --partition-by host_parts",
            &["cannot partition by host_parts: its values are List"],
        ),
        ("-o in.txt --to csv --partition-by scheme", &["cannot write in.txt", "it is an input"]),
        ("-o /dev/null --partition-by scheme", &["cannot write /dev/null: it is not a directory"]),
        ("-o full", &["cannot write full: it is not empty", "_SUCCESS"]),
        ("-o full --force", &["cannot write full: it is not empty", "_SUCCESS"]),
        ("full/in.txt -o full --force", &["the input full/in.txt is in it"]),
        (
            "-o full/ --rejects full/bad.csv",
            &["cannot write full/bad.csv: it is in the directory of the table"],
        ),
        ("-o . --partition-by scheme", &["the input in.txt is in it"]),
    ];
    for (options, parts) in table {
        let run = urimill(&format!("normalize in.txt {options}")).within(dir.path());
        run.fails(2, parts);
        assert_eq!(names(dir.path()), ["full", "in.txt"], "{options}");
    }
}

#[test]
fn a_directory_is_replaced_as_a_whole() {
    let dir = dir();
    let run = |options: &str, stdin: &str| {
        urimill(&format!("normalize -o out/ --to csv {options}")).within(dir.path()).stdin(stdin)
    };
    run("--partition-by scheme", "http://a/\nftp://b/\n").ok();
    let old = files(&dir.path().join("out"));
    assert_eq!(old, ["scheme=ftp/part-00000.csv", "scheme=http/part-00000.csv"]);
    run("", "http://a/\n").fails(2, &["cannot write out/: it exists and is not empty; give --force"]);
    run("--force --on-invalid fail", "http://a/\n<b>\n").fails(1, &["record 2"]);
    assert_eq!(files(&dir.path().join("out")), old);
    run("--force", "http://a/\n").ok();
    assert_eq!(files(&dir.path().join("out")), ["part-00000.csv"]);
    assert_eq!(names(dir.path()), ["out"]);
}

#[test]
fn a_failed_run_leaves_nothing() {
    let dir = dir();
    write(dir.path(), "in.txt", lines(3000));
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03 this is no deflate stream";
    write(dir.path(), "damaged.gz", gzip);
    for (options, code) in [
        ("in.txt damaged.gz --file-size 1K", 3),
        ("in.txt --partition-by path --max-partitions 100", 2),
        ("in.txt --on-invalid fail --file-size 1K", 1),
        ("in.txt --file-size 1K --rejects /dev/full", 3),
    ] {
        for format in ["parquet", "csv"] {
            let line = format!("normalize -o out/ --to {format} --chunk 2000 {options}");
            if cfg!(target_os = "linux") || !line.contains("/dev/full") {
                urimill(&line).within(dir.path()).fails(code, &[]);
            }
            assert_eq!(names(dir.path()), ["damaged.gz", "in.txt"], "{line}");
        }
    }
}

/// A limit on the size of a file, met in the middle; one on open files, which a thousand partitions do not meet.
#[test]
#[cfg(target_os = "linux")]
fn limits_of_the_shell() {
    let dir = dir();
    write(dir.path(), "in.txt", lines(60_000));
    let shell = |limit: &str, line: &str| {
        let mut command = std::process::Command::new("bash");
        let script = format!("{limit}; exec {} {line}", env!("CARGO_BIN_EXE_urimill"));
        let output = command.args(["-c", &script]).current_dir(dir.path()).output().expect("bash");
        (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
    };
    let (code, said) = shell("ulimit -f 100", "normalize in.txt -o out/ --to csv --partition-by scheme");
    assert_eq!(code, Some(3), "{said}");
    assert!(said.starts_with("urimill: cannot write out/scheme="), "{said}");
    assert!(said.contains("larger than the limit of this shell"), "{said}");
    assert_eq!(names(dir.path()), ["in.txt"]);

    let line = "normalize in.txt -o out/ --partition-by record --columns record,uri --to csv --max-partitions 1000000 \
                --memory 2M --threads 3 --chunk 100000 --summary json";
    write(dir.path(), "in.txt", lines(2000));
    let (code, said) = shell("ulimit -n 32", line);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(files(&dir.path().join("out")).len(), 2000);
    assert!(
        said.starts_with("urimill: wrote 2000 files of 0 KiB on average, which takes readers long to open"),
        "{said}"
    );
}

/// Many partitions in no order: what waits is bounded.
#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded_with_many_partitions() {
    use std::io::Write;
    use std::process::Stdio;

    const ROWS: u64 = 60_000;
    let dir = dir();
    let line = "normalize -o out/ --partition-by host --memory 32M --threads 2 --summary json";
    let mut command = urimill(line).within(dir.path()).command;
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("urimill starts");
    let mut stdin = std::io::BufWriter::new(child.stdin.take().expect("a pipe"));
    let writer = std::thread::spawn(move || {
        for n in 0..ROWS {
            let host = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 128;
            writeln!(stdin, "http://host{host}.example.com/{n:02000}").expect("urimill reads");
        }
    });
    let mut largest = 0;
    while child.try_wait().expect("a child").is_none() {
        largest = largest.max(super::run::peak(child.id()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    writer.join().expect("the writer");
    let output = child.wait_with_output().expect("urimill ends");
    let told = String::from_utf8(output.stderr).expect("UTF-8");
    let told: Value = serde_json::from_str(told.lines().last().expect("a summary")).expect("JSON");
    assert_eq!((&told["valid"], &told["output"]["partitions"]), (&ROWS.into(), &128.into()));
    // In memory, with their paths once more, the rows come to 240 MB.
    assert!((10 << 10..150 << 10).contains(&largest), "{largest} kB at most");
}

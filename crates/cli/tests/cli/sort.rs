//! `--sort-by`: the rows of a run without it, in the order of the columns; the same bytes however they were sorted;
//! and files that say so.

use std::cmp::Ordering;
use std::fs::{self, File};
use std::path::Path;

use parquet::basic::BoundaryOrder;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader, SortingColumn};
use serde_json::{Value, json};

use super::logs::corpora;
use super::run::{dir, names, urimill, write};
use super::table::{Row, read};

/// Lines of every kind, in no order, many of them twice.
fn mixed(count: usize) -> String {
    let line = |n: usize| match n.wrapping_mul(0x9e37_79b9) >> 7 & 7 {
        0 => format!("HTTP://Example.com:80/{n}/../{n}?q={n}\n"),
        1 => format!("http://example.com/{}\n", "x".repeat(n % 150)),
        2 => format!("/path/{}#f\r\n", n % 3),
        3 => format!("http://h{}.example/ not a URI\n", n % 5),
        4 => "\n".to_owned(),
        5 => format!("https://user@[::1]:8080/%7e{n}\n"),
        6 => format!("mailto:a{}@EXAMPLE.com\n", n % 50),
        _ => format!("http://www{}.example.org/a/b?{}\n", n % 9, n % 4),
    };
    (0..count).map(line).collect()
}

/// Compares two values of a column. Nulls come last whichever the direction.
fn compare(a: &Value, b: &Value, descending: bool) -> Ordering {
    let ordering = match (a, b) {
        (Value::Null, _) | (_, Value::Null) => return a.is_null().cmp(&b.is_null()),
        (Value::String(a), Value::String(b)) => text(a).cmp(text(b)),
        (Value::Number(a), Value::Number(b)) => a.as_i64().cmp(&b.as_i64()),
        _ => panic!("{a} and {b} have no order"),
    };
    if descending { ordering.reverse() } else { ordering }
}

/// The order of texts: by bytes. Moments are written without zeros at their ends, 05Z and 05.5Z: the Z is in the way.
fn text(text: &str) -> &[u8] {
    let is_moment = text.len() >= 20 && text.as_bytes()[10] == b'T' && text.starts_with("20");
    if is_moment { text.trim_end_matches('Z').as_bytes() } else { text.as_bytes() }
}

/// The rows in the order of `keys`, as on the command line; a sort that keeps equal rows in order.
fn slowly(mut rows: Vec<Row>, keys: &str) -> Vec<Row> {
    rows.sort_by(|a, b| {
        let each = keys.split(',').map(|key| match key.strip_suffix(":desc") {
            Some(key) => compare(&a[key], &b[key], true),
            None => compare(&a[key], &b[key], false),
        });
        each.fold(Ordering::Equal, Ordering::then)
    });
    rows
}

fn assert_sorted(input: &str, keys: &str, dir: &Path) {
    urimill(&format!("normalize {input} -o plain.jsonl --force")).within(dir).ok();
    urimill(&format!("normalize {input} --sort-by {keys} -o sorted.jsonl --force")).within(dir).ok();
    let expected = slowly(read(&dir.join("plain.jsonl")), keys);
    assert!(expected.len() > 100, "{input}");
    let sorted = read(&dir.join("sorted.jsonl"));
    for (row, expected) in sorted.iter().zip(&expected) {
        assert_eq!(row, expected, "{input} by {keys}");
    }
    assert_eq!(sorted.len(), expected.len());
}

#[test]
fn rows_are_those_of_the_input_in_the_order_of_the_columns() {
    let dir = dir();
    write(dir.path(), "in.txt", mixed(4000));
    for keys in [
        "uri",
        "uri:desc",
        "host",
        "port:desc,uri",
        "scheme,host,path:desc",
        "error,record:desc",
        "error_offset:desc",
    ] {
        assert_sorted("in.txt", keys, dir.path());
    }
    assert_sorted("in.txt --columns +surt,-record", "surt", dir.path());
    assert_sorted(
        "in.txt in.txt --columns uri,source,registered_domain",
        "registered_domain:desc",
        dir.path(),
    );
}

#[test]
fn lists_and_logs_of_the_corpora_sort() {
    let Some(folder) = corpora() else { return };
    let dir = dir();
    let file = |name: &str| folder.join(name).display().to_string();
    assert_sorted(&format!("{} --columns +surt", file("kasztp.txt")), "surt", dir.path());
    assert_sorted(&file("eot2024_seedlists.txt"), "host:desc,uri", dir.path());
    let heritrix = format!("{} --from heritrix", file("heritrix_crawl.log"));
    for keys in ["fetch_time:desc", "mime,status:desc,size", "thread", "digest"] {
        assert_sorted(&heritrix, keys, dir.path());
    }
    let clf = format!("{} --from clf --base http://example.com/", file("apache_access_semicomplete.log"));
    assert_sorted(&clf, "status,time", dir.path());
}

#[test]
fn bytes_depend_on_the_rows_alone() {
    let dir = dir();
    write(dir.path(), "in.txt", mixed(30_000));
    let columns = "--columns +surt,+host_parts,+query_params";
    for extension in ["parquet", "arrow", "arrows", "csv", "jsonl"] {
        let mut first: Option<Vec<u8>> = None;
        let mut spilled = 0;
        for (threads, chunk, memory) in
            [(2, 1 << 20, "512M"), (1, 1 << 20, "1M"), (2, 1000, "1M"), (8, 50_000, "2M"), (3, 100_000, "6M")]
        {
            let line = format!(
                "normalize in.txt -o out.{extension} --force {columns} --sort-by host,surt --threads {threads} --chunk \
                 {chunk} --memory {memory} --row-group-rows 7000 --summary json"
            );
            let summary = urimill(&line).within(dir.path()).ok().summary();
            spilled += usize::from(summary["spilled_bytes"].as_u64().expect("a number") > 0);
            let bytes = fs::read(dir.path().join(format!("out.{extension}"))).expect("a file");
            let first = first.get_or_insert_with(|| bytes.clone());
            assert!(*first == bytes, "{extension}: other bytes with {threads} threads, {chunk}, {memory}");
        }
        assert_eq!(spilled, 4, "{extension}: only the first had memory for all rows");
    }
}

#[test]
fn standard_output_is_sorted_too() {
    let list = "http://b/\nhttp://a/\n<\n\nmailto:c\nHTTP://A\n";
    // (arguments, what comes out)
    let cases = [
        ("--sort-by uri", "<\nhttp://a/\nhttp://a/\nhttp://b/\nmailto:c\n"),
        ("--sort-by uri:desc", "mailto:c\nhttp://b/\nhttp://a/\nhttp://a/\n<\n"),
        ("--to csv --columns record,host --sort-by host", "record,host\n2,a\n6,a\n1,b\n3,\n5,\n"),
        ("--to csv --columns record,host --sort-by host:desc", "record,host\n1,b\n2,a\n6,a\n3,\n5,\n"),
    ];
    for (line, expected) in cases {
        let done = urimill(&format!("normalize {line} --summary none")).stdin(list).ok();
        assert_eq!(done.text(), expected, "{line}");
    }
}

#[test]
fn rejects_stay_in_the_order_of_the_input() {
    let dir = dir();
    write(dir.path(), "in.txt", mixed(3000));
    let line = "normalize in.txt --chunk 5000 --threads 3 --rejects";
    urimill(&format!("{line} plain.parquet -o plain.jsonl")).within(dir.path()).ok();
    urimill(&format!("{line} bad.parquet -o out.jsonl --sort-by uri --memory 1M")).within(dir.path()).ok();
    assert_eq!(
        fs::read(dir.path().join("plain.parquet")).expect("a file"),
        fs::read(dir.path().join("bad.parquet")).expect("a file")
    );
    assert_eq!(read(&dir.path().join("out.jsonl")), slowly(read(&dir.path().join("plain.jsonl")), "uri"));
}

fn metadata(path: &Path) -> ParquetMetaData {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    reader.parse_and_finish(&File::open(path).expect("a file")).expect("Parquet")
}

fn key(column_idx: i32, descending: bool) -> SortingColumn {
    SortingColumn { column_idx, descending, nulls_first: false }
}

#[test]
fn parquet_declares_its_order() {
    let dir = dir();
    write(dir.path(), "in.txt", mixed(3000));
    // (columns, --sort-by, what each row group declares, by leaves)
    let cases = [
        ("uri,host,port", "", None),
        ("uri,host,port", "host", Some(vec![key(1, false)])),
        ("uri,host,port", "port:desc,uri", Some(vec![key(2, true), key(0, false)])),
        // Two leaves for one column before it.
        ("uri,query_params,host", "host:desc", Some(vec![key(3, true)])),
        // A list has no order that the format knows.
        ("uri,host_parts,host", "host_parts", None),
        ("uri,host_parts,host", "host,host_parts,uri", Some(vec![key(2, false)])),
    ];
    for (columns, keys, expected) in cases {
        let sort = if keys.is_empty() { String::new() } else { format!("--sort-by {keys}") };
        let line =
            format!("normalize in.txt -o t.parquet --force --columns {columns} --row-group-rows 900 {sort}");
        urimill(&line).within(dir.path()).ok();
        let metadata = metadata(&dir.path().join("t.parquet"));
        assert!(metadata.num_row_groups() > 2);
        for group in metadata.row_groups() {
            assert_eq!(group.sorting_columns(), expected.as_ref(), "{columns} by {keys}");
        }
        let pairs = metadata.file_metadata().key_value_metadata().expect("pairs");
        let said =
            pairs.iter().find(|pair| pair.key == "urimill.sort_by").and_then(|pair| pair.value.as_deref());
        assert_eq!(said, (!keys.is_empty()).then_some(keys));
    }
}

#[test]
fn the_key_has_statistics_by_which_readers_prune() {
    let dir = dir();
    // Bounds are cut at 64 bytes: among texts that begin alike for longer row groups would seem to overlap.
    let list = mixed(6000);
    let short: Vec<&str> = list.lines().filter(|line| line.len() < 60).collect();
    write(dir.path(), "in.txt", short.join("\n"));
    // Texts that have none where rows are in the order of a log; the second key as well.
    for (sort_by, column, order) in [
        ("surt", "surt", BoundaryOrder::ASCENDING),
        ("uri", "uri", BoundaryOrder::ASCENDING),
        ("path:desc", "path", BoundaryOrder::DESCENDING),
        ("host,uri", "uri", BoundaryOrder::UNORDERED),
    ] {
        let line = format!(
            "normalize in.txt -o t.parquet --force --columns uri,host,path,surt --sort-by {sort_by} --row-group-rows 2000"
        );
        urimill(&line).within(dir.path()).ok();
        let metadata = metadata(&dir.path().join("t.parquet"));
        let leaf = ["uri", "host", "path", "surt"].iter().position(|name| *name == column).expect("a column");
        let mut bounds = Vec::new();
        for (number, group) in metadata.row_groups().iter().enumerate() {
            let statistics =
                group.column(leaf).statistics().unwrap_or_else(|| panic!("statistics of {column}"));
            // The last may have nothing but nulls.
            bounds.extend(statistics.min_bytes_opt().zip(statistics.max_bytes_opt()));
            let index = &metadata.column_index().expect("an index")[number][leaf];
            assert!(index.get_boundary_order().is_some(), "no index of {column}");
        }
        assert!(bounds.len() > 1);
        let apart = bounds.windows(2).all(|pair| match order {
            BoundaryOrder::ASCENDING => pair[0].1 <= pair[1].0,
            BoundaryOrder::DESCENDING => pair[1].1 <= pair[0].0,
            BoundaryOrder::UNORDERED => true,
        });
        assert!(apart, "{sort_by}: row groups overlap");
    }
}

#[test]
fn the_least_inputs() {
    let dir = dir();
    for (input, rows) in [("", 0), ("\n\n", 0), ("http://a/\n", 1)] {
        for extension in ["parquet", "arrow", "csv", "jsonl"] {
            let line = format!("normalize --sort-by uri --summary json --force -o t.{extension}");
            let summary = urimill(&line).within(dir.path()).stdin(input).ok().summary();
            assert_eq!(
                (&summary["records"], &summary["spilled_bytes"]),
                (&json!(rows), &json!(0)),
                "{input:?}"
            );
            assert_eq!(read(&dir.path().join(format!("t.{extension}"))).len(), rows, "{input:?}");
        }
    }
    let unsorted = urimill("normalize --summary json").stdin("http://a/\n").ok().summary();
    assert_eq!(unsorted["spilled_bytes"], Value::Null);
}

#[test]
fn a_record_wider_than_the_memory_is_sorted_like_others() {
    let dir = dir();
    let wide = |first: &str| format!("http://{first}/{}\n", "w".repeat((16 << 20) - 100));
    write(dir.path(), "in.txt", format!("{}http://c/\n{}http://a/\n", wide("d"), wide("b")));
    let line =
        "normalize in.txt --sort-by uri --memory 1M --max-record 16M --columns record,uri,error -o out.jsonl";
    urimill(line).within(dir.path()).ok();
    let rows = read(&dir.path().join("out.jsonl"));
    let records: Vec<_> = rows.iter().map(|row| row["record"].as_i64().expect("a number")).collect();
    assert_eq!(records, [4, 3, 2, 1]);
    assert_eq!(rows[1]["uri"].as_str().expect("a text").len(), (16 << 20) - 100 + "http://b/".len());
    assert!(rows.iter().all(|row| row["error"].is_null()));
}

#[test]
fn wrong_usage_is_one_sentence_and_leaves_no_file() {
    let dir = dir();
    write(dir.path(), "in.txt", "http://a/\n");
    // (arguments, exit code, what the sentence has in it)
    let mistakes: &[(&str, i32, &[&str])] = &[
        ("-o t.csv --sort-by hots", 2, &["cannot sort by \"hots\"", "it has record, uri, raw", "--columns"]),
        ("-o t.csv --sort-by surt:desc", 2, &["cannot sort by \"surt\""]),
        ("-o t.csv --sort-by host:up", 2, &["cannot sort by \"host:up\""]),
        ("-o t.csv --sort-by host,uri,host:desc", 2, &["names the column \"host:desc\" twice"]),
        ("--sort-by host", 2, &["the format uris has only the column uri", "--sort-by"]),
        (
            "-o t.csv --sort-by uri --temp-dir nosuch",
            3,
            &["cannot create temporary files in nosuch", "--temp-dir"],
        ),
        ("-o nosuch/t.csv --sort-by uri", 3, &["cannot create nosuch/t.csv"]),
    ];
    for (line, code, parts) in mistakes {
        urimill(&format!("normalize in.txt {line}")).within(dir.path()).fails(*code, parts);
        assert_eq!(names(dir.path()), ["in.txt"], "{line}");
    }
    for (line, part) in
        [("--sort-by uri --memory 5", "1M up"), ("--memory 1K", "1M up"), ("--temp-dir .", "--sort-by")]
    {
        let done = urimill(&format!("normalize {line}")).go();
        assert_eq!((done.code, done.text()), (Some(2), ""), "{line}");
        assert!(done.stderr.contains(part), "{line}: {}", done.stderr);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_one_sentence_and_nothing_is_left() {
    use super::run::bounded;
    let dir = dir();
    write(dir.path(), "in.txt", mixed(60_000));
    write(dir.path(), "out.csv", "old\n");
    for threads in [1, 4] {
        let line =
            format!("normalize in.txt -o out.csv --force --sort-by uri --memory 1M --threads {threads}");
        // Without --temp-dir it is the directory of the output.
        bounded(100, &line, dir.path())
            .fails(3, &["cannot write temporary files in .", "there is no space for them", "--temp-dir"]);
        assert_eq!(names(dir.path()), ["in.txt", "out.csv"]);
        assert_eq!(fs::read_to_string(dir.path().join("out.csv")).expect("a file"), "old\n");
    }
    let line = "normalize in.txt -o /dev/full --to csv --sort-by uri --memory 1M --temp-dir .";
    urimill(line).within(dir.path()).fails(3, &["cannot write /dev/full", "no space is left on the device"]);
}

#[test]
fn a_failed_run_publishes_nothing() {
    let dir = dir();
    write(dir.path(), "in.txt", mixed(30_000));
    write(dir.path(), "damaged.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03 this is no deflate stream");
    let all = names(dir.path());
    for threads in [1, 4] {
        let run = |line: &str| {
            let options =
                format!("-o out.parquet --sort-by uri --memory 1M --chunk 10000 --threads {threads}");
            urimill(&format!("normalize {line} {options}")).within(dir.path())
        };
        run("in.txt damaged.gz").fails(3, &["damaged.gz"]);
        run("in.txt --on-invalid fail").fails(1, &["of in.txt is no URI reference"]);
        assert_eq!(names(dir.path()), all);
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    use std::io::Read;
    use std::process::Stdio;
    let dir = dir();
    write(dir.path(), "in.txt", mixed(60_000));
    for options in ["", "--memory 1M --temp-dir . --to csv"] {
        let mut command =
            urimill(&format!("normalize in.txt --sort-by uri {options}")).within(dir.path()).command;
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("urimill starts");
        child.stdout.take().expect("a pipe").read_exact(&mut [0; 4]).expect("four bytes");
        let output = child.wait_with_output().expect("urimill ends");
        assert_eq!((output.status.code(), &output.stderr[..]), (Some(0), &b""[..]), "{options}");
        assert_eq!(names(dir.path()), ["in.txt"]);
    }
}

/// A run that has spilled and waits for more of its standard input, ended by each signal; SIGKILL too leaves
/// no temporary files, because those have no names.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_leaves_no_temporary_files() {
    use super::run::{has_unnamed, wait_until};
    use std::io::Write;
    use std::process::{Command, Stdio};
    for (signal, code, said) in [
        ("-INT", Some(130), "urimill: interrupted; nothing was published\n"),
        ("-TERM", Some(143), "urimill: terminated; nothing was published\n"),
        ("-KILL", None, ""),
    ] {
        let (dir, temporary) = (dir(), dir());
        let line = "normalize -o out.csv --sort-by uri --memory 1M --chunk 50000 --temp-dir";
        let mut command = urimill(line).arg(temporary.path()).within(dir.path()).command;
        let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("urimill starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(mixed(60_000).as_bytes()).expect("urimill reads");
        wait_until(|| has_unnamed(&child, temporary.path()));
        assert_eq!(names(temporary.path()), [""; 0]);
        let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(status.expect("kill").success());
        let output = child.wait_with_output().expect("urimill ends");
        drop(stdin);
        assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (code, said));
        assert_eq!(names(temporary.path()), [""; 0], "{signal}");
        if code.is_some() {
            assert_eq!(names(dir.path()), [""; 0], "{signal}");
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded() {
    use super::run::peak;
    use std::process::Stdio;
    let dir = dir();
    let lines =
        (0..900_000).map(|n: usize| format!("http://h{:x}.example/{n}\n", n.wrapping_mul(0x9e37_79b9)));
    write(dir.path(), "in.txt", lines.collect::<String>());
    let once = |options: &str| {
        let line =
            format!("normalize in.txt -o out.parquet --force --threads 2 --row-group-rows 50000 {options}");
        let mut command = urimill(&line).within(dir.path()).command;
        let mut child = command.stderr(Stdio::null()).spawn().expect("urimill starts");
        let mut largest = 0;
        while child.try_wait().expect("a child").is_none() {
            largest = largest.max(peak(child.id()).unwrap_or(0));
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        assert!(child.wait().expect("urimill ends").success());
        largest
    };
    // How much of what is free it keeps for later is the allocator's affair, and differs from run to run.
    let most = |options: &str| (0..3).map(|_| once(options)).min().expect("three runs");
    let (plain, bounded, whole) =
        (most(""), most("--sort-by host --memory 8M"), most("--sort-by host --memory 1G"));
    // Kilobytes. All rows take a hundred megabytes and more; what merging reads and writes takes some, and what
    // threads hold at one time differs by a dozen megabytes.
    assert!(bounded < plain + (8 << 10) + (48 << 10), "{bounded} kB against {plain} without sorting");
    assert!(whole > bounded + (50 << 10), "{whole} kB: the bound means nothing");
}

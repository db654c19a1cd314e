//! Columns about the domains of hosts, and the public suffix list that they go by.

use std::collections::HashMap;
use std::fs::{self, File};

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::ParquetMetaData;

use super::run::{dir, names, urimill, write};
use super::table::read;

/// (columns, input, the rows of the table as CSV)
const TABLES: &[(&str, &str, &str)] = &[
    (
        "host,registered_domain,public_suffix",
        "http://www.example.co.uk/\n/no/host\nhttp://[::1]/\nhttp://a b/\nhttp://github.io/\n",
        "www.example.co.uk,example.co.uk,co.uk\n,,\n[::1],,\n,,\ngithub.io,github.io,io\n",
    ),
    (
        "private_domain,private_suffix",
        "http://a.b.github.io/\nhttp://github.io/\n",
        "b.github.io,github.io\n,github.io\n",
    ),
    (
        "host,host_ascii,host_unicode",
        "http://B%C3%BCcher.DE./\n",
        "b%C3%BCcher.de.,xn--bcher-kva.de,bücher.de\n",
    ),
    (
        "tld,host_reversed",
        "http://www.example.com/\nhttp://localhost/\n",
        "com,com.example.www\nlocalhost,localhost\n",
    ),
    // Lists have no form of their own in CSV.
    ("host_parts", "http://www.example.com/\nhttp://A,b.com/\n/\n", "com|example|www\n\"com|a,b\"\n\n"),
];

#[test]
fn tables() {
    for (columns, input, expected) in TABLES {
        let done = urimill(&format!("normalize --to csv --columns {columns}")).stdin(*input).ok();
        assert_eq!(done.text(), format!("{columns}\n{expected}"));
    }
}

#[test]
fn rejects_leave_the_others_in_order() {
    let dir = dir();
    let input = "http://a.example.com/\nhttp://a b/\n/\nhttp://b.example.com/\n";
    let columns = "record,host_parts,registered_domain";
    let line = format!("normalize --columns {columns} --rejects bad.jsonl -o t.jsonl");
    urimill(&line).within(dir.path()).stdin(input).ok();
    assert_eq!(
        std::fs::read_to_string(dir.path().join("t.jsonl")).expect("a file"),
        "{\"record\":1,\"host_parts\":[\"com\",\"example\",\"a\"],\"registered_domain\":\"example.com\"}\n\
         {\"record\":3,\"host_parts\":null,\"registered_domain\":null}\n\
         {\"record\":4,\"host_parts\":[\"com\",\"example\",\"b\"],\"registered_domain\":\"example.com\"}\n"
    );
    assert_eq!(read(&dir.path().join("bad.jsonl")).len(), 1);
}

fn parquet(path: &std::path::Path) -> ParquetMetaData {
    let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file"));
    reader.expect("Parquet").metadata().as_ref().clone()
}

/// The output names its list, if a column depends on it.
#[test]
fn another_list() {
    let dir = dir();
    write(dir.path(), "my.dat", "// VERSION: 2026-01-02\nintern\n*.lab.intern\n");
    let list = |line: &str| {
        urimill(&format!("{line} -o t.parquet --force"))
            .within(dir.path())
            .stdin("http://www.a.b.lab.intern/\n")
            .ok();
        let path = dir.path().join("t.parquet");
        let pairs = parquet(&path).file_metadata().key_value_metadata().expect("metadata").clone();
        let mut pairs: HashMap<_, _> = pairs.into_iter().map(|pair| (pair.key, pair.value)).collect();
        let row = read(&path).remove(0);
        let domain = row.get("registered_domain").and_then(|domain| domain.as_str().map(str::to_owned));
        (domain, pairs.remove("urimill.public_suffix_list").flatten())
    };
    let (domain, version) = list("normalize --psl my.dat --columns +registered_domain");
    assert_eq!((domain.as_deref(), version.as_deref()), (Some("a.b.lab.intern"), Some("my.dat 2026-01-02")));
    let (domain, version) = list("normalize --columns +registered_domain");
    assert_eq!((domain, version.is_some_and(|version| version.starts_with("psl "))), (None, true));
    assert_eq!(list("normalize --columns +tld"), (None, None));
    // The list's own rule for names that it does not have.
    let (domain, _) = list("normalize --psl-unlisted --columns +registered_domain");
    assert_eq!(domain.as_deref(), Some("lab.intern"));
    let (domain, _) = list("normalize --psl my.dat --psl-unlisted --columns +registered_domain");
    assert_eq!(domain.as_deref(), Some("a.b.lab.intern"), "the list has a rule");
    urimill("normalize --psl-unlisted -o t.csv --force")
        .within(dir.path())
        .fails(2, &["--psl-unlisted is for columns that need a public suffix list"]);
}

#[test]
fn a_list_that_cannot_be_used() {
    let dir = dir();
    write(dir.path(), "page.html", "<!DOCTYPE html>\n");
    write(dir.path(), "latin.dat", b"com\nb\xfcro\n");
    write(dir.path(), "empty.dat", "");
    let files = names(dir.path());
    for (file, parts) in [
        ("none.dat", &["cannot read the public suffix list none.dat", "No such file"][..]),
        (
            "page.html",
            &["cannot use page.html as a public suffix list", "line 1 is not a rule", "<!DOCTYPE html>"],
        ),
        ("latin.dat", &["latin.dat", "not UTF-8 at byte 5"]),
        ("empty.dat", &["empty.dat", "has no rule"]),
    ] {
        let line = format!("normalize --psl {file} --columns +public_suffix -o t.csv");
        urimill(&line).within(dir.path()).stdin("http://a/\n").fails(3, parts);
        assert_eq!(names(dir.path()), files, "{file}");
    }
}

/// A list is read like the inputs, and no output takes its place.
#[test]
fn a_list_is_not_overwritten() {
    let dir = dir();
    fs::create_dir(dir.path().join("old")).expect("a directory");
    write(&dir.path().join("old"), "_SUCCESS", "");
    write(&dir.path().join("old"), "my.dat", "com\n");
    write(dir.path(), "my.dat", "com\n");
    for (options, part) in [
        ("--psl my.dat -o my.dat --to csv", "cannot write my.dat: it is an input"),
        ("--psl my.dat -o t.csv --rejects my.dat --to csv", "cannot write my.dat: it is an input"),
        ("--psl old/my.dat -o old/", "the input old/my.dat is in it"),
    ] {
        let run =
            urimill(&format!("normalize {options} --force --columns +public_suffix")).within(dir.path());
        run.stdin("http://a/\n").fails(2, &[part]);
        assert_eq!(names(dir.path()), ["my.dat", "old"], "{options}");
        assert_eq!(fs::read(dir.path().join("my.dat")).expect("a file"), b"com\n");
    }
}

/// Labels of a list repeat, so they have a dictionary; nothing is pruned by the least of them.
#[test]
fn labels_in_parquet() {
    let dir = dir();
    urimill("normalize --columns host_parts,tld -o t.parquet")
        .within(dir.path())
        .stdin("http://a.com/\n")
        .ok();
    let metadata = parquet(&dir.path().join("t.parquet"));
    let column = |i: usize| {
        let column = metadata.row_group(0).column(i);
        (
            column.column_path().string(),
            column.dictionary_page_offset().is_some(),
            column.statistics().is_some(),
        )
    };
    assert_eq!(column(0), ("host_parts.list.element".to_owned(), true, false));
    assert_eq!(column(1), ("tld".to_owned(), true, true));
}

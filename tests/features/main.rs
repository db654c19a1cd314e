//! The features of the package: a feature that is built in works, and one that is not is refused by its name. Every set
//! of features passes these tests: `cargo test --no-default-features --features NAME --test features`.

use std::fs;
use std::path::Path;

use urimill::run::{Conversion, Dedupe, InputFormat, Output, TableSchema};
use urimill::{ErrorKind, Result};

/// `http://a/` and a line feed in each compression, and the feature that reads it.
const COMPRESSED: [(&str, bool, &[u8]); 4] = [
    ("gzip", cfg!(feature = "gzip"), include_bytes!("line.gz")),
    ("zstd", cfg!(feature = "zstd"), include_bytes!("line.zst")),
    ("bzip2", cfg!(feature = "bzip2"), include_bytes!("line.bz2")),
    ("xz", cfg!(feature = "xz"), include_bytes!("line.xz")),
];

/// A run succeeds if `is_built_in`; otherwise it is a usage error that names the feature.
fn is_as_built(what: &str, feature: &str, is_built_in: bool, ran: Result<u64>) {
    match ran {
        Ok(rows) => {
            assert!(is_built_in, "{what}: there is no {feature}");
            assert!(rows > 0, "{what}");
        }
        Err(error) => {
            assert!(!is_built_in, "{what}: {error}");
            assert!(error.to_string().contains(&format!("without the feature {feature}")), "{what}: {error}");
        }
    }
}

fn convert(input: &Path, output: &Path) -> Result<u64> {
    let run = Conversion::new().inputs([input]).write_to(Output::to(output).force(true));
    run.run().map(|stats| stats.records)
}

#[test]
fn an_output_is_written_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("list.txt");
    fs::write(&input, "http://a/\nhttp://b/\n").expect("a list");
    // (name, feature, whether it is built in)
    let outputs = [
        ("x.parquet", "parquet", cfg!(feature = "parquet")),
        ("x.arrow", "ipc", cfg!(feature = "ipc")),
        ("x.arrows", "ipc", cfg!(feature = "ipc")),
        ("x.csv", "", true),
        ("x.jsonl", "", true),
        ("x.csv.gz", "gzip", cfg!(feature = "gzip")),
        ("x.jsonl.zst", "zstd", cfg!(feature = "zstd")),
    ];
    for (name, feature, is_built_in) in outputs {
        let output = folder.path().join(name);
        is_as_built(name, feature, is_built_in, convert(&input, &output));
        assert_eq!(output.exists(), is_built_in, "{name}");
        if is_built_in && !name.contains(".csv") && !name.contains(".jsonl") {
            // The output is read again.
            let again = Output::to(folder.path().join("again.csv")).force(true);
            let run = Conversion::new().inputs([&output]).uri_field("uri").write_to(again).run();
            is_as_built(name, feature, true, run.map(|stats| stats.records));
        }
    }
}

#[test]
fn an_input_is_decompressed_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    for (feature, is_built_in, bytes) in COMPRESSED {
        let input = folder.path().join(feature);
        fs::write(&input, bytes).expect("a file");
        let output = folder.path().join("x.csv");
        let ran = convert(&input, &output);
        is_as_built(feature, feature, is_built_in, ran);
    }
}

#[test]
fn tables_and_archives_are_read_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    // Beginnings of files: a format that is built in finds them damaged.
    let inputs = [
        ("x.parquet", &b"PAR1....PAR1"[..], InputFormat::Parquet, "parquet", cfg!(feature = "parquet")),
        ("x.arrow", b"ARROW1\0\0........ARROW1", InputFormat::Arrow, "ipc", cfg!(feature = "ipc")),
        ("x.wacz", b"PK\x05\x06...................", InputFormat::Wacz, "gzip", cfg!(feature = "gzip")),
    ];
    for (name, bytes, format, feature, is_built_in) in inputs {
        let input = folder.path().join(name);
        fs::write(&input, bytes).expect("a file");
        let run = Conversion::new().inputs([&input]).format(format);
        let run = if format == InputFormat::Wacz { run } else { run.uri_field("uri") };
        let error = run.write_to(Output::to(folder.path().join("x.csv")).force(true)).run().expect_err(name);
        let names_it = error.to_string().contains(&format!("without the feature {feature}"));
        assert_eq!(names_it, !is_built_in, "{name}: {error}");
    }
}

#[test]
fn a_sort_and_a_count_go_to_disk_whatever_compresses_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("list.txt");
    let list: String = (0..60_000).map(|n| format!("http://h/{:x}\n", n * 7919 % 60_000)).collect();
    fs::write(&input, list).expect("a list");
    let sorted = folder.path().join("sorted.csv");
    let run = Conversion::new().inputs([&input]).columns(["uri"]).sort_by(["uri"]).memory(1 << 20);
    run.write_to(Output::to(&sorted)).run().expect("a sorted table");
    let text = fs::read_to_string(&sorted).expect("a table");
    let uris: Vec<&str> =
        text.lines().skip(1).map(|line| line.split(',').next().unwrap_or_default()).collect();
    assert_eq!(uris.len(), 60_000);
    assert!(uris.is_sorted(), "{:?}", uris.windows(2).find(|pair| pair[0] > pair[1]));
    let counted = folder.path().join("counted.csv");
    let run = Dedupe::new().inputs([&input]).memory(1 << 20).write_to(Output::to(&counted));
    run.run().expect("a count");
    assert_eq!(fs::read_to_string(&counted).expect("a table").lines().count(), 60_001);
}

#[test]
fn common_crawls_table_is_made_or_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("list.txt");
    fs::write(&input, "http://a/\n").expect("a list");
    let run =
        Conversion::new().inputs([&input]).format(InputFormat::Lines).schema(TableSchema::CcIndex).fill(true);
    let ran = run.write_to(Output::to(folder.path().join("x.csv"))).run();
    assert!(ran.as_ref().map_or_else(|error| error.kind() == ErrorKind::Usage, |_| true), "{ran:?}");
    is_as_built("cc-index", "cc-index", cfg!(feature = "cc-index"), ran.map(|stats| stats.records));
}

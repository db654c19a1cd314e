//! A table as a directory of files: every row is in one of them, by its partition values.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, AsArray, Float64Array, Int64Array, RecordBatch, StringArray, StringViewArray,
    TimestampMillisecondArray,
};
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use urimill_base::error::{ErrorKind, Result};
use urimill_base::threads::Workers;
use urimill_write::{Compression, DirectoryOptions, Format, OutputSize, SinkOptions, create_directory};

use super::table::{drive, options};

const FORMATS: [Format; 5] =
    [Format::Parquet, Format::Arrow, Format::ArrowStream, Format::Csv, Format::Jsonl];

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("key", DataType::Utf8View, true),
        Field::new("n", DataType::Int64, false),
        Field::new("text", DataType::Utf8View, true),
    ]))
}

/// A directory of its own for a test: in memory if possible, because every file is synced and a disk takes its time.
fn in_memory() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a directory")
}

/// Bytes that do not compress, and are the same each time.
fn noise(n: u64, length: usize) -> String {
    let mut state = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'!' + (state % 93) as u8)
    };
    (0..length).map(|_| next()).collect()
}

/// `batches` batches of `rows` rows, numbered consecutively; `key` makes the key from a number.
fn batches(batches: u64, rows: u64, key: impl Fn(u64) -> Option<String>) -> Vec<RecordBatch> {
    let batch = |batch: u64| {
        let numbers = batch * rows..(batch + 1) * rows;
        let text = |n: u64| (n % 11 != 3).then(|| noise(n, 20 + (n % 130) as usize));
        let columns: Vec<ArrayRef> = vec![
            Arc::new(numbers.clone().map(&key).collect::<StringViewArray>()),
            Arc::new(numbers.clone().map(|n| n as i64).collect::<Int64Array>()),
            Arc::new(numbers.map(text).collect::<StringViewArray>()),
        ];
        RecordBatch::try_new(schema(), columns).expect("the columns are those of the schema")
    };
    (0..batches).map(batch).collect()
}

fn by_key() -> DirectoryOptions {
    DirectoryOptions { partition_by: vec!["key".to_owned()], ..DirectoryOptions::default() }
}

fn lay(
    path: &Path,
    format: Format,
    batches: &[RecordBatch],
    layout: &DirectoryOptions,
    threads: usize,
) -> Result<OutputSize> {
    let options = SinkOptions { compression: Compression::Snappy, ..options() };
    let layout = DirectoryOptions { threads: Arc::new(Workers::start(threads)), ..layout.clone() };
    let schema = batches.first().map_or_else(schema, |batch| batch.schema());
    drive(create_directory(format, path, true, schema, &options, &layout)?, batches, threads)
}

/// The files below `path` and their bytes, without the mark of completeness.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    fn visit(directory: &Path, name: &str, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(directory).expect("a directory") {
            let entry = entry.expect("an entry");
            let name = format!("{name}{}", entry.file_name().into_string().expect("UTF-8"));
            match entry.path() {
                path if path.is_dir() => visit(&path, &format!("{name}/"), found),
                path => drop(found.insert(name, fs::read(path).expect("a file"))),
            }
        }
    }
    let mut found = BTreeMap::new();
    visit(path, "", &mut found);
    assert_eq!(found.remove("_SUCCESS").as_deref(), Some(&b""[..]));
    found
}

fn numbers(parquet: &[u8]) -> Vec<i64> {
    let bytes = bytes::Bytes::copy_from_slice(parquet);
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes).expect("Parquet").build().expect("a reader");
    let numbers = |batch: RecordBatch| batch["n"].as_primitive::<Int64Type>().values().to_vec();
    reader.flat_map(|batch| numbers(batch.expect("a batch"))).collect()
}

/// Keys as in logs: one that most rows have, some that many have, and a long tail.
fn skewed(n: u64) -> Option<String> {
    match n % 10 {
        0..=4 => Some("most".to_owned()),
        5..=7 => Some(format!("some {}", n / 10 % 5)),
        8 => Some(format!("tail {}", n.wrapping_mul(0x9e37_79b9) % 397)),
        _ => None,
    }
}

/// Little memory, so that everything happens: rows wait and are gathered, files close for others, row groups end early,
/// and few rows get a file of their own.
fn short() -> DirectoryOptions {
    DirectoryOptions { memory: 1 << 20, file_bytes: 100_000, ..by_key() }
}

#[test]
fn every_row_is_in_its_partition_once_and_in_order() {
    let dir = in_memory();
    let input = batches(40, 600, skewed);
    for (name, layout) in [("ample", by_key()), ("short", short())] {
        let path = dir.path().join(name);
        let finished = lay(&path, Format::Parquet, &input, &layout, 2).expect("a directory");
        let files = files(&path);
        assert_eq!(finished.files, files.len() as u64);
        assert_eq!(finished.bytes, files.values().map(|bytes| bytes.len() as u64).sum::<u64>());
        let mut found: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for (file, bytes) in &files {
            let (directory, part) = file.split_once('/').expect("a partition");
            let rows = found.entry(directory.to_owned()).or_default();
            assert!(part.starts_with("part-") && part.ends_with(".parquet"), "{file}");
            // Each partition is in the order of the input.
            rows.extend(numbers(bytes));
        }
        let mut expected: BTreeMap<String, Vec<i64>> = BTreeMap::new();
        for n in 0..40 * 600 {
            let value = skewed(n).unwrap_or_else(|| "__HIVE_DEFAULT_PARTITION__".to_owned());
            expected.entry(format!("key={value}")).or_default().push(n as i64);
        }
        assert!(found == expected, "{name}: rows are lost, twice there, or in disorder");
        // Otherwise the second case would show nothing new.
        assert_eq!(files.len() > found.len(), name == "short");
    }
}

#[test]
fn names_and_bytes_do_not_depend_on_threads() {
    let dir = in_memory();
    let input = batches(40, 600, skewed);
    let undivided = DirectoryOptions { partition_by: Vec::new(), ..short() };
    for format in FORMATS {
        for (name, layout) in [("divided", short()), ("undivided", undivided.clone())] {
            let mut first = None;
            for threads in [1, 2, 3, 8] {
                let path = dir.path().join(name);
                lay(&path, format, &input, &layout, threads).expect("a directory");
                let files = files(&path);
                assert!(files.len() > 10, "{format:?} {name}: {}", files.len());
                let first = first.get_or_insert_with(|| files.clone());
                assert!(*first == files, "{format:?} {name}: {threads} threads write other bytes than 1");
            }
        }
    }
}

#[test]
fn files_end_near_the_size_asked_for() {
    let dir = in_memory();
    let input = batches(150, 1000, |n| Some((n % 2).to_string()));
    let undivided = DirectoryOptions { partition_by: Vec::new(), ..by_key() };
    for format in FORMATS {
        for (layout, partitions) in [(by_key(), 2), (undivided.clone(), 1)] {
            for file_bytes in [300_000, 1_000_000] {
                let path = dir.path().join("sized");
                lay(&path, format, &input, &DirectoryOptions { file_bytes, ..layout.clone() }, 2)
                    .expect("a directory");
                let mut sizes: Vec<usize> = files(&path).values().map(Vec::len).collect();
                sizes.sort();
                // The last file of each partition has what is left.
                for size in &sizes[partitions..] {
                    let ratio = *size as f64 / file_bytes as f64;
                    assert!((0.65..1.5).contains(&ratio), "{format:?}, {file_bytes}: {sizes:?}");
                }
                assert!(sizes.len() > 2 * partitions, "{format:?}, {file_bytes}: {sizes:?}");
            }
        }
    }
}

/// Values of a column, and their directories.
#[test]
fn values_name_directories() {
    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a/b"), Some(""), None, Some("..")]));
    let views: ArrayRef = Arc::new(StringViewArray::from(vec![Some("%"), Some("é"), Some("x"), Some("x")]));
    let integers: ArrayRef = Arc::new(Int64Array::from(vec![Some(-1), Some(200), None, Some(200)]));
    let times: ArrayRef = Arc::new(
        TimestampMillisecondArray::from(vec![Some(0), Some(1_700_000_000_123), None, Some(0)])
            .with_timezone("UTC"),
    );
    // (partition columns, directories)
    let table: [(&[&str], &[&str]); 5] = [
        (&["texts"], &["texts=..", "texts=__HIVE_DEFAULT_PARTITION__", "texts=a%2Fb"]),
        (&["views"], &["views=%25", "views=x", "views=é"]),
        (&["integers"], &["integers=-1", "integers=200", "integers=__HIVE_DEFAULT_PARTITION__"]),
        (
            &["times"],
            &[
                "times=1970-01-01T00%3A00%3A00Z",
                "times=2023-11-14T22%3A13%3A20.123Z",
                "times=__HIVE_DEFAULT_PARTITION__",
            ],
        ),
        (
            &["integers", "views"],
            &[
                "integers=-1/views=%25",
                "integers=200/views=x",
                "integers=200/views=é",
                "integers=__HIVE_DEFAULT_PARTITION__/views=x",
            ],
        ),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable([
        ("texts", texts, true),
        ("views", views, true),
        ("integers", integers, true),
        ("times", times, true),
        ("rest", Arc::new(Int64Array::from(vec![1, 2, 3, 4])) as ArrayRef, false),
    ])
    .expect("a batch");
    let dir = in_memory();
    for (by, expected) in table {
        let path = dir.path().join("out");
        let layout =
            DirectoryOptions { partition_by: by.iter().map(|&name| name.into()).collect(), ..by_key() };
        lay(&path, Format::Jsonl, std::slice::from_ref(&batch), &layout, 1).expect("a directory");
        let files = files(&path);
        let expected = expected.iter().map(|directory| format!("{directory}/part-00000.jsonl"));
        assert_eq!(files.keys().cloned().collect::<BTreeSet<_>>(), expected.collect(), "{by:?}");
        let text: String = files.values().map(|bytes| String::from_utf8_lossy(bytes)).collect();
        assert_eq!(text.lines().count(), 4, "{by:?}");
        for name in by {
            assert!(
                !text.contains(&format!("{name:?}:")),
                "{by:?}: a column that divides is not in the files"
            );
        }
    }
}

#[test]
fn an_empty_table_writes_one_file_unless_it_is_partitioned() {
    let dir = in_memory();
    let path = dir.path().join("out");
    let undivided = DirectoryOptions { partition_by: Vec::new(), ..by_key() };
    for input in [batches(0, 0, skewed), batches(1, 0, skewed)] {
        lay(&path, Format::Csv, &input, &undivided, 1).expect("a directory");
        assert_eq!(files(&path), BTreeMap::from([("part-00000.csv".to_owned(), b"key,n,text\n".to_vec())]));
        lay(&path, Format::Csv, &input, &by_key(), 1).expect("a directory");
        assert_eq!(files(&path), BTreeMap::new());
    }
}

#[test]
fn columns_that_cannot_partition_are_errors() {
    let dir = in_memory();
    let path = dir.path().join("out");
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_from_iter([
        ("n", numbers.clone()),
        ("m", numbers),
        ("x", Arc::new(Float64Array::from(vec![0.5, 1.0, 2.0])) as ArrayRef),
        ("long", Arc::new(StringArray::from(vec!["", "l", &"l".repeat(300)])) as ArrayRef),
    ])
    .expect("a batch");
    // (columns, most partitions, the error message)
    let table: [(&[&str], usize, &str); 6] = [
        (
            &["nosuch"],
            9,
            "cannot partition by \"nosuch\": the table has no such column; it has n, m, x, long",
        ),
        (&["n", "m", "n"], 9, "cannot partition by n twice; name it once"),
        (
            &["x"],
            9,
            "cannot partition by x: its values are Float64; take a column of texts, integers or times",
        ),
        (&["n", "m", "long", "x"], 9, "cannot partition by x: its values"),
        (
            &["n"],
            2,
            "there are more than 2 partitions, the last one \"n=3\"; partition by columns with fewer values",
        ),
        (&["long"], 9, "makes the name of a directory of 305 bytes, and file systems take 255"),
    ];
    for (by, max_partitions, part) in table {
        let partition_by = by.iter().map(|&name| name.into()).collect();
        let layout = DirectoryOptions { partition_by, max_partitions, ..by_key() };
        for threads in [1, 3] {
            let error = lay(&path, Format::Parquet, std::slice::from_ref(&batch), &layout, threads);
            let error = error.expect_err(part);
            assert_eq!(error.kind(), ErrorKind::Usage, "{error}");
            assert!(error.to_string().contains(part), "{error}");
            assert_eq!(fs::read_dir(dir.path()).expect("the directory").count(), 0, "{error}");
        }
    }
    let all = DirectoryOptions { partition_by: vec!["n".into(), "m".into()], ..by_key() };
    let two = batch.project(&[0, 1]).expect("two columns");
    let error = lay(&path, Format::Parquet, &[two], &all, 1).expect_err("no columns are left").to_string();
    assert!(error.starts_with("cannot partition by all columns"), "{error}");
}

/// A row group that ends early for lack of memory is as good as any other, and none is empty.
#[test]
fn row_groups_that_end_early_have_rows() {
    let dir = in_memory();
    let path = dir.path().join("out");
    let layout = DirectoryOptions { memory: 1 << 20, ..by_key() };
    let input = batches(100, 1000, |n| Some((n % 3).to_string()));
    lay(&path, Format::Parquet, &input, &layout, 2).expect("a directory");
    for (name, bytes) in files(&path) {
        let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).expect("Parquet");
        let row_groups = reader.metadata().row_groups();
        assert!(row_groups.len() > 3, "{name}: {}", row_groups.len());
        assert!(row_groups.iter().all(|group| group.num_rows() > 0), "{name}");
        assert_eq!(reader.schema().fields().len(), 2, "{name}");
    }
}

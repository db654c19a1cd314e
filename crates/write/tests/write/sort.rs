//! Sorted rows equal those of a slow sort in memory, whatever the memory limit, the threads and the order of batches.

use std::cmp::Ordering;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use arrow::array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, LargeStringArray, ListBuilder,
    RecordBatch, StringArray, StringViewArray, StringViewBuilder, UInt32Array, make_comparator,
};
use arrow::compute::{SortOptions, concat_batches, take_record_batch};
use arrow::datatypes::{DataType, Field, Int32Type, Schema};
use urimill_base::error::ErrorKind;
use urimill_pipeline::sort::{Options, Sorter};
use urimill_write::{SortKey, export_schema, to_plain};

use super::table;

/// The columns with these names; `-` before a name means descending.
fn keys(schema: &Schema, names: &str) -> Vec<SortKey> {
    let key = |name: &str| {
        let column = schema.index_of(name.trim_start_matches('-')).expect("a column");
        SortKey { column, descending: name.starts_with('-') }
    };
    names.split(',').map(key).collect()
}

/// All rows, compared value by value with Arrow's comparators, in a stable sort.
fn slowly(batches: &[RecordBatch], keys: &[SortKey]) -> RecordBatch {
    let schema = Arc::new(export_schema(&batches[0].schema()));
    let exit: Vec<_> = batches.iter().map(|batch| to_plain(batch, &schema).expect("exit types")).collect();
    let all = concat_batches(&schema, &exit).expect("batches of one schema");
    let comparators: Vec<_> = keys
        .iter()
        .map(|key| {
            let column = all.column(key.column);
            let options = SortOptions { descending: key.descending, nulls_first: false };
            make_comparator(column, column, options).expect("an order")
        })
        .collect();
    let mut rows: Vec<u32> = (0..all.num_rows() as u32).collect();
    rows.sort_by(|&a, &b| {
        let each = comparators.iter().map(|compare| compare(a as usize, b as usize));
        each.fold(Ordering::Equal, Ordering::then)
    });
    take_record_batch(&all, &UInt32Array::from(rows)).expect("rows")
}

/// The batches of a sorter, and the bytes that went to disk. Batches go in from `threads` threads, the last first.
fn sorted(
    batches: &[RecordBatch],
    keys: &[SortKey],
    memory: usize,
    threads: usize,
) -> (Vec<RecordBatch>, u64) {
    let dir = tempfile::tempdir().expect("a directory");
    let options =
        Options { keys: keys.to_vec(), dividing: 0, memory, temp_dir: dir.path().to_owned(), threads };
    let sorter = Sorter::new(&batches[0].schema(), &options).expect("a sorter");
    sorter.check().expect("a directory for temporary files");
    let firsts: Vec<usize> = batches
        .iter()
        .scan(0, |rows, batch| {
            *rows += batch.num_rows();
            Some(*rows - batch.num_rows())
        })
        .collect();
    let left = AtomicUsize::new(batches.len());
    let worker = || {
        while let Ok(one) = left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)) {
            sorter.push(&batches[one - 1], firsts[one - 1] as u64).expect("rows are taken");
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(worker))));
    let mut merge = sorter.merge().expect("a merge");
    let mut out = Vec::new();
    while let Some(rows) = merge.next_rows().expect("rows come out") {
        let batch = sorter.batch(&rows).expect("a batch");
        assert_eq!(batch.num_rows(), rows.rows());
        assert_eq!(batch.schema(), sorter.schema());
        out.push(batch);
    }
    drop(merge);
    assert_eq!(std::fs::read_dir(dir.path()).expect("a directory").count(), 0, "files are left");
    (out, sorter.written())
}

/// Less memory than a batch needs, several batches, and more than all.
const MEMORIES: [usize; 5] = [1, 20_000, 150_000, 1_000_000, 1 << 30];

fn assert_sorted(batches: &[RecordBatch], names: &str) {
    let keys = keys(&batches[0].schema(), names);
    let expected = slowly(batches, &keys);
    let mut first: Option<Vec<RecordBatch>> = None;
    for memory in MEMORIES {
        for threads in [1, 3] {
            let (out, written) = sorted(batches, &keys, memory, threads);
            assert!(written > 0 || memory > 1, "{names}: nothing was written to disk");
            assert!(written == 0 || memory < 1 << 30, "{names}: {written} bytes to disk for no reason");
            let all = concat_batches(&expected.schema(), &out).expect("batches of one schema");
            assert!(all == expected, "{names} in {memory} bytes with {threads} threads");
            let first = first.get_or_insert_with(|| out.clone());
            // The same batches row by row, and the same representation of columns without nulls.
            assert!(*first == out, "{names} in {memory} bytes: other batches");
            let validities = |batches: &[RecordBatch]| -> Vec<bool> {
                let columns = batches.iter().flat_map(RecordBatch::columns);
                columns.map(|column| column.nulls().is_some()).collect()
            };
            assert_eq!(validities(first), validities(&out), "{names} in {memory} bytes");
        }
    }
}

#[test]
fn every_type_of_the_table_sorts_as_its_values_compare() {
    let sizes: Vec<usize> = (0..30).map(|n| [1, 0, 90, 7, 200][n % 5]).collect();
    let batches = table::batches(&sizes);
    for names in [
        "uri",
        "-uri",
        "host",
        "-host",
        "port",
        "-port",
        "error_offset",
        "raw_bytes",
        "-raw_bytes",
        "fingerprint",
        "-record",
        "host,path",
        "host,-path,-record",
        "-flags,error,uri",
        // All rows are equal.
        "source",
    ] {
        assert_sorted(&batches, names);
    }
}

/// Numbers that depend on the seed alone (xorshift).
struct Rng(u64);

impl Rng {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
}

/// Texts with long common beginnings, ends of zero bytes, prefixes of each other, or equal ones.
fn alike(rng: &mut Rng) -> Option<String> {
    const PARTS: [&str; 8] = [
        "",
        "\0",
        "a",
        "com,example)/",
        "\0\0\0\0\0\0\0\0",
        "aaaaaaa",
        "\u{10ffff}",
        "com,example,www)/index",
    ];
    let parts = rng.below(9);
    (rng.below(20) > 0).then(|| (0..parts).map(|_| PARTS[rng.below(PARTS.len())]).collect())
}

#[test]
fn texts_with_long_common_prefixes_sort_by_their_bytes() {
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let batch = |rng: &mut Rng, rows: usize| {
        let texts: Vec<Option<String>> = (0..rows).map(|_| alike(rng)).collect();
        let numbers = Int64Array::from_iter_values(0..rows as i64);
        let text = Field::new("text", DataType::Utf8View, true);
        let schema = Schema::new(vec![text, Field::new("number", DataType::Int64, false)]);
        let columns: Vec<ArrayRef> = vec![Arc::new(StringViewArray::from_iter(texts)), Arc::new(numbers)];
        RecordBatch::try_new(Arc::new(schema), columns).expect("a batch")
    };
    let batches: Vec<_> = [3000, 1, 12, 13, 2000, 500].map(|rows| batch(&mut rng, rows)).into();
    assert_sorted(&batches, "text");
    assert_sorted(&batches, "-text");
    assert_sorted(&batches, "text,-number");
    // Many that are merged at once.
    assert_sorted(&[17; 90].map(|rows| batch(&mut rng, rows)), "text");
    // The same for far more bytes than the sort looks at one by one, except for the last.
    let long = |row: usize| format!("{}{}", "x".repeat(2000), row * 7919 % 300);
    let texts: StringArray = (0..300).map(|row| Some(long(row))).collect();
    let long = RecordBatch::try_from_iter([("text", Arc::new(texts) as ArrayRef)]).expect("a batch");
    assert_sorted(&[long], "text");
}

/// Columns as a table that passes through may have them.
fn passing(rows: usize, rng: &mut Rng) -> RecordBatch {
    let mut lists = ListBuilder::new(StringViewBuilder::new());
    for _ in 0..rows {
        (0..rng.below(4)).for_each(|_| lists.values().append_option(alike(rng)));
        lists.append(rng.below(5) > 0);
    }
    let mut draw = |n: usize| (rng.below(4) > 0).then(|| rng.below(n));
    let bools: BooleanArray = (0..rows).map(|_| draw(2).map(|n| n == 1)).collect();
    let floats: Float64Array =
        (0..rows).map(|_| draw(9).map(|n| [0.0, -0.0, f64::NAN, -1.5][n % 4])).collect();
    let large: LargeStringArray = (0..rows).map(|_| draw(9).map(|n| "large".repeat(n))).collect();
    let words: Vec<Option<&str>> = (0..rows).map(|_| draw(3).map(|n| ["b", "a", "c"][n])).collect();
    let words: DictionaryArray<Int32Type> = words.into_iter().collect();
    RecordBatch::try_from_iter_with_nullable([
        ("lists", Arc::new(lists.finish()) as ArrayRef, true),
        ("bools", Arc::new(bools) as ArrayRef, true),
        ("floats", Arc::new(floats) as ArrayRef, true),
        ("large", Arc::new(large) as ArrayRef, true),
        ("words", Arc::new(words) as ArrayRef, true),
    ])
    .expect("a batch")
}

#[test]
fn columns_that_pass_through_sort_too() {
    let mut rng = Rng(7);
    let batches: Vec<_> = [100, 400, 3, 250].map(|rows| passing(rows, &mut rng)).into();
    for names in ["lists", "-lists", "bools", "floats", "-large", "words", "bools,-words,lists"] {
        assert_sorted(&batches, names);
    }
}

#[test]
fn tiny_memory_gives_the_same_order_in_several_passes() {
    // Each batch becomes a run of its own, and two runs are read at a time.
    let batches = table::batches(&[3; 200]);
    assert_sorted(&batches, "uri,-record");
}

#[test]
fn batches_depend_only_on_their_rows() {
    // The only null is in the last of several batches; in memory all rows come from one batch with a null, from disk
    // each from a block of its own.
    let texts: StringViewArray =
        (0..12u8).map(|row| Some(char::from(b'a' + row).to_string().repeat(1 << 20))).collect();
    let others: Int64Array = (0..12).map(|row| (row < 11).then_some(row)).collect();
    let columns =
        [("text", Arc::new(texts) as ArrayRef, true), ("other", Arc::new(others) as ArrayRef, true)];
    let batch = RecordBatch::try_from_iter_with_nullable(columns).expect("a batch");
    assert_sorted(&[batch], "text");
}

#[test]
fn sorting_no_rows_gives_no_rows() {
    let batches = [table::batch(0, 0)];
    for memory in [1, 1 << 20] {
        let (out, written) = sorted(&batches, &keys(&batches[0].schema(), "uri"), memory, 2);
        assert_eq!((out.len(), written), (0, 0));
    }
}

#[test]
fn a_row_larger_than_memory_is_sorted() {
    let texts: Vec<String> = (0..6).map(|n| format!("{}{n}", "w".repeat(5 << 20 | n))).rev().collect();
    let batch = |texts: &[String]| {
        let column: StringViewArray = texts.iter().map(Some).collect();
        RecordBatch::try_from_iter([("text", Arc::new(column) as ArrayRef)]).expect("a batch")
    };
    let batches = [batch(&texts[..4]), batch(&["a".to_owned()]), batch(&texts[4..])];
    let keys = keys(&batches[0].schema(), "text");
    let (out, written) = sorted(&batches, &keys, 1 << 20, 2);
    let all = concat_batches(&out[0].schema(), &out).expect("batches of one schema");
    assert!(all == slowly(&batches, &keys));
    assert!(written > 0);
    // Each of them fills a batch.
    assert!(out.len() >= 6, "{} batches", out.len());
}

#[test]
fn unsortable_keys_are_errors() {
    let schema = table::schema();
    let sorter = |keys: Vec<SortKey>, temp_dir: &Path, schema: &Schema| {
        Sorter::new(schema, &Options { keys, temp_dir: temp_dir.to_owned(), memory: 1, ..Options::default() })
    };
    let dir = tempfile::tempdir().expect("a directory");
    let beyond = SortKey { column: schema.fields().len(), descending: false };
    for keys in [vec![beyond], vec![]] {
        let error = sorter(keys, dir.path(), &schema).expect_err("nothing to sort by");
        assert_eq!(error.kind(), ErrorKind::Usage);
    }

    let nosuch = dir.path().join("nosuch");
    let sorter = sorter(keys(&schema, "uri"), &nosuch, &schema).expect("a sorter");
    for error in [sorter.check(), sorter.push(&table::batch(0, 5), 0)] {
        let error = error.expect_err("no directory");
        assert_eq!(error.kind(), ErrorKind::Io);
        let (said, name) = (error.to_string(), nosuch.display().to_string());
        assert!(said.contains(&name) && said.contains("temp_dir"), "{said}");
    }
}

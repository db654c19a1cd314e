//! The dictionaries of text columns and the bounds of their pages, which urimill writes itself: compared with the
//! parquet crate's reader and writer.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, RecordBatch, StringViewArray};
use arrow::datatypes::DataType;
use parquet::arrow::ArrowWriter;
use parquet::basic::{BoundaryOrder, Encoding, PageType};
use parquet::file::metadata::ParquetMetaData;
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use urimill_write::{Compression, Format, SinkOptions};

use super::pages::{self, mixed, open};
use super::table::{options, plain, write};

fn read(path: &Path) -> RecordBatch {
    pages::read(open(path))
}

fn metadata(path: &Path) -> Arc<ParquetMetaData> {
    open(path).metadata().clone()
}

fn strings(values: impl Iterator<Item = Option<String>>) -> ArrayRef {
    Arc::new(values.collect::<StringViewArray>())
}

/// Columns with one, few, some and many distinct values, shorter and longer than a view's inline bytes, in runs and
/// mixed, with nulls and without; bytes that are not text.
fn columns(rows: std::ops::Range<usize>) -> RecordBatch {
    let of = |f: &dyn Fn(usize) -> Option<String>| strings(rows.clone().map(f));
    let bytes =
        rows.clone().map(|r| (!mixed(r).is_multiple_of(4)).then(|| vec![0xff, (mixed(r) % 200) as u8]));
    let columns: [(&str, ArrayRef, bool); 9] = [
        ("scheme", of(&|_| Some("https".to_owned())), true),
        (
            "host_kind",
            of(&|r| {
                (!mixed(r).is_multiple_of(3)).then(|| ["dns_name", "ipv4", ""][mixed(r) % 11 % 3].to_owned())
            }),
            true,
        ),
        ("host", of(&|r| Some(format!("{:x}.example.com", mixed(r / 5) % 5_000))), true),
        ("userinfo", of(&|_| None), true),
        ("tld", of(&|r| Some(format!("t{}", mixed(r) % 1_000))), false),
        ("mime", of(&|r| Some(format!("{}/{}", "é".repeat(40), r / 1_000))), true),
        (
            "via",
            of(&|r| {
                (!mixed(r).is_multiple_of(9))
                    .then(|| format!("http://{}.example.org/{}", mixed(r), mixed(r + 1)))
            }),
            true,
        ),
        (
            "whatever",
            of(&|r| Some(if r % 100 < 60 { "a".to_owned() } else { format!("b{}", mixed(r) % 17) })),
            false,
        ),
        ("odd", Arc::new(bytes.collect::<BinaryViewArray>()), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

/// Batches of these sizes, each a slice of a longer one, from a bit that does not begin a byte.
fn batches(sizes: &[usize]) -> Vec<RecordBatch> {
    let mut first = 3;
    let cut = |&rows: &usize| {
        first += rows;
        columns(first - rows - 3..first).slice(3, rows)
    };
    sizes.iter().map(cut).collect()
}

#[test]
fn read_back_equal_wherever_row_groups_are_cut_and_dictionaries_end() {
    let dir = tempfile::tempdir().expect("a directory");
    // `via` hardly repeats, and exceeds a dictionary in the one large batch.
    let input = batches(&[20_000, 7, 20_001, 0, 1, 65_536, 8_000]);
    let expected = plain(&input);
    for row_group_rows in [1_000_000, 29_999, 20_007, 47_113, 5_000] {
        for compression in [Compression::Zstd(3), Compression::None] {
            let bounds = SinkOptions { row_group_rows, compression, ..options() };
            let files: Vec<_> = [1, 2, 3]
                .into_iter()
                .map(|threads| {
                    let path = dir.path().join(format!("{threads}.parquet"));
                    write(&path, Format::Parquet, &input, &bounds, threads);
                    std::fs::read(path).expect("the file")
                })
                .collect();
            assert!(files.iter().all(|file| *file == files[0]), "by {row_group_rows}: the workers show");
            assert!(read(&dir.path().join("1.parquet")) == expected, "{compression:?} by {row_group_rows}");
        }
    }
}

/// The kinds of a column's pages and their numbers, in order.
fn kinds(metadata: &ParquetMetaData, group: usize, column: usize) -> Vec<(PageType, Encoding, i32)> {
    let column = metadata.row_group(group).column(column);
    let statistics = column.page_encoding_stats().expect("statistics of pages");
    statistics.iter().map(|s| (s.page_type, s.encoding, s.count)).collect()
}

#[test]
fn a_dictionary_ends_with_the_batch_after_which_it_only_costs() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let times = |times: usize, from: usize, values: usize, len: usize| {
        let rows = from * times..(from + values) * times;
        let column = strings(rows.map(|r| Some(format!("{:0>len$}", r / times))));
        RecordBatch::try_from_iter_with_nullable([("host", column, true)]).expect("a batch")
    };
    let distinct = |from: usize, values: usize, len: usize| times(2, from, values, len);
    let own = (PageType::DICTIONARY_PAGE, Encoding::PLAIN, 1);
    let numbers = |count| (PageType::DATA_PAGE, Encoding::RLE_DICTIONARY, count);
    let texts = |count| (PageType::DATA_PAGE, Encoding::PLAIN, count);
    let cases = [
        // 96 bytes and 4 of length: 10,000 values are less than a mebibyte, 11,000 are more.
        (vec![distinct(0, 10_000, 96)], vec![own, numbers(1)]),
        (vec![distinct(0, 10_000, 96), distinct(0, 10_000, 96)], vec![own, numbers(1)]),
        (vec![distinct(0, 10_000, 96), distinct(10_000, 1_000, 96)], vec![own, numbers(1)]),
        (
            vec![distinct(0, 10_000, 96), distinct(10_000, 1_000, 96), distinct(0, 10_000, 96)],
            vec![own, numbers(1), texts(2)],
        ),
        // More than a dictionary in one batch: there is no dictionary.
        (vec![distinct(0, 11_000, 96)], vec![texts(2)]),
        (vec![distinct(0, 11_000, 96), distinct(0, 1, 1)], vec![texts(3)]),
        (vec![distinct(0, 1, 1), distinct(0, 11_000, 96)], vec![own, numbers(1), texts(2)]),
        // Pages of numbers have at most 50,000 rows.
        (vec![distinct(0, 1, 1); 3], vec![own, numbers(1)]),
        ((0..11).map(|_| distinct(0, 4_546, 5)).collect(), vec![own, numbers(3)]),
        // Values that hardly repeat, once there are enough of them to decide.
        (vec![times(1, 0, 4_095, 9), times(1, 0, 4_095, 9)], vec![own, numbers(1)]),
        (vec![times(1, 0, 4_096, 9), times(1, 0, 4_096, 9)], vec![own, numbers(1), texts(1)]),
        (
            vec![times(1, 0, 4_000, 9), times(2, 0, 4_000, 9), times(1, 9_000, 90_000, 9)],
            vec![own, numbers(3)],
        ),
    ];
    for (input, expected) in cases {
        write(&path, Format::Parquet, &input, &options(), 2);
        let sizes: Vec<_> = input.iter().map(RecordBatch::num_rows).collect();
        assert_eq!(kinds(&metadata(&path), 0, 0), expected, "{sizes:?}");
        assert!(read(&path) == plain(&input), "{sizes:?}");
    }
}

/// The bounds that the parquet crate's own writer gives the chunks of a file with one row group.
fn theirs(batch: &RecordBatch, path: &Path) -> Arc<ParquetMetaData> {
    let properties = WriterProperties::builder()
        .set_statistics_truncate_length(Some(64))
        .set_column_index_truncate_length(Some(64))
        .set_statistics_enabled(EnabledStatistics::Page)
        .build();
    let file = File::create(path).expect("a file");
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).expect("a writer");
    writer.write(batch).expect("rows");
    writer.close().expect("a footer");
    metadata(path)
}

/// Values whose cut is not simply their first 64 bytes, or whose end cannot be increased.
fn awkward() -> Vec<Vec<Option<String>>> {
    let some = |values: &[&str]| values.iter().map(|value| Some((*value).to_owned())).collect::<Vec<_>>();
    let long = "x".repeat(64);
    vec![
        some(&["b", "a", "c"]),
        some(&["", "a"]),
        some(&[""]),
        vec![None, None],
        vec![None, Some("a".to_owned())],
        some(&[&long]),
        some(&[&format!("{long}a"), &long]),
        some(&[&format!("{long}a"), &format!("{long}b")]),
        some(&[&"é".repeat(40)]),
        some(&[&format!("a{}", "é".repeat(40))]),
        some(&[&"\u{10ffff}".repeat(20)]),
        some(&[&format!("a{}", "\u{10ffff}".repeat(20))]),
        some(&[&"\u{7f}".repeat(65)]),
        some(&[&format!("{}\u{d7ff}z", "y".repeat(61))]),
    ]
}

#[test]
fn bounds_match_the_parquet_crate() {
    let dir = tempfile::tempdir().expect("a directory");
    let (ours, other) = (dir.path().join("o.parquet"), dir.path().join("t.parquet"));
    for values in awkward() {
        // A dictionary, and texts with statistics.
        for name in ["host", "surt"] {
            let column = strings(values.iter().cloned());
            let batch = RecordBatch::try_from_iter_with_nullable([(name, column, true)]).expect("a batch");
            write(&ours, Format::Parquet, std::slice::from_ref(&batch), &options(), 1);
            let (ours, theirs) = (metadata(&ours), theirs(&batch, &other));
            let statistics =
                |metadata: &ParquetMetaData| metadata.row_group(0).column(0).statistics().cloned();
            assert_eq!(statistics(&ours), statistics(&theirs), "{name}: {values:?}");
            let index = |metadata: &ParquetMetaData| match &metadata.column_index().expect("an index")[0][0] {
                ColumnIndexMetaData::BYTE_ARRAY(index) => {
                    let (min, max) =
                        (index.min_value(0).map(<[u8]>::to_vec), index.max_value(0).map(<[u8]>::to_vec));
                    (index.is_null_page(0), min, max, index.null_count(0))
                }
                other => panic!("an index of texts: {other:?}"),
            };
            assert_eq!(index(&ours), index(&theirs), "{name}: {values:?}");
        }
    }
    let bytes: BinaryViewArray = [Some(vec![0xff; 70]), Some(vec![0xfe; 70])].into_iter().collect();
    let batch =
        RecordBatch::try_from_iter_with_nullable([("odd", Arc::new(bytes) as _, true)]).expect("a batch");
    write(&ours, Format::Parquet, std::slice::from_ref(&batch), &options(), 1);
    let statistics = |metadata: &ParquetMetaData| metadata.row_group(0).column(0).statistics().cloned();
    assert_eq!(statistics(&metadata(&ours)), statistics(&theirs(&batch, &other)));
}

/// Each page's bounds include every value of the page, and are not wider than necessary.
#[test]
fn bounds_of_pages_match_their_rows() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let input = batches(&[20_000, 7, 20_001, 65_536, 8_000]);
    write(&path, Format::Parquet, &input, &SinkOptions { row_group_rows: 70_000, ..options() }, 2);
    let (metadata, rows) = (metadata(&path), read(&path));
    let (index, offsets) =
        (metadata.column_index().expect("an index"), metadata.offset_index().expect("an index"));
    let (mut first, mut checked) = (0, 0);
    for (g, group) in metadata.row_groups().iter().enumerate() {
        for (c, array) in rows.columns().iter().enumerate() {
            let ColumnIndexMetaData::BYTE_ARRAY(bounds) = &index[g][c] else {
                panic!("no index of column {c}")
            };
            let starts: Vec<_> =
                offsets[g][c].page_locations().iter().map(|l| l.first_row_index as usize).collect();
            let ends = starts[1..].iter().copied().chain([group.num_rows() as usize]);
            for (page, (from, to)) in starts.iter().copied().zip(ends).enumerate() {
                let part = array.slice(first + from, to - from);
                let values: Vec<&[u8]> = match part.data_type() {
                    DataType::Utf8 => part.as_string::<i32>().iter().flatten().map(str::as_bytes).collect(),
                    _ => part.as_binary::<i32>().iter().flatten().collect(),
                };
                assert_eq!(bounds.null_count(page), Some(part.null_count() as i64));
                assert_eq!(bounds.is_null_page(page), values.is_empty());
                let (Some(min), Some(max)) = (values.iter().min(), values.iter().max()) else { continue };
                let (lower, upper) =
                    (bounds.min_value(page).expect("a bound"), bounds.max_value(page).expect("a bound"));
                assert!(lower <= *min && min.starts_with(lower), "the least of page {page} of column {c}");
                assert!(
                    upper >= *max && (max.len() > 64 || upper == *max),
                    "the greatest of page {page} of column {c}"
                );
                checked += 1;
            }
        }
        first += group.num_rows() as usize;
    }
    assert!(checked > 20, "{checked} pages");
}

#[test]
fn the_page_index_declares_its_order() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let cases: [(&dyn Fn(usize) -> usize, BoundaryOrder); 4] = [
        (&|page| page, BoundaryOrder::ASCENDING),
        (&|page| 9 - page, BoundaryOrder::DESCENDING),
        (&|_| 1, BoundaryOrder::ASCENDING),
        (&|page| page ^ 1, BoundaryOrder::UNORDERED),
    ];
    for (value, expected) in cases {
        let batch = |page: usize| {
            let column = strings((0..50_000).map(|_| Some(value(page).to_string())));
            RecordBatch::try_from_iter_with_nullable([("host", column, true)]).expect("a batch")
        };
        write(&path, Format::Parquet, &(0..3).map(batch).collect::<Vec<_>>(), &options(), 1);
        let metadata = metadata(&path);
        let index = &metadata.column_index().expect("an index")[0][0];
        assert_eq!(index.get_boundary_order(), Some(expected));
    }
}

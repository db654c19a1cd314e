//! The pages of text columns, which urimill writes itself: where they end, their content, their entries in the footer,
//! and that they do not depend on threads.

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, RecordBatch, StringArray, StringViewArray, UInt32Array,
};
use arrow::compute::{concat_batches, take_record_batch};
use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection, RowSelector,
};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Encoding;
use parquet::file::metadata::{ColumnChunkMetaData, PageIndexPolicy};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use urimill_write::{Compression, Format, SinkOptions};

use super::table::{options, plain, write};

pub(crate) fn open(path: &Path) -> ParquetRecordBatchReaderBuilder<File> {
    let options = ArrowReaderOptions::new()
        .with_page_index_policy(PageIndexPolicy::Required)
        .with_encoding_stats_as_mask(false);
    let file = File::open(path).expect("the file written");
    ParquetRecordBatchReaderBuilder::try_new_with_options(file, options).expect("a Parquet file")
}

pub(crate) fn read(reader: ParquetRecordBatchReaderBuilder<File>) -> RecordBatch {
    let schema = reader.schema().clone();
    let batches = reader.build().expect("a reader").collect::<Result<Vec<_>, _>>().expect("pages");
    concat_batches(&schema, &batches).expect("batches of one file")
}

/// A number unrelated to those before and after it.
pub(crate) fn mixed(row: usize) -> usize {
    (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23) as usize
}

/// The text of a row: shorter and longer than the 12 inline bytes of a view, and empty ones.
fn text(row: usize, longest: usize) -> String {
    let number = mixed(row);
    format!("{number:0>longest$}")[..number % (longest + 1)].to_owned()
}

/// Rows whose `uri`, `path` and `raw_bytes` fill pages of their own, and others that do not; nulls at different rates.
fn texts(rows: std::ops::Range<usize>) -> RecordBatch {
    let strings = |f: &dyn Fn(usize) -> Option<String>| -> ArrayRef {
        Arc::new(rows.clone().map(f).collect::<StringViewArray>())
    };
    let bytes = rows.clone().map(|r| (!mixed(r).is_multiple_of(5)).then(|| text(r, 60).into_bytes()));
    let columns: [(&str, ArrayRef, bool); 7] = [
        ("uri", strings(&|r| Some(text(r, 120))), false),
        ("raw", strings(&|r| mixed(r).is_multiple_of(997).then(|| text(r, 40))), true),
        ("host", strings(&|r| Some(format!("h{}", mixed(r) % 7))), true),
        ("path", strings(&|r| (!mixed(r).is_multiple_of(1009)).then(|| text(r, 50))), true),
        ("query", strings(&|r| mixed(r).is_multiple_of(3).then(|| text(r, 9))), true),
        ("fragment", strings(&|_| None), true),
        ("raw_bytes", Arc::new(bytes.collect::<BinaryViewArray>()), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).expect("columns of one length")
}

/// Batches of [`texts`] of these sizes, each a slice of a longer one, from a bit that does not begin a byte.
fn batches(sizes: &[usize]) -> Vec<RecordBatch> {
    let mut first = 3;
    sizes
        .iter()
        .map(|&rows| {
            first += rows;
            texts(first - rows - 3..first).slice(3, rows)
        })
        .collect()
}

#[test]
fn read_back_equal_wherever_row_groups_are_cut() {
    let dir = tempfile::tempdir().expect("a directory");
    let input = batches(&[30_000, 7, 65_536, 0, 1, 20_000]);
    let expected = plain(&input);
    for row_group_rows in [1_000_000, 29_999, 30_003, 47_113] {
        let plainly = Compression::ALL.map(|compression| (compression, false));
        for (compression, delta_texts) in plainly.into_iter().chain([(Compression::Snappy, true)]) {
            let bounds = SinkOptions { row_group_rows, compression, delta_texts, ..options() };
            let files: Vec<_> = [1, 3]
                .into_iter()
                .map(|threads| {
                    let path = dir.path().join(format!("{threads}.parquet"));
                    write(&path, Format::Parquet, &input, &bounds, threads);
                    std::fs::read(path).expect("the file")
                })
                .collect();
            let what = format!("{compression:?}, delta {delta_texts}, by {row_group_rows}");
            assert!(files[0] == files[1], "{what}: the workers show");
            let found = read(open(&dir.path().join("1.parquet")));
            assert!(found == expected, "{what}");
        }
    }
}

#[test]
fn plain_strings_and_views_make_the_same_pages() {
    let dir = tempfile::tempdir().expect("a directory");
    let (views, strings) = (dir.path().join("v.parquet"), dir.path().join("s.parquet"));
    let input = batches(&[30_000, 100]);
    let cast: Vec<_> = input.iter().map(|batch| plain(std::slice::from_ref(batch))).collect();
    assert!(cast[0].column(0).as_any().is::<StringArray>() && cast[0].column(6).as_any().is::<BinaryArray>());
    // A slice of plain strings has offsets that do not begin at 0.
    let cast = [cast[0].slice(0, 11), cast[0].slice(11, 29_989), cast[1].clone()];
    let input = [input[0].slice(0, 11), input[0].slice(11, 29_989), input[1].clone()];
    write(&views, Format::Parquet, &input, &options(), 1);
    write(&strings, Format::Parquet, &cast, &options(), 1);
    assert!(std::fs::read(views).expect("the file") == std::fs::read(strings).expect("the file"));
}

/// With `delta_texts` only the difference from the text before is stored, also across pages.
#[test]
fn sorted_texts_are_stored_by_what_differs() {
    let dir = tempfile::tempdir().expect("a directory");
    let sorted = |rows: Range<usize>| {
        let text =
            |row: usize| (row % 7 != 6).then(|| format!("com,example,www)/a/long/path/of/page/{row:09}"));
        let column = ("path", Arc::new(rows.map(text).collect::<StringViewArray>()) as ArrayRef, true);
        RecordBatch::try_from_iter_with_nullable([column]).expect("a column")
    };
    let input = [sorted(0..30_000), sorted(30_000..30_010), sorted(30_010..90_000)];
    let sizes = [false, true].map(|delta_texts| {
        let path = dir.path().join(format!("{delta_texts}.parquet"));
        let bounds =
            SinkOptions { delta_texts, compression: Compression::None, row_group_rows: 70_000, ..options() };
        write(&path, Format::Parquet, &input, &bounds, 2);
        let reader = open(&path);
        for group in reader.metadata().row_groups() {
            let expected = if delta_texts { Encoding::DELTA_BYTE_ARRAY } else { Encoding::PLAIN };
            assert!(group.column(0).encodings().any(|encoding| encoding == expected), "{delta_texts}");
        }
        assert!(read(reader) == plain(&input), "{delta_texts}");
        std::fs::metadata(path).expect("the file").len()
    });
    assert!(sizes[1] * 10 < sizes[0], "{sizes:?}");
}

#[test]
fn the_page_index_leads_to_single_rows() {
    the_page_index_leads_to_rows(false);
    the_page_index_leads_to_rows(true);
}

fn the_page_index_leads_to_rows(delta_texts: bool) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let input = batches(&[30_000, 7, 65_536]);
    let bounds = SinkOptions { row_group_rows: 60_000, delta_texts, ..options() };
    write(&path, Format::Parquet, &input, &bounds, 1);
    let rows = [0_u32, 9_999, 10_000, 29_999, 30_000, 30_006, 30_007, 59_999, 60_000, 80_808, 95_542];
    let mut selectors = Vec::new();
    let mut at = 0;
    for row in rows {
        selectors.extend([RowSelector::skip((row - at) as usize), RowSelector::select(1)]);
        at = row + 1;
    }
    let found = read(open(&path).with_row_selection(RowSelection::from(selectors)));
    let expected = take_record_batch(&plain(&input), &UInt32Array::from(rows.to_vec())).expect("rows");
    assert_eq!(found, expected);
}

/// Rows of each page of the only column, by row group. Checks the footer's entries about them.
fn pages(path: &Path) -> Vec<Vec<i64>> {
    let reader = open(path);
    let metadata = reader.metadata();
    let index = metadata.offset_index().expect("an offset index");
    let groups = metadata.row_groups().iter().zip(index);
    groups
        .map(|(group, index)| {
            let column = group.column(0);
            let locations = index[0].page_locations();
            assert_eq!(column.num_values(), group.num_rows());
            assert_eq!(column.data_page_offset(), locations[0].offset);
            let bytes: i64 = locations.iter().map(|l| i64::from(l.compressed_page_size)).sum();
            assert_eq!(column.compressed_size(), bytes);
            let count: i32 = column.page_encoding_stats().expect("statistics").iter().map(|s| s.count).sum();
            assert_eq!(count as usize, locations.len());
            for pair in locations.windows(2) {
                assert_eq!(pair[0].offset + i64::from(pair[0].compressed_page_size), pair[1].offset);
            }
            let ends = locations[1..].iter().map(|l| l.first_row_index).chain([group.num_rows()]);
            locations.iter().zip(ends).map(|(l, end)| end - l.first_row_index).collect()
        })
        .collect()
}

/// The text of every row, rows of the batches, most rows of a row group, and the rows of each page by row group.
type Case<'a> = (&'a Option<String>, &'a [usize], usize, &'a [&'a [i64]]);

#[test]
fn pages_are_near_a_mebibyte_and_never_above_fifty_thousand_rows() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let whole = 1_000_000;
    // A text of 96 bytes takes 100.
    let (long, empty, null) = (Some("x".repeat(96)), Some(String::new()), None::<String>);
    let cases: &[Case<'_>] = &[
        (&long, &[10_000], whole, &[&[10_000]]),
        // No small rest: one page of 1.5 MB, or two of 0.8.
        (&long, &[15_000], whole, &[&[15_000]]),
        (&long, &[16_000], whole, &[&[8_000, 8_000]]),
        (&long, &[30_000], whole, &[&[9_984, 10_048, 9_968]]),
        // Small batches share pages…
        (&long, &[1_000; 25], whole, &[&[10_000, 10_000, 5_000]]),
        // … large ones have their own.
        (&long, &[1_000, 10_000, 1_000, 1_000, 10_000], whole, &[&[1_000, 10_000, 2_000, 10_000]]),
        // Pages of a batch end at a multiple of 64 rows; the end of a row group cuts a page in two; the second part may
        // share a page with the following rows.
        (&long, &[20_000], 12_000, &[&[9_984, 2_016], &[8_000]]),
        (&long, &[20_000, 100], 12_000, &[&[9_984, 2_016], &[8_100]]),
        (&long, &[20_000], 10_000, &[&[9_984, 16], &[10_000]]),
        (&long, &[20_000], 9_984, &[&[9_984], &[9_984], &[32]]),
        (&long, &[10_000], 3_000, &[&[3_000], &[3_000], &[3_000], &[1_000]]),
        (&empty, &[60_000], whole, &[&[50_000, 10_000]]),
        (&empty, &[120_000], whole, &[&[49_984, 49_984, 20_032]]),
        (&null, &[65_536, 65_536], whole, &[&[50_000, 50_000, 31_072]]),
        (&null, &[1; 3], 2, &[&[2], &[1]]),
    ];
    for (value, sizes, row_group_rows, expected) in cases {
        let batch = |rows: &usize| {
            let column: StringViewArray = std::iter::repeat_n(value.as_deref(), *rows).collect();
            RecordBatch::try_from_iter_with_nullable([("query", Arc::new(column) as _, true)])
                .expect("a batch")
        };
        let input: Vec<_> = sizes.iter().map(batch).collect();
        let bounds = SinkOptions { row_group_rows: *row_group_rows, ..options() };
        write(&path, Format::Parquet, &input, &bounds, 1);
        let length = value.as_ref().map(String::len);
        assert_eq!(pages(&path), *expected, "{length:?} bytes, {sizes:?} by {row_group_rows}");
        assert!(read(open(&path)) == plain(&input), "{length:?} bytes, {sizes:?} by {row_group_rows}");
    }
}

#[test]
fn a_huge_text_has_a_page_of_its_own() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let huge = "h".repeat(9 << 20);
    let rows = (0..2_000).map(|r| if r == 1_000 { huge.clone() } else { text(r, 90) });
    let column: ArrayRef = Arc::new(StringViewArray::from_iter_values(rows));
    let input = RecordBatch::try_from_iter_with_nullable([("uri", column, false)]).expect("a batch");
    let input = [input, texts(0..100).project(&[0]).expect("the column uri")];
    write(&path, Format::Parquet, &input, &options(), 1);
    assert_eq!(pages(&path), [[1_000, 1, 999, 100]]);
    assert!(read(open(&path)) == plain(&input));
}

/// The footer's entries about a column, without offsets.
fn footer(column: &ColumnChunkMetaData) -> String {
    let encodings: Vec<_> = column.encodings().collect();
    format!(
        "{:?} {encodings:?} {:?} {} values, {} of {} bytes, {:?} {:?} {:?} {:?} {:?}",
        column.compression(),
        column.page_encoding_stats(),
        column.num_values(),
        column.compressed_size(),
        column.uncompressed_size(),
        column.statistics(),
        column.unencoded_byte_array_data_bytes(),
        column.dictionary_page_offset(),
        column.bloom_filter_offset(),
        column.definition_level_histogram(),
    )
}

#[test]
fn the_footer_matches_the_parquet_crate() {
    let dir = tempfile::tempdir().expect("a directory");
    let (ours, theirs) = (dir.path().join("o.parquet"), dir.path().join("t.parquet"));
    // One page a column: all valid, all null, all empty.
    let values = [Some("a text beyond twelve bytes"), None, Some("")];
    let columns = ["uri", "fragment", "path"].into_iter().zip(values);
    let columns = columns.map(|(name, value)| {
        let column: StringViewArray = std::iter::repeat_n(value, 3_000).collect();
        (name, Arc::new(column) as ArrayRef, name != "uri")
    });
    let input = RecordBatch::try_from_iter_with_nullable(columns).expect("a batch");
    let settings = SinkOptions { compression: Compression::None, ..options() };
    write(&ours, Format::Parquet, std::slice::from_ref(&input), &settings, 1);

    let properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .build();
    let settings = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let file = File::create(&theirs).expect("the test's own directory");
    let mut writer = ArrowWriter::try_new_with_options(file, input.schema(), settings).expect("a writer");
    writer.write(&input).expect("a batch");
    writer.close().expect("a footer");

    let (ours, theirs) = (open(&ours), open(&theirs));
    let (group, other) = (ours.metadata().row_group(0), theirs.metadata().row_group(0));
    for (column, other) in group.columns().iter().zip(other.columns()) {
        assert_eq!(footer(column), footer(other), "{}", column.column_path());
    }
    assert_eq!(group.total_byte_size(), other.total_byte_size());
    let index = |reader: &ParquetRecordBatchReaderBuilder<File>| {
        reader.metadata().offset_index().map(|index| index[0].clone()).expect("an offset index")
    };
    assert_eq!(format!("{:?}", index(&ours)), format!("{:?}", index(&theirs)));
}

#[test]
fn the_layout_depends_on_the_type_not_on_the_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let column: ArrayRef = Arc::new(UInt32Array::from(vec![Some(7), None]));
    let schema = Schema::new(vec![Field::new("path", DataType::UInt32, true)]);
    let input = [RecordBatch::try_new(Arc::new(schema), vec![column]).expect("a batch")];
    write(&path, Format::Parquet, &input, &options(), 1);
    assert_eq!(read(open(&path)), input[0]);
}

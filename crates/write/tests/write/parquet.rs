//! Parquet files, read back with the parquet crate: content, schema, row groups, layout.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{RecordBatch, StringViewBuilder};
use arrow::buffer::Buffer;
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, Field, Schema};
use parquet::arrow::arrow_reader::{ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::basic::{Compression as Codec, Encoding};
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::printer::print_schema;
use urimill_base::error::ErrorKind;
use urimill_write::{Compression, Format, SinkOptions, Target, create};

use super::table::{batch, batches, drive, options, plain, write};

fn read(path: &Path) -> RecordBatch {
    let file = File::open(path).expect("the file written");
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("a Parquet file");
    let schema = reader.schema().clone();
    let batches = reader.build().expect("a reader").collect::<Result<Vec<_>, _>>().expect("pages");
    concat_batches(&schema, &batches).expect("batches of one file")
}

fn metadata(path: &Path) -> Arc<ParquetMetaData> {
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Required);
    let file = File::open(path).expect("the file written");
    ParquetRecordBatchReaderBuilder::try_new_with_options(file, options).expect("metadata").metadata().clone()
}

fn row_groups(path: &Path) -> Vec<i64> {
    metadata(path).row_groups().iter().map(|g| g.num_rows()).collect()
}

#[test]
fn reads_back_equal_with_every_codec() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let input = batches(&[1000, 1, 0, 70, 1500]);
    for (compression, codec) in [
        (Compression::Zstd(3), "ZSTD"),
        (Compression::Snappy, "SNAPPY"),
        (Compression::Lz4, "LZ4_RAW"),
        (Compression::None, "UNCOMPRESSED"),
    ] {
        write(&path, Format::Parquet, &input, &SinkOptions { compression, ..options() }, 1);
        assert_eq!(read(&path), plain(&input), "{codec}");
        let metadata = metadata(&path);
        for column in metadata.row_group(0).columns() {
            let found = match column.compression() {
                Codec::ZSTD(_) => "ZSTD".to_owned(),
                other => other.to_string(),
            };
            assert_eq!(found, codec, "{}", column.column_path());
        }
    }
}

#[test]
fn the_schema_has_only_types_that_every_warehouse_reads() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let pairs = vec![("urimill.spec".to_owned(), "rfc3986".to_owned()), ("empty".to_owned(), String::new())];
    write(&path, Format::Parquet, &batches(&[5]), &SinkOptions { metadata: pairs, ..options() }, 1);

    let reader = SerializedFileReader::new(File::open(&path).expect("the file")).expect("a Parquet file");
    let file = reader.metadata().file_metadata();
    let mut printed = Vec::new();
    print_schema(&mut printed, file.schema());
    assert_eq!(
        String::from_utf8_lossy(&printed),
        "message schema {
  REQUIRED INT64 record;
  REQUIRED BYTE_ARRAY uri (STRING);
  OPTIONAL BYTE_ARRAY raw (STRING);
  OPTIONAL BYTE_ARRAY scheme (STRING);
  OPTIONAL BYTE_ARRAY userinfo (STRING);
  OPTIONAL BYTE_ARRAY host (STRING);
  OPTIONAL BYTE_ARRAY path (STRING);
  OPTIONAL BYTE_ARRAY query (STRING);
  OPTIONAL BYTE_ARRAY fragment (STRING);
  OPTIONAL BYTE_ARRAY host_kind (STRING);
  OPTIONAL BYTE_ARRAY error (STRING);
  OPTIONAL INT32 port;
  REQUIRED INT32 flags;
  OPTIONAL INT32 error_offset;
  REQUIRED BYTE_ARRAY source (STRING);
  REQUIRED INT64 offset;
  OPTIONAL BYTE_ARRAY raw_bytes;
  REQUIRED INT64 fingerprint;
}
"
    );
    // No ARROW:schema among the keys: string views in it make readers ask for types that they lack.
    let keys = file.key_value_metadata().expect("key-value metadata");
    let keys: Vec<_> = keys.iter().map(|kv| (kv.key.as_str(), kv.value.as_deref())).collect();
    assert_eq!(keys, [("urimill.spec", Some("rfc3986")), ("empty", Some(""))]);
    let created = concat!("urimill version ", env!("CARGO_PKG_VERSION"));
    assert_eq!(file.created_by(), Some(created));
    assert_eq!(file.version(), 1);
}

/// Column: dictionary, encoding of values outside a dictionary, statistics.
#[rustfmt::skip]
const LAYOUT: &[(&str, bool, Encoding, bool)] = &[
    ("record",       false, Encoding::DELTA_BINARY_PACKED, true),
    ("uri",          false, Encoding::PLAIN,               false),
    ("raw",          false, Encoding::PLAIN,               false),
    ("scheme",       true,  Encoding::RLE_DICTIONARY,      true),
    ("userinfo",     true,  Encoding::RLE_DICTIONARY,      true),
    ("host",         true,  Encoding::RLE_DICTIONARY,      true),
    ("path",         false, Encoding::PLAIN,               false),
    ("query",        false, Encoding::PLAIN,               false),
    ("fragment",     false, Encoding::PLAIN,               false),
    ("host_kind",    true,  Encoding::RLE_DICTIONARY,      true),
    ("error",        true,  Encoding::RLE_DICTIONARY,      true),
    ("port",         true,  Encoding::RLE_DICTIONARY,      true),
    ("flags",        true,  Encoding::RLE_DICTIONARY,      true),
    ("error_offset", true,  Encoding::RLE_DICTIONARY,      true),
    ("source",       true,  Encoding::RLE_DICTIONARY,      true),
    ("offset",       false, Encoding::DELTA_BINARY_PACKED, true),
    ("raw_bytes",    false, Encoding::PLAIN,               false),
    ("fingerprint",  false, Encoding::PLAIN,               false),
];

#[test]
fn each_column_has_the_layout_of_the_table() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let bounds = SinkOptions { row_group_rows: 800, ..options() };
    write(&path, Format::Parquet, &batches(&[700, 500]), &bounds, 1);
    let metadata = metadata(&path);
    assert_eq!(metadata.num_row_groups(), 2);
    let (columns, offsets) = (metadata.column_index().expect("column index"), metadata.offset_index());
    for (g, group) in metadata.row_groups().iter().enumerate() {
        assert_eq!(group.num_columns(), LAYOUT.len());
        for (c, &(name, dictionary, encoding, statistics)) in LAYOUT.iter().enumerate() {
            let column = group.column(c);
            assert_eq!(column.column_path().string(), name);
            assert_eq!(column.dictionary_page_offset().is_some(), dictionary, "dictionary of {name}");
            assert!(column.encodings().any(|e| e == encoding), "{name} has no {encoding}");
            let bounds = column.statistics().and_then(|s| Some((s.min_bytes_opt()?, s.max_bytes_opt()?)));
            assert_eq!(bounds.is_some(), statistics, "statistics of {name}");
            let indexed = !matches!(columns[g][c], ColumnIndexMetaData::NONE);
            assert_eq!(indexed, statistics, "column index of {name}");
            let pages = &offsets.expect("offset index")[g][c];
            assert!(!pages.page_locations().is_empty(), "offset index of {name}");
        }
    }
}

#[test]
fn statistics_are_cut_at_64_bytes() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let host: arrow::array::StringViewArray =
        [Some("h".repeat(300)), Some("a".repeat(300))].into_iter().collect();
    let input = RecordBatch::try_from_iter([("host", Arc::new(host) as _)]).expect("a batch");
    write(&path, Format::Parquet, &[input], &options(), 1);
    let metadata = metadata(&path);
    let statistics = metadata.row_group(0).column(0).statistics().expect("statistics");
    // A maximum that is cut has its last byte increased, otherwise it would be below the values.
    assert_eq!(statistics.min_bytes_opt(), Some("a".repeat(64).as_bytes()));
    assert_eq!(statistics.max_bytes_opt(), Some(format!("{}i", "h".repeat(63)).as_bytes()));
}

#[test]
fn row_groups_are_cut_exactly_at_the_bound_on_rows() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let cases: &[(&[usize], usize, &[i64])] = &[
        (&[3, 3, 3], 4, &[4, 4, 1]),
        (&[10], 3, &[3, 3, 3, 1]),
        (&[4, 4], 4, &[4, 4]),
        (&[4, 4], 8, &[8]),
        (&[0, 2, 0], 5, &[2]),
        (&[2, 2], 1, &[1, 1, 1, 1]),
        (&[0], 5, &[]),
        (&[], 5, &[]),
    ];
    for &(sizes, row_group_rows, expected) in cases {
        let input = batches(sizes);
        for threads in [1, 3] {
            write(&path, Format::Parquet, &input, &SinkOptions { row_group_rows, ..options() }, threads);
            assert_eq!(row_groups(&path), expected, "{sizes:?} by {row_group_rows}");
            if !expected.is_empty() {
                assert_eq!(read(&path), plain(&input), "{sizes:?} by {row_group_rows}");
            }
        }
    }
}

/// Rows of 10 bytes each, all views into one buffer of 1 MiB that must not count.
fn ten_bytes_a_row(rows: usize) -> RecordBatch {
    let mut views = StringViewBuilder::new();
    let block = views.append_block(Buffer::from(vec![b'x'; 1 << 20]));
    // Longer than 12 bytes, so that views refer to the buffer: rows of 20 and 0 bytes by turns.
    (0..rows).for_each(|r| views.try_append_view(block, 0, 20 * (r as u32 % 2)).expect("within the block"));
    let schema = Schema::new(vec![Field::new("uri", DataType::Utf8View, false)]);
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(views.finish())]).expect("a batch")
}

#[test]
fn row_groups_keep_the_bound_on_bytes_by_whole_batches() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let cases: &[(&[usize], usize, usize, &[i64])] = &[
        (&[10, 10, 10, 10], 1000, 250, &[20, 20]),
        (&[10, 10, 10, 10], 1000, 200, &[20, 20]),
        (&[10, 10, 10], 1000, 199, &[10, 10, 10]),
        // One batch above the bound stays whole.
        (&[10, 90, 10], 1000, 200, &[10, 90, 10]),
        // Both bounds: the rest of a batch after the bound on rows opens the next row group.
        (&[10, 10, 10], 15, 200, &[15, 15]),
    ];
    for &(sizes, row_group_rows, row_group_bytes, expected) in cases {
        let input: Vec<_> = sizes.iter().map(|&rows| ten_bytes_a_row(rows)).collect();
        let bounds = SinkOptions { row_group_rows, row_group_bytes, ..options() };
        write(&path, Format::Parquet, &input, &bounds, 1);
        assert_eq!(row_groups(&path), expected, "{sizes:?}: {row_group_rows} rows, {row_group_bytes} bytes");
        assert_eq!(read(&path), plain(&input));
    }
}

#[test]
fn bytes_do_not_depend_on_the_number_of_workers() {
    let dir = tempfile::tempdir().expect("a directory");
    let input = batches(&[300; 40]);
    for format in Format::ALL {
        let files: Vec<_> = [1, 2, 5]
            .into_iter()
            .map(|threads| {
                let path = dir.path().join(format!("{threads}.{}", format.name()));
                let bounds = SinkOptions { row_group_rows: 1_234, ..options() };
                write(&path, format, &input, &bounds, threads);
                std::fs::read(path).expect("the file")
            })
            .collect();
        assert!(files[0] == files[1] && files[0] == files[2], "{} differs", format.name());
    }
}

#[test]
fn columns_that_pass_through_keep_their_types() {
    use arrow::array::{
        ArrayRef, BooleanArray, Float64Array, ListArray, StringArray, TimestampMillisecondArray,
    };
    use arrow::datatypes::Int32Type;
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let list =
        ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(1), None]), None, Some(vec![])]);
    let input = RecordBatch::try_from_iter_with_nullable([
        ("status", Arc::new(StringArray::from(vec![Some("200"), None, Some("")])) as ArrayRef, true),
        ("ok", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)])) as ArrayRef, true),
        ("score", Arc::new(Float64Array::from(vec![0.5, -0.0, 1e300])) as ArrayRef, false),
        ("hops", Arc::new(list) as ArrayRef, true),
        ("time", Arc::new(TimestampMillisecondArray::from(vec![1, 2, 3])) as ArrayRef, false),
    ])
    .expect("a batch");
    let bounds = SinkOptions { row_group_rows: 2, ..options() };
    write(&path, Format::Parquet, std::slice::from_ref(&input), &bounds, 2);
    assert_eq!(row_groups(&path), [2, 1]);
    let found = read(&path);
    assert_eq!(found.columns()[..3], input.columns()[..3]);
    assert_eq!(format!("{:?}", found.column(3)), format!("{:?}", input.column(3)));
    assert_eq!(found.column(4), input.column(4));
}

#[test]
fn more_row_groups_than_the_format_numbers_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let input = [batch(0, 32_769).project(&[0]).expect("the column record")];
    let bounds = SinkOptions { row_group_rows: 1, compression: Compression::None, ..options() };
    let target = Target::create(&path, false).expect("a target");
    let sink = create(Format::Parquet, target, input[0].schema(), &bounds).expect("a sink");
    let error = drive(sink, &input, 1).expect_err("32,769 row groups");
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert!(error.to_string().contains("at most 32768 row groups"), "{error}");
    assert!(!path.exists());
}

#[test]
fn a_bound_of_zero_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    for bounds in
        [SinkOptions { row_group_rows: 0, ..options() }, SinkOptions { row_group_bytes: 0, ..options() }]
    {
        let target = Target::create(&dir.path().join("t.parquet"), false).expect("a target");
        let error = create(Format::Parquet, target, super::table::schema(), &bounds).err().expect("an error");
        assert_eq!(error.kind(), ErrorKind::Usage);
    }
}

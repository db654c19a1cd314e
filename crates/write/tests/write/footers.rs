//! `OutputVerifier` compares a file's metadata with the intended table: files that are whole, but describe something
//! else.

use std::path::Path;

use arrow::array::RecordBatch;
use parquet::data_type::ByteArray;
use parquet::file::metadata::{
    ColumnChunkMetaData, KeyValue, PageIndexPolicy, ParquetMetaData, ParquetMetaDataBuilder,
    ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::statistics::{Statistics, ValueStatistics};
use parquet::file::writer::TrackedWrite;
use urimill_base::error::ErrorKind;
use urimill_base::threads::Workers;
use urimill_pipeline::verify::OutputVerifier;
use urimill_write::{Format, SinkOptions, SortKey, Target, UncommittedOutput};

use super::table::{batches, options, schema, write};

/// The verdict of `OutputVerifier` on a file with these bytes, for [`table`].
fn verdict(bytes: &[u8], format: Format, meant: &SinkOptions) -> Result<(), String> {
    let dir = tempfile::tempdir().expect("a directory");
    let mut target = Target::create(&dir.path().join("t"), false).expect("a target");
    target.append(bytes).expect("a file");
    target.settle().expect("a file");
    let proof = OutputVerifier::new(format, &schema(), meant, &[]).expect("a table that can be compared");
    table().iter().for_each(|batch| proof.add(batch).expect("rows"));
    proof.check(&UncommittedOutput::File(target), &Workers::default()).map_err(|error| {
        assert_eq!(error.kind(), ErrorKind::Data, "{error}");
        error.to_string()
    })
}

fn table() -> Vec<RecordBatch> {
    batches(&[700, 800])
}

fn meant() -> SinkOptions {
    let metadata = vec![("urimill.level".to_owned(), "scheme".to_owned())];
    SinkOptions { metadata, row_group_rows: 1000, ..options() }
}

fn file(path: &Path, format: Format, options: &SinkOptions) -> Vec<u8> {
    write(path, format, &table(), options, 2);
    std::fs::read(path).expect("the file")
}

/// The same pages with a footer that `change` has changed.
fn with_footer(
    bytes: &[u8],
    change: impl FnOnce(ParquetMetaDataBuilder) -> ParquetMetaDataBuilder,
) -> Vec<u8> {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    let footer: ParquetMetaData =
        reader.parse_and_finish(&bytes::Bytes::copy_from_slice(bytes)).expect("a footer");
    let ends = footer.row_groups().iter().flat_map(RowGroupMetaData::columns).map(|column| {
        let (start, length) = column.byte_range();
        (start + length) as usize
    });
    let pages = &bytes[..ends.max().expect("columns")];
    let changed = change(footer.into_builder()).build();
    let mut file = Vec::new();
    let mut out = TrackedWrite::new(&mut file);
    std::io::Write::write_all(&mut out, pages).expect("memory");
    ParquetMetaDataWriter::new_with_tracked(out, &changed).finish().expect("a footer");
    file
}

/// The first row group's column `name` with other statistics.
fn with_statistics(
    footer: ParquetMetaDataBuilder,
    name: &str,
    change: impl FnOnce(&Statistics) -> Statistics,
) -> ParquetMetaDataBuilder {
    let mut footer = footer;
    let groups = footer.take_row_groups();
    let mut groups = groups.into_iter();
    let first = groups.next().expect("a row group");
    let mut builder = first.into_builder();
    let mut change = Some(change);
    let columns = builder.take_columns().into_iter().map(|column: ColumnChunkMetaData| {
        if column.column_path().string() != name {
            return column;
        }
        let statistics = change.take().expect("one column")(column.statistics().expect("statistics"));
        column.into_builder().set_statistics(statistics).build().expect("a column")
    });
    let columns = columns.collect();
    let first = builder.set_column_metadata(columns).build().expect("a row group");
    footer.set_row_groups(std::iter::once(first).chain(groups).collect())
}

fn texts(statistics: &Statistics) -> ValueStatistics<ByteArray> {
    match statistics {
        Statistics::ByteArray(texts) => texts.clone(),
        other => panic!("{other:?} are no statistics of texts"),
    }
}

fn bounds(min: &str, max: &str, nulls: Option<u64>) -> Statistics {
    let value = |text: &str| Some(ByteArray::from(text));
    Statistics::ByteArray(ValueStatistics::new(value(min), value(max), None, nulls, false))
}

#[test]
fn a_false_parquet_footer_is_found() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.parquet");
    let bytes = file(&path, Format::Parquet, &meant());
    verdict(&bytes, Format::Parquet, &meant()).expect("the file as it was written");
    verdict(&with_footer(&bytes, |footer| footer), Format::Parquet, &meant()).expect("the same footer again");

    // Another order, other metadata, another codec, written by the sink itself.
    let sorting = vec![SortKey { column: 0, descending: false }];
    let others = [
        (SinkOptions { sorting, ..meant() }, "order"),
        (SinkOptions { metadata: Vec::new(), ..meant() }, "metadata"),
        (SinkOptions { compression: urimill_write::Compression::Snappy, ..meant() }, "compression"),
    ];
    for (other, word) in others {
        let said = verdict(&file(&path, Format::Parquet, &other), Format::Parquet, &meant());
        let said = said.expect_err(word);
        assert!(said.contains(word) && said.contains("nothing was published"), "{word}: {said}");
    }

    // (the change, a word of the message)
    type Change = fn(ParquetMetaDataBuilder) -> ParquetMetaDataBuilder;
    let changes: [(&str, Change, &str); 6] = [
        (
            "a minimum above a value",
            |footer| with_statistics(footer, "host", |_| bounds("x", "zz", Some(0))),
            "column host: a value is less than its minimum",
        ),
        (
            "a maximum below a value",
            |footer| with_statistics(footer, "scheme", |_| bounds("", "f", None)),
            "column scheme: a value is greater than its maximum",
        ),
        (
            "nulls that are not there",
            |footer| {
                with_statistics(footer, "scheme", |old| {
                    let old = texts(old);
                    let text = |value: Option<&ByteArray>| {
                        value.expect("a bound").as_utf8().expect("text").to_owned()
                    };
                    bounds(&text(old.min_opt()), &text(old.max_opt()), Some(1))
                })
            },
            "column scheme: it counts 1 nulls",
        ),
        (
            "an exact bound that is no value",
            |footer| {
                with_statistics(footer, "scheme", |_| {
                    let value = |text: &str| Some(ByteArray::from(text));
                    let all = ValueStatistics::new(value(""), value("zzz"), None, None, false);
                    Statistics::ByteArray(all.with_max_is_exact(true).with_min_is_exact(false))
                })
            },
            "column scheme: its maximum is none of its values",
        ),
        (
            "bounds of pages under another column",
            |mut footer| {
                let mut index = footer.take_column_index().expect("an index");
                let columns = schema();
                let [a, b] = ["scheme", "host"].map(|name| columns.index_of(name).expect("a column"));
                index[0].swap(a, b);
                footer.set_column_index(Some(index))
            },
            "a page of the column",
        ),
        (
            "another writer's metadata",
            |footer| {
                let old = footer.build();
                let file = old.file_metadata();
                let pairs = Some(vec![KeyValue::new("urimill.level".to_owned(), "none".to_owned())]);
                let changed = parquet::file::metadata::FileMetaData::new(
                    file.version(),
                    file.num_rows(),
                    file.created_by().map(str::to_owned),
                    pairs,
                    file.schema_descr_ptr(),
                    file.column_orders().cloned(),
                );
                ParquetMetaDataBuilder::new(changed)
                    .set_row_groups(old.row_groups().to_vec())
                    .set_column_index(old.column_index().cloned())
                    .set_offset_index(old.offset_index().cloned())
            },
            "key-value metadata",
        ),
    ];
    for (what, change, word) in changes {
        let said = verdict(&with_footer(&bytes, change), Format::Parquet, &meant()).expect_err(what);
        assert!(said.contains(word) && said.contains("nothing was published"), "{what}: {said}");
    }
}

#[test]
fn a_false_arrow_schema_is_found() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("t.arrow");
    for format in [Format::Arrow, Format::ArrowStream] {
        let bytes = file(&path, format, &meant());
        verdict(&bytes, format, &meant()).expect("the file as it was written");
        let other =
            SinkOptions { metadata: vec![("urimill.level".to_owned(), "none".to_owned())], ..meant() };
        let said = verdict(&file(&path, format, &other), format, &meant()).expect_err("other metadata");
        assert!(said.contains("another schema or other metadata"), "{format:?}: {said}");
    }
}

//! Small tables in every encoding, for mutations of them.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, DictionaryArray, Int64Array, ListArray, RecordBatch, StringArray, StringViewArray, StructArray,
};
use arrow::datatypes::{Int32Type, Int64Type};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::{WriterProperties, WriterVersion};

fn batch() -> RecordBatch {
    let uris = ["http://example.com/a", "HTTP://EXAMPLE.com:80/%7Ea", "", "/b c", "http://example.com/a"];
    let number =
        Arc::new(Int64Array::from(vec![Some(1), None, Some(3), Some(-4), Some(i64::MAX)])) as ArrayRef;
    let lists = [vec![Some(1)], vec![], vec![None, Some(2)], vec![Some(3); 9], vec![]];
    let notes = Arc::new(StringArray::from(vec![None, Some("b"), Some("b"), None, Some("c")])) as ArrayRef;
    let within =
        StructArray::try_from(vec![("n", number.clone()), ("note", notes.clone())]).expect("a struct");
    RecordBatch::try_from_iter_with_nullable([
        ("url", Arc::new(StringArray::from(uris.to_vec())) as ArrayRef, true),
        ("n", number, true),
        (
            "list",
            Arc::new(ListArray::from_iter_primitive::<Int64Type, _, _>(lists.map(Some))) as ArrayRef,
            true,
        ),
        ("within", Arc::new(within) as ArrayRef, true),
        ("note", notes, true),
    ])
    .expect("a batch")
}

/// Parquet files.
pub(crate) fn parquet() -> Vec<Vec<u8>> {
    let ways = [
        (Compression::UNCOMPRESSED, WriterVersion::PARQUET_1_0, true, None),
        (Compression::SNAPPY, WriterVersion::PARQUET_2_0, true, None),
        (Compression::ZSTD(Default::default()), WriterVersion::PARQUET_1_0, false, None),
        (Compression::GZIP(Default::default()), WriterVersion::PARQUET_2_0, false, None),
        (Compression::BROTLI(Default::default()), WriterVersion::PARQUET_1_0, false, None),
        (Compression::LZ4, WriterVersion::PARQUET_1_0, false, None),
        (Compression::LZ4_RAW, WriterVersion::PARQUET_1_0, true, None),
        (Compression::UNCOMPRESSED, WriterVersion::PARQUET_2_0, false, Some(Encoding::DELTA_BYTE_ARRAY)),
    ];
    let file =
        |(codec, version, dictionary, encoding): (Compression, WriterVersion, bool, Option<Encoding>)| {
            let properties = WriterProperties::builder()
                .set_compression(codec)
                .set_writer_version(version)
                .set_dictionary_enabled(dictionary)
                .set_max_row_group_row_count(Some(4));
            let properties = match encoding {
                Some(encoding) => properties.set_column_encoding("url".into(), encoding),
                None => properties,
            };
            let batch = batch();
            let mut writer =
                ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties.build())).expect("a writer");
            writer.write(&batch).expect("memory can be written");
            writer.into_inner().expect("memory can be written")
        };
    ways.into_iter().map(file).collect()
}

/// Arrow files and streams.
pub(crate) fn arrow() -> Vec<Vec<u8>> {
    let plain = batch();
    let keys = plain.column(4).clone();
    let keys = arrow::compute::cast(
        &keys,
        &arrow::datatypes::DataType::Dictionary(
            Box::new(arrow::datatypes::DataType::Int32),
            Box::new(arrow::datatypes::DataType::Utf8),
        ),
    );
    let keys: DictionaryArray<Int32Type> = keys.expect("a dictionary").to_data().into();
    let views = StringViewArray::from(vec!["http://example.com/a/long/path", "http://h/", "", "x", "y"]);
    let columns = [("url", Arc::new(views) as ArrayRef, true), ("key", Arc::new(keys) as ArrayRef, true)];
    let others = RecordBatch::try_from_iter_with_nullable(columns).expect("a batch");
    let codecs = [None, Some(CompressionType::ZSTD), Some(CompressionType::LZ4_FRAME)];
    let mut all = Vec::new();
    for (batch, codec) in [plain, others].iter().flat_map(|batch| codecs.map(|codec| (batch, codec))) {
        let options = || IpcWriteOptions::default().try_with_compression(codec).expect("a codec");
        let mut file =
            FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options()).expect("a writer");
        let mut stream =
            StreamWriter::try_new_with_options(Vec::new(), &batch.schema(), options()).expect("a writer");
        for _ in 0..2 {
            file.write(batch).expect("memory can be written");
            stream.write(batch).expect("memory can be written");
        }
        all.push(file.into_inner().expect("memory can be written"));
        all.push(stream.into_inner().expect("memory can be written"));
    }
    all
}

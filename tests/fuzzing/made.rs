//! Small tables in every encoding, and archives, as seeds of mutations.

use std::io::Write;
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

/// A record of a WARC file.
fn record(kind: &str, uri: &str, block: &str) -> Vec<u8> {
    let fields = format!("WARC-Type: {kind}\r\nWARC-Target-URI: {uri}\r\nWARC-Record-ID: <urn:x>");
    format!("WARC/1.0\r\n{fields}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()).into_bytes()
}

/// The records of a WARC file.
pub(crate) fn warc() -> [Vec<u8>; 3] {
    let response = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<a>";
    [
        b"WARC/1.1\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n".to_vec(),
        record("response", "http://example.com/a", response),
        record("resource", "<http://example.com/b>", "block"),
    ]
}

/// The records of a WAT file.
pub(crate) fn wat() -> [Vec<u8>; 2] {
    let block = "{\"Container\":{\"Filename\":\"a.warc\",\"Offset\":\"5\"},\"Envelope\":{\"WARC-Header-Metadata\":\
                 {\"WARC-Type\":\"response\"},\"Payload-Metadata\":{\"HTTP-Response-Metadata\":{\"Response-Message\":\
                 {\"Status\":\"200\"},\"HTML-Metadata\":{\"Head\":{\"Title\":\"t\"}}}}}}";
    [record("metadata", "http://example.com/a", block), record("metadata", "http://example.com/b", "{}")]
}

/// Zip archives with WARC files in them, as they are and deflated.
pub(crate) fn wacz() -> Vec<Vec<u8>> {
    let [info, one, two] = warc();
    let gzip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).expect("memory can be written");
        encoder.finish().expect("memory can be written")
    };
    let packed = [gzip(&info), gzip(&one)].concat();
    vec![
        zip(&[
            ("archive/a.warc.gz", &packed, false),
            ("pages/x", b"{}", false),
            ("archive/b.warc", &two, true),
        ]),
        zip(&[("archive/a.warc", &[one, two].concat(), false), ("indexes/a.cdxj", b"", true)]),
    ]
}

/// A zip archive of files that are stored or deflated.
fn zip(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for &(name, bytes, is_deflated) in files {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).expect("memory can be written");
        let deflated = encoder.finish().expect("memory can be written");
        let stored = if is_deflated { &deflated } else { bytes };
        let mut fields = vec![20, 0, 0, 0, if is_deflated { 8 } else { 0 }, 0, 0, 0, 0x21, 0x58];
        for number in [crc.sum(), stored.len() as u32, bytes.len() as u32] {
            fields.extend_from_slice(&number.to_le_bytes());
        }
        fields.extend_from_slice(&(name.len() as u16).to_le_bytes());
        fields.extend_from_slice(&[0, 0]);
        let begin = (out.len() as u32).to_le_bytes();
        directory.extend_from_slice(
            &[b"PK\x01\x02\x14\0", &fields[..], &[0; 10], &begin, name.as_bytes()].concat(),
        );
        out.extend_from_slice(&[b"PK\x03\x04", &fields[..], name.as_bytes(), stored].concat());
    }
    let (count, begin) = ((files.len() as u16).to_le_bytes(), (out.len() as u32).to_le_bytes());
    let length = (directory.len() as u32).to_le_bytes();
    [&out[..], &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &length, &begin, b"\0\0"].concat()
}

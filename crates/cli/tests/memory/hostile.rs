//! Tables of which few bytes stand for many, and tables that state lengths that they do not have: urimill in a process
//! of its own takes the memory that it may, or says in one sentence what it cannot read.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::ipc::CompressionType;
use arrow::ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};

use super::inputs::measure;

fn table(columns: &[(&str, Vec<String>)]) -> RecordBatch {
    let columns = columns
        .iter()
        .map(|(name, values)| (*name, Arc::new(StringArray::from_iter_values(values)) as ArrayRef));
    RecordBatch::try_from_iter(columns).unwrap()
}

fn uris(count: usize) -> Vec<String> {
    (0..count).map(|row| format!("http://h/{row}")).collect()
}

fn parquet(batch: &RecordBatch, how: WriterPropertiesBuilder) -> Vec<u8> {
    let properties = how.set_compression(Compression::SNAPPY).set_write_batch_size(16).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

fn arrow(batch: &RecordBatch, codec: Option<CompressionType>) -> Vec<u8> {
    let options = IpcWriteOptions::default().try_with_compression(codec).unwrap();
    let mut writer = FileWriter::try_new_with_options(Vec::new(), &batch.schema(), options).unwrap();
    writer.write(batch).unwrap();
    writer.into_inner().unwrap()
}

/// `bytes` with every place that has one number of 64 bits having another.
fn forged(bytes: &[u8], from: u64, to: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut count = 0;
    for at in 0..bytes.len() - 8 {
        if bytes[at..at + 8] == from.to_le_bytes() {
            bytes[at..at + 8].copy_from_slice(&to.to_le_bytes());
            count += 1;
        }
    }
    assert!(count > 0, "{from} stands nowhere");
    bytes
}

/// A footer with a list of so many row groups, of which there is none.
pub(super) fn footer_of_row_groups(count: u64) -> Vec<u8> {
    let mut footer = b"\x15\x02\x19\x1c\x48\x01a\x00\x16\x00\x19\xfc".to_vec();
    let mut rest = count;
    while rest >= 0x80 {
        footer.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    footer.push(rest as u8);
    let length = footer.len() as u32;
    [&b"PAR1"[..], &footer, &length.to_le_bytes(), b"PAR1"].concat()
}

/// An Arrow stream whose batch is to have a body of `stated` bytes, and zeros, compressed: so many mebibytes come.
fn stream_of_zeros(stated: u64, mebibytes: usize) -> Vec<u8> {
    let batch = table(&[("url", uris(1000))]);
    let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    let stream = writer.into_inner().unwrap();
    // Each message is a mark, the length of its metadata, these, and its body, which a schema has not.
    let length = |at: usize| u32::from_le_bytes(stream[at..at + 4].try_into().unwrap()) as usize;
    let second = 8 + length(4);
    let metadata = &stream[second + 8..][..length(second + 4)];
    let body = arrow::ipc::root_as_message(metadata).unwrap().bodyLength() as u64;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&forged(&stream, body, stated)).unwrap();
    (0..mebibytes).for_each(|_| encoder.write_all(&vec![0; 1 << 20]).unwrap());
    encoder.finish().unwrap()
}

fn read(what: &str, path: &Path, format: &str, code: i32, said: &str, most: u64) {
    let path = path.display();
    let line = format!("normalize {path} --from {format} --uri-field url --to parquet --threads 2");
    let (found, mebibytes, stderr) = measure(&line, Default::default());
    println!("{what}: {mebibytes} MiB");
    assert_eq!(found, Some(code), "{what}: {stderr}");
    assert!(stderr.contains(said) && (code == 0 || stderr.lines().count() == 1), "{what}: {stderr}");
    assert!(mebibytes < most, "{what}: {mebibytes} MiB");
}

/// (what it is, the file, its format, exit code, what is said, mebibytes at most)
#[test]
fn hostile_tables_take_little_memory() {
    let dir = tempfile::tempdir().unwrap();
    let long = |length: usize, row: usize| format!("http://h/{row}/{}", "a".repeat(length));
    let repeated = table(&[("url", uris(2048)), ("note", vec![long(512 << 10, 0); 2048])]);
    let skewed =
        (0..20_000).map(|row| format!("http://h/{row}")).chain((0..768).map(|row| long(256 << 10, row)));
    let skewed = table(&[("url", skewed.collect())]);
    let small = arrow(&table(&[("url", uris(1000))]), Some(CompressionType::ZSTD));
    let length = uris(1000).iter().map(|uri| uri.len() as u64).sum::<u64>();
    let plain = WriterProperties::builder;
    type Case = (&'static str, Vec<u8>, &'static str, i32, &'static str, u64);
    let table: [Case; 6] = [
        ("a dictionary's value, 2,048 times", parquet(&repeated, plain()), "parquet", 0, "2,048 rows", 400),
        (
            "short rows, then long ones",
            parquet(&skewed, plain().set_dictionary_enabled(false)),
            "parquet",
            0,
            "20,768 rows",
            400,
        ),
        ("a hundred million row groups", footer_of_row_groups(100_000_000), "parquet", 3, "footer", 100),
        ("a buffer of 2^61 bytes", forged(&small, length, (1 << 61) + 84), "arrow", 3, "at once", 100),
        ("a buffer of 300 MB", forged(&small, length, 300 << 20), "arrow", 3, "at once", 100),
        ("a stream with a body of a tebibyte", stream_of_zeros(1 << 40, 400), "arrow", 3, "at once", 100),
    ];
    for (number, (what, bytes, format, code, said, most)) in table.into_iter().enumerate() {
        let path = dir.path().join(format!("{number}.{format}"));
        std::fs::write(&path, bytes).unwrap();
        read(what, &path, format, code, said, most);
    }
}

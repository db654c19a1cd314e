//! Lookups take as much memory as a line and a few pages, whatever an index unpacks to.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterProperties;

use super::inputs::measure;

/// An index in one block of so many lines of a mebibyte.
fn block(dir: &Path, mebibytes: usize) {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let pad = "x".repeat(1 << 20);
    for line in 0..mebibytes {
        writeln!(encoder, "com,h)/{line:06} 20240101000000 {{\"pad\": \"{pad}\"}}").unwrap();
    }
    one_block(dir, &encoder.finish().unwrap());
}

fn one_block(dir: &Path, packed: &[u8]) {
    std::fs::write(
        dir.join("cdx.idx"),
        format!("com,h)/000000 20240101000000\tcdx-0\t0\t{}\t1\n", packed.len()),
    )
    .unwrap();
    std::fs::write(dir.join("cdx-0"), packed).unwrap();
}

fn nothing() -> super::inputs::RecordSource {
    (Vec::new(), Vec::new(), 0, Vec::new())
}

/// Eight times as much takes no more.
#[test]
fn a_block_is_read_line_by_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().display().to_string();
    for mebibytes in [32, 256] {
        block(dir.path(), mebibytes);
        for (query, expected) in [("com,h)/000007", 0), ("com,zz)/", 1), ("--scan com,h)/000007", 0)] {
            let (code, most, said) = measure(&format!("lookup {query} -i {path}"), nothing());
            println!("a block of {mebibytes} MiB, {query}: {most} MiB");
            assert_eq!(code, Some(expected), "{said}");
            assert!((2..64).contains(&most), "{mebibytes} MiB, {query}: {most} MiB");
        }
    }
}

#[test]
fn a_line_has_a_limit() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().display().to_string();
    for mebibytes in [64, 256] {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(b"com,h)/000000 20240101000000 {\"pad\": \"").unwrap();
        (0..mebibytes).for_each(|_| encoder.write_all(&[b'x'; 1 << 20]).unwrap());
        encoder.write_all(b"\"}\n").unwrap();
        one_block(dir.path(), &encoder.finish().unwrap());
        for (options, limit) in [("", 192), ("--memory 16M", 64)] {
            let (code, most, said) = measure(&format!("lookup com,h)/000000 {options} -i {path}"), nothing());
            println!("a line of {mebibytes} MiB {options}: {most} MiB");
            assert_eq!(code, Some(3), "{said}");
            assert!(said.contains("is longer than"), "{said}");
            assert!((2..limit).contains(&most), "{mebibytes} MiB {options}: {most} MiB");
        }
    }
}

/// A page that unpacks to more than there is room for is not unpacked.
#[test]
fn pages_of_a_table_have_a_limit() {
    let dir = tempfile::tempdir().unwrap();
    for mebibytes in [64, 256] {
        let path = dir.path().join("i.parquet");
        let text = |text: &str| Arc::new(StringArray::from(vec![text])) as ArrayRef;
        let columns = [
            ("urlkey", text("com,h)/")),
            ("timestamp", text("20240101000000")),
            ("url", text(&"x".repeat(mebibytes << 20))),
        ];
        let rows = RecordBatch::try_from_iter(columns).unwrap();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_dictionary_enabled(false)
            .set_sorting_columns(Some(vec![SortingColumn {
                column_idx: 0,
                descending: false,
                nulls_first: false,
            }]))
            .build();
        let mut writer =
            ArrowWriter::try_new(File::create(&path).unwrap(), rows.schema(), Some(properties)).unwrap();
        writer.write(&rows).unwrap();
        writer.close().unwrap();
        let line = format!("lookup com,h)/ --memory 64M -i {}", path.display());
        let (code, most, said) = measure(&line, nothing());
        println!("a page of {mebibytes} MiB: {most} MiB");
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("there is room for"), "{said}");
        assert!((2..64).contains(&most), "{mebibytes} MiB: {most} MiB");
    }
}

//! Lookups take as much memory as a line and a few pages, whatever an index unpacks to.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

use super::hostile::footer_of_row_groups;
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

/// An index of one line whose URL is this.
fn table(path: &Path, url: &str) {
    let text = |text: &str| Arc::new(StringArray::from(vec![text])) as ArrayRef;
    let columns = [("urlkey", text("com,h)/")), ("timestamp", text("20240101000000")), ("url", text(url))];
    let rows = RecordBatch::try_from_iter(columns).unwrap();
    let sorted = SortingColumn { column_idx: 0, descending: false, nulls_first: false };
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_dictionary_enabled(false)
        .set_sorting_columns(Some(vec![sorted]))
        .build();
    let mut writer =
        ArrowWriter::try_new(File::create(path).unwrap(), rows.schema(), Some(properties)).unwrap();
    writer.write(&rows).unwrap();
    writer.close().unwrap();
}

/// A page that unpacks to more than there is room for is not unpacked.
#[test]
fn pages_of_a_table_have_a_limit() {
    let dir = tempfile::tempdir().unwrap();
    for mebibytes in [64, 256] {
        let path = dir.path().join("i.parquet");
        table(&path, &"x".repeat(mebibytes << 20));
        let line = format!("lookup com,h)/ --memory 64M -i {}", path.display());
        let (code, most, said) = measure(&line, nothing());
        println!("a page of {mebibytes} MiB: {most} MiB");
        assert_eq!(code, Some(3), "{said}");
        assert!(said.contains("there is room for"), "{said}");
        assert!((2..64).contains(&most), "{mebibytes} MiB: {most} MiB");
    }
}

/// A file of this footer, or of a footer of so many zeros.
fn parquet(path: &Path, footer: Result<&[u8], usize>) {
    let mut file = File::create(path).unwrap();
    file.write_all(b"PAR1").unwrap();
    let length = match footer {
        Ok(bytes) => {
            file.write_all(bytes).unwrap();
            bytes.len()
        }
        Err(length) => {
            file.set_len(4 + length as u64).unwrap();
            file.seek(SeekFrom::End(0)).unwrap();
            length
        }
    };
    file.write_all(&(length as u32).to_le_bytes()).unwrap();
    file.write_all(b"PAR1").unwrap();
}

/// A footer with so many columns.
fn footer_of_columns(count: u32) -> Vec<u8> {
    let number = |mut rest: u32| {
        let mut bytes = Vec::new();
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        bytes
    };
    let mut footer =
        [b"\x15\x02\x19\xfc", &number(count + 1)[..], b"\x48\x01r\x15", &number(2 * count), b"\0"].concat();
    (0..count).for_each(|_| footer.extend(b"\x15\x0c\x25\x02\x18\x01a\0"));
    footer.extend(b"\x16\0\x19\x0c\0");
    footer
}

/// An index of which the list of pages says that it has 2^31 - 1.
fn forged_index(path: &Path) {
    table(path, "http://h/");
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let place = reader.metadata().row_group(0).column(0).offset_index_offset().unwrap();
    let mut file = File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(place as u64)).unwrap();
    file.write_all(b"\x19\xfc\xff\xff\xff\xff\x07").unwrap();
}

/// (what it is, how one of a size is made, what is said): of size 1 and of size 2 it takes no more.
#[test]
fn what_a_table_says_of_itself_has_a_limit() {
    let dir = tempfile::tempdir().unwrap();
    type Make = fn(&Path, usize);
    let table: [(&str, Make, &str); 4] = [
        ("a footer of gibibytes", |path, size| parquet(path, Err(size << 30)), "there is room for"),
        (
            "a footer of many columns",
            |path, size| parquet(path, Ok(&footer_of_columns(200_000 * size as u32))),
            "there is room for",
        ),
        (
            "a footer of millions of row groups",
            |path, size| std::fs::write(path, footer_of_row_groups(100_000_000 * size as u64)).unwrap(),
            "footer cannot be read",
        ),
        ("an index of many pages", |path, _| forged_index(path), "the index of its pages cannot be read"),
    ];
    for (what, make, expected) in table {
        for size in [1, 2] {
            let path = dir.path().join("i.parquet");
            make(&path, size);
            for options in ["", "--memory 16M"] {
                let line = format!("lookup com,h)/ {options} -i {}", path.display());
                let (code, most, said) = measure(&line, nothing());
                println!("{what}, {size} {options}: {most} MiB");
                assert_eq!(code, Some(3), "{what}: {said}");
                assert!(said.contains(expected) && said.lines().count() == 1, "{what}: {said}");
                // One that ends at once was perhaps not looked at.
                assert!(most < 64, "{what}: {most} MiB");
            }
        }
    }
}

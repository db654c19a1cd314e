//! Archives in archives: WACZ files, WARC files of zstd with a dictionary and of gzip. Their checksums allow two
//! results for a mutant: the rows of the whole file, or an error.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use urimill::read::format::InputFormat;
use urimill::read::{ChunkOptions, Chunker, Format, Source};

use super::{MUTANTS, Random, Row, mutant, reader, rows_of};

/// A record without a block.
fn record(tag: &str) -> Vec<u8> {
    let uri = format!("WARC-Target-URI: http://LLL{tag}/\r\nWARC-Record-ID: <urn:III{tag}>");
    format!("WARC/1.0\r\nWARC-Type: resource\r\n{uri}\r\nContent-Length: 5\r\n\r\nblock\r\n\r\n").into_bytes()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn warc() -> Format {
    reader(InputFormat::Warc)
}

/// Returns the number of mutants that were read. An input may end after each of `members`.
fn trial(
    name: &str,
    stored: &[u8],
    members: &[usize],
    read: impl Fn(&[u8]) -> Result<Vec<Row>, String>,
) -> usize {
    // The place where a record is stored and the name of its file are not compared.
    let plain = |rows: Vec<Row>| -> Vec<Row> {
        let is_own = |column: &String| !["record_offset", "record_length"].contains(&column.as_str());
        rows.into_iter().map(|row| row.into_iter().filter(|(column, _)| is_own(column)).collect()).collect()
    };
    let whole = plain(read(stored).expect(name));
    assert_eq!(whole.len(), 3, "{name}");
    let mut random = Random(name.len() as u64);
    let mut same = 0;
    for number in 0..MUTANTS {
        let data = mutant(stored, &["\0", "\u{1}", "P", "K", "(", "a"], &mut random);
        if let Ok(found) = read(&data).map(plain) {
            let what = format!("{name}, mutant {number}: {}", data.escape_ascii());
            if members.contains(&data.len()) && found.len() < whole.len() {
                assert_eq!(found, whole[..found.len()], "{what}");
                continue;
            }
            assert_eq!(found, whole, "{what}");
            same += 1;
        }
    }
    println!("{name}: {same} read all the same");
    same
}

#[test]
fn members_of_gzip() {
    let members = super::TAGS.map(|tag| gzip(&record(tag)));
    let ends = [members[0].len(), members[0].len() + members[1].len()];
    assert!((100..MUTANTS / 2).contains(&trial("gzip", &members.concat(), &ends, read_warc)));
}

#[test]
fn frames_of_zstd_with_a_dictionary() {
    let samples: Vec<Vec<u8>> = (0..200).map(|n| record(&n.to_string())).collect();
    let samples: Vec<&[u8]> = samples.iter().map(Vec::as_slice).collect();
    let dictionary = zstd::dict::from_samples(&samples, 512).expect("a dictionary");
    let frame = |tag: &str| {
        let mut encoder = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
        encoder.include_checksum(true).unwrap();
        encoder.compress(&record(tag)).unwrap()
    };
    let frames = super::TAGS.map(frame);
    let length = (dictionary.len() as u32).to_le_bytes();
    let first = [b"\x5d\x2a\x4d\x18", &length[..], &dictionary].concat();
    let ends = [0, 1, 2].map(|count| first.len() + frames[..count].concat().len());
    assert!((10..MUTANTS / 2).contains(&trial("zstd", &[first, frames.concat()].concat(), &ends, read_warc)));
}

fn read_warc(data: &[u8]) -> Result<Vec<Row>, String> {
    let sizes = ChunkOptions { chunk_bytes: 1 << 13, ..ChunkOptions::default() };
    let reader = Box::new(std::io::Cursor::new(data.to_vec()));
    rows_of(Chunker::from_reader("input", reader, sizes, Arc::default()).with_format(warc()))
}

/// A zip archive of files that are stored or deflated.
fn zip(files: &[(&str, &[u8], bool)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes, is_deflated) in files {
        let mut crc = flate2::Crc::new();
        crc.update(bytes);
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        let stored = if *is_deflated { encoder.finish().unwrap() } else { bytes.to_vec() };
        let mut fields = vec![20, 0, 0, 0, if *is_deflated { 8 } else { 0 }, 0, 0, 0, 0x21, 0x58];
        for number in [crc.sum(), stored.len() as u32, bytes.len() as u32] {
            fields.extend_from_slice(&number.to_le_bytes());
        }
        fields.extend_from_slice(&(name.len() as u16).to_le_bytes());
        fields.extend_from_slice(&[0, 0]);
        let begin = (out.len() as u32).to_le_bytes();
        directory.extend_from_slice(
            &[b"PK\x01\x02\x14\0", &fields[..], &[0; 10], &begin, name.as_bytes()].concat(),
        );
        out.extend_from_slice(&[b"PK\x03\x04", &fields[..], name.as_bytes(), &stored].concat());
    }
    let (count, begin) = ((files.len() as u16).to_le_bytes(), (out.len() as u32).to_le_bytes());
    let length = (directory.len() as u32).to_le_bytes();
    [&out[..], &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &length, &begin, b"\0\0"].concat()
}

fn read_wacz(path: &Path) -> Result<Vec<Row>, String> {
    let format = reader(InputFormat::Wacz);
    let sizes = ChunkOptions { chunk_bytes: 1 << 13, ..ChunkOptions::default() };
    rows_of(Chunker::new(vec![Source::File(path.to_owned())], sizes, Arc::default()).with_format(format))
}

#[test]
fn wacz_files() {
    let [one, two, six] = super::TAGS.map(record);
    let stored = zip(&[
        ("archive/a.warc.gz", &[gzip(&one), gzip(&two)].concat(), false),
        ("datapackage.json", b"{}", false),
        ("archive/b.warc", &six, true),
    ]);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.wacz");
    let read = |data: &[u8]| {
        fs::write(&path, data).unwrap();
        read_wacz(&path)
    };
    assert!((100..MUTANTS / 2).contains(&trial("wacz", &stored, &[], read)));
}

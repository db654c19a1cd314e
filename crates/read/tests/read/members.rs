//! gzip of many members, inflated ahead by several threads: bytes and errors equal those of one thread.

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use flate2::{Compression, GzBuilder};
use urimill_read::Reader;

use urimill_testkit::stored::{Slow, no_progress};

fn member(level: u32, text: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// As `bgzip` writes them: with their size in the header.
fn block(text: &[u8]) -> Vec<u8> {
    let write = |size: u16| {
        let extra = [&b"BC\x02\x00"[..], &size.to_le_bytes()].concat();
        let mut encoder = GzBuilder::new().extra(extra).write(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    };
    write(write(0).len() as u16 - 1)
}

/// Text that compresses, but not to nothing.
fn log(from: u64, bytes: usize) -> Vec<u8> {
    let hash = |i: u64| (from + i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let lines = (0..).flat_map(|i| format!("http://example.org/{:x}\n", hash(i)).into_bytes());
    lines.take(bytes).collect()
}

/// All bytes, read into buffers as the chunker does, and the error at the end if there is one.
fn read(stored: Box<dyn Read + Send>, (threads, piece): (usize, usize)) -> (Vec<u8>, String) {
    let mut reader = Reader::new("a.gz", stored, &no_progress()).unwrap().with_pieces(threads, piece);
    let mut all = Vec::new();
    loop {
        let (mut buffer, mut filled) = (vec![0; 1000], 0);
        while filled < buffer.len() {
            match reader.read(&mut buffer[filled..]) {
                Ok(0) => return ([all, buffer[..filled].to_vec()].concat(), "whole".into()),
                Ok(count) => filled += count,
                Err(error) => return (all, error.to_string()),
            }
        }
        all.append(&mut buffer);
    }
}

/// Several threads, with pieces of several sizes, read the same as one.
fn assert_same(stored: &[u8], what: &str) -> (Vec<u8>, String) {
    let expected = read(Slow::boxed(stored, usize::MAX), (1, 1));
    for (threads, piece, step) in [(2, 1, usize::MAX), (3, 60, 7), (2, 300, 1000), (5, 5000, usize::MAX)] {
        let found = read(Slow::boxed(stored, step), (threads, piece));
        assert_eq!(found.1, expected.1, "{what}: {threads} threads, pieces of {piece}");
        assert!(found.0 == expected.0, "{what}: {threads} threads, pieces of {piece}");
    }
    expected
}

#[test]
fn several_threads_read_the_same_bytes_as_one() {
    let sizes = |level: u32, sizes: &[usize]| -> Vec<u8> {
        sizes.iter().flat_map(|&size| member(level, &log(size as u64, size))).collect()
    };
    let growing: Vec<usize> = (0..200).chain((200..20_000).step_by(900)).collect();
    let inner = sizes(6, &[40; 100]);
    let zeros = vec![0; 300_000];
    let blocks: Vec<u8> = log(1, 60_000).chunks(3000).flat_map(block).collect();
    let table: Vec<(&str, Vec<u8>)> = vec![
        ("one member", member(6, &log(1, 50_000))),
        ("two members", sizes(6, &[500, 500])),
        ("of all sizes", sizes(6, &growing)),
        ("not compressed", sizes(0, &growing)),
        ("empty ones", sizes(6, &[0; 2000])),
        ("empty ones between", sizes(6, &[0, 0, 300, 0, 5000, 0, 0, 0, 20, 0]).repeat(20)),
        ("bgzip", [blocks, block(b"")].concat()),
        (
            "long ones among short ones",
            [inner.clone(), sizes(6, &[90_000]), inner.clone()].concat().repeat(3),
        ),
        // A magic number within the compressed bytes of a member does not begin another.
        ("members within members", [member(0, &inner).repeat(3), inner.clone()].concat().repeat(3)),
        ("beginnings within members", member(0, &b"\x1f\x8b\x08\0\0\0\0\0\0\xff".repeat(500)).repeat(9)),
        (
            "more than a piece may become",
            [member(9, &zeros), inner.clone(), member(9, &zeros), inner.clone()].concat(),
        ),
        ("zeros between", [inner.clone(), vec![0; 700], inner.clone(), vec![0; 1], inner.clone()].concat()),
        ("zeros behind", [inner.clone(), vec![0; 20_000]].concat()),
    ];
    for (what, stored) in table {
        let (text, end) = assert_same(&stored, what);
        assert_eq!(end, "whole", "{what}");
        let mut expected = Vec::new();
        if !what.starts_with("zeros") {
            flate2::read::MultiGzDecoder::new(&stored[..]).read_to_end(&mut expected).unwrap();
            assert!(text == expected, "{what}");
        }
    }
}

#[test]
fn several_threads_find_the_same_damage_as_one() {
    let members: Vec<Vec<u8>> = (0..12).map(|n| member(n % 3 * 3, &log(n.into(), 30 * n as usize))).collect();
    let stored = members.concat();
    for cut in 3..stored.len() {
        assert_same(&stored[..cut], &format!("cut at {cut}"));
    }
    for at in 3..stored.len() {
        let mut damaged = stored.clone();
        damaged[at] ^= 1 << (at % 8);
        assert_same(&damaged, &format!("damage at {at}"));
    }
    // A wrong checksum, and a wrong length, in each of the members.
    let mut end = 0;
    for (number, member) in members.iter().enumerate() {
        end += member.len();
        for from_end in [8, 1] {
            let mut damaged = stored.clone();
            damaged[end - from_end] ^= 0x10;
            let (_, error) = assert_same(&damaged, &format!("check of member {number}"));
            assert!(error.contains("the gzip stream is corrupt (incorrect"), "member {number}: {error}");
        }
    }
    for junk in [&b"junk"[..], b"\0\0junk", b"\x1f", b"\x1f\x8b\x08\0\0\0\0\0\0\0", b"\x1f\x8b\x09"] {
        let (_, error) = assert_same(&[&stored[..], junk].concat(), &junk.escape_ascii().to_string());
        assert!(error.starts_with("cannot read a.gz: the gzip stream is "), "{error}");
    }
}

/// Returns its bytes, and then fails.
struct Failing(io::Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buf)? {
            0 => Err(io::Error::other("the disk is gone")),
            count => Ok(count),
        }
    }
}

#[test]
fn a_read_error_gives_the_bytes_before_it() {
    let stored: Vec<u8> = (0..300).flat_map(|n| member(6, &log(n, 100))).collect();
    for cut in [stored.len(), stored.len() - 5, 5000] {
        let file = || Box::new(Failing(io::Cursor::new(stored[..cut].to_vec())));
        let expected = read(file(), (1, 1));
        assert!(expected.1.contains("the disk is gone") && expected.0.len() >= 1000, "{}", expected.1);
        for piece in [1, 200, 3000] {
            assert!(read(file(), (3, piece)) == expected, "cut at {cut}, pieces of {piece}");
        }
    }
}

/// The amount read ahead is bounded, whatever the file holds.
#[test]
fn read_ahead_is_bounded() {
    let stored: Vec<u8> = (0..400).flat_map(|n| member(0, &log(n, 10_000))).collect();
    for (threads, least, most) in [(1, 0, 200_000), (2, 300_000, 2_000_000)] {
        let progress = no_progress();
        let file = Slow::boxed(&stored, usize::MAX);
        let mut reader = Reader::new("a.gz", file, &Arc::clone(&progress)).unwrap().with_threads(threads);
        let mut left = 10_001;
        while left > 0 {
            left -= reader.read(&mut vec![0; left]).unwrap();
        }
        let ahead = progress.load(Ordering::Relaxed);
        assert!((least..=most).contains(&ahead), "{threads} threads: {ahead} bytes");
    }
}

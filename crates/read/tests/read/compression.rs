//! The first bytes of a stored file show its compression; damage is reported with its byte.

use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use urimill_base::error::ErrorKind;
use urimill_read::{ChunkOptions, Chunker, Reader, RecordSource, Source, expand, open};

use urimill_testkit::stored::{FORMATS, Format, Slow, log, member, no_progress};

use crate::read_all;

use Format::{Bzip2, Gzip, Xz, Zstd};

fn read(stored: &[u8], step: usize) -> urimill_base::error::Result<Vec<u8>> {
    read_all(Reader::new("old.log", Slow::boxed(stored, step), &no_progress())?)
}

fn sentence(stored: &[u8], step: usize) -> String {
    let error = read(stored, step).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Data, "{error}");
    error.to_string()
}

#[test]
fn all_members_are_read() {
    let (a, b, large) = (log(0, 3), log(7, 5), log(99, 40_000));
    for (format, ..) in FORMATS {
        let m = |text: &[u8]| member(format, text);
        let table: [(Vec<u8>, Vec<u8>); 6] = [
            (m(b""), vec![]),
            (m(&a), a.clone()),
            ([m(&a), m(&b)].concat(), [a.clone(), b.clone()].concat()),
            ([m(b""), m(&a), m(b""), m(b""), m(&b), m(b"")].concat(), [a.clone(), b.clone()].concat()),
            (m(&large), large.clone()),
            ([m(&large), m(&a), m(&large)].concat(), [large.clone(), a.clone(), large.clone()].concat()),
        ];
        for (i, (stored, text)) in table.iter().enumerate() {
            for step in [1, 3, 4096, usize::MAX] {
                assert!(read(stored, step).unwrap() == *text, "{format:?}, case {i}, reads of {step}");
            }
        }
    }
}

#[test]
fn a_partial_magic_number_is_not_a_format() {
    for plain in [
        &b""[..],
        b"\n",
        b"http://a/\n",
        b"\x1f\x8b\x07deflate has the number 8",
        b"BZ",
        b"B",
        b"BZh9http://a/ is a text\n",
        b"BZh0\x31\x41\x59\x26\x53\x59",
        b"(",
        b"P*M",
        b"\x60\x2a\x4d\x18",
        b"\xfd7zXZ\n",
    ] {
        for step in [1, usize::MAX] {
            assert_eq!(read(plain, step).unwrap(), plain);
        }
    }
}

/// A file that is cut off anywhere is an error that names the byte, unless the cut is between two members.
#[test]
fn truncated_streams_are_errors() {
    let (a, b) = (log(0, 20), log(7, 20));
    for (format, name, magic) in FORMATS {
        let first = member(format, &a);
        let stored = [first.clone(), member(format, &b)].concat();
        for cut in 0..stored.len() {
            let step = [1, usize::MAX][cut % 2];
            // Bytes that could be text are text: see `a_stream_cut_within_its_magic_number_is_an_error`.
            let is_text = cut < magic && (format == Bzip2 && cut < 3 || format == Zstd && cut < 2);
            if cut == 0 || is_text || cut == first.len() {
                let expected = if cut < magic { &stored[..cut] } else { &a };
                assert_eq!(read(&stored[..cut], step).unwrap(), expected, "{name} cut at {cut}");
                continue;
            }
            let expected = format!("cannot read old.log: the {name} stream is truncated at byte {cut}");
            assert_eq!(sentence(&stored[..cut], step), expected);
        }
    }
}

/// (extension, all bytes of the file, the format that they are a beginning of)
#[test]
fn a_stream_cut_within_its_magic_number_is_an_error() {
    let table: &[(&str, &[u8], Option<&str>)] = &[
        ("", b"\x1f", Some("gzip")),
        ("", b"\x1f\x8b", Some("gzip")),
        (".txt", b"\xfd", Some("xz")),
        ("", b"\xfd7zXZ", Some("xz")),
        ("", b"\x28\xb5", Some("zstd")),
        (".zst", b"(", Some("zstd")),
        (".ZST", b"P*M", Some("zstd")),
        // A record without a line end looks the same.
        ("", b"(", None),
        (".bz2", b"(", None),
        ("", b"P", None),
        ("", b"P*M", None),
        ("", b"B", None),
        ("", b"BZ", None),
        (".bz2", b"B", Some("bzip2")),
        (".tbz2", b"BZ", Some("bzip2")),
        ("", b"BZh", Some("bzip2")),
        ("", b"BZh9", Some("bzip2")),
        ("", b"BZh91AY&S", Some("bzip2")),
        ("", b"BZh9\x17\x72\x45\x38\x50", Some("bzip2")),
        // Other bytes follow, or it ends like a line.
        (".bz2", b"BZx", None),
        (".bz2", b"BZh9\n", None),
        (".gz", b"\x1fx", None),
        (".gz", b"", None),
    ];
    for (end, stored, format) in table {
        for step in [1, usize::MAX] {
            let reader = Reader::new(format!("old{end}"), Slow::boxed(stored, step), &no_progress()).unwrap();
            match format {
                None => assert_eq!(read_all(reader).unwrap(), *stored, "{end} {stored:?}"),
                Some(format) => {
                    let error = read_all(reader).unwrap_err();
                    assert_eq!(error.kind(), ErrorKind::Data, "{end} {stored:?}");
                    let count = stored.len();
                    let sentence =
                        format!("cannot read old{end}: the {format} stream is truncated at byte {count}");
                    assert_eq!(error.to_string(), sentence);
                }
            }
        }
    }
}

/// Bytes before the cut are delivered before the error.
#[test]
fn truncated_streams_give_their_whole_records() {
    let text = log(0, 50_000);
    for (format, name, _) in FORMATS {
        let stored = member(format, &text);
        let mut reader =
            Reader::new("old.log", Slow::boxed(&stored[..stored.len() - 1], 4096), &no_progress()).unwrap();
        let (mut got, mut buf) = (Vec::new(), vec![0; 10_000]);
        let error = loop {
            match reader.read(&mut buf) {
                Ok(0) => panic!("{name}: the cut is lost"),
                Ok(n) => got.extend_from_slice(&buf[..n]),
                Err(e) => break e,
            }
        };
        assert!(got == text, "{name}: {} of {} bytes", got.len(), text.len());
        assert!(error.to_string().contains("is truncated at byte"), "{name}: {error}");
    }
}

/// With one byte changed, either the text is the same (gzip's header holds a time and a name that nobody checks) or the
/// error names a byte of the file. No other text is read.
#[test]
fn corrupt_streams_are_errors() {
    let text = log(0, 20);
    for (format, name, magic) in FORMATS {
        let stored = member(format, &text);
        let mut corrupt = 0;
        for at in magic..stored.len() {
            let mut damaged = stored.clone();
            damaged[at] ^= 0x55;
            match read(&damaged, usize::MAX) {
                Ok(got) => assert!(got == text, "{name}: byte {at} changes the text"),
                Err(e) => {
                    assert_eq!(e.kind(), ErrorKind::Data, "{name}: {e}");
                    let e = e.to_string();
                    let byte: usize = e.rsplit_once(" at byte ").unwrap().1.parse().unwrap();
                    assert!(byte <= stored.len(), "{e}");
                    assert!(e.starts_with(&format!("cannot read old.log: the {name} stream is ")), "{e}");
                    corrupt += usize::from(e.contains("corrupt ("));
                }
            }
        }
        assert!(corrupt > stored.len() / 2, "{name}: {corrupt} of {} are told", stored.len());
    }
}

/// gzip and xz may detect it only by the checksum at the end; these two check every block.
#[test]
fn the_error_names_a_byte_near_the_corrupt_block() {
    let text = log(0, 100_000);
    for (format, block) in [(Zstd, 128 << 10), (Bzip2, 100 << 10)] {
        let mut stored = member(format, &text);
        let at = stored.len() / 2;
        stored[at..at + 64].fill(0xff);
        let error = sentence(&stored, usize::MAX);
        let byte: usize = error.rsplit_once(" at byte ").unwrap().1.parse().unwrap();
        assert!(byte.abs_diff(at) <= block, "{format:?}: damaged at {at}, {error}");
    }
}

#[test]
fn data_after_the_last_member_is_read_or_reported() {
    let text = log(0, 3);
    for (format, name, _) in FORMATS {
        let stored = member(format, &text);
        let end = stored.len();
        let other = format!("cannot read old.log: the {name} stream is followed by other data at byte ");
        // (what follows, the error's text, or none)
        let mut table = vec![
            (b"junk".to_vec(), Some(format!("{other}{end}"))),
            (b"\n".to_vec(), Some(format!("{other}{end}"))),
        ];
        let unpadded = |n: usize| {
            Some(format!(
                "cannot read old.log: the padding of the {name} stream is incomplete at byte {}",
                end + n
            ))
        };
        table.extend(match format {
            Gzip => vec![
                (vec![0; 1], None),
                (vec![0; 300_000], None),
                (b"\0\0\0junk".to_vec(), Some(format!("{other}{}", end + 3))),
            ],
            Xz => vec![
                (vec![0; 4], None),
                (vec![0; 300_000], None),
                (vec![0; 3], unpadded(3)),
                (b"\0\0\0\0junk".to_vec(), Some(format!("{other}{}", end + 4))),
            ],
            Zstd | Bzip2 => vec![(vec![0; 4], Some(format!("{other}{end}")))],
        });
        for (tail, expected) in table {
            for step in [1, 50_000, usize::MAX] {
                let stored = [stored.clone(), tail.clone()].concat();
                let got = read(&stored, step);
                match &expected {
                    None => assert_eq!(got.unwrap(), text, "{name} and {} bytes", tail.len()),
                    Some(expected) => assert_eq!(got.unwrap_err().to_string(), *expected),
                }
            }
        }
    }
    // Padding may be between members, too.
    for format in [Gzip, Xz] {
        let stored = [member(format, &text), vec![0; 512], member(format, &text)].concat();
        assert_eq!(read(&stored, 100).unwrap(), [text.clone(), text.clone()].concat());
    }
}

/// RFC 8878 3.1.2: frames with 16 magic numbers, which hold no data.
#[test]
fn skippable_frames_are_skipped() {
    let text = log(0, 3);
    for kind in 0x50..=0x5f_u8 {
        let skip = [&[kind, 0x2a, 0x4d, 0x18, 5, 0, 0, 0][..], b"12345"].concat();
        let frame = member(Zstd, &text);
        for step in [1, usize::MAX] {
            assert_eq!(read(&skip, step).unwrap(), b"");
            let stored = [&skip[..], &frame, &skip, &skip, &frame, &skip].concat();
            assert_eq!(read(&stored, step).unwrap(), [text.clone(), text.clone()].concat());
            let cut = skip.len() - 1;
            assert_eq!(
                sentence(&skip[..cut], step),
                format!("cannot read old.log: the zstd stream is truncated at byte {cut}")
            );
        }
    }
}

/// A number in the stream states how far a decoder must look back. (format, stored, the tool that reads it; `None` if
/// it is read)
#[test]
fn windows_above_the_limit_are_refused() {
    let text = log(0, 3);
    // RFC 8878 3.1.1: no flags, the window's logarithm, and one raw block that is the last. An encoder would need as
    // much memory as it states.
    let zstd = |window_log: u8| {
        let block = (text.len() as u32) << 3 | 1;
        let header = [0x28, 0xb5, 0x2f, 0xfd, 0, (window_log - 10) << 3];
        [&header[..], &block.to_le_bytes()[..3], &text].concat()
    };
    let xz = |dictionary| {
        let mut options = liblzma::stream::LzmaOptions::new_preset(0).unwrap();
        options.dict_size(dictionary);
        let stream = liblzma::stream::Stream::new_stream_encoder(
            liblzma::stream::Filters::new().lzma2(&options),
            liblzma::stream::Check::Crc32,
        );
        let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream.unwrap());
        encoder.write_all(&text).unwrap();
        encoder.finish().unwrap()
    };
    for (name, stored, tool) in [
        ("zstd", zstd(27), None),
        ("zstd", zstd(28), Some("zstd -dc --long=31")),
        ("zstd", zstd(31), Some("zstd -dc --long=31")),
        ("xz", xz(64 << 20), None),
        ("xz", xz(128 << 20), None),
        ("xz", xz(192 << 20), Some("xz -dc")),
    ] {
        for step in [1, usize::MAX] {
            let Some(tool) = tool else {
                assert_eq!(read(&stored, step).unwrap(), text, "{name}");
                continue;
            };
            let said = sentence(&stored, step);
            let asks = format!(
                "cannot read old.log: the {name} stream asks for a window of more than 128 MiB at byte "
            );
            assert!(
                said.starts_with(&asks) && said.ends_with(&format!("as in {tool} FILE | urimill")),
                "{said}"
            );
        }
    }
}

#[test]
fn the_name_of_a_file_does_not_select_a_codec() {
    let dir = tempfile::tempdir().unwrap();
    let text = log(0, 1000);
    for (name, stored) in [
        ("plain.gz", text.clone()),
        ("gzip.txt", member(Gzip, &text)),
        ("zstd", member(Zstd, &text)),
        ("bzip2.xz", member(Bzip2, &text)),
        ("xz.log", member(Xz, &text)),
    ] {
        let path = dir.path().join(name);
        fs::write(&path, &stored).unwrap();
        let source = expand(&[path.to_str().unwrap().to_owned()]).unwrap().remove(0);
        let progress = no_progress();
        assert!(read_all(open(&source, &progress).unwrap()).unwrap() == text, "{name}");
        assert_eq!(progress.load(Ordering::Relaxed), stored.len() as u64, "progress counts stored bytes");
        assert_eq!(source.size(), Some(stored.len() as u64));
    }
}

#[test]
fn chunks_of_a_damaged_file_end_with_its_name_and_byte() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cut.log.gz");
    let stored = member(Gzip, &log(0, 10_000));
    let cut = stored.len() - 100;
    fs::write(&path, &stored[..cut]).unwrap();
    let options = ChunkOptions { chunk_bytes: 1000, ..ChunkOptions::default() };
    let chunker = Chunker::new(vec![Source::File(path.clone())], options, Arc::default());
    let RecordSource::Chunks(mut chunks) = chunker.begin().unwrap() else { panic!("tables") };
    let mut records = 0;
    let error = loop {
        match chunks.next_chunk() {
            Ok(Some(chunk)) => records += chunk.bytes[..chunk.len].iter().filter(|&&b| b == b'\n').count(),
            Ok(None) => panic!("the cut is lost"),
            Err(e) => break e,
        }
    };
    assert!(records > 9000, "{records}");
    let expected = format!("cannot read {}: the gzip stream is truncated at byte {cut}", path.display());
    assert_eq!(error.to_string(), expected);
}

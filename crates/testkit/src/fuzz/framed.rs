//! Invariants of archives, documents, logs, and text in other encodings than UTF-8: the same as those of lines
//! (`records`).

use std::fs;
use std::io::{Cursor, Read};
use std::sync::Arc;

use urimill::Result;
use urimill::read::format::{Asked, InputFormat, Keep, UriSource, log_formats};
use urimill::read::{ChunkOptions, Chunker, Encoding, Format, Reader, Source};

use super::place::place;
use super::records::{LONGEST, chunker, judge_chunks};
use super::turns;

/// Limits on records: shorter and longer than those of a fuzzer's input.
const LENGTHS: [usize; 2] = [LONGEST, 2000];

/// WARC and WAT files.
pub(super) fn warc(data: &[u8]) {
    for format in turns(data, [InputFormat::Warc, InputFormat::Wat]) {
        each(data, format);
    }
}

pub(super) fn arc(data: &[u8]) {
    each(data, InputFormat::Arc);
}

/// Sitemaps, and other lists of elements.
pub(super) fn sitemap(data: &[u8]) {
    for format in turns(data, [InputFormat::Sitemap, InputFormat::Burp]) {
        each(data, format);
    }
}

pub(super) fn feed(data: &[u8]) {
    each(data, InputFormat::Feed);
}

/// HAR files, and arrays of objects.
pub(super) fn har(data: &[u8]) {
    for format in turns(data, [InputFormat::Har, InputFormat::Json]) {
        each(data, format);
    }
}

pub(super) fn nutch(data: &[u8]) {
    each(data, InputFormat::Nutch);
}

/// With short and long limits, in the detected format and in a forced one.
fn each(data: &[u8], format: InputFormat) {
    let uri = Some(UriSource::Field("url".parse().expect("a field")));
    for (longest, is_forced) in
        turns(&data[data.len() / 4..], LENGTHS).zip(turns(&data[data.len() / 5..], [true, false]))
    {
        let asked = Asked { uri: uri.clone(), ..Asked::keeping(Keep::All, longest) };
        let format = format.reader(&asked).expect("a format");
        judge_chunks(data, |sizes| {
            chunker(data, ChunkOptions { force_format: is_forced, ..sizes }).with_format(format.clone())
        });
    }
}

/// The logs of servers, and the lists of crawlers. The length of the input chooses the format.
pub(super) fn log(data: &[u8]) {
    let logs = log_formats().map(|(name, _)| (name.parse().expect("a format"), Keep::All));
    let lists = [InputFormat::Robots, InputFormat::Seeds].map(|format| (format, Keep::None));
    let mut all: Vec<(InputFormat, Keep)> = logs.chain(lists).collect();
    let (format, keep) = all.swap_remove(data.len() % all.len());
    let format = format.reader(&Asked::keeping(keep, LONGEST)).expect("a format");
    judge_chunks(data, |sizes| chunker(data, sizes).with_format(format.clone()));
}

/// Web archives in a zip archive, and their indexes.
pub(super) fn wacz(data: &[u8]) {
    let path = place();
    fs::write(&path, data).expect("a file");
    for longest in turns(data, LENGTHS) {
        let format = InputFormat::Wacz.reader(&Asked::keeping(Keep::All, longest)).expect("a format");
        judge_chunks(data, |sizes| {
            Chunker::new(vec![Source::File(path.clone())], sizes, Arc::default()).with_format(format.clone())
        });
    }
    let _ = fs::remove_file(&path);
}

/// The encodings: UTF-16, single bytes, and those in which a byte may be a character or half of one.
const ENCODINGS: [&str; 8] =
    ["utf-16", "utf-16le", "utf-16be", "latin1", "windows-1251", "shift_jis", "gb18030", "iso-2022-jp"];

/// Text in another encoding, which the length of the input chooses: the same in reads of any size, equal to the
/// standard library's result for UTF-16, and the same rows wherever chunks end.
pub(super) fn encoding(data: &[u8]) {
    let label = ENCODINGS[data.len() / 2 % ENCODINGS.len()];
    let encoding: Encoding = label.parse().expect("an encoding");
    let whole = transcoded(data, encoding, 1 << 10, 1 << 10);
    for (stored, given) in turns(data, [(1, 1 << 10), (1 << 10, 1), (3, 7), (2, 5)]) {
        let pieces = transcoded(data, encoding, stored, given);
        assert_eq!(pieces, whole, "{label} in pieces of {stored}: {}", data.escape_ascii());
    }
    if let (Some(expected), Ok(whole)) = (utf_16(data, label), &whole) {
        assert_eq!(whole, &expected, "{label}: {}", data.escape_ascii());
    }
    let uri = Some(UriSource::Field("2".parse().expect("a number")));
    let csv = InputFormat::Csv.reader(&Asked { uri, ..Asked::keeping(Keep::None, LONGEST) });
    let csv = csv.expect("a format");
    for format in turns(data, [Format::default(), csv]) {
        judge_chunks(data, |sizes: ChunkOptions| {
            chunker(data, ChunkOptions { encoding: Some(encoding), ..sizes }).with_format(format.clone())
        });
    }
}

/// Returns at most this many bytes at once.
struct Pieces(Cursor<Vec<u8>>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = self.1.min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

/// The text in UTF-8, or the error message.
fn transcoded(data: &[u8], encoding: Encoding, stored: usize, given: usize) -> Result<Vec<u8>, String> {
    let reader = Reader::new("input", Box::new(Pieces(Cursor::new(data.to_vec()), stored)), &Arc::default());
    let mut reader = reader.map_err(|error| error.to_string())?.transcoding(Some(encoding));
    let (mut text, mut piece) = (Vec::new(), vec![0; given]);
    loop {
        match reader.read(&mut piece).map_err(|error| error.to_string())? {
            0 => return Ok(text),
            read => text.extend_from_slice(&piece[..read]),
        }
    }
}

/// The standard library's result for UTF-16 that is not compressed, with a byte of 255 for each damaged unit.
fn utf_16(data: &[u8], label: &str) -> Option<Vec<u8>> {
    let is_big = match (label, data) {
        ("utf-16", [0xfe, 0xff, ..]) | ("utf-16be", _) => true,
        ("utf-16", [0xff, 0xfe, ..]) | ("utf-16le", _) => false,
        _ => return None,
    };
    // Input that begins like a compressed file is decompressed first.
    let magic: [&[u8]; 4] = [b"\x1f\x8b", b"(\xb5", b"BZ", b"\xfd7"];
    if magic.iter().any(|magic| data.starts_with(magic)) || data.get(1..3) == Some(b"*M") {
        return None;
    }
    let units = data.chunks_exact(2).map(|pair| match is_big {
        true => u16::from_be_bytes([pair[0], pair[1]]),
        false => u16::from_le_bytes([pair[0], pair[1]]),
    });
    let units: Vec<u16> = units.collect();
    let units = units.strip_prefix(&[0xfeff]).unwrap_or(&units);
    let mut text = Vec::new();
    for unit in char::decode_utf16(units.iter().copied()) {
        match unit {
            Ok(unit) => text.extend_from_slice(unit.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(_) => text.push(0xff),
        }
    }
    // Half of a unit at the end: it belongs to the half of a pair before it.
    let is_half = units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit));
    if data.len() % 2 == 1 && !is_half {
        text.push(0xff);
    }
    Some(text)
}

//! What has to hold for archives, documents, logs, and text in other encodings than UTF-8: the same as for lines
//! (`records`).

use std::fs;
use std::io::{Cursor, Read};
use std::sync::Arc;

use urimill::Result;
use urimill::read::format::log_formats;
use urimill::read::format::{
    CrawlList, Delimited, Fields, Framed, Header, Jsonl, Keep, Log, UriSource, Warc,
};
use urimill::read::{ChunkOptions, Chunker, Encoding, Format, Reader, Source};

use super::place::place;
use super::records::{LONGEST, chunker, judge_chunks};
use super::turns;

/// The longest records: shorter than those of a fuzzer, and longer.
const LENGTHS: [usize; 2] = [LONGEST, 2000];

/// WARC and WAT files.
pub(super) fn warc(data: &[u8]) {
    let kinds: [fn(&Keep, usize) -> Result<Warc>; 2] = [Warc::new, Warc::wat];
    for make in turns(data, kinds) {
        each(data, |longest| make(&Keep::All, longest).map(Format::from));
    }
}

pub(super) fn arc(data: &[u8]) {
    framed("arc", data);
}

pub(super) fn sitemap(data: &[u8]) {
    framed("sitemap", data);
}

pub(super) fn feed(data: &[u8]) {
    framed("feed", data);
}

/// HAR files, and arrays of objects.
pub(super) fn har(data: &[u8]) {
    let array = |longest| {
        let field = UriSource::Field("url".parse().expect("a field"));
        let members = Jsonl::of(field, None, &Keep::All)?;
        Ok(Format::from(Framed::items(members, longest)))
    };
    for is_har in turns(data, [true, false]) {
        if is_har {
            framed("har", data);
        } else {
            each(data, array);
        }
    }
}

pub(super) fn nutch(data: &[u8]) {
    framed("nutch", data);
}

fn framed(name: &str, data: &[u8]) {
    each(data, |longest| Ok(Format::from(Framed::new(name, &Keep::All, longest)?)));
}

/// With short records and long ones, as what it says it is and by force.
fn each(data: &[u8], make: impl Fn(usize) -> Result<Format>) {
    for (longest, is_forced) in
        turns(&data[data.len() / 4..], LENGTHS).zip(turns(&data[data.len() / 5..], [true, false]))
    {
        let format = make(longest).expect("a format");
        judge_chunks(data, |sizes| {
            let chunker = chunker(data, sizes).with_format(format.clone());
            if is_forced { chunker.forcing_format() } else { chunker }
        });
    }
}

/// The logs of servers, and the lists of crawlers. Which one goes by the length.
pub(super) fn log(data: &[u8]) {
    let lists: [fn(&Keep) -> Result<CrawlList>; 2] = [CrawlList::robots, CrawlList::seeds];
    let number = data.len() % (log_formats().count() + lists.len());
    let format = match log_formats().nth(number) {
        Some((name, _)) => Log::new(name, &Keep::All).map(|log| Format::from(log)),
        None => lists[number - log_formats().count()](&Keep::None).map(Format::from),
    };
    let format = format.expect("a format");
    judge_chunks(data, |sizes| chunker(data, sizes).with_format(format.clone()));
}

/// Web archives in a zip archive, and their indexes.
pub(super) fn wacz(data: &[u8]) {
    let path = place();
    fs::write(&path, data).expect("a file");
    for longest in turns(data, LENGTHS) {
        let format = Format::from(Warc::new(&Keep::All, longest).expect("a format").in_wacz());
        judge_chunks(data, |sizes| {
            Chunker::new(vec![Source::File(path.clone())], sizes, Arc::default()).with_format(format.clone())
        });
    }
    let _ = fs::remove_file(&path);
}

/// The encodings: UTF-16, single bytes, and those in which a byte may be a character or half of one.
const ENCODINGS: [&str; 8] =
    ["utf-16", "utf-16le", "utf-16be", "latin1", "windows-1251", "shift_jis", "gb18030", "iso-2022-jp"];

/// Text in another encoding, by the length: the same in reads of any size, of UTF-16 what the standard library says,
/// and the same rows wherever chunks end.
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
    let fields =
        Fields { uri: UriSource::Field("2".parse().expect("a number")), base: None, header: Header::Auto };
    let csv = Format::from(Delimited::csv(fields, LONGEST).expect("a format"));
    for format in turns(data, [Format::default(), csv]) {
        judge_chunks(data, |sizes: ChunkOptions| {
            chunker(data, sizes).with_format(format.clone()).with_encoding(Some(encoding))
        });
    }
}

/// Gives so many bytes at once.
struct Pieces(Cursor<Vec<u8>>, usize);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = self.1.min(buffer.len());
        self.0.read(&mut buffer[..most])
    }
}

/// The text in UTF-8, or the sentence why there is none.
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

/// What the standard library makes of UTF-16 that is not compressed, a byte of 255 for each unit that is damaged.
fn utf_16(data: &[u8], label: &str) -> Option<Vec<u8>> {
    let is_big = match (label, data) {
        ("utf-16", [0xfe, 0xff, ..]) | ("utf-16be", _) => true,
        ("utf-16", [0xff, 0xfe, ..]) | ("utf-16le", _) => false,
        _ => return None,
    };
    // What begins as something that is compressed is decompressed first.
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
    // Half of a unit at the end, which belongs to the half of a pair before it.
    let is_half = units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit));
    if data.len() % 2 == 1 && !is_half {
        text.push(0xff);
    }
    Some(text)
}

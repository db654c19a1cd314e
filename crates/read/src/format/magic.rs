//! Inputs that are not text in UTF-8: archives, other compressions, documents, images, programs, and text in other
//! encodings. Detected by their first bytes, or by the number of bytes that no text has.

use std::borrow::Cow;

use urimill_base::option_name::{OptionName, mention};

use super::foreign::Foreign;
use crate::{STATE_MAGIC, is_cut_state};

/// Bytes at a place, the kind of file that has them, and the advice.
type Magic = (usize, &'static [u8], &'static str, &'static str);

const UNPACK: &str = "unpack it first, and give its files";
const DOCUMENT: &str = "extract its text first; urimill extract finds the URIs in a text";
const TABLE: &str =
    concat!("export the column of URIs as CSV or Parquet, and read that with ", mention!("uri_field"));
const SHEET: &str = concat!(
    "save its sheet as CSV, and read that with ",
    mention!("format csv"),
    " and ",
    mention!("uri_field")
);
const NOTHING: &str = "give a list, a log or a table of URIs";
const DECOMPRESS: &str = "decompress it first; urimill reads gzip, zstd, bzip2 and xz itself";

/// The magic numbers. Those that several kinds of files have come after the longer ones.
const MAGICS: &[Magic] = &[
    (0, b"PK\x03\x04", "a zip archive", ""),
    (0, b"PK\x05\x06", "an empty zip archive", NOTHING),
    (0, b"PK\x07\x08", "a zip archive in several parts", UNPACK),
    (257, b"ustar", "a tar archive", ""),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", UNPACK),
    (0, b"Rar!\x1a\x07", "a RAR archive", UNPACK),
    (0, b"!<arch>\n", "an ar archive", UNPACK),
    (0, b"\xed\xab\xee\xdb", "an RPM package", UNPACK),
    (0, b"070701", "a cpio archive", UNPACK),
    (0, b"\x1f\x8b", "gzip within another compression", DECOMPRESS),
    (0, b"\x28\xb5\x2f\xfd", "zstd within another compression", DECOMPRESS),
    (0, b"BZh", "bzip2 within another compression", DECOMPRESS),
    (0, b"\xfd7zXZ\x00", "xz within another compression", DECOMPRESS),
    (0, b"\x04\x22\x4d\x18", "an lz4 stream", DECOMPRESS),
    (0, b"\xff\x06\x00\x00sNaPpY", "a snappy stream", DECOMPRESS),
    (0, b"\x1f\x9d", "a stream of compress (.Z)", DECOMPRESS),
    (0, b"LZIP", "an lzip stream", DECOMPRESS),
    (0, b"\x89LZO\x00", "an lzop stream", DECOMPRESS),
    (0, b"%PDF-", "a PDF document", DOCUMENT),
    (0, b"%!PS", "a PostScript document", DOCUMENT),
    (0, b"{\\rtf", "an RTF document", DOCUMENT),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document", DOCUMENT),
    (0, b"SQLite format 3\0", "an SQLite database", TABLE),
    (0, b"Obj\x01", "an Avro file", TABLE),
    (0, b"ORC", "an ORC file", TABLE),
    (0, b"\x89HDF\r\n\x1a\n", "an HDF5 file", TABLE),
    (0, b"SEQ\x06", "a Hadoop sequence file", TABLE),
    (8, b"DUCK", "a DuckDB database", TABLE),
    (0, b"\x89PNG\r\n\x1a\n", "a PNG image", NOTHING),
    (0, b"\xff\xd8\xff", "a JPEG image", NOTHING),
    (0, b"GIF87a", "a GIF image", NOTHING),
    (0, b"GIF89a", "a GIF image", NOTHING),
    (0, b"II*\0", "a TIFF image", NOTHING),
    (0, b"MM\0*", "a TIFF image", NOTHING),
    (0, b"\0\0\x01\0", "an icon", NOTHING),
    (8, b"WEBP", "a WebP image", NOTHING),
    (0, b"RIFF", "a sound or a film", NOTHING),
    (4, b"ftyp", "a film", NOTHING),
    (0, b"OggS", "a sound or a film", NOTHING),
    (0, b"fLaC", "a sound", NOTHING),
    (0, b"ID3", "a sound", NOTHING),
    (0, b"\x1a\x45\xdf\xa3", "a film", NOTHING),
    (0, b"\x7fELF", "a program (ELF)", NOTHING),
    (0, b"MZ\x90\0", "a program (Windows)", NOTHING),
    (0, b"\xcf\xfa\xed\xfe", "a program (Mach-O)", NOTHING),
    (0, b"\xca\xfe\xba\xbe", "a program (Java or Mach-O)", NOTHING),
    (0, b"\0asm", "a program (WebAssembly)", NOTHING),
    (0, b"\xd4\xc3\xb2\xa1", "a capture of network packets", NOTHING),
    (0, b"\xa1\xb2\xc3\xd4", "a capture of network packets", NOTHING),
    (0, b"\x0a\x0d\x0d\x0a", "a capture of network packets", NOTHING),
    (0, b"ElfFile\0", "an event log of Windows", "export it as text first"),
    (0, b"LPKSHHRH", "a journal of systemd", "export it, as in journalctl --output cat"),
    (
        0,
        STATE_MAGIC,
        "a state of urimill report",
        "add it to others with urimill report, top or stats, which take the file by its name",
    ),
];

/// Byte-order marks, longer ones first.
const MARKS: [(&[u8], &str); 4] = [
    (b"\xff\xfe\0\0", "UTF-32LE"),
    (b"\0\0\xfe\xff", "UTF-32BE"),
    (b"\xff\xfe", "UTF-16LE"),
    (b"\xfe\xff", "UTF-16BE"),
];

/// Describes an input that begins with `first` and is not text in UTF-8.
pub(crate) fn find(first: &[u8]) -> Option<Foreign> {
    let has = |&&(at, magic, ..): &&Magic| first.get(at..).is_some_and(|rest| rest.starts_with(magic));
    if let Some(&(_, magic, what, advice)) = MAGICS.iter().find(has) {
        return Some(match magic {
            b"PK\x03\x04" => zip(first),
            b"ustar" => tar(first),
            _ => Foreign::new(what, advice),
        });
    }
    if is_cut_state(first) {
        return Some(Foreign::new("a truncated state of urimill report", "make it again"));
    }
    encoding(&without_gaps(first))
        .map(other_encoding)
        .or_else(|| is_binary(first).then(|| Foreign::new("binary data", NOTHING)))
}

/// Whether a zip archive begins as a WACZ file does.
pub fn is_wacz(first: &[u8]) -> bool {
    first.starts_with(b"PK\x03\x04") && zip_begins(first, &["datapackage", "archive/", "indexes/", "pages/"])
}

/// Whether the name of the first file in a zip archive begins so.
fn zip_begins(first: &[u8], prefixes: &[&str]) -> bool {
    let length = first.get(26..28).map_or(0, |bytes| usize::from(u16::from_le_bytes([bytes[0], bytes[1]])));
    let name = first.get(30..).map_or(&b""[..], |rest| &rest[..length.min(rest.len())]);
    prefixes.iter().any(|prefix| name.starts_with(prefix.as_bytes()))
}

/// The name of the first file shows more about a zip archive.
fn zip(first: &[u8]) -> Foreign {
    let begins = |prefixes: &[&str]| zip_begins(first, prefixes);
    if is_wacz(first) {
        let advice = format!("say {}, and give the file itself, not a pipe", OptionName::Format.with("wacz"));
        return Foreign::new("a WACZ file, a zip archive of web archives", advice);
    }
    let has = |name: &[u8]| memchr::memmem::find(first, name).is_some();
    if begins(&["xl/"]) || has(b"xl/workbook") || has(b"xl/worksheets/") {
        return Foreign::new("an Excel workbook, in a zip archive", SHEET);
    }
    if begins(&["[Content_Types]", "word/", "ppt/", "_rels/", "docProps/", "mimetype"])
        || has(b"[Content_Types].xml")
    {
        return Foreign::new("an Office document or a book, in a zip archive", DOCUMENT);
    }
    Foreign::new("a zip archive", "unpack it first, as in unzip -p FILE, and give the output through a pipe")
}

fn tar(first: &[u8]) -> Foreign {
    let name = first.split(|&b| b == 0).next().unwrap_or_default();
    let of = format!(
        "a tar archive, whose first file is {:?}",
        String::from_utf8_lossy(&name[..name.len().min(80)])
    );
    Foreign::new(of, "unpack it first, as in tar -xOf FILE, and give the output through a pipe")
}

fn other_encoding(encoding: &str) -> Foreign {
    let convert = format!("convert it first, as in iconv -f {encoding} -t UTF-8 FILE");
    let advice = match encoding {
        "UTF-16LE" | "UTF-16BE" => {
            let own =
                OptionName::Encoding.with(if encoding.ends_with("LE") { "utf-16le" } else { "utf-16be" });
            format!("use {own}, or {convert}")
        }
        _ => convert,
    };
    Foreign::new(format!("text in {encoding}"), advice)
}

/// At most this many bytes are examined one by one.
const SAMPLE: usize = 4096;
/// Fewer bytes prove too little.
const LEAST: usize = 32;

/// The encoding of a text with a mark, or with a zero byte in each character of Latin script.
fn encoding(first: &[u8]) -> Option<&'static str> {
    if let Some(&(_, name)) = MARKS.iter().find(|(mark, _)| first.starts_with(mark)) {
        return Some(name);
    }
    let sample = &first[..first.len().min(SAMPLE) & !3];
    let zeros = |at: usize, step: usize| sample.iter().skip(at).step_by(step).filter(|&&b| b == 0).count();
    if sample.len() < 8 {
        return None;
    }
    let quarter = sample.len() / 4;
    let by_four = [0, 1, 2, 3].map(|at| zeros(at, 4) * 10 > quarter * 9);
    match by_four {
        [false, true, true, true] => return Some("UTF-32LE"),
        [true, true, true, false] => return Some("UTF-32BE"),
        _ => {}
    }
    // Nine in ten of one half, and nearly none of the other.
    let half = sample.len() / 2;
    let (even, odd) = (zeros(0, 2), zeros(1, 2));
    let is_most = |most: usize, least: usize| most * 10 > half * 9 && least * 20 < half;
    match (is_most(odd, even), is_most(even, odd)) {
        (true, _) => Some("UTF-16LE"),
        (_, true) => Some("UTF-16BE"),
        _ => None,
    }
}

/// The fewest NUL bytes in a row that count as a gap: a crash has left them in a log in place of unwritten bytes.
pub(crate) const GAP: usize = 16;

/// The bytes without the gaps that a crash has left: `first` itself, if it has no NUL byte.
fn without_gaps(first: &[u8]) -> Cow<'_, [u8]> {
    let Some(mut at) = memchr::memchr(0, first) else { return Cow::Borrowed(first) };
    let (mut kept, mut rest) = (Vec::with_capacity(first.len()), first);
    loop {
        let zeros = rest[at..].iter().take_while(|&&b| b == 0).count();
        let is_gap = zeros >= GAP;
        kept.extend_from_slice(&rest[..at + if is_gap { 0 } else { zeros }]);
        rest = &rest[at + zeros..];
        match memchr::memchr(0, rest) {
            Some(next) => at = next,
            None => break,
        }
    }
    kept.extend_from_slice(rest);
    Cow::Owned(kept)
}

/// Whether there are too many control characters for a text: a twentieth. Random bytes have twice that share. NUL bytes
/// before a line, or many in a row, do not count: a log that was truncated in place or by a crash has them.
fn is_binary(first: &[u8]) -> bool {
    let all = first;
    let first = &without_gaps(first)[..];
    let mut at_start = true;
    let is_part = |&b: &u8| {
        let passed = b == 0 && at_start;
        at_start = passed || b == b'\n';
        !passed
    };
    let sample: Vec<u8> = first.iter().copied().filter(is_part).take(SAMPLE).collect();
    let is_control = |&&b: &&u8| b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b) || b == 0x7f;
    let is_nothing = sample.trim_ascii().is_empty() && all.contains(&0);
    let has_many = || sample.iter().filter(is_control).count() * 20 > sample.len();
    all.len() >= LEAST && (is_nothing || sample.len() >= LEAST && has_many())
}

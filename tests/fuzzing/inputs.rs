//! Mutated inputs of every kind that a target reads, from a seed. They depend on the machine only in whether real lists
//! of URIs are available.

use std::fs;
use std::io::Write;
use std::sync::OnceLock;

use super::made;
use super::written::{ARC, CDX, CDXJ, CLF, CSV, FEEDS, HARS, HERITRIX, JSONL, LISTS, NUTCH, SITEMAPS};
use urimill_testkit::fuzz::PAGES;
use urimill_testkit::random::{Random, mutate, seeds};
use urimill_testkit::{paths, shared};

/// Inputs of one kind: their parts, and how they are combined.
pub(crate) struct Inputs {
    seeds: Vec<Vec<u8>>,
    /// Bytes that decide something in this format, which are inserted in addition to mutations of URIs.
    marks: &'static [&'static str],
    make: fn(&Inputs, &mut Random) -> Vec<u8>,
}

/// The URIs that all inputs are made from, read once.
fn uris() -> &'static [Vec<u8>] {
    static URIS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    URIS.get_or_init(seeds)
}

impl Inputs {
    fn of(lines: &[&str], marks: &'static [&'static str]) -> Inputs {
        let seeds = lines.iter().map(|line| line.as_bytes().to_vec()).collect();
        Inputs { seeds, marks, make: lines_of_a_format }
    }

    pub(crate) fn next(&self, random: &mut Random) -> Vec<u8> {
        (self.make)(self, random)
    }

    /// One reference.
    pub(crate) fn uris() -> Inputs {
        Inputs { seeds: Vec::new(), marks: &[], make: |_, random| mutated(uris(), random) }
    }

    /// Two, with a line feed between. Random bytes rarely climb: in half of the pairs the second is a link of a real
    /// page, if there are some.
    pub(crate) fn pairs() -> Inputs {
        let pages = shared::pages().unwrap_or_default().into_iter().map(|(_, reference)| reference);
        let make = |inputs: &Inputs, random: &mut Random| {
            let mut pair = mutated(uris(), random);
            pair.push(b'\n');
            match inputs.seeds.get(random.below(inputs.seeds.len().max(1) * 2)) {
                Some(real) => pair.extend_from_slice(real),
                None => pair.append(&mut mutated(uris(), random)),
            }
            pair
        };
        Inputs { seeds: pages.collect(), marks: &[], make }
    }

    /// A base and two references with line feeds between. The marks, in any order, decide how dots and scheme-specific
    /// parts are spelled; the second reference has some in another spelling.
    pub(crate) fn spellings() -> Inputs {
        const PLAIN: usize = 14;
        let marks = &[
            "/",
            ".",
            "..",
            "//",
            "a",
            "x:",
            "file:",
            "localhost",
            "http://h",
            "//h",
            ":",
            "?",
            "../",
            "./",
            "%2e",
            "%2E%2e",
            "%61",
            "X:",
            "FILE:",
            "%41",
            "#",
            "mailto:",
            "amqp://h",
            "@",
            ":80",
        ];
        let make = |inputs: &Inputs, random: &mut Random| {
            let pick = |random: &mut Random, limit: usize| inputs.marks[random.below(limit)];
            let mut text = match random.below(2) {
                0 => mutated(uris(), random),
                _ => pick(random, PLAIN).as_bytes().to_vec(),
            };
            (0..random.below(5))
                .for_each(|_| text.extend_from_slice(pick(random, inputs.marks.len()).as_bytes()));
            let pieces: Vec<_> = (0..random.below(7)).map(|_| random.below(inputs.marks.len())).collect();
            let respelled = |random: &mut Random, at: usize| match (random.below(3), inputs.marks[at]) {
                (0, ".") => "%2E",
                (0, "..") => ".%2e",
                (0, "/") => "/./",
                (0, "a") => "%61",
                (0, "x:") => "X:",
                (0, "file:") => "FILE:",
                (_, mark) => mark,
            };
            text.push(b'\n');
            pieces.iter().for_each(|&at| text.extend_from_slice(inputs.marks[at].as_bytes()));
            text.push(b'\n');
            pieces.iter().for_each(|&at| text.extend_from_slice(respelled(random, at).as_bytes()));
            text
        };
        Inputs { seeds: Vec::new(), marks, make }
    }

    /// Lines.
    pub(crate) fn lists() -> Inputs {
        let make = |_: &Inputs, random: &mut Random| {
            let mut text = Vec::new();
            for _ in 0..random.below(8) {
                text.append(&mut mutated(uris(), random));
                text.extend_from_slice(
                    ["\n", "\r\n", "\n\n", "\r\n\r\n", "\r", ""][random.below(6)].as_bytes(),
                );
            }
            text
        };
        Inputs { seeds: Vec::new(), marks: &[], make }
    }

    /// Running text with URIs in it.
    pub(crate) fn prose() -> Inputs {
        let marks = &[
            " ",
            "<",
            ">",
            "\n",
            "\r\n ",
            "(",
            ")",
            "\"",
            "'",
            "URL:",
            "www.",
            ", ",
            ". ",
            "&amp;",
            "&gt;",
            "-\n",
            "\u{3002}",
            "\u{e9}",
            "word",
            "<a href=\"",
            "mailto:",
            "data:,",
            "[",
            "](",
            "\u{201d}",
        ];
        let make = |inputs: &Inputs, random: &mut Random| {
            let mut text = Vec::new();
            for _ in 0..random.below(30) {
                if random.below(4) == 0 {
                    text.append(&mut mutated(uris(), random));
                }
                text.extend_from_slice(inputs.marks[random.below(inputs.marks.len())].as_bytes());
            }
            text
        };
        Inputs { seeds: Vec::new(), marks, make }
    }

    pub(crate) fn csv() -> Inputs {
        Inputs::of(CSV, &["\"", "\"\"", ",", "\",\"", "\n", "\r\n", "\"\n", ",\""])
    }

    pub(crate) fn tsv() -> Inputs {
        Inputs {
            seeds: CSV.iter().map(|line| line.replace(',', "\t").into_bytes()).collect(),
            ..Inputs::of(&[], TABS)
        }
    }

    pub(crate) fn jsonl() -> Inputs {
        Inputs::of(JSONL, JSON_MARKS)
    }

    pub(crate) fn heritrix() -> Inputs {
        Inputs::of(HERITRIX, WORDS)
    }

    pub(crate) fn cdx() -> Inputs {
        Inputs::of(CDX, WORDS)
    }

    pub(crate) fn cdxj() -> Inputs {
        Inputs::of(CDXJ, JSON_MARKS)
    }

    pub(crate) fn clf() -> Inputs {
        Inputs::of(CLF, &["\"", "\\\"", "\\\\", "\\x0a", "[", "]", " ", "-", "\n", "\r\n", "\" \""])
    }

    /// Logs of all formats.
    pub(crate) fn logs() -> Inputs {
        Inputs::of(&[CSV, JSONL, HERITRIX, CDX, CDXJ, CLF].concat(), JSON_MARKS)
    }

    /// WARC and WAT files.
    pub(crate) fn warc() -> Inputs {
        archives(vec![made::warc().concat(), made::wat().concat()])
    }

    /// WARC files in zip archives.
    pub(crate) fn wacz() -> Inputs {
        let make = |inputs: &Inputs, random: &mut Random| overwritten(&inputs.seeds, random);
        Inputs { seeds: made::wacz(), marks: &[], make }
    }

    pub(crate) fn arc() -> Inputs {
        archives(vec![ARC.as_bytes().to_vec()])
    }

    pub(crate) fn sitemap() -> Inputs {
        documents(SITEMAPS, XML_MARKS)
    }

    pub(crate) fn feed() -> Inputs {
        documents(FEEDS, XML_MARKS)
    }

    pub(crate) fn pages() -> Inputs {
        let pages: Vec<&str> = PAGES.iter().map(|(page, _)| *page).collect();
        documents(&pages, XML_MARKS)
    }

    pub(crate) fn har() -> Inputs {
        documents(HARS, JSON_MARKS)
    }

    pub(crate) fn nutch() -> Inputs {
        documents(&[NUTCH], WORDS)
    }

    /// The samples of the logs that urimill knows, and robots.txt files.
    pub(crate) fn samples() -> Inputs {
        let folder = paths::repository().join("tests/samples/logs");
        let mut files: Vec<_> = fs::read_dir(&folder)
            .expect("the samples")
            .map(|entry| entry.expect("a sample").path())
            .collect();
        files.sort();
        let mut text: String = files.iter().map(|file| fs::read_to_string(file).expect("a sample")).collect();
        text.push_str(LISTS);
        Inputs::of(&text.lines().collect::<Vec<_>>(), JSON_MARKS)
    }

    /// Lines, mostly in UTF-16, some with half of a unit or without a mark.
    pub(crate) fn encoded() -> Inputs {
        let make = |_: &Inputs, random: &mut Random| {
            let text = Inputs::lists().next(random);
            let text = String::from_utf8_lossy(&text[..text.len().min(random.below(80))]).into_owned();
            let mark = if random.below(2) == 0 { "\u{feff}" } else { "" };
            let units: Vec<u16> = format!("{mark}a\u{1f600}\u{e9},{text}").encode_utf16().collect();
            let mut bytes: Vec<u8> = match random.below(3) {
                0 => units.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
                1 => units.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
                _ => units.iter().map(|&unit| unit as u8).collect(),
            };
            for _ in 0..random.below(3) {
                let at = random.below(bytes.len());
                bytes[at] = [0xd8, 0xdc, 0, 0xff, 0x1b, b'\n', 0x81][random.below(7)];
            }
            bytes.truncate(bytes.len() - random.below(3));
            bytes
        };
        Inputs { seeds: Vec::new(), marks: &[], make }
    }

    /// Each format of compression, one member or two.
    pub(crate) fn compressed() -> Inputs {
        let text = "http://example.com/a\nhttp://example.com/b?c=d\n".repeat(3);
        let gzip = |level| {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
            encoder.write_all(text.as_bytes()).expect("memory can be written");
            encoder.finish().expect("memory can be written")
        };
        let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
        bzip2.write_all(text.as_bytes()).expect("memory can be written");
        let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 0);
        xz.write_all(text.as_bytes()).expect("memory can be written");
        let mut seeds = vec![
            gzip(flate2::Compression::best()),
            gzip(flate2::Compression::none()),
            zstd::encode_all(text.as_bytes(), 3).expect("memory can be read"),
            bzip2.finish().expect("memory can be written"),
            xz.finish().expect("memory can be written"),
            b"\x50\x2a\x4d\x18\x02\0\0\0ab".to_vec(),
        ];
        let twice: Vec<_> = seeds.iter().map(|member| member.repeat(2)).collect();
        seeds.extend(twice);
        Inputs { seeds, marks: &[], make: |inputs, random| flipped(&inputs.seeds, random) }
    }

    /// Parquet files.
    pub(crate) fn parquet() -> Inputs {
        let make = |inputs: &Inputs, random: &mut Random| overwritten(&inputs.seeds, random);
        Inputs { seeds: made::parquet(), marks: &[], make }
    }

    /// Arrow files and streams.
    pub(crate) fn arrow() -> Inputs {
        let make = |inputs: &Inputs, random: &mut Random| overwritten(&inputs.seeds, random);
        Inputs { seeds: made::arrow(), marks: &[], make }
    }
}

/// One of the seeds, with numbers of several widths here and there that are small, large, negative, or nearly the
/// original; sometimes cut.
fn overwritten(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(4) {
        // Tables have most of their metadata near their ends.
        let from = if random.below(2) == 0 { bytes.len() / 2 } else { 0 };
        let at = from + random.below(bytes.len() - from);
        let width = [1, 1, 2, 4, 8][random.below(5)].min(bytes.len() - at);
        let number = match random.below(6) {
            0 => 0,
            1 => u64::MAX,
            2 => u64::MAX >> 1,
            3 => 1 << random.below(64),
            4 => random.next(),
            _ => u64::from(bytes[at]).wrapping_add(random.next() % 5).wrapping_sub(2),
        };
        bytes[at..at + width].copy_from_slice(&number.to_le_bytes()[..width]);
    }
    if random.below(20) == 0 {
        bytes.truncate(random.below(bytes.len()));
    }
    bytes
}

/// A document, with some of the marks inserted or in place of a byte.
fn documents(seeds: &[&str], marks: &'static [&'static str]) -> Inputs {
    let make = |inputs: &Inputs, random: &mut Random| {
        let mut text = inputs.seeds[random.below(inputs.seeds.len())].clone();
        for _ in 0..random.below(4) {
            let at = random.below(text.len());
            let mark = inputs.marks[random.below(inputs.marks.len())].bytes();
            drop(text.splice(at..at + random.below(2), mark));
        }
        text.truncate(text.len() - random.below(2) * random.below(text.len()));
        text
    };
    Inputs { seeds: seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect(), marks, make }
}

/// The same for archives, whose records state their lengths.
fn archives(seeds: Vec<Vec<u8>>) -> Inputs {
    let marks =
        &["0", "1", "9", " ", "\n", "\r\n", "\r\n\r\n", ":", "WARC/1.0\r\n", "Content-Length: 3", "<", "{"];
    Inputs { seeds, ..documents(&[], marks) }
}

fn mutated(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    mutate(seeds, random, &mut text);
    text
}

/// Bits flipped, the end cut off, the middle of one joined to another: decoders stop at the first wrong byte, so there
/// is one change or two.
fn flipped(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len().max(1));
        match random.below(4) {
            0 => bytes.truncate(at),
            1 => {
                bytes.truncate(at);
                bytes.extend_from_slice(&seeds[random.below(seeds.len())]);
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            _ => bytes.push(0),
        }
    }
    bytes
}

/// A few lines, each whole or mutated, with some of the marks thrown in.
fn lines_of_a_format(inputs: &Inputs, random: &mut Random) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..=random.below(5) {
        let mut line = match random.below(3) {
            0 => inputs.seeds[random.below(inputs.seeds.len())].clone(),
            _ => mutated(&inputs.seeds, random),
        };
        for _ in 0..random.below(3) {
            let at = random.below(line.len() + 1);
            line.splice(at..at, inputs.marks[random.below(inputs.marks.len())].bytes());
        }
        text.append(&mut line);
        text.extend_from_slice(["\n", "\n", "\r\n", "\n\n", ""][random.below(5)].as_bytes());
    }
    text
}

const XML_MARKS: &[&str] = &[
    "<",
    ">",
    "/",
    "</",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#x2f;",
    "&x;",
    "<loc>",
    "</loc>",
    "\"",
    "'",
    "<?x ",
    "?>",
    "<!DOCTYPE x [",
    "<url>",
    "</url>",
    "<item>",
    "</item>",
    ":",
    "\u{e9}",
    " xmlns=",
    "=",
    "\n",
];
const TABS: &[&str] = &["\"", "\"\"", "\t", "\"\t\"", "\n", "\r\n", "\"\n", "\t\""];
const WORDS: &[&str] = &[" ", "  ", "-", "\n", "\r\n", "\t", " - ", "{", "}", "0", "99999999999999999999"];
const JSON_MARKS: &[&str] = &[
    "{", "}", "\"", "\\\"", "\\u00e9", "\\ud83d", "\\n", ":", ",", "[", "]", "null", "1e9", " ", "\n",
    "\"url\":",
];

//! Paths, queries and fragments: clean, valid and already in normal form.

use super::rng::{Dice, Rng};
use super::words::{ENDINGS, FOLDERS, FOREIGN, ID_KEYS, LINK_KEYS, SYLLABLES, WORD_KEYS, WORDS};
use super::{EMPTY_FRAGMENT, EMPTY_QUERY, EMPTY_SEGMENT, FRAGMENT, HOME, QUERY, Share};

/// Thousandths of the pages with 1, 2, … 8 segments.
const DEPTHS: [u16; 8] = [182, 362, 203, 166, 61, 18, 5, 3];
/// Thousandths of the queries with 1, 2, … 6 parameters.
const PARAMETERS: [u16; 6] = [500, 210, 70, 65, 95, 60];
/// Share of the paths, per million, with percent-encoded words, and of the queries with an encoded URI or space.
const ENCODED_PATH: u32 = 24_000;
const ENCODED_QUERY: u32 = 180_000;

const HEX: &[u8; 16] = b"0123456789abcdef";
const HEX_UPPER: &[u8; 16] = b"0123456789ABCDEF";
const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Converts a share of all lines to a share of the pages, per million: home pages have neither query nor fragment.
const fn of_pages(share: &Share) -> u32 {
    (share.per_million as u64 * 1_000_000 / (1_000_000 - HOME.per_million as u64)) as u32
}

/// Writes the part after the authority.
pub(super) struct Paths {
    depths: Dice,
    parameters: Dice,
    folder_kinds: Dice,
    page_kinds: Dice,
    words: Vec<&'static str>,
    foreign: Vec<String>,
    folders: Vec<&'static str>,
    endings: Vec<&'static str>,
    syllables: Vec<&'static str>,
    id_keys: Vec<&'static str>,
    word_keys: Vec<&'static str>,
    link_keys: Vec<&'static str>,
}

/// The bytes outside ASCII as triplets with upper-case digits (RFC 3986, 2.1 and 2.5).
fn encode(text: &str) -> String {
    let triplet =
        |byte: u8| if byte.is_ascii() { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(triplet).collect()
}

impl Paths {
    pub(super) fn new() -> Self {
        Paths {
            depths: Dice::new(&DEPTHS),
            parameters: Dice::new(&PARAMETERS),
            folder_kinds: Dice::new(&[450, 270, 90, 100, 90]),
            page_kinds: Dice::new(&[470, 290, 80, 60, 70, 30]),
            words: WORDS.split(' ').collect(),
            foreign: FOREIGN.split(' ').map(encode).collect(),
            folders: FOLDERS.split(' ').collect(),
            endings: ENDINGS.split(' ').collect(),
            syllables: SYLLABLES.split(' ').collect(),
            id_keys: ID_KEYS.split(' ').collect(),
            word_keys: WORD_KEYS.split(' ').collect(),
            link_keys: LINK_KEYS.split(' ').collect(),
        }
    }

    /// A path of one to eight segments, perhaps a query, perhaps a fragment.
    pub(super) fn write(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        for _ in 0..self.depths.roll(rng) {
            out.push(b'/');
            self.write_folder(rng, out);
        }
        if rng.chance(of_pages(&EMPTY_SEGMENT)) {
            out.push(b'/');
        }
        out.push(b'/');
        if rng.chance(ENCODED_PATH) {
            self.write_encoded_page(rng, out)
        } else {
            self.write_page(rng, out)
        }
        if rng.chance(of_pages(&QUERY)) {
            out.push(b'?');
            self.write_query(rng, out);
        } else if rng.chance(of_pages(&EMPTY_QUERY)) {
            out.push(b'?');
        }
        if rng.chance(of_pages(&FRAGMENT)) {
            out.push(b'#');
            self.write_slug(rng, out, 1, 4);
        } else if rng.chance(of_pages(&EMPTY_FRAGMENT)) {
            out.push(b'#');
        }
    }

    fn write_folder(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        match self.folder_kinds.roll(rng) {
            0 => self.write_slug(rng, out, 1, 1),
            1 => self.write_slug(rng, out, 2, 2),
            2 => out.extend_from_slice(rng.pick(&self.folders).as_bytes()),
            3 => write_decimal(rng.between(1996, 2026), out),
            _ => write_decimal(rng.between(10, 5000), out),
        }
    }

    /// The last segment, which makes most URIs unique.
    fn write_page(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        match self.page_kinds.roll(rng) {
            0 => {
                self.write_slug(rng, out, 3, 12);
                if rng.chance(560_000) {
                    out.push(b'/');
                }
            }
            1 => {
                self.write_slug(rng, out, 1, 3);
                out.push(b"-_"[rng.below(2) as usize]);
                write_decimal(rng.between(100, 99_999_999), out);
                out.push(b'.');
                out.extend_from_slice(rng.pick(&self.endings).as_bytes());
            }
            2 => write_decimal(rng.between(100_000, 3_999_999_999), out),
            3 => write_digits(rng, HEX, 24, out),
            4 => write_digits(rng, BASE62, 11, out),
            _ => {
                write_digits(rng, &BASE62[..36], 4, out);
                out.push(b'-');
                write_digits(rng, &BASE62[..36], 4, out);
            }
        }
    }

    fn write_encoded_page(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        self.write_slug(rng, out, 2, 4);
        for _ in 0..rng.between(1, 2) {
            out.extend_from_slice(if rng.chance(500_000) { b"%20" } else { b"_" });
            out.extend_from_slice(rng.pick(&self.foreign).as_bytes());
        }
    }

    fn write_query(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        let count = self.parameters.roll(rng) + 1;
        let encoded = rng.chance(ENCODED_QUERY);
        for index in 0..count {
            if index > 0 {
                out.push(b'&');
            }
            match (encoded && index == 0, rng.below(2)) {
                (true, 0) => {
                    self.write_key(rng, out, &self.word_keys);
                    self.write_slug(rng, out, 1, 2);
                    out.extend_from_slice(b"%20");
                    self.write_slug(rng, out, 1, 2);
                }
                (true, _) => {
                    self.write_key(rng, out, &self.link_keys);
                    self.write_encoded_link(rng, out);
                }
                (false, 0) => {
                    self.write_key(rng, out, &self.word_keys);
                    self.write_slug(rng, out, 1, 4);
                }
                (false, _) => {
                    self.write_key(rng, out, &self.id_keys);
                    self.write_id(rng, out);
                }
            }
        }
    }

    fn write_key(&self, rng: &mut Rng, out: &mut Vec<u8>, keys: &[&str]) {
        out.extend_from_slice(rng.pick(keys).as_bytes());
        out.push(b'=');
    }

    fn write_id(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        match rng.below(8) {
            0 => write_digits(rng, HEX, 32, out),
            1 | 2 => {
                let longest = if rng.chance(120_000) { 600 } else { 120 };
                let count = rng.between(8, longest);
                write_digits(rng, BASE62, count, out);
            }
            3 | 4 => write_decimal(rng.below(100), out),
            _ => write_decimal(rng.below(100_000_000), out),
        }
    }

    /// A URI as the value of a parameter: its delimiters are triplets (RFC 3986, 2.2).
    fn write_encoded_link(&self, rng: &mut Rng, out: &mut Vec<u8>) {
        out.extend_from_slice(b"https%3A%2F%2Fwww.");
        for _ in 0..rng.between(2, 5) {
            out.extend_from_slice(rng.pick(&self.syllables).as_bytes());
        }
        out.extend_from_slice(b".com");
        for _ in 0..rng.between(1, 6) {
            out.extend_from_slice(b"%2F");
            self.write_slug(rng, out, 1, 3);
        }
        for delimiter in [&b"%3F"[..], b"%26"].into_iter().take(rng.below(3) as usize) {
            out.extend_from_slice(delimiter);
            out.extend_from_slice(rng.pick(&self.id_keys).as_bytes());
            out.extend_from_slice(b"%3D");
            write_decimal(rng.below(1_000_000), out);
        }
    }

    /// Words with hyphens between them.
    fn write_slug(&self, rng: &mut Rng, out: &mut Vec<u8>, least: u32, most: u32) {
        out.extend_from_slice(rng.pick(&self.words).as_bytes());
        for _ in 1..rng.between(least, most) {
            out.push(b'-');
            out.extend_from_slice(rng.pick(&self.words).as_bytes());
        }
    }
}

/// `count` random digits of an alphabet.
fn write_digits(rng: &mut Rng, alphabet: &[u8], count: u32, out: &mut Vec<u8>) {
    let mut bits = 0;
    for index in 0..count {
        if index % 4 == 0 {
            bits = rng.bits();
        }
        out.push(alphabet[(((bits & 0xFFFF) * alphabet.len() as u64) >> 16) as usize]);
        bits >>= 16;
    }
}

/// A number in decimal digits, without the machinery of formatting.
pub(super) fn write_decimal(mut number: u32, out: &mut Vec<u8>) {
    let mut digits = [0; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// A byte as a triplet with upper-case digits.
pub(super) fn write_triplet(byte: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'%', HEX_UPPER[usize::from(byte >> 4)], HEX_UPPER[usize::from(byte & 15)]]);
}

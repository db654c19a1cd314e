//! Finds records whose paths may contain a device name (RFC 3986 section 7.3), many at once: a quick pass over all
//! bytes leaves few records to examine closely.
//!
//! 1. In the text that holds the records, and whatever is between them, find the places where the first three letters
//!    of a name follow a border: a slash, or the newline before a line. AVX2 has its own code for this.
//! 2. Go through records and places in parallel: a place counts if it lies in the path of a record, where the kernel
//!    has found that, and is followed there by the rest of the name, or by a triplet.
//!
//! If records lie far apart or in several texts, each path is searched by itself.
//!
//! With AVX2 this takes about 20 instructions a URI in a list of 20,000 URIs of a crawl.

use super::places::equal;
use super::splits::{SlowPath, Splits};
use alloc::vec::Vec;

/// The first three letters of the names: CON, COM, PRN, AUX, NUL, LPT, CLOCK$.
pub(super) const PREFIXES: [[u8; 3]; 7] = [*b"con", *b"com", *b"prn", *b"aux", *b"nul", *b"lpt", *b"clo"];

/// The letters as a number, the first one lowest, at the index [`slot`]; no name has the number 0.
const KEYS: [u32; 16] = {
    let mut keys = [0; 16];
    let mut at = 0;
    while at < PREFIXES.len() {
        let [a, b, c] = PREFIXES[at];
        let key = u32::from_le_bytes([a, b, c, 0]);
        assert!(keys[slot(key)] == 0, "two names at one place");
        keys[slot(key)] = key;
        at += 1;
    }
    keys
};

/// A hash of the bits in which second and third letters differ, ignoring case.
#[inline(always)]
const fn slot(key: u32) -> usize {
    ((key >> 8 ^ key >> 16) & 15) as usize
}

/// The most bytes per record of a text that is searched as a whole: lines of a log are several times as long as their
/// requests, and searching each path by itself takes longer.
const SPARSE: u64 = 16;

/// The number of records that are checked together for one without a scheme.
const GROUP: usize = 64;

/// The places of records in their texts.
pub(super) struct Paths<'a> {
    pub(super) splits: &'a Splits,
    pub(super) texts: &'a [&'a [u8]],
    pub(super) text_of: &'a [u32],
    /// The first record to search.
    pub(super) from: usize,
    /// Whether the records are the lines of a text, which are known to be in order.
    pub(super) are_lines: bool,
}

impl<'a> Paths<'a> {
    fn text(&self, i: usize) -> &'a [u8] {
        self.texts[self.text_of.get(i).map_or(0, |&text| text as usize)]
    }

    /// The position of a record's path in its text, if the kernel has found it. After a scheme of which the kernel is
    /// not sure, scheme and authority count as part of the path.
    #[inline(always)]
    fn path(&self, i: usize) -> Option<(usize, usize)> {
        let (splits, start) = (self.splits, self.splits.start[i] as usize);
        (!splits.slow_path[i].has(SlowPath::INVALID | SlowPath::FAR | SlowPath::LONG))
            .then(|| (start + splits.path_start[i] as usize, start + splits.path_end[i] as usize))
    }

    /// The start and end of the records in their text, if they are there in order, do not overlap and lie close
    /// together.
    fn dense(&self) -> Option<(usize, usize)> {
        let (starts, ends) = (&self.splits.start[self.from..], &self.splits.end[self.from..]);
        let (first, last) = (*starts.first()? as usize, starts.len() - 1);
        let end = starts[last] as usize + ends[last] as usize;
        if self.are_lines {
            return Some((first, end));
        }
        // The highest bit is set if one is out of order; without an early exit the loop is vectorized.
        let gaps = starts.iter().zip(ends).zip(&starts[1..]);
        let gaps =
            gaps.fold(0, |bits, ((start, end), next)| bits | next.wrapping_sub(*start).wrapping_sub(*end));
        // Records that do not overlap have fewer bytes than their text.
        let bytes = ends.iter().fold(0u32, |sum, end| sum.wrapping_add(*end));
        let is_dense =
            gaps >> 31 == 0 && end >= first && (end - first) as u64 <= SPARSE * (u64::from(bytes) + 64);
        (is_dense && self.text_of.is_empty() && end <= self.texts[0].len()).then_some((first, end))
    }

    /// Appends the records that may contain a device name. `find` appends the places of a text where one may begin
    /// after a border, in order: none may be missing, duplicates are allowed.
    pub(super) fn find(&self, find: impl FnOnce(&[u8], &mut Vec<u32>), out: &mut Vec<u32>) {
        let Some((first, end)) = self.dense() else { return self.one_by_one(out) };
        let text = self.texts[0];
        // The first line has no newline before it.
        let mut places = alloc::vec![0];
        find(&text[first..end], &mut places);
        let (len, starts) = (out.len(), &self.splits.start);
        let mut i = self.from;
        for place in places {
            let place = first + place as usize;
            i = last_from(starts, i, place as u32);
            if let Some((path, path_end)) = self.path(i)
                && (path..path_end).contains(&place)
                // Only a reference without a scheme has a path that may begin without a slash.
                && (place > starts[i] as usize || has_no_scheme(self.splits.scheme_end[i], self.splits.slow_path[i]))
                && begins_as_device(&text[place..path_end])
                && out.get(len..).and_then(<[u32]>::last) != Some(&(i as u32))
            {
                out.push(i as u32);
            }
        }
        if !self.are_lines {
            self.first_segments(len, out);
        }
    }

    /// Inserts into `out[from..]` the references without a scheme whose path begins with a device name. Lines need no
    /// call: [`Paths::find`] sees the newline before each.
    fn first_segments(&self, from: usize, out: &mut Vec<u32>) {
        let (len, text) = (out.len(), self.texts[0]);
        let slow_path = &self.splits.slow_path[self.from..];
        let groups = self.splits.scheme_end[self.from..].chunks(GROUP).zip(slow_path.chunks(GROUP));
        for (group, (scheme_ends, slow_path)) in groups.enumerate() {
            // Most have a scheme, of which the kernel may not be sure: without an early exit the loop is vectorized.
            let has_none =
                |(&scheme_end, &slow_path): (&u32, &SlowPath)| has_no_scheme(scheme_end, slow_path);
            let records = || scheme_ends.iter().zip(slow_path);
            if !records().fold(false, |any, record| any | has_none(record)) {
                continue;
            }
            for (i, record) in records().enumerate() {
                let i = self.from + GROUP * group + i;
                let path = (self.splits.start[i] + self.splits.path_start[i]) as usize;
                // Few of all records begin like this; whether one has a scheme cannot be predicted.
                let may_begin = FIRST[usize::from(text.get(path).copied().unwrap_or_default())] != 0;
                if may_begin & has_none(record)
                    && let Some((path, end)) = self.path(i)
                    && begins_as_device(&text[path..end])
                {
                    out.push(i as u32);
                }
            }
        }
        if out.len() > len {
            out[from..].sort_unstable();
            out.dedup();
        }
    }

    fn one_by_one(&self, out: &mut Vec<u32>) {
        for i in self.from..self.splits.len() {
            let Some((path, end)) = self.path(i) else { continue };
            let path = &self.text(i)[path..end];
            let mut slashes = memchr::memchr_iter(b'/', path);
            if begins_as_device(path) || slashes.any(|at| begins_as_device(&path[at + 1..])) {
                out.push(i as u32);
            }
        }
    }
}

/// Whether a record is a reference without a scheme, whose path may begin without a slash.
#[inline(always)]
fn has_no_scheme(scheme_end: u32, slow_path: SlowPath) -> bool {
    (scheme_end == 0) & !slow_path.has(SlowPath::SCHEME)
}

/// The last of `starts` (sorted) that is not after `place`, as the one at `from` is not. It is near.
fn last_from(starts: &[u32], from: usize, place: u32) -> usize {
    let mut stride = 1;
    while starts.get(from + stride).is_some_and(|&start| start <= place) {
        stride *= 2;
    }
    let [near, far] = [from + stride / 2, starts.len().min(from + stride)];
    near + starts[near..far].partition_point(|&start| start <= place) - 1
}

/// The number of bytes that a round searches for borders.
const ROUND: usize = 64;

/// By byte, a bit for each of [`PREFIXES`].
type Names = [u8; 256];

/// The names that have a given letter at a place, in either case.
const fn letters(at: usize) -> Names {
    let mut table = [0; 256];
    let mut name = 0;
    while name < PREFIXES.len() {
        let letter = PREFIXES[name][at];
        table[letter as usize] |= 1 << name;
        table[letter.to_ascii_uppercase() as usize] |= 1 << name;
        name += 1;
    }
    table
}

static FIRST: Names = letters(0);
static THIRD: Names = letters(2);

/// The places of a text, from `from` on, where a device name may begin after a border.
#[inline(always)]
pub(super) fn portable(text: &[u8], from: usize, places: &mut Vec<u32>) {
    let mut at = from;
    // The bytes of a round, and the letters after the last.
    while let Some(window) = text[at..].first_chunk::<{ ROUND + 3 }>()
        && let Some(round) = window.first_chunk::<ROUND>()
    {
        let mut borders = equal(round, b'/') | equal(round, b'\n');
        // Only the last of several adjacent borders can precede a name.
        borders &= !(borders >> 1);
        while borders != 0 {
            let border = borders.trailing_zeros() as usize;
            if FIRST[usize::from(window[border + 1])] & THIRD[usize::from(window[border + 3])] != 0 {
                note(text, at + 1, 1 << border, places);
            }
            borders &= borders - 1;
        }
        at += ROUND;
    }
    let rest = memchr::memchr2_iter(b'/', b'\n', &text[at..]).map(|border| at + border + 1);
    places.extend(rest.filter(|&at| may_begin(&text[at..])).map(|at| at as u32));
}

/// Appends the places, from `from` on and given as bits, at which a name may begin. A separate function, so that the
/// loops over texts are unrolled.
#[cold]
#[inline(never)]
pub(super) fn note(text: &[u8], from: usize, mut found: u64, places: &mut Vec<u32>) {
    while found != 0 {
        let place = from + found.trailing_zeros() as usize;
        if may_begin(&text[place..]) {
            places.push(place as u32);
        }
        found &= found - 1;
    }
}

/// Whether a text begins with the first three letters of a name, and continues as one as far as that can be decided
/// without the end of the text.
#[inline(always)]
fn may_begin(text: &[u8]) -> bool {
    match *text {
        [a, b, c, ref rest @ ..] => {
            let key = u32::from_le_bytes([a, b, c, 0]) | 0x0020_2020;
            KEYS[slot(key)] == key
                && match c | 0x20 {
                    b'm' | b't' => matches!(rest.first(), Some(b'1'..=b'9' | b'%')),
                    b'o' => matches!(rest.first(), Some(b'c' | b'C' | b'%')),
                    _ => true,
                }
        }
        _ => false,
    }
}

/// Whether the rest of a path begins like a device name: after the first three letters COM and LPT have a digit and
/// CLOCK$ a letter; CON, PRN, AUX and NUL end there, or are CONIN$ and CONOUT$. Triplets are not decoded, and count as
/// a match.
fn begins_as_device(path: &[u8]) -> bool {
    may_begin(path)
        && (matches!(path[2] | 0x20, b'm' | b't' | b'o')
            || matches!(
                path.get(3),
                None | Some(b'.' | b':' | b';' | b'/' | b'i' | b'I' | b'o' | b'O' | b'%')
            ))
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec;

    use super::*;
    #[cfg(target_arch = "x86_64")]
    use crate::simd::Isa;

    /// Texts of every length around a name at every place of a round, and bytes of all values in between.
    fn texts() -> impl Iterator<Item = Vec<u8>> {
        let names =
            ["con", "COM1", "Prn", "aux", "nUl", "lpt9", "clock$", "com", "car", "/", "con/aux", "sum"];
        (0..names.len() * 300).map(move |i| {
            let filler = |len: usize| (0..len).map(move |at| (at * 37 + i) as u8);
            filler(i % 300)
                .chain([b"/\n"[i % 2]])
                .chain(names[i / 300].bytes())
                .chain(filler(i % 71))
                .collect()
        })
    }

    /// The places by definition.
    fn plain(text: &[u8]) -> Vec<u32> {
        (1..text.len())
            .filter(|&at| matches!(text[at - 1], b'/' | b'\n') && may_begin(&text[at..]))
            .map(|at| at as u32)
            .collect()
    }

    #[test]
    fn every_way_finds_the_same_places() {
        let mut found = 0;
        for text in texts() {
            let mut ways = vec![("portable", Vec::new())];
            portable(&text, 0, &mut ways[0].1);
            #[cfg(target_arch = "x86_64")]
            if Isa::Avx2.is_available() {
                let mut places = Vec::new();
                // SAFETY: the instruction set is there.
                unsafe { crate::simd::devices_avx2::find(&text, &mut places) };
                ways.push(("AVX2", places));
            }
            let expected = plain(&text);
            found += expected.len();
            for (way, places) in ways {
                assert_eq!(places, expected, "{way}: {:?}", String::from_utf8_lossy(&text));
            }
        }
        assert!(found > 2_000, "{found}");
    }

    #[test]
    fn the_record_of_a_place() {
        let starts = [0, 3, 4, 10, 11, 12, 13, 40, 41];
        for from in 0..starts.len() {
            for place in starts[from]..60 {
                let expected = starts.iter().rposition(|&start| start <= place);
                assert_eq!(Some(last_from(&starts, from, place)), expected, "{place} from {from}");
            }
        }
    }
}

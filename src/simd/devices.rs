//! Records whose paths may have the name of a device in them (RFC 3986 section 7.3), many at once: a quick look at all
//! bytes that leaves few records to look at closely.
//!
//! 1. In the text that holds the records, whichever bytes stand between them, the places are found where the first three
//!    letters of a name follow a slash. Instruction sets have ways of their own for this.
//! 2. Records and places are gone through side by side: a place counts where it lies in the path of a record that the
//!    kernel vouches for, and what follows it there goes on as the name does.
//!
//! Where records lie far apart or in several texts, each path is looked at by itself.

use super::splits::Splits;

/// The first three letters of the names: CON, COM, PRN, AUX, NUL, LPT, CLOCK$.
pub(super) const PREFIXES: [[u8; 3]; 7] = [*b"con", *b"com", *b"prn", *b"aux", *b"nul", *b"lpt", *b"clo"];

/// The letters as a number, the first one lowest.
const KEYS: [u32; 7] = {
    let mut keys = [0; 7];
    let mut at = 0;
    while at < 7 {
        let [a, b, c] = PREFIXES[at];
        keys[at] = u32::from_le_bytes([a, b, c, 0]);
        at += 1;
    }
    keys
};

/// How many times more bytes than records there may be in a text that is looked at as a whole.
const SPARSE: u64 = 4;

/// The places of records in their texts.
pub(super) struct Paths<'a> {
    pub(super) splits: &'a Splits,
    pub(super) texts: &'a [&'a [u8]],
    pub(super) text_of: &'a [u32],
}

impl<'a> Paths<'a> {
    fn text(&self, i: usize) -> &'a [u8] {
        self.texts[self.text_of.get(i).map_or(0, |&text| text as usize)]
    }

    /// Where the path of a record stands in its text, if the kernel vouches for the record and nothing is left to look at.
    #[inline(always)]
    fn path(&self, i: usize) -> Option<(usize, usize)> {
        let (splits, start) = (self.splits, self.splits.start[i] as usize);
        splits.care[i]
            .is_none()
            .then(|| (start + splits.path_start[i] as usize, start + splits.path_end[i] as usize))
    }

    /// Where the records begin and end in their text, if they lie there in their order, apart from each other and close
    /// together.
    fn dense(&self) -> Option<(usize, usize)> {
        let (starts, ends) = (&self.splits.start, &self.splits.end);
        let (first, last) = (*starts.first()? as usize, starts.len() - 1);
        // The highest bit is set where one is not; without a way out the loop takes several at once.
        let gaps = starts.iter().zip(ends).zip(&starts[1..]);
        let gaps =
            gaps.fold(0, |bits, ((start, end), next)| bits | next.wrapping_sub(*start).wrapping_sub(*end));
        let end = starts[last] as usize + ends[last] as usize;
        // Records apart from each other have fewer bytes than their text.
        let bytes = ends.iter().fold(0u32, |sum, end| sum.wrapping_add(*end));
        let is_dense =
            gaps >> 31 == 0 && end >= first && (end - first) as u64 <= SPARSE * (u64::from(bytes) + 64);
        (is_dense && self.text_of.is_empty() && end <= self.texts[0].len()).then_some((first, end))
    }

    /// Appends the records that may have the name of a device. `find` appends the places of a text where one may begin,
    /// behind a slash, in their order: none may be missing, and some may be there twice.
    pub(super) fn find(&self, find: impl FnOnce(&[u8], &mut Vec<u32>), out: &mut Vec<u32>) {
        let Some((first, end)) = self.dense() else { return self.one_by_one(out) };
        let text = self.texts[0];
        let mut places = Vec::new();
        find(&text[first..end], &mut places);
        let (from, starts) = (out.len(), &self.splits.start);
        let mut i = 0;
        for place in places {
            let place = first + place as usize;
            i += starts[i..].partition_point(|&start| start as usize <= place) - 1;
            if let Some((path, path_end)) = self.path(i)
                && (path..path_end).contains(&place)
                && begins_as_device(&text[place..path_end])
                && out.get(from..).and_then(<[u32]>::last) != Some(&(i as u32))
            {
                out.push(i as u32);
            }
        }
        if self.splits.scheme_end.iter().fold(false, |any, &scheme_end| any | (scheme_end == 0)) {
            self.first_segments(from, out);
        }
    }

    /// Puts those among `out[from..]` whose path begins with the name of a device and without a slash, as that of a reference
    /// without a scheme may.
    fn first_segments(&self, from: usize, out: &mut Vec<u32>) {
        let (len, text) = (out.len(), self.texts[0]);
        for (i, _) in self.splits.scheme_end.iter().enumerate().filter(|&(_, &scheme_end)| scheme_end == 0) {
            if self.path(i).is_some_and(|(path, end)| begins_as_device(&text[path..end])) {
                out.push(i as u32);
            }
        }
        if out.len() > len {
            out[from..].sort_unstable();
            out.dedup();
        }
    }

    fn one_by_one(&self, out: &mut Vec<u32>) {
        for i in 0..self.splits.len() {
            let Some((path, end)) = self.path(i) else { continue };
            let path = &self.text(i)[path..end];
            let mut slashes = memchr::memchr_iter(b'/', path);
            if begins_as_device(path) || slashes.any(|at| begins_as_device(&path[at + 1..])) {
                out.push(i as u32);
            }
        }
    }
}

/// The places of a text where the name of a device may begin behind a slash, from `from` on.
pub(super) fn portable(text: &[u8], from: usize, places: &mut Vec<u32>) {
    let slashes = memchr::memchr_iter(b'/', &text[from..]).map(|at| from + at + 1);
    places.extend(slashes.filter(|&at| has_prefix(&text[at..])).map(|at| at as u32));
}

/// Whether a text begins with the first three letters of a name.
#[inline(always)]
pub(super) fn has_prefix(text: &[u8]) -> bool {
    match *text {
        [a, b, c, ..] => KEYS.contains(&(u32::from_le_bytes([a, b, c, 0]) | 0x0020_2020)),
        _ => false,
    }
}

/// Whether what is left of a path begins with them, and goes on as that name does: CON, PRN, AUX and NUL end, or are
/// CONIN$ and CONOUT$; COM and LPT have a digit, CLOCK$ a letter.
fn begins_as_device(path: &[u8]) -> bool {
    has_prefix(path)
        && match (path[2] | 0x20, path.get(3)) {
            (b'm' | b't', next) => matches!(next, Some(b'1'..=b'9')),
            (b'o', next) => matches!(next, Some(b'c' | b'C')),
            (_, next) => matches!(next, None | Some(b'.' | b':' | b';' | b'/' | b'i' | b'I' | b'o' | b'O')),
        }
}

//! Records whose paths may have the name of a device in them (RFC 3986 section 7.3), many at once: a quick look that
//! leaves few to look at closely. The portable way; `dispatch` has the door to it and to the other.

use super::splits::Splits;

/// The first three letters of the names: CON, COM, PRN, AUX, NUL, LPT, CLOCK$.
pub(super) const PREFIXES: [[u8; 3]; 7] = [*b"con", *b"com", *b"prn", *b"aux", *b"nul", *b"lpt", *b"clo"];

/// The letters as [`first_three`] has them.
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

/// The places of records in their texts: what [`find`](super::find_devices) looks at.
pub(super) struct Paths<'a> {
    pub(super) splits: &'a Splits,
    pub(super) texts: &'a [&'a [u8]],
    pub(super) text_of: &'a [u32],
}

impl<'a> Paths<'a> {
    /// The path of a record that the kernel vouches for, with nothing left to look at; of every other one nothing.
    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> &'a [u8] {
        let splits = self.splits;
        let text = self.texts[if self.text_of.is_empty() { 0 } else { self.text_of[i] as usize }];
        let range = match splits.care[i].is_none() {
            true => (splits.start[i] + splits.path_start[i], splits.start[i] + splits.path_end[i]),
            // Its offsets may mean nothing, or be those of another text.
            false => (0, 0),
        };
        &text[range.0 as usize..range.1 as usize]
    }
}

/// Appends the records, by index, of which a segment of the path begins as the name of a device does.
pub(super) fn portable(paths: &Paths<'_>, out: &mut Vec<u32>) {
    for i in 0..paths.splits.len() {
        if may_have_device(paths.get(i)) {
            out.push(i as u32);
        }
    }
}

/// Whether a segment begins as the name of a device does.
pub(super) fn may_have_device(path: &[u8]) -> bool {
    // A path without a slash before it begins with a segment.
    begins_as_device(path) || memchr::memchr_iter(b'/', path).any(|at| begins_as_device(&path[at + 1..]))
}

#[inline(always)]
fn begins_as_device(text: &[u8]) -> bool {
    match *text {
        [a, b, c, ..] => KEYS.contains(&(u32::from_le_bytes([a, b, c, 0]) | 0x0020_2020)),
        _ => false,
    }
}

//! The result of a kernel: a structure of arrays, one entry per record. The arrays begin at different cache lines, so
//! that splitting lines that are all alike takes 12.6 instead of 15.5 ns a line (AVX-512), and 15.1 instead of 17.4 ns
//! (AVX2).

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// Offsets of one record's components, relative to its first byte.
///
/// ```text
/// https://user:pass@example.com:1234/foo/bar?baz#quux
///      |  |         |          |    |       |   |    |
///      |  |         |          |    |       |   |    `- end
///      |  |         |          |    |       |   `------ query_end
///      |  |         |          |    |       `---------- path_end
///      |  |         |          |    `------------------ path_start
///      |  |         |          `----------------------- host_end
///      |  |         `---------------------------------- host_start
///      |  `-------------------------------------------- behind "//"
///      `----------------------------------------------- scheme_end
/// ```
///
/// An undefined component is empty: without a scheme `scheme_end` is 0; without an authority `host_start`, `host_end`
/// and `path_start` are where the path begins; without a query `query_end` is `path_end`, without a fragment `end` is
/// `query_end`. An empty query or fragment still has its `?` or `#`, so the two cases differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Split {
    /// The offset of the colon after the scheme.
    pub scheme_end: u32,
    /// The first byte of the host.
    pub host_start: u32,
    /// The end of the host: the port's colon, if there is a port.
    pub host_end: u32,
    /// The first byte of the path.
    pub path_start: u32,
    /// The end of the path: the `?` of the query, if there is one.
    pub path_end: u32,
    /// The end of the query: the `#` of the fragment, if there is one.
    pub query_end: u32,
    /// The end of the record.
    pub end: u32,
}

impl Split {
    /// The start of the hierarchical part: after the scheme's colon, if there is a scheme.
    #[inline]
    #[must_use]
    pub fn after_scheme(&self) -> u32 {
        if self.scheme_end > 0 { self.scheme_end + 1 } else { 0 }
    }
}

/// A record's offset and length in a buffer, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The number of bytes.
    pub len: u32,
}

/// The reasons why a record needs the slow path: a set of bits.
///
/// An empty set means: valid, and in normal form at every level. With any of [`SlowPath::UNSURE`] no offset but `end`
/// is defined; with only the others all are valid. There is one exception: if [`SlowPath::AUTHORITY`] is the only one
/// of them, `scheme_end`, `host_start`, and the offsets from `path_start` on are right, and the bytes between these two
/// remain to be validated; if [`SlowPath::SCHEME`] is, `path_end` and the offsets after it are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SlowPath(pub u8);

impl SlowPath {
    /// A byte outside its class in path, query or fragment, or a broken triplet.
    pub const INVALID: u8 = 1 << 0;
    /// The authority is more than a plain lower-case DNS name.
    pub const AUTHORITY: u8 = 1 << 1;
    /// A scheme other than `http` and `https` in lower case before `//`.
    pub const SCHEME: u8 = 1 << 2;
    /// The authority does not end within the first 64 bytes.
    pub const FAR: u8 = 1 << 3;
    /// Longer than the allowed length.
    pub const LONG: u8 = 1 << 4;
    /// Has triplets, all of them well-formed.
    pub const PERCENT: u8 = 1 << 5;
    /// A dot after a slash in the path (or, rarely, after the path).
    pub const DOTS: u8 = 1 << 6;
    /// An authority and no path.
    pub const EMPTY_PATH: u8 = 1 << 7;

    /// Whether the full parser has to decide.
    pub const UNSURE: u8 = Self::INVALID | Self::AUTHORITY | Self::SCHEME | Self::FAR | Self::LONG;

    /// Whether nothing is left to examine.
    #[inline]
    #[must_use]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether one of `bits` is set.
    #[inline]
    #[must_use]
    pub fn has(self, bits: u8) -> bool {
        self.0 & bits != 0
    }
}

/// One offset of each record of [`Splits`].
///
/// A kernel writes an entry of every array, record after record. If all arrays began at the same offset of a page, as
/// large allocations do, these entries would compete for one set of the first cache, which has eight lines or twelve:
/// so each array begins some cache lines later than the one before it.
#[derive(Debug, Clone)]
pub struct Offsets {
    /// The entries, after some zeros.
    values: Vec<u32>,
    zeros: usize,
}

impl Offsets {
    /// The empty array with this number.
    fn new(number: usize) -> Self {
        /// Seven lines of 64 bytes: nine arrays at this distance are spread over a page of 64 lines.
        const APART: usize = 7 * 64 / size_of::<u32>();
        let zeros = number * APART;
        Offsets { values: vec![0; zeros], zeros }
    }

    fn clear(&mut self) {
        self.values.truncate(self.zeros);
    }

    fn push(&mut self, offset: u32) {
        self.values.push(offset);
    }

    fn reserve(&mut self, more: usize) {
        self.values.reserve(more);
    }

    /// Removes the entries of these records, which are in order.
    fn remove(&mut self, records: &[u32]) {
        let (zeros, mut removed, mut at) = (self.zeros, records.iter().peekable(), 0);
        self.values.retain(|_| {
            at += 1;
            at <= zeros || removed.next_if(|&&record| record as usize + zeros + 1 == at).is_none()
        });
    }

    /// # Safety
    /// `len` entries have been written.
    unsafe fn set_len(&mut self, len: usize) {
        // SAFETY: the caller wrote that many entries into reserved room.
        unsafe { self.values.set_len(self.zeros + len) }
    }
}

impl Deref for Offsets {
    type Target = [u32];

    #[inline(always)]
    fn deref(&self) -> &[u32] {
        // SAFETY: the zeros are always there.
        unsafe { self.values.get_unchecked(self.zeros..) }
    }
}

impl<'a> IntoIterator for &'a Offsets {
    type Item = &'a u32;
    type IntoIter = core::slice::Iter<'a, u32>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl DerefMut for Offsets {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u32] {
        // SAFETY: as above.
        unsafe { self.values.get_unchecked_mut(self.zeros..) }
    }
}

/// The splits of many records. All arrays except `slow_rows` and `blank` have one entry per record.
#[derive(Debug, Clone)]
pub struct Splits {
    /// Where each record begins in its buffer.
    pub start: Offsets,
    /// [`Split::scheme_end`] of each record, and so on.
    pub scheme_end: Offsets,
    /// [`Split::host_start`].
    pub host_start: Offsets,
    /// [`Split::host_end`].
    pub host_end: Offsets,
    /// [`Split::path_start`].
    pub path_start: Offsets,
    /// [`Split::path_end`].
    pub path_end: Offsets,
    /// [`Split::query_end`].
    pub query_end: Offsets,
    /// [`Split::end`].
    pub end: Offsets,
    /// The reasons why each record needs the slow path.
    pub slow_path: Vec<SlowPath>,
    /// The records, by index, whose `slow_path` is not empty, in order.
    pub slow_rows: Vec<u32>,
    /// For each blank line the number of records before it, in order.
    pub blank: Vec<u32>,
}

impl Default for Splits {
    fn default() -> Self {
        Splits {
            start: Offsets::new(1),
            scheme_end: Offsets::new(2),
            host_start: Offsets::new(3),
            host_end: Offsets::new(4),
            path_start: Offsets::new(5),
            path_end: Offsets::new(6),
            query_end: Offsets::new(7),
            end: Offsets::new(8),
            slow_path: Vec::new(),
            slow_rows: Vec::new(),
            blank: Vec::new(),
        }
    }
}

impl Splits {
    /// The number of records.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there is no record.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Empties all arrays and keeps their memory.
    pub fn clear(&mut self) {
        self.for_each_array(Offsets::clear);
        self.slow_path.clear();
        self.slow_rows.clear();
        self.blank.clear();
    }

    /// The offsets of record `i`.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, i: usize) -> Split {
        Split {
            scheme_end: self.scheme_end[i],
            host_start: self.host_start[i],
            host_end: self.host_end[i],
            path_start: self.path_start[i],
            path_end: self.path_end[i],
            query_end: self.query_end[i],
            end: self.end[i],
        }
    }

    /// Sets the start of record `i` to `start` and its offsets to `split`.
    #[inline(always)]
    pub fn set(&mut self, i: usize, start: u32, split: &Split) {
        self.start[i] = start;
        self.scheme_end[i] = split.scheme_end;
        self.host_start[i] = split.host_start;
        self.host_end[i] = split.host_end;
        self.path_start[i] = split.path_start;
        self.path_end[i] = split.path_end;
        self.query_end[i] = split.query_end;
        self.end[i] = split.end;
    }

    /// Makes blank lines of these records, which are in order.
    pub fn blank(&mut self, records: &[u32]) {
        self.for_each_array(|array| array.remove(records));
        let is_among = |record: &u32| records.binary_search(record).is_ok();
        let before = |record: u32| records.partition_point(|&other| other < record) as u32;
        let mut at = 0;
        self.slow_path.retain(|_| {
            at += 1;
            !is_among(&(at - 1))
        });
        self.slow_rows.retain(|record| !is_among(record));
        self.slow_rows.iter_mut().for_each(|record| *record -= before(*record));
        self.blank.iter_mut().for_each(|record| *record -= before(*record));
        self.blank.extend(records.iter().map(|&record| record - before(record)));
        self.blank.sort_unstable();
    }

    /// Appends a record.
    #[inline]
    pub fn push(&mut self, start: u32, split: &Split, slow_path: SlowPath) {
        if !slow_path.is_none() {
            self.slow_rows.push(self.start.len() as u32);
        }
        self.start.push(start);
        self.scheme_end.push(split.scheme_end);
        self.host_start.push(split.host_start);
        self.host_end.push(split.host_end);
        self.path_start.push(split.path_start);
        self.path_end.push(split.path_end);
        self.query_end.push(split.query_end);
        self.end.push(split.end);
        self.slow_path.push(slow_path);
    }

    /// Reserves space for `more` records without changing the length.
    pub(super) fn reserve(&mut self, more: usize) {
        self.for_each_array(|array| array.reserve(more));
        self.slow_path.reserve(more);
    }

    fn for_each_array(&mut self, f: impl Fn(&mut Offsets)) {
        f(&mut self.start);
        f(&mut self.scheme_end);
        f(&mut self.host_start);
        f(&mut self.host_end);
        f(&mut self.path_start);
        f(&mut self.path_end);
        f(&mut self.query_end);
        f(&mut self.end);
    }

    /// # Safety
    /// `len` entries of each array but `slow_rows` and `blank` have been written.
    pub(super) unsafe fn set_len(&mut self, len: usize) {
        // SAFETY: the caller wrote that many entries into reserved room.
        unsafe {
            self.start.set_len(len);
            self.scheme_end.set_len(len);
            self.host_start.set_len(len);
            self.host_end.set_len(len);
            self.path_start.set_len(len);
            self.path_end.set_len(len);
            self.query_end.set_len(len);
            self.end.set_len(len);
            self.slow_path.set_len(len);
        }
    }
}

//! The loops around the kernel: over the lines of a buffer, over spans, and over one text; and the entry points that
//! compile them for an instruction set.

use alloc::vec::Vec;

use super::block::Block;
use super::kernel::{self, record};
use super::splits::{SlowPath, Span, Split, Splits};
use super::text::{Exact, Padded};
use crate::grammar::chars::KernelTable;

/// One text of any length below 4 GiB.
///
/// # Safety
/// The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn one<B: Block>(text: &[u8], table: &'static KernelTable) -> (Split, SlowPath) {
    // SAFETY: `Exact` reads within the text.
    let (split, slow_path, _) = unsafe { record::<B, _, false>(Exact(text), text.len(), table) };
    (split, slow_path)
}

/// The length of a text's first run.
///
/// # Safety
/// The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn run<B: Block>(text: &[u8], table: &'static KernelTable) -> usize {
    // SAFETY: `Exact` reads within the text.
    unsafe { kernel::run::<B, _>(Exact(text), text.len(), table) }
}

/// Space for the records of one call, and their number.
pub(super) struct Rows<'a> {
    pub(super) out: &'a mut Splits,
    /// The arrays of `out` in the order of its fields, so that no store has to look them up.
    arrays: [*mut u32; 8],
    slow_path: *mut SlowPath,
    pub(super) len: usize,
    pub(super) max_record: u32,
}

impl<'a> Rows<'a> {
    /// `inline(always)`: whether this is inlined decides where the loops around it keep these fields, and the
    /// compiler's own choice changes with code far away.
    #[inline(always)]
    pub(super) fn new(out: &'a mut Splits, more: usize, max_record: usize) -> Self {
        out.reserve(more);
        let arrays = [
            out.start.as_mut_ptr(),
            out.scheme_end.as_mut_ptr(),
            out.host_start.as_mut_ptr(),
            out.host_end.as_mut_ptr(),
            out.path_start.as_mut_ptr(),
            out.path_end.as_mut_ptr(),
            out.query_end.as_mut_ptr(),
            out.end.as_mut_ptr(),
        ];
        let (slow_path, len) = (out.slow_path.as_mut_ptr(), out.start.len());
        Rows { out, arrays, slow_path, len, max_record: max_record.min(u32::MAX as usize) as u32 }
    }

    /// # Safety
    /// Space for one more record is reserved.
    #[inline(always)]
    unsafe fn push(&mut self, start: u32, split: &Split, slow_path: SlowPath) {
        // SAFETY: the caller's promise.
        unsafe { self.put(self.len, start, split, slow_path) };
        self.len += 1;
    }

    /// Writes a record in its row, after all rows before it that need the slow path.
    ///
    /// # Safety
    /// Space for this row is reserved.
    #[inline(always)]
    pub(super) unsafe fn put(&mut self, row: usize, start: u32, split: &Split, slow_path: SlowPath) {
        let mut slow_path = slow_path;
        if split.end > self.max_record {
            slow_path.0 |= SlowPath::LONG;
        }
        let values = [
            start,
            split.scheme_end,
            split.host_start,
            split.host_end,
            split.path_start,
            split.path_end,
            split.query_end,
            split.end,
        ];
        // SAFETY: the caller reserved the room in every array.
        unsafe {
            for (array, value) in self.arrays.iter().zip(values) {
                array.add(row).write(value);
            }
            self.slow_path.add(row).write(slow_path);
        }
        if !slow_path.is_none() {
            self.out.slow_rows.push(row as u32);
        }
    }

    /// Writes the next rows, which need no slow path, without counting them. The arrays are those of [`Splits`], in
    /// their order.
    ///
    /// # Safety
    /// Space for this many rows is reserved.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) unsafe fn put_many<const N: usize>(&mut self, values: [&[u32; N]; 8]) {
        // SAFETY: the caller's promise.
        unsafe {
            for (array, values) in self.arrays.iter().zip(values) {
                array.add(self.len).cast::<[u32; N]>().write(*values);
            }
            self.slow_path.add(self.len).cast::<[SlowPath; N]>().write([SlowPath(0); N]);
        }
    }

    /// Ends the path of a record without a query so far at `place`, if that is not after the record's end.
    ///
    /// # Safety
    /// This row has been written.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) unsafe fn lower_path_end(&mut self, row: usize, place: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            let path_end = self.arrays[5].add(row);
            path_end.write(path_end.read().min(place));
        }
    }

    /// # Safety
    /// `len` records have been written.
    pub(super) unsafe fn finish(self) {
        // SAFETY: the caller wrote every entry below.
        unsafe { self.out.set_len(self.len) }
    }
}

/// The records that the kernel is not sure of, and their number.
struct Unsure<'a> {
    out: &'a mut Vec<Span>,
    needs_scheme: bool,
    len: usize,
}

/// The receiver of the kernel's verdicts on lines.
pub(super) trait Sink {
    /// The number of records so far.
    fn len(&self) -> usize;

    fn blank(&mut self);

    /// # Safety
    /// There is room for one more record.
    unsafe fn record(&mut self, start: u32, split: &Split, slow_path: SlowPath);
}

impl Sink for Rows<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn blank(&mut self) {
        self.out.blank.push(self.len as u32);
    }

    #[inline(always)]
    unsafe fn record(&mut self, start: u32, split: &Split, slow_path: SlowPath) {
        // SAFETY: the caller's promise.
        unsafe { self.push(start, split, slow_path) }
    }
}

impl Sink for Unsure<'_> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    fn blank(&mut self) {}

    #[inline(always)]
    unsafe fn record(&mut self, start: u32, split: &Split, slow_path: SlowPath) {
        if slow_path.has(SlowPath::UNSURE) | (self.needs_scheme & (split.scheme_end == 0)) {
            self.out.push(Span { start, len: split.end });
        }
        self.len += 1;
    }
}

/// Splits the newline-ended records of `buffer[from..to]`, at most `most` of them, and returns where the first record
/// not split begins.
///
/// # Safety
/// - `buffer` has `PADDING` bytes after `to`, and a newline is at `to` or right before it.
/// - The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn lines<B: Block>(
    buffer: &[u8],
    (from, to): (usize, usize),
    most: usize,
    max_record: usize,
    table: &'static KernelTable,
    out: &mut Splits,
) -> usize {
    let mut rows = Rows::new(out, most, max_record);
    // SAFETY: the caller's promises; room for `most` records was reserved.
    let at = unsafe { each_line::<B, _>(buffer, (from, to), most, table, &mut rows) };
    // SAFETY: `rows` counts what was pushed.
    unsafe { rows.finish() };
    at
}

/// Lists the newline-ended records of `buffer[from..to]` that the kernel is not sure of, and those without a scheme if
/// one is required; returns the number of records.
///
/// # Safety
/// As for [`lines`].
#[inline(always)]
pub(super) unsafe fn unsure<B: Block>(
    buffer: &[u8],
    range: (usize, usize),
    needs_scheme: bool,
    table: &'static KernelTable,
    out: &mut Vec<Span>,
) -> usize {
    let mut found = Unsure { out, needs_scheme, len: 0 };
    // SAFETY: the caller's promises; these records need no room.
    unsafe { each_line::<B, _>(buffer, range, usize::MAX, table, &mut found) };
    found.len
}

/// Classifies lines, at most `most` of them, and returns the start of the first line left.
///
/// # Safety
/// As for [`lines`]; `rows` has room for `most` records.
#[inline(always)]
pub(super) unsafe fn each_line<B: Block, S: Sink>(
    buffer: &[u8],
    (from, to): (usize, usize),
    most: usize,
    table: &'static KernelTable,
    rows: &mut S,
) -> usize {
    let full = rows.len().saturating_add(most);
    let mut at = from;
    // A carriage return without a newline after it is a byte of the last record. The padding's newline does not count:
    // such a record is split by its length.
    let by_newline = if buffer[from..to].ends_with(b"\r") {
        from + buffer[from..to].iter().rposition(|&b| b == b'\n').map_or(0, |newline| newline + 1)
    } else {
        to
    };
    while at < by_newline && rows.len() < full {
        // SAFETY: there is a newline at or before `to`, and the padding after it is readable.
        let (split, slow_path, next) =
            unsafe { record::<B, _, true>(Padded(buffer.as_ptr().add(at)), 0, table) };
        if split.end == 0 {
            rows.blank();
        } else {
            // SAFETY: there is room for `most` records.
            unsafe { rows.record(at as u32, &split, slow_path) };
        }
        at += next;
    }
    if at == by_newline && at < to && rows.len() < full {
        // SAFETY: the record ends at `to`, the padding after it is readable, and there is space for one more record.
        unsafe {
            let text = Padded(buffer.as_ptr().add(at));
            let (split, slow_path, _) = record::<B, _, false>(text, to - at, table);
            rows.record(at as u32, &split, slow_path);
        }
        at = to;
    }
    at
}

/// Splits the records that lie at `spans` of `buffer`.
///
/// # Safety
/// - Each span is followed by `PADDING` readable bytes of `buffer`.
/// - The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn spans<B: Block>(
    buffer: &[u8],
    spans: &[Span],
    max_record: usize,
    table: &'static KernelTable,
    out: &mut Splits,
) {
    let mut rows = Rows::new(out, spans.len(), max_record);
    // SAFETY: the caller's promises; room was reserved.
    unsafe { each_span::<B>(buffer.as_ptr(), spans, table, &mut rows) };
    // SAFETY: `rows` counts what was pushed.
    unsafe { rows.finish() };
}

/// Classifies the records that lie at `spans` of `buffer`.
///
/// # Safety
/// As for [`spans`]; `rows` has room for them.
#[inline(always)]
pub(super) unsafe fn each_span<B: Block>(
    buffer: *const u8,
    spans: &[Span],
    table: &'static KernelTable,
    rows: &mut Rows<'_>,
) {
    for span in spans {
        // SAFETY: the caller vouches for the span and the padding after it, and for the room.
        unsafe {
            let text = Padded(buffer.add(span.start as usize));
            let (split, slow_path, _) = record::<B, _, false>(text, span.len as usize, table);
            rows.push(span.start, &split, slow_path);
        }
    }
}

/// The entry points of one instruction set: the kernel above, compiled for its features.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! entry_points {
    ($block:ty, $loops:ident, $features:literal) => {
        /// See [`records::one`].
        #[target_feature(enable = $features)]
        pub(super) unsafe fn one(
            text: &[u8],
            table: &'static KernelTable,
        ) -> (super::Split, super::SlowPath) {
            // SAFETY: the caller vouches for the instruction set.
            unsafe { records::one::<$block>(text, table) }
        }

        /// See [`records::run`].
        #[target_feature(enable = $features)]
        pub(super) unsafe fn run(text: &[u8], table: &'static KernelTable) -> usize {
            // SAFETY: the caller vouches for the instruction set.
            unsafe { records::run::<$block>(text, table) }
        }

        /// See [`records::lines`].
        #[target_feature(enable = $features)]
        pub(super) unsafe fn lines(
            buffer: &[u8],
            range: (usize, usize),
            most: usize,
            max_record: usize,
            table: &'static KernelTable,
            out: &mut super::Splits,
        ) -> usize {
            // SAFETY: the caller's promises are the kernel's.
            unsafe { $loops::lines::<$block>(buffer, range, most, max_record, table, out) }
        }

        /// See [`records::spans`].
        #[target_feature(enable = $features)]
        pub(super) unsafe fn spans(
            buffer: &[u8],
            at: &[super::Span],
            max_record: usize,
            table: &'static KernelTable,
            out: &mut super::Splits,
        ) {
            // SAFETY: the caller's promises are the kernel's.
            unsafe { $loops::spans::<$block>(buffer, at, max_record, table, out) }
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) use entry_points;

//! Where whole records end in a buffer, and where a record begins in its line.

use urimill_columns::batch::Records;

/// The bytes after a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behind {
    /// More of the source, perhaps.
    More,
    /// The end of the source.
    End,
    /// More than the longest record away.
    TooFar,
}

/// Whole records at the beginning of a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// The offset after the last record.
    pub end: usize,
    /// Their number, blank lines and a header included.
    pub records: u64,
}

/// The start of the record in the line from `start` to `end`, and its first byte that is not a space. NUL bytes at the
/// beginning are not part of it: a log that was truncated in place has them if its writer kept its old offset.
#[inline]
pub fn log_line(bytes: &[u8], (start, end): (usize, usize), records: &mut Records) -> (usize, usize) {
    let is_plain = bytes.get(start).is_some_and(|&b| b > b' ');
    if is_plain { (start, start) } else { padded_line(bytes, (start, end), records) }
}

#[cold]
fn padded_line(bytes: &[u8], (start, end): (usize, usize), records: &mut Records) -> (usize, usize) {
    let nuls = bytes[start..end].iter().take_while(|&&b| b == 0).count();
    records.pass_nul_bytes(nuls);
    let spaces = bytes[start + nuls..end].iter().take_while(|&&b| b == b' ').count();
    (start + nuls, start + nuls + spaces)
}

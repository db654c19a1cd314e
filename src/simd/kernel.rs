//! The classification of records, written once over [`Block`].
//!
//! For each record, from the masks of the 64 bytes at its start:
//!
//! 1. The first newline ends it (or its length is known). All masks are cut there.
//! 2. `http://` and `https://` are told by one comparison of eight bytes, `//` by the slashes. The
//!    first of `/ ? #` behind them ends the authority; the first `#`, and the first `?` before it,
//!    end path and query. Positions come from counting zeros below a bit; nothing loops over bytes.
//! 3. A component is valid where no byte in its range is out of its class. Behind each `%` two
//!    hexadecimal digits must stand.
//! 4. An authority that is a plain lower-case DNS name is accepted here. Every other one, every
//!    other scheme and all that fails is marked for the careful parser.
//! 5. A longer record goes on block by block with four facts carried: whether `?` and `#` have been
//!    seen, whether the last byte was a slash, and which triplet is open.
//!
//! The branches that remain are the ones data rarely takes both ways, but for "longer than 64
//! bytes": everything else is arithmetic on masks.

use super::block::{Block, Masks};
use super::splits::{Care, Split};
use super::text::Text;
use crate::grammar::chars::KernelTable;

const HTTPS: u64 = u64::from_ne_bytes(*b"https://");
const HTTP: u64 = u64::from_ne_bytes(*b"http://\0");
const HTTP_BYTES: u64 = u64::from_ne_bytes([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0]);

/// The lowest bit set, alone; none for none.
#[inline(always)]
fn lowest(mask: u64) -> u64 {
    mask & mask.wrapping_neg()
}

/// All bits below a mask's only bit; all bits for none.
#[inline(always)]
fn below(bit: u64) -> u64 {
    bit.wrapping_sub(1)
}

/// The end of a record as one block sees it.
#[derive(Clone, Copy)]
struct End {
    /// The bit of the first byte behind the record; none where it goes on behind this block.
    bit: u64,
    /// The record's length, if it ends here.
    len: usize,
    /// How far behind the record's start the next one begins, if it ends here.
    next: usize,
}

/// Finds the end of a record in the block at `base`: the newline (a carriage return before it is
/// left out too) or the known length.
///
/// # Safety
/// As for [`record`].
#[inline(always)]
unsafe fn end<T: Text, const LINES: bool>(text: T, masks: &Masks, base: usize, known: usize) -> End {
    if LINES {
        let newline = lowest(masks.newline);
        let at = base + newline.trailing_zeros() as usize;
        if newline == 0 {
            return End { bit: 0, len: 0, next: 0 };
        }
        // SAFETY: `at` is the record's newline; the byte before it, or itself where there is none, is readable.
        let cut = (unsafe { text.byte(at - usize::from(at != 0)) } == b'\r') as usize;
        // A carriage return in the block before this one was taken for an invalid byte there: such a
        // record goes to the careful parser, which is told the right length.
        let bit = if newline == 1 { 1 } else { newline >> cut };
        End { bit, len: at - cut, next: at + 1 }
    } else {
        let left = known - base;
        let bit = if left < 64 { 1 << left } else { 0 };
        End { bit, len: known, next: known }
    }
}

/// A record's head: where the authority stands, and what about it needs a second look.
#[derive(Clone, Copy)]
struct Head {
    scheme_end: u32,
    host_start: u32,
    path_start: u32,
    /// The bits of the block from the path on.
    tail: u64,
    /// Not zero where the head is not of the common shape.
    odd: u64,
    /// The other bits of a record's care that the head decides.
    care: u8,
}

/// `http://` and `https://` with a plain DNS name: labels of letters, digits and hyphens, with neither
/// dot nor hyphen at an edge, the last one not a number, and none that may be punycode.
///
/// # Safety
/// As for [`record`].
#[inline(always)]
unsafe fn authority<T: Text>(text: T, m: &Masks, end: u64, scheme_end: u32, host_start: u32) -> Head {
    let inside = below(end);
    let from_host = u64::MAX << host_start;
    let slash = m.slash & inside;
    let stop = lowest(((slash | (m.question | m.hash) & inside) & from_host) | end);
    let host = from_host & below(stop);
    let dots = m.dot & host;
    let hyphens = m.dash & host;
    let edges = (dots << 1) | (dots >> 1) | (1 << host_start) | (stop >> 1);
    let before_last_label = dots | (1 << (host_start - 1));
    // SAFETY: the position is within the record, or its end where a dot ends it.
    let last_label = unsafe { text.byte(64 - before_last_label.leading_zeros() as usize) };
    let odd = (!m.host & host)
        | (edges & (dots | hyphens))
        | (hyphens & (hyphens >> 1))
        | u64::from(host == 0)
        | u64::from(last_label.is_ascii_digit());
    // A path behind an authority begins with the slash that ended it, or is empty.
    let empty_path = stop & !slash != 0;
    Head {
        scheme_end,
        host_start,
        path_start: stop.trailing_zeros(),
        tail: inside & !below(stop),
        odd,
        care: if empty_path { Care::EMPTY_PATH } else { 0 } | if stop == 0 { Care::FAR } else { 0 },
    }
}

/// Everything that does not begin with `http://` or `https://`: references with an authority, those
/// without, and other schemes, which are left to the careful parser.
///
/// # Safety
/// As for [`record`].
#[inline(always)]
unsafe fn other_head<T: Text>(text: T, m: &Masks, end: u64) -> Head {
    let inside = below(end);
    if m.slash & inside & 3 == 3 {
        // SAFETY: the caller's promise.
        return unsafe { authority(text, m, end, 0, 2) };
    }
    let first = lowest((m.colon | m.slash | m.question | m.hash) & inside);
    let other_scheme = first & m.colon;
    let far = (first | end) == 0;
    let care = if other_scheme != 0 { Care::SCHEME } else { 0 } | if far { Care::FAR } else { 0 };
    Head { scheme_end: 0, host_start: 0, path_start: 0, tail: inside, odd: 0, care }
}

/// Splits one record; answers also where the next one begins, relative to this one.
///
/// # Safety
/// - `text` is readable as its type promises: with `LINES`, a newline ends it; without, it is
///   `known` bytes long.
/// - The block's instruction set is there.
#[inline(always)]
pub(super) unsafe fn record<B: Block, T: Text, const LINES: bool>(
    text: T,
    known: usize,
    table: &KernelTable,
) -> (Split, Care, usize) {
    // SAFETY: the text's first block is readable by the caller's promise.
    let (m, prefix) = unsafe { (text.block::<B>(0).masks(table), text.prefix()) };
    // SAFETY: as above.
    let mut last = unsafe { end::<T, LINES>(text, &m, 0, known) };
    let inside = below(last.bit);

    let is_https = prefix == HTTPS;
    let is_http = prefix & HTTP_BYTES == HTTP;
    // With a known length the prefix may lie behind the end.
    let is_within = LINES || inside >> (6 + u32::from(is_https)) & 1 != 0;
    // SAFETY: the caller's promise.
    let head = unsafe {
        if (is_http | is_https) & is_within {
            let s = u32::from(is_https);
            authority(text, &m, last.bit, 4 + s, 7 + s)
        } else {
            other_head(text, &m, last.bit)
        }
    };

    // Path, query, fragment.
    let tail = head.tail;
    let hash = lowest(m.hash & tail);
    let question = lowest(m.question & tail & below(hash));
    let stop = lowest(question | hash);
    let mut percent = m.percent & tail;
    let must_be_hex = (percent << 1) | (percent << 2);
    let mut bad = (!(m.text | hash) & tail) | (must_be_hex & !(m.hex & inside));
    let mut dotted = (m.slash << 1) & m.dot & tail & below(stop);
    let mut path_end = (stop | last.bit).trailing_zeros();
    let mut query_end = (hash | last.bit).trailing_zeros();

    if last.bit == 0 {
        // More than one block: the same for the rest, which is path, query and fragment alone.
        let mut base = 64;
        let mut open = percent;
        let mut slash = m.slash >> 63;
        // All bits while neither delimiter has been seen, and while no hash has; none behind them.
        let mut in_path = if stop == 0 { u64::MAX } else { 0 };
        let mut before_hash = if hash == 0 { u64::MAX } else { 0 };
        loop {
            // SAFETY: the record has not ended before `base`.
            let m = unsafe { text.block::<B>(base).masks(table) };
            // SAFETY: as above.
            last = unsafe { end::<T, LINES>(text, &m, base, known) };
            let inside = below(last.bit);
            let hash = lowest(m.hash & inside & before_hash);
            let question = m.question & inside & below(hash) & in_path;
            let stop = lowest(question | hash) & in_path;
            let here = m.percent & inside;
            let must_be_hex = (here << 1) | (here << 2) | ((open >> 63) * 3) | ((open >> 62) & 1);
            bad |= (!(m.text | hash) & inside) | (must_be_hex & !(m.hex & inside));
            dotted |= ((m.slash << 1) | slash) & m.dot & inside & below(stop) & in_path;
            percent |= here;
            if stop != 0 {
                path_end = base as u32 + stop.trailing_zeros();
                in_path = 0;
            }
            if hash != 0 {
                query_end = base as u32 + hash.trailing_zeros();
                before_hash = 0;
            }
            if last.bit != 0 {
                break;
            }
            open = here;
            slash = m.slash >> 63;
            base += 64;
        }
        query_end = if before_hash == 0 { query_end } else { last.len as u32 };
        path_end = if in_path == 0 { path_end } else { query_end };
    }

    let split = Split {
        scheme_end: head.scheme_end,
        host_start: head.host_start,
        host_end: head.path_start,
        path_start: head.path_start,
        path_end,
        query_end,
        end: last.len as u32,
    };
    let mut care = Care(head.care);
    if head.odd | bad | percent | dotted != 0 {
        let bit = |mask: u64, bit: u8| if mask != 0 { bit } else { 0 };
        care.0 |= bit(head.odd, Care::AUTHORITY)
            | bit(bad, Care::INVALID)
            | bit(percent, Care::PERCENT)
            | bit(dotted, Care::DOTS);
    }
    (split, care, last.next)
}

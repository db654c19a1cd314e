//! Where a gzip member ends, found without decompressing the rest of it.
//!
//! A member ends with its decompressed length modulo 2³² (RFC 1952 2.3.1), and then another member or the end of the
//! file follows. Who knows that length from elsewhere, as the header of a record in a web archive says it, finds the
//! end by these eight bytes:
//!
//! ```text
//! stored   | 1f 8b 08 … | … compressed … | CRC-32 | length | 1f 8b 08 …
//!                         ^ here                    ^^^^^^^^^^^^^^^^^ both are known
//! ```
//!
//! By chance that is found once in 2⁵⁶ bytes. A hostile payload may hold it on purpose: compressed data that cannot be
//! compressed again stand in the member as they are. So it is only for archives of a known origin.

use memchr::memmem::Finder;

use super::stored::StoredBytes;

/// How a member begins: two bytes, and the only method there is. Three bits of the flags after them are zero.
const MAGIC: &[u8] = b"\x1f\x8b\x08";
const RESERVED: u8 = 0b1110_0000;

/// CRC-32 and length.
const TRAILER: usize = 8;

/// Fewer bytes are decompressed about as fast as their end is found.
const LEAST: u64 = 1 << 10;

/// How many stored bytes are looked at first, and at most.
const FIRST: usize = 64 << 10;
const MOST: usize = 8 << 20;

/// How much longer the compressed bytes may be than the decompressed ones: blocks that are stored as they are have
/// five bytes more each (RFC 1951 3.2.4), and there is the trailer.
const SLACK: u64 = 1 << 10;

/// How many stored bytes there are up to the end of the member of which `written` bytes were decompressed and `left`
/// are not. `None` where its end is farther than 8 MiB away, or another one than that.
pub(super) fn find(stored: &mut StoredBytes, written: u64, left: u64) -> Option<usize> {
    if left < LEAST {
        return None;
    }
    let longest = left.saturating_add(left / 64).saturating_add(SLACK);
    let most = usize::try_from(longest).unwrap_or(MOST).min(MOST);
    let length = (written.wrapping_add(left) as u32).to_le_bytes();
    let finder = Finder::new(MAGIC);
    let (mut searched, mut wanted) = (0, most.min(FIRST));
    loop {
        let seen = stored.look_ahead(wanted);
        let is_end = |at: usize| at >= TRAILER && seen[..at].ends_with(&length);
        let begins = |at: usize| seen.get(at + MAGIC.len()).is_some_and(|flags| flags & RESERVED == 0);
        let mut members = finder.find_iter(&seen[searched..]).map(|at| searched + at);
        if let Some(end) = members.find(|&at| is_end(at) && begins(at)) {
            return Some(end);
        }
        let (count, is_last) = (seen.len(), is_end(seen.len()));
        if count < wanted {
            return (is_last && stored.has_ended()).then_some(count);
        }
        if wanted == most {
            return None;
        }
        // A part of what is looked for.
        searched = count - MAGIC.len();
        wanted = most.min(2 * wanted);
    }
}

//! A text that comes in pieces: from a reader through one buffer to the finder.
//!
//! ```text
//! buffer   | look-behind | not decided yet | just read |
//!          0             at                          filled
//! ```
//!
//! Lines play no role, because `<…>` may hold line breaks and a text of gigabytes may hold none.

use super::{Finder, Found, Options};
use alloc::vec::Vec;

/// How many bytes before a hit can affect the decision: a scheme, `URL:`, and white space after a `<`.
pub const LOOK_BEHIND: usize = 256;

/// Calls `then` with every URI in the text that `read` supplies, in order, for any sizes of the pieces. The first
/// argument is the offset in the whole text of the piece that [`Found::offset`] counts in.
///
/// `read` fills a buffer with the next bytes and returns their number; 0 is the end. `window` is how much is read
/// before it is searched. Memory: the window and twice [`LONGEST`](super::LONGEST) at most.
///
/// ```
/// use std::io::Read;
/// use urimill_uri::extract::{Options, each_found};
///
/// let mut text: &[u8] = b"A broken <http://example.com/\n  path> and http://example.com/.";
/// let mut found = Vec::new();
/// let read = |buffer: &mut [u8]| text.read(buffer);
/// each_found(read, 8, &Options::default(), |at, uri| {
///     found.push((at + uri.offset as u64, uri.uri.to_string()));
///     Ok(())
/// })?;
/// let expected = [(10, "http://example.com/path"), (42, "http://example.com/")];
/// assert_eq!(found, expected.map(|(at, uri)| (at, uri.to_owned())));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// The first of `read` or `then`; the text itself is never an error.
pub fn each_found<E>(
    mut read: impl FnMut(&mut [u8]) -> Result<usize, E>,
    window: usize,
    options: &Options,
    mut then: impl FnMut(u64, &Found<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let mut buffer = Vec::new();
    let (mut base, mut filled, mut at, mut floor) = (0, 0, 0, 0);
    loop {
        // Read at least as much again as is undecided, so that a long URI is not examined too often.
        let target = filled + window.max(filled - at).max(1);
        if buffer.len() < target {
            buffer.resize(target, 0);
        }
        let mut ended = false;
        while filled < target && !ended {
            let more = read(&mut buffer[filled..target])?;
            filled += more;
            ended = more == 0;
        }
        let mut finder = Finder::resume(&buffer[..filled], (at, floor), ended, options);
        for found in finder.by_ref() {
            then(base, &found)?;
        }
        if ended {
            return Ok(());
        }
        (at, floor) = finder.reached();
        let passed = at.saturating_sub(LOOK_BEHIND);
        buffer.copy_within(passed..filled, 0);
        base += passed as u64;
        filled -= passed;
        at -= passed;
        floor = floor.saturating_sub(passed);
    }
}

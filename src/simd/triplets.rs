//! What the triplets of a text (RFC 3986, 2.1) stand for, all at once. The portable way; `dispatch` has the door to it
//! and to the others.

use memchr::memchr;

use crate::grammar::chars::{HEX_VALUES, NO_DIGIT};

/// What triplets are, by the octet that they stand for: a set of bits for each ASCII character. Other octets have none.
pub type TripletKinds = [u8; 128];

/// The kinds of all triplets of a text, and whether a digit is a letter in lower case. A `%` without two digits
/// is none.
pub(super) fn portable(text: &[u8], kinds: &TripletKinds) -> (u8, bool) {
    let (mut found, mut has_lower) = (0, false);
    let mut rest = text;
    while let Some(at) = memchr(b'%', rest) {
        rest = &rest[at..];
        // Triplets come in runs: a character outside ASCII is two of them at least.
        while let [b'%', high, low, behind @ ..] = rest {
            let (first, second) = (HEX_VALUES[usize::from(*high)], HEX_VALUES[usize::from(*low)]);
            if first | second == NO_DIGIT {
                break;
            }
            found |= kinds.get(usize::from(first << 4 | second)).unwrap_or(&0);
            has_lower |= high.is_ascii_lowercase() | low.is_ascii_lowercase();
            rest = behind;
        }
        rest = rest.strip_prefix(b"%").unwrap_or(rest);
    }
    (found, has_lower)
}

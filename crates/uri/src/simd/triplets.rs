//! The octets that the triplets of a text (RFC 3986, 2.1) encode, for all triplets at once. The portable
//! implementation; `dispatch` has the entry point for all of them.

use memchr::memchr;

use crate::grammar::chars::{HEX_VALUES, NO_DIGIT};

/// The kinds of triplets, by the encoded octet: a set of bits for each ASCII character. Other octets have none.
pub type TripletKinds = [u8; 128];

/// A summary of the triplets of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TripletSurvey {
    /// The union of their kinds.
    pub kinds: u8,
    /// Whether a digit is a letter in lower case.
    pub has_lower: bool,
    /// Whether two adjacent ones begin an over-long form of UTF-8: a character in more octets than it needs (RFC 3629
    /// section 3), including those of five and six octets.
    pub has_overlong: bool,
}

/// By the first octet of a UTF-8 form: how many of the octets from 0x80 up make it over-long as the second octet.
const OVERLONG: [u8; 256] = {
    let mut below = [0; 256];
    below[0xc0] = 0x40;
    below[0xc1] = 0x40;
    below[0xe0] = 0x20;
    below[0xf0] = 0x10;
    below[0xf8] = 0x08;
    below[0xfc] = 0x04;
    below
};

/// Examines all triplets of a text. A `%` without two digits is not a triplet.
pub(super) fn portable(text: &[u8], kinds: &TripletKinds) -> TripletSurvey {
    let mut found = TripletSurvey::default();
    let mut rest = text;
    while let Some(at) = memchr(b'%', rest) {
        rest = &rest[at..];
        let mut before = 0;
        // Triplets come in runs: a character outside ASCII has at least two of them.
        while let [b'%', high, low, behind @ ..] = rest {
            let (first, second) = (HEX_VALUES[usize::from(*high)], HEX_VALUES[usize::from(*low)]);
            if first | second == NO_DIGIT {
                break;
            }
            let octet = first << 4 | second;
            found.kinds |= kinds.get(usize::from(octet)).unwrap_or(&0);
            found.has_lower |= high.is_ascii_lowercase() | low.is_ascii_lowercase();
            found.has_overlong |= octet.wrapping_sub(0x80) < OVERLONG[before];
            before = usize::from(octet);
            rest = behind;
        }
        rest = rest.strip_prefix(b"%").unwrap_or(rest);
    }
    found
}

//! Triplets (RFC 3986 sections 2.1, 6.2.2.1, 6.2.2.2): their digits become upper case, and those of unreserved
//! characters are decoded.

use alloc::vec::Vec;
use memchr::memchr;

use super::{Changes, Level, case};
use crate::grammar::chars::{self, Class, HEX_VALUES, is};
use crate::grammar::{Spec, rfc2396};
use crate::simd::{Places, TripletKinds, survey_triplets};

/// The kinds of triplets in a text: a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Triplets(u8);

impl Triplets {
    /// A digit in lower case.
    pub const LOWER_HEX: u8 = 1 << 0;
    /// A triplet of an unreserved character (RFC 3986, 2.3).
    pub const UNRESERVED: u8 = 1 << 1;
    /// `%00`
    pub const NUL: u8 = 1 << 2;
    /// A triplet of a gen-delim, CR or LF.
    pub const DELIMITER: u8 = 1 << 3;
    /// A triplet of a character that RFC 2396 (2.3) counts as unreserved and RFC 3986 does not.
    pub const MARK: u8 = 1 << 4;
    /// `%5C`
    pub const BACKSLASH: u8 = 1 << 5;
    /// `%25`
    pub const PERCENT: u8 = 1 << 6;
    /// Two or more triplets that begin an over-long form of UTF-8.
    pub const OVERLONG: u8 = 1 << 7;

    /// Whether there is a triplet of one of these kinds.
    #[inline]
    #[must_use]
    pub fn has(self, bits: u8) -> bool {
        self.0 & bits != 0
    }

    /// Whether one encodes an unreserved character of the specification.
    #[inline]
    #[must_use]
    pub fn has_unreserved(self, spec: Spec) -> bool {
        self.has(match spec {
            Spec::Rfc3986 | Spec::Rfc3986Errata => Self::UNRESERVED,
            Spec::Rfc2396 => Self::UNRESERVED | Self::MARK,
        })
    }
}

/// The bits of [`Triplets`] by the encoded byte.
static KINDS: TripletKinds = {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        if is(b, chars::UNRESERVED) {
            table[byte] |= Triplets::UNRESERVED;
        } else if is(b, rfc2396::UNRESERVED) {
            table[byte] |= Triplets::MARK;
        }
        if b == 0 {
            table[byte] |= Triplets::NUL;
        }
        if is(b, chars::GEN_DELIMS) || b == b'\r' || b == b'\n' {
            table[byte] |= Triplets::DELIMITER;
        }
        if b == b'\\' {
            table[byte] |= Triplets::BACKSLASH;
        }
        if b == b'%' {
            table[byte] |= Triplets::PERCENT;
        }
        byte += 1;
    }
    table
};

/// Examines every triplet of a text.
#[must_use]
pub fn survey(text: &[u8]) -> Triplets {
    let found = survey_triplets(text, &KINDS, None);
    let bit = |set: bool, bit: u8| if set { bit } else { 0 };
    Triplets(
        found.kinds | bit(found.has_lower, Triplets::LOWER_HEX) | bit(found.has_overlong, Triplets::OVERLONG),
    )
}

/// Whether a hexadecimal digit is a letter in lower case.
#[inline(always)]
fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase()
}

/// The triplet with these digits in upper case.
#[inline(always)]
fn upper(high: u8, low: u8) -> [u8; 3] {
    [b'%', high.to_ascii_uppercase(), low.to_ascii_uppercase()]
}

/// Writes texts with their triplets in normal form.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writer {
    /// The characters whose triplets are decoded; no class if none are.
    decode: Class,
    /// Whether there are triplets that are not in normal form.
    has_work: bool,
}

impl Writer {
    /// For texts whose triplets are `triplets`, or some of them.
    pub(super) fn new(level: Level, spec: Spec, triplets: Triplets) -> Self {
        let decode = if level >= Level::Percent { spec.unreserved() } else { 0 };
        let wanted = if decode == 0 { 0 } else { Triplets::UNRESERVED | Triplets::MARK };
        Writer { decode, has_work: triplets.has(Triplets::LOWER_HEX | wanted) }
    }

    /// Appends a valid text; returns whether dots have been decoded.
    pub(super) fn text(&self, text: &[u8], out: &mut Vec<u8>, done: &mut Changes) -> bool {
        if !self.has_work {
            out.extend_from_slice(text);
            return false;
        }
        let (mut rest, mut has_dots) = (text, false);
        while let Some(at) = memchr(b'%', rest) {
            out.extend_from_slice(&rest[..at]);
            rest = &rest[at..];
            // Most triplets come in runs.
            while let [b'%', high, low, behind @ ..] = rest {
                has_dots |= self.triplet(*high, *low, out, done);
                rest = behind;
            }
            // A valid text has no broken triplet, which would be found here again and again.
            if rest.first() == Some(&b'%') {
                break;
            }
        }
        out.extend_from_slice(rest);
        has_dots
    }

    /// Whether texts change at all.
    pub(super) fn has_work(&self) -> bool {
        self.has_work
    }

    /// Brings the triplets of a valid reference from `from` on, where its path begins, into normal form in `copy`, a
    /// copy of it, and moves the ends of its path and its query. Returns the remaining length of the copy, and whether
    /// dots of the path have been decoded.
    pub(super) fn in_copy(
        &self,
        text: &[u8],
        (copy, from): (&mut [u8], usize),
        ends: [&mut u32; 2],
        done: &mut Changes,
    ) -> (usize, bool) {
        let [path_end, query_end] = ends.each_ref().map(|end| **end as usize);
        let (mut read, mut written, mut has_dots) = (from, from, false);
        // The copy is not read: a load that is wider than the stores before it waits for them.
        for at in Places::of(b'%', text, (from, text.len())) {
            // A valid text has no broken triplet.
            let [_, high, low, ..] = text[at..] else { break };
            let plain = &text[read..at];
            if written < read && !plain.is_empty() {
                copy[written..][..plain.len()].copy_from_slice(plain);
            }
            written += plain.len();
            if let Some(value) = self.decoded(high, low, done) {
                copy[written] = value;
                has_dots |= value == b'.' && at < path_end;
                *ends[0] -= if at < path_end { 2 } else { 0 };
                *ends[1] -= if at < query_end { 2 } else { 0 };
                written += 1;
            } else {
                copy[written..][..3].copy_from_slice(&upper(high, low));
                written += 3;
            }
            read = at + 3;
        }
        let rest = &text[read..];
        if written < read {
            copy[written..][..rest.len()].copy_from_slice(rest);
        }
        (written + rest.len(), has_dots)
    }

    /// Appends a valid host in lower case, decoded letters included, except for the digits of triplets.
    pub(super) fn host(&self, host: &[u8], out: &mut Vec<u8>, done: &mut Changes) {
        let from = out.len();
        self.text(host, out, done);
        done.case |= case::lower_host(&mut out[from..]);
    }

    /// The bytes that replace a triplet with these digits; `None` if it stays, in upper case.
    #[inline(always)]
    fn decoded(&self, high: u8, low: u8, done: &mut Changes) -> Option<u8> {
        let value = HEX_VALUES[usize::from(high)] << 4 | HEX_VALUES[usize::from(low)];
        if is(value, self.decode) {
            done.percent = true;
            return Some(value);
        }
        done.case |= is_lower(high) | is_lower(low);
        None
    }

    /// Appends one triplet; returns whether it has become a dot.
    fn triplet(&self, high: u8, low: u8, out: &mut Vec<u8>, done: &mut Changes) -> bool {
        match self.decoded(high, low, done) {
            Some(value) => out.push(value),
            None => out.extend_from_slice(&upper(high, low)),
        }
        out.last() == Some(&b'.')
    }
}

//! The limit on amplification: a few bytes of a document may expand to many, by texts that it declares once and uses often,
//! and by a base that each of its references has. The limit depends on the bytes that were read, as in the parser expat.

/// At most this many bytes are made for each byte that was read.
const FACTOR: u64 = 100;

/// This many bytes may be made of any document.
const FREE: u64 = 8 << 20;

/// Whether more bytes were made than the bytes that were read allow.
pub(crate) fn is_too_much(made: u64, read: u64) -> bool {
    made > FREE && made > read.saturating_mul(FACTOR)
}

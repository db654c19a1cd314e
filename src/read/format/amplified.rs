//! What few bytes of a document stand for: texts that it names once and uses often, and bases that each of its references
//! has. All of it together is bound to what was read, as the parser expat binds it.

/// So many bytes may be made for each that was read.
const FACTOR: u64 = 100;

/// So many may be made of any document.
const FREE: u64 = 8 << 20;

/// Whether more was made of what was read than may be.
pub(in crate::read) fn is_too_much(made: u64, read: u64) -> bool {
    made > FREE && made > read.saturating_mul(FACTOR)
}

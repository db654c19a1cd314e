//! The type of the character tables.

/// A set of character classes: one bit a class. RFC 3986 has the lower sixteen, RFC 2396 the upper ones.
pub type Class = u32;

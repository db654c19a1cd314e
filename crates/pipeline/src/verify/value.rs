//! A value of a row that was read back, whatever the format of the file.

use std::borrow::Cow;

/// A value as text, numbers in decimal digits; `None` for a null.
pub type Value<'a> = Option<Cow<'a, [u8]>>;

//! The ladder (skeleton).
use crate::uri::UriRef;
use std::borrow::Cow;
/// A rung of RFC 3986 section 6; each includes those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
#[allow(missing_docs)]
pub enum Level {
    None,
    Case,
    Percent,
    Syntax,
    #[default]
    Scheme,
}
/// The normal form at `level`; borrowed where the reference already is in it.
pub fn normalize<'a>(uri: &UriRef<'a>, _level: Level) -> Cow<'a, str> {
    Cow::Borrowed(uri.as_str())
}

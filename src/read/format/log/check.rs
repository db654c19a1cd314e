//! Whether a text is a value of its field, as far as its form tells: what proves that a line is of a format, and that
//! its fields stand where they belong. Whether a time is one of the calendar the column decides.

use super::shape::Check;
use crate::batch::is_address;
pub(super) use crate::read::format::host::endpoint;
use crate::read::format::request;

/// `-` is a value of every field: none.
pub(super) fn is_value(text: &[u8], check: Check) -> bool {
    text == b"-"
        || match check {
            Check::None => true,
            Check::Number => is_number(text),
            Check::Time => is_time(text),
            Check::Address => is_address(text),
            Check::Endpoint => endpoint(text).is_some(),
            // What a client sends may be anything.
            Check::Request => true,
            Check::Cache => text.iter().all(|b| b.is_ascii_uppercase() || *b == b'_') && text.len() > 2,
            Check::Method => request::is_token(text),
        }
}

/// Whether a value proves that its field stands where it belongs: its form is not that of its neighbours.
pub(super) fn proves(text: &[u8], check: Check) -> bool {
    match check {
        Check::None | Check::Number | Check::Method | Check::Cache => false,
        Check::Time | Check::Address | Check::Endpoint => text != b"-",
        Check::Request => request::parts(text, 0, text.len()).is_some_and(|parts| parts.protocol.is_some()),
    }
}

/// A decimal number, perhaps with a sign or a unit.
pub(super) fn is_number(text: &[u8]) -> bool {
    // Nearly all are digits alone.
    if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        return true;
    }
    let digits = match text {
        [b'-' | b'+', digits @ ..] => digits,
        digits => digits,
    };
    let digits = digits.strip_suffix(b"ms").or_else(|| digits.strip_suffix(b"s")).unwrap_or(digits);
    digits.first().is_some_and(u8::is_ascii_digit) && digits.iter().all(|&b| b.is_ascii_digit() || b == b'.')
}

/// What begins as one of the forms of a moment does ([`crate::batch::TimeForm::Any`]).
pub(super) fn is_time(text: &[u8]) -> bool {
    let is = |at: usize, byte: u8| text.get(at) == Some(&byte);
    let is_day = is(4, b'-') && is(7, b'-');
    let is_clf = is(2, b'/') && is(6, b'/') && is(11, b':');
    let is_ctime = is(3, b' ') && is(7, b' ') && is(13, b':') && text.len() == 24;
    let is_epoch = || text.len() >= 9 && text.iter().all(|&b| b.is_ascii_digit() || b == b'.');
    is_day || is_clf || is_ctime || is_epoch()
}

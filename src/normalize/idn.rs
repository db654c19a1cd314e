//! Internationalized hosts in ASCII: what repair makes of names that were typed.

use std::borrow::Cow;

use crate::domain::to_ascii;
use crate::grammar::chars::{self, is};

/// A host outside ASCII by IDNA (UTS 46, as browsers do). Browsers let a few characters pass that no
/// `reg-name` holds, such as quotes, and some hosts leave nothing: `None` then.
pub(super) fn ascii_host(host: &[u8]) -> Option<Cow<'_, str>> {
    if host.is_ascii() {
        return None;
    }
    let ascii = to_ascii(host)?;
    (!ascii.is_empty() && ascii.bytes().all(|b| is(b, chars::REG_NAME))).then_some(ascii)
}

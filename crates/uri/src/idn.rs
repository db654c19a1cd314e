//! Internationalized names: IDNA by UTS 46, as browsers apply it. Repair, domains and flags all use this module.

use alloc::borrow::Cow;

use crate::grammar::chars::{self, is};

/// A host after IDNA (UTS 46, as in browsers): ASCII in lower case, labels outside ASCII as `xn--…`. `None` if a label
/// cannot be encoded, or the host has characters that no label holds: white space, controls, delimiters of URIs.
pub(crate) fn to_ascii(host: &[u8]) -> Option<Cow<'_, str>> {
    idna::domain_to_ascii_cow(host, idna::AsciiDenyList::URL).ok()
}

/// A host outside ASCII after IDNA (UTS 46, as in browsers). `None` also if the result has one of the few characters
/// that browsers accept and `reg-name` does not, such as quotes, or if it is empty.
pub(crate) fn ascii_host(host: &[u8]) -> Option<Cow<'_, str>> {
    if host.is_ascii() {
        return None;
    }
    let ascii = to_ascii(host)?;
    (!ascii.is_empty() && ascii.bytes().all(|b| is(b, chars::REG_NAME))).then_some(ascii)
}

/// A name in ASCII with its internationalized labels in Unicode. If one of them is invalid, the name is unchanged: the
/// result of ToUnicode is not meant to be used then.
#[cfg(feature = "psl")]
pub(crate) fn to_unicode(name: &str) -> Cow<'_, str> {
    if !name.contains("xn--") {
        return Cow::Borrowed(name);
    }
    match idna::domain_to_unicode(name) {
        (text, Ok(())) => Cow::Owned(text),
        (_, Err(_)) => Cow::Borrowed(name),
    }
}

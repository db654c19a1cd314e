//! Internationalized names: IDNA by UTS 46, as browsers do it. The one place for it, under repair, domains and flags.

use alloc::borrow::Cow;

use crate::grammar::chars::{self, is};

/// A host as IDNA has it (UTS 46, as browsers do): ASCII in lower case, labels outside ASCII as `xn--…`. `None`
/// where a label cannot be encoded, or the host holds what none can: white space, controls, delimiters of URIs.
pub(crate) fn to_ascii(host: &[u8]) -> Option<Cow<'_, str>> {
    idna::domain_to_ascii_cow(host, idna::AsciiDenyList::URL).ok()
}

/// A host outside ASCII by IDNA (UTS 46, as browsers do). Browsers let a few characters pass that no
/// `reg-name` holds, such as quotes, and some hosts leave nothing: `None` then.
pub(crate) fn ascii_host(host: &[u8]) -> Option<Cow<'_, str>> {
    if host.is_ascii() {
        return None;
    }
    let ascii = to_ascii(host)?;
    (!ascii.is_empty() && ascii.bytes().all(|b| is(b, chars::REG_NAME))).then_some(ascii)
}

/// A name in ASCII with its internationalized labels in Unicode; as it is where one of them is invalid: what
/// ToUnicode answers then is not meant to be used.
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

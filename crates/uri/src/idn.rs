//! Internationalized names: IDNA by UTS 46, as browsers apply it. Repair, domains and flags all use this module.

use alloc::borrow::Cow;

use crate::grammar::chars::{self, is};

/// A host after IDNA (UTS 46, as in browsers): ASCII in lower case, labels outside ASCII as `xn--…`. `None` if a label
/// cannot be encoded, or the host has characters that no label holds: white space, controls, delimiters of URIs.
pub(crate) fn to_ascii(host: &[u8]) -> Option<Cow<'_, str>> {
    domain_to_ascii(host, idna::AsciiDenyList::URL)
}

/// ToASCII of UTS 46, for domains in which hyphens are not checked.
pub(crate) fn domain_to_ascii(domain: &[u8], deny_list: idna::AsciiDenyList) -> Option<Cow<'_, str>> {
    idna::domain_to_ascii_cow(domain, deny_list).ok().filter(|ascii| !has_twofold_label(ascii))
}

/// Whether a label is punycode of a text that itself begins with `xn--`, which no valid label does where hyphens are
/// not checked (UTS 46, 4.1, validity criterion 4). The package `idna` does not look for that.
fn has_twofold_label(ascii: &str) -> bool {
    const PREFIX: &str = "xn--";
    let begins = |text: &str| text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(PREFIX));
    let is_twofold = |label: &str| {
        begins(label)
            && begins(&label[4..])
            && idna::punycode::decode_to_string(&label[4..]).is_some_and(|text| begins(&text))
    };
    ascii.contains("xn--xn--") && ascii.split('.').any(is_twofold)
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
        (text, Ok(())) if !has_twofold_label(name) => Cow::Owned(text),
        _ => Cow::Borrowed(name),
    }
}

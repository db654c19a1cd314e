//! What an authority in a text has to look like: stricter than the grammar, because in a text something else may follow
//! `://` and `www.`. Used by the finder and inside `<…>`.

use memchr::{memchr, memchr3, memrchr};

/// Whether a host, or the user information before it, may begin with `byte`.
pub(super) fn may_begin(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || !byte.is_ascii() || matches!(byte, b'[' | b'%' | b'_')
}

/// The length of the part of `text`, which begins after `//`, that belongs to the URI: all, or up to a colon that is
/// not followed by a port. `None` if a required host is missing, or an address lacks its bracket.
pub(super) fn length(text: &[u8], host_wanted: bool) -> Option<usize> {
    let authority = &text[..memchr3(b'/', b'?', b'#', text).unwrap_or(text.len())];
    let host = memrchr(b'@', authority).map_or(0, |at| at + 1);
    let host_end = match authority.get(host) {
        Some(b'[') => host + memchr(b']', &authority[host..])? + 1,
        _ => memchr(b':', &authority[host..]).map_or(authority.len(), |at| host + at),
    };
    if host_wanted && host_end == host {
        return None;
    }
    match &authority[host_end..] {
        [] => Some(text.len()),
        [b':', port @ ..] if port.iter().all(u8::is_ascii_digit) => Some(text.len()),
        [b':', ..] => Some(host_end),
        _ => None,
    }
}

/// Whether `text` begins with a suffix reference (4.5) that can be recognized in other text: `www.` and at least two
/// labels of a domain name.
pub(super) fn is_suffix(text: &[u8]) -> bool {
    let end = text.iter().position(|b| matches!(b, b'/' | b'?' | b'#' | b':')).unwrap_or(text.len());
    let is_label = |label: &[u8]| {
        let inner = label.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-' || !b.is_ascii());
        inner && !label.is_empty() && label[0] != b'-' && label[label.len() - 1] != b'-'
    };
    let domain = text[..end].strip_suffix(b".").unwrap_or(&text[..end]);
    let (mut labels, mut last) = (0, &[][..]);
    for label in domain.split(|&b| b == b'.') {
        if !is_label(label) {
            return false;
        }
        labels += 1;
        last = label;
    }
    let is_top_level = last.len() > 1 && !last.iter().any(u8::is_ascii_digit);
    labels > 2 && (is_top_level || last.get(..4).is_some_and(|head| head.eq_ignore_ascii_case(b"xn--")))
}

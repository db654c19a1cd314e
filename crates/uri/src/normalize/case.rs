//! Case (RFC 3986 section 6.2.2.1): scheme and host become lower case, the digits of triplets upper case.

use alloc::vec::Vec;

/// Appends `text` in lower case; returns whether that changed anything.
pub(super) fn write_lower(text: &[u8], out: &mut Vec<u8>) -> bool {
    let from = out.len();
    out.extend_from_slice(text);
    let has_upper = has_upper(text);
    if has_upper {
        out[from..].make_ascii_lowercase();
    }
    has_upper
}

/// Whether a text has an upper-case letter. Always checks the whole text: names are short, and an exit at each byte
/// costs more.
pub(super) fn has_upper(text: &[u8]) -> bool {
    text.iter().fold(false, |found, byte| found | byte.is_ascii_uppercase())
}

/// Changes a host to lower case except for its triplets; returns whether that changed anything.
pub(super) fn lower_host(host: &mut [u8]) -> bool {
    if !has_upper(host) {
        return false;
    }
    let (mut at, mut changed) = (0, false);
    while let Some(byte) = host.get_mut(at) {
        if *byte == b'%' {
            at += 3;
            continue;
        }
        changed |= byte.is_ascii_uppercase();
        byte.make_ascii_lowercase();
        at += 1;
    }
    changed
}

/// Whether a host has an upper-case letter outside its triplets.
pub(super) fn host_wants(host: &[u8]) -> bool {
    if !has_upper(host) {
        return false;
    }
    let mut rest = host;
    while let Some((&byte, behind)) = rest.split_first() {
        if byte == b'%' {
            rest = behind.get(2..).unwrap_or_default();
            continue;
        }
        if byte.is_ascii_uppercase() {
            return true;
        }
        rest = behind;
    }
    false
}

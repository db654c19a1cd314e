//! Case (RFC 3986 section 6.2.2.1): scheme and host go down, the digits of triplets go up.

/// Appends `text` in lower case; answers whether that changed anything.
pub(super) fn write_lower(text: &[u8], out: &mut Vec<u8>) -> bool {
    let from = out.len();
    out.extend_from_slice(text);
    out[from..].make_ascii_lowercase();
    &out[from..] != text
}

/// Whether a host has an upper-case letter outside its triplets.
pub(super) fn host_wants(host: &[u8]) -> bool {
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

//! A host must not percent-encode octets that are not UTF-8 (RFC 3986, 3.2.2). The grammar accepts such a host, so it
//! can be read, and a flag marks it; this crate never makes one.

use crate::grammar::chars::hex_value;
use alloc::vec::Vec;

/// The offset at which a host, its triplets decoded, stops being UTF-8: the first byte or triplet of the invalid
/// sequence. `None` for all correct hosts. A percent sign that does not begin a triplet is an ordinary character.
pub(crate) fn host_not_utf8(host: &[u8]) -> Option<usize> {
    if memchr::memchr(b'%', host).is_none() {
        return core::str::from_utf8(host).err().map(|error| error.valid_up_to());
    }
    let (mut octets, mut places) = (Vec::with_capacity(host.len()), Vec::with_capacity(host.len()));
    let mut at = 0;
    while let Some(&byte) = host.get(at) {
        let octet = match host.get(at..at + 3) {
            Some(&[b'%', high, low]) => {
                hex_value(high).zip(hex_value(low)).map(|(high, low)| high << 4 | low)
            }
            _ => None,
        };
        places.push(at);
        octets.push(octet.unwrap_or(byte));
        at += if octet.is_some() { 3 } else { 1 };
    }
    let fault = core::str::from_utf8(&octets).err()?;
    places.get(fault.valid_up_to()).copied()
}

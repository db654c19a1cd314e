//! What RFC 3986 forbids in a host (3.2.2): percent-encoding of octets that are no UTF-8. A host that has some can be
//! read, because the grammar takes it, and is pointed out by a flag; none is made here.

use crate::grammar::chars::hex_value;
use alloc::vec::Vec;

/// Where a host, its triplets decoded, stops being UTF-8: the first byte or triplet of what is none. `None` of all
/// hosts that are as they should be. A percent sign that begins no triplet is a character like others.
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

//! The canonical spelling of an IPv6 address (RFC 5952 section 4). It equals `Display` of [`Ipv6Addr`], with less code
//! and time: the formatting of the standard library would be a tenth of a small program.

use alloc::vec::Vec;
use core::net::Ipv6Addr;

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// Appends the address, without brackets.
pub(super) fn write(address: Ipv6Addr, out: &mut Vec<u8>) {
    // Section 5: the prefix shows that an IPv4 address is embedded.
    if let [0, 0, 0, 0, 0, 0xffff, _, _] = address.segments() {
        out.extend_from_slice(b"::ffff:");
        let [.., a, b, c, d] = address.octets();
        write_decimal(a, out);
        for octet in [b, c, d] {
            out.push(b'.');
            write_decimal(octet, out);
        }
        return;
    }
    write_hexadecimal_groups(address, out);
}

/// Appends the address, without brackets; an embedded IPv4 address is in hexadecimal digits like the rest (4).
pub(crate) fn write_hexadecimal_groups(address: Ipv6Addr, out: &mut Vec<u8>) {
    let segments = address.segments();
    let (start, len) = longest_run_of_zeros(&segments);
    for (at, &segment) in segments.iter().enumerate() {
        if (start..start + len).contains(&at) {
            // One colon for the run; the other is after the segment before it, or before all.
            if at == start {
                out.extend_from_slice(if at == 0 { b"::" } else { b":" });
            }
            continue;
        }
        write_hexadecimal(segment, out);
        if at < 7 {
            out.push(b':');
        }
    }
}

/// The start and length of the longest run of at least two zero segments, the first of equals (4.2.2, 4.2.3).
fn longest_run_of_zeros(segments: &[u16; 8]) -> (usize, usize) {
    let (mut longest, mut run) = ((0, 1), 0);
    for (at, &segment) in segments.iter().enumerate() {
        run = if segment == 0 { run + 1 } else { 0 };
        if run > longest.1 {
            longest = (at + 1 - run, run);
        }
    }
    if longest.1 > 1 { longest } else { (0, 0) }
}

/// Without leading zeros (4.1), in lower case (4.3).
fn write_hexadecimal(segment: u16, out: &mut Vec<u8>) {
    let digits = 4 - (segment | 1).leading_zeros() / 4;
    for place in (0..digits).rev() {
        out.push(DIGITS[usize::from(segment >> (4 * place) & 15)]);
    }
}

/// Appends a number in decimal digits.
pub(crate) fn write_decimal(octet: u8, out: &mut Vec<u8>) {
    if octet >= 100 {
        out.push(b'0' + octet / 100);
    }
    if octet >= 10 {
        out.push(b'0' + octet / 10 % 10);
    }
    out.push(b'0' + octet % 10);
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    fn written(segments: [u16; 8]) -> std::string::String {
        let mut out = Vec::new();
        write(Ipv6Addr::from(segments), &mut out);
        out.iter().copied().map(char::from).collect()
    }

    /// RFC 5952, by its sections.
    #[test]
    fn addresses_have_one_spelling() {
        let cases: [([u16; 8], &str); 12] = [
            ([0x2001, 0xdb8, 0, 0, 1, 0, 0, 1], "2001:db8::1:0:0:1"), // 4.2.3
            ([0x2001, 0xdb8, 0, 1, 1, 1, 1, 1], "2001:db8:0:1:1:1:1:1"), // 4.2.2
            ([0x2001, 0, 0, 1, 0, 0, 0, 1], "2001:0:0:1::1"),         // 4.2.3
            ([0x2001, 0xdb8, 0, 0, 0, 0, 2, 1], "2001:db8::2:1"),     // 4.2.1
            ([0xABCD, 0xEF01, 0x10, 0x100, 0x1000, 0xF, 0, 9], "abcd:ef01:10:100:1000:f:0:9"), // 4.1, 4.3
            ([0; 8], "::"),                                           // 4.2.1
            ([0, 0, 0, 0, 0, 0, 0, 1], "::1"),                        // 4.2.1
            ([1, 0, 0, 0, 0, 0, 0, 0], "1::"),                        // 4.2.1
            ([0, 0, 1, 0, 0, 1, 0, 0], "::1:0:0:1:0:0"),              // 4.2.3
            ([0, 0, 0, 0, 0, 0xffff, 0xc000, 0x201], "::ffff:192.0.2.1"), // 5
            ([0, 0, 0, 0, 0, 0xffff, 0x000a, 0x63ff], "::ffff:0.10.99.255"), // 5
            ([0, 0, 0, 0, 0, 0, 0xc000, 0x201], "::c000:201"),        // 5: no such prefix
        ];
        for (segments, expected) in cases {
            assert_eq!(written(segments), expected);
        }
    }

    /// Every pattern of zero segments, with others of each length.
    #[test]
    fn the_spelling_is_that_of_the_standard_library() {
        const OTHERS: [u16; 9] = [1, 0xf, 0x10, 0xab, 0x100, 0xfff, 0x1000, 0xffff, 0x8020];
        for pattern in 0..=255 {
            for first in 0..OTHERS.len() {
                let segments = core::array::from_fn(|at| match pattern >> at & 1 {
                    0 => 0,
                    _ => OTHERS[(first + at) % OTHERS.len()],
                });
                assert_eq!(written(segments), Ipv6Addr::from(segments).to_string());
            }
        }
        for low in 0..=u16::MAX {
            let segments = [0, 0, 0, 0, 0, 0xffff, low.rotate_left(3), low];
            assert_eq!(written(segments), Ipv6Addr::from(segments).to_string());
        }
    }
}

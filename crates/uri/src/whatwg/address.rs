//! The parsers of IP addresses (3.5), and the serializer of IPv6 addresses.

use alloc::vec::Vec;
use core::net::{Ipv4Addr, Ipv6Addr};

use crate::normalize::write_decimal;

use super::validation::{Report, ValidationError};

type Parsed<T> = Result<T, (ValidationError, usize)>;

/// The "ends in a number checker": whether a domain in ASCII must be an IPv4 address.
pub(super) fn ends_in_a_number(domain: &[u8]) -> bool {
    let bare = domain.strip_suffix(b".").unwrap_or(domain);
    let last = match memchr::memrchr(b'.', bare) {
        Some(dot) => &bare[dot + 1..],
        None => bare,
    };
    match last.first() {
        Some(b'0'..=b'9') => last.iter().all(u8::is_ascii_digit) || number(last).is_some(),
        _ => false,
    }
}

/// The IPv4 parser. Offsets are within the domain.
pub(super) fn ipv4(domain: &[u8], report: &mut impl Report) -> Parsed<Ipv4Addr> {
    use ValidationError::{
        Ipv4EmptyPart, Ipv4NonDecimalPart, Ipv4NonNumericPart, Ipv4OutOfRangePart, Ipv4TooManyParts,
    };
    let mut bare = domain;
    if let Some(before) = domain.strip_suffix(b".") {
        report.report(Ipv4EmptyPart, domain.len() - 1);
        bare = before;
    }
    let count = bare.iter().filter(|&&byte| byte == b'.').count() + 1;
    if count > 4 {
        return Err((Ipv4TooManyParts, 0));
    }
    let (mut address, mut at, mut too_great) = (0u64, 0, None);
    for (place, part) in bare.split(|&byte| byte == b'.').enumerate() {
        let (value, is_decimal) = number(part).ok_or((Ipv4NonNumericPart, at))?;
        if !is_decimal {
            report.report(Ipv4NonDecimalPart, at);
        }
        if value > 255 {
            report.report(Ipv4OutOfRangePart, at);
        }
        // The last part fills the bytes that remain.
        let bits = if place + 1 == count { 8 * (5 - count) } else { 8 };
        if value >> bits != 0 && too_great.is_none() {
            too_great = Some(at);
        }
        address = address.wrapping_shl(bits as u32) | value & ((1 << bits) - 1);
        at += part.len() + 1;
    }
    match (too_great, u32::try_from(address)) {
        (None, Ok(address)) => Ok(Ipv4Addr::from(address)),
        (at, _) => Err((Ipv4OutOfRangePart, at.unwrap_or(0))),
    }
}

/// The IPv4 number parser: the value, at most 2^32, which represents all greater ones; and whether it is decimal.
fn number(part: &[u8]) -> Option<(u64, bool)> {
    let (digits, base) = match part {
        [] => return None,
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        [b'0', digits @ ..] if !digits.is_empty() => (digits, 8),
        digits => (digits, 10),
    };
    let mut value = 0u64;
    for &digit in digits {
        let digit = char::from(digit).to_digit(base)?;
        value = (value * u64::from(base) + u64::from(digit)).min(1 << 32);
    }
    Some((value, base == 10))
}

/// The IPv6 parser, for the text between the brackets. Offsets are within that text.
pub(super) fn ipv6(text: &[u8]) -> Parsed<Ipv6Addr> {
    use ValidationError::{
        Ipv6InvalidCodePoint, Ipv6InvalidCompression, Ipv6MultipleCompression, Ipv6TooFewPieces,
        Ipv6TooManyPieces,
    };
    let byte = |at: usize| text.get(at).copied();
    let mut pieces = [0u16; 8];
    let (mut piece, mut compress, mut at) = (0, None, 0);
    if byte(0) == Some(b':') {
        if byte(1) != Some(b':') {
            return Err((Ipv6InvalidCompression, 0));
        }
        at = 2;
        piece = 1;
        compress = Some(1);
    }
    while let Some(first) = byte(at) {
        if piece == 8 {
            return Err((Ipv6TooManyPieces, at));
        }
        if first == b':' {
            if compress.is_some() {
                return Err((Ipv6MultipleCompression, at));
            }
            at += 1;
            piece += 1;
            compress = Some(piece);
            continue;
        }
        let start = at;
        let mut value = 0;
        while at < start + 4
            && let Some(digit) = byte(at).and_then(|byte| char::from(byte).to_digit(16))
        {
            value = value * 16 + digit as u16;
            at += 1;
        }
        match byte(at) {
            Some(b'.') if at > start => {
                ipv4_in_ipv6(text, start, &mut pieces, &mut piece)?;
                break;
            }
            Some(b':') => {
                at += 1;
                if at == text.len() {
                    return Err((Ipv6InvalidCodePoint, at));
                }
            }
            Some(b'.') => return Err((ValidationError::Ipv4InIpv6InvalidCodePoint, at)),
            Some(_) => return Err((Ipv6InvalidCodePoint, at)),
            None => {}
        }
        pieces[piece] = value;
        piece += 1;
    }
    match compress {
        Some(from) => {
            // The pieces after the compression move to the end.
            let moved = piece - from;
            pieces.copy_within(from..piece, 8 - moved);
            pieces[from..8 - moved].fill(0);
        }
        None if piece != 8 => return Err((Ipv6TooFewPieces, text.len())),
        None => {}
    }
    Ok(Ipv6Addr::from(pieces))
}

/// The IPv4 address at the end of an IPv6 address, which begins at `at`.
fn ipv4_in_ipv6(text: &[u8], at: usize, pieces: &mut [u16; 8], piece: &mut usize) -> Parsed<()> {
    use ValidationError::{
        Ipv4InIpv6InvalidCodePoint, Ipv4InIpv6OutOfRangePart, Ipv4InIpv6TooFewParts, Ipv4InIpv6TooManyPieces,
    };
    if *piece > 6 {
        return Err((Ipv4InIpv6TooManyPieces, at));
    }
    let mut at = at;
    let mut seen = 0;
    while at < text.len() {
        if seen > 0 {
            if text[at] != b'.' || seen == 4 {
                return Err((Ipv4InIpv6InvalidCodePoint, at));
            }
            at += 1;
        }
        let start = at;
        let mut value = 0u16;
        while let Some(&digit) = text.get(at).filter(|byte| byte.is_ascii_digit()) {
            // A second digit after a zero is a fault.
            if at > start && value == 0 {
                return Err((Ipv4InIpv6InvalidCodePoint, at));
            }
            value = value * 10 + u16::from(digit - b'0');
            if value > 255 {
                return Err((Ipv4InIpv6OutOfRangePart, at));
            }
            at += 1;
        }
        if at == start {
            return Err((Ipv4InIpv6InvalidCodePoint, at));
        }
        pieces[*piece] = pieces[*piece] * 256 + value;
        seen += 1;
        if seen == 2 || seen == 4 {
            *piece += 1;
        }
    }
    if seen == 4 { Ok(()) } else { Err((Ipv4InIpv6TooFewParts, at)) }
}

/// Appends an IPv4 address in dotted decimal (3.5).
pub(super) fn write_ipv4(address: Ipv4Addr, out: &mut Vec<u8>) {
    for (place, octet) in address.octets().into_iter().enumerate() {
        if place > 0 {
            out.push(b'.');
        }
        write_decimal(octet, out);
    }
}

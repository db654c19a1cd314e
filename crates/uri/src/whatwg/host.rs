//! The host parser (3.5), which writes the host as the standard serializes it.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::address;
use super::percent_encode as sets;
use super::validation::{Report, ValidationError};
use crate::grammar::chars::hex_value;
use crate::normalize::write_hexadecimal_groups;

/// The reason why a host is invalid, with the offset in it.
pub(super) type Fault = (ValidationError, usize);

/// Appends the host of a URL, special or not, to `out`. The host begins at the byte `start` of the input, to which
/// reported offsets refer; the offset of a fault is within the host.
pub(super) fn write(
    (host, start): (&[u8], usize),
    is_special: bool,
    out: &mut Vec<u8>,
    report: &mut impl Report,
) -> Result<(), Fault> {
    if host.first() == Some(&b'[') {
        let inner = host[1..].strip_suffix(b"]").ok_or((ValidationError::Ipv6Unclosed, host.len()))?;
        let address = address::ipv6(inner).map_err(|(error, at)| (error, at + 1))?;
        out.push(b'[');
        write_hexadecimal_groups(address, out);
        out.push(b']');
        return Ok(());
    }
    if !is_special {
        return write_opaque((host, start), out, report);
    }
    let at = out.len();
    if host.iter().all(|&byte| is_plain(byte)) {
        out.extend(host.iter().map(u8::to_ascii_lowercase));
    } else {
        write_domain(host, out)?;
    }
    if address::ends_in_a_number(&out[at..]) {
        let domain = out.split_off(at);
        // Offsets refer to the host as written if nothing was decoded or mapped.
        let is_as_written = domain.eq_ignore_ascii_case(host);
        let place = |at: usize| if is_as_written { at } else { 0 };
        let mut errors = Vec::new();
        let address = address::ipv4(&domain, &mut errors);
        errors.into_iter().for_each(|(error, at)| report.report(error, start + place(at)));
        let address = address.map_err(|(error, at)| (error, place(at)))?;
        address::write_ipv4(address, out);
    }
    Ok(())
}

/// An ASCII character that a domain can have. Domain to ASCII (3.3) only changes the case of a domain of these; labels
/// that begin with `xn--` are not checked.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii() && !sets::is(byte, sets::FORBIDDEN_DOMAIN)
}

/// A domain that must be decoded, or mapped by IDNA.
fn write_domain(host: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let domain = percent_decoded(host);
    if domain.iter().all(|&byte| is_plain(byte)) {
        out.extend(domain.iter().map(u8::to_ascii_lowercase));
        return Ok(());
    }
    if domain.is_ascii() {
        // The offset refers to the host as written if nothing before it was decoded.
        let at = domain.iter().position(|&byte| !is_plain(byte)).unwrap_or(0);
        let at = if host[..at] == domain[..at] { at } else { 0 };
        return Err((ValidationError::DomainInvalidCodePoint, at));
    }
    write_mapped(&domain, out)
}

/// Appends the result of domain to ASCII (3.3), not strict, for a domain outside ASCII.
#[cfg(feature = "idna")]
fn write_mapped(domain: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let domain = alloc::string::String::from_utf8_lossy(domain);
    let ascii = crate::idn::domain_to_ascii(domain.as_bytes(), idna::AsciiDenyList::EMPTY);
    let ascii = ascii.ok_or((ValidationError::DomainToAscii, 0))?;
    if ascii.is_empty() {
        return Err((ValidationError::DomainToAscii, 0));
    }
    if !ascii.bytes().all(is_plain) {
        return Err((ValidationError::DomainInvalidCodePoint, 0));
    }
    out.extend_from_slice(ascii.as_bytes());
    Ok(())
}

/// Without IDNA only domains in ASCII are known.
#[cfg(not(feature = "idna"))]
fn write_mapped(_: &[u8], _: &mut Vec<u8>) -> Result<(), Fault> {
    Err((ValidationError::IdnaLeftOut, 0))
}

/// Percent-decode (1.3).
pub(super) fn percent_decoded(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = memchr::memchr(b'%', text) else {
        return Cow::Borrowed(text);
    };
    let mut decoded = text[..first].to_vec();
    let mut rest = &text[first..];
    while let [byte, after @ ..] = rest {
        let value = match (byte, after) {
            (b'%', [high, low, ..]) => hex_value(*high).zip(hex_value(*low)),
            _ => None,
        };
        match value {
            Some((high, low)) => {
                decoded.push(high << 4 | low);
                rest = &after[2..];
            }
            None => {
                decoded.push(*byte);
                rest = after;
            }
        }
    }
    Cow::Owned(decoded)
}

/// The opaque-host parser (3.5).
fn write_opaque(
    (host, start): (&[u8], usize),
    out: &mut Vec<u8>,
    report: &mut impl Report,
) -> Result<(), Fault> {
    if let Some(at) = host.iter().position(|&byte| sets::is(byte, sets::FORBIDDEN_HOST)) {
        return Err((ValidationError::HostInvalidCodePoint, at));
    }
    report_units(host, start, report);
    sets::write(host, sets::C0_CONTROL, out);
    Ok(())
}

/// Reports the bytes to be encoded in a text that begins at `at`.
pub(super) fn report_units<R: Report>(text: &[u8], at: usize, report: &mut R) {
    if R::IS_WANTED {
        for offset in sets::invalid_units(text) {
            report.report(ValidationError::InvalidUrlUnit, at + offset);
        }
    }
}

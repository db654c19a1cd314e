//! Decoded hosts and user information (RFC 3986 sections 7.4 and 7.6): the address that a host means, in whatever form,
//! and whether user information looks like a host.

use alloc::borrow::Cow;
use core::net::IpAddr;

use super::Flags;
use crate::encode::{decode_leniently, host_not_utf8};
use crate::grammar::ip;
use crate::host::Host;
use crate::idn::to_ascii;

/// The longest data that goes through IDNA, in bytes: a DNS name has at most 255 characters (RFC 1035, 2.3.4).
const MOST_BYTES: usize = 4 * 255;

/// The flags of a host of this scheme.
pub(super) fn of_host(scheme: &[u8], name: &[u8], host: Host) -> Flags {
    let mut flags = Flags::default();
    let data = decode_leniently(name);
    flags.set(Flags::NON_ASCII_HOST, is_international(&data));
    flags.set(Flags::HOST_NOT_UTF8, !data.is_ascii() && host_not_utf8(name).is_some());
    let address = match host {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
        Host::IpvFuture => None,
        // Strictly by RFC 1123 a hexadecimal last label (`1.0xff`) makes a domain name.
        Host::RegName | Host::DnsName | Host::LooseIpv4 if !ip::is_key(scheme, &data) => {
            let mapped = mapped(&data);
            let is_decoded = matches!(data, Cow::Owned(_));
            let text = mapped.as_deref().map_or(&*data, str::as_bytes);
            let plain = ip::ipv4(text).filter(|_| is_decoded);
            let is_address = plain.is_some() || ip::is_rare_ipv4(text);
            flags.set(Flags::IDNA_ADDRESS, is_address && mapped.is_some());
            flags.set(Flags::RARE_IPV4, is_address && (mapped.is_none() || plain.is_none()));
            plain.or_else(|| ip::rare_ipv4(text)).map(IpAddr::V4)
        }
        Host::RegName | Host::DnsName | Host::LooseIpv4 => None,
    };
    flags.set(
        Flags::PRIVATE_ADDRESS,
        match address {
            Some(IpAddr::V4(address)) => ip::is_private_v4(address),
            Some(IpAddr::V6(address)) => ip::is_private_v6(address),
            None => false,
        },
    );
    flags
}

/// The result of IDNA for a host outside ASCII.
fn mapped(data: &[u8]) -> Option<Cow<'_, str>> {
    match data.is_ascii() || data.len() > MOST_BYTES {
        true => None,
        false => to_ascii(data),
    }
}

/// Whether a decoded host has a label in punycode, or a byte beyond ASCII.
fn is_international(host: &[u8]) -> bool {
    let is_punycode =
        |label: &[u8]| label.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"xn--"));
    memchr::memchr(b'-', host).is_some() && host.split(|&b| b == b'.').any(is_punycode) || !host.is_ascii()
}

/// Whether repair took the host of `read`, which is outside ASCII, through IDNA and got an IPv4 address.
pub(super) fn is_mapped_by_repair(read: &[u8], name: &[u8], host: Host) -> bool {
    let is_address = matches!(host, Host::Ipv4(_) | Host::LooseIpv4) || ip::is_rare_ipv4(name);
    if !is_address || read.is_ascii() {
        return false;
    }
    let is_slash = |&b: &u8| b == b'/' || b == b'\\';
    let start = read.windows(2).position(|pair| pair.iter().all(is_slash)).map_or(0, |at| at + 2);
    let authority = &read[start..];
    let end = authority.iter().position(|&b| matches!(b, b'/' | b'\\' | b'?' | b'#'));
    let authority = &authority[..end.unwrap_or(authority.len())];
    let host = memchr::memrchr(b'@', authority).map_or(authority, |at| &authority[at + 1..]);
    !host.is_ascii()
}

/// Whether a reader may mistake user information for the host (7.6) once it is decoded: it looks like a host from its
/// start, after its first colon, or after two slashes.
pub(super) fn is_deceptive(userinfo: &[u8]) -> bool {
    let data = decode_leniently(userinfo);
    let behind_colon = memchr::memchr(b':', &data).map_or(&b""[..], |at| &data[at + 1..]);
    reads_as_host(&data, true)
        || reads_as_host(behind_colon, false)
        || memchr::memmem::find_iter(&data, b"//").any(|at| reads_as_host(&data[at + 2..], true))
}

/// Whether a text begins with a host: an address (also in a rare form), `localhost`, or a name of several labels, the
/// last one of letters or in punycode. Numbers without a dot are more often passwords and user names than addresses: in
/// decimal they count only if `may_be_number`, and if the address is not of network 0.
fn reads_as_host(text: &[u8], may_be_number: bool) -> bool {
    let slashes = text.iter().take_while(|&&b| b == b'/' || b == b'\\').count();
    let text = &text[slashes..];
    if let [b'[', inner @ ..] = text {
        return matches!(ip::literal(inner), Ok((ip::Literal::V6(_), _)));
    }
    let is_of_host = |&b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_') || !b.is_ascii();
    let run = &text[..text.iter().position(|b| !is_of_host(b)).unwrap_or(text.len())];
    let name = match mapped(run) {
        Some(name) => Cow::Owned(name.into_owned().into_bytes()),
        // Text that IDNA refuses, such as a full-width number sign, ends a name.
        None => Cow::Borrowed(&run[..run.iter().position(|b| !b.is_ascii()).unwrap_or(run.len())]),
    };
    let name = name.strip_suffix(b".").unwrap_or(&name);
    if ip::ipv4(name).is_some() || name.eq_ignore_ascii_case(b"localhost") {
        return true;
    }
    if let Some(address) = ip::rare_ipv4(name) {
        let is_decimal = name.iter().all(u8::is_ascii_digit);
        return address.octets()[0] != 0 && (may_be_number || !is_decimal);
    }
    let mut labels = name.rsplit(|&b| b == b'.');
    let (top, below) = (labels.next().unwrap_or_default(), labels.next().unwrap_or_default());
    let is_punycode = top.len() > 4 && top[..4].eq_ignore_ascii_case(b"xn--");
    !below.is_empty() && (is_punycode || top.len() >= 2 && top.iter().all(u8::is_ascii_alphabetic))
}

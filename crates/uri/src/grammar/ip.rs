//! IP addresses as RFC 3986 section 3.2.2 writes them: `IPv4address`, `IP-literal` and the rare
//! IPv4 forms of section 7.4.
//!
//! An IP literal is read left to right by a small machine that stops at the first byte no
//! derivation accepts: that byte's offset is what a reject reports.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::chars::{self, is};
use super::scheme;

/// `IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet`, the whole of `text`.
#[must_use]
pub fn ipv4(text: &[u8]) -> Option<Ipv4Addr> {
    let mut octets = [0u8; 4];
    let mut parts = text.split(|&b| b == b'.');
    for octet in &mut octets {
        *octet = dec_octet(parts.next()?)?;
    }
    parts.next().is_none().then(|| Ipv4Addr::from(octets))
}

/// `dec-octet`: 0 to 255 without leading zeros.
fn dec_octet(text: &[u8]) -> Option<u8> {
    let leading_zero = text.len() > 1 && text[0] == b'0';
    if text.is_empty() || text.len() > 3 || leading_zero || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value = text.iter().fold(0u32, |value, digit| value * 10 + u32::from(digit - b'0'));
    u8::try_from(value).ok()
}

/// Whether `host` has one of the forms that some platforms read as an IPv4 address although it is not an `IPv4address`
/// (7.4): one to four numbers, octal, decimal or hexadecimal, whatever their size, a trailing dot allowed.
#[must_use]
pub fn is_rare_ipv4(host: &[u8]) -> bool {
    let is_number = |part: &[u8]| match part {
        [b'0', b'x' | b'X', digits @ ..] => digits.iter().all(u8::is_ascii_hexdigit),
        digits => !digits.is_empty() && digits.iter().all(u8::is_ascii_digit),
    };
    let bare = host.strip_suffix(b".").unwrap_or(host);
    let mut parts = 0;
    for part in bare.split(|&b| b == b'.') {
        parts += 1;
        if parts > 4 || !is_number(part) {
            return false;
        }
    }
    ipv4(host).is_none()
}

/// The address that a rare form means (7.4), by the rules of the `inet_aton` call that the section names: each number
/// but the last is one byte, the last fills the bytes that remain. `0x` alone is zero and a trailing dot is ignored, as
/// in browsers. `None` if `host` is not a rare form, or an ambiguous one: a number does not fit its bytes, or begins
/// with `0` and is not octal.
pub fn rare_ipv4(host: &[u8]) -> Option<Ipv4Addr> {
    if !is_rare_ipv4(host) {
        return None;
    }
    let bare = host.strip_suffix(b".").unwrap_or(host);
    let (mut address, mut free) = (0, 4u32);
    let mut parts = bare.split(|&b| b == b'.').peekable();
    while let Some(part) = parts.next() {
        let bytes = if parts.peek().is_some() { 1 } else { free };
        let value = number(part).filter(|value| value >> (8 * bytes) == 0)?;
        free -= bytes;
        address |= value << (8 * free);
    }
    u32::try_from(address).ok().map(Ipv4Addr::from)
}

/// A number as C writes it: hexadecimal after `0x`, octal after `0`, else decimal. `None` if a digit is not one of that
/// base, or the number exceeds 32 bits.
fn number(text: &[u8]) -> Option<u64> {
    let (digits, base) = match text {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        [b'0', digits @ ..] => (digits, 8),
        digits => (digits, 10),
    };
    digits.iter().try_fold(0u64, |value, &digit| {
        let digit = char::from(digit).to_digit(base)?;
        Some(value * u64::from(base) + u64::from(digit)).filter(|&value| value <= u64::from(u32::MAX))
    })
}

/// The address that a valid host, brackets included, means: an `IPv4address`, an `IPv6address`, or a rare form of the
/// first.
pub fn address(host: &[u8]) -> Option<IpAddr> {
    if let [b'[', inner @ ..] = host {
        return match literal(inner) {
            Ok((Literal::V6(address), _)) => Some(IpAddr::V6(address)),
            _ => None,
        };
    }
    ipv4(host).or_else(|| rare_ipv4(host)).map(IpAddr::V4)
}

/// [`address`] for the host of a URI of this scheme: digits alone are an address only where hosts are machines.
#[must_use]
pub fn address_in(scheme: &[u8], host: &[u8]) -> Option<IpAddr> {
    if is_key(scheme, host) { None } else { address(host) }
}

/// Whether a host of digits alone is no address, but a key of its scheme.
pub fn is_key(scheme: &[u8], host: &[u8]) -> bool {
    !host.is_empty() && host.iter().all(u8::is_ascii_digit) && !scheme::names_machines(scheme)
}

/// The contents of the brackets of an IP literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Literal {
    /// `IPv6address`
    V6(Ipv6Addr),
    /// `IPvFuture`
    Future,
}

/// Why an IP literal is malformed: the kind that it began as, and the offset (in the text after the `[`) of the first
/// byte that no derivation accepts; the text's length if it ends too early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed {
    /// It began with `v`.
    pub future: bool,
    /// Bytes after the `[`.
    pub offset: usize,
}

/// Reads an IP literal from the text after its `[` (which may continue after the literal). Returns its value and the
/// length up to and including the `]`.
pub fn literal(text: &[u8]) -> Result<(Literal, usize), Malformed> {
    if matches!(text.first(), Some(b'v' | b'V')) {
        ipvfuture(text).map(|len| (Literal::Future, len))
    } else {
        Ipv6Reader::default().read(text).map(|(address, len)| (Literal::V6(address), len))
    }
}

/// `IPvFuture = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`, then `]`.
fn ipvfuture(text: &[u8]) -> Result<usize, Malformed> {
    let fail = |offset| Err(Malformed { future: true, offset });
    let run = |from: usize, class| {
        from + text[from..].iter().position(|&b| !is(b, class)).unwrap_or(text.len() - from)
    };
    let dot = run(1, chars::HEXDIG);
    if dot == 1 || text.get(dot) != Some(&b'.') {
        return fail(dot);
    }
    let end = run(dot + 1, chars::IPVFUTURE);
    if end == dot + 1 || text.get(end) != Some(&b']') {
        return fail(end);
    }
    Ok(end + 1)
}

/// `IPv6address`; its nine lines are distinguished by counting: without `::` exactly eight groups, with it at most
/// seven, and an IPv4 address may replace the last two.
#[derive(Default)]
struct Ipv6Reader {
    /// Groups read, including those after `::`.
    groups: [u16; 8],
    count: usize,
    /// The number of groups before `::`.
    gap: Option<usize>,
}

impl Ipv6Reader {
    fn read(mut self, text: &[u8]) -> Result<(Ipv6Addr, usize), Malformed> {
        let fail = |offset| Err(Malformed { future: false, offset });
        let at = |i: usize| text.get(i).copied();
        let mut i = 0;
        if at(0) == Some(b':') {
            if at(1) != Some(b':') {
                return fail(1);
            }
            self.gap = Some(0);
            i = 2;
        }
        loop {
            // A group begins here, or the literal ends after a `::`.
            if self.gap == Some(self.count) && at(i) == Some(b']') {
                return Ok((self.address(), i + 1));
            }
            let most = if self.gap.is_some() { 7 } else { 8 };
            let digits = text[i..].iter().take(4).take_while(|b| b.is_ascii_hexdigit()).count();
            if digits == 0 || self.count == most {
                return fail(i);
            }
            let end = i + digits;
            if at(end) == Some(b'.')
                && self.count + 2 <= most
                && (self.gap.is_some() || self.count == 6)
                && let Some(first) = dec_octet(&text[i..end])
            {
                return self.ipv4_tail(text, first, end);
            }
            let group =
                text[i..end].iter().fold(0, |v, &b| v << 4 | u16::from(chars::hex_value(b).unwrap_or(0)));
            self.groups[self.count] = group;
            self.count += 1;
            i = end;
            match at(i) {
                Some(b']') if self.gap.is_some() || self.count == 8 => return Ok((self.address(), i + 1)),
                Some(b':') if self.gap.is_none() && self.count <= 7 && at(i + 1) == Some(b':') => {
                    self.gap = Some(self.count);
                    i += 2;
                }
                Some(b':') if self.count < most => i += 1,
                _ => return fail(i),
            }
        }
    }

    /// The three octets after the first, which ends before the dot at `i`, and the `]`.
    fn ipv4_tail(mut self, text: &[u8], first: u8, mut i: usize) -> Result<(Ipv6Addr, usize), Malformed> {
        let fail = |offset| Err(Malformed { future: false, offset });
        let mut octets = [first, 0, 0, 0];
        for octet in &mut octets[1..] {
            if text.get(i) != Some(&b'.') {
                return fail(i);
            }
            i += 1;
            let start = i;
            // The longest run of digits that is still a dec-octet: the byte after it decides.
            while i < text.len() && i < start + 3 {
                match dec_octet(&text[start..=i]) {
                    Some(value) => *octet = value,
                    None => break,
                }
                i += 1;
            }
            if i == start {
                return fail(i);
            }
        }
        if text.get(i) != Some(&b']') {
            return fail(i);
        }
        self.groups[self.count] = u16::from_be_bytes([octets[0], octets[1]]);
        self.groups[self.count + 1] = u16::from_be_bytes([octets[2], octets[3]]);
        self.count += 2;
        Ok((self.address(), i + 1))
    }

    fn address(self) -> Ipv6Addr {
        let mut all = [0u16; 8];
        let gap = self.gap.unwrap_or(self.count);
        all[..gap].copy_from_slice(&self.groups[..gap]);
        let behind = self.count - gap;
        all[8 - behind..].copy_from_slice(&self.groups[gap..self.count]);
        Ipv6Addr::from(all)
    }
}

/// IPv4 networks without hosts of the public Internet (IANA IPv4 Special-Purpose Address Registry): address and prefix
/// length. Networks for documentation and for multicast are not included.
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 10] = [
    // This network; 0.0.0.0 is the unspecified address (RFC 791).
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    // Private use (RFC 1918), here and below.
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Shared by the customers of a carrier (RFC 6598).
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // Loopback (RFC 1122).
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // Link-local (RFC 3927).
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    // Assignments to protocols (RFC 6890).
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Measurements between networks (RFC 2544).
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Reserved (RFC 1112), the limited broadcast address among them.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The same of IPv6 (IANA IPv6 Special-Purpose Address Registry).
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 5] = [
    // Unspecified and loopback (RFC 4291).
    (Ipv6Addr::UNSPECIFIED, 128),
    (Ipv6Addr::LOCALHOST, 128),
    // Translation for local use (RFC 8215).
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48),
    // Unique local (RFC 4193).
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7),
    // Link-local (RFC 4291).
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
];

/// Whether an IPv4 address is of a kind that a public crawl should not visit: loopback, private, shared, link-local,
/// unspecified, of this network, for measurements or reserved.
#[must_use]
pub fn is_private_v4(address: Ipv4Addr) -> bool {
    let differs = |network: Ipv4Addr| address.to_bits() ^ network.to_bits();
    NOT_PUBLIC_V4.iter().any(|&(network, prefix)| differs(network) >> (32 - prefix) == 0)
}

/// [`is_private_v4`] for IPv6: loopback, unique local, link-local, unspecified, for translation within a network, or an
/// address that embeds such an IPv4 address.
pub fn is_private_v6(address: Ipv6Addr) -> bool {
    let differs = |network: Ipv6Addr| address.to_bits() ^ network.to_bits();
    NOT_PUBLIC_V6.iter().any(|&(network, prefix)| differs(network) >> (128 - prefix) == 0)
        || embedded_v4(address).into_iter().flatten().any(is_private_v4)
}

/// The IPv4 addresses embedded in an IPv6 address: the one that packets to it end at, and for Teredo also the server's.
fn embedded_v4(address: Ipv6Addr) -> [Option<Ipv4Addr>; 2] {
    let of = |high: u16, low: u16| Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)));
    match address.segments() {
        // IPv4-compatible and IPv4-mapped (RFC 4291), IPv4-translated (RFC 2765), NAT64 (RFC 6052).
        [0, 0, 0, 0, 0, 0 | 0xffff, a, b]
        | [0, 0, 0, 0, 0xffff, 0, a, b]
        | [0x64, 0xff9b, 0, 0, 0, 0, a, b] => [of(a, b), None],
        // 6to4 (RFC 3056).
        [0x2002, a, b, ..] => [of(a, b), None],
        // Teredo (RFC 4380): the server, and the client with all bits inverted.
        [0x2001, 0, a, b, _, _, c, d] => [of(a, b), of(!c, !d)],
        // ISATAP (RFC 5214).
        [_, _, _, _, 0 | 0x200, 0x5efe, a, b] => [of(a, b), None],
        _ => [None, None],
    }
}

//! From a host to a name of the DNS in ASCII.

use alloc::borrow::Cow;

use crate::encode::decode;
use crate::grammar::ip;
use crate::host::HostKind;
use crate::idn::to_ascii;

/// The longest DNS name (RFC 1035, 2.3.4).
const MOST_BYTES: usize = 255;

/// The most bytes that a character needs as triplets of UTF-8.
const TRIPLETS: usize = 12;

/// The DNS name of a valid host, as described at [`Domain::of`](super::Domain::of). A borrowed name begins where the
/// host does.
pub(super) fn of_host(host: &[u8], kind: HostKind) -> Option<Cow<'_, str>> {
    let name = match kind {
        HostKind::Ipv4 | HostKind::Ipv6 | HostKind::IpvFuture => return None,
        HostKind::DnsName => lower(host)?,
        HostKind::RegName => registered(host)?,
    };
    let name = match name {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_suffix('.').unwrap_or(text)),
        Cow::Owned(mut text) => {
            text.truncate(text.strip_suffix('.').unwrap_or(&text).len());
            Cow::Owned(text)
        }
    };
    let is_whole = kind == HostKind::DnsName || name.split('.').all(|label| !label.is_empty());
    (is_whole && name.len() <= MOST_BYTES && !ends_in_number(&name)).then_some(name)
}

/// A name in ASCII and lower case.
fn lower(host: &[u8]) -> Option<Cow<'_, str>> {
    let text = core::str::from_utf8(host).ok()?;
    let is_lower = !host.iter().fold(false, |upper, byte| upper | byte.is_ascii_uppercase());
    Some(if is_lower { Cow::Borrowed(text) } else { Cow::Owned(text.to_ascii_lowercase()) })
}

/// Characters that a decoded triplet may give and that no web name holds: the visible forbidden domain code points of
/// the URL Standard.
const FORBIDDEN: &[u8] = b"%#/:<>?@[\\]^|";

/// A `reg-name` (RFC 3986, 3.2.2): its triplets are UTF-8, which goes through IDNA unless it is ASCII. Labels in ASCII,
/// also `xn--` ones, are not checked, however they are written.
fn registered(host: &[u8]) -> Option<Cow<'_, str>> {
    if !host.contains(&b'%') {
        return lower(host);
    }
    // IDNA of a text takes time that grows faster than the text.
    if host.len() > MOST_BYTES * TRIPLETS {
        return None;
    }
    let decoded = decode(host).ok()?;
    if decoded.is_ascii() {
        let is_name = decoded.iter().all(|&byte| byte.is_ascii_graphic() && !FORBIDDEN.contains(&byte));
        return lower(&decoded).filter(|_| is_name).map(|name| Cow::Owned(name.into_owned()));
    }
    to_ascii(&decoded).map(|name| Cow::Owned(name.into_owned()))
}

/// Whether the last label is a number, decimal or hexadecimal: such a name would be taken for an address (RFC 3986,
/// 7.4), and no registry has one (RFC 1123, 2.1).
fn ends_in_number(name: &str) -> bool {
    let last = &name.as_bytes()[name.rfind('.').map_or(0, |at| at + 1)..];
    // Few names of the web have a digit there.
    last.first().is_some_and(u8::is_ascii_digit)
        && (last.iter().all(u8::is_ascii_digit) || ip::is_rare_ipv4(last))
}

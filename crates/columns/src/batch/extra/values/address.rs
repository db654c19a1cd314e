//! The client in logs: an IP address, or a name if the server looks names up.

use std::net::Ipv6Addr;

use super::Fault;

/// Whether a text is an IP address, in brackets or not.
pub fn is_address(text: &[u8]) -> bool {
    is_bare_address(without(text, b'[', b']').unwrap_or(text))
}

/// The position of the address in a text, without quotes and brackets around it. With `may_be_name` a DNS name is
/// accepted, too; `None` for `unknown` and an empty text.
#[inline]
pub(crate) fn client(text: &[u8], may_be_name: bool) -> Result<Option<(u32, u32)>, Fault> {
    if is_ipv4(text) {
        return Ok(Some((0, text.len() as u32)));
    }
    let inner = without(text, b'"', b'"').unwrap_or(text);
    let inner = without(inner, b'[', b']').unwrap_or(inner);
    if inner.is_empty() || inner.eq_ignore_ascii_case(b"unknown") {
        return Ok(None);
    }
    match is_bare_address(inner) || may_be_name && is_name(inner) {
        true => Ok(Some(((text.len() - inner.len()) as u32 / 2, inner.len() as u32))),
        false => Err(Fault::NotAnAddress),
    }
}

fn without(text: &[u8], open: u8, close: u8) -> Option<&[u8]> {
    match text {
        [first, inner @ .., last] if *first == open && *last == close => Some(inner),
        _ => None,
    }
}

fn is_bare_address(text: &[u8]) -> bool {
    is_ipv4(text) || is_ipv6(text)
}

/// Four numbers of one byte each (RFC 3986, 3.2.2), but for zeros before them, which some servers write.
#[inline]
fn is_ipv4(text: &[u8]) -> bool {
    let mut rest = text;
    for number in 0..4 {
        let digit =
            |at: usize| rest.get(at).map(|b| u32::from(b.wrapping_sub(b'0'))).filter(|&digit| digit <= 9);
        let Some(first) = digit(0) else { return false };
        let len = match (digit(1), digit(2)) {
            (Some(second), Some(third)) if first * 100 + second * 10 + third > 255 => return false,
            (Some(_), Some(_)) => 3,
            (Some(_), None) => 2,
            (None, _) => 1,
        };
        rest = match &rest[len..] {
            [b'.', behind @ ..] if number < 3 => behind,
            [] if number == 3 => return true,
            _ => return false,
        };
    }
    false
}

/// Groups of hexadecimal digits (RFC 4291, 2.2); after a percent sign a zone (RFC 4007, 11). An address that was
/// shortened to hide the client has at least four groups; three may be a time.
fn is_ipv6(text: &[u8]) -> bool {
    // Most other texts begin differently.
    if !text.first().is_some_and(|&first| first == b':' || IS_DIGIT[usize::from(first)]) {
        return false;
    }
    let (mut groups, mut digits, mut gaps) = (0, 0, 0);
    let mut end = text.len();
    for (at, &byte) in text.iter().enumerate() {
        if IS_DIGIT[usize::from(byte)] {
            digits += 1;
            continue;
        }
        match byte {
            b':' if digits > 4 => return false,
            b':' if digits > 0 => (groups, digits) = (groups + 1, 0),
            b':' if at > 0 => gaps += 1,
            b':' if text.get(1) == Some(&b':') => {}
            // The last groups may be written as an address of IPv4.
            b'.' => return ends_with_ipv4(text),
            b'%' => {
                end = at;
                break;
            }
            _ => return false,
        }
    }
    let groups = groups + usize::from(digits > 0);
    let is_zone = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let has_zone = end == text.len() || end + 1 < text.len() && text[end + 1..].iter().all(is_zone);
    let is_whole = digits > 0 || text[..end].ends_with(b"::");
    has_zone && is_whole && digits <= 4 && (gaps == 1 && groups < 8 || gaps == 0 && (4..=8).contains(&groups))
}

/// The hexadecimal digits; a table, because each line of most logs has an address.
static IS_DIGIT: [bool; 256] = {
    let mut digits = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        digits[byte] = (byte as u8).is_ascii_hexdigit();
        byte += 1;
    }
    digits
};

#[cold]
fn ends_with_ipv4(text: &[u8]) -> bool {
    let zone = text.iter().position(|&b| b == b'%').unwrap_or(text.len());
    let address = std::str::from_utf8(&text[..zone]).unwrap_or_default();
    address.parse::<Ipv6Addr>().is_ok() && is_ipv6(&[b"::", &text[zone..]].concat())
}

/// Whether a text is a name of DNS (RFC 1123, 2.1; with the underscores that resolvers return): labels of at most 63
/// characters, the last of which is no number.
fn is_name(text: &[u8]) -> bool {
    let text = text.strip_suffix(b".").unwrap_or(text);
    let is_letter = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
    let is_label = |label: &[u8]| {
        (1..=63).contains(&label.len())
            && label.iter().all(is_letter)
            && !label.starts_with(b"-")
            && !label.ends_with(b"-")
    };
    let last = text.rsplit(|&b| b == b'.').next().unwrap_or_default();
    text.len() <= 253 && text.split(|&b| b == b'.').all(is_label) && !last.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_addresses_or_names() {
        // (text, the address, the address if names are allowed); `None` if it is wrong, empty if there is none
        let cases: &[(&str, Option<&str>, Option<&str>)] = &[
            ("192.0.2.1", Some("192.0.2.1"), Some("192.0.2.1")),
            ("192.000.2.001", Some("192.000.2.001"), Some("192.000.2.001")),
            ("\"192.0.2.1\"", Some("192.0.2.1"), Some("192.0.2.1")),
            ("[192.0.2.1]", Some("192.0.2.1"), Some("192.0.2.1")),
            ("\"[::1]\"", Some("::1"), Some("::1")),
            ("[2001:db8::1]", Some("2001:db8::1"), Some("2001:db8::1")),
            ("::ffff:192.0.2.1", Some("::ffff:192.0.2.1"), Some("::ffff:192.0.2.1")),
            ("fe80::1%eth0", Some("fe80::1%eth0"), Some("fe80::1%eth0")),
            ("2001:db8:2ce:1", Some("2001:db8:2ce:1"), Some("2001:db8:2ce:1")),
            ("10:05:03", None, None),
            ("", Some(""), Some("")),
            ("unknown", Some(""), Some("")),
            ("host.example.com", None, Some("host.example.com")),
            ("host.example.com.", None, Some("host.example.com.")),
            ("localhost", None, Some("localhost")),
            ("a_b.example", None, Some("a_b.example")),
            // Numbers are no names.
            ("256.0.2.1", None, None),
            ("192.0.2", None, None),
            ("192.0.2.1.5", None, None),
            ("1234", None, None),
            ("192.0.2.1:80", None, None),
            ("[::1]:80", None, None),
            (":::", None, None),
            ("::", Some("::"), Some("::")),
            ("1::", Some("1::"), Some("1::")),
            ("1:2:3:4:5:6:7:8", Some("1:2:3:4:5:6:7:8"), Some("1:2:3:4:5:6:7:8")),
            ("1::3:4:5:6:7:8", Some("1::3:4:5:6:7:8"), Some("1::3:4:5:6:7:8")),
            ("1::2:3:4:5:6:7:8", None, None),
            ("1:2:3:4:5:6:7:8:9", None, None),
            ("1::2::3", None, None),
            (":1:2:3:4", None, None),
            ("1:2:3:4:", None, None),
            ("1:2:3:4:5:6:7:8:", None, None),
            ("12345::", None, None),
            ("g::", None, None),
            ("::ffff:192.0.2", None, None),
            ("::ffff:192.0.2.1%1", Some("::ffff:192.0.2.1%1"), Some("::ffff:192.0.2.1%1")),
            ("::ffff:192.0.2.1%", None, None),
            ("1:2", None, None),
            ("fe80::1%", None, None),
            ("GARBAGE!!192.0.2.1", None, None),
            ("\"192.0.2.1", None, None),
            ("\0\0::1", None, None),
            ("192.0.2.1, 192.0.2.2", None, None),
            ("-a.example", None, None),
            ("a..example", None, None),
            ("é.example", None, None),
            ("unix:", None, None),
            ("\"", None, None),
        ];
        for (text, address, name) in cases {
            for (may_be_name, expected) in [(false, address), (true, name)] {
                let found = client(text.as_bytes(), may_be_name).ok();
                let found = found
                    .map(|found| found.map_or("", |(start, len)| &text[start as usize..][..len as usize]));
                assert_eq!(found, *expected, "{text} {may_be_name}");
            }
        }
    }
}

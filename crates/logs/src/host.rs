//! Hosts and addresses in a log: texts that name no host, the place of a port, and the URI of a host's root.

use memchr::{memchr, memrchr};
use urimill_columns::batch::is_address;

/// Whether a text names no host: it is empty, the dash of logs, or nginx's `_`.
pub(crate) fn is_none(host: &[u8]) -> bool {
    matches!(host, b"" | b"-" | b"_" | b"\"\"")
}

/// Whether a name is a pattern of the server's configuration (`*.example.com`, `~^www`), which is never a client's
/// host.
pub(crate) fn is_pattern(host: &[u8]) -> bool {
    memchr(b'*', host).is_some() || host.starts_with(b"~")
}

/// Host and port of a virtual host. An IPv6 address without brackets has no port.
pub(crate) fn host_and_port(vhost: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(colon) = memrchr(b':', vhost) else { return (vhost, None) };
    let (host, port) = (&vhost[..colon], &vhost[colon + 1..]);
    let is_bare = host.contains(&b':') && !host.ends_with(b"]");
    match is_bare || !port.iter().all(u8::is_ascii_digit) {
        true => (vhost, None),
        false => (host, Some(port).filter(|port| !port.is_empty())),
    }
}

/// Address and port of `192.0.2.1:80`, `[2001:db8::1]:80` or `2001:db8::1:80`; an address alone has no port.
pub(crate) fn endpoint(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let digits = text.iter().rev().take(MOST_DIGITS + 1).take_while(|b| b.is_ascii_digit()).count();
    let (before, port) = text.split_at(text.len() - digits);
    if let Some((b':', address)) = before.split_last()
        && (1..=MOST_DIGITS).contains(&digits)
        && is_address(address)
    {
        return Some((address, port));
    }
    is_address(text).then_some((text, b""))
}

/// The most digits of a port.
const MOST_DIGITS: usize = 5;

/// Whether a word is a name of several labels, the last of which is not a number, perhaps with a port.
pub(crate) fn is_domain(word: &[u8]) -> bool {
    let (host, _) = host_and_port(word);
    let is_label = |label: &[u8]| {
        !label.is_empty() && label.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    let last = host.rsplit(|&b| b == b'.').next().unwrap_or_default();
    host.contains(&b'.')
        && host.split(|&b| b == b'.').all(is_label)
        && last.len() > 1
        && (last.iter().all(u8::is_ascii_alphabetic) || last.starts_with(b"xn--"))
}

/// Writes the URI of the root. The default port of the scheme is left out: the log adds it, the client did not send it.
/// A text that is not a host is written without a scheme, so that its row gets `base_not_absolute`.
pub(crate) fn write_root(scheme: &[u8], host: &[u8], port: &[u8], out: &mut Vec<u8>) {
    let ends_host = |b: &u8| matches!(b, b'/' | b'?' | b'#' | b'@' | b'\\' | b' ');
    let is_scheme = scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && scheme.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    let host_ends = host.iter().any(ends_host) || !is_scheme;
    if host_ends || !port.iter().all(u8::is_ascii_digit) {
        out.extend_from_slice(b"//");
        out.extend_from_slice(host);
        return;
    }
    // WebSockets are opened by a request of HTTP.
    let is = |names: &[&[u8]]| names.iter().any(|name| scheme.eq_ignore_ascii_case(name));
    let scheme: &[u8] = if is(&[b"ws", b"h2c"]) {
        b"http"
    } else if is(&[b"wss", b"h2", b"grpcs"]) {
        b"https"
    } else {
        scheme
    };
    let zeros = port.iter().take_while(|&&b| b == b'0').count();
    let port = &port[zeros..];
    let is_default = matches!((scheme, port), (b"http", b"80") | (b"https", b"443") | (_, b""));
    let is_bare = host.contains(&b':') && !host.starts_with(b"[");
    let (open, close): (&[u8], &[u8]) = if is_bare { (b"[", b"]") } else { (b"", b"") };
    let (colon, port): (&[u8], &[u8]) = if is_default { (b"", b"") } else { (b":", port) };
    for part in [scheme, b"://", open, host, close, colon, port, b"/"] {
        out.extend_from_slice(part);
    }
}

/// The scheme by the port, for logs without a scheme.
pub(crate) fn scheme_of(port: &[u8]) -> &'static [u8] {
    let zeros = port.iter().take_while(|&&b| b == b'0').count();
    if &port[zeros..] == b"443" { b"https" } else { b"http" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_told_from_addresses() {
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("example.com:443", "example.com", Some("443")),
            ("example.com", "example.com", None),
            ("example.com:", "example.com", None),
            ("[::1]:80", "[::1]", Some("80")),
            ("[::1]", "[::1]", None),
            ("2001:db8::1", "2001:db8::1", None),
            ("h:x", "h:x", None),
        ];
        for (vhost, host, port) in cases {
            let found = host_and_port(vhost.as_bytes());
            assert_eq!(found, (host.as_bytes(), port.map(str::as_bytes)), "{vhost}");
        }
    }

    #[test]
    fn a_host_is_what_a_client_may_have_asked_for() {
        // (text, whether it names no host, whether it is a pattern)
        for (host, none, pattern) in [
            ("", true, false),
            ("-", true, false),
            ("_", true, false),
            ("\"\"", true, false),
            ("*.example.com", false, true),
            ("www.*", false, true),
            ("~^www", false, true),
            ("a_b", false, false),
            ("localhost", false, false),
            ("[::1]", false, false),
        ] {
            assert_eq!((is_none(host.as_bytes()), is_pattern(host.as_bytes())), (none, pattern), "{host}");
        }
    }

    #[test]
    fn roots_have_the_scheme_that_the_log_tells() {
        // (scheme, host, port, root)
        let cases = [
            ("http", "h", "", "http://h/"),
            ("http", "h", "80", "http://h/"),
            ("http", "h", "0080", "http://h/"),
            ("http", "h", "8080", "http://h:8080/"),
            ("http", "h", "443", "http://h:443/"),
            ("https", "h", "443", "https://h/"),
            ("https", "::1", "8443", "https://[::1]:8443/"),
            ("http", "[::1]", "", "http://[::1]/"),
            ("wss", "h", "443", "https://h/"),
            ("h2c", "h", "80", "http://h/"),
            ("http", "evil/", "", "//evil/"),
            ("", "h", "", "//h"),
            ("http", "h", "8x", "//h"),
        ];
        for (scheme, host, port, expected) in cases {
            let mut out = Vec::new();
            write_root(scheme.as_bytes(), host.as_bytes(), port.as_bytes(), &mut out);
            assert_eq!(out, expected.as_bytes(), "{scheme} {host} {port}");
        }
        assert_eq!((scheme_of(b"443"), scheme_of(b"0443")), (&b"https"[..], &b"https"[..]));
        assert_eq!((scheme_of(b"80"), scheme_of(b"")), (&b"http"[..], &b"http"[..]));
    }
}

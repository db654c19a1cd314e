//! Where RFC 2396 differs from RFC 3986: its character classes, each under its grammar line (Appendix A; "|" separates
//! alternatives there), and its forms of authority.

use super::class::Class;

/// `unreserved = alphanum | mark`, `mark = "-" | "_" | "." | "!" | "~" | "*" | "'" | "(" | ")"` (2.3)
pub const UNRESERVED: Class = 1 << 16;
/// `reserved = ";" | "/" | "?" | ":" | "@" | "&" | "=" | "+" | "$" | ","` (2.2)
pub const RESERVED: Class = 1 << 17;
/// `uric = reserved | unreserved | escaped`, escaped ones apart (2); `query` and `fragment` are made of it
pub const URIC: Class = 1 << 18;
/// `userinfo = *( unreserved | escaped | ";" | ":" | "&" | "=" | "+" | "$" | "," )`, escaped ones apart (3.2.2)
pub const USERINFO: Class = 1 << 19;
/// `reg_name = 1*( unreserved | escaped | "$" | "," | ";" | ":" | "@" | "&" | "=" | "+" )`, escaped ones apart
/// (3.2.1). Every server is made of it too.
pub const REG_NAME: Class = 1 << 20;
/// `pchar = unreserved | escaped | ":" | "@" | "&" | "=" | "+" | "$" | ","`, escaped ones apart (3.3)
pub const PCHAR: Class = 1 << 21;
/// `path_segments`: segments of pchar, the `;` before each of their parameters, and slashes (3.3)
pub const PATH: Class = 1 << 22;

/// The classes of one byte, for the table of [`super::chars`].
pub(super) const fn classes_of(b: u8) -> Class {
    let mark = matches!(b, b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')');
    let unreserved = b.is_ascii_alphanumeric() || mark;
    let reserved = matches!(b, b';' | b'/' | b'?' | b':' | b'@' | b'&' | b'=' | b'+' | b'$' | b',');
    let mut set = 0;
    if unreserved {
        set |= UNRESERVED | URIC | USERINFO | REG_NAME | PCHAR | PATH;
    }
    if reserved {
        set |= RESERVED | URIC;
    }
    if matches!(b, b';' | b':' | b'&' | b'=' | b'+' | b'$' | b',') {
        set |= USERINFO;
    }
    if matches!(b, b'$' | b',' | b';' | b':' | b'@' | b'&' | b'=' | b'+') {
        set |= REG_NAME;
    }
    if matches!(b, b':' | b'@' | b'&' | b'=' | b'+' | b'$' | b',') {
        set |= PCHAR | PATH;
    }
    if matches!(b, b';' | b'/') {
        set |= PATH;
    }
    set
}

/// `hostname = *( domainlabel "." ) toplabel [ "." ]` (3.2.2): labels of letters, digits and inner hyphens, of
/// any length; the last one begins with a letter.
pub fn is_hostname(host: &[u8]) -> bool {
    let name = host.strip_suffix(b".").unwrap_or(host);
    let is_label = |label: &[u8]| {
        let (Some(first), Some(last)) = (label.first(), label.last()) else { return false };
        first.is_ascii_alphanumeric()
            && last.is_ascii_alphanumeric()
            && label.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'-')
    };
    let top = name.rsplit(|&b| b == b'.').next().unwrap_or_default();
    top.first().is_some_and(u8::is_ascii_alphabetic) && name.split(|&b| b == b'.').all(is_label)
}

/// `IPv4address = 1*digit "." 1*digit "." 1*digit "." 1*digit` (3.2.2): numbers of any size.
#[must_use]
pub fn is_ipv4address(host: &[u8]) -> bool {
    let is_number = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    host.split(|&b| b == b'.').count() == 4 && host.split(|&b| b == b'.').all(is_number)
}

/// The offsets of a server: `[ [ userinfo "@" ] hostport ]` with `hostport = host [ ":" port ]` (3.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Server {
    /// Where the host begins: after the `@`, if there is one.
    pub host_start: usize,
    /// The end of the host: its colon, if there is a port.
    pub host_end: usize,
}

/// The place of the host of `authority`, if it is a server and not empty; `None` for a registry's name. The authority
/// consists of [`REG_NAME`] and triplets.
pub fn server(authority: &[u8]) -> Option<Server> {
    // No "@" is allowed in a host, a port or userinfo.
    let host_start = memchr::memchr(b'@', authority).map_or(0, |at| at + 1);
    let hostport = &authority[host_start..];
    let length = memchr::memchr(b':', hostport).unwrap_or(hostport.len());
    let (host, port) = hostport.split_at(length);
    let is_host = is_hostname(host) || is_ipv4address(host);
    let is_port = port.iter().skip(1).all(u8::is_ascii_digit);
    (is_host && is_port).then_some(Server { host_start, host_end: host_start + length })
}

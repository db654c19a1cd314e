//! Suffix references (RFC 3986 section 4.5): `www.w3.org/Addressing/`, a URI without its well-known beginning. Part of
//! repair, for lists whose owner says that they hold such texts.
//!
//! Each is also a relative reference (`www.w3.org` could be a folder), or has a scheme by its form
//! (`example.com:8080/x`), so the grammar cannot recognize it, and section 4.5 warns of guessing. The text before the
//! first slash is therefore taken for a host only in these cases: an IPv4 address or an IPv6 address in brackets,
//! `localhost`, a name below a public suffix, or a name of three labels that begins with `www`; a port in decimal may
//! follow. User information never begins one: `user@example.com/x` is as likely to be a mailbox, and a name before the
//! host is what section 7.6 warns of.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use super::port_number;
use crate::domain::is_public_name;
use crate::error::Error;
use crate::grammar::ip::{self, Literal};
use crate::grammar::scheme::{self, Scheme};
use crate::idn::ascii_host;

/// The scheme that completes suffix references: one of the registry whose URIs need a host.
///
/// ```
/// use urimill_uri::normalize::DefaultScheme;
///
/// assert_eq!("HTTPS".parse::<DefaultScheme>()?.as_str(), "https");
/// assert!("mailto".parse::<DefaultScheme>().is_err());
/// # Ok::<(), urimill_uri::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefaultScheme(&'static Scheme);

impl DefaultScheme {
    /// Its name, in lower case.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.0.name
    }
}

impl fmt::Display for DefaultScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for DefaultScheme {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = scheme::find(name.as_bytes()).filter(|scheme| scheme.host_required);
        found.map(DefaultScheme).ok_or_else(|| {
            Error::usage(format!(
                "the default scheme cannot be {name:?}: give one whose URIs name a host, such as https, http or ftp"
            ))
        })
    }
}

/// Whether a text without surrounding white space or delimiters is taken for a suffix reference.
#[must_use]
pub fn is_suffix(text: &[u8]) -> bool {
    let end = text.iter().position(|b| b"/?#\\".contains(b)).unwrap_or(text.len());
    let head = &text[..end];
    if let [b'[', inner @ ..] = head {
        return matches!(ip::literal(inner), Ok((Literal::V6(_), len)) if is_port(&inner[len..]));
    }
    let (host, port) = head.split_at(memchr::memchr(b':', head).unwrap_or(head.len()));
    is_port(port) && (ip::ipv4(host).is_some() || is_name(host))
}

/// A suffix reference with its scheme. Backslashes before the query become slashes here, because without a scheme
/// repair leaves them.
pub(super) fn complete(text: &[u8], scheme: DefaultScheme) -> Vec<u8> {
    let query = text.iter().position(|b| b"?#".contains(b)).unwrap_or(text.len());
    let (before, behind) = text.split_at(query);
    let before: Vec<u8> = before.iter().map(|&b| if b == b'\\' { b'/' } else { b }).collect();
    [scheme.as_str().as_bytes(), b"://", &before, behind].concat()
}

/// Nothing, or a colon and a valid port number. Digits are required because `host.example:path` is how `scp` writes a
/// file.
fn is_port(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit) && port_number(digits).is_some(),
        _ => false,
    }
}

/// Whether a host is a name that can be recognized by itself.
fn is_name(host: &[u8]) -> bool {
    if !host.is_ascii() {
        return ascii_host(host).is_some_and(|name| is_name(name.as_bytes()));
    }
    let name = host.strip_suffix(b".").unwrap_or(host);
    let top = &name[memchr::memrchr(b'.', name).map_or(0, |at| at + 1)..];
    let begins_with_www = name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"www."));
    let stands_for_itself = match memchr::memchr_iter(b'.', name).count() {
        _ if top.eq_ignore_ascii_case(b"localhost") => true,
        0 => false,
        1 => is_public_name(name),
        _ => begins_with_www || is_public_name(name),
    };
    stands_for_itself && host.len() <= 255 && name.split(|&b| b == b'.').all(is_label)
}

/// A label as used on the web: domain names with underscores exist.
fn is_label(label: &[u8]) -> bool {
    (1..=63).contains(&label.len())
        && label.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        && label[0] != b'-'
        && label[label.len() - 1] != b'-'
}

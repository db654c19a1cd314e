//! The kind of a host (RFC 3986 section 3.2.2): the first form that matches.

use core::fmt;
use core::net::{Ipv4Addr, Ipv6Addr};

use crate::grammar::ip::{self, Literal};
use crate::grammar::{Spec, rfc2396};

/// The kinds of host, as the column `host_kind` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum HostKind {
    /// A `reg-name` that is also a domain name: labels of letters, digits and hyphens (RFC 1034 3.5, RFC 1123 2.1), at
    /// most 255 characters, the last label not a number; a dot may end it. By RFC 2396 a `hostname` (3.2.2), of any
    /// length.
    DnsName,
    /// Any other `reg-name`, also the empty one. By RFC 2396 a registry's name (3.2.1), which is the whole authority.
    RegName,
    /// An `IPv4address`.
    Ipv4,
    /// An `IPv6address` in brackets.
    Ipv6,
    /// An `IPvFuture` in brackets.
    IpvFuture,
}

impl HostKind {
    /// Every kind, in the order of their numbers.
    pub const ALL: [HostKind; 5] =
        [HostKind::DnsName, HostKind::RegName, HostKind::Ipv4, HostKind::Ipv6, HostKind::IpvFuture];

    /// The name in the column.
    #[inline]
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            HostKind::DnsName => "dns_name",
            HostKind::RegName => "reg_name",
            HostKind::Ipv4 => "ipv4",
            HostKind::Ipv6 => "ipv6",
            HostKind::IpvFuture => "ipvfuture",
        }
    }
}

impl fmt::Display for HostKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A host's kind and, for an address, the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Host {
    /// [`HostKind::DnsName`]
    DnsName,
    /// [`HostKind::RegName`]
    RegName,
    /// [`HostKind::Ipv4`]
    Ipv4(Ipv4Addr),
    /// [`HostKind::Ipv4`] by RFC 2396's grammar, which takes numbers of any size: `256.0.0.1`, `010.0.0.1`.
    LooseIpv4,
    /// [`HostKind::Ipv6`]
    Ipv6(Ipv6Addr),
    /// [`HostKind::IpvFuture`]
    IpvFuture,
}

impl Host {
    /// Its kind.
    #[inline]
    #[must_use]
    pub fn kind(self) -> HostKind {
        match self {
            Host::DnsName => HostKind::DnsName,
            Host::RegName => HostKind::RegName,
            Host::Ipv4(_) | Host::LooseIpv4 => HostKind::Ipv4,
            Host::Ipv6(_) => HostKind::Ipv6,
            Host::IpvFuture => HostKind::IpvFuture,
        }
    }
}

/// Classifies a valid host, brackets included.
pub(crate) fn classify(host: &[u8]) -> Host {
    if host.first() == Some(&b'[') {
        return match ip::literal(&host[1..]) {
            Ok((Literal::V6(address), _)) => Host::Ipv6(address),
            _ => Host::IpvFuture,
        };
    }
    if is_dns_name(host) {
        return Host::DnsName;
    }
    ip::ipv4(host).map_or(Host::RegName, Host::Ipv4)
}

/// Classifies a valid host by one of the specifications. By RFC 2396 (3.2) a host is a server's, or all of a registry's
/// name.
pub fn classify_as(host: &[u8], spec: Spec) -> Host {
    match spec {
        Spec::Rfc3986 | Spec::Rfc3986Errata => classify(host),
        Spec::Rfc2396 if rfc2396::is_hostname(host) => Host::DnsName,
        Spec::Rfc2396 if rfc2396::is_ipv4address(host) => ip::ipv4(host).map_or(Host::LooseIpv4, Host::Ipv4),
        Spec::Rfc2396 => Host::RegName,
    }
}

/// See [`HostKind::DnsName`]. A name whose last label is a number would be taken for an address, so no address is a DNS
/// name.
pub(crate) fn is_dns_name(host: &[u8]) -> bool {
    if host.is_empty() || host.len() > 255 {
        return false;
    }
    let name = host.strip_suffix(b".").unwrap_or(host);
    // One pass: the start of the label, and whether it has anything but digits.
    let (mut start, mut is_number) = (0, true);
    for (at, &byte) in name.iter().enumerate() {
        match byte {
            b'.' => {
                if !is_label(&name[start..at]) {
                    return false;
                }
                (start, is_number) = (at + 1, true);
            }
            b'0'..=b'9' => {}
            b'a'..=b'z' | b'A'..=b'Z' | b'-' => is_number = false,
            _ => return false,
        }
    }
    is_label(&name[start..]) && !is_number
}

/// 1 to 63 bytes with no hyphen at an edge.
fn is_label(label: &[u8]) -> bool {
    (1..=63).contains(&label.len()) && label[0] != b'-' && label[label.len() - 1] != b'-'
}

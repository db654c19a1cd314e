//! What a scheme declares equal (RFC 3986 section 6.2.3): default and empty ports, the empty path, the default
//! host, domains of `mailto`; and the one spelling of an IPv6 address (RFC 5952).

use alloc::vec::Vec;

use super::{Changes, Level, case, ipv6};
use crate::grammar::Spec;
use crate::grammar::scheme::{self, CaseInsensitive, Scheme};
use crate::host::Host;
use crate::simd::Split;

/// The rules of one URI's scheme at one level.
#[derive(Debug, Clone, Copy)]
pub(super) enum Entry {
    /// No rules apply: below [`Level::Scheme`].
    Nothing,
    /// RFC 2396 (6) has one rule: an explicit port equals no port if it is the default.
    PortAlone(Option<&'static Scheme>),
    /// No scheme: the base may bring any, so only the rules common to all of them.
    Absent,
    /// A scheme outside the registry: the generic rules (6.2.3).
    Unknown,
    /// A scheme of the registry.
    Registered(&'static Scheme),
}

/// The rules for `name`, which is empty if there is no scheme.
pub(super) fn entry(name: &[u8], level: Level, spec: Spec) -> Entry {
    match spec {
        _ if level < Level::Scheme => Entry::Nothing,
        Spec::Rfc2396 => Entry::PortAlone(scheme::find(name)),
        Spec::Rfc3986 | Spec::Rfc3986Errata if name.is_empty() => Entry::Absent,
        Spec::Rfc3986 | Spec::Rfc3986Errata => scheme::find(name).map_or(Entry::Unknown, Entry::Registered),
    }
}

impl Entry {
    /// Whether a port is dropped: the scheme's default, or an empty one.
    pub(super) fn drops_port(self, port: &[u8]) -> bool {
        match self {
            Entry::Nothing => false,
            Entry::Absent | Entry::Unknown | Entry::PortAlone(None) => port.is_empty(),
            Entry::Registered(scheme) | Entry::PortAlone(Some(scheme)) => {
                port.is_empty() || scheme.default_port.is_some() && port_number(port) == scheme.default_port
            }
        }
    }

    /// The host that an absent or empty one stands for (3.2.2).
    pub(super) fn default_host(self) -> Option<&'static [u8]> {
        match self {
            Entry::Registered(scheme) => scheme.default_host.map(str::as_bytes),
            Entry::Nothing | Entry::PortAlone(_) | Entry::Absent | Entry::Unknown => None,
        }
    }

    /// Whether the scheme has a default host.
    pub(super) fn has_default_host(self) -> bool {
        self.default_host().is_some()
    }

    /// Whether an empty path after an authority is the root.
    pub(super) fn roots_empty_path(self) -> bool {
        match self {
            Entry::Nothing | Entry::PortAlone(_) | Entry::Absent => false,
            Entry::Unknown => true,
            Entry::Registered(scheme) => scheme.empty_path_is_root,
        }
    }

    /// Changes the parts of a path to lower case that are case-insensitive in the scheme; its triplets and dot segments
    /// are in normal form.
    pub(super) fn lower_path(self, path: &mut [u8], done: &mut Changes) {
        if let Entry::Registered(Scheme { case_insensitive: CaseInsensitive::MailDomains, .. }) = self {
            for address in path.split_mut(|&b| b == b',') {
                let domain = address.len() - mail_domain(address).len();
                done.case |= case::lower_host(&mut address[domain..]);
            }
        }
    }
}

/// The part after the last `@` of a mail address; empty if there is no `@`.
fn mail_domain(address: &[u8]) -> &[u8] {
    memchr::memrchr(b'@', address).map_or(b"", |at| &address[at + 1..])
}

/// The number of a port's digits; `None` if there are none or it does not fit.
#[inline]
#[must_use]
pub fn port_number(port: &[u8]) -> Option<u16> {
    let digits = &port[port.iter().take_while(|&&b| b == b'0').count()..];
    if port.is_empty() || digits.len() > 5 {
        return None;
    }
    let value = digits.iter().fold(0u32, |value, digit| value * 10 + u32::from(digit.wrapping_sub(b'0')));
    u16::try_from(value).ok()
}

/// Whether the scheme's rules may change anything.
pub(super) fn wants(text: &[u8], split: &Split, host: Option<Host>, spec: Spec) -> bool {
    let part = |from: u32, to: u32| &text[from as usize..to as usize];
    if let Some(address @ Host::Ipv6(_)) = host {
        let mut canonical = Vec::with_capacity(41);
        write_host(address, &mut canonical, 0);
        if canonical != part(split.host_start, split.host_end) {
            return true;
        }
    }
    let rules = entry(part(0, split.scheme_end), Level::Scheme, spec);
    let has_port = split.host_end < split.path_start;
    let name = part(split.host_start, split.host_end);
    let spells_host = |default: &[u8]| {
        // An empty host gets the default name if user information or a port is beside it.
        let has_others = split.path_start > split.after_scheme() + 2;
        name.eq_ignore_ascii_case(default) || name.is_empty() && has_others
    };
    let in_authority = match host {
        // A path that gets its slash when dot segments are removed has dot segments.
        None => rules.has_default_host() && part(split.path_start, split.path_end).first() == Some(&b'/'),
        Some(_) => {
            has_port && rules.drops_port(part(split.host_end + 1, split.path_start))
                || split.path_start == split.path_end && rules.roots_empty_path()
                || rules.default_host().is_some_and(spells_host)
        }
    };
    in_authority
        || matches!(rules, Entry::Registered(scheme) if scheme.case_insensitive == CaseInsensitive::MailDomains)
            && part(split.path_start, split.path_end)
                .split(|&b| b == b',')
                .any(|address| case::host_wants(mail_domain(address)))
}

/// Overwrites an IPv6 address at `out[from..]` with its RFC 5952 section 4 spelling.
pub(super) fn write_host(host: Host, out: &mut Vec<u8>, from: usize) {
    if let Host::Ipv6(address) = host {
        out.truncate(from);
        out.push(b'[');
        ipv6::write(address, out);
        out.push(b']');
    }
}

//! RFC 3986 section 7, and what was done to a URI, as flags in one integer. Stands behind
//! normalization; the flags describe the normal form.

use crate::encode::host_not_utf8;
use crate::grammar::ip;
use crate::grammar::scheme;
use crate::normalize::{Changes, Triplets, port_number};
use crate::resolve::Remarks;
use crate::simd::Split;
use crate::uri::Host;

/// A set of flags: the bits of the column `flags`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Flags(pub i32);

/// One flag: its bit, its name in JSON Lines and CSV, and what it says.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// A power of two.
    pub bit: i32,
    /// The stable name.
    pub name: &'static str,
    /// One sentence with the section of RFC 3986.
    pub meaning: &'static str,
}

/// Defines the bits and the table that names them in one place.
macro_rules! flags {
    ($($(#[doc = $meaning:literal])+ $constant:ident = $bit:literal, $name:literal;)*) => {
        impl Flags {
            $($(#[doc = $meaning])+ pub const $constant: Flags = Flags(1 << $bit);)*
        }

        /// Every flag, in the order of the bits.
        pub static FLAGS: &[Flag] = &[
            $(Flag { bit: 1 << $bit, name: $name, meaning: concat!($($meaning),+) }),*
        ];

        /// Bits and names alone, for formats that write the names.
        pub static FLAG_NAMES: &[(i32, &str)] = &[$((1 << $bit, $name)),*];
    };
}

flags! {
    /// has user information (7.5)
    HAS_USERINFO = 0, "has_userinfo";
    /// has a password in its user information (7.5)
    HAS_PASSWORD = 1, "has_password";
    /// the user information looks like a host (7.6)
    DECEPTIVE_USERINFO = 2, "deceptive_userinfo";
    /// the host is a number that some platforms read as an IPv4 address (7.4)
    RARE_IPV4 = 3, "rare_ipv4";
    /// has a percent-encoded NUL (7.3)
    ENCODED_NUL = 4, "encoded_nul";
    /// has a percent-encoded delimiter, carriage return or line feed (7.2)
    ENCODED_DELIMITER = 5, "encoded_delimiter";
    /// the port is below 1024 and belongs to another scheme (7.2)
    PORT_WELL_KNOWN_MISMATCH = 6, "port_well_known_mismatch";
    /// the port is above 65535, and the column `port` null (3.2.3)
    PORT_OUT_OF_RANGE = 7, "port_out_of_range";
    /// the scheme requires a host and there is none (3.2.2)
    MISSING_HOST = 8, "missing_host";
    /// the reference points into the base document itself (4.4)
    SAME_DOCUMENT = 9, "same_document";
    /// dot segments have been removed, by resolution or normalization (5.2.4, 6.2.2.3)
    DOT_SEGMENTS_REMOVED = 10, "dot_segments_removed";
    /// triplets of unreserved characters have been decoded (6.2.2.2)
    PERCENT_DECODED = 11, "percent_decoded";
    /// the case of scheme, host or triplets has been changed (6.2.2.1)
    CASE_CHANGED = 12, "case_changed";
    /// a default or empty port has been dropped (6.2.3)
    PORT_DROPPED = 13, "port_dropped";
    /// the text, or the base that it stands against, was outside the grammar, or the text a suffix of a URI, and
    /// has been repaired (4.5, Appendix C)
    REPAIRED = 14, "repaired";
    /// the host is an internationalized name: punycode, or percent-encoded beyond ASCII (3.2.2)
    NON_ASCII_HOST = 15, "non_ascii_host";
    /// the host is, or in a rare form means, a loopback, private, link-local or unspecified address (7.4)
    PRIVATE_ADDRESS = 16, "private_address";
    /// the host has triplets that decode to no UTF-8 (3.2.2)
    HOST_NOT_UTF8 = 17, "host_not_utf8";
    /// the reference has more .. than its base has segments above it (5.4.2; an error by RFC 2396, 5.2 step 6 g)
    EXCESS_DOT_SEGMENTS = 18, "excess_dot_segments";
    /// the reference repeats the base's scheme and has no authority, as http:g (5.4.2; an error by RFC 2396, 5.2 step 3)
    SAME_SCHEME_REFERENCE = 19, "same_scheme_reference";
    /// the reference is relative, and the base not hierarchical, so that nothing fits it (5 of RFC 2396; 1.2.3 of RFC 3986)
    UNSUITABLE_BASE = 20, "unsuitable_base";
}

impl Flags {
    /// Adds a flag where it holds.
    pub fn set(&mut self, flag: Flags, holds: bool) {
        if holds {
            self.0 |= flag.0;
        }
    }

    /// Whether all of `flags` are set.
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// The names of the flags that are set, in the order of the bits.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        FLAGS.iter().filter(move |flag| self.0 & flag.bit != 0).map(|flag| flag.name)
    }
}

/// Sets the flags of what there is to remark about a reference against its base.
pub(crate) fn set_remarks(flags: &mut Flags, remarks: Remarks) {
    flags.set(Flags::EXCESS_DOT_SEGMENTS, remarks.excess_dot_segments);
    flags.set(Flags::SAME_SCHEME_REFERENCE, remarks.same_scheme_reference);
    flags.set(Flags::UNSUITABLE_BASE, remarks.unsuitable_base);
}

/// The flags of a reference that the kernel has accepted whole: with a scheme of the web, a DNS name in
/// ASCII, and neither user information nor a port, only triplets and changes are left to tell.
pub(crate) fn flags_of_accepted(triplets: Triplets, changes: Changes) -> Flags {
    let mut flags = Flags::default();
    flags.set(Flags::ENCODED_NUL, triplets.has(Triplets::NUL));
    flags.set(Flags::ENCODED_DELIMITER, triplets.has(Triplets::DELIMITER));
    flags.set(Flags::CASE_CHANGED, changes.case);
    flags.set(Flags::PERCENT_DECODED, changes.percent);
    flags.set(Flags::DOT_SEGMENTS_REMOVED, changes.dots);
    flags.set(Flags::PORT_DROPPED, changes.port);
    flags
}

/// The flags of a valid reference. `split` is relative to `text`.
pub(crate) fn flags(
    text: &[u8],
    split: &Split,
    host: Option<Host>,
    triplets: Triplets,
    changes: Changes,
) -> Flags {
    let part = |from: u32, to: u32| &text[from as usize..to as usize];
    let mut flags = flags_of_accepted(triplets, changes);
    let scheme = scheme::find(part(0, split.scheme_end));
    let name = part(split.host_start, split.host_end);
    flags.set(Flags::MISSING_HOST, name.is_empty() && scheme.is_some_and(|scheme| scheme.host_required));
    let Some(host) = host else { return flags };

    let authority = split.after_scheme() + 2;
    if authority < split.host_start {
        let userinfo = part(authority, split.host_start - 1);
        flags.set(Flags::HAS_USERINFO, true);
        flags.set(
            Flags::HAS_PASSWORD,
            userinfo.iter().position(|&b| b == b':').is_some_and(|at| at + 1 < userinfo.len()),
        );
        flags.set(Flags::DECEPTIVE_USERINFO, looks_like_host(userinfo));
    }
    match host {
        Host::Ipv4(address) => flags.set(Flags::PRIVATE_ADDRESS, ip::is_private_v4(address)),
        Host::Ipv6(address) => flags.set(Flags::PRIVATE_ADDRESS, ip::is_private_v6(address)),
        // A hexadecimal last label (`1.0xff`) makes a domain name by the letter of RFC 1123.
        Host::RegName | Host::DnsName | Host::LooseIpv4 => {
            let is_rare = ip::is_rare_ipv4(name);
            flags.set(Flags::RARE_IPV4, is_rare);
            let address = if is_rare { ip::rare_ipv4(name) } else { None };
            flags.set(Flags::PRIVATE_ADDRESS, address.is_some_and(ip::is_private_v4));
        }
        Host::IpvFuture => {}
    }
    flags.set(Flags::NON_ASCII_HOST, is_international(name));
    flags.set(Flags::HOST_NOT_UTF8, host_not_utf8(name).is_some());

    if split.host_end + 1 < split.path_start {
        let number = port_number(part(split.host_end + 1, split.path_start));
        flags.set(Flags::PORT_OUT_OF_RANGE, number.is_none());
        let own = scheme.and_then(|scheme| scheme.default_port);
        flags.set(
            Flags::PORT_WELL_KNOWN_MISMATCH,
            number.is_some_and(|port| own != Some(port) && scheme::is_well_known(port)),
        );
    }
    flags
}

/// Whether a label is punycode, or a triplet stands for a byte beyond ASCII.
fn is_international(host: &[u8]) -> bool {
    if memchr::memchr2(b'-', b'%', host).is_none() {
        return false;
    }
    let punycode = host
        .split(|&b| b == b'.')
        .any(|label| label.get(..4).is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"xn--")));
    punycode || memchr::memchr_iter(b'%', host).any(|at| host.get(at + 1).is_some_and(|&b| b >= b'8'))
}

/// Whether a reader may take user information for the host (7.6): it begins with an IPv4 address or
/// with a name of several labels, the last one of letters.
fn looks_like_host(userinfo: &[u8]) -> bool {
    let is_host_byte = |&b: &u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
    let end = userinfo.iter().position(|b| !is_host_byte(b)).unwrap_or(userinfo.len());
    let name = &userinfo[..end];
    if ip::ipv4(name).is_some() {
        return true;
    }
    let mut labels = name.rsplit(|&b| b == b'.');
    let top = labels.next().unwrap_or_default();
    let below = labels.next().unwrap_or_default();
    top.len() >= 2 && top.iter().all(u8::is_ascii_alphabetic) && !below.is_empty()
}

//! The warnings of RFC 3986 section 7, and what was done to a URI, as flags in one integer. Runs after normalization.
//!
//! The flags of section 7 are computed on the reference as it was read, mended or resolved, before normalization, and
//! on its decoded data: so they are the same at every level, and include what normalization removes.

mod authority;
mod data;
mod ports;

use crate::grammar::{Spec, scheme};
use crate::host::Host;
use crate::normalize::{self, Changes, Level, Triplets, port_number};
use crate::resolve::Remarks;
use crate::simd::Split;
use alloc::vec::Vec;
pub use ports::PortRules;

/// A set of flags: the bits of the column `flags`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Flags(pub i32);

/// One flag: its bit, its name in JSON Lines and CSV, and its meaning.
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
    /// the user information reads as a host, once it is decoded (7.6)
    DECEPTIVE_USERINFO = 2, "deceptive_userinfo";
    /// the host is no IPv4 address by the grammar, and some platforms read it as one: a number in another form, or
    /// written with triplets (7.4)
    RARE_IPV4 = 3, "rare_ipv4";
    /// has a percent-encoded NUL (7.3)
    ENCODED_NUL = 4, "encoded_nul";
    /// has a percent-encoded delimiter, carriage return or line feed (7.2)
    ENCODED_DELIMITER = 5, "encoded_delimiter";
    /// the port is below 1024 and another service's than the scheme's, or is flagged by the rules given (7.2)
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
    /// the text, or the base that it is resolved against, was outside the grammar, or the text a suffix of a URI, and
    /// has been repaired (4.5, Appendix C)
    REPAIRED = 14, "repaired";
    /// the host is an internationalized name: punycode, or percent-encoded beyond ASCII (3.2.2)
    NON_ASCII_HOST = 15, "non_ascii_host";
    /// the host is, or in another form means or carries, an address that is not of the public Internet: loopback,
    /// private, shared, link-local, unspecified, reserved (7.4)
    PRIVATE_ADDRESS = 16, "private_address";
    /// the host has triplets that decode to no UTF-8 (3.2.2)
    HOST_NOT_UTF8 = 17, "host_not_utf8";
    /// the reference has more .. than its base has segments above it (5.4.2; an error by RFC 2396, 5.2 step 6 g)
    EXCESS_DOT_SEGMENTS = 18, "excess_dot_segments";
    /// the reference repeats the base's scheme and has no authority, as http:g (5.4.2; an error by RFC 2396, 5.2 step
    /// 3)
    SAME_SCHEME_REFERENCE = 19, "same_scheme_reference";
    /// the reference is relative, and the base not hierarchical, so that nothing fits it (5 of RFC 2396; 1.2.3 of RFC
    /// 3986)
    UNSUITABLE_BASE = 20, "unsuitable_base";
    /// has a percent-encoded backslash (7.3)
    ENCODED_BACKSLASH = 21, "encoded_backslash";
    /// a segment of the path is the name of a device on some systems, such as CON or AUX.txt (7.3)
    DEVICE_NAME = 22, "device_name";
    /// has triplets of over-long UTF-8, which careless decoders take for other characters (7.3)
    OVERLONG_UTF8 = 23, "overlong_utf8";
    /// has triplets that are triplets again once they are decoded, such as %252F (7.3, 2.4)
    DOUBLE_ENCODING = 24, "double_encoding";
    /// the host is a name that IDNA maps to an IPv4 address (7.4)
    IDNA_ADDRESS = 25, "idna_address";
}

impl core::ops::BitOr for Flags {
    type Output = Flags;

    #[inline]
    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl Flags {
    /// Adds a flag where it holds.
    #[inline]
    pub fn set(&mut self, flag: Flags, holds: bool) {
        if holds {
            self.0 |= flag.0;
        }
    }

    /// Whether all of `flags` are set.
    #[inline]
    #[must_use]
    pub fn has(self, flags: Flags) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// The names of the flags that are set, in the order of the bits.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        FLAGS.iter().filter(move |flag| self.0 & flag.bit != 0).map(|flag| flag.name)
    }
}

/// Sets the flags for the remarks about a reference and its base.
#[doc(hidden)]
#[inline]
pub fn set_remarks(flags: &mut Flags, remarks: Remarks) {
    flags.set(Flags::EXCESS_DOT_SEGMENTS, remarks.excess_dot_segments);
    flags.set(Flags::SAME_SCHEME_REFERENCE, remarks.same_scheme_reference);
    flags.set(Flags::UNSUITABLE_BASE, remarks.unsuitable_base);
}

/// The flags of section 7 that a reference gets for its path, query and fragment. A reference that the kernel has
/// accepted whole (an ASCII DNS name as host, neither user information nor a port) has no others. `split` is relative
/// to `text`; `triplets` are those of its path, query and fragment.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn of_data(text: &[u8], split: &Split, triplets: Triplets) -> Flags {
    let mut flags = of_triplets(text, triplets);
    flags.set(Flags::DEVICE_NAME, has_device_name(text, split, triplets));
    flags
}

/// The flags of [`of_data`] that depend on triplets alone.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn of_triplets(text: &[u8], triplets: Triplets) -> Flags {
    let mut flags = Flags::default();
    if triplets != Triplets::default() {
        flags.set(Flags::ENCODED_NUL, triplets.has(Triplets::NUL));
        flags.set(Flags::ENCODED_DELIMITER, triplets.has(Triplets::DELIMITER));
        flags.set(Flags::ENCODED_BACKSLASH, triplets.has(Triplets::BACKSLASH));
        flags.set(Flags::OVERLONG_UTF8, triplets.has(Triplets::OVERLONG));
        flags.set(Flags::DOUBLE_ENCODING, triplets.has(Triplets::PERCENT) && data::is_encoded_twice(text));
    }
    flags
}

/// Whether the path contains the name of a device.
#[doc(hidden)]
#[must_use]
pub fn has_device_name(text: &[u8], split: &Split, triplets: Triplets) -> bool {
    path_of_files(text, split).is_some_and(|path| data::has_device_name(path, triplets))
}

/// Whether the path contains the name of a device that has triplets, or follows one.
#[doc(hidden)]
#[must_use]
pub fn has_encoded_device_name(text: &[u8], split: &Split, triplets: Triplets) -> bool {
    triplets.has(Triplets::UNRESERVED | Triplets::DELIMITER | Triplets::BACKSLASH)
        && path_of_files(text, split).is_some_and(data::has_encoded_device_name)
}

/// The path, if its segments may be names of files: what follows the colon of `mailto:` or `urn:` is no such name.
fn path_of_files<'a>(text: &'a [u8], split: &Split) -> Option<&'a [u8]> {
    let path = &text[split.path_start as usize..split.path_end as usize];
    let is_hierarchical = path.first() == Some(&b'/')
        || split.scheme_end == 0
        || text[..split.scheme_end as usize].eq_ignore_ascii_case(b"file");
    is_hierarchical.then_some(path)
}

/// The flags for what normalization changed.
#[doc(hidden)]
#[inline]
#[must_use]
pub fn of_changes(changes: Changes) -> Flags {
    let mut flags = Flags::default();
    flags.set(Flags::CASE_CHANGED, changes.case);
    flags.set(Flags::PERCENT_DECODED, changes.percent);
    flags.set(Flags::DOT_SEGMENTS_REMOVED, changes.dots);
    flags.set(Flags::PORT_DROPPED, changes.port);
    flags
}

/// The flags of section 7 that a valid reference has, at any level: they are computed before normalization, on decoded
/// data. `split` is relative to `text`, `triplets` are those of the whole text.
#[doc(hidden)]
#[must_use]
pub fn of_reference(
    text: &[u8],
    (split, host): (&Split, Option<Host>),
    triplets: Triplets,
    spec: Spec,
    rules: &PortRules,
) -> Flags {
    let as_written = of_components(text, (split, host), triplets, rules);
    // By RFC 2396 (3.2.1) an authority that is not a server is a registry's name until its triplets are decoded.
    if spec == Spec::Rfc2396 && host == Some(Host::RegName) && triplets.has_unreserved(spec) {
        let (mut decoded, grade) = (Vec::new(), (Level::Percent, spec));
        let (split, host, _) = normalize::write(text, split, host, triplets, grade, &mut decoded);
        return of_components(&decoded, (&split, host), triplets, rules) | as_written;
    }
    as_written
}

fn of_components(
    text: &[u8],
    (split, host): (&Split, Option<Host>),
    triplets: Triplets,
    rules: &PortRules,
) -> Flags {
    let part = |from: u32, to: u32| &text[from as usize..to as usize];
    let mut flags = of_data(text, split, triplets);
    let scheme = part(0, split.scheme_end);
    let name = part(split.host_start, split.host_end);
    let needs_host = || scheme::find(scheme).is_some_and(|scheme| scheme.host_required);
    flags.set(Flags::MISSING_HOST, name.is_empty() && needs_host());
    let Some(host) = host else { return flags };

    let start = split.after_scheme() + 2;
    if start < split.host_start {
        let userinfo = part(start, split.host_start - 1);
        flags.set(Flags::HAS_USERINFO, true);
        let colon = memchr::memchr(b':', userinfo);
        flags.set(Flags::HAS_PASSWORD, colon.is_some_and(|at| at + 1 < userinfo.len()));
        flags.set(Flags::DECEPTIVE_USERINFO, authority::is_deceptive(userinfo));
    }
    flags = flags | authority::of_host(scheme, name, host);
    if split.host_end + 1 < split.path_start {
        let number = port_number(part(split.host_end + 1, split.path_start));
        flags.set(Flags::PORT_OUT_OF_RANGE, number.is_none());
        // A text that matches the grammar is ASCII.
        let scheme = core::str::from_utf8(scheme).unwrap_or_default();
        flags.set(Flags::PORT_WELL_KNOWN_MISMATCH, number.is_some_and(|port| rules.flags(scheme, port)));
    }
    flags
}

/// The flags that a mended reference has besides: `read` is the text before repair, the other arguments describe the
/// mended text.
#[doc(hidden)]
#[must_use]
pub fn of_repair(read: &[u8], mended: &[u8], split: &Split, host: Option<Host>) -> Flags {
    let mut flags = Flags::REPAIRED;
    let name = &mended[split.host_start as usize..split.host_end as usize];
    let is_mapped = host.is_some_and(|host| authority::is_mapped_by_repair(read, name, host));
    flags.set(Flags::IDNA_ADDRESS, is_mapped);
    flags
}

//! Disagreements: the reasons why the URL Standard and RFC 3986 read one text differently.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::input::Input;
use super::scheme::{self, Special};
use super::url::{self, Url};
use super::validation::{Failure, ValidationError};
use crate::grammar::{Spec, ip};
use crate::reference::{AsText, UriRef};
use crate::simd::Split;

/// Defines the disagreements: variant, name in tables, meaning.
macro_rules! disagreements {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $sentence:literal;)*) => {
        /// A way in which the two specifications read a text differently. The names are stable: they are the values of
        /// the column `disagreement`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Disagreement {
            $($(#[$doc])* $variant,)*
        }

        impl Disagreement {
            /// Every disagreement, in the order of their numbers.
            pub const ALL: &'static [Disagreement] = &[$(Disagreement::$variant),*];

            /// The name in tables.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Disagreement::$variant => $name,)* }
            }

            /// The meaning, for people.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self { $(Disagreement::$variant => $sentence,)* }
            }
        }
    };
}

disagreements! {
    /// The host of the URL is not that of the text split by RFC 3986, Appendix B, in lower case, with triplets decoded
    /// and IDNA applied; or only one of the two has a host.
    HostDiffers = "host_differs", "the two see different hosts";
    /// A backslash before the path: the URL Standard reads it as a slash, which ends the host.
    BackslashAuthority = "backslash_authority", "a backslash before the path is a slash to the URL Standard";
    /// A host that the URL Standard reads as an IPv4 address, and RFC 3986 as a name (7.4).
    NumericHost = "numeric_host", "the URL Standard reads the host as an IPv4 address, or as a broken one";
    /// A host outside ASCII, which the URL Standard maps by IDNA.
    IdnaMapped = "idna_mapped", "the host is outside ASCII, and IDNA maps it";
    /// Tabs and newlines, and controls and spaces at the ends, which the URL Standard removes.
    TabOrNewline = "tab_or_newline", "the URL Standard removes tabs, newlines, or spaces at the ends";
    /// Not exactly two slashes after a special scheme: the URL Standard takes any number.
    ExtraSlashes = "extra_slashes", "there are not exactly two slashes before the host";
    /// More than one `@` in the authority: the last one ends the credentials by the URL Standard.
    UserinfoAt = "userinfo_at", "there is more than one @ before the host";
    /// An empty host, which RFC 3986 allows and a special URL does not have.
    EmptyHost = "empty_host", "the host is empty by RFC 3986";
    /// A triplet in the host, which the URL Standard decodes.
    PercentHost = "percent_host", "the host holds percent-encoded bytes, which the URL Standard decodes";
    /// The two see different ports, or only one sees a valid one.
    PortDiffers = "port_differs", "the two see different ports";
    /// A dot segment with `%2e`.
    DotEncoded = "dot_encoded", "a percent-encoded dot segment, which the URL Standard removes";
    /// The text is outside the grammar of the RFC.
    InvalidForRfc = "invalid_for_rfc", "the text is no URI reference by the RFC";
    /// The text has no URL.
    InvalidForWhatwg = "invalid_for_whatwg", "the text has no URL by the URL Standard";
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of [`Disagreement`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Disagreements(u16);

impl Disagreements {
    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set has this one.
    #[must_use]
    pub const fn contains(self, one: Disagreement) -> bool {
        self.0 & 1 << one as u8 != 0
    }

    /// Those in the set, in the order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = Disagreement> {
        Disagreement::ALL.iter().copied().filter(move |&one| self.contains(one))
    }

    /// The set as bits, by the numbers of the disagreements.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    fn set(&mut self, one: Disagreement, holds: bool) {
        self.0 |= u16::from(holds) << one as u8;
    }
}

/// The differences between the URL Standard and an RFC in reading a text, against a base if there is one.
///
/// A text outside the RFC's grammar is still split by Appendix B's expression, as programs do that validate nothing. A
/// text that both reject is not a disagreement, and neither is a relative reference without a base: it has no target by
/// either.
///
/// ```
/// use urimill_uri::Spec;
/// use urimill_uri::whatwg::{Disagreement, disagreements};
///
/// let found = |text: &str| disagreements(text, None, Spec::Rfc3986).iter().map(Disagreement::as_str).collect::<Vec<_>>();
/// assert_eq!(found("http://a.example/b?c"), [""; 0]);
/// assert_eq!(found(r"http://a.example\@b.example/"), ["host_differs", "backslash_authority", "invalid_for_rfc"]);
/// assert_eq!(found("http://0x7f.1/"), ["host_differs", "numeric_host"]);
/// ```
#[must_use]
pub fn disagreements<T: AsText + ?Sized>(input: &T, base: Option<&Url<'_>>, spec: Spec) -> Disagreements {
    let bytes = input.as_bytes();
    if super::plain::split(bytes).is_some() {
        return Disagreements::default();
    }
    write_compared(bytes, base, spec, &mut Vec::new()).1
}

/// Parses an input and appends the URL to `out`, which is unchanged if there is none. Returns the offsets of its
/// components within it, as [`Url::split`] has them, and the [`disagreements`].
pub fn write_compared(
    input: &[u8],
    base: Option<&Url<'_>>,
    spec: Spec,
    out: &mut Vec<u8>,
) -> (Result<Split, Failure>, Disagreements) {
    let start = out.len();
    let cleaned = Input::new(input);
    let parts = url::parse_cleaned(&cleaned, base.map(Url::as_base), out);
    let url = parts.map(|parts| Url::of_written(&out[start..], parts));
    let rfc = UriRef::parse_as(input, spec);
    let found = between((input, &cleaned), base, rfc.as_ref().ok(), url.as_ref());
    (parts.map(|parts| parts.as_reference()), found)
}

/// [`disagreements`] of a text with this path, of whose scheme, authority and bytes the kernels are sure.
#[must_use]
pub fn disagreements_of_path(path: &[u8]) -> Disagreements {
    let mut found = Disagreements::default();
    found.set(Disagreement::DotEncoded, path.split(|&byte| byte == b'/').any(is_encoded_dot_segment));
    found
}

/// [`disagreements`] of a text that both have parsed, with the disagreements about its bytes found before.
fn between(
    (bytes, input): (&[u8], &Input<'_>),
    base: Option<&Url<'_>>,
    rfc: Option<&UriRef<'_>>,
    url: Result<&Url<'_>, &Failure>,
) -> Disagreements {
    use Disagreement::{
        BackslashAuthority, DotEncoded, EmptyHost, ExtraSlashes, HostDiffers, IdnaMapped, InvalidForRfc,
        InvalidForWhatwg, NumericHost, PercentHost, PortDiffers, TabOrNewline, UserinfoAt,
    };
    let mut found = Disagreements::default();
    let has_no_target = base.is_none() && rfc.is_some_and(UriRef::is_relative_reference);
    // If both reject a text they agree.
    if has_no_target || rfc.is_none() && url.is_err() {
        return found;
    }
    let split = Lenient::of(bytes);
    let clean = Lenient::of(&input.text);
    // The scheme that decides: the text's own, otherwise the base's.
    let special = match (clean.scheme, base) {
        (Some(scheme), _) => Special::of_any_case(scheme),
        (None, Some(base)) => Special::of(base.scheme().as_bytes()),
        (None, None) => None,
    };
    let is_network = matches!(special, Some(Special::Network(_)));
    let has_scheme_of_base = clean
        .scheme
        .zip(base)
        .is_some_and(|(scheme, base)| base.scheme().as_bytes().eq_ignore_ascii_case(scheme));
    let is_relative_of_base = has_scheme_of_base && special.is_some();

    found.set(InvalidForRfc, rfc.is_none());
    found.set(InvalidForWhatwg, url.is_err());
    found.set(TabOrNewline, input.is_stripped);

    let takes_any_number = is_network && clean.scheme.is_some() && !is_relative_of_base;
    let head = Head::of(clean.after_scheme, special, takes_any_number);
    found.set(BackslashAuthority, head.has_backslash);
    let is_wrong_number = match clean.scheme {
        Some(_) => head.slashes != 2,
        None => head.slashes > 2,
    };
    found.set(ExtraSlashes, is_network && is_wrong_number);
    let signs = memchr::memchr_iter(b'@', head.authority).count();
    found.set(UserinfoAt, signs > 1 && special != Some(Special::File));
    if special.is_some() {
        let host = host_of_authority(head.authority).0;
        found.set(PercentHost, host.contains(&b'%'));
        let decoded = decoded(host);
        found.set(IdnaMapped, !decoded.is_ascii());
        let is_address = match url {
            Ok(url) => head.is_there() && ip::ipv4(url.hostname().as_bytes()).is_some(),
            Err(failure) => matches!(
                failure.error,
                ValidationError::Ipv4TooManyParts
                    | ValidationError::Ipv4NonNumericPart
                    | ValidationError::Ipv4OutOfRangePart
            ),
        };
        found.set(NumericHost, is_address && ip::ipv4(&decoded).is_none());
    }

    let theirs = split.authority.map(host_of_authority);
    found.set(EmptyHost, is_network && theirs.is_some_and(|(host, _)| host.is_empty()));
    if let Ok(url) = url {
        // A text without a scheme and an authority has those of the base, by either. A text with the base's scheme has
        // them by the URL Standard only: to the RFC it is absolute (5.2.2).
        let inherits = split.scheme.is_none() && split.authority.is_none() && !head.is_there();
        if !inherits {
            let host = theirs.map(|(host, _)| host);
            let is_file = special == Some(Special::File);
            let ours = url.has_host().then(|| url.hostname().as_bytes());
            let is_same = match (host, ours) {
                (Some(theirs), Some(ours)) => is_same_host(theirs, ours, is_file),
                // A file without an authority has the empty host.
                (None, Some(ours)) => is_file && ours.is_empty(),
                (None, None) => true,
                (Some(_), None) => false,
            };
            found.set(HostDiffers, !is_same);
            let port = |digits: &[u8]| match core::str::from_utf8(digits) {
                Ok("") => special.and_then(Special::default_port),
                Ok(digits) => digits.parse::<u16>().ok(),
                Err(_) => None,
            };
            let ours = port(url.port().as_bytes());
            found.set(PortDiffers, theirs.is_some_and(|(_, digits)| port(digits) != ours));
        }
    } else if let Err(failure) = url {
        let is_port = matches!(failure.error, ValidationError::PortOutOfRange | ValidationError::PortInvalid);
        found.set(PortDiffers, is_port);
    }
    if url.is_ok_and(|url| !url.has_opaque_path()) {
        let is_slash = |&byte: &u8| byte == b'/' || byte == b'\\' && special.is_some();
        found.set(DotEncoded, head.path.split(is_slash).any(is_encoded_dot_segment));
    }
    found
}

/// A text split by the expression of RFC 3986, Appendix B, which every text matches.
struct Lenient<'a> {
    scheme: Option<&'a [u8]>,
    after_scheme: &'a [u8],
    authority: Option<&'a [u8]>,
}

impl<'a> Lenient<'a> {
    fn of(text: &'a [u8]) -> Lenient<'a> {
        // A text before a colon that is not a scheme by the grammar is a path, by either.
        let (scheme, after_scheme) = match scheme::end(text) {
            Some(end) => (Some(&text[..end]), &text[end + 1..]),
            None => (None, text),
        };
        let rest = after_scheme.strip_prefix(b"//");
        let authority = rest.map(|rest| cut(rest, |byte| matches!(byte, b'/' | b'?' | b'#')).0);
        Lenient { scheme, after_scheme, authority }
    }
}

/// The parts before the query as the URL Standard sees them.
struct Head<'a> {
    /// The slashes at its beginning, and backslashes if they are slashes.
    slashes: usize,
    has_backslash: bool,
    /// Up to the slash, backslash, question mark or number sign that ends it; empty if there is none.
    authority: &'a [u8],
    path: &'a [u8],
}

impl<'a> Head<'a> {
    fn of(after_scheme: &'a [u8], special: Option<Special>, takes_any_number: bool) -> Head<'a> {
        let is_slash = |byte: u8| byte == b'/' || byte == b'\\' && special.is_some();
        let slashes = after_scheme.iter().take_while(|&&byte| is_slash(byte)).count();
        let before_query = cut(after_scheme, |byte| matches!(byte, b'?' | b'#')).0;
        if !takes_any_number && slashes < 2 {
            return Head { slashes, has_backslash: false, authority: &[], path: before_query };
        }
        // The third slash after `file:` is the path's.
        let before = if matches!(special, Some(Special::Network(_))) { slashes } else { 2 };
        let (slashes_before, rest) = before_query.split_at(before);
        let (authority, path) = cut(rest, is_slash);
        let has_backslash = slashes_before.contains(&b'\\') || path.first() == Some(&b'\\');
        Head { slashes, has_backslash, authority, path }
    }

    fn is_there(&self) -> bool {
        !self.authority.is_empty() || self.slashes >= 2
    }
}

/// A text before the first byte of a kind, and the text from there on.
fn cut(text: &[u8], is_end: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|&byte| is_end(byte)).unwrap_or(text.len()))
}

/// The host of an authority, and the digits after its colon.
fn host_of_authority(authority: &[u8]) -> (&[u8], &[u8]) {
    let at = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
    host_and_port_of(&authority[at..])
}

/// The port follows the last colon that no bracket follows.
fn host_and_port_of(text: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memrchr(b':', text) {
        Some(colon) if !text[colon..].contains(&b']') => (&text[..colon], &text[colon + 1..]),
        _ => (text, b""),
    }
}

/// Percent-decoded.
fn decoded(text: &[u8]) -> Cow<'_, [u8]> {
    super::host::percent_decoded(text)
}

/// Whether the host of a text and that of its URL are the same.
fn is_same_host(theirs: &[u8], ours: &[u8], is_file: bool) -> bool {
    let is_plain = |host: &[u8]| host.iter().all(|&byte| byte.is_ascii() && !matches!(byte, b'%' | b'['));
    if is_plain(theirs) && theirs.eq_ignore_ascii_case(ours) {
        return true;
    }
    // An opaque host keeps its case and its triplets.
    let theirs = meaning(theirs);
    theirs == meaning(ours) || is_file && ours.is_empty() && theirs == "localhost"
}

/// A host in RFC 3986's meaning: in lower case, triplets decoded, outside ASCII by IDNA; an IPv6 address in the URL
/// Standard's spelling.
fn meaning(host: &[u8]) -> String {
    let decoded = decoded(host);
    if let [b'[', inner @ ..] = &*decoded
        && let Ok((ip::Literal::V6(address), _)) = ip::literal(inner)
    {
        let mut out = Vec::from(*b"[");
        crate::normalize::write_hexadecimal_groups(address, &mut out);
        out.push(b']');
        return String::from_utf8(out).unwrap_or_default();
    }
    #[cfg(feature = "idna")]
    if !decoded.is_ascii()
        && let Some(ascii) = crate::idn::to_ascii(&decoded)
    {
        return ascii.into_owned();
    }
    String::from_utf8_lossy(&decoded).to_ascii_lowercase()
}

/// A dot segment that is written with at least one `%2e`.
fn is_encoded_dot_segment(segment: &[u8]) -> bool {
    segment.contains(&b'%') && super::path::dots(segment) != 0
}

//! The text of a host (RFC 3986, 3.2.2) from what a caller names as one. Percent-encoding could make a `reg-name` of any
//! text, also of a host with its port or of half a URI; nobody means that, so these are refused.

use alloc::borrow::Cow;
use alloc::format;

use crate::encode::{Part, encode_rest};
use crate::error::{Error, Result};
use crate::grammar::chars::hex_value;
use crate::grammar::{Spec, ip};

/// A host as a URI has it: an IP literal in its brackets, an IPv4 address, or a `reg-name`, in which characters outside
/// ASCII are percent-encoded and triplets stay.
///
/// # Errors
/// Where the text is no host.
pub(crate) fn host_text(host: &str, spec: Spec) -> Result<Cow<'_, str>> {
    let refused = |at: usize, why: &str| {
        Error::usage(format!("{host:?} is no host: {why} (byte {at}; RFC 3986, 3.2.2)"))
    };
    if let Some(literal) = host.strip_prefix('[') {
        return match ip::literal(literal.as_bytes()) {
            Ok((_, end)) if end == literal.len() => Ok(Cow::Borrowed(host)),
            Ok((_, end)) => Err(refused(1 + end, "text follows the closing bracket")),
            Err(malformed) => Err(refused(1 + malformed.offset, "the IP literal in brackets is malformed")),
        };
    }
    for (at, char) in host.char_indices() {
        let why = match u8::try_from(char) {
            Ok(byte) if !byte.is_ascii() || Part::Host.holds(byte, spec) => continue,
            Err(_) => continue,
            Ok(b'%') if begins_triplet(&host.as_bytes()[at..]) => continue,
            Ok(b'%') => "a percent sign needs two hexadecimal digits after it",
            Ok(b':') => {
                "a colon begins a port, which is a part of its own, or is in an IPv6 address, which has brackets"
            }
            Ok(b'@') => "an @ ends user information, which is a part of its own, not of the host",
            Ok(_) => &format!("it cannot have {char:?}"),
        };
        return Err(refused(at, why));
    }
    encode_rest(host, Part::Host, spec).map_err(|fault| refused(fault.offset, fault.kind.sentence()))
}

fn begins_triplet(text: &[u8]) -> bool {
    matches!(text, [_, high, low, ..] if hex_value(*high).is_some() && hex_value(*low).is_some())
}

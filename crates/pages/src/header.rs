//! The references in the header fields of a response. All are resolved against the URI of the request, whatever the
//! page says.

use std::borrow::Cow;

use super::link::{Links, Place};
use super::reference::Against;
use super::values::{header_links, refresh};

/// The fields that hold references, in lower case.
pub(super) const FIELDS: [&str; 4] = ["location", "content-location", "refresh", "link"];

/// The references in a header field of a response (RFC 9110, 8.7 and 10.2.2; RFC 8288, 3), which are all resolved
/// against the URI of the page.
pub(super) fn field(name: &[u8], value: &[u8], links: &mut Links) {
    let name = name.to_ascii_lowercase();
    let place = Place { attribute: Some(&name), against: Against::Outer, ..Place::default() };
    match &name[..] {
        b"location" | b"content-location" => links.push_all([value], place),
        b"refresh" => links.push_all(refresh(value), place),
        b"link" => {
            for (target, rel) in header_links(value) {
                links.push(target, Place { rel: rel.as_deref(), ..place });
            }
        }
        _ => {}
    }
}

/// A value of a header field as text: UTF-8, or else ISO 8859-1 (RFC 9110, 5.5).
pub(super) fn transcoded(value: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(value) {
        Ok(_) => Cow::Borrowed(value),
        Err(_) => Cow::Owned(value.iter().map(|&b| char::from(b)).collect::<String>().into_bytes()),
    }
}

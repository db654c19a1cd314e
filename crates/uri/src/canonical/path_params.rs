//! The parameters of a path's segments: `;v=1;x` of `/a;v=1;x/b` (RFC 2396 section 3.3; RFC 3986, 3.3, has no rule
//! for them and gives them as an example).
//!
//! 1. A semicolon begins a parameter, which ends before the next one or with its segment. It may be empty.
//! 2. The first `=` separates name and value; a parameter without one has no value.
//! 3. In both a triplet is the byte that it stands for, and nothing else is decoded. Bytes that are not UTF-8 stay
//!    triplets, as in query parameters.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::encode::decoded_bytes;
use crate::encode::params::write_text;
use crate::uri::AsUriRef;

/// One parameter of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PathParam<'a> {
    segment: usize,
    name: &'a str,
    value: Option<&'a str>,
}

/// The parameters of a reference's path, in order. An opaque part (RFC 2396 section 3) has none.
///
/// ```
/// use urimill_uri::UriRef;
/// use urimill_uri::canonical::path_params;
///
/// let uri = UriRef::parse("http://example.com/a;v=1.1;x/b/c;id=%C3%BC+")?;
/// let params: Vec<_> = path_params(&uri).map(|param| (param.segment(), param.name(), param.value())).collect();
/// assert_eq!(
///     params,
///     [
///         (1, "v".into(), Some("1.1".into())),
///         (1, "x".into(), None),
///         (3, "id".into(), Some("\u{fc}+".into())),
///     ]
/// );
/// # Ok::<(), urimill_uri::Reject>(())
/// ```
pub fn path_params<'a, U: AsUriRef<'a>>(uri: U) -> impl Iterator<Item = PathParam<'a>> + use<'a, U> {
    let uri = uri.uri_ref();
    params_of(if uri.opaque_part().is_some() { "" } else { uri.path() })
}

/// [`path_params`] of a path that is not an opaque part.
pub fn params_of(path: &str) -> impl Iterator<Item = PathParam<'_>> {
    // Most paths have no parameters.
    let path = if memchr::memchr(b';', path.as_bytes()).is_some() { path } else { "" };
    let segments = path.strip_prefix('/').unwrap_or(path).split('/');
    (1..).zip(segments).flat_map(|(segment, text)| {
        text.split(';').skip(1).map(move |param| match param.split_once('=') {
            Some((name, value)) => PathParam { segment, name, value: Some(value) },
            None => PathParam { segment, name: param, value: None },
        })
    })
}

impl<'a> PathParam<'a> {
    /// The number of its segment, from 1.
    #[must_use]
    pub fn segment(self) -> usize {
        self.segment
    }

    /// The name as it is written.
    #[must_use]
    pub fn raw_name(self) -> &'a str {
        self.name
    }

    /// The value as it is written; `None` where there is no `=`.
    #[must_use]
    pub fn raw_value(self) -> Option<&'a str> {
        self.value
    }

    /// The name, decoded; borrowed where nothing is encoded.
    #[must_use]
    pub fn name(self) -> Cow<'a, str> {
        decoded(self.name)
    }

    /// The value, decoded; borrowed where nothing is encoded, `None` where there is no `=`.
    pub fn value(self) -> Option<Cow<'a, str>> {
        self.value.map(decoded)
    }
}

/// Appends a name or value, decoded.
pub fn write_decoded(piece: &str, out: &mut Vec<u8>) {
    write_text(decoded_bytes(piece.as_bytes(), b'+'), out);
}

fn decoded(piece: &str) -> Cow<'_, str> {
    if memchr::memchr(b'%', piece.as_bytes()).is_none() {
        return Cow::Borrowed(piece);
    }
    let mut out = Vec::with_capacity(piece.len());
    write_decoded(piece, &mut out);
    Cow::Owned(String::from_utf8(out).expect("what is not UTF-8 is written as triplets"))
}

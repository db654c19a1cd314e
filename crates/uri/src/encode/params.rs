//! The parameters of a query, by the rules of HTML forms (`application/x-www-form-urlencoded`): RFC 3986 (3.4)
//! knows no structure in a query, but nearly all programs read this one.
//!
//! 1. Ampersands separate parameters; an empty piece between two of them is not a parameter. (A `;` is data.)
//! 2. The first `=` separates name and value; a parameter without one has no value.
//! 3. In both, `+` is a space and a triplet the byte that it stands for.
//! 4. The bytes are read as UTF-8. Bytes that are not UTF-8 stay triplets, with upper-case digits: `%E9` can be read
//!    and distinguished from every other byte, unlike a replacement character.
//!
//! Order and duplicates are kept.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use memchr::memchr2;

use super::TRIPLETS;
use super::decode::decoded_bytes;
use crate::reference::UriRef;
use crate::segments::QueryPairs;
use crate::uri::forwarded;

/// The parameters of a query, in order.
#[derive(Debug, Clone)]
pub struct QueryParams<'a>(QueryPairs<'a>);

/// One parameter of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QueryParam<'a> {
    name: &'a str,
    value: Option<&'a str>,
}

/// The parameters of a query, which is given without its `?`: [`UriRef::query_params`].
#[must_use]
pub fn query_params(query: &str) -> QueryParams<'_> {
    QueryParams(QueryPairs::of(query))
}

impl<'a> UriRef<'a> {
    /// The parameters of the query (3.4), in order and with duplicates, decoded by the rules of HTML forms: `+` is a
    /// space, and triplets are UTF-8. Bytes that are not UTF-8 stay triplets. [`query_pairs`](Self::query_pairs) has
    /// the same names and values as they are written; [`UriBuilder::query_pair`](crate::UriBuilder::query_pair) makes
    /// queries of data.
    ///
    /// ```
    /// use urimill_uri::Uri;
    ///
    /// let uri: Uri = "http://example.com/?q=a+b%21&&q=%C3%BC%E9&flag".parse()?;
    /// let params: Vec<_> = uri.query_params().map(|param| (param.name(), param.value())).collect();
    /// assert_eq!(
    ///     params,
    ///     [
    ///         ("q".into(), Some("a b!".into())),
    ///         ("q".into(), Some("ü%E9".into())),
    ///         ("flag".into(), None),
    ///     ]
    /// );
    /// let first = uri.query_params().find(|param| param.name() == "q").unwrap();
    /// assert_eq!((first.value().as_deref(), first.raw_value()), (Some("a b!"), Some("a+b%21")));
    /// # Ok::<(), urimill_uri::Reject>(())
    /// ```
    #[must_use]
    pub fn query_params(&self) -> QueryParams<'a> {
        query_params(self.query().unwrap_or_default())
    }
}

forwarded! {
    /// The names and values of the query, decoded: [`UriRef::query_params`].
    #[must_use]
    query_params() -> QueryParams<'_>;
}

impl<'a> Iterator for QueryParams<'a> {
    type Item = QueryParam<'a>;

    fn next(&mut self) -> Option<QueryParam<'a>> {
        self.0.next().map(|(name, value)| QueryParam { name, value })
    }
}

impl<'a> QueryParam<'a> {
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

    /// Appends the decoded name, which is UTF-8.
    pub fn write_name(self, out: &mut Vec<u8>) {
        write_decoded(self.name.as_bytes(), out);
    }

    /// Appends the decoded value, which is UTF-8; returns whether there is one.
    pub fn write_value(self, out: &mut Vec<u8>) -> bool {
        self.value.map(|value| write_decoded(value.as_bytes(), out)).is_some()
    }
}

/// A piece of a query, decoded.
pub(crate) fn decoded(piece: &str) -> Cow<'_, str> {
    if !is_form_encoded(piece.as_bytes()) {
        return Cow::Borrowed(piece);
    }
    let mut out = Vec::with_capacity(piece.len());
    write_decoded(piece.as_bytes(), &mut out);
    Cow::Owned(String::from_utf8(out).expect("what is not UTF-8 is written as triplets"))
}

/// Rules 3 and 4.
fn write_decoded(piece: &[u8], out: &mut Vec<u8>) {
    write_text(form_bytes(piece), out);
}

/// Rule 4: appends bytes as text.
pub(crate) fn write_text(bytes: impl Iterator<Item = u8>, out: &mut Vec<u8>) {
    let from = out.len();
    out.extend(bytes);
    if out[from..].is_ascii() {
        return;
    }
    // The text is built after the decoded bytes, then moved over them.
    let mid = out.len();
    let mut at = from;
    while at < mid {
        let (valid, invalid) = match core::str::from_utf8(&out[at..mid]) {
            Ok(_) if at == from => return,
            Ok(_) => (mid - at, 0),
            Err(error) => (error.valid_up_to(), error.error_len().unwrap_or(mid - at - error.valid_up_to())),
        };
        out.extend_from_within(at..at + valid);
        for byte in at + valid..at + valid + invalid {
            out.extend_from_slice(&TRIPLETS[usize::from(out[byte])]);
        }
        at += valid + invalid;
    }
    out.drain(from..mid);
}

/// The bytes that a piece of a query means by the rules of HTML forms: a triplet is its byte, `+` is a space,
/// and a `%` without two digits is itself.
pub(crate) fn form_bytes(piece: &[u8]) -> impl Iterator<Item = u8> {
    decoded_bytes(piece, b' ')
}

/// Whether a piece of a query has anything to decode.
#[must_use]
pub fn is_form_encoded(piece: &[u8]) -> bool {
    memchr2(b'%', b'+', piece).is_some()
}

//! URIs in text: Appendix C of RFC 3986 and Appendix E of RFC 2396, rule by rule; what other projects find;
//! texts that come in pieces; and texts that were made around known URIs.

mod linkify_it;
mod made;
mod pieces;
mod rules;

use urimill::extract::{Options, find};

/// What is found in a text, cleaned.
fn uris(text: impl AsRef<[u8]>) -> Vec<String> {
    find(text.as_ref(), &Options::default()).map(|found| found.uri.into_owned()).collect()
}

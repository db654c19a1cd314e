//! URIs in text: Appendix C of RFC 3986 and Appendix E of RFC 2396, rule by rule; results of other projects; texts that
//! come in pieces; and texts made around known URIs.

mod linkify_it;
mod made;
mod pieces;
mod rules;

use urimill::extract::{Options, find};

/// The URIs found in a text, cleaned.
fn uris(text: impl AsRef<[u8]>) -> Vec<String> {
    find(text.as_ref(), &Options::default()).map(|found| found.uri.into_owned()).collect()
}

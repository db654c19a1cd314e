//! Invariants of running text.

use std::io::Read;

use urimill_uri::UriRef;
use urimill_uri::extract::{Found, Kind, Options, each_found, find};

use super::turns;

/// URIs found are at their offsets, in order and without overlap; they parse, and are the same when the text comes in
/// pieces of any size.
pub(super) fn extract(text: &[u8]) {
    let options = Options::default();
    let (mut end, mut whole) = (0, Vec::new());
    for found in find(text, &options) {
        assert_eq!(
            text.get(found.offset..found.offset + found.raw.len()),
            Some(found.raw.as_bytes()),
            "{found:?}"
        );
        assert!(found.offset >= end && !found.raw.is_empty(), "{found:?} begins before {end}");
        let is_relative = found.kind == Kind::Relative;
        assert!(UriRef::parse(&found.uri).is_ok_and(|uri| uri.is_uri() != is_relative), "{found:?}");
        end = found.offset + found.raw.len();
        whole.push((found.offset as u64, found.raw.len(), found.uri.to_string()));
    }
    for window in turns(text, [1, 7, text.len() % 97 + 2]) {
        assert_eq!(in_pieces(text, window, &options), whole, "pieces of {window}: {}", text.escape_ascii());
    }
}

fn in_pieces(mut text: &[u8], window: usize, options: &Options) -> Vec<(u64, usize, String)> {
    let mut found = Vec::new();
    let then = |at: u64, uri: &Found<'_>| {
        found.push((at + uri.offset as u64, uri.raw.len(), uri.uri.to_string()));
        Ok(())
    };
    each_found(|buffer| text.read(buffer), window, options, then).expect("memory can be read");
    found
}

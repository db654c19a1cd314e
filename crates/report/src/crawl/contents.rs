//! URIs with the digests of their contents: a sample of all, and a sample of those that differ only in one parameter.

use std::borrow::Cow;

use super::sample::{Sample, Sampled};
use crate::counter::LONGEST;

/// The most URIs of a sample.
pub(crate) const MOST_URIS: usize = 1 << 15;

/// The most URIs that differ in one parameter only, in all groups and in one.
pub(crate) const MOST_VARIANTS: usize = 1 << 15;
pub(crate) const MOST_OF_GROUP: usize = 16;

/// A URI. Its key is the hash of the URI without its fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Page {
    /// The beginning of the URI.
    pub(crate) uri: Box<str>,
    /// The digest without the name of its algorithm; `None` if there were several: the content changes by itself.
    pub(crate) digest: Option<Box<str>>,
}

impl Sampled for Page {
    const MOST: usize = MOST_URIS;

    fn add(&mut self, other: Page) {
        if self.digest != other.digest {
            self.digest = None;
        }
    }
}

/// URIs that differ only in one parameter. The key has the hashes of the URI without the parameter, and of its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variants {
    /// The name of the parameter: decoded, ASCII in lower case.
    pub(crate) name: Box<str>,
    /// By hash.
    pub(crate) uris: Vec<Variant>,
}

/// A URI of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Variant {
    /// The hash of the URI without its fragment.
    pub(crate) hash: u64,
    /// The hash of the digest; `None` if there were several.
    pub(crate) digest: Option<u64>,
    /// The beginning of the URI.
    pub(crate) uri: Box<str>,
}

impl Sampled for Variants {
    const MOST: usize = MOST_VARIANTS;

    fn weight(&self) -> usize {
        self.uris.len()
    }

    fn add(&mut self, other: Variants) {
        for variant in other.uris {
            match self.uris.binary_search_by_key(&variant.hash, |own| own.hash) {
                Ok(at) if self.uris[at].digest != variant.digest => self.uris[at].digest = None,
                Ok(_) => {}
                Err(at) if at < MOST_OF_GROUP => {
                    self.uris.insert(at, variant);
                    self.uris.truncate(MOST_OF_GROUP);
                }
                Err(_) => {}
            }
        }
    }
}

pub(crate) type Pages = Sample<u64, Page>;
pub(crate) type Groups = Sample<(u64, u64), Variants>;

/// Digests of no bytes, in hexadecimal digits and in base 32: MD5, SHA-1, SHA-256, SHA-512.
const OF_NOTHING: [&str; 8] = [
    "d41d8cd98f00b204e9800998ecf8427e",
    "2QOYZWMPACZAJ2MABGMOZ6CCPY",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ",
    "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
     47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
    "Z6B6CNL6564L34KUFBINM3MAA7LCBZAFBNLRLXED6SUSDU3M5HHEPUGRHROYL4VQ76BRRUUHP3WC6Y5ZGG6UOQL2QGSTQMT27ET5UPQ",
];

/// The digest of a content, without the name of the algorithm; `None` if it is the digest of no bytes, or a
/// placeholder: `-`, zeros.
pub(super) fn digest_of_content(text: &str) -> Option<&str> {
    let digest = text.rsplit(':').next().unwrap_or_default().trim().trim_end_matches('=');
    let first = digest.bytes().next()?;
    let is_placeholder = digest.bytes().all(|byte| byte == first) || digest.eq_ignore_ascii_case("null");
    let is_of_nothing = || OF_NOTHING.iter().any(|nothing| nothing.eq_ignore_ascii_case(digest));
    (digest.len() <= LONGEST && !is_placeholder && !is_of_nothing()).then_some(digest)
}

/// The most pieces of a query, separated by ampersands, of a URI in a group.
const MOST_PIECES: usize = 16;
/// Longer URIs are in no group.
const LONGEST_URI: usize = 2048;

/// The name of a piece of a query as `--drop-params` compares it; `None` if it has no name.
fn name(piece: &str) -> Option<Cow<'_, str>> {
    let name = urimill_uri::canonical::query_params(piece).next()?.name();
    match name {
        name if name.is_empty() => None,
        name if name.bytes().any(|byte| byte.is_ascii_uppercase()) => Some(name.to_ascii_lowercase().into()),
        name => Some(name),
    }
}

/// Calls `each` for each parameter of the URI, which has no fragment, with its name and the URI without all pieces of
/// this name. `base` is reused memory.
pub(super) fn without_each(uri: &str, base: &mut String, mut each: impl FnMut(&str, &str)) {
    let Some((before, query)) = uri.split_once('?').filter(|_| uri.len() <= LONGEST_URI) else { return };
    let mut names: [Option<Cow<'_, str>>; MOST_PIECES] = [const { None }; MOST_PIECES];
    let mut count = 0;
    for piece in query.split('&') {
        if count == MOST_PIECES {
            return;
        }
        names[count] = name(piece);
        count += 1;
    }
    for at in 0..count {
        let Some(own) = names[at].as_deref() else { continue };
        if names[..at].iter().any(|name| name.as_deref() == Some(own)) {
            continue;
        }
        base.clear();
        base.push_str(before);
        let mut delimiter = '?';
        for (piece, name) in query.split('&').zip(&names) {
            if name.as_deref() != Some(own) {
                base.push(delimiter);
                base.push_str(piece);
                delimiter = '&';
            }
        }
        each(own, base);
    }
}

#[cfg(test)]
mod tests {
    use sha1::Digest;

    use super::*;

    #[test]
    fn digests_of_contents() {
        for (text, expected) in [
            ("sha1:FNXOHI5LCGLX5BO2AG2RWEH4RLIO47ML", Some("FNXOHI5LCGLX5BO2AG2RWEH4RLIO47ML")),
            ("FNXOHI5LCGLX5BO2AG2RWEH4RLIO47ML", Some("FNXOHI5LCGLX5BO2AG2RWEH4RLIO47ML")),
            ("", None),
            ("-", None),
            ("sha1:", None),
            ("sha1:-", None),
            ("null", None),
            ("0000000000000000000000000000000000000000", None),
            ("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", None),
            ("sha1:3i42h3s6nnfq2msvx7xzkyayscx5qbyj", None),
            ("D41D8CD98F00B204E9800998ECF8427E", None),
            ("sha256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====", None),
        ] {
            assert_eq!(digest_of_content(text), expected, "{text}");
        }
        let nothing: String = sha1::Sha1::digest(b"").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest_of_content(&nothing), None);
    }

    #[test]
    fn uris_without_each_parameter() {
        for (uri, expected) in [
            ("http://h/", &[][..]),
            ("http://h/?", &[]),
            ("http://h/?a=1", &[("a", "http://h/")]),
            ("http://h/?a", &[("a", "http://h/")]),
            ("http://h/?a=", &[("a", "http://h/")]),
            ("http://h/?=1", &[]),
            (
                "http://h/?a=1&b=2&c",
                &[("a", "http://h/?b=2&c"), ("b", "http://h/?a=1&c"), ("c", "http://h/?a=1&b=2")],
            ),
            // All pieces of the name go, as with --drop-params, in any case and encoded.
            ("http://h/?a=1&b&a=2", &[("a", "http://h/?b"), ("b", "http://h/?a=1&a=2")]),
            ("http://h/?Sid=1&%73ID=2&x", &[("sid", "http://h/?x"), ("x", "http://h/?Sid=1&%73ID=2")]),
            ("http://h/?a=1&&b=?", &[("a", "http://h/?&b=?"), ("b", "http://h/?a=1&")]),
            ("http://h/?a=%26", &[("a", "http://h/")]),
        ] {
            let (mut found, mut base) = (Vec::new(), String::new());
            without_each(uri, &mut base, |name, base| found.push((name.to_owned(), base.to_owned())));
            let found: Vec<_> = found.iter().map(|(name, base)| (name.as_str(), base.as_str())).collect();
            assert_eq!(found, expected, "{uri}");
        }
        // Queries that would take quadratic time are skipped.
        for uri in [format!("http://h/?{}", "a&".repeat(16)), format!("http://h/?a={}", "x".repeat(2048))] {
            without_each(&uri, &mut String::new(), |name, _| panic!("{name} of {uri}"));
        }
        let mut calls = 0;
        let most: Vec<String> = (0..16).map(|number| format!("p{number}")).collect();
        without_each(&format!("http://h/?{}", most.join("&")), &mut String::new(), |_, _| calls += 1);
        assert_eq!(calls, 16);
    }
}

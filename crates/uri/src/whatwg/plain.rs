//! URLs that are their own serialization, by the kernels' verdict. The typical URL of a crawl is one: a reference in
//! the normal form of RFC 3986 with `http` or `https`, a plain name and a path. Lines of `te` (docs/PERFORMANCE.md)
//! become serialized URLs in 1.19 times the time of a split by RFC 3986; ada-url takes 5.9 times as long.

use crate::simd::{self, SlowPath, Split};
use crate::standard::Standard;

/// The offsets of a URL that is its own serialization, if the kernels show that it is one.
#[inline]
pub(super) fn split(text: &[u8]) -> Option<Split> {
    let (split, slow_path) = simd::split_one(text, (Standard::Whatwg, None));
    is_plain(text, &split, slow_path).then_some(split)
}

/// Whether the standard's parser leaves a text unchanged that the kernels have split by [`Standard::Whatwg`].
///
/// The kernels accept no authority but a name of letters in lower case, digits, hyphens and dots, whose last label does
/// not begin with a digit and in which no label can be punycode: IDNA leaves such a name unchanged, and it is not an
/// address. All bytes that RFC 3986 allows in a path, a query or a fragment are outside the standard's percent-encode
/// sets, except the `'` of a special query, which those kernels do not accept. A triplet stays unchanged, unless it is
/// the dot of a dot segment.
#[inline]
#[must_use]
pub fn is_plain(text: &[u8], split: &Split, slow_path: SlowPath) -> bool {
    const LEFT_ALONE: u8 = SlowPath::PERCENT;
    if split.scheme_end == 0 || slow_path.has(!LEFT_ALONE) {
        return false;
    }
    let path = &text[split.path_start as usize..split.path_end as usize];
    !(slow_path.has(SlowPath::PERCENT) && may_hide_dots(path))
}

/// Whether a path has a `%2e` at the beginning of a segment. (One after a dot follows a dot at the beginning, which the
/// kernels report.)
pub(super) fn may_hide_dots(path: &[u8]) -> bool {
    memchr::memchr_iter(b'%', path)
        .any(|at| at > 0 && path[at - 1] == b'/' && matches!(path.get(at + 1..at + 3), Some(b"2e" | b"2E")))
}

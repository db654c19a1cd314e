//! URLs of references, written without the parser if the kernels' verdict allows it: the end of the base is replaced.

use alloc::vec::Vec;

use super::plain::may_hide_dots;
use super::url::Url;
use crate::simd::{SlowPath, Split};

/// Appends the URL of a reference without a scheme against a base. The kernels must have split the reference by
/// [`Standard::Whatwg`](crate::Standard::Whatwg) and be sure of it. Returns `None`, and appends nothing, if the
/// standard's parser is needed: for dot segments, an authority without a path, and bases that are files or not special.
#[inline]
#[must_use]
pub fn write_relative(
    text: &[u8],
    split: &Split,
    slow_path: SlowPath,
    base: &Url<'_>,
    out: &mut Vec<u8>,
) -> Option<Split> {
    let path = &text[split.path_start as usize..split.path_end as usize];
    let has_authority = split.path_start > 0;
    if split.scheme_end > 0
        || slow_path.has(!SlowPath::PERCENT)
        || !base.is_network()
        || matches!(path, [b'.' | b'%', ..])
        || slow_path.has(SlowPath::PERCENT) && may_hide_dots(path)
    {
        return None;
    }
    let (href, of_base) = (base.href().as_bytes(), base.split());
    let kept = match path.first() {
        _ if has_authority => of_base.scheme_end + 1,
        Some(b'/') => of_base.path_start,
        Some(_) => {
            let path = &href[of_base.path_start as usize..of_base.path_end as usize];
            of_base.path_start + memchr::memrchr(b'/', path).map_or(0, |slash| slash as u32 + 1)
        }
        None if split.query_end > split.path_end => of_base.path_end,
        None => of_base.query_end,
    };
    out.extend_from_slice(&href[..kept as usize]);
    out.extend_from_slice(text);
    let mut url = Split {
        scheme_end: of_base.scheme_end,
        path_end: kept + split.path_end,
        query_end: kept + split.query_end,
        end: kept + split.end,
        ..of_base
    };
    if has_authority {
        url.host_start = kept + split.host_start;
        url.host_end = kept + split.host_end;
        url.path_start = kept + split.path_start;
    } else if path.is_empty() {
        url.path_end = of_base.path_end;
    }
    Some(url)
}

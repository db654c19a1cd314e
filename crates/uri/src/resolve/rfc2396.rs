//! Resolution by RFC 2396 (5.2). It differs in three points: a reference with neither a path, a query nor anything
//! before them is to the current document; dot segments have a meaning only in relative paths; and excess `..` stay.

use super::{Mode, Parts, Shape, Written, keeps_scheme, merge, write_head};
use crate::normalize;
use crate::simd::Split;
use alloc::vec::Vec;

/// [`super::write`] by RFC 2396.
pub(super) fn write<H: Copy>(
    base: &Parts<'_, H>,
    reference: &Parts<'_, H>,
    mode: Mode,
    out: &mut Vec<u8>,
) -> Written<H> {
    let reference = &without_scheme(base, reference, mode);
    let own = &reference.split;
    let from = out.len();
    let at = |out: &Vec<u8>| (out.len() - from) as u32;
    if own.query_end == own.after_scheme() && own.scheme_end == 0 {
        // Step 2: the base itself, its query included.
        out.extend_from_slice(base.part(0, base.split.query_end));
        out.extend_from_slice(reference.part(own.query_end, own.end));
        let split = Split { end: at(out), ..base.split };
        return Written { split, host: base.host, dots_removed: false, decoded: false };
    }
    let (mut split, host, inherits) = write_head(base, reference, mode, out);
    let start = out.len();
    let path = reference.path();
    let (mut dots_removed, mut decoded) = (false, false);
    // Step 6; a path from the root stays as it is (step 5).
    if inherits && path.first() != Some(&b'/') {
        merge(base, out);
        out.extend_from_slice(path);
        if reference.encoded || base.encoded {
            decoded = normalize::decode_dot_segments(out, start);
        }
        let merged = Shape::of(out, start);
        collapse(out, start);
        normalize::guard(host.is_some(), out, start);
        if out.len() == start && host.is_none() && own.path_end == own.query_end {
            // Something must follow the scheme of an opaque base (3).
            out.push(b'.');
        }
        dots_removed = Shape::of(out, start) != merged;
    } else {
        out.extend_from_slice(path);
    }
    split.path_end = at(out);
    out.extend_from_slice(reference.part(own.path_end, own.query_end));
    split.query_end = at(out);
    out.extend_from_slice(reference.part(own.query_end, own.end));
    split.end = at(out);
    // After an opaque base's scheme a question mark belongs to the opaque part.
    if host.is_none() && out.get(start) != Some(&b'/') {
        split.path_end = split.query_end;
    }
    Written { split, host, dots_removed, decoded }
}

/// The reference without the base's scheme, if the mode ignores that (step 3): the opaque part after the scheme becomes
/// a relative path, and may have a query.
pub(super) fn without_scheme<'a, H: Copy>(
    base: &Parts<'_, H>,
    reference: &Parts<'a, H>,
    mode: Mode,
) -> Parts<'a, H> {
    let own = reference.split;
    let mut bare = *reference;
    if own.scheme_end == 0 || keeps_scheme(base, reference, mode) {
        return bare;
    }
    let shift = own.after_scheme();
    bare.text = reference.part(shift, own.end);
    let path = reference.path();
    let path_end = match reference.host {
        Some(_) => own.path_end,
        None => memchr::memchr(b'?', path).map_or(own.path_end, |at| own.path_start + at as u32),
    };
    bare.split = Split {
        scheme_end: 0,
        host_start: own.host_start - shift,
        host_end: own.host_end - shift,
        path_start: own.path_start - shift,
        path_end: path_end - shift,
        query_end: own.query_end - shift,
        end: own.end - shift,
    };
    bare
}

/// Steps 6 c to f in place, on the merged path `out[from..]`: `.` is removed, `..` is removed with the segment before
/// it, and excess `..` stay.
pub(super) fn collapse(out: &mut Vec<u8>, from: usize) {
    let end = out.len();
    let root = from + usize::from(out.get(from) == Some(&b'/'));
    let (mut read, mut write) = (root, root);
    while read < end {
        let next = memchr::memchr(b'/', &out[read..end]).map(|at| read + at);
        let behind = next.map_or(end, |at| at + 1);
        match &out[read..next.unwrap_or(end)] {
            b"." => {}
            b".." if has_segment_to_drop(&out[root..write]) => {
                let above = memchr::memrchr(b'/', &out[root..write - 1]);
                write = above.map_or(root, |at| root + at + 1);
            }
            _ => {
                out.copy_within(read..behind, write);
                write += behind - read;
            }
        }
        read = behind;
    }
    out.truncate(write);
}

/// Whether the last segment of a path, which ends with its slash, is one that `..` removes.
fn has_segment_to_drop(before: &[u8]) -> bool {
    !before.is_empty() && before != b"../" && !before.ends_with(b"/../")
}

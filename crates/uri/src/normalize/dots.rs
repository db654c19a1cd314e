//! Dot segments (RFC 3986 sections 3.3, 5.2.4, 6.2.2.3).

use alloc::vec::Vec;

use crate::simd::Places;

/// Whether a path has a segment `.` or `..`.
pub(crate) fn has_dot_segments(path: &[u8]) -> bool {
    // A path has fewer dots than slashes, so dots are searched for.
    memchr::memchr_iter(b'.', path).any(|at| (at == 0 || path[at - 1] == b'/') && is_dot_segment(&path[at..]))
}

/// [`has_dot_segments`] for the path of a reference, which begins with a slash.
pub(super) fn are_in(text: &[u8], path: (usize, usize)) -> bool {
    slashes_before_dots(text, path).next().is_some()
}

/// The positions of the slashes before the segments `.` and `..` of a path that has any.
fn slashes_before_dots(text: &[u8], (from, to): (usize, usize)) -> impl Iterator<Item = usize> {
    let is_first = move |&at: &usize| at > from && text[at - 1] == b'/' && is_dot_segment(&text[at..to]);
    Places::of(b'.', text, (from, to)).filter(is_first).map(|at| at - 1)
}

/// Appends a reference without the dot segments of its path, which begins with a slash; returns the number of bytes
/// removed. Equals [`remove_dot_segments`], but bytes already written are not searched again.
pub(super) fn append_without(text: &[u8], (from, to): (usize, usize), out: &mut Vec<u8>) -> usize {
    let start = out.len();
    let mut read = 0;
    for slash in slashes_before_dots(text, (from, to)) {
        out.extend_from_slice(&text[read..slash]);
        let is_parent = text[slash + 2..to].starts_with(b".");
        read = slash + if is_parent { 3 } else { 2 };
        if is_parent {
            let path = start + from;
            let parent = out[path..].iter().rposition(|&b| b == b'/');
            out.truncate(path + parent.unwrap_or(0));
        }
        if read == to {
            // The slash before a last dot segment stays.
            out.push(b'/');
        }
    }
    out.extend_from_slice(&text[read..]);
    text.len() - (out.len() - start)
}

/// The position of the slash before the first segment `.` or `..` of a path that has one.
fn find_dot_segment(path: &[u8]) -> Option<usize> {
    let found = memchr::memchr_iter(b'.', path)
        .find(|&at| at > 0 && path[at - 1] == b'/' && is_dot_segment(&path[at..]));
    found.map(|at| at - 1)
}

/// Whether a text that begins with a dot is a dot segment up to its end or the next slash.
#[inline]
fn is_dot_segment(text: &[u8]) -> bool {
    let behind = text[1..].strip_prefix(b".").unwrap_or(&text[1..]);
    behind.first().is_none_or(|&b| b == b'/')
}

/// Whether a path has a segment that is a dot segment only once its triplets are decoded (2.3: `%2E` is a dot).
pub fn has_encoded_dot_segments(path: &[u8]) -> bool {
    let is_dot =
        |at: usize| path.get(at + 1..at + 3).is_some_and(|digits| digits.eq_ignore_ascii_case(b"2e"));
    memchr::memchr_iter(b'%', path).any(is_dot) && path.split(|&b| b == b'/').any(is_encoded_dot_segment)
}

fn is_encoded_dot_segment(segment: &[u8]) -> bool {
    segment.contains(&b'%') && dots(segment).is_some()
}

/// `.` or `..` if a segment is one of them, its dots plain or written as triplets.
fn dots(segment: &[u8]) -> Option<&'static [u8]> {
    let without_dot = |rest: &[u8]| match rest {
        [b'.', ..] => Some(1),
        [b'%', b'2', b'e' | b'E', ..] => Some(3),
        _ => None,
    };
    let first = without_dot(segment)?;
    match &segment[first..] {
        [] => Some(b"."),
        rest => (without_dot(rest)? == rest.len()).then_some(b".."),
    }
}

/// Whether the last segment of a path is `..` after a slash; its dots may be triplets if `decodes`.
pub(crate) fn ends_with_parent(path: &[u8], decodes: bool) -> bool {
    let last = memchr::memrchr(b'/', path).map(|at| &path[at + 1..]);
    last.is_some_and(|last| last == b".." || decodes && dots(last) == Some(b".."))
}

/// Decodes the triplets of the dot segments in `out[from..]`, and no others; returns whether there are any.
pub(crate) fn decode_dot_segments(out: &mut Vec<u8>, from: usize) -> bool {
    if !has_encoded_dot_segments(&out[from..]) {
        return false;
    }
    let path = out.split_off(from);
    for (number, segment) in path.split(|&b| b == b'/').enumerate() {
        if number > 0 {
            out.push(b'/');
        }
        out.extend_from_slice(dots(segment).unwrap_or(segment));
    }
    true
}

/// `remove_dot_segments` (5.2.4) in place, on the path `out[from..]`: `.` is removed, `..` is removed with the segment
/// before it, and excess `..` are dropped. Follows the letter also for paths that do not begin with a slash: `a/../b`
/// becomes `/b`.
pub(crate) fn remove_dot_segments(out: &mut Vec<u8>, from: usize) {
    remove(out, from, false);
}

/// [`remove_dot_segments`] by erratum 4547: a `..` with no segment before it is an ordinary segment.
pub(crate) fn remove_dot_segments_but_excess(out: &mut Vec<u8>, from: usize) {
    remove(out, from, true);
}

fn remove(out: &mut Vec<u8>, from: usize, keeps_excess: bool) {
    let end = out.len();
    let (mut read, mut write) = (from + leading_dot_segments(&out[from..], keeps_excess), from);
    while let Some(before) = find_dot_segment(&out[read..end]) {
        let slash = read + before;
        out.copy_within(read..slash, write);
        write += before;
        let is_parent = out.get(slash + 2) == Some(&b'.');
        let behind = slash + if is_parent { 3 } else { 2 };
        read = behind;
        if is_parent && keeps_excess && has_no_segment(&out[from..write]) {
            out.copy_within(slash..behind, write);
            write += behind - slash;
            continue;
        }
        if is_parent {
            let parent = out[from..write].iter().rposition(|&b| b == b'/');
            write = parent.map_or(from, |at| from + at);
        }
        if behind == end {
            // The slash before a last dot segment stays.
            out[write] = b'/';
            write += 1;
        }
    }
    out.copy_within(read..end, write);
    out.truncate(write + end - read);
}

/// Whether a path, in which only excess dot segments remain, ends with one of these, or is empty.
fn has_no_segment(before: &[u8]) -> bool {
    before.is_empty() || before == b".." || before.ends_with(b"/..")
}

/// The length of the dot segments at the start of a path, without a slash before them (5.2.4, A and D).
fn leading_dot_segments(path: &[u8], keeps_excess: bool) -> usize {
    let mut rest = path;
    loop {
        rest = match rest {
            [b'.', b'/', behind @ ..] => behind,
            b"." => b"",
            [b'.', b'.', b'/', behind @ ..] if !keeps_excess => behind,
            b".." if !keeps_excess => b"",
            _ => return path.len() - rest.len(),
        };
    }
}

/// A path without authority must not begin with two slashes, or it would be read back as an authority (3.3): `/.` is
/// put before it, which 5.2.4 removes again.
pub(crate) fn guard(has_authority: bool, out: &mut Vec<u8>, from: usize) {
    if !has_authority && out[from..].starts_with(b"//") {
        insert(*b"/.", out, from);
    }
}

/// Puts two bytes before `out[at..]`.
pub(super) fn insert(bytes: [u8; 2], out: &mut Vec<u8>, at: usize) {
    let end = out.len();
    out.extend_from_slice(&bytes);
    out.copy_within(at..end, at + 2);
    out[at..at + 2].copy_from_slice(&bytes);
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    /// Paths short and long, so that a search begins before the reference's last 64 bytes and after.
    #[test]
    fn appended_paths_are_those_with_dot_segments_removed_in_place() {
        const PIECES: [&[u8]; 7] =
            [b"/", b"/", b".", b"..", b"a", b"b.c", b"d/a-segment-that-is-longer-than-others"];
        let mut removed = 0;
        for number in 0..7_u32.pow(5) {
            let pieces = (0..5).flat_map(|at| PIECES[(number / 7_u32.pow(at) % 7) as usize]).copied();
            let path: Vec<u8> = [b'/'].into_iter().chain(pieces).collect();
            for tail in [b"".as_slice(), b"?q/../.#f/./.."] {
                let text = [b"http://h", path.as_slice(), tail].concat();
                let ends = (8, 8 + path.len());
                let (mut out, mut expected) = (b"before/..".to_vec(), b"before/..http://h".to_vec());
                let shorter = append_without(&text, ends, &mut out);
                expected.extend_from_slice(&path);
                remove_dot_segments(&mut expected, 9 + 8);
                expected.extend_from_slice(tail);
                assert_eq!(out.escape_ascii().to_string(), expected.escape_ascii().to_string());
                assert_eq!(shorter, 9 + text.len() - out.len());
                assert_eq!(are_in(&text, ends), has_dot_segments(&path), "{}", text.escape_ascii());
                removed += usize::from(shorter > 0);
            }
        }
        assert!(removed > 7_000, "{removed}");
    }
}

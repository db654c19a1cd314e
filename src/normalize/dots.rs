//! Dot segments (RFC 3986 sections 3.3, 5.2.4, 6.2.2.3).

/// Whether a path has a segment `.` or `..` behind a slash.
pub(crate) fn has_dot_segments(path: &[u8]) -> bool {
    // A path has fewer dots than slashes.
    memchr::memchr_iter(b'.', path).any(|at| {
        let follows_slash = at > 0 && path[at - 1] == b'/';
        let behind = path[at + 1..].strip_prefix(b".").unwrap_or(&path[at + 1..]);
        follows_slash && behind.first().is_none_or(|&b| b == b'/')
    })
}

/// `remove_dot_segments` (5.2.4) in place, on the path that is `out[from..]`: `.` goes, `..` takes the
/// segment before it along, and more of them than there are segments are dropped. To the letter for paths
/// that begin without a slash too: `a/../b` becomes `/b`.
pub(crate) fn remove_dot_segments(out: &mut Vec<u8>, from: usize) {
    let end = out.len();
    let (mut read, mut write) = (from + leading_dot_segments(&out[from..]), from);
    let slash = |text: &[u8]| memchr::memchr(b'/', text);
    let first = slash(&out[read..end]).map_or(end, |at| read + at);
    out.copy_within(read..first, write);
    (read, write) = (first, write + first - read);
    while read < end {
        // out[read] is the slash that begins a segment.
        let next = slash(&out[read + 1..end]).map_or(end, |at| read + 1 + at);
        let last = next == end;
        match &out[read + 1..next] {
            b"." => {}
            b".." => {
                let before = out[from..write].iter().rposition(|&b| b == b'/');
                write = before.map_or(from, |at| from + at);
            }
            _ => {
                out.copy_within(read..next, write);
                write += next - read;
                read = next;
                continue;
            }
        }
        if last {
            // The slash before a last dot segment stays.
            out[write] = b'/';
            write += 1;
        }
        read = next;
    }
    out.truncate(write);
}

/// How many bytes the dot segments take that begin a path without a slash before them (5.2.4, A and D).
fn leading_dot_segments(path: &[u8]) -> usize {
    let mut rest = path;
    loop {
        rest = match rest {
            [b'.', b'.', b'/', behind @ ..] | [b'.', b'/', behind @ ..] => behind,
            b"." | b".." => b"",
            _ => return path.len() - rest.len(),
        };
    }
}

/// A path without authority must not begin with two slashes, or it would be read back as an
/// authority (3.3): `/.` is put before it, which takes nothing away (5.2.4).
pub(crate) fn guard(has_authority: bool, out: &mut Vec<u8>, from: usize) {
    if !has_authority && out[from..].starts_with(b"//") {
        out.splice(from..from, *b"/.");
    }
}

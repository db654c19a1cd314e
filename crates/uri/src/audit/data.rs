//! The meaning of a text to systems that decode it (RFC 3986 section 7.3): device names in paths, and triplets that
//! decode to triplets. Each triplet is decoded once; nothing is copied.

use crate::encode::{decoded_bytes, triplet};
use crate::normalize::Triplets;
use crate::simd::Places;

/// Whether a text with `%25` has triplets again once it is decoded: `%2541`, `%25%34%31`.
pub(super) fn is_encoded_twice(text: &[u8]) -> bool {
    memchr::memmem::find_iter(text, b"%25").any(|at| {
        let mut behind = decoded_bytes(&text[at + 3..], b'+');
        let mut is_digit = || behind.next().is_some_and(|byte| byte.is_ascii_hexdigit());
        is_digit() && is_digit()
    })
}

/// The longest device name, in bytes.
const MOST_BYTES: usize = 7;

/// Whether a segment of a path is a name that Windows and DOS reserve for a device, in either case and whatever follows
/// its first dot: `CON`, `PRN`, `AUX`, `NUL`, `COM1` to `COM9` and `LPT1` to `LPT9` (superscript digits too), `CONIN$`,
/// `CONOUT$`, `CLOCK$`. Encoded slashes and backslashes end a segment too.
pub(crate) fn has_device_name(path: &[u8], triplets: Triplets) -> bool {
    let is_device = |at: usize| may_begin_with_device(&path[at..]) && begins_with_device(&path[at..]);
    let is_behind_slash = |(at, letters): (usize, &[u8])| {
        letters[0] == b'/' && may_begin_with_device(&letters[1..]) && begins_with_device(&path[at + 1..])
    };
    is_device(0)
        || path.windows(3).enumerate().any(is_behind_slash)
        || triplets.has(Triplets::DELIMITER | Triplets::BACKSLASH)
            && memchr::memchr_iter(b'%', path)
                .any(|at| matches!(triplet(&path[at..]), Ok(b'/' | b'\\')) && is_device(at + 3))
}

/// [`has_device_name`] for names with triplets in them or directly after them, and for those that an encoded slash or
/// backslash precedes.
pub(super) fn has_encoded_device_name(path: &[u8]) -> bool {
    Places::of(b'%', path, (0, path.len())).any(|at| {
        let octet = triplet(&path[at..]);
        if octet.is_ok_and(|octet| !MAY_MATTER[usize::from(octet)]) {
            return false;
        }
        // Bytes before the first triplet of a name belong to it.
        let before = &path[at.saturating_sub(MOST_BYTES + 1)..at];
        let begin = match before.iter().rposition(|&byte| byte == b'/') {
            Some(slash) => Some(at - before.len() + slash + 1),
            None => (before.len() == at).then_some(0),
        };
        let is_device = |at: usize| may_begin_with_device(&path[at..]) && begins_with_device(&path[at..]);
        begin.is_some_and(is_device) || matches!(octet, Ok(b'/' | b'\\')) && is_device(at + 3)
    })
}

/// The octets of a device name, and those that may follow one.
static MAY_MATTER: [bool; 256] = {
    let mut octets = [false; 256];
    let mut bytes: &[u8] = b"acdeiklmnoprstuxACDEIKLMNOPRSTUX$123456789\xc2\xb9\xb2\xb3.:;/\\ \0";
    while let [byte, rest @ ..] = bytes {
        octets[*byte as usize] = true;
        bytes = rest;
    }
    octets
};

/// Whether a text begins with the first two letters of a device name, or these may be triplets.
#[inline]
fn may_begin_with_device(text: &[u8]) -> bool {
    let is_first = |letter: u8| b"CPANLcpanl".contains(&letter);
    match *text {
        [b'%', _, _, ..] => decoded_bytes(text, b'+').next().is_none_or(is_first),
        [b'%', ..] => true,
        [first, b'%', ..] => is_first(first),
        [first, second, ..] => {
            matches!(
                (first | 0x20, second | 0x20),
                (b'c', b'o' | b'l') | (b'p', b'r') | (b'a' | b'n', b'u') | (b'l', b'p')
            )
        }
        _ => false,
    }
}

/// Whether the name at the start of a text, up to its first dot, is a device name.
fn begins_with_device(text: &[u8]) -> bool {
    let mut name = [0; MOST_BYTES];
    let mut len = 0;
    let mut bytes = decoded_bytes(text, b'+');
    let last = loop {
        match bytes.next() {
            // A stream or a drive's path follows a colon, parameters follow a semicolon, and NUL ends a C string.
            last @ (None | Some(b'.' | b':' | b';' | b'/' | b'\\' | b' ' | 0)) => break last,
            Some(_) if len == MOST_BYTES => return false,
            Some(byte) => {
                name[len] = byte.to_ascii_lowercase();
                len += 1;
            }
        }
    };
    let is_device = match &name[..len] {
        b"con" | b"prn" | b"aux" | b"nul" | b"conin$" | b"conout$" | b"clock$" => true,
        [b'c', b'o', b'm', number @ ..] | [b'l', b'p', b't', number @ ..] => {
            matches!(number, [b'1'..=b'9'] | [0xc2, 0xb9 | 0xb2 | 0xb3])
        }
        _ => false,
    };
    // Spaces at the end of a name are ignored, spaces within it are not.
    is_device
        && (last != Some(b' ')
            || bytes.find(|&byte| byte != b' ').is_none_or(|byte| b".:;/\\\0".contains(&byte)))
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::normalize::survey;

    /// Names with triplets, by themselves and after a slash or backslash of either kind, and names without them.
    #[test]
    fn every_name_is_plain_or_encoded() {
        const PIECES: [&[u8]; 20] = [
            b"con", b"aux", b"nul", b"com1", b"conout$", b"c%6Fn", b"%61ux", b"nu%6c", b"co", b"n", b"x",
            b"/", b"/", b"//", b"%2F", b"%5c", b"%20", b"%C2%B9", b".", b"%00",
        ];
        let (mut found, mut encoded) = (0, 0);
        for number in 0..20_u32.pow(4) {
            let path: Vec<u8> =
                (0..4).flat_map(|at| PIECES[(number / 20_u32.pow(at) % 20) as usize]).copied().collect();
            let is_plain = path.split(|&byte| byte == b'/').any(begins_with_device);
            let is_encoded = has_encoded_device_name(&path);
            let expected = has_device_name(&path, survey(&path));
            assert_eq!(is_plain | is_encoded, expected, "{}", path.escape_ascii());
            found += usize::from(expected);
            encoded += usize::from(is_encoded && !is_plain);
        }
        assert!(found > 20_000 && encoded > 1_000, "{found} {encoded}");
    }
}

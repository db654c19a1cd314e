//! The places of bytes in strings with escapes.

use memchr::memchr;

use super::unescape;

/// The place in a string, whose escapes are right, of the byte that is at `at` once they are undone.
pub fn place_of(text: &[u8], at: usize) -> usize {
    let (mut place, mut plain) = (0, 0);
    let mut out = Vec::new();
    while let Some(escape) = memchr(b'\\', &text[place..]).map(|found| place + found) {
        let before = escape - place;
        if plain + before > at {
            break;
        }
        let is_pair = text.get(escape + 1) == Some(&b'u') && text[escape + 2..].get(4..6) == Some(b"\\u");
        let len = match text.get(escape + 1) {
            Some(b'u') => 6,
            _ => 2,
        };
        let part = |len: usize| &text[escape..(escape + len).min(text.len())];
        out.clear();
        unescape(part(if is_pair { 12 } else { len }), &mut out);
        let whole = out.len();
        out.clear();
        unescape(part(len), &mut out);
        // Two halves of a character are one escape.
        let is_one = is_pair && whole == 4;
        let (len, undone) = if is_one { (12, whole) } else { (len, out.len()) };
        if plain + before + undone > at {
            return escape;
        }
        (place, plain) = ((escape + len).min(text.len()), plain + before + undone);
    }
    (place + at - plain).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_has_the_place_of_its_escape() {
        // (a string, for each byte of its text the place of it)
        let cases: &[(&str, &[usize])] = &[
            ("ab", &[0, 1, 2]),
            (r#"a\"b"#, &[0, 1, 3, 4]),
            (r"\\\\x", &[0, 2, 4, 5]),
            (r"\u0041b", &[0, 6, 7]),
            (r"\u00e9b", &[0, 0, 6, 7]),
            (r"\ud83d\ude00b", &[0, 0, 0, 0, 12, 13]),
            (r"\u0041\u0042", &[0, 6, 12]),
        ];
        for (text, places) in cases {
            let found: Vec<usize> = (0..places.len()).map(|at| place_of(text.as_bytes(), at)).collect();
            assert_eq!(found, *places, "{text}");
        }
    }
}

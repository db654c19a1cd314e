//! Proves what stands in an object of JSON (RFC 8259): numbers, words, and arrays and objects at whatever depth. `json`
//! finds members and asks here whether their values are any.

use serde::de::IgnoredAny;

use super::{expect, space, string, word_end};

/// Whether a text is a number or one of the three words.
pub(super) fn is_word(text: &[u8]) -> bool {
    matches!(text, b"true" | b"false" | b"null") || is_number(text)
}

/// ```text
/// number = [ "-" ] int [ "." 1*DIGIT ] [ "e" [ "-" / "+" ] 1*DIGIT ]
/// int    = "0" / ( digit1-9 *DIGIT )
/// ```
fn is_number(text: &[u8]) -> bool {
    let behind_digits = |text: &[u8]| text.iter().take_while(|b| b.is_ascii_digit()).count();
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let whole = behind_digits(text);
    if whole == 0 || whole > 1 && text[0] == b'0' {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix(b".") {
        let len = behind_digits(fraction);
        if len == 0 {
            return false;
        }
        rest = &fraction[len..];
    }
    match rest {
        [] => true,
        [b'e' | b'E', b'-' | b'+', digits @ ..] | [b'e' | b'E', digits @ ..] => {
            !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
        }
        _ => false,
    }
}

/// How deep values are read here that stand in others.
const DEEPEST: u32 = 64;

/// The end of an array or an object; none where it is none. What is nested more deeply the library reads, and what it
/// does not follow is taken for broken.
pub(super) fn nested_end(bytes: &[u8], start: usize) -> Option<usize> {
    // Of what is open around a value, from the inside: a bit that is set for an object.
    let (mut at, mut open, mut depth) = (start, 0u64, 0);
    let name = |at: usize| {
        let key = string(bytes, at).ok()?;
        Some(space(bytes, expect(bytes, space(bytes, key.end()), b':').ok()?))
    };
    loop {
        match *bytes.get(at)? {
            begin @ (b'{' | b'[') => {
                if depth == DEEPEST {
                    return deep_end(bytes, start);
                }
                let is_object = begin == b'{';
                (open, depth) = (open << 1 | u64::from(is_object), depth + 1);
                at = space(bytes, at + 1);
                if *bytes.get(at)? != begin + 2 {
                    at = if is_object { name(at)? } else { at };
                    continue;
                }
            }
            b'"' => at = string(bytes, at).ok()?.end(),
            _ => {
                let end = word_end(bytes, at);
                if !is_word(&bytes[at..end]) {
                    return None;
                }
                at = end;
            }
        }
        // After a value, or before the end of what has none.
        loop {
            at = space(bytes, at);
            match (*bytes.get(at)?, open & 1) {
                (b',', is_object) => {
                    at = space(bytes, at + 1);
                    at = if is_object == 1 { name(at)? } else { at };
                    break;
                }
                (b'}', 1) | (b']', 0) => {
                    (at, open, depth) = (at + 1, open >> 1, depth - 1);
                    if depth == 0 {
                        return Some(at);
                    }
                }
                _ => return None,
            }
        }
    }
}

fn deep_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut values = serde_json::Deserializer::from_slice(&bytes[start..]).into_iter::<IgnoredAny>();
    matches!(values.next(), Some(Ok(_))).then(|| start + values.byte_offset())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_the_library_takes() {
        let is_value = |text: &str| serde_json::from_str::<IgnoredAny>(text).is_ok();
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let words = [
            "0",
            "-0",
            "7",
            "10",
            "01",
            "-",
            "",
            "+1",
            "1.",
            "1.5",
            ".5",
            "-1.50",
            "1e5",
            "1E+5",
            "1e-05",
            "1e",
            "1e+",
            "1.e3",
            "0.0",
            "00",
            "1a",
            "true",
            "false",
            "null",
            "True",
            "nul",
            "NaN",
            "1e999",
            "--1",
            "1-1",
            "123456789012345678901",
        ];
        for word in words {
            assert_eq!(is_word(word.as_bytes()), is_value(word), "{word}");
        }
        let mut nested: Vec<String> = [
            "{}",
            "[]",
            "[ ]",
            "{ }",
            "[1]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{\"a\":1}",
            "{\"a\" : [ {} , [] ] }",
            "{\"a\"}",
            "{\"a\":}",
            "{a:1}",
            "{1:1}",
            "[}",
            "{]",
            "[[]",
            "{\"a\":1,}",
            "{\"a\":1,\"b\":\"\\u00e9\\n\"}",
            "[\"\\x\"]",
            "[\"\\u12\"]",
            "[\"\t\"]",
            "[\"\"]",
            "[\"",
            "{\"",
            "[tru]",
            "[true,false,null,-1.5e3]",
            "[01]",
            "{\"a\":{\"b\":{\"c\":[1,{\"d\":\"}]\"}]}}}",
            "[\r\n1\t]",
            "[1]x",
            "[",
            "{",
            "[\"\\ud800\"]",
            "{\"a\":1 \"b\":2}",
            "{,}",
            "{\"a\"::1}",
            "[\u{a0}1]",
        ]
        .map(str::to_owned)
        .to_vec();
        nested.extend([1, 63, 64, 65, 120].map(deep));
        nested.extend([63, 64, 65].map(|depth| deep(depth).replace("[]", "[1,{\"a\":[]}]")));
        for text in nested {
            let mut values = serde_json::Deserializer::from_str(&text).into_iter::<IgnoredAny>();
            let end = values.next().and_then(Result::ok).map(|_| values.byte_offset());
            assert_eq!(nested_end(text.as_bytes(), 0), end, "{text}");
        }
    }
}

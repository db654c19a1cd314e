//! Checks the values in a JSON object (RFC 8259): numbers, words, and arrays and objects at any depth. `json` finds
//! members and calls this module for their values.

use serde::de::IgnoredAny;
use urimill_uri::simd::Stops;

use super::{expect, is_delimiter, space, string};
use crate::format::short_search::digits_end;

/// The end of the number or the word that begins at `start`; `None` if there is none, or if a byte follows that may
/// not.
#[inline(always)]
pub(super) fn scalar_end(bytes: &[u8], start: usize) -> Option<usize> {
    let end = match bytes.get(start)? {
        b'-' | b'0'..=b'9' => number_end(bytes, start)?,
        _ => word_end(bytes, start)?,
    };
    bytes.get(end).is_none_or(|&byte| is_delimiter(byte)).then_some(end)
}

fn word_end(bytes: &[u8], start: usize) -> Option<usize> {
    let words: [&[u8]; 3] = [b"true", b"false", b"null"];
    let word = words.iter().find(|word| bytes[start..].starts_with(word))?;
    Some(start + word.len())
}

/// ```text
/// number = [ "-" ] int [ "." 1*DIGIT ] [ "e" [ "-" / "+" ] 1*DIGIT ]
/// int    = "0" / ( digit1-9 *DIGIT )
/// ```
#[inline(always)]
fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let first = start + usize::from(bytes[start] == b'-');
    let mut at = match bytes.get(first)? {
        b'0' => first + 1,
        b'1'..=b'9' => digits_end(bytes, first + 1),
        _ => return None,
    };
    let some_digits_end = |at: usize| Some(digits_end(bytes, at)).filter(|&end| end > at);
    if bytes.get(at) == Some(&b'.') {
        at = some_digits_end(at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let has_sign = matches!(bytes.get(at + 1), Some(b'-' | b'+'));
        at = some_digits_end(at + 1 + usize::from(has_sign))?;
    }
    Some(at)
}

/// The deepest nesting of values that is read here.
const DEEPEST: u32 = 64;

/// The end of an array or an object; `None` if it is not one. The library reads values that are nested more deeply; a
/// value that neither can read counts as broken.
pub(super) fn nested_end(bytes: &[u8], start: usize, stops: &mut Stops) -> Option<usize> {
    // `open` has a bit for each array or object around a value, the innermost one lowest: it is set for an object.
    let (mut at, mut open, mut depth) = (start, 0u64, 0);
    let name = |at: usize, stops: &mut Stops| {
        let key = string(bytes, at, stops).ok()?;
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
                    at = if is_object { name(at, stops)? } else { at };
                    continue;
                }
            }
            b'"' => at = string(bytes, at, stops).ok()?.end(),
            _ => at = scalar_end(bytes, at)?,
        }
        // After a value, or before the end of an empty array or object.
        loop {
            at = space(bytes, at);
            match (*bytes.get(at)?, open & 1) {
                (b',', is_object) => {
                    at = space(bytes, at + 1);
                    at = if is_object == 1 { name(at, stops)? } else { at };
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
            assert_eq!(scalar_end(word.as_bytes(), 0) == Some(word.len()), is_value(word), "{word}");
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
            assert_eq!(nested_end(text.as_bytes(), 0, &mut Stops::of(text.as_bytes())), end, "{text}");
        }
    }
}

//! Completes the beginning of a record that is too long to be held, so that the fields in it can be read: a mark ends the
//! text that was cut.

use urimill_columns::batch::Records;
use urimill_uri::simd::PADDING;

use super::json;
use super::quotes;
use super::quotes::Rule;
use super::{Behind, Cut};

/// Ends a text that was cut. Its first and last code points are noncharacters (Unicode, 23.7), which no text has.
const MARK: &str = "\u{fdd0}cut\u{fdd1}";

/// The beginning without the bytes of a character that was cut.
fn in_characters(beginning: &[u8]) -> &[u8] {
    let last = beginning.len().saturating_sub(4);
    let from = last + beginning[last..].iter().rposition(|&b| b >= 0xC0).unwrap_or(4.min(beginning.len()));
    match std::str::from_utf8(beginning.get(from..).unwrap_or_default()) {
        Err(error) if error.error_len().is_none() => &beginning[..from],
        _ => beginning,
    }
}

/// The field with the reference in a record that `made` completes, as `find` finds it; and whether all of the field is
/// there. `None` if there is no field.
pub(super) fn field(mut made: Vec<u8>, find: impl FnOnce(&[u8], &mut Records)) -> Option<(Vec<u8>, bool)> {
    let len = made.len();
    made.resize(len + PADDING, 0);
    made[len] = b'\n';
    let mut records = Records::default();
    find(&made[..len], &mut records);
    let mut field = records.only_reference(&made)?.to_vec();
    let is_cut = field.ends_with(MARK.as_bytes());
    if is_cut {
        field.truncate(field.len() - MARK.len());
    }
    Some((field, !is_cut))
}

/// Completes a JSON object.
pub(super) fn object(beginning: &[u8]) -> Vec<u8> {
    let beginning = in_characters(beginning);
    // The open brackets, and the end of the whole values.
    let (mut open, mut whole) = (Vec::new(), 0);
    let (mut at, mut is_name) = (0, false);
    while let Some(&byte) = beginning.get(at) {
        match byte {
            b'"' => {
                let Some((end, _)) = json::closing_quote(beginning, at + 1) else { break };
                // A name alone is not whole.
                whole = if is_name { whole } else { end + 1 };
                at = end;
            }
            b'{' | b'[' => {
                open.push(if byte == b'{' { b'}' } else { b']' });
                (is_name, whole) = (byte == b'{', at + 1);
            }
            b'}' | b']' => {
                open.pop();
                (is_name, whole) = (false, at + 1);
            }
            b':' => is_name = false,
            b',' => (is_name, whole) = (open.last() == Some(&b'}'), at),
            _ => {}
        }
        at += 1;
    }
    let is_text = beginning.get(at) == Some(&b'"') && !is_name;
    let mut made = match is_text {
        true => beginning[..without_escape(beginning, at + 1)].to_vec(),
        false => beginning[..whole].to_vec(),
    };
    if is_text {
        made.extend_from_slice(MARK.as_bytes());
        made.push(b'"');
    }
    made.extend(open.iter().rev());
    made
}

/// The end of a string that was cut, without an escape that is not whole.
fn without_escape(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(found) = text.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
        let len = if text.get(at + found + 1) == Some(&b'u') { 6 } else { 2 };
        if at + found + len > text.len() {
            return at + found;
        }
        at += found + len;
    }
    text.len()
}

/// Completes a row of fields with separators between.
pub(super) fn row(beginning: &[u8], rule: Rule<'_>) -> Vec<u8> {
    let mut made = in_characters(beginning).to_vec();
    made.extend_from_slice(MARK.as_bytes());
    made.push(b'\n');
    let rule = Rule { longest: usize::MAX, ..rule };
    let is_whole = |cut: Option<Cut>| cut.is_some_and(|cut| cut.end == made.len());
    if !is_whole(quotes::cut(&made, rule, Behind::More)) {
        made.pop();
        made.extend_from_slice(b"\"\n");
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_made_whole() {
        // (beginning, its completion): X is the mark
        for (beginning, expected) in [
            (r#"{"a":"b"#, r#"{"a":"bX"}"#),
            (r#"{"a":"b","c"#, r#"{"a":"b"}"#),
            (r#"{"a":"b","c":"#, r#"{"a":"b"}"#),
            (r#"{"a":"b","c":tr"#, r#"{"a":"b"}"#),
            (r#"{"a":"b""#, r#"{"a":"b"}"#),
            (r#"{"a":{"b":["c","d"#, r#"{"a":{"b":["c","dX"]}}"#),
            (r#"{"a":[1,{"b":2},"#, r#"{"a":[1,{"b":2}]}"#),
            (r#"{"a":"b\"c\"#, r#"{"a":"b\"cX"}"#),
            (r#"{"a":"b\\c\u00"#, r#"{"a":"b\\cX"}"#),
            ("{", "{}"),
        ] {
            let made = object(beginning.as_bytes());
            assert_eq!(String::from_utf8_lossy(&made).replace(MARK, "X"), expected, "{beginning}");
        }
        assert_eq!(object(b"{\"a\":\"b\xc3"), format!("{{\"a\":\"b{MARK}\"}}").into_bytes());
    }

    #[test]
    fn rows_are_made_whole() {
        let rule = Rule { separator: b',', has_quotes: true, longest: 10, comment: b"" };
        for (beginning, expected) in
            [("a,b", "a,bX\n"), ("a,\"b\n c", "a,\"b\n cX\"\n"), ("\"a\"\"b\",c", "\"a\"\"b\",cX\n")]
        {
            let made = row(beginning.as_bytes(), rule);
            assert_eq!(String::from_utf8_lossy(&made).replace(MARK, "X"), expected, "{beginning}");
        }
    }
}

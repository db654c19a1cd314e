//! A document of JSON that is an array of objects, which hold lines or are lines: `[{…}, {…}]`. It may have any line
//! ends, and others may follow it.

use serde::de::IgnoredAny;
use urimill_read::format::first_lines::LINES;
use urimill_read::format::json;

/// Its name in options and summaries.
pub(crate) const NAME: &str = "array";

/// The first elements of the arrays of an input, a line each; none if most are no objects.
pub(super) fn find(first: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut rest = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
    let mut lines = Vec::new();
    while lines.len() < LINES && rest.starts_with(b"[") {
        // The end of the document may be missing; the elements before it are whole.
        let _ = json::elements(rest, 0, rest.len(), |element| {
            let (from, len) = (element.whole.start as usize, element.whole.len as usize);
            lines.push(rest[from..from + len].to_vec());
        });
        let mut documents = serde_json::Deserializer::from_slice(rest).into_iter::<IgnoredAny>();
        let Some(Ok(_)) = documents.next() else { break };
        rest = rest[documents.byte_offset()..].trim_ascii_start();
    }
    lines.truncate(LINES);
    for line in &mut lines {
        // No string has them: they are between the parts of the object.
        line.iter_mut().filter(|b| matches!(b, b'\n' | b'\r')).for_each(|b| *b = b' ');
    }
    let objects = lines.iter().filter(|line| line.starts_with(b"{")).count();
    (2 * objects > lines.len()).then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_elements_of_arrays_are_found() {
        // (input, the number of elements)
        let cases = [
            ("[{\"a\":1},{\"a\":2}]", 2),
            (" [\n  {\n    \"a\": 1\n  },\n  {\n    \"a\"", 1),
            ("[{\"a\":[]}][]\n[{\"a\":1},7]", 3),
            ("[]\n[{\"a\":1}]{\"a\":1}", 1),
        ];
        for (input, count) in cases {
            let lines = find(input.as_bytes()).expect(input);
            assert_eq!(lines.len(), count, "{input}");
            assert!(lines.iter().all(|line| !line.contains(&b'\n')), "{input}");
        }
        for input in ["", "[]", "[\"/a\"]", "{\"events\":[{}]}", "{", "[{\"a\"", "[[{}]]"] {
            assert_eq!(find(input.as_bytes()), None, "{input}");
        }
    }
}

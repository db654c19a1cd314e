//! The array of a document of JSON whose elements are objects that hold lines, or are lines: `[{…}, {…}]`, or that of a
//! member, `{"events": [{…}, …], …}`. The document may have any line ends, and others may follow it.

use serde::de::{DeserializeOwned, IgnoredAny};
use urimill_read::format::first_lines::LINES;
use urimill_read::format::json;

/// Its name in options and summaries; that of the array of a member has `:` and its path after it.
pub(crate) const NAME: &str = "array";

/// An array: its name in options and summaries, and the names of the members that lead to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Array {
    pub(crate) name: &'static str,
    pub(crate) path: &'static [&'static str],
}

impl Array {
    /// The paths of all, for a message.
    pub(super) fn paths() -> String {
        let paths: Vec<_> =
            ARRAYS.iter().filter_map(|array| array.name.split_once(':')).map(|(_, path)| path).collect();
        paths.join(", ")
    }
}

const fn at(name: &'static str, path: &'static [&'static str]) -> Array {
    Array { name, path }
}

/// Where tools and services of logs have the array.
pub(crate) const ARRAYS: &[Array] = &[
    at(NAME, &[]),
    at("array:events", &["events"]),
    at("array:logEvents", &["logEvents"]),
    at("array:Records", &["Records"]),
    at("array:records", &["records"]),
    at("array:value", &["value"]),
    at("array:entries", &["entries"]),
    at("array:items", &["items"]),
    at("array:result", &["result"]),
    at("array:results", &["results"]),
    at("array:data", &["data"]),
    at("array:logs", &["logs"]),
    at("array:hits.hits", &["hits", "hits"]),
];

/// The array of an input, and its first elements, a line each. None if most of these are no objects, or if a document
/// has several such arrays: which one has the lines is not known.
pub(super) fn find(first: &[u8]) -> Option<(Array, Vec<Vec<u8>>)> {
    let mut rest = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
    let (mut lines, mut found, mut without) = (Vec::new(), None, 0);
    // Documents may follow each other, and some of them may be others: a stream's message of control.
    for count in 1..=LINES {
        match arrays(rest)[..] {
            [(array, start)] if found.is_none_or(|known| known == array) => {
                found = Some(array);
                // The end of the document may be missing; the elements before it are whole.
                let _ = json::elements(rest, start, rest.len(), |element| {
                    let (from, len) = (element.whole.start as usize, element.whole.len as usize);
                    lines.push(rest[from..from + len].to_vec());
                });
            }
            [] | [_] => without += 1,
            _ => return None,
        }
        if without > 1 && 2 * without > count {
            return None;
        }
        let Some((_, end)) = value::<IgnoredAny>(rest, 0) else { break };
        rest = rest[end..].trim_ascii_start();
        if lines.len() >= LINES || !matches!(rest, [b'{' | b'[', ..]) {
            break;
        }
    }
    lines.truncate(LINES);
    for line in &mut lines {
        // No string has them: they are between the parts of the object.
        line.iter_mut().filter(|b| matches!(b, b'\n' | b'\r')).for_each(|b| *b = b' ');
    }
    let objects = lines.iter().filter(|line| line.starts_with(b"{")).count();
    found.filter(|_| 2 * objects > lines.len()).map(|array| (array, lines))
}

/// The arrays of the document at the beginning, and where they begin: those that are empty or begin with an object.
fn arrays(document: &[u8]) -> Vec<(Array, usize)> {
    let mut found = Vec::new();
    let _ = collect(document, 0, &mut Vec::new(), &mut found);
    found
}

/// Adds the arrays in the value at `at`, to which these names lead; none if it is not whole.
fn collect(
    bytes: &[u8],
    mut at: usize,
    names: &mut Vec<String>,
    found: &mut Vec<(Array, usize)>,
) -> Option<()> {
    if bytes.get(at) == Some(&b'[') {
        let array = ARRAYS.iter().find(|array| array.path == names.as_slice())?;
        let element = bytes[at + 1..].iter().find(|b| !b.is_ascii_whitespace())?;
        let is_other = found.iter().all(|(known, _)| known != array);
        if is_other && (names.is_empty() || matches!(element, b'{' | b']')) {
            found.push((*array, at));
        }
        return Some(());
    }
    let mut mark = b'{';
    loop {
        at = after(bytes, at, mark)?;
        let (name, end) = value::<String>(bytes, at)?;
        at = after(bytes, end, b':')?;
        names.push(name);
        let is_on_way =
            |array: &Array| array.path.get(..names.len()).is_some_and(|path| path == names.as_slice());
        if ARRAYS.iter().any(is_on_way) {
            let _ = collect(bytes, at, names, found);
        }
        names.pop();
        (_, at) = value::<IgnoredAny>(bytes, at)?;
        mark = b',';
    }
}

/// The place after this byte and the spaces around it.
fn after(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    let spaces = |at: usize| bytes[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let at = at + spaces(at);
    (bytes.get(at) == Some(&byte)).then(|| at + 1 + spaces(at + 1))
}

/// The value that begins at a place, and its end.
fn value<T: DeserializeOwned>(bytes: &[u8], at: usize) -> Option<(T, usize)> {
    let mut values = serde_json::Deserializer::from_slice(&bytes[at..]).into_iter();
    let value = values.next()?.ok()?;
    Some((value, at + values.byte_offset()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_array_of_documents_is_found() {
        // (input, the name of its array, the number of elements)
        let cases = [
            ("[{\"a\":1},{\"a\":2}]", "array", 2),
            (" [\n  {\n    \"a\": 1\n  },\n  {\n    \"a\"", "array", 1),
            ("[{\"a\":[]}][]\n[{\"a\":1},7]", "array", 3),
            ("[]\n[{\"a\":1}]{\"a\":1}", "array", 1),
            ("{\"n\":[1],\"events\": [ {\"a\":[]} ],\"z\":1}\n", "array:events", 1),
            ("{\"logEvents\":[{\"a\":1}]}{\"logEvents\":[{\"a\":1},{\"a\":2}]}", "array:logEvents", 3),
            ("{\"logEvents\":[]}{\"a\":1}\n{\"logEvents\":[{\"a\":1},{\"a\":2}]}", "array:logEvents", 2),
            ("{\"a\":1}\n{\"events\":[{\"a\":1}]}", "array:events", 1),
            ("{\"hits\":{\"total\":2,\"hits\":[{\"a\":1},{\"a\":2}", "array:hits.hits", 2),
            ("{\"events\":[{\"a\":1}],\"events\":[{\"a\":1}]}", "array:events", 1),
            ("{\"hits\":[{\"a\":1}],\"data\":[{\"a\":1}],\"events\":[1]}", "array:data", 1),
        ];
        for (input, name, count) in cases {
            let (array, lines) = find(input.as_bytes()).expect(input);
            assert_eq!((array.name, lines.len()), (name, count), "{input}");
            assert!(lines.iter().all(|line| !line.contains(&b'\n')), "{input}");
        }
        let none = [
            "",
            "[]",
            "[\"/a\"]",
            "{",
            "[{\"a\"",
            "[[{}]]",
            "{\"events\":{}}",
            "{\"events\":",
            "{\"x\":[{}]}",
            "{\"a\":{\"events\":[{}]}}",
            "{\"events\":[\"/a\"]}",
            "{\"events\":[{\"a\":1}],\"data\":[{\"a\":1}]}",
            "{\"a\":1}\n{\"a\":1}\n{\"events\":[{\"a\":1}]}",
        ];
        for input in none {
            assert_eq!(find(input.as_bytes()), None, "{input}");
        }
    }
}

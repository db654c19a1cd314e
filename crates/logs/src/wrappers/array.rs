//! The array in a document of JSON whose elements are objects that hold lines, or are lines: `[{…}, {…}]`, or that of a
//! member, `{"events": [{…}, …], …}`. The document may have any line ends, and others may follow it.

use serde::de::{DeserializeOwned, IgnoredAny};
use urimill_read::format::first_lines::LINES;
use urimill_read::format::json;

/// Its name in options and summaries.
pub(crate) const NAME: &str = "array";

/// An array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Array {
    /// The names of the members that lead to it.
    pub(crate) path: Path,
}

type Path = &'static [&'static str];

/// Where tools and services of logs have the array.
pub(crate) const PATHS: &[Path] = &[
    &[],
    &["events"],
    &["logEvents"],
    &["Records"],
    &["records"],
    &["value"],
    &["entries"],
    &["items"],
    &["result"],
    &["results"],
    &["data"],
    &["logs"],
    &["hits", "hits"],
];

/// The array of an input, and its first elements, a line each.
pub(super) fn find(first: &[u8]) -> Option<(Array, Vec<Vec<u8>>)> {
    let mut rest = first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first).trim_ascii_start();
    let (path, _) = place(rest, 0, PATHS)?;
    let mut lines = Vec::new();
    // Documents may follow each other.
    while let (true, Some((_, start))) = (lines.len() < LINES, place(rest, 0, &[path])) {
        // The end of the document may be missing; the elements before it are whole.
        let _ = json::elements(rest, start, rest.len(), |element| {
            let (from, len) = (element.whole.start as usize, element.whole.len as usize);
            lines.push(rest[from..from + len].to_vec());
        });
        let Some((_, end)) = value::<IgnoredAny>(rest, 0) else { break };
        rest = rest[end..].trim_ascii_start();
    }
    lines.truncate(LINES);
    for line in &mut lines {
        // No string has them: they are between the parts of the object.
        line.iter_mut().filter(|b| matches!(b, b'\n' | b'\r')).for_each(|b| *b = b' ');
    }
    let objects = lines.iter().filter(|line| line.starts_with(b"{")).count();
    (2 * objects > lines.len()).then_some((Array { path }, lines))
}

/// The path of these that leads to an array in the value at `at`, and where the array begins.
fn place(bytes: &[u8], at: usize, paths: &[Path]) -> Option<(Path, usize)> {
    places(bytes, at, 0, paths)
}

fn places(bytes: &[u8], mut at: usize, depth: usize, paths: &[Path]) -> Option<(Path, usize)> {
    if bytes.get(at) == Some(&b'[') {
        return paths.iter().find(|path| path.len() == depth).map(|path| (*path, at));
    }
    let mut mark = b'{';
    loop {
        at = after(bytes, at, mark)?;
        let (name, end) = value::<String>(bytes, at)?;
        at = after(bytes, end, b':')?;
        let of_name = |path: &&Path| path.get(depth) == Some(&&*name);
        let within: Vec<Path> = paths.iter().filter(of_name).copied().collect();
        if !within.is_empty()
            && let Some(found) = places(bytes, at, depth + 1, &within)
        {
            return Some(found);
        }
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
    fn the_array_of_a_document_is_found() {
        // (document, the path of its array, the number of elements)
        let cases: &[(&str, &[&str], usize)] = &[
            ("[{\"a\":1},{\"a\":2}]", &[], 2),
            (" [\n  {\n    \"a\": 1\n  },\n  {\n    \"a\"", &[], 1),
            ("{\"n\":[1],\"events\": [ {\"a\":[]} ],\"z\":1}\n", &["events"], 1),
            ("{\"logEvents\":[{\"a\":1}]}{\"logEvents\":[{\"a\":1},{\"a\":2}]}", &["logEvents"], 3),
            ("{\"hits\":{\"total\":2,\"hits\":[{\"a\":1},{\"a\":2}", &["hits", "hits"], 2),
            ("{\"hits\":[{\"a\":1}],\"data\":[{\"a\":1}]}", &["data"], 1),
        ];
        for (document, path, count) in cases {
            let (array, lines) = find(document.as_bytes()).expect(document);
            assert_eq!((array.path, lines.len()), (*path, *count), "{document}");
            assert!(lines.iter().all(|line| !line.contains(&b'\n')), "{document}");
        }
        for document in
            ["", "[]", "[\"/a\"]", "{\"events\":{}}", "{\"events\":", "{", "{\"x\":[{}]}", "[{\"a\""]
        {
            assert_eq!(find(document.as_bytes()), None, "{document}");
        }
    }
}

//! Checks that the lines of an index are in the order of their keys. Bisection reads few lines, and its conclusions
//! about the others hold only if they are sorted.

use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::option_name::OptionName;

use super::Line;

/// The kind of a line for a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Is {
    /// A line of the index.
    Line,
    /// Empty, or about the file: not part of the order.
    Passed,
    /// Neither.
    Other,
}

/// How a search treats a line of a CDXJ file.
pub(super) fn what(line: &[u8]) -> Is {
    match line {
        _ if Line::is(line) => Is::Line,
        _ if is_passed(line) => Is::Passed,
        _ => Is::Other,
    }
}

/// Whether a search may skip a line that is not part of the index: it is blank, a comment, or about the file.
pub(super) fn is_passed(line: &[u8]) -> bool {
    line.trim_ascii().is_empty() || matches!(line[0], b'!' | b'#' | b'@') || line.starts_with(b" CDX")
}

/// The key of a line of CDXJ, or of a list of blocks.
pub(super) fn key_of(line: &[u8]) -> &[u8] {
    let end = line.iter().position(|&b| matches!(b, b' ' | b'\t'));
    &line[..end.unwrap_or(line.len())]
}

/// The part of a line by which lines are compared: the key with the space after it. Sorted lines are in the order of
/// these parts, and not always in that of the keys alone: a control character in a key sorts before the space.
pub(super) fn compared(line: &[u8]) -> &[u8] {
    &line[..line.len().min(key_of(line).len() + 1)]
}

/// Compares the keys of successive lines.
#[derive(Debug, Default)]
pub(super) struct Order {
    last: Vec<u8>,
}

impl Order {
    /// Takes the next line; returns whether its key is in order.
    pub(super) fn takes(&mut self, line: &[u8]) -> bool {
        let key = compared(line);
        if key < &self.last[..] {
            return false;
        }
        self.last.clear();
        self.last.extend_from_slice(key);
        true
    }
}

/// The error of an index whose lines are not sorted.
pub(super) fn disorder(place: &str, path: &str) -> Error {
    let sentence = format!(
        "{path} cannot be searched: {place} has a lesser key than a line before it, and a search needs lines that are \
         sorted by their bytes: sort them, as with LC_ALL=C sort, or read all of them: {}",
        OptionName::Scan.named()
    );
    Error::new(ErrorKind::Data, sentence)
}

/// The error for something that is not a line.
pub(super) fn no_line(place: &str) -> Error {
    let sentence = format!("{place} is no line of CDXJ: key, 14 to 17 digits, and an object of JSON");
    Error::new(ErrorKind::Data, sentence)
}

/// Checks a line that a search met; returns whether it is one of the index.
pub(super) fn check(order: &mut Order, line: &[u8], at: u64, path: &str) -> Result<bool> {
    let place = || format!("the line at byte {at} of {path}");
    match what(line) {
        Is::Passed => Ok(false),
        Is::Other => Err(no_line(&place())),
        Is::Line if order.takes(line) => Ok(true),
        Is::Line => Err(disorder(&place(), path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_lines() {
        for (lines, expected) in [
            (["a) 1", "a) 2"], true),
            (["a) 2", "a) 1"], true),
            (["a)\u{1} 1", "a) 1"], true),
            (["a) 1", "a)\u{1} 1"], false),
            (["a)! 1", "a) 1"], false),
            (["a) 1\tx", "a)/ 1\tx"], true),
        ] {
            let mut order = Order::default();
            let found = lines.iter().all(|line| order.takes(line.as_bytes()));
            assert_eq!(found, expected, "{lines:?}");
        }
    }

    #[test]
    fn lines_are_of_the_index_or_passed_or_neither() {
        for (line, expected) in [
            ("com,a)/ 20240101000000 {}", Is::Line),
            ("com,a)/ 20240101000000123 {\"a\": 1}", Is::Line),
            ("com,a)/ 20240101000000 {} ", Is::Line),
            ("#a 20240101000000 {}", Is::Line),
            ("", Is::Passed),
            (" \t", Is::Passed),
            ("!meta 0 {}", Is::Passed),
            ("# a comment", Is::Passed),
            ("@keys [\"a\"]", Is::Passed),
            (" CDX N b a", Is::Passed),
            ("com,a)/ 2024010100000 {}", Is::Other),
            ("com,a)/ 202401010000001234 {}", Is::Other),
            ("com,a)/ 20240101000000 text", Is::Other),
            ("com,a)/ 20240101000000 {", Is::Other),
            ("com,a)/", Is::Other),
        ] {
            assert_eq!(what(line.as_bytes()), expected, "{line}");
        }
    }
}

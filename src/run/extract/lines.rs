//! The lines of the URIs found in a chunk, and the limit on lines that are held until it is their turn to be written.

use serde_json::Value;
use urimill_base::error::{Error, Result};
use urimill_pipeline::Ahead;
use urimill_uri::extract;

use super::Page;

/// The bytes of lines that a chunk holds at most, about; then it waits for its turn, and passes them on.
const MOST_HELD: usize = 8 << 20;

/// The lines of a chunk.
pub(super) struct Lines<'l, 'a> {
    pub(super) page: Page,
    /// Writes the lines so far; without it all are held.
    ahead: Option<&'l mut Ahead<'a, Result<Page>>>,
    /// Whether the run has failed elsewhere.
    pub(super) is_stopped: bool,
}

impl<'l, 'a> Lines<'l, 'a> {
    /// An empty list of lines; if they become too many to be held they go to `ahead`.
    pub(super) fn new(ahead: Option<&'l mut Ahead<'a, Result<Page>>>) -> Self {
        Lines { page: Page::default(), ahead, is_stopped: false }
    }

    /// Ends a line, and counts it.
    pub(super) fn end_line(&mut self) {
        self.page.bytes.push(b'\n');
        self.page.found += 1;
        if self.page.bytes.len() < MOST_HELD {
            return;
        }
        if let Some(ahead) = &mut self.ahead {
            self.is_stopped = !ahead(Ok(std::mem::take(&mut self.page)));
        }
    }

    /// The remaining lines, unless there was an error.
    pub(super) fn finish(self, result: Result<(), Error>) -> Result<Page> {
        result.map(|()| self.page)
    }
}

/// One URI in JSON, its members in an order for people. `source` and `place` are JSON already; `place` has members
/// about the position of the text. `at` is the beginning of the piece of text that [`extract::Found::offset`] refers
/// to.
pub(super) fn object(source: &str, place: &str, at: u64, found: &extract::Found<'_>) -> String {
    let (offset, length) = (at + found.offset as u64, found.raw.len());
    let (raw, uri) = (Value::from(found.raw), Value::from(found.uri.as_ref()));
    let (kind, delimiter, hyphen_break) = (found.kind.as_str(), found.delimiter.as_str(), found.hyphen_break);
    format!(
        r#"{{"source":{source},{place}"offset":{offset},"length":{length},"raw":{raw},"uri":{uri},"kind":"{kind}","delimiter":"{delimiter}","hyphen_break":{hyphen_break}}}"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_bytes_are_held() {
        let line = vec![b'a'; 1 << 20];
        // (parts until the run fails, lines found, the bytes of the parts, remaining lines)
        let table: [(usize, u64, &[usize], u64); 4] =
            [(9, 7, &[], 7), (9, 8, &[8 << 20], 0), (9, 20, &[8 << 20, 8 << 20], 4), (1, 20, &[8 << 20], 0)];
        for (most, count, expected, left) in table {
            let mut parts = Vec::new();
            let mut ahead = |page: Result<Page>| {
                let page = page.expect("no error");
                parts.push(page.bytes.len());
                assert_eq!(page.found, 8);
                parts.len() < most
            };
            let mut lines = Lines::new(Some(&mut ahead));
            for _ in 0..count {
                if lines.is_stopped {
                    break;
                }
                lines.page.bytes.extend_from_slice(&line[1..]);
                lines.end_line();
            }
            assert_eq!(lines.finish(Ok(())).expect("no error").found, left, "{count} lines");
            assert_eq!(parts, expected, "{count} lines");
        }
    }
}

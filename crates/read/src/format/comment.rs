//! Lines of comments between records: they begin with a text that the caller names, and are not records. They count as
//! blank lines do. For formats that have no comments of their own: lists of URIs, CSV, TSV.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::{memchr, memmem};
use urimill_columns::batch::{Records, Text};

use super::{line_end, span};

/// The prefix of comment lines; by default there are no comments.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comment(Arc<[u8]>);

impl From<&str> for Comment {
    /// An empty prefix means that there are no comments.
    fn from(text: &str) -> Comment {
        Comment(text.as_bytes().into())
    }
}

impl Comment {
    /// Whether no line is a comment.
    pub fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether a line begins with the prefix.
    #[inline]
    pub(crate) fn begins(&self, line: &[u8]) -> bool {
        !self.0.is_empty() && line.starts_with(&self.0)
    }

    /// The number of bytes and lines of comments at the beginning of a text; with `blank` lines, if that is wanted.
    pub(crate) fn passed(&self, text: &[u8], blank: bool) -> (usize, u32) {
        let (mut at, mut lines) = (0, 0);
        loop {
            let begins = |end: &[u8]| text[at..].starts_with(end);
            let is_blank = blank && (begins(b"\n") || begins(b"\r\n"));
            if !is_blank && !self.begins(&text[at..]) {
                return (at, lines);
            }
            at += memchr(b'\n', &text[at..]).map_or(text.len() - at, |newline| newline + 1);
            lines += 1;
        }
    }

    /// A text without its comments.
    pub fn removed<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        if self.is_none() {
            return Cow::Borrowed(text);
        }
        let begin = [b"\n", self.bytes()].concat();
        let (mut kept, mut from) = (Vec::new(), self.passed(text, false).0);
        while let Some(newline) = memmem::find(&text[from..], &begin) {
            let end = from + newline + 1;
            kept.extend_from_slice(&text[from..end]);
            from = end + self.passed(&text[end..], false).0;
        }
        if from == 0 {
            return Cow::Borrowed(text);
        }
        kept.extend_from_slice(&text[from..]);
        Cow::Owned(kept)
    }

    /// Finds records in lists, where a line is a URI.
    pub(crate) fn read_lines(
        &self,
        bytes: &[u8],
        (from, most): (usize, usize),
        records: &mut Records,
    ) -> usize {
        records.is_list = true;
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            let start = at;
            let newline = memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |found| start + found);
            let end = line_end(bytes, start, newline);
            at = (newline + 1).min(bytes.len());
            match end == start || self.begins(&bytes[start..end]) {
                true => records.push_blank(),
                false => records.push(start as u32, Text::Read(span(start, end)), None),
            }
        }
        at
    }
}

#[cfg(test)]
mod tests {
    use super::Comment;

    #[test]
    fn lines_that_begin_with_the_comment_are_removed() {
        for (comment, text, kept) in [
            ("#", "a\nb", "a\nb"),
            ("", "#a\n#b", "#a\n#b"),
            ("#", "#a\n#b", ""),
            ("#", "#a\n\n#b\nc#d\n #e\n#f\n#g\n#h", "\nc#d\n #e\n"),
            ("#", "a\r\n#b\r\nc", "a\r\nc"),
            ("//", "a\n/b\n//c\nd//\n//", "a\n/b\nd//\n"),
        ] {
            let found = Comment::from(comment);
            assert_eq!(found.removed(text.as_bytes()), kept.as_bytes(), "{comment}: {text:?}");
        }
    }
}

//! Lines of comments between records: they begin with a text that the caller names, and are not records. They count as
//! blank lines do. For formats that have no comments of their own: lists of URIs, CSV, TSV.

use std::borrow::Cow;
use std::sync::Arc;

use memchr::memchr;

use super::{line_end, span};
use crate::batch::{Records, Text};

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
    pub(in crate::read) fn is_none(&self) -> bool {
        self.0.is_empty()
    }

    pub(in crate::read) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Whether a line begins with the prefix.
    #[inline]
    pub(in crate::read) fn begins(&self, line: &[u8]) -> bool {
        !self.0.is_empty() && line.starts_with(&self.0)
    }

    /// The number of bytes and lines of comments at the beginning of a text; with `blank` lines, if that is wanted.
    pub(in crate::read) fn passed(&self, text: &[u8], blank: bool) -> (usize, u32) {
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
    pub(in crate::read) fn removed<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        let mut lines = text.split_inclusive(|&b| b == b'\n');
        match lines.clone().any(|line| self.begins(line)) {
            true => Cow::Owned(lines.by_ref().filter(|line| !self.begins(line)).flatten().copied().collect()),
            false => Cow::Borrowed(text),
        }
    }

    /// Finds records in lists, where a line is a URI.
    pub(in crate::read) fn read_lines(
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

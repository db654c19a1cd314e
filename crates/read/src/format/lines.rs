//! Lists, with a URI on each line: a newline ends a record, whatever comes before it. Without comments only the chunker
//! uses this, because the kernels find line ends with the masks that also find a URI's components.

use memchr::{memchr_iter, memrchr};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::Records;

use super::comment::Comment;
use super::format_row::FormatRow;
use super::framing::ChunkText;
use super::{Behind, Cut, RecordFormat};

/// The row of the format.
pub const ROW: FormatRow = FormatRow {
    name: "lines",
    meaning: "One URI reference a line",
    takes: &[&[OptionName::Comment]],
    has_fields: false,
    reader: |_, asked| Ok(Lines(asked.comment.clone()).into()),
    ..FormatRow::TEXT
};

/// The format, perhaps with lines of comments in between.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines(Comment);

impl RecordFormat for Lines {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn is_lines(&self) -> bool {
        true
    }

    fn is_plain_list(&self) -> bool {
        self.0.is_none()
    }

    fn has_comments(&self) -> bool {
        !self.0.is_none()
    }

    fn find(&self, chunk: &ChunkText<'_>, place: (usize, usize), records: &mut Records) -> usize {
        if self.is_plain_list() { chunk.len } else { self.0.read_lines(chunk.text(), place, records) }
    }
}

/// Where whole lines end.
pub fn cut(bytes: &[u8], searched: usize, behind: Behind) -> Option<Cut> {
    let end = match behind {
        Behind::End => bytes.len(),
        _ => searched + memrchr(b'\n', &bytes[searched..])? + 1,
    };
    let whole = &bytes[..end];
    let unended = whole.last().is_some_and(|&last| last != b'\n');
    Some(Cut { end, records: memchr_iter(b'\n', whole).count() as u64 + u64::from(unended) })
}

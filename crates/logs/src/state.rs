//! What a reader of a log keeps from line to line, and what it has found around a line.

use urimill_columns::batch::Text;
use urimill_uri::simd::Span;

use super::escapes::Marks;
use super::found::Found;
use super::headed::Header;
use super::named::Part;
use super::objects::Others;
use super::pairs::OtherPairs;
use super::target::LastBases;
use super::wrappers::DEPTH;

/// The state that a reader keeps from line to line.
#[derive(Default)]
pub(super) struct State<'a> {
    pub(super) found: Found,
    pub(super) parts: Vec<Part>,
    pub(super) others: Others<'a>,
    pub(super) pairs: OtherPairs,
    pub(super) base: LastBases,
    /// Whether the columns are the first slots.
    pub(super) are_in_order: bool,
    /// What is around the line.
    pub(super) around: Surroundings,
    /// The header in force, if the format has headers.
    pub(super) header: Header,
    /// The number of fields of most lines that have no header, and the headers of other lines.
    pub(super) main: Option<usize>,
    pub(super) lists: Vec<Header>,
    /// Whether a field of the line may hold a backslash.
    pub(super) may_have_escapes: bool,
    /// The bytes of the chunk that may begin escapes.
    pub(super) marks: Marks,
}

/// What is around a line.
#[derive(Debug, Default)]
pub(super) struct Surroundings {
    pub(super) prefix: Option<Text>,
    pub(super) time: Option<Text>,
    pub(super) host: Option<Text>,
    /// Whether the line lacks a wrapper that most lines have.
    pub(super) lacks_wrapper: bool,
    /// The texts that were unescaped, one for each wrapper.
    pub(super) texts: [Vec<u8>; DEPTH],
}

impl Surroundings {
    /// Keeps a text of the chunk before the line.
    pub(super) fn put_text(&mut self, prefix: Span) {
        self.prefix = Some(Text::Read(prefix));
    }

    /// Forgets the line before.
    pub(super) fn clear(&mut self) {
        (self.prefix, self.time, self.host, self.lacks_wrapper) = (None, None, None, false);
    }
}

//! Records with fields, as the reader of a format finds them in a chunk: the seam between `input::format`,
//! which knows where fields stand, and the kernels, which split the URIs in them where they lie.

use arrow::buffer::Buffer;

use super::places::Places;
use crate::simd::{PADDING, Span};

/// The number of the chunk's own buffer, and that of the unescaped texts.
const READ: u32 = 0;
const UNESCAPED: u32 = 1;

/// A field's text: in the chunk, or written anew because the format had escaped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Where it lies in the chunk.
    Read(Span),
    /// Where [`Records::unescape`] has put it.
    Unescaped(Span),
}

/// The records of one batch, by place.
#[derive(Debug, Default)]
pub struct Records {
    /// Where each record begins in the chunk.
    pub(super) starts: Vec<u32>,
    pub(super) references: Places,
    /// One a record where records have bases, else none.
    pub(super) bases: Places,
    /// Records that lack a field, and the field's number from 1; their reference is the whole record.
    pub(super) short: Vec<(u32, u32)>,
    /// For each blank line the number of records before it.
    pub(super) blank: Vec<u32>,
    unescaped: Vec<u8>,
}

impl Records {
    /// How many.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Forgets all of them and keeps their memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.references.clear();
        self.bases.clear();
        self.short.clear();
        self.blank.clear();
        self.unescaped.clear();
    }

    /// A record that begins at `start` of the chunk. Either all records of a batch have a base or none.
    #[inline]
    pub fn push(&mut self, start: u32, reference: Text, base: Option<Text>) {
        self.starts.push(start);
        put(&mut self.references, reference);
        if let Some(base) = base {
            put(&mut self.bases, base);
        }
    }

    /// A record (`whole`, without its line end) that lacks `field`, counted from 1; `has_base` as for the others.
    pub fn push_short(&mut self, whole: Span, field: u32, has_base: bool) {
        self.short.push((self.starts.len() as u32, field));
        let none = Text::Read(Span { start: whole.start, len: 0 });
        self.push(whole.start, Text::Read(whole), has_base.then_some(none));
    }

    /// A line that is no record.
    pub fn push_blank(&mut self) {
        self.blank.push(self.starts.len() as u32);
    }

    /// A text that does not lie in the chunk as it is meant: `write` appends it.
    pub fn unescape(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Text {
        let start = self.unescaped.len();
        write(&mut self.unescaped);
        Text::Unescaped(Span { start: start as u32, len: (self.unescaped.len() - start) as u32 })
    }

    /// Says in which buffers the texts lie, once all are found.
    pub(super) fn seal(&mut self, chunk: &Buffer) {
        self.references.buffers.push(chunk.clone());
        if !self.unescaped.is_empty() {
            self.unescaped.resize(self.unescaped.len() + PADDING, 0);
            self.references.buffers.push(Buffer::from_vec(std::mem::take(&mut self.unescaped)));
        }
        self.bases.buffers.clone_from(&self.references.buffers);
    }
}

#[inline]
fn put(places: &mut Places, text: Text) {
    match text {
        Text::Read(span) => places.push(READ, span),
        Text::Unescaped(span) => places.push(UNESCAPED, span),
    }
}

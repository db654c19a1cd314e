//! The columns of keys and canonical forms (`canonical`). They are made from the reference before normalization, which
//! is what the tools with these forms read: the reference as read or repaired, and resolved if there is a base. So a
//! key is the same at every level.
//!
//! Nothing is parsed again. A row that normalization left unchanged has its offsets; for the others the slow path has
//! kept them (`pre_normalized`).

use std::sync::Arc;

use arrow_array::StringViewArray;
use urimill_base::error::Result;
use urimill_uri::canonical::SurtWriter;
use urimill_uri::grammar::Spec;
use urimill_uri::internal::canonical::{BEHIND, ROOM};
use urimill_uri::simd::Split;
use urimill_uri::{HostKind, Reject, UriRef};

use crate::batch::memory::Memory;
use crate::batch::pre_normalized;
use crate::batch::rows::{Rows, check_room};
use crate::batch::views::{Texts, WrittenTexts};

/// The reference of a row before the ladder.
pub(crate) struct Before<'a> {
    /// The text, and the bytes after it in its buffer.
    text: &'a [u8],
    split: Split,
    kind: Option<HostKind>,
    spec: Spec,
}

impl<'a> Before<'a> {
    /// The same as a reference, for which the text is examined once more.
    pub(crate) fn uri(&self) -> UriRef<'a> {
        UriRef::of_split(&self.text[..self.split.end as usize], self.split, self.kind, self.spec)
    }

    /// Writes the key; returns whether there is one. Without a key the value is not `-` either: indexes write that for
    /// a missing field.
    #[inline(always)]
    pub(crate) fn write_surt(&self, keys: &mut SurtWriter, written: &mut WrittenTexts) -> bool {
        let Before { text, split, kind, .. } = self;
        if split.scheme_end == 0 {
            return false;
        }
        let len = split.end as usize;
        if text.len() >= len + BEHIND {
            let room = written.room(len + ROOM);
            match keys.write_plain(text, (split, *kind), room) {
                Some(len) => written.keep(len),
                None => written.append(|out| keys.write_in_steps(&self.uri(), out)),
            }
        } else {
            written.append(|out| keys.write(&self.uri(), out));
        }
        true
    }
}

/// A column of the texts that `write` writes for the reference of each row: null if it returns that there is none, and
/// for rejects.
///
/// # Errors
/// Usage, if the forms of one batch exceed 2 GiB.
pub(crate) fn column(
    (rows, texts): (&Rows, &Texts<'_>),
    (kinds, spec): (impl Iterator<Item = Option<HostKind>>, Spec),
    memory: &Memory<u8>,
    mut write: impl FnMut(&Before<'_>, &mut WrittenTexts) -> bool,
) -> Result<Arc<StringViewArray>> {
    let mut written = WrittenTexts::new(memory);
    let mut befores = Befores::of((rows, texts), spec);
    let (views, valid) = texts.written(&mut written, (0..).zip(kinds), |row, kind, written| {
        let is_written = match befores.row(row, kind) {
            Some(before) => write(&before, written),
            None => false,
        };
        check_room(written.len(), 0).map(|()| is_written)
    })?;
    let texts = texts.with(Some(written.into_buffer(memory)));
    Ok(Arc::new(texts.strings(views, Some(valid))))
}

/// The references of a batch before normalization, row by row.
struct Befores<'a> {
    rows: &'a Rows,
    texts: &'a Texts<'a>,
    spec: Spec,
    rejects: &'a [(u32, Reject)],
    changed: &'a [pre_normalized::Row],
}

impl<'a> Befores<'a> {
    fn of((rows, texts): (&'a Rows, &'a Texts<'a>), spec: Spec) -> Self {
        Befores { rows, texts, spec, rejects: &rows.rejects, changed: rows.pre_normalized.rows() }
    }

    /// The reference of a row, with the kind of its host; `None` for a reject and for a null. Rows must be requested in
    /// order.
    #[inline(always)]
    fn row(&mut self, row: u32, kind: Option<HostKind>) -> Option<Before<'a>> {
        let Befores { rows, texts, spec, .. } = *self;
        let rejected = next_if(&mut self.rejects, |(rejected, _)| *rejected == row);
        let changed = next_if(&mut self.changed, |before| before.row == row);
        if rejected.is_some() || rows.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row as usize)) {
            return None;
        }
        if let Some(before) = changed {
            let read = |start, len| texts.text_at(texts.read_at(row, (start, len)));
            let text = rows.pre_normalized.text(before, read);
            return Some(Before { text, split: before.split, kind: before.kind, spec });
        }
        let split = rows.splits.get(row as usize);
        Some(Before { text: texts.row_and_behind(row as usize), split, kind, spec })
    }
}

/// Takes the first entry if it is the requested one.
#[inline(always)]
fn next_if<'a, T>(entries: &mut &'a [T], is_wanted: impl FnOnce(&T) -> bool) -> Option<&'a T> {
    let (first, rest) = entries.split_first().filter(|(first, _)| is_wanted(first))?;
    *entries = rest;
    Some(first)
}

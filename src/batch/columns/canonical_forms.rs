//! The columns of keys and canonical forms (`canonical`). They are made of what a reference was before the ladder,
//! because the tools whose forms they are read that: the reference as it was read or mended, and resolved where
//! there is a base. A key is then the same at every level.
//!
//! Nothing is parsed again. A row that the ladder left as it was has its offsets; of the others the slow path
//! has kept them (`pre_normalized`).

use std::sync::Arc;

use arrow_array::StringViewArray;

use crate::batch::memory::Memory;
use crate::batch::rows::{Rows, check_room};
use crate::batch::views::Texts;
use crate::error::Result;
use crate::grammar::Spec;
use crate::uri::{HostKind, UriRef};

/// A column of what `write` appends for the reference of each row: null where it answers that there is nothing,
/// and for rejects.
///
/// # Errors
/// Usage, where the forms of one batch come to more than 2 GiB.
pub(in crate::batch) fn column(
    (rows, texts): (&Rows, &Texts<'_>),
    (kinds, spec): (impl Iterator<Item = Option<HostKind>>, Spec),
    memory: &Memory<u8>,
    mut write: impl FnMut(&UriRef<'_>, &mut Vec<u8>) -> bool,
) -> Result<Arc<StringViewArray>> {
    let (mut bytes, mut listed) = (memory.take(), Vec::with_capacity(texts.count()));
    let buffer = texts.buffer_count();
    for (row, uri) in references((rows, texts), (kinds, spec)) {
        let start = bytes.len();
        if write(&uri, &mut bytes) {
            check_room(bytes.len(), 0)?;
            listed.push((row, (buffer, start as u32, (bytes.len() - start) as u32)));
        }
    }
    let texts = texts.with_written(bytes, memory);
    let (views, valid) = texts.sparse(listed.into_iter());
    Ok(Arc::new(texts.strings(views, Some(valid))))
}

/// The references of a batch as they were before the ladder, by row.
fn references<'a>(
    (rows, texts): (&'a Rows, &'a Texts<'_>),
    (kinds, spec): (impl Iterator<Item = Option<HostKind>> + 'a, Spec),
) -> impl Iterator<Item = (u32, UriRef<'a>)> {
    let mut rejects = rows.rejects.iter().peekable();
    let mut befores = rows.pre_normalized.rows().peekable();
    (0..).zip(kinds).filter_map(move |(row, kind)| {
        let is_reject = rejects.next_if(|(rejected, _)| *rejected == row).is_some();
        let before = befores.next_if(|before| before.row == row);
        if is_reject || rows.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row as usize)) {
            return None;
        }
        let uri = match before {
            Some(before) => {
                let read = |start, len| texts.text_at(texts.read_at(row, (start, len)));
                UriRef::of_split(rows.pre_normalized.text(before, read), before.split, before.kind, spec)
            }
            None => {
                let split = rows.splits.get(row as usize);
                UriRef::of_split(texts.slice(row as usize, (0, split.end)), split, kind, spec)
            }
        };
        Some((row, uri))
    })
}

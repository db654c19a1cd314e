//! The columns of templates (`crate::templates`) and traps (`crate::traps`): each value is made of the normal form of its
//! row, and of nothing else.

use std::sync::Arc;

use arrow_array::ArrayRef;

use super::{after_scheme, has_authority};
use crate::batch::memory::Memory;
use crate::batch::rows::{Rows, check_room};
use crate::batch::views::Texts;
use crate::error::Result;
use crate::templates::{Parts, write};
use crate::traps::{Trap, trap};

/// The template of each row; null for rejects and for rows that are null.
///
/// # Errors
/// Usage, where the templates of one batch come to more than 2 GiB.
pub(in crate::batch) fn column(rows: &Rows, texts: &Texts<'_>, memory: &Memory<u8>) -> Result<ArrayRef> {
    let buffer = texts.buffer_count();
    let (mut bytes, mut listed) = (memory.take(), Vec::with_capacity(rows.splits.len()));
    let mut template = String::new();
    for (row, parts) in parts(rows, texts) {
        template.clear();
        write(&parts, &mut template);
        // Routes repeat themselves in a log: neighbours share their text.
        let same = listed.last().copied().filter(|&(_, (_, start, len)): &(u32, (u32, u32, u32))| {
            bytes[start as usize..][..len as usize] == *template.as_bytes()
        });
        let place = match same {
            Some((_, place)) => place,
            None => {
                let start = bytes.len();
                bytes.extend_from_slice(template.as_bytes());
                check_room(bytes.len(), 0)?;
                (buffer, start as u32, template.len() as u32)
            }
        };
        listed.push((row, place));
    }
    let texts = texts.with_written(bytes, memory);
    let (views, valid) = texts.sparse(listed.into_iter());
    Ok(Arc::new(texts.strings(views, Some(valid))))
}

/// The rows that show a trap.
pub(in crate::batch) fn traps(rows: &Rows, texts: &Texts<'_>) -> Vec<(u32, Trap)> {
    parts(rows, texts).filter_map(|(row, parts)| trap(&parts).map(|trap| (row, trap))).collect()
}

/// The parts of the normal forms, by row, without rejects and nulls.
fn parts<'a>(rows: &'a Rows, texts: &'a Texts<'_>) -> impl Iterator<Item = (u32, Parts<'a>)> {
    let s = &rows.splits;
    let mut rejects = rows.rejects.iter().peekable();
    has_authority(rows).enumerate().filter_map(move |(row, has_authority)| {
        let is_reject = rejects.next_if(|(rejected, _)| *rejected as usize == row).is_some();
        if is_reject || rows.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        // A URI is ASCII.
        let text = std::str::from_utf8(texts.slice(row, (0, s.query_end[row]))).unwrap_or_default();
        let part = |from: u32, to: u32| text.get(from as usize..to as usize).unwrap_or_default();
        let (scheme, after, path, query) =
            (s.scheme_end[row], after_scheme(s.scheme_end[row]), s.path_end[row], s.query_end[row]);
        let parts = Parts {
            scheme: (scheme > 0).then(|| part(0, scheme)),
            authority: has_authority.then(|| part(after + 2, s.path_start[row])),
            path: part(s.path_start[row], path),
            query: (query > path).then(|| part(path + 1, query)),
        };
        Some((row as u32, parts))
    })
}

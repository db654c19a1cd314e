//! The columns of templates and file types (`crate::templates`), and of traps (`crate::traps`): each value is made of
//! the normal form of its row, and of nothing else. Values are made once for rows with the same text: a report of a
//! million log lines takes 1.32 instead of 1.92 s.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{ArrayBuilder, StringViewBuilder};
use twox_hash::XxHash3_64;
use urimill_base::error::Result;

use super::{after_scheme, has_authority};
use crate::batch::memory::Memory;
use crate::batch::rows::{Rows, check_room};
use crate::batch::views::Texts;
use crate::templates::{Parts, file_type, write};
use crate::traps::{Trap, trap};

/// The number of texts of a batch that are remembered, to find repeated ones.
const REMEMBERED: usize = 1 << 14;

/// The number of rows after which texts must have repeated, or the search ends; and how many must have.
const JUDGED: (usize, usize) = (2048, 256);

/// For each row a row before it with the same text up to the fragment, if one is remembered; otherwise the row itself.
/// Logs repeat themselves, and values that depend on this text alone are made once for all such rows.
pub(crate) fn firsts(rows: &Rows, texts: &Texts<'_>) -> Vec<u32> {
    let mut firsts: Vec<u32> = (0..rows.splits.len() as u32).collect();
    let mut remembered = vec![u32::MAX; REMEMBERED];
    let mut again = 0;
    for (seen, (row, _)) in usable(rows).enumerate() {
        if seen == JUDGED.0 && again < JUDGED.1 {
            break;
        }
        let known = &mut remembered[XxHash3_64::oneshot(text(rows, texts, row)) as usize % REMEMBERED];
        if *known != u32::MAX && text(rows, texts, *known as usize) == text(rows, texts, row) {
            firsts[row] = *known;
            again += 1;
        } else {
            *known = row as u32;
        }
    }
    firsts
}

/// The template of each row, of which [`firsts`] shows the equal ones; null for rejects and for rows that are null.
///
/// # Errors
/// Usage, if the templates of one batch exceed 2 GiB.
pub(crate) fn column(
    rows: &Rows,
    texts: &Texts<'_>,
    firsts: &[u32],
    memory: &Memory<u8>,
) -> Result<ArrayRef> {
    let buffer = texts.buffer_count();
    let (mut bytes, mut listed) = (memory.take(), Vec::with_capacity(firsts.len()));
    let mut places = vec![(buffer, 0, 0); firsts.len()];
    let mut template = String::new();
    let mut last = (0, 0);
    for (row, has_authority) in usable(rows) {
        let first = firsts[row] as usize;
        if first == row {
            template.clear();
            write(&parts(rows, texts, (row, has_authority)), &mut template);
            // Neighbours of one route share their text.
            if bytes[last.0 as usize..][..last.1 as usize] != *template.as_bytes() {
                last = (bytes.len() as u32, template.len() as u32);
                bytes.extend_from_slice(template.as_bytes());
                check_room(bytes.len(), 0)?;
            }
            places[row] = (buffer, last.0, last.1);
        } else {
            places[row] = places[first];
        }
        listed.push((row as u32, places[row]));
    }
    let texts = texts.with_written(bytes, memory);
    let (views, valid) = texts.sparse(listed.into_iter());
    Ok(Arc::new(texts.strings(views, Some(valid))))
}

/// The rows that show a trap. [`firsts`] shows the equal ones.
pub(crate) fn traps(rows: &Rows, texts: &Texts<'_>, firsts: &[u32]) -> Vec<(u32, Trap)> {
    let mut found = vec![None; firsts.len()];
    for (row, has_authority) in usable(rows) {
        let first = firsts[row] as usize;
        found[row] =
            if first == row { trap(&parts(rows, texts, (row, has_authority))) } else { found[first] };
    }
    found.into_iter().enumerate().filter_map(|(row, trap)| Some((row as u32, trap?))).collect()
}

/// The file type of each row; null for rejects and for rows that are null.
pub(crate) fn file_types(rows: &Rows, texts: &Texts<'_>) -> ArrayRef {
    let s = &rows.splits;
    let mut types = StringViewBuilder::with_capacity(s.len());
    for (row, _) in usable(rows) {
        (types.len()..row).for_each(|_| types.append_null());
        let path = texts.slice(row, (s.path_start[row], s.path_end[row] - s.path_start[row]));
        let found = file_type(str::from_utf8(path).unwrap_or_default());
        types.append_option(found.map(str::to_ascii_lowercase));
    }
    (types.len()..s.len()).for_each(|_| types.append_null());
    Arc::new(types.finish())
}

/// The rows that are neither rejects nor null, and whether each has an authority.
fn usable(rows: &Rows) -> impl Iterator<Item = (usize, bool)> {
    let mut rejects = rows.rejects.iter().peekable();
    has_authority(rows).enumerate().filter(move |&(row, _)| {
        let is_reject = rejects.next_if(|(rejected, _)| *rejected as usize == row).is_some();
        !is_reject && rows.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row))
    })
}

/// The normal form without its fragment.
fn text<'a>(rows: &Rows, texts: &'a Texts<'_>, row: usize) -> &'a [u8] {
    texts.slice(row, (0, rows.splits.query_end[row]))
}

fn parts<'a>(rows: &Rows, texts: &'a Texts<'_>, (row, has_authority): (usize, bool)) -> Parts<'a> {
    let s = &rows.splits;
    // A URI is ASCII.
    let text = std::str::from_utf8(text(rows, texts, row)).unwrap_or_default();
    let part = |from: u32, to: u32| text.get(from as usize..to as usize).unwrap_or_default();
    let (scheme, after, path, query) =
        (s.scheme_end[row], after_scheme(s.scheme_end[row]), s.path_end[row], s.query_end[row]);
    Parts {
        scheme: (scheme > 0).then(|| part(0, scheme)),
        authority: has_authority.then(|| part(after + 2, s.path_start[row])),
        path: part(s.path_start[row], path),
        query: (query > path).then(|| part(path + 1, query)),
    }
}

//! Lines: a newline ends a record, whatever stands before it. Used by the chunker alone, because the kernels
//! find line ends with the same masks that tell a URI's components.

use memchr::{memchr_iter, memrchr};

use super::{Behind, Cut};

pub(in crate::read) fn cut(bytes: &[u8], searched: usize, behind: Behind) -> Option<Cut> {
    let end = match behind {
        Behind::End => bytes.len(),
        _ => searched + memrchr(b'\n', &bytes[searched..])? + 1,
    };
    let whole = &bytes[..end];
    let unended = whole.last().is_some_and(|&last| last != b'\n');
    Some(Cut { end, records: memchr_iter(b'\n', whole).count() as u64 + u64::from(unended) })
}

//! Checks a Parquet footer by counting before the library decodes it: the library allocates memory for the declared
//! number of elements of a list, and takes a hundred times the bytes that describe a column.

use std::io::{Read, Seek, SeekFrom};

use urimill_base::files::File;

use super::thrift::{Compact, LIST, STRUCT};
use crate::table::memory_limit::MemoryLimit;

/// The end of a file: the length of its footer, and the mark.
const END: u64 = 8;

/// Row groups that a file may have: the format numbers them by 16-bit signed integers.
const MOST_GROUPS: usize = 1 << 15;

/// Roughly the memory of a column, of a column of a row group and of a pair of texts once they are decoded, in bytes.
const COLUMN: u64 = 2 << 10;
const CHUNK: u64 = 1 << 10;
const PAIR: u64 = 256;

/// Checks the footer of a file, which ends with its mark.
///
/// # Errors
/// The fault of the footer, or that there is no room for its contents.
pub(crate) fn check(file: &mut File, room: &MemoryLimit) -> Result<(), String> {
    let error_text = |error: std::io::Error| error.to_string();
    let end = file.seek(SeekFrom::End(0)).map_err(error_text)?;
    let mut length = [0; 4];
    file.seek(SeekFrom::Start(end.saturating_sub(END))).map_err(error_text)?;
    file.read_exact(&mut length).map_err(error_text)?;
    let length = u64::from(u32::from_le_bytes(length));
    let Some(start) = end.checked_sub(END + length) else {
        return Err(format!("its Parquet footer is to have {length} bytes, and the file has {end}"));
    };
    room.check(length, "its footer")?;
    let mut footer = Vec::with_capacity(length as usize);
    file.seek(SeekFrom::Start(start)).map_err(error_text)?;
    file.take(length).read_to_end(&mut footer).map_err(error_text)?;
    let counts = count(&footer).ok_or("its Parquet footer cannot be read (it ends within a value)")?;
    room.check(counts.memory(), &format!("what its footer describes ({} columns)", counts.columns))
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    columns: u64,
    groups: usize,
    chunks: u64,
    pairs: u64,
}

impl Counts {
    fn memory(&self) -> u64 {
        self.columns * COLUMN + self.chunks * CHUNK + self.pairs * PAIR
    }
}

/// The numbers of elements of each kind in `FileMetaData`; `None` if it is not whole.
fn count(footer: &[u8]) -> Option<Counts> {
    let (mut counts, mut compact, mut last) = (Counts::default(), Compact(footer), 0);
    loop {
        match compact.field(&mut last)? {
            (_, 0) => return (counts.groups <= MOST_GROUPS).then_some(counts),
            (2, LIST) => counts.columns += elements(&mut compact)?,
            (4, LIST) => {
                let (groups, kind) = compact.list()?;
                if kind != STRUCT || groups > MOST_GROUPS {
                    return None;
                }
                counts.groups += groups;
                for _ in 0..groups {
                    counts.chunks += chunks(&mut compact)?;
                }
            }
            (5, LIST) => counts.pairs += elements(&mut compact)?,
            (_, kind) => compact.skip(kind)?,
        }
    }
}

/// The columns of a `RowGroup`.
fn chunks(compact: &mut Compact<'_>) -> Option<u64> {
    let (mut chunks, mut last) = (0, 0);
    loop {
        match compact.field(&mut last)? {
            (_, 0) => return Some(chunks),
            (1, LIST) => chunks += elements(compact)?,
            (_, kind) => compact.skip(kind)?,
        }
    }
}

/// The number of structures in a list; skips them.
fn elements(compact: &mut Compact<'_>) -> Option<u64> {
    let (count, kind) = compact.list()?;
    for _ in 0..count {
        compact.skip(kind)?;
    }
    Some(count as u64)
}

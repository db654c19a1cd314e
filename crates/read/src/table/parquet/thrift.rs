//! The part of Thrift's compact protocol that the checks of a Parquet file need before the library reads it: fields of
//! structures, numbers, and skipping everything else.

use urimill_base::varint;

/// The types that are read.
pub(crate) const I32: u8 = 5;
pub(crate) const LIST: u8 = 9;
pub(crate) const STRUCT: u8 = 12;

/// Structures deeper than this are not a Parquet footer.
const DEEPEST: usize = 32;

/// Whether bytes begin with a whole structure.
pub fn is_whole(bytes: &[u8]) -> bool {
    Compact(bytes).skip(STRUCT).is_some()
}

/// Reads from memory.
#[derive(Debug)]
pub(crate) struct Compact<'a>(pub(crate) &'a [u8]);

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        varint::read(&mut self.0)
    }

    /// A number of type [`I32`].
    pub(crate) fn number(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The next field of a structure, by number and type, and `(0, 0)` after the last; `last` is the number of the
    /// field before.
    pub(crate) fn field(&mut self, last: &mut i64) -> Option<(i64, u8)> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some((0, 0));
        }
        *last = match byte >> 4 {
            0 => self.number()?,
            step => *last + i64::from(step),
        };
        Some((*last, byte & 0xf))
    }

    /// The number of elements of a list, and their type. At least as many bytes follow.
    pub(crate) fn list(&mut self) -> Option<(usize, u8)> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            0xf => usize::try_from(self.varint()?).ok()?,
            count => usize::from(count),
        };
        (count <= self.0.len()).then_some((count, byte & 0xf))
    }

    /// Skips a value; `None` if it is not whole.
    pub(crate) fn skip(&mut self, kind: u8) -> Option<()> {
        self.skip_to(kind, DEEPEST)
    }

    fn skip_to(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            1 | 2 => Some(()),
            3 => self.byte().map(drop),
            4..=6 => self.varint().map(drop),
            7 => self.skip_bytes(8),
            8 => {
                let count = usize::try_from(self.varint()?).ok()?;
                self.skip_bytes(count)
            }
            LIST | 10 => {
                let (count, kind) = self.list()?;
                // In a list a boolean takes a byte.
                let kind = if kind <= 2 { 3 } else { kind };
                (0..count).try_for_each(|_| self.skip_to(kind, depth))
            }
            11 => {
                let count = usize::try_from(self.varint()?).ok()?;
                if count == 0 {
                    return Some(());
                }
                let kinds = self.byte()?;
                (0..count).try_for_each(|_| {
                    self.skip_to((kinds >> 4).max(3), depth)?;
                    self.skip_to((kinds & 0xf).max(3), depth)
                })
            }
            STRUCT => {
                let mut last = 0;
                loop {
                    match self.field(&mut last)? {
                        (_, 0) => return Some(()),
                        (_, kind) => self.skip_to(kind, depth)?,
                    }
                }
            }
            13 => self.skip_bytes(16),
            _ => None,
        }
    }

    fn skip_bytes(&mut self, count: usize) -> Option<()> {
        self.0 = self.0.get(count..)?;
        Some(())
    }
}

//! Columns whose texts are a few that are known beforehand: names of kinds, codes, the name of the input. Filled 64
//! rows at a time, they make the default table of `te` (docs/PERFORMANCE.md) in 38.5 instead of 40.3 ns a row (Zen 4).

use arrow_array::StringViewArray;
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use urimill_uri::simd::{INLINE, view};

use super::{Part, nulls, strings};
use crate::batch::memory::Memory;

/// Constant texts from which a column's values are chosen.
pub(crate) struct Constants {
    text: Vec<u8>,
    views: Vec<u128>,
}

impl Constants {
    pub(crate) fn new<'a>(texts: impl Iterator<Item = &'a str>) -> Self {
        let mut text = Vec::new();
        let places: Vec<Part> = texts
            .map(|one| {
                text.extend_from_slice(one.as_bytes());
                ((text.len() - one.len()) as u32, one.len() as u32)
            })
            .collect();
        let views = places.iter().map(|&(start, len)| view(&text, 0, start, len)).collect();
        Constants { text, views }
    }

    /// A column with the text of number `usual` in most rows, those of `valid`, which has a bit per row, lowest first;
    /// and others in the listed rows.
    pub(crate) fn column(
        self,
        memory: &Memory<u128>,
        count: usize,
        (usual, mut valid): (u8, Vec<u64>),
        others: impl Iterator<Item = (u32, u8)>,
        outer: Option<&NullBuffer>,
    ) -> StringViewArray {
        let usual = self.views[usize::from(usual)];
        let views = memory.column(count, |views| {
            for (part, &word) in views.chunks_mut(64).zip(&valid) {
                // Rows without a value are few or all.
                part.fill(if word == 0 { 0 } else { usual });
                let mut absent = if word == 0 { 0 } else { !word & (u64::MAX >> (64 - part.len())) };
                while absent != 0 {
                    part[absent.trailing_zeros() as usize] = 0;
                    absent &= absent - 1;
                }
            }
            for (row, number) in others {
                views[row as usize] = self.views[usize::from(number)];
                valid[row as usize / 64] |= 1 << (row % 64);
            }
        });
        let nulls = Some(nulls(valid, count)).filter(|nulls| nulls.null_count() > 0);
        self.strings(views, NullBuffer::union(nulls.as_ref(), outer))
    }

    /// A column with texts in the listed rows only.
    pub(crate) fn sparse(
        self,
        memory: &Memory<u128>,
        count: usize,
        listed: impl Iterator<Item = (u32, u8)>,
    ) -> StringViewArray {
        let nowhere = (0, vec![0; count.div_ceil(64)]);
        self.column(memory, count, nowhere, listed, None)
    }

    /// A column with these texts, by their numbers.
    pub(crate) fn chosen(self, numbers: &[u8]) -> StringViewArray {
        let views = numbers.iter().map(|&number| self.views[usize::from(number)]).collect();
        self.strings(views, None)
    }

    fn strings(self, views: ScalarBuffer<u128>, nulls: Option<NullBuffer>) -> StringViewArray {
        let is_inline = self.views.iter().all(|&view| view as u32 <= INLINE);
        let buffers = if is_inline { vec![] } else { vec![Buffer::from_vec(self.text)] };
        strings(views, buffers.into(), nulls)
    }
}

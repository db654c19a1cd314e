//! Definition levels of a column's page: which rows are null, in the format's RLE/bit-packed hybrid; and that hybrid
//! itself, which is also used for dictionary indices.

use arrow_array::Array;
use arrow_buffer::BooleanBufferBuilder;
use urimill_base::varint;

/// The most rows of a page, whatever the options: space is reserved for their levels.
pub(crate) const MOST_PAGE_ROWS: usize = 50_000;

/// The most bytes that levels take: the length, the number of packed groups of 8, the bits.
pub(crate) const LEVELS: usize = 4 + 5 + MOST_PAGE_ROWS.div_ceil(8);

/// The nulls among the rows of the open page.
#[derive(Debug)]
pub(crate) struct Levels {
    validity: BooleanBufferBuilder,
    rows: usize,
    nullable: bool,
}

impl Levels {
    pub(crate) fn new(nullable: bool) -> Self {
        Levels { validity: BooleanBufferBuilder::new(0), rows: 0, nullable }
    }

    /// Rows so far; at most [`MOST_PAGE_ROWS`].
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Whether the column may have nulls.
    pub(crate) fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// Prepares for another column, while there are no rows.
    pub(crate) fn set_nullable(&mut self, nullable: bool) {
        self.nullable = nullable;
    }

    pub(crate) fn append(&mut self, array: &dyn Array) {
        self.rows += array.len();
        if self.nullable {
            match array.nulls() {
                Some(nulls) => self.validity.append_buffer(nulls.inner()),
                None => self.validity.append_n(array.len(), true),
            }
        }
    }

    /// The levels with their length before them, empty if no row can be null; and how many rows are not null. Leaves an
    /// empty page.
    pub(crate) fn finish(&mut self) -> (Vec<u8>, usize) {
        let rows = std::mem::take(&mut self.rows);
        if !self.nullable {
            return (Vec::new(), rows);
        }
        let validity = self.validity.finish();
        let mut runs = Vec::with_capacity(LEVELS);
        let valid = validity.count_set_bits();
        if valid == 0 || valid == rows {
            varint::write((rows as u64) << 1, &mut runs);
            runs.push(u8::from(valid > 0));
        } else {
            let packed = rows.div_ceil(8);
            varint::write((packed as u64) << 1 | 1, &mut runs);
            runs.extend_from_slice(&validity.values()[..packed]);
            if let (Some(last), 1..) = (runs.last_mut(), rows % 8) {
                // The bits after the last row are zeroed, so that the same rows make the same bytes.
                *last &= (1 << (rows % 8)) - 1;
            }
        }
        // Within u32: a page has at most MOST_PAGE_ROWS rows.
        let mut levels = (runs.len() as u32).to_le_bytes().to_vec();
        levels.extend_from_slice(&runs);
        (levels, valid)
    }
}

/// How many numbers are packed together.
const GROUP: usize = 8;

/// Appends `numbers`, each of at most `width` bits (up to 32), as runs of one number and groups of packed ones.
pub(crate) fn put_rle_hybrid(out: &mut Vec<u8>, numbers: &[u32], width: u32) {
    // The start of the groups to be packed, and the position from which the next run is searched.
    let (mut packed, mut at) = (0, 0);
    while at < numbers.len() {
        let run = numbers[at..].iter().take_while(|&&number| number == numbers[at]).count();
        // A run may only begin where a group ends, and only one of a group or more is shorter than packed.
        if run >= GROUP {
            put_packed(out, &numbers[packed..at], width);
            varint::write((run as u64) << 1, out);
            out.extend_from_slice(&numbers[at].to_le_bytes()[..width.div_ceil(8) as usize]);
            at += run;
            packed = at;
        } else {
            // To the group's end: the beginning of a longer run is packed there, and the rest is a run from there on.
            at = (at + GROUP).min(numbers.len());
        }
    }
    put_packed(out, &numbers[packed..], width);
}

/// Numbers in groups of 8, the last one padded with zeros.
fn put_packed(out: &mut Vec<u8>, numbers: &[u32], width: u32) {
    if numbers.is_empty() {
        return;
    }
    let padded = numbers.len().next_multiple_of(GROUP);
    varint::write((padded / GROUP) as u64 * 2 + 1, out);
    bits(numbers.iter().copied().chain(std::iter::repeat_n(0, padded - numbers.len())), width, out);
}

/// Appends numbers of so many bits each, the first in the lowest ones. Together they are whole bytes.
pub(crate) fn bits(numbers: impl Iterator<Item = u32>, width: u32, out: &mut Vec<u8>) {
    let (mut word, mut filled) = (0_u64, 0);
    for number in numbers {
        word |= u64::from(number) << filled;
        filled += width;
        while filled >= 8 {
            out.push(word as u8);
            word >>= 8;
            filled -= 8;
        }
    }
    debug_assert_eq!(filled, 0);
}

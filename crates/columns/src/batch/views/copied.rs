//! Arrays of plain strings and bytes: the texts of views copied one after the other, for readers that lack views. The
//! default table of `te` (docs/PERFORMANCE.md) to plain strings takes 26 ns a row; the copy of one text after the other
//! took 54.

use std::hint::select_unpredictable;
use std::mem::MaybeUninit;

use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array, BinaryArray, BinaryViewArray, GenericByteArray, GenericByteViewArray};
use arrow_array::{StringArray, StringViewArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ByteView;
use urimill_uri::simd::INLINE;

use crate::batch::memory::zeros;

/// The number of rows whose validity is one word.
const WORD: usize = u64::BITS as usize;

/// The strings, or their number of bytes if it exceeds the range of the offsets.
///
/// # Errors
/// 2 GiB or more: the number of bytes.
pub fn plain_strings(views: &StringViewArray) -> Result<StringArray, usize> {
    copied(views)
}

/// [`plain_strings`] for bytes.
///
/// # Errors
/// The same.
pub fn plain_bytes(views: &BinaryViewArray) -> Result<BinaryArray, usize> {
    copied(views)
}

fn copied<V, T>(views: &GenericByteViewArray<V>) -> Result<GenericByteArray<T>, usize>
where
    V: ByteViewType,
    T: ByteArrayType<Offset = i32, Native = V::Native>,
{
    let nulls = views.nulls().filter(|nulls| nulls.null_count() > 0).cloned();
    let rows = views.len();
    let (offsets, values) = match nulls.as_ref().is_some_and(|nulls| nulls.null_count() == rows) {
        true => (ScalarBuffer::new(zeros((rows + 1) * size_of::<i32>()), 0, rows + 1), Vec::new()),
        false => {
            let valid =
                nulls.as_ref().map(|nulls| nulls.inner().bit_chunks().iter_padded().collect::<Vec<_>>());
            let (offsets, bytes) = offsets(views.views(), valid.as_deref());
            if i32::try_from(bytes).is_err() {
                return Err(bytes);
            }
            let mut texts: Vec<&[u8]> = views.data_buffers().iter().map(Buffer::as_slice).collect();
            texts.push(views.views().inner().as_slice());
            // A copy of constant length needs no call; most texts should be shorter than it, but not much.
            let absent = nulls.as_ref().map_or(0, NullBuffer::null_count);
            let values = match (bytes / rows.max(1), absent > rows / 8 * 7) {
                (_, true) => values::<64, true>(views.views(), &offsets, &texts),
                (0..=8, _) => values::<16, false>(views.views(), &offsets, &texts),
                (9..=20, _) => values::<32, false>(views.views(), &offsets, &texts),
                (21..=40, _) => values::<64, false>(views.views(), &offsets, &texts),
                _ => values::<128, false>(views.views(), &offsets, &texts),
            };
            (ScalarBuffer::from(offsets), values)
        }
    };
    if cfg!(debug_assertions) {
        return Ok(GenericByteArray::new(OffsetBuffer::new(offsets), Buffer::from_vec(values), nulls));
    }
    // SAFETY: `offsets` ascends from 0 to the number of bytes. Each of the values is that of a view, which is UTF-8 if
    // `T` is a string, because `V` is one then: they have the same native type.
    Ok(unsafe {
        let offsets = OffsetBuffer::new_unchecked(offsets);
        GenericByteArray::new_unchecked(offsets, Buffer::from_vec(values), nulls)
    })
}

/// The start of each text, and the end of the last one; and that end as a number of more bits. `valid` has a bit for
/// each row.
fn offsets(views: &[u128], valid: Option<&[u64]>) -> (Vec<i32>, usize) {
    let mut offsets = Vec::with_capacity(views.len() + 1);
    offsets.push(0);
    let mut end = 0;
    for (word, stretch) in views.chunks(WORD).enumerate() {
        match valid.map_or(u64::MAX, |valid| valid[word]) {
            // Columns that are null in most rows are common.
            0 => offsets.resize(offsets.len() + stretch.len(), end as i32),
            u64::MAX => offsets.extend(stretch.iter().map(|&view| {
                end += view as u32 as usize;
                end as i32
            })),
            valid => offsets.extend(stretch.iter().enumerate().map(|(row, &view)| {
                end += view as u32 as usize * (valid >> row & 1) as usize;
                end as i32
            })),
        }
    }
    (offsets, end)
}

/// The texts, each from its offset on. The last of `texts` are the views themselves, which hold the short ones.
fn values<const BLOCK: usize, const IS_SPARSE: bool>(
    views: &[u128],
    offsets: &[i32],
    texts: &[&[u8]],
) -> Vec<u8> {
    let total = offsets.last().map_or(0, |&end| end as usize);
    let mut values = Vec::with_capacity(total + BLOCK);
    let room = &mut values.spare_capacity_mut()[..total + BLOCK];
    for (row, (&view, ends)) in views.iter().zip(offsets.windows(2)).enumerate() {
        let (at, end) = (ends[0] as usize, ends[1] as usize);
        let len = end - at;
        // If half of the texts are empty, nobody can predict which: these are copied too.
        if IS_SPARSE && len == 0 {
            continue;
        }
        let place = ByteView::from(view);
        // Without a branch: in many columns there are as many short texts as long ones.
        let is_inline = len <= INLINE as usize;
        let text = select_unpredictable(is_inline, texts.len() - 1, place.buffer_index as usize);
        let inline = size_of::<u128>() * row + size_of::<u32>();
        let from = select_unpredictable(is_inline, inline, place.offset as usize);
        let text = &texts[text][from..];
        match text.first_chunk::<BLOCK>() {
            Some(block) if len <= BLOCK => {
                room[at..at + BLOCK].write_copy_of_slice(block);
            }
            _ => write(&mut room[at..end], &text[..len]),
        }
    }
    // SAFETY: each text was written up to where the next one begins, and the last one up to `total`.
    unsafe { values.set_len(total) };
    values
}

/// A separate function, or the compiler makes one copy of variable length of both.
#[inline(never)]
fn write(room: &mut [MaybeUninit<u8>], text: &[u8]) {
    room.write_copy_of_slice(text);
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::StringViewBuilder;
    use arrow_cast::cast;
    use arrow_schema::DataType;

    use super::*;

    /// Texts of lengths around the blocks that are copied, and outside ASCII; `null` tells which rows have none.
    fn views(longest: usize, rows: usize, null: impl Fn(usize) -> bool) -> StringViewArray {
        let mut builder = StringViewBuilder::new().with_fixed_block_size(4_096);
        for row in 0..rows {
            match null(row) {
                true => builder.append_null(),
                false => builder.append_value("é0ß".repeat(row * 7 % (longest + 1))),
            }
        }
        builder.finish()
    }

    #[test]
    fn the_same_as_a_cast_by_arrow() {
        for longest in [0, 1, 2, 4, 9, 30, 300] {
            for rows in [0, 1, 63, 64, 65, 500] {
                for null in [|_| false, |_| true, |row| row % 3 == 1, |row| row != 70, |row| row < 128] {
                    let whole = views(longest, rows, null);
                    for from in [0, 1, rows / 2] {
                        let sliced = whole.slice(from.min(rows), rows - from.min(rows));
                        let expected = cast(&sliced, &DataType::Utf8).expect("arrow casts it");
                        let strings = plain_strings(&sliced).expect("short");
                        assert_eq!(&strings as &dyn Array, expected.as_ref(), "{longest} {rows} from {from}");
                        assert_eq!(strings.value_offsets()[0], 0);
                        let bytes = plain_bytes(&sliced.to_binary_view()).expect("short");
                        assert!(bytes.iter().eq(strings.iter().map(|text| text.map(str::as_bytes))));
                    }
                }
            }
        }
    }

    /// The contents of views of nulls do not count.
    #[test]
    fn nulls_have_no_bytes() {
        let array = views(9, 200, |_| false);
        let nulls = arrow_buffer::NullBuffer::from_iter((0..200).map(|row| row % 2 == 0));
        let (views, buffers, _) = array.into_parts();
        let strings = plain_strings(&StringViewArray::new(views, buffers, Some(nulls))).expect("short");
        assert_eq!(strings.null_count(), 100);
        assert!((1..200).step_by(2).all(|row| strings.value_length(row) == 0));
    }
}

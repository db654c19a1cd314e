//! Data pages of a text column, from Arrow arrays: they are made in the workers, in any order, and only laid
//! behind one another in order.
//!
//! A page (version 1, `PLAIN`) is
//!
//! ```text
//! | length of the levels: 4 | levels | length: 4 | bytes | length: 4 | bytes | …
//!   \___ only where nulls may be ___/   \___ values that are not null ___/
//! ```
//!
//! lengths little-endian, all of it compressed as one. The levels, one bit a row, are a hybrid of runs and packed
//! bits: one run where all or no rows are null, otherwise one stretch of packed bits, which are those of Arrow's
//! validity.

use std::io::{self, Write};

use arrow::array::{Array, AsArray, BooleanBufferBuilder, ByteView, GenericByteArray, GenericByteViewArray};
use arrow::datatypes::{ByteArrayType, ByteViewType, DataType};
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};

use super::parquet_codec::{Compressor, KEPT_BYTES, at_least};
use super::parquet_layout::PAGE_ROWS;

/// Bytes before a page's values for its levels: the length, the number of packed stretches of 8, the bits.
const LEVELS: usize = 4 + 5 + PAGE_ROWS.div_ceil(8);

/// Views of up to this many bytes hold their value.
const INLINE: usize = 12;

/// A page as it stands in the file.
#[derive(Debug)]
pub(super) struct FinishedPage {
    pub(super) header: Vec<u8>,
    pub(super) body: Bytes,
    /// Of header and body, before compression.
    pub(super) plain_bytes: usize,
    /// Of the values alone, without their lengths.
    pub(super) value_bytes: usize,
    pub(super) rows: usize,
}

impl FinishedPage {
    /// Bytes in the file.
    pub(super) fn bytes(&self) -> usize {
        self.header.len() + self.body.len()
    }
}

/// A page that still takes rows.
///
/// ```text
/// buffer  | room for the levels: LEVELS | values | anything |
///                                                 ^ end
/// ```
#[derive(Debug)]
pub(super) struct OpenPage {
    buffer: Vec<u8>,
    end: usize,
    validity: BooleanBufferBuilder,
    rows: usize,
    nullable: bool,
}

impl OpenPage {
    pub(super) fn new(nullable: bool) -> Self {
        OpenPage {
            buffer: Vec::new(),
            end: LEVELS,
            validity: BooleanBufferBuilder::new(0),
            rows: 0,
            nullable,
        }
    }

    /// Rows so far; at most [`PAGE_ROWS`].
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes of the values so far.
    pub(super) fn bytes(&self) -> usize {
        self.end - LEVELS
    }

    /// For use with another column, after [`OpenPage::finish`].
    pub(super) fn set_nullable(&mut self, nullable: bool) {
        self.nullable = nullable;
    }

    /// Takes all rows of `array`, of a type that [`is_text`] and whose values come to `bytes` by [`plain_bytes`].
    pub(super) fn append(&mut self, array: &dyn Array, bytes: usize) {
        // An inline view is copied whole, beyond its value's end.
        at_least(&mut self.buffer, self.end + bytes + size_of::<u128>());
        match array.data_type() {
            DataType::Utf8View => self.append_views(array.as_string_view()),
            DataType::BinaryView => self.append_views(array.as_binary_view()),
            DataType::Utf8 => self.append_values(array.as_string::<i32>()),
            _ => self.append_values(array.as_binary::<i32>()),
        }
        self.rows += array.len();
        if self.nullable {
            match array.nulls() {
                Some(nulls) => self.validity.append_buffer(nulls.inner()),
                None => self.validity.append_n(array.len(), true),
            }
        }
    }

    fn append_views<T: ByteViewType>(&mut self, array: &GenericByteViewArray<T>) {
        let (views, buffers) = (array.views(), array.data_buffers());
        let out = &mut self.buffer[self.end..];
        let mut at = 0;
        let mut append = |view: u128| {
            let length = view as u32 as usize;
            if length <= INLINE {
                // Such a view is what the page is to have: the length, then the value.
                out[at..at + size_of::<u128>()].copy_from_slice(&view.to_le_bytes());
            } else {
                let place = ByteView::from(view);
                let from = place.offset as usize;
                let value = &buffers[place.buffer_index as usize][from..from + length];
                put(&mut out[at..at + 4 + length], value);
            }
            at += 4 + length;
        };
        match array.nulls().filter(|nulls| nulls.null_count() > 0) {
            Some(nulls) => nulls.valid_indices().for_each(|row| append(views[row])),
            None => views.iter().for_each(|&view| append(view)),
        }
        self.end += at;
    }

    fn append_values<T: ByteArrayType<Offset = i32>>(&mut self, array: &GenericByteArray<T>) {
        let out = &mut self.buffer[self.end..];
        let mut at = 0;
        for value in array.iter().flatten() {
            let value: &[u8] = value.as_ref();
            put(&mut out[at..at + 4 + value.len()], value);
            at += 4 + value.len();
        }
        self.end += at;
    }

    /// Closes the page; the next row begins a new one.
    ///
    /// # Errors
    /// Where the page cannot be compressed, or has 2 GiB or more.
    pub(super) fn finish(&mut self, compressor: &mut Compressor) -> Result<FinishedPage, ParquetError> {
        at_least(&mut self.buffer, self.end);
        let (levels, values) = if self.nullable { self.levels() } else { (Vec::new(), self.rows) };
        let from = LEVELS - levels.len();
        self.buffer[from..LEVELS].copy_from_slice(&levels);
        let plain = &self.buffer[from..self.end];
        let value_bytes = self.bytes() - 4 * values;
        let page = finished(compressor.compress(plain)?, plain.len(), value_bytes, self.rows);
        if self.buffer.capacity() > KEPT_BYTES {
            self.buffer = Vec::new();
        }
        (self.end, self.rows) = (LEVELS, 0);
        page
    }

    /// Definition levels with their length before them, and how many rows are not null. Leaves an empty validity
    /// for the next page.
    fn levels(&mut self) -> (Vec<u8>, usize) {
        let validity = self.validity.finish();
        let mut runs = Vec::with_capacity(LEVELS);
        let valid = validity.count_set_bits();
        if valid == 0 || valid == self.rows {
            put_varint(&mut runs, self.rows << 1);
            runs.push(u8::from(valid > 0));
        } else {
            let packed = self.rows.div_ceil(8);
            put_varint(&mut runs, packed << 1 | 1);
            runs.extend_from_slice(&validity.values()[..packed]);
            if let (Some(last), 1..) = (runs.last_mut(), self.rows % 8) {
                // What stands behind the last row is nobody's: zeros, so that the same rows make the same bytes.
                *last &= (1 << (self.rows % 8)) - 1;
            }
        }
        // Within u32: a page has at most PAGE_ROWS rows.
        let mut levels = (runs.len() as u32).to_le_bytes().to_vec();
        levels.extend_from_slice(&runs);
        (levels, valid)
    }
}

/// A value with its length before it; `out` is just as long.
fn put(out: &mut [u8], value: &[u8]) {
    let (length, bytes) = out.split_at_mut(4);
    // Arrow's own lengths have 32 bits.
    length.copy_from_slice(&(value.len() as u32).to_le_bytes());
    bytes.copy_from_slice(value);
}

/// Unsigned, seven bits a byte, the lowest first.
fn put_varint(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A page of `body` with the header that the parquet crate writes for it.
fn finished(
    body: Bytes,
    plain_bytes: usize,
    value_bytes: usize,
    rows: usize,
) -> Result<FinishedPage, ParquetError> {
    let page = Page::DataPage {
        buf: body.clone(),
        // Nulls count as values.
        num_values: rows as u32,
        encoding: Encoding::PLAIN,
        def_level_encoding: Encoding::RLE,
        rep_level_encoding: Encoding::RLE,
        statistics: None,
    };
    let mut sink = TrackedWrite::new(Beginning::default());
    let written = SerializedPageWriter::new(&mut sink).write_page(CompressedPage::new(page, plain_bytes))?;
    sink.flush()?;
    let mut header = std::mem::take(&mut sink.inner_mut().0);
    header.truncate(written.compressed_size - body.len());
    Ok(FinishedPage { header, body, plain_bytes: written.uncompressed_size, value_bytes, rows })
}

/// Keeps the beginning of what is written, in which a page header is: the page itself is there already.
#[derive(Default)]
struct Beginning(Vec<u8>);

impl Beginning {
    /// A header without statistics has 20 to 40 bytes.
    const BYTES: usize = 256;
}

impl Write for Beginning {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = Self::BYTES - self.0.len();
        self.0.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether pages of such a column can be made here.
pub(super) fn is_text(data_type: &DataType) -> bool {
    use DataType::{Binary, BinaryView, Utf8, Utf8View};
    matches!(data_type, Utf8View | BinaryView | Utf8 | Binary)
}

/// The lengths of a text array's values, those of nulls among them.
enum Lengths<'a> {
    Views(&'a [u128]),
    Offsets(&'a [i32]),
}

impl<'a> Lengths<'a> {
    fn of(array: &'a dyn Array) -> Self {
        match array.data_type() {
            DataType::Utf8View => Lengths::Views(array.as_string_view().views()),
            DataType::BinaryView => Lengths::Views(array.as_binary_view().views()),
            DataType::Utf8 => Lengths::Offsets(array.as_string::<i32>().value_offsets()),
            _ => Lengths::Offsets(array.as_binary::<i32>().value_offsets()),
        }
    }

    /// Of the rows `from..to` together.
    fn sum(&self, from: usize, to: usize) -> usize {
        match self {
            // The low quarter of a view.
            Lengths::Views(views) => views[from..to].iter().map(|&view| view as u32 as usize).sum(),
            // Offsets ascend.
            Lengths::Offsets(offsets) => (offsets[to] - offsets[from]) as usize,
        }
    }
}

/// Rows that are counted at a time, as many as a word has bits.
pub(super) const STRETCH: usize = 64;

/// Calls `f` for each [`STRETCH`] rows of an array that [`is_text`] with the number of its values that are not null,
/// and their bytes.
pub(super) fn each_stretch(array: &dyn Array, mut f: impl FnMut(usize, usize)) {
    let (rows, lengths) = (array.len(), Lengths::of(array));
    let stretches = (0..rows).step_by(STRETCH).map(|from| (from, rows.min(from + STRETCH)));
    let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) else {
        return stretches.for_each(|(from, to)| f(to - from, lengths.sum(from, to)));
    };
    for ((from, to), valid) in stretches.zip(nulls.inner().bit_chunks().iter_padded()) {
        let values = valid.count_ones() as usize;
        let bytes = match values {
            0 => 0,
            all if all == to - from => lengths.sum(from, to),
            _ => {
                let valid = (from..to).filter(|row| valid >> (row - from) & 1 != 0);
                valid.map(|row| lengths.sum(row, row + 1)).sum()
            }
        };
        f(values, bytes);
    }
}

/// Bytes of the values of an array that [`is_text`].
pub(super) fn value_bytes(array: &dyn Array) -> usize {
    let mut all = 0;
    each_stretch(array, |_, bytes| all += bytes);
    all
}

/// The same with what a page has before each value.
pub(super) fn plain_bytes(array: &dyn Array) -> usize {
    let mut all = 0;
    each_stretch(array, |values, bytes| all += 4 * values + bytes);
    all
}

//! Data pages of a text column, from Arrow arrays: they are made in the workers, in any order, and only laid after one
//! another in order. Made straight from views in the workers, they save 7 % of the instructions for the whole of
//! Parquet: zstd takes 9 % less time, Snappy 7 %, two threads 11 to 16 %.
//!
//! A page (version 1, `PLAIN`; `DELTA_BYTE_ARRAY` is made of the same values: see `delta`) is
//!
//! ```text
//! | length of the levels: 4 | levels | length: 4 | bytes | length: 4 | bytes | …
//!   \___ only where nulls may be ___/   \___ values that are not null ___/
//! ```
//!
//! lengths little-endian, all of it compressed as one. The levels, one bit per row, are a hybrid of runs and packed
//! bits: one run where all or no rows are null, otherwise one stretch of packed bits, which are those of Arrow's
//! validity. A page of numbers (`RLE_DICTIONARY`, see `dictionary`) has, instead of the values, the width of a number
//! in bits, one byte, and the numbers of dictionary entries in the same hybrid.

use std::io::{self, Write};

use arrow_array::cast::AsArray;
use arrow_array::types::{ByteArrayType, ByteViewType};
use arrow_array::{Array, GenericByteArray, GenericByteViewArray};
use arrow_data::ByteView;
use arrow_schema::DataType;
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::page::{CompressedPage, Page, PageWriter};
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};

use super::codec::{Compressor, KEPT_BYTES, at_least};
use super::delta::Delta;
use super::levels::{LEVELS, Levels};
use super::statistics::Bounds;
use super::text_sizes::{BLOCK, INLINE};

/// A page as in the file.
#[derive(Debug)]
pub(crate) struct FinishedPage {
    pub(crate) header: Vec<u8>,
    pub(crate) body: Bytes,
    /// The bytes of header and body, before compression.
    pub(crate) plain_bytes: usize,
    /// The bytes of the values alone, without their lengths.
    pub(crate) value_bytes: usize,
    pub(crate) rows: usize,
    pub(crate) nulls: usize,
    /// Set if the column has statistics and not all rows are null.
    pub(crate) bounds: Option<Bounds>,
    pub(crate) encoding: Encoding,
}

impl FinishedPage {
    /// Bytes in the file.
    pub(crate) fn bytes(&self) -> usize {
        self.header.len() + self.body.len()
    }
}

/// An open page, to which rows are added.
///
/// ```text
/// buffer  | room for the levels: LEVELS | values | anything |
///                                                 ^ end
/// ```
#[derive(Debug)]
pub(crate) struct OpenPage {
    buffer: Vec<u8>,
    end: usize,
    levels: Levels,
    /// Set if its values are stored by what differs from the one before.
    delta: Option<Delta>,
    encoded: Vec<u8>,
}

impl OpenPage {
    pub(crate) fn new(nullable: bool, delta_texts: bool) -> Self {
        OpenPage {
            buffer: Vec::new(),
            end: LEVELS,
            levels: Levels::new(nullable),
            delta: delta_texts.then(Delta::default),
            encoded: Vec::new(),
        }
    }

    /// Rows so far; at most [`MOST_PAGE_ROWS`](super::levels::MOST_PAGE_ROWS).
    pub(crate) fn rows(&self) -> usize {
        self.levels.rows()
    }

    /// Bytes of the values so far.
    pub(crate) fn bytes(&self) -> usize {
        self.end - LEVELS
    }

    /// Whether its column may have nulls.
    pub(crate) fn is_nullable(&self) -> bool {
        self.levels.is_nullable()
    }

    /// Prepares for another column, after [`OpenPage::finish`].
    pub(crate) fn set_nullable(&mut self, nullable: bool) {
        self.levels.set_nullable(nullable);
    }

    /// Adds all rows of `array`, whose type [`is_text`] and whose values take `bytes` by [`plain_bytes`].
    pub(crate) fn append(&mut self, array: &dyn Array, bytes: usize) {
        // Whole views and blocks are copied, which may extend past the value's end.
        at_least(&mut self.buffer, self.end + bytes + BLOCK);
        match array.data_type() {
            DataType::Utf8View => self.append_views(array.as_string_view()),
            DataType::BinaryView => self.append_views(array.as_binary_view()),
            DataType::Utf8 => self.append_values(array.as_string::<i32>()),
            _ => self.append_values(array.as_binary::<i32>()),
        }
        self.levels.append(array);
    }

    fn append_views<T: ByteViewType>(&mut self, array: &GenericByteViewArray<T>) {
        let (views, buffers) = (array.views(), array.data_buffers());
        let out = &mut self.buffer[self.end..];
        let mut at = 0;
        let mut append = |view: u128| {
            let length = view as u32 as usize;
            if length <= INLINE {
                // Such a view has the form that the page needs: the length, then the value.
                out[at..at + size_of::<u128>()].copy_from_slice(&view.to_le_bytes());
            } else {
                let place = ByteView::from(view);
                let from = place.offset as usize;
                let text = &buffers[place.buffer_index as usize][from..];
                match text.first_chunk::<BLOCK>() {
                    Some(block) if length <= BLOCK => {
                        out[at..at + 4].copy_from_slice(&(length as u32).to_le_bytes());
                        out[at + 4..at + 4 + BLOCK].copy_from_slice(block);
                    }
                    _ => put(&mut out[at..at + 4 + length], &text[..length]),
                }
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

    /// Closes the page, whose values are within `bounds`; the next row begins a new one.
    ///
    /// # Errors
    /// Where the page cannot be compressed, or has 2 GiB or more.
    pub(crate) fn finish(
        &mut self,
        bounds: Option<Bounds>,
        compressor: &mut Compressor,
    ) -> Result<FinishedPage, ParquetError> {
        at_least(&mut self.buffer, self.end);
        let rows = self.rows();
        let (levels, values) = self.levels.finish();
        let from = LEVELS - levels.len();
        self.buffer[from..LEVELS].copy_from_slice(&levels);
        let mut page = &self.buffer[from..self.end];
        if let Some(delta) = &mut self.delta {
            self.encoded.clear();
            self.encoded.extend_from_slice(&levels);
            delta.append(&self.buffer[LEVELS..self.end], &mut self.encoded);
            page = &self.encoded;
        }
        let (body, page_bytes) = (compressor.compress(page)?, page.len());
        let page = PageValues {
            value_bytes: self.bytes() - 4 * values,
            nulls: rows - values,
            bounds,
            encoding: if self.delta.is_some() { Encoding::DELTA_BYTE_ARRAY } else { Encoding::PLAIN },
        };
        let page = page.page(body, page_bytes, rows);
        if self.buffer.capacity() > KEPT_BYTES {
            self.buffer = Vec::new();
            self.encoded = Vec::new();
            self.delta = self.delta.take().map(|_| Delta::default());
        }
        self.end = LEVELS;
        page
    }
}

/// A value after its length; `out` has exactly that size.
fn put(out: &mut [u8], value: &[u8]) {
    let (length, bytes) = out.split_at_mut(4);
    // Arrow's own lengths have 32 bits.
    length.copy_from_slice(&(value.len() as u32).to_le_bytes());
    bytes.copy_from_slice(value);
}

/// The counts of a page whose values are packed.
#[derive(Debug)]
pub(crate) struct PageValues {
    pub(crate) value_bytes: usize,
    pub(crate) nulls: usize,
    pub(crate) bounds: Option<Bounds>,
    pub(crate) encoding: Encoding,
}

impl PageValues {
    /// The page of `body`, which is `plain_bytes` before compression.
    ///
    /// # Errors
    /// Where it has 2 GiB or more.
    pub(crate) fn page(
        self,
        body: Bytes,
        plain_bytes: usize,
        rows: usize,
    ) -> Result<FinishedPage, ParquetError> {
        let PageValues { value_bytes, nulls, bounds, encoding } = self;
        let page = Page::DataPage {
            buf: body.clone(),
            // Nulls count as values.
            num_values: rows as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        let (header, plain_bytes) = header(page, plain_bytes)?;
        Ok(FinishedPage { header, body, plain_bytes, value_bytes, rows, nulls, bounds, encoding })
    }
}

/// The header that the parquet crate writes for a page, and the bytes of both before compression.
pub(crate) fn header(page: Page, plain_bytes: usize) -> Result<(Vec<u8>, usize), ParquetError> {
    let body_bytes = page.buffer().len();
    let mut sink = TrackedWrite::new(Beginning::default());
    let written = SerializedPageWriter::new(&mut sink).write_page(CompressedPage::new(page, plain_bytes))?;
    sink.flush()?;
    let mut header = std::mem::take(&mut sink.inner_mut().0);
    header.truncate(written.compressed_size - body_bytes);
    Ok((header, written.uncompressed_size))
}

/// Keeps the beginning of what is written, which contains the page header: the page itself exists already.
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

//! Pages of a Parquet file on their way to the library's decoders: the memory that each declares is counted before it
//! is decompressed, and a batch of rows that would hold too many pages ends in favor of one with fewer rows.
//!
//! The decoders make texts of pages without copying them, so a batch takes the memory of the pages that it was made of.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Mutex;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::schema::types::ColumnDescriptor;
use urimill_base::locks::lock;

use super::thrift::{Compact, I32, STRUCT};
use crate::table::memory_limit::MemoryLimit;

/// Pages that a batch may hold beside the last ones.
pub(crate) const BATCH_BYTES: u64 = 16 << 20;

/// The most bytes of the values of one page in which each value can repeat the one before it.
const REPEATED_BYTES: u64 = 128 << 20;

/// `DELTA_BYTE_ARRAY` among the format's encodings.
const DELTA_BYTE_ARRAY: i64 = 7;

/// A dictionary among the format's kinds of pages.
const DICTIONARY: i64 = 2;

/// The header of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageHeader {
    kind: i64,
    /// Bytes, decompressed.
    bytes: u64,
    values: u64,
    encoding: i64,
    /// Bytes of the levels of a page of version 2, which are before the values and not compressed.
    levels: usize,
    is_plain: bool,
    /// The checksum of the page as it is stored.
    crc: Option<i64>,
    /// The bytes of the header.
    length: usize,
}

impl PageHeader {
    /// Its bytes, decompressed.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The number of its values; for a column that is not nested, of its rows.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// The header at the beginning of bytes, as far as they go.
    pub fn read(bytes: &[u8]) -> PageHeader {
        let (mut header, mut compact) = (PageHeader::default(), Compact(bytes));
        // The library reports its fault.
        let _ = header.fill(&mut compact);
        header.length = bytes.len() - compact.0.len();
        header
    }

    /// Whether a page with this header has the right checksum, if it has one.
    #[cfg(feature = "gzip")]
    pub fn fits(&self, page: &[u8]) -> bool {
        let Some(crc) = self.crc else { return true };
        let mut found = flate2::Crc::new();
        found.update(page.get(self.length..).unwrap_or_default());
        // The format stores it as a number with a sign.
        i64::from(found.sum().cast_signed()) == crc
    }

    /// Without a decoder of gzip the checksum is not computed.
    #[cfg(not(feature = "gzip"))]
    pub fn fits(&self, page: &[u8]) -> bool {
        self.crc.is_none() || self.length <= page.len()
    }

    fn fill(&mut self, compact: &mut Compact<'_>) -> Option<()> {
        let mut last = 0;
        loop {
            match compact.field(&mut last)? {
                (_, 0) => return Some(()),
                (1, I32) => self.kind = compact.number()?,
                (2, I32) => self.bytes = u64::try_from(compact.number()?).unwrap_or(0),
                (4, I32) => self.crc = Some(compact.number()?),
                (page @ (5 | 7 | 8), STRUCT) => {
                    let mut last = 0;
                    loop {
                        match compact.field(&mut last)? {
                            (_, 0) => break,
                            (1, I32) => self.values = u64::try_from(compact.number()?).unwrap_or(0),
                            (2, I32) if page != 8 => self.encoding = compact.number()?,
                            (4, I32) if page == 8 => self.encoding = compact.number()?,
                            (5 | 6, I32) if page == 8 => {
                                self.levels += usize::try_from(compact.number()?).unwrap_or(0);
                            }
                            (7, 2) if page == 8 => self.is_plain = true,
                            (_, kind) => compact.skip(kind)?,
                        }
                    }
                }
                (_, kind) => compact.skip(kind)?,
            }
        }
    }
}

/// Why a batch failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// A batch of this many rows would fit.
    Fewer(usize),
    /// Not even one row fits.
    Refused(String),
}

/// The pages that are held, column by column.
#[derive(Debug)]
pub(crate) struct Pages {
    room: MemoryLimit,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    columns: Vec<Column>,
    /// Bytes of all dictionaries and pages that are being read.
    held: u64,
    /// Bytes of the pages in which the batch began and which it has left, one for each column.
    crossed: u64,
    /// Bytes of the pages that the batch has both entered and left.
    behind: u64,
    /// Rows of the batch.
    rows: usize,
    verdict: Option<Verdict>,
}

#[derive(Debug, Default)]
struct Column {
    dictionary: u64,
    page: u64,
    /// The bytes of the page's values, if rows can have more than one.
    values: u64,
    /// The memory of a value there, in bytes.
    width: u64,
    /// Whether the batch has come to another page.
    is_crossed: bool,
    next: PageHeader,
}

impl Pages {
    pub(crate) fn new<'c>(columns: impl Iterator<Item = &'c ColumnDescriptor>, room: MemoryLimit) -> Pages {
        let column = |column: &ColumnDescriptor| Column {
            width: if column.max_rep_level() > 0 { width(column) } else { 0 },
            ..Column::default()
        };
        let columns = columns.map(column).collect();
        Pages { room, state: Mutex::new(State { columns, ..State::default() }) }
    }

    /// Starts a batch of this many rows.
    pub(crate) fn begin(&self, rows: usize) {
        let mut state = lock(&self.state);
        (state.crossed, state.behind, state.rows, state.verdict) = (0, 0, rows, None);
        state.columns.iter_mut().for_each(|column| column.is_crossed = false);
    }

    /// The reason why the last batch failed, if it was lack of memory.
    pub(crate) fn verdict(&self) -> Option<Verdict> {
        lock(&self.state).verdict.take()
    }

    /// Drops all pages.
    pub(crate) fn clear(&self) {
        let mut state = lock(&self.state);
        state.held = 0;
        state
            .columns
            .iter_mut()
            .for_each(|column| *column = Column { width: column.width, ..Column::default() });
    }

    /// Takes the page at whose header the column is.
    pub(crate) fn load(&self, column: usize) -> Result<PageHeader, ParquetError> {
        let mut state = lock(&self.state);
        let State { columns, held, crossed, behind, rows, verdict } = &mut *state;
        let column = &mut columns[column];
        let header = column.next;
        let is_dictionary = header.kind == DICTIONARY;
        let place = if is_dictionary { &mut column.dictionary } else { &mut column.page };
        let mut left = std::mem::replace(place, header.bytes);
        *held = held.saturating_sub(left).saturating_add(header.bytes);
        if !is_dictionary {
            let values = header.values.saturating_mul(column.width);
            left = left.saturating_add(std::mem::replace(&mut column.values, values));
        }
        // The page in which a batch begins may consist mostly of an earlier batch's rows.
        let sum = if column.is_crossed { &mut *behind } else { &mut *crossed };
        *sum = sum.saturating_add(left);
        column.is_crossed |= !is_dictionary;
        let all = [*crossed, *behind, column.values].into_iter().fold(*held, u64::saturating_add);
        let is_delta = header.encoding == DELTA_BYTE_ARRAY && !is_dictionary;
        let most = if is_delta { REPEATED_BYTES / header.bytes.max(1) } else { u64::MAX };
        *verdict = match (self.room.holds(all), *rows) {
            (true, 0 | 1) => None,
            (false, 0 | 1) => {
                let refused = self.room.check(all, "one row, with a page for each column,");
                refused.err().map(Verdict::Refused)
            }
            (true, rows) if *behind <= BATCH_BYTES && rows as u64 <= most => None,
            (_, rows) => Some(Verdict::Fewer((rows / 8).min(most as usize).max(1))),
        };
        match verdict {
            Some(_) => Err(ParquetError::General("a batch of rows takes too much memory".to_owned())),
            None => Ok(header),
        }
    }

    fn announce(&self, column: usize, header: PageHeader) {
        lock(&self.state).columns[column].next = header;
    }
}

/// The memory of a column's value beside its page, in bytes: a view, or the value, and its nesting.
pub(crate) fn width(column: &ColumnDescriptor) -> u64 {
    const NESTED: u64 = 8;
    let own = u64::try_from(column.type_length()).unwrap_or(0).max(size_of::<u128>() as u64);
    if column.max_rep_level() > 0 { own + NESTED } else { own }
}

/// Reads a page's header, and notes its numbers.
pub struct HeaderReader<R> {
    pub(crate) inner: BufReader<R>,
    pub(crate) column: Option<(std::sync::Arc<Pages>, usize)>,
}

impl<R: Read> Read for HeaderReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Some((pages, column)) = self.column.take() {
            pages.announce(column, PageHeader::read(self.inner.fill_buf()?));
        }
        self.inner.read(buffer)
    }
}

/// Whether the library decompresses pages of a codec to any length.
pub(crate) fn is_unbounded(codec: Compression) -> bool {
    matches!(codec, Compression::GZIP(_) | Compression::BROTLI(_) | Compression::LZ4)
}

/// A page, decompressed to exactly the length in its header.
pub(crate) fn decompress(
    codec: Compression,
    stored: &Bytes,
    header: &PageHeader,
) -> Result<Bytes, ParquetError> {
    let failed = |what: &str| ParquetError::General(what.to_owned());
    if header.is_plain {
        return Ok(stored.clone());
    }
    let (levels, values) =
        stored.split_at_checked(header.levels).ok_or_else(|| failed("a page is shorter than its levels"))?;
    let wanted = (header.bytes as usize).checked_sub(levels.len());
    let wanted = wanted.ok_or_else(|| failed("a page is shorter than its levels"))?;
    let mut out = levels.to_vec();
    if wanted > 0 {
        out.reserve_exact(wanted);
        let mut inflate = |reader: &mut dyn Read| reader.take(wanted as u64 + 1).read_to_end(&mut out);
        #[allow(unreachable_patterns, reason = "a build may have all of them")]
        match codec {
            #[cfg(feature = "gzip")]
            Compression::GZIP(_) => inflate(&mut flate2::read::MultiGzDecoder::new(values)).map(drop)?,
            #[cfg(feature = "brotli")]
            Compression::BROTLI(_) => inflate(&mut brotli::Decompressor::new(values, 4096)).map(drop)?,
            Compression::GZIP(_) | Compression::BROTLI(_) => {
                return Err(failed(&format!("this build of urimill has no decoder of {codec}")));
            }
            _ if values.starts_with(&LZ4_FRAME) => {
                inflate(&mut lz4_flex::frame::FrameDecoder::new(values)).map(drop)?;
            }
            _ => out.extend(lz4(values, wanted).ok_or_else(|| failed("a page is not LZ4"))?),
        }
    }
    match out.len() == header.bytes as usize {
        true => Ok(out.into()),
        false => Err(failed("the length of a page differs from its header")),
    }
}

const LZ4_FRAME: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];

/// LZ4 in the way of Hadoop, blocks with both of their lengths before them, or else a block alone.
fn lz4(stored: &[u8], wanted: usize) -> Option<Vec<u8>> {
    let mut out = vec![0; wanted];
    hadoop(stored, &mut out)
        .or_else(|| (lz4_flex::block::decompress_into(stored, &mut out).ok()? == wanted).then_some(()))?;
    Some(out)
}

fn hadoop(mut stored: &[u8], mut out: &mut [u8]) -> Option<()> {
    while !stored.is_empty() {
        let (lengths, rest) = stored.split_first_chunk::<8>()?;
        let length = |at: usize| {
            u32::from_be_bytes([lengths[at], lengths[at + 1], lengths[at + 2], lengths[at + 3]]) as usize
        };
        let (block, behind) = rest.split_at_checked(length(4))?;
        let (place, after) = out.split_at_mut_checked(length(0))?;
        (lz4_flex::block::decompress_into(block, place).ok()? == length(0)).then_some(())?;
        (stored, out) = (behind, after);
    }
    out.is_empty().then_some(())
}

//! Parquet: a table in a file whose end lists the places of its columns. It is read row group by row group, a few
//! thousand rows at a time, and only in the wanted columns. `rows` makes sure that these rows fit into memory, whatever
//! the file declares.

mod footer;
mod logical;
mod pages;
mod rows;
mod thrift;

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use arrow_schema::Schema;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::metadata::ParquetMetaData;
use parquet::file::reader::{ChunkReader, Length};
use urimill_base::files::File;

use super::memory_limit::MemoryLimit;

use super::reader::{Counted, Faults, Table};
use crate::format::tables::PARQUET;
use crate::guarded::first_line;
pub use pages::PageHeader;
use pages::{HeaderReader, Pages};
use rows::Rows;
pub use thrift::is_whole;

/// Rows decoded at once, at most.
const MOST_ROWS: u64 = 1 << 14;

/// Bytes decoded at once, by the sizes that the file declares.
const MOST_BYTES: u64 = 16 << 20;

/// The last bytes of a file with an encrypted footer.
const ENCRYPTED: &[u8; 4] = b"PARE";

/// Opens a file by its footer. With a `room` it is read in batches of as many rows as fit there; without one, in the
/// batches of this program's own files.
///
/// # Errors
/// The fault of the file.
pub fn open(
    file: File,
    name: &str,
    faults: &Faults,
    progress: &Arc<AtomicU64>,
    room: Option<MemoryLimit>,
) -> Result<Table, String> {
    let limit = room.clone().unwrap_or_else(MemoryLimit::unbounded);
    let stored = ColumnFile::open(file, name, faults, progress, &limit)?;
    let source = stored.source.clone();
    let metadata = ArrowReaderMetadata::load(&stored, ArrowReaderOptions::new())
        .map_err(|error| format!("its Parquet footer cannot be read ({})", error_text(error)))?;
    let rows = u64::try_from(metadata.metadata().file_metadata().num_rows()).ok();
    let logical = logical::fields(&metadata);
    let schema = Arc::new(Schema::new_with_metadata(logical.clone(), metadata.schema().metadata().clone()));
    let read = move |columns: &[usize]| -> Result<super::reader::Batches, String> {
        let mask = ProjectionMask::roots(metadata.parquet_schema(), columns.iter().copied());
        let Some(room) = room else {
            let rows = rows_at_once(metadata.metadata(), &mask);
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(stored, metadata);
            let reader = builder.with_projection(mask).with_batch_size(rows).build().map_err(error_text)?;
            return Ok(Box::new(reader.map(|batch| batch.map_err(|error| first_line(&error.to_string())))));
        };
        logical::check(&metadata, &mask)?;
        Ok(Box::new(Rows::new(source, &metadata, &logical, mask, room).map_err(error_text)?))
    };
    Ok(Table { schema, rows, read: Box::new(read) })
}

/// The library's message, short enough for a sentence.
pub fn error_text(error: ParquetError) -> String {
    first_line(&error.to_string())
}

/// Checks that a file begins and ends as the format requires.
fn check_ends(file: &mut File) -> Result<(), String> {
    let mut ends = [[0; 4]; 2];
    let mut look = |at, end: &mut [u8]| file.seek(at).and_then(|_| file.read_exact(end));
    let seen =
        look(SeekFrom::Start(0), &mut ends[0]).and_then(|()| look(SeekFrom::End(-4), &mut ends[1])).is_ok();
    match [&ends[0], &ends[1]] {
        [_, ENCRYPTED] => Err("it is an encrypted Parquet file, which urimill cannot decrypt".to_owned()),
        [PARQUET, PARQUET] if seen => Ok(()),
        [PARQUET, _] if seen => {
            Err("it is not a complete Parquet file: it does not end with PAR1; was it truncated?".to_owned())
        }
        _ => Err("it is not a Parquet file: it does not begin with PAR1".to_owned()),
    }
}

/// The number of rows of these columns that are decoded at once: fewer if they are long, or have very many columns.
pub fn rows_at_once(metadata: &ParquetMetaData, columns: &ProjectionMask) -> usize {
    let a_row = metadata.row_groups().iter().map(|group| {
        let leaves = group.columns().iter().enumerate().filter(|(leaf, _)| columns.leaf_included(*leaf));
        let bytes = leaves.map(|(_, column)| {
            let decoded = column.num_values().max(0) as u64;
            let decoded = decoded.saturating_mul(pages::width(column.column_descr()));
            decoded.max(column.uncompressed_size().max(0) as u64)
        });
        bytes.fold(0, u64::saturating_add) / group.num_rows().max(1) as u64
    });
    let longest = a_row.max().unwrap_or(0).max(1);
    (MOST_BYTES / longest).clamp(1, MOST_ROWS) as usize
}

/// An open file.
pub(crate) struct Source {
    file: File,
    name: String,
    faults: Faults,
    progress: Arc<AtomicU64>,
}

/// The file, for reading at any place; for one of its columns, if pages are counted.
#[derive(Clone)]
pub struct ColumnFile {
    pub(crate) source: Arc<Source>,
    pub(crate) column: Option<PagesOf>,
}

/// A column's pages, and its codec if they are decompressed here.
#[derive(Clone)]
pub(crate) struct PagesOf {
    pub(crate) pages: Arc<Pages>,
    pub(crate) column: usize,
    pub(crate) codec: Option<Compression>,
}

impl ColumnFile {
    /// The whole file, whose footer declares no more than there is room for. `progress` grows by the bytes that are
    /// read.
    ///
    /// # Errors
    /// The fault of the file's ends or of its footer, or that there is no room.
    pub fn open(
        mut file: File,
        name: &str,
        faults: &Faults,
        progress: &Arc<AtomicU64>,
        room: &MemoryLimit,
    ) -> Result<ColumnFile, String> {
        check_ends(&mut file)?;
        footer::check(&mut file, room)?;
        let (name, faults, progress) = (name.to_owned(), faults.clone(), progress.clone());
        Ok(ColumnFile { source: Arc::new(Source { file, name, faults, progress }), column: None })
    }
}

impl Length for ColumnFile {
    fn len(&self) -> u64 {
        // If the system does not give the length, nothing can be read.
        self.source.file.metadata().map_or(0, |file| file.len())
    }
}

impl ChunkReader for ColumnFile {
    type T = HeaderReader<Counted<File>>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let Source { file, name, faults, progress } = &*self.source;
        let mut inner = file.try_clone()?;
        inner.seek(SeekFrom::Start(start))?;
        let (name, faults, progress) = (name.clone(), faults.clone(), progress.clone());
        let inner = BufReader::new(Counted { inner, name, faults, progress });
        let column = self.column.as_ref().map(|of| (of.pages.clone(), of.column));
        Ok(HeaderReader { inner, column })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let header = self.column.as_ref().map(|of| of.pages.load(of.column)).transpose()?;
        // Allocates memory only after a check of the length, which may be damaged.
        let whole = self.len();
        if start.checked_add(length as u64).is_none_or(|end| end > whole) {
            return Err(ParquetError::EOF(format!(
                "{length} bytes should be at byte {start}, and the file has {whole}"
            )));
        }
        let mut bytes = Vec::with_capacity(length);
        // No header is read here.
        let mut reader = HeaderReader { column: None, ..self.get_read(start)? };
        (&mut reader).take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() != length {
            return Err(ParquetError::EOF(format!("only {} of {length} bytes could be read", bytes.len())));
        }
        let codec = self.column.as_ref().and_then(|of| of.codec);
        match codec.zip(header) {
            Some((codec, header)) => pages::decompress(codec, &bytes.into(), &header),
            None => Ok(bytes.into()),
        }
    }
}

//! Parquet: a table in a file whose end says where its columns lie. It is read row group by row group, a few
//! thousand rows at a time, and of the columns only those that are wanted.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::{ChunkReader, Length};

use super::table::{Counted, Faults, PARQUET, Table, first_line};
use crate::files::File;

/// Rows decoded at once, at most.
const MOST_ROWS: usize = 1 << 14;

/// Bytes decoded at once, as far as the file's own account of them goes.
const MOST_BYTES: usize = 16 << 20;

/// What files end with whose footer is encrypted.
const ENCRYPTED: &[u8; 4] = b"PARE";

/// Opens a file by its footer.
///
/// # Errors
/// What is wrong with the file.
pub(in crate::input) fn open(
    mut file: File,
    name: &str,
    faults: &Faults,
    progress: &Arc<AtomicU64>,
) -> Result<Table, String> {
    check_ends(&mut file)?;
    let source = Stored { file, name: name.to_owned(), faults: faults.clone(), progress: progress.clone() };
    let told = |error: ParquetError| first_line(&error.to_string());
    let builder = ParquetRecordBatchReaderBuilder::try_new(source)
        .map_err(|error| format!("its Parquet footer cannot be read ({})", told(error)))?;
    let rows = u64::try_from(builder.metadata().file_metadata().num_rows()).ok();
    let schema = builder.schema().clone();
    let read = move |columns: &[usize]| -> Result<super::table::Batches, String> {
        let mask = ProjectionMask::roots(builder.parquet_schema(), columns.iter().copied());
        let rows = rows_at_once(builder.metadata(), &mask);
        let reader = builder.with_projection(mask).with_batch_size(rows).build().map_err(told)?;
        Ok(Box::new(reader.map(|batch| batch.map_err(|error| first_line(&error.to_string())))))
    };
    Ok(Table { schema, rows, read: Box::new(read) })
}

/// The footer of a file with the indexes of its pages.
///
/// # Errors
/// What is wrong with them.
pub(in crate::input) fn footer(
    mut file: File,
    name: &str,
    faults: &Faults,
    progress: &Arc<AtomicU64>,
) -> Result<ParquetMetaData, String> {
    check_ends(&mut file)?;
    let source = Stored { file, name: name.to_owned(), faults: faults.clone(), progress: progress.clone() };
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
    reader.parse_and_finish(&source).map_err(|error| first_line(&error.to_string()))
}

/// That a file begins and ends as the format has it.
fn check_ends(file: &mut File) -> Result<(), String> {
    let mut ends = [[0; 4]; 2];
    let mut look = |at, end: &mut [u8]| file.seek(at).and_then(|_| file.read_exact(end));
    let seen =
        look(SeekFrom::Start(0), &mut ends[0]).and_then(|()| look(SeekFrom::End(-4), &mut ends[1])).is_ok();
    match [&ends[0], &ends[1]] {
        [_, ENCRYPTED] => Err("it is an encrypted Parquet file, for which there is no key".to_owned()),
        [PARQUET, PARQUET] if seen => Ok(()),
        [PARQUET, _] if seen => {
            Err("it is no whole Parquet file: PAR1 does not stand at its end; was it cut off?".to_owned())
        }
        _ => Err("it is no Parquet file: PAR1 does not stand at its beginning".to_owned()),
    }
}

/// Fewer rows where they are long.
fn rows_at_once(metadata: &ParquetMetaData, columns: &ProjectionMask) -> usize {
    let a_row = metadata.row_groups().iter().map(|group| {
        let leaves = group.columns().iter().enumerate().filter(|(leaf, _)| columns.leaf_included(*leaf));
        let bytes: u64 = leaves.map(|(_, column)| column.uncompressed_size().max(0) as u64).sum();
        bytes / group.num_rows().max(1) as u64
    });
    let longest = a_row.max().unwrap_or(0).max(1) as usize;
    (MOST_BYTES / longest).clamp(1, MOST_ROWS)
}

/// The file, for reading at any place.
struct Stored {
    file: File,
    name: String,
    faults: Faults,
    progress: Arc<AtomicU64>,
}

impl Length for Stored {
    fn len(&self) -> u64 {
        // Where the system does not say, nothing can be read.
        self.file.metadata().map_or(0, |file| file.len())
    }
}

impl ChunkReader for Stored {
    type T = BufReader<Counted<File>>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        let mut inner = self.file.try_clone()?;
        inner.seek(SeekFrom::Start(start))?;
        let (name, faults, progress) = (self.name.clone(), self.faults.clone(), self.progress.clone());
        Ok(BufReader::new(Counted { inner, name, faults, progress }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // A damaged length must not be believed before there is memory for it.
        let whole = self.len();
        if start.checked_add(length as u64).is_none_or(|end| end > whole) {
            return Err(ParquetError::EOF(format!(
                "{length} bytes are to stand at byte {start}, and the file has {whole}"
            )));
        }
        let mut bytes = Vec::with_capacity(length);
        self.get_read(start)?.take(length as u64).read_to_end(&mut bytes)?;
        match bytes.len() == length {
            true => Ok(bytes.into()),
            false => Err(ParquetError::EOF(format!("only {} of {length} bytes came", bytes.len()))),
        }
    }
}

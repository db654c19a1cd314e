//! Reads back tables that urimill has written, with all their columns, for comparison. The readers are those of
//! `read::table`.

use std::sync::Arc;

#[cfg(feature = "parquet")]
use ::parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use urimill_base::error::Result;
use urimill_base::files::File;
use urimill_read::decode::Reader;
use urimill_read::guarded;
use urimill_read::table::arrow::stream;
use urimill_read::table::memory_limit::MemoryLimit;
use urimill_read::table::reader::{Faults, Stream};
use urimill_read::table::{arrow as ipc, parquet};

/// The storage format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TableFile {
    /// A Parquet file.
    Parquet,
    /// An Arrow IPC file.
    ArrowFile,
    /// An Arrow IPC stream.
    ArrowStream,
}

/// Passes the schema of the table in a file, which errors call `name`, to `begin`, and all of its rows to `take`.
///
/// `Io` if the file cannot be read, `Data` if it is not a complete table; and those of `begin` and `take`.
pub(crate) fn read_back(
    file: File,
    name: &str,
    stored: TableFile,
    begin: impl FnOnce(&SchemaRef) -> Result<()>,
    mut take: impl FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let (faults, progress) = (Faults::default(), Arc::default());
    let damaged = |what: String| faults.or_damage(name, &format!("the written data is damaged: {what}"));
    let opened = match stored {
        TableFile::Parquet => guarded(|| parquet::open(file, name, &faults, &progress, None)),
        TableFile::ArrowFile => {
            guarded(|| ipc::open_file(file, name, &faults, &progress, MemoryLimit::unbounded()))
        }
        TableFile::ArrowStream => {
            let mut reader = Reader::new(name, Box::new(file), &progress)?;
            // An empty beginning would be read as an empty stream.
            let mut first = vec![0; 8];
            let read = reader.read(&mut first)?;
            first.truncate(read);
            let stream = Stream { reader, faults: faults.clone() };
            guarded(|| stream::open(first, stream, MemoryLimit::unbounded()))
        }
    };
    let table = opened.map_err(damaged)?;
    begin(&table.schema)?;
    let columns: Vec<usize> = (0..table.schema.fields().len()).collect();
    let mut batches = guarded(|| (table.read)(&columns)).map_err(damaged)?;
    while let Some(batch) = guarded(|| batches.next().transpose()).map_err(damaged)? {
        take(batch)?;
    }
    Ok(())
}

/// The footer of a Parquet file, which errors call `name`, and its page indexes.
///
/// # Errors
/// `Io` if the file cannot be read, `Data` if its footer or an index is damaged.
#[cfg(feature = "parquet")]
pub(crate) fn read_back_footer(file: File, name: &str) -> Result<ParquetMetaData> {
    let (faults, progress) = (Faults::default(), Arc::default());
    let read = guarded(|| {
        let file = parquet::ColumnFile::open(file, name, &faults, &progress, &MemoryLimit::unbounded())?;
        let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
        reader.parse_and_finish(&file).map_err(parquet::error_text)
    });
    read.map_err(|what| faults.or_damage(name, &format!("the written data is damaged: {what}")))
}

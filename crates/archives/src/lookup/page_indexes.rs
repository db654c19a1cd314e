//! The indexes of a Parquet file's pages, counted before the library decodes them, as its footer is: the library reads
//! everything between the first and the last index at once, and allocates memory for the declared number of elements of
//! a list.

use parquet::errors::ParquetError;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::reader::ChunkReader;
use urimill_read::table::memory_limit::MemoryLimit;
use urimill_read::table::parquet::{ColumnFile, error_text, is_whole};

/// The most memory for a byte of an index once it is decoded: a place has four bytes or more, and takes 24 then.
const DECODED: u64 = 8;

/// The footer of a file, which was counted, with these indexes.
///
/// # Errors
/// The fault of the file, or that there is no room for its indexes.
pub(super) fn load(file: &ColumnFile, room: &MemoryLimit) -> Result<ParquetMetaData, String> {
    let footer = |error| format!("its Parquet footer cannot be read ({})", error_text(error));
    let mut reader = ParquetMetaDataReader::new();
    let metadata = reader.try_parse(file).and_then(|()| reader.finish()).map_err(footer)?;
    let places = places(&metadata)?;
    let begin = places.iter().map(|(start, _)| *start).min().unwrap_or(0);
    let end = places.iter().map(|(start, length)| start.saturating_add(*length)).max().unwrap_or(0);
    room.check(end.saturating_sub(begin), "what lies between the indexes of its pages")?;
    let decoded =
        places.iter().map(|(_, length)| length.saturating_mul(DECODED)).fold(0, u64::saturating_add);
    room.check(decoded, "the indexes of its pages")?;
    let damaged =
        |error: ParquetError| format!("the index of its pages cannot be read ({})", error_text(error));
    for (start, length) in places {
        let length = usize::try_from(length).map_err(|error| error.to_string())?;
        let bytes = file.get_bytes(start, length).map_err(damaged)?;
        if !is_whole(&bytes) {
            return Err("the index of its pages cannot be read (it ends within a value)".to_owned());
        }
    }
    let mut reader =
        ParquetMetaDataReader::new_with_metadata(metadata).with_page_index_policy(PageIndexPolicy::Optional);
    reader.read_page_indexes(file).and_then(|()| reader.finish()).map_err(damaged)
}

/// Where each index begins, and its length.
fn places(metadata: &ParquetMetaData) -> Result<Vec<(u64, u64)>, String> {
    let chunks = metadata.row_groups().iter().flat_map(|group| group.columns());
    let indexes = chunks.flat_map(|chunk| {
        [
            (chunk.column_index_offset(), chunk.column_index_length()),
            (chunk.offset_index_offset(), chunk.offset_index_length()),
        ]
    });
    let number = |place: (i64, i32)| Some((u64::try_from(place.0).ok()?, u64::try_from(place.1).ok()?));
    let places = indexes.filter_map(|(start, length)| start.zip(length)).map(number);
    places.collect::<Option<_>>().ok_or_else(|| "the place of an index of its pages is negative".to_owned())
}

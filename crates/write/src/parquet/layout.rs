//! How each column is stored in a Parquet file: the writer properties, derived from the layouts of columns, which are
//! defined with the columns (`batch::column`).

use arrow_schema::{DataType, Field, Schema};
use parquet::basic::{BrotliLevel, Compression as Codec, Encoding, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::{ColumnPath, SchemaDescriptor};
use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::Layout;

use super::levels::MOST_PAGE_ROWS;
use super::text_sizes::is_text;
use crate::{Compression, SinkOptions, SortKey};
use Layout::{Counter, Dictionary, Key, List, Text};

/// The pages of a column.
#[derive(Debug, Clone, Copy)]
struct Pages {
    /// Store each distinct value once and number them. A dictionary that outgrows its page ends, and the rest of the
    /// chunk is stored plainly.
    dictionary: bool,
    encoding: Encoding,
    /// Minimum, maximum and number of nulls of each page and chunk.
    statistics: bool,
}

/// Texts are stored plainly: `DELTA_LENGTH_BYTE_ARRAY` made files of 100,000 real URLs 2 % smaller under zstd, and was
/// not faster: too little to require it of every reader. [`SinkOptions::delta_texts`] stores only their differences
/// from the text before, which pays if rows are sorted.
impl From<Layout> for Pages {
    fn from(layout: Layout) -> Pages {
        let (dictionary, encoding, statistics) = match layout {
            Dictionary => (true, Encoding::PLAIN, true),
            List => (true, Encoding::PLAIN, false),
            Text => (false, Encoding::PLAIN, false),
            Key => (false, Encoding::PLAIN, true),
            Counter => (false, Encoding::DELTA_BINARY_PACKED, true),
        };
        Pages { dictionary, encoding, statistics }
    }
}

/// In tables with more columns than this, number columns that pass through have no dictionaries.
const MOST_DICTIONARIES: usize = 256;

/// The memory of a column that is open, however few values it has.
const COLUMN: usize = 20 << 10;

/// Open columns may take this many bytes, however little memory is allowed.
const COLUMNS: usize = 64 << 20;

/// Checks that the columns of a file can be open at once.
pub(super) fn check_columns(count: usize, memory: usize, name: &str) -> Result<()> {
    let bytes = count.saturating_mul(COLUMN);
    if bytes <= COLUMNS.max(memory / 2) {
        return Ok(());
    }
    Err(Error::usage(format!(
        "cannot write {name}: {count} columns of Parquet take {} MiB at once, and half of what {} allows is less; allow \
         more, or name the columns that matter with {}",
        bytes >> 20,
        OptionName::Memory.named(),
        OptionName::Keep.named()
    )))
}

/// Writer properties for a file of `schema` whose order is `declared`.
///
/// Data pages stay at version 1: every reader has them.
pub fn properties(
    schema: &Schema,
    options: &SinkOptions,
    declared: Option<Vec<SortingColumn>>,
) -> Result<WriterProperties, ParquetError> {
    let metadata: Vec<_> =
        options.metadata.iter().map(|(k, v)| KeyValue::new(k.clone(), v.clone())).collect();
    let mut builder = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(concat!("urimill version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata((!metadata.is_empty()).then_some(metadata))
        .set_compression(codec(options.compression)?)
        .set_data_page_size_limit(options.pages.bytes)
        .set_data_page_row_count_limit(options.pages.rows.min(MOST_PAGE_ROWS))
        .set_dictionary_page_size_limit(options.pages.dictionary)
        .set_statistics_truncate_length(Some(64))
        .set_column_index_truncate_length(Some(64))
        .set_statistics_enabled(EnabledStatistics::Page)
        // Each takes 70 KiB, however few values there are.
        .set_dictionary_enabled(schema.fields().len() <= MOST_DICTIONARIES)
        .set_sorting_columns(declared);
    for (column, field) in schema.fields().iter().enumerate() {
        // A column that passes through from the input keeps the library's defaults, dictionary and all.
        let Some(layout) = layout(field) else { continue };
        let wanted = layout.statistics || is_key(column, &options.sorting);
        let statistics = if wanted { EnabledStatistics::Page } else { EnabledStatistics::None };
        for path in leaves(field) {
            builder = builder
                .set_column_dictionary_enabled(path.clone(), layout.dictionary)
                .set_column_encoding(path.clone(), layout.encoding)
                .set_column_statistics_enabled(path, statistics);
        }
    }
    for (column, field) in schema.fields().iter().enumerate() {
        let path = || ColumnPath::from(field.name().clone());
        // The library's writer of such a column is created but not used.
        if text_layout(schema, column, &options.sorting).is_some() {
            builder = builder.set_column_dictionary_enabled(path(), false);
        } else if options.page_checksums && cfg!(feature = "gzip") {
            // The library writes no checksums, but gzip has one.
            builder = builder.set_column_compression(path(), codec(Compression::Gzip)?);
        }
    }
    Ok(builder.build())
}

/// Whether rows are sorted by a column: then its statistics lead readers to few pages, whatever its values.
fn is_key(column: usize, sorting: &[SortKey]) -> bool {
    sorting.iter().any(|key| key.column == column)
}

/// The sort keys as the format declares them, by the numbers of leaves; it defines no order of lists and structs, so
/// these and all later keys are omitted. `leaves` is `schema` in the format's terms.
pub fn sorting_columns(
    schema: &Schema,
    leaves: &SchemaDescriptor,
    sorting: &[SortKey],
) -> Option<Vec<SortingColumn>> {
    let flat = sorting.iter().take_while(|key| !schema.field(key.column).data_type().is_nested());
    let leaf = |key: &SortKey| {
        (0..leaves.num_columns()).find(|&leaf| leaves.get_column_root_idx(leaf) == key.column)
    };
    let declared: Vec<_> = flat
        .map_while(|key| {
            let column_idx = leaf(key)? as i32;
            Some(SortingColumn { column_idx, descending: key.descending, nulls_first: false })
        })
        .collect();
    (!declared.is_empty()).then_some(declared)
}

/// The paths of the values of a column of urimill's own: those of a list are its elements, those of a struct its
/// fields.
fn leaves(field: &Field) -> Vec<ColumnPath> {
    fn visit(field: &Field, mut path: Vec<String>, found: &mut Vec<ColumnPath>) {
        path.push(field.name().clone());
        match field.data_type() {
            DataType::List(element) => {
                path.push("list".to_owned());
                visit(element, path, found);
            }
            DataType::Struct(fields) => fields.iter().for_each(|field| visit(field, path.clone(), found)),
            _ => found.push(ColumnPath::new(path)),
        }
    }
    let mut found = Vec::new();
    visit(field, Vec::new(), &mut found);
    found
}

/// A field of the input may have any name and type, and only integers can be a counter.
fn layout(field: &Field) -> Option<Pages> {
    let (known, _) = Layout::of(field.name())?;
    let is_counter = |data_type: &DataType| {
        let is_moment = data_type.is_temporal() && !matches!(data_type, DataType::Interval(_));
        data_type.is_integer() || is_moment
    };
    (known != Counter || is_counter(field.data_type())).then_some(known.into())
}

/// The storage of a text column whose pages urimill makes itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextLayout {
    pub(crate) dictionary: bool,
    pub(crate) statistics: bool,
}

/// For columns of texts, as `page` and `dictionary` make them: those above, and any that pass through. Sort columns
/// have statistics.
pub(crate) fn text_layout(schema: &Schema, column: usize, sorting: &[SortKey]) -> Option<TextLayout> {
    let field = schema.field(column);
    if !is_text(field.data_type()) {
        return None;
    }
    let (dictionary, statistics) = match layout(field) {
        Some(Pages { dictionary, statistics, encoding: Encoding::PLAIN }) => (dictionary, statistics),
        Some(_) => return None,
        None => (true, true),
    };
    Some(TextLayout { dictionary, statistics: statistics || is_key(column, sorting) })
}

/// Gives files about as small as zstd's default level.
const BROTLI_LEVEL: u32 = 5;

/// The codec of Parquet for a compression.
pub fn codec(compression: Compression) -> Result<Codec, ParquetError> {
    Ok(match compression {
        Compression::Zstd(level) => Codec::ZSTD(ZstdLevel::try_new(level)?),
        Compression::Gzip => Codec::GZIP(GzipLevel::default()),
        Compression::Brotli => Codec::BROTLI(BrotliLevel::try_new(BROTLI_LEVEL)?),
        Compression::Snappy => Codec::SNAPPY,
        Compression::Lz4 => Codec::LZ4_RAW,
        Compression::None => Codec::UNCOMPRESSED,
    })
}

/// At most this many stages: passing one takes time.
const MOST_STAGES: usize = 64;

/// The number of stages that share the cheap columns: together they take as long as a costly one.
const CHEAP_STAGES: usize = 4;

/// Columns by number, one list for each stage of encoding, the costly columns first.
///
/// Columns with many distinct values get a stage of their own, and so do texts: where a batch comes to little, its
/// rows are gathered in order. All others share the last ones.
pub(crate) fn stage_columns(schema: &Schema) -> Vec<Vec<usize>> {
    let costly = |i: &usize| {
        let field = schema.field(*i);
        let is_costly = Layout::of(field.name()).is_some_and(|(_, is_costly)| is_costly);
        !is_number(field.data_type()) && (is_costly || layout(field).is_none())
    };
    let (mut alone, together): (Vec<_>, Vec<_>) = (0..schema.fields().len()).partition(costly);
    let others = alone.split_off(alone.len().min(MOST_STAGES));
    let mut stages: Vec<_> = alone.into_iter().map(|i| vec![i]).collect();
    // With thousands of columns each has little work.
    for (at, column) in others.into_iter().enumerate() {
        stages[at % MOST_STAGES].push(column);
    }
    // Split evenly: among many columns none is a large part of the work.
    let size = together.len().div_ceil(CHEAP_STAGES).max(1);
    stages.extend(together.chunks(size).map(<[usize]>::to_vec));
    stages.retain(|columns| !columns.is_empty());
    stages
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_primitive() || matches!(data_type, DataType::Boolean | DataType::Null)
}

//! How each column lies in a Parquet file, and which columns are encoded together: the one table of what is
//! known about columns by name, and the writer properties made of it.

use arrow::datatypes::{DataType, Field, Schema};
use parquet::basic::{Compression as Codec, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::schema::types::ColumnPath;

use super::{Compression, SinkOptions, SortKey, parquet_pages};

/// What is known of a column by its name.
struct Layout {
    name: &'static str,
    /// Few distinct values: store each once and number them. A dictionary that outgrows its page ends,
    /// and the rest of the chunk is stored plainly.
    dictionary: bool,
    encoding: Encoding,
    /// Minimum, maximum and number of nulls of each page and chunk.
    statistics: bool,
}

const fn dictionary(name: &'static str) -> Layout {
    Layout { name, dictionary: true, encoding: Encoding::PLAIN, statistics: true }
}

const fn text(name: &'static str) -> Layout {
    Layout { name, dictionary: false, encoding: TEXT, statistics: false }
}

const fn counter(name: &'static str) -> Layout {
    Layout { name, dictionary: false, encoding: Encoding::DELTA_BINARY_PACKED, statistics: true }
}

/// DELTA_LENGTH_BYTE_ARRAY made files of 100,000 real URLs 2 % smaller under zstd, and was no faster: too
/// little to ask every reader for it.
const TEXT: Encoding = Encoding::PLAIN;

/// Columns one filters by carry statistics. Long texts in the order of a log span the whole alphabet on
/// every page: a minimum and a maximum would let no reader skip anything, and finding them takes 4 % of
/// the time of writing.
const LAYOUTS: &[Layout] = &[
    counter("record"),
    text("uri"),
    text("raw"),
    dictionary("scheme"),
    dictionary("userinfo"),
    dictionary("host"),
    dictionary("host_kind"),
    dictionary("port"),
    text("path"),
    text("query"),
    text("fragment"),
    dictionary("flags"),
    dictionary("error"),
    dictionary("error_offset"),
    dictionary("source"),
    counter("offset"),
    text("raw_bytes"),
    dictionary("records"),
    dictionary("distinct"),
    dictionary("merged"),
    counter("first_record"),
    dictionary("first_source"),
    // A hash: nothing repeats, nothing is near anything.
    Layout { name: "fingerprint", dictionary: false, encoding: Encoding::PLAIN, statistics: false },
    dictionary("host_address"),
    dictionary("host_ascii"),
    dictionary("host_unicode"),
    dictionary("host_reversed"),
    // Nothing is pruned by the least and the greatest of all labels.
    Layout { name: "host_parts", dictionary: true, encoding: Encoding::PLAIN, statistics: false },
    dictionary("tld"),
    dictionary("public_suffix"),
    dictionary("registered_domain"),
    dictionary("private_suffix"),
    dictionary("private_domain"),
    // What tables are sorted by and pages found by.
    Layout { name: "surt", dictionary: false, encoding: TEXT, statistics: true },
    text("canonical"),
    // Names repeat, and many values; but the least of all parameters leads nowhere.
    Layout { name: "query_params", dictionary: true, encoding: Encoding::PLAIN, statistics: false },
    Layout { name: "query_params_raw", dictionary: true, encoding: Encoding::PLAIN, statistics: false },
    // Fields of logs, by the names that their formats give them.
    counter("time"),
    dictionary("status"),
    dictionary("mime"),
    dictionary("hop_path"),
    dictionary("thread"),
    dictionary("source_tag"),
    dictionary("via"),
    dictionary("annotations"),
    dictionary("field_errors"),
    counter("fetch_time"),
    counter("fetch_ms"),
    counter("size"),
    counter("length"),
    counter("file_offset"),
    Layout { name: "urlkey", dictionary: false, encoding: TEXT, statistics: true },
    text("digest"),
    text("extra"),
];

/// Data pages end at, or near, this many bytes before compression…
pub(super) const PAGE_BYTES: usize = 1 << 20;
/// … or rows, so that a page index leads to few rows even in columns that pack well.
pub(super) const PAGE_ROWS: usize = 50_000;

/// Writer properties for a file of `schema`.
///
/// Data pages stay at version 1: every reader has them.
pub(super) fn properties(schema: &Schema, options: &SinkOptions) -> Result<WriterProperties, ParquetError> {
    let metadata: Vec<_> =
        options.metadata.iter().map(|(k, v)| KeyValue::new(k.clone(), v.clone())).collect();
    let mut builder = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_1_0)
        .set_created_by(concat!("urimill version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata((!metadata.is_empty()).then_some(metadata))
        .set_compression(codec(options.compression)?)
        .set_data_page_size_limit(PAGE_BYTES)
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_statistics_truncate_length(Some(64))
        .set_column_index_truncate_length(Some(64))
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_sorting_columns(sorting_columns(schema, &options.sorting));
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
    Ok(builder.build())
}

/// Whether rows are sorted by a column: then its least and greatest values lead readers to few pages, whatever it holds.
fn is_key(column: usize, sorting: &[SortKey]) -> bool {
    sorting.iter().any(|key| key.column == column)
}

/// The keys as the format tells them, by the numbers of leaves; it knows no order of lists and structs, and so of no
/// key behind one.
fn sorting_columns(schema: &Schema, sorting: &[SortKey]) -> Option<Vec<SortingColumn>> {
    let fields = schema.fields();
    let flat = sorting.iter().take_while(|key| !fields[key.column].data_type().is_nested());
    let declared: Vec<_> = flat
        .map(|key| {
            let leaf = fields[..key.column].iter().map(|field| leaves(field).len()).sum::<usize>();
            SortingColumn { column_idx: leaf as i32, descending: key.descending, nulls_first: false }
        })
        .collect();
    (!declared.is_empty()).then_some(declared)
}

/// Where the values of a column are: those of a list are its elements, those of a struct its fields.
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

/// A field of the input may have any name, and only numbers are counters.
fn layout(field: &Field) -> Option<&'static Layout> {
    let known = LAYOUTS.iter().find(|l| l.name == field.name())?;
    (known.encoding == Encoding::PLAIN || is_number(field.data_type())).then_some(known)
}

/// Whether urimill makes the data pages of a column itself, as `parquet_pages` does: those of the columns above that
/// are [`text`], unless something else came under such a name, or the rows are sorted by it.
pub(super) fn has_pages_of_its_own(schema: &Schema, column: usize, sorting: &[SortKey]) -> bool {
    let field = schema.field(column);
    let is_text = |l: &Layout| !l.dictionary && !l.statistics && l.encoding == Encoding::PLAIN;
    layout(field).is_some_and(is_text)
        && parquet_pages::is_text(field.data_type())
        && !is_key(column, sorting)
}

pub(super) fn codec(compression: Compression) -> Result<Codec, ParquetError> {
    Ok(match compression {
        Compression::Zstd => Codec::ZSTD(ZstdLevel::try_new(3)?),
        Compression::Snappy => Codec::SNAPPY,
        Compression::Lz4 => Codec::LZ4_RAW,
        Compression::None => Codec::UNCOMPRESSED,
    })
}

/// Columns by number, one list for each stage of encoding, the costly columns first.
///
/// Columns with many distinct values get a stage of their own, and so do texts: where a batch comes to little, its
/// rows are gathered and compressed in order. All others share the last one.
pub(super) fn stage_columns(schema: &Schema) -> Vec<Vec<usize>> {
    let costly = |i: &usize| {
        let field = schema.field(*i);
        match field.name().as_str() {
            "uri" | "path" | "query" | "host" | "raw" => true,
            "host_ascii" | "host_unicode" | "host_reversed" | "host_parts" => true,
            "registered_domain" | "private_domain" => true,
            "surt" | "canonical" | "query_params" | "query_params_raw" => true,
            "urlkey" | "digest" | "via" | "annotations" | "source_tag" | "extra" => {
                !is_number(field.data_type())
            }
            _ => layout(field).is_none() && !is_number(field.data_type()),
        }
    };
    let (alone, together): (Vec<_>, Vec<_>) = (0..schema.fields().len()).partition(costly);
    let mut stages: Vec<_> = alone.into_iter().map(|i| vec![i]).collect();
    stages.push(together);
    stages.retain(|columns| !columns.is_empty());
    stages
}

fn is_number(data_type: &DataType) -> bool {
    data_type.is_primitive() || matches!(data_type, DataType::Boolean | DataType::Null)
}

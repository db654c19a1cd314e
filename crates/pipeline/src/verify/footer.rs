//! A file's own description (schema, metadata, order, statistics), compared with the intended one and with the values
//! in the file: readers skip row groups and pages by it, so a wrong bound loses rows silently. The comparison reads
//! each value once, and checks its bounds at the same time.

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, Scalar, UInt64Array};
use arrow_cast::cast;
use arrow_ord::cmp;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::{BrotliLevel, Compression as Codec, GzipLevel, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData, RowGroupMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::SchemaDescriptor;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::files::File;
use urimill_write::parquet::layout::{codec, properties, sorting_columns};
use urimill_write::{SinkOptions, encode_error};

use super::file_reader::read_back_footer;

/// The expected footer of every file of an output.
pub(super) struct ExpectedFooter {
    leaves: SchemaDescriptor,
    properties: WriterProperties,
    codec: Codec,
}

impl ExpectedFooter {
    /// For Parquet files of `schema` that are written with `options`, whose sorting is by columns of that schema.
    pub(super) fn new(schema: &Schema, options: &SinkOptions) -> Result<ExpectedFooter> {
        let failed = |e| encode_error("a comparison", e);
        let converter = ArrowSchemaConverter::new().with_coerce_types(true).schema_root("schema");
        let leaves = converter.convert(schema).map_err(failed)?;
        let declared = sorting_columns(schema, &leaves, &options.sorting);
        let properties = properties(schema, options, declared).map_err(failed)?;
        Ok(ExpectedFooter { leaves, properties, codec: codec(options.compression).map_err(failed)? })
    }

    /// Reads the footer of a file, which errors call `name`, and compares everything that does not depend on the rows.
    /// The result compares the rest with the rows.
    ///
    /// # Errors
    /// `Data` if the file differs; `Io` if it cannot be read.
    pub(super) fn check(&self, file: File, name: &str, schema: &SchemaRef) -> Result<BoundsCheck> {
        let footer = read_back_footer(file, name)?;
        let file = footer.file_metadata();
        let differs = |what: &str| Err(differs(name, what));
        if file.schema_descr().root_schema() != self.leaves.root_schema() {
            return differs("its schema is not that of the table");
        }
        let pairs = |of: Option<&Vec<KeyValue>>| of.cloned().unwrap_or_default();
        if pairs(file.key_value_metadata()) != pairs(self.properties.key_value_metadata()) {
            return differs("its key-value metadata are not those of the table");
        }
        if file.created_by() != Some(self.properties.created_by()) {
            return differs("it does not name urimill as its writer");
        }
        let rows: i64 = footer.row_groups().iter().map(RowGroupMetaData::num_rows).sum();
        if file.num_rows() != rows {
            return differs("its number of rows is not that of its row groups");
        }
        for (number, group) in footer.row_groups().iter().enumerate() {
            if let Some(what) = self.difference(group) {
                return differs(&format!("row group {number}: {what}"));
            }
        }
        BoundsCheck::new(&footer, schema).map_err(|e| differs_because(name, e))
    }

    /// A difference in a row group's description.
    fn difference(&self, group: &RowGroupMetaData) -> Option<String> {
        if group.sorting_columns() != self.properties.sorting_columns() {
            return Some("the order that it declares is not that of the table".to_owned());
        }
        group.columns().iter().find_map(|column| {
            let path = column.column_path();
            if plain_codec(column.compression()) != plain_codec(self.codec) {
                return Some(format!("the column {path} has another compression"));
            }
            if !column.column_descr().path().parts().eq(path.parts()) {
                return Some(format!("the column {path} is in the place of another column"));
            }
            // For nested columns the library omits statistics that it has no order for.
            let is_flat = column.column_descr().max_rep_level() == 0 && path.parts().len() == 1;
            let has = column.statistics().is_some();
            let wanted = self.properties.statistics_enabled(path) != EnabledStatistics::None;
            (is_flat && has != wanted).then(|| match has {
                true => format!("the column {path} has statistics that it should not have"),
                false => format!("the column {path} lacks its statistics"),
            })
        })
    }
}

/// A codec without its level, which files do not store.
fn plain_codec(codec: Codec) -> Codec {
    match codec {
        Codec::ZSTD(_) => Codec::ZSTD(ZstdLevel::default()),
        Codec::GZIP(_) => Codec::GZIP(GzipLevel::default()),
        Codec::BROTLI(_) => Codec::BROTLI(BrotliLevel::default()),
        other => other,
    }
}

fn differs(name: &str, what: &str) -> Error {
    Error::new(ErrorKind::Data, format!("{name} is not what it should be when it is read back: {what}"))
}

fn differs_because(name: &str, error: impl std::fmt::Display) -> Error {
    differs(name, &format!("its statistics cannot be read ({error})"))
}

/// The bounds and null counts of row groups and pages, checked against rows that come in order.
pub(super) struct BoundsCheck {
    columns: Vec<ColumnBounds>,
    /// Rows seen so far.
    row: u64,
}

/// A column's statistics: one list of stretches for row groups, one for pages.
struct ColumnBounds {
    column: usize,
    name: String,
    lists: Vec<Stretches>,
}

/// Consecutive stretches of a column's rows, each with its declared statistics.
struct Stretches {
    what: &'static str,
    /// The number of the row after each.
    ends: Vec<u64>,
    mins: ArrayRef,
    maxes: ArrayRef,
    nulls: UInt64Array,
    /// If a bound is known to be a value, not only beyond all values.
    exact: Option<(BooleanArray, BooleanArray)>,
    /// The stretch that the next row belongs to, and the values seen in it.
    at: usize,
    seen: Seen,
}

#[derive(Default)]
struct Seen {
    nulls: u64,
    values: u64,
    min: bool,
    max: bool,
}

impl BoundsCheck {
    fn new(footer: &ParquetMetaData, schema: &SchemaRef) -> Result<BoundsCheck, ParquetError> {
        let groups: Vec<usize> = (0..footer.num_row_groups()).collect();
        let mut columns = Vec::new();
        for (column, field) in schema.fields().iter().enumerate() {
            if field.data_type().is_nested() || groups.is_empty() {
                continue;
            }
            let leaves = footer.file_metadata().schema_descr();
            let converter = StatisticsConverter::try_new(field.name(), schema, leaves)?
                .with_missing_null_counts_as_zero(false);
            let of_groups = || footer.row_groups().iter();
            let counts = of_groups().map(|group| group.num_rows().max(0) as u64);
            let mut lists = vec![Stretches::new(
                "row group",
                counts,
                (converter.row_group_mins(of_groups())?, converter.row_group_maxes(of_groups())?),
                converter.row_group_null_counts(of_groups())?,
                Some((
                    converter.row_group_is_min_value_exact(of_groups())?,
                    converter.row_group_is_max_value_exact(of_groups())?,
                )),
            )];
            if let (Some(bounds), Some(places)) = (footer.column_index(), footer.offset_index()) {
                let counts = converter.data_page_row_counts(places, footer.row_groups(), &groups)?;
                let counts = counts.map(|counts| counts.values().to_vec()).unwrap_or_default();
                lists.push(Stretches::new(
                    "page",
                    counts.into_iter(),
                    (
                        converter.data_page_mins(bounds, places, &groups)?,
                        converter.data_page_maxes(bounds, places, &groups)?,
                    ),
                    converter.data_page_null_counts(bounds, places, &groups)?,
                    None,
                ));
            }
            columns.push(ColumnBounds { column, name: field.name().clone(), lists });
        }
        Ok(BoundsCheck { columns, row: 0 })
    }

    /// Checks the next rows of the file against their declared statistics. Returns a difference.
    pub(super) fn add(&mut self, batch: &RecordBatch) -> Result<Option<String>, ArrowError> {
        for bounds in &mut self.columns {
            let array = batch.column(bounds.column);
            for list in &mut bounds.lists {
                if let Some(what) = list.add(array, self.row)? {
                    return Ok(Some(format!("a {} of the column {}: {what}", list.what, bounds.name)));
                }
            }
        }
        self.row += batch.num_rows() as u64;
        Ok(None)
    }

    /// Must be called after the last row: every stretch must have had its rows.
    pub(super) fn finish(self) -> Option<String> {
        let whole = |list: &Stretches| list.at == list.ends.len();
        let column = self.columns.iter().find(|column| !column.lists.iter().all(whole))?;
        Some(format!("the column {} has fewer rows than its statistics count", column.name))
    }
}

impl Stretches {
    fn new(
        what: &'static str,
        counts: impl Iterator<Item = u64>,
        (mins, maxes): (ArrayRef, ArrayRef),
        nulls: UInt64Array,
        exact: Option<(BooleanArray, BooleanArray)>,
    ) -> Stretches {
        let ends = counts.scan(0, |end: &mut u64, count| {
            *end = end.saturating_add(count);
            Some(*end)
        });
        Stretches { what, ends: ends.collect(), mins, maxes, nulls, exact, at: 0, seen: Seen::default() }
    }

    /// Adds the rows from number `row` on.
    fn add(&mut self, array: &ArrayRef, row: u64) -> Result<Option<String>, ArrowError> {
        let (mut from, rows) = (0, array.len());
        while from < rows {
            let Some(&end) = self.ends.get(self.at) else {
                return Ok(Some("there are more rows than it counts".to_owned()));
            };
            let to = rows.min((end - row) as usize);
            if let Some(what) = self.compare(&array.slice(from, to - from))? {
                return Ok(Some(what));
            }
            if row + to as u64 == end
                && let Some(what) = self.close()
            {
                return Ok(Some(what));
            }
            from = to;
        }
        Ok(None)
    }

    fn compare(&mut self, values: &ArrayRef) -> Result<Option<String>, ArrowError> {
        let nulls = values.logical_null_count();
        self.seen.nulls += nulls as u64;
        self.seen.values += (values.len() - nulls) as u64;
        if values.len() == nulls {
            return Ok(None);
        }
        let bound = |bounds: &ArrayRef| bounds.is_valid(self.at).then(|| bounds.slice(self.at, 1));
        let (min, max) = (bound(&self.mins), bound(&self.maxes));
        if let Some(min) = min {
            let Against { outside, equal } = Against::new(values, &min, true)?;
            if outside {
                return Ok(Some("a value is less than its minimum".to_owned()));
            }
            self.seen.min |= equal;
        }
        if let Some(max) = max {
            let Against { outside, equal } = Against::new(values, &max, false)?;
            if outside {
                return Ok(Some("a value is greater than its maximum".to_owned()));
            }
            self.seen.max |= equal;
        }
        Ok(None)
    }

    /// The end of a stretch.
    fn close(&mut self) -> Option<String> {
        let (seen, at) = (std::mem::take(&mut self.seen), self.at);
        self.at += 1;
        if self.nulls.is_valid(at) && self.nulls.value(at) != seen.nulls {
            return Some(format!("it counts {} nulls, and there are {}", self.nulls.value(at), seen.nulls));
        }
        let (min_exact, max_exact) = self.exact.as_ref()?;
        let is_value = |exact: &BooleanArray, bounds: &ArrayRef| {
            seen.values > 0 && bounds.is_valid(at) && exact.is_valid(at) && exact.value(at)
        };
        if is_value(min_exact, &self.mins) && !seen.min {
            return Some("its minimum is none of its values".to_owned());
        }
        if is_value(max_exact, &self.maxes) && !seen.max {
            return Some("its maximum is none of its values".to_owned());
        }
        None
    }
}

/// The comparison of values with a bound.
struct Against {
    /// Whether a value is beyond it.
    outside: bool,
    /// Whether a value is equal to it.
    equal: bool,
}

impl Against {
    fn new(values: &ArrayRef, bound: &ArrayRef, is_min: bool) -> Result<Against, ArrowError> {
        if values.data_type().is_floating() {
            return Against::of_floats(values, bound, is_min);
        }
        let plain = |array: &ArrayRef| match array.data_type() {
            DataType::Dictionary(_, values) => cast(array, values),
            _ => Ok(array.clone()),
        };
        let (values, bound) = (plain(values)?, Scalar::new(plain(bound)?));
        let outside = if is_min { cmp::lt(&values, &bound)? } else { cmp::gt(&values, &bound)? };
        let equal = cmp::eq(&values, &bound)?;
        Ok(Against { outside: outside.true_count() > 0, equal: equal.true_count() > 0 })
    }

    /// Bounds of floats ignore NaN, and do not distinguish the two zeros.
    fn of_floats(values: &ArrayRef, bound: &ArrayRef, is_min: bool) -> Result<Against, ArrowError> {
        let (values, bound) = (cast(values, &DataType::Float64)?, cast(bound, &DataType::Float64)?);
        let (values, bound) = (values.as_primitive::<Float64Type>(), bound.as_primitive::<Float64Type>());
        let (bound, numbers) = (bound.value(0), || values.iter().flatten().filter(|value| !value.is_nan()));
        let outside = numbers().any(|value| if is_min { value < bound } else { value > bound });
        Ok(Against { outside, equal: numbers().any(|value| value == bound) || numbers().next().is_none() })
    }
}

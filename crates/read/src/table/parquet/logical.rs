//! The logical types of a Parquet file's columns, where the library reads another type, or a type without its meaning.
//! A file that declares an Arrow schema was written from arrays, and its columns have the types of these.

use std::sync::Arc;

use arrow_schema::extension::{EXTENSION_TYPE_METADATA_KEY, EXTENSION_TYPE_NAME_KEY};
use arrow_schema::{DataType, Field, FieldRef, Fields, TimeUnit};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ProjectionMask};
use parquet::basic::{ConvertedType, LogicalType, Type};
use parquet::schema::types::ColumnDescriptor;
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{JSON, UUID};

/// The key by which the library, when it writes, knows that times of day are in UTC.
const IN_UTC: &str = "adjusted_to_utc";

/// The fields of a file:
///
/// - Enumerations are texts. The library reads them as bytes.
/// - Times of 96 bits are microseconds. The library makes them nanoseconds, which end in the year 2262, and would
///   silently turn later times into earlier ones.
/// - UUIDs and JSON have the names of these types, and times of day in UTC have a mark.
pub(super) fn fields(metadata: &ArrowReaderMetadata) -> Fields {
    let leaves = metadata.parquet_schema().columns().iter().map(AsRef::as_ref);
    let mut leaves = Leaves { leaves, has_arrow_schema: has_arrow_schema(metadata) };
    leaves.all(metadata.schema().fields())
}

/// Checks that the library reads all values of the columns.
///
/// # Errors
/// The column that it does not read completely.
pub(super) fn check(metadata: &ArrowReaderMetadata, mask: &ProjectionMask) -> Result<(), String> {
    let leaves = metadata.parquet_schema().columns().iter().enumerate();
    let lost = leaves
        .filter(|(_, leaf)| leaf.converted_type() == ConvertedType::INTERVAL && !has_arrow_schema(metadata))
        .find(|(number, _)| mask.leaf_included(*number));
    match lost {
        Some((_, leaf)) => Err(format!(
            "the column {:?} is an interval, whose months would be lost; leave it out with {}",
            leaf.path().string(),
            OptionName::Keep.named()
        )),
        None => Ok(()),
    }
}

fn has_arrow_schema(metadata: &ArrowReaderMetadata) -> bool {
    let pairs = metadata.metadata().file_metadata().key_value_metadata();
    pairs.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == ARROW_SCHEMA_META_KEY))
}

/// The columns of the file that hold values, which come in the order of the fields.
struct Leaves<L> {
    leaves: L,
    has_arrow_schema: bool,
}

impl<'m, L: Iterator<Item = &'m ColumnDescriptor>> Leaves<L> {
    fn all(&mut self, fields: &Fields) -> Fields {
        fields.iter().map(|field| self.field(field)).collect()
    }

    fn field(&mut self, field: &FieldRef) -> FieldRef {
        let data_type = match field.data_type() {
            DataType::Struct(fields) => DataType::Struct(self.all(fields)),
            DataType::List(element) => DataType::List(self.field(element)),
            DataType::LargeList(element) => DataType::LargeList(self.field(element)),
            DataType::ListView(element) => DataType::ListView(self.field(element)),
            DataType::LargeListView(element) => DataType::LargeListView(self.field(element)),
            DataType::FixedSizeList(element, size) => DataType::FixedSizeList(self.field(element), *size),
            DataType::Map(entries, is_sorted) => DataType::Map(self.field(entries), *is_sorted),
            _ => return self.leaf(field),
        };
        Arc::new(field.as_ref().clone().with_data_type(data_type))
    }

    fn leaf(&mut self, field: &FieldRef) -> FieldRef {
        let Some(leaf) = self.leaves.next() else { return field.clone() };
        let (logical, converted) = (leaf.logical_type_ref(), leaf.converted_type());
        let is_enum = matches!(logical, Some(LogicalType::Enum)) || converted == ConvertedType::ENUM;
        let is_json = matches!(logical, Some(LogicalType::Json)) || converted == ConvertedType::JSON;
        let in_utc = matches!(logical, Some(LogicalType::Time(time)) if time.is_adjusted_to_u_t_c);
        match field.data_type() {
            DataType::Binary if is_enum => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8)),
            DataType::Timestamp(TimeUnit::Nanosecond, None)
                if leaf.physical_type() == Type::INT96 && !self.has_arrow_schema =>
            {
                let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
                Arc::new(field.as_ref().clone().with_data_type(micros))
            }
            DataType::FixedSizeBinary(16) if matches!(logical, Some(LogicalType::Uuid)) => {
                extended(field, UUID)
            }
            DataType::Utf8 if is_json => extended(field, JSON),
            DataType::Time32(_) | DataType::Time64(_) if in_utc => with(field, [(IN_UTC, "")]),
            _ => field.clone(),
        }
    }
}

/// `field` with the name of its logical type, unless it has another one.
fn extended(field: &FieldRef, name: &str) -> FieldRef {
    match field.extension_type_name() {
        Some(_) => field.clone(),
        None => with(field, [(EXTENSION_TYPE_NAME_KEY, name), (EXTENSION_TYPE_METADATA_KEY, "")]),
    }
}

fn with<const N: usize>(field: &Field, pairs: [(&str, &str); N]) -> FieldRef {
    let mut metadata = field.metadata().clone();
    metadata.extend(pairs.map(|(key, value)| (key.to_owned(), value.to_owned())));
    Arc::new(field.clone().with_metadata(metadata))
}

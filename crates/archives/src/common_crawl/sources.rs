//! The columns of the table from those of a batch. Most are moved unchanged; the others are parts of texts and numbers
//! of fewer bits.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, Int16Type, Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, PrimitiveArray, StringViewArray, UInt32Array, new_null_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::ArrowError;
use arrow_select::take::take;
use arrow_select::zip::zip;
use urimill_columns::batch::Column;

use super::columns::{FILENAME, ForeignColumn, Kind, Source, of_file};
use super::fit::Faults;
use super::{COLUMNS, Label, Whole, fit, texts};

/// The columns, with nulls also in required ones, and the rows with these. A column that the format has no source for
/// is filled.
pub(super) fn arrays(batch: &Whole<'_>) -> Result<(Vec<ArrayRef>, Faults), ArrowError> {
    let mut faults = Faults::default();
    let mut arrays = Vec::with_capacity(COLUMNS.len() + 2);
    for (at, column) in COLUMNS.iter().enumerate() {
        let made = array(batch, column)?;
        let kind = column.data_type(batch.table.choices.wide_offsets);
        arrays.push(match made {
            Some(Made { array, wide }) => {
                if !column.nullable {
                    faults.add(at, batch, &array, wide.as_ref());
                }
                array
            }
            None if column.nullable => new_null_array(&kind, batch.count()),
            None => fit::filled(&new_null_array(&kind, batch.count()))?,
        });
    }
    faults.settle();
    Ok((arrays, faults))
}

/// A column, and the wider one that it was made from, if any.
struct Made {
    array: ArrayRef,
    wide: Option<ArrayRef>,
}

/// A column; `None` if the format has no source for it.
fn array(batch: &Whole<'_>, column: &ForeignColumn) -> Result<Option<Made>, ArrowError> {
    let own = |column: Column| {
        let missing = || ArrowError::SchemaError(format!("there is no column {}", column.as_str()));
        batch.own(column).ok_or_else(missing)
    };
    let array = match column.source {
        Source::Own(column) => Some(own(column)?.clone()),
        Source::HostName => Some(host_name(own(Column::HostAscii)?, own(Column::Host)?)?),
        Source::Protocol => Some(protocol(own(Column::Scheme)?)?),
        Source::Part(number) => Some(part(own(Column::HostParts)?, number)?),
        Source::Field => {
            let array = field(batch, column.name)?;
            return Ok(array.map(|array| narrowed(array, column.kind, batch.table.choices.wide_offsets)));
        }
        Source::Digest => field(batch, column.name)?.map(bare_digests).transpose()?,
        Source::Segment => field(batch, column.made_of())?.map(segments).transpose()?,
    };
    Ok(array.map(|array| Made { array, wide: None }))
}

fn segments(names: ArrayRef) -> Result<ArrayRef, ArrowError> {
    let names = names.as_string_view();
    Ok(Arc::new(texts::parts(names, |name| Some(of_file(name).segment.unwrap_or_default()))?))
}

fn bare_digests(digests: ArrayRef) -> Result<ArrayRef, ArrowError> {
    let texts = digests.as_string_view();
    if !texts.iter().flatten().any(|digest| digest.starts_with(SHA1)) {
        return Ok(digests);
    }
    Ok(Arc::new(texts::parts(texts, |digest| digest.strip_prefix(SHA1).or(Some(digest)))?))
}

/// A prefix that CDX files of Common Crawl leave out and other tools write.
const SHA1: &str = "sha1:";

/// The format's source of a column: the first of its fields that has a value.
fn field(batch: &Whole<'_>, column: &str) -> Result<Option<ArrayRef>, ArrowError> {
    let fields = batch.table.format.iter().find(|(name, _)| *name == column);
    let mut found: Option<ArrayRef> = None;
    for array in fields.iter().flat_map(|(_, fields)| *fields).filter_map(|name| batch.field(name)) {
        found = Some(match found {
            None => array.clone(),
            Some(first) if first.null_count() == 0 => first,
            Some(first) => zip(&is_present(&first), &first, array)?,
        });
    }
    Ok(found)
}

/// Numbers in the width that the table has for them; numbers that do not fit are null.
fn narrowed(array: ArrayRef, kind: Kind, wide_offsets: bool) -> Made {
    match kind {
        Kind::Int16 => {
            let narrow = fitting::<Int32Type, Int16Type>(array.as_primitive());
            Made { array: Arc::new(narrow), wide: Some(array) }
        }
        Kind::Place if !wide_offsets => {
            let narrow = fitting::<Int64Type, Int32Type>(array.as_primitive());
            Made { array: Arc::new(narrow), wide: Some(array) }
        }
        _ => Made { array, wide: None },
    }
}

fn fitting<W: ArrowPrimitiveType, N: ArrowPrimitiveType>(wide: &PrimitiveArray<W>) -> PrimitiveArray<N>
where
    N::Native: TryFrom<W::Native>,
{
    wide.unary_opt(|value| value.try_into().ok())
}

/// The host as a DNS name; any other host, such as an address, in lower case and without a final dot.
fn host_name(names: &ArrayRef, hosts: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    if names.null_count() == hosts.null_count() {
        return Ok(names.clone());
    }
    let hosts = hosts.as_string_view();
    let other = |row: usize| {
        let is_other = names.is_null(row) && hosts.is_valid(row);
        is_other.then(|| {
            let host = hosts.value(row).to_ascii_lowercase();
            host.strip_suffix('.').unwrap_or(&host).to_owned()
        })
    };
    Ok(Arc::new(texts::changed(names.as_string_view(), other)?))
}

fn protocol(schemes: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    let texts = schemes.as_string_view();
    let has_upper = |scheme: &str| scheme.bytes().any(|byte| byte.is_ascii_uppercase());
    if !texts.iter().flatten().any(has_upper) {
        return Ok(schemes.clone());
    }
    let lower = |row: usize| {
        let scheme = texts.is_valid(row).then(|| texts.value(row)).filter(|scheme| has_upper(scheme));
        scheme.map(str::to_ascii_lowercase)
    };
    Ok(Arc::new(texts::changed(texts, lower)?))
}

/// For each row the label with this number, from lists of labels; null if there are fewer.
fn part(labels: &ArrayRef, number: usize) -> Result<ArrayRef, ArrowError> {
    let lists = labels.as_list::<i32>();
    let mut valid = Vec::with_capacity(lists.len());
    let ends = lists.value_offsets().windows(2).enumerate();
    let places: Vec<u32> = ends
        .map(|(row, ends)| {
            let place = ends[0] as usize + number;
            let is_there = place < ends[1] as usize && lists.is_valid(row);
            valid.push(is_there);
            if is_there { place as u32 } else { 0 }
        })
        .collect();
    let places = UInt32Array::new(places.into(), Some(NullBuffer::from(valid)));
    take(lists.values(), &places, None)
}

/// A partition column.
pub(super) fn label(batch: &Whole<'_>, (label, is_crawl): (&Label, bool)) -> Result<ArrayRef, ArrowError> {
    let array = match (label, field(batch, FILENAME)?) {
        (Label::Constant(text), _) => texts::constant(text, batch.count())?,
        (Label::OfFile, Some(names)) => texts::parts(names.as_string_view(), |name| {
            let file = of_file(name);
            if is_crawl { file.crawl } else { file.subset }
        })?,
        (Label::OfFile, None) => StringViewArray::new_null(batch.count()),
    };
    Ok(Arc::new(array))
}

/// Which values of an array are present.
fn is_present(array: &dyn Array) -> BooleanArray {
    match array.logical_nulls() {
        Some(nulls) => BooleanArray::from(nulls.into_inner()),
        None => BooleanArray::from(BooleanBuffer::new_set(array.len())),
    }
}

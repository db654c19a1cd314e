//! The way back from positions ([`Column::SchemeEnd`] and so on) to texts. A table with `uri` and the positions becomes
//! the rows of a batch, and columns are made of those as of all others.

use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, PrimitiveArray, RecordBatch, cast::AsArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use memchr::memchr;
use urimill_base::error::{Error, Result};
use urimill_uri::simd::{SlowPath, Split};
use urimill_uri::{Code, Component, Reject};

use super::columns::{self, Memories};
use super::places::{LONGEST_TEXT, Places};
use super::rows::Rows;
use super::{Column, Columns, Options, Origin, arrays};

/// Makes [`Columns::components`] from a table that has [`Columns::positions`], among others. Integers may be of any
/// width. A row without positions, a reject or a null, has no components. `first` is the number of the first row, for
/// messages.
///
/// ```
/// use arrow::array::AsArray;
/// use urimill::batch::{Columns, Normalizer, Options, components};
///
/// let options = Options { columns: Columns::positions(), ..Options::default() };
/// let (batch, _) = Normalizer::new(options).text(b"http://example.com:8080/a?q\n")?;
/// let texts = components(&batch, 1)?;
/// assert_eq!(texts["host"].as_string_view().value(0), "example.com");
/// assert_eq!(texts["query"].as_string_view().value(0), "q");
/// # Ok::<(), urimill::Error>(())
/// ```
///
/// # Errors
/// Usage: if a column is missing or of another type, or the positions of a row are not those of a URI in its text.
pub fn components(table: &RecordBatch, first: u64) -> Result<RecordBatch> {
    let uris = column(table, Column::Uri)?;
    if !is_text(uris.data_type()) {
        return Err(of_type(Column::Uri, uris.data_type(), "texts"));
    }
    let positions = Columns::positions();
    let positions = positions.iter().filter(|&column| column != Column::Uri);
    let positions = positions.map(|column| numbers(table, column)).collect::<Result<Vec<_>>>()?;
    let mut places = Places::default();
    arrays::places(uris, &mut places)?;

    let mut rows = Rows { nulls: uris.logical_nulls(), ..Rows::default() };
    rows.buffers.clone_from(&places.buffers);
    if places.buffers.len() > 1 {
        places.runs.iter().for_each(|&(buffer, to)| rows.buffer_of.resize(to, buffer));
    }
    for (row, span) in places.spans.iter().enumerate() {
        let of_row: [Option<i32>; 6] =
            std::array::from_fn(|at| positions[at].is_valid(row).then(|| positions[at].value(row)));
        let split = split(places.text(row), of_row).ok_or_else(|| {
            Error::usage(format!(
                "row {}: the positions are not those of the components of its uri: give both as urimill wrote them",
                first + row as u64
            ))
        })?;
        if of_row == [None; 6] && uris.is_valid(row) {
            let (code, component) = (Code::RecordMalformed, Component::Path);
            rows.rejects.push((row as u32, Reject { code, component, offset: 0 }));
        }
        // Only rows of the slow path have user information or a port.
        let is_plain = split.host_start <= split.after_scheme() + 2 && split.host_end == split.path_start;
        rows.splits.push(span.start, &split, SlowPath(if is_plain { 0 } else { SlowPath::AUTHORITY }));
    }
    let options = Options { columns: Columns::components(), ..Options::default() };
    let schema = options.schema();
    columns::batch(&mut rows, &options, &schema, &Memories::default(), Origin::default(), &[])
}

fn column(table: &RecordBatch, column: Column) -> Result<&ArrayRef> {
    table.column_by_name(column.as_str()).ok_or_else(|| {
        let names: Vec<_> = Columns::positions().iter().map(Column::as_str).collect();
        Error::usage(format!(
            "there is no column {}: components are made from {}",
            column.as_str(),
            names.join(", ")
        ))
    })
}

fn numbers(table: &RecordBatch, position: Column) -> Result<PrimitiveArray<Int32Type>> {
    let column = column(table, position)?;
    // Nulls alone may have lost their type.
    if column.logical_null_count() == column.len() {
        return Ok(PrimitiveArray::new_null(column.len()));
    }
    if !column.data_type().is_numeric() {
        return Err(of_type(position, column.data_type(), "integers"));
    }
    // A number that does not fit becomes a null, and is none of the positions of its row.
    let numbers = cast(column, &DataType::Int32).map_err(columns::internal)?;
    Ok(numbers.as_primitive::<Int32Type>().clone())
}

fn of_type(column: Column, data_type: &DataType, what: &str) -> Error {
    Error::usage(format!("the column {} is of {data_type}: give {what}", column.as_str()))
}

fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// The offsets of a row from its positions; without any, those of a text without components. `None` if the positions
/// are not in order, or a delimiter is not in its place.
fn split(text: &[u8], positions: [Option<i32>; 6]) -> Option<Split> {
    let end = text.len() as u32;
    if text.len() >= LONGEST_TEXT {
        return None;
    }
    if positions == [None; 6] {
        return Some(Split { path_end: end, query_end: end, end, ..Split::default() });
    }
    // A negative position becomes one that is too large.
    let [scheme_end, host_start, host_end, path_start, path_end, query_end] =
        positions.map(|position| position.map(|position| position as u32));
    let (path_start, path_end) = (path_start?, path_end?);
    let split = Split {
        scheme_end: scheme_end.unwrap_or(0),
        host_start: host_start.unwrap_or(path_start),
        host_end: host_end.unwrap_or(path_start),
        path_start,
        path_end,
        query_end: query_end.unwrap_or(path_end),
        end,
    };
    let is = |at: u32, byte: u8| text.get(at as usize) == Some(&byte);
    if !scheme_end.is_none_or(|at| at > 0 && is(at, b':')) {
        return None;
    }
    let after = split.after_scheme();
    let is_port = |port: &[u8]| match port {
        [] => true,
        [colon, digits @ ..] => *colon == b':' && digits.iter().all(u8::is_ascii_digit),
    };
    let has_authority = match (host_start, host_end) {
        (Some(start), Some(end)) => {
            is(after, b'/')
                && is(after + 1, b'/')
                && (start == after + 2 || start > after + 2 && is(start - 1, b'@'))
                && start <= end
                && text.get(end as usize..path_start as usize).is_some_and(is_port)
                && (path_start == path_end || is(path_start, b'/'))
        }
        (None, None) => path_start == after,
        _ => false,
    };
    let has_query = match query_end {
        Some(end) => path_end < end && is(path_end, b'?'),
        None => true,
    };
    let is_right = has_authority
        && path_start <= path_end
        && has_query
        && memchr(b'#', text).map_or(end, |at| at as u32) == split.query_end
        // Texts are cut at any offset, so each byte has to be a character.
        && text.is_ascii();
    is_right.then_some(split)
}

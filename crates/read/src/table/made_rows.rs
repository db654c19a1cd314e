//! URIs that are made of columns of a table: by a template, or of request lines (see `making`, which does it for
//! records in text).

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, BinaryArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use urimill_columns::batch::{OddRows, holds_texts};

use crate::format::request;
use crate::format::request::Target;
use crate::format::template;
use crate::format::template::Template;

/// How rows are made of columns.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) uris: ArrayRef,
    /// Rows whose texts are not references themselves.
    pub(crate) odd: OddRows,
    /// Methods and protocols.
    pub(crate) of_request: Vec<ArrayRef>,
}

impl Default for Made {
    fn default() -> Made {
        Made { uris: Arc::new(BinaryArray::new_null(0)), odd: OddRows::default(), of_request: Vec::new() }
    }
}

/// Whether a template can take values of a type: texts and whole numbers.
pub(crate) fn is_part(data_type: &DataType) -> bool {
    holds_texts(data_type) || data_type.is_integer()
}

/// The bytes of texts, and of numbers in decimal notation.
fn bytes(array: &ArrayRef) -> Result<BinaryArray, String> {
    fn to(array: &ArrayRef, data_type: &DataType) -> Result<ArrayRef, String> {
        cast(array, data_type).map_err(|error| error.to_string())
    }
    let array = match array.data_type() {
        numbers if numbers.is_integer() => to(array, &DataType::Utf8)?,
        DataType::Dictionary(_, values) => to(array, values)?,
        _ => array.clone(),
    };
    Ok(to(&array, &DataType::Binary)?.as_binary::<i32>().clone())
}

/// The URIs that a template makes of columns.
pub(crate) fn of_template(template: &Template, columns: &[ArrayRef]) -> Result<Made, String> {
    let columns = columns.iter().map(bytes).collect::<Result<Vec<_>, _>>()?;
    let rows = columns.first().map_or(0, |column| column.len());
    let (mut uris, mut odd, mut made) = (BinaryBuilder::new(), OddRows::default(), Vec::new());
    for row in 0..rows {
        let value = |at: usize| columns[at].is_valid(row).then(|| columns[at].value(row));
        match template.write(value, &mut made) {
            template::Made::Null => uris.append_null(),
            written => {
                uris.append_value(&made);
                if let template::Made::Malformed(at) = written {
                    odd.malformed.push((row as u32, at as u32));
                }
            }
        }
    }
    Ok(Made { uris: Arc::new(uris.finish()), odd, of_request: Vec::new() })
}

/// The targets of requests, with their methods and protocols.
pub(crate) fn of_requests(lines: &ArrayRef) -> Result<Made, String> {
    let lines = bytes(lines)?;
    let (mut uris, mut odd) = (BinaryBuilder::new(), OddRows::default());
    let (mut methods, mut protocols) = (StringBuilder::new(), StringBuilder::new());
    for row in 0..lines.len() {
        let line = if lines.is_valid(row) { lines.value(row) } else { b"" };
        let is_none = line.iter().all(|&b| b == b'-' || b == b' ');
        let parts = request::parts(line, 0, line.len());
        let of = |span: urimill_uri::simd::Span| &line[span.start as usize..][..span.len as usize];
        match parts.map(|parts| (parts, request::target(of(parts.method), of(parts.target)))) {
            _ if is_none => uris.append_null(),
            Some((_, Some(Target::Server))) => uris.append_null(),
            Some((parts, Some(Target::Reference))) => uris.append_value(of(parts.target)),
            Some((parts, Some(Target::Form(form)))) => {
                uris.append_value(of(parts.target));
                odd.targets.push((row as u32, form));
            }
            found => {
                uris.append_value(line);
                odd.malformed.push((row as u32, found.map_or(0, |(parts, _)| parts.target.start)));
            }
        }
        let parts = parts.filter(|_| !is_none);
        // Both are ASCII except for the text after the name of the protocol.
        let text = |span| String::from_utf8_lossy(of(span)).into_owned();
        methods.append_option(parts.map(|parts| text(parts.method)));
        protocols.append_option(parts.and_then(|parts| parts.protocol).map(text));
    }
    let of_request: Vec<ArrayRef> = vec![Arc::new(methods.finish()), Arc::new(protocols.finish())];
    Ok(Made { uris: Arc::new(uris.finish()), odd, of_request })
}

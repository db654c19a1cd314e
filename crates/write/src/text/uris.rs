//! The `uri` column as text, one per line: line n is row n, including rejects, which are written as read.
//!
//! A URI cannot contain a line feed, but a reject from a format with quoting (CSV, JSON, a table) can: it is written as
//! `%0A`, because an extra line would shift all that follow.

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_schema::{DataType, Schema};
use urimill_base::error::{Error, Result};

use super::bytes::Encode;

pub(crate) struct UrisEncoder {
    column: usize,
}

impl UrisEncoder {
    pub(crate) fn new(schema: &Schema) -> Result<Self> {
        match schema.column_with_name("uri") {
            Some((column, field)) if matches!(field.data_type(), DataType::Utf8View | DataType::Utf8) => {
                Ok(UrisEncoder { column })
            }
            Some(_) => Err(Error::usage("cannot write uris: the column uri is not text")),
            None => Err(Error::usage("cannot write uris: the table has no column uri; ask for it")),
        }
    }
}

impl Encode for UrisEncoder {
    fn encode(&self, batch: &RecordBatch) -> Result<Vec<u8>, String> {
        let column = batch.column(self.column);
        let mut out = Vec::new();
        let mut line = |uri: Option<&str>| {
            for (i, part) in uri.unwrap_or("").split('\n').enumerate() {
                out.extend_from_slice(if i == 0 { b"" } else { b"%0A" });
                out.extend_from_slice(part.as_bytes());
            }
            out.push(b'\n');
        };
        match column.as_string_view_opt() {
            Some(views) => views.iter().for_each(&mut line),
            None => column.as_string::<i32>().iter().for_each(&mut line),
        }
        Ok(out)
    }
}

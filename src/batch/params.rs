//! The columns of a query's parameters (`canonical::query_params`): a list a row, of the query that the column
//! `query` holds. What is written as it is read is a view into the query; only what is decoded is written.

use std::sync::Arc;

use arrow::array::{ArrayRef, ListArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};

use super::memory::Memory;
use super::scan::{Rows, check_room};
use super::schema::{param_field, param_fields};
use super::views::{Place, Texts};
use crate::canonical::{Param, is_form_encoded, query_params};
use crate::error::{Error, Result};

/// Which of the two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    /// By the rules of HTML forms.
    Decoded,
    /// As it stands.
    Raw,
}

/// The parameters of all rows, one behind the other.
struct Params {
    names: Vec<Place>,
    values: Vec<Option<Place>>,
    /// What was decoded, on the way into a buffer of this number.
    bytes: Vec<u8>,
    buffer: u32,
}

/// A list of the parameters of each row that has a query; null for the others.
///
/// # Errors
/// Usage, where the parameters of one batch are more than 2³¹ or come to more than 2 GiB.
pub(super) fn column(
    rows: &Rows,
    texts: &Texts<'_>,
    memory: &Memory<u8>,
    written: Written,
) -> Result<ArrayRef> {
    let mut params =
        Params { names: Vec::new(), values: Vec::new(), bytes: memory.take(), buffer: texts.buffer_count() };
    let s = &rows.splits;
    let mut offsets = Vec::with_capacity(s.len() + 1);
    offsets.push(0);
    for row in 0..s.len() {
        if s.query_end[row] > s.path_end[row] {
            let part = (s.path_end[row] + 1, s.query_end[row] - s.path_end[row] - 1);
            let query = std::str::from_utf8(texts.slice(row, part)).unwrap_or_default();
            let place = texts.part_at(row as u32, part);
            for param in query_params(query) {
                params.push(param, (query, place), written)?;
            }
        }
        let end = i32::try_from(params.names.len());
        offsets.push(end.map_err(|_| Error::usage("a batch of more than 2³¹ parameters: give it in parts"))?);
    }
    let texts = texts.with_written(params.bytes, memory);
    let names = params.names.into_iter().map(|name| texts.view_at(name)).collect::<Vec<_>>();
    let has_value: NullBuffer = params.values.iter().map(Option::is_some).collect();
    let values = params.values.into_iter().map(|value| value.map_or(0, |place| texts.view_at(place)));
    let values = values.collect::<Vec<_>>();
    let names = texts.strings(ScalarBuffer::from(names), None);
    let values = texts.strings(ScalarBuffer::from(values), present(has_value));
    let params = StructArray::try_new(param_fields(), vec![Arc::new(names), Arc::new(values)], None)
        .map_err(super::columns::internal)?;
    let has_query: NullBuffer = s.query_end.iter().zip(&s.path_end).map(|(end, path)| end > path).collect();
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let lists = ListArray::try_new(param_field(), offsets, Arc::new(params), present(has_query));
    Ok(Arc::new(lists.map_err(super::columns::internal)?))
}

impl Params {
    fn push(&mut self, param: Param<'_>, query: (&str, Place), written: Written) -> Result<()> {
        let (name, value) = (param.raw_name(), param.raw_value());
        check_room(self.bytes.len(), name.len() + value.map_or(0, str::len))?;
        let is_encoded = |part: &str| written == Written::Decoded && is_form_encoded(part.as_bytes());
        let name = match is_encoded(name) {
            true => self.write(|out| param.write_name(out)),
            false => within(name, query),
        };
        let value = value.map(|value| match is_encoded(value) {
            true => self.write(|out| {
                param.write_value(out);
            }),
            false => within(value, query),
        });
        self.names.push(name);
        self.values.push(value);
        Ok(())
    }

    fn write(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Place {
        let start = self.bytes.len();
        write(&mut self.bytes);
        (self.buffer, start as u32, (self.bytes.len() - start) as u32)
    }
}

/// The place of a part of a query, of which it is a slice.
fn within(part: &str, (query, (buffer, start, _)): (&str, Place)) -> Place {
    let from = part.as_ptr().addr() - query.as_ptr().addr();
    (buffer, start + from as u32, part.len() as u32)
}

fn present(nulls: NullBuffer) -> Option<NullBuffer> {
    Some(nulls).filter(|nulls| nulls.null_count() > 0)
}

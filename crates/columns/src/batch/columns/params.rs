//! The columns of a query's parameters (`canonical::query_params`) and of the parameters of path segments
//! (`canonical::path_params`): one list per row, from the value of the column `query` or `path`. An undecoded text is a
//! view into the input; only decoded texts are written.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int32Array, ListArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use urimill_base::error::{Error, Result};
use urimill_uri::canonical::{PathParam, QueryParam, query_params};
use urimill_uri::grammar::Spec;
use urimill_uri::internal::canonical::{params_of, write_decoded};
use urimill_uri::internal::encode::is_form_encoded;

use crate::batch::column::{param_field, param_fields, path_param_field, path_param_fields};
use crate::batch::memory::Memory;
use crate::batch::rows::{Rows, check_room};
use crate::batch::views::{Place, Texts};

/// Which of the two columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// By the rules of HTML forms.
    Decoded,
    /// Undecoded.
    Raw,
}

/// The parameters of all rows, one after the other.
struct Params {
    /// The number of each one's segment, for those of paths.
    segments: Vec<i32>,
    names: Vec<Place>,
    values: Vec<Option<Place>>,
    /// Decoded texts, for the buffer of this number.
    bytes: Vec<u8>,
    buffer: u32,
}

/// A list of the parameters of each row that has a query; null for the others.
///
/// # Errors
/// Usage: one batch has more than 2³¹ parameters, or they exceed 2 GiB.
pub(crate) fn column(
    rows: &Rows,
    texts: &Texts<'_>,
    memory: &Memory<u8>,
    written: Written,
) -> Result<ArrayRef> {
    let mut params = Params::new(texts, memory);
    let s = &rows.splits;
    let mut offsets = vec![0];
    for row in 0..s.len() {
        if s.query_end[row] > s.path_end[row] {
            let part = (s.path_end[row] + 1, s.query_end[row] - s.path_end[row] - 1);
            let query = std::str::from_utf8(texts.slice(row, part)).unwrap_or_default();
            let place = texts.part_at(row as u32, part);
            for param in query_params(query) {
                params.push(param, (query, place), written)?;
            }
        }
        offsets.push(params.count()?);
    }
    let params = params.columns(texts, memory);
    let params = StructArray::try_new(param_fields(), params, None).map_err(super::internal)?;
    let has_query: NullBuffer = s.query_end.iter().zip(&s.path_end).map(|(end, path)| end > path).collect();
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let lists = ListArray::try_new(param_field(), offsets, Arc::new(params), present(has_query));
    Ok(Arc::new(lists.map_err(super::internal)?))
}

/// A list of the parameters of each row's segments; null for rejects and for rows that are null.
///
/// # Errors
/// The same as [`column`].
pub(crate) fn path_column(
    rows: &Rows,
    texts: &Texts<'_>,
    memory: &Memory<u8>,
    spec: Spec,
) -> Result<ArrayRef> {
    let mut params = Params::new(texts, memory);
    let accepted = rows.accepted();
    let accepted = match &rows.nulls {
        Some(nulls) => &accepted & nulls.inner(),
        None => accepted,
    };
    let s = &rows.splits;
    let mut offsets = vec![0];
    for (row, is_accepted) in accepted.iter().enumerate() {
        if is_accepted {
            let part = (s.path_start[row], s.path_end[row] - s.path_start[row]);
            let path = std::str::from_utf8(texts.slice(row, part)).unwrap_or_default();
            let after_scheme = s.scheme_end[row] + u32::from(s.scheme_end[row] > 0);
            let is_opaque = spec == Spec::Rfc2396
                && s.scheme_end[row] > 0
                && s.path_start[row] == after_scheme
                && !path.starts_with('/');
            let place = texts.part_at(row as u32, part);
            for param in params_of(if is_opaque { "" } else { path }) {
                params.push_of_path(param, (path, place))?;
            }
        }
        offsets.push(params.count()?);
    }
    let segments = Arc::new(Int32Array::from(std::mem::take(&mut params.segments)));
    let columns = [vec![segments as ArrayRef], params.columns(texts, memory)].concat();
    let params = StructArray::try_new(path_param_fields(), columns, None).map_err(super::internal)?;
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
    let present = present(NullBuffer::new(accepted));
    let lists = ListArray::try_new(path_param_field(), offsets, Arc::new(params), present);
    Ok(Arc::new(lists.map_err(super::internal)?))
}

impl Params {
    fn new(texts: &Texts<'_>, memory: &Memory<u8>) -> Params {
        let (segments, names, values) = Default::default();
        Params { segments, names, values, bytes: memory.take(), buffer: texts.buffer_count() }
    }

    /// The number of parameters, as the type of list offsets.
    fn count(&self) -> Result<i32> {
        let count = i32::try_from(self.names.len());
        count.map_err(|_| Error::usage("a batch of more than 2³¹ parameters: give it in parts"))
    }

    /// Names and values.
    fn columns(self, texts: &Texts<'_>, memory: &Memory<u8>) -> Vec<ArrayRef> {
        let texts = texts.with_written(self.bytes, memory);
        let names = self.names.into_iter().map(|name| texts.view_at(name)).collect::<Vec<_>>();
        let has_value: NullBuffer = self.values.iter().map(Option::is_some).collect();
        let values = self.values.into_iter().map(|value| value.map_or(0, |place| texts.view_at(place)));
        let values = values.collect::<Vec<_>>();
        let names = texts.strings(ScalarBuffer::from(names), None);
        let values = texts.strings(ScalarBuffer::from(values), present(has_value));
        vec![Arc::new(names), Arc::new(values)]
    }

    fn push_of_path(&mut self, param: PathParam<'_>, path: (&str, Place)) -> Result<()> {
        let (name, value) = (param.raw_name(), param.raw_value());
        check_room(self.bytes.len(), name.len() + value.map_or(0, str::len))?;
        let mut place = |piece: &str| match memchr::memchr(b'%', piece.as_bytes()) {
            Some(_) => self.write(|out| write_decoded(piece, out)),
            None => within(piece, path),
        };
        let (name, value) = (place(name), value.map(place));
        // A record has fewer segments than bytes.
        self.segments.push(param.segment() as i32);
        self.names.push(name);
        self.values.push(value);
        Ok(())
    }

    fn push(&mut self, param: QueryParam<'_>, query: (&str, Place), written: Written) -> Result<()> {
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

/// The place of a part of a query; `part` is a slice of the query.
fn within(part: &str, (query, (buffer, start, _)): (&str, Place)) -> Place {
    let from = part.as_ptr().addr() - query.as_ptr().addr();
    (buffer, start + from as u32, part.len() as u32)
}

fn present(nulls: NullBuffer) -> Option<NullBuffer> {
    Some(nulls).filter(|nulls| nulls.null_count() > 0)
}

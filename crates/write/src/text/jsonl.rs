//! JSON Lines: one object per row, a member for each column, explicit nulls, so that undefined (`null`) and empty
//! (`""`) stay apart. `flags` is a list of names, binary columns are hexadecimal.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, Int32Array, RecordBatch};
use arrow_buffer::ScalarBuffer;
use arrow_json::writer::{
    Encoder, EncoderFactory, EncoderOptions, LineDelimited, NullableEncoder, WriterBuilder,
};
use arrow_schema::{ArrowError, FieldRef};
use urimill_uri::internal::printable_json_bytes;

use super::bytes::Encode;
use super::uuid::UuidFactory;
use crate::plain_types::without_zone_names;
use crate::{FLAGS, FlagNames, SinkOptions, each_flag};

pub(crate) struct JsonlEncoder {
    flag_names: FlagNames,
    further_flags: Vec<String>,
}

impl JsonlEncoder {
    pub(crate) fn new(options: &SinkOptions) -> Self {
        JsonlEncoder { flag_names: options.flag_names, further_flags: options.further_flags.clone() }
    }

    fn rows(&self, batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
        let names = self.further_flags.iter().map(String::as_str).chain([FLAGS]);
        let flags = names.filter_map(|name| batch.column_by_name(name)?.as_primitive_opt::<Int32Type>());
        let bits = flags.map(|bits| bits.values().clone()).collect();
        let flags = FlagsFactory { names: self.flag_names, bits };
        let builder = WriterBuilder::new().with_explicit_nulls(true).with_encoder_factory(Arc::new(flags));
        let mut writer = builder.build::<_, LineDelimited>(Vec::new());
        writer.write(batch)?;
        writer.finish()?;
        Ok(printable_json_bytes(writer.into_inner()))
    }
}

/// The rows of a batch as lines, without the names of flags.
///
/// # Errors
/// Arrow's word for a column that JSON cannot have.
pub fn lines(batch: &RecordBatch) -> Result<Vec<u8>, String> {
    JsonlEncoder::new(&SinkOptions::default()).encode(batch)
}

impl Encode for JsonlEncoder {
    fn encode(&self, batch: &RecordBatch) -> Result<Vec<u8>, String> {
        without_zone_names(batch).and_then(|batch| self.rows(&batch)).map_err(|e| e.to_string())
    }
}

/// Encodes the `flags` column and UUIDs itself; all others are left to Arrow's encoders.
#[derive(Debug)]
struct FlagsFactory {
    names: FlagNames,
    /// The table's own: a struct from the input may have a member of the same name.
    bits: Vec<ScalarBuffer<i32>>,
}

impl EncoderFactory for FlagsFactory {
    fn make_default_encoder<'a>(
        &self,
        field: &'a FieldRef,
        array: &'a dyn Array,
        options: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let is_named = field.name().ends_with(FLAGS);
        let Some(bits) = array.as_primitive_opt::<Int32Type>().filter(|_| is_named) else {
            return UuidFactory.make_default_encoder(field, array, options);
        };
        if !self.bits.iter().any(|own| own.ptr_eq(bits.values())) {
            return Ok(None);
        }
        let flags = FlagsEncoder { bits, names: self.names };
        Ok(Some(NullableEncoder::new(Box::new(flags), array.nulls().cloned())))
    }
}

struct FlagsEncoder<'a> {
    bits: &'a Int32Array,
    names: FlagNames,
}

impl Encoder for FlagsEncoder<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        out.push(b'[');
        let mut first = true;
        each_flag(self.names, self.bits.value(row), |name| {
            if !first {
                out.push(b',');
            }
            first = false;
            // The names are identifiers: nothing in them needs an escape.
            out.push(b'"');
            out.extend_from_slice(name.as_bytes());
            out.push(b'"');
        });
        out.push(b']');
    }
}

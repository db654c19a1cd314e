//! UUIDs, which tables keep as sixteen bytes, in the text form of RFC 9562.

use arrow_array::cast::AsArray;
use arrow_array::{Array, FixedSizeBinaryArray};
use arrow_json::writer::{Encoder, EncoderFactory, EncoderOptions, NullableEncoder};
use arrow_schema::{ArrowError, Field, FieldRef};
use urimill_columns::batch::UUID;

/// The values of a column of UUIDs.
pub(super) fn uuids<'a>(field: &Field, array: &'a dyn Array) -> Option<&'a FixedSizeBinaryArray> {
    let is_named = field.extension_type_name() == Some(UUID);
    array.as_fixed_size_binary_opt().filter(|bytes| is_named && bytes.value_length() == 16)
}

/// Appends the text form of sixteen bytes.
pub(super) fn push_uuid(bytes: &[u8], out: &mut Vec<u8>) {
    for (at, &byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        out.extend(digits(byte));
    }
}

/// The hexadecimal digits of a byte.
pub(super) fn digits(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

/// Writes UUIDs as strings of JSON, also within lists and structs.
#[derive(Debug)]
pub(super) struct UuidFactory;

impl EncoderFactory for UuidFactory {
    fn make_default_encoder<'a>(
        &self,
        field: &'a FieldRef,
        array: &'a dyn Array,
        _options: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let encoder = |bytes| NullableEncoder::new(Box::new(UuidEncoder(bytes)), array.nulls().cloned());
        Ok(uuids(field, array).map(encoder))
    }
}

struct UuidEncoder<'a>(&'a FixedSizeBinaryArray);

impl Encoder for UuidEncoder<'_> {
    fn encode(&mut self, row: usize, out: &mut Vec<u8>) {
        out.push(b'"');
        push_uuid(self.0.value(row), out);
        out.push(b'"');
    }
}

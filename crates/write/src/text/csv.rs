//! Comma-separated values (RFC 4180), with a header line and LF line ends; and tab-separated ones, quoted likewise.
//!
//! Undefined and empty stay distinct (RFC 3986 section 5.3): a null is an empty field, an empty string is `""`. That is
//! why rows are written here: the csv crates quote by content and cannot distinguish the two. In a table of one column
//! a null is a blank line, which our own reader reads as a null; others skip it.

use std::io::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, FixedSizeBinaryArray, Int32Array, Int64Array, ListArray,
    RecordBatch, StringArray, StringViewArray,
};
use arrow_buffer::NullBuffer;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_json::writer::{EncoderOptions, NullableEncoder, make_encoder};
use arrow_schema::{ArrowError, DataType, FieldRef, Schema};
use urimill_columns::batch;
use urimill_columns::batch::holds_texts;

use super::bytes::Encode;
use super::uuid::{UuidFactory, digits, push_uuid, uuids};
use crate::plain_types::without_zone_names;
use crate::{FLAGS, FlagNames, Format, SinkOptions, each_flag};

/// Makes lines of CSV or TSV of batches.
pub struct CsvEncoder {
    header: Vec<u8>,
    flag_names: FlagNames,
    further_flags: Vec<String>,
    is_safe: bool,
    separator: u8,
}

/// The separator of fields.
pub fn separator(format: Format) -> u8 {
    if format == Format::Tsv { b'\t' } else { b',' }
}

impl CsvEncoder {
    /// An encoder of batches with this schema.
    pub fn new(format: Format, schema: &Schema, options: &SinkOptions) -> Self {
        let mut header = Vec::new();
        let separator = separator(format);
        for (i, field) in schema.fields().iter().enumerate() {
            separate(i, separator, &mut header);
            push_cell(field.name().as_bytes(), separator, options.csv_safe, &mut header);
        }
        header.push(b'\n');
        CsvEncoder {
            header,
            flag_names: options.flag_names,
            further_flags: options.further_flags.clone(),
            is_safe: options.csv_safe,
            separator,
        }
    }

    fn rows(&self, batch: &RecordBatch) -> Result<Vec<u8>, ArrowError> {
        let schema = batch.schema_ref();
        let json =
            EncoderOptions::default().with_explicit_nulls(true).with_encoder_factory(Arc::new(UuidFactory));
        let columns = batch.columns().iter().zip(schema.fields());
        let mut columns = columns
            .map(|column| Column::new(column, (self.flag_names, &self.further_flags), &json))
            .collect::<Result<Vec<_>, _>>()?;
        let mut out = Vec::new();
        for row in 0..batch.num_rows() {
            for (i, column) in columns.iter_mut().enumerate() {
                separate(i, self.separator, &mut out);
                if column.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)) {
                    column.push(row, self.separator, self.is_safe, &mut out)?;
                }
            }
            out.push(b'\n');
        }
        Ok(out)
    }
}

impl Encode for CsvEncoder {
    fn header(&self) -> Vec<u8> {
        self.header.clone()
    }

    fn encode(&self, batch: &RecordBatch) -> Result<Vec<u8>, String> {
        without_zone_names(batch).and_then(|batch| self.rows(&batch)).map_err(|e| e.to_string())
    }
}

fn separate(column: usize, separator: u8, out: &mut Vec<u8>) {
    if column > 0 {
        out.push(separator);
    }
}

/// A column, downcast once per batch.
struct Column<'a> {
    nulls: Option<NullBuffer>,
    values: Values<'a>,
    scratch: String,
    /// Working memory for values that are not texts.
    bytes: Vec<u8>,
}

enum Values<'a> {
    View(&'a StringViewArray),
    Utf8(&'a StringArray),
    BinaryView(&'a BinaryViewArray),
    Binary(&'a BinaryArray),
    Uuids(&'a FixedSizeBinaryArray),
    Int32(&'a Int32Array),
    Int64(&'a Int64Array),
    Flags(&'a Int32Array, FlagNames),
    /// Lists of labels or names, and each of these, by its number.
    Labels(&'a ListArray, Box<dyn Fn(usize) -> &'a str + 'a>),
    /// Other lists, structs and maps, for which CSV has no form: as in JSON Lines.
    Json(NullableEncoder<'a>),
    /// A column that passes through from the input, in Arrow's own text form, and whether it holds texts: a number may
    /// begin with a sign.
    Other(ArrayFormatter<'a>, bool),
}

impl<'a> Column<'a> {
    fn new(
        (array, field): (&'a ArrayRef, &'a FieldRef),
        (names, further_flags): (FlagNames, &[String]),
        json: &'a EncoderOptions,
    ) -> Result<Self, ArrowError> {
        let name = field.name();
        let is_joined = batch::Column::has_labels(name);
        // An error in a value is an error here, not the text "ERROR" in a field.
        const FORMAT: FormatOptions<'static> = FormatOptions::new().with_display_error(false);
        let values = match array.data_type() {
            DataType::Int32 if name == FLAGS || further_flags.contains(name) => {
                Values::Flags(array.as_primitive::<Int32Type>(), names)
            }
            DataType::Int32 => Values::Int32(array.as_primitive::<Int32Type>()),
            DataType::Int64 => Values::Int64(array.as_primitive::<Int64Type>()),
            DataType::Utf8View => Values::View(array.as_string_view()),
            DataType::Utf8 => Values::Utf8(array.as_string()),
            DataType::BinaryView => Values::BinaryView(array.as_binary_view()),
            DataType::Binary => Values::Binary(array.as_binary()),
            DataType::List(element) if is_joined && *element.data_type() == DataType::Utf8View => {
                let lists = array.as_list();
                let labels = lists.values().as_string_view();
                Values::Labels(lists, Box::new(|label| labels.value(label)))
            }
            DataType::List(element) if is_joined && *element.data_type() == DataType::Utf8 => {
                let lists = array.as_list();
                let labels = lists.values().as_string::<i32>();
                Values::Labels(lists, Box::new(|label| labels.value(label)))
            }
            nested if nested.is_nested() => Values::Json(make_encoder(field, array, json)?),
            other => match uuids(field, array) {
                Some(uuids) => Values::Uuids(uuids),
                None => Values::Other(ArrayFormatter::try_new(array, &FORMAT)?, holds_texts(other)),
            },
        };
        Ok(Column { nulls: array.logical_nulls(), values, scratch: String::new(), bytes: Vec::new() })
    }

    /// Appends the value at `row`, which is not null.
    /// `is_safe`: for spreadsheets.
    fn push(
        &mut self,
        row: usize,
        separator: u8,
        is_safe: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), ArrowError> {
        match &mut self.values {
            Values::View(a) => push_cell(a.value(row).as_bytes(), separator, is_safe, out),
            Values::Utf8(a) => push_cell(a.value(row).as_bytes(), separator, is_safe, out),
            Values::BinaryView(a) => push_hexadecimal(a.value(row), out),
            Values::Binary(a) => push_hexadecimal(a.value(row), out),
            Values::Uuids(a) => push_uuid(a.value(row), out),
            Values::Int32(a) => write!(out, "{}", a.value(row))?,
            Values::Int64(a) => write!(out, "{}", a.value(row))?,
            Values::Flags(a, names) => push_flags(names, a.value(row), out),
            Values::Labels(lists, labels) => {
                self.scratch.clear();
                let ends = lists.value_offsets();
                for i in ends[row]..ends[row + 1] {
                    if i > ends[row] {
                        self.scratch.push('|');
                    }
                    self.scratch.push_str(labels(i as usize));
                }
                push_cell(self.scratch.as_bytes(), separator, is_safe, out);
            }
            Values::Json(encoder) => {
                self.bytes.clear();
                encoder.encode(row, &mut self.bytes);
                push_text(&self.bytes, separator, out);
            }
            Values::Other(formatter, is_text) => {
                self.scratch.clear();
                formatter.value(row).write(&mut self.scratch)?;
                push_cell(self.scratch.as_bytes(), separator, is_safe && *is_text, out);
            }
        }
        Ok(())
    }
}

/// [`push_text`], and for spreadsheets an apostrophe before texts that they would treat as a formula.
fn push_cell(text: &[u8], separator: u8, is_safe: bool, out: &mut Vec<u8>) {
    if is_safe && is_formula(text) {
        return push_text(&[b"'", text].concat(), separator, out);
    }
    push_text(text, separator, out);
}

/// Whether a text begins like a formula, optionally after apostrophes: so removing one apostrophe from a cell always
/// restores the text.
pub fn is_formula(text: &[u8]) -> bool {
    let first = text.iter().find(|&&b| b != b'\'');
    matches!(first, Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r' | b'\n'))
}

/// Appends `text`, in quotes if it is empty or holds a separator, a quote, or a line end; and if a reader would change
/// it otherwise: ClickHouse trims spaces and tabs around a field, and to it, as to other databases, `\N` is a null.
fn push_text(text: &[u8], separator: u8, out: &mut Vec<u8>) {
    // Without a branch the compiler vectorizes it; nearly all fields are scanned to the end anyway. Of `matches!` it may
    // make a test of bits, which it does not vectorize.
    let special = text.iter().fold(false, |special, &byte| {
        special | (byte == b'"') | (byte == b'\n') | (byte == b'\r') | (byte == separator)
    });
    let is_plain_at = |end: Option<&u8>| !matches!(end, None | Some(b' ' | b'\t'));
    if !special && is_plain_at(text.first()) && is_plain_at(text.last()) && text != b"\\N" {
        return out.extend_from_slice(text);
    }
    out.push(b'"');
    let mut from = 0;
    for quote in memchr::memchr_iter(b'"', text) {
        out.extend_from_slice(&text[from..=quote]);
        out.push(b'"');
        from = quote + 1;
    }
    out.extend_from_slice(&text[from..]);
    out.push(b'"');
}

/// Appends two hexadecimal digits per byte; an empty value is an empty string.
fn push_hexadecimal(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.is_empty() {
        return push_text(bytes, b',', out);
    }
    out.extend(bytes.iter().flat_map(|&byte| digits(byte)));
}

/// Appends the names of the flags set, joined by `|`; no flags are an empty string.
fn push_flags(names: FlagNames, bits: i32, out: &mut Vec<u8>) {
    if bits == 0 {
        return push_text(b"", b',', out);
    }
    let mut first = true;
    each_flag(names, bits, |name| {
        if !first {
            out.push(b'|');
        }
        first = false;
        out.extend_from_slice(name.as_bytes());
    });
}

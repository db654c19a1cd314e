//! Batches of the full table, and helpers that write them to a sink.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BinaryViewArray, Int32Array, Int64Array, RecordBatch, StringViewArray};
use arrow::compute::{cast, concat_batches};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use urimill_base::error::Result;
use urimill_base::threads::Workers;
use urimill_pipeline::write_batches;
use urimill_write::{Format, OutputSize, Sink, SinkOptions, Target, create};

pub(crate) const FLAGS: &[(i32, &str)] = &[(1, "has_userinfo"), (2, "has_password"), (4, "rare_ipv4")];

/// One record of the table; `raw_bytes` only where it is not UTF-8.
pub(crate) struct Row {
    pub(crate) uri: &'static str,
    pub(crate) raw: Option<&'static str>,
    /// scheme, userinfo, host, path, query, fragment, host_kind, error
    pub(crate) parts: [Option<&'static str>; 8],
    pub(crate) port: Option<i32>,
    pub(crate) flags: i32,
    pub(crate) error_offset: Option<i32>,
    pub(crate) raw_bytes: Option<&'static [u8]>,
}

/// Nulls next to empty strings, texts shorter and longer than the 12 inline bytes of a view, and values that text
/// formats must quote.
#[rustfmt::skip]
pub(crate) const ROWS: &[Row] = &[
    Row { uri: "http://example.com/a/long/path?q=1#top", raw: Some("HTTP://EXAMPLE.com/a/long/path?q=1#top"),
          parts: [Some("http"), None, Some("example.com"), Some("/a/long/path"), Some("q=1"), Some("top"), Some("dns_name"), None],
          port: None, flags: 0, error_offset: None, raw_bytes: None },
    Row { uri: "http://:@h:8080?#", raw: None,
          parts: [Some("http"), Some(":"), Some("h"), Some(""), Some(""), Some(""), Some("dns_name"), None],
          port: Some(8080), flags: 3, error_offset: None, raw_bytes: None },
    Row { uri: "", raw: None, parts: [None, None, None, Some(""), None, None, None, None],
          port: None, flags: 0, error_offset: None, raw_bytes: None },
    Row { uri: "say \"no\", twice\r", raw: None,
          parts: [None, None, None, None, None, None, None, Some("path_invalid_char")],
          port: None, flags: 0, error_offset: Some(3), raw_bytes: None },
    Row { uri: "//h\u{fffd}/\u{0}\u{1f}\\\t\u{e9}\u{1f980} a host beyond the ASCII range", raw: Some(""),
          parts: [None, None, None, None, None, None, None, Some("not_utf8")],
          port: None, flags: 1 << 20 | 4, error_offset: Some(0), raw_bytes: Some(b"//h\xff/\x00\x0a and more than twelve") },
    Row { uri: "file:///a,b;c", raw: None,
          parts: [Some("file"), None, Some(""), Some("/a,b;c"), None, None, Some("reg_name"), None],
          port: None, flags: 0, error_offset: None, raw_bytes: Some(b"") },
];

/// The whole table's schema with the types that are used inside.
pub(crate) fn schema() -> SchemaRef {
    let view = |name, nullable| Field::new(name, DataType::Utf8View, nullable);
    let mut fields =
        vec![Field::new("record", DataType::Int64, false), view("uri", false), view("raw", true)];
    let parts = ["scheme", "userinfo", "host", "path", "query", "fragment", "host_kind", "error"];
    fields.extend(parts.map(|name| view(name, true)));
    fields.extend([
        Field::new("port", DataType::Int32, true),
        Field::new("flags", DataType::Int32, false),
        Field::new("error_offset", DataType::Int32, true),
        view("source", false),
        Field::new("offset", DataType::Int64, false),
        Field::new("raw_bytes", DataType::BinaryView, true),
        Field::new("fingerprint", DataType::Int64, false),
    ]);
    Arc::new(Schema::new(fields))
}

/// `rows` rows of the table, taken from [`ROWS`] in turn, from record `first` on.
pub(crate) fn batch(first: usize, rows: usize) -> RecordBatch {
    let records = first..first + rows;
    let row = |r: usize| &ROWS[r % ROWS.len()];
    let numbers =
        |f: fn(usize) -> i64| -> ArrayRef { Arc::new(Int64Array::from_iter_values(records.clone().map(f))) };
    let view = |f: &dyn Fn(&'static Row) -> Option<&'static str>| -> ArrayRef {
        Arc::new(records.clone().map(|r| f(row(r))).collect::<StringViewArray>())
    };
    let int = |f: &dyn Fn(&'static Row) -> Option<i32>| -> ArrayRef {
        Arc::new(records.clone().map(|r| f(row(r))).collect::<Int32Array>())
    };
    let mut columns = vec![numbers(|r| r as i64 + 1), view(&|r| Some(r.uri)), view(&|r| r.raw)];
    columns.extend((0..8).map(|part| view(&move |r| r.parts[part])));
    columns.extend([
        int(&|r| r.port),
        int(&|r| Some(r.flags)),
        int(&|r| r.error_offset),
        view(&|_| Some("corpora/seeds.txt.gz")),
        numbers(|r| r as i64 * 40),
        Arc::new(records.clone().map(|r| row(r).raw_bytes).collect::<BinaryViewArray>()),
        numbers(|r| (r as i64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_u64 as i64)),
    ]);
    RecordBatch::try_new(schema(), columns).expect("the columns are those of the schema")
}

/// Batches of the given sizes, in order.
pub(crate) fn batches(sizes: &[usize]) -> Vec<RecordBatch> {
    let mut first = 0;
    sizes
        .iter()
        .map(|&rows| {
            first += rows;
            batch(first - rows, rows)
        })
        .collect()
}

/// `batches` in one, with string columns as `Utf8` and `Binary`: the table that readers must find.
pub(crate) fn plain(batches: &[RecordBatch]) -> RecordBatch {
    let all = concat_batches(&batches[0].schema(), batches).expect("batches of one schema");
    let plain = |t: &DataType| match t {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        other => other.clone(),
    };
    let fields = all.schema();
    let fields = fields.fields().iter().map(|f| f.as_ref().clone().with_data_type(plain(f.data_type())));
    let columns = all.columns().iter().map(|c| cast(c, &plain(c.data_type())).expect("a cast of strings"));
    RecordBatch::try_new(Arc::new(Schema::new(fields.collect::<Vec<_>>())), columns.collect())
        .expect("the casts follow the schema")
}

/// Options with the flag names of these tests.
pub(crate) fn options() -> SinkOptions {
    SinkOptions { flag_names: FLAGS, ..SinkOptions::default() }
}

/// Writes `batches` to a new file at `path`, with `threads` workers.
pub(crate) fn write(
    path: &Path,
    format: Format,
    batches: &[RecordBatch],
    options: &SinkOptions,
    threads: usize,
) {
    let schema = batches.first().map_or_else(schema, |b| b.schema());
    let target = Target::create(path, true).expect("the test's own directory");
    let sink = create(format, target, schema, options).expect("a sink");
    let finished = drive(sink, batches, threads).expect("a write without errors");
    assert_eq!(finished.bytes, std::fs::metadata(path).expect("the file").len(), "bytes as reported");
}

/// Writes `batches` to a sink, with `threads` workers.
pub(crate) fn drive(sink: Box<dyn Sink>, batches: &[RecordBatch], threads: usize) -> Result<OutputSize> {
    let mut batches = batches.iter().cloned();
    write_batches(&Workers::start(threads), sink.as_ref(), || Ok(batches.next()))?;
    sink.finish()
}

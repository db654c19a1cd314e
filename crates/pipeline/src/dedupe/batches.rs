//! The table of rows, batch by batch. The memory of columns is used again: more than filling it costs what the system
//! takes to clear it.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::types::{BinaryType, ByteArrayType, Utf8Type};
use arrow_array::{Array, ArrayRef, GenericByteArray, Int64Array, RecordBatch};
use arrow_buffer::{ArrowNativeType, Buffer, NullBufferBuilder, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use urimill_base::error::{Error, ErrorKind, Result};

use super::Key;
use super::entry::{Item, Places, Sum};
use super::merge::{ByPosition, Merge};
use super::rungs::Rungs;
use super::variant::{Kind, Variant};

/// The counts of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    pub(super) rows: u64,
    /// Rows of rejects.
    pub(super) rejects: u64,
    /// Rows of records without a URI: at most one.
    pub(super) nulls: u64,
    /// Rows whose bytes are not UTF-8.
    pub(super) not_utf8: u64,
    /// The sum of the column `records`.
    pub(super) records: u64,
    /// Rows by the rung, in the order of [`Rungs::NAMES`].
    pub(super) merged: [u64; Rungs::NAMES.len()],
}

/// Returns the schema of the table of distinct forms.
pub fn schema() -> SchemaRef {
    schema_by(&Key::Uri)
}

/// Returns the schema of the table of distinct keys: with a column `key`, unless the key is the URI.
pub fn schema_by(key: &Key) -> SchemaRef {
    use DataType::{Binary, Int64, Utf8};
    let field = |(name, data_type, nullable)| Field::new(name, data_type, nullable);
    let fields = [
        ("uri", Utf8, true),
        ("records", Int64, false),
        ("distinct", Int64, false),
        ("merged", Utf8, true),
        ("first_record", Int64, false),
        ("first_source", Utf8, false),
        ("error", Utf8, true),
        ("raw_bytes", Binary, true),
    ];
    let mut fields = fields.map(field).to_vec();
    if *key != Key::Uri {
        fields.insert(1, field(("key", Utf8, true)));
    }
    Arc::new(Schema::new(fields))
}

/// A batch ends at this many rows, or bytes of their texts.
const BATCH: (usize, usize) = (1 << 16, 4 << 20);

/// The table, batch by batch.
pub(super) struct Batches<'a> {
    merge: Merge<'a, ByPosition>,
    places: Places,
    sources: &'a [Arc<str>],
    schema: SchemaRef,
    counts: Counts,
    /// The batches that are being written, or were.
    past: VecDeque<RecordBatch>,
    threads: usize,
}

impl<'a> Batches<'a> {
    pub(super) fn new(
        merge: Merge<'a, ByPosition>,
        (places, sources): (Places, &'a [Arc<str>]),
        key: &Key,
        threads: usize,
    ) -> Batches<'a> {
        let (schema, counts, past) = (schema_by(key), Counts::default(), VecDeque::new());
        Batches { merge, places, sources, schema, counts, past, threads }
    }

    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// The next batch, until there are no more.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        let mut builder = self.builder();
        let mut bytes = 0;
        while let Some(item) = self.merge.item()
            && builder.records.len() < BATCH.0
            && bytes < BATCH.1
        {
            let (source, record) = self.places.unpack(item.entry.first);
            let row = Row::new(&item, (&self.sources[source as usize], record));
            let is_utf8 = builder.push(&row);
            self.counts.not_utf8 += u64::from(!is_utf8);
            bytes += row.text.len() + row.key.map_or(0, <[u8]>::len);
            self.counts.add(&row);
            self.merge.advance()?;
        }
        if builder.records.is_empty() {
            return Ok(None);
        }
        let batch = builder.finish(&self.schema).map_err(|error| {
            Error::new(ErrorKind::Internal, format!("cannot make a record batch: {error}"))
        })?;
        self.past.push_back(batch.clone());
        Ok(Some(batch))
    }

    /// A builder with the memory of a batch that is no longer needed, if there is one.
    fn builder(&mut self) -> Builder {
        let is_free =
            |batch: &RecordBatch| batch.columns().iter().all(|column| Arc::strong_count(column) == 1);
        let free = self.past.iter().position(is_free);
        let columns = free.and_then(|at| self.past.remove(at)).map(|batch| batch.columns().to_vec());
        while self.past.len() > self.threads {
            self.past.pop_front();
        }
        Builder::new(columns.unwrap_or_default(), self.schema.field(1).name() == "key")
    }
}

/// A row of the table.
struct Row<'a> {
    kind: Kind,
    sum: Sum,
    /// The key that makes the records equal, if it is not their normal form.
    key: Option<&'a [u8]>,
    /// The normal form of the first record, or the bytes of a reject.
    text: &'a [u8],
    /// The first record.
    source: &'a str,
    record: u64,
}

impl<'a> Row<'a> {
    fn new(item: &Item<'a>, (source, record): (&'a str, u64)) -> Row<'a> {
        let variant = Variant::read(item.text);
        let key = (variant.kind == Kind::KEYED).then(|| variant.group());
        Row { kind: variant.kind, sum: item.entry.sum, key, text: variant.normal(), source, record }
    }
}

impl Counts {
    fn add(&mut self, row: &Row<'_>) {
        self.rows += 1;
        self.rejects += u64::from(row.kind.code().is_some());
        self.nulls += u64::from(row.kind == Kind::NULL);
        self.records += row.sum.records;
        if row.sum.merged.is_empty() {
            return;
        }
        for (count, (rung, _)) in self.merged.iter_mut().zip(Rungs::NAMES) {
            *count += u64::from(row.sum.merged.has(rung));
        }
    }
}

/// The columns of a batch.
struct Builder {
    uri: Texts,
    key: Option<Texts>,
    records: Vec<i64>,
    distinct: Vec<i64>,
    merged: Texts,
    record: Vec<i64>,
    source: Texts,
    error: Texts,
    raw_bytes: Texts,
}

impl Builder {
    /// With the memory of these columns, as far as nobody else has it.
    fn new(columns: Vec<ArrayRef>, has_keys: bool) -> Builder {
        let mut columns = columns.into_iter();
        let mut next = || columns.next().map(buffers).unwrap_or_default();
        Builder {
            uri: Texts::new(next()),
            key: has_keys.then(|| Texts::new(next())),
            records: numbers(next()),
            distinct: numbers(next()),
            merged: Texts::new(next()),
            record: numbers(next()),
            source: Texts::new(next()),
            error: Texts::new(next()),
            raw_bytes: Texts::new(next()),
        }
    }

    /// Returns whether the text is UTF-8.
    fn push(&mut self, row: &Row<'_>) -> bool {
        let code = row.kind.code();
        // What is valid has been a text in a column.
        let is_utf8 = code.is_none() || std::str::from_utf8(row.text).is_ok();
        let lossy = if is_utf8 { Cow::default() } else { String::from_utf8_lossy(row.text) };
        let uri = if is_utf8 { row.text } else { lossy.as_bytes() };
        self.uri.push((row.kind != Kind::NULL).then_some(uri));
        self.raw_bytes.push((!is_utf8).then_some(row.text));
        if let Some(key) = &mut self.key {
            key.push(row.key);
        }
        let Sum { records, distinct, merged } = row.sum;
        self.records.push(records as i64);
        self.distinct.push(distinct as i64);
        self.record.push(row.record as i64);
        self.merged.push_names(merged);
        self.source.push(Some(row.source.as_bytes()));
        self.error.push(code.map(|code| code.as_str().as_bytes()));
        is_utf8
    }

    fn finish(self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let numbers = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
        let mut columns = vec![
            self.uri.finish::<Utf8Type>()?,
            numbers(self.records),
            numbers(self.distinct),
            self.merged.finish::<Utf8Type>()?,
            numbers(self.record),
            self.source.finish::<Utf8Type>()?,
            self.error.finish::<Utf8Type>()?,
            self.raw_bytes.finish::<BinaryType>()?,
        ];
        if let Some(key) = self.key {
            columns.insert(1, key.finish::<Utf8Type>()?);
        }
        RecordBatch::try_new(schema.clone(), columns)
    }
}

/// The buffers of a column, which nobody else has if nobody has the column.
fn buffers(column: ArrayRef) -> Vec<Buffer> {
    let data = column.to_data();
    drop(column);
    data.buffers().to_vec()
}

/// The memory of a buffer, if nobody else has it; else none.
fn memory<T: ArrowNativeType>(buffer: Option<Buffer>) -> Vec<T> {
    let mut values: Vec<T> = buffer.and_then(|buffer| buffer.into_vec().ok()).unwrap_or_default();
    values.clear();
    values
}

fn numbers(mut buffers: Vec<Buffer>) -> Vec<i64> {
    memory(buffers.pop())
}

/// A column of texts.
struct Texts {
    offsets: Vec<i32>,
    values: Vec<u8>,
    nulls: NullBufferBuilder,
}

impl Texts {
    /// With the memory of the buffers of such a column.
    fn new(mut buffers: Vec<Buffer>) -> Texts {
        let (values, mut offsets) = (memory(buffers.pop()), memory(buffers.pop()));
        offsets.push(0);
        Texts { offsets, values, nulls: NullBufferBuilder::new(BATCH.0) }
    }

    fn push(&mut self, text: Option<&[u8]>) {
        self.values.extend_from_slice(text.unwrap_or_default());
        self.end(text.is_some());
    }

    fn push_names(&mut self, rungs: Rungs) {
        if rungs.is_empty() {
            return self.end(false);
        }
        let before = self.values.len();
        for name in rungs.names() {
            if self.values.len() > before {
                self.values.push(b',');
            }
            self.values.extend_from_slice(name.as_bytes());
        }
        self.end(true);
    }

    fn end(&mut self, has_value: bool) {
        // A batch ends long before its texts, or the names of its sources, have 2 GiB.
        self.offsets.push(self.values.len() as i32);
        self.nulls.append(has_value);
    }

    fn finish<T: ByteArrayType<Offset = i32>>(mut self) -> Result<ArrayRef, ArrowError> {
        let offsets = OffsetBuffer::new(self.offsets.into());
        let values = Buffer::from_vec(self.values);
        Ok(Arc::new(GenericByteArray::<T>::try_new(offsets, values, self.nulls.finish())?))
    }
}

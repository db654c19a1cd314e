//! Rows in the order of their first records: collected, sorted in runs, merged into batches.

use std::sync::{Arc, Mutex};

use arrow_array::builder::{BinaryBuilder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::locks::lock;

use super::entry::{Entry, Sorted, Store};
use super::limits::Limits;
use super::merge::{ByPosition, Merge, Run, reduce};
use super::rungs::Rungs;
use super::spill::Spill;
use super::tables::Tables;
use super::variant::Kind;
use super::{Key, Options};

/// The data of a row besides its [`Entry`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    pub(super) kind: Kind,
    pub(super) merged: Rungs,
    pub(super) distinct: u64,
    /// The key that makes the records equal, if it is not their normal form.
    pub(super) key: Option<&'a [u8]>,
    /// The normal form of the first record, or the bytes of a reject.
    pub(super) text: &'a [u8],
}

impl<'a> Row<'a> {
    fn store(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&[self.kind.0, self.merged.0]);
        out.extend_from_slice(&self.distinct.to_le_bytes());
        if let Some(key) = self.key {
            out.extend_from_slice(&(key.len() as u32).to_le_bytes());
            out.extend_from_slice(key);
        }
        out.extend_from_slice(self.text);
    }

    /// `None` if the bytes are not those of a row.
    fn read(stored: &'a [u8]) -> Option<Row<'a>> {
        let (head, text) = stored.split_first_chunk::<10>()?;
        let [kind, merged, distinct @ ..] = *head;
        let (kind, distinct) = (Kind(kind), u64::from_le_bytes(distinct));
        let (key, text) = match kind {
            Kind::KEYED => {
                let (length, behind) = text.split_first_chunk()?;
                let (key, text) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
                (Some(key), text)
            }
            _ => (None, text),
        };
        Some(Row { kind, merged: Rungs(merged), distinct, key, text })
    }
}

/// The rows of a run.
#[derive(Debug)]
pub(super) struct Rows {
    limits: Limits,
    spill: Spill,
    runs: Mutex<Vec<Run>>,
}

impl Rows {
    pub(super) fn new(options: &Options, limits: Limits) -> Rows {
        let spill = Spill::new(options.temp_dir.clone(), limits.spill_block);
        Rows { limits, spill, runs: Mutex::new(Vec::new()) }
    }

    /// A worker's collector of rows; `tables` free their memory at the same time.
    pub(super) fn collector<'a>(&'a self, tables: &'a Tables<'a>) -> Collector<'a> {
        let sorted = Sorted { entries: Vec::new(), store: Store::new(self.limits.store_block) };
        Collector { rows: self, tables, sorted, text: Vec::new() }
    }

    /// Bytes written to disk.
    pub(super) fn written(&self) -> u64 {
        self.spill.written()
    }

    fn push(&self, run: Run) {
        // A panic fails the run: its state is only dropped.
        lock(&self.runs).push(run);
    }

    /// All rows as batches.
    pub(super) fn batches<'a>(&'a self, sources: &'a [Arc<str>], key: &Key) -> Result<Batches<'a>> {
        let runs = std::mem::take(&mut *lock(&self.runs));
        let runs = reduce::<ByPosition>(runs, self.limits.fan_in, &self.spill)?;
        let merge = Merge::new(runs, &self.spill)?;
        let schema = schema_by(key);
        Ok(Batches { merge, spill: &self.spill, sources, schema, counts: Counts::default() })
    }
}

/// Collects rows in any order; sends them to disk as sorted runs when they pass the limit.
#[derive(Debug)]
pub(super) struct Collector<'a> {
    rows: &'a Rows,
    tables: &'a Tables<'a>,
    sorted: Sorted,
    text: Vec<u8>,
}

impl Collector<'_> {
    pub(super) fn push(&mut self, entry: Entry, row: &Row<'_>) -> Result<()> {
        row.store(&mut self.text);
        let at = self.sorted.store.push(&self.text);
        self.sorted.entries.push(Entry { hash: 0, at, ..entry });
        let memory = self.sorted.entries.capacity() * size_of::<Entry>() + self.sorted.store.memory();
        if memory > self.limit() || self.sorted.store.is_full() { self.spill() } else { Ok(()) }
    }

    /// Rows replace variants shard by shard. If the variants fitted into memory, the rows fit too, with some space for
    /// a shard of both; if not, the output's buffers need memory soon.
    fn limit(&self) -> usize {
        let Limits { memory, threads, .. } = self.rows.limits;
        let all = if self.tables.has_spilled() { memory / 4 * 3 } else { memory + memory / 4 };
        let own = all.saturating_sub(self.tables.memory()).max(memory / 8) / threads;
        // With very many threads and little memory the runs would have only a few rows.
        own.max(memory.min(64 << 10))
    }

    fn take(&mut self) -> Sorted {
        let empty = Sorted { entries: Vec::new(), store: Store::new(self.rows.limits.store_block) };
        let mut sorted = std::mem::replace(&mut self.sorted, empty);
        sorted.entries.sort_unstable_by_key(Entry::position);
        sorted
    }

    fn spill(&mut self) -> Result<()> {
        let sorted = self.take();
        self.rows.push(Run::Disk(self.rows.spill.write(&sorted)?));
        Ok(())
    }

    /// Passes on the rows in memory.
    pub(super) fn finish(mut self) {
        let sorted = self.take();
        self.rows.push(Run::Memory(sorted));
    }
}

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
    spill: &'a Spill,
    sources: &'a [Arc<str>],
    schema: SchemaRef,
    counts: Counts,
}

impl Batches<'_> {
    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// The next batch, until there are no more.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        let has_keys = self.schema.field(1).name() == "key";
        let mut builder = Builder { has_keys, ..Builder::default() };
        let mut bytes = 0;
        while let Some(item) = self.merge.item()
            && builder.rows < BATCH.0
            && bytes < BATCH.1
        {
            let row = Row::read(item.text).ok_or_else(|| self.spill.damaged())?;
            let is_utf8 = builder.push(item.entry, &row, self.sources);
            self.counts.not_utf8 += u64::from(!is_utf8);
            bytes += row.text.len() + row.key.map_or(0, <[u8]>::len);
            self.counts.add(item.entry, &row);
            self.merge.advance()?;
        }
        if builder.rows == 0 { Ok(None) } else { builder.finish(&self.schema).map(Some) }
    }
}

impl Counts {
    fn add(&mut self, entry: &Entry, row: &Row<'_>) {
        self.rows += 1;
        self.rejects += u64::from(row.kind.code().is_some());
        self.nulls += u64::from(row.kind == Kind::NULL);
        self.records += entry.records;
        for (count, (rung, _)) in self.merged.iter_mut().zip(Rungs::NAMES) {
            *count += u64::from(row.merged.has(rung));
        }
    }
}

#[derive(Default)]
struct Builder {
    rows: usize,
    has_keys: bool,
    uri: StringBuilder,
    key: StringBuilder,
    records: Int64Builder,
    distinct: Int64Builder,
    merged: StringBuilder,
    record: Int64Builder,
    source: StringBuilder,
    error: StringBuilder,
    raw_bytes: BinaryBuilder,
}

impl Builder {
    /// Returns whether the text is UTF-8.
    fn push(&mut self, entry: &Entry, row: &Row<'_>, sources: &[Arc<str>]) -> bool {
        self.rows += 1;
        let text = std::str::from_utf8(row.text);
        match text {
            _ if row.kind == Kind::NULL => {
                self.uri.append_null();
                self.raw_bytes.append_null();
            }
            Ok(text) => {
                self.uri.append_value(text);
                self.raw_bytes.append_null();
            }
            Err(_) => {
                self.uri.append_value(String::from_utf8_lossy(row.text));
                self.raw_bytes.append_value(row.text);
            }
        }
        // Keys are texts.
        self.key.append_option(row.key.map(String::from_utf8_lossy));
        self.records.append_value(entry.records as i64);
        self.distinct.append_value(row.distinct as i64);
        let names = || row.merged.names().collect::<Vec<_>>().join(",");
        self.merged.append_option((!row.merged.is_empty()).then(names));
        self.record.append_value(entry.record as i64);
        self.source.append_value(&sources[entry.source as usize]);
        self.error.append_option(row.kind.code().map(|code| code.as_str()));
        text.is_ok()
    }

    fn finish(mut self, schema: &SchemaRef) -> Result<RecordBatch> {
        let mut columns: Vec<ArrayRef> = vec![
            Arc::new(self.uri.finish()),
            Arc::new(self.records.finish()),
            Arc::new(self.distinct.finish()),
            Arc::new(self.merged.finish()),
            Arc::new(self.record.finish()),
            Arc::new(self.source.finish()),
            Arc::new(self.error.finish()),
            Arc::new(self.raw_bytes.finish()),
        ];
        if self.has_keys {
            columns.insert(1, Arc::new(self.key.finish()));
        }
        RecordBatch::try_new(schema.clone(), columns)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot make a record batch: {error}")))
    }
}

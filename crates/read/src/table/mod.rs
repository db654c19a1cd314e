//! Reads tables one after the other, some rows at a time: the columns with the references and their bases, and those
//! that pass through. It is the counterpart of [`Chunker`](super::Chunker), which reads bytes; the formats open the
//! files.
//!
//! The first table decides which columns pass through; the others must have them by name and type, in any order.

#[cfg(feature = "ipc")]
pub mod arrow;
mod caller_tables;
mod made_rows;
pub mod memory_limit;
#[cfg(feature = "parquet")]
pub mod parquet;
mod projection;
pub mod reader;
mod rows;

use std::fmt;
use std::io::{self, Read, Seek};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::RecordBatch;
use arrow_schema::{FieldRef, SchemaRef};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::files;
use urimill_base::files::File;
use urimill_base::left_out::{IPC, PARQUET};
use urimill_columns::batch::{ExtraColumns, TableRows};

use super::checksums::{ReadChecksums, checksum_of_texts};
use super::damage::Handling;
use super::decode;
use super::format::tables::{ARROW_FILE, Table as TableFormat, TableKind};
use super::format::{Asked, Format};
use super::frame::{Begun, TableSource};
pub use caller_tables::GivenTable;
use memory_limit::MemoryLimit;
use projection::Picked;
use reader::{Batches, Faults, Stream, Table};

use super::guarded::guarded;
use super::source::Source;

/// Arrow IPC in builds without it.
#[cfg(not(feature = "ipc"))]
pub mod arrow {
    use super::*;

    urimill_base::left_out! {
        IPC.missing(ARROW_READER);
        /// A file.
        pub fn open_file(_: File, _: &str, _: &Faults, _: &Arc<AtomicU64>, _: MemoryLimit) -> Result<Table, String>;
    }

    /// Streams.
    pub mod stream {
        use super::*;

        urimill_base::left_out! {
            IPC.missing(ARROW_READER);
            /// A stream.
            pub fn open(_: Vec<u8>, _: Stream, _: MemoryLimit) -> Result<Table, String>;
        }
    }
}

/// Parquet in builds without it.
#[cfg(not(feature = "parquet"))]
pub mod parquet {
    use super::*;

    urimill_base::left_out! {
        PARQUET.missing(PARQUET_READER);
        /// A file.
        pub fn open(_: File, _: &str, _: &Faults, _: &Arc<AtomicU64>, _: Option<MemoryLimit>) -> Result<Table, String>;
    }
}

/// What builds without a feature have not.
const PARQUET_READER: &str = "reader of Parquet";
const ARROW_READER: &str = "reader of Arrow IPC";

/// The length of the beginning that identifies an Arrow file.
const BEGINNING: usize = 8;

/// Rows of one source.
#[derive(Debug, Clone)]
pub struct TableMorsel {
    /// The rows, one at least.
    pub rows: TableRows,
    /// Their number.
    pub count: usize,
    /// Index into the sources.
    pub source: usize,
    /// 1-based number of the first row in its source.
    pub first_record: i64,
}

/// Hands out the rows of tables.
pub struct Tables {
    sources: Vec<Source>,
    format: Format,
    table: TableFormat,
    /// A source whose beginning was read: its number, the beginning, and the rest.
    begun: Option<Begun>,
    progress: Arc<AtomicU64>,
    checksums: Option<Arc<ReadChecksums>>,
    /// The memory of the run; decoded data get a share of it.
    memory: usize,
    /// The columns that pass through, once the first table has been opened, and their names there.
    passthrough: Option<(Vec<FieldRef>, ExtraColumns)>,
    handling: Handling,
    next_source: usize,
    current: Option<Open>,
    /// The batches in place of the first source, if the caller brought them.
    given: Option<GivenTable>,
}

/// The table being read.
struct Open {
    source: usize,
    name: String,
    batches: Batches,
    /// The schema of the batches that go to workers.
    schema: SchemaRef,
    faults: Faults,
    picked: Picked,
    /// Rows that have not been handed out, starting at a row.
    waiting: Option<(RecordBatch, usize)>,
    next_record: i64,
    /// The number of rows that the table declares.
    rows: Option<u64>,
}

impl Tables {
    /// The rows of the tables of a source; the first table is opened.
    pub(super) fn begun(source: TableSource, table: TableFormat) -> Result<Tables> {
        Tables::new(source, table, None)
    }

    fn new(
        TableSource { sources, begun, progress, checksums, memory, handling }: TableSource,
        table: TableFormat,
        given: Option<GivenTable>,
    ) -> Result<Tables> {
        let (passthrough, current, next_source) = (None, None, 0);
        let mut tables = Tables {
            sources,
            format: table.clone().into(),
            table,
            begun,
            progress,
            checksums,
            memory,
            handling,
            passthrough,
            next_source,
            current,
            given,
        };
        tables.begin()?;
        Ok(tables)
    }

    /// The rows of one table that the caller brought.
    pub(super) fn of_given(given: GivenTable, asked: &Asked) -> Result<Tables> {
        let source = TableSource {
            sources: vec![Source::Table(given.name.clone())],
            begun: None,
            progress: Arc::default(),
            checksums: None,
            memory: 0,
            handling: Handling::default(),
        };
        Tables::new(source, TableFormat::given(asked)?, Some(given))
    }

    pub(super) fn format(&self) -> &Format {
        &self.format
    }

    pub(super) fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The columns that pass through.
    pub(super) fn extra_columns(&self) -> ExtraColumns {
        self.passthrough.as_ref().map(|(_, passthrough)| passthrough.clone()).unwrap_or_default()
    }

    /// Opens the first table.
    fn begin(&mut self) -> Result<()> {
        while self.passthrough.is_none() {
            match self.open_next() {
                // Another table may decide the columns.
                Err(error) if self.handling.takes(&error) && self.next_source < self.sources.len() => {
                    self.bear(&error);
                }
                opened => return opened.map(drop),
            }
        }
        Ok(())
    }

    /// The next rows, `None` after the last and after an error.
    pub(super) fn next_morsel(&mut self) -> Result<Option<TableMorsel>> {
        loop {
            let piece = self.advance();
            let Err(error) = piece else { return piece };
            if !self.handling.takes(&error) {
                self.current = None;
                self.next_source = self.sources.len();
                return Err(error);
            }
            self.bear(&error);
        }
    }

    /// Records a damaged table, whose rows so far count.
    fn bear(&mut self, error: &Error) {
        let open = self.current.take();
        let name = self.sources.get(self.next_source.wrapping_sub(1)).map(Source::name).unwrap_or_default();
        let number = self.handling.damages.add(&name, error, false);
        let records = open.map_or(0, |open| open.next_record as u64 - 1);
        self.handling.damages.update(number, |damage| damage.records = records);
    }

    fn advance(&mut self) -> Result<Option<TableMorsel>> {
        loop {
            if self.current.is_none() && !self.open_next()? {
                return Ok(None);
            }
            let Some(open) = &mut self.current else { return Ok(None) };
            match open.next_morsel(self.checksums.as_deref())? {
                Some(piece) => return Ok(Some(piece)),
                None => self.current = None,
            }
        }
    }

    fn open_next(&mut self) -> Result<bool> {
        let source = self.next_source;
        let Some(named) = self.sources.get(source) else { return Ok(false) };
        let name = named.name().into_owned();
        self.next_source += 1;
        let faults = Faults::default();
        let begun = self.begun.take_if(|(begun, ..)| *begun == source);
        let table = match self.given.take() {
            Some(given) => given.open(&faults),
            None => self.open(source, begun, &faults)?,
        };
        let picked = match &self.passthrough {
            None => {
                let picked = Picked::first(&table.schema, &self.table.fields, &name)?;
                let fields: Vec<_> =
                    picked.passthrough.iter().map(|&at| table.schema.fields()[at].clone()).collect();
                let passthrough = ExtraColumns::of_table(picked.made().chain(fields.iter().cloned()));
                self.passthrough = Some((fields, passthrough));
                picked
            }
            Some((fields, _)) => {
                let first = self.sources[0].name();
                Picked::like(&table.schema, &self.table.fields, fields, (&name, &first))?
            }
        };
        let columns = picked.columns();
        let schema =
            table.schema.project(&columns).map_err(|error| faults.or_damage(&name, &error.to_string()))?;
        let schema = Arc::new(schema);
        let batches = guarded(|| (table.read)(&columns)).map_err(|what| faults.or_damage(&name, &what))?;
        let picked = picked.among(&columns);
        let (waiting, next_record, rows) = (None, 1, table.rows);
        self.current =
            Some(Open { source, name, batches, schema, faults, picked, waiting, next_record, rows });
        Ok(true)
    }

    fn open(&self, source: usize, begun: Option<Begun>, faults: &Faults) -> Result<Table> {
        let named = &self.sources[source];
        let name = &*named.name();
        let damaged = |what: String| faults.or_damage(name, &what);
        let file = match named {
            Source::File(path) => {
                let failed = |error| Error::path("read", path, error);
                match files::find(path).map_err(failed)?.is_some_and(|found| found.is_file()) {
                    true => Some(File::open(path).map_err(failed)?),
                    false => None,
                }
            }
            _ => None,
        };
        let (progress, room) = (&self.progress, MemoryLimit::of(self.memory, name, faults));
        let file = match (self.table.kind, file) {
            (TableKind::Parquet, Some(file)) => {
                PARQUET.check_reads(PARQUET_READER, name)?;
                self.forget_beginning(begun);
                return guarded(|| parquet::open(file, name, faults, progress, Some(room))).map_err(damaged);
            }
            (TableKind::Parquet, None) => {
                return Err(Error::usage(format!(
                    "cannot read Parquet from {name}: its footer is at the end, and {} cannot seek; give a file",
                    named.flow()
                )));
            }
            (TableKind::Arrow, file) => file,
        };
        IPC.check_reads(ARROW_READER, if file.is_some() { name } else { "the input" })?;
        if let Some(mut file) = file {
            let mut first = Vec::new();
            (&mut file)
                .take(BEGINNING as u64)
                .read_to_end(&mut first)
                .map_err(|error| Error::io("read", name, error))?;
            if first.starts_with(ARROW_FILE) {
                self.forget_beginning(begun);
                file.rewind().map_err(|error| Error::io("read", name, error))?;
                return guarded(|| arrow::open_file(file, name, faults, progress, room)).map_err(damaged);
            }
        }
        let (mut first, mut reader) = match begun {
            Some((_, first, reader)) => (first, reader),
            // A source before that whose beginning was examined had no bytes. A reader cannot be opened again.
            None if matches!((named, &self.begun), (Source::Reader(_), Some((begun, ..))) if source < *begun) => {
                (Vec::new(), decode::Reader::new(name, Box::new(io::empty()), progress)?)
            }
            None => (Vec::new(), decode::open(named, progress)?),
        };
        while first.len() < BEGINNING {
            let mut more = [0; BEGINNING];
            match reader.read(&mut more)? {
                0 => break,
                read => first.extend_from_slice(&more[..read]),
            }
        }
        let rest = Stream { reader, faults: faults.clone() };
        guarded(|| arrow::stream::open(first, rest, room)).map_err(damaged)
    }

    /// The beginning of a file that is opened again must not be counted twice.
    fn forget_beginning(&self, begun: Option<Begun>) {
        if begun.is_some() {
            self.progress.store(0, Ordering::Relaxed);
        }
    }
}

impl Open {
    fn next_morsel(&mut self, checksums: Option<&ReadChecksums>) -> Result<Option<TableMorsel>> {
        let (batch, from) = match self.waiting.take() {
            Some(waiting) => waiting,
            None => {
                let Some(batch) = self.next_batch()? else { return Ok(None) };
                if let Some(checksums) = checksums {
                    let rows = self.picked.rows(&batch).map_err(|what| self.damaged(&what))?;
                    checksums.found(checksum_of_texts(&rows.uris));
                }
                (batch, 0)
            }
        };
        let rows = guarded(|| rows::next(&batch, from, &self.schema)).map_err(|what| self.damaged(&what))?;
        let count = rows.num_rows();
        let piece = TableMorsel {
            rows: self.picked.rows(&rows).map_err(|what| self.damaged(&what))?,
            count,
            source: self.source,
            first_record: self.next_record,
        };
        self.next_record += count as i64;
        self.waiting = Some((batch, from + count)).filter(|(batch, from)| *from < batch.num_rows());
        Ok(Some(piece))
    }

    /// The next batch that has rows.
    fn next_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let batches = &mut self.batches;
            let batch = guarded(|| batches.next().transpose()).map_err(|what| self.damaged(&what))?;
            let Some(batch) = batch else { break };
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
        let read = (self.next_record - 1) as u64;
        match self.rows {
            Some(rows) if rows != read => Err(Error::new(
                ErrorKind::Data,
                format!("cannot read {}: it states {rows} rows and has {read}", self.name),
            )),
            _ => Ok(None),
        }
    }

    fn damaged(&self, what: &str) -> Error {
        let what = format!("its data is damaged after row {} ({what})", self.next_record - 1);
        self.faults.or_damage(&self.name, &what)
    }
}

impl fmt::Debug for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tables")
            .field("sources", &self.sources)
            .field("kind", &self.table.kind)
            .field("next_source", &self.next_source)
            .finish_non_exhaustive()
    }
}

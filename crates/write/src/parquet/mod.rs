//! Parquet: the column encoders are the ordered stages, so that several batches are encoded at the same
//! time, each in another column.
//! Pages of texts, which take most of the time, are made before, without order. Stage 0 cuts the rows into row groups.
//! Each following stage owns one column, or several cheap ones: it appends the batch's values to its column writers,
//! and closes them at the end of a row group; pages that it closes are finished after it, without order. The last stage
//! writes the columns of a finished row group to the file. Stages share only data that travels with the batch: a row
//! group's new column writers travel with the batch that opens it, its finished columns with the batch that opens the
//! next.

mod checksum;
mod codec;
mod deferred_pages;
mod delta;
mod dictionary;
pub mod layout;
mod levels;
pub(crate) mod page;
mod page_maker;
mod statistics;
mod stream;
mod text_chunk;
mod text_columns;
mod text_sizes;

use std::mem;
use std::sync::{Arc, Mutex};

use arrow_array::{Array, RecordBatch};
use arrow_schema::{Schema, SchemaRef};
use parquet::arrow::arrow_writer::{
    ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, ArrowWriterOptions, compute_leaves,
};
use parquet::arrow::{ArrowSchemaConverter, ArrowWriter};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use urimill_base::error::{Error, Result};
use urimill_base::locks::{into_inner, lock};
use urimill_base::option_name::OptionName;

use super::passthrough::Fit;
use super::publish::atomic::write_error;
use super::sizes::{open_bytes, referenced_bytes};
use super::{
    FileSink, PreparedRows, SinkOptions, StagedSink, Stored, Target, UncommittedOutput, encode_error,
};
use deferred_pages::{DeferredPage, finish};
use layout::{check_columns, codec, properties, sorting_columns, stage_columns, text_layout};
use page_maker::{EncodedColumn, PageMaker};
use stream::Stream;
use text_chunk::{FinishedText, TextChunk};
use text_columns::TextColumn;

/// Writers, or finished chunks, of a column: one for each of its leaves, which is one unless it is nested.
type Leaves<T> = Vec<T>;

/// The encoder of a column of the open row group.
enum Writer {
    Leaves(Leaves<ArrowColumnWriter>),
    Text(Box<TextColumn>),
}

/// A column of a row group, encoded.
#[derive(Debug)]
enum ColumnChunk {
    Leaves(Leaves<ArrowColumnChunk>),
    Text(TextChunk),
}

/// A leaf of a column, ready for the file.
enum FinishedChunk {
    Leaf(Box<ArrowColumnChunk>),
    Text(FinishedText),
}

impl FinishedChunk {
    /// Bytes in the file.
    fn bytes(&self) -> u64 {
        match self {
            FinishedChunk::Leaf(chunk) => chunk.close().metadata.compressed_size() as u64,
            FinishedChunk::Text(text) => text.bytes(),
        }
    }
}

/// A batch cut at the ends of row groups.
pub(crate) struct Slices {
    batch: RecordBatch,
    bytes: usize,
    /// The memory of the columns and values themselves.
    overhead: usize,
    /// For each column, the values that were encoded before the cut.
    shares: Vec<EncodedColumn>,
    slices: Vec<Slice>,
    /// Pages that were closed by the last stage.
    late: Vec<DeferredPage>,
    /// Whether the row group ends after the last row.
    ends: bool,
}

impl Slices {
    /// The bytes of the finished pages, and the columns that have none. Pages in place of a dictionary are not counted:
    /// whether a worker made them depends on the progress of the others.
    fn pages(&self) -> (usize, Vec<usize>) {
        let schema = self.batch.schema_ref();
        let (mut bytes, mut others) = (0, Vec::new());
        for (column, share) in self.shares.iter().enumerate() {
            match share {
                EncodedColumn::Pages(pages) if !pages.is_empty() && !has_dictionary(schema, column) => {
                    bytes += pages.iter().map(|(_, page)| page.bytes()).sum::<usize>();
                }
                _ => others.push(column),
            }
        }
        (bytes, others)
    }

    /// Whether these rows open a row group after another one. Known after the first stage.
    fn finishes_row_group(&self) -> bool {
        self.slices.iter().filter_map(|slice| slice.opens.as_ref()).any(|opening| !opening.is_first)
    }
}

impl PreparedRows for Slices {
    fn stored(&self, batch: &RecordBatch, sample: Option<&SinkOptions>) -> Result<Stored> {
        let (known, others) = self.pages();
        let sampled = sample.map(|options| sampled(batch, &others, options)).transpose();
        Ok(Stored { known, others: sampled.map_err(|e| encode_error("an estimate", e))? })
    }

    fn end_row_group(&mut self) {
        self.ends = true;
    }

    fn row_group(&self) -> Option<(bool, usize)> {
        Some((self.slices.iter().any(|slice| slice.opens.is_some()), self.overhead))
    }
}

/// The number of rows that are encoded to estimate the others: with fewer, a dictionary weighs more than it does in the
/// file; more cost more than they improve the estimate.
const SAMPLE: usize = 4096;

/// The size in a file of the columns of `batch` with these numbers.
fn sampled(batch: &RecordBatch, columns: &[usize], options: &SinkOptions) -> Result<usize, ParquetError> {
    let rows = batch.num_rows().min(SAMPLE);
    if rows == 0 || columns.is_empty() {
        return Ok(0);
    }
    let sample = batch.slice(0, rows).project(columns)?;
    let schema: SchemaRef = sample.schema();
    let properties = properties(&schema, options, None)?;
    let written = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
    let mut writer = ArrowWriter::try_new_with_options(Vec::new(), schema, written)?;
    writer.write(&sample)?;
    writer.flush()?;
    Ok(writer.bytes_written() * batch.num_rows() / rows)
}

fn has_dictionary(schema: &Schema, column: usize) -> bool {
    text_layout(schema, column, &[]).is_some_and(|layout| layout.dictionary)
}

/// Rows of one row group.
#[derive(Debug)]
struct Slice {
    from: usize,
    to: usize,
    opens: Option<Opening>,
}

/// Travels with the first rows of a row group: for each column a new writer on the way to its stage, then the chunk of
/// the row group before, on its way to the file.
#[derive(Debug)]
struct Opening {
    writers: Vec<Leaves<ArrowColumnWriter>>,
    finished: Vec<Option<ColumnChunk>>,
    is_first: bool,
}

pub(super) struct ParquetSink {
    fit: Fit,
    pages: Arc<PageMaker>,
    cutter: Mutex<RowGroupSplitter>,
    /// The columns of each stage from 1 on.
    stages: Vec<Mutex<ColumnStage>>,
    writer: Mutex<SerializedFileWriter<Stream>>,
    stream: Stream,
}

/// Stage 0.
struct RowGroupSplitter {
    factory: ArrowRowGroupWriterFactory,
    /// The column that each leaf of the Parquet schema belongs to.
    roots: Vec<usize>,
    max_rows: usize,
    max_bytes: usize,
    row_groups: usize,
    /// The memory of one row group's metadata, and the most for all of them.
    group_footer: usize,
    most_footer: usize,
    /// The rows of the open row group.
    rows: usize,
    bytes: usize,
}

/// The columns that one stage encodes.
struct ColumnStage {
    columns: Vec<usize>,
    pages: Arc<PageMaker>,
    writers: Vec<Writer>,
}

impl FileSink for ParquetSink {
    fn new(fit: Fit, target: Target, options: &SinkOptions) -> Result<Self> {
        if options.row_group_rows == 0 || options.row_group_bytes == 0 {
            return Err(Error::usage("a row group cannot have 0 rows or bytes; give a bound above"));
        }
        if options.pages.rows == 0 || options.pages.bytes == 0 {
            return Err(Error::usage("a page cannot have 0 rows or bytes; give a bound above"));
        }
        let (schema, name) = (&fit.fitting, &fit.name);
        let failed = |e| parquet_error(name, e);
        // Converting the schema here, instead of letting ArrowWriter do it, leaves out the ARROW:schema entry: with
        // string views in it, readers ask for types they have no kernels for. The names of lists, maps and dates come
        // from the format's specification, not from the input.
        let converter = ArrowSchemaConverter::new().with_coerce_types(true).schema_root("schema");
        let parquet = converter.convert(schema).map_err(failed)?;
        check_columns(parquet.num_columns(), options.memory, name)?;
        let declared = sorting_columns(schema, &parquet, &options.sorting);
        let properties = Arc::new(properties(schema, options, declared).map_err(failed)?);
        let codec = codec(options.compression).map_err(failed)?;
        let pages = Arc::new(PageMaker::new(schema, &parquet, codec, options));
        let stream = Stream::new(target);
        let writer = SerializedFileWriter::new(stream.clone(), parquet.root_schema_ptr(), properties)
            .map_err(failed)?;
        let cutter = RowGroupSplitter {
            factory: ArrowRowGroupWriterFactory::new(&writer, schema.clone()),
            roots: (0..parquet.num_columns()).map(|leaf| parquet.get_column_root_idx(leaf)).collect(),
            max_rows: options.row_group_rows,
            max_bytes: options.row_group_bytes,
            row_groups: 0,
            group_footer: parquet.num_columns() * CHUNK_FOOTER,
            most_footer: options.memory / 2,
            rows: 0,
            bytes: 0,
        };
        let stages = stage_columns(schema).into_iter();
        let stages = stages.map(|columns| {
            let pages = Arc::clone(&pages);
            Mutex::new(ColumnStage { columns, pages, writers: Vec::new() })
        });
        let stages = stages.collect();
        let (cutter, writer) = (Mutex::new(cutter), Mutex::new(writer));
        Ok(ParquetSink { fit, pages, cutter, stages, writer, stream })
    }
}

impl ParquetSink {
    /// Writes one finished row group, its columns in the order of the schema.
    fn write_row_group(&self, columns: Vec<Option<ColumnChunk>>) -> Result<(), ParquetError> {
        let mut chunks = Vec::new();
        for column in columns.into_iter().flatten() {
            match column {
                ColumnChunk::Leaves(leaves) => {
                    chunks.extend(leaves.into_iter().map(Box::new).map(FinishedChunk::Leaf))
                }
                ColumnChunk::Text(text) => chunks.push(FinishedChunk::Text(text.finish()?)),
            }
        }
        let mut writer = lock(&self.writer);
        let mut start = writer.bytes_written() as u64;
        self.stream.expect(chunks.iter().map(FinishedChunk::bytes).sum());
        let mut row_group = writer.next_row_group()?;
        for chunk in chunks {
            let place = start..start + chunk.bytes();
            start = place.end;
            match chunk {
                FinishedChunk::Leaf(chunk) => chunk.append_to_row_group(&mut row_group)?,
                FinishedChunk::Text(chunk) => {
                    chunk.append_to_row_group(place, &self.stream, &mut row_group)?
                }
            }
        }
        row_group.close().map(drop)
    }

    fn write_finished(&self, slices: &mut Slices) -> Result<(), ParquetError> {
        for opening in slices.slices.iter_mut().filter_map(|s| s.opens.as_mut()) {
            if !opening.is_first {
                self.write_row_group(mem::take(&mut opening.finished))?;
            }
        }
        Ok(())
    }
}

impl StagedSink for ParquetSink {
    type Prepared = Slices;

    fn prepare(&self, batch: RecordBatch) -> Result<Slices> {
        let batch = self.fit.batch(batch)?;
        let bytes = open_bytes(&batch);
        let shares = self.pages.shares(batch.columns()).map_err(|e| parquet_error(&self.fit.name, e))?;
        let overhead = bytes - referenced_bytes(&batch);
        Ok(Slices { batch, bytes, overhead, shares, slices: Vec::new(), late: Vec::new(), ends: false })
    }

    fn stages(&self) -> usize {
        self.stages.len() + 2
    }

    fn stage_name(&self, stage: usize) -> String {
        let Some(column_stage) = stage.checked_sub(1) else { return "row groups".to_owned() };
        match self.stages.get(column_stage) {
            Some(stage) => {
                let names: Vec<_> = lock(stage)
                    .columns
                    .iter()
                    .map(|&column| self.fit.fitting.field(column).name().as_str())
                    .collect();
                names.join(", ")
            }
            None => "file".to_owned(),
        }
    }

    /// Only a batch that opens a row group has another one to write: the others need not wait until it is written.
    fn has_work(&self, stage: usize, slices: &Slices) -> bool {
        stage != self.stages.len() + 1 || slices.finishes_row_group()
    }

    /// Finishes the pages that the stage before has closed.
    fn ready(&self, _stage: usize, slices: &mut Slices) -> Result<()> {
        finish(&mut slices.late).map_err(|e| parquet_error(&self.fit.name, e))
    }

    fn run(&self, stage: usize, slices: &mut Slices) -> Result<()> {
        let Some(column_stage) = stage.checked_sub(1) else {
            return lock(&self.cutter).cut(slices, &self.fit.name);
        };
        match self.stages.get(column_stage) {
            Some(stage) => lock(stage).encode(&self.fit.fitting, slices),
            None => self.write_finished(slices),
        }
        .map_err(|e| parquet_error(&self.fit.name, e))
    }

    fn close(mut self) -> Result<UncommittedOutput> {
        let mut columns: Vec<_> = self.fit.fitting.fields().iter().map(|_| None).collect();
        for stage in mem::take(&mut self.stages) {
            let mut stage = into_inner(stage);
            let mut late = Vec::new();
            let closed = stage.close(&mut columns, &mut late).and_then(|()| finish(&mut late));
            closed.map_err(|e| parquet_error(&self.fit.name, e))?;
        }
        // An empty row group is not written.
        if lock(&self.cutter).rows > 0 {
            self.write_row_group(columns).map_err(|e| parquet_error(&self.fit.name, e))?;
        }
        lock(&self.writer).finish().map_err(|e| parquet_error(&self.fit.name, e))?;
        let ParquetSink { writer, stream, fit, .. } = self;
        drop(writer);
        let mut target = stream.into_target().ok_or_else(|| encode_error(&fit.name, "the file is in use"))?;
        target.settle()?;
        Ok(UncommittedOutput::File(target))
    }
}

impl RowGroupSplitter {
    /// Cuts a batch exactly at the bound on rows. The bound on bytes applies to whole batches: one that would pass it
    /// begins a new row group, so a row group has more only if a single batch has.
    fn cut(&mut self, slices: &mut Slices, name: &str) -> Result<()> {
        let batch = slices.batch.clone();
        let mut from = 0;
        while from < batch.num_rows() {
            let bytes = match from {
                0 => slices.bytes,
                _ => open_bytes(&batch.slice(from, batch.num_rows() - from)),
            };
            let full = self.rows == self.max_rows || self.bytes.saturating_add(bytes) > self.max_bytes;
            let opens =
                if self.row_groups == 0 || (full && self.rows > 0) { Some(self.open(name)?) } else { None };
            let length = (batch.num_rows() - from).min(self.max_rows - self.rows);
            let rows = batch.slice(from, length);
            self.rows += length;
            self.bytes += if length == batch.num_rows() - from { bytes } else { open_bytes(&rows) };
            slices.slices.push(Slice { from, to: from + length, opens });
            from += length;
        }
        // A file with the most row groups that it may have continues with the last.
        if slices.ends && self.rows > 0 && self.row_groups <= i16::MAX as usize {
            slices.slices.push(Slice { from, to: from, opens: Some(self.open(name)?) });
        }
        Ok(())
    }

    fn open(&mut self, name: &str) -> Result<Opening> {
        // The format numbers row groups by 16-bit signed integers.
        if self.row_groups > i16::MAX as usize {
            return Err(Error::usage(format!(
                "cannot write {name}: a Parquet file has at most 32768 row groups; allow more rows in each"
            )));
        }
        if self.row_groups > 0 && self.row_groups.saturating_mul(self.group_footer) > self.most_footer {
            return Err(Error::usage(format!(
                "cannot write {name}: its {} columns in {} row groups make a footer that takes half of what {} \
                 allows; write a directory of files ({}), drop columns with {}, or allow more",
                self.roots.last().map_or(0, |last| last + 1),
                self.row_groups,
                OptionName::Memory.named(),
                OptionName::Output.with("DIR/"),
                OptionName::Keep.named()
            )));
        }
        let leaves = self.factory.create_column_writers(self.row_groups);
        let leaves = leaves.map_err(|e| parquet_error(name, e))?;
        let columns = self.roots.last().map_or(0, |last| last + 1);
        let mut writers: Vec<Leaves<_>> = (0..columns).map(|_| Vec::new()).collect();
        for (writer, root) in leaves.into_iter().zip(&self.roots) {
            writers[*root].push(writer);
        }
        let finished = (0..columns).map(|_| None).collect();
        let is_first = self.row_groups == 0;
        self.row_groups += 1;
        (self.rows, self.bytes) = (0, 0);
        Ok(Opening { writers, finished, is_first })
    }
}

impl ColumnStage {
    fn encode(&mut self, schema: &SchemaRef, slices: &mut Slices) -> Result<(), ParquetError> {
        let Slices { batch, shares, slices, late, .. } = slices;
        for Slice { from, to, opens } in slices {
            if let Some(opening) = opens {
                self.close(&mut opening.finished, late)?;
                self.open(&mut opening.writers);
            }
            if from == to {
                continue;
            }
            for (&column, writer) in self.columns.iter().zip(&mut self.writers) {
                let array = batch.column(column);
                match writer {
                    Writer::Text(text) => text.write(array, (*from, *to), &mut shares[column], late)?,
                    Writer::Leaves(writers) => {
                        let leaves = compute_leaves(schema.field(column), &array.slice(*from, *to - *from))?;
                        for (writer, leaf) in writers.iter_mut().zip(&leaves) {
                            writer.write(leaf)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes this stage's share of a new row group's writers.
    fn open(&mut self, writers: &mut [Leaves<ArrowColumnWriter>]) {
        let writer = |&column: &usize| match TextColumn::of(&self.pages, column) {
            Some(text) => Writer::Text(Box::new(text)),
            None => Writer::Leaves(mem::take(&mut writers[column])),
        };
        self.writers = self.columns.iter().map(writer).collect();
    }

    /// Closes the open writers and puts their chunks at their columns' places in `finished`.
    fn close(
        &mut self,
        finished: &mut [Option<ColumnChunk>],
        late: &mut Vec<DeferredPage>,
    ) -> Result<(), ParquetError> {
        for (&column, writer) in self.columns.iter().zip(self.writers.drain(..)) {
            finished[column] = Some(match writer {
                Writer::Text(text) => ColumnChunk::Text(text.close(late)?),
                Writer::Leaves(writers) => {
                    let chunks = writers.into_iter().map(ArrowColumnWriter::close);
                    ColumnChunk::Leaves(chunks.collect::<Result<_, _>>()?)
                }
            });
        }
        Ok(())
    }
}

/// The memory of a column chunk's metadata while the file is open.
const CHUNK_FOOTER: usize = 400;

/// The error of a writer: an error of the target keeps its kind.
fn parquet_error(name: &str, error: ParquetError) -> Error {
    match error {
        ParquetError::External(source) => match source.downcast() {
            Ok(io) => write_error(name, *io),
            Err(other) => encode_error(name, other),
        },
        other => encode_error(name, other),
    }
}

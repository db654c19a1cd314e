//! The index of web archives: a line for each record that a replay tool can show, with its key, its time and its place.
//! Reads archives as `links` does, but only the headers: payloads are skipped, without being read if possible, and
//! hashed if a record does not state its digest.
//!
//! ```text
//! records ──> entries ──> lines ──> sorter ──> CDXJ or CDX text
//!             (entry)     (line)    (on disk)  ├─> ZipNum: compressed blocks and a list of them
//!                                              └─> a table: the members of the lines as columns
//! ```

mod arguments;
mod entry;
mod line;
mod post;
mod table;
mod tool;
mod zipnum;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::locks::lock;
use urimill_base::threads::Workers;
use urimill_columns::batch;
use urimill_columns::batch::{Column, Columns, MAX_ROWS, Reading};
use urimill_pipeline::sort;
use urimill_pipeline::sort::Sorter;
use urimill_pipeline::{Ahead, FormatCheck, Look, Looked, Plan, Progress, Totals, each_batch, write_batches};
use urimill_read::format::RecordTypes;
use urimill_read::{Block, Chunk, Damage, Format, RecordSource};
use urimill_uri::normalize::Level;
use urimill_write::{LineSink, OutputSize, Sink, SortKey, StagedDirectory, Target, UncommittedOutput};

pub use entry::LeftOut;
use entry::{Entry, Reason};
pub use line::LineForm;
use post::Post;
pub use table::{PAGES, SORTED_BY, schema as table_schema};
pub use tool::Like;

/// Options of a run that indexes archives.
#[derive(Debug, Clone)]
pub struct Options {
    /// The form of the lines.
    pub form: LineForm,
    /// The tool whose lines urimill writes.
    pub like: Like,
    /// The record types to index; `None` for those of the tool.
    pub types: Option<RecordTypes>,
    /// The names of the files in the index, one for each source; of the archives in a WACZ file it has their own.
    pub names: Vec<String>,
    /// Whether keys have the methods and bodies of requests.
    pub has_posts: bool,
    /// Whether the lines stay in the order of the records.
    pub is_unsorted: bool,
    /// The longest header.
    pub max_record: usize,
    /// Bytes of memory for lines that wait to be sorted.
    pub memory: usize,
    /// The directory for temporary files.
    pub temp_dir: PathBuf,
    /// The threads that do the work.
    pub threads: Arc<Workers>,
}

/// The output of an index.
pub enum Destination {
    /// To a text, compressed if its name says so.
    Text(Target),
    /// A directory: a number of shards with compressed blocks of lines, and their list.
    ZipNum {
        /// The directory.
        folder: StagedDirectory,
        /// The number of shards, at least 1.
        shards: u64,
        /// The lines of a block, at least 1.
        lines: u64,
    },
    /// To a sink of [`table_schema`].
    Table(Box<dyn Sink>),
}

/// The counts of a finished run.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The sums of everything read.
    pub read: Totals,
    /// Lines written.
    pub lines: u64,
    /// Lines equal to the one before, which are left out as by the tool.
    pub repeated: u64,
    /// Records without a line, by reason.
    pub left_out: LeftOut,
    /// Bytes written to temporary files.
    pub spilled: u64,
    /// The size of the output.
    pub output: OutputSize,
}

/// The schema of batches of lines.
fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("line", DataType::Utf8, false)]))
}

fn batch_of(lines: StringArray) -> Result<RecordBatch> {
    RecordBatch::try_new(schema(), vec![Arc::new(lines)])
        .map_err(|error| Error::new(ErrorKind::Internal, format!("cannot write an index: {error}")))
}

/// Reads every record of `record_source`, writes a line for each that belongs in the index, and publishes them on
/// success. If something is not a record, `damage` decides whether the run fails or goes on.
///
/// # Errors
/// The first that occurs; nothing is published then.
pub fn run(
    record_source: RecordSource,
    options: &Options,
    destination: Destination,
    damage: &(dyn Fn(Damage) -> Result<()> + Sync),
    progress: &Progress,
) -> Result<Summary> {
    let records = batch::Options {
        columns: Columns::new([Column::Record]),
        reading: Reading::default().at_level(Level::None),
        max_record: options.max_record,
        batch_rows: MAX_ROWS,
        ..batch::Options::default()
    };
    let plan = Plan::new(&record_source, records, false)?.check_format(FormatCheck::ByRecords);
    let sorter = Sorter::new(
        &schema(),
        &sort::Options {
            keys: vec![SortKey { column: 0, descending: false }],
            dividing: 0,
            memory: options.memory,
            temp_dir: options.temp_dir.clone(),
            threads: options.threads.count(),
        },
    )?;
    let header = options.form.header().map(|header| format!("{header}\n")).unwrap_or_default();
    let output = match destination {
        Destination::Text(target) => Output::Text(LineSink::create(target, schema(), header.into_bytes())?),
        Destination::ZipNum { folder, shards, lines } => Output::ZipNum(folder, (shards, lines)),
        Destination::Table(sink) => Output::Table(sink),
    };
    let direct = match &output {
        // Unsorted lines are written in the order of the records.
        Output::Text(sink) if options.is_unsorted => Some(sink.as_ref()),
        _ => None,
    };
    let (is_direct, is_table) = (direct.is_some(), matches!(output, Output::Table(_)));
    let indexer = Indexer {
        options,
        sorter: &sorter,
        direct,
        is_table,
        damage,
        counts: Mutex::default(),
        unreachable: Mutex::default(),
    };
    let totals = each_batch(record_source, &plan, &options.threads, &indexer, progress)?;
    let counts = *lock(&indexer.counts);
    check_accounts(&counts, &totals)?;

    let mut repeated = 0;
    let output = match output {
        Output::Text(sink) if is_direct => sink.close()?,
        output => {
            let mut sorted = Sorted::new(&sorter, options.like.drops_equal(), progress)?;
            let output = output.write(|| sorted.next(), (&options.threads, counts.lines))?;
            repeated = sorted.repeated;
            output
        }
    };
    progress.check()?;
    let output = output.commit()?;
    let (lines, spilled) = (counts.lines - repeated, sorter.written());
    Ok(Summary { read: totals, lines, repeated, left_out: counts.left_out, spilled, output })
}

/// The output of sorted lines.
enum Output {
    Text(Box<dyn Sink>),
    Table(Box<dyn Sink>),
    /// Shards, in blocks of this many lines.
    ZipNum(StagedDirectory, (u64, u64)),
}

impl Output {
    /// Writes the lines of `next`: at most this many.
    fn write(
        self,
        mut next: impl FnMut() -> Result<Option<RecordBatch>> + Send,
        (threads, lines): (&Workers, u64),
    ) -> Result<UncommittedOutput> {
        match self {
            Output::Text(sink) => {
                write_batches(threads, sink.as_ref(), next)?;
                sink.close()
            }
            Output::Table(sink) => {
                write_batches(threads, sink.as_ref(), || {
                    next()?.map(|lines| table::of_lines(&lines)).transpose()
                })?;
                sink.close()
            }
            Output::ZipNum(folder, (shards, block)) => {
                zipnum::write(folder, zipnum::Layout { shards, block, lines, threads }, next)
            }
        }
    }
}

/// Checks that each record has a line, or a reason to have none.
fn check_accounts(counts: &Counts, totals: &Totals) -> Result<()> {
    let (found, expected) = (counts.lines + counts.left_out.all(), totals.tally.rows);
    if found == expected {
        return Ok(());
    }
    Err(Error::unbalanced(format_args!("{expected} records read, {found} accounted for")))
}

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    lines: u64,
    left_out: LeftOut,
}

/// Makes lines of records.
struct Indexer<'a> {
    options: &'a Options,
    sorter: &'a Sorter,
    /// The sink that gets lines as they come.
    direct: Option<&'a dyn Sink>,
    /// Whether the lines become a table.
    is_table: bool,
    damage: &'a (dyn Fn(Damage) -> Result<()> + Sync),
    counts: Mutex<Counts>,
    /// The last file that was found to be compressed as a whole.
    unreachable: Mutex<Option<String>>,
}

/// The lines of a chunk.
struct Seen {
    lines: RecordBatch,
    counts: Counts,
    damaged: Vec<Damage>,
    /// The finding that its file is compressed as a whole.
    unreachable: Option<Damage>,
}

impl Look for Indexer<'_> {
    type Seen = Result<Seen>;

    fn chunk(
        &self,
        chunk: &Chunk,
        format: &Format,
        _: &mut Ahead<'_, Result<Seen>>,
    ) -> Option<(Result<Seen>, u64)> {
        Some((self.lines(chunk, format.name() == "arc"), chunk.records))
    }

    fn batch(&self, _: &Looked<'_>) -> Result<Result<Seen>> {
        // A header that is too long to be held.
        let left_out = LeftOut { damaged: 1, ..LeftOut::default() };
        let (lines, counts) =
            (batch_of(StringArray::from(Vec::<&str>::new()))?, Counts { lines: 0, left_out });
        Ok(Ok(Seen { lines, counts, damaged: Vec::new(), unreachable: None }))
    }

    fn then(&self, seen: Result<Seen>) -> Result<()> {
        let Seen { lines, counts, damaged, unreachable } = seen?;
        damaged.into_iter().try_for_each(self.damage)?;
        if let Some(found) = unreachable {
            // The chunks of a file follow each other, and only the first one reports it.
            let mut last = lock(&self.unreachable);
            if last.as_ref() != Some(&found.source) {
                *last = Some(found.source.clone());
                // The file is not damaged.
                (self.damage)(found).map_err(|error| Error::usage(error.to_string()))?;
            }
        }
        if let Some(sink) = self.direct {
            sink.write(lines, &())?;
        }
        let mut all = lock(&self.counts);
        all.lines += counts.lines;
        all.left_out.add(&counts.left_out);
        Ok(())
    }
}

impl Indexer<'_> {
    /// The requests that belong in keys: by the number of their own record, and of the record with their answer.
    fn posts(&self, blocks: &[Block<'_>]) -> HashMap<usize, Post> {
        let Options { like, has_posts, .. } = self.options;
        if !has_posts || !blocks.iter().any(|block| post::is_one(block.bytes)) {
            return HashMap::new();
        }
        let mut posts = HashMap::new();
        for (at, other) in post::pairs(blocks).into_iter().enumerate() {
            let post = other.filter(|_| post::is_one(blocks[at].bytes));
            if let Some((other, post)) = post.zip(Post::of(blocks[at].bytes, *like)) {
                posts.insert(other, post.clone());
                posts.insert(at, post);
            }
        }
        posts
    }

    fn lines(&self, chunk: &Chunk, is_arc: bool) -> Result<Seen> {
        let Options { form, like, types, names, .. } = self.options;
        let name =
            chunk.part_name().or_else(|| names.get(chunk.source).map(String::as_str)).unwrap_or_default();
        let mut counts = Counts::default();
        let (mut lines, mut line) = (Vec::new(), String::new());
        let mut unreachable = None;
        let blocks: Vec<_> = chunk.blocks().collect();
        let posts = self.posts(&blocks);
        for (at, block) in blocks.iter().enumerate() {
            match Entry::of(block, (*like, types.as_ref()), is_arc, posts.get(&at)) {
                Ok(entry) => {
                    line.clear();
                    line::write(&entry, name, (*form, *like), self.is_table, &mut line);
                    lines.push(line.clone());
                }
                Err(reason) => {
                    if reason == Reason::Unreachable {
                        let sentence = format!(
                            "{name} is compressed as a whole, so that its records cannot be read by themselves: \
                             compress it record by record, for example with warcio recompress"
                        );
                        let before = block.record.unsigned_abs() - 1;
                        unreachable.get_or_insert_with(|| Damage::after(before, name, sentence));
                    }
                    counts.left_out.count(reason);
                }
            }
        }
        let mut damaged = Vec::new();
        for (record, _) in chunk.no_records() {
            counts.left_out.damaged += 1;
            let sentence = format!("record {record} of {name} is not a record of a web archive");
            damaged.push(Damage::after(record.unsigned_abs() - 1, name, sentence));
        }
        counts.lines = lines.len() as u64;
        let lines = batch_of(StringArray::from(lines))?;
        if self.direct.is_none() {
            self.sorter.push_unordered(&lines)?;
        }
        Ok(Seen { lines, counts, damaged, unreachable })
    }
}

/// The lines, sorted.
struct Sorted<'a> {
    sorter: &'a Sorter,
    merge: sort::Merge<'a>,
    progress: &'a Progress,
    drops_equal: bool,
    last: Option<String>,
    repeated: u64,
}

impl<'a> Sorted<'a> {
    fn new(sorter: &'a Sorter, drops_equal: bool, progress: &'a Progress) -> Result<Sorted<'a>> {
        Ok(Sorted { sorter, merge: sorter.merge()?, progress, drops_equal, last: None, repeated: 0 })
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        self.progress.check()?;
        let Some(rows) = self.merge.next_rows()? else { return Ok(None) };
        self.progress.sorted.fetch_add(rows.rows() as u64, std::sync::atomic::Ordering::Relaxed);
        let batch = self.sorter.batch(&rows)?;
        if !self.drops_equal {
            return Ok(Some(batch));
        }
        let lines = batch.column(0).as_string::<i32>();
        let before = |row: usize| match row {
            0 => self.last.as_deref(),
            row => Some(lines.value(row - 1)),
        };
        let kept = (0..lines.len()).filter(|&row| before(row) != Some(lines.value(row)));
        let kept = StringArray::from_iter_values(kept.map(|row| lines.value(row)));
        self.repeated += (lines.len() - kept.len()) as u64;
        self.last = lines.len().checked_sub(1).map(|row| lines.value(row).to_owned());
        batch_of(kept).map(Some)
    }
}

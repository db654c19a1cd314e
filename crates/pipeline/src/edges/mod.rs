//! Edges between pages: the number of links that lead from one host to another, or from one registered domain or page
//! to another, in bounded memory. Runs the pipeline as `links` does, counts the links of each batch, and adds up
//! adjacent counts after a sort.
//!
//! ```text
//! batches ──> counts of one batch ──> sorter ──> sums ──> table: source, target, links, pages
//!             (partial)               (on disk)     └───> graph: vertices and edges as text
//! ```
//!
//! A page is counted once for each edge, however many batches its links are in: the counts of a batch have their first
//! and last page, and those of neighbouring batches may share a page.

mod graph;
mod partial;
mod sums;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use urimill_base::error::{Error, Result};
use urimill_base::locks::lock;
use urimill_base::threads::Workers;
use urimill_columns::batch;
use urimill_columns::batch::{Column, Columns, FurtherUri, MAX_ROWS};
use urimill_read::{ReadChecksums, RecordSource};
use urimill_write::{OutputSize, Sink, SortKey, StagedDirectory};

use crate::sort;
use crate::sort::Sorter;
use crate::verify::{OutputVerifier, Verifier};
use crate::{FormatCheck, Look, Looked, Plan, Progress, Totals, each_batch, write_batches};
use partial::Partial;
use sums::Sums;

/// The kind of vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Node {
    /// The host: a name in ASCII, or an address.
    Host,
    /// The registered domain, by the public suffix list.
    RegisteredDomain,
    /// The URI without its fragment.
    Uri,
}

impl Node {
    /// All of them.
    pub const ALL: [Node; 3] = [Node::Host, Node::RegisteredDomain, Node::Uri];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Node::Host => "host",
            Node::RegisteredDomain => "registered_domain",
            Node::Uri => "uri",
        }
    }

    /// The columns that it is made from; the first that has a text is used, except for URIs.
    fn columns(self) -> &'static [Column] {
        match self {
            Node::Host => &[Column::HostAscii, Column::Host],
            Node::RegisteredDomain => &[Column::RegisteredDomain],
            Node::Uri => &[Column::Uri, Column::Scheme],
        }
    }
}

/// The field of a record with the URI of its page, and that with the page's number.
const PAGE: &str = "page";
const PAGE_RECORD: &str = "page_record";

/// The fields that records must have.
pub const FIELDS: [&str; 2] = [PAGE, PAGE_RECORD];

/// Options of a run that counts edges.
#[derive(Debug, Clone)]
pub struct Options {
    /// The kind of vertices.
    pub node: Node,
    /// The options for reading references. Their columns and further URIs are ignored.
    pub records: batch::Options,
    /// Bytes of memory for counts that wait to be sorted.
    pub memory: usize,
    /// The directory for temporary files.
    pub temp_dir: PathBuf,
    /// The threads that do the work.
    pub threads: Arc<Workers>,
    /// The checksums of everything read, if the run is verified.
    pub checksums: Option<Arc<ReadChecksums>>,
}

/// The output of edges.
pub enum Destination {
    /// A sink of [`schema`], optionally verified.
    Table(Box<dyn Sink>, Option<OutputVerifier>),
    /// The files `vertices.txt.gz` and `edges.txt.gz`.
    Graph(StagedDirectory),
}

/// The counts of a run's links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LinkCounts {
    /// Links of an edge.
    pub counted: u64,
    /// Rows that are not URI references, or that represent a page that could not be read.
    pub invalid: u64,
    /// Links in pages without such a source.
    pub without_source: u64,
    /// Links without such a target, such as `mailto:`, and references that no base completes.
    pub without_target: u64,
    /// Links from a vertex of a graph to itself, which the graph does not have.
    pub to_itself: u64,
}

impl LinkCounts {
    fn add(&mut self, other: &LinkCounts) {
        self.counted += other.counted;
        self.invalid += other.invalid;
        self.without_source += other.without_source;
        self.without_target += other.without_target;
        self.to_itself += other.to_itself;
    }

    fn all(&self) -> u64 {
        self.counted + self.invalid + self.without_source + self.without_target + self.to_itself
    }
}

/// The counts of a finished run.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The sums of everything read.
    pub read: Totals,
    /// The counts of links.
    pub links: LinkCounts,
    /// Edges written.
    pub edges: u64,
    /// The vertices of a graph.
    pub vertices: Option<u64>,
    /// Bytes written to temporary files.
    pub spilled: u64,
    /// The size of the output.
    pub output: OutputSize,
}

/// The schema of the table.
pub fn schema() -> SchemaRef {
    let text = |name| Field::new(name, DataType::Utf8, false);
    let count = |name| Field::new(name, DataType::Int64, false);
    Arc::new(Schema::new(vec![text("source"), text("target"), count("links"), count("pages")]))
}

/// The columns in which tables of edges are sorted.
pub const SORTED_BY: [SortKey; 2] =
    [SortKey { column: 0, descending: false }, SortKey { column: 1, descending: false }];

/// Reads every reference of the pages in `record_source`, counts the links of each edge, writes the edges sorted by
/// source and target, and publishes them on success.
///
/// # Errors
/// The first that occurs; nothing is published then.
pub fn run(
    record_source: RecordSource,
    options: &Options,
    destination: Destination,
    progress: &Progress,
) -> Result<Summary> {
    let node = options.node;
    let page = node.columns().iter().copied();
    let further = FurtherUri { field: PAGE.to_owned(), columns: Columns::new(page), has_own_base: false };
    let own = [Column::Error, Column::Source];
    let records = batch::Options {
        columns: Columns::new(own.into_iter().chain(node.columns().iter().copied())),
        extra: record_source.extra_columns(),
        further: vec![further],
        batch_rows: MAX_ROWS,
        ..options.records.clone()
    };
    let is_graph = matches!(destination, Destination::Graph(_));
    let sorter = |keys: usize, schema: &Schema| {
        let keys = (0..keys).map(|column| SortKey { column, descending: false }).collect();
        // A graph needs two sorters at a time, which share the memory.
        let memory = if is_graph { options.memory / 2 } else { options.memory };
        let temp_dir = options.temp_dir.clone();
        Sorter::new(
            schema,
            &sort::Options { keys, dividing: 0, memory, temp_dir, threads: options.threads.count() },
        )
    };
    let partials = sorter(partial::KEYS, &partial::schema())?;
    let counting =
        Counting { node, is_graph, sorter: &partials, sources: Mutex::default(), links: Mutex::default() };
    let checksums = options.checksums.clone();
    let reading = checksums.clone().map(|checksums| Arc::new(Verifier::of_records(checksums)));
    let plan = Plan::new(&record_source, records, false)?.check_format(FormatCheck::Not).verified_by(reading);
    let totals = each_batch(record_source, &plan, &options.threads, &counting, progress)?;
    let links = *lock(&counting.links);
    check_accounts(links.all(), totals.tally.rows)?;
    checksums.map_or(Ok(()), |checksums| checksums.check())?;

    let mut sums = Sums::new(&partials, progress)?;
    let threads = &*options.threads;
    let (output, vertices, spilled) = match destination {
        Destination::Table(sink, verifier) => {
            let next = || {
                let batch = sums.next()?;
                batch.iter().try_for_each(|batch| match &verifier {
                    Some(verifier) => verifier.add(batch),
                    None => Ok(()),
                })?;
                Ok(batch)
            };
            write_batches(threads, sink.as_ref(), next)?;
            let table = sink.close()?;
            verifier.map_or(Ok(()), |verifier| verifier.check(&table, threads))?;
            (table, None, 0)
        }
        Destination::Graph(folder) => {
            let (output, vertices, spilled) = graph::write(&mut sums, folder, sorter, (threads, progress))?;
            (output, Some(vertices), spilled)
        }
    };
    check_accounts(sums.links(), links.counted)?;
    let edges = sums.edges();
    drop(sums);
    progress.check()?;
    let spilled = spilled + partials.written();
    Ok(Summary { read: totals, links, edges, vertices, spilled, output: output.commit()? })
}

/// Checks that no link is lost.
fn check_accounts(found: u64, expected: u64) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::unbalanced(format_args!("{expected} links read, {found} accounted for")))
}

/// Counts the links of batches.
struct Counting<'a> {
    node: Node,
    is_graph: bool,
    sorter: &'a Sorter,
    /// Numbers for the sources: they are unique, and have no other meaning.
    sources: Mutex<HashMap<String, i64>>,
    links: Mutex<LinkCounts>,
}

impl Look for Counting<'_> {
    type Seen = ();

    fn batch(&self, looked: &Looked<'_>) -> Result<()> {
        let number = |name: &str| {
            let mut sources = lock(&self.sources);
            let next = sources.len() as i64;
            *sources.entry(name.to_owned()).or_insert(next)
        };
        let (edges, links) = Partial::of(looked.batch, (self.node, self.is_graph), number)?;
        lock(&self.links).add(&links);
        self.sorter.push_unordered(&edges)
    }

    fn then(&self, (): ()) -> Result<()> {
        Ok(())
    }
}

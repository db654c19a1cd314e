//! The builder of a run that counts the links of pages between hosts, registered domains or pages.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::budget::{Budget, Threads};
use super::conflicts::{refuse_inputs, refuse_inside, refuse_unreadable};
use super::edges_stats::EdgesStats;
use super::input_format::InputOptions;
use super::links::Links;
use super::normalize_options::NormalizeOptions;
use super::opening::{Opened, Opening};
use super::output::{MakeSink, Output, hiding};
use super::progress::RunProgress;
use super::setting::{Setting, Settings};
use super::stats::by_code;
use crate::batch::Columns;
use crate::edges;
use crate::edges::{Destination, Node, Options};
use crate::error::{Error, Result};
use crate::option_name::OptionName;
use crate::read::format::Keep;
use crate::read::{Damages, OnDamage, RecordSource, Source, expand};
use crate::simd::Isa;
use crate::verify::OutputVerifier;
use crate::write;
use crate::write::{Format, SinkOptions, StagedDirectory};

/// Counts the links of pages: a row for each source and target, sorted by both, with the number of links and of pages
/// that have them.
///
/// ```
/// use urimill::run::{Edges, Node, Output};
///
/// let folder = tempfile::tempdir()?;
/// let (page, table) = (folder.path().join("page.html"), folder.path().join("edges.csv"));
/// std::fs::write(&page, "<a href=//example.org/a></a><a href=//example.org/a#b></a><a href=//example.org/c></a>")?;
/// let stats = Edges::new(Node::Uri).inputs([page]).write_to(Output::to(&table)).run()?;
/// assert_eq!((stats.links.counted, stats.edges), (3, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Edges {
    inputs: Vec<OsString>,
    pub(super) links: Links,
    pub(super) node: Node,
    pub(super) is_graph: bool,
    pub(super) normalize: NormalizeOptions,
    on_damage: OnDamage,
    temp_dir: Option<PathBuf>,
    pub(super) memory: Option<u64>,
    pub(super) threads: Option<usize>,
    pub(super) chunk_bytes: usize,
    pub(super) verify: bool,
    pub(super) output: Option<Output>,
    progress: RunProgress,
}

impl Settings for Edges {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Inputs => self.inputs = setting.texts(),
            OptionName::Edges => {
                self.node = setting.one_of(Node::ALL.map(|node| (node.as_str(), node)))?;
            }
            OptionName::Graph => self.is_graph = setting.is_on()?,
            OptionName::OnDamage => self.on_damage = setting.one_of(OnDamage::NAMED)?,
            OptionName::TempDir => self.temp_dir = Some(setting.path()),
            OptionName::Memory => self.memory = Some(setting.bytes()?),
            OptionName::Threads => self.threads = Some(setting.number()?),
            OptionName::ChunkBytes => self.chunk_bytes = setting.length()?,
            OptionName::Verify => self.verify = setting.is_on()?,
            _ => {
                return Ok(self.links.put(setting)?
                    || self.normalize.put(setting)?
                    || self.output.as_mut().map_or(Ok(false), |output| output.put(setting))?);
            }
        }
        Ok(true)
    }
}

impl Edges {
    /// A run with the defaults, which reads standard input. It needs an output: see [`write_to`](Self::write_to).
    pub fn new(node: Node) -> Self {
        Edges {
            inputs: Vec::new(),
            links: Links::default(),
            node,
            is_graph: false,
            normalize: NormalizeOptions::default(),
            on_damage: OnDamage::default(),
            temp_dir: None,
            memory: None,
            threads: None,
            chunk_bytes: 1 << 20,
            verify: false,
            output: None,
            progress: RunProgress::default(),
        }
    }

    /// Files, patterns such as `crawl/*.warc.gz`, or `-` for standard input.
    pub fn inputs(self, inputs: impl IntoIterator<Item: Into<OsString>>) -> Self {
        Edges { inputs: inputs.into_iter().map(Into::into).collect(), ..self }
    }

    /// How pages are read.
    pub fn links(self, links: Links) -> Self {
        Edges { links, ..self }
    }

    /// Writes a directory of two texts, `vertices.txt.gz` and `edges.txt.gz`, as Common Crawl publishes its graphs:
    /// vertices are numbered in the order of their reversed names, and have no edge to themselves.
    pub fn graph(self, is_graph: bool) -> Self {
        Edges { is_graph, ..self }
    }

    /// How references are read: specification, level, repair, and the public suffix list.
    pub fn normalize(self, options: NormalizeOptions) -> Self {
        Edges { normalize: options, ..self }
    }

    /// What becomes of inputs that are truncated or damaged.
    pub fn on_damage(self, on_damage: OnDamage) -> Self {
        Edges { on_damage, ..self }
    }

    /// Where temporary files go; by default the system's place for them.
    pub fn temp_dir(self, directory: impl Into<PathBuf>) -> Self {
        Edges { temp_dir: Some(directory.into()), ..self }
    }

    /// Memory for the run, in bytes. By default 512 MiB, or 64 MiB for each thread where that is more.
    pub fn memory(self, bytes: u64) -> Self {
        Edges { memory: Some(bytes), ..self }
    }

    /// The number of threads. By default as many as there are processors.
    pub fn threads(self, threads: usize) -> Self {
        Edges { threads: Some(threads), ..self }
    }

    /// How much is read at once, in bytes.
    pub fn chunk(self, bytes: usize) -> Self {
        Edges { chunk_bytes: bytes, ..self }
    }

    /// Reads the table back when it is complete, and publishes it only if it holds the rows that were counted.
    pub fn verify(self, verify: bool) -> Self {
        Edges { verify, ..self }
    }

    /// Where the table or the graph goes.
    pub fn write_to(self, output: Output) -> Self {
        Edges { output: Some(output), ..self }
    }

    /// What another thread may look at while the run goes on, and how it stops it.
    pub fn progress(self, progress: &RunProgress) -> Self {
        Edges { progress: progress.clone(), ..self }
    }

    /// Reads every page, counts its links, and publishes the edges when all is well.
    ///
    /// # Errors
    /// As [`Conversion::run`](super::Conversion::run).
    pub fn run(self) -> Result<EdgesStats> {
        self.prepare()?.run()
    }

    /// The format of the table; of a graph none.
    ///
    /// # Errors
    /// Usage, where nothing says which.
    pub fn output_format(&self) -> Result<Option<Format>> {
        if self.is_graph {
            return Ok(None);
        }
        self.output()?.table_format(false).map(Some)
    }

    pub(super) fn output(&self) -> Result<&Output> {
        Output::of(self.output.as_ref())
    }

    /// The directory of the graph.
    fn directory(&self, sources: &[Source]) -> Result<StagedDirectory> {
        let output = self.output()?;
        let path = output.path.as_deref().unwrap_or(Path::new(""));
        refuse_inside(path, sources, None)?;
        StagedDirectory::create_for(&self.progress.temporaries, path, output.force)
    }

    /// [`run`](Self::run) where the rows of the table go to a sink of the caller's: no output is named then.
    ///
    /// # Errors
    /// Fails as [`run`](Self::run) does, and where the sink fails.
    pub fn run_into(self, sink: MakeSink<'_>) -> Result<EdgesStats> {
        if self.output.is_some() || self.is_graph || self.verify {
            return Err(Error::usage(format!(
                "the table goes to the caller, who has no file to write or to verify: drop {}, or give {}",
                OptionName::Verify.on(),
                OptionName::Output.named()
            )));
        }
        self.prepare_for(Some(sink))?.run()
    }

    /// [`run`](Self::run) up to its first record.
    ///
    /// # Errors
    /// Fails as [`run`](Self::run) does.
    pub fn prepare(self) -> Result<PreparedEdges> {
        self.prepare_for(None)
    }

    fn prepare_for(self, sink: Option<MakeSink<'_>>) -> Result<PreparedEdges> {
        let begun = Instant::now();
        self.check_options()?;
        let path = match sink {
            Some(_) => None,
            None => {
                self.check_output()?;
                self.output()?.path.clone()
            }
        };
        let sources = expand(&self.inputs)?;
        if self.verify {
            refuse_unreadable(path.as_deref())?;
        }
        refuse_inputs(&sources, [path.as_deref(), None::<&Path>])?;
        let threads = Threads::new(self.threads);
        let budget = Budget::new(self.memory, threads.given);
        self.progress.counters.memory.store(budget.whole, Ordering::Relaxed);
        let records = self.normalize.read(Columns::default())?;
        let keep = Keep::Names(edges::FIELDS.map(str::to_owned).to_vec());
        let reader = (self.links.reader(&keep, &records, self.temp_dir.as_deref())?, records.max_record);
        let input =
            InputOptions { encoding: self.links.encoding, ..InputOptions::new().on_damage(self.on_damage) };
        let opening = Opening {
            chunk_bytes: self.chunk_bytes,
            memory: Some(budget.whole),
            verify: self.verify,
            force_format: true,
            ..input.opening(sources.clone(), reader, threads.given, &self.progress)
        };
        let Opened { record_source, damages, checksums } = opening.open()?;
        let (name, format, destination) = match sink {
            Some(sink) => (String::new(), "stream", Destination::Table(sink(edges::schema())?, None)),
            None => self.destination(&sources, &records)?,
        };
        let options = Options {
            node: self.node,
            records,
            memory: budget.waiting(),
            temp_dir: self.temp_dir.clone().unwrap_or_else(std::env::temp_dir),
            threads: threads.given,
            checksums,
        };
        let (verify, progress) = (self.verify, self.progress);
        Ok(PreparedEdges {
            begun,
            options,
            threads,
            record_source,
            destination,
            name,
            format,
            damages,
            verify,
            progress,
        })
    }
}

impl Edges {
    /// Where the output goes, with its name and that of its format.
    fn destination(
        &self,
        sources: &[Source],
        records: &crate::batch::Options,
    ) -> Result<(String, &'static str, Destination)> {
        let Some(format) = self.output_format()? else {
            let folder = self.directory(sources)?;
            return Ok((folder.name().to_owned(), "graph", Destination::Graph(folder)));
        };
        let output = self.output()?;
        let target = output.target(&self.progress.temporaries)?;
        let name = target.name().to_owned();
        let metadata = self.normalize.metadata(records, None, true);
        let metadata = metadata.into_iter().chain([("urimill.edges", self.node.as_str().to_owned())]);
        let options = hiding(output.sink_options(metadata.collect()), records.hide);
        let options = SinkOptions { checksums: self.verify, sorting: edges::SORTED_BY.to_vec(), ..options };
        let verifier =
            self.verify.then(|| OutputVerifier::new(format, &edges::schema(), &options, &[])).transpose()?;
        let sink = write::create(format, target, edges::schema(), &options)?;
        Ok((name, format.name(), Destination::Table(sink, verifier)))
    }
}

/// A run that can begin; dropped without [`run`](Self::run) it leaves nothing behind.
#[must_use = "it does nothing until it is run"]
pub struct PreparedEdges {
    begun: Instant,
    options: Options,
    threads: Threads,
    record_source: RecordSource,
    destination: Destination,
    name: String,
    format: &'static str,
    damages: Damages,
    verify: bool,
    progress: RunProgress,
}

impl PreparedEdges {
    /// The threads that the run has.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// Reads every page, counts its links, and publishes the edges when all is well.
    ///
    /// # Errors
    /// Fails as [`Edges::run`] does.
    pub fn run(self) -> Result<EdgesStats> {
        let PreparedEdges { options, progress, .. } = self;
        let input_format = self.record_source.format().name();
        let summary = edges::run(self.record_source, &options, self.destination, &progress.counters)?;
        Ok(EdgesStats {
            input_format,
            stored_bytes: progress.stored_bytes(),
            output_name: self.name,
            output_format: self.format,
            verified: self.verify,
            damaged: self.damages.list(),
            threads: self.threads.given,
            time: self.begun.elapsed(),
            node: options.node,
            pages: summary.read.pages,
            links: summary.links,
            by_code: by_code(&summary.read.tally),
            edges: summary.edges,
            vertices: summary.vertices,
            bytes: summary.read.bytes,
            spilled_bytes: summary.spilled,
            output_bytes: summary.output.bytes,
            spec: options.records.standard(),
            isa: options.records.isa.unwrap_or_else(Isa::chosen),
        })
    }
}

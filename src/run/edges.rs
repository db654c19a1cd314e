//! The builder of a run that counts the links of pages between hosts, registered domains or pages.

use std::path::Path;
use std::sync::Arc;

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::Columns;
use urimill_pipeline::edges;
use urimill_pipeline::edges::{Destination, Node, Options};
use urimill_pipeline::verify::{OutputVerifier, Verified};
use urimill_read::Source;
use urimill_read::format::Keep;
use urimill_write::{Format, SinkOptions, StagedDirectory};

use super::common::{Common, setters};
use super::conflicts::refuse_inside;
use super::input_format::InputOptions;
use super::job::{Job, Running};
use super::links::Links;
use super::normalize_options::NormalizeOptions;
use super::opening;
use super::options;
use super::output::{MakeSink, Output, hiding};
use super::setting::{Setting, Settings};
use super::stats::{EdgesStats, OutputStats, Stats};

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
/// let links = stats.edges.expect("the counts of links").links;
/// assert_eq!((links.counted, stats.rows), (3, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Edges {
    pub(super) common: Common,
    input: InputOptions,
    pub(super) links: Links,
    pub(super) node: Node,
    pub(super) is_graph: bool,
    pub(super) normalize: NormalizeOptions,
    pub(super) output: Option<Output>,
}

impl Settings for Edges {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Edges => {
                self.node = setting.one_of(Node::ALL.map(|node| (node.as_str(), node)))?;
            }
            OptionName::Graph => self.is_graph = setting.is_on()?,
            _ => {
                return Ok(self.common.put(setting, Self::NAME)?
                    || self.links.put(setting)?
                    || self.normalize.put(setting)?
                    || self.output.as_mut().map_or(Ok(false), |output| output.put(setting))?
                    || Self::NAME.row(setting.option()).is_some() && self.input.put(setting)?);
            }
        }
        Ok(true)
    }
}

impl Edges {
    /// A run with the defaults, which reads standard input. It needs an output: see [`write_to`](Self::write_to).
    pub fn new(node: Node) -> Self {
        Edges {
            common: Common::default(),
            input: InputOptions::default(),
            links: Links::default(),
            node,
            is_graph: false,
            normalize: NormalizeOptions::default(),
            output: None,
        }
    }

    /// How pages are read.
    pub fn links(self, links: Links) -> Self {
        Edges { links, ..self }
    }

    /// Writes a directory of two text files, `vertices.txt.gz` and `edges.txt.gz`, as Common Crawl publishes its
    /// graphs: vertices are numbered in the order of their reversed names, and have no edge to themselves.
    pub fn graph(self, is_graph: bool) -> Self {
        Edges { is_graph, ..self }
    }

    setters!(inputs, normalize, temp_dir, memory, threads, chunk, verify, write_to, progress, run, run_into);
    setters!(damage);

    /// The format of the table; a graph has none.
    ///
    /// Usage, if neither option nor extension sets it.
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
        StagedDirectory::create_for(&self.common.progress.temporaries, path, output.force)
    }

    /// The output, with its name and that of its format.
    fn destination(
        &self,
        sources: &[Source],
        records: &urimill_columns::batch::Options,
    ) -> Result<(String, &'static str, Destination)> {
        let Some(format) = self.output_format()? else {
            let folder = self.directory(sources)?;
            return Ok((folder.name().to_owned(), "graph", Destination::Graph(folder)));
        };
        let output = self.output()?;
        let target = output.target(&self.common.progress.temporaries)?;
        let name = target.name().to_owned();
        let metadata = self.normalize.metadata(records, None, true);
        let metadata = metadata.into_iter().chain([("urimill.edges", self.node.as_str().to_owned())]);
        let options = hiding(output.sink_options(metadata.collect()), records.hide);
        let options =
            SinkOptions { checksums: self.common.verify, sorting: edges::SORTED_BY.to_vec(), ..options };
        let verifier = self
            .common
            .verify
            .then(|| OutputVerifier::new(format, &edges::schema(), &options, &[]))
            .transpose()?;
        let sink = urimill_write::create(format, target, edges::schema(), &options)?;
        Ok((name, format.name(), Destination::Table(sink, verifier)))
    }
}

/// The open inputs and outputs of an [`Edges`].
pub struct Opened {
    options: Options,
    read: opening::Opened,
    destination: Destination,
    name: String,
    format: &'static str,
}

impl Job for Edges {
    const NAME: options::Job = options::Job::Links;
    type Opened = Opened;
    type Stats = Stats;

    fn common(&self) -> &Common {
        &self.common
    }

    fn check(&self, has_sink: bool) -> Result<()> {
        if has_sink && (self.output.is_some() || self.is_graph || self.common.verify) {
            return Err(Error::usage(format!(
                "the table goes to the caller, who has no file to write or to verify: drop {}, or give {}",
                OptionName::Verify.on(),
                OptionName::Output.named()
            )));
        }
        self.check_options()?;
        if has_sink { Ok(()) } else { self.check_output() }
    }

    fn open(&self, sources: Vec<Source>, running: &Running, sink: Option<MakeSink<'_>>) -> Result<Opened> {
        if let Some(output) = &self.output {
            self.common.refuse_outputs(&sources, [output.path.as_deref(), None])?;
        }
        let records = self.normalize.read(Columns::default())?;
        let keep = Keep::Names(edges::FIELDS.map(str::to_owned).to_vec());
        let reader = self.links.reader(&keep, &records, self.common.temp_dir.as_deref())?;
        let mut opening = self.input.opening(sources.clone(), (reader, records.max_record), running);
        (opening.options.force_format, opening.options.encoding) = (true, self.links.encoding);
        let read = opening.open()?;
        let (name, format, destination) = match sink {
            Some(sink) => (String::new(), "stream", Destination::Table(sink(edges::schema())?, None)),
            None => self.destination(&sources, &records)?,
        };
        let options = Options {
            node: self.node,
            records,
            memory: running.budget.waiting(),
            temp_dir: self.common.temp_dir(),
            threads: Arc::clone(&running.workers),
            checksums: read.checksums.clone(),
        };
        Ok(Opened { options, read, destination, name, format })
    }

    fn work(self, opened: Opened, running: Running) -> Result<Stats> {
        let Opened { options, read, .. } = opened;
        let stats = Stats::of(&read, &self.input, &options.records);
        let counters = &running.common.progress.counters;
        let summary = edges::run(read.record_source, &options, opened.destination, counters)?;
        let stats = Stats {
            rows: summary.edges,
            pages: Some(summary.read.pages),
            spilled_bytes: Some(summary.spilled),
            output: OutputStats::of(opened.name, opened.format, summary.output),
            verified: self.common.verify.then_some(Verified::Rows),
            edges: Some(EdgesStats { node: options.node, links: summary.links, vertices: summary.vertices }),
            ..stats.read(&summary.read)
        };
        Ok(stats.end(&running))
    }
}

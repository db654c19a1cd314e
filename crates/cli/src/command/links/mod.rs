//! `urimill links`: a table of the references in pages, its arguments and what they ask for.

mod edges;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::args::damage::Damaged;
use crate::args::output::Writing;
use crate::args::partition;
use crate::args::partition::Layout;
use crate::args::passwords::Hiding;
use crate::args::running::Running;
use crate::args::sort::Sorting;
use crate::args::values::{bytes, levels, standards};
use crate::term::damage;
use crate::term::stderr::say_sentence;
use crate::term::summary;
use urimill::Standard;
use urimill::error::Result;
use urimill::normalize::Level;
use urimill::run::{
    Conversion, Encoding, Links, Node, NormalizeOptions, OnInvalid, PageKind, PreparedRun, RunProgress,
};

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill links crawl.warc.gz -o links.parquet
      every reference in the pages of a web archive, resolved, with its place and its words
  urimill links 'saved/*.html' --base http://example.com/ -o links.csv
      pages that were saved from somewhere
  urimill links crawl.warc.gz --columns page,uri,rel,text --to jsonl | head
      some columns
  urimill links CC-MAIN.warc.wat.gz -o links/ --partition-by internal
      what somebody extracted from an archive, as a directory of files
  urimill links crawl.warc.gz --spec whatwg --rejects bad.jsonl -o links.parquet
      as browsers read them; texts that are no URLs go to a table of their own
  urimill links 'crawl/*.warc.gz' --edges host -o edges.parquet
      how many links lead from each host to each other
  urimill links 'crawl/*.warc.gz' --edges registered_domain --graph -o graph/
      the graph of domains, for tools that read Common Crawl's";

/// The arguments of `urimill links`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files, patterns such as 'pages/*.html', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    #[command(flatten)]
    writing: Writing,

    #[command(flatten)]
    layout: Layout,

    #[command(flatten)]
    sorting: Sorting,

    /// What the inputs are
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = kinds())]
    from: PageKind,

    /// The base of pages that do not say where they were retrieved: files, and records without a URI (RFC 3986,
    /// 5.1.4) [default: a file's own file: URI]
    #[arg(long, value_name = "URI", allow_hyphen_values = true)]
    base: Option<String>,

    /// The encoding of files, whatever they say of themselves: utf-8, latin1, shift_jis or another of the Encoding
    /// Standard [default: by byte-order mark, meta element or XML declaration, else windows-1252]
    #[arg(long, value_name = "ENCODING")]
    encoding: Option<Encoding>,

    /// Ignore the scheme of a reference if it is the base's: http:g is g (5.2.2)
    #[arg(long)]
    compat: bool,

    /// The specification by which references are read: an RFC decides what is valid; whatwg, the URL Standard,
    /// reads as browsers do
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = standards())]
    spec: Standard,

    /// The normal form to write (RFC 3986, 6.2); each level includes those before it [default: scheme]
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    level: Option<Level>,

    /// Repair texts that are no URI references as browsers do: white space, delimiters around them,
    /// characters that need encoding
    #[arg(long)]
    repair: bool,

    /// What to do with a text that is no URI reference [default: keep; with --rejects: reject]
    #[arg(long, value_enum, value_name = "WHAT")]
    on_invalid: Option<Invalid>,

    /// File for texts that are no URI references: a table of its own, in the format of its extension, or else of --to
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,

    /// Columns of the table, by name, separated by commas. +NAME and -NAME change the default (see urimill schema)
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    columns: Option<String>,

    /// The public suffix list for internal and columns such as registered_domain, in the format of publicsuffix.org
    /// [default: the one built in]
    #[arg(long, value_name = "FILE")]
    psl: Option<PathBuf>,

    #[command(flatten)]
    damaged: Damaged,

    #[command(flatten)]
    hiding: Hiding,

    /// Show passwords in messages and in the summary, which otherwise have *** in their place
    #[arg(long)]
    show_passwords: bool,

    /// Checksum every reference, read the complete outputs back, and publish them only if they hold them: as read, if
    /// the columns include those (uri, raw and raw_bytes do), or else the rows made from them
    #[arg(long)]
    verify: bool,

    /// The longest reference in bytes, up to 512M; longer ones are rejected. K, M and G stand for 1024,
    /// 1024², 1024³
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes)]
    max_record: u64,

    /// Write no table of links, but how many lead from one host, registered domain or page to another, and from how
    /// many pages: the columns source, target, links, pages
    #[arg(long, value_name = "WHAT", value_parser = nodes(), conflicts_with_all = OF_ROWS)]
    edges: Option<Node>,

    /// With --edges: write a directory of two texts as Common Crawl publishes its graphs. vertices.txt.gz has a line
    /// for each name, its number and its labels from the right; edges.txt.gz has the numbers of source and target
    #[arg(long, requires = "edges")]
    graph: bool,

    #[command(flatten)]
    running: Running,
}

/// Options for a table with a row for each link.
const OF_ROWS: [&str; 7] =
    ["columns", "rejects", "on_invalid", "sort_by", "partition_by", "file_size", "max_partitions"];

/// What `--on-invalid` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Invalid {
    /// Keep its row, with its code in the column error
    Keep,
    /// Write it to the table that --rejects names
    Reject,
    /// Drop it; the summary says how many there were
    Drop,
    /// Stop the run with exit code 1
    Fail,
}

/// What edges lead from and to, by name.
fn nodes() -> impl TypedValueParser<Value = Node> {
    let parser = PossibleValuesParser::new(Node::ALL.map(Node::as_str));
    parser.map(|name| Node::ALL.into_iter().find(|node| node.as_str() == name).unwrap_or(Node::Host))
}

/// What inputs are, by name.
fn kinds() -> impl TypedValueParser<Value = PageKind> {
    let value = |kind: PageKind| PossibleValue::new(kind.name()).help(kind.meaning());
    let parser = PossibleValuesParser::new(PageKind::ALL.map(value));
    parser.map(|name| PageKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or_default())
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if let Some(node) = arguments.edges {
        return edges::run(arguments, node);
    }
    let progress = RunProgress::default();
    let run = arguments.conversion().progress(&progress);
    run.validate()?;
    arguments.writing.refuse_terminal(run.output_format()?)?;
    let running = &arguments.running;
    let stats = running.complete(&progress, || run.prepare(), PreparedRun::threads, PreparedRun::run)?;
    if let Some(warning) = partition::warning(&stats.output) {
        say_sentence(&warning);
    }
    summary::print(&stats, arguments.running.summary());
    damage::tell(&stats.damaged)
}

impl Arguments {
    /// How pages are read.
    fn links(&self) -> Links {
        let mut links = Links::new().format(self.from);
        if let Some(base) = &self.base {
            links = links.base(base);
        }
        if let Some(encoding) = self.encoding {
            links = links.encoding(encoding);
        }
        links
    }

    fn conversion(&self) -> Conversion {
        let mut run = Conversion::new()
            .links(self.links())
            .inputs(&self.inputs)
            .normalize(self.normalize_options())
            .on_damage(self.damaged.choice())
            .verify(self.verify)
            .chunk(self.running.chunk())
            .write_to(self.writing.output());
        if let Some(columns) = &self.columns {
            run = run.columns([columns]);
        }
        if let Some(on_invalid) = self.on_invalid {
            run = run.on_invalid(match on_invalid {
                Invalid::Keep => OnInvalid::Keep,
                Invalid::Reject => OnInvalid::Reject,
                Invalid::Drop => OnInvalid::Drop,
                Invalid::Fail => OnInvalid::Fail,
            });
        }
        if let Some(file) = &self.rejects {
            run = run.rejects(file);
        }
        if let Some(threads) = self.running.threads() {
            run = run.threads(threads);
        }
        self.sorting.fill(self.layout.fill(run))
    }

    fn normalize_options(&self) -> NormalizeOptions {
        let mut options = NormalizeOptions::new()
            .spec(self.spec)
            .repair(self.repair)
            .compat(self.compat)
            .show_passwords(self.show_passwords)
            .max_record(self.max_record as usize);
        if let Some(level) = self.level {
            options = options.level(level);
        }
        if let Some(file) = &self.psl {
            options = options.psl(file);
        }
        self.hiding.fill(options)
    }
}

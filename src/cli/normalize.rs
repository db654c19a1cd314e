//! `urimill normalize`: the main job.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::{Args, ValueEnum};
use serde_json::json;

use super::progress::{Bar, When};
use super::reading::Reading;
use super::signals;
use super::sorting::Sorting;
use super::stderr::say_sentence;
use super::summary::{Form, Report};
use super::values::{bytes, forms, levels, specs, threads};
use super::writing::{Writing, refuse_inputs};
use crate::audit::FLAG_NAMES;
use crate::batch::{Column, Columns, Options};
use crate::canonical::{Canonical, DropParams, TRACKING_VERSION};
use crate::domain::SuffixList;
use crate::error::{Error, ErrorKind, Result};
use crate::grammar::Spec;
use crate::input::format::Keep;
use crate::input::{self, ChunkOptions, Chunker, Source, expand};
use crate::normalize::{DefaultScheme, Level};
use crate::output::{self, Format, Sink, SinkOptions, same_target};
use crate::pipeline::{self, OnInvalid, Outlet, Plan, Progress};

/// What `--help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  urimill normalize urls.txt.gz -o urls.parquet
      a table of all components, in the normal form
  urimill normalize 'logs/*.gz' -o urls.parquet --rejects bad.jsonl
      what is no URI reference goes to a table of its own
  zcat urls.gz | urimill normalize --level syntax | sort -u
      the normal forms alone, one a line
  urimill normalize urls.txt --repair --to csv --columns host,path,error | head
      some columns, after mending what can be mended
  urimill normalize urls.txt --columns +surt --canonical w3lib --drop-tracking -o urls.parquet
      the key of web archives, and one name for what is probably one page
  urimill normalize links.csv --from csv --base-field page --uri-field href -o links.parquet
      what the links of pages mean, each against its page
  urimill normalize crawl.log.gz --from heritrix -o crawl.parquet
      a crawler's log, its other fields typed
  urimill normalize urls.txt --columns +surt --sort-by surt -o urls.parquet
      a site's pages side by side; readers skip what they don't look for";

/// The arguments of `urimill normalize`; their comments are the help text.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,

    #[command(flatten)]
    writing: Writing,

    #[command(flatten)]
    sorting: Sorting,

    #[command(flatten)]
    reading: Reading,

    /// The specification that decides what is valid
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = specs())]
    spec: Spec,

    /// The normal form to write, by RFC 3986, 6.2: each level includes those before it
    #[arg(long, value_name = "LEVEL", default_value = "scheme", value_parser = levels())]
    level: Level,

    /// Mend what is no URI reference as browsers do: white space, delimiters around it, characters that need encoding
    #[arg(long)]
    repair: bool,

    /// With --repair: complete suffixes of URIs, such as www.w3.org/Addressing/, with SCHEME://; for lists of them,
    /// because script.pl is a host then
    #[arg(long, value_name = "SCHEME", requires = "repair", conflicts_with_all = ["base", "base_field"])]
    default_scheme: Option<DefaultScheme>,

    /// What to do with a record that is no URI reference [default: keep; with --rejects: reject]
    #[arg(long, value_enum, value_name = "WHAT")]
    on_invalid: Option<Invalid>,

    /// Where rejected records go: a table of its own, its format by the end of FILE's name, else by --to
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,

    /// Columns of the table, by name with commas between; +NAME and -NAME change the default (see urimill schema)
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    columns: Option<String>,

    /// The public suffix list for columns such as registered_domain, in the form of publicsuffix.org; rules outside
    /// its sections count as ICANN's [default: the one built in]
    #[arg(long, value_name = "FILE")]
    psl: Option<PathBuf>,

    /// Add the column canonical: the form that another tool makes of the reference as it was read, and resolved
    /// where there is a base
    #[arg(long, value_name = "FORM", value_parser = forms())]
    canonical: Option<Canonical>,

    /// Leave parameters of the query out of canonical, by name, with commas between; * and ? stand for any
    /// characters, [ab] for one of these
    #[arg(long, value_name = "PATTERN,…", value_delimiter = ',', requires = "canonical")]
    drop_params: Vec<String>,

    /// Leave parameters out of canonical that only tell where a visitor came from, such as utm_source
    #[arg(long, requires = "canonical")]
    drop_tracking: bool,

    /// Number of threads [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// The longest record in bytes; longer ones are rejected. K, M and G stand for 1024, 1024², 1024³
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes)]
    max_record: u64,

    /// Whether to show a progress bar: on a terminal, nowhere, everywhere
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_possible_values = false)]
    progress: When,

    /// How to print the summary on standard error
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Text)]
    summary: Form,

    /// How much is read at once
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes, hide = true)]
    chunk: u64,
}

/// What `--on-invalid` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Invalid {
    /// It keeps its row, with its code in the column error; said outright, even where none of the first 1,000 records
    /// looks like the format
    Keep,
    /// It goes to the table that --rejects names; said outright, likewise
    Reject,
    /// The run stops, with exit code 1
    Fail,
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    let begun = Instant::now();
    let format = arguments.writing.format()?;
    let options = arguments.options(format)?;
    let input_format = arguments.input_format(format)?;
    let sources = expand(&arguments.inputs)?;
    arguments.check_outputs(&sources, format)?;
    signals::watch();

    let total = sources.iter().map(Source::size).sum::<Option<u64>>();
    let stored = Arc::new(AtomicU64::new(0));
    let progress = Arc::new(Progress::default());
    let chunks = ChunkOptions {
        chunk_bytes: arguments.chunk as usize,
        max_record: arguments.max_record as usize,
        ..ChunkOptions::default()
    };
    let is_auto = matches!(input_format, input::Format::Auto(_));
    let mut chunker = Chunker::new(sources, chunks, stored.clone()).with_format(input_format);
    chunker.begin()?;
    if is_auto {
        say_sentence(&format!("took the input for {}", chunker.format().name()));
    }
    let options = Options { kept: chunker.format().kept(), ..options };
    let threads = threads(arguments.threads);
    let plan = Plan::new(options.clone(), arguments.rejects.is_some());
    // Said outright, it is meant for whatever comes.
    let plan = if arguments.on_invalid.is_some() { plan.insisting() } else { plan };
    let sink_options = arguments.sink_options(&options);

    let target = arguments.writing.target()?;
    let table_name = target.name().to_owned();
    let sorter = arguments.sorting.sorter(&plan.table_schema(), &target, threads)?;
    let table = match sorter {
        None => output::create(format, target, plan.table_schema(), &sink_options)?.into(),
        Some((sorter, sorting)) => {
            let mut metadata = sink_options.metadata.clone();
            metadata.extend(arguments.sorting.metadata());
            let sink_options = SinkOptions { sorting, metadata, ..sink_options.clone() };
            let sink = output::create(format, target, sorter.schema(), &sink_options)?;
            Outlet::Sorted(Box::new(sorter), sink)
        }
    };
    let on_invalid = match (&arguments.rejects, arguments.on_invalid) {
        (Some(path), _) => OnInvalid::Reject(arguments.rejects_sink(path, &plan, &sink_options)?),
        (None, Some(Invalid::Fail)) => OnInvalid::Fail,
        (None, _) => OnInvalid::Keep,
    };
    let keeps_rejects = matches!(on_invalid, OnInvalid::Keep);

    let bar = Bar::start(arguments.progress, total, &stored, &progress);
    let result = pipeline::run(chunker, &plan, threads, table, on_invalid, &progress);
    drop(bar);
    let summary = result.map_err(|error| arguments.left_alone(error))?;
    let rejects = arguments.rejects.as_ref().map(|path| path.display().to_string());
    let report = Report {
        summary: &summary,
        options: &options,
        threads,
        stored: stored.load(Ordering::Relaxed),
        time: begun.elapsed(),
        table: (&table_name, format.name()),
        rejects: rejects.as_deref(),
        keeps_rejects,
        reading: &arguments.reading,
    };
    report.print(arguments.summary);
    Ok(())
}

impl Arguments {
    /// A closed pipe is no failure of a run that fills that pipe alone. With two outputs the other
    /// one was wanted as well, and it is not there.
    fn left_alone(&self, error: Error) -> Error {
        match &self.rejects {
            Some(_) if error.kind() == ErrorKind::ClosedPipe => {
                Error::new(ErrorKind::Io, format!("{error}; nothing was published"))
            }
            _ => error,
        }
    }

    fn options(&self, format: Format) -> Result<Options> {
        let columns = self.table_columns(format)?;
        let suffix_list = match &self.psl {
            Some(_) if !columns.use_suffix_list() => {
                return Err(Error::usage(
                    "--psl is for columns that need a public suffix list: ask for one, as in --columns +registered_domain",
                ));
            }
            Some(path) => SuffixList::read(path)?,
            None => SuffixList::embedded(),
        };
        let options = Options {
            spec: self.spec,
            level: self.level,
            repair: self.repair,
            default_scheme: self.default_scheme,
            max_record: self.max_record as usize,
            columns,
            suffix_list,
            canonical: self.canonical,
            drop_params: self.drops()?,
            ..Options::default()
        };
        self.reading.resolving(options)
    }

    /// The inputs' format, and which of its fields pass through.
    fn input_format(&self, format: Format) -> Result<input::Format> {
        if format == Format::Uris && self.reading.keeps() {
            return Err(Error::usage(
                "the format uris holds the column uri alone: choose another format with --keep",
            ));
        }
        // A list without signs says exactly which columns there are.
        let is_exact = self.columns.as_ref().is_some_and(|list| !list.contains(['+', '-']));
        let keep = if format == Format::Uris || is_exact { Keep::None } else { Keep::All };
        self.reading.format(self.max_record as usize, keep)
    }

    fn table_columns(&self, format: Format) -> Result<Columns> {
        if format == Format::Uris {
            let asked = self.columns.as_ref().map(|_| "--columns").or(self.canonical.map(|_| "--canonical"));
            return match asked {
                Some(option) => Err(Error::usage(format!(
                    "the format uris holds the column uri alone: choose another format with {option}"
                ))),
                None => Ok(Columns::new([Column::Uri])),
            };
        }
        let columns = self.columns.as_deref().map_or_else(|| Ok(Columns::default()), Columns::parse)?;
        match self.canonical {
            Some(_) => Ok(columns.union(&Columns::new([Column::Canonical]))),
            None if columns.contains(Column::Canonical) => Err(Error::usage(format!(
                "the column canonical needs to know which form: give --canonical {}",
                Canonical::ALL.map(Canonical::as_str).join("|")
            ))),
            None => Ok(columns),
        }
    }

    fn drops(&self) -> Result<DropParams> {
        let drops = DropParams::none().and_patterns(&self.drop_params)?;
        Ok(if self.drop_tracking { drops.and_tracking() } else { drops })
    }

    /// Refuses outputs that would destroy an input or each other, or that a terminal cannot show.
    fn check_outputs(&self, sources: &[Source], format: Format) -> Result<()> {
        match (self.on_invalid, &self.rejects) {
            (Some(Invalid::Reject), None) => {
                return Err(Error::usage("--on-invalid reject needs to know where: give --rejects FILE"));
            }
            (Some(Invalid::Keep | Invalid::Fail), Some(_)) => {
                return Err(Error::usage(
                    "--rejects takes the invalid records out of the table: leave --on-invalid away, or say reject",
                ));
            }
            (_, Some(path)) if path == Path::new("-") => {
                return Err(Error::usage("--rejects needs a file: standard output is for the table alone"));
            }
            _ => {}
        }
        refuse_inputs(sources, [self.writing.file(), self.rejects.as_deref()])?;
        if let (Some(output), Some(rejects)) = (self.writing.file(), &self.rejects)
            && same_target(output, rejects)
        {
            return Err(Error::usage(format!(
                "{} cannot be both the table and the rejects",
                output.display()
            )));
        }
        self.writing.refuse_terminal(format)
    }

    fn sink_options(&self, options: &Options) -> SinkOptions {
        let mut metadata = vec![
            ("urimill.specification", self.spec.as_str()),
            ("urimill.level", self.level.as_str()),
            ("urimill.repair", if self.repair { "true" } else { "false" }),
        ];
        metadata.extend(self.default_scheme.map(|scheme| ("urimill.default_scheme", scheme.as_str())));
        metadata.extend(self.reading.metadata());
        if options.columns.use_suffix_list() {
            metadata.push(("urimill.public_suffix_list", options.suffix_list.version()));
        }
        let (patterns, tracking) = (json!(self.drop_params).to_string(), TRACKING_VERSION.to_string());
        metadata.extend(self.canonical.map(|form| ("urimill.canonical", form.as_str())));
        metadata.extend((!self.drop_params.is_empty()).then_some(("urimill.drop_params", &*patterns)));
        metadata.extend(self.drop_tracking.then_some(("urimill.tracking_parameters", &*tracking)));
        SinkOptions { flag_names: FLAG_NAMES, ..self.writing.sink_options(metadata) }
    }

    fn rejects_sink(&self, path: &Path, plan: &Plan, options: &SinkOptions) -> Result<Box<dyn Sink>> {
        let format = self.writing.format_of(path)?;
        output::create(format, self.writing.create(path)?, plan.rejects_schema(), options)
    }
}

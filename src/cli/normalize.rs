//! `urimill normalize`: the main job.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use super::progress::{Bar, When};
use super::reading::Reading;
use super::signals;
use super::summary::{Form, Report};
use crate::audit::FLAG_NAMES;
use crate::batch::{Column, Columns, Options};
use crate::error::{Error, ErrorKind, Result};
use crate::grammar::Spec;
use crate::input::{ChunkOptions, Chunker, Source, expand};
use crate::normalize::{DefaultScheme, Level};
use crate::output::{self, Compression, Format, Sink, SinkOptions, Target, same_target};
use crate::pipeline::{self, OnInvalid, Plan, Progress};

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
  urimill normalize links.csv --from csv --base-field page --uri-field href -o links.parquet
      what the links of pages mean, each against its page";

/// The arguments of `urimill normalize`; their comments are the help text.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<String>,

    /// Write to FILE, whose name's end tells the format; standard output without it, or as -
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format; without it the end of FILE's name tells, or uris on standard output
    #[arg(long, value_name = "FORMAT", value_parser = names(Format::ALL.map(Format::name)))]
    to: Option<String>,

    #[command(flatten)]
    reading: Reading,

    /// The specification that decides what is valid
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = names(Spec::ALL.map(Spec::as_str)))]
    spec: String,

    /// The normal form to write, by RFC 3986, 6.2: each level includes those before it
    #[arg(long, value_name = "LEVEL", default_value = "scheme", value_parser = names(Level::ALL.map(Level::as_str)))]
    level: String,

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

    /// Number of threads [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Compression of Parquet pages
    #[arg(long, value_name = "CODEC", default_value = "zstd", value_parser = names(Compression::ALL.map(Compression::name)))]
    compression: String,

    /// Rows of a Parquet row group, at most
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..))]
    row_group_rows: u32,

    /// The longest record in bytes; longer ones are rejected. K, M and G stand for 1024, 1024², 1024³
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes)]
    max_record: u64,

    /// Whether to show a progress bar: on a terminal, nowhere, everywhere
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_possible_values = false)]
    progress: When,

    /// How to print the summary on standard error
    #[arg(long, value_enum, value_name = "FORM", default_value_t = Form::Text)]
    summary: Form,

    /// Replace the output files that exist
    #[arg(long)]
    force: bool,

    /// How much is read at once
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes, hide = true)]
    chunk: u64,
}

/// Where the system has these paths, they lead to what a shell redirected; elsewhere to nothing.
const STDIN: &str = "/dev/stdin";
const STDOUT: &str = "/dev/stdout";

/// What `--on-invalid` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Invalid {
    /// It keeps its row, with its code in the column error
    Keep,
    /// It goes to the table that --rejects names
    Reject,
    /// The run stops, with exit code 1
    Fail,
}

pub(super) fn names<const N: usize>(names: [&'static str; N]) -> PossibleValuesParser {
    PossibleValuesParser::new(names)
}

/// A number of bytes from 1 to 1G, perhaps with K, M or G (KiB, MiB, GiB) behind it.
pub(super) fn bytes(text: &str) -> Result<u64, String> {
    // Offsets within a batch have 31 bits, and a chunk holds a whole record.
    bytes_within(text, (1, 1 << 30), "1 to 1G")
}

/// A number of bytes, perhaps with K, M or G behind it, from the first to the second, which `range` says in words.
pub(super) fn bytes_within(text: &str, (least, most): (u64, u64), range: &str) -> Result<u64, String> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let factor: u64 = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "" => 1,
        "k" => 1 << 10,
        "m" => 1 << 20,
        "g" => 1 << 30,
        _ => return Err("give a number of bytes, such as 65536, 64K or 1M".to_owned()),
    };
    let number = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    number
        .filter(|n| (least..=most).contains(n))
        .ok_or_else(|| format!("give a number of bytes from {range}"))
}

pub(super) fn run(arguments: Arguments) -> Result<()> {
    let begun = Instant::now();
    let format = arguments.format()?;
    let options = arguments.options(format)?;
    let input_format = arguments.reading.format(arguments.max_record as usize)?;
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
    let chunker = Chunker::new(sources, chunks, stored.clone()).with_format(input_format);
    let threads = arguments.threads();
    let plan = Plan::new(options.clone(), arguments.rejects.is_some());
    let sink_options = arguments.sink_options();

    let target = match arguments.output() {
        Some(path) => Target::create(path, arguments.force)?,
        None => Target::stdout()?,
    };
    let table_name = target.name().to_owned();
    let table = output::create(format, target, plan.table_schema(), &sink_options)?;
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
    fn format(&self) -> Result<Format> {
        if let Some(format) = self.to.as_deref().and_then(Format::from_name) {
            return Ok(format);
        }
        match self.output() {
            None => Ok(Format::Uris),
            Some(path) => Format::from_extension(path).ok_or_else(|| no_format(path)),
        }
    }

    /// The file to write to; `None` for standard output.
    fn output(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }

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
        let columns = match (&self.columns, format) {
            (None, Format::Uris) => Columns::new([Column::Uri]),
            (Some(_), Format::Uris) => {
                return Err(Error::usage(
                    "the format uris holds the column uri alone: choose another format with --columns",
                ));
            }
            (None, _) => Columns::default(),
            (Some(list), _) => Columns::parse(list)?,
        };
        let options = Options {
            spec: self.spec.parse()?,
            level: self.level.parse()?,
            repair: self.repair,
            default_scheme: self.default_scheme,
            max_record: self.max_record as usize,
            columns,
            ..Options::default()
        };
        self.reading.resolving(options)
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
        refuse_inputs(sources, [self.output(), self.rejects.as_deref()])?;
        if let (Some(output), Some(rejects)) = (self.output(), &self.rejects)
            && same_target(output, rejects)
        {
            return Err(Error::usage(format!(
                "{} cannot be both the table and the rejects",
                output.display()
            )));
        }
        refuse_terminal(self.output(), format)
    }

    fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, |n| n.get());
        self.threads.map_or_else(all, usize::from)
    }

    fn sink_options(&self) -> SinkOptions {
        let mut metadata = vec![
            ("urimill.version", env!("CARGO_PKG_VERSION")),
            ("urimill.specification", self.spec.as_str()),
            ("urimill.level", self.level.as_str()),
            ("urimill.repair", if self.repair { "true" } else { "false" }),
        ];
        metadata.extend(self.default_scheme.map(|scheme| ("urimill.default_scheme", scheme.as_str())));
        metadata.extend(self.reading.metadata());
        SinkOptions {
            compression: Compression::from_name(&self.compression).unwrap_or_default(),
            row_group_rows: self.row_group_rows as usize,
            metadata: metadata.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
            flag_names: FLAG_NAMES,
            ..SinkOptions::default()
        }
    }

    fn rejects_sink(&self, path: &Path, plan: &Plan, options: &SinkOptions) -> Result<Box<dyn Sink>> {
        let named = self.to.as_deref().and_then(Format::from_name);
        let format = Format::from_extension(path).or(named).ok_or_else(|| no_format(path))?;
        output::create(format, Target::create(path, self.force)?, plan.rejects_schema(), options)
    }
}

/// Refuses outputs that would destroy an input: the table, whose file is `None` for standard output, and the
/// other one, if there is one.
pub(super) fn refuse_inputs(sources: &[Source], [table, other]: [Option<&Path>; 2]) -> Result<()> {
    let outputs = [Some(table.unwrap_or(Path::new(STDOUT))), other];
    for (output, input) in outputs.into_iter().flatten().flat_map(|o| sources.iter().map(move |s| (o, s))) {
        let input = match input {
            Source::File(path) => path,
            _ => Path::new(STDIN),
        };
        // Devices and pipes are not destroyed by writing to them; a terminal is even both.
        if output.is_file() && same_target(output, input) {
            return Err(Error::usage(format!(
                "cannot write {}: it is an input; name another file",
                if output == Path::new(STDOUT) {
                    "standard output".into()
                } else {
                    output.display().to_string()
                }
            )));
        }
    }
    Ok(())
}

/// Refuses to write what a terminal cannot show to one.
pub(super) fn refuse_terminal(output: Option<&Path>, format: Format) -> Result<()> {
    let is_binary = matches!(format, Format::Parquet | Format::Arrow | Format::ArrowStream);
    if output.is_none() && is_binary && std::io::stdout().is_terminal() {
        return Err(Error::usage(format!(
            "{} is not for a terminal: give -o FILE, or send standard output elsewhere",
            format.name()
        )));
    }
    Ok(())
}

/// A file whose name does not tell its format.
pub(super) fn no_format(path: &Path) -> Error {
    Error::usage(format!(
        "cannot tell a format from the name {}: give it an end such as .parquet, .arrow, .csv, .jsonl or .txt, or say --to FORMAT",
        path.display()
    ))
}

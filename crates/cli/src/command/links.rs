//! `urimill links`: a table of the references in pages, its arguments and what they ask for.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::args::damage::Damaged;
use crate::args::output::Writing;
use crate::args::partition;
use crate::args::partition::Layout;
use crate::args::passwords::Hiding;
use crate::args::sort::Sorting;
use crate::args::values::{bytes, levels, say_threads, standards};
use crate::term::damage;
use crate::term::progress::{Bar, When};
use crate::term::signals;
use crate::term::stderr::say_sentence;
use crate::term::summary;
use crate::term::summary::Form;
use urimill::Standard;
use urimill::error::Result;
use urimill::normalize::Level;
use urimill::run::{Conversion, Encoding, Links, NormalizeOptions, OnInvalid, PageKind, RunProgress};

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
      as browsers read them; texts that are no URLs go to a table of their own";

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

    /// Number of threads, each of which takes up to 64M of memory [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// The longest reference in bytes, up to 512M; longer ones are rejected. K, M and G stand for 1024,
    /// 1024², 1024³
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes)]
    max_record: u64,

    /// When to show a progress bar
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
    /// Keep its row, with its code in the column error
    Keep,
    /// Write it to the table that --rejects names
    Reject,
    /// Stop the run with exit code 1
    Fail,
}

/// What inputs are, by name.
fn kinds() -> impl TypedValueParser<Value = PageKind> {
    let value = |kind: PageKind| PossibleValue::new(kind.name()).help(kind.meaning());
    let parser = PossibleValuesParser::new(PageKind::ALL.map(value));
    parser.map(|name| PageKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or_default())
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.conversion().progress(&progress);
    run.validate()?;
    arguments.writing.refuse_terminal(run.output_format()?)?;
    let abandoned = progress.clone();
    let _watch = signals::watch(move || abandoned.abandon());
    let run = run.prepare()?;
    say_threads(run.threads());
    let bar = Bar::start(arguments.progress, &progress);
    let result = run.run();
    drop(bar);
    let stats = result?;
    if let Some(warning) = partition::warning(&stats.output) {
        say_sentence(&warning);
    }
    summary::print(&stats, arguments.summary);
    damage::tell(&stats.damaged)
}

impl Arguments {
    fn conversion(&self) -> Conversion {
        let mut links = Links::new().format(self.from);
        if let Some(base) = &self.base {
            links = links.base(base);
        }
        if let Some(encoding) = self.encoding {
            links = links.encoding(encoding);
        }
        let mut run = Conversion::new()
            .links(links)
            .inputs(&self.inputs)
            .normalize(self.normalize_options())
            .on_damage(self.damaged.choice())
            .verify(self.verify)
            .chunk(self.chunk as usize)
            .write_to(self.writing.output());
        if let Some(columns) = &self.columns {
            run = run.columns([columns]);
        }
        if let Some(on_invalid) = self.on_invalid {
            run = run.on_invalid(match on_invalid {
                Invalid::Keep => OnInvalid::Keep,
                Invalid::Reject => OnInvalid::Reject,
                Invalid::Fail => OnInvalid::Fail,
            });
        }
        if let Some(file) = &self.rejects {
            run = run.rejects(file);
        }
        if let Some(threads) = self.threads {
            run = run.threads(threads.into());
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

//! `urimill extract`: the URIs in running text, one after the other.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::args::damage::Damaged;
use crate::args::input::Reading;
use crate::args::output::file;
use crate::args::values::{levels, memory, specs};
use crate::term::count::count;
use crate::term::damage;
use crate::term::progress::{Bar, When};
use crate::term::signals;
use crate::term::stderr::say_sentence;
use urimill::error::Result;
use urimill::grammar::Spec;
use urimill::normalize::Level;
use urimill::run::{Extract, ExtractFormat, RunProgress};

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill extract mail.mbox notes.md | sort | uniq -c
      the URIs, and how often each occurs
  urimill extract 'pages/*.html.gz' --to jsonl -o links.jsonl
      each URI with its file, its offset, and its text as written
  urimill extract crawl.warc.gz --records response --to jsonl -o links.jsonl
      the URIs in the pages of a web archive, each with its page
  urimill extract posts.parquet --uri-field body
      the URIs in the texts of a column
  urimill extract README.md | urimill normalize -o links.parquet
      a table of the URIs in a text";

/// The arguments of `urimill extract`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    #[command(flatten)]
    reading: Reading,

    /// Write to FILE [default: standard output, also as -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// The format of the output [default: by the extension of FILE, or uris]
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Option<Form>,

    /// The specification that the URIs follow
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = specs())]
    spec: Spec,

    /// The normal form to write (RFC 3986, 6.2); each level includes those before it
    #[arg(long, value_name = "LEVEL", default_value = "none", value_parser = levels())]
    level: Level,

    /// The scheme that completes www.example.com (RFC 3986, 4.5) [default: http]
    #[arg(long, value_name = "SCHEME")]
    default_scheme: Option<String>,

    /// Do not report texts without a scheme: www.example.com, and relative references in <URL:…>
    #[arg(long)]
    no_suffix: bool,

    /// Find URIs that were made harmless, as what they were: hxxps://www[.]example[.]com, example[.]com/a
    #[arg(long)]
    refang: bool,

    #[command(flatten)]
    damaged: Damaged,

    /// Number of threads that search records [default: the number of processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Memory for the run: fewer records are searched at the same time, and a table that needs half of it at once is
    /// refused [default: 512M, or 64M for each thread if that is more]
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    memory: Option<u64>,

    /// Directory for temporary files, which have no names and disappear with the run: texts of more than 16 MiB in
    /// web archives are stored there [default: the system's place for them]
    #[arg(long, value_name = "DIR")]
    temp_dir: Option<PathBuf>,

    /// When to show a progress bar; auto: on a terminal that does not show the URIs, too
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_possible_values = false)]
    progress: When,

    /// Replace an existing output file
    #[arg(long)]
    force: bool,

    /// How much is read at once, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = 256 << 10, value_parser = clap::value_parser!(u32).range(1..=1 << 30), hide = true)]
    chunk: u32,
}

/// What `--to` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// The URIs alone, one a line
    Uris,
    /// One JSON object a line: source, offset and length in bytes, raw (as written), uri, kind, delimiter; of
    /// records also their number, and the page of a web archive
    Jsonl,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.extract().progress(&progress);
    run.validate()?;
    let abandoned = progress.clone();
    let _watch = signals::watch(move || abandoned.abandon());
    let when = match arguments.output {
        None => arguments.progress.beside_results(),
        Some(_) => arguments.progress,
    };
    let bar = Bar::start(when, &progress);
    let result = run.run();
    drop(bar);
    let stats = result?;
    if stats.unread > 0 {
        let records = count(stats.unread, "record");
        say_sentence(&format!("not searched: {records}, whose payload cannot be decoded"));
    }
    if stats.cut > 0 {
        say_sentence(&format!("searched up to damage or to a limit: {}", count(stats.cut, "text")));
    }
    if stats.malformed > 0 {
        let records = count(stats.malformed, "record");
        say_sentence(&format!("not searched: {records} without the form of the format"));
    }
    damage::tell(&stats.damaged)
}

impl Arguments {
    fn extract(&self) -> Extract {
        let mut run = Extract::new()
            .inputs(&self.inputs)
            .read_as(self.reading.options())
            .on_damage(self.damaged.choice())
            .spec(self.spec)
            .level(self.level)
            .no_suffix(self.no_suffix)
            .refang(self.refang)
            .force(self.force)
            .chunk(self.chunk as usize);
        if let Some(threads) = self.threads {
            run = run.threads(threads.into());
        }
        if let Some(bytes) = self.memory {
            run = run.memory(bytes);
        }
        if let Some(directory) = &self.temp_dir {
            run = run.temp_dir(directory);
        }
        if let Some(scheme) = &self.default_scheme {
            run = run.default_scheme(scheme);
        }
        if let Some(form) = self.to {
            run = run.output_format(match form {
                Form::Uris => ExtractFormat::Uris,
                Form::Jsonl => ExtractFormat::Jsonl,
            });
        }
        match file(self.output.as_deref()) {
            Some(path) => run.write_to(path),
            None => run,
        }
    }
}

//! `urimill check`: which records are no URI references, or on which of them specifications differ.

mod json;
mod text;

use std::ffi::OsString;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use clap::{Args, ValueEnum};
use indicatif::HumanCount;

use super::colour::{Paint, When};
use super::exit::Exit;
use super::stderr::say_sentence;
use super::values::{bytes, levels, say_threads, specs, starts};
use crate::error::{Error, Result};
use crate::explain::bulk::{self, Counts, Record, Scratch};
use crate::explain::{Aspect, Contrast, Difference, Fault};
use crate::files::streams::{self, Stream};
use crate::grammar::Spec;
use crate::input::{Chunk, ChunkOptions, Chunker, expand};
use crate::normalize::Level;
use crate::passwords::{Masked, masked, masked_authority};
use crate::pipeline::{Progress, each_chunk};
use crate::run::{Threads, refuse_inputs};
use crate::uri::Component;
use crate::uri::Start;

/// What `--help` ends with.
pub(super) const EXAMPLES: &str = "\
Examples:
  urimill check urls.txt.gz
      every record that is no URI reference: its place, the reason, and a caret under the byte
  urimill check 'logs/*.gz' --to jsonl --quiet > rejects.jsonl
      the same for programs
  urimill check --require absolute-uri seeds.txt
      relative references too, and URIs with a fragment
  urimill check --spec rfc2396,rfc3986 archive.txt
      the records that RFC 2396 and RFC 3986 see differently, and how";

/// The arguments of `urimill check`; their comments are the help text.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    /// The specification that decides; of several, with commas between, the differences are told
    #[arg(
        long = "spec", value_name = "SPEC", value_delimiter = ',', default_value = "rfc3986",
        value_parser = specs(),
    )]
    specs: Vec<Spec>,

    /// What every record has to be: any reference, a URI (it has a scheme), or an absolute URI (and no fragment)
    #[arg(long, value_name = "FORM", default_value = "reference", value_parser = starts())]
    require: Start,

    /// With several specifications: resolve the records against this URI and compare the targets too
    #[arg(long, value_name = "URI")]
    base: Option<String>,

    /// With several specifications: the normal form to compare [default: scheme]
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    level: Option<Level>,

    /// How to print what is found
    #[arg(long = "to", value_enum, value_name = "FORM", default_value_t = Form::Text)]
    form: Form,

    /// When to use colours
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = When::Auto, hide_possible_values = false)]
    color: When,

    /// Number of threads [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// The longest record in bytes; longer ones are rejected. K, M and G stand for 1024, 1024², 1024³
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes)]
    max_record: u64,

    /// Show the passwords of records, which stand as *** otherwise
    #[arg(long)]
    show_passwords: bool,

    /// Leave out the summary on standard error
    #[arg(short, long)]
    quiet: bool,

    /// How much is read at once
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes, hide = true)]
    chunk: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Lines for people and editors: FILE:RECORD:COLUMN: CODE: SENTENCE, then the record and a caret
    Text,
    /// One JSON object a line and record
    Jsonl,
}

/// What is looked for.
enum Search<'a> {
    Rejects(Start, Spec),
    Differences(Contrast<'a>),
}

/// A record by its place, and the name of its source.
struct Place<'a> {
    source: &'a str,
    /// 1-based; blank lines count.
    record: i64,
    text: Masked,
}

impl<'a> Finder<'a> {
    fn place(&self, chunk: &Chunk, record: &Record<'_>) -> Place<'a> {
        let text = Masked::new(record.text, self.shows_passwords);
        let source = self.names[chunk.source].as_str();
        Place { source, record: chunk.first_record + record.lines_before as i64, text }
    }
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit> {
    let search = arguments.search()?;
    streams::check_open(Stream::Output)?;
    let sources = expand(&arguments.inputs)?;
    refuse_inputs(&sources, [None, None])?;
    let names: Vec<String> = sources.iter().map(|source| source.name().into_owned()).collect();
    let max_record = arguments.max_record as usize;
    let options =
        ChunkOptions { chunk_bytes: arguments.chunk as usize, max_record, ..ChunkOptions::default() };
    let threads = Threads::new(arguments.threads.map(usize::from));
    say_threads(threads);
    let threads = threads.given;
    let chunker = Chunker::new(sources, options, Arc::new(AtomicU64::new(0))).with_threads(threads).judging();
    let finder = Finder {
        search: &search,
        max_record,
        names: &names,
        form: arguments.form,
        paint: Paint::new(arguments.color),
        shows_passwords: arguments.show_passwords,
    };
    let mut total = Counts::default();
    let progress = Progress::default();
    let worker = || {
        let mut scratch = Scratch::default();
        move |chunk: &Chunk| Ok(finder.chunk(chunk, &mut scratch))
    };
    each_chunk(chunker, threads, &progress, worker, |(page, counts)| {
        total.records += counts.records;
        total.found += counts.found;
        io::stdout().write_all(&page).map_err(cannot_write)
    })?;
    io::stdout().flush().map_err(cannot_write)?;
    if !arguments.quiet {
        say_sentence(&summary(&search, total));
    }
    Ok(if total.found > 0 { Exit::Invalid } else { Exit::Done })
}

fn cannot_write(error: io::Error) -> Error {
    Error::io("write", "standard output", error)
}

fn summary(search: &Search<'_>, total: Counts) -> String {
    let count =
        |n: u64, one: &str, more: &str| format!("{} {}", HumanCount(n), if n == 1 { one } else { more });
    let records = count(total.records, "record", "records");
    match search {
        Search::Rejects(..) => format!("{records}, {}", count(total.found, "reject", "rejects")),
        Search::Differences(_) => format!("{records}, {}", count(total.found, "differs", "differ")),
    }
}

impl Arguments {
    fn search(&self) -> Result<Search<'_>> {
        match (self.specs.as_slice(), &self.base, self.level) {
            ([spec], None, None) => Ok(Search::Rejects(self.require, *spec)),
            ([_], ..) => Err(Error::usage(
                "--base and --level are for a comparison: name two specifications, such as --spec rfc2396,rfc3986",
            )),
            _ if self.require != Start::Reference => Err(Error::usage(
                "--require is for one specification: two of them are compared on every reference",
            )),
            (specs, base, level) => {
                Contrast::new(specs, level.unwrap_or_default(), base.as_deref()).map(Search::Differences)
            }
        }
    }
}

/// What the workers share.
#[derive(Clone, Copy)]
struct Finder<'a> {
    search: &'a Search<'a>,
    max_record: usize,
    names: &'a [String],
    form: Form,
    paint: Paint,
    shows_passwords: bool,
}

impl Finder<'_> {
    /// What is to be printed of a chunk, and how much it held.
    fn chunk(&self, chunk: &Chunk, scratch: &mut Scratch) -> (Vec<u8>, Counts) {
        let mut page = Vec::new();
        let counts = match self.search {
            Search::Rejects(_, spec) if chunk.overlong.is_some() => {
                let text = &chunk.bytes[..chunk.len];
                let reject = bulk::too_long(text.len(), self.max_record);
                let fault = Fault::new(text, reject, *spec);
                self.reject(&mut page, &self.place(chunk, &Record { text, lines_before: 0 }), &fault);
                Counts { records: 1, found: 1 }
            }
            Search::Differences(_) if chunk.overlong.is_some() => Counts { records: 1, found: 0 },
            Search::Rejects(start, spec) => {
                let how = (*start, *spec, self.max_record);
                bulk::rejects_as(&chunk.bytes, chunk.len, how, scratch, |record, reject| {
                    let fault = Fault::new(record.text, reject, *spec);
                    self.reject(&mut page, &self.place(chunk, &record), &fault);
                })
            }
            Search::Differences(contrast) => {
                let how = (contrast, self.max_record);
                bulk::differences(&chunk.bytes, chunk.len, how, scratch, |record, differences| {
                    let place = self.place(chunk, &record);
                    self.differences(&mut page, &place, (contrast, differences));
                })
            }
        };
        (page, counts)
    }

    fn reject(&self, page: &mut Vec<u8>, place: &Place<'_>, fault: &Fault) {
        match self.form {
            Form::Text => text::reject(page, place, fault, self.paint),
            Form::Jsonl => json::reject(page, place, fault),
        }
    }

    fn differences(
        &self,
        page: &mut Vec<u8>,
        place: &Place<'_>,
        (contrast, differences): (&Contrast<'_>, &[Difference]),
    ) {
        let masked: Vec<_>;
        let differences = match self.shows_passwords {
            true => differences,
            false => {
                masked = differences.iter().map(without_passwords).collect();
                &masked
            }
        };
        match self.form {
            Form::Text => text::differences(page, place, contrast.specs(), differences, self.paint),
            Form::Jsonl => json::differences(page, place, contrast.specs(), differences),
        }
    }
}

/// A difference whose values tell no passwords.
fn without_passwords(difference: &Difference) -> Difference {
    let mask = |value: &String| match difference.aspect {
        Aspect::Component(Component::Userinfo) => {
            masked_authority(&format!("{value}@")).trim_end_matches('@').to_owned()
        }
        Aspect::Component(Component::Host) => masked_authority(value).into_owned(),
        _ => masked(value).into_owned(),
    };
    let values = difference.values.iter().map(|value| value.as_ref().map(mask)).collect();
    Difference { aspect: difference.aspect, values }
}

//! `urimill normalize`: the main job, its arguments and what they ask for.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::args::damage::Damaged;
use crate::args::input::{Bases, Reading};
use crate::args::output::Writing;
use crate::args::partition;
use crate::args::partition::Layout;
use crate::args::passwords::Hiding;
use crate::args::running::Running;
use crate::args::schema::Schemas;
use crate::args::sort::Sorting;
use crate::args::values::{bytes, forms, levels, standards};
use crate::term::damage;
use crate::term::stderr::say_sentence;
use crate::term::summary;
use urimill::Standard;
use urimill::canonical::Canonical;
use urimill::error::Result;
use urimill::normalize::{DefaultScheme, Level};
use urimill::run::{Conversion, Keep, NormalizeOptions, OnDisagreement, OnInvalid, PreparedRun, RunProgress};

/// What `--help` ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  urimill normalize urls.txt.gz -o urls.parquet
      a table of all components, in the normal form
  urimill normalize 'logs/*.gz' -o urls.parquet --rejects bad.jsonl
      records that are no URI references go to a table of their own
  zcat urls.gz | urimill normalize --level syntax | sort -u
      only the normal forms, one a line
  urimill normalize urls.txt --repair --to csv --columns host,path,error | head
      some columns, after repair
  urimill normalize urls.txt --columns +surt --canonical w3lib --drop-tracking -o urls.parquet
      the key of web archives, and one canonical form for pages that are probably the same
  urimill normalize links.csv --from csv --base-field page --uri-field href -o links.parquet
      the targets of links, each resolved against its page, which is the column base
  urimill normalize crawl.log.gz --from heritrix -o crawl.parquet
      a crawler's log, its other fields typed
  urimill normalize pages.parquet --from parquet --uri-field url -o components.parquet
      a table with urimill's columns added to its own
  urimill normalize index.cdxj --from cdxj --schema cc-index -o index.parquet
      Common Crawl's table, for existing queries
  urimill normalize 'logs/*.gz' -o table/ --partition-by scheme,host_kind
      a directory of files, as warehouses read them
  urimill normalize urls.txt --columns +surt --sort-by surt -o urls.parquet
      the pages of a site together; readers skip the others";

/// The arguments of `urimill normalize`; their comments are the help text.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Files, patterns such as 'logs/*.gz', or - for standard input, which is the default
    #[arg(value_name = "INPUT")]
    inputs: Vec<OsString>,

    #[command(flatten)]
    writing: Writing,

    #[command(flatten)]
    layout: Layout,

    #[command(flatten)]
    sorting: Sorting,

    #[command(flatten)]
    reading: Reading,

    /// The other fields that become columns: all, none, or their names, separated by commas [default: all;
    /// none where --columns says exactly which columns there are, and with --schema cc-index]
    #[arg(long, value_name = "FIELDS")]
    keep: Option<Keep>,

    #[command(flatten)]
    bases: Bases,

    #[command(flatten)]
    schemas: Schemas,

    /// The specification by which texts are read: an RFC decides what is valid; whatwg, the URL Standard, reads
    /// as browsers do
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = standards())]
    spec: Standard,

    /// The normal form to write (RFC 3986, 6.2); each level includes those before it. Not with --schema
    /// cc-index [default: scheme]
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    level: Option<Level>,

    /// Repair texts that are no URI references as browsers do: white space, delimiters around them,
    /// characters that need encoding
    #[arg(long)]
    repair: bool,

    /// With --repair: complete suffixes of URIs, such as www.w3.org/Addressing/, with SCHEME://. Only for
    /// lists of such texts: script.pl becomes a host, too
    #[arg(long, value_name = "SCHEME")]
    default_scheme: Option<DefaultScheme>,

    /// Read texts that were made harmless as what they were: hxxps://www[.]example[.]com
    #[arg(long)]
    refang: bool,

    /// What to do with a record that is no URI reference [default: keep; with --rejects: reject; with
    /// --schema cc-index and without --fill: fail]
    #[arg(long, value_enum, value_name = "WHAT")]
    on_invalid: Option<Invalid>,

    /// What to do with a record in which the URL Standard and the RFC see different things (see the column
    /// disagreement): reject puts it with the rejects
    #[arg(long, value_enum, value_name = "WHAT", default_value = "keep")]
    on_disagreement: Disagreeing,

    /// File for rejected records: a table of its own, in the format of its extension, or else of --to
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,

    /// Columns of the table, including other fields of the records, by name, separated by commas. +NAME and
    /// -NAME change the default (see urimill schema); with --schema cc-index only +NAME
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    columns: Option<String>,

    /// The public suffix list for columns such as registered_domain, in the format of publicsuffix.org; rules
    /// outside its sections count as ICANN's [default: the one built in]
    #[arg(long, value_name = "FILE")]
    psl: Option<PathBuf>,

    /// Use the last label as the suffix of a name that the public suffix list has no rule for, as the list's
    /// own algorithm does: local for printer.local [default: it has neither suffix nor registered domain,
    /// because most such names are of private networks, or mistyped]
    #[arg(long)]
    psl_unlisted: bool,

    /// Add the column canonical: the form in which another tool writes the reference as read, resolved if
    /// there is a base
    #[arg(long, value_name = "FORM", value_parser = forms())]
    canonical: Option<Canonical>,

    /// Drop query parameters from canonical, by name, separated by commas; * and ? match any characters, [ab]
    /// one of these
    #[arg(long, value_name = "PATTERN,…", value_delimiter = ',')]
    drop_params: Vec<String>,

    /// Drop parameters from canonical that only say where a visitor came from, such as utm_source
    #[arg(long)]
    drop_tracking: bool,

    /// Rules for ports, applied before the registry when the flag port_well_known_mismatch is set: lines such
    /// as 'http allow 81, 8000-8999' and '* flag 6000-6063' (* is any scheme, - none; the last line that fits
    /// decides)
    #[arg(long, value_name = "FILE")]
    port_rules: Option<PathBuf>,

    #[command(flatten)]
    damaged: Damaged,

    #[command(flatten)]
    hiding: Hiding,

    /// Show passwords in messages and in the summary, which otherwise have *** in their place
    #[arg(long)]
    show_passwords: bool,

    /// Checksum every record, read the complete outputs back, and publish them only if they hold the input:
    /// the bytes of each record as read, if the columns include them (uri, raw and raw_bytes do), or else the
    /// rows made from the records. The summary says which of the two was verified
    #[arg(long)]
    verify: bool,

    /// The longest record in bytes, up to 512M; longer records are rejected. K, M and G stand for 1024,
    /// 1024², 1024³
    #[arg(long, value_name = "BYTES", default_value = "1M", value_parser = bytes)]
    max_record: u64,

    /// Measure how long each stage of the run works and waits for its turn; the summary lists them
    #[arg(long)]
    time_stages: bool,

    #[command(flatten)]
    running: Running,
}

/// What `--on-invalid` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Invalid {
    /// Keep its row, with its code in the column error; given explicitly, whatever the inputs look like
    Keep,
    /// Write it to the table that --rejects names; given explicitly, whatever the inputs look like
    Reject,
    /// Drop it; the summary says how many there were
    Drop,
    /// Stop the run with exit code 1
    Fail,
}

/// What `--on-disagreement` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Disagreeing {
    /// It is a row like others
    Keep,
    /// It is a reject with the code disagreement
    Reject,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.conversion().progress(&progress);
    run.validate()?;
    arguments.writing.refuse_terminal(run.output_format()?)?;
    let running = &arguments.running;
    let stats = running.complete(&progress, || run.prepare(), PreparedRun::threads, PreparedRun::run)?;
    if let Some(warning) = partition::warning(&stats.output) {
        say_sentence(&warning);
    }
    if stats.is_detected {
        let (format, summary) = (stats.input_format, arguments.running.summary());
        arguments.reading.say_format_of_table(format, stats.unwraps, stats.bytes, summary);
    }
    summary::print(&stats, arguments.running.summary());
    damage::tell(&stats.damaged)
}

impl Arguments {
    fn conversion(&self) -> Conversion {
        let mut input = self.bases.fill(self.reading.options());
        if let Some(keep) = &self.keep {
            input = input.keep(keep.clone());
        }
        let mut run = Conversion::new()
            .inputs(&self.inputs)
            .read_as(input)
            .normalize(self.normalize_options())
            .on_damage(self.damaged.choice())
            .verify(self.verify)
            .time_stages(self.time_stages)
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
        self.schemas.fill(self.sorting.fill(self.layout.fill(run)))
    }

    fn normalize_options(&self) -> NormalizeOptions {
        let mut options = NormalizeOptions::new()
            .spec(self.spec)
            .on_disagreement(match self.on_disagreement {
                Disagreeing::Keep => OnDisagreement::Keep,
                Disagreeing::Reject => OnDisagreement::Reject,
            })
            .repair(self.repair)
            .refang(self.refang)
            .psl_unlisted(self.psl_unlisted)
            .drop_params(&self.drop_params)
            .drop_tracking(self.drop_tracking)
            .show_passwords(self.show_passwords)
            .max_record(self.max_record as usize);
        if let Some(level) = self.level {
            options = options.level(level);
        }
        if let Some(scheme) = self.default_scheme {
            options = options.default_scheme(scheme);
        }
        if let Some(file) = &self.psl {
            options = options.psl(file);
        }
        if let Some(form) = self.canonical {
            options = options.canonical(form);
        }
        if let Some(file) = &self.port_rules {
            options = options.port_rules(file);
        }
        self.bases.resolving(self.hiding.fill(options))
    }
}

//! `urimill normalize`: the main job, its arguments and what they ask for.

mod run;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::columns::ColumnList;
use super::damage::Damaged;
use super::hiding::Hiding;
use super::layout::{Layout, refuse_inside};
use super::progress::When;
use super::reading::Reading;
use super::schemas::{Schemas, of_tables};
use super::sorting::Sorting;
use super::summary::Form;
use super::values::{bytes, forms, levels, specs};
use super::verifying::Verifying;
use super::writing::{Writing, refuse_inputs};
use crate::audit::{FLAG_NAMES, PortRules};
use crate::batch::{Column, Columns, Options};
use crate::canonical::{Canonical, DropParams, TRACKING_VERSION};
use crate::domain::SuffixList;
use crate::error::{Error, ErrorKind, Result};
use crate::grammar::Spec;
use crate::input::format::Keep;
use crate::input::{self, Source};
use crate::normalize::{DefaultScheme, Level};
use crate::output::{self, Format, Sink, SinkOptions, same_target};
use crate::pipeline::Plan;
use crate::table::Choices;
pub(super) use run::{run, run_within};

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
      what the links of pages mean, each against its page, which is the column base
  urimill normalize crawl.log.gz --from heritrix -o crawl.parquet
      a crawler's log, its other fields typed
  urimill normalize pages.parquet --from parquet --uri-field url -o components.parquet
      a table that gains urimill's columns and keeps its own
  urimill normalize index.cdxj --from cdxj --schema cc-index -o index.parquet
      Common Crawl's table, for queries that are written for it
  urimill normalize 'logs/*.gz' -o table/ --partition-by scheme,host_kind
      a directory of files, as warehouses read them
  urimill normalize urls.txt --columns +surt --sort-by surt -o urls.parquet
      a site's pages side by side; readers skip what they don't look for";

/// The arguments of `urimill normalize`; their comments are the help text.
#[derive(Debug, Args)]
pub(super) struct Arguments {
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

    #[command(flatten)]
    schemas: Schemas,

    /// The specification that decides what is valid
    #[arg(long, value_name = "SPEC", default_value = "rfc3986", value_parser = specs())]
    spec: Spec,

    /// The normal form to write, by RFC 3986, 6.2: each level includes those before it; --schema cc-index has none
    /// [default: scheme]
    #[arg(long, value_name = "LEVEL", value_parser = levels())]
    level: Option<Level>,

    /// Mend what is no URI reference as browsers do: white space, delimiters around it, characters that need encoding
    #[arg(long)]
    repair: bool,

    /// With --repair: complete suffixes of URIs, such as www.w3.org/Addressing/, with SCHEME://; for lists of them,
    /// because script.pl is a host then
    #[arg(long, value_name = "SCHEME", requires = "repair", conflicts_with_all = ["base", "base_field"])]
    default_scheme: Option<DefaultScheme>,

    /// What to do with a record that is no URI reference [default: keep; with --rejects: reject; with --schema cc-index
    /// and without --fill: fail]
    #[arg(long, value_enum, value_name = "WHAT")]
    on_invalid: Option<Invalid>,

    /// Where rejected records go: a table of its own, its format by the end of FILE's name, else by --to
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,

    /// Columns of the table, by name with commas between, those of the records' other fields too; +NAME and -NAME change
    /// the default (see urimill schema); with --schema cc-index +NAME alone
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    columns: Option<String>,

    /// The public suffix list for columns such as registered_domain, in the form of publicsuffix.org; rules outside
    /// its sections count as ICANN's [default: the one built in]
    #[arg(long, value_name = "FILE")]
    psl: Option<PathBuf>,

    /// Take the last label for the suffix of a name that the public suffix list has no rule for, as the list's own algorithm
    /// does: local for printer.local [default: it has neither suffix nor registered domain, because most such names are of
    /// private networks, or mistyped]
    #[arg(long)]
    psl_unlisted: bool,

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

    /// Which ports a scheme may name without the flag port_well_known_mismatch: lines such as 'http allow 81, 8000-8999'
    /// and '* flag 6000-6063' (* is any scheme, - none; the last that fits decides), before the registry's answer
    #[arg(long, value_name = "FILE")]
    port_rules: Option<PathBuf>,

    #[command(flatten)]
    damaged: Damaged,

    #[command(flatten)]
    hiding: Hiding,

    /// Show the passwords of records that messages and the summary quote, which stand there as *** otherwise
    #[arg(long)]
    show_passwords: bool,

    #[command(flatten)]
    verifying: Verifying,

    /// Number of threads, each of which takes up to 64M of memory [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// The longest record in bytes, up to 512M; longer ones are rejected. K, M and G stand for 1024, 1024², 1024³
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
    /// It keeps its row, with its code in the column error; given here, whatever the inputs look like
    Keep,
    /// It goes to the table that --rejects names; given here, likewise
    Reject,
    /// The run stops, with exit code 1
    Fail,
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
            None if self.psl_unlisted && !columns.use_suffix_list() => {
                return Err(Error::usage(
                    "--psl-unlisted is for columns that need a public suffix list: ask for one, as in --columns \
                     +registered_domain",
                ));
            }
            None => SuffixList::embedded(),
        };
        let suffix_list = if self.psl_unlisted { suffix_list.with_prevailing_rule() } else { suffix_list };
        let port_rules = match &self.port_rules {
            Some(_) if !columns.contains(Column::Flags) => {
                return Err(Error::usage(
                    "--port-rules is for the column flags: ask for it, as in --columns +flags",
                ));
            }
            Some(path) => PortRules::read(path)?,
            None => PortRules::default(),
        };
        let options = Options {
            spec: self.spec,
            level: self.level()?,
            repair: self.repair,
            default_scheme: self.default_scheme,
            max_record: self.max_record as usize,
            columns,
            suffix_list,
            canonical: self.canonical,
            drop_params: self.drops()?,
            port_rules,
            show_passwords: self.show_passwords,
            ..Options::default()
        };
        self.reading.resolving(self.hiding.options(options))
    }

    /// Common Crawl's table is about URIs as they were fetched.
    fn level(&self) -> Result<Level> {
        match self.level {
            Some(level) if level != Level::None && self.schemas.is_cc_index() => Err(Error::usage(
                "the columns of cc-index hold URIs as they were fetched: leave --level away, or say none",
            )),
            None if self.schemas.is_cc_index() => Ok(Level::None),
            level => Ok(level.unwrap_or_default()),
        }
    }

    /// Which columns the table has, once it is known which fields its records have.
    fn plan(&self, options: &Options, format: &str) -> Result<Plan> {
        let splits = self.rejects.is_some();
        if !self.schemas.is_cc_index() {
            return Ok(Plan::new(options.clone(), splits));
        }
        let keep = Schemas::visible(&self.reading, format, &options.kept);
        let choices = Choices { keep, ..self.choices()? };
        Plan::cc_index(options.clone(), choices, format, splits)
    }

    /// The same where the inputs are tables.
    fn plan_of_tables(&self, options: &Options) -> Result<Plan> {
        if self.schemas.is_cc_index() {
            return Err(of_tables());
        }
        Plan::of_tables(options.clone(), self.rejects.is_some())
    }

    fn choices(&self) -> Result<Choices> {
        let mut choices = self.schemas.choices(self.columns.as_deref(), self.layout.partition_by())?;
        if self.canonical.is_some() && !choices.own.contains(&Column::Canonical) {
            choices.own.push(Column::Canonical);
        }
        Ok(choices)
    }

    /// The inputs' format, and which of its fields pass through.
    fn input_format(&self, format: Format) -> Result<input::Format> {
        if self.schemas.is_cc_index() {
            return self.reading.format_keeping(self.max_record as usize, &self.schemas.keep(&self.reading)?);
        }
        if format == Format::Uris && self.reading.keeps() {
            return Err(Error::usage(
                "the format uris holds the column uri alone: choose another format with --keep",
            ));
        }
        let keep = match format {
            Format::Uris => Keep::None,
            _ => self.column_list()?.keep(self.reading.asked()),
        };
        self.reading.format_keeping(self.max_record as usize, &keep)
    }

    fn column_list(&self) -> Result<ColumnList> {
        let default = match self.reading.has_bases() {
            true => Columns::default_with_bases(),
            false => Columns::default(),
        };
        ColumnList::parse(self.columns.as_deref(), &self.reading, default)
    }

    /// The plan with the columns that are asked for in their order, now that the fields are known.
    fn arrange(&self, plan: Plan, options: &Options, format: Format) -> Result<Plan> {
        if self.schemas.is_cc_index() || format == Format::Uris {
            return Ok(plan);
        }
        let order = self.column_list()?.order(&options.kept, self.reading.asked())?;
        Ok(match order {
            Some(order) => plan.arranged(order),
            None => plan,
        })
    }

    fn table_columns(&self, format: Format) -> Result<Columns> {
        self.schemas.check()?;
        if self.schemas.is_cc_index() && format == Format::Uris {
            return Err(Error::usage(
                "--schema cc-index makes a table, and the format uris holds the column uri alone: give -o FILE or --to FORMAT",
            ));
        }
        if format == Format::Uris {
            let asked = (!self.layout.partition_by().is_empty()).then_some("--partition-by");
            let asked = asked.or(self.columns.as_ref().map(|_| "--columns"));
            let asked = asked.or(self.canonical.map(|_| "--canonical"));
            let asked = asked.or(self.sorting.needs_more_than(Column::Uri).then_some("--sort-by"));
            return match asked {
                Some(option) => Err(Error::usage(format!(
                    "the format uris holds the column uri alone: choose another format with {option}"
                ))),
                None => Ok(Columns::new([Column::Uri])),
            };
        }
        let columns = match self.schemas.is_cc_index() {
            true => self.choices()?.columns(),
            false => self.column_list()?.own,
        };
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

    /// Whether there is a file for the table.
    pub(super) fn names_output(&self) -> bool {
        self.writing.file().is_some()
    }

    /// Refuses outputs that would destroy an input or each other.
    fn check_outputs(&self, sources: &[Source]) -> Result<()> {
        match (self.on_invalid, &self.rejects) {
            (Some(Invalid::Keep), None) if self.schemas.is_cc_index() && !self.schemas.fills() => {
                return Err(Error::usage(
                    "a record that is no URI reference lacks columns that cc-index must have: say --fill with \
                     --on-invalid keep",
                ));
            }
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
        self.verifying.check(self.writing.file(), self.rejects.as_deref())?;
        let settings = self.psl.iter().chain(&self.port_rules).map(|path| Source::File(path.clone()));
        let sources: Vec<Source> = sources.iter().cloned().chain(settings).collect();
        refuse_inputs(&sources, [self.writing.file(), self.rejects.as_deref()])?;
        if let Some(directory) = self.layout.directory(self.writing.file())? {
            refuse_inside(directory, &sources, self.rejects.as_deref())?;
        }
        if let (Some(output), Some(rejects)) = (self.writing.file(), &self.rejects)
            && same_target(output, rejects).map_err(|e| Error::path("look at", rejects, e))?
        {
            return Err(Error::usage(format!(
                "{} cannot be both the table and the rejects",
                output.display()
            )));
        }
        Ok(())
    }

    fn sink_options(&self, options: &Options) -> SinkOptions {
        let mut metadata = vec![
            ("urimill.specification", self.spec.as_str()),
            ("urimill.level", options.level.as_str()),
            ("urimill.repair", if self.repair { "true" } else { "false" }),
        ];
        metadata.extend(self.schemas.is_cc_index().then_some(("urimill.schema", "cc-index")));
        metadata.extend(self.default_scheme.map(|scheme| ("urimill.default_scheme", scheme.as_str())));
        metadata.extend(self.reading.metadata());
        if options.columns.use_suffix_list() {
            metadata.push(("urimill.public_suffix_list", options.suffix_list.version()));
            metadata.extend(
                options.suffix_list.has_prevailing_rule().then_some(("urimill.public_suffix_unlisted", "*")),
            );
        }
        let (patterns, tracking) = (json!(self.drop_params).to_string(), TRACKING_VERSION.to_string());
        metadata.extend(self.canonical.map(|form| ("urimill.canonical", form.as_str())));
        metadata.extend((!self.drop_params.is_empty()).then_some(("urimill.drop_params", &*patterns)));
        metadata.extend(self.drop_tracking.then_some(("urimill.tracking_parameters", &*tracking)));
        metadata.extend(options.port_rules.version().map(|version| ("urimill.port_rules", version)));
        let passed = options.kept.passed().len();
        let memory = self.layout.memory();
        self.hiding.told(SinkOptions {
            flag_names: FLAG_NAMES,
            passed,
            memory,
            ..self.writing.sink_options(metadata)
        })
    }

    fn rejects_sink(&self, path: &Path, plan: &Plan, options: &SinkOptions) -> Result<Box<dyn Sink>> {
        let format = self.writing.format_of(path)?;
        output::create(format, self.writing.create(path)?, plan.rejects_schema(), options)
    }
}

//! How records are read and what they stand against: the options that say so, for the commands that take
//! records. Between the command line and `input::format`.

use std::sync::OnceLock;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use crate::batch::Options;
use crate::error::{Error, Result};
use crate::input::Format;
use crate::input::format::{
    Auto, Cdx, Cdxj, Clf, Delimited, Field, Fields, Header, Heritrix, Jsonl, Keep, Log, RecordTypes,
    TableFields, Warc, log_formats,
};
use crate::resolve::Mode;

/// Where the URIs stand in the inputs, and their bases.
#[derive(Debug, Args)]
pub(super) struct Reading {
    /// What the inputs hold [default: auto]
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<From>,

    /// The field that holds the URI, by its name in the header or its number from 1: for csv and tsv; the name of a
    /// member for jsonl; the name or number of a column for parquet and arrow, or a field of a struct as a.b
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    uri_field: Option<String>,

    /// The field that holds the base of the URI reference, likewise; where it is empty --base stands in. The column base
    /// has it as it was used
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    base_field: Option<String>,

    /// Whether the first record of an input names the fields: auto says yes where a field is asked for by name
    #[arg(long, value_enum, value_name = "WHETHER", hide_possible_values = true)]
    header: Option<HeaderChoice>,

    /// Take quotes in csv and tsv for characters like others: every line is a record then
    #[arg(long)]
    no_quotes: bool,

    /// Which of the other fields get columns: all, none, or their names with commas between [default: all; none where
    /// --columns says exactly which columns there are, and with --schema cc-index]
    #[arg(long, value_name = "FIELDS")]
    keep: Option<Keep>,

    /// Which records of web archives become rows, by their type: all, or types with commas between, as in
    /// response,revisit; of a WAT those that describe records of these types [default: all]
    #[arg(long, value_name = "TYPES")]
    records: Option<RecordTypes>,

    /// Resolve each reference against URI (RFC 3986, 5): the table is about what the references mean
    #[arg(long, value_name = "URI", allow_hyphen_values = true)]
    base: Option<String>,

    /// Pass over a reference's scheme where it is the base's: http:g is g (5.2.2)
    #[arg(long)]
    compat: bool,
}

/// What `--from` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    Lines,
    Csv,
    Tsv,
    Heritrix,
    Cdx,
    Cdxj,
    Clf,
    Jsonl,
    Warc,
    Wat,
    Parquet,
    Arrow,
    Auto,
    /// A log that a row of the table of definitions describes.
    Log(&'static str),
}

/// The formats that are not in the table of definitions, with what they are.
const FORMATS: [(From, &str, &str); 13] = [
    (From::Lines, "lines", "One URI reference a line"),
    (From::Csv, "csv", "Fields with commas between, quoted as RFC 4180 has it"),
    (From::Tsv, "tsv", "Fields with tabs between, quoted likewise"),
    (From::Heritrix, "heritrix", "The crawl.log of Heritrix"),
    (
        From::Cdx,
        "cdx",
        "CDX, the index of web archives: a header names the fields by letter, or there are 7, 9, 10 or 11; or arrays of \
         JSON, as servers answer",
    ),
    (
        From::Cdxj,
        "cdxj",
        "CDXJ: key, timestamp, and a JSON object whose member url is the URI; or the object alone",
    ),
    (
        From::Clf,
        "clf",
        "Common or Combined Log Format of web servers, with or without virtual hosts: the request's target, against \
         --base or the virtual host",
    ),
    (From::Jsonl, "jsonl", "A JSON object a line"),
    (From::Warc, "warc", "The files of web archives: the target of each record; blocks are passed over"),
    (From::Wat, "wat", "What was extracted from them: records of metadata, likewise"),
    (From::Parquet, "parquet", "Apache Parquet files: tables, whose other columns pass through as they are"),
    (From::Arrow, "arrow", "Arrow IPC files and streams, likewise"),
    (
        From::Auto,
        "auto",
        "What the beginning of each input looks like, which standard error then says; what looks like something that is \
         not read is refused",
    ),
];

impl ValueEnum for From {
    fn value_variants<'a>() -> &'a [From] {
        static ALL: OnceLock<Vec<From>> = OnceLock::new();
        ALL.get_or_init(|| {
            let logs = log_formats().map(|(name, _)| From::Log(name));
            FORMATS.iter().map(|&(from, ..)| from).chain(logs).collect()
        })
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let log = || match *self {
            From::Log(name) => log_formats().find(|(own, _)| *own == name),
            _ => None,
        };
        let own = FORMATS.iter().find(|(from, ..)| from == self).map(|&(_, name, about)| (name, about));
        own.or_else(log).map(|(name, about)| PossibleValue::new(name).help(about))
    }
}

/// What `--header` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HeaderChoice {
    Auto,
    Yes,
    No,
}

impl Reading {
    /// The format of the inputs, with exactly these of the other fields.
    pub(super) fn format_keeping(&self, max_record: usize, keep: &Keep) -> Result<Format> {
        let known = || self.no_fields();
        let may_be_archive = matches!(self.from(), From::Warc | From::Wat | From::Auto);
        if self.records.is_some() && !may_be_archive {
            return Err(Error::usage("--records is for web archives: say --from warc or wat"));
        }
        Ok(match self.from() {
            From::Lines if self.keep.as_ref().is_some_and(|keep| matches!(keep, Keep::Names(_))) => {
                return Err(Error::usage("--keep is for records with fields: lines have none"));
            }
            From::Lines => known().map(|()| Format::Lines)?,
            From::Heritrix => known().and_then(|()| Heritrix::new(keep)).map(Format::Heritrix)?,
            From::Cdx => known().and_then(|()| Cdx::new(keep)).map(Format::Cdx)?,
            From::Cdxj => known().and_then(|()| Cdxj::new(keep)).map(Format::Cdxj)?,
            From::Clf => known().and_then(|()| Clf::new(keep)).map(Format::Clf)?,
            From::Log(name) => {
                known().and_then(|()| Log::new(name, keep)).map(|log| Format::Log(Box::new(log)))?
            }
            From::Csv => self.delimited(Delimited::csv(self.fields("csv")?, max_record)?, keep)?,
            From::Tsv => self.delimited(Delimited::tsv(self.fields("tsv")?, max_record)?, keep)?,
            From::Jsonl => {
                refuse(
                    &[("--header", self.header.is_some()), ("--no-quotes", self.no_quotes)],
                    "csv or tsv",
                )?;
                let (uri, base) = (self.uri_field.as_deref(), self.base_field.as_deref());
                let uri = uri.ok_or_else(|| no_uri_field("jsonl"))?;
                Format::Jsonl(Jsonl::new(uri, base, keep)?)
            }
            From::Warc => {
                known().and_then(|()| Warc::new(keep, max_record)).map(|format| self.archive(format))?
            }
            From::Wat => {
                known().and_then(|()| Warc::wat(keep, max_record)).map(|format| self.archive(format))?
            }
            From::Parquet => Format::Parquet(Box::new(self.table_fields(keep)?)),
            From::Arrow => Format::Arrow(Box::new(self.table_fields(keep)?)),
            From::Auto => {
                let fields = self.names_fields().then(|| self.fields("auto")).transpose()?;
                if fields.is_none() {
                    known()?;
                }
                Format::Auto(Box::new(Auto {
                    fields,
                    keep: keep.clone(),
                    has_quotes: !self.no_quotes,
                    longest: max_record,
                    records: self.records.clone().unwrap_or_default(),
                }))
            }
        })
    }

    fn archive(&self, format: Warc) -> Format {
        Format::Warc(format.only(self.records.clone().unwrap_or_default()))
    }

    fn delimited(&self, format: Delimited, keep: &Keep) -> Result<Format> {
        let format = format.keeping(keep)?;
        Ok(Format::Delimited(if self.no_quotes { format.without_quotes() } else { format }))
    }

    /// The format that is asked for.
    pub(super) fn from(&self) -> From {
        self.from.unwrap_or(From::Auto)
    }

    /// Whether the user asks for a format, be it auto.
    pub(super) fn names_format(&self) -> bool {
        self.from.is_some()
    }

    /// The name of the format on the command line.
    pub(super) fn format_name(&self) -> String {
        self.from().to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Which other fields the user asks for.
    pub(super) fn asked(&self) -> Option<&Keep> {
        self.keep.as_ref()
    }

    /// Whether the user says which field holds the URI.
    pub(super) fn names_fields(&self) -> bool {
        self.uri_field.is_some() || self.base_field.is_some()
    }

    /// Whether the user asks for other fields.
    pub(super) fn keeps(&self) -> bool {
        self.keep.as_ref().is_some_and(|keep| *keep != Keep::None)
    }

    /// Which column it is without `--uri-field`, the table's schema may tell.
    fn table_fields(&self, keep: &Keep) -> Result<TableFields> {
        if self.header.is_some() {
            return Err(Error::usage("--header is for csv and tsv: tables name their columns themselves"));
        }
        let field = |name: &Option<String>| name.as_deref().map(str::parse::<Field>).transpose();
        Ok(TableFields { uri: field(&self.uri_field)?, base: field(&self.base_field)?, keep: keep.clone() })
    }

    fn fields(&self, format: &str) -> Result<Fields> {
        let uri = self.uri_field.as_ref().ok_or_else(|| no_uri_field(format))?;
        let header = match self.header {
            None | Some(HeaderChoice::Auto) => Header::Auto,
            Some(HeaderChoice::Yes) => Header::Yes,
            Some(HeaderChoice::No) => Header::No,
        };
        let base = self.base_field.as_deref().map(str::parse::<Field>).transpose()?;
        Ok(Fields { uri: uri.parse()?, base, header })
    }

    /// Lines have no fields, and logs know theirs.
    fn no_fields(&self) -> Result<()> {
        let given = [
            ("--uri-field", self.uri_field.is_some()),
            ("--base-field", self.base_field.is_some()),
            ("--header", self.header.is_some()),
            ("--no-quotes", self.no_quotes),
        ];
        refuse(&given, "csv, tsv, jsonl, parquet or arrow")
    }

    /// The options with what references are resolved against.
    pub(super) fn resolving(&self, options: Options) -> Result<Options> {
        if self.compat && !self.resolves() {
            return Err(Error::usage(
                "--compat says how to resolve, and there is no base: give --base URI or --base-field FIELD",
            ));
        }
        let mode = if self.compat { Mode::Compatible } else { Mode::Strict };
        let options = Options { mode, ..options };
        match &self.base {
            Some(base) => options.with_base(base),
            None => Ok(options),
        }
    }

    /// Whether records of other types are passed over.
    pub(super) fn selects_records(&self) -> bool {
        self.records.as_ref().is_some_and(|records| !records.is_all())
    }

    /// Whether records bring their bases.
    pub(super) fn has_bases(&self) -> bool {
        self.base_field.is_some()
    }

    /// Whether records are resolved.
    pub(super) fn resolves(&self) -> bool {
        self.base.is_some() || self.base_field.is_some()
    }

    /// What the output says of it.
    pub(super) fn metadata(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let mode = if self.compat { "compatible" } else { "strict" };
        let base = self.base.as_deref().map(|base| ("urimill.base", base));
        base.into_iter().chain(self.resolves().then_some(("urimill.resolution", mode)))
    }
}

/// Options that are given, and say something of other formats.
fn refuse(given: &[(&str, bool)], formats: &str) -> Result<()> {
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Error::usage(format!(
            "{option} is for records with fields to be told apart: say --from {formats}"
        ))),
        None => Ok(()),
    }
}

fn no_uri_field(format: &str) -> Error {
    Error::usage(format!(
        "--from {format} needs to know which field holds the URI: give --uri-field NAME{}",
        if format == "jsonl" { "" } else { " or NUMBER" }
    ))
}

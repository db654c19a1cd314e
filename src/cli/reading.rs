//! How records are read and what they stand against: the options that say so, for the commands that take
//! records.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::run::{Conversion, Encoding, Header, InputFormat, Keep, NormalizeOptions, RecordTypes};

/// Where the URIs stand in the inputs, and their bases.
#[derive(Debug, Args)]
pub(super) struct Reading {
    /// Format of the inputs [default: auto]
    #[arg(long, value_name = "FORMAT", value_parser = input_formats())]
    from: Option<InputFormat>,

    /// Read a log whose lines this format string describes, as it stands in a configuration of Apache (LogFormat) or
    /// nginx (log_format), or a nickname: common, combined, vhost_common, vhost_combined, combinedio
    #[arg(long, value_name = "STRING", allow_hyphen_values = true)]
    log_format: Option<String>,

    /// The character between the fields of csv, in place of the comma
    #[arg(long, value_name = "CHARACTER", allow_hyphen_values = true)]
    delimiter: Option<String>,

    /// What lines of comments begin with in lines, csv and tsv, such as #: they are no records
    #[arg(long, value_name = "PREFIX", allow_hyphen_values = true)]
    comment: Option<String>,

    /// The encoding of the inputs: utf-16 (with a byte-order mark), utf-16le, utf-16be, latin1, windows-1252
    /// or another of the Encoding Standard. Offsets count bytes of the text in UTF-8 [default: utf-8]
    #[arg(long, value_name = "ENCODING")]
    encoding: Option<Encoding>,

    /// The field that holds the URI. csv and tsv: its name in the header or its number from 1. jsonl: the
    /// name of a member, or a path a.b[0].c. parquet and arrow: the name or number of a column, or a.b for a field of a
    /// struct
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    uri_field: Option<String>,

    /// The field that holds the base of the URI reference, named as for --uri-field. Where it is empty,
    /// --base is used. The column base has the base that was used
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    base_field: Option<String>,

    /// Whether the first record of an input names the fields; auto: if a field is asked for by name
    #[arg(long, value_enum, value_name = "WHETHER", hide_possible_values = true)]
    header: Option<HeaderChoice>,

    /// Treat quotes in csv and tsv as ordinary characters: every line is a record
    #[arg(long)]
    no_quotes: bool,

    /// The other fields that become columns: all, none, or their names, separated by commas [default: all;
    /// none where --columns says exactly which columns there are, and with --schema cc-index]
    #[arg(long, value_name = "FIELDS")]
    keep: Option<Keep>,

    /// The records of web archives that become rows, by type: all, or types separated by commas, as in
    /// response,revisit; in a WAT, those that describe records of these types [default: all]
    #[arg(long, value_name = "TYPES")]
    records: Option<RecordTypes>,

    /// Resolve each reference against URI (RFC 3986, 5); the table describes the targets
    #[arg(long, value_name = "URI", allow_hyphen_values = true)]
    base: Option<String>,

    /// Ignore the scheme of a reference if it is the base's: http:g is g (5.2.2)
    #[arg(long)]
    compat: bool,
}

/// What `--header` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HeaderChoice {
    Auto,
    Yes,
    No,
}

/// A format by its name.
pub(super) fn input_formats() -> impl TypedValueParser<Value = InputFormat> {
    let value = |format: InputFormat| PossibleValue::new(format.name()).help(format.meaning());
    PossibleValuesParser::new(InputFormat::all().map(value)).try_map(|name| name.parse::<InputFormat>())
}

impl Reading {
    /// The run with these options.
    pub(super) fn fill(&self, mut run: Conversion) -> Conversion {
        if let Some(format) = self.from {
            run = run.format(format);
        }
        if let Some(format) = &self.log_format {
            run = run.log_format(format);
        }
        if let Some(delimiter) = &self.delimiter {
            run = run.delimiter(delimiter);
        }
        if let Some(comment) = &self.comment {
            run = run.comment(comment);
        }
        if let Some(encoding) = self.encoding {
            run = run.encoding(encoding);
        }
        if let Some(field) = &self.uri_field {
            run = run.uri_field(field);
        }
        if let Some(field) = &self.base_field {
            run = run.base_field(field);
        }
        if let Some(header) = self.header {
            run = run.header(match header {
                HeaderChoice::Auto => Header::Auto,
                HeaderChoice::Yes => Header::Yes,
                HeaderChoice::No => Header::No,
            });
        }
        if let Some(keep) = &self.keep {
            run = run.keep(keep.clone());
        }
        if let Some(records) = &self.records {
            run = run.records(records.clone());
        }
        run.no_quotes(self.no_quotes)
    }

    /// The options with what references are resolved against.
    pub(super) fn resolving(&self, options: NormalizeOptions) -> NormalizeOptions {
        let options = options.compat(self.compat);
        match &self.base {
            Some(base) => options.base(base),
            None => options,
        }
    }

    /// Whether the user asks for a format, be it auto.
    pub(super) fn names_format(&self) -> bool {
        self.from.is_some()
    }
}

//! The options that say how records are read and what they are resolved against, for every command that takes records.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::term::stderr::say_sentence;
use crate::term::summary::Form;
use urimill::run::{Encoding, Header, InputFormat, InputOptions, LastLine, NormalizeOptions, RecordTypes};

/// Where the URIs stand in the inputs.
#[derive(Debug, Args)]
pub(crate) struct Reading {
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
    /// struct. In normalize further names, separated by commas, are of fields with further URIs: their columns have
    /// the name as a prefix, as in src_host. A + before the first name leaves the first URI where the format has
    /// it: +referer
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    uri_field: Option<String>,

    /// The URI made of several fields, as in https://{host}{path}?{query}, with fields named as for --uri-field
    /// or, in logs, as columns are. A null field takes along the ?, # or : before it
    #[arg(long, value_name = "TEMPLATE", allow_hyphen_values = true)]
    uri_template: Option<String>,

    /// The field that holds the line of a request, such as GET /a HTTP/1.1, named as for --uri-field; adds the
    /// columns method and protocol
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    request_line: Option<String>,

    /// Whether the first record of an input names the fields; auto: if a field is asked for by name
    #[arg(long, value_enum, value_name = "WHETHER", hide_possible_values = true)]
    header: Option<HeaderChoice>,

    /// Treat quotes in csv and tsv as ordinary characters: every line is a record
    #[arg(long)]
    no_quotes: bool,

    /// The records of web archives that are read, by type: all, or types separated by commas, as in
    /// response,revisit; in a WAT, those that describe records of these types [default: all]
    #[arg(long, value_name = "TYPES")]
    records: Option<RecordTypes>,

    /// Do not decompress the bodies of records in .warc.gz and .arc.gz, where nobody asks for them: several times as
    /// fast. The end of a record is found by its length, which stands in its header and at its end. Damage in a body is
    /// not noticed, and a hostile page can forge a record: for archives of a known origin. No effect with --on-damage
    /// keep or skip
    #[arg(long)]
    skip_bodies: bool,

    /// What to do with the last line of a log that has no line feed, and so may be cut. mark: its row has unfinished in
    /// field_errors, unless a quote or a bracket ends its last field. keep: nothing. drop: it has no row, and the
    /// summary counts it [default: mark]
    #[arg(long, value_enum, value_name = "WHAT", hide_possible_values = true)]
    last_line: Option<LastLineChoice>,
}

/// What references stand against.
#[derive(Debug, Args)]
pub(crate) struct Bases {
    /// The field that holds the base of the URI reference, named as for --uri-field. Where it is empty,
    /// --base is used. The column base of a table has the base that was used
    #[arg(long, value_name = "FIELD", allow_hyphen_values = true)]
    base_field: Option<String>,

    /// Resolve each reference against URI (RFC 3986, 5); the output is about the targets
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

/// What `--last-line` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LastLineChoice {
    Mark,
    Keep,
    Drop,
}

/// A format by its name.
pub(crate) fn input_formats() -> impl TypedValueParser<Value = InputFormat> {
    let value = |format: InputFormat| PossibleValue::new(format.name()).help(format.meaning());
    PossibleValuesParser::new(InputFormat::all().map(value)).try_map(|name| name.parse::<InputFormat>())
}

impl Reading {
    /// How records are read.
    pub(crate) fn options(&self) -> InputOptions {
        let mut options = InputOptions::new().no_quotes(self.no_quotes).skip_bodies(self.skip_bodies);
        if let Some(format) = self.from {
            options = options.format(format);
        }
        if let Some(format) = &self.log_format {
            options = options.log_format(format);
        }
        if let Some(delimiter) = &self.delimiter {
            options = options.delimiter(delimiter);
        }
        if let Some(comment) = &self.comment {
            options = options.comment(comment);
        }
        if let Some(encoding) = self.encoding {
            options = options.encoding(encoding);
        }
        if let Some(field) = &self.uri_field {
            options = options.uri_field(field);
        }
        if let Some(template) = &self.uri_template {
            options = options.uri_template(template);
        }
        if let Some(field) = &self.request_line {
            options = options.request_line(field);
        }
        if let Some(header) = self.header {
            options = options.header(match header {
                HeaderChoice::Auto => Header::Auto,
                HeaderChoice::Yes => Header::Yes,
                HeaderChoice::No => Header::No,
            });
        }
        if let Some(last_line) = self.last_line {
            options = options.last_line(match last_line {
                LastLineChoice::Mark => LastLine::Mark,
                LastLineChoice::Keep => LastLine::Keep,
                LastLineChoice::Drop => LastLine::Drop,
            });
        }
        match &self.records {
            Some(records) => options.records(records.clone()),
            None => options,
        }
    }

    /// Reports the detected format of the inputs; `has_prefix` if something precedes each line. A list is the expected
    /// case, and reported only on request.
    pub(crate) fn say_format(&self, format: &str, has_prefix: bool) {
        if self.from.is_some() || format != "lines" {
            let around = if has_prefix { ", after the prefix of each line" } else { "" };
            say_sentence(&format!("read the input as {format}{around}"));
        }
    }

    /// The same where a table was made of inputs, `bytes` in all: without a byte nothing tells the format.
    pub(crate) fn say_format_of_table(&self, format: &str, has_prefix: bool, bytes: u64, summary: Form) {
        // The format of an empty input with columns that were named is none that was read.
        if bytes > 0 || format == "lines" {
            self.say_format(format, has_prefix);
        }
        if (bytes, summary) == (0, Form::Text) {
            say_sentence(
                "no input has a byte, so the table has the columns of a list and those that were named: with --from it has \
                 those of the format",
            );
        }
    }
}

impl Bases {
    /// The options with the field of the base.
    pub(crate) fn fill(&self, options: InputOptions) -> InputOptions {
        match &self.base_field {
            Some(field) => options.base_field(field),
            None => options,
        }
    }

    /// The options with what references are resolved against.
    pub(crate) fn resolving(&self, options: NormalizeOptions) -> NormalizeOptions {
        let options = options.compat(self.compat);
        match &self.base {
            Some(base) => options.base(base),
            None => options,
        }
    }
}

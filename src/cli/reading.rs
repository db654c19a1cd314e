//! How records are read and what they stand against: the options that say so, for the commands that take
//! records.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::run::{Conversion, Header, InputFormat, Keep, NormalizeOptions, RecordTypes};

/// Where the URIs stand in the inputs, and their bases.
#[derive(Debug, Args)]
pub(super) struct Reading {
    /// What the inputs hold; standard error says what an input was taken for with auto [default: auto]
    #[arg(long, value_name = "FORMAT", value_parser = input_formats())]
    from: Option<InputFormat>,

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

/// What `--header` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HeaderChoice {
    Auto,
    Yes,
    No,
}

/// A format by its name.
fn input_formats() -> impl TypedValueParser<Value = InputFormat> {
    let value = |format: InputFormat| PossibleValue::new(format.name()).help(format.meaning());
    PossibleValuesParser::new(InputFormat::all().map(value)).try_map(|name| name.parse::<InputFormat>())
}

impl Reading {
    /// The run with these options.
    pub(super) fn fill(&self, mut run: Conversion) -> Conversion {
        if let Some(format) = self.from {
            run = run.format(format);
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

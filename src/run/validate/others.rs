//! The rules of the runs that write no table with a row for each record.

use super::{MOST, MOST_BYTES, check_csv_safe, check_output, check_verify, in_range, usage};
use crate::batch::{Column, Columns};
use crate::canonical::Canonical;
use crate::dedupe;
use crate::dedupe::Key;
use crate::edges::Node;
use crate::error::Result;
use crate::option_name::OptionName;
use crate::read::{LastLine, OnDamage};
use crate::run::budget::LEAST_OF_REPORT;
use crate::run::check::Check;
use crate::run::dedupe::Dedupe;
use crate::run::edges::Edges;
use crate::run::extract::Extract;
use crate::run::input_format::{InputFormat, InputOptions};
use crate::run::report::Report;
use crate::uri::Start;
use crate::write::Format;

impl Dedupe {
    /// Whether these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        let number = |n: usize| Some(n as u64);
        let longest = self.normalize.max_record.and_then(number);
        in_range(OptionName::MaxRecord, longest, 1, dedupe::MAX_RECORD as u64)?;
        in_range(OptionName::ChunkBytes, number(self.chunk_bytes), 1, dedupe::MAX_RECORD as u64)?;
        in_range(OptionName::Threads, self.threads.and_then(number), 1, 1024)?;
        in_range(OptionName::Memory, self.memory, 1 << 20, MOST)?;
        let format = self.output_format()?;
        if let Some(output) = &self.output {
            check_output(output)?;
            check_csv_safe(output, [format])?;
            check_verify(self.verify, Some(output))?;
        }
        let normalize = &self.normalize;
        self.check_key()?;
        let (is_canonical, has_suffix) = match &self.key {
            Key::Column(column) => (*column == Column::Canonical, Columns::new([*column]).use_suffix_list()),
            Key::Uri | Key::Field(_) => (false, false),
        };
        let of_tables = [
            (OptionName::DefaultScheme, normalize.default_scheme.is_some(), false),
            (OptionName::Psl, normalize.psl.is_some(), has_suffix),
            (OptionName::PslUnlisted, normalize.psl_unlisted, has_suffix),
            (OptionName::Canonical, normalize.canonical.is_some(), is_canonical),
            (OptionName::DropParams, !normalize.drop_params.is_empty(), is_canonical),
            (OptionName::DropTracking, normalize.drop_tracking, is_canonical),
            (OptionName::PortRules, normalize.port_rules.is_some(), false),
        ];
        match of_tables.into_iter().find(|&(_, is_given, counts)| is_given && !counts) {
            Some((
                option @ (OptionName::Canonical | OptionName::DropParams | OptionName::DropTracking),
                ..,
            )) => {
                return usage(format!(
                    "{} does not affect which records are equal: say {}, or drop it",
                    option.named(),
                    OptionName::By.with("canonical")
                ));
            }
            Some((option, ..)) => {
                return usage(format!("{} does not affect which records are equal: drop it", option.named()));
            }
            None => {}
        }
        self.input.check()?;
        self.input.check_without_fields()?;
        self.input.check_one_uri()?;
        normalize.check(self.input.base_field.is_some())
    }

    fn check_key(&self) -> Result<()> {
        let by = OptionName::By;
        match &self.key {
            Key::Column(Column::Canonical) if self.normalize.canonical.is_none() => usage(format!(
                "{} needs a form: give {}",
                by.with("canonical"),
                OptionName::Canonical.with_any(&Canonical::ALL.map(Canonical::as_str))
            )),
            // What is made of the normal form, or of the reference.
            Key::Column(column) if !is_key(*column) => {
                let keys = Column::ALL.into_iter().filter(|&column| is_key(column)).map(Column::as_str);
                usage(format!(
                    "{} does not say which records are equal: choose from uri, {}, or a field of the records",
                    by.with(column.as_str()),
                    keys.collect::<Vec<_>>().join(", ")
                ))
            }
            Key::Field(name) if self.input.asked_format() == InputFormat::Lines => usage(format!(
                "{} needs a format with fields, and lines have none: choose another {}",
                by.with(name),
                OptionName::Format.named()
            )),
            _ => Ok(()),
        }
    }
}

/// Whether a column can be the key of distinct records: it has texts or numbers that tell of the URI.
fn is_key(column: Column) -> bool {
    use Column::*;
    !matches!(
        column,
        Record
            | Uri
            | Raw
            | Flags
            | Error
            | ErrorOffset
            | RawBytes
            | Source
            | Offset
            | HostParts
            | QueryParams
            | QueryParamsRaw
            | PathParams
    )
}

impl Edges {
    /// Whether these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        self.check_options()?;
        self.check_output()
    }

    /// Whether the options but those of the output make sense together.
    pub(in crate::run) fn check_options(&self) -> Result<()> {
        let number = |n: usize| Some(n as u64);
        in_range(OptionName::MaxRecord, self.normalize.max_record.and_then(number), 1, MOST_BYTES)?;
        in_range(OptionName::ChunkBytes, number(self.chunk_bytes), 1, MOST_BYTES)?;
        in_range(OptionName::Threads, self.threads.and_then(number), 1, 1024)?;
        in_range(OptionName::Memory, self.memory, 1 << 20, MOST)?;
        let normalize = &self.normalize;
        let has_suffix = self.node == Node::RegisteredDomain;
        let of_tables = [
            (OptionName::DefaultScheme, normalize.default_scheme.is_some()),
            (OptionName::Psl, normalize.psl.is_some() && !has_suffix),
            (OptionName::PslUnlisted, normalize.psl_unlisted && !has_suffix),
            (OptionName::Canonical, normalize.canonical.is_some()),
            (OptionName::DropParams, !normalize.drop_params.is_empty()),
            (OptionName::DropTracking, normalize.drop_tracking),
            (OptionName::PortRules, normalize.port_rules.is_some()),
        ];
        if let Some((option, _)) = of_tables.into_iter().find(|&(_, is_given)| is_given) {
            return usage(format!("{} does not affect edges: drop it", option.named()));
        }
        self.links.check(&InputOptions::default(), normalize, false)?;
        normalize.check(true)
    }

    /// Whether there is an output, and can be one.
    pub(in crate::run) fn check_output(&self) -> Result<()> {
        match self.output_format()? {
            None => self.check_graph()?,
            Some(Format::Uris) => {
                return usage(format!(
                    "edges are no list of URIs: give {}",
                    OptionName::OutputFormat.with_any(&["parquet", "arrow", "csv", "tsv", "jsonl"])
                ));
            }
            Some(format) => {
                let output = self.output()?;
                check_output(output)?;
                check_csv_safe(output, [format])?;
                check_verify(self.verify, Some(output))?;
                if output.is_directory()? {
                    return usage(format!(
                        "edges are one file: give {} a name that is no directory",
                        OptionName::Output.named()
                    ));
                }
            }
        }
        Ok(())
    }

    fn check_graph(&self) -> Result<()> {
        let output = self.output()?;
        let graph = OptionName::Graph.on();
        if self.node == Node::Uri {
            return usage(format!(
                "{graph} is for names, and URIs have none: give {}",
                OptionName::Edges.with_any(&[Node::Host.as_str(), Node::RegisteredDomain.as_str()])
            ));
        }
        if output.path.is_none() {
            return usage(format!(
                "{graph} writes a directory of two files: give {}",
                OptionName::Output.with("DIR/")
            ));
        }
        let of_tables = [
            (OptionName::OutputFormat, output.format.is_some()),
            (OptionName::CsvSafe, output.csv_safe),
            (OptionName::Verify, self.verify),
        ];
        match of_tables.into_iter().find(|&(_, is_given)| is_given) {
            Some((option, _)) => {
                usage(format!("{} is for tables, and {graph} writes texts: drop one of them", option.named()))
            }
            None => Ok(()),
        }
    }
}

impl Check {
    /// Whether these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        let number = |n: usize| Some(n as u64);
        in_range(OptionName::Threads, self.threads.and_then(number), 1, 1024)?;
        in_range(OptionName::MaxRecord, number(self.max_record), 1, MOST_BYTES)?;
        in_range(OptionName::ChunkBytes, number(self.chunk_bytes), 1, MOST_BYTES)?;
        self.input.check()?;
        self.input.check_without_fields()?;
        self.input.check_one_uri()?;
        if self.specs.len() > 1 && self.input.base_field.is_some() {
            return usage(format!(
                "{} names several specifications, which are compared against one base: give {}, not {}",
                OptionName::Spec.named(),
                OptionName::Base.named(),
                OptionName::BaseField.named()
            ));
        }
        let compares = (OptionName::Base, self.base.is_some());
        let compares = [compares, (OptionName::Level, self.level.is_some())];
        let asked = compares.into_iter().find(|&(_, is_given)| is_given);
        match (self.specs.len(), asked) {
            (0, _) => usage(format!("{} names no specification: give one", OptionName::Spec.named())),
            (1, Some((option, _))) => usage(format!(
                "{} is for a comparison: name two specifications, such as {}",
                option.named(),
                OptionName::Spec.with("rfc2396,rfc3986")
            )),
            (2.., _) if self.require != Start::Reference => usage(format!(
                "{} is for one specification: those of {} are compared on every reference",
                OptionName::Require.named(),
                OptionName::Spec.named()
            )),
            _ => Ok(()),
        }
    }
}

impl Report {
    /// Whether these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        let number = |n: usize| Some(n as u64);
        in_range(OptionName::MaxRecord, self.normalize.max_record.and_then(number), 1, MOST_BYTES)?;
        in_range(OptionName::ChunkBytes, number(self.chunk_bytes), 1, MOST_BYTES)?;
        in_range(OptionName::Threads, self.threads.and_then(number), 1, 1024)?;
        in_range(OptionName::Memory, self.memory, LEAST_OF_REPORT, MOST)?;
        self.input.check()?;
        self.input.check_without_fields()?;
        self.input.check_one_uri()?;
        self.normalize.check(self.input.base_field.is_some())
    }

    /// The rule for inputs that are states, such as this one: their records have been read, with the options of then.
    pub(in crate::run) fn refuse_reading(&self, state: &str) -> Result<()> {
        let (input, normalize) = (&self.input, &self.normalize);
        let given = [
            (OptionName::Format, input.asked_format() != InputFormat::Auto && input.log_format.is_none()),
            (OptionName::LogFormat, input.log_format.is_some()),
            (OptionName::Delimiter, input.delimiter.is_some()),
            (OptionName::Comment, input.comment.is_some()),
            (OptionName::Encoding, input.encoding.is_some()),
            (OptionName::UriField, input.uri_field.is_some()),
            (OptionName::UriTemplate, input.uri_template.is_some()),
            (OptionName::RequestLine, input.request_line.is_some()),
            (OptionName::BaseField, input.base_field.is_some()),
            (OptionName::Header, input.header.is_some()),
            (OptionName::NoQuotes, input.no_quotes),
            (OptionName::Records, input.records.is_some()),
            (OptionName::SkipBodies, input.skips_bodies),
            (OptionName::LastLine, input.last_line != LastLine::default()),
            (OptionName::OnDamage, self.on_damage != OnDamage::default()),
            (OptionName::Spec, normalize.standard.is_some()),
            (OptionName::Level, normalize.level.is_some()),
            (OptionName::Repair, normalize.repair),
            (OptionName::DefaultScheme, normalize.default_scheme.is_some()),
            (OptionName::Base, normalize.base.is_some()),
            (OptionName::Compat, normalize.compat),
            (OptionName::Psl, normalize.psl.is_some()),
            (OptionName::PslUnlisted, normalize.psl_unlisted),
            (OptionName::MaxRecord, normalize.max_record.is_some()),
        ];
        match given.into_iter().find(|&(_, is_given)| is_given) {
            Some((option, _)) => usage(format!(
                "{} says how records are read, and {state} is a state, whose records were read before: drop it, or make a \
                 state with it from the inputs",
                option.named()
            )),
            None => Ok(()),
        }
    }
}

impl Extract {
    /// Whether these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        in_range(OptionName::ChunkBytes, Some(self.chunk_bytes as u64), 1, 1 << 30)?;
        in_range(OptionName::Threads, self.threads.map(|threads| threads as u64), 1, 1024)?;
        in_range(OptionName::Memory, self.memory, 1 << 20, MOST)?;
        self.format()?;
        self.input.check()?;
        self.input.check_without_fields()?;
        self.input.check_one_uri()?;
        let of_references = [
            (OptionName::BaseField, self.input.base_field.is_some()),
            (OptionName::UriTemplate, self.input.uri_template.is_some()),
            (OptionName::RequestLine, self.input.request_line.is_some()),
        ];
        if let Some((option, _)) = of_references.into_iter().find(|&(_, is_given)| is_given) {
            return usage(format!(
                "{} is for references, and what is found in texts are whole URIs: drop it",
                option.named()
            ));
        }
        if self.no_suffix && self.default_scheme.is_some() {
            return usage(format!(
                "{} completes what {} drops: give one of them",
                OptionName::DefaultScheme.named(),
                OptionName::NoSuffix.named()
            ));
        }
        self.options().map(drop)
    }
}

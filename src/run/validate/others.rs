//! The rules of the runs that do not write a table with a row for each record.

use urimill_base::error::Result;
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{Column, Columns};
use urimill_pipeline::dedupe;
use urimill_pipeline::dedupe::Key;
use urimill_pipeline::edges::Node;
use urimill_uri::canonical::Canonical;
use urimill_write::Format;

use super::{check_csv_safe, check_output, in_range, length, usage, within};
use crate::run::check::Check;
use crate::run::dedupe::Dedupe;
use crate::run::edges::Edges;
use crate::run::extract::{Extract, Searched};
use crate::run::input_format::InputOptions;
use crate::run::links::Links;
use crate::run::normalize_options::NormalizeOptions;
use crate::run::options::{self, BASES, Job, READING, SEVERAL};
use crate::run::report::Report;

/// Options of normalizing that affect only columns of a table.
const OF_COLUMNS: [OptionName; 7] = [
    OptionName::DefaultScheme,
    OptionName::Psl,
    OptionName::PslUnlisted,
    OptionName::Canonical,
    OptionName::DropParams,
    OptionName::DropTracking,
    OptionName::PortRules,
];

/// Refuses those of these options that do not `count` for a run.
fn refuse_of_columns(
    normalize: &NormalizeOptions,
    what: &str,
    counts: impl Fn(OptionName) -> bool,
) -> Result<()> {
    match OF_COLUMNS.into_iter().find(|&option| normalize.has(option) && !counts(option)) {
        Some(option) => usage(format!("{} does not affect {what}: drop it", option.named())),
        None => Ok(()),
    }
}

/// Whether an option defines the public suffixes.
fn is_suffix(option: OptionName) -> bool {
    matches!(option, OptionName::Psl | OptionName::PslUnlisted)
}

impl Dedupe {
    /// Checks that these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        within(OptionName::ChunkBytes, self.common.chunk() as u64, (1, dedupe::MAX_RECORD as u64))?;
        in_range(Job::Dedupe, self.common.numbers())?;
        in_range(Job::Dedupe, [(OptionName::MaxRecord, self.normalize.max_record.and_then(length))])?;
        let format = self.output_format()?;
        if let Some(output) = &self.output {
            check_output(output)?;
            check_csv_safe(output, [format])?;
        }
        let normalize = &self.normalize;
        self.check_key()?;
        let has_suffix = match &self.key {
            Key::Column(column) => Columns::new([*column]).use_suffix_list(),
            Key::Uri | Key::Field(_) => false,
        };
        options::check(Job::Dedupe, |option| match option {
            OptionName::By => match &self.key {
                Key::Column(column) => Some(column.as_str()),
                Key::Uri | Key::Field(_) => None,
            },
            OptionName::Output => self.output.as_ref()?.path.as_ref().map(|_| ""),
            _ => {
                let given = self.common.given(option).or_else(|| self.input.given(option));
                given.or_else(|| normalize.given(option))
            }
        })?;
        refuse_of_columns(normalize, "which records are equal", |option| {
            // Their rows have the rule for the column canonical.
            matches!(option, OptionName::Canonical | OptionName::DropParams | OptionName::DropTracking)
                || has_suffix && is_suffix(option)
        })?;
        self.input.check()?;
        self.input.check_without_fields()?;
        self.input.check_one_uri()
    }

    fn check_key(&self) -> Result<()> {
        let by = OptionName::By;
        match &self.key {
            Key::Column(Column::Canonical) if self.normalize.canonical.is_none() => usage(format!(
                "{} needs a form: give {}",
                by.with("canonical"),
                OptionName::Canonical.with_any(&Canonical::ALL.map(Canonical::as_str))
            )),
            // Columns made from the normal form, or from the reference.
            Key::Column(column) if !column.is_key() => {
                let keys = Column::ALL.into_iter().filter(|column| column.is_key()).map(Column::as_str);
                usage(format!(
                    "{} does not say which records are equal: choose from uri, {}, or a field of the records",
                    by.with(column.as_str()),
                    keys.collect::<Vec<_>>().join(", ")
                ))
            }
            Key::Field(name) if !self.input.asked_format().has_fields() => usage(format!(
                "{} needs a format with fields, and lines have none: choose another {}",
                by.with(name),
                OptionName::Format.named()
            )),
            _ => Ok(()),
        }
    }
}

impl Links {
    /// The rules of these options, with those of the run.
    pub(super) fn check(
        &self,
        input: &InputOptions,
        normalize: &NormalizeOptions,
        is_cc_index: bool,
    ) -> Result<()> {
        let has = |option| match option {
            OptionName::Schema => is_cc_index,
            OptionName::Base => normalize.base.is_some(),
            // The encoding of pages has its own meaning.
            OptionName::Encoding => false,
            option => input.has(option),
        };
        let of_records = READING.iter().chain(BASES).map(|row| row.option);
        let of_records = of_records.chain([OptionName::Schema, OptionName::Keep]);
        if let Some(option) = of_records.into_iter().find(|&option| has(option)) {
            return usage(format!(
                "{} is for records that each have one URI, and pages have many: drop it",
                option.named()
            ));
        }
        if let Some(base) = &self.base {
            normalize.standard().check_base(base)?;
        }
        Ok(())
    }
}

impl Edges {
    /// Checks that these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        self.check_options()?;
        self.check_output()
    }

    /// Checks that the options make sense together, without those of the output.
    pub(crate) fn check_options(&self) -> Result<()> {
        in_range(Job::Links, self.common.numbers())?;
        let normalize = &self.normalize;
        let has_suffix = self.node == Node::RegisteredDomain;
        refuse_of_columns(normalize, "edges", |option| has_suffix && is_suffix(option))?;
        self.links.check(&InputOptions::default(), normalize, false)?;
        let output = self.output.as_ref();
        options::check(Job::Links, |option| match option {
            OptionName::Edges => Some(self.node.as_str()),
            OptionName::Graph => self.is_graph.then_some(""),
            OptionName::Output => output?.path.as_ref().map(|_| ""),
            OptionName::OutputFormat => output?.format.map(|_| ""),
            OptionName::CsvSafe => output?.csv_safe.then_some(""),
            // Pages have their own bases.
            OptionName::BaseField => Some(""),
            _ => self.common.given(option).or_else(|| normalize.given(option)),
        })
    }

    /// Checks that there is an output, and that it is possible.
    pub(crate) fn check_output(&self) -> Result<()> {
        match self.output_format()? {
            None => {}
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
}

impl Check {
    /// Checks that these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        in_range(Job::Check, self.common.numbers())?;
        in_range(Job::Check, [(OptionName::MaxRecord, length(self.max_record))])?;
        self.input.check()?;
        self.input.check_without_fields()?;
        self.input.check_one_uri()?;
        options::check(Job::Check, |option| match option {
            OptionName::Spec => Some(if self.specs.len() > 1 { SEVERAL } else { "" }),
            OptionName::Base => self.base.as_ref().map(|_| ""),
            OptionName::Level => self.level.map(|_| ""),
            OptionName::Require => Some(self.require.as_str()),
            _ => self.input.given(option),
        })?;
        match self.specs.is_empty() {
            true => usage(format!("{} names no specification: give one", OptionName::Spec.named())),
            false => Ok(()),
        }
    }
}

impl Report {
    /// Checks that these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        in_range(Job::Report, self.common.numbers())?;
        self.input.check()?;
        self.input.check_without_fields()?;
        self.input.check_one_uri()?;
        options::check(Job::Report, |option| {
            self.input.given(option).or_else(|| self.normalize.given(option))
        })
    }

    /// The rule for inputs that are states, such as this one: their records were read by the options of an earlier run.
    pub(crate) fn refuse_reading(&self, state: &str) -> Result<()> {
        let has = |option| self.input.has(option) || self.normalize.has(option);
        match Job::Report.rows().map(|row| row.option).find(|&option| has(option)) {
            Some(option) => usage(format!(
                "{} says how records are read, and {state} is a state, whose records were read before: drop it, or make a \
                 state with it from the inputs",
                option.named()
            )),
            None => Ok(()),
        }
    }
}

impl Extract {
    /// Checks that these options make sense together.
    ///
    /// # Errors
    /// As [`Conversion::validate`](crate::run::Conversion::validate).
    pub fn validate(&self) -> Result<()> {
        in_range(Job::Extract, self.common.numbers())?;
        self.format()?;
        self.input.check()?;
        self.input.check_without_fields()?;
        self.input.check_one_uri()?;
        let of_references = [OptionName::BaseField, OptionName::UriTemplate, OptionName::RequestLine];
        if let Some(option) = of_references.into_iter().find(|&option| self.input.has(option)) {
            return usage(format!(
                "{} is for references, and what is found in texts are whole URIs: drop it",
                option.named()
            ));
        }
        if self.input.has(OptionName::SkipLines) && Searched::of(&self.input) != Searched::Records {
            return usage(format!(
                "{} is for records, and texts are searched whole: name their field with {}, or drop it",
                OptionName::SkipLines.named(),
                OptionName::UriField.named()
            ));
        }
        options::check(Job::Extract, |option| match option {
            OptionName::NoSuffix => self.no_suffix.then_some(""),
            OptionName::DefaultScheme => self.default_scheme.as_ref().map(|_| ""),
            _ => self.input.given(option),
        })?;
        self.options().map(drop)
    }
}

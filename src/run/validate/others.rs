//! The rules of the runs that write no table with a row for each record.

use super::{check_csv_safe, check_output, check_verify, in_range, length, usage, within};
use crate::Standard;
use crate::batch::{Column, Columns};
use crate::canonical::Canonical;
use crate::dedupe;
use crate::dedupe::Key;
use crate::edges::Node;
use crate::error::Result;
use crate::option_name::OptionName;
use crate::resolve::parse_base;
use crate::run::check::Check;
use crate::run::dedupe::Dedupe;
use crate::run::edges::Edges;
use crate::run::extract::{Extract, Searched};
use crate::run::input_format::InputOptions;
use crate::run::links::Links;
use crate::run::normalize_options::NormalizeOptions;
use crate::run::options::{BASES, Job, READING};
use crate::run::report::Report;
use crate::uri::Start;
use crate::whatwg;
use crate::write::Format;

/// Options of normalizing that only columns of a table show.
const OF_COLUMNS: [OptionName; 7] = [
    OptionName::DefaultScheme,
    OptionName::Psl,
    OptionName::PslUnlisted,
    OptionName::Canonical,
    OptionName::DropParams,
    OptionName::DropTracking,
    OptionName::PortRules,
];

impl Dedupe {
    /// Whether these options make sense together.
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
            check_verify(self.common.verify, Some(output))?;
        }
        let normalize = &self.normalize;
        self.check_key()?;
        let (is_canonical, has_suffix) = match &self.key {
            Key::Column(column) => (*column == Column::Canonical, Columns::new([*column]).use_suffix_list()),
            Key::Uri | Key::Field(_) => (false, false),
        };
        use OptionName::{Canonical, DefaultScheme, DropParams, DropTracking, PortRules, Psl, PslUnlisted};
        let counts = |option| match option {
            Psl | PslUnlisted => has_suffix,
            DefaultScheme | PortRules => false,
            _ => is_canonical,
        };
        match OF_COLUMNS.into_iter().find(|&option| normalize.has(option) && !counts(option)) {
            Some(option @ (Canonical | DropParams | DropTracking)) => {
                return usage(format!(
                    "{} does not affect which records are equal: say {}, or drop it",
                    option.named(),
                    OptionName::By.with("canonical")
                ));
            }
            Some(option) => {
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
            // The encoding is that of pages.
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
        self.check_base(normalize)
    }

    fn check_base(&self, normalize: &NormalizeOptions) -> Result<()> {
        let Some(base) = &self.base else { return Ok(()) };
        match normalize.standard() {
            Standard::Whatwg => drop(whatwg::parse_base(base)?),
            Standard::Rfc(spec) => drop(parse_base(base, spec)?),
        }
        Ok(())
    }
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
        in_range(Job::Links, self.common.numbers())?;
        let normalize = &self.normalize;
        let has_suffix = self.node == Node::RegisteredDomain;
        let counts = |option| has_suffix && matches!(option, OptionName::Psl | OptionName::PslUnlisted);
        if let Some(option) = OF_COLUMNS.into_iter().find(|&option| normalize.has(option) && !counts(option))
        {
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
                check_verify(self.common.verify, Some(output))?;
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
            (OptionName::Verify, self.common.verify),
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
        in_range(Job::Check, self.common.numbers())?;
        in_range(Job::Check, [(OptionName::MaxRecord, length(self.max_record))])?;
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
        in_range(Job::Report, self.common.numbers())?;
        self.input.check()?;
        self.input.check_without_fields()?;
        self.input.check_one_uri()?;
        self.normalize.check(self.input.base_field.is_some())
    }

    /// The rule for inputs that are states, such as this one: their records have been read, with the options of then.
    pub(in crate::run) fn refuse_reading(&self, state: &str) -> Result<()> {
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
    /// Whether these options make sense together.
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

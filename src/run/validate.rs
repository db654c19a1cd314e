//! The rules about a run's options, all in one place: which of them exclude or need each other, and which values they
//! take. An error is one sentence that names the options, as [`Mention`](crate::option_name::Mention)s.

mod index;
mod others;

use std::path::{Path, PathBuf};

use urimill_base::error::{Error, Result};
use urimill_base::files;
use urimill_base::option_name::OptionName;
use urimill_columns::batch::{Column, Columns};
use urimill_read::format::Keep;
use urimill_uri::canonical::Canonical;
use urimill_uri::normalize::Level;
use urimill_write::{Compression, Format};

use super::cc_index::of_tables;
use super::choices::OnInvalid;
use super::columns::{ColumnList, column_of};
use super::conversion::Conversion;
use super::input_format::{InputFormat, InputOptions};
use super::normalize_options::NormalizeOptions;
use super::options::{self, Job, Row, SEVERAL};
use super::output::Output;
use super::sort::is_other;

/// The decisions that follow from the options of a run.
#[derive(Debug, Clone)]
pub(super) struct Validated {
    /// The format of the table.
    pub(super) format: Format,
    /// The directory of the table, if it is one.
    pub(super) directory: Option<PathBuf>,
    /// The format of the table of rejects, if there is one.
    pub(super) rejects_format: Option<Format>,
    /// The columns of urimill's own.
    pub(super) columns: Columns,
    /// These and others as the caller lists them; not with another schema.
    pub(super) list: ColumnList,
    /// The records' other fields to read.
    pub(super) keep: Keep,
}

fn usage<T>(sentence: String) -> Result<T> {
    Err(Error::usage(sentence))
}

/// Refuses numbers outside the bounds of their options in a job.
fn in_range<const N: usize>(job: Job, numbers: [(OptionName, Option<u64>); N]) -> Result<()> {
    for (option, value) in numbers {
        if let (Some(bounds), Some(n)) = (job.row(option).and_then(Row::range), value) {
            within(option, n, bounds)?;
        }
    }
    Ok(())
}

fn within(option: OptionName, n: u64, (least, most): (u64, u64)) -> Result<()> {
    match (least..=most).contains(&n) {
        true => Ok(()),
        false => usage(format!(
            "{} is out of range: give a number from {least} to {most}",
            option.with(&n.to_string())
        )),
    }
}

/// A number of elements or bytes.
fn length(n: usize) -> Option<u64> {
    Some(n as u64)
}

impl Conversion {
    /// Checks that these options make sense together. It does not look at the inputs, and at the outputs only to find
    /// out whether there is a directory.
    ///
    /// # Errors
    /// Usage, with one sentence: [`Error::option`] and [`Error::mentions`] return the options that it is about.
    pub fn validate(&self) -> Result<()> {
        self.validated().map(drop)
    }

    /// The format of the table.
    ///
    /// # Errors
    /// Usage, if neither option nor extension sets it.
    pub fn output_format(&self) -> Result<Format> {
        match &self.output {
            Some(output) => output.table_format(self.directory()?.is_some()),
            // Batches hold every column.
            None => Ok(Format::ArrowStream),
        }
    }

    pub(super) fn validated(&self) -> Result<Validated> {
        self.check_ranges()?;
        let format = self.output_format();
        let name = format.as_ref().ok().map(|format| format.name());
        let job = if self.links.is_some() { Job::Links } else { Job::Normalize };
        options::check(job, |option| self.given(option, name))?;
        let (format, directory) = (format?, self.directory()?.map(Path::to_owned));
        let rejects_format = self.rejects_format(format)?;
        if let Some(output) = &self.output {
            check_csv_safe(output, [format].into_iter().chain(rejects_format))?;
        }
        let list = self.column_list(format)?;
        let columns = self.own_columns(format, &list)?;
        self.normalize.check_columns(&columns)?;
        if let Some(links) = &self.links {
            links.check(&self.input, &self.normalize, self.schema.is_cc_index())?;
        }
        self.input.check()?;
        let keep = self.read_fields(format, &list)?;
        self.check_invalid()?;
        Ok(Validated { format, directory, rejects_format, columns, list, keep })
    }

    fn check_ranges(&self) -> Result<()> {
        let numbers = [
            (OptionName::FileSize, self.file_size),
            (OptionName::MaxPartitions, self.max_partitions.and_then(length)),
            (OptionName::MaxRecord, self.normalize.max_record.and_then(length)),
        ];
        in_range(Job::Normalize, self.common.numbers())?;
        in_range(Job::Normalize, numbers)?;
        self.output.as_ref().map_or(Ok(()), check_output)
    }

    /// The directory of the table: if its name ends with a slash, if it is an existing directory, or if the table is
    /// partitioned.
    fn directory(&self) -> Result<Option<&Path>> {
        let Some(output) = &self.output else { return Ok(None) };
        let is_directory =
            !self.partition_by.is_empty() || self.file_size.is_some() || output.is_directory()?;
        Ok(output.path.as_deref().filter(|_| is_directory))
    }

    /// The format of the rejects, from the extension of their file. A device has no extension, and takes the format of
    /// the table.
    fn rejects_format(&self, table: Format) -> Result<Option<Format>> {
        let is_device =
            |path: &Path| files::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
        match (&self.rejects, &self.output) {
            // Another check refuses it.
            (Some(path), _) if path == Path::new("-") => Ok(None),
            (Some(path), Some(output)) => match output.format_of(path) {
                // A list of URIs has no column for codes.
                Err(_) if is_device(path) => {
                    Ok(Some(if table == Format::Uris { Format::Jsonl } else { table }))
                }
                format => format.map(Some),
            },
            (Some(path), None) => Ok(Some(Format::from_extension(path).unwrap_or(Format::Arrow))),
            (None, _) => Ok(None),
        }
    }

    /// The values of options for the rules. `format` is that of the table.
    fn given(&self, option: OptionName, format: Option<&'static str>) -> Option<&'static str> {
        use OptionName::*;
        let is_given = match option {
            OutputFormat => return format,
            Schema => return Some(self.schema.schema.name()),
            OnInvalid => {
                let name = |on_invalid| self::OnInvalid::NAMED.iter().find(|(_, it)| *it == on_invalid);
                return self.on_invalid.and_then(name).map(|(name, _)| *name);
            }
            SortBy => {
                let needs_more = self.sort_by.iter().any(|key| is_other(key, Column::Uri.as_str()));
                return (!self.sort_by.is_empty()).then_some(if needs_more { "" } else { "uri" });
            }
            BaseField => self.has_own_bases(),
            Output => self.output.as_ref().is_some_and(|output| output.path.is_some()),
            PartitionBy => !self.partition_by.is_empty(),
            FileSize => self.file_size.is_some(),
            MaxPartitions => self.max_partitions.is_some(),
            Columns => self.columns.is_some(),
            Rejects => self.rejects.is_some(),
            Fill => self.schema.fill,
            WideOffsets => self.schema.wide_offsets,
            Crawl => self.schema.crawl.is_some(),
            Subset => self.schema.subset.is_some(),
            _ => {
                let given = self.common.given(option).or_else(|| self.input.given(option));
                return given.or_else(|| self.normalize.given(option));
            }
        };
        is_given.then_some("")
    }

    /// Whether records have bases of their own.
    pub(super) fn has_own_bases(&self) -> bool {
        self.input.base_field.is_some() || self.links.is_some()
    }

    fn column_list(&self, format: Format) -> Result<ColumnList> {
        if self.schema.is_cc_index() || format == Format::Uris {
            return Ok(ColumnList::default());
        }
        if self.links.is_some() {
            let list = super::links::columns(self.columns.as_deref())?;
            return ColumnList::parse(
                Some(&list),
                InputFormat::default(),
                Columns::default_with_bases(),
                &[],
            );
        }
        let default = match self.input.base_field.is_some() {
            true => Columns::default_with_bases(),
            false => Columns::default(),
        };
        let further: Vec<String> = self.input.further_uris().iter().map(|field| column_of(field)).collect();
        ColumnList::parse(self.columns.as_deref(), self.input.asked_format(), default, &further)
    }

    /// urimill's columns that the batches have.
    fn own_columns(&self, format: Format, list: &ColumnList) -> Result<Columns> {
        if format == Format::Uris {
            return Ok(Columns::new([Column::Uri]));
        }
        let canonical = self.normalize.canonical;
        let columns = match self.schema.is_cc_index() {
            true => self.schema.choices(self.columns.as_deref(), &self.partition_by, canonical)?.columns(),
            false => list.own.clone(),
        };
        // All fields of the records are read, including the base, and columns made from it.
        let keeps_base = self.input.base_field.is_some() && self.input.keep == Some(Keep::All);
        let more = [(Column::Canonical, canonical.is_some()), (Column::Base, keeps_base)];
        let more = more.into_iter().filter(|(_, is_there)| *is_there).map(|(column, _)| column);
        Ok(columns.union(&Columns::new(more)))
    }

    /// The records' other fields to read.
    fn read_fields(&self, format: Format, list: &ColumnList) -> Result<Keep> {
        match format {
            _ if self.schema.is_cc_index() => match self.input.asked_format().is_table() {
                true => Err(of_tables()),
                false => self.schema.keep(&self.input),
            },
            Format::Uris => Ok(Keep::None),
            _ => Ok(list.keep(self.input.keep.as_ref(), self.input.base_field.as_deref())),
        }
    }

    fn check_invalid(&self) -> Result<()> {
        match (self.on_invalid, &self.rejects) {
            (Some(OnInvalid::Keep), None) if self.schema.is_strict() => usage(format!(
                "a record that is no URI reference lacks required columns of cc-index: use {} with {}",
                OptionName::Fill.named(),
                OptionName::OnInvalid.with("keep")
            )),
            (_, Some(path)) if path == Path::new("-") => {
                let rejects = OptionName::Rejects.named();
                usage(format!("{rejects} needs a file: standard output is only for the table"))
            }
            _ => Ok(()),
        }
    }
}

/// The numbers of an output.
fn check_output(output: &Output) -> Result<()> {
    in_range(Job::Normalize, [(OptionName::RowGroupRows, length(output.row_group_rows))])?;
    match output.compression {
        Compression::Zstd(level) if !(1..=22).contains(&level) => usage(format!(
            "{} is out of range: give a level from 1 to 22",
            OptionName::Compression.with(&format!("zstd({level})"))
        )),
        _ => Ok(()),
    }
}

fn check_csv_safe(output: &Output, formats: impl IntoIterator<Item = Format>) -> Result<()> {
    if output.csv_safe && !formats.into_iter().any(|format| matches!(format, Format::Csv | Format::Tsv)) {
        return usage(format!(
            "{} needs a CSV output: name one with {}, or {}",
            OptionName::CsvSafe.named(),
            OptionName::Output.with("FILE.csv"),
            OptionName::OutputFormat.with("csv")
        ));
    }
    Ok(())
}

impl InputOptions {
    /// The values of options for the rules.
    fn given(&self, option: OptionName) -> Option<&'static str> {
        match option {
            OptionName::UriField if !self.further_uris().is_empty() => Some(SEVERAL),
            OptionName::Keep if !self.asks_for_fields() => None,
            _ => self.has(option).then_some(""),
        }
    }
}

impl NormalizeOptions {
    /// The rules of these options among themselves; with `own_bases` each record has its base.
    pub(super) fn check(&self, own_bases: bool) -> Result<()> {
        in_range(Job::Normalize, [(OptionName::MaxRecord, self.max_record.and_then(length))])?;
        options::check(Job::Normalize, |option| match option {
            OptionName::BaseField => own_bases.then_some(""),
            option => self.given(option),
        })
    }

    /// The values of options for the rules.
    fn given(&self, option: OptionName) -> Option<&'static str> {
        match option {
            OptionName::Spec => Some(self.standard().as_str()),
            OptionName::Level => self.level.map(Level::as_str),
            _ => self.has(option).then_some(""),
        }
    }

    /// The rules of these options and the table's columns.
    pub(super) fn check_columns(&self, columns: &Columns) -> Result<()> {
        if self.canonical.is_none() && columns.contains(Column::Canonical) {
            return usage(format!(
                "the column canonical in {} needs a form: give {}",
                OptionName::Columns.named(),
                OptionName::Canonical.with_any(&Canonical::ALL.map(Canonical::as_str))
            ));
        }
        let needs_list =
            [(OptionName::Psl, self.psl.is_some()), (OptionName::PslUnlisted, self.psl_unlisted)];
        for (option, _) in needs_list.into_iter().filter(|(_, is_given)| *is_given) {
            if !columns.use_suffix_list() {
                return usage(format!(
                    "{} is for columns that need a public suffix list: ask for one, as in {}",
                    option.named(),
                    OptionName::Columns.with("+registered_domain")
                ));
            }
        }
        if self.port_rules.is_some() && !columns.have_flags() {
            return usage(format!(
                "{} is for the column flags: ask for it, as in {}",
                OptionName::PortRules.named(),
                OptionName::Columns.with("+flags")
            ));
        }
        Ok(())
    }
}

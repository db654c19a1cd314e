//! The formats of inputs by name, and the reader that the options about reading describe.

use std::sync::Arc;

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch;
use urimill_read::format::{Asked, Comment, Header, Keep, RecordTypes, Template, UriSource};
use urimill_read::{ChunkOptions, Format};

use super::format_file::FormatFile;

pub use crate::formats::InputFormat;

/// How records are read.
///
/// ```
/// use urimill::run::{Dedupe, InputFormat, InputOptions, Output};
///
/// let folder = tempfile::tempdir()?;
/// let links = folder.path().join("links.csv");
/// std::fs::write(&links, "page,href\n1,http://example.com\n2,http://EXAMPLE.com/\n")?;
/// let options = InputOptions::new().format(InputFormat::Csv).uri_field("href");
/// let output = Output::to(folder.path().join("distinct.csv"));
/// let stats = Dedupe::new().inputs([links]).read_as(options).write_to(output).run()?;
/// assert_eq!((stats.records, stats.rows), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "options do nothing until a run has them"]
#[non_exhaustive]
pub struct InputOptions {
    pub(super) format: Option<InputFormat>,
    /// A name that one of the files below may define.
    pub(super) format_name: Option<String>,
    pub(super) format_files: Vec<FormatFile>,
    pub(super) log_format: Option<String>,
    pub(super) delimiter: Option<String>,
    pub(super) comment: Option<String>,
    pub(super) uri_field: Option<String>,
    pub(super) uri_template: Option<String>,
    pub(super) request_line: Option<String>,
    pub(super) base_field: Option<String>,
    pub(super) header: Option<Header>,
    pub(super) no_quotes: bool,
    pub(super) keep: Option<Keep>,
    pub(super) records: Option<RecordTypes>,
    pub(super) unwrap: Option<String>,
    /// What chunks are made by, as far as the caller decides it.
    pub(super) sources: ChunkOptions,
}

impl InputOptions {
    /// The requested format.
    pub(super) fn asked_format(&self) -> InputFormat {
        let described = self.log_format.as_ref().map(|_| InputFormat::DESCRIBED);
        let named = || {
            let name = self.format_name.as_deref()?;
            self.format_files.iter().map(FormatFile::format).find(|format| format.name() == name)
        };
        described.or(self.format).or_else(named).unwrap_or_default()
    }

    /// Whether the caller names the field with the URI.
    pub(super) fn names_fields(&self) -> bool {
        self.names_uri() || self.base_field.is_some()
    }

    /// Whether the caller defines the URI by a template or a request line.
    fn names_uri(&self) -> bool {
        self.first_uri().is_some() || self.uri_template.is_some() || self.request_line.is_some()
    }

    /// The place of the URI in a record, if the caller names it.
    fn uri_source(&self) -> Result<Option<UriSource>> {
        Ok(match (&self.uri_template, &self.request_line) {
            (Some(template), _) => Some(UriSource::Template(Arc::new(Template::new(template)?))),
            (None, Some(field)) => Some(UriSource::RequestLine(field.parse()?)),
            (None, None) => self.first_uri().map(str::parse).transpose()?.map(UriSource::Field),
        })
    }

    /// Whether the caller asks for other fields.
    pub(super) fn asks_for_fields(&self) -> bool {
        self.keep.as_ref().is_some_and(|keep| *keep != Keep::None)
    }

    /// The reader, with exactly these other fields. The options must be [checked](Self::check).
    pub(super) fn reader(&self, keep: &Keep, options: &batch::Options) -> Result<Format> {
        self.reader_naming(keep, options, Vec::new())
    }

    /// The same, for a run that names columns besides those kept.
    pub(super) fn reader_naming(
        &self,
        keep: &Keep,
        options: &batch::Options,
        named: Vec<String>,
    ) -> Result<Format> {
        self.asked_format().reader(&self.asked(keep, options, named)?)
    }

    /// The requirements on a reader.
    pub(super) fn asked(&self, keep: &Keep, options: &batch::Options, named: Vec<String>) -> Result<Asked> {
        let asked = Asked {
            uri: self.uri_source()?,
            uri_name: self.first_uri().map(str::to_owned),
            base: self.base_field.clone(),
            header: self.header.unwrap_or_default(),
            separator: self.separator()?,
            no_quotes: self.no_quotes,
            comment: Comment::from(self.comment.as_deref().unwrap_or_default()),
            keep: keep.clone(),
            named,
            records: self.records.clone().unwrap_or_default(),
            log_format: self.log_format.clone(),
            formats: self.format_files.iter().map(|file| (file.name(), file.text())).collect(),
            unwrap: self.unwrap.clone(),
            ..Asked::default()
        };
        Ok(asked.resolving(options))
    }

    /// The byte between the fields of CSV.
    fn separator(&self) -> Result<Option<u8>> {
        match self.delimiter.as_deref().map(str::as_bytes) {
            None => Ok(None),
            Some(b"\\t") => Ok(Some(b'\t')),
            Some(&[byte]) if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r') => Ok(Some(byte)),
            Some(_) => Err(Error::usage(format!(
                "{} is not one ASCII character, or it is a quote or a line end",
                OptionName::Delimiter.with(self.delimiter.as_deref().unwrap_or_default())
            ))),
        }
    }

    /// Whether records of other types are skipped.
    pub(super) fn selects_records(&self) -> bool {
        self.records.as_ref().is_some_and(|records| !records.is_all())
    }

    /// The rules of these options.
    pub(super) fn check(&self) -> Result<()> {
        self.check_further()?;
        if let Some(name) = &self.format_name
            && self.format_files.iter().all(|file| file.name() != name)
        {
            // It says which names there are.
            name.parse::<InputFormat>()?;
        }
        self.check_format_files()?;
        let format = self.asked_format();
        self.separator()?;
        self.check_uri_source(format)?;
        if self.delimiter.is_some() && !format.takes(OptionName::Delimiter) {
            return Err(Error::usage(format!(
                "{} is for fields with a character between: say {}",
                OptionName::Delimiter.named(),
                OptionName::Format.with("csv")
            )));
        }
        self.check_comment(format)?;
        let of_text = [OptionName::Encoding, OptionName::SkipLines];
        if let Some(option) = of_text.into_iter().find(|&option| !format.is_text() && self.has(option)) {
            return Err(Error::usage(format!(
                "{} applies to text formats, and {} is not one: drop it",
                option.named(),
                OptionName::Format.with(format.name())
            )));
        }
        if !format.has_fields() && matches!(self.keep, Some(Keep::Names(_))) {
            return Err(Error::usage(format!(
                "{} needs a format with fields, and lines have none: choose another {}",
                OptionName::Keep.named(),
                OptionName::Format.named()
            )));
        }
        if self.records.is_some() && !format.takes(OptionName::Records) {
            return Err(Error::usage(format!(
                "{} is for web archives: use {}",
                OptionName::Records.named(),
                OptionName::Format.with_any(&["warc", "wat", "wacz"])
            )));
        }
        if let Some(unwrap) = &self.unwrap {
            unwrap.parse::<urimill_logs::Unwrap>()?;
            if !format.takes(OptionName::Unwrap) {
                return Err(Error::usage(format!(
                    "{} is for logs, and {} is not one: drop it",
                    OptionName::Unwrap.named(),
                    OptionName::Format.with(format.name())
                )));
            }
        }
        let (all, of_text_alone) = (&["csv", "tsv", "jsonl", "parquet", "arrow"][..], &["csv", "tsv"][..]);
        let is_auto = format.is_detected;
        let needs_uri = format.needs_uri || is_auto && self.names_fields();
        let given = [
            (OptionName::UriField, self.first_uri().is_some(), all),
            (OptionName::BaseField, self.base_field.is_some(), all),
            (OptionName::Header, self.header.is_some(), of_text_alone),
            (OptionName::NoQuotes, self.no_quotes, of_text_alone),
        ];
        for (option, is_given, formats) in given {
            if is_given && !format.takes(option) && !(is_auto && needs_uri) {
                let formats = if format.takes(OptionName::UriField) && !is_auto { formats } else { all };
                return Err(Error::usage(format!(
                    "{} needs a format with fields: use {}",
                    option.named(),
                    OptionName::Format.with_any(formats)
                )));
            }
        }
        if needs_uri && !self.names_uri() { Err(format.no_uri_field()) } else { Ok(()) }
    }

    /// Refuses files that define one name in two ways.
    fn check_format_files(&self) -> Result<()> {
        for (at, file) in self.format_files.iter().enumerate() {
            let before = self.format_files[..at].iter().find(|other| other.name() == file.name());
            if let Some(other) = before.filter(|other| other.text() != file.text()) {
                return Err(Error::usage(format!(
                    "{other} and {file} both define the format {:?}: rename one of them",
                    file.name()
                )));
            }
        }
        Ok(())
    }

    fn check_uri_source(&self, format: InputFormat) -> Result<()> {
        let sources = [OptionName::UriTemplate, OptionName::RequestLine, OptionName::UriField];
        let Some(first) = sources.into_iter().find(|&source| self.has(source)) else { return Ok(()) };
        self.uri_source()?;
        match first {
            // `check` refuses this.
            OptionName::UriField => Ok(()),
            option if format.takes(option) => Ok(()),
            option => Err(Error::usage(format!(
                "{} is for formats whose fields the user names, and {} says itself where its URIs are: use {}, or drop it",
                option.named(),
                OptionName::Format.with(format.name()),
                OptionName::Format.with_any(&["csv", "tsv", "jsonl", "parquet", "arrow"])
            ))),
        }
    }

    fn check_comment(&self, format: InputFormat) -> Result<()> {
        let Some(comment) = &self.comment else { return Ok(()) };
        if !format.takes(OptionName::Comment) {
            return Err(Error::usage(format!(
                "{} is for lines, CSV and TSV: use {}, or drop it",
                OptionName::Comment.named(),
                OptionName::Format.with_any(&["lines", "csv", "tsv"])
            )));
        }
        if comment.is_empty() || comment.contains(['"', '\n', '\r']) {
            return Err(Error::usage(format!(
                "{} cannot begin comments: give a text without quotes and line ends, such as #",
                OptionName::Comment.with(comment)
            )));
        }
        Ok(())
    }

    /// The rule for runs that write no other fields of the records.
    pub(super) fn check_without_fields(&self) -> Result<()> {
        if self.asks_for_fields() {
            return Err(Error::usage(format!(
                "{} is for tables with a row for each record: drop it",
                OptionName::Keep.named()
            )));
        }
        Ok(())
    }
}

//! The destination of a table: the options, and the file, directory or stream that they mean.

use std::path::{Path, PathBuf};

use arrow_schema::SchemaRef;
use urimill_base::error::{Error, Result};
use urimill_base::files;
use urimill_base::option_name::OptionName;
use urimill_uri::passwords::{Hide, hidden};
use urimill_write::{Compression, Format, Sink, SinkOptions, Target, Temporaries};

use super::setting::{Setting, Settings};

/// Where a table goes, and how it is written.
///
/// ```
/// use urimill::write::Compression;
/// use urimill::run::Output;
///
/// let file = Output::parquet("urls.parquet").compression(Compression::Snappy).force(true);
/// // A name that ends with a slash is a directory of files.
/// let directory = Output::to("table/").csv_safe(false);
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Output {
    /// `None` for standard output.
    pub(super) path: Option<PathBuf>,
    pub(super) format: Option<Format>,
    pub(super) compression: Compression,
    pub(super) row_group_rows: usize,
    pub(super) delta_texts: bool,
    pub(super) csv_safe: bool,
    pub(super) force: bool,
}

impl Default for Output {
    fn default() -> Self {
        Output::stdout()
    }
}

impl Settings for Output {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Output => self.path = file(setting.path()),
            OptionName::OutputFormat => {
                self.format = Some(setting.one_of(Format::ALL.map(|format| (format.name(), format)))?);
            }
            OptionName::Compression => self.compression = setting.parsed()?,
            OptionName::RowGroupRows => self.row_group_rows = setting.number()?,
            OptionName::DeltaTexts => self.delta_texts = setting.is_on()?,
            OptionName::CsvSafe => self.csv_safe = setting.is_on()?,
            OptionName::Force => self.force = setting.is_on()?,
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// The file of a path; `None` for standard output.
pub(super) fn file(path: PathBuf) -> Option<PathBuf> {
    (path != Path::new("-")).then_some(path)
}

impl Output {
    /// A file with the format of its extension, such as `urls.parquet`, or a directory of files, if the name ends with
    /// a slash or an existing directory has it.
    pub fn to(path: impl Into<PathBuf>) -> Self {
        Output {
            path: Some(path.into()),
            format: None,
            compression: Compression::default(),
            row_group_rows: 1_000_000,
            delta_texts: false,
            csv_safe: false,
            force: false,
        }
    }

    /// The output of a run that needs one.
    pub(super) fn of(output: Option<&Output>) -> Result<&Output> {
        output.ok_or_else(|| {
            Error::usage(format!("there is nothing to write to: give {}", OptionName::Output.named()))
        })
    }

    /// Checks that a run has one destination: an output, or the sink of its caller.
    pub(super) fn check_one(output: Option<&Output>, has_sink: bool) -> Result<()> {
        match (has_sink, output) {
            (false, output) => Output::of(output).map(drop),
            (true, Some(_)) => Err(Error::usage(format!(
                "the table goes to the caller: drop {}",
                OptionName::Output.named()
            ))),
            (true, None) => Ok(()),
        }
    }

    /// Standard output: a list of URIs, unless [`format`](Self::format) says otherwise.
    pub fn stdout() -> Self {
        Output { path: None, ..Output::to("") }
    }

    /// A Parquet file, or a directory of these.
    pub fn parquet(path: impl Into<PathBuf>) -> Self {
        Output::to(path).format(Format::Parquet)
    }

    /// An Arrow file, or a directory of these.
    pub fn arrow(path: impl Into<PathBuf>) -> Self {
        Output::to(path).format(Format::Arrow)
    }

    /// A CSV file, or a directory of these.
    pub fn csv(path: impl Into<PathBuf>) -> Self {
        Output::to(path).format(Format::Csv)
    }

    /// A file of JSON Lines, or a directory of these.
    pub fn jsonl(path: impl Into<PathBuf>) -> Self {
        Output::to(path).format(Format::Jsonl)
    }

    /// The format; overrides the extension.
    pub fn format(self, format: Format) -> Self {
        Output { format: Some(format), ..self }
    }

    /// The compression of Parquet pages.
    pub fn compression(self, compression: Compression) -> Self {
        Output { compression, ..self }
    }

    /// The most rows of a Parquet row group; 1,000,000 by default.
    pub fn row_group_rows(self, rows: usize) -> Self {
        Output { row_group_rows: rows, ..self }
    }

    /// Stores of each text in Parquet only the difference from the beginning of the one before (`DELTA_BYTE_ARRAY`), in
    /// columns without a dictionary: for tables that are sorted by a text. Old readers do not support it.
    pub fn delta_texts(self, delta_texts: bool) -> Self {
        Output { delta_texts, ..self }
    }

    /// In CSV, writes `'` before texts that a spreadsheet would treat as formulas. This changes values: the `'` is part
    /// of the cell for every reader.
    pub fn csv_safe(self, csv_safe: bool) -> Self {
        Output { csv_safe, ..self }
    }

    /// Replaces existing outputs.
    pub fn force(self, force: bool) -> Self {
        Output { force, ..self }
    }

    /// The format of the table, which is a directory of files or is not.
    ///
    /// # Errors
    /// Usage, if neither option nor extension sets it.
    pub(super) fn table_format(&self, is_directory: bool) -> Result<Format> {
        match &self.path {
            // A directory's name need not have an extension.
            Some(path) if is_directory => {
                Ok(self.format.or(Format::from_extension(path)).unwrap_or(Format::Parquet))
            }
            Some(path) if self.format.is_none() => self.format_of(path),
            _ => Ok(self.format.unwrap_or(Format::Uris)),
        }
    }

    /// The format of a second table: its own name decides first.
    pub(super) fn format_of(&self, path: &Path) -> Result<Format> {
        Format::from_extension(path).or(self.format).ok_or_else(|| no_format(path))
    }

    /// Whether the name of the table makes it a directory.
    pub(super) fn is_directory(&self) -> Result<bool> {
        let Some(path) = &self.path else { return Ok(false) };
        if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Ok(true);
        }
        let found = files::find(path).map_err(|e| Error::path("look at", path, e))?;
        Ok(found.is_some_and(|found| found.is_dir()))
    }

    /// The file of the table, to be published when it is complete, or standard output.
    pub(super) fn target(&self, run: &Temporaries) -> Result<Target> {
        match &self.path {
            Some(path) => Target::create_for(run, path, self.force),
            None => Target::stdout(),
        }
    }

    /// The options of sinks, with `metadata` after the version in the metadata of files.
    pub(super) fn sink_options(&self, metadata: Vec<(&'static str, String)>) -> SinkOptions {
        let version = [("urimill.version", env!("CARGO_PKG_VERSION").to_owned())];
        let pairs = version.into_iter().chain(metadata);
        SinkOptions {
            compression: self.compression,
            row_group_rows: self.row_group_rows,
            delta_texts: self.delta_texts,
            csv_safe: self.csv_safe,
            metadata: pairs.map(|(key, value)| (key.to_owned(), value)).collect(),
            ..SinkOptions::default()
        }
    }
}

/// The error for a file whose name does not give its format.
fn no_format(path: &Path) -> Error {
    Error::usage(format!(
        "the name {} has no known extension: use .parquet, .arrow, .csv, .jsonl or .txt, or give {}",
        path.display(),
        OptionName::OutputFormat.with("FORMAT")
    ))
}

/// Hides passwords in the metadata too: they must not contain what the rows hide.
pub(crate) fn hiding(mut options: SinkOptions, hide: Hide) -> SinkOptions {
    let name = match hide {
        Hide::Nothing => return options,
        Hide::Passwords => "passwords",
        Hide::UserInfo => "userinfo",
    };
    for (_, value) in &mut options.metadata {
        *value = String::from_utf8_lossy(&hidden(value.as_bytes(), hide)).into_owned();
    }
    options.metadata.push(("urimill.hidden".to_owned(), name.to_owned()));
    options
}

/// Makes the sink for the table, once its schema is known. Batches have this schema, or, if they come sorted, the types
/// of [`export_schema`](crate::write::export_schema).
pub type MakeSink<'a> = Box<dyn FnOnce(SchemaRef) -> Result<Box<dyn Sink>> + 'a>;

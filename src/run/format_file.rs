//! Formats of logs that a user's files define.

use std::collections::BTreeSet;
use std::path::Path;
use std::{fmt, fs};

use urimill_base::error::{Error, Result};

use crate::formats::InputFormat;

/// A format of logs that a file defines: see `docs/FORMAT-FILES.md`. What is read of a file is kept for the life of the
/// process, once for each text.
///
/// ```
/// use urimill::run::{Conversion, FormatFile};
///
/// let text = r#"
/// name = "gate"
/// title = "the gate of our shop"
/// kind = "lines"
/// lines = ['{time} {client} {method} {url} {status}']
///
/// [[sample]]
/// text = '2024-05-17T10:05:03Z 192.0.2.1 GET http://example.com/a 200'
/// rows = [{ uri = "http://example.com/a", status = 200 }]
/// "#;
/// let file = FormatFile::parse("gate.toml", text)?;
/// assert_eq!(file.name(), "gate");
/// assert!(file.test()?.is_empty());
/// let log = std::io::Cursor::new("2024-05-18T00:00:00Z 192.0.2.7 GET http://example.com/b 404\n");
/// let run = Conversion::new().format_file(file).inputs_from(log, "gate.log");
/// let mut batches = run.into_batches()?;
/// assert_eq!(batches.next_batch()?.map(|batch| batch.num_rows()), Some(1));
/// # Ok::<(), urimill::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct FormatFile {
    /// What messages call the file.
    pub(super) called: String,
    pub(super) format: InputFormat,
}

impl FormatFile {
    /// The format of a file.
    ///
    /// # Errors
    /// `Io`, if the file cannot be read; `Usage`, if [`parse`](Self::parse) refuses it.
    pub fn read(path: impl AsRef<Path>) -> Result<FormatFile> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| Error::path("read", path, error))?;
        let called = path.display().to_string();
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            Error::usage(format!("{called} is not UTF-8 from byte {at} on: a format file is TOML in UTF-8"))
        })?;
        FormatFile::parse(called, &text)
    }

    /// The formats of the files in a folder whose names end in `.toml`, in the order of their names; or that of a file.
    ///
    /// # Errors
    /// `Io`, if the folder cannot be read; `Usage`, if it has no such file; what [`read`](Self::read) has.
    pub fn read_all(path: impl AsRef<Path>) -> Result<Vec<FormatFile>> {
        let path = path.as_ref();
        if !path.is_dir() {
            return Ok(vec![FormatFile::read(path)?]);
        }
        let failed = |error| Error::path("read", path, error);
        let mut files = BTreeSet::new();
        for entry in fs::read_dir(path).map_err(failed)? {
            let file = entry.map_err(failed)?.path();
            if file.extension().is_some_and(|extension| extension == "toml") {
                files.insert(file);
            }
        }
        match files.is_empty() {
            false => files.iter().map(FormatFile::read).collect(),
            true => Err(Error::usage(format!("{} has no file .toml with a format", path.display()))),
        }
    }

    /// The format of a text; messages call its file `called`.
    ///
    /// # Errors
    /// `Usage`: the line and the column of the first fault, and what is allowed there.
    pub fn parse(called: impl Into<String>, text: &str) -> Result<FormatFile> {
        let called = called.into();
        let format = InputFormat::of_file(&called, text)?;
        Ok(FormatFile { called, format })
    }

    /// The file of a format that urimill knows; a few have code in its place.
    pub fn of(format: InputFormat) -> Option<FormatFile> {
        let text = urimill_logs::file_of(format.name())?;
        let row = format.with_definition(text);
        Some(FormatFile { called: format!("{}.toml", format.name()), format: row })
    }

    /// Its text.
    pub fn text(&self) -> &'static str {
        self.format.definition
    }

    /// The name of the format.
    pub fn name(&self) -> &'static str {
        self.format.name()
    }

    /// The format, for [`format`](super::InputOptions::format) of a run that has the file.
    pub fn format(&self) -> InputFormat {
        self.format
    }

    /// The columns of its fields, with the meaning that they have in every format.
    pub fn columns(&self) -> Vec<(String, urimill_columns::batch::Kind, &'static str)> {
        urimill_logs::fields_of(&self.format).unwrap_or_default()
    }
}

impl fmt::Display for FormatFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.called)
    }
}

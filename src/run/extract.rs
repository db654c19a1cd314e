//! The builder of a run that finds the URIs in running texts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use super::conflicts::refuse_inputs;
use super::progress::RunProgress;
use crate::error::{Error, Result};
use crate::extract::{Found, Options, each_found};
use crate::grammar::Spec;
use crate::input::{expand, open};
use crate::normalize::Level;
use crate::option_name::OptionName;
use crate::output::Target;
use crate::printable::printable_json;
use crate::uri::UriRef;

/// Finds the URIs in texts, and writes them one after the other.
///
/// ```
/// use urimill::run::Extract;
///
/// let folder = tempfile::tempdir()?;
/// let (text, list) = (folder.path().join("mail.txt"), folder.path().join("uris.txt"));
/// std::fs::write(&text, "See <http://example.com/a> and www.example.org, please.")?;
/// let stats = Extract::new().inputs([text]).write_to(&list).run()?;
/// assert_eq!(stats.found, 2);
/// assert_eq!(std::fs::read_to_string(&list)?, "http://example.com/a\nhttp://www.example.org\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "it does nothing until it is run"]
#[non_exhaustive]
pub struct Extract {
    inputs: Vec<OsString>,
    spec: Spec,
    level: Level,
    pub(super) default_scheme: Option<String>,
    pub(super) no_suffix: bool,
    pub(super) chunk_bytes: usize,
    output: Option<PathBuf>,
    format: Option<ExtractFormat>,
    force: bool,
    progress: RunProgress,
}

impl Default for Extract {
    fn default() -> Self {
        Extract {
            inputs: Vec::new(),
            spec: Spec::default(),
            level: Level::None,
            default_scheme: None,
            no_suffix: false,
            chunk_bytes: 256 << 10,
            output: None,
            format: None,
            force: false,
            progress: RunProgress::default(),
        }
    }
}

/// What is written of each URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExtractFormat {
    /// The URIs alone, one a line.
    Uris,
    /// One JSON object a line: source, offset and length in bytes, raw (as written), uri, kind, delimiter.
    Jsonl,
}

/// What a run has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtractStats {
    /// URIs.
    pub found: u64,
    /// Bytes written.
    pub bytes: u64,
}

impl Extract {
    /// A run with the defaults, from standard input to standard output.
    pub fn new() -> Self {
        Extract::default()
    }

    /// Files, patterns such as `pages/*.html.gz`, or `-` for standard input.
    pub fn inputs(self, inputs: impl IntoIterator<Item: Into<OsString>>) -> Self {
        Extract { inputs: inputs.into_iter().map(Into::into).collect(), ..self }
    }

    /// The specification that the URIs are written by.
    pub fn spec(self, spec: Spec) -> Self {
        Extract { spec, ..self }
    }

    /// The normal form to write; as they stand by default.
    pub fn level(self, level: Level) -> Self {
        Extract { level, ..self }
    }

    /// The scheme that completes `www.example.com` (RFC 3986, 4.5); `http` by default.
    pub fn default_scheme(self, scheme: impl Into<String>) -> Self {
        Extract { default_scheme: Some(scheme.into()), ..self }
    }

    /// Drops what has no scheme: `www.example.com`, and relative references in `<URL:…>`.
    pub fn no_suffix(self, no_suffix: bool) -> Self {
        Extract { no_suffix, ..self }
    }

    /// How much is read at once, in bytes.
    pub fn chunk(self, bytes: usize) -> Self {
        Extract { chunk_bytes: bytes, ..self }
    }

    /// The file to write to, instead of standard output.
    pub fn write_to(self, file: impl Into<PathBuf>) -> Self {
        Extract { output: Some(file.into()), ..self }
    }

    /// What is written, whatever the end of the file's name says.
    pub fn output_format(self, format: ExtractFormat) -> Self {
        Extract { format: Some(format), ..self }
    }

    /// Replaces the output file if it exists.
    pub fn force(self, force: bool) -> Self {
        Extract { force, ..self }
    }

    /// The run's temporary file may be removed by this: see [`RunProgress::abandon`].
    pub fn progress(self, progress: &RunProgress) -> Self {
        Extract { progress: progress.clone(), ..self }
    }

    /// Reads every text and writes what it finds; publishes the output when all is well.
    ///
    /// # Errors
    /// Those of [`validate`](Self::validate), of reading and of writing; nothing is published then.
    pub fn run(self) -> Result<ExtractStats> {
        self.validate()?;
        let format = self.format()?;
        let options = self.options()?;
        let sources = expand(&self.inputs)?;
        refuse_inputs(&sources, [self.output.as_deref(), None])?;
        let mut target = match &self.output {
            Some(path) => Target::create_for(&self.progress.temporaries, path, self.force)?,
            None => Target::stdout()?,
        };
        let (mut line, mut found_all) = (Vec::new(), 0);
        for source in &sources {
            let name = printable_json(&Value::from(source.name()).to_string()).into_owned();
            let mut reader = open(source, &Arc::clone(&self.progress.stored))?;
            let read = |buffer: &mut [u8]| {
                self.progress.counters.check()?;
                reader.read(buffer)
            };
            each_found(read, self.chunk_bytes, &options, |at, found| {
                line.clear();
                match format {
                    ExtractFormat::Uris => line.extend_from_slice(found.uri.as_bytes()),
                    ExtractFormat::Jsonl => line.extend_from_slice(object(&name, at, found).as_bytes()),
                }
                line.push(b'\n');
                found_all += 1;
                target.append(&line)
            })?;
        }
        Ok(ExtractStats { found: found_all, bytes: target.commit()? })
    }

    pub(super) fn format(&self) -> Result<ExtractFormat> {
        let Some(path) = self.output.as_deref().filter(|_| self.format.is_none()) else {
            return Ok(self.format.unwrap_or(ExtractFormat::Uris));
        };
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        match extension.to_str() {
            Some("jsonl" | "ndjson") => Ok(ExtractFormat::Jsonl),
            Some("txt" | "uris") => Ok(ExtractFormat::Uris),
            _ => Err(no_format(path)),
        }
    }

    pub(super) fn options(&self) -> Result<Options> {
        let scheme = self.default_scheme.as_deref().unwrap_or("http");
        let probe = format!("{scheme}://h");
        if UriRef::parse(&probe).ok().and_then(|uri| uri.scheme()) != Some(scheme) {
            return Err(Error::usage(format!(
                "{} is no scheme: give a name such as https, without the colon",
                OptionName::DefaultScheme.with(scheme)
            )));
        }
        let suffix_scheme = (!self.no_suffix).then(|| scheme.to_owned());
        Ok(Options { spec: self.spec, level: self.level, suffix_scheme })
    }
}

fn no_format(path: &Path) -> Error {
    Error::usage(format!(
        "cannot tell a format from the name {}: give it the end .jsonl or .txt, or say {} or {}",
        path.display(),
        OptionName::OutputFormat.with("uris"),
        OptionName::OutputFormat.with("jsonl")
    ))
}

/// One URI in JSON, its members in the order that people read them; `source` is in JSON already. `at` is where the
/// piece of text begins that [`Found::offset`] counts in.
fn object(source: &str, at: u64, found: &Found<'_>) -> String {
    let (offset, length) = (at + found.offset as u64, found.raw.len());
    let (raw, uri) = (Value::from(found.raw), Value::from(found.uri.as_ref()));
    let (kind, delimiter, hyphen_break) = (found.kind.as_str(), found.delimiter.as_str(), found.hyphen_break);
    format!(
        r#"{{"source":{source},"offset":{offset},"length":{length},"raw":{raw},"uri":{uri},"kind":"{kind}","delimiter":"{delimiter}","hyphen_break":{hyphen_break}}}"#
    )
}

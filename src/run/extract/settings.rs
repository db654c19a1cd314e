//! The options of a search for URIs: their defaults, a method for each, and all of them by name.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{Extract, ExtractFormat};
use crate::error::Result;
use crate::grammar::Spec;
use crate::normalize::Level;
use crate::option_name::OptionName;
use crate::run::input_format::InputOptions;
use crate::run::output::file;
use crate::run::progress::RunProgress;
use crate::run::setting::{Setting, Settings};

impl Default for Extract {
    fn default() -> Self {
        Extract {
            inputs: Vec::new(),
            input: InputOptions::default(),
            threads: None,
            spec: Spec::default(),
            level: Level::None,
            default_scheme: None,
            no_suffix: false,
            refang: false,
            chunk_bytes: 256 << 10,
            memory: None,
            temp_dir: None,
            output: None,
            format: None,
            force: false,
            progress: RunProgress::default(),
        }
    }
}

impl Settings for Extract {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Inputs => self.inputs = setting.texts(),
            OptionName::Output => self.output = file(setting.path()),
            OptionName::OutputFormat => self.format = Some(setting.one_of(ExtractFormat::NAMED)?),
            OptionName::Spec => self.spec = setting.parsed()?,
            OptionName::Level => self.level = setting.parsed()?,
            OptionName::DefaultScheme => self.default_scheme = Some(setting.text()?),
            OptionName::NoSuffix => self.no_suffix = setting.is_on()?,
            OptionName::Refang => self.refang = setting.is_on()?,
            OptionName::TempDir => self.temp_dir = Some(setting.path()),
            OptionName::Memory => self.memory = Some(setting.bytes()?),
            OptionName::Threads => self.threads = Some(setting.number()?),
            OptionName::ChunkBytes => self.chunk_bytes = setting.length()?,
            OptionName::Force => self.force = setting.is_on()?,
            _ => return self.input.put(setting),
        }
        Ok(true)
    }
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

    /// Where the texts are. Without options each input is one, but of a web archive what its records hold is searched.
    /// With [`InputOptions::uri_field`] the text of that field of each record is searched.
    pub fn read_as(self, options: InputOptions) -> Self {
        Extract { input: options, ..self }
    }

    /// The number of threads that search records. By default as many as there are processors.
    pub fn threads(self, threads: usize) -> Self {
        Extract { threads: Some(threads), ..self }
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

    /// Finds URIs that were made harmless, as what they were: `hxxp://example[.]com`.
    pub fn refang(self, refang: bool) -> Self {
        Extract { refang, ..self }
    }

    /// How much is read at once, in bytes.
    pub fn chunk(self, bytes: usize) -> Self {
        Extract { chunk_bytes: bytes, ..self }
    }

    /// Memory for the run, in bytes. By default 512 MiB, or 64 MiB for each thread where that is more.
    pub fn memory(self, bytes: u64) -> Self {
        Extract { memory: Some(bytes), ..self }
    }

    /// Where texts of web archives go that are too long for memory, in files without names; by default the system's
    /// place for them.
    pub fn temp_dir(self, directory: impl Into<PathBuf>) -> Self {
        Extract { temp_dir: Some(directory.into()), ..self }
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
}

//! The options of a search for URIs: their defaults, a method for each, and all of them by name.

use urimill_base::error::Result;
use urimill_base::option_name::OptionName;
use urimill_uri::grammar::Spec;
use urimill_uri::normalize::Level;

use super::Extract;
use crate::run::choices::ExtractFormat;
use crate::run::common::{Common, setters};
use crate::run::input_format::InputOptions;
use crate::run::job::Job;
use crate::run::output::Output;
use crate::run::setting::{Setting, Settings};

impl Default for Extract {
    fn default() -> Self {
        Extract {
            common: Common::default(),
            input: InputOptions::default(),
            spec: Spec::default(),
            level: Level::None,
            default_scheme: None,
            no_suffix: false,
            refang: false,
            output: Output::default(),
            format: None,
        }
    }
}

impl Settings for Extract {
    fn put(&mut self, setting: &Setting) -> Result<bool> {
        match setting.option() {
            OptionName::Output | OptionName::Force => return self.output.put(setting),
            OptionName::OutputFormat => self.format = Some(setting.one_of(ExtractFormat::NAMED)?),
            OptionName::Spec => self.spec = setting.parsed()?,
            OptionName::Level => self.level = setting.parsed()?,
            OptionName::DefaultScheme => self.default_scheme = Some(setting.text()?),
            OptionName::NoSuffix => self.no_suffix = setting.is_on()?,
            OptionName::Refang => self.refang = setting.is_on()?,
            _ => return Ok(self.common.put(setting, Self::NAME)? || self.input.put(setting)?),
        }
        Ok(true)
    }
}

impl Extract {
    /// A run with the defaults, from standard input to standard output.
    pub fn new() -> Self {
        Extract::default()
    }

    /// The texts to search. By default each input is one text, and a web archive has those of its records. With
    /// [`InputOptions::uri_field`] the text of that field of each record is searched.
    pub fn read_as(self, options: InputOptions) -> Self {
        Extract { input: options, ..self }
    }

    /// The specification of the URIs.
    pub fn spec(self, spec: Spec) -> Self {
        Extract { spec, ..self }
    }

    /// The normal form to write; by default URIs are written as they are.
    pub fn level(self, level: Level) -> Self {
        Extract { level, ..self }
    }

    /// The scheme that completes `www.example.com` (RFC 3986, 4.5); `http` by default.
    pub fn default_scheme(self, scheme: impl Into<String>) -> Self {
        Extract { default_scheme: Some(scheme.into()), ..self }
    }

    /// Drops texts without a scheme: `www.example.com`, and relative references in `<URL:…>`.
    pub fn no_suffix(self, no_suffix: bool) -> Self {
        Extract { no_suffix, ..self }
    }

    /// Finds defanged URIs, such as `hxxp://example[.]com`, in their original form.
    pub fn refang(self, refang: bool) -> Self {
        Extract { refang, ..self }
    }

    /// The output format, whatever the extension of the file.
    pub fn output_format(self, format: ExtractFormat) -> Self {
        Extract { format: Some(format), ..self }
    }

    setters!(inputs, temp_dir, memory, threads, chunk, write_to_file, progress, run);
}

//! The value of an option as text, and its conversion for the field that it fills. Program and Python package have
//! texts, and both call [`Settings::set`].

use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use urimill_base::error::{Error, Result};
use urimill_base::option_name::OptionName;

use super::budget::parse_bytes;

/// The value that a caller gives to an option: a text, or several for an option that takes a list.
#[derive(Debug, Clone)]
pub struct Setting {
    option: OptionName,
    texts: Vec<OsString>,
}

/// Runs whose options are set by name.
pub trait Settings: Sized {
    /// Sets an option; returns `false` if the run has no such option.
    ///
    /// # Errors
    /// Usage, if the option does not take the value.
    fn put(&mut self, setting: &Setting) -> Result<bool>;

    /// Sets an option by its name, for callers without the typed methods.
    ///
    /// ```
    /// use urimill::OptionName;
    /// use urimill::run::{Conversion, Settings};
    ///
    /// let run = Conversion::new().set(OptionName::Level, ["syntax"])?.set(OptionName::Repair, ["true"])?;
    /// let error = run.set(OptionName::LastLine, ["ignore"]).expect_err("no such value");
    /// assert_eq!(error.to_string(), "last_line is \"ignore\": use one of mark, keep, drop");
    /// # Ok::<(), urimill::Error>(())
    /// ```
    ///
    /// # Errors
    /// Usage, if the run has no such option, or the option does not take the value.
    fn set(mut self, option: OptionName, texts: impl IntoIterator<Item: Into<OsString>>) -> Result<Self> {
        match self.put(&Setting::new(option, texts))? {
            true => Ok(self),
            false => Err(Error::usage(format!("{} is no option of this run: drop it", option.named()))),
        }
    }
}

impl Setting {
    /// A value: one text, or the texts of a list.
    pub fn new(option: OptionName, texts: impl IntoIterator<Item: Into<OsString>>) -> Setting {
        Setting { option, texts: texts.into_iter().map(Into::into).collect() }
    }

    /// The option.
    pub fn option(&self) -> OptionName {
        self.option
    }

    /// All texts unchanged.
    pub(super) fn texts(&self) -> Vec<OsString> {
        self.texts.clone()
    }

    /// The texts of a list.
    pub(super) fn list(&self) -> Result<Vec<String>> {
        let text =
            |text: &OsString| text.clone().into_string().map_err(|_| self.wrong("give a text in UTF-8"));
        self.texts.iter().map(text).collect()
    }

    /// One text, or a list separated by commas.
    pub(super) fn text(&self) -> Result<String> {
        Ok(self.list()?.join(","))
    }

    pub(super) fn path(&self) -> PathBuf {
        self.texts.first().cloned().unwrap_or_default().into()
    }

    /// Whether a switch is on.
    pub(super) fn is_on(&self) -> Result<bool> {
        self.one_of([("true", true), ("false", false)])
    }

    /// The text, parsed by its type.
    pub(super) fn parsed<T: FromStr<Err: Into<Error>>>(&self) -> Result<T> {
        self.text()?.parse().map_err(Into::into)
    }

    /// One of several values by its name.
    pub(super) fn one_of<T>(&self, names: impl IntoIterator<Item = (&'static str, T)>) -> Result<T> {
        let text = self.text()?;
        let mut known = Vec::new();
        for (name, value) in names {
            if name == text {
                return Ok(value);
            }
            known.push(name);
        }
        Err(self.wrong(&format!("use one of {}", known.join(", "))))
    }

    pub(super) fn number<T: TryFrom<u64>>(&self) -> Result<T> {
        let number = self.text()?.parse::<u64>().ok().and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| self.wrong("give a number"))
    }

    /// A number of bytes: 65536, 64K.
    pub(super) fn bytes(&self) -> Result<u64> {
        parse_bytes(&self.text()?).ok_or_else(|| {
            let (option, text) = (self.option.named(), self.texts.join("".as_ref()));
            Error::usage(format!(
                "{option} is {}: give a number of bytes, such as 65536, \"64K\" or \"1M\"",
                text.display()
            ))
        })
    }

    /// The same, for a number that must fit into memory.
    pub(super) fn length(&self) -> Result<usize> {
        Ok(usize::try_from(self.bytes()?).unwrap_or(usize::MAX))
    }

    fn wrong(&self, advice: &str) -> Error {
        let text = self.texts.join(",".as_ref());
        Error::usage(format!("{} is {:?}: {advice}", self.option.named(), text.to_string_lossy()))
    }
}

//! Inputs that urimill does not read as they are: what such an input looks like, and what to do with it.

use std::borrow::Cow;

use urimill_base::error::Error;
use urimill_base::option_name::OptionName;

/// An input that urimill does not read as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// A noun: "a zip archive".
    pub what: Cow<'static, str>,
    /// Advice: a clause that begins with a verb.
    pub advice: Cow<'static, str>,
}

impl Foreign {
    /// An input that looks like `what`.
    pub fn new(what: impl Into<Cow<'static, str>>, advice: impl Into<Cow<'static, str>>) -> Foreign {
        Foreign { what: what.into(), advice: advice.into() }
    }

    /// The advice for `source`.
    pub(crate) fn advice_for(&self, source: &str) -> Cow<'_, str> {
        // Commands are for the file itself, if the shell takes its name as it is and the file is not compressed.
        let is_plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'/');
        let is_packed = [".gz", ".zst", ".bz2", ".xz"].iter().any(|end| source.ends_with(end));
        match source.bytes().all(is_plain) && !is_packed {
            true => self.advice.replace("FILE", source).into(),
            false => (&*self.advice).into(),
        }
    }

    /// The sentence that refuses `source`.
    pub fn refuse(&self, source: &str) -> Error {
        Error::usage(format!("{source} looks like {}: {}", self.what, self.advice_for(source)))
    }
}

/// Which format to ask for.
pub fn say(format: &str) -> String {
    format!("say {}", OptionName::Format.with(format))
}

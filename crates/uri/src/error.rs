//! Errors of an operation: a name that stands for nothing, options that exclude each other, a list that is not a list.
//!
//! A text outside the grammar is never an `Error`: it is a [`Reject`](crate::Reject).

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use crate::passwords::masked;
use crate::printable::printable;

/// The result of an operation that can fail as a whole.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a name, an option or a list was refused. `Display` is one complete sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    sentence: String,
}

/// What kind of failure an [`Error`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller asked for something that makes no sense.
    Usage,
    /// A text that was given as data, such as a public suffix list, is invalid.
    Data,
}

impl Error {
    /// A failure whose whole message is `sentence`. It quotes names and records, which may hold anything: passwords in
    /// it are masked and control characters are escaped, so that printing it prints one line.
    fn new(kind: ErrorKind, sentence: String) -> Self {
        let sentence = match masked(&sentence) {
            Cow::Owned(masked) => masked,
            Cow::Borrowed(_) => sentence,
        };
        let escaped = match printable(&sentence) {
            Cow::Owned(escaped) => Some(escaped),
            Cow::Borrowed(_) => None,
        };
        Error { kind, sentence: escaped.unwrap_or(sentence) }
    }

    /// The caller's mistake.
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, sentence.into())
    }

    /// Invalid data.
    #[cfg(feature = "psl")]
    pub(crate) fn data(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, sentence.into())
    }

    /// What kind of failure this is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence)
    }
}

impl core::error::Error for Error {}

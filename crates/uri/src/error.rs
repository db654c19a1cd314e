//! Errors of an operation: an unknown name, options that exclude each other, a list that is not a list.
//!
//! A text outside the grammar is never an `Error`: it is a [`Reject`](crate::Reject).

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

use crate::passwords::masked;
use crate::printable::printable;

/// The result of an operation that can fail as a whole.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// The reason why a name, an option or a list was refused. `Display` is one complete sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    sentence: String,
}

/// The kind of failure of an [`Error`].
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

    /// A mistake of the caller.
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, sentence.into())
    }

    /// Invalid data.
    #[cfg(feature = "psl")]
    pub(crate) fn data(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, sentence.into())
    }

    /// The kind of this failure.
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

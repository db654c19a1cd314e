//! Errors of operations. Any module may return an [`Error`].
//!
//! A URI outside the grammar is never an `Error`: it is a [`Reject`](urimill_uri::Reject), a value in its row. An `Error`
//! ends the operation, and its text is one sentence that says what was tried, on which file, why it failed and, if
//! possible, what to do.

pub mod elsewhere;

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use urimill_uri::passwords::masked;
use urimill_uri::printable::printable;

pub use elsewhere::{Wanted, elsewhere};

use crate::option_name::{Mention, OptionName, as_methods, in_words, mentions};

/// The result of an operation that can fail as a whole.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The reason why an operation failed. `Display` is one complete sentence, which names options as the methods that set
/// them; [`Error::in_words`] names them in other ways.
#[derive(Debug)]
pub struct Error {
    kind: ErrorKind,
    /// The sentence, which names options as [`Mention`]s.
    sentence: String,
    source: Option<io::Error>,
    file: Option<PathBuf>,
    marked: Option<(String, usize)>,
}

/// The kind of failure of an [`Error`], from which callers choose the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The caller asked for something that makes no sense (exit code 2).
    Usage,
    /// The operating system refused to read or write (exit code 3).
    Io,
    /// The input is damaged, such as corrupt or truncated compression (exit code 3).
    Data,
    /// A record is outside the grammar and the caller asked to stop at such a record (exit code 1).
    InvalidRecord,
    /// The reader of standard output closed it: not worth a message (exit code 0).
    ClosedPipe,
    /// The caller asked a run to stop (see `Progress::stop` of urimill-pipeline); exit code 3.
    Stopped,
    /// An internal check failed: a defect of urimill (exit code 3).
    Internal,
}

impl Error {
    /// A failure of `kind`, described by `sentence`. Names and records quoted in it may hold anything: passwords are
    /// masked, and control characters and the like are escaped, so that the sentence always prints as one line.
    pub fn new(kind: ErrorKind, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        match masked(&sentence) {
            Cow::Owned(masked) => Self::showing(kind, masked),
            Cow::Borrowed(_) => Self::showing(kind, sentence),
        }
    }

    /// Like [`Error::new`], but shows the passwords in the sentence, for a caller that asked to see them.
    pub fn showing(kind: ErrorKind, sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        let escaped = match printable(&sentence) {
            Cow::Owned(escaped) => Some(escaped),
            Cow::Borrowed(_) => None,
        };
        Error { kind, sentence: escaped.unwrap_or(sentence), source: None, file: None, marked: None }
    }

    /// The same about a file, with the system's error `source`.
    pub fn about(self, file: &Path, source: io::Error) -> Self {
        Error { file: Some(file.to_owned()), source: Some(source), ..self }
    }

    /// The same, with additional information after the sentence.
    pub fn and(self, more: &str) -> Self {
        Error { sentence: format!("{}; {}", self.sentence, printable(more)), ..self }
    }

    /// The same, about the byte `at` of a text given by the caller.
    pub fn marking(self, text: &str, at: usize) -> Self {
        Error { marked: Some((text.to_owned(), at)), ..self }
    }

    /// A text given by the caller, and the offset of its faulty byte.
    pub fn marked(&self) -> Option<(&str, usize)> {
        self.marked.as_ref().map(|(text, at)| (text.as_str(), *at))
    }

    /// A mistake of the caller.
    pub fn usage(sentence: impl Into<String>) -> Self {
        Self::new(ErrorKind::Usage, sentence)
    }

    /// A count that shows that records were lost; `what` names the numbers that differ.
    pub fn unbalanced(what: impl fmt::Display) -> Self {
        let sentence = format!(
            "the accounts do not add up: {what}; this is a defect of urimill, please report it; nothing was published"
        );
        Self::new(ErrorKind::Internal, sentence)
    }

    /// The data read from `name` is damaged at `byte` (of the file as it is stored).
    pub fn data(name: &str, byte: u64, what: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Data, format!("cannot read {name}: {what} at byte {byte}"))
    }

    /// `doing` (as in "write" or "create") on `name` failed with `source`.
    ///
    /// A closed pipe gets its own kind, so that `| head` can end quietly. A URI instead of a file is the caller's
    /// mistake.
    pub fn io(doing: &str, name: impl fmt::Display, source: io::Error) -> Self {
        if source.kind() == io::ErrorKind::NotFound {
            let name = name.to_string();
            let wanted = if doing.starts_with("create") { Wanted::Made } else { Wanted::Read };
            if let Some(what) = elsewhere(&name, wanted) {
                return Error {
                    source: Some(source),
                    ..Self::usage(format!("cannot {doing} {name}: {what}"))
                };
            }
        }
        let kind = match source.kind() {
            io::ErrorKind::BrokenPipe => ErrorKind::ClosedPipe,
            _ => ErrorKind::Io,
        };
        // Some of the system's own messages are replaced by clearer ones.
        let by_system = source.raw_os_error().is_some();
        let what = match source.kind() {
            io::ErrorKind::StorageFull if by_system => {
                "no space is left on the device; free some, or write elsewhere".to_owned()
            }
            io::ErrorKind::FileTooLarge if by_system => {
                "the file would be larger than the limit of this shell (ulimit -f); raise it".to_owned()
            }
            _ => source.to_string(),
        };
        Error { source: Some(source), ..Self::new(kind, format!("cannot {doing} {name}: {what}")) }
    }

    /// [`Error::io`] with a path as name.
    pub fn path(doing: &str, path: &Path, source: io::Error) -> Self {
        Error { file: Some(path.to_owned()), ..Self::io(doing, path.display(), source) }
    }

    /// The kind of this failure.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The first option that the sentence names: the one that the caller should look at.
    pub fn option(&self) -> Option<OptionName> {
        self.mentions().map(|mention| mention.option).next()
    }

    /// The value that the sentence has for this option, if it has one.
    pub fn value(&self) -> Option<&str> {
        self.mentions().next().and_then(|mention| mention.value())
    }

    /// The options that the sentence names, in order, with their values.
    pub fn mentions(&self) -> impl Iterator<Item = Mention<'_>> {
        mentions(&self.sentence)
    }

    /// The sentence with its options written by `say`, for example as flags or keywords.
    ///
    /// ```
    /// use urimill::{Error, OptionName};
    ///
    /// let error = Error::usage(format!("{} takes no names", OptionName::SortBy.named()));
    /// assert_eq!(error.to_string(), "sort_by takes no names");
    /// assert_eq!(error.in_words(|option| format!("--{}", option.option.as_str())), "--sort_by takes no names");
    /// ```
    pub fn in_words(&self, say: impl Fn(&Mention<'_>) -> String) -> Cow<'_, str> {
        in_words(&self.sentence, say)
    }

    /// Returns the file that the system refused to read or write, if it is known by its path.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The same error with another kind.
    pub fn of_kind(self, kind: ErrorKind) -> Self {
        Error { kind, ..self }
    }

    /// The same error with another sentence: `change` gets the current one, with its mentions.
    pub fn rephrased(self, change: impl FnOnce(&str) -> String) -> Self {
        Error { sentence: change(&self.sentence), ..self }
    }

    /// Returns the system's error.
    pub fn io_error(&self) -> Option<&io::Error> {
        self.source.as_ref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&as_methods(&self.sentence))
    }
}

/// A suggestion for a sentence about an unknown name: the one of the `known` names that is spelled similarly, or the
/// only one that contains it.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    // Longer names are not compared, and the search is limited to what a person would be shown.
    const LONGEST: usize = 64;
    const MOST: usize = 4096;
    let letters = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).collect() };
    let wanted = letters(name);
    let known: Vec<&str> = known.into_iter().filter(|known| known.len() <= LONGEST).take(MOST).collect();
    if wanted.is_empty() || wanted.len() > LONGEST {
        return String::new();
    }
    let near = known.iter().map(|&known| (distance(&wanted, &letters(known)), known));
    let near = near.filter(|&(distance, _)| distance <= (wanted.len() / 3).min(2)).min_by_key(|&(at, _)| at);
    let mut holding =
        known.iter().filter(|known| wanted.len() > 2 && known.to_lowercase().contains(&name.to_lowercase()));
    let found =
        near.map(|(_, known)| known).or_else(|| holding.next().copied().filter(|_| holding.next().is_none()));
    found.map_or_else(String::new, |found| format!(" (did you mean {found:?}?)"))
}

/// The number of letters to add, remove, change, or swap with the next one.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let changed = last[j] + usize::from(x != y);
            let mut least = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

/// Errors of the package `urimill-uri`, whose sentences are complete and printable.
impl From<urimill_uri::Error> for Error {
    fn from(error: urimill_uri::Error) -> Error {
        let kind = match error.kind() {
            urimill_uri::ErrorKind::Data => ErrorKind::Data,
            _ => ErrorKind::Usage,
        };
        Error { kind, sentence: error.to_string(), source: None, file: None, marked: None }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|e| e as _)
    }
}

#[cfg(test)]
mod tests {
    use super::did_you_mean;

    #[test]
    fn a_name_that_is_nearly_right_is_named() {
        // (a name, the known ones, the expected suggestion)
        let cases: &[(&str, &[&str], Option<&str>)] = &[
            ("hots", &["uri", "host", "host_kind"], Some("host")),
            ("Url", &["id", "url"], Some("url")),
            ("adress", &["Title", "Address"], Some("Address")),
            ("url", &["title", "page_url"], Some("page_url")),
            ("url", &["page_url", "image_url"], None),
            ("uri", &["request.uri", "time"], Some("request.uri")),
            ("status", &["uri", "host"], None),
            ("xy", &["zw"], None),
            ("", &["y"], None),
        ];
        for (name, known, meant) in cases {
            let expected = meant.map_or(String::new(), |meant| format!(" (did you mean {meant:?}?)"));
            assert_eq!(did_you_mean(name, known.iter().copied()), expected, "{name}");
        }
    }
}

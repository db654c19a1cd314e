//! The exit codes of the program.

use urimill::error::{Error, ErrorKind};

/// How a command ended. A signal ends the program with 128 plus the signal's number: 129, 130 and 143. If memory cannot
/// be allocated the process aborts, with 134.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Success; also if the reader of standard output closed it.
    Done = 0,
    /// The answer is no: there is an invalid record and the caller asked to find or to stop at one, a text has no
    /// answer, or two URIs are not equal.
    Invalid = 1,
    /// The arguments are wrong.
    Usage = 2,
    /// Reading or writing failed, or the data is damaged.
    Failed = 3,
}

/// The exit codes as the text of `--help`.
pub(crate) const HELP: &str = "\
Exit codes:
  0    done
  1    the answer is no:
       normalize: a record is no URI reference, and --on-invalid fail was given; or a record does not fit into
       the table of --schema cc-index
       check: a record is no URI reference, or specifications differ on it
       explain: a text is no URI reference
       resolve, relativize, encode, decode: a text has no result
       compare: the two are not equal at --level
       lookup: the index has no line
  2    wrong usage; or an input is not in the format that was expected, or in one that urimill does not read
  3    reading or writing failed, or the data is damaged; with --on-damage keep or skip the outputs are published
  129  the terminal was closed (SIGHUP), 130 interrupted, 143 terminated; nothing was published, unless the message
       says otherwise
  134  out of memory (abort); nothing was published, and the next run removes temporary files";

impl Exit {
    pub(crate) fn of(error: &Error) -> Exit {
        match error.kind() {
            ErrorKind::ClosedPipe => Exit::Done,
            ErrorKind::InvalidRecord => Exit::Invalid,
            ErrorKind::Usage => Exit::Usage,
            _ => Exit::Failed,
        }
    }
}

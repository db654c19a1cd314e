//! Where a line stops being of the format in which it was read: for the sentence that refuses an input.

use urimill_base::error::Error;

/// The place in a line, and the field that is expected there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// The line.
    pub line: String,
    /// The byte.
    pub at: usize,
    /// The field; `None` after the last one, or if only the place is known.
    pub field: Option<String>,
}

impl Stop {
    /// At byte `at` of a line, whose bytes need not be UTF-8.
    pub fn new(line: &[u8], at: usize, field: Option<String>) -> Stop {
        let (before, behind) = line.split_at(at.min(line.len()));
        let before = String::from_utf8_lossy(before).into_owned();
        let at = before.len();
        Stop { line: before + &String::from_utf8_lossy(behind), at, field }
    }

    /// The error, with the place and a caret below it.
    pub fn tell(&self, error: Error) -> Error {
        let place = match &self.field {
            Some(field) => format!("this line stops fitting at byte {}, in the field {field:?}", self.at),
            None => format!("this line stops fitting at byte {}", self.at),
        };
        error.and(&place).marking(&self.line, self.at)
    }
}

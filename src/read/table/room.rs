//! The memory that a table may take at once, whatever it says of itself.

use crate::error::{Error, ErrorKind};
use crate::option_name::OptionName;
use crate::read::table::reader::Faults;

/// The memory that may be taken at once by what a table has to be read from: messages, pages, what a footer describes.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    bytes: u64,
    name: String,
    faults: Faults,
}

/// There is always as much.
const LEAST: u64 = 64 << 20;

impl Room {
    /// Half of what a run may take: beside it stand the rows made of it. `name` is the table's.
    pub(in crate::read) fn of(memory: usize, name: &str, faults: &Faults) -> Room {
        let bytes = (memory as u64 / 2).max(LEAST);
        Room { bytes, name: name.to_owned(), faults: faults.clone() }
    }

    /// For what this program has written: what no memory could hold is damaged.
    pub(crate) fn unbounded() -> Room {
        Room { bytes: 8 << 30, name: String::new(), faults: Faults::default() }
    }

    pub(in crate::read) fn holds(&self, bytes: u64) -> bool {
        bytes <= self.bytes
    }

    /// That so many bytes fit.
    ///
    /// # Errors
    /// What of the input does not fit. [`Faults`] have the sentence: the data is not damaged.
    pub(in crate::read) fn check(&self, bytes: u64, what: &str) -> Result<(), String> {
        if self.holds(bytes) {
            return Ok(());
        }
        let (name, most) = (&self.name, self.bytes);
        let sentence = format!(
            "cannot read {name}: {what} takes {bytes} bytes at once, and there is room for {most}, half of \
             what {} allows; allow more, or rewrite the table in smaller pieces",
            OptionName::Memory.named()
        );
        self.faults.put(Error::new(ErrorKind::Data, sentence.clone()));
        Err(sentence)
    }
}

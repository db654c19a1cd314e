//! The memory that a table may take at once, whatever sizes the table itself declares.

use crate::error::{Error, ErrorKind};
use crate::option_name::OptionName;
use crate::read::table::reader::Faults;

/// The memory that reading a table may take at once: for messages, pages, a footer's contents.
#[derive(Debug, Clone)]
pub(crate) struct MemoryLimit {
    bytes: u64,
    name: String,
    faults: Faults,
}

/// The minimum.
const LEAST: u64 = 64 << 20;

impl MemoryLimit {
    /// Half of the run's memory: the other half is for the rows made from it. `name` is the table's.
    pub(in crate::read) fn of(memory: usize, name: &str, faults: &Faults) -> MemoryLimit {
        let bytes = (memory as u64 / 2).max(LEAST);
        MemoryLimit { bytes, name: name.to_owned(), faults: faults.clone() }
    }

    /// For files that this program has written: a size that no memory could hold means damage.
    pub(crate) fn unbounded() -> MemoryLimit {
        MemoryLimit { bytes: 8 << 30, name: String::new(), faults: Faults::default() }
    }

    pub(in crate::read) fn holds(&self, bytes: u64) -> bool {
        bytes <= self.bytes
    }

    /// Checks that this many bytes fit.
    ///
    /// # Errors
    /// The part of the input that does not fit. [`Faults`] have the sentence: the data is not damaged.
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

//! The memory that a table may take at once, whatever sizes the table itself declares.

use urimill_base::error::{Error, ErrorKind};
use urimill_base::option_name::OptionName;

use crate::table::reader::Faults;

/// The memory that reading a table may take at once: for messages, pages, a footer's contents.
#[derive(Debug, Clone)]
pub struct MemoryLimit {
    bytes: u64,
    name: String,
    faults: Faults,
}

/// The minimum.
const LEAST: u64 = 64 << 20;

impl MemoryLimit {
    /// Half of the run's memory: the other half is for the rows made from it. `name` is the table's.
    pub fn of(memory: usize, name: &str, faults: &Faults) -> MemoryLimit {
        let bytes = (memory as u64 / 2).max(LEAST);
        MemoryLimit { bytes, name: name.to_owned(), faults: faults.clone() }
    }

    /// For files that this program has written: a size that no memory could hold means damage.
    pub fn unbounded() -> MemoryLimit {
        MemoryLimit { bytes: 8 << 30, name: String::new(), faults: Faults::default() }
    }

    /// Whether this many bytes fit.
    pub fn holds(&self, bytes: u64) -> bool {
        bytes <= self.bytes
    }

    /// Checks that this many bytes fit.
    ///
    /// # Errors
    /// The part of the input that does not fit. [`Faults`] have the sentence: the data is not damaged.
    pub fn check(&self, bytes: u64, what: &str) -> Result<(), String> {
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

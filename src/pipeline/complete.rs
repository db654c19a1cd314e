//! Between a run's last row and its publication: outputs that are complete, to which something may be added.

use super::Summary;
use crate::error::Result;
use crate::verify::{Proving, Shown};
use crate::write::{Folder, Settled};

/// A run whose outputs are complete and not published yet.
#[derive(Debug)]
pub struct Complete {
    /// The counts of the run.
    pub summary: Summary,
    pub(super) table: Settled,
    pub(super) rejects: Option<Settled>,
}

impl Complete {
    /// Returns the table if it is a directory of files.
    pub fn folder(&self) -> Option<&Folder> {
        match &self.table {
            Settled::Folder(folder) => Some(folder),
            Settled::File(_) => None,
        }
    }

    /// Compares what was read with the rows made from it, reads the outputs back from their files, and compares them
    /// with these rows and, if their columns allow it, with what was read. `proving` is that of the run's plan.
    ///
    /// # Errors
    /// `Internal` or `Data` where something is not the same; `Io` where an output cannot be read.
    pub fn verify(&self, proving: &Proving, threads: usize) -> Result<Shown> {
        proving.check(&self.table, self.rejects.as_ref(), threads)
    }

    /// Publishes the outputs.
    ///
    /// # Errors
    /// As [`Settled::commit`] and [`Settled::commit_with`].
    pub fn publish(self) -> Result<Summary> {
        match self.rejects {
            Some(rejects) => self.table.commit_with(rejects)?,
            None => self.table.commit().map(drop)?,
        }
        Ok(self.summary)
    }
}

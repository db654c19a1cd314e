//! Complete outputs between a run's last row and its publication, to which a caller may add something.

use urimill_base::error::Result;
use urimill_base::threads::Workers;
use urimill_write::{StagedDirectory, UncommittedOutput};

use super::Summary;
use crate::verify::{Verified, Verifier};

/// A run whose outputs are complete and not published yet.
#[derive(Debug)]
pub struct UncommittedRun {
    /// The counts of the run.
    pub summary: Summary,
    pub(super) table: UncommittedOutput,
    pub(super) rejects: Option<UncommittedOutput>,
}

impl UncommittedRun {
    /// Returns the table if it is a directory of files.
    pub fn folder(&self) -> Option<&StagedDirectory> {
        match &self.table {
            UncommittedOutput::StagedDirectory(folder) => Some(folder),
            UncommittedOutput::File(_) => None,
        }
    }

    /// Compares the records read with the rows made from them, reads the outputs back from their files, and compares
    /// them with these rows and, if their columns allow it, with the records. `verifier` is that of the run's plan.
    ///
    /// `Internal` or `Data` if something is not the same; `Io` if an output cannot be read.
    pub fn verify(&self, verifier: &Verifier, threads: &Workers) -> Result<Verified> {
        verifier.check(&self.table, self.rejects.as_ref(), threads)
    }

    /// Publishes the outputs.
    ///
    /// # Errors
    /// The errors of [`UncommittedOutput::commit_all`].
    pub fn publish(self) -> Result<Summary> {
        UncommittedOutput::commit_all([self.table].into_iter().chain(self.rejects).collect())?;
        Ok(self.summary)
    }
}

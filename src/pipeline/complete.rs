//! Between a run's last row and its publication: outputs that are complete, to which something may be added.

use std::sync::Arc;

use super::Summary;
use crate::error::Result;
use crate::output::{Folder, Proof, Settled};

/// A run whose outputs are complete, and not published.
#[derive(Debug)]
pub struct Complete {
    /// What it came to.
    pub summary: Summary,
    pub(super) table: Settled,
    pub(super) rejects: Option<Settled>,
}

impl Complete {
    /// The table, if it is a directory of files.
    pub fn folder(&self) -> Option<&Folder> {
        match &self.table {
            Settled::Folder(folder) => Some(folder),
            Settled::File(_) => None,
        }
    }

    /// Reads the outputs back from their files and compares them with `proofs`, those of
    /// [`Plan::proving`](super::Plan::proving).
    ///
    /// # Errors
    /// As [`Proof::check`].
    pub fn verify(&self, proofs: &[Arc<Proof>], threads: usize) -> Result<()> {
        let outputs = [Some(&self.table), self.rejects.as_ref()].into_iter().flatten();
        proofs.iter().zip(outputs).try_for_each(|(proof, output)| proof.check(output, threads))
    }

    /// Publishes the outputs.
    ///
    /// # Errors
    /// As [`Settled::commit`].
    pub fn publish(self) -> Result<Summary> {
        self.table.commit()?;
        if let Some(rejects) = self.rejects {
            rejects.commit()?;
        }
        Ok(self.summary)
    }
}

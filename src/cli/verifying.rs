//! `--verify`: the outputs of a run are read back before they are published. Beside `normalize`, which writes them.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::error::{Error, Result};
use crate::output::{Format, Proof, SinkOptions};
use crate::pipeline::Plan;

/// The option.
#[derive(Debug, Args)]
pub(super) struct Verifying {
    /// Read the outputs back when they are complete, compare them with what was to be written, and publish them only if
    /// it is the same
    #[arg(long)]
    verify: bool,
}

impl Verifying {
    pub(super) fn verifies(&self) -> bool {
        self.verify
    }

    /// Refuses outputs that nobody can read back: the table, whose file is `None` for standard output, and the rejects.
    pub(super) fn check(&self, table: Option<&Path>, rejects: Option<&Path>) -> Result<()> {
        if !self.verify {
            return Ok(());
        }
        let Some(table) = table else {
            return Err(Error::usage("--verify reads the output back: name a file with -o FILE"));
        };
        for path in [Some(table), rejects].into_iter().flatten() {
            if path.exists() && !path.is_file() && !path.is_dir() {
                let name = path.display();
                return Err(Error::usage(format!(
                    "cannot verify {name}: it is no file that can be read back"
                )));
            }
        }
        Ok(())
    }

    /// What the outputs are compared with: the table, divided by columns, and the rejects in their format.
    pub(super) fn proofs(
        &self,
        plan: &Plan,
        (table, partition_by): (Format, &[String]),
        rejects: Option<Format>,
        options: &SinkOptions,
    ) -> Result<Vec<Arc<Proof>>> {
        if !self.verify {
            return Ok(Vec::new());
        }
        let mut proofs = vec![Arc::new(Proof::new(table, &plan.table_schema(), options, partition_by)?)];
        if let Some(format) = rejects {
            proofs.push(Arc::new(Proof::new(format, &plan.rejects_schema(), options, &[])?));
        }
        Ok(proofs)
    }
}

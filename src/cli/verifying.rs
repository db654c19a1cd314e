//! `--verify`: the outputs of a run are read back before they are published. Beside the commands that write them.

use std::path::Path;
use std::sync::Arc;

use clap::Args;

use crate::error::{Error, Result};
use crate::files;
use crate::input::Ledger;

/// The option.
#[derive(Debug, Args)]
pub(super) struct Verifying {
    /// Keep books of every record on its way, read the outputs back when they are complete, and publish them only if they
    /// hold what was read: the bytes of each record as the input has them, where columns tell these (uri, raw and
    /// raw_bytes do), and else the rows that were made of them. The summary says which of the two was shown
    #[arg(long)]
    verify: bool,
}

impl Verifying {
    /// For a command with an option of its own.
    pub(super) fn new(verify: bool) -> Verifying {
        Verifying { verify }
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
            let found = files::find(path).map_err(|e| Error::path("look at", path, e))?;
            if found.is_some_and(|found| !found.is_file() && !found.is_dir()) {
                let name = path.display();
                return Err(Error::usage(format!(
                    "cannot verify {name}: it is no file that can be read back"
                )));
            }
        }
        Ok(())
    }

    /// The books of a run, if it is to keep some.
    pub(super) fn ledger(&self) -> Option<Arc<Ledger>> {
        self.verify.then(Arc::default)
    }
}

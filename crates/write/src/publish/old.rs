//! The previous file with the name of an output: kept while several outputs get their names, so that it can be
//! restored. `atomic` uses it.

use std::io;
use std::mem;
use std::path::{Path, PathBuf};

use urimill_base::files;

use super::temporaries::{Live, Temporaries, live, named_beside};

/// The state of a target before the run.
#[derive(Debug)]
pub(super) enum Old {
    /// Not requested, or impossible to restore.
    Unknown,
    /// There was none.
    Absent,
    /// A file that also has this name: one of a temporary.
    Kept(PathBuf),
}

impl Old {
    /// Gives the file at `target` a second name. Without hard links it cannot be restored.
    pub(super) fn keep(run: &Temporaries, target: &Path, live: &mut Live) -> Old {
        let second_name = || {
            let name = named_beside(target, "tmp")?;
            files::hard_link(target, &name).map(|()| name)
        };
        match files::found(files::symlink_metadata(target)) {
            Ok(None) => Old::Absent,
            Ok(Some(_)) => second_name().map_or(Old::Unknown, |name| {
                live.remember(run, &name);
                Old::Kept(name)
            }),
            Err(_) => Old::Unknown,
        }
    }

    /// The second name.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Old::Kept(name) => Some(name),
            Old::Unknown | Old::Absent => None,
        }
    }

    /// Restores `target`, and returns whether that was possible.
    pub(super) fn put_back(&mut self, target: &Path, live: &mut Live) -> bool {
        let done = match self {
            Old::Unknown => return false,
            Old::Absent => files::remove_file(target),
            Old::Kept(name) => files::rename(name, target),
        };
        if let (Ok(()), Old::Kept(name)) = (&done, &self) {
            live.forget(name);
            *self = Old::Unknown;
        }
        done.is_ok()
    }

    /// Removes the second name, once the new file is to stay.
    pub(super) fn forget(&mut self) -> Result<(), (String, io::Error)> {
        let Old::Kept(name) = mem::replace(self, Old::Unknown) else { return Ok(()) };
        if !live().forget(&name) {
            // A signal has removed it.
            return Ok(());
        }
        let what = || format!("the old file, which is {} now, cannot be removed", name.display());
        files::found(files::remove_file(&name)).map(drop).map_err(|e| (what(), e))
    }
}

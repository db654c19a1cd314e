//! A directory as an output: it is the old one, absent, or complete, like a file. Used by the sinks that write many
//! files.
//!
//! Files are written into a temporary directory beside the target, and all of it is renamed at the end.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use urimill_base::error::{Error, Result};
use urimill_base::files;
use urimill_base::files::File;
use urimill_base::locks::{into_inner, lock};
use urimill_base::option_name::OptionName;
use urimill_base::threads::Workers;

use super::atomic::{create_error, write_error};
use super::leftovers::remove;
use super::places::{NOT_SYNCED, follow_links, mode_of, sync_directory};
use super::staging::{Part, Staging};
use super::temporaries::{Live, Temporaries, live, named_beside};

/// The name of the empty file that marks a directory as complete. Tools of the Hadoop family look for it.
pub const SUCCESS: &str = "_SUCCESS";

/// A directory that gets its name only by [`StagedDirectory::commit`].
///
/// Dropped without a commit, what was written goes away and the old directory, if any, is as it was.
#[derive(Debug)]
pub struct StagedDirectory {
    /// Its temporary directory, which is locked: other runs see that it is in use.
    staging: Arc<Staging>,
    target: PathBuf,
    name: String,
    force: bool,
    /// The files in it, by path.
    files: Vec<Written>,
    /// The place of the old directory, once the new one has its name.
    old: Option<PathBuf>,
}

/// A file of a [`StagedDirectory`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Written {
    /// The path in the directory, with `/` between names.
    pub path: String,
    /// The number of rows.
    pub rows: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// The checksum of its bytes as written, if they are to be compared.
    pub(crate) checksum: Option<u64>,
}

impl StagedDirectory {
    /// Creates a directory at `path`. An existing directory is replaced if it is empty, or with `force` if it holds
    /// the file `_SUCCESS`. Nothing else under that name is deleted.
    ///
    /// # Errors
    /// `Usage` where `path` is something else, or a directory that is not to be replaced; `Io` where nothing can be
    /// made beside it.
    pub fn create(path: &Path, force: bool) -> Result<StagedDirectory> {
        StagedDirectory::create_for(&Temporaries::default(), path, force)
    }

    /// [`StagedDirectory::create`] for a run, whose temporaries may be removed before it has ended.
    ///
    /// # Errors
    /// The errors of [`StagedDirectory::create`]; `Io` where the temporaries have been removed.
    pub fn create_for(run: &Temporaries, path: &Path, force: bool) -> Result<StagedDirectory> {
        let target = follow_links(path).map_err(|e| Error::path("create", path, e))?;
        let name = path.display().to_string();
        if target.file_name().is_none() {
            return Err(Error::usage(format!("cannot write {name}: give the directory by its own name")));
        }
        let old = check_replaceable(&target, &name, force)?;
        let staging = Staging::create(run, &target, old).map_err(|e| create_error(path, &target, e))?;
        Ok(StagedDirectory { staging: Arc::new(staging), target, name, force, files: Vec::new(), old: None })
    }

    /// Returns the name of the directory in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the files written, sorted by path.
    pub fn files(&self) -> &[Written] {
        &self.files
    }

    /// Returns the total size of the files written.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// The run that it belongs to.
    pub(crate) fn run(&self) -> &Temporaries {
        self.staging.run()
    }

    /// Its future path.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// The name of a file in it for messages.
    pub(crate) fn name_of(&self, file: &Written) -> String {
        Path::new(&self.name).join(&file.path).display().to_string()
    }

    /// Opens a file in it for reading, before it is published.
    pub(crate) fn open(&self, file: &Written) -> io::Result<File> {
        self.staging.open(Path::new(&file.path))
    }

    /// The file at `path` in the directory, with `/` between names.
    pub(crate) fn part(&self, path: &str) -> Part {
        let name = Path::new(&self.name).join(path).display().to_string();
        self.staging.part(path, name)
    }

    /// Takes the list of complete files, and syncs them to disk in these threads.
    ///
    /// # Errors
    /// `Io`, naming the file.
    pub(crate) fn settle(&mut self, mut files: Vec<Written>, threads: &Workers) -> Result<()> {
        files.sort();
        self.files = files;
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(None);
        let sync = || {
            while let Some(file) = self.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(e) = self.open(file).and_then(|open| open.sync_all()) {
                    let mut failed = lock(&failed);
                    failed.get_or_insert(write_error(&self.name_of(file), e));
                    return;
                }
            }
        };
        threads.each(usize::MAX, sync);
        let failed = into_inner(failed);
        failed.map_or_else(|| self.sync_directories(), Err)
    }

    /// Syncs the names of the files, too.
    fn sync_directories(&self) -> Result<()> {
        self.staging.sync_directories().map_err(|e| write_error(&self.name, e))
    }

    /// Adds a file with this content to the directory; [`StagedDirectory::files`] does not list it.
    ///
    /// # Errors
    /// `Io`, naming the file.
    pub fn add(&self, name: &str, content: &[u8]) -> Result<()> {
        let mut part = self.part(name);
        part.append(content).and_then(|()| part.sync()).map_err(|e| write_error(part.name(), e))
    }

    /// Marks the directory as complete: all of [`StagedDirectory::commit`] that can be done before it has its name.
    pub(crate) fn settle_marked(&mut self) -> Result<()> {
        self.add(SUCCESS, b"")?;
        let old = files::find(&self.target);
        let kept = old.and_then(|old| {
            old.map_or(Ok(()), |old| self.staging.directory().set_permissions(old.permissions()))
        });
        kept.map_err(|e| Error::io("set the permissions of", &self.name, e))?;
        self.sync_directories()
    }

    /// Checks that it can get its name now: it is what was written, and the directory with that name may be replaced.
    pub(crate) fn check(&self, live: &Live) -> Result<()> {
        live.check(self.staging.path()).map_err(|e| Error::io("create", &self.name, e))?;
        check_replaceable(&self.target, &self.name, self.force)?;
        self.staging.check().map_err(|(file, e)| match file {
            Some(path) => write_error(&Path::new(&self.name).join(path).display().to_string(), e),
            None => write_error(&self.name, e),
        })
    }

    /// Gives it its name.
    pub(crate) fn publish(&mut self, live: &mut Live) -> io::Result<()> {
        self.old = self.rename()?;
        live.publish(self.staging.path());
        if let Some(old) = &self.old {
            live.remember(self.staging.run(), old);
        }
        match self.staging.directory().is_at(&self.target)? {
            true => Ok(()),
            false => Err(io::Error::other("something else has put another directory in its place")),
        }
    }

    /// The remaining work once it has its name: syncing it to disk, and removing the old directory.
    pub(crate) fn conclude(&mut self) -> Result<(), (String, io::Error)> {
        let synced = sync_directory(&self.target).map_err(|e| (NOT_SYNCED.to_owned(), e));
        let removed = self.old.take().map_or(Ok(()), |old| {
            let what = || format!("the old directory, which is {} now, cannot be removed", old.display());
            discard(&old).map_err(|e| (what(), e))
        });
        synced.and(removed)
    }

    /// Renames, and returns where the old directory is now, if there was one.
    fn rename(&self) -> io::Result<Option<PathBuf>> {
        let temporary = self.staging.path();
        // Some network file systems report a failure for a call that succeeded.
        let is_done = || self.staging.directory().is_at(&self.target).is_ok_and(|is| is && cfg!(unix));
        if is_empty(&self.target)? {
            // Not every system renames over an empty directory. It may be absent, too.
            let _ = files::remove_dir(&self.target);
            return match files::rename(temporary, &self.target) {
                Err(e) if !is_done() => Err(e),
                _ => Ok(None),
            };
        }
        if files::exchange(temporary, &self.target).is_ok() || is_done() {
            return Ok(Some(temporary.to_owned()));
        }
        // A process killed between the two steps leaves the old directory under a name that no run removes.
        let old = named_beside(&self.target, "old")?;
        files::rename(&self.target, &old)?;
        match files::rename(temporary, &self.target) {
            Err(e) if !is_done() => {
                let back = files::rename(&old, &self.target);
                let name = old.display();
                Err(match back {
                    Ok(()) => e,
                    Err(_) => io::Error::new(e.kind(), format!("{e}; the old directory is {name} now")),
                })
            }
            _ => Ok(Some(old)),
        }
    }
}

impl Drop for StagedDirectory {
    fn drop(&mut self) {
        // The run has failed, and has reported why.
        let _ = discard(self.staging.path());
    }
}

/// Removes a temporary directory, unless a signal has done so; one that comes now waits until it is gone.
fn discard(path: &Path) -> io::Result<()> {
    let mut live = live();
    if live.forget(path) { remove(path) } else { Ok(()) }
}

/// Whether a directory has nothing in it, or is not there.
fn is_empty(path: &Path) -> io::Result<bool> {
    match files::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().transpose()?.is_none()),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(true),
        Err(e) => Err(e),
    }
}

/// Checks that the target may be replaced; returns the mode of a directory that will be.
fn check_replaceable(target: &Path, name: &str, force: bool) -> Result<Option<u32>> {
    let looked = |e| Error::io("look at", name, e);
    let mode = match files::find(target).map_err(looked)? {
        None => return Ok(None),
        Some(found) if !found.is_dir() => {
            return Err(Error::usage(format!(
                "cannot write {name}: it is not a directory, and a directory of files was asked for"
            )));
        }
        Some(found) => mode_of(&found),
    };
    if is_empty(target).map_err(|e| Error::io("read", name, e))? {
        return Ok(mode);
    }
    let marker = target.join(SUCCESS);
    let is_complete = files::find(&marker).map_err(|e| Error::path("look at", &marker, e))?.is_some();
    match (force, is_complete) {
        (true, true) => Ok(mode),
        (false, true) => Err(Error::usage(format!(
            "cannot write {name}: it exists and is not empty; give {} to replace it",
            OptionName::Force.named()
        ))),
        (_, false) => Err(Error::usage(format!(
            "cannot write {name}: it is not empty, and without the file {SUCCESS} it is no directory that {} \
             replaces; name another one, or remove it first",
            OptionName::Force.named()
        ))),
    }
}

//! A directory as an output: it is the old one, absent, or complete, like a file. Beside `atomic`, under the sinks
//! that write many files.
//!
//! Files are written into a temporary directory beside the target, and all of it is renamed at the end.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::CompleteFile;
use super::atomic::{Syncing, create_error, write_error};
use super::live::{create_directory, live, named_beside, remove};
use super::places::{follow_links, sync_directory};
use crate::error::{Error, Result};
use crate::files::{self, File};

/// An empty file that says: this directory is complete. Tools of the Hadoop family look for it.
pub const SUCCESS: &str = "_SUCCESS";

/// A directory that nobody sees under its name until [`Folder::commit`].
///
/// Dropped without a commit, what was written goes away and the old directory, if any, is as it was.
#[derive(Debug)]
pub struct Folder {
    temporary: PathBuf,
    /// Tells other runs that the temporary directory is in use.
    _held: Option<File>,
    target: PathBuf,
    name: String,
    force: bool,
    /// What is in it, by path.
    files: Vec<Written>,
}

/// A file of a [`Folder`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Written {
    /// Its path in the directory, with `/` between names.
    pub path: String,
    /// Its rows.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
    /// Of its bytes as they were written, where they are to be compared.
    pub(super) checksum: Option<u64>,
}

/// A file that is being written into a [`Folder`].
#[derive(Debug)]
pub(super) struct Part {
    name: String,
    path: PathBuf,
    exists: bool,
    syncing: Syncing,
}

impl Folder {
    /// A directory at `path`. One that exists is replaced if it is empty, or with `force` if it holds the file
    /// `_SUCCESS`: whatever else stands under that name is not ours to delete.
    ///
    /// # Errors
    /// `Usage` where `path` is something else, or a directory that is not to be replaced; `Io` where nothing can be
    /// made beside it.
    pub fn create(path: &Path, force: bool) -> Result<Folder> {
        let target = follow_links(path).map_err(|e| Error::path("create", path, e))?;
        let name = path.display().to_string();
        if target.file_name().is_none() {
            return Err(Error::usage(format!("cannot write {name}: give the directory by its own name")));
        }
        check_replaceable(&target, &name, force)?;
        let (held, temporary) = create_directory(&target).map_err(|e| create_error(path, &target, e))?;
        Ok(Folder { temporary, _held: held, target, name, force, files: Vec::new() })
    }

    /// The directory as messages name it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What was written, by path.
    pub fn files(&self) -> &[Written] {
        &self.files
    }

    /// Bytes of all files written.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }

    /// Each file as it is before it is published.
    pub(super) fn places(&self) -> Vec<CompleteFile> {
        let place = |file: &Written| CompleteFile {
            name: self.part(&file.path).name,
            path: self.temporary.join(&file.path),
            checksum: file.checksum,
        };
        self.files.iter().map(place).collect()
    }

    /// The file at `path` in the directory, with `/` between names.
    pub(super) fn part(&self, path: &str) -> Part {
        let name = Path::new(&self.name).join(path).display().to_string();
        Part { name, path: self.temporary.join(path), exists: false, syncing: Syncing::default() }
    }

    /// Takes the list of the files that are complete, and has the disk hold them, in so many threads.
    ///
    /// # Errors
    /// `Io`, naming the file.
    pub(super) fn settle(&mut self, mut files: Vec<Written>, threads: usize) -> Result<()> {
        files.sort();
        self.files = files;
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(None);
        let sync = || {
            while let Some(file) = self.files.get(next.fetch_add(1, Ordering::Relaxed)) {
                let synced = File::open(&self.temporary.join(&file.path)).and_then(|f| f.sync_all());
                if let Err(e) = synced {
                    let name = Path::new(&self.name).join(&file.path).display().to_string();
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    failed.get_or_insert(write_error(&name, e));
                    return;
                }
            }
        };
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(sync))));
        let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
        failed.map_or_else(|| self.sync_directories(), Err)
    }

    /// The names of the files, too.
    fn sync_directories(&self) -> Result<()> {
        let mut directories: Vec<&Path> =
            self.files.iter().flat_map(|f| Path::new(&f.path).ancestors().skip(1)).collect();
        directories.sort();
        directories.dedup();
        for directory in directories {
            let inside = self.temporary.join(directory).join(SUCCESS);
            sync_directory(&inside).map_err(|e| write_error(&self.name, e))?;
        }
        Ok(())
    }

    /// Puts a file of such content into the directory; it is none of [`Folder::files`].
    ///
    /// # Errors
    /// `Io`, naming the file.
    pub fn add(&self, name: &str, content: &[u8]) -> Result<()> {
        let mut part = self.part(name);
        let written = part.append(content).and_then(|()| File::open(&part.path)?.sync_all());
        written.map_err(|e| write_error(&part.name, e))
    }

    /// Marks the directory as complete, and gives it its name.
    ///
    /// # Errors
    /// `Io` where something cannot be written or renamed; `Usage` where the target has come into being since it was
    /// checked and is not to be replaced. The old directory is in its place then.
    pub fn commit(self) -> Result<u64> {
        self.add(SUCCESS, b"")?;
        let kept = match files::metadata(&self.target) {
            Ok(old) => files::set_permissions(&self.temporary, old.permissions()),
            Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
            Err(e) => Err(e),
        };
        kept.map_err(|e| Error::io("set the permissions of", &self.name, e))?;
        let failed = |e| Error::io("create", &self.name, e);
        sync_directory(&self.temporary.join(SUCCESS)).map_err(failed)?;
        let mut live = live();
        live.check(&self.temporary).map_err(failed)?;
        check_replaceable(&self.target, &self.name, self.force)?;
        let old = self.publish().map_err(failed)?;
        live.publish(&self.temporary);
        if let Some(old) = &old {
            live.remember(old);
        }
        drop(live);
        sync_directory(&self.target).map_err(failed)?;
        if let Some(old) = old {
            discard(&old);
        }
        Ok(self.bytes())
    }

    /// Renames, and answers where the old directory is now, if there was one.
    fn publish(&self) -> io::Result<Option<PathBuf>> {
        if is_empty(&self.target)? {
            // Not every system renames over an empty directory. It may be absent, too.
            let _ = files::remove_dir(&self.target);
            return files::rename(&self.temporary, &self.target).map(|()| None);
        }
        if files::exchange(&self.temporary, &self.target).is_ok() {
            return Ok(Some(self.temporary.clone()));
        }
        // A process that is killed between the two leaves the old directory under a name that nobody sweeps away.
        let old = named_beside(&self.target, "old")?;
        files::rename(&self.target, &old)?;
        match files::rename(&self.temporary, &self.target) {
            Ok(()) => Ok(Some(old)),
            Err(e) => {
                let back = files::rename(&old, &self.target);
                let name = old.display();
                Err(match back {
                    Ok(()) => e,
                    Err(_) => io::Error::new(e.kind(), format!("{e}; the old directory is {name} now")),
                })
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        discard(&self.temporary);
    }
}

/// Removes a temporary directory, unless a signal has done so; one that comes now waits until it is gone.
fn discard(path: &Path) {
    let mut live = live();
    if live.forget(path) {
        remove(path);
    }
}

impl Part {
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Writes behind what the file has, which is made first if it is not there.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut file = if self.exists {
            File::open_with(OpenOptions::new().append(true), &self.path)?
        } else {
            self.create()?
        };
        file.write_all(bytes)?;
        self.syncing.wrote(bytes.len(), &file);
        Ok(())
    }

    fn create(&mut self) -> io::Result<File> {
        // Under the lock: a signal removes a directory in which nothing is made any more.
        let live = live();
        live.check_open()?;
        if let Some(directory) = self.path.parent() {
            files::create_dir_all(directory)?;
        }
        self.exists = true;
        File::create_new(&self.path)
    }
}

/// Whether a directory has nothing in it, or is not there.
fn is_empty(path: &Path) -> io::Result<bool> {
    match files::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(true),
        Err(e) => Err(e),
    }
}

fn check_replaceable(target: &Path, name: &str, force: bool) -> Result<()> {
    match files::metadata(target) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(Error::io("create", name, e)),
        Ok(found) if !found.is_dir() => {
            return Err(Error::usage(format!(
                "cannot write {name}: it is no directory, and a directory of files was asked for"
            )));
        }
        Ok(_) => {}
    }
    if is_empty(target).map_err(|e| Error::io("read", name, e))? {
        return Ok(());
    }
    match (force, target.join(SUCCESS).exists()) {
        (true, true) => Ok(()),
        (false, true) => Err(Error::usage(format!(
            "cannot write {name}: it exists and is not empty; give --force to replace it"
        ))),
        (_, false) => Err(Error::usage(format!(
            "cannot write {name}: it is not empty, and without the file {SUCCESS} it is no directory that --force \
             replaces; name another one, or remove it first"
        ))),
    }
}

//! Gives outputs their names: one, or a table and its rejects, which belong together. The work is done in `atomic` and
//! `staged_directory`.
//!
//! Two outputs are checked before either gets its name, and get their names under one lock, so that no other run with
//! the same two outputs interferes. A signal waits until both have them. An error after that point says which outputs
//! are in place.

use std::ffi::OsString;
use std::io::{self, ErrorKind as Io};
use std::path::{Path, PathBuf};

use super::atomic::Target;
use super::staged_directory::StagedDirectory;
use super::temporaries::{Live, Temporaries, live};
use super::uncommitted::UncommittedOutput;
use crate::error::{Error, ErrorKind, Result};
use crate::files;
use crate::files::File;
use crate::write::OutputSize;

/// Publishes an output that is settled.
///
/// # Errors
/// Those of its kind. If the output has its name, the error says that it is in place.
pub(in crate::write) fn one(output: impl Into<UncommittedOutput>) -> Result<()> {
    let mut output = output.into();
    let mut live = live();
    output.check(&live)?;
    output.publish(&mut live)?;
    drop(live);
    conclude([Some(&mut output), None])
}

/// Publishes two outputs that are settled, and belong together.
///
/// # Errors
/// The same.
pub(in crate::write) fn pair(table: UncommittedOutput, rejects: UncommittedOutput) -> Result<()> {
    let (mut table, mut rejects) = (table, rejects);
    let target = table.run().zip(table.target()).filter(|_| rejects.target().is_some());
    let lock = target.map(|(run, target)| Lock::take(run, target)).transpose()?.flatten();
    let mut live = live();
    let published = table.check(&live).and_then(|()| rejects.check(&live)).and_then(|()| {
        table.publish(&mut live)?;
        rejects.publish(&mut live).map_err(|e| e.and(&half(&table, &rejects)))
    });
    let released = lock.map_or(Ok(()), |lock| lock.release(&mut live));
    drop(live);
    published?;
    let both = names(&[&table, &rejects]);
    conclude([Some(&mut table), Some(&mut rejects)])?;
    released.map_err(|(what, e)| in_place(&both, &what, e))
}

/// An error that names the published output, if the second of two could not be published.
fn half(table: &UncommittedOutput, rejects: &UncommittedOutput) -> String {
    let (table_name, rejects_name) = (table.name(), rejects.name());
    match table.target() {
        Some(_) => format!("{table_name} is complete and in place, and {rejects_name} is as it was"),
        None => format!("the table has gone to {table_name}, and {rejects_name} is as it was"),
    }
}

fn names(outputs: &[&UncommittedOutput]) -> String {
    let files = outputs.iter().filter(|output| output.target().is_some());
    files.map(|output| output.name()).collect::<Vec<_>>().join(" and ")
}

/// The remaining work for outputs that have their names. All of it is tried.
fn conclude(mut outputs: [Option<&mut UncommittedOutput>; 2]) -> Result<()> {
    let all: Vec<&UncommittedOutput> = outputs.iter().flatten().map(|output| &**output).collect();
    let all = names(&all);
    let mut done = Ok(());
    for output in outputs.iter_mut().flatten() {
        let concluded = output.conclude().map_err(|(what, e)| in_place(&all, &what, e));
        done = done.and(concluded);
    }
    done
}

fn in_place(names: &str, what: &str, error: io::Error) -> Error {
    let verb = if names.contains(" and ") { "are" } else { "is" };
    let sentence = format!("{names} {verb} complete and in place, but {what}: {error}");
    Error::new(ErrorKind::Io, sentence).about(Path::new(names), error)
}

/// Other users of the directory must be able to open it, too.
const READABLE: u32 = 0o444;

/// Held by a run while the names of its table and rejects change: excludes other runs with the same table.
struct Lock {
    _held: File,
    path: PathBuf,
}

impl Lock {
    /// Waits for its turn. `None` if the file system has no locks.
    fn take(run: &Temporaries, target: &Path) -> Result<Option<Lock>> {
        let mut name = OsString::from(".");
        name.push(super::temporaries::shortened(target.file_name().unwrap_or_default()));
        name.push(".urimill-lock");
        let path = target.with_file_name(name);
        Lock::at(run, &path).map_err(|e| Error::path("lock", &path, e))
    }

    fn at(run: &Temporaries, path: &Path) -> io::Result<Option<Lock>> {
        loop {
            let opened = match files::found(files::symlink_metadata(path))? {
                // Opening a FIFO would wait for another process.
                Some(found) if !found.is_file() => return Err(Io::AlreadyExists.into()),
                Some(_) => File::open(path),
                None => File::create_new(path, Some(READABLE)),
            };
            let file = match opened {
                Ok(file) => file,
                // Another run was faster.
                Err(e) if matches!(e.kind(), Io::AlreadyExists | Io::NotFound) => continue,
                // Another user's.
                Err(e) if e.kind() == Io::PermissionDenied => return Ok(None),
                Err(e) => return Err(e),
            };
            let locked = loop {
                match file.inner().lock() {
                    Err(e) if e.kind() == Io::Interrupted => {}
                    locked => break locked.is_ok(),
                }
            };
            // The previous holder has removed it.
            let is_current = files::identity(path).and_then(|there| Ok(there == file.identity()?));
            match files::found(is_current) {
                Ok(Some(true)) if locked => {
                    live().remember(run, path);
                    return Ok(Some(Lock { _held: file, path: path.to_owned() }));
                }
                Ok(_) if locked => {}
                result => {
                    let _ = files::remove_file(path);
                    return result.map(|_| None);
                }
            }
        }
    }

    /// Releases the lock. A waiting run finds that the file is no longer the lock, and makes another.
    fn release(self, live: &mut Live) -> Result<(), (String, io::Error)> {
        if !live.forget(&self.path) {
            // A signal has removed it.
            return Ok(());
        }
        let what = || format!("the lock {} cannot be removed", self.path.display());
        files::found(files::remove_file(&self.path)).map(drop).map_err(|e| (what(), e))
    }
}

impl Target {
    /// Flushes, and publishes the file under its name. Returns the bytes written.
    ///
    /// # Errors
    /// `Io` where writing, syncing or renaming fails, or the file is not what was written; `Usage` where the target
    /// has come into being since it was checked and is not to be replaced. Nothing is published then, unless the
    /// sentence says that the file is in place: its name may not outlive a power failure, or its temporary name stays.
    pub fn commit(mut self) -> Result<u64> {
        self.settle()?;
        let written = self.written();
        one(self)?;
        Ok(written)
    }
}

impl StagedDirectory {
    /// Marks the directory as complete, and gives it its name.
    ///
    /// # Errors
    /// `Io` where something cannot be written or renamed, or is not what was written; `Usage` where the target has
    /// come into being since it was checked and is not to be replaced. The old directory is in its place then, unless
    /// the sentence says otherwise.
    pub fn commit(mut self) -> Result<u64> {
        let bytes = self.bytes();
        self.settle_marked()?;
        one(self)?;
        Ok(bytes)
    }
}

impl UncommittedOutput {
    /// Publishes the output.
    ///
    /// # Errors
    /// As [`Target::commit`] and [`StagedDirectory::commit`].
    pub fn commit(mut self) -> Result<OutputSize> {
        let finished = self.finished();
        self.settle()?;
        one(self)?;
        Ok(finished)
    }

    /// Publishes the output together with a second one. Both are checked before either gets its name, and no other
    /// run with the same two comes between.
    ///
    /// # Errors
    /// The same. Where one output is in place all the same, the sentence says which.
    pub fn commit_with(mut self, mut second: UncommittedOutput) -> Result<()> {
        self.settle()?;
        second.settle()?;
        pair(self, second)
    }
}

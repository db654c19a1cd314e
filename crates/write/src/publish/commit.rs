//! Gives outputs their names: one, or several that belong together: a table and its rejects, the page, the figures and
//! the state of a report. The work is done in `atomic` and `staged_directory`.
//!
//! Several outputs are checked before any gets its name, and get their names under one lock, so that no other run with
//! the same outputs interferes. A signal waits until all have them. If one cannot get its name, those before it are
//! restored. An error after that point says which outputs are in place.

use std::ffi::OsString;
use std::io::{self, ErrorKind as Io};
use std::path::{Path, PathBuf};

use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::files;
use urimill_base::files::File;

use super::atomic::Target;
use super::staged_directory::StagedDirectory;
use super::temporaries::{Live, Temporaries, live};
use super::uncommitted::UncommittedOutput;
use crate::OutputSize;

/// Publishes outputs that are settled, and belong together.
///
/// # Errors
/// An output cannot get its name. If others have theirs, the error says that they are in place.
pub(crate) fn all(mut outputs: Vec<UncommittedOutput>) -> Result<()> {
    let with_names = outputs.iter().filter(|output| output.target().is_some()).count();
    let first = outputs.iter().find_map(|output| output.run().zip(output.target()));
    let lock = first.filter(|_| with_names > 1).map(|(run, target)| Lock::take(run, target));
    let lock = lock.transpose()?.flatten();
    // A directory is not restored, so it comes last.
    outputs.sort_by_key(|output| matches!(output, UncommittedOutput::StagedDirectory(_)));
    let mut live = live();
    let published = outputs.iter().try_for_each(|output| output.check(&live));
    let published = published.and_then(|()| publish(&mut outputs, with_names > 1, &mut live));
    let released = lock.map_or(Ok(()), |lock| lock.release(&mut live));
    drop(live);
    published?;
    let names = names(outputs.iter());
    let concluded = outputs.iter_mut().map(UncommittedOutput::conclude);
    in_place(&names, concluded.chain([released]).filter_map(std::result::Result::err).collect())
}

/// Gives each its name. If one fails, those before it are restored, if they are to `stay_together` and the system
/// allows it.
fn publish(outputs: &mut [UncommittedOutput], stay_together: bool, live: &mut Live) -> Result<()> {
    for at in 0..outputs.len() {
        let (before, rest) = outputs.split_at_mut(at);
        let Some((output, after)) = rest.split_first_mut() else { break };
        if stay_together {
            output.keep_old(live);
        }
        if let Err(error) = output.publish(live) {
            if stay_together {
                before.iter_mut().chain([&mut *output]).rev().for_each(|done| done.put_back(live));
            }
            return Err(match half(before, output, after) {
                Some(half) => error.and(&half),
                None => error,
            });
        }
    }
    Ok(())
}

/// The sentence for several outputs of which one could not be published, and others could not be restored.
fn half(
    before: &[UncommittedOutput],
    failed: &UncommittedOutput,
    after: &[UncommittedOutput],
) -> Option<String> {
    let tried = before.iter().chain([failed]);
    let (done, back): (Vec<_>, Vec<_>) = tried.partition(|output| output.is_in_place());
    let done = match names(done) {
        names if names.is_empty() => {
            let stream = before.iter().find(|output| output.target().is_none())?;
            format!("what goes to {} is there", stream.name())
        }
        names => format!("{names} {} complete and in place", verb(&names)),
    };
    let old = names(back.into_iter().chain(after));
    if old.is_empty() {
        return Some(done);
    }
    Some(format!("{done}, and {old} {} as {} {}", verb(&old), pronoun(&old), was(&old)))
}

fn names<'a>(outputs: impl IntoIterator<Item = &'a UncommittedOutput>) -> String {
    let files = outputs.into_iter().filter(|output| output.target().is_some());
    files.map(|output| output.name()).collect::<Vec<_>>().join(" and ")
}

fn verb(names: &str) -> &'static str {
    if names.contains(" and ") { "are" } else { "is" }
}

fn pronoun(names: &str) -> &'static str {
    if names.contains(" and ") { "they" } else { "it" }
}

fn was(names: &str) -> &'static str {
    if names.contains(" and ") { "were" } else { "was" }
}

/// The error after the outputs had their names, if anything failed.
fn in_place(names: &str, failed: Vec<(String, io::Error)>) -> Result<()> {
    let told: Vec<String> = failed.iter().map(|(what, error)| format!("{what}: {error}")).collect();
    let Some((_, first)) = failed.into_iter().next() else { return Ok(()) };
    let sentence = format!("{names} {} complete and in place, but {}", verb(names), told.join("; "));
    Err(Error::new(ErrorKind::Io, sentence).about(Path::new(names), first))
}

/// Other users of the directory must be able to open it, too.
const READABLE: u32 = 0o444;

/// Held by a run while the names of its outputs change: excludes other runs with the same first output.
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
                // Another run created it first.
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
    /// `Io` if writing, syncing or renaming fails, or the file is not as written; `Usage` if the target has been
    /// created since it was checked and is not to be replaced. Nothing is published then, unless the sentence says that
    /// the file is in place: its name may not survive a power failure, or its temporary name stays.
    pub fn commit(mut self) -> Result<u64> {
        self.settle()?;
        let written = self.written();
        all(vec![self.into()])?;
        Ok(written)
    }
}

impl StagedDirectory {
    /// Marks the directory as complete, and gives it its name.
    ///
    /// # Errors
    /// `Io` if something cannot be written or renamed, or is not as written; `Usage` if the target has been created
    /// since it was checked and is not to be replaced. The old directory is in its place then, unless the sentence says
    /// otherwise.
    pub fn commit(mut self) -> Result<u64> {
        let bytes = self.bytes();
        self.settle_marked()?;
        all(vec![self.into()])?;
        Ok(bytes)
    }
}

impl UncommittedOutput {
    /// Publishes the output.
    ///
    /// # Errors
    /// As [`Target::commit`] and [`StagedDirectory::commit`].
    pub fn commit(self) -> Result<OutputSize> {
        let finished = self.finished();
        UncommittedOutput::commit_all(vec![self])?;
        Ok(finished)
    }

    /// Publishes outputs that belong together. All are checked before any gets its name, no other run with the same
    /// outputs interferes, and if one cannot get its name the others are restored.
    ///
    /// # Errors
    /// The same. If an output is in place nevertheless, the sentence says which.
    pub fn commit_all(mut outputs: Vec<UncommittedOutput>) -> Result<()> {
        // A stream keeps the bytes that it has received, so its rest comes last.
        for is_stream in [false, true] {
            let now = outputs.iter_mut().filter(|output| output.target().is_none() == is_stream);
            now.into_iter().try_for_each(UncommittedOutput::settle)?;
        }
        all(outputs)
    }
}

//! Where a sink's bytes go: an output file is the old one, absent, or complete. Last room but one on the
//! data's way; sinks write into a [`Target`] and commit it when the last batch is in.
//!
//! A regular file is written under a temporary name beside its target, synced, and renamed. What
//! is no regular file (a device, a FIFO, standard output) cannot be replaced and is written to directly; a terminal gets
//! nothing that acts on it.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::checksum::Checksum;
use super::folder::Part;
use super::live::{create_file, live, remove};
use super::places::{directory, follow_links, sync_directory};
use crate::error::{Error, Result};
use crate::files::{self, File};
use crate::printable::printable_bytes;

/// Bytes collected before a write: large enough that system calls do not show in a profile.
const BUFFER: usize = 256 * 1024;

/// Bytes of a file after which the disk is to have them: the sync at the end waits for little more than so many.
/// Without that it is a fifth of the time of uncompressed Parquet.
const UNSYNCED: u64 = 8 << 20;

/// An open output that nobody sees as a file until [`Target::commit`].
///
/// Dropped without a commit, the temporary file goes away and the old file, if any, is as it was.
#[derive(Debug)]
pub struct Target {
    place: Place,
    name: String,
    buffer: Vec<u8>,
    written: u64,
    /// Of what was written, where somebody will compare it with the file.
    checksum: Option<Box<Checksum>>,
}

#[derive(Debug)]
enum Place {
    /// Standard output, a device, a FIFO: written to directly.
    Direct(File),
    /// A regular file to be.
    Regular(File, AtomicFile),
    /// A file in a directory to be.
    Part(Part),
    /// Nowhere: what is written is gone.
    Nowhere,
}

/// A temporary file and the name it is to get.
#[derive(Debug)]
struct AtomicFile {
    temporary: PathBuf,
    target: PathBuf,
    replace: bool,
    syncing: Syncing,
}

/// How much of a file that is written from its beginning on there is, and is on its way to the disk.
#[derive(Debug, Default)]
pub(super) struct Syncing {
    written: u64,
    begun: u64,
}

impl Target {
    /// Standard output.
    ///
    /// # Errors
    /// `Io` where standard output is closed.
    pub fn stdout() -> Result<Target> {
        // std's own handle buffers by lines, which splits binary output into needless writes.
        let file = duplicate_stdout().map_err(|e| Error::io("open", "standard output", e))?;
        let file = File::opened(file, Path::new("standard output"));
        Ok(Target::new(Place::Direct(file), "standard output".to_owned(), BUFFER))
    }

    /// A file at `path`; an existing regular file is replaced only with `force`.
    ///
    /// A symbolic link is followed: the file it points at is replaced, the link stays.
    ///
    /// # Errors
    /// `Usage` where `path` is a directory, or exists and `force` is not given; `Io` where it cannot
    /// be created.
    pub fn create(path: &Path, force: bool) -> Result<Target> {
        let name = path.display().to_string();
        // Through /dev/stdout a redirection to a regular file would look like a file to replace.
        if path == Path::new("/dev/stdout") {
            return Target::stdout();
        }
        match files::metadata(path) {
            Ok(found) if found.is_dir() => {
                return Err(Error::usage(format!(
                    "cannot write {name}: it is a directory; name a file in it"
                )));
            }
            Ok(found) if !found.is_file() => {
                let file = File::open_with(OpenOptions::new().write(true), path)
                    .map_err(|e| Error::path("open", path, e))?;
                return Ok(Target::new(Place::Direct(file), name, BUFFER));
            }
            Ok(_) if !force => return Err(exists(&name)),
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(Error::path("create", path, e)),
        }
        let target = follow_links(path).map_err(|e| Error::path("create", path, e))?;
        let (file, temporary) = create_file(&target).map_err(|e| create_error(path, &target, e))?;
        let place = Place::Regular(
            file,
            AtomicFile { temporary, target, replace: force, syncing: Syncing::default() },
        );
        Ok(Target::new(place, name, BUFFER))
    }

    /// A file in a directory that will be published as a whole. It is there from its first write on, and open only
    /// while it is written to: there may be any number of these.
    pub(super) fn part(part: Part) -> Target {
        let name = part.name().to_owned();
        Target::new(Place::Part(part), name, 0)
    }

    /// For a sink that only prepares batches, or hands them to another part of the program.
    pub fn nowhere(name: &str) -> Target {
        Target::new(Place::Nowhere, name.to_owned(), 0)
    }

    fn new(place: Place, name: String, room: usize) -> Target {
        Target { place, name, buffer: Vec::with_capacity(room), written: 0, checksum: None }
    }

    /// The target as messages name it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The directory that the file is to be in; `None` of what is no regular file.
    pub fn directory(&self) -> Option<&Path> {
        match &self.place {
            Place::Regular(_, file) => Some(directory(&file.target)),
            Place::Direct(_) | Place::Part(_) | Place::Nowhere => None,
        }
    }

    /// Where a regular file is until it is published.
    pub(super) fn temporary(&self) -> Option<&Path> {
        match &self.place {
            Place::Regular(_, file) => Some(&file.temporary),
            Place::Direct(_) | Place::Part(_) | Place::Nowhere => None,
        }
    }

    /// From here on the bytes written are summed up. To be said before the first one.
    pub(super) fn keep_checksum(&mut self) {
        self.checksum = Some(Box::new(Checksum::new()));
    }

    /// XXH3 (64 bits) of all bytes written; `None` without [`Target::keep_checksum`].
    pub(super) fn checksum(&self) -> Option<u64> {
        self.checksum.as_deref().map(Checksum::value)
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// `Io`, or `ClosedPipe`, naming the target.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|e| write_error(&self.name, e))
    }

    /// Marks the end of a batch: where a reader may wait at the other end, it gets its rows now.
    ///
    /// # Errors
    /// As [`Target::append`].
    pub fn end_batch(&mut self) -> Result<()> {
        match self.place {
            Place::Direct(_) => self.flush().map_err(|e| write_error(&self.name, e)),
            Place::Regular(..) | Place::Part(_) | Place::Nowhere => Ok(()),
        }
    }

    /// Bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Does all of [`Target::commit`] that can fail for want of space, and publishes nothing: a run with
    /// two outputs settles both before it commits one. A file in a directory is synced with that.
    ///
    /// # Errors
    /// `Io`, or `ClosedPipe`, naming the target.
    pub fn settle(&mut self) -> Result<()> {
        self.flush().map_err(|e| write_error(&self.name, e))?;
        if let Place::Regular(file, atomic) = &self.place {
            atomic.keep_mode().map_err(|e| Error::io("set the permissions of", &self.name, e))?;
            file.sync_all().map_err(|e| write_error(&self.name, e))?;
        }
        Ok(())
    }

    /// Flushes, and publishes the file under its name. Returns the bytes written.
    ///
    /// # Errors
    /// `Io` where writing, syncing or renaming fails; `Usage` where the target has come into being since
    /// it was checked and is not to be replaced. Nothing is published then, but where the very last step
    /// fails, the sync of the directory: the file is complete and may not outlive a power failure.
    pub fn commit(mut self) -> Result<u64> {
        self.settle()?;
        if let Place::Regular(_, file) = &self.place {
            match file.publish() {
                Err(e) if e.kind() == ErrorKind::AlreadyExists => return Err(exists(&self.name)),
                published => published.map_err(|e| Error::io("create", &self.name, e))?,
            }
        }
        Ok(self.written)
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Some(checksum) = &mut self.checksum {
            checksum.add(bytes);
        }
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() >= BUFFER {
            self.place.write_all(bytes)?;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.place.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl Place {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            // Rows and answers come whole: no character is cut in two.
            Place::Direct(file) if file.inner().is_terminal() => file.write_all(&printable_bytes(bytes)),
            Place::Direct(file) => file.write_all(bytes),
            Place::Regular(file, atomic) => {
                file.write_all(bytes)?;
                atomic.syncing.wrote(bytes.len(), file);
                Ok(())
            }
            Place::Part(part) => part.append(bytes),
            Place::Nowhere => Ok(()),
        }
    }
}

impl Syncing {
    /// Has the system begin to sync what waits for it, where that is much.
    pub(super) fn wrote(&mut self, bytes: usize, file: &File) {
        self.written += bytes as u64;
        if self.written - self.begun >= UNSYNCED {
            file.begin_sync(self.begun..self.written);
            self.begun = self.written;
        }
    }
}

impl AtomicFile {
    /// Gives the temporary the mode of the file it is to replace; a new file has what the umask says.
    fn keep_mode(&self) -> io::Result<()> {
        match files::metadata(&self.target) {
            Ok(old) if self.replace => files::set_permissions(&self.temporary, old.permissions()),
            Err(e) if e.kind() != ErrorKind::NotFound => Err(e),
            _ => Ok(()),
        }
    }

    /// Renames under the registry's lock, so that a signal finds either a temporary or a complete file.
    fn publish(&self) -> io::Result<()> {
        let mut live = live();
        live.check(&self.temporary)?;
        if self.replace {
            files::rename(&self.temporary, &self.target)?;
        } else {
            self.link()?;
        }
        live.publish(&self.temporary);
        drop(live);
        sync_directory(&self.target)
    }

    /// Takes the name only where nobody has it: a hard link fails where a rename would replace.
    fn link(&self) -> io::Result<()> {
        match files::hard_link(&self.temporary, &self.target) {
            Ok(()) => {
                // The file is there, under both names: that the other one stays is no reason to fail.
                let _ = files::remove_file(&self.temporary);
                Ok(())
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(e),
            // FAT and some network file systems have no hard links. Between this check and the rename
            // another process can still slip in: there is no portable way to close that gap.
            Err(_) if files::symlink_metadata(&self.target).is_ok() => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => files::rename(&self.temporary, &self.target),
        }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        let mut live = live();
        if live.forget(&self.temporary) {
            remove(&self.temporary);
        }
    }
}

/// A failed write to `name`.
pub(super) fn write_error(name: &str, error: io::Error) -> Error {
    Error::io("write", name, error)
}

/// The operating system's "no such file" would be odd for a file that is to be created.
pub(super) fn create_error(path: &Path, target: &Path, error: io::Error) -> Error {
    let error = match error.kind() {
        ErrorKind::NotFound if !directory(target).exists() => {
            io::Error::new(error.kind(), "its directory does not exist; create it first")
        }
        ErrorKind::StorageFull => return write_error(&path.display().to_string(), error),
        _ => error,
    };
    Error::path("create", path, error)
}

fn exists(name: &str) -> Error {
    Error::usage(format!("cannot write {name}: it exists; give --force to replace it"))
}

#[cfg(unix)]
fn duplicate_stdout() -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    Ok(std::fs::File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn duplicate_stdout() -> io::Result<std::fs::File> {
    use std::os::windows::io::AsHandle;
    Ok(std::fs::File::from(io::stdout().as_handle().try_clone_to_owned()?))
}

//! The target of a sink's bytes: an output file is the old one, absent, or complete. Sinks write into a [`Target`] and
//! commit it after the last batch.
//!
//! A regular file is written under a temporary name in the directory of its target, synced, and renamed. Anything else
//! (a device, a FIFO, standard output) cannot be replaced and is written to directly; a terminal gets no control
//! characters.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use urimill_base::error::{Error, ErrorKind as Kind, Result};
use urimill_base::files;
use urimill_base::files::{File, Found};
use urimill_base::option_name::OptionName;
use urimill_base::pieces_checksum::PiecesChecksum;
use urimill_base::streams;
use urimill_base::streams::Stream;
use urimill_uri::internal::printable_bytes;

use super::leftovers::remove;
use super::old::Old;
use super::places::{NOT_SYNCED, directory, follow_links, mode_of, sync_directory};
use super::staging::{Part, Written, same};
use super::temporaries::{Live, Temporaries, create_file, live};

/// Bytes collected before a write: large enough that system calls do not show in a profile.
const BUFFER: usize = 256 * 1024;

/// An open output that gets its file name only by [`Target::commit`].
///
/// Dropped without a commit, the temporary file goes away and the old file, if any, is as it was.
#[derive(Debug)]
pub struct Target {
    place: Place,
    name: String,
    buffer: Vec<u8>,
    written: u64,
    /// The checksum of the bytes written, if it will be compared with the file.
    checksum: Option<Box<PiecesChecksum>>,
}

#[derive(Debug)]
enum Place {
    /// Standard output, a device, a FIFO: written to directly.
    Direct(File),
    /// A regular file that will be created.
    Regular(File, AtomicFile),
    /// A file in a directory that will be created.
    Part(Part),
    /// Nowhere: the bytes are discarded.
    Nowhere,
}

/// A temporary file and its future name.
#[derive(Debug)]
struct AtomicFile {
    run: Temporaries,
    temporary: PathBuf,
    target: PathBuf,
    replace: bool,
    written: Written,
    is_in_place: bool,
    old: Old,
    /// The reason why the temporary name still exists once the file has its own.
    left: Option<io::Error>,
}

impl Target {
    /// Creates a target for standard output.
    ///
    /// `Io` if standard output is closed.
    pub fn stdout() -> Result<Target> {
        streams::check_open(Stream::Output)?;
        // std's own handle buffers lines, which splits binary output into needless writes.
        let file = Stream::Output.duplicate().map_err(|e| Error::io("open", "standard output", e))?;
        let file = File::opened(file, Path::new("standard output"));
        Ok(Target::new(Place::Direct(file), "standard output".to_owned(), BUFFER))
    }

    /// Creates a target for a file at `path`; an existing regular file is replaced only with `force`.
    ///
    /// A symbolic link is followed: the file it points at is replaced, the link stays.
    ///
    /// # Errors
    /// `Usage` if `path` is a directory, or exists and `force` is not given; `Io` if it cannot be created.
    pub fn create(path: &Path, force: bool) -> Result<Target> {
        Target::create_for(&Temporaries::default(), path, force)
    }

    /// [`Target::create`] for a run, whose temporaries may be removed before it has ended.
    ///
    /// # Errors
    /// The errors of [`Target::create`]; `Io` if the temporaries have been removed.
    pub fn create_for(run: &Temporaries, path: &Path, force: bool) -> Result<Target> {
        let name = path.display().to_string();
        // Through /dev/stdout a redirection to a regular file would look like a file to replace.
        if path == Path::new("/dev/stdout") {
            return Target::stdout();
        }
        let mut mode = None;
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
            Ok(found) => mode = mode_of(&found),
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(Error::path("create", path, e)),
        }
        let target = follow_links(path).map_err(|e| Error::path("create", path, e))?;
        let (file, temporary) =
            create_file(run, &target, mode).map_err(|e| create_error(path, &target, e))?;
        let written = Written::default();
        let place = Place::Regular(
            file,
            AtomicFile {
                run: run.clone(),
                temporary,
                target,
                replace: force,
                written,
                is_in_place: false,
                old: Old::Unknown,
                left: None,
            },
        );
        Ok(Target::new(place, name, BUFFER))
    }

    /// A file in a directory that will be published as a whole. It is there from its first write on, and open only
    /// while it is written to: there may be any number of these.
    pub(crate) fn part(part: Part) -> Target {
        let name = part.name().to_owned();
        Target::new(Place::Part(part), name, 0)
    }

    /// Creates a target without a file, for a sink that only prepares batches or passes them to another part of the
    /// program.
    pub fn nowhere(name: &str) -> Target {
        Target::new(Place::Nowhere, name.to_owned(), 0)
    }

    fn new(place: Place, name: String, room: usize) -> Target {
        Target { place, name, buffer: Vec::with_capacity(room), written: 0, checksum: None }
    }

    /// Returns the name of the target in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the directory of the file; `None` if the target is not a regular file.
    pub fn directory(&self) -> Option<&Path> {
        match &self.place {
            Place::Regular(_, file) => Some(directory(&file.target)),
            Place::Direct(_) | Place::Part(_) | Place::Nowhere => None,
        }
    }

    /// The run that a regular file belongs to.
    pub(crate) fn run(&self) -> Option<&Temporaries> {
        match &self.place {
            Place::Regular(_, file) => Some(&file.run),
            Place::Direct(_) | Place::Part(_) | Place::Nowhere => None,
        }
    }

    /// The future name of a regular file.
    pub(crate) fn target(&self) -> Option<&Path> {
        match &self.place {
            Place::Regular(_, file) => Some(&file.target),
            Place::Direct(_) | Place::Part(_) | Place::Nowhere => None,
        }
    }

    /// Computes a checksum of the bytes written from now on. To be called before the first one.
    pub(crate) fn keep_checksum(&mut self) {
        self.checksum = Some(Box::new(PiecesChecksum::default()));
    }

    /// XXH3 (64 bits) of all bytes written; `None` without [`Target::keep_checksum`].
    pub(crate) fn checksum(&self) -> Option<u64> {
        self.checksum.as_deref().map(PiecesChecksum::value)
    }

    /// Opens a regular file for reading, before it is published. It is the one that was written.
    pub(crate) fn open(&self) -> Result<File> {
        match &self.place {
            Place::Regular(file, atomic) => {
                let open = || {
                    let open = File::open(&atomic.temporary).map_err(gone)?;
                    same(&file.found()?, &open.found()?).map(|()| open)
                };
                open().map_err(|e| Error::io("read back", &self.name, e))
            }
            Place::Direct(_) | Place::Part(_) | Place::Nowhere => Err(Error::usage(format!(
                "cannot read back {}: it is not a file; name one with {}",
                self.name,
                OptionName::Output.with("FILE")
            ))),
        }
    }

    /// Writes all of `bytes`.
    ///
    /// # Errors
    /// `Io`, or `ClosedPipe`, naming the target.
    pub fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_all(bytes).map_err(|e| write_error(&self.name, e))
    }

    /// Announces that about this many bytes follow, so that the system reserves space for them at once and not piece by
    /// piece.
    #[cfg(feature = "parquet")]
    pub(crate) fn expect(&mut self, bytes: u64) {
        match &mut self.place {
            Place::Regular(_, atomic) => atomic.written.expect(self.buffer.len() as u64 + bytes),
            Place::Part(part) => part.expect(self.buffer.len() as u64 + bytes),
            Place::Direct(_) | Place::Nowhere => {}
        }
    }

    /// Marks the end of a batch: a reader that waits at the other end gets its rows now.
    ///
    /// # Errors
    /// As [`Target::append`].
    pub fn end_batch(&mut self) -> Result<()> {
        match self.place {
            Place::Direct(_) => self.flush().map_err(|e| write_error(&self.name, e)),
            Place::Regular(..) | Place::Part(_) | Place::Nowhere => Ok(()),
        }
    }

    /// Returns the number of bytes written so far.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Does every step of [`Target::commit`] that can fail for lack of space, and publishes nothing: a run with two
    /// outputs settles both before it commits one. A file in a directory is synced with the directory.
    ///
    /// # Errors
    /// `Io`, or `ClosedPipe`, naming the target.
    pub fn settle(&mut self) -> Result<()> {
        self.flush().map_err(|e| write_error(&self.name, e))?;
        if let Place::Regular(file, atomic) = &self.place {
            atomic.keep_mode(file).map_err(|e| Error::io("set the permissions of", &self.name, e))?;
            file.sync_all().map_err(|e| write_error(&self.name, e))?;
        }
        Ok(())
    }

    /// Checks that it can get its name now: it is unchanged since it was written, and the file with that name may be
    /// replaced.
    pub(crate) fn check(&self, live: &Live) -> Result<()> {
        let Place::Regular(file, atomic) = &self.place else { return Ok(()) };
        live.check(&atomic.temporary).map_err(|e| Error::io("create", &self.name, e))?;
        if !atomic.replace {
            let found = files::found(files::symlink_metadata(&atomic.target));
            if found.map_err(|e| Error::io("look at", &self.name, e))?.is_some() {
                return Err(exists(&self.name));
            }
        }
        let is_same = || {
            let identity = files::identity(&atomic.temporary).map_err(gone)?;
            let (found, bytes) = (file.found()?, self.written);
            same(&Found { identity, bytes }, &found)
        };
        is_same().map_err(|e| write_error(&self.name, e))
    }

    /// Gives it its name.
    pub(crate) fn publish(&mut self, live: &mut Live) -> Result<()> {
        let Place::Regular(file, atomic) = &mut self.place else { return Ok(()) };
        match atomic.publish(file, live) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(exists(&self.name)),
            published => published.map_err(|e| Error::io("create", &self.name, e)),
        }
    }

    /// Gives the file that it replaces a second name, from which [`put_back`](Self::put_back) restores it.
    pub(crate) fn keep_old(&mut self, live: &mut Live) {
        if let Place::Regular(_, atomic) = &mut self.place {
            atomic.old = Old::keep(&atomic.run, &atomic.target, live);
        }
    }

    /// Undoes the renaming, if the system allows it.
    pub(crate) fn put_back(&mut self, live: &mut Live) {
        if let Place::Regular(_, atomic) = &mut self.place
            && atomic.is_in_place
        {
            atomic.is_in_place = !atomic.old.put_back(&atomic.target, live);
        }
    }

    /// Whether it has its name.
    pub(crate) fn is_in_place(&self) -> bool {
        matches!(&self.place, Place::Regular(_, atomic) if atomic.is_in_place)
    }

    /// The remaining work once it has its name: syncing the name to disk.
    pub(crate) fn conclude(&mut self) -> Result<(), (String, io::Error)> {
        let Place::Regular(_, atomic) = &mut self.place else { return Ok(()) };
        let synced = sync_directory(&atomic.target).map_err(|e| (NOT_SYNCED.to_owned(), e));
        let what = format!("its temporary name {} cannot be removed", atomic.temporary.display());
        let forgotten = atomic.old.forget();
        synced.and(atomic.left.take().map_or(Ok(()), |e| Err((what, e)))).and(forgotten)
    }
}

/// A clearer error for a temporary file that no longer exists.
fn gone(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::NotFound => {
            io::Error::new(ErrorKind::NotFound, "something else has removed its temporary file")
        }
        _ => error,
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
            Place::Regular(file, atomic) => atomic.written.write_all(bytes, file),
            Place::Part(part) => part.append(bytes),
            Place::Nowhere => Ok(()),
        }
    }
}

impl AtomicFile {
    /// Gives the temporary the mode of the file that it replaces; a new file gets the umask's mode.
    fn keep_mode(&self, file: &File) -> io::Result<()> {
        match files::find(&self.target)? {
            Some(old) if self.replace => file.set_permissions(old.permissions()),
            _ => Ok(()),
        }
    }

    /// Renames under the registry's lock, so that a signal finds either a temporary or a complete file.
    fn publish(&mut self, file: &File, live: &mut Live) -> io::Result<()> {
        let own = file.identity()?;
        let is_there = |target: &Path| files::identity(target).map(|there| there == own || cfg!(not(unix)));
        let renamed = match self.replace {
            true => files::rename(&self.temporary, &self.target),
            false => self.link(),
        };
        // Some network file systems report a failure for a call that succeeded.
        renamed.or_else(|e| match is_there(&self.target) {
            Ok(true) if cfg!(unix) => Ok(()),
            _ => Err(e),
        })?;
        live.publish(&self.temporary);
        self.is_in_place = true;
        match is_there(&self.target)? {
            true => Ok(()),
            false => {
                self.is_in_place = false;
                Err(io::Error::other("something else has put another file in its place"))
            }
        }
    }

    /// Takes the name only if it is free: a hard link fails where a rename would replace.
    fn link(&mut self) -> io::Result<()> {
        match files::hard_link(&self.temporary, &self.target) {
            Ok(()) => {
                // The file exists under both names.
                self.left = files::remove_file(&self.temporary).err();
                Ok(())
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(e),
            // FAT and some network file systems have no hard links. Between this check and the rename
            // another process can still slip in: there is no portable way to close that gap.
            Err(_) if files::found(files::symlink_metadata(&self.target))?.is_some() => {
                Err(ErrorKind::AlreadyExists.into())
            }
            Err(_) => files::rename(&self.temporary, &self.target),
        }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        let mut live = live();
        for path in [Some(self.temporary.as_path()), self.old.path()].into_iter().flatten() {
            if live.forget(path) {
                // The run has failed, and has reported why.
                let _ = remove(path);
            }
        }
    }
}

/// The error of a failed write to `name`, or of written bytes that are missing.
pub(crate) fn write_error(name: &str, error: io::Error) -> Error {
    match error.kind() {
        ErrorKind::InvalidData => {
            let sentence = format!("cannot write {name}: {error}; nothing was published");
            Error::new(Kind::Data, sentence).about(Path::new(name), error)
        }
        _ => Error::io("write", name, error),
    }
}

/// The operating system's "no such file" would be confusing for a file that is to be created.
pub(crate) fn create_error(path: &Path, target: &Path, error: io::Error) -> Error {
    let error = match error.kind() {
        ErrorKind::NotFound if matches!(files::find(directory(target)), Ok(None)) => {
            io::Error::new(error.kind(), "its directory does not exist; create it first")
        }
        ErrorKind::StorageFull => return write_error(&path.display().to_string(), error),
        _ => error,
    };
    Error::path("create", path, error)
}

fn exists(name: &str) -> Error {
    Error::usage(format!("cannot write {name}: it exists; give {} to replace it", OptionName::Force.named()))
}

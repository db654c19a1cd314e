//! Where a sink's bytes go: an output file is the old one, absent, or complete. Last room but one on the
//! data's way; sinks write into a [`Target`] and commit it when the last batch is in.
//!
//! A regular file is written under a temporary name beside its target, synced, and renamed. What
//! is no regular file (a device, a FIFO, standard output) cannot be replaced and is written to directly.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};

/// Bytes collected before a write: large enough that system calls do not show in a profile.
const BUFFER: usize = 256 * 1024;

/// An open output that nobody sees as a file until [`Target::commit`].
///
/// Dropped without a commit, the temporary file goes away and the old file, if any, is as it was.
#[derive(Debug)]
pub struct Target {
    file: File,
    place: Place,
    name: String,
    buffer: Vec<u8>,
    written: u64,
}

#[derive(Debug)]
enum Place {
    /// Standard output, a device, a FIFO: written to directly.
    Direct,
    /// A regular file to be.
    Regular(AtomicFile),
}

/// A temporary file and the name it is to get.
#[derive(Debug)]
struct AtomicFile {
    temporary: PathBuf,
    target: PathBuf,
    replace: bool,
}

impl Target {
    /// Standard output.
    ///
    /// # Errors
    /// `Io` where standard output is closed.
    pub fn stdout() -> Result<Target> {
        // std's own handle buffers by lines, which splits binary output into needless writes.
        let file = duplicate_stdout().map_err(|e| Error::io("open", "standard output", e))?;
        Ok(Target::new(file, Place::Direct, "standard output".to_owned()))
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
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => {
                return Err(Error::usage(format!(
                    "cannot write {name}: it is a directory; name a file in it"
                )));
            }
            Ok(found) if !found.is_file() => {
                let file =
                    OpenOptions::new().write(true).open(path).map_err(|e| Error::path("open", path, e))?;
                return Ok(Target::new(file, Place::Direct, name));
            }
            Ok(_) if !force => return Err(exists(&name)),
            Ok(_) => {}
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(Error::path("create", path, e)),
        }
        let target = follow_links(path).map_err(|e| Error::path("create", path, e))?;
        let (file, temporary) = create_temporary(&target).map_err(|e| create_error(path, &target, e))?;
        Ok(Target::new(file, Place::Regular(AtomicFile { temporary, target, replace: force }), name))
    }

    fn new(file: File, place: Place, name: String) -> Target {
        Target { file, place, name, buffer: Vec::with_capacity(BUFFER), written: 0 }
    }

    /// The target as messages name it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The directory that the file is to be in; `None` of what is no regular file.
    pub fn directory(&self) -> Option<&Path> {
        match &self.place {
            Place::Direct => None,
            Place::Regular(file) => Some(directory(&file.target)),
        }
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
            Place::Direct => self.flush().map_err(|e| write_error(&self.name, e)),
            Place::Regular(_) => Ok(()),
        }
    }

    /// Does all of [`Target::commit`] that can fail for want of space, and publishes nothing: a run with
    /// two outputs settles both before it commits one.
    ///
    /// # Errors
    /// `Io`, or `ClosedPipe`, naming the target.
    pub fn settle(&mut self) -> Result<()> {
        self.flush().map_err(|e| write_error(&self.name, e))?;
        if let Place::Regular(file) = &self.place {
            file.keep_mode().map_err(|e| Error::io("set the permissions of", &self.name, e))?;
            self.file.sync_all().map_err(|e| write_error(&self.name, e))?;
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
        if let Place::Regular(file) = &self.place {
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
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() >= BUFFER {
            self.file.write_all(bytes)?;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl AtomicFile {
    /// Gives the temporary the mode of the file it is to replace; a new file has what the umask says.
    fn keep_mode(&self) -> io::Result<()> {
        match fs::metadata(&self.target) {
            Ok(old) if self.replace => fs::set_permissions(&self.temporary, old.permissions()),
            _ => Ok(()),
        }
    }

    /// Renames under the registry's lock, so that a signal finds either a temporary or a complete file.
    fn publish(&self) -> io::Result<()> {
        let mut live = live();
        if !live.paths.contains(&self.temporary) {
            return Err(io::Error::new(ErrorKind::Interrupted, "the run was interrupted"));
        }
        if self.replace {
            fs::rename(&self.temporary, &self.target)?;
        } else {
            self.link()?;
        }
        live.forget(&self.temporary);
        drop(live);
        sync_directory(&self.target)
    }

    /// Takes the name only where nobody has it: a hard link fails where a rename would replace.
    fn link(&self) -> io::Result<()> {
        match fs::hard_link(&self.temporary, &self.target) {
            Ok(()) => {
                // The file is there, under both names: that the other one stays is no reason to fail.
                let _ = fs::remove_file(&self.temporary);
                Ok(())
            }
            Err(e) if e.kind() == ErrorKind::AlreadyExists => Err(e),
            // FAT and some network file systems have no hard links. Between this check and the rename
            // another process can still slip in: there is no portable way to close that gap.
            Err(_) if fs::symlink_metadata(&self.target).is_ok() => Err(ErrorKind::AlreadyExists.into()),
            Err(_) => fs::rename(&self.temporary, &self.target),
        }
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        let mut live = live();
        if live.forget(&self.temporary) {
            // Nobody is left to tell: the caller is on its way out with the first error.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Temporaries that exist now, and whether new ones may still be made.
#[derive(Debug)]
struct Live {
    paths: Vec<PathBuf>,
    closed: bool,
}

impl Live {
    /// Whether `path` was registered.
    fn forget(&mut self, path: &Path) -> bool {
        let before = self.paths.len();
        self.paths.retain(|p| p != path);
        self.paths.len() < before
    }
}

static LIVE: Mutex<Live> = Mutex::new(Live { paths: Vec::new(), closed: false });

fn live() -> MutexGuard<'static, Live> {
    // A panic elsewhere leaves the list as good as it was.
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporaries of all open targets, for a signal handler that is about to end the process.
///
/// From then on no target is created or published any more; one that was being renamed is complete first.
pub fn remove_live_temporaries() {
    let mut live = live();
    live.closed = true;
    for path in live.paths.drain(..) {
        // The process ends: a file that is gone already, or cannot be removed, changes nothing.
        let _ = fs::remove_file(path);
    }
}

/// Whether `a` and `b` name one existing file, through links or different spellings.
pub fn same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        matches!((fs::metadata(a), fs::metadata(b)), (Ok(a), Ok(b)) if a.dev() == b.dev() && a.ino() == b.ino())
    }
    #[cfg(not(unix))]
    {
        matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
    }
}

/// Whether writing to `a` and to `b` writes one file, which need not exist yet.
pub fn same_target(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let target = follow_links(path).ok()?;
        Some((fs::canonicalize(directory(&target)).ok()?, target.file_name()?.to_owned()))
    };
    same_file(a, b) || place(a).is_some_and(|a| place(b) == Some(a))
}

/// A failed write to `name`.
pub(super) fn write_error(name: &str, error: io::Error) -> Error {
    Error::io("write", name, error)
}

/// The operating system's "no such file" would be odd for a file that is to be created.
fn create_error(path: &Path, target: &Path, error: io::Error) -> Error {
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
fn duplicate_stdout() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

#[cfg(windows)]
fn duplicate_stdout() -> io::Result<File> {
    use std::os::windows::io::AsHandle;
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}

/// The path that a chain of symbolic links at `path` ends at, which need not exist.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    // 40 is Linux's own limit on a chain.
    for _ in 0..40 {
        match fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// Creates and registers `.NAME.urimill-PID-N.tmp` in the directory of `target`: a rename stays within one
/// file system only there.
fn create_temporary(target: &Path) -> io::Result<(File, PathBuf)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name =
        target.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "it names no file"))?;
    // The lock is held from before the file exists until it is listed: a signal misses none.
    let mut live = live();
    if live.closed {
        return Err(io::Error::new(ErrorKind::Interrupted, "the run was interrupted"));
    }
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut temporary = OsString::from(".");
        temporary.push(shortened(name));
        temporary.push(format!(".urimill-{}-{number}.tmp", std::process::id()));
        let path = target.with_file_name(temporary);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            // Left behind by a killed process that had the same number.
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
            Ok(file) => {
                live.paths.push(path.clone());
                return Ok((file, path));
            }
        }
    }
}

/// `name`, or its beginning where the temporary's longer name could pass the usual limit of 255 bytes.
fn shortened(name: &std::ffi::OsStr) -> OsString {
    match name.len() {
        0..=200 => name.to_owned(),
        _ => name.to_string_lossy().chars().take(50).collect::<String>().into(),
    }
}

/// The directory that `target` is in; `.` where the path names none.
fn directory(target: &Path) -> &Path {
    target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the new name itself survive a power failure.
fn sync_directory(target: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(directory(target)).and_then(|d| d.sync_all()) {
        // A directory one may write to but not read, and file systems that cannot sync one.
        Err(e)
            if matches!(
                e.kind(),
                ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

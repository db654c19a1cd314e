//! All access to files: whatever urimill opens, reads, writes, renames or removes goes through here. It depends only on
//! errors; all modules that touch a disk use it.
//!
//! Each function is the standard library's call of the same name. Tests can watch the calls, and make one fail as a
//! broken disk would: that is the purpose of the module. Nothing outside the process can do that, and without a watcher
//! a call costs one check of a flag.

mod directory;

use std::fs::{self, DirEntry, Metadata, OpenOptions, Permissions, ReadDir};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
#[cfg(target_os = "linux")]
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

pub use directory::{Directory, Found};

use crate::timing;
use crate::timing::Step;

/// The operation that is about to be done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[doc(hidden)]
pub enum Operation {
    Look,
    Open,
    Create,
    Read,
    Write,
    Seek,
    Sync,
    Rename,
    Link,
    Permissions,
    CreateDirectory,
    Remove,
}

/// The result of an operation, chosen by a watcher.
#[derive(Debug)]
#[doc(hidden)]
pub enum Outcome {
    /// The system's own result.
    Real,
    /// It fails with this error.
    Fails(io::Error),
    /// Only one byte is read or written.
    Short,
    /// Nothing is written, but the call succeeds.
    Lost,
    /// The last byte written is changed.
    Garbled,
}

type Watcher = dyn Fn(Operation, &Path) -> Outcome + Send + Sync;

static WATCHED: AtomicBool = AtomicBool::new(false);
static WATCHER: RwLock<Option<Arc<Watcher>>> = RwLock::new(None);

/// From now on `watcher` is called before each operation of this process; `None` ends that.
#[doc(hidden)]
pub fn watch(watcher: Option<Arc<Watcher>>) {
    let mut place = WATCHER.write().unwrap_or_else(PoisonError::into_inner);
    WATCHED.store(watcher.is_some(), Ordering::SeqCst);
    *place = watcher;
}

fn ask(operation: Operation, path: &Path) -> Outcome {
    if !WATCHED.load(Ordering::Relaxed) {
        return Outcome::Real;
    }
    let watcher = WATCHER.read().unwrap_or_else(PoisonError::into_inner).clone();
    watcher.map_or(Outcome::Real, |watcher| watcher(operation, path))
}

/// The same for operations that are done completely or not at all.
fn permit(operation: Operation, path: &Path) -> io::Result<()> {
    match ask(operation, path) {
        Outcome::Fails(error) => Err(error),
        _ => Ok(()),
    }
}

/// Identifies a file or directory, whatever its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity(#[cfg(unix)] (u64, u64), #[cfg(not(unix))] PathBuf);

impl Identity {
    /// Device and inode.
    #[cfg(unix)]
    pub(crate) fn of(found: &Metadata, _: &Path) -> io::Result<Identity> {
        use std::os::unix::fs::MetadataExt;
        Ok(Identity((found.dev(), found.ino())))
    }

    /// The path without links: other systems have no queryable number.
    #[cfg(not(unix))]
    fn of(_: &Metadata, path: &Path) -> io::Result<Identity> {
        Ok(Identity(fs::canonicalize(path)?))
    }
}

/// An open file.
#[derive(Debug)]
pub struct File {
    inner: fs::File,
    path: Arc<Path>,
}

impl File {
    /// A file that was opened elsewhere, with a name for it.
    pub fn opened(inner: fs::File, path: &Path) -> File {
        File { inner, path: path.into() }
    }

    /// Opens a file to read it.
    pub fn open(path: &Path) -> io::Result<File> {
        permit(Operation::Open, path)?;
        Ok(File::opened(fs::File::open(path)?, path))
    }

    /// Opens a file with these options.
    pub fn open_with(options: &OpenOptions, path: &Path) -> io::Result<File> {
        permit(Operation::Open, path)?;
        Ok(File::opened(options.open(path)?, path))
    }

    /// Creates a file that must not exist, with a mode that the umask may narrow; without one the system's own.
    pub fn create_new(path: &Path, mode: Option<u32>) -> io::Result<File> {
        permit(Operation::Create, path)?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if let Some(mode) = mode {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
        }
        #[cfg(not(unix))]
        let _ = mode;
        Ok(File::opened(options.open(path)?, path))
    }

    /// Creates a file without a name in `directory`, which is gone when it is closed.
    pub fn nameless(directory: &Path) -> io::Result<File> {
        permit(Operation::Create, directory)?;
        Ok(File::opened(tempfile::tempfile_in(directory)?, directory))
    }

    /// Waits until the file is on the disk.
    pub fn sync_all(&self) -> io::Result<()> {
        let _sync = timing::step(Step::Sync);
        permit(Operation::Sync, &self.path)?;
        self.inner.sync_all()
    }

    /// Asks the system to start writing these bytes to the disk, so that [`File::sync_all`] has less to wait for. This
    /// is only advice: errors appear when the file is synced.
    pub fn begin_sync(&self, bytes: Range<u64>) {
        let _sync = timing::step(Step::Sync);
        // The advice is that memory need not hold them: Linux starts to write at once, and drops pages that the disk
        // has already. The call that only starts writing (`sync_file_range`) has no safe wrapper.
        #[cfg(target_os = "linux")]
        let _ = rustix::fs::fadvise(
            &self.inner,
            bytes.start,
            NonZeroU64::new(bytes.end - bytes.start),
            rustix::fs::Advice::DontNeed,
        );
        #[cfg(not(target_os = "linux"))]
        let _ = bytes;
    }

    /// Asks the system to reserve room on the disk for this many bytes from `at` on, which makes writing them faster.
    /// The file keeps its length. This is only advice: not all file systems support it, and a full disk shows when the
    /// bytes are written.
    pub fn allocate(&self, at: u64, bytes: u64) {
        let _write = timing::step(Step::Write);
        #[cfg(target_os = "linux")]
        let _ = rustix::fs::fallocate(&self.inner, rustix::fs::FallocateFlags::KEEP_SIZE, at, bytes);
        #[cfg(not(target_os = "linux"))]
        let _ = (at, bytes);
    }

    /// What the system knows of the file.
    pub fn metadata(&self) -> io::Result<Metadata> {
        look(&self.path, || self.inner.metadata())
    }

    /// Which file of the system it is.
    pub fn identity(&self) -> io::Result<Identity> {
        Identity::of(&self.metadata()?, &self.path)
    }

    /// Sets who may read and write the file.
    pub fn set_permissions(&self, permissions: Permissions) -> io::Result<()> {
        permit(Operation::Permissions, &self.path)?;
        self.inner.set_permissions(permissions)
    }

    /// How many bytes more its file system has for us, and at most as many as a file of this process may have; 0 where
    /// that is unknown.
    pub fn free_space(&self) -> u64 {
        #[cfg(target_os = "linux")]
        {
            use rustix::process::{Resource, getrlimit};

            let free = rustix::fs::fstatvfs(&self.inner)
                .map_or(0, |found| found.f_bavail.saturating_mul(found.f_frsize));
            free.min(getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX))
        }
        #[cfg(not(target_os = "linux"))]
        0
    }

    /// The same open file once more.
    pub fn try_clone(&self) -> io::Result<File> {
        Ok(File { inner: self.inner.try_clone()?, path: Arc::clone(&self.path) })
    }

    /// The file itself, for operations that neither read nor write: locks.
    pub fn inner(&self) -> &fs::File {
        &self.inner
    }
}

impl Read for File {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let _read = timing::step(Step::Read);
        match ask(Operation::Read, &self.path) {
            Outcome::Fails(error) => Err(error),
            Outcome::Short if !out.is_empty() => self.inner.read(&mut out[..1]),
            _ => self.inner.read(out),
        }
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _write = timing::step(Step::Write);
        match (ask(Operation::Write, &self.path), bytes) {
            (Outcome::Fails(error), _) => Err(error),
            (Outcome::Short, [first, ..]) => self.inner.write(&[*first]),
            (Outcome::Lost, _) => Ok(bytes.len()),
            (Outcome::Garbled, [rest @ .., last]) => {
                self.inner.write_all(rest)?;
                self.inner.write_all(&[last ^ 1])?;
                Ok(bytes.len())
            }
            _ => self.inner.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        permit(Operation::Seek, &self.path)?;
        self.inner.seek(to)
    }
}

/// Reads the metadata of a path; retries if a signal interrupts the call.
fn look<T>(path: &Path, at: impl Fn() -> io::Result<T>) -> io::Result<T> {
    again(|| permit(Operation::Look, path).and_then(|()| at()))
}

/// Retries if a signal interrupted the call.
pub(crate) fn again<T>(call: impl Fn() -> io::Result<T>) -> io::Result<T> {
    // Signals interrupt a call once or twice. An endless interruption has another cause.
    const MOST: usize = 100;
    let is_final = |done: &io::Result<T>| !matches!(done, Err(e) if e.kind() == ErrorKind::Interrupted);
    (1..MOST).map(|_| call()).find(is_final).unwrap_or_else(&call)
}

/// What the system knows of a file, or of the one that a link leads to.
pub fn metadata(path: &Path) -> io::Result<Metadata> {
    look(path, || fs::metadata(path))
}

/// What the system knows of a file, or of the link itself.
pub fn symlink_metadata(path: &Path) -> io::Result<Metadata> {
    look(path, || fs::symlink_metadata(path))
}

/// [`metadata`]; `None` if there is nothing at `path`.
pub fn find(path: &Path) -> io::Result<Option<Metadata>> {
    found(metadata(path))
}

/// `None` in place of an error that means that the path does not exist.
pub fn found<T>(looked: io::Result<T>) -> io::Result<Option<T>> {
    match looked {
        Ok(found) => Ok(Some(found)),
        Err(e) if is_absent(&e) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Whether an error means that the path does not exist.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// Whether an error means that a chain of symbolic links has no end.
pub(crate) fn is_ring(error: &io::Error) -> bool {
    #[cfg(target_os = "linux")]
    let number = rustix::io::Errno::LOOP.raw_os_error();
    // The number of the error on macOS and the BSDs.
    #[cfg(not(target_os = "linux"))]
    let number = 62;
    error.raw_os_error() == Some(number)
}

/// The identity of the file at `path`, after following links.
pub fn identity(path: &Path) -> io::Result<Identity> {
    Identity::of(&metadata(path)?, path)
}

/// The path without links.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    look(path, || fs::canonicalize(path))
}

/// The entries of a directory.
pub fn read_dir(path: &Path) -> io::Result<ReadDir> {
    look(path, || fs::read_dir(path))
}

/// All entries of a directory.
pub(crate) fn list(path: &Path) -> io::Result<Vec<DirEntry>> {
    let entry = |entry| permit(Operation::Look, path).and(entry);
    read_dir(path)?.map(entry).collect()
}

/// The path that a link leads to.
pub fn read_link(path: &Path) -> io::Result<PathBuf> {
    look(path, || fs::read_link(path))
}

/// Renames a file, in place of one of that name.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    permit(Operation::Rename, to)?;
    fs::rename(from, to)
}

/// Swaps two names atomically, if the system can do that.
pub fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    permit(Operation::Rename, b)?;
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        Ok(renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = a;
        Err(io::ErrorKind::Unsupported.into())
    }
}

/// Gives a file a second name; fails if there is one of that name.
pub fn hard_link(from: &Path, to: &Path) -> io::Result<()> {
    permit(Operation::Link, to)?;
    fs::hard_link(from, to)
}

pub(crate) fn set_permissions(path: &Path, permissions: Permissions) -> io::Result<()> {
    permit(Operation::Permissions, path)?;
    fs::set_permissions(path, permissions)
}

/// Creates a directory that must not exist, with a mode that the umask may narrow; without one the system's own.
pub fn create_dir(path: &Path, mode: Option<u32>) -> io::Result<()> {
    permit(Operation::CreateDirectory, path)?;
    #[cfg_attr(not(unix), expect(unused_mut, reason = "modes are Unix's"))]
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    if let Some(mode) = mode {
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, mode);
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder.create(path)
}

/// Removes a file.
pub fn remove_file(path: &Path) -> io::Result<()> {
    permit(Operation::Remove, path)?;
    fs::remove_file(path)
}

/// Removes an empty directory.
pub fn remove_dir(path: &Path) -> io::Result<()> {
    permit(Operation::Remove, path)?;
    fs::remove_dir(path)
}

/// Removes a directory with all that it holds.
pub fn remove_dir_all(path: &Path) -> io::Result<()> {
    permit(Operation::Remove, path)?;
    fs::remove_dir_all(path)
}

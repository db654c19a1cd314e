//! Temporary files and directories that exist now: however a run ends, none is left. Beside `atomic` and `folder`,
//! which make them.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::leftovers;
use super::places::directory;
use crate::files::{self, Directory, File};

/// Temporaries that exist now, and whether new ones may still be made.
#[derive(Debug)]
pub(super) struct Live {
    paths: Vec<PathBuf>,
    closed: bool,
    /// Whether an output has got its name.
    published: bool,
}

static LIVE: Mutex<Live> = Mutex::new(Live { paths: Vec::new(), closed: false, published: false });

/// The list, which nobody changes, and no signal works off, while it is held.
pub(super) fn live() -> MutexGuard<'static, Live> {
    // A panic elsewhere leaves the list as good as it was.
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Live {
    /// Whether `path` was registered.
    pub(super) fn forget(&mut self, path: &Path) -> bool {
        let before = self.paths.len();
        self.paths.retain(|p| p != path);
        self.paths.len() < before
    }

    /// An output has its name now; its temporary is gone.
    pub(super) fn publish(&mut self, path: &Path) {
        self.forget(path);
        self.published = true;
    }

    /// Registers what exists already.
    pub(super) fn remember(&mut self, path: &Path) {
        self.paths.push(path.to_owned());
    }

    /// Whether `path` is still there to be published.
    pub(super) fn check(&self, path: &Path) -> io::Result<()> {
        if self.paths.iter().any(|p| p == path) { Ok(()) } else { Err(interrupted()) }
    }

    /// Whether anything may still be made.
    pub(super) fn check_open(&self) -> io::Result<()> {
        if self.closed { Err(interrupted()) } else { Ok(()) }
    }
}

fn interrupted() -> io::Error {
    io::Error::new(ErrorKind::Interrupted, "the run was interrupted")
}

/// Removes the temporaries of all open targets, for a signal handler that is about to end the process.
///
/// From then on no target is created or published any more; one that was being renamed is complete first. Answers
/// whether this process has published an output.
pub fn remove_live_temporaries() -> bool {
    let mut live = live();
    live.closed = true;
    for path in live.paths.drain(..) {
        // Nobody is left to tell. What cannot be removed stays.
        let _ = remove(&path);
    }
    live.published
}

/// Removes a temporary, if it is there, and all that is in it.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    let removed = match files::symlink_metadata(path) {
        Ok(found) if found.is_dir() => files::remove_dir_all(path),
        Ok(_) => files::remove_file(path),
        Err(e) if files::is_absent(&e) => Ok(()),
        Err(_) => files::remove_file(path).or_else(|_| files::remove_dir_all(path)),
    };
    files::found(removed).map(drop)
}

/// Creates and registers a temporary file beside `target`: a rename stays within one file system only there. Its mode
/// is that of the file it replaces, if there is one: nobody reads in the one what the other would not show.
pub(super) fn create_file(target: &Path, mode: Option<u32>) -> io::Result<(File, PathBuf)> {
    create(target, |path| {
        let file = File::create_new(path, mode)?;
        leftovers::claim(&file, path)?;
        Ok(file)
    })
}

/// The same for a directory, in which this process has to be able to write. It is this run's for as long as it is held.
pub(super) fn create_directory(target: &Path, mode: Option<u32>) -> io::Result<Directory> {
    let (directory, _) = create(target, |path| {
        const OWN: u32 = 0o700;
        files::create_dir(path, mode.map(|mode| mode | OWN))?;
        let directory = Directory::open(path).inspect_err(|_| drop(files::remove_dir(path)))?;
        // Without that nobody can tell that it is in use, or that it is not.
        directory.held().map_or(Ok(()), |held| leftovers::claim(held, path))?;
        Ok(directory)
    })?;
    Ok(directory)
}

fn create<T>(target: &Path, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(T, PathBuf)> {
    leftovers::sweep(directory(target));
    // The lock is held from before the temporary exists until it is listed: a signal misses none.
    let mut live = live();
    live.check_open()?;
    loop {
        let path = beside(target)?;
        match make(&path) {
            // Left behind by a killed process that had the same number, or taken for that by another run.
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
            Ok(made) => {
                live.remember(&path);
                return Ok((made, path));
            }
        }
    }
}

/// `.NAME.urimill-PID-N.HOST.tmp` in the directory of `target`, a name that this process has not given before.
fn beside(target: &Path) -> io::Result<PathBuf> {
    named_beside(target, "tmp")
}

/// The same with another end.
pub(super) fn named_beside(target: &Path, end: &str) -> io::Result<PathBuf> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name =
        target.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "it names no file"))?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut temporary = OsString::from(".");
    temporary.push(shortened(name));
    temporary.push(format!(".urimill-{}-{number}.{}.{end}", std::process::id(), leftovers::host()));
    Ok(target.with_file_name(temporary))
}

/// `name`, or its beginning where the temporary's longer name could pass the usual limit of 255 bytes.
pub(super) fn shortened(name: &std::ffi::OsStr) -> OsString {
    match name.len() {
        0..=200 => name.to_owned(),
        _ => name.to_string_lossy().chars().take(50).collect::<String>().into(),
    }
}

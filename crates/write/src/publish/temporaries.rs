//! Temporary files and directories that exist now: however a run ends, none is left. `atomic` and `staging` create
//! them. The list belongs to the process, because names do; the state of a run is in its [`Temporaries`].

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use urimill_base::files;
use urimill_base::files::{Directory, File};
use urimill_base::locks::lock;

use super::leftovers;
use super::leftovers::remove;
use super::places::directory;

/// The temporary files and directories of one run. Clones are of the same run.
#[derive(Debug, Clone, Default)]
pub struct Temporaries(Arc<RunState>);

#[derive(Debug, Default)]
struct RunState {
    /// Whether the run may no longer create or publish anything.
    closed: AtomicBool,
    /// Whether an output has been published.
    published: AtomicBool,
}

impl Temporaries {
    /// Removes them all, for a caller that is about to end the process, or has given the run up.
    ///
    /// From then on the run creates and publishes no target any more; one that was being renamed is complete first.
    /// Returns whether the run has published an output.
    pub fn remove(&self) -> bool {
        let mut live = live();
        self.0.closed.store(true, Ordering::Relaxed);
        let is_own = |(run, _): &mut (Temporaries, PathBuf)| Arc::ptr_eq(&run.0, &self.0);
        for (_, path) in live.paths.extract_if(.., is_own) {
            // There is no one to report to. Files that cannot be removed stay.
            let _ = remove(&path);
        }
        self.0.published.load(Ordering::Relaxed)
    }

    /// Checks that temporaries may still be created. The list is locked.
    pub(crate) fn check_open(&self) -> io::Result<()> {
        if self.0.closed.load(Ordering::Relaxed) { Err(interrupted()) } else { Ok(()) }
    }
}

/// Temporaries that exist now.
#[derive(Debug)]
pub(crate) struct Live {
    paths: Vec<(Temporaries, PathBuf)>,
}

static LIVE: Mutex<Live> = Mutex::new(Live { paths: Vec::new() });

/// The locked list: nobody changes it meanwhile, and no signal handler processes it.
pub(crate) fn live() -> MutexGuard<'static, Live> {
    lock(&LIVE)
}

impl Live {
    /// Whether `path` was registered.
    pub(crate) fn forget(&mut self, path: &Path) -> bool {
        self.take(path).is_some()
    }

    fn take(&mut self, path: &Path) -> Option<Temporaries> {
        let at = self.paths.iter().position(|(_, p)| p == path)?;
        Some(self.paths.swap_remove(at).0)
    }

    /// Records that an output has its name; its temporary is gone.
    pub(crate) fn publish(&mut self, path: &Path) {
        if let Some(run) = self.take(path) {
            run.0.published.store(true, Ordering::Relaxed);
        }
    }

    /// Registers something that exists already.
    pub(crate) fn remember(&mut self, run: &Temporaries, path: &Path) {
        self.paths.push((run.clone(), path.to_owned()));
    }

    /// Checks that `path` is still there to be published.
    pub(crate) fn check(&self, path: &Path) -> io::Result<()> {
        if self.paths.iter().any(|(_, p)| p == path) { Ok(()) } else { Err(interrupted()) }
    }
}

fn interrupted() -> io::Error {
    io::Error::new(ErrorKind::Interrupted, "the run was interrupted")
}

/// Creates and registers a temporary file in the directory of `target`, where a rename stays within one file system. It
/// gets the mode of the file that it replaces, if there is one: nobody can read it who could not read that.
pub(crate) fn create_file(
    run: &Temporaries,
    target: &Path,
    mode: Option<u32>,
) -> io::Result<(File, PathBuf)> {
    create(run, target, |path| {
        let file = File::create_new(path, mode)?;
        leftovers::claim(&file, path)?;
        Ok(file)
    })
}

/// The same for a directory, in which this process must be able to write. It is locked for this run while it is held.
pub(crate) fn create_directory(run: &Temporaries, target: &Path, mode: Option<u32>) -> io::Result<Directory> {
    let (directory, _) = create(run, target, |path| {
        const OWN: u32 = 0o700;
        files::create_dir(path, mode.map(|mode| mode | OWN))?;
        let directory = Directory::open(path).inspect_err(|_| drop(files::remove_dir(path)))?;
        // Without the lock other runs cannot know whether it is in use.
        directory.held().map_or(Ok(()), |held| leftovers::claim(held, path))?;
        Ok(directory)
    })?;
    Ok(directory)
}

fn create<T>(
    run: &Temporaries,
    target: &Path,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(T, PathBuf)> {
    leftovers::sweep(directory(target));
    // The lock is held from before the temporary exists until it is listed, so a signal misses none.
    let mut live = live();
    run.check_open()?;
    loop {
        let path = beside(target)?;
        match make(&path) {
            // Left by a killed process with the same number, or taken for such a leftover by another run.
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
            Ok(made) => {
                live.remember(run, &path);
                return Ok((made, path));
            }
        }
    }
}

/// `.NAME.urimill-PID-N.HOST.tmp` in the directory of `target`, a name that this process has not used before.
fn beside(target: &Path) -> io::Result<PathBuf> {
    named_beside(target, "tmp")
}

/// The same with another extension.
pub(crate) fn named_beside(target: &Path, end: &str) -> io::Result<PathBuf> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name =
        target.file_name().ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "it names no file"))?;
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let mut temporary = OsString::from(".");
    temporary.push(shortened(name));
    temporary.push(format!(".urimill-{}-{number}.{}.{end}", std::process::id(), leftovers::host()));
    Ok(target.with_file_name(temporary))
}

/// `name`, or its beginning if the longer name of the temporary could exceed the usual limit of 255 bytes.
pub(crate) fn shortened(name: &std::ffi::OsStr) -> OsString {
    match name.len() {
        0..=200 => name.to_owned(),
        _ => name.to_string_lossy().chars().take(50).collect::<String>().into(),
    }
}

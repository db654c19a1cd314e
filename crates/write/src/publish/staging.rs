//! A directory that is being written, under its temporary name: held open, so that nothing is ever created anywhere
//! else. `staged_directory` publishes it.
//!
//! No directory is created twice. Each file is identified by device and inode and by its length, so that a file that
//! was removed, replaced or truncated meanwhile is noticed before it is published.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use urimill_base::files::{Directory, File, Found};
use urimill_base::locks::lock;

use super::places::tolerate_unsynced;
use super::temporaries::{Temporaries, create_directory, live};

/// The temporary directory of an output.
#[derive(Debug)]
pub(crate) struct Staging {
    run: Temporaries,
    directory: Directory,
    made: Mutex<Made>,
}

/// What was made in it, by path.
#[derive(Debug, Default)]
struct Made {
    directories: HashSet<PathBuf>,
    files: BTreeMap<PathBuf, Found>,
}

/// A file that is being written into a [`Staging`].
#[derive(Debug)]
pub(crate) struct Part {
    name: String,
    path: PathBuf,
    staging: Arc<Staging>,
    is_made: bool,
    written: Written,
}

impl Staging {
    /// Creates a directory beside `target`, with permissions no wider than an old one's.
    pub(crate) fn create(run: &Temporaries, target: &Path, mode: Option<u32>) -> io::Result<Staging> {
        let directory = create_directory(run, target, mode)?;
        Ok(Staging { run: run.clone(), directory, made: Mutex::default() })
    }

    /// The run that it belongs to.
    pub(crate) fn run(&self) -> &Temporaries {
        &self.run
    }

    pub(crate) fn directory(&self) -> &Directory {
        &self.directory
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The file at `path` in it, which messages call `name`.
    pub(crate) fn part(self: &Arc<Self>, path: &str, name: String) -> Part {
        let (path, staging) = (PathBuf::from(path), Arc::clone(self));
        Part { name, path, staging, is_made: false, written: Written::default() }
    }

    /// A clearer error for something that no longer exists.
    fn gone(&self, error: io::Error) -> io::Error {
        match error.kind() {
            ErrorKind::NotFound => io::Error::new(
                ErrorKind::NotFound,
                format!(
                    "something else has removed its temporary directory {}, or what was in it",
                    self.path().display()
                ),
            ),
            _ => error,
        }
    }

    fn create_file(&self, path: &Path) -> io::Result<File> {
        // Under the lock: a signal removes a directory in which nothing is created any more.
        let _live = live();
        self.run.check_open()?;
        let mut made = lock(&self.made);
        let mut directories: Vec<&Path> =
            path.ancestors().skip(1).filter(|p| !p.as_os_str().is_empty()).collect();
        directories.reverse();
        for directory in directories {
            if !made.directories.contains(directory) {
                self.directory.create_dir(directory).map_err(|e| self.gone(e))?;
                made.directories.insert(directory.to_owned());
            }
        }
        let file = self.directory.create_file(path).map_err(|e| self.gone(e))?;
        made.files.insert(path.to_owned(), file.found()?);
        Ok(file)
    }

    /// `found`, if it is the file that was created at `path`.
    fn same(&self, path: &Path, found: &Found) -> io::Result<()> {
        match lock(&self.made).files.get(path) {
            Some(made) => same(made, found),
            None => Err(io::Error::other("it was never written")),
        }
    }

    /// Opens the file that was created at `path`, for reading or syncing.
    pub(crate) fn open(&self, path: &Path) -> io::Result<File> {
        let file = self.directory.open_file(path).map_err(|e| self.gone(e))?;
        self.same(path, &file.found()?)?;
        Ok(file)
    }

    /// Syncs the names of everything in it to disk.
    pub(crate) fn sync_directories(&self) -> io::Result<()> {
        let mut directories: Vec<PathBuf> = lock(&self.made).directories.iter().cloned().collect();
        directories.push(PathBuf::new());
        directories.sort();
        for directory in directories {
            let synced = self.directory.open_file(&directory).and_then(|d| d.sync_all());
            tolerate_unsynced(synced).map_err(|e| self.gone(e))?;
        }
        Ok(())
    }

    /// Checks that its name still leads to it, and that everything in it is as written. `Err` has the file's path, if
    /// it is about one.
    pub(crate) fn check(&self) -> Result<(), (Option<PathBuf>, io::Error)> {
        match self.directory.is_at(self.path()) {
            Ok(true) => {}
            Ok(false) => return Err((None, self.gone(ErrorKind::NotFound.into()))),
            Err(e) => return Err((None, e)),
        }
        for (path, made) in &lock(&self.made).files {
            let found = self.directory.find(path).map_err(|e| self.gone(e));
            found.and_then(|found| same(made, &found)).map_err(|e| (Some(path.clone()), e))?;
        }
        Ok(())
    }
}

/// Checks that a file is the one that was written, with the same length. Otherwise the error is `InvalidData`.
pub(crate) fn same(made: &Found, found: &Found) -> io::Result<()> {
    let what = match made.identity == found.identity || cfg!(not(unix)) {
        false => "something else has put another file in its place".to_owned(),
        true if made.bytes != found.bytes => {
            format!("{} bytes were written to it, and it has {}", made.bytes, found.bytes)
        }
        true => return Ok(()),
    };
    Err(io::Error::new(ErrorKind::InvalidData, what))
}

impl Part {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Appends to the file, which is created first if it does not exist.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut file = if self.is_made {
            let file = self.staging.directory.append_to(&self.path).map_err(|e| self.staging.gone(e))?;
            self.staging.same(&self.path, &file.found()?)?;
            file
        } else {
            let file = self.staging.create_file(&self.path)?;
            self.is_made = true;
            file
        };
        self.written.write_all(bytes, &mut file)?;
        if let Some(made) = lock(&self.staging.made).files.get_mut(&self.path) {
            made.bytes += bytes.len() as u64;
        }
        Ok(())
    }

    /// See [`Target::expect`](super::atomic::Target::expect).
    #[cfg(feature = "parquet")]
    pub(crate) fn expect(&mut self, bytes: u64) {
        self.written.expect(bytes);
    }

    /// Syncs the written bytes to disk.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.staging.open(&self.path)?.sync_all()
    }
}

/// A sync is started after this many bytes of a file, so that the sync at the end has little to wait for. Without it
/// that wait is a fifth of the time for uncompressed Parquet.
const UNSYNCED: u64 = 8 << 20;

/// The system is asked for room for at least this many bytes.
const ALLOCATED: u64 = 1 << 20;

/// How many bytes of a file written from its start there are, and how many of its bytes are being synced, have room on
/// the disk, and are expected from here on.
#[derive(Debug, Default)]
pub(crate) struct Written {
    bytes: u64,
    syncing: u64,
    allocated: u64,
    expected: u64,
}

impl Written {
    /// See [`Target::expect`](super::atomic::Target::expect).
    #[cfg(feature = "parquet")]
    pub(crate) fn expect(&mut self, bytes: u64) {
        self.expected = bytes;
    }

    /// Writes all of `bytes`. Asks the system first to find room for what follows, and then to start syncing what waits
    /// for it, where these are many bytes.
    pub(crate) fn write_all(&mut self, bytes: &[u8], file: &mut File) -> io::Result<()> {
        let expected = mem::take(&mut self.expected).max(bytes.len() as u64);
        let begin = self.allocated.max(self.bytes);
        let end = self.bytes + expected;
        if end.saturating_sub(begin) >= ALLOCATED {
            file.allocate(begin, end - begin);
            self.allocated = end;
        }
        file.write_all(bytes)?;
        self.bytes += bytes.len() as u64;
        if self.bytes - self.syncing >= UNSYNCED {
            file.begin_sync(self.syncing..self.bytes);
            self.syncing = self.bytes;
        }
        Ok(())
    }
}

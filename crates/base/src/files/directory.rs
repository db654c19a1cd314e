//! A directory that is held open: operations act on that directory, whatever its name refers to by now.
//!
//! On Linux every call is made from the directory's descriptor. So nothing is ever created in another directory that
//! got the name since, and nothing can be created in one that was removed. Elsewhere calls take paths, and `is_at`
//! compares what it can.

use std::fs;
use std::io;
use std::path::Path;

use super::{File, Identity, Operation, look, permit};

/// A directory that is held open.
#[derive(Debug)]
pub struct Directory {
    /// Not every system opens directories.
    held: Option<File>,
    path: Box<Path>,
    identity: Identity,
}

/// The type and size of a file in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Which file of the system it is.
    pub identity: Identity,
    /// Its length.
    pub bytes: u64,
}

impl Directory {
    /// The directory at `path`.
    pub fn open(path: &Path) -> io::Result<Directory> {
        let held = match File::open(path) {
            Err(_) if cfg!(not(unix)) => None,
            opened => Some(opened?),
        };
        let identity = match &held {
            Some(held) => held.identity()?,
            None => super::identity(path)?,
        };
        Ok(Directory { held, path: path.into(), identity })
    }

    /// Where it was when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The open directory itself, for locks, where the system opens directories.
    pub fn held(&self) -> Option<&File> {
        self.held.as_ref()
    }

    /// Whether `path` still leads to it.
    pub fn is_at(&self, path: &Path) -> io::Result<bool> {
        let there = super::found(super::identity(path))?;
        // Without an open directory the identity is a path, and the directory may have another one by now.
        Ok(there.is_some_and(|there| there == self.identity || cfg!(not(unix))))
    }

    /// Sets who may read and write the directory.
    pub fn set_permissions(&self, permissions: fs::Permissions) -> io::Result<()> {
        match &self.held {
            Some(held) => held.set_permissions(permissions),
            None => super::set_permissions(&self.path, permissions),
        }
    }
}

#[cfg(target_os = "linux")]
impl Directory {
    fn at<T>(
        &self,
        operation: Operation,
        name: &Path,
        call: impl Fn(&fs::File) -> rustix::io::Result<T>,
    ) -> io::Result<T> {
        permit(operation, &self.path.join(name))?;
        let held = self.held.as_ref().ok_or(io::ErrorKind::Unsupported)?;
        Ok(rustix::io::retry_on_intr(|| call(&held.inner))?)
    }

    /// Creates a file in it that must not exist, for writing.
    pub fn create_file(&self, name: &Path) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = Mode::from_raw_mode(0o666);
        let file = self.at(Operation::Create, name, |held| openat(held, name, flags, mode))?;
        Ok(File::opened(file.into(), &self.path.join(name)))
    }

    /// Opens a file in it, for appending.
    pub fn append_to(&self, name: &Path) -> io::Result<File> {
        use rustix::fs::OFlags;
        self.open_as(name, OFlags::WRONLY | OFlags::APPEND)
    }

    /// Opens a file or directory in it, for reading.
    pub fn open_file(&self, name: &Path) -> io::Result<File> {
        self.open_as(name, rustix::fs::OFlags::RDONLY)
    }

    fn open_as(&self, name: &Path, access: rustix::fs::OFlags) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};
        let name = if name.as_os_str().is_empty() { Path::new(".") } else { name };
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = self.at(Operation::Open, name, |held| openat(held, name, flags, Mode::empty()))?;
        Ok(File::opened(file.into(), &self.path.join(name)))
    }

    /// Makes a directory in it.
    pub fn create_dir(&self, name: &Path) -> io::Result<()> {
        use rustix::fs::{Mode, mkdirat};
        self.at(Operation::CreateDirectory, name, |held| mkdirat(held, name, Mode::from_raw_mode(0o777)))
    }

    /// The entry with this name, without following links.
    pub fn find(&self, name: &Path) -> io::Result<Found> {
        use rustix::fs::{AtFlags, statat};
        let looked = || self.at(Operation::Look, name, |held| statat(held, name, AtFlags::SYMLINK_NOFOLLOW));
        let found = super::again(looked)?;
        Ok(Found { identity: Identity((found.st_dev, found.st_ino)), bytes: found.st_size as u64 })
    }
}

#[cfg(not(target_os = "linux"))]
impl Directory {
    /// Creates a file in it that must not exist, for writing.
    pub(crate) fn create_file(&self, name: &Path) -> io::Result<File> {
        File::create_new(&self.path.join(name), None)
    }

    /// Opens a file in it, for appending.
    pub(crate) fn append_to(&self, name: &Path) -> io::Result<File> {
        File::open_with(fs::OpenOptions::new().append(true), &self.path.join(name))
    }

    /// Opens a file or directory in it, for reading.
    pub(crate) fn open_file(&self, name: &Path) -> io::Result<File> {
        File::open(&self.path.join(name))
    }

    pub(crate) fn create_dir(&self, name: &Path) -> io::Result<()> {
        super::create_dir(&self.path.join(name), None)
    }

    /// The entry with this name, without following links.
    pub(crate) fn find(&self, name: &Path) -> io::Result<Found> {
        let path = self.path.join(name);
        let found = super::symlink_metadata(&path)?;
        Ok(Found { identity: Identity::of(&found, &path)?, bytes: found.len() })
    }
}

impl File {
    /// Its type and size.
    pub fn found(&self) -> io::Result<Found> {
        look(&self.path, || {
            let found = self.inner.metadata()?;
            Ok(Found { identity: Identity::of(&found, &self.path)?, bytes: found.len() })
        })
    }
}

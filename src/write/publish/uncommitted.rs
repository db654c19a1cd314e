//! Outputs that are complete and not published yet: a file, a stream or a directory. Between the sinks, which make
//! them, and `publish`; `proof` reads their files.

use std::path::Path;

use super::atomic::Target;
use super::staged_directory::{Folder, Written};
use super::temporaries::{Live, Temporaries};
use crate::error::{Error, Result};
use crate::files::File;
use crate::write::Finished;

/// A file that is complete and not published yet.
#[derive(Debug)]
pub(crate) struct CompleteFile<'a> {
    /// What messages call it.
    pub(crate) name: String,
    /// Of the bytes that were written to it, if [`SinkOptions::checksums`] asked for it.
    pub(crate) checksum: Option<u64>,
    place: CompletePlace<'a>,
}

/// Where such a file is.
#[derive(Debug)]
enum CompletePlace<'a> {
    Alone(&'a Target),
    In(&'a Folder, &'a Written),
}

impl CompleteFile<'_> {
    /// The file as it is before it is published, to be read: no other than the one that was written.
    pub(crate) fn open(&self) -> Result<File> {
        match self.place {
            CompletePlace::Alone(target) => target.open(),
            CompletePlace::In(folder, file) => {
                folder.open(file).map_err(|e| Error::io("read back", &self.name, e))
            }
        }
    }
}

/// A complete output that is not published yet.
#[derive(Debug)]
pub enum Settled {
    /// One file, or a stream.
    File(Target),
    /// A directory of files.
    Folder(Folder),
}

impl Settled {
    /// Returns the size of the output.
    pub fn finished(&self) -> Finished {
        match self {
            Settled::File(target) => Finished { bytes: target.written(), files: 1 },
            Settled::Folder(folder) => Finished { bytes: folder.bytes(), files: folder.files().len() as u64 },
        }
    }

    /// What messages call it.
    pub(crate) fn name(&self) -> &str {
        match self {
            Settled::File(target) => target.name(),
            Settled::Folder(folder) => folder.name(),
        }
    }

    /// The name that it is to get; `None` of a stream.
    pub(crate) fn target(&self) -> Option<&Path> {
        match self {
            Settled::File(target) => target.target(),
            Settled::Folder(folder) => Some(folder.target()),
        }
    }

    /// The run that it is of; `None` of a stream.
    pub(crate) fn run(&self) -> Option<&Temporaries> {
        match self {
            Settled::File(target) => target.run(),
            Settled::Folder(folder) => Some(folder.run()),
        }
    }

    /// The files that it is, by number, to be read back; `None` behind the last.
    pub(crate) fn file(&self, number: usize) -> Option<CompleteFile<'_>> {
        match self {
            Settled::File(target) if number == 0 => {
                let (name, checksum) = (target.name().to_owned(), target.checksum());
                Some(CompleteFile { name, checksum, place: CompletePlace::Alone(target) })
            }
            Settled::File(_) => None,
            Settled::Folder(folder) => {
                let file = folder.files().get(number)?;
                let (name, checksum) = (folder.name_of(file), file.checksum);
                Some(CompleteFile { name, checksum, place: CompletePlace::In(folder, file) })
            }
        }
    }

    /// All that can be done before it has its name.
    pub(super) fn settle(&mut self) -> Result<()> {
        match self {
            Settled::File(target) => target.settle(),
            Settled::Folder(folder) => folder.settle_marked(),
        }
    }

    pub(super) fn check(&self, live: &Live) -> Result<()> {
        match self {
            Settled::File(target) => target.check(live),
            Settled::Folder(folder) => folder.check(live),
        }
    }

    pub(super) fn publish(&mut self, live: &mut Live) -> Result<()> {
        match self {
            Settled::File(target) => target.publish(live),
            Settled::Folder(folder) => {
                folder.publish(live).map_err(|e| Error::io("create", folder.name(), e))
            }
        }
    }

    pub(crate) fn conclude(&mut self) -> std::result::Result<(), (String, std::io::Error)> {
        match self {
            Settled::File(target) => target.conclude(),
            Settled::Folder(folder) => folder.conclude(),
        }
    }
}

impl From<Target> for Settled {
    fn from(target: Target) -> Self {
        Settled::File(target)
    }
}

impl From<Folder> for Settled {
    fn from(folder: Folder) -> Self {
        Settled::Folder(folder)
    }
}

//! Outputs that are complete and not published yet: a file, a stream or a directory. Between the sinks, which make
//! them, and `publish`; `proof` reads their files.

use std::path::Path;

use super::live::{Live, Temporaries};
use super::publish;
use super::{Finished, Folder, Target, Written};
use crate::error::{Error, Result};
use crate::files::File;

/// A file that is complete and not published yet.
#[derive(Debug)]
pub(super) struct CompleteFile<'a> {
    /// What messages call it.
    pub(super) name: String,
    /// Of the bytes that were written to it, if [`SinkOptions::checksums`] asked for it.
    pub(super) checksum: Option<u64>,
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
    pub(super) fn open(&self) -> Result<File> {
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
    pub(super) fn name(&self) -> &str {
        match self {
            Settled::File(target) => target.name(),
            Settled::Folder(folder) => folder.name(),
        }
    }

    /// The name that it is to get; `None` of a stream.
    pub(super) fn target(&self) -> Option<&Path> {
        match self {
            Settled::File(target) => target.target(),
            Settled::Folder(folder) => Some(folder.target()),
        }
    }

    /// The run that it is of; `None` of a stream.
    pub(super) fn run(&self) -> Option<&Temporaries> {
        match self {
            Settled::File(target) => target.run(),
            Settled::Folder(folder) => Some(folder.run()),
        }
    }

    /// The files that it is, by number, to be read back; `None` behind the last.
    pub(super) fn file(&self, number: usize) -> Option<CompleteFile<'_>> {
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

    /// Publishes the output.
    ///
    /// # Errors
    /// As [`Target::commit`] and [`Folder::commit`].
    pub fn commit(mut self) -> Result<Finished> {
        let finished = self.finished();
        self.settle()?;
        publish::one(self)?;
        Ok(finished)
    }

    /// Publishes the output together with a second one. Both are checked before either gets its name, and no other
    /// run with the same two comes between.
    ///
    /// # Errors
    /// The same. Where one output is in place all the same, the sentence says which.
    pub fn commit_with(mut self, mut second: Settled) -> Result<()> {
        self.settle()?;
        second.settle()?;
        publish::pair(self, second)
    }

    /// All that can be done before it has its name.
    fn settle(&mut self) -> Result<()> {
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

    pub(super) fn conclude(&mut self) -> std::result::Result<(), (String, std::io::Error)> {
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

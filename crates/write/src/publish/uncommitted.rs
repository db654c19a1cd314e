//! Outputs that are complete and not published yet: a file, a stream or a directory. Sinks make them and `commit`
//! publishes them; `verify` reads their files.

use std::path::Path;

use urimill_base::error::{Error, Result};
use urimill_base::files::File;

use super::atomic::Target;
use super::staged_directory::{StagedDirectory, Written};
use super::temporaries::{Live, Temporaries};
use crate::OutputSize;

/// A file that is complete and not published yet.
#[derive(Debug)]
pub struct UncommittedFile<'a> {
    /// Its name in messages.
    pub name: String,
    /// The checksum of the bytes that were written to it, if [`SinkOptions::checksums`](crate::SinkOptions::checksums) asked for it.
    pub checksum: Option<u64>,
    place: UncommittedPlace<'a>,
}

/// The place of such a file.
#[derive(Debug)]
enum UncommittedPlace<'a> {
    Alone(&'a Target),
    In(&'a StagedDirectory, &'a Written),
}

impl UncommittedFile<'_> {
    /// Opens the file for reading before it is published: the same one that was written.
    pub fn open(&self) -> Result<File> {
        match self.place {
            UncommittedPlace::Alone(target) => target.open(),
            UncommittedPlace::In(folder, file) => {
                folder.open(file).map_err(|e| Error::io("read back", &self.name, e))
            }
        }
    }
}

/// A complete output that is not published yet.
#[derive(Debug)]
pub enum UncommittedOutput {
    /// One file, or a stream.
    File(Target),
    /// A directory of files.
    StagedDirectory(StagedDirectory),
}

impl UncommittedOutput {
    /// Returns the size of the output.
    pub fn finished(&self) -> OutputSize {
        match self {
            UncommittedOutput::File(target) => OutputSize { bytes: target.written(), files: 1 },
            UncommittedOutput::StagedDirectory(folder) => {
                OutputSize { bytes: folder.bytes(), files: folder.files().len() as u64 }
            }
        }
    }

    /// Its name in messages.
    pub fn name(&self) -> &str {
        match self {
            UncommittedOutput::File(target) => target.name(),
            UncommittedOutput::StagedDirectory(folder) => folder.name(),
        }
    }

    /// Its future name; `None` for a stream.
    pub(crate) fn target(&self) -> Option<&Path> {
        match self {
            UncommittedOutput::File(target) => target.target(),
            UncommittedOutput::StagedDirectory(folder) => Some(folder.target()),
        }
    }

    /// The run that it belongs to; `None` for a stream.
    pub(crate) fn run(&self) -> Option<&Temporaries> {
        match self {
            UncommittedOutput::File(target) => target.run(),
            UncommittedOutput::StagedDirectory(folder) => Some(folder.run()),
        }
    }

    /// Its files, by number, to be read back; `None` after the last.
    pub fn file(&self, number: usize) -> Option<UncommittedFile<'_>> {
        match self {
            UncommittedOutput::File(target) if number == 0 => {
                let (name, checksum) = (target.name().to_owned(), target.checksum());
                Some(UncommittedFile { name, checksum, place: UncommittedPlace::Alone(target) })
            }
            UncommittedOutput::File(_) => None,
            UncommittedOutput::StagedDirectory(folder) => {
                let file = folder.files().get(number)?;
                let (name, checksum) = (folder.name_of(file), file.checksum);
                Some(UncommittedFile { name, checksum, place: UncommittedPlace::In(folder, file) })
            }
        }
    }

    /// Every step that is possible before it has its name.
    pub(super) fn settle(&mut self) -> Result<()> {
        match self {
            UncommittedOutput::File(target) => target.settle(),
            UncommittedOutput::StagedDirectory(folder) => folder.settle_marked(),
        }
    }

    pub(super) fn check(&self, live: &Live) -> Result<()> {
        match self {
            UncommittedOutput::File(target) => target.check(live),
            UncommittedOutput::StagedDirectory(folder) => folder.check(live),
        }
    }

    pub(super) fn publish(&mut self, live: &mut Live) -> Result<()> {
        match self {
            UncommittedOutput::File(target) => target.publish(live),
            UncommittedOutput::StagedDirectory(folder) => {
                folder.publish(live).map_err(|e| Error::io("create", folder.name(), e))
            }
        }
    }

    /// Gives the file that it replaces a second name, from which it can be restored.
    pub(super) fn keep_old(&mut self, live: &mut Live) {
        if let UncommittedOutput::File(target) = self {
            target.keep_old(live);
        }
    }

    /// Undoes the renaming, if the system allows it.
    pub(super) fn put_back(&mut self, live: &mut Live) {
        if let UncommittedOutput::File(target) = self {
            target.put_back(live);
        }
    }

    /// Whether it is a file that has its name.
    pub(super) fn is_in_place(&self) -> bool {
        matches!(self, UncommittedOutput::File(target) if target.is_in_place())
    }

    pub(crate) fn conclude(&mut self) -> std::result::Result<(), (String, std::io::Error)> {
        match self {
            UncommittedOutput::File(target) => target.conclude(),
            UncommittedOutput::StagedDirectory(folder) => folder.conclude(),
        }
    }
}

impl From<Target> for UncommittedOutput {
    fn from(target: Target) -> Self {
        UncommittedOutput::File(target)
    }
}

impl From<StagedDirectory> for UncommittedOutput {
    fn from(folder: StagedDirectory) -> Self {
        UncommittedOutput::StagedDirectory(folder)
    }
}

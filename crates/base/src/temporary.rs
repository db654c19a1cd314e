//! Data too long for memory, in a temporary file without a name: blocks that no chunk holds, and the references of long
//! pages. The file is written from its beginning to its end, and then read.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::error::{Error, Result};
use crate::files::File;
use crate::locks::lock;
use crate::option_name::OptionName;

/// The folder of temporary files: one that the caller names, or the system's.
#[derive(Debug, Clone, Default)]
pub struct TemporaryPlace(Option<Arc<Path>>);

impl TemporaryPlace {
    fn new(directory: Option<&Path>) -> TemporaryPlace {
        TemporaryPlace(directory.map(Arc::from))
    }

    /// Uses this folder, once a temporary file could be made there; without one, the system's.
    ///
    /// # Errors
    /// `Io`, if none can be made there.
    pub fn tried(directory: Option<&Path>) -> Result<TemporaryPlace> {
        let place = TemporaryPlace::new(directory);
        if directory.is_some() {
            Temporary::new(&place)?;
        }
        Ok(place)
    }

    fn path(&self) -> PathBuf {
        self.0.as_deref().map_or_else(std::env::temp_dir, Path::to_owned)
    }
}

/// Bytes in a temporary file.
#[derive(Debug)]
pub struct Temporary {
    place: TemporaryPlace,
    file: Mutex<State>,
    len: u64,
}

#[derive(Debug)]
struct State {
    file: File,
    /// The first fault of a reader, whose decoder may have taken it for a fault of the text.
    fault: Option<io::Error>,
}

impl Temporary {
    /// An empty one.
    ///
    /// # Errors
    /// `Io`, naming the folder, as for all methods below.
    pub fn new(place: &TemporaryPlace) -> Result<Temporary> {
        match File::nameless(&place.path()) {
            Ok(file) => {
                let file = Mutex::new(State { file, fault: None });
                Ok(Temporary { place: place.clone(), file, len: 0 })
            }
            Err(error) => Err(failed("create", place, &error)),
        }
    }

    /// Appends bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        let written = lock(&self.file).file.write_all(bytes);
        written.map_err(|error| failed("write", &self.place, &error))?;
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// The number of bytes.
    pub fn bytes(&self) -> u64 {
        self.len
    }

    /// Reads from this place on.
    pub fn reader(&self, from: u64) -> TemporaryReader<'_> {
        TemporaryReader { of: self, at: from }
    }

    /// The error of a reader, if there was one.
    pub fn check(&self) -> Result<()> {
        match &lock(&self.file).fault {
            Some(error) => Err(failed("read", &self.place, error)),
            None => Ok(()),
        }
    }
}

fn failed(doing: &str, place: &TemporaryPlace, error: &io::Error) -> Error {
    let other = match place.0 {
        Some(_) => OptionName::TempDir.named().to_string(),
        None => "TMPDIR".to_owned(),
    };
    let what = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            format!(
                "there is no space for a long page or text; free some, or name another directory with {other}"
            )
        }
        _ => format!("{error}; {other} names another directory"),
    };
    let doing = format!("{doing} temporary files in");
    Error::io(&doing, place.path().display(), io::Error::new(error.kind(), what))
}

/// Reads the bytes of a [`Temporary`].
#[derive(Debug)]
pub struct TemporaryReader<'t> {
    of: &'t Temporary,
    at: u64,
}

impl Read for TemporaryReader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut state = lock(&self.of.file);
        let left = usize::try_from(self.of.len.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let wanted = out.len().min(left);
        let read = state.file.seek(SeekFrom::Start(self.at));
        let read = read.and_then(|_| state.file.read(&mut out[..wanted]));
        let read = match read {
            // The file is shorter than the bytes written to it.
            Ok(0) if wanted > 0 => Err(ErrorKind::UnexpectedEof.into()),
            other => other,
        };
        match read {
            Ok(count) => {
                self.at += count as u64;
                Ok(count)
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => Err(error),
            Err(error) => {
                let kind = error.kind();
                state.fault.get_or_insert(error);
                Err(kind.into())
            }
        }
    }
}

//! Readers that the caller of the library brings as inputs. A run opens one as it opens a file, once.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::io::{self, Read};
use std::sync::{Arc, Mutex};

use urimill_base::error::{Error, Result};
use urimill_base::locks::lock;

use crate::guarded::guarded;

type Reading = Box<dyn Read + Send>;

/// A reader with a name for messages and for the column `source`. Clones share the reader, which can be read once.
#[derive(Clone)]
pub struct GivenReader {
    name: Arc<str>,
    /// `None` once it was opened.
    reader: Arc<Mutex<Option<Reading>>>,
}

impl GivenReader {
    /// The contents of `reader`, called `name`.
    pub fn new(name: impl Into<String>, reader: impl Read + Send + 'static) -> GivenReader {
        GivenReader { name: Arc::from(name.into()), reader: Arc::new(Mutex::new(Some(Box::new(reader)))) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The reader, for the one run that reads it.
    ///
    /// # Errors
    /// `Usage`, if it was opened before.
    pub(crate) fn open(&self) -> Result<Reading> {
        let reader = lock(&self.reader).take();
        let reader = reader.ok_or_else(|| {
            Error::usage(format!(
                "cannot read {} again: a reader can be read once; give each run its own",
                self.name
            ))
        })?;
        Ok(Box::new(Foreign(Some(reader))))
    }
}

impl PartialEq for GivenReader {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.reader, &other.reader) && self.name == other.name
    }
}

impl Eq for GivenReader {}

impl Hash for GivenReader {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl fmt::Debug for GivenReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GivenReader").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Code of others: its panic is an error of the input, after which it is not called again. `None` after a panic.
struct Foreign(Option<Reading>);

impl Read for Foreign {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len();
        let Some(reader) = &mut self.0 else { return Err(io::Error::other("its reader has panicked")) };
        match guarded(|| Ok(reader.read(buffer))) {
            Ok(Ok(read)) if read > length => {
                let sentence = format!("its reader was asked for at most {length} bytes and counts {read}");
                Err(io::Error::other(sentence))
            }
            // These kinds of error are those of a missing file, and of an output that nobody reads.
            Ok(Err(error)) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::BrokenPipe) => {
                Err(io::Error::other(error))
            }
            Ok(read) => read,
            Err(panic) => {
                self.0 = None;
                Err(io::Error::other(format!("its reader panicked: {panic}")))
            }
        }
    }
}

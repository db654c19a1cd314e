//! WACZ where it is not built in: zip archives need the feature `gzip`.

use std::io::Read;
use std::path::Path;

use urimill_base::error::{Error, Result};
use urimill_base::left_out::GZIP;

/// Which files of it are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The archives.
    Archives,
    /// The indexes of the archives.
    Indexes,
}

/// A file in a zip archive: there is none.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Its path there.
    pub(crate) name: String,
}

/// # Errors
/// Usage, where the user calls the file so.
pub(crate) fn parts(_: &Path, wanted: Wanted, is_named: bool) -> Result<Option<Vec<Part>>> {
    let what = match wanted {
        Wanted::Archives => "reader of WACZ files",
        Wanted::Indexes => "reader of the indexes in WACZ files",
    };
    if is_named { GZIP.check(what).map(|()| None) } else { Ok(None) }
}

impl Part {
    /// # Errors
    /// Always: there is no reader.
    pub(crate) fn open(&self) -> Result<Box<dyn Read + Send>> {
        Err(Error::usage(GZIP.missing("reader of WACZ files")))
    }

    /// Its name, without folders.
    pub(crate) fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

//! WACZ where it is not built in: zip archives need the feature `gzip`.

use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};
use crate::left_out::GZIP;

/// Which files of it are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Archives,
    Indexes,
}

/// A file in a zip archive: there is none.
#[derive(Debug, Clone)]
pub(in crate::read) struct Part {
    /// Its path there.
    pub(in crate::read) name: String,
}

/// # Errors
/// Usage, where the user calls the file so.
pub(in crate::read) fn parts(_: &Path, wanted: Wanted, is_named: bool) -> Result<Option<Vec<Part>>> {
    let what = match wanted {
        Wanted::Archives => "reader of WACZ files",
        Wanted::Indexes => "reader of the indexes in WACZ files",
    };
    if is_named { GZIP.check(what).map(|()| None) } else { Ok(None) }
}

impl Part {
    /// # Errors
    /// Always: there is no reader.
    pub(in crate::read) fn open(&self) -> Result<Box<dyn Read + Send>> {
        Err(Error::usage(GZIP.missing("reader of WACZ files")))
    }

    /// Its name, without folders.
    pub(in crate::read) fn file_name(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

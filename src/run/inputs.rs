//! The inputs of a run: names of files and patterns, and readers of the caller's.

use std::ffi::OsString;
use std::io::Read;

use urimill_base::error::Result;
use urimill_read::{GivenReader, Input, Source, expand_inputs};

/// Inputs in the order in which they were given. Clones share the readers, each of which can be read once.
#[derive(Debug, Clone, Default)]
pub(super) struct Inputs(Vec<Input>);

impl Inputs {
    /// Names files and patterns, instead of those named before.
    pub(super) fn set_names(&mut self, names: impl IntoIterator<Item: Into<OsString>>) {
        self.0.retain(|input| matches!(input, Input::Reader(_)));
        self.0.extend(names.into_iter().map(|name| Input::Named(name.into())));
    }

    /// Adds the contents of a reader.
    pub(super) fn add_reader(&mut self, reader: impl Read + Send + 'static, name: impl Into<String>) {
        self.0.push(Input::Reader(GivenReader::new(name, reader)));
    }

    /// Whether nothing was given: then standard input is the input.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sources, each of them checked.
    ///
    /// # Errors
    /// Fails as [`urimill_read::expand`] does.
    pub(super) fn expand(&self) -> Result<Vec<Source>> {
        expand_inputs(&self.0)
    }
}

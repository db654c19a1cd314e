//! Stands for the readers of Arrow IPC in builds without them.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use urimill_base::error::Error;
use urimill_base::files::File;
use urimill_base::left_out::IPC;

use super::memory_limit::MemoryLimit;
use super::reader::{Faults, Table};

pub(crate) fn is_file(_: &[u8]) -> bool {
    true
}

/// # Errors
/// Always: there is no reader.
pub fn open_file(
    _: File,
    name: &str,
    faults: &Faults,
    _: &Arc<AtomicU64>,
    _: MemoryLimit,
) -> Result<Table, String> {
    let what = IPC.missing("reader of Arrow IPC");
    faults.put(Error::usage(format!("cannot read {name}: {what}")));
    Err(what)
}

/// Streams.
pub mod stream {
    use super::{Error, IPC, MemoryLimit, Table};
    use crate::table::reader::Stream;

    /// # Errors
    /// Always: there is no reader.
    pub fn open(_: Vec<u8>, rest: Stream, _: MemoryLimit) -> Result<Table, String> {
        let what = IPC.missing("reader of Arrow IPC");
        rest.faults.put(Error::usage(format!("cannot read the input: {what}")));
        Err(what)
    }
}

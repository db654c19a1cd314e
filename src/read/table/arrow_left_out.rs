//! Stands for the readers of Arrow IPC in builds without them.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::memory_limit::MemoryLimit;
use super::reader::{Faults, Table};
use crate::error::Error;
use crate::files::File;
use crate::left_out::IPC;

pub(in crate::read) fn is_file(_: &[u8]) -> bool {
    true
}

/// # Errors
/// Always: there is no reader.
pub(crate) fn open_file(
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
pub(crate) mod stream {
    use super::{Error, IPC, MemoryLimit, Table};
    use crate::read::table::reader::Stream;

    /// # Errors
    /// Always: there is no reader.
    pub(crate) fn open(_: Vec<u8>, rest: Stream, _: MemoryLimit) -> Result<Table, String> {
        let what = IPC.missing("reader of Arrow IPC");
        rest.faults.put(Error::usage(format!("cannot read the input: {what}")));
        Err(what)
    }
}

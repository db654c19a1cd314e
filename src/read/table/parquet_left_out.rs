//! The reader of Parquet where it is not built in.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::reader::{Faults, Table};
use super::room::Room;
use crate::error::Error;
use crate::files::File;
use crate::left_out::PARQUET;

/// # Errors
/// Always: there is no reader.
pub(crate) fn open(
    _: File,
    name: &str,
    faults: &Faults,
    _: &Arc<AtomicU64>,
    _: Option<Room>,
) -> Result<Table, String> {
    let what = PARQUET.missing("reader of Parquet");
    faults.put(Error::usage(format!("cannot read {name}: {what}")));
    Err(what)
}

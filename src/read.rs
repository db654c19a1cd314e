//! Reads the input: files become chunks of whole records, and rows of tables. The parts are packages of their own; here are
//! their names in one place.

pub use urimill_base::pool::{self, Pool, PooledBuffer};
pub use urimill_pages::{PageKind, Pages};
pub use urimill_read::*;

/// The formats: what a record is, and where in it its URI is.
pub mod format {
    pub use urimill_logs::{has_named_fields, log_columns, log_formats};
    pub use urimill_read::format::*;

    pub use crate::formats::InputFormat;
}

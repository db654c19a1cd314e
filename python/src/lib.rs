//! The native module of the Python package `urimill`: columns come in over the Arrow PyCapsule protocol, go through the
//! library's batches in slices, and leave the same way. It may use everything in the library; `python/urimill` adds
//! signatures and documentation.
//!
//! ```text
//! any column ──> input ──> engine: slices, threads, order ──> table or stream ──> any column
//!                            jobs: what is done to a slice
//! ```

mod answers;
mod archives;
mod call;
mod column;
mod conversion;
mod engine;
mod errors;
mod export;
mod files;
mod foreign;
mod found;
mod frame;
mod input;
mod jobs;
mod labels;
mod options;
mod pools;
mod reports;
mod rounds;
mod run_batches;
mod schema;
mod sequences;
mod shown;
mod source;
mod stream;
mod table;
mod texts;
mod uri;
mod url;
mod values;
mod warm;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Needed for their features alone, which the tests of the workspace turn on.
#[cfg(feature = "like-tests")]
use {idna as _, serde as _, zstd as _};

/// Batches are large and short-lived: this allocator keeps their memory for the next ones.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the command line; returns the exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    errors::detached(py, || Ok(urimill_cli::main_with(arguments)))
}

/// The native part of urimill.
#[pymodule]
mod _urimill {
    use super::*;

    #[pymodule_export]
    use super::archives::{PyLookup, edges, index, read_edges, read_index};
    #[pymodule_export]
    use super::call::{compare, components, decode, encode, extract, normalize, relativize, resolve, schema};
    #[pymodule_export]
    use super::column::{Column, column_of};
    #[pymodule_export]
    use super::files::{convert, read};
    #[pymodule_export]
    use super::main;
    #[pymodule_export]
    use super::reports::{ReportState, check_report, report, report_columns, report_table};
    #[pymodule_export]
    use super::schema::{Schema, codes, columns, flags, schema_of};
    #[pymodule_export]
    use super::stream::Stream;
    #[pymodule_export]
    use super::table::{Table, table_of};
    #[pymodule_export]
    use super::texts::{decode_text, encode_text, masked};
    #[pymodule_export]
    use super::uri::{Uri, explain};
    #[pymodule_export]
    use super::url::Url;
    #[pymodule_export]
    use super::warm::Engine;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        urimill_cli::quiet_caught_panics();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}

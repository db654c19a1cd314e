//! Inputs through the formats of all packages, and through whole runs. `crates/read/tests` has what needs neither.
//!
//! - `damage`: the records kept of damaged inputs
//! - `faults`: damage and odd bytes, through the whole pipeline
//! - `checksums`: equal sums of `--verify`
//! - `numbers`: lines and bytes beyond 2^31 and 2^32
//! - `buffers`: reused memory
//! - `mutants`: thousands of each archive and document, compared with other readers
//! - `tables`: Parquet and Arrow, whole and damaged

#![allow(clippy::unwrap_used)]

mod buffers;
mod checksums;
mod damage;
mod faults;
mod mutants;
mod numbers;
mod tables;

//! The room `output`, from outside: what is written must read back as what went in.
//!
//! - `table`: the batches that the tests write, and the pipeline that writes them;
//! - `parquet`, `arrow`, `text`: each format read back with a reader that is not ours;
//! - `pages`: the pages that urimill makes itself, against the parquet crate;
//! - `sort`: rows in the order of a key, against a slow sort;
//! - `atomic`: an output file is the old one, absent, or complete;
//! - `failures`: errors of the operating system under every format.

mod arrow;
mod atomic;
mod failures;
mod pages;
mod parquet;
mod sort;
mod table;
mod text;

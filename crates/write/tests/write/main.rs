//! Outputs: everything that is written must read back as it went in.
//!
//! - `table`: the batches that the tests write, and the pipeline that writes them;
//! - `parquet`, `arrow`, `text`: each format, read with another reader;
//! - `pages`: the Parquet pages that urimill writes itself, against the parquet crate;
//! - `dictionaries`: dictionaries of text columns, and the bounds of pages, against the parquet crate;
//! - `passed`: columns that pass through from tables, in every format, whatever their type;
//! - `sort`: rows in the order of a key, against a slow sort;
//! - `atomic`: an output file is the old one, absent, or complete;
//! - `folder`, `directory`: the same for a directory, whose files hold every row once, by their partitions;
//! - `footers`: a file's metadata, when it is read back;
//! - `failures`: errors of the operating system under every format.

mod arrow;
mod atomic;
mod dictionaries;
mod directory;
mod failures;
mod folder;
mod footers;
mod pages;
mod parquet;
mod passed;
mod sort;
mod table;
mod text;

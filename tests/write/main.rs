//! The room `output`, from outside: what is written must read back as what went in.
//!
//! - `table`: the batches that the tests write, and the pipeline that writes them;
//! - `parquet`, `arrow`, `text`: each format read back with a reader that is not ours;
//! - `pages`: the pages that urimill makes itself, against the parquet crate;
//! - `dictionaries`: those of text columns, and the bounds of pages, against the parquet crate;
//! - `passed`: columns of tables in every format, whatever their type;
//! - `sort`: rows in the order of a key, against a slow sort;
//! - `atomic`: an output file is the old one, absent, or complete;
//! - `folder`, `directory`: so is a directory, and its files hold every row once, by their partitions;
//! - `footers`: what a file says of itself, when it is read back;
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

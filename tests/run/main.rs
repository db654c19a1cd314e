//! Whole runs by their builders, as another program starts them.
//!
//! - `batches`: the rows of a run as record batches for its caller;
//! - `readers`: readers of the caller's as inputs;
//! - `rules`: which options exclude or need each other, and the errors about it;
//! - `skipped_lines`: lines before the records;
//! - `stopping`: the progress of a run, and how it is stopped;
//! - `inputs`: how records are read;
//! - `format_files`: files that define formats of logs;
//! - `format_keys`: what such files can say beside forms and fields;
//! - `option_texts`: files that are made from the table of options;
//! - `outputs`: outputs and summary of a run with many options;
//! - `pages`: any bytes of pages;
//! - `report`: figures, states and pages of reports;
//! - `report_inputs`: reports of several formats, and of tables in memory;
//! - `states`: which states add up, and that every state that can be written can be read;
//! - `crawl`: digests of contents, and redirects, in reports.

mod batches;
mod crawl;
mod format_files;
mod format_keys;
mod inputs;
mod option_texts;
mod outputs;
mod pages;
mod readers;
mod report;
mod report_inputs;
mod rules;
mod skipped_lines;
mod states;
mod stopping;

use std::io::{self, Cursor, Read};

/// Lines, then something else.
struct Then(Cursor<Vec<u8>>, fn() -> io::Result<usize>);

impl Read for Then {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 => (self.1)(),
            read => Ok(read),
        }
    }
}

//! Whole runs by their builders, as another program starts them.
//!
//! - `rules`: which options go together, and what an error says of those that do not;
//! - `skipped_lines`: lines before the records;
//! - `stopping`: how far a run is, and how it is stopped;
//! - `inputs`: how records are read;
//! - `option_texts`: what is made of the table of options;
//! - `outputs`: what a run with many options writes and answers;
//! - `pages`: any bytes of pages;
//! - `report`: figures, states and pages of reports;
//! - `report_inputs`: reports of several formats, and of tables in memory;
//! - `states`: which states add up, and that all that can be written can be read;
//! - `crawl`: what digests of contents and redirects tell in reports.

mod crawl;
mod inputs;
mod option_texts;
mod outputs;
mod pages;
mod report;
mod report_inputs;
mod rules;
mod skipped_lines;
mod states;
mod stopping;

//! The command line, from outside: arguments and bytes in; exit code, files and sentences out.
//!
//! - `run`, `table`: how the tests start urimill, and how they read each format back;
//! - `usage`: what it says of itself, and to wrong arguments;
//! - `records`: what a record is, and what the options make of it;
//! - `fields`: references with a base, and records with fields;
//! - `logs`: the logs and indexes of crawlers and servers, each to a table with every field typed;
//! - `passing`: which fields pass through, of which formats, and what an input is taken for;
//! - `sources`: several inputs, patterns, compression, and inputs that cannot be read;
//! - `formats`: every format holds the same table, in plain types;
//! - `dedupe`: one row for each distinct form;
//! - `domains`: columns about the domains of hosts, by one list or another;
//! - `canonical`: keys, canonical forms and the parameters of queries;
//! - `order`: rows, errors and bytes do not depend on the number of threads;
//! - `sort`: rows in the order of columns;
//! - `answers`: a line for each text: resolve, relativize, encode, decode; and compare;
//! - `rejects`: where invalid records go, and that no byte of them is lost;
//! - `publish`: an output is the old file, absent, or complete;
//! - `streams`: closed pipes, full disks, progress and memory;
//! - `signals`: Ctrl-C and `kill`;
//! - `extract`: the URIs in texts;
//! - `check`, `explain`: what is wrong with records, and all there is to say of one;
//! - `golden`: the table of `datasets/oddities.txt`, row by row.

mod answers;
mod canonical;
mod check;
mod dedupe;
mod domains;
mod explain;
mod extract;
mod fields;
mod formats;
mod golden;
mod logs;
mod order;
mod passing;
mod publish;
mod records;
mod rejects;
mod run;
mod signals;
mod sort;
mod sources;
mod streams;
mod table;
mod usage;

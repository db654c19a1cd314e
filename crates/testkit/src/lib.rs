//! Code shared by the tests of urimill's packages. Nothing of it is part of the program.
//!
//! - [`paths`]: the repository's files, and the shared lists of real URIs (`shared`)
//! - [`random`]: seeds and seeded mutations of URI references
//! - [`hostile`]: URIs that attack parsers
//! - [`section_5_4`]: the examples of RFC 3986, 5.4
//! - [`option_rules`]: which options exclude or need each other
//! - [`letter`], [`meaning`], [`agreement`]: resolution and equality by the letter of the specifications, slowly
//! - [`judge`], [`row`]: the right results of kernels and tables for a record, from calls for one URI
//! - `archives`: web archives, their records and members; [`documents`]: documents of the web
//! - `moves`: fields of lines in each other's place
//! - `reading`: the rows that a reader makes of an input
//! - `samples`: logs, and facts about their rows
//! - [`stored`]: compressed inputs, and a source that gives few bytes at a time
//! - [`fuzz`]: the bodies of the fuzz targets
//! - [`with_signals`]: programs for tests that send signals

// A test crate: the names of its tables are documentation enough.
#![allow(missing_docs)]

pub mod agreement;
#[cfg(all(feature = "reading", feature = "stored"))]
pub mod archives;
pub mod documents;
#[cfg(feature = "fuzz")]
pub mod fuzz;
pub mod hostile;
pub mod judge;
pub mod letter;
pub mod meaning;
#[cfg(feature = "reading")]
pub mod moves;
#[cfg(feature = "tables")]
pub mod option_rules;
pub mod paths;
pub mod random;
#[cfg(feature = "reading")]
pub mod reading;
#[cfg(feature = "tables")]
pub mod row;
#[cfg(feature = "reading")]
pub mod samples;
pub mod section_5_4;
pub mod shared;
#[cfg(feature = "stored")]
pub mod stored;
pub mod with_signals;

/// Whether another parser accepts `text` as a URI reference of RFC 3986.
pub fn is_uri_reference(text: &[u8]) -> bool {
    std::str::from_utf8(text).is_ok_and(|text| fluent_uri::UriRef::parse(text).is_ok())
}

//! Inputs that have no lines: what was to be read line by line, and is a container or not text.

use urimill_base::option_name::OptionName;

use super::foreign::{Foreign, say};
use super::headers::warc::MAGIC;
use super::magic;
use super::tables::{TableKind, kind_of};

/// Describes an input that begins with `first` and is not text. It is never read line by line, whichever format the
/// user names.
pub fn no_text(first: &[u8]) -> Option<Foreign> {
    magic::find(first)
}

/// Describes an input that begins with `first`, was to be read line by line, and has no lines.
pub fn no_lines(first: &[u8]) -> Option<Foreign> {
    container(first).or_else(|| no_text(first))
}

fn table_advice(format: &str) -> String {
    format!("{} {}, to name the column of the URI", say(format), OptionName::UriField.with("NAME"))
}

/// Formats that are read as one piece.
fn container(first: &[u8]) -> Option<Foreign> {
    match kind_of(first) {
        Some(TableKind::Parquet) => Some(Foreign::new("a Parquet file", table_advice("parquet"))),
        Some(TableKind::Arrow) => Some(Foreign::new("an Arrow file or stream", table_advice("arrow"))),
        None => first.starts_with(MAGIC).then(|| Foreign::new("a WARC file", say("warc"))),
    }
}

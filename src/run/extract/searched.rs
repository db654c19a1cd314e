//! What a search for URIs in running text examines, by the options that say how records are read.

use crate::run::input_format::{InputFormat, InputOptions};

/// What is searched for URIs in running text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Searched {
    /// Each input as a whole, whatever it is.
    Text,
    /// Each input as a whole if it is text, or the records of a web archive.
    FoundOut,
    /// A field of each record, or what the records of a web archive hold.
    Records,
}

impl Searched {
    pub(super) fn of(options: &InputOptions) -> Searched {
        match options.asked_format() {
            InputFormat::Auto if options.first_uri().is_none() => Searched::FoundOut,
            InputFormat::Auto
            | InputFormat::Csv
            | InputFormat::Tsv
            | InputFormat::Jsonl
            | InputFormat::Json
            | InputFormat::Scrapy
            | InputFormat::Parquet
            | InputFormat::Arrow
            | InputFormat::Warc
            | InputFormat::Wat
            | InputFormat::Wacz
            | InputFormat::Arc => Searched::Records,
            _ => Searched::Text,
        }
    }
}

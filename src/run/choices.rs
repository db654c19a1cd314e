//! Choices that several jobs, or the rows of options, offer by name.

use super::input_format::InputFormat;

/// The treatment of a record that is not a URI reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnInvalid {
    /// It keeps its row, with its code in the column `error`.
    Keep,
    /// It goes to the table that [`Conversion::rejects`](super::Conversion::rejects) names.
    Reject,
    /// It has no row: it is counted, and dropped.
    Drop,
    /// It ends the run.
    Fail,
}

impl OnInvalid {
    /// Every choice by its name.
    pub const NAMED: [(&'static str, OnInvalid); 4] = [
        ("keep", OnInvalid::Keep),
        ("reject", OnInvalid::Reject),
        ("drop", OnInvalid::Drop),
        ("fail", OnInvalid::Fail),
    ];
}

/// The output for each URI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ExtractFormat {
    /// The URIs alone, one a line.
    Uris,
    /// One JSON object a line: source, offset and length in bytes, raw (as written), uri, kind, delimiter; for searched
    /// records also the number of the record and, in a web archive, its page.
    Jsonl,
}

impl ExtractFormat {
    /// Every format by its name.
    pub const NAMED: [(&'static str, ExtractFormat); 2] =
        [("uris", ExtractFormat::Uris), ("jsonl", ExtractFormat::Jsonl)];
}

/// The formats of archives that can be indexed.
pub(super) const ARCHIVES: [InputFormat; 3] = [InputFormat::Warc, InputFormat::Arc, InputFormat::Wacz];

/// The form of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexForm {
    /// Key, time, and an object of JSON in each line.
    Cdxj,
    /// CDX of eleven fields.
    Cdx,
    /// CDX of nine fields.
    Cdx9,
    /// A directory of CDXJ in compressed blocks, with lists of blocks and shards.
    ZipNum,
    /// A table with a column for each member of a line of CDXJ, and `time` and `redirect`.
    Parquet,
}

impl IndexForm {
    /// All forms.
    pub const ALL: [IndexForm; 5] =
        [IndexForm::Cdxj, IndexForm::Cdx, IndexForm::Cdx9, IndexForm::ZipNum, IndexForm::Parquet];

    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            IndexForm::Cdxj => "cdxj",
            IndexForm::Cdx => "cdx",
            IndexForm::Cdx9 => "cdx9",
            IndexForm::ZipNum => "zipnum",
            IndexForm::Parquet => "parquet",
        }
    }
}

//! The forms of an index of web archives.

use super::input_format::InputFormat;

/// The formats of archives that have an index.
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
    /// All of them.
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

//! The blocks of a web archive's records, where chunks hold them: for runs that look into the transferred bytes.

use std::borrow::Cow;

use memchr::memchr;
use urimill_base::temporary::Temporary;

use super::Chunk;
use crate::format::framing::RecordState;
use crate::format::headers::warc::{are_of_one_exchange, fields};

/// A record of a web archive with its block.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The number of the record in its source, from 1.
    pub record: i64,
    /// The header, without the line end of its last line.
    pub header: &'a [u8],
    /// The block.
    pub bytes: &'a [u8],
    /// Whether the chunk holds only the beginning of it.
    pub is_cut: bool,
    /// The whole block, if it is too long to be in the chunk and its kind is kept whole.
    pub long_block: Option<&'a Temporary>,
    /// Where the record begins in the stored file, if it can be read from there.
    pub stored: Option<u64>,
    /// Its length in the stored file, up to the end of its block, or in a compressed file up to the next record.
    pub stored_len: Option<u64>,
    /// The SHA-1 of its payload, if digests are wanted and the record has none: of the body after the header of HTTP,
    /// or of the whole block.
    pub digest: Option<[u8; 20]>,
}

impl<'a> Block<'a> {
    /// The fields of the header of a WARC record, or of HTTP: their names and their values.
    pub fn fields(header: &'a [u8]) -> impl Iterator<Item = (&'a [u8], Cow<'a, [u8]>)> {
        fields(header)
    }

    /// Whether this and another record are a request and its response, by their headers.
    pub fn is_of_one_exchange(&self, other: &Block<'_>) -> bool {
        are_of_one_exchange(self.header, other.header)
    }

    /// The value of the first field of the header with this name, which is in lower case.
    pub fn field(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.header.split(|&b| b == b'\n').skip(1).find_map(|line| {
            let colon = memchr(b':', line)?;
            line[..colon].trim_ascii().eq_ignore_ascii_case(name).then(|| line[colon + 1..].trim_ascii())
        })
    }
}

impl Chunk {
    /// The number and the beginning of each part that is not a record, or is one whose header does not give its length
    /// or is too long.
    pub fn no_records(&self) -> impl Iterator<Item = (i64, &[u8])> {
        let whole = self.framed_records.iter().zip(self.first_record..);
        whole.filter(|(head, _)| !matches!(head.whole, RecordState::Yes)).map(|(head, record)| {
            let start = head.start as usize;
            (record, &self.bytes[start..start + head.len as usize])
        })
    }

    /// Its records with their blocks, without the bytes between records.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        let whole = self.framed_records.iter().zip(self.first_record..);
        whole.filter(|(head, _)| matches!(head.whole, RecordState::Yes)).map(|(head, record)| {
            let start = head.start as usize;
            Block {
                record,
                header: &self.bytes[start..start + head.len as usize],
                bytes: &self.bytes[head.block()],
                is_cut: head.is_cut,
                long_block: head.long_block.as_deref(),
                stored: head.stored,
                stored_len: head.stored_len,
                digest: head.digest,
            }
        })
    }
}

//! The blocks of a web archive's records, where chunks hold them: for whoever looks into what was transferred.

use memchr::memchr;

use super::Chunk;
use crate::read::format::framing::RecordState;

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
}

impl<'a> Block<'a> {
    /// The value of the first field of the header with this name, which is in lower case.
    pub fn field(&self, name: &[u8]) -> Option<&'a [u8]> {
        self.header.split(|&b| b == b'\n').skip(1).find_map(|line| {
            let colon = memchr(b':', line)?;
            line[..colon].trim_ascii().eq_ignore_ascii_case(name).then(|| line[colon + 1..].trim_ascii())
        })
    }
}

impl Chunk {
    /// Its records with their blocks; bytes between records are none.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        let whole = self.framed_records.iter().zip(self.first_record..);
        whole.filter(|(head, _)| matches!(head.whole, RecordState::Yes)).map(|(head, record)| {
            let start = head.start as usize;
            Block {
                record,
                header: &self.bytes[start..start + head.len as usize],
                bytes: &self.bytes[head.block()],
                is_cut: head.is_cut,
            }
        })
    }
}

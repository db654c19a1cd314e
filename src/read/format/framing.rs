//! What a chunk holds for a format, and how records are found that are not lines. A chunk of such records does not hold
//! the text of its source: from a web archive it holds headers and what is wanted of the blocks, from a document the
//! elements that are records.

use std::ops::Range;
use std::sync::Arc;

use super::base::TooLong;
use super::fields::Layout;
use crate::batch::Records;
use crate::read::last_line::LastLine;
use crate::read::temporary::Temporary;

/// A record of a web archive: its header, without the line end of its last line, lies in the chunk.
#[derive(Debug, Clone)]
pub(in crate::read) struct FramedRecord {
    /// Where in the chunk.
    pub(in crate::read) start: u32,
    pub(in crate::read) len: u32,
    /// The bytes of the empty line after it.
    pub(in crate::read) gap: u8,
    /// How many bytes of the block lie after that, and whether they are all that is wanted of it.
    pub(in crate::read) block: u32,
    pub(in crate::read) is_cut: bool,
    /// The whole block, where that is too long for a chunk, which then has its beginning.
    pub(in crate::read) long_block: Option<Arc<Temporary>>,
    /// Where the record begins, decompressed.
    pub(in crate::read) offset: u64,
    /// Where it begins in the stored file, if it can be read from there, and its length: up to the end of its block, or
    /// in a compressed file up to where the next one can be read.
    pub(in crate::read) stored: Option<u64>,
    pub(in crate::read) stored_len: Option<u64>,
    /// The SHA-1 of what follows the header of HTTP, where that is wanted and the record does not say it.
    pub(in crate::read) digest: Option<[u8; 20]>,
    pub(in crate::read) whole: RecordState,
    pub(in crate::read) bases: Option<BasesAround>,
}

/// The values of `xml:base` of the elements around a record, from the outermost in; an error if one is too long, or if
/// there are too many.
pub(in crate::read) type BasesAround = Result<Arc<[String]>, TooLong>;

impl FramedRecord {
    /// Where in the chunk the bytes of its block lie.
    pub(in crate::read) fn block(&self) -> Range<usize> {
        let start = (self.start + self.len) as usize + usize::from(self.gap);
        start..start + self.block as usize
    }
}

/// What a format reads of a chunk.
#[derive(Debug, Clone, Copy)]
pub struct ChunkText<'a> {
    /// Whole records, or what is kept of them, and padding.
    pub(in crate::read) bytes: &'a [u8],
    /// The length without the padding.
    pub(in crate::read) len: usize,
    /// How many bytes at the beginning are the header of the source, and how many lines of comments come before it.
    pub(in crate::read) header: usize,
    pub(in crate::read) comments: u32,
    /// The places of the requested fields.
    pub(in crate::read) layout: &'a Layout,
    /// What becomes of the last line of a log that may be cut.
    pub(in crate::read) last_line: LastLine,
    /// The records that are not lines, in order.
    pub(in crate::read) framed_records: &'a [FramedRecord],
    /// The name of the file, without folders, where records are not lines.
    pub(in crate::read) file_name: Option<&'a [u8]>,
    /// The number of the first record in its source.
    pub(in crate::read) first_record: i64,
}

impl<'a> ChunkText<'a> {
    /// The bytes without the padding.
    pub(in crate::read) fn text(&self) -> &'a [u8] {
        &self.bytes[..self.len]
    }

    /// Ends the reading of a log at `next`: its last line may be cut.
    pub(in crate::read) fn log_until(&self, next: usize, records: &mut Records) -> usize {
        if next >= self.len {
            self.last_line.apply(self.text(), records);
        }
        next
    }
}

/// What a chunk holds of the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// The status line of a response of HTTP.
    Status,
    /// The header of a response of HTTP.
    HttpHeader,
    /// The header of a message of HTTP, whatever it begins with, and the digest of what follows.
    Index {
        /// Also the body of a request that sends one; then the chunk has what was answered to it, too.
        posts: bool,
    },
    /// All of one that is a JSON object.
    Json,
    /// All of it, up to a limit.
    Block,
    /// All of it: one beyond that limit that may be a page is in a file of its own.
    Page,
    /// The same, where one that may have a text is in a file of its own.
    Text,
}

/// What is known of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::read) enum RecordState {
    /// It is one.
    Yes,
    /// Its header does not say how long its block is; the byte where it should.
    Unmeasured(u32),
    /// Its header is longer than allowed: this is its beginning.
    Beginning,
    /// Bytes between records.
    Junk,
}

/// How the records of a source are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// WARC files; what of the blocks is kept.
    Warc(Keeps),
    /// ARC files, likewise.
    Arc(Keeps),
    /// Elements of an XML document with one of these roots.
    Xml(&'static [Root]),
    /// Elements of the array of a JSON document to which these names lead.
    Json(&'static [&'static str]),
    /// Paragraphs.
    Paragraphs,
    /// Messages of a mailbox, each of which begins with a line `From …` after an empty one; likewise without a header.
    Mailbox,
    /// The source as a whole: its bytes are the block of a record without a header.
    Whole(Keeps),
}

/// A root, and the elements in it that are records: those of a name, or all of its children, which should have that
/// name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Root {
    pub(in crate::read) name: &'static str,
    pub(in crate::read) record: &'static str,
    pub(in crate::read) is_list: bool,
}

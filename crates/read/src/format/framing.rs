//! The contents of a chunk for a format, and how records that are not lines are found. A chunk of such records does not
//! hold the text of its source: from a web archive it holds headers and the wanted parts of blocks, from a document the
//! elements that are records.

use std::ops::Range;
use std::sync::Arc;

use urimill_base::temporary::Temporary;
use urimill_columns::batch::Records;

use super::base::TooLong;
use super::fields::Layout;
use crate::last_line::LastLine;

/// A record of a web archive: its header, without the line end of its last line, is in the chunk.
#[derive(Debug, Clone)]
pub struct FramedRecord {
    /// The place in the chunk.
    pub start: u32,
    /// The length of the header.
    pub len: u32,
    /// The bytes of the empty line after it.
    pub(crate) gap: u8,
    /// The number of bytes of the block after that, and whether they are all that is wanted.
    pub block: u32,
    /// Whether more of the block is wanted than lies there.
    pub is_cut: bool,
    /// The whole block, if it is too long for a chunk, which then has its beginning.
    pub long_block: Option<Arc<Temporary>>,
    /// Where the record begins in the decompressed source.
    pub offset: u64,
    /// Where it begins in the stored file, if it can be read from there, and its length: up to the end of its block, or
    /// in a compressed file up to the next place to read from.
    pub stored: Option<u64>,
    /// The length of the record in the stored file.
    pub stored_len: Option<u64>,
    /// The SHA-1 of the body after the header of HTTP, if it is wanted and the record does not have it.
    pub(crate) digest: Option<[u8; 20]>,
    /// Whether it is a record.
    pub whole: RecordState,
    /// The bases of the elements around it.
    pub bases: Option<BasesAround>,
    /// The members of a document of JSON before the array that has the record, as an object.
    pub members: Option<Arc<str>>,
}

/// The values of `xml:base` of the elements around a record, from the outermost in; an error if one is too long, or if
/// there are too many.
pub(crate) type BasesAround = Result<Arc<[String]>, TooLong>;

impl FramedRecord {
    /// The place of its block in the chunk.
    pub fn block(&self) -> Range<usize> {
        let start = (self.start + self.len) as usize + usize::from(self.gap);
        start..start + self.block as usize
    }
}

/// The part of a chunk that a format reads.
#[derive(Debug, Clone, Copy)]
pub struct ChunkText<'a> {
    /// Whole records, or the kept parts of them, and padding.
    pub bytes: &'a [u8],
    /// The length without the padding.
    pub len: usize,
    /// The length of the source's header at the beginning, in bytes, and the number of comment lines before it.
    pub(crate) header: usize,
    pub(crate) comments: u32,
    /// The places of the requested fields.
    pub layout: &'a Layout,
    /// How the last line of a log that may be cut is read.
    pub(crate) last_line: LastLine,
    /// The records that are not lines, in order.
    pub framed_records: &'a [FramedRecord],
    /// The name of the file, without folders, where records are not lines.
    pub file_name: Option<&'a [u8]>,
    /// The number of the first record in its source.
    pub first_record: i64,
}

impl<'a> ChunkText<'a> {
    /// How many lines stand before the header, for a reader that begins after it, at `at`.
    pub fn lines_before_header(&self, at: usize) -> u32 {
        if at == self.header { self.comments } else { 0 }
    }

    /// The bytes without the padding.
    pub fn text(&self) -> &'a [u8] {
        &self.bytes[..self.len]
    }

    /// Ends the reading of a log at `next`: its last line may be cut.
    pub fn log_until(&self, next: usize, records: &mut Records) -> usize {
        if next >= self.len {
            self.last_line.apply(self.text(), records);
        }
        next
    }
}

/// The parts of the blocks that a chunk holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// The status line of a response of HTTP.
    Status,
    /// The header of a response of HTTP.
    HttpHeader,
    /// The header of a message of HTTP, whatever it begins with, and the digest of its body.
    Index {
        /// Also the body of a request that sends one; the chunk then has the answer to it, too.
        posts: bool,
    },
    /// A whole JSON object.
    Json,
    /// The whole block, up to a limit.
    Block,
    /// The whole block: one beyond that limit that may be a page is in a file of its own.
    Page,
    /// The same, but any block beyond the limit that may have a text is in a file of its own.
    Text,
}

/// The state of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordState {
    /// It is a record.
    Yes,
    /// Its header does not give the length of its block; the byte where it should.
    Unmeasured(u32),
    /// Its header is longer than allowed: this is its beginning.
    Beginning,
    /// Bytes between records.
    Junk,
}

/// How the records of a source are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// WARC files; with the kept parts of the blocks.
    Warc(Keeps),
    /// ARC files, likewise.
    Arc(Keeps),
    /// Elements of an XML document with one of these roots.
    Xml(&'static [Root]),
    /// Elements of the array of a JSON document, at the path of these names; and whether a document that is cut ends
    /// with its line, after which others follow.
    Json(&'static [&'static str], bool),
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
    /// The name of the root.
    pub name: &'static str,
    /// The name of the elements that are records.
    pub record: &'static str,
    /// Whether all children of the root are records.
    pub is_list: bool,
}

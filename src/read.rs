//! Reads the input: files become chunks of whole records, and rows of tables. The parts are packages of their own; here
//! are their names in one place.

#[doc(inline)]
pub use urimill_base::pool::{Pool, PooledBuffer};
#[doc(inline)]
pub use urimill_pages::{PageKind, Pages};
#[doc(inline)]
pub use urimill_read::{
    Block, Checksum, Chunk, ChunkOptions, Chunker, Chunks, Damage, Damages, Encoding, Format, GivenReader,
    GivenTable, InputDigests, LastLine, Lines, Mail, Morsel, OnDamage, PageCounts, PageReader, ReadChecksums,
    Reader, RecordSource, Source, TableMorsel, Tables, checksum_of_texts, expand, open, panics_are_errors,
};

/// The formats: what a record is, and where in it its URI is.
pub mod format {
    #[doc(inline)]
    pub use urimill_logs::{has_named_fields, log_columns, log_formats};
    #[doc(inline)]
    pub use urimill_read::format::{
        Asked, Beginning, Behind, Blocks, Comment, Cut, Field, FieldSpec, First, Format, Header, Keep,
        Layout, Mail, RecordFormat, RecordTypes, Resumed, Stop, Template, UriSource,
    };

    #[doc(inline)]
    pub use crate::formats::InputFormat;
}

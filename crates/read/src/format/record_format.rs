//! The trait of formats, for the code that reads with them: the chunker, the workers, the accounts.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, DerefMut};

use urimill_base::error::{Error, Result};
use urimill_base::temporary::TemporaryPlace;
use urimill_columns::batch::{ExtraColumns, Records};

use super::foreign::Foreign;
use super::framing::{ChunkText, Framing};
use super::json::{members_of_first, members_within_first};
use super::lines::Lines;
use super::tables::Table;
use super::{Behind, Cut, Layout, PageReader, Resumed, Stop};
use super::{fields, lines};
use crate::decode::Wanted;
use crate::payload::may_be_text;
use crate::source::Source;

/// A format: how its records are found and how they are read. Most methods have a default, which is right for formats
/// of text lines.
pub trait RecordFormat: CloneFormat + fmt::Debug + Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// The fields beside the URI that pass through; for tables see [`crate::RecordSource::extra_columns`].
    fn extra_columns(&self) -> ExtraColumns {
        ExtraColumns::default()
    }

    /// Finds at most `most` records of a chunk that begin at `from` or after it; returns where the first record that
    /// was not taken begins. `records` must be empty.
    fn find(&self, chunk: &ChunkText<'_>, _: (usize, usize), _: &mut Records) -> usize {
        chunk.len
    }

    /// The same as `find`, with the worker's state of a record that has more rows than a batch.
    ///
    /// # Errors
    /// `Io`, where a temporary file cannot be written or read.
    fn find_rows(
        &self,
        chunk: &ChunkText<'_>,
        place: (usize, usize),
        _: &mut PageReader,
        records: &mut Records,
    ) -> Result<usize> {
        Ok(self.find(chunk, place, records))
    }

    /// Whether a record may have any number of rows; [`PageReader::take_counts`] returns the number.
    fn has_many_rows(&self) -> bool {
        false
    }

    /// Whether a record is a line that is its URI: the kernels find both at once, so there is nothing to find before.
    fn is_plain_list(&self) -> bool {
        false
    }

    /// Whether a record is a line without any other form than that of a reference.
    fn is_lines(&self) -> bool {
        false
    }

    /// Where the last whole record ends in `bytes`, which begin with a record; `None` if not even the first one ends
    /// there. No record ends in the first `searched` bytes. With [`Behind::End`] everything is whole. Not for formats
    /// with a [`RecordFormat::framing`]: their records are found before they are in a chunk.
    fn cut(&self, bytes: &[u8], searched: usize, behind: Behind) -> Option<Cut> {
        lines::cut(bytes, searched, behind)
    }

    /// How the records are found if they are not lines, the limit from which a record is not held whole, and the folder
    /// for the temporary files of such records.
    fn framing(&self) -> Option<(Framing, usize, TemporaryPlace)> {
        None
    }

    /// Whether its records are lines, rather than parts of containers, which begin with a magic number.
    fn has_lines(&self) -> bool {
        self.framing().is_none() && self.table().is_none() && !self.is_detected()
    }

    /// Whether it is text from beginning to end.
    fn is_text(&self) -> bool {
        true
    }

    /// The tables, if the format is one of them.
    fn table(&self) -> Option<&Table> {
        None
    }

    /// Learns what must be known before the input's records are read: the format itself, the names of fields. Returns
    /// the format of the input, if it is another one.
    ///
    /// # Errors
    /// The errors of reading; usage, if the beginning lacks what the format needs.
    fn begin(&mut self, _: &mut dyn Beginning) -> Result<Option<Format>> {
        Ok(None)
    }

    /// Whether the beginning of a source decides its format.
    fn is_detected(&self) -> bool {
        false
    }

    /// If the format is detected and its fields are wanted by name: the same format with all fields.
    fn with_all_fields(&self) -> Option<Format> {
        None
    }

    /// Learns which source is read, and whether it is one of several files in an archive.
    fn of_source(&mut self, _: &Source, _is_part: bool) {}

    /// Whether each source is one page, which has a URI of its own.
    fn is_document(&self) -> bool {
        false
    }

    /// Which files of a WACZ file are read, if the format is one of theirs, or unknown.
    fn in_wacz(&self) -> Option<Wanted> {
        None
    }

    /// The fields of the records of a source that begins with `first` (one whole record or more), and the length of the
    /// header in bytes.
    ///
    /// # Errors
    /// Usage, if a field is missing.
    fn open(&self, _first: &[u8], _source: &str) -> Result<(Layout, usize)> {
        Ok((Layout::default(), 0))
    }

    /// The fields of the records after `bytes`, if they differ from `layout`, the fields of the records in `bytes`.
    fn reopen(&self, _bytes: &[u8], _layout: &Layout) -> Option<Layout> {
        None
    }

    /// The number of fields that the first records of a source agree on; 0 if they do not agree; `None` if they need
    /// not.
    ///
    /// # Errors
    /// The errors of reading.
    fn width(&self, _: &mut dyn Beginning) -> Result<Option<usize>> {
        Ok(None)
    }

    /// Whether sources must begin with a header.
    fn has_header(&self) -> bool {
        false
    }

    /// Whether lines of comments may come between the records: they count as blank lines do.
    fn has_comments(&self) -> bool {
        false
    }

    /// Whether `bytes` contain only comments: the header has not come yet.
    fn is_comments(&self, _bytes: &[u8]) -> bool {
        false
    }

    /// Whether line ends may be within quotes.
    fn has_quotes(&self) -> bool {
        false
    }

    /// Where records go on after damage in `bytes`, if the lost part may have opened quotes; a record has this number
    /// of `fields`.
    fn resume(&self, _bytes: &[u8], _fields: usize, _is_end: bool) -> Resumed {
        Resumed::At(0)
    }

    /// The field with the reference in a record whose end is missing, and whether the field is whole; `None` if the
    /// field is missing. For rows and objects.
    fn field_of_beginning(&self, _: &Layout, _text: &[u8]) -> Option<(Vec<u8>, bool)> {
        None
    }

    /// The names of the wrappers that are taken off each line, the outermost first: a prefix of syslog, an object of
    /// Docker.
    fn wrappers(&self) -> Vec<String> {
        Vec::new()
    }

    /// What the members of objects of an unknown shape were taken for: `url = "request.url", status = "code"`.
    fn guess(&self) -> Option<String> {
        None
    }

    /// The definition by which the input is read, if it is a log that a file can define.
    ///
    /// # Errors
    /// Usage, if the definition was made in the run and no file can have it.
    fn definition(&self) -> Result<Option<DefinitionFile>> {
        Ok(None)
    }

    /// Whether the records decide if an input that was read in this format has it. Other formats are proved before any
    /// record is read.
    fn is_judged(&self) -> bool {
        self.framing().is_none() && self.table().is_none()
    }

    /// Whether a record without the field of its URI is malformed.
    fn is_malformed_without_field(&self) -> bool {
        false
    }

    /// The name of a requested field that no record has; `seen` are the fields, among those requested by name, that the
    /// records of an input had ([`urimill_columns::batch::Tally::seen`]).
    fn unseen(&self, _seen: u64) -> Option<&str> {
        None
    }

    /// Where the first line that is not of this format leaves it, if its fields have fixed places.
    fn stop(&self, _first: &[u8]) -> Option<Stop> {
        None
    }

    /// The field expected at byte `at` of a line; `first` is the beginning of the input. The number of words before it,
    /// or a header, may decide it.
    fn field_at(&self, _first: &[u8], _line: &str, _at: usize) -> Option<String> {
        None
    }

    /// What chunks hold beside the headers of records: see [`Chunk::blocks`](crate::Chunk::blocks).
    fn blocks(&self) -> Option<Blocks> {
        None
    }

    /// Whether a block that is too long for a chunk is wanted, and goes to a file of its own: of a record of a web archive
    /// with this `header`, whose block begins so. Of [`Keeps::Page`](super::framing::Keeps::Page) and
    /// [`Keeps::Text`](super::framing::Keeps::Text) alone.
    fn may_hold(&self, is_arc: bool, header: &[u8], beginning: &[u8]) -> bool {
        may_be_text(is_arc, header, beginning)
    }

    /// Makes chunks hold the blocks of web archives. Texts that are too long for a chunk go to temporary files here.
    fn hold_blocks(&mut self, _: &TemporaryPlace) {}

    /// Makes chunks hold the parts of records that an index of a web archive needs: the headers of HTTP, and digests of
    /// payloads; with `posts` also the bodies of requests, and then a request and its answer are in one chunk.
    fn hold_index(&mut self, _posts: bool) {}
}

/// The definition of a log as a format file.
#[derive(Debug, Clone)]
pub struct DefinitionFile {
    /// Its text; the first line of a text that was made in the run has the name of the format.
    pub text: String,
    /// First lines of the input, of which one can be the sample of a definition that was made in the run. Others have
    /// their samples.
    pub lines: Option<Vec<String>>,
}

/// The kind of the blocks in chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// The blocks of WARC records, whose headers are named fields.
    Warc,
    /// The blocks of ARC records, whose headers are a line.
    Arc,
    /// Messages of mail, or pages.
    Documents,
}

/// The beginning of a source, which is read when a format asks for it.
pub trait Beginning {
    /// The longest beginning that any format needs, whatever the size of chunks.
    ///
    /// # Errors
    /// The errors of reading.
    fn first(&mut self) -> Result<First<'_>>;
}

/// The beginning of a source.
#[derive(Debug, Clone)]
pub struct First<'a> {
    /// Its first bytes.
    pub bytes: &'a [u8],
    /// Its name.
    pub source: Cow<'a, str>,
    /// Whether they are all of it.
    pub is_whole: bool,
    /// Whether the format is forced, whatever the source looks like.
    pub is_forced: bool,
}

impl Beginning for First<'_> {
    fn first(&mut self) -> Result<First<'_>> {
        Ok(self.clone())
    }
}

/// Makes formats that can be cloned.
pub trait CloneFormat {
    /// A clone.
    fn boxed(&self) -> Box<dyn RecordFormat>;
}

impl<F: RecordFormat + Clone + 'static> CloneFormat for F {
    fn boxed(&self) -> Box<dyn RecordFormat> {
        Box::new(self.clone())
    }
}

/// How records are read, in one of the formats. By default a line is a record and its URI.
#[derive(Debug, Clone)]
pub struct Format {
    reader: Box<dyn RecordFormat>,
    looks_like: LooksLike,
}

/// What an input looks like that begins with these bytes and was read as the format with this name.
pub(crate) type LooksLike = fn(&[u8], &str) -> Option<Foreign>;

impl<F: RecordFormat + 'static> From<F> for Format {
    fn from(format: F) -> Format {
        Format { reader: Box::new(format), looks_like: |_, _| None }
    }
}

impl Default for Format {
    fn default() -> Format {
        Lines::default().into()
    }
}

impl Clone for Box<dyn RecordFormat> {
    fn clone(&self) -> Box<dyn RecordFormat> {
        self.boxed()
    }
}

impl Deref for Format {
    type Target = dyn RecordFormat;

    fn deref(&self) -> &Self::Target {
        &*self.reader
    }
}

impl DerefMut for Format {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut *self.reader
    }
}

impl Format {
    /// Sets how it is found out what an input is that is not in this format, for the sentence that refuses it.
    pub fn looking_like(self, looks_like: LooksLike) -> Format {
        Format { looks_like, ..self }
    }

    /// Learns what must be known before the input's records are read: afterwards this is the format of the input.
    pub(crate) fn settle(&mut self, beginning: &mut dyn Beginning) -> Result<()> {
        while let Some(other) = self.begin(beginning)? {
            self.reader = other.reader;
        }
        Ok(())
    }

    /// Describes `source`, which begins with `first` and does not look like this format, and says what to do: a clause.
    pub fn instead(&self, first: &[u8], source: &str) -> Option<String> {
        (self.looks_like)(first, self.name())
            .map(|found| format!("it looks like {}: {}", found.what, found.advice_for(source)))
    }

    /// The sentence for an input in which no record has a field of this name.
    pub fn no_record_has(&self, name: &str, first: &[u8], source: &str) -> Error {
        let members = members_of_first(first);
        let mut known = members.clone();
        known.extend(members_within_first(first));
        let (names, meant) = (fields::list(&members), fields::meant(name.as_bytes(), &known));
        Error::usage(format!(
            "no record of {source} has a member {name:?}{meant}: the members of the first are {names}"
        ))
    }
}

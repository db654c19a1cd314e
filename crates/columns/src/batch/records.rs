//! Records with fields, as the reader of a format finds them in a chunk: the interface between the formats' readers,
//! which locate the fields, and the kernels, which split the URIs in them in place.

use arrow_buffer::Buffer;
use urimill_uri::simd::{PADDING, Span};

use super::extra::{Cell, Kind, Remap, client, micros_text, time_text};
use super::places::{Places, Text};

/// The number of the chunk's own buffer, and that of the unescaped texts.
const READ: u32 = 0;
const UNESCAPED: u32 = 1;

/// The reason why a record has no reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordFault {
    /// It does not have this field, counted from 1; 0 if fields have only names.
    MissingField(u32),
    /// It violates its format from this byte on.
    Malformed(u32),
    /// The URL Standard and the RFC read it differently, and such records are rejected.
    Disagreement,
}

/// How to read the target of a request that is not a URI reference as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetForm {
    /// It is an absolute path, perhaps with a query, although it begins with `//` (RFC 9112, 3.2.1). As a reference it
    /// is written `/.//` (RFC 3986, 4.2).
    AbsolutePath,
    /// It is a host with a port (RFC 9112, 3.2.3). As a reference it has `//` before it.
    Authority,
}

/// The records of one batch, as offsets into a chunk.
#[derive(Debug, Default)]
pub struct Records {
    /// The start of each record in the chunk.
    pub(super) starts: Vec<u32>,
    /// The start of each record in its source, if its position in the chunk does not determine it.
    pub(super) offsets: Vec<u64>,
    /// The number of each record, if its position in the chunk does not determine it.
    pub(super) numbers: Vec<i64>,
    pub(super) references: Places,
    /// One per record if records have bases, else none.
    pub(super) bases: Places,
    /// Whether the bases count only if the options have none, and may be missing. See [`Records::base_by_default`].
    pub(super) are_defaults: bool,
    /// Whether a record's base has precedence over that of the options. See [`Records::base_of_document`].
    pub(super) go_first: bool,
    /// Records whose references are read in another way.
    pub(super) forms: Vec<(u32, TargetForm)>,
    /// Records without a reference, with the reason; their text is the record as read.
    pub(super) record_faults: Vec<(u32, RecordFault)>,
    /// Records that state that they have no reference: rows of nulls.
    pub(super) nulls: Vec<u32>,
    /// See [`Records::saw`].
    pub(super) seen: u64,
    /// NUL bytes before records, which are not part of them.
    pub(super) nul_bytes: u64,
    /// Whether they are lines of a list.
    pub is_list: bool,
    /// See [`Records::pass`].
    pub(super) has_form: bool,
    /// Rows whose records do not have the form of the format, and their positions in the chunk.
    pub(super) format_mismatches: Vec<(u32, Span)>,
    /// The fields that pass through, in row order; the last rows may have none.
    pub(super) cells: Vec<Cell>,
    /// The number of cells of a row, if there are any.
    pub(super) width: usize,
    /// See [`Records::mark_unfinished`].
    pub(super) unfinished: Option<u32>,
    /// The number of records that were [dropped](Records::drop_last).
    pub(super) dropped: u64,
    /// For each blank line the number of records before it.
    pub(super) blank: Vec<u32>,
    unescaped: Vec<u8>,
    base_bytes: usize,
}

impl Records {
    /// Returns the number of records.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Returns whether there are no records.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Removes all records and keeps the memory.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.offsets.clear();
        self.numbers.clear();
        self.references.clear();
        self.bases.clear();
        self.are_defaults = false;
        self.go_first = false;
        self.forms.clear();
        self.record_faults.clear();
        self.nulls.clear();
        self.seen = 0;
        self.nul_bytes = 0;
        self.has_form = false;
        self.is_list = false;
        self.format_mismatches.clear();
        self.cells.clear();
        self.width = 0;
        (self.unfinished, self.dropped) = (None, 0);
        self.blank.clear();
        self.unescaped.clear();
        self.base_bytes = 0;
    }

    /// Adds a record that begins at `start` of the chunk. Either all records of a batch have a base or none.
    #[inline]
    pub fn push(&mut self, start: u32, reference: Text, base: Option<Text>) {
        self.starts.push(start);
        put(&mut self.references, reference);
        if let Some(base) = base {
            put(&mut self.bases, base);
        }
    }

    /// Sets how to read the reference of the last record.
    pub fn read_as(&mut self, form: TargetForm) {
        self.forms.push((self.starts.len() as u32 - 1, form));
    }

    /// Sets the base of the last record, for options without a base. Other records of the batch may have no base:
    /// their references are not resolved.
    pub fn base_by_default(&mut self, base: Text) {
        self.are_defaults = true;
        self.pad_bases(self.starts.len() - 1);
        self.base_bytes += match base {
            Text::Read(span) | Text::Unescaped(span) => span.len as usize,
        };
        put(&mut self.bases, base);
    }

    /// Sets the base of the last record, which has precedence over that of the options. Other records of the batch may
    /// have none: they use that of the options, if there is one.
    pub fn base_of_document(&mut self, base: Text) {
        self.base_by_default(base);
        self.go_first = true;
    }

    fn pad_bases(&mut self, records: usize) {
        while self.bases.spans.len() < records {
            self.bases.push(UNESCAPED, Span { start: 0, len: 0 });
        }
    }

    /// Adds a record (`whole`, without its line end) without `field`, counted from 1, or 0 if fields have only names;
    /// `has_base` as for the others.
    pub fn push_short(&mut self, whole: Span, field: u32, has_base: bool) {
        self.push_lacking(whole, field, has_base);
        self.mark_mismatch(whole);
    }

    /// Adds a record with more fields than the format has, from the byte `at` of it on: which of them is the URI is not
    /// known.
    pub fn push_long(&mut self, whole: Span, at: u32, has_base: bool) {
        self.push_malformed(whole.start, whole, at, has_base);
        self.mark_mismatch(whole);
    }

    /// Adds a record (`whole`) without the field of the reference that nevertheless looks like the format: its fields
    /// have names, and any of them may be missing.
    pub fn push_absent(&mut self, whole: Span, base: Option<Text>) {
        self.record_faults.push((self.starts.len() as u32, RecordFault::MissingField(0)));
        self.push(whole.start, Text::Read(whole), base);
    }

    fn push_lacking(&mut self, whole: Span, field: u32, has_base: bool) {
        self.record_faults.push((self.starts.len() as u32, RecordFault::MissingField(field)));
        let none = Text::Read(Span { start: whole.start, len: 0 });
        self.push(whole.start, Text::Read(whole), has_base.then_some(none));
    }

    /// Adds a record that begins at `start` and whose field for the reference states that there is none; `base` as for
    /// the others.
    pub fn push_null(&mut self, start: u32, base: Option<Text>) {
        self.nulls.push(self.starts.len() as u32);
        self.push(start, Text::Read(Span { start, len: 0 }), base);
    }

    /// Records which of the fields asked for by name the last record has, one bit each: a name that no record has is
    /// misspelt.
    #[inline]
    pub fn saw(&mut self, fields: u64) {
        self.seen |= fields;
    }

    /// Counts NUL bytes before a record, which are not part of it.
    pub fn pass_nul_bytes(&mut self, count: usize) {
        self.nul_bytes += count as u64;
    }

    /// Adds a record that begins at `start` and violates the format: `text` replaces its reference, and `at` is the
    /// offset of the fault in it; `has_base` as for the others.
    pub fn push_malformed(&mut self, start: u32, text: Span, at: u32, has_base: bool) {
        self.record_faults.push((self.starts.len() as u32, RecordFault::Malformed(at)));
        let none = Text::Read(Span { start, len: 0 });
        self.push(start, Text::Read(text), has_base.then_some(none));
    }

    /// The same for a `text` that is not the whole record.
    pub fn push_malformed_text(&mut self, start: u32, text: Text, at: u32, has_base: bool) {
        self.record_faults.push((self.starts.len() as u32, RecordFault::Malformed(at)));
        let none = Text::Read(Span { start, len: 0 });
        self.push(start, text, has_base.then_some(none));
    }

    /// The same for a record that is `whole`, which does not have the form of the format.
    pub fn push_misfit(&mut self, whole: Span, at: u32) {
        self.push_malformed(whole.start, whole, at, false);
        self.mark_mismatch(whole);
    }

    /// Returns the bytes of a text; `read` is the chunk.
    pub fn bytes_of<'a>(&'a self, read: &'a [u8], text: Text) -> &'a [u8] {
        let (bytes, span) = match text {
            Text::Read(span) => (read, span),
            Text::Unescaped(span) => (&self.unescaped[..], span),
        };
        &bytes[span.start as usize..][..span.len as usize]
    }

    /// Marks the last record, which is `whole`, as not having the form of the format. A source of which this holds for
    /// all records has another one.
    pub fn mark_mismatch(&mut self, whole: Span) {
        self.format_mismatches.push((self.starts.len() as u32 - 1, whole));
    }

    /// Marks the last record as one that may be cut off: the source ends within its line.
    pub fn mark_unfinished(&mut self) {
        self.unfinished = self.starts.len().checked_sub(1).map(|row| row as u32);
    }

    /// Removes the last record; the rest of it counts as a line that is not a record.
    pub fn drop_last(&mut self) {
        let Some(rows) = self.starts.len().checked_sub(1) else { return };
        let row = rows as u32;
        self.starts.truncate(rows);
        self.offsets.truncate(rows);
        self.numbers.truncate(rows);
        self.references.truncate(rows);
        self.bases.truncate(rows);
        self.forms.retain(|&(of, _)| of < row);
        self.record_faults.retain(|&(of, _)| of < row);
        self.nulls.retain(|&of| of < row);
        self.format_mismatches.retain(|&(of, _)| of < row);
        self.cells.truncate(rows * self.width);
        self.dropped += 1;
        self.push_blank();
    }

    /// The start of the last record in the chunk, and whether it violates its format.
    pub fn last(&self) -> Option<(u32, bool)> {
        let row = self.starts.len().checked_sub(1)?;
        let is_faulty = self.record_faults.last().is_some_and(|&(of, _)| of as usize == row);
        Some((self.starts[row], is_faulty))
    }

    /// Sets the start of the last record in its source, decompressed. For chunks that leave out bytes between records;
    /// such chunks must set it for every record.
    #[inline]
    pub fn place(&mut self, offset: u64) {
        self.offsets.push(offset);
    }

    /// Sets the number of the last record, if several come from one record of the source; such chunks must set it for
    /// every record.
    #[inline]
    pub fn number(&mut self, number: i64) {
        self.numbers.push(number);
    }

    /// The number of bytes of texts that were written, and of the records' bases.
    pub fn bytes(&self) -> usize {
        self.unescaped.len() + self.base_bytes
    }

    /// Sets the fields of the last record that pass through, the same number for each record. A record without this
    /// call has none.
    #[inline]
    pub fn keep(&mut self, cells: impl ExactSizeIterator<Item = Cell>) {
        let before = (self.starts.len() - 1) * cells.len();
        if self.cells.len() < before {
            self.cells.resize(before, Cell::NULL);
        }
        self.width = cells.len();
        self.cells.extend(cells);
    }

    /// Moves the fields of the records into the columns of a table that has more; `read` is the chunk.
    pub fn remap(&mut self, remap: &Remap, read: &[u8]) {
        if self.width == 0 {
            return;
        }
        let own = self.width;
        self.cells.resize(self.starts.len() * own, Cell::NULL);
        let cells = std::mem::take(&mut self.cells);
        let mut remapped = Vec::with_capacity(self.starts.len() * remap.0.len());
        for row in cells.chunks_exact(own) {
            for &place in &*remap.0 {
                remapped.push(match place {
                    None => Cell::NULL,
                    Some((at, None)) => row[at],
                    Some((at, Some(kind))) => self.as_any(row[at], kind, read),
                });
            }
        }
        (self.cells, self.width) = (remapped, remap.0.len());
    }

    /// Converts a field of this kind to the form of a table that holds other formats too.
    fn as_any(&mut self, cell: Cell, kind: Kind, read: &[u8]) -> Cell {
        let Some((buffer, start, len)) = cell.place() else { return cell };
        let bytes = if buffer == READ { read } else { &self.unescaped[..] };
        let text = &bytes[start as usize..][..len as usize];
        let text = match kind {
            Kind::Micros(unit) => micros_text(text, unit),
            Kind::Time(form) => Some(time_text(text, form)),
            Kind::Address | Kind::Client => {
                return match (client(text, kind == Kind::Client), cell.text()) {
                    (Ok(Some((from, len))), Some(whole)) => whole.part(from, len).into(),
                    (Ok(_), _) => Cell::NULL,
                    (Err(_), _) => Cell::NO_ADDRESS,
                };
            }
            _ => return cell,
        };
        match text {
            None => Cell::NULL,
            Some(text) => self.unescape(|out| out.extend_from_slice(text.as_bytes())).into(),
        }
    }

    /// Adds a line that is not a record.
    pub fn push_blank(&mut self) {
        self.blank.push(self.starts.len() as u32);
    }

    /// The same for a line that has the form of the format nevertheless: it proves that the source is in it.
    pub fn pass(&mut self) {
        self.has_form = true;
        self.push_blank();
    }

    /// Adds a text that differs from its form in the chunk: `write` appends it.
    pub fn unescape(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Text {
        let start = self.unescaped.len();
        write(&mut self.unescaped);
        Text::Unescaped(Span { start: start as u32, len: (self.unescaped.len() - start) as u32 })
    }

    /// The text of the only record, if it is its reference and not the whole of a malformed one; `read` is the chunk.
    pub fn only_reference<'a>(&'a self, read: &'a [u8]) -> Option<&'a [u8]> {
        let is_one = self.len() == 1 && self.record_faults.is_empty() && self.nulls.is_empty();
        self.references(read).next().filter(|_| is_one)
    }

    /// Returns the references as the format's reader found them in the chunk `read`.
    pub fn references<'a>(&'a self, read: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let mut from = 0;
        self.references.runs.iter().flat_map(move |&(buffer, to)| {
            let bytes = if buffer == READ { read } else { &self.unescaped[..] };
            let spans = &self.references.spans[std::mem::replace(&mut from, to)..to];
            spans.iter().map(move |span| &bytes[span.start as usize..][..span.len as usize])
        })
    }

    /// Sets the buffers of the texts, once all texts are known.
    pub(super) fn seal(&mut self, chunk: &Buffer, width: usize) {
        self.cells.resize(self.starts.len() * width, Cell::NULL);
        if self.are_defaults {
            self.pad_bases(self.starts.len());
        }
        self.references.buffers.push(chunk.clone());
        if !self.unescaped.is_empty() {
            self.unescaped.resize(self.unescaped.len() + PADDING, 0);
            self.references.buffers.push(Buffer::from_vec(std::mem::take(&mut self.unescaped)));
        }
        self.bases.buffers.clone_from(&self.references.buffers);
    }
}

#[inline]
fn put(places: &mut Places, text: Text) {
    match text {
        Text::Read(span) => places.push(READ, span),
        Text::Unescaped(span) => places.push(UNESCAPED, span),
    }
}

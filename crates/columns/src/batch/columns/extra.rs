//! Cells to columns. A text's column is views into the input; numbers and times are parsed in place.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, Int32Array, Int64Array, TimestampMillisecondArray, new_null_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::DataType;

use super::Memories;
use crate::batch::extra::values::{Fault, client, duration, int32, int64, micros, numbered, time};
use crate::batch::extra::{Cell, ExtraColumns, ExtraField, Kind};
use crate::batch::views::{FieldBuffers, FieldTexts};

/// The columns of `extra` that are read from records, with this many rows, and last the column of faults. `cells` are
/// in row order; without cells all values are null. `buffers` are the input and, if there are any, the unescaped texts.
/// The record of the row `unfinished` may be cut off.
pub(crate) fn columns(
    extra: &ExtraColumns,
    (cells, unfinished): (&[Cell], Option<u32>),
    buffers: &[Buffer],
    count: usize,
    memories: &Memories,
) -> Vec<ArrayRef> {
    if extra.width() == 0 {
        return Vec::new();
    }
    if cells.is_empty() && unfinished.is_none() {
        let types = extra.fields().iter().map(|field| field.kind.data_type());
        return types.chain([DataType::Utf8View]).map(|kind| new_null_array(&kind, count)).collect();
    }
    let mut texts = FieldTexts::new(buffers);
    let contents = buffers.iter().map(Buffer::as_slice).collect();
    let mut reader =
        Reader { cells, width: extra.width(), contents, faults: Vec::new(), counts: Vec::new(), count };
    let open = |field: &ExtraField| OpenColumn::new(field.kind, count, memories);
    let mut columns: Vec<OpenColumn> = extra.fields().iter().map(open).collect();
    // The cells of some rows, and their text, stay in the processor's cache for all columns.
    let rows = (CACHED_CELLS / extra.width()).clamp(FEWEST_ROWS, count.max(FEWEST_ROWS));
    for from in (0..count).step_by(rows) {
        let to = count.min(from + rows);
        for (at, column) in columns.iter_mut().enumerate() {
            for first in (from..to).step_by(WORD) {
                column.fill(at, (first, to.min(first + WORD)), &mut reader, &mut texts);
            }
        }
    }
    let faults = reader.fault_column(extra, unfinished, count);
    // All texts share their buffers, and the last buffer is complete only now.
    let texts = texts.finish();
    columns.into_iter().map(|column| column.finish(count, memories, &texts)).chain([faults]).collect()
}

/// At most this many faults of a row are named, the others are counted: a row of thousands of columns may be empty.
const MOST_NAMED: usize = 100;

/// Cells become values in groups of rows: about `CACHED_CELLS` of them in a group, but at least `FEWEST_ROWS` rows.
const CACHED_CELLS: usize = 4096;
const FEWEST_ROWS: usize = 16;
/// Rows whose validity is one word.
const WORD: usize = u64::BITS as usize;

/// A column to which rows are added.
struct OpenColumn {
    kind: Kind,
    values: Values,
    valid: Valid,
}

/// The values of a column, one for each row.
enum Values {
    Views(Vec<u128>),
    Integers(Vec<i32>),
    Longs(Vec<i64>),
}

impl OpenColumn {
    fn new(kind: Kind, count: usize, memories: &Memories) -> OpenColumn {
        let values = match kind {
            Kind::Text | Kind::Address | Kind::Client => Values::Views(memories.views.values(count)),
            Kind::Int32 | Kind::Numbered => Values::Integers(memories.integers.values(count)),
            Kind::Int64 | Kind::Duration | Kind::Micros(_) | Kind::Time(_) => {
                Values::Longs(memories.longs.values(count))
            }
        };
        OpenColumn { kind, values, valid: Valid::default() }
    }

    /// Adds at most [`WORD`] rows; the column is the one of the cells `at`.
    fn fill(&mut self, at: usize, rows: (usize, usize), reader: &mut Reader<'_>, texts: &mut FieldTexts<'_>) {
        let valid = &mut self.valid;
        // Few sources have all fields of their format.
        if reader.are_null(at, rows) {
            match &mut self.values {
                Values::Views(views) => views[rows.0..rows.1].fill(0),
                Values::Integers(values) => values[rows.0..rows.1].fill(0),
                Values::Longs(values) => values[rows.0..rows.1].fill(0),
            }
            return valid.push(0, rows.1 - rows.0);
        }
        match (&mut self.values, self.kind) {
            (Values::Views(views), Kind::Text) => reader.texts(at, rows, views, valid, texts),
            (Values::Views(views), kind) => {
                reader.addresses(at, rows, (views, valid), kind == Kind::Client, texts);
            }
            (Values::Integers(values), Kind::Numbered) => {
                reader.parse(at, rows, values, valid, |text| numbered(text).map(Some));
            }
            (Values::Integers(values), _) => {
                reader.parse(at, rows, values, valid, |text| int32(text).map(Some));
            }
            (Values::Longs(values), Kind::Duration) => reader.parse(at, rows, values, valid, duration),
            (Values::Longs(values), Kind::Micros(unit)) => {
                reader.parse(at, rows, values, valid, |text| micros(text, unit));
            }
            (Values::Longs(values), Kind::Time(form)) => {
                reader.parse(at, rows, values, valid, |text| time(text, form).map(Some));
            }
            (Values::Longs(values), _) => {
                reader.parse(at, rows, values, valid, |text| int64(text).map(Some));
            }
        }
    }

    fn finish(self, count: usize, memories: &Memories, texts: &FieldBuffers) -> ArrayRef {
        let nulls = self.valid.finish(count);
        match (self.values, self.kind) {
            (Values::Views(views), _) => Arc::new(texts.strings(memories.views.of(views, count), nulls)),
            (Values::Integers(values), _) => {
                Arc::new(Int32Array::new(memories.integers.of(values, count), nulls))
            }
            (Values::Longs(values), Kind::Time(_)) => {
                let values = memories.longs.of(values, count);
                Arc::new(TimestampMillisecondArray::new(values, nulls).with_timezone("UTC"))
            }
            (Values::Longs(values), _) => Arc::new(Int64Array::new(memories.longs.of(values, count), nulls)),
        }
    }
}

struct Reader<'a> {
    cells: &'a [Cell],
    /// The number of cells of a row.
    width: usize,
    /// The buffers' bytes.
    contents: Vec<&'a [u8]>,
    /// By groups of rows, then by column: the row, the column and the fault.
    faults: Vec<(u32, u32, Fault)>,
    /// The number of faults of each row, listed or not; empty where no row has one.
    counts: Vec<u32>,
    /// The number of rows.
    count: usize,
}

impl Reader<'_> {
    /// Adds a fault of a row, of which few have one. Only the first are listed: a row may lack thousands of fields.
    #[cold]
    fn fault(&mut self, row: usize, at: usize, fault: Fault) {
        self.counts.resize(self.count, 0);
        self.counts[row] += 1;
        if self.counts[row] as usize <= MOST_NAMED {
            self.faults.push((row as u32, at as u32, fault));
        }
    }

    /// Whether all these rows lack the column `at`.
    fn are_null(&self, at: usize, (from, to): (usize, usize)) -> bool {
        let cells = self.cells.get(from * self.width + at..to * self.width).unwrap_or_default();
        cells.iter().step_by(self.width).all(|&cell| cell == Cell::NULL)
    }

    /// Gives each row and its cell of the column `at` to `value`, which says whether the row has a value.
    #[inline(always)]
    fn each(
        &mut self,
        at: usize,
        (from, to): (usize, usize),
        valid: &mut Valid,
        mut value: impl FnMut(&mut Self, usize, Cell) -> bool,
    ) {
        let cells = self.cells;
        let (mut place, mut word) = (from * self.width + at, 0);
        for row in from..to {
            let Some(&cell) = cells.get(place) else { break };
            word |= u64::from(value(self, row, cell)) << (row - from);
            place += self.width;
        }
        valid.push(word, to - from);
    }

    /// The values of one field, 0 where there is none.
    #[inline]
    fn parse<T: Default>(
        &mut self,
        at: usize,
        rows: (usize, usize),
        values: &mut [T],
        valid: &mut Valid,
        parse: impl Fn(&[u8]) -> Result<Option<T>, Fault>,
    ) {
        self.each(at, rows, valid, |reader, row, cell| {
            let parsed = match cell.place() {
                Some(place) => parse(reader.text(place)),
                None => cell.absent(),
            };
            let value = parsed.unwrap_or_else(|fault| {
                reader.fault(row, at, fault);
                None
            });
            let is_valid = value.is_some();
            values[row] = value.unwrap_or_default();
            is_valid
        });
    }

    fn texts(
        &mut self,
        at: usize,
        rows: (usize, usize),
        views: &mut [u128],
        valid: &mut Valid,
        texts: &mut FieldTexts<'_>,
    ) {
        self.each(at, rows, valid, |reader, row, cell| {
            let Some(place) = cell.place() else {
                views[row] = 0;
                if let Err(fault) = cell.absent::<()>() {
                    reader.fault(row, at, fault);
                }
                return false;
            };
            let (view, is_utf8) = texts.view(place);
            views[row] = view;
            if !is_utf8 {
                reader.fault(row, at, Fault::NotUtf8);
            }
            true
        });
    }

    /// The addresses of one field, or names where they are allowed, without quotes and brackets.
    fn addresses(
        &mut self,
        at: usize,
        rows: (usize, usize),
        (views, valid): (&mut [u128], &mut Valid),
        may_be_name: bool,
        texts: &mut FieldTexts<'_>,
    ) {
        self.each(at, rows, valid, |reader, row, cell| {
            let found = match cell.place() {
                Some((buffer, start, len)) => {
                    let found = client(reader.text((buffer, start, len)), may_be_name);
                    found.map(|found| found.map(|(begin, len)| texts.view((buffer, start + begin, len)).0))
                }
                None => cell.absent(),
            };
            let view = found.unwrap_or_else(|fault| {
                reader.fault(row, at, fault);
                None
            });
            views[row] = view.unwrap_or_default();
            view.is_some()
        });
    }

    /// The text of a buffer, an offset and a length.
    #[inline(always)]
    fn text(&self, (buffer, start, len): (u32, u32, u32)) -> &[u8] {
        &self.contents[buffer as usize][start as usize..][..len as usize]
    }

    /// `status:not_a_number,time:missing`, and `unfinished` if the record may be cut off; null without a fault.
    fn fault_column(&mut self, extra: &ExtraColumns, unfinished: Option<u32>, count: usize) -> ArrayRef {
        // A fault of a whole record comes after those of its columns.
        self.faults.extend(unfinished.map(|row| (row, extra.width() as u32, Fault::Unfinished)));
        if self.faults.is_empty() {
            return new_null_array(&DataType::Utf8View, count);
        }
        // Stable: within a row they stay in the order of the columns.
        self.faults.sort_by_key(|&(row, ..)| row);
        let mut column = StringViewBuilder::with_capacity(count);
        let mut nulls = 0;
        for faults in self.faults.chunk_by(|a, b| a.0 == b.0) {
            let row = faults[0].0 as usize;
            (nulls..row).for_each(|_| column.append_null());
            nulls = row + 1;
            let named = faults.iter().map(|&(_, at, fault)| match extra.fields().get(at as usize) {
                Some(field) => format!("{}:{}", field.name, fault.as_str()),
                None => fault.as_str().to_owned(),
            });
            let mut list = named.collect::<Vec<_>>().join(",");
            let all = self.counts.get(row).map_or(0, |&count| count as usize);
            if all > faults.len() {
                list.push_str(&format!(",and {} more", all - faults.len()));
            }
            column.append_value(list);
        }
        (nulls..count).for_each(|_| column.append_null());
        Arc::new(column.finish())
    }
}

impl Cell {
    /// For a cell without text: null, or the fault that the text is missing.
    fn absent<T>(self) -> Result<Option<T>, Fault> {
        match self {
            Cell::MISSING => Err(Fault::Missing),
            Cell::TOO_LONG => Err(Fault::TooLong),
            Cell::NO_ADDRESS => Err(Fault::NotAnAddress),
            Cell::MALFORMED => Err(Fault::Malformed),
            _ => Ok(None),
        }
    }
}

/// A bitmap of the rows, filled in order.
#[derive(Default)]
struct Valid {
    words: Vec<u64>,
    /// The word of the last rows, and how many rows it has, fewer than 64.
    word: u64,
    rows: usize,
}

impl Valid {
    /// Adds at most [`WORD`] rows, of which `word` has a bit each.
    #[inline]
    fn push(&mut self, word: u64, rows: usize) {
        self.word |= word << self.rows;
        self.rows += rows;
        if self.rows >= WORD {
            self.words.push(self.word);
            self.rows -= WORD;
            self.word = word.checked_shr((rows - self.rows) as u32).unwrap_or(0);
        }
    }

    fn finish(mut self, count: usize) -> Option<NullBuffer> {
        self.words.push(self.word);
        let nulls = NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(self.words), 0, count));
        Some(nulls).filter(|nulls| nulls.null_count() > 0)
    }
}

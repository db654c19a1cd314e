//! Cells to columns. A text's column is views into what was read; numbers and times are parsed where they lie.

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
/// in row order; without any, all values are null. `buffers` are the input and, if any, the unescaped texts. The record of
/// the row `unfinished` may be cut.
pub(in crate::batch) fn columns(
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
    let mut reader =
        Reader { cells, width: extra.width(), buffers, faults: Vec::new(), counts: Vec::new(), count };
    let open = |field: &ExtraField| OpenColumn::new(field.kind, count, memories);
    let mut columns: Vec<OpenColumn> = extra.fields().iter().map(open).collect();
    // The cells of some rows, and the text that they lie in, stay in the processor's cache for all columns.
    let rows = (CACHED_CELLS / extra.width()).clamp(FEWEST_ROWS, count.max(FEWEST_ROWS));
    for from in (0..count).step_by(rows) {
        let to = count.min(from + rows);
        for (at, column) in columns.iter_mut().enumerate() {
            column.fill(at, (from, to), &mut reader, &mut texts);
        }
    }
    let faults = reader.fault_column(extra, unfinished, count);
    // All texts share their buffers, and the last of these is complete only now.
    let texts = texts.finish();
    columns.into_iter().map(|column| column.finish(count, memories, &texts)).chain([faults]).collect()
}

/// At most this many faults of a row are named, the others are counted: a row of thousands of columns may be empty.
const MOST_NAMED: usize = 100;

/// Cells become values in groups of rows: about `CACHED_CELLS` of them in a group, but at least `FEWEST_ROWS` rows.
const CACHED_CELLS: usize = 4096;
const FEWEST_ROWS: usize = 16;

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

    /// Adds rows; the column is the one of the cells `at`.
    fn fill(&mut self, at: usize, rows: (usize, usize), reader: &mut Reader<'_>, texts: &mut FieldTexts<'_>) {
        let valid = &mut self.valid;
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
    buffers: &'a [Buffer],
    /// By groups of rows, then by column: the row, the column and what is wrong.
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

    /// The values of one field, 0 where there is none.
    #[inline]
    fn parse<T: Default>(
        &mut self,
        at: usize,
        (from, to): (usize, usize),
        values: &mut [T],
        valid: &mut Valid,
        parse: impl Fn(&[u8]) -> Result<Option<T>, Fault>,
    ) {
        let cells = self.cells[from * self.width..].chunks_exact(self.width);
        for ((row, slot), cells) in (from..to).zip(&mut values[from..to]).zip(cells) {
            let cell = cells[at];
            let parsed = match cell.place() {
                Some((buffer, start, len)) => {
                    parse(&self.buffers[buffer as usize].as_slice()[start as usize..][..len as usize])
                }
                None => cell.absent(),
            };
            let value = parsed.unwrap_or_else(|fault| {
                self.fault(row, at, fault);
                None
            });
            valid.push(row, value.is_some());
            *slot = value.unwrap_or_default();
        }
    }

    fn texts(
        &mut self,
        at: usize,
        (from, to): (usize, usize),
        views: &mut [u128],
        valid: &mut Valid,
        texts: &mut FieldTexts<'_>,
    ) {
        let cells = self.cells[from * self.width..].chunks_exact(self.width);
        for ((row, slot), cells) in (from..to).zip(&mut views[from..to]).zip(cells) {
            let cell = cells[at];
            let fault = match cell.place() {
                Some(place) => {
                    let (view, is_utf8) = texts.view(place);
                    *slot = view;
                    valid.push(row, true);
                    if is_utf8 {
                        continue;
                    }
                    Fault::NotUtf8
                }
                None => {
                    *slot = 0;
                    valid.push(row, false);
                    match cell.absent::<()>() {
                        Ok(_) => continue,
                        Err(fault) => fault,
                    }
                }
            };
            self.fault(row, at, fault);
        }
    }

    /// The addresses of one field, or names where they are allowed, without quotes and brackets.
    fn addresses(
        &mut self,
        at: usize,
        (from, to): (usize, usize),
        (views, valid): (&mut [u128], &mut Valid),
        may_be_name: bool,
        texts: &mut FieldTexts<'_>,
    ) {
        let cells = self.cells[from * self.width..].chunks_exact(self.width);
        for ((row, slot), cells) in (from..to).zip(&mut views[from..to]).zip(cells) {
            let found = match cells[at].place() {
                Some((buffer, start, len)) => {
                    let text = &self.buffers[buffer as usize].as_slice()[start as usize..][..len as usize];
                    let found = client(text, may_be_name);
                    found.map(|found| found.map(|(begin, len)| texts.view((buffer, start + begin, len)).0))
                }
                None => cells[at].absent(),
            };
            let view = found.unwrap_or_else(|fault| {
                self.fault(row, at, fault);
                None
            });
            valid.push(row, view.is_some());
            *slot = view.unwrap_or_default();
        }
    }

    /// `status:not_a_number,time:missing`, and `unfinished` where the record may be cut; null where nothing is wrong.
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
    /// The word of the last rows.
    word: u64,
}

impl Valid {
    #[inline]
    fn push(&mut self, row: usize, is_valid: bool) {
        self.word |= u64::from(is_valid) << (row % 64);
        if row % 64 == 63 {
            self.words.push(std::mem::take(&mut self.word));
        }
    }

    fn finish(mut self, count: usize) -> Option<NullBuffer> {
        self.words.push(self.word);
        let nulls = NullBuffer::new(BooleanBuffer::new(Buffer::from_vec(self.words), 0, count));
        Some(nulls).filter(|nulls| nulls.null_count() > 0)
    }
}

//! Cells to columns. A text's column is views into what was read; numbers and times are parsed where they lie.

use std::sync::Arc;

use arrow_array::builder::StringViewBuilder;
use arrow_array::{ArrayRef, Int32Array, Int64Array, TimestampMillisecondArray, new_null_array};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::DataType;

use super::Memories;
use crate::batch::extra::values::{Fault, duration, int32, int64, micros, numbered, time};
use crate::batch::extra::{Cell, ExtraColumns, Kind};
use crate::batch::views::FieldTexts;

/// The columns of `extra` that are read from records, with this many rows, and last the column of faults. `cells` are
/// in row order; without any, all values are null. `buffers` are the input and, if any, the unescaped texts.
pub(in crate::batch) fn columns(
    extra: &ExtraColumns,
    cells: &[Cell],
    buffers: &[Buffer],
    count: usize,
    memories: &Memories,
) -> Vec<ArrayRef> {
    if extra.width() == 0 {
        return Vec::new();
    }
    if cells.is_empty() {
        let types = extra.fields().iter().map(|field| field.kind.data_type());
        return types.chain([DataType::Utf8View]).map(|kind| new_null_array(&kind, count)).collect();
    }
    let mut texts = FieldTexts::new(buffers);
    let mut builder =
        ColumnBuilder { cells, width: extra.width(), count, buffers, memories, faults: Vec::new() };
    let made: Vec<Made> = extra
        .fields()
        .iter()
        .enumerate()
        .map(|(at, field)| builder.column(at, field.kind, &mut texts))
        .collect();
    let faults = builder.fault_column(extra);
    // All texts share their buffers, and the last of these is complete only now.
    let texts = texts.finish();
    let arrays = made.into_iter().map(|made| match made {
        Made::Array(array) => array,
        Made::Views(views, nulls) => Arc::new(texts.strings(views, nulls)),
    });
    arrays.chain([faults]).collect()
}

/// At most this many faults of a row are named, the others are counted: a row of thousands of columns may be empty.
const MOST_NAMED: usize = 100;

enum Made {
    Array(ArrayRef),
    Views(ScalarBuffer<u128>, Option<NullBuffer>),
}

struct ColumnBuilder<'a> {
    cells: &'a [Cell],
    /// The number of cells of a row.
    width: usize,
    count: usize,
    buffers: &'a [Buffer],
    memories: &'a Memories,
    /// By column, then by row: the row, the column and what is wrong.
    faults: Vec<(u32, u32, Fault)>,
}

impl ColumnBuilder<'_> {
    fn column(&mut self, at: usize, kind: Kind, texts: &mut FieldTexts<'_>) -> Made {
        let memories = self.memories;
        Made::Array(match kind {
            Kind::Text => return self.texts(at, texts),
            Kind::Int32 | Kind::Numbered => {
                let parse = if kind == Kind::Int32 { int32 } else { numbered };
                let (mut valid, count) = (Valid::default(), self.count);
                let values = memories.integers.column(count, |slots| {
                    self.parse(at, slots, &mut valid, |text| parse(text).map(Some));
                });
                Arc::new(Int32Array::new(values, valid.finish(count)))
            }
            Kind::Int64 => {
                let (values, nulls) = self.longs(at, |text| int64(text).map(Some));
                Arc::new(Int64Array::new(values, nulls))
            }
            Kind::Duration => {
                let (values, nulls) = self.longs(at, duration);
                Arc::new(Int64Array::new(values, nulls))
            }
            Kind::Micros(unit) => {
                let (values, nulls) = self.longs(at, |text| micros(text, unit));
                Arc::new(Int64Array::new(values, nulls))
            }
            Kind::Time(form) => {
                let (values, nulls) = self.longs(at, |text| time(text, form).map(Some));
                Arc::new(TimestampMillisecondArray::new(values, nulls).with_timezone("UTC"))
            }
        })
    }

    fn longs(
        &mut self,
        at: usize,
        parse: impl Fn(&[u8]) -> Result<Option<i64>, Fault>,
    ) -> (ScalarBuffer<i64>, Option<NullBuffer>) {
        let (mut valid, count) = (Valid::default(), self.count);
        let memories = self.memories;
        let values = memories.longs.column(count, |slots| self.parse(at, slots, &mut valid, parse));
        (values, valid.finish(count))
    }

    /// The values of one field, 0 where there is none.
    fn parse<T: Default>(
        &mut self,
        at: usize,
        slots: &mut [T],
        valid: &mut Valid,
        parse: impl Fn(&[u8]) -> Result<Option<T>, Fault>,
    ) {
        for (row, slot) in slots.iter_mut().enumerate() {
            let cell = self.cells[row * self.width + at];
            let parsed = match cell.place() {
                Some((buffer, start, len)) => {
                    parse(&self.buffers[buffer as usize].as_slice()[start as usize..][..len as usize])
                }
                None => cell.absent(),
            };
            let value = parsed.unwrap_or_else(|fault| {
                self.faults.push((row as u32, at as u32, fault));
                None
            });
            valid.push(row, value.is_some());
            *slot = value.unwrap_or_default();
        }
    }

    fn texts(&mut self, at: usize, texts: &mut FieldTexts<'_>) -> Made {
        let mut valid = Valid::default();
        let views = self.memories.views.column(self.count, |slots| {
            for (row, slot) in slots.iter_mut().enumerate() {
                let cell = self.cells[row * self.width + at];
                let place = cell.place();
                let (view, fault) = match place {
                    Some(place) => match texts.view(place) {
                        (view, true) => (view, None),
                        (view, false) => (view, Some(Fault::NotUtf8)),
                    },
                    None => (0, cell.absent::<()>().err()),
                };
                *slot = view;
                valid.push(row, place.is_some());
                self.faults.extend(fault.map(|fault| (row as u32, at as u32, fault)));
            }
        });
        Made::Views(views, valid.finish(self.count))
    }

    /// `status:not_a_number,time:missing`; null where nothing is wrong.
    fn fault_column(&mut self, extra: &ExtraColumns) -> ArrayRef {
        if self.faults.is_empty() {
            return new_null_array(&DataType::Utf8View, self.count);
        }
        // Stable: within a row they stay in the order of the columns.
        self.faults.sort_by_key(|&(row, ..)| row);
        let mut column = StringViewBuilder::with_capacity(self.count);
        let mut nulls = 0;
        for faults in self.faults.chunk_by(|a, b| a.0 == b.0) {
            let row = faults[0].0 as usize;
            (nulls..row).for_each(|_| column.append_null());
            nulls = row + 1;
            let named = faults
                .iter()
                .map(|&(_, at, fault)| format!("{}:{}", extra.fields()[at as usize].name, fault.as_str()));
            let mut list = named.take(MOST_NAMED).collect::<Vec<_>>().join(",");
            if faults.len() > MOST_NAMED {
                list.push_str(&format!(",and {} more", faults.len() - MOST_NAMED));
            }
            column.append_value(list);
        }
        (nulls..self.count).for_each(|_| column.append_null());
        Arc::new(column.finish())
    }
}

impl Cell {
    /// For a cell without text: null, or the fault that the text is missing.
    fn absent<T>(self) -> Result<Option<T>, Fault> {
        match self {
            Cell::MISSING => Err(Fault::Missing),
            Cell::TOO_LONG => Err(Fault::TooLong),
            _ => Ok(None),
        }
    }
}

/// A bitmap of the rows, filled in order.
#[derive(Default)]
struct Valid {
    words: Vec<u64>,
    nulls: usize,
}

impl Valid {
    #[inline]
    fn push(&mut self, row: usize, is_valid: bool) {
        if row.is_multiple_of(64) {
            self.words.push(0);
        }
        self.words[row / 64] |= u64::from(is_valid) << (row % 64);
        self.nulls += usize::from(!is_valid);
    }

    fn finish(self, count: usize) -> Option<NullBuffer> {
        let bits = || BooleanBuffer::new(Buffer::from_vec(self.words), 0, count);
        (self.nulls > 0).then(|| NullBuffer::new(bits()))
    }
}

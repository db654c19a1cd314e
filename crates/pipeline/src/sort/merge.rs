//! Reads many pieces and runs as one.

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array, new_null_array};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::interleave::interleave;
use urimill_base::error::Result;

use super::codes::Code;
use super::keys::Keyer;
use super::piece::SortedRows;
use super::runs::{DiskRun, Reader};
use super::{Bounds, internal};
use crate::spill::block::Unpacker;
use crate::spill::file::SpillFile;
use crate::spill::merge::LoserTree;

/// Sorted rows, and the rest that is still on disk.
struct Cursor<'a> {
    /// `None` after the last row.
    piece: Option<SortedRows>,
    row: usize,
    /// The number of the piece in the selection that is being made.
    slot: Option<usize>,
    rest: Option<Reader<'a>>,
}

/// The rows of pieces and runs, in order.
pub(super) struct Merging<'a> {
    cursors: Vec<Cursor<'a>>,
    /// The codes of their rows: each after the row that it was last compared with and that came before it.
    codes: Vec<Code>,
    tree: LoserTree,
    keyer: &'a Keyer,
    numbered: &'a SchemaRef,
    unpacker: Unpacker,
}

/// References to rows of several batches that form one sorted batch.
#[derive(Debug, Default)]
pub struct RowSelection {
    batches: Vec<RecordBatch>,
    /// For each row the number of its batch, and its place there.
    rows: Vec<(usize, usize)>,
    /// The memory of the rows.
    pub(super) memory: usize,
}

impl<'a> Merging<'a> {
    pub(super) fn new(
        pieces: impl IntoIterator<Item = SortedRows>,
        runs: impl IntoIterator<Item = DiskRun>,
        scratch: &'a SpillFile,
        keyer: &'a Keyer,
        numbered: &'a SchemaRef,
    ) -> Result<Self> {
        let unpacker = scratch.unpacker()?;
        let cursor = |piece, rest| Cursor { piece, row: 0, slot: None, rest };
        let pieces = pieces.into_iter().filter(|piece| piece.rows() > 0);
        let tree = LoserTree::new(0, |_, _| false);
        let cursors: Vec<_> = pieces.map(|piece| cursor(Some(piece), None)).collect();
        let codes = Vec::new();
        let mut merging = Merging { cursors, codes, tree, keyer, numbered, unpacker };
        for run in runs {
            let first = merging.cursors.len();
            merging.cursors.push(cursor(None, Some(Reader::new(scratch, run))));
            merging.load(first)?;
        }
        let Merging { cursors, codes, .. } = &mut merging;
        let code = |cursor: &Cursor<'_>| cursor.piece.as_ref().map_or(Code::END, |piece| Code::of(piece, 0));
        *codes = cursors.iter().map(code).collect();
        merging.tree = LoserTree::new(cursors.len(), |a, b| is_before(cursors, codes, a, b));
        Ok(merging)
    }

    /// Rows up to one of the bounds, at least one; `None` if there are no more.
    pub(super) fn next(&mut self, bounds: Bounds) -> Result<Option<RowSelection>> {
        let mut gather = RowSelection::default();
        self.cursors.iter_mut().for_each(|cursor| cursor.slot = None);
        while gather.rows.len() < bounds.rows && gather.memory < bounds.bytes {
            let Some(first) = self.tree.first() else { break };
            let cursor = &mut self.cursors[first];
            let Some(piece) = &cursor.piece else { break };
            let slot = *cursor.slot.get_or_insert_with(|| {
                gather.batches.push(piece.batch.clone());
                gather.batches.len() - 1
            });
            gather.rows.push((slot, cursor.row));
            gather.memory += piece.widths[cursor.row] as usize;
            self.advance(first)?;
        }
        Ok((!gather.rows.is_empty()).then_some(gather))
    }

    /// Advances a cursor to its next row and replays its matches.
    fn advance(&mut self, first: usize) -> Result<()> {
        let cursor = &mut self.cursors[first];
        let row = cursor.row;
        self.codes[first] = match &cursor.piece {
            Some(piece) if row + 1 < piece.rows() => {
                cursor.row += 1;
                Code::after((piece, row), (piece, row + 1))
            }
            _ => {
                let piece = cursor.piece.take();
                self.load(first)?;
                match (&piece, &self.cursors[first].piece) {
                    (Some(piece), Some(next)) => Code::after((piece, row), (next, 0)),
                    _ => Code::END,
                }
            }
        };
        let Merging { cursors, codes, tree, .. } = self;
        tree.replay(first, |a, b| is_before(cursors, codes, a, b));
        Ok(())
    }

    /// The next rows of a cursor, if there are any.
    fn load(&mut self, number: usize) -> Result<()> {
        let cursor = &mut self.cursors[number];
        (cursor.piece, cursor.row, cursor.slot) = (None, 0, None);
        if let Some(rest) = &mut cursor.rest
            && let Some(batch) = rest.next(self.numbered, &mut self.unpacker)?
        {
            cursor.piece = Some(SortedRows::of(batch, self.keyer).map_err(internal)?);
        }
        Ok(())
    }
}

/// Whether the current row of one cursor precedes that of another; the later one's code is that after the earlier one.
#[inline]
fn is_before(cursors: &[Cursor<'_>], codes: &mut [Code], a: usize, b: usize) -> bool {
    if codes[a] == codes[b] { is_before_by_texts(cursors, codes, a, b) } else { codes[a] < codes[b] }
}

fn is_before_by_texts(cursors: &[Cursor<'_>], codes: &mut [Code], a: usize, b: usize) -> bool {
    let row = |number: usize| {
        let cursor: &Cursor<'_> = &cursors[number];
        cursor.piece.as_ref().map(|piece| (piece, cursor.row))
    };
    let (Some(one), Some(two)) = (row(a), row(b)) else { return false };
    let (is_before, code) = codes[a].order(one, two);
    codes[if is_before { b } else { a }] = code;
    is_before
}

impl RowSelection {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The rows as one batch of `schema`, whose columns are the first ones of the pieces.
    pub(super) fn batch(&self, schema: &SchemaRef) -> Result<RecordBatch> {
        self.interleave(schema).map_err(internal)
    }

    fn interleave(&self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let column = |number: usize| -> Result<ArrayRef, ArrowError> {
            let columns = || self.batches.iter().map(|batch| batch.column(number));
            // In most tables several columns have hardly a value.
            if columns().all(|column| column.null_count() == column.len()) {
                return Ok(new_null_array(schema.field(number).data_type(), self.rows.len()));
            }
            let columns: Vec<&dyn Array> = columns().map(|column| column.as_ref()).collect();
            Ok(without_idle_nulls(interleave(&columns, &self.rows)?.as_ref()))
        };
        let columns = (0..schema.fields().len()).map(column).collect::<Result<Vec<_>, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows.len()));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options)
    }
}

/// `array` without validity if nothing is null. Whether it had validity depends on neighbouring rows, and writers may
/// encode the same values differently with it. Array data omit it, also within lists and structs.
fn without_idle_nulls(array: &dyn Array) -> ArrayRef {
    make_array(array.to_data())
}

//! Many pieces and runs read as one: a tree of losers, which finds the next row by comparing it with one row a level.

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array, new_null_array};
use arrow_schema::{ArrowError, SchemaRef};
use arrow_select::interleave::interleave;

use super::keys::{Keyer, compare};
use super::piece::Piece;
use super::runs::{DiskRun, Reader};
use super::scratch::{Scratch, Unpacker};
use super::{Bounds, internal};
use crate::error::Result;

/// Rows in order, with what of them is still to come.
struct Cursor<'a> {
    /// `None` behind the last row.
    piece: Option<Piece>,
    row: usize,
    /// The number of the piece among those of the gather that is being made.
    slot: Option<usize>,
    rest: Option<Reader<'a>>,
}

/// The rows of pieces and runs, in order.
pub(super) struct Merging<'a> {
    cursors: Vec<Cursor<'a>>,
    /// The loser of each match by its place, whose children are at `2 * place` and the one behind; the winner of all
    /// at 0. The cursors stand behind: cursor `n` at `cursors.len() + n`.
    tree: Vec<usize>,
    keyer: &'a Keyer,
    numbered: &'a SchemaRef,
    unpacker: Unpacker,
}

/// References to rows of several batches that form one sorted batch.
#[derive(Debug, Default)]
pub struct Gather {
    batches: Vec<RecordBatch>,
    /// The batch of each row and its place there.
    rows: Vec<(usize, usize)>,
    /// What the rows take in memory.
    pub(super) memory: usize,
}

impl<'a> Merging<'a> {
    pub(super) fn new(
        pieces: impl IntoIterator<Item = Piece>,
        runs: impl IntoIterator<Item = DiskRun>,
        scratch: &'a Scratch,
        keyer: &'a Keyer,
        numbered: &'a SchemaRef,
    ) -> Result<Self> {
        let unpacker = scratch.unpacker()?;
        let mut merging = Merging { cursors: Vec::new(), tree: Vec::new(), keyer, numbered, unpacker };
        let cursor = |piece, rest| Cursor { piece, row: 0, slot: None, rest };
        let pieces = pieces.into_iter().filter(|piece| piece.rows() > 0);
        merging.cursors.extend(pieces.map(|piece| cursor(Some(piece), None)));
        for run in runs {
            let first = merging.cursors.len();
            merging.cursors.push(cursor(None, Some(Reader::new(scratch, run))));
            merging.load(first)?;
        }
        merging.play_all();
        Ok(merging)
    }

    /// All matches, from the cursors up.
    fn play_all(&mut self) {
        let count = self.cursors.len();
        let mut winners = vec![0; 2 * count];
        self.tree = vec![0; count.max(1)];
        (0..count).for_each(|cursor| winners[count + cursor] = cursor);
        for place in (1..count).rev() {
            let (a, b) = (winners[2 * place], winners[2 * place + 1]);
            let (winner, loser) = if self.before(b, a) { (b, a) } else { (a, b) };
            winners[place] = winner;
            self.tree[place] = loser;
        }
        if count > 1 {
            self.tree[0] = winners[1];
        }
    }

    /// Whether cursor `a` stands at an earlier row than `b`. No two rows have the same number.
    #[inline]
    fn before(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.cursors[a], &self.cursors[b]);
        let (Some(one), Some(other)) = (&a.piece, &b.piece) else { return b.piece.is_none() };
        compare(one.keys.get(a.row), other.keys.get(b.row))
            .then_with(|| one.number(a.row).cmp(&other.number(b.row)))
            .is_lt()
    }

    /// Rows up to one of the bounds, one at least; `None` where there are no more.
    pub(super) fn next(&mut self, bounds: Bounds) -> Result<Option<Gather>> {
        let mut gather = Gather::default();
        self.cursors.iter_mut().for_each(|cursor| cursor.slot = None);
        while gather.rows.len() < bounds.rows && gather.memory < bounds.bytes {
            let first = self.tree[0];
            let Some(cursor) = self.cursors.get_mut(first) else { break };
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

    /// Takes a cursor to its next row and plays its matches anew.
    fn advance(&mut self, first: usize) -> Result<()> {
        let cursor = &mut self.cursors[first];
        cursor.row += 1;
        if cursor.piece.as_ref().is_none_or(|piece| cursor.row == piece.rows()) {
            self.load(first)?;
        }
        let mut winner = first;
        let mut place = (self.cursors.len() + first) / 2;
        while place > 0 {
            if self.before(self.tree[place], winner) {
                std::mem::swap(&mut self.tree[place], &mut winner);
            }
            place /= 2;
        }
        self.tree[0] = winner;
        Ok(())
    }

    /// The next rows of a cursor, if there are any.
    fn load(&mut self, number: usize) -> Result<()> {
        let cursor = &mut self.cursors[number];
        (cursor.piece, cursor.row, cursor.slot) = (None, 0, None);
        if let Some(rest) = &mut cursor.rest
            && let Some(batch) = rest.next(self.numbered, &mut self.unpacker)?
        {
            cursor.piece = Some(Piece::of(batch, self.keyer).map_err(internal)?);
        }
        Ok(())
    }
}

impl Gather {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The rows as one batch of `schema`, whose columns are the first of theirs.
    pub(super) fn batch(&self, schema: &SchemaRef) -> Result<RecordBatch> {
        self.interleave(schema).map_err(internal)
    }

    fn interleave(&self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let column = |number: usize| -> Result<ArrayRef, ArrowError> {
            let columns = || self.batches.iter().map(|batch| batch.column(number));
            // Several columns of most tables have hardly a value.
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

/// `array` without validity where nothing is null. Whether there was any depends on the rows that stood beside these,
/// and writers may lay out the same values differently with it. Array data leave it out, of what lists and structs hold
/// too.
fn without_idle_nulls(array: &dyn Array) -> ArrayRef {
    make_array(array.to_data())
}

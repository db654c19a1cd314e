//! Rows of a table as records: one of its columns holds the references, another may hold their bases, and the others
//! pass through.

use arrow_array::{Array, ArrayRef, RecordBatch};
use urimill_base::error::{Error, Result};

use super::places::Places;
use super::records::TargetForm;
use super::{Column, Normalizer, Origin, Tally, arrays};

/// Rows of an input table; the arrays have one length.
#[derive(Debug, Clone)]
pub struct TableRows {
    /// The references, of a type that [`holds_texts`](super::holds_texts) names. A null stays a row of nulls.
    pub uris: ArrayRef,
    /// Rows whose texts are not references as written.
    pub odd: OddRows,
    /// The bases of the references; see [`Normalizer::array_with_bases`].
    pub bases: Option<ArrayRef>,
    /// The columns of [`ExtraColumns::passthrough`](super::ExtraColumns::passthrough).
    pub passthrough: Vec<ArrayRef>,
}

/// Rows of a table whose texts are not references as written, by number, in order.
#[derive(Debug, Clone, Default)]
pub struct OddRows {
    /// Rows that do not have their form, and the offset of the fault in the text.
    pub malformed: Vec<(u32, u32)>,
    /// Targets of requests that are read in another way.
    pub targets: Vec<(u32, TargetForm)>,
}

impl OddRows {
    /// The odd rows among `count` rows from `from` on, which becomes row 0.
    fn slice(&self, from: usize, count: usize) -> OddRows {
        fn of<T: Copy>(rows: &[(u32, T)], from: usize, count: usize) -> Vec<(u32, T)> {
            let within = rows.iter().filter(|(row, _)| (from..from + count).contains(&(*row as usize)));
            within.map(|&(row, what)| (row - from as u32, what)).collect()
        }
        OddRows { malformed: of(&self.malformed, from, count), targets: of(&self.targets, from, count) }
    }
}

/// The result of [`Normalizer::table`].
#[derive(Debug)]
pub struct Taken {
    /// The batch of the rows.
    pub batch: RecordBatch,
    /// The tally of the batch.
    pub tally: Tally,
    /// The first row that was not taken.
    pub next: usize,
    /// Bytes of the references and their bases.
    pub bytes: u64,
}

/// The number of bytes of references and bases that fill a batch, however few rows they are: changed texts are copied,
/// and repair may triple them.
const MOST_BYTES: u64 = 32 << 20;

impl Normalizer {
    /// Turns the rows of a table from `from` on, as many as fit, into a batch. `origin` is that of the first of them;
    /// rows of tables have no `offset`.
    ///
    /// # Errors
    /// Usage: as [`Normalizer::array_with_bases`]; if the columns that pass through are not those of the options; if
    /// the column `offset` is requested.
    pub fn table(&mut self, rows: &TableRows, from: usize, origin: Origin<'_>) -> Result<Taken> {
        if self.options.columns.contains(Column::Offset) {
            return Err(no_offsets());
        }
        let len = rows.uris.len();
        if rows.bases.iter().chain(&rows.passthrough).any(|column| column.len() != len) {
            return Err(Error::usage("the columns of a table differ in length: give them of the same rows"));
        }
        let count = self.most_rows.min(len - from.min(len));
        let uris = rows.uris.slice(from, count);
        let [places, own] = &mut self.places;
        arrays::places(&uris, places)?;
        own.clear();
        if let Some(bases) = &rows.bases {
            arrays::places(&bases.slice(from, count), own)?;
        }
        let (count, bytes) = fitting(places, own);
        places.truncate(count);
        own.truncate(count);

        let nulls = uris.slice(0, count).logical_nulls();
        let own = rows.bases.is_some().then_some(&*own);
        let odd = rows.odd.slice(from, count);
        self.rows.values((&*places, own), nulls, odd, &mut self.bases, &self.options)?;
        self.places.iter_mut().for_each(Places::clear);
        let passthrough: Vec<_> = rows.passthrough.iter().map(|column| column.slice(from, count)).collect();
        let (batch, tally) = self.finish_with(&passthrough, origin)?;
        Ok(Taken { batch, tally, next: from + count, bytes })
    }
}

/// The number of rows that fit in [`MOST_BYTES`], at least one, and their bytes.
fn fitting(references: &Places, bases: &Places) -> (usize, u64) {
    let mut bytes = 0;
    for (row, reference) in references.spans.iter().enumerate() {
        let base = bases.spans.get(row).map_or(0, |base| base.len);
        let more = u64::from(reference.len) + u64::from(base);
        if row > 0 && bytes + more > MOST_BYTES {
            return (row, bytes);
        }
        bytes += more;
    }
    (references.spans.len(), bytes)
}

/// The error for the column `offset` of a table.
pub fn no_offsets() -> Error {
    Error::usage("rows of a table have no byte offset: drop the column offset; record counts the rows")
}

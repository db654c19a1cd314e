//! The checksums that show that a run lost nothing: those of its input and of its outputs. The workers add to them, and
//! `pipeline::UncommittedRun` compares all of them before anything is published.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::RecordBatch;
use urimill_base::error::Result;
use urimill_base::threads::Workers;
use urimill_columns::batch::{Column, Normalizer, Records};
use urimill_read::{Checksum, Chunk, Format as Read, ReadChecksums};
use urimill_uri::passwords::hidden;
use urimill_write::UncommittedOutput;

use super::{OutputVerifier, Value};

/// The columns that together contain the text as read, in the order in which outputs are asked for them.
pub const READBACK_COLUMNS: [Column; 3] = [Column::Uri, Column::Raw, Column::RawBytes];

/// The checksums of a run, for `--verify`.
#[derive(Debug)]
pub struct Verifier {
    checksums: Arc<ReadChecksums>,
    /// `None` if the run writes no rows.
    table: Option<OutputVerifier>,
    rejects: Option<OutputVerifier>,
    moves_unfit: bool,
}

/// The extent of the verification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    /// They hold every record as it was read.
    Records,
    /// They hold the rows made from the records; their columns do not contain all texts as read.
    Rows,
}

impl Verifier {
    /// Creates the checksums for the outputs of a run: the table and the rejects, if they have a table of their own.
    /// The chunker of the run must have the same checksums. `moves_unfit` says whether valid rows may go to the table
    /// of rejects.
    pub(crate) fn of(
        checksums: Arc<ReadChecksums>,
        table: OutputVerifier,
        rejects: Option<OutputVerifier>,
        moves_unfit: bool,
    ) -> Verifier {
        Verifier { checksums, table: Some(table), rejects, moves_unfit }
    }

    /// Creates the checksums of a run without outputs: of its records alone.
    pub fn of_records(checksums: Arc<ReadChecksums>) -> Verifier {
        Verifier { checksums, table: None, rejects: None, moves_unfit: false }
    }

    /// Adds rows of each output that will be written to it.
    pub(crate) fn written(&self, batches: &[RecordBatch]) -> Result<()> {
        let proofs = [self.table.as_ref(), self.rejects.as_ref()].into_iter().flatten();
        proofs.zip(batches).try_for_each(|(proof, batch)| proof.add(batch))
    }

    /// Adds references that a format's reader has found in a chunk.
    pub(crate) fn found(&self, records: &Records, chunk: &Chunk) {
        let mut sum = Checksum::default();
        records.references(&chunk.bytes[..chunk.len]).for_each(|text| sum.add(text));
        self.checksums.found(sum);
    }

    /// Adds a record that a chunk holds only in part.
    pub(crate) fn found_beginning(&self, chunk: &Chunk, format: &Read) {
        // A record of lines was added by the chunker.
        if !format.is_plain_list() {
            let mut sum = Checksum::default();
            sum.add(&chunk.bytes[..chunk.len]);
            self.checksums.found(sum);
        }
    }

    /// Adds the records of the last batch, as found from its rows.
    pub(crate) fn made(&self, normalizer: &Normalizer) {
        let (mut sum, mut not_read_back) = (Checksum::default(), 0);
        for original in normalizer.originals() {
            sum.add(original.text);
            let rejects = self.rejects.as_ref().filter(|_| original.reject.is_some());
            let Some(proof) = rejects.or(self.table.as_ref()) else { continue };
            let asked = READBACK_COLUMNS.iter().position(|&column| column == original.column).unwrap_or(0);
            // The unfit rows are unknown here; their table has only the column `uri`.
            let may_move = self.moves_unfit && original.column != Column::Uri && original.reject.is_none();
            let is_cut = proof.is_list() && memchr::memchr(b'\n', original.text).is_some();
            let is_hidden = matches!(hidden(original.text, normalizer.options().hide), Cow::Owned(_));
            not_read_back += u64::from(
                !proof.reads_back(0) || !proof.reads_back(asked) || may_move || is_cut || is_hidden,
            );
        }
        self.checksums.made(sum, not_read_back);
    }

    /// Adds a chunk whose rows are passed on.
    pub(crate) fn returned(&self, chunk: &Chunk, format: &Read) {
        if !format.is_plain_list() {
            self.checksums.returned(&chunk.lines(format));
        }
    }

    /// Compares the records read with the rows made from them, whatever the outputs are.
    ///
    /// # Errors
    /// The same as [`ReadChecksums::check`].
    pub fn check_records(&self) -> Result<()> {
        self.checksums.check()
    }

    /// Compares the input with the rows, and the rows with the contents of the outputs.
    ///
    /// # Errors
    /// The errors of [`ReadChecksums::check`], [`OutputVerifier::check`] and [`ReadChecksums::check_readback`].
    pub(crate) fn check(
        &self,
        table: &UncommittedOutput,
        rejects: Option<&UncommittedOutput>,
        threads: &Workers,
    ) -> Result<Verified> {
        self.check_records()?;
        let proofs = [self.table.as_ref(), self.rejects.as_ref()].into_iter().flatten();
        let mut outputs = proofs.zip([Some(table), rejects].into_iter().flatten());
        if !self.checksums.reads_all_back() {
            outputs.try_for_each(|(proof, output)| proof.check(output, threads))?;
            return Ok(Verified::Rows);
        }
        let mut readback = Checksum::default();
        for (proof, output) in outputs {
            let sums = proof
                .check_and_read(output, threads, Checksum::default, |sum, values| sum.add(original(values)));
            sums?.into_iter().for_each(|sum| readback.add_all(sum));
        }
        self.checksums.check_readback(readback)?;
        Ok(Verified::Records)
    }
}

/// The text as read, from the values of [`READBACK_COLUMNS`]; a null is empty.
fn original<'a>(values: &'a [Value<'_>]) -> &'a [u8] {
    values.iter().rev().flatten().next().map(AsRef::as_ref).unwrap_or_default()
}

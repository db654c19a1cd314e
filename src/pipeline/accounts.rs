//! The accounts of a run: the counts of what was read, found and written, which have to add up; and whether each input
//! has the format that it was read as. The workers enter chunks as they finish; the end of the run checks the sums.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;

use super::FormatCheck;
use crate::batch::Tally;
use crate::error::{Error, ErrorKind, Result};
use crate::option_name::OptionName;
use crate::read::format::CheckedBy;
use crate::read::{Chunk, Format, PageCounts};

#[derive(Default)]
pub(super) struct Accounts {
    pub(super) tally: Tally,
    /// Counts of chunks whose turn has not come: the examples must be the first in the input.
    waiting: BTreeMap<u64, Part>,
    /// The counts, so far, of the source whose chunks are being added to `tally`.
    beginning: Part,
    /// How many chunks were added to `tally`.
    added: u64,
    /// Records, counted by the reader.
    pub(super) records_in: u64,
    /// Rows in the batches of the sinks.
    pub(super) rows_out: u64,
    /// Rows in the table alone.
    pub(super) rows: u64,
    pub(super) lines: u64,
    pub(super) bytes: u64,
    pub(super) cut: u64,
    pub(super) headers: u64,
    /// Pages, the records that their reader made, and the records of the source that it was given.
    pub(super) pages: PageCounts,
    pub(super) page_rows: u64,
    pub(super) page_records: u64,
}

/// The counts of a part of a source: a chunk, or some rows.
#[derive(Default)]
pub(super) struct Part {
    source: usize,
    tally: Tally,
    /// Its format, if it differs from that of the run.
    format: Option<Arc<Format>>,
    /// The beginning of the source, if the part is its first and its format may be wrong.
    sample: Vec<u8>,
}

impl Part {
    pub(super) fn of_chunk(chunk: &Chunk, tally: Tally, format: &Format) -> Part {
        let is_doubtful = tally.mismatched + tally.rejects() > 0 || format.unseen(tally.seen).is_some();
        let sample = if is_doubtful && chunk.first_record == 1 { sample(chunk).to_vec() } else { Vec::new() };
        Part { source: chunk.source, tally, format: chunk.own_format(), sample }
    }

    pub(super) fn of_rows(source: usize, tally: Tally) -> Part {
        Part { source, tally, ..Part::default() }
    }
}

/// How much of a source's beginning is examined.
const SAMPLE: usize = 64 << 10;

/// The beginning of the source whose first chunk this is.
pub(super) fn sample(chunk: &Chunk) -> &[u8] {
    &chunk.bytes[..chunk.len.min(SAMPLE)]
}

/// Checks whether inputs have their format.
pub(super) struct FormatChecker<'a> {
    /// The format of the run.
    pub(super) format: &'a Format,
    pub(super) names: &'a [Arc<str>],
    pub(super) format_check: FormatCheck,
}

/// If none of this many records at the beginning of a source looks like the format, it is not an accident.
const DOUBTED: u64 = 1000;
/// If all records of a source with fewer than this are rejects, its real format must also be recognized.
const FEW: u64 = 10;

impl FormatChecker<'_> {
    /// Why a source cannot continue, judged by its first records.
    fn begins(&self, part: &Part) -> Option<Error> {
        let format = part.format.as_deref().unwrap_or(self.format);
        let is_beyond_doubt = self.format_check == FormatCheck::Not;
        if is_beyond_doubt
            || part.tally.format_mismatches < DOUBTED
            || part.tally.format_mismatches < part.tally.rows
        {
            return None;
        }
        let what = first_records(format, &self.names[part.source], &part.tally);
        Some(self.mismatch(&what, format.instead(&part.sample), &part.tally))
    }

    /// Why a source does not have its format, judged by all its records.
    fn ends(&self, part: &Part) -> Option<Error> {
        let format = part.format.as_deref().unwrap_or(self.format);
        self.ended(format, &self.names[part.source], &part.tally, &part.sample)
    }

    /// The same for a source with these counts that begins with `sample`.
    pub(super) fn ended(&self, format: &Format, name: &str, tally: &Tally, sample: &[u8]) -> Option<Error> {
        let (judged, rows) = (format.checked_by(), tally.rows);
        if self.format_check == FormatCheck::Not || judged == CheckedBy::Not || rows == 0 {
            return None;
        }
        let is_most = |some: u64, all: u64| some > 0 && some * 10 >= all * 9;
        let (wrong, example) = tally.wrong_references();
        let example = example.map_or("", |example| example.text.as_str());
        // For few records half are enough, if the real format is recognized.
        let is_half = |some: u64, all: u64| rows < FEW && some > 0 && some * 2 >= all;
        let what = if is_most(tally.mismatched, rows) || is_half(tally.mismatched, rows) {
            let example = tally.mismatch_example().unwrap_or_default();
            match tally.mismatched == rows {
                _ if tally.format_mismatches >= DOUBTED => first_records(format, name, tally),
                true => {
                    format!("no record of {name} looks like the format {}, as in {example:?}", format.name())
                }
                false => format!(
                    "{} of {rows} records of {name} do not look like the format {}, as in {example:?}",
                    tally.mismatched,
                    format.name()
                ),
            }
        } else if (judged, self.format_check) == (CheckedBy::ByReferences, FormatCheck::ByAll)
            && (is_most(wrong, rows - tally.nulls) || is_half(wrong, rows - tally.nulls))
        {
            format!("{wrong} of {rows} records of {name} are no URI references, as in {example:?}")
        } else {
            let name_of_field = format.unseen(tally.seen)?;
            return Some(format.no_record_has(name_of_field, sample, name));
        };
        // A few rejects may be an accident, and their codes describe them; wrong records accepted as valid would go
        // unnoticed.
        let instead = format.instead(sample);
        let is_told = tally.rejects() == rows || tally.mismatched < rows;
        if rows >= FEW || !is_told || instead.is_some() {
            return Some(self.mismatch(&what, instead, tally));
        }
        let unseen = format.unseen(tally.seen).filter(|_| tally.mismatched < rows);
        unseen.map(|field| format.no_record_has(field, sample, name))
    }

    /// The error for an input of another format; `tally` decides whether the example in it shows passwords.
    fn mismatch(&self, what: &str, instead: Option<String>, tally: &Tally) -> Error {
        let instead = instead.map_or(String::new(), |instead| format!("; {instead}"));
        // Runs that have no place for rejects cannot be forced.
        let force = match self.format_check {
            FormatCheck::ByAll => {
                format!(", or force the format with {}", OptionName::OnInvalid.with_any(&["keep", "reject"]))
            }
            FormatCheck::ByForm | FormatCheck::Not => String::new(),
        };
        let sentence = format!("{what}{instead}; check {}{force}", OptionName::Format.named());
        match tally.shows_passwords() {
            true => Error::showing(ErrorKind::Usage, sentence),
            false => Error::usage(sentence),
        }
    }
}

fn first_records(format: &Format, name: &str, tally: &Tally) -> String {
    format!(
        "the first {DOUBTED} records of {name} are not of the format {}, as in {:?}",
        format.name(),
        tally.mismatch_example().unwrap_or_default()
    )
}

impl Accounts {
    /// Adds the counts of a part of a source. Returns why its source, or the one before it that has ended, does not
    /// have its format.
    pub(super) fn add(&mut self, ticket: u64, part: Part, checker: &FormatChecker<'_>) -> Option<Error> {
        self.waiting.insert(ticket, part);
        let mut error = None;
        while let Some(next) = self.waiting.remove(&self.added) {
            self.tally.add(&next.tally);
            self.added += 1;
            if self.beginning.source != next.source {
                error = error.or_else(|| checker.ends(&self.beginning));
                let (source, format) = (next.source, next.format.clone());
                self.beginning = Part { source, format, ..Part::default() };
            } else if self.beginning.format.is_none() {
                self.beginning.format.clone_from(&next.format);
            }
            let beginning = &mut self.beginning;
            beginning.tally.add(&next.tally);
            if beginning.sample.is_empty() {
                beginning.sample = next.sample;
            }
            error = error.or_else(|| checker.begins(beginning));
        }
        error
    }

    /// Counts the rows of each output; those of the table come first.
    pub(super) fn write(&mut self, batches: &[RecordBatch]) {
        self.rows_out += batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
        self.rows += batches.first().map_or(0, |batch| batch.num_rows() as u64);
    }

    /// Checks that nothing is lost: reader, kernels and sinks counted the same. Also checks the format of the last
    /// source.
    pub(super) fn check(&self, checker: &FormatChecker<'_>) -> Result<()> {
        let (found, blank) = (self.tally.lines(), self.tally.blank);
        let records_in = self.records_in + self.page_rows;
        let PageCounts { pages, with_links, without_links, unread, others, .. } = self.pages;
        let are_pages_complete =
            pages == with_links + without_links + unread && pages + others == self.page_records;
        if records_in == found && self.rows_out + blank == found && are_pages_complete {
            return checker.ends(&self.beginning).map_or(Ok(()), Err);
        }
        let sentence = format!(
            "the accounts do not add up: {records_in} records read, {found} found, {} rows written and {blank} blank lines; \
             nothing was published, please report this",
            self.rows_out
        );
        Err(Error::new(ErrorKind::Internal, sentence))
    }
}

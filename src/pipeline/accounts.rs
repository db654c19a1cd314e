//! The accounts of a run: what was read, found and written, which has to add up; and what each input turns out to be,
//! by its records. Between the workers, who enter chunks as they finish, and the end of the run.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;

use super::FormatCheck;
use crate::batch::Tally;
use crate::error::{Error, ErrorKind, Result};
use crate::option_name::OptionName;
use crate::read::format::CheckedBy;
use crate::read::{Chunk, Format};

#[derive(Default)]
pub(super) struct Accounts {
    pub(super) tally: Tally,
    /// Of chunks whose turn has not come: the examples are the first in the input.
    waiting: BTreeMap<u64, Part>,
    /// The accounts of the source that `tally` has come to, as far as they are known.
    beginning: Part,
    /// How many chunks `tally` has.
    added: u64,
    /// By the reader, which counts newlines.
    pub(super) records_in: u64,
    /// By the sinks' batches.
    pub(super) rows_out: u64,
    /// The same of the table alone.
    pub(super) rows: u64,
    pub(super) lines: u64,
    pub(super) bytes: u64,
    pub(super) cut: u64,
    pub(super) headers: u64,
}

/// The accounts of a part of a source: a chunk, or some rows.
#[derive(Default)]
pub(super) struct Part {
    source: usize,
    tally: Tally,
    /// Its format, where that is not the one of the run.
    format: Option<Arc<Format>>,
    /// How the source begins, where that part is of its beginning and there is something to doubt.
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

/// As much of a source's beginning is looked at.
const SAMPLE: usize = 64 << 10;

/// How the source of its first chunk begins.
pub(super) fn sample(chunk: &Chunk) -> &[u8] {
    &chunk.bytes[..chunk.len.min(SAMPLE)]
}

/// What inputs are judged by.
pub(super) struct FormatChecker<'a> {
    /// Of the run.
    pub(super) format: &'a Format,
    pub(super) names: &'a [Arc<str>],
    pub(super) format_check: FormatCheck,
}

/// So many records at the beginning of a source, none of which looks like the format, are no accident.
const DOUBTED: u64 = 1000;
/// Of a source with fewer records that are all rejects it has to be seen what it is instead.
const FEW: u64 = 10;

impl FormatChecker<'_> {
    /// Why a source cannot go on, by its first records.
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

    /// Why a source is not what it was read as, by all its records.
    fn ends(&self, part: &Part) -> Option<Error> {
        let format = part.format.as_deref().unwrap_or(self.format);
        self.ended(format, &self.names[part.source], &part.tally, &part.sample)
    }

    /// The same of a source with these accounts that begins with `sample`.
    pub(super) fn ended(&self, format: &Format, name: &str, tally: &Tally, sample: &[u8]) -> Option<Error> {
        let (judged, rows) = (format.checked_by(), tally.rows);
        if self.format_check == FormatCheck::Not || judged == CheckedBy::Not || rows == 0 {
            return None;
        }
        let is_most = |some: u64, all: u64| some > 0 && some * 10 >= all * 9;
        let (wrong, example) = tally.wrong_references();
        let example = example.map_or("", |example| example.text.as_str());
        // Of few records half are enough, if it is seen what they are.
        let is_half = |some: u64, all: u64| rows < FEW && some > 0 && some * 2 >= all;
        let what = if is_most(tally.mismatched, rows) || is_half(tally.mismatched, rows) {
            let example = tally.unlike_example().unwrap_or_default();
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
        // Where rejects are few that may be an accident, and their codes tell of it; what is taken for valid may not.
        let instead = format.instead(sample);
        let is_told = tally.rejects() == rows || tally.mismatched < rows;
        if rows >= FEW || !is_told || instead.is_some() {
            return Some(self.mismatch(&what, instead, tally));
        }
        let unseen = format.unseen(tally.seen).filter(|_| tally.mismatched < rows);
        unseen.map(|field| format.no_record_has(field, sample, name))
    }

    /// The sentence for an input of another format; `tally` says whether it shows the passwords of the example in it.
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
        tally.unlike_example().unwrap_or_default()
    )
}

impl Accounts {
    /// Enters a part of a source. Answers why its source, or the one before it that has ended, is not what it was read
    /// as.
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

    /// Counts rows of each output; those of the table come first.
    pub(super) fn write(&mut self, batches: &[RecordBatch]) {
        self.rows_out += batches.iter().map(|batch| batch.num_rows() as u64).sum::<u64>();
        self.rows += batches.first().map_or(0, |batch| batch.num_rows() as u64);
    }

    /// Nothing lost: what the reader counted is what the kernels found, and that is what the sinks got. And the last
    /// source is what it was read as.
    pub(super) fn check(&self, checker: &FormatChecker<'_>) -> Result<()> {
        let (found, blank) = (self.tally.lines(), self.tally.blank);
        if self.records_in == found && self.rows_out + blank == found {
            return checker.ends(&self.beginning).map_or(Ok(()), Err);
        }
        let sentence = format!(
            "the accounts do not add up: {} records read, {found} found, {} rows written and {blank} blank lines; \
             nothing was published, please report this",
            self.records_in, self.rows_out
        );
        Err(Error::new(ErrorKind::Internal, sentence))
    }
}

//! The accounts of a run: the counts of records read, found and written, which must add up; and whether each input has
//! the format that it was read as. The workers add chunks as they finish; the end of the run checks the sums.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::RecordBatch;
use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::option_name::OptionName;
use urimill_columns::batch::Tally;
use urimill_read::format::Stop;
use urimill_read::{Chunk, Format, PageCounts};
use urimill_uri::extract;

use super::{FormatCheck, Totals};

#[derive(Default)]
pub(super) struct Accounts {
    /// The sums of everything read.
    pub(super) read: Totals,
    /// Counts of chunks that wait for earlier ones: the examples must be the first in the input.
    waiting: BTreeMap<u64, Part>,
    /// The counts, so far, of the source whose chunks are being added to `read`.
    beginning: Part,
    /// The number of chunks that were added to `read`.
    added: u64,
    /// The bytes of these chunks.
    added_bytes: u64,
    /// Records, counted by the reader.
    pub(super) records_in: u64,
    /// Rows in the batches of the sinks.
    pub(super) rows_out: u64,
    /// Rows of the table alone.
    pub(super) rows: u64,
    /// Records of the source that the reader of pages received.
    pub(super) page_records: u64,
}

/// The counts of a part of a source: a chunk, or some rows.
#[derive(Default)]
pub(super) struct Part {
    source: usize,
    /// The file within the source, if that is an archive of several files.
    member: Option<Arc<[u8]>>,
    tally: Tally,
    /// The number of bytes of the source that it took.
    bytes: u64,
    /// Its format, if it differs from that of the run.
    format: Option<Arc<Format>>,
    /// The beginning of the source, if the part is its first and its format may be wrong.
    sample: Vec<u8>,
}

impl Part {
    pub(super) fn of_chunk(chunk: &Chunk, tally: Tally, format: &Format) -> Part {
        let is_doubtful = tally.mismatched + tally.rejects() > 0 || format.unseen(tally.seen).is_some();
        let sample = if is_doubtful && chunk.first_record == 1 { sample(chunk).to_vec() } else { Vec::new() };
        let member = chunk.part().cloned();
        let (source, bytes, format) = (chunk.source, chunk.taken, chunk.own_format());
        Part { source, member, tally, bytes, format, sample }
    }

    pub(super) fn of_rows(source: usize, tally: Tally) -> Part {
        Part { source, tally, ..Part::default() }
    }

    /// Whether another part is of the same input.
    fn is_with(&self, other: &Part) -> bool {
        self.source == other.source && self.member == other.member
    }
}

/// The number of bytes examined at a source's beginning.
const SAMPLE: usize = 64 << 10;

/// The beginning of the source, if this is its first chunk.
pub(super) fn sample(chunk: &Chunk) -> &[u8] {
    &chunk.bytes[..chunk.len.min(SAMPLE)]
}

/// Decides from their records whether inputs have their format, for all runs. The form of a record counts: a record
/// with an invalid URI has it.
pub(super) struct FormatChecker<'a> {
    /// The format of the run.
    pub(super) format: &'a Format,
    pub(super) names: &'a [Arc<str>],
    pub(super) format_check: FormatCheck,
    /// Whether the formats were detected.
    pub(super) is_detected: bool,
    /// The number of fields of each record that have columns.
    pub(super) columns: usize,
}

/// If none of this many records at the beginning of a source has the form of the format, the rest is not read.
const DOUBTED: u64 = 1000;
/// A table may have this many fields, and this many more for each byte of its input. A field takes at least a byte;
/// without a limit, records of a few bytes would become rows of thousands of nulls.
const FIELDS: u64 = 1 << 25;
const FIELDS_OF_BYTE: u64 = 64;
/// From this many lines on, some lines of prose are expected to be valid references: single words.
const MANY: u64 = 10;

impl FormatChecker<'_> {
    /// The reason why a source cannot continue, from its first records.
    fn begins(&self, part: &Part) -> Option<Error> {
        let format = part.format.as_deref().unwrap_or(self.format);
        self.begun(format, &self.name(part), &part.tally, &part.sample)
    }

    /// The reason why a source does not have its format, from all its records.
    fn ends(&self, part: &Part) -> Option<Error> {
        let format = part.format.as_deref().unwrap_or(self.format);
        self.ended(format, &self.name(part), &part.tally, &part.sample)
    }

    /// The reason why the run cannot continue: its rows have far more fields than `bytes` can hold.
    pub(super) fn fills(&self, rows: u64, bytes: u64, source: usize) -> Option<Error> {
        let fields = rows.saturating_mul(self.columns as u64);
        (fields > FIELDS.saturating_add(bytes.saturating_mul(FIELDS_OF_BYTE))).then(|| {
            Error::usage(format!(
                "{} columns for {rows} records of {bytes} bytes are nulls for the most part: look at the header of {}, or name the \
                 fields that matter with {}",
                self.columns, self.names[source],
                OptionName::Keep.named()
            ))
        })
    }

    fn name(&self, part: &Part) -> Cow<'_, str> {
        let source: &str = &self.names[part.source];
        match &part.member {
            Some(member) => format!("{} in {source}", String::from_utf8_lossy(member)).into(),
            None => source.into(),
        }
    }

    /// The same as [`FormatChecker::begins`] for a source with these counts, so far, that begins with `sample`.
    pub(super) fn begun(&self, format: &Format, name: &str, tally: &Tally, sample: &[u8]) -> Option<Error> {
        if tally.rows < DOUBTED || !self.is_doubtful(format, tally) {
            return None;
        }
        let what = match format.is_lines() {
            true => format!("the first {DOUBTED} records of {name} are no URI references"),
            false => format!("the first {DOUBTED} records of {name} are not of the format {}", format.name()),
        };
        let example = self.example(format, tally);
        Some(self.refuse(&format!("{what}, as in {example:?}"), name, format, sample, tally))
    }

    /// The same as [`FormatChecker::ends`] for a source with these counts that begins with `sample`.
    pub(super) fn ended(&self, format: &Format, name: &str, tally: &Tally, sample: &[u8]) -> Option<Error> {
        if self.format_check == FormatCheck::Not || tally.rows == 0 {
            return None;
        }
        if let Some(error) = self.begun(format, name, tally, sample) {
            return Some(error);
        }
        if self.is_doubtful(format, tally) {
            let example = self.example(format, tally);
            let what = match format.is_lines() {
                true => {
                    let (wrong, rows) = (tally.wrong_references().0, tally.rows);
                    format!("{wrong} of {rows} records of {name} are no URI references")
                }
                false => format!("no record of {name} looks like the format {}", format.name()),
            };
            return Some(self.refuse(&format!("{what}, as in {example:?}"), name, format, sample, tally));
        }
        format.unseen(tally.seen).map(|field| format.no_record_has(field, sample, name))
    }

    /// Whether, by these counts, no record has the form of its format. Lines that were read as a list for lack of
    /// another format are refused if none is a reference, or if nine in ten neither are one nor begin with a scheme and
    /// `://`: in prose some lines are single words. Lines that all begin with a scheme and `://` are a list of invalid
    /// URIs, unless there are many and each has white space in it.
    pub(super) fn is_doubtful(&self, format: &Format, tally: &Tally) -> bool {
        let is_judged = matches!(self.format_check, FormatCheck::Forceable | FormatCheck::ByRecords);
        if !is_judged || !format.is_judged() || tally.rows == 0 || tally.has_form {
            return false;
        }
        let rows = tally.rows - tally.nulls;
        match format.is_lines() {
            true if self.is_detected => {
                let is_list = tally.unlike == 0 && (tally.spaced < rows || rows < MANY);
                let is_text = rows >= MANY && tally.unlike * 10 >= rows * 9;
                tally.wrong_references().0 == rows && !is_list || is_text
            }
            true => false,
            false => tally.mismatched == tally.rows,
        }
    }

    fn example<'t>(&self, format: &Format, tally: &'t Tally) -> &'t str {
        let example = match format.is_lines() {
            true => tally.wrong_references().1.map(|example| example.text.as_str()),
            false => tally.mismatch_example(),
        };
        example.unwrap_or_default()
    }

    /// The error for the input `name` of another format; `tally` decides whether the example in it shows passwords.
    fn refuse(&self, what: &str, name: &str, format: &Format, sample: &[u8], tally: &Tally) -> Error {
        let instead = format.instead(sample, name).map(|instead| format!("; {instead}"));
        // If it looks like another format, that is enough. Otherwise, and for a form that the user has described, the
        // message shows the byte where a line departs from the form.
        let is_other = instead.is_some() && format.name() != "log-format" || format.is_lines();
        let has_uris =
            || format.is_lines() && extract::find(sample, &extract::Options::default()).next().is_some();
        let extract = || has_uris().then(|| "; urimill extract finds the URIs in a text".to_owned());
        let instead = instead.or_else(extract).unwrap_or_default();
        // A run without an output for rejects cannot be forced, except for lines.
        let force = match (self.format_check, format.is_lines()) {
            (FormatCheck::Forceable, _) => {
                format!(", or force the format with {}", OptionName::OnInvalid.with_any(&["keep", "reject"]))
            }
            (_, true) => format!(", or say {} if it is a list", OptionName::Format.with("lines")),
            _ => String::new(),
        };
        let sentence = format!("{what}{instead}; check {}{force}", OptionName::Format.named());
        let error = match tally.shows_passwords() {
            true => Error::showing(ErrorKind::Usage, sentence),
            false => Error::usage(sentence),
        };
        if is_other {
            return error;
        }
        let stop = format.stop(sample).or_else(|| {
            let (line, at) = tally.mismatch_at()?;
            Some(Stop { line: line.to_owned(), at, field: format.field_at(sample, line, at) })
        });
        match stop {
            Some(stop) => stop.tell(error),
            None => error,
        }
    }
}

impl Accounts {
    /// Adds the counts of a part of a source. Returns the reason why its source, or the one before it that has ended,
    /// does not have its format.
    pub(super) fn add(&mut self, ticket: u64, part: Part, checker: &FormatChecker<'_>) -> Option<Error> {
        self.waiting.insert(ticket, part);
        let mut error = None;
        while let Some(next) = self.waiting.remove(&self.added) {
            self.read.tally.add(&next.tally);
            self.added += 1;
            self.added_bytes += next.bytes;
            error = error.or_else(|| checker.fills(self.read.tally.rows, self.added_bytes, next.source));
            if !self.beginning.is_with(&next) {
                error = error.or_else(|| checker.ends(&self.beginning));
                let (source, member, format) = (next.source, next.member.clone(), next.format.clone());
                self.beginning = Part { source, member, format, ..Part::default() };
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
        let (found, blank) = (self.read.tally.lines(), self.read.tally.blank);
        let records_in = self.records_in;
        let PageCounts { pages, with_links, without_links, unread, others, .. } = self.read.pages;
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

//! The counts of a batch, which are added up to those of a run.

use std::collections::BTreeMap;
use std::fmt;

use urimill_uri::Code;
use urimill_uri::audit::Flags;
use urimill_uri::passwords::{Hide, hidden};
use urimill_uri::whatwg::Disagreement;

use crate::batch::rows::Rows;

/// The number of characters of a rejected record that an example shows.
const EXAMPLE_CHARS: usize = 120;

/// Counts of the records of a batch or a run: `lines() = rows + blank`, and `rejects()` of the rows are outside the
/// grammar. `Debug` prints what is not zero.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Records that have a row: all but blank lines.
    pub rows: u64,
    /// Blank lines.
    pub blank: u64,
    /// Last lines of logs whose records were dropped because they may be cut off; `blank` counts these lines, too.
    pub dropped: u64,
    /// Rows whose records are the last lines of logs and may be cut off.
    pub unfinished: u64,
    /// Null values of an array; they have rows.
    pub nulls: u64,
    /// Rows whose `uri` differs from the text as read.
    pub changed: u64,
    /// Rows that were outside the grammar and were repaired.
    pub repaired: u64,
    /// Records with bytes that are not UTF-8.
    pub not_utf8: u64,
    /// The number of records that do not have the form of their format.
    pub mismatched: u64,
    /// Whether a line that has no row has that form: see [`super::Records::pass`].
    pub has_form: bool,
    /// Rejected texts that do not begin with a scheme and `://`.
    pub unlike: u64,
    /// Rejected texts that begin with one and have white space in them, counted only in batches without a valid row:
    /// one valid line makes the input a list.
    pub spaced: u64,
    /// The fields named by the caller that some record has, one bit each: see [`super::Records::saw`].
    pub seen: u64,
    /// NUL bytes before records, which are not part of them: left by truncation of a log in place.
    pub nul_bytes: u64,
    /// The first record without the form of its format as read, and the offset at which it departs from the form.
    mismatch_example: Option<String>,
    mismatch_at: Option<(String, usize)>,
    /// Rejects by the number of their code.
    by_code: ByCode<u64>,
    examples: ByCode<Option<Example>>,
    /// Rows by the number of a disagreement that they have.
    disagreements: [u64; Disagreement::ALL.len()],
    shows_passwords: bool,
    /// For each further URI, by the column of its field, how many are outside the grammar.
    pub further_rejects: BTreeMap<String, u64>,
    /// For each column of a table, the number of rows with a value that was filled in.
    pub filled: BTreeMap<&'static str, u64>,
}

/// A value for each code, by its number.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ByCode<T>([T; Code::ALL.len()]);

impl<T: Default> Default for ByCode<T> {
    fn default() -> Self {
        ByCode(std::array::from_fn(|_| T::default()))
    }
}

impl<T> std::ops::Deref for ByCode<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> std::ops::DerefMut for ByCode<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl fmt::Debug for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Tally");
        // In the order of the fields.
        let counts = [
            ("rows", self.rows),
            ("blank", self.blank),
            ("dropped", self.dropped),
            ("unfinished", self.unfinished),
            ("nulls", self.nulls),
            ("changed", self.changed),
            ("repaired", self.repaired),
            ("not_utf8", self.not_utf8),
            ("mismatched", self.mismatched),
            ("has_form", u64::from(self.has_form)),
            ("unlike", self.unlike),
            ("spaced", self.spaced),
            ("seen", self.seen),
            ("nul_bytes", self.nul_bytes),
            ("shows_passwords", u64::from(self.shows_passwords)),
        ];
        for (name, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            shown.field(name, &count);
        }
        if let Some(example) = &self.mismatch_example {
            shown.field("mismatch_example", example);
        }
        if let Some((_, at)) = &self.mismatch_at {
            shown.field("mismatch_at", at);
        }
        let codes: BTreeMap<_, _> = self.by_code().map(|(code, count, _)| (code.as_str(), count)).collect();
        let disagreements: BTreeMap<_, _> =
            self.disagreements().map(|(one, count)| (one.as_str(), count)).collect();
        if !codes.is_empty() {
            shown.field("by_code", &codes);
            shown.field("examples", &self.examples.iter().flatten().collect::<Vec<_>>());
        }
        if !disagreements.is_empty() {
            shown.field("disagreements", &disagreements);
        }
        if !self.further_rejects.is_empty() {
            shown.field("further_rejects", &self.further_rejects);
        }
        if !self.filled.is_empty() {
            shown.field("filled", &self.filled);
        }
        shown.finish()
    }
}

/// A row that lacks a value for a required column.
#[derive(Debug, Clone, Copy)]
pub struct Unfit<'a> {
    /// The number of its record.
    pub record: i64,
    /// Its URI.
    pub text: &'a str,
    /// The column.
    pub column: &'static str,
    /// The reason, as in the column `field_errors`.
    pub reason: &'static str,
}

/// The first record that was rejected with a certain code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The number of the record.
    pub record: i64,
    /// [`Reject::offset`](urimill_uri::Reject::offset)
    pub offset: usize,
    /// Its beginning, with U+FFFD in place of bytes that are not UTF-8, and with its passwords masked (see
    /// [`Options::show_passwords`](super::Options::show_passwords)); for `base_not_absolute` and `base_invalid` that of
    /// the base.
    pub text: String,
    /// The number, from 1, of the field that a record with too few of them lacks.
    pub field: Option<u32>,
    /// The column that must have a value and has none, and the reason.
    pub column: Option<(&'static str, &'static str)>,
    /// The source, if the caller has several: see [`Tally::set_source`].
    pub source: Option<std::sync::Arc<str>>,
}

impl Tally {
    /// `shows_passwords` is for the examples, which people read.
    pub(super) fn of(rows: &Rows, first_record: i64, shows_passwords: bool) -> Tally {
        let shorten = |text| shorten(text, shows_passwords);
        let mut tally = Tally {
            shows_passwords,
            rows: rows.splits.len() as u64,
            blank: rows.splits.blank.len() as u64,
            dropped: rows.dropped,
            unfinished: u64::from(rows.unfinished.is_some()),
            nulls: rows.nulls.as_ref().map_or(0, |nulls| nulls.null_count() as u64),
            not_utf8: rows.rewritten.iter().filter(|row| !row.is_utf8).count() as u64,
            mismatched: rows.format_mismatches.len() as u64,
            has_form: rows.has_form,
            seen: rows.seen,
            nul_bytes: rows.nul_bytes,
            ..Tally::default()
        };
        if let Some(&(_, whole)) = rows.format_mismatches.first() {
            let bytes = &rows.buffers[0].as_slice()[whole.start as usize..][..whole.len as usize];
            tally.mismatch_example = Some(shorten(bytes));
            tally.mismatch_at =
                rows.malformed_at(rows.format_mismatches[0].0).and_then(|at| around(bytes, at));
        }
        let repaired = rows.flags.iter().filter(|(_, flags)| flags.has(Flags::REPAIRED)).count();
        tally.repaired = repaired as u64;
        tally.changed = rows.rewritten.len() as u64;
        let none_is_valid = rows.rejects.len() as u64 + tally.nulls == tally.rows;
        let mut rewritten = rows.rewritten.iter().peekable();
        for one in rows.urls.disagreements.iter().flat_map(|(_, found)| found.iter()) {
            tally.disagreements[one as usize] += 1;
        }
        for &(row, reject) in &rows.rejects {
            let code = reject.code as usize;
            tally.by_code[code] += 1;
            while rewritten.next_if(|other| other.row < row).is_some() {}
            let own = rewritten.peek().filter(|other| other.row == row).map(|other| other.raw);
            tally.changed -= u64::from(own.is_some());
            if is_reference(reject.code) {
                let read = rows.as_read(row, own);
                let text = read.trim_ascii();
                match begins_as_uri(text) {
                    true if none_is_valid => {
                        // The fault is mostly the white space itself: a list of such rejects takes a sixth less time.
                        let at = reject.offset.wrapping_sub(read.len() - read.trim_ascii_start().len());
                        let is_fault = text.get(at).is_some_and(u8::is_ascii_whitespace);
                        tally.spaced += u64::from(is_fault || has_white_space(text));
                    }
                    true => {}
                    false => tally.unlike += 1,
                }
            }
            tally.examples[code].get_or_insert_with(|| Example {
                record: match rows.numbers.get(row as usize) {
                    Some(&number) => number,
                    None => first_record + i64::from(row) + rows.blank_before(row) as i64,
                },
                offset: reject.offset,
                text: match (reject.code, &rows.bad_bases) {
                    (Code::BaseNotAbsolute, [Some(base), _]) | (Code::BaseInvalid, [_, Some(base)]) => {
                        shorten(base)
                    }
                    _ => shorten(rows.raw(row)),
                },
                field: rows.missing_field(row),
                column: None,
                source: None,
            });
        }
        tally
    }

    /// Counts rows that a table cannot hold, and describes the first.
    pub fn unfit(&mut self, rows: u64, first: Unfit<'_>) {
        let code = Code::FieldUnfit as usize;
        self.by_code[code] += rows;
        self.examples[code].get_or_insert_with(|| Example {
            record: first.record,
            offset: 0,
            text: shorten(first.text.as_bytes(), self.shows_passwords),
            field: None,
            column: Some((first.column, first.reason)),
            source: None,
        });
    }

    /// Counts a value that was filled in.
    pub fn fill(&mut self, column: &'static str) {
        *self.filled.entry(column).or_default() += 1;
    }

    /// Sets the source of the examples that have none.
    pub fn set_source(&mut self, source: &std::sync::Arc<str>) {
        for example in self.examples.iter_mut().flatten() {
            example.source.get_or_insert_with(|| source.clone());
        }
    }

    /// Adds the tally of a later batch; the examples of the earlier one stay.
    pub fn add(&mut self, later: &Tally) {
        if self.mismatch_example.is_none() {
            self.mismatch_example.clone_from(&later.mismatch_example);
            self.mismatch_at.clone_from(&later.mismatch_at);
        }
        self.mismatched += later.mismatched;
        self.has_form |= later.has_form;
        self.unlike += later.unlike;
        self.spaced += later.spaced;
        self.seen |= later.seen;
        self.nul_bytes += later.nul_bytes;
        self.shows_passwords |= later.shows_passwords;
        self.rows += later.rows;
        self.blank += later.blank;
        self.dropped += later.dropped;
        self.unfinished += later.unfinished;
        self.nulls += later.nulls;
        self.changed += later.changed;
        self.repaired += later.repaired;
        self.not_utf8 += later.not_utf8;
        for (field, count) in &later.further_rejects {
            *self.further_rejects.entry(field.clone()).or_default() += count;
        }
        for (column, count) in &later.filled {
            *self.filled.entry(column).or_default() += count;
        }
        for (count, later) in self.disagreements.iter_mut().zip(later.disagreements) {
            *count += later;
        }
        for code in 0..Code::ALL.len() {
            self.by_code[code] += later.by_code[code];
            if self.examples[code].is_none() {
                self.examples[code].clone_from(&later.examples[code]);
            }
        }
    }

    /// Whether its examples show passwords.
    pub fn shows_passwords(&self) -> bool {
        self.shows_passwords
    }

    /// The first of [`Tally::mismatched`].
    pub fn mismatch_example(&self) -> Option<&str> {
        self.mismatch_example.as_deref()
    }

    /// Its text, and the offset at which it departs from the form of its format, unless that is 0.
    pub fn mismatch_at(&self) -> Option<(&str, usize)> {
        self.mismatch_at.as_ref().map(|(text, at)| (text.as_str(), *at))
    }

    /// Rejects whose references are at fault, not the record around them, with the first of them.
    pub fn wrong_references(&self) -> (u64, Option<&Example>) {
        let found = self.by_code().filter(|&(code, ..)| is_reference(code));
        let (counts, examples): (Vec<u64>, Vec<_>) =
            found.map(|(_, count, example)| (count, example)).unzip();
        (counts.iter().sum(), examples.into_iter().flatten().min_by_key(|example| example.record))
    }

    /// Returns the number of lines read: rows and blank lines.
    pub fn lines(&self) -> u64 {
        self.rows + self.blank
    }

    /// Returns the number of rows outside the grammar, and of those that the table cannot hold.
    pub fn rejects(&self) -> u64 {
        self.by_code.iter().sum()
    }

    /// Returns the differences between the URL Standard and the RFC, with the number of rows, if the table or an option
    /// needs them.
    pub fn disagreements(&self) -> impl Iterator<Item = (Disagreement, u64)> {
        let counts = Disagreement::ALL.iter().copied().zip(self.disagreements);
        counts.filter(|(_, count)| *count > 0)
    }

    /// Returns the codes that occur, with the number of rejects and the first example of each.
    pub fn by_code(&self) -> impl Iterator<Item = (Code, u64, Option<&Example>)> {
        let counts = Code::ALL.into_iter().zip(self.by_code.0).zip(&self.examples.0);
        counts
            .filter(|((_, count), _)| *count > 0)
            .map(|((code, count), example)| (code, count, example.as_ref()))
    }
}

/// Whether a code is for a text that is not a reference, and not for its base, or for a narrower form that the caller
/// required.
fn is_reference(code: Code) -> bool {
    let others = [
        Code::BaseNotAbsolute,
        Code::BaseInvalid,
        Code::FieldMissing,
        Code::FieldUnfit,
        Code::SchemeMissing,
        Code::FragmentNotAllowed,
        Code::Disagreement,
        Code::MissingSchemeNonRelativeUrl,
    ];
    !others.contains(&code)
}

/// Whether a text begins with a scheme and `://`: whatever follows, it was meant as a URI.
fn begins_as_uri(text: &[u8]) -> bool {
    let is_scheme = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
    let len = text.iter().take_while(is_scheme).count();
    len > 0 && text[len..].starts_with(b"://")
}

fn has_white_space(text: &[u8]) -> bool {
    // Without an early exit the loop is vectorized.
    text.iter().fold(false, |any, byte| any | byte.is_ascii_whitespace())
}

/// A record for people, and a byte of it.
fn around(text: &[u8], at: usize) -> Option<(String, usize)> {
    const FURTHEST: usize = 16 << 10;
    let before = text.get(..at).filter(|before| !before.is_empty() && before.len() <= FURTHEST)?;
    let before = String::from_utf8_lossy(before);
    let behind = &text[at..text.len().min(at + FURTHEST)];
    Some((format!("{before}{}", String::from_utf8_lossy(behind)), before.len()))
}

fn shorten(text: &[u8], shows_passwords: bool) -> String {
    // Masked before it is cut: without its `@` a password cannot be distinguished from a port.
    let text = hidden(text, if shows_passwords { Hide::Nothing } else { Hide::Passwords });
    // A character has at most four bytes, so what is cut off would not be shown anyway.
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * EXAMPLE_CHARS)]);
    match text.char_indices().nth(EXAMPLE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

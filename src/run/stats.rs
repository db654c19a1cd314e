//! What a run came to: counts that add up, the outputs, what was wrong with the inputs. Every job that reads records
//! answers the same [`Stats`]; what only one job counts is a section of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::choices::IndexForm;
use super::input_format::InputOptions;
use super::job::Running;
use super::opening::Opened;
use crate::Standard;
use crate::batch;
use crate::batch::{Column, Example};
use crate::edges::{LinkCounts, Node};
use crate::index::{LeftOut, Like};
use crate::normalize::Level;
use crate::pipeline::{Summary, Totals, UncommittedRun};
use crate::read::{Damage, PageCounts};
use crate::simd::Isa;
use crate::timing::StageTimes;
use crate::uri::Code;
use crate::verify::Verified;
use crate::write::{OutputSize, Written};

/// The statistics of a run.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Records read; of tables their rows.
    pub records: u64,
    /// Records that are URI references, and whose values the table can hold.
    pub valid: u64,
    /// Records that are not.
    pub rejects: u64,
    /// Records whose URI is null or missing where that is allowed.
    pub nulls: u64,
    /// Blank lines, which are not records; of web archives the records about the archive itself.
    pub blank: u64,
    /// Records that are the last lines of logs and may be cut: the input ends within the line.
    pub unfinished: u64,
    /// Unfinished lines that were dropped, and are not among the records.
    pub unfinished_dropped: u64,
    /// Headers, which are not records.
    pub headers: u64,
    /// Lines read, without headers.
    pub lines: u64,
    /// Rows of the table, or lines of the index.
    pub rows: u64,
    /// Records that a search found.
    pub found: u64,
    /// Records whose text was changed by resolution and normalization.
    pub changed: u64,
    /// Changed records that were repaired.
    pub repaired: u64,
    /// Records that are not UTF-8.
    pub not_utf8: u64,
    /// Whether bytes of these are in no column of the outputs.
    pub loses_bytes: bool,
    /// NUL bytes before the lines of logs, left by a truncation in place. They are part of no record.
    pub nul_bytes: u64,
    /// Records of which only the beginning was kept, because they are too long to be held.
    pub cut: u64,
    /// Rejects by code, those that occur, each with the first example.
    pub by_code: Vec<CodeStats>,
    /// For each further URI, by the column of its field, how many are outside the grammar.
    pub further_rejects: BTreeMap<String, u64>,
    /// Rows by what the URL Standard and the RFC see differently in them, where that was asked for.
    pub disagreements: BTreeMap<&'static str, u64>,
    /// Columns that were filled in, for records without a value: the number of rows.
    pub filled: BTreeMap<&'static str, u64>,
    /// Bytes read, decompressed; of tables those of the references and their bases.
    pub bytes: u64,
    /// Bytes read, as they are stored.
    pub stored_bytes: u64,
    /// Bytes that went to temporary files, where something is sorted or counted.
    pub spilled_bytes: Option<u64>,
    /// The table.
    pub output: OutputStats,
    /// The columns that divide it.
    pub partition_by: Vec<String>,
    /// Rejects that were dropped.
    pub dropped: u64,
    /// The table of rejects, if there is one.
    pub rejects_output: Option<RejectsStats>,
    /// What was verified of the outputs, if they were.
    pub verified: Option<Verified>,
    /// Inputs that were truncated or damaged.
    pub damaged: Vec<Damage>,
    /// The name of the format that the inputs were read in.
    pub input_format: &'static str,
    /// Whether lines of comments may stand between the records; they count as blank lines do.
    pub has_comments: bool,
    /// Whether something stood before each line that was taken off, such as a prefix of syslog.
    pub unwraps: bool,
    /// Whether the inputs told it.
    pub is_detected: bool,
    /// Whether records of web archives were passed over because of their types.
    pub selects_records: bool,
    /// Pages, where the references of pages are the records.
    pub pages: Option<PageCounts>,
    /// Whether references were resolved.
    pub resolves: bool,
    /// The specification that decided what is valid.
    pub spec: Standard,
    /// The normal form.
    pub level: Level,
    /// Whether invalid records were repaired where that is possible.
    pub repair: bool,
    /// Threads that did the work.
    pub threads: usize,
    /// The kernel.
    pub isa: Isa,
    /// From the first look at the options to the outputs.
    pub time: Duration,
    /// The rows of distinct records, of [`Dedupe`](super::Dedupe).
    pub distinct: Option<DistinctStats>,
    /// What an edge is, and what became of the links, of [`Edges`](super::Edges); the edges are the rows.
    pub edges: Option<EdgesStats>,
    /// What has no line, of [`Index`](super::Index).
    pub index: Option<IndexStats>,
    /// The stages of the run in the order in which the data go through them, and their times; empty unless
    /// [`Conversion::time_stages`](super::Conversion::time_stages) was asked for.
    pub stages: Vec<StageTimes>,
}

/// Rejects with one code.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CodeStats {
    /// The code.
    pub code: Code,
    /// How many records have it.
    pub records: u64,
    /// The first of them.
    pub example: Option<Example>,
}

/// The output of a run.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OutputStats {
    /// Its name, as messages have it; empty where it went to a sink of the caller's.
    pub name: String,
    /// The name of its format; empty for an index, whose form says it.
    pub format: &'static str,
    /// Its size: of the files, or of what was written to the stream.
    pub bytes: u64,
    /// Its files, where it is a directory.
    pub files: Option<Vec<Written>>,
    /// How many directories they are divided among.
    pub partitions: u64,
}

/// What distinct records are, and how many came together.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DistinctStats {
    /// What decided which records are equal: `uri` for their normal forms.
    pub by: String,
    /// Rows that stand for rejects.
    pub reject_rows: u64,
    /// Records that came together with one before them: all but the first of each row.
    pub duplicates: u64,
    /// The rungs on which records came together, with the number of rows.
    pub merged: Vec<(&'static str, u64)>,
}

/// What edges are, and what became of the links.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EdgesStats {
    /// What an edge leads from and to.
    pub node: Node,
    /// What became of the links.
    pub links: LinkCounts,
    /// The vertices of a graph.
    pub vertices: Option<u64>,
}

/// What an index is, and what it does not have.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexStats {
    /// The form of the index.
    pub form: IndexForm,
    /// The tool whose lines it has.
    pub like: Like,
    /// Lines equal to the one before, which were left out.
    pub repeated: u64,
    /// Records without a line, by reason.
    pub left_out: LeftOut,
}

/// The table of rejects.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RejectsStats {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

impl OutputStats {
    /// One file, or a stream.
    pub(super) fn of(name: String, format: &'static str, size: OutputSize) -> OutputStats {
        OutputStats { name, format, bytes: size.bytes, ..OutputStats::default() }
    }

    /// Perhaps a directory.
    pub(super) fn of_run(name: String, format: &'static str, complete: &UncommittedRun) -> OutputStats {
        let files = complete.folder().map(|folder| folder.files().to_vec());
        let mut directories: Vec<&str> =
            files.iter().flatten().filter_map(|file| Some(file.path.rsplit_once('/')?.0)).collect();
        // Files are in the order of their paths, and so are these.
        directories.dedup();
        let partitions = directories.len() as u64;
        OutputStats { files, partitions, ..OutputStats::of(name, format, complete.summary.table) }
    }
}

impl Stats {
    /// The name of the file that holds the statistics in a directory; readers pass over names that begin so.
    pub const FILE_NAME: &str = "_summary.json";

    /// What is known when the inputs are open: what they are, and by `options` how they are read.
    pub(super) fn of(opened: &Opened, input: &InputOptions, options: &batch::Options) -> Stats {
        let format = opened.record_source.format();
        Stats {
            input_format: format.name(),
            has_comments: format.has_comments(),
            unwraps: format.unwraps(),
            is_detected: input.asked_format().is_detected,
            selects_records: input.selects_records(),
            spec: options.standard(),
            level: options.level,
            repair: options.repair,
            isa: options.isa.unwrap_or_default(),
            ..Stats::default()
        }
    }

    /// With the counts of what was read.
    pub(super) fn read(self, totals: &Totals) -> Stats {
        let tally = &totals.tally;
        let codes = tally.by_code();
        let codes =
            codes.map(|(code, records, example)| CodeStats { code, records, example: example.cloned() });
        Stats {
            records: tally.rows,
            valid: tally.rows - tally.rejects() - tally.nulls,
            rejects: tally.rejects(),
            nulls: tally.nulls,
            blank: tally.blank - tally.dropped,
            unfinished: tally.unfinished + tally.dropped,
            unfinished_dropped: tally.dropped,
            headers: totals.headers,
            lines: totals.lines,
            changed: tally.changed,
            repaired: tally.repaired,
            not_utf8: tally.not_utf8,
            nul_bytes: tally.nul_bytes,
            cut: totals.cut,
            by_code: codes.collect(),
            filled: tally.filled.clone(),
            further_rejects: tally.further_rejects.clone(),
            disagreements: tally.disagreements().map(|(one, rows)| (one.as_str(), rows)).collect(),
            bytes: totals.bytes,
            ..self
        }
    }

    /// With what is known when all is done.
    pub(super) fn end(self, running: &Running) -> Stats {
        Stats {
            stored_bytes: running.common.progress.stored_bytes(),
            damaged: running.damages.list(),
            threads: running.threads.given,
            time: running.begun.elapsed(),
            ..self
        }
    }

    /// With what became of rejects.
    pub(super) fn set_rejects(
        &mut self,
        path: Option<&Path>,
        summary: &Summary,
        keeps_rejects: bool,
        options: &batch::Options,
    ) {
        self.rejects_output = path.zip(summary.rejects).map(|(path, finished)| RejectsStats {
            name: path.display().to_string(),
            rows: summary.rejected_rows,
            bytes: finished.bytes,
        });
        let holds_bytes = options.columns.contains(Column::RawBytes) || !keeps_rejects;
        self.loses_bytes = self.not_utf8 > 0 && !holds_bytes;
    }

    /// Bytes a second, decompressed.
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

//! The results of a run: counts that add up, the outputs, faults of the inputs. Every job that reads records returns
//! the same [`Stats`]; counts of one job alone are sections of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use urimill_archives::index::{LeftOut, Like};
use urimill_base::timing::StageTimes;
use urimill_columns::batch;
use urimill_columns::batch::{Column, Example, Reading};
use urimill_pipeline::edges::{LinkCounts, Node};
use urimill_pipeline::verify::Verified;
use urimill_pipeline::{Summary, Totals, UncommittedRun};
use urimill_read::{Damage, PageCounts};
use urimill_uri::Code;
use urimill_uri::simd::Isa;
use urimill_write::{OutputSize, Written};

use super::choices::IndexForm;
use super::input_format::InputOptions;
use super::job::Running;
use super::opening::Opened;

/// The statistics of a run.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Records read; for tables their rows.
    pub records: u64,
    /// Records that are URI references, and whose values the table can hold.
    pub valid: u64,
    /// Records that are not URI references.
    pub rejects: u64,
    /// Records whose URI is null or missing if that is allowed.
    pub nulls: u64,
    /// Blank lines, which are not records; in web archives, records about the archive itself.
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
    /// Changed records that were also repaired.
    pub repaired: u64,
    /// Records with bytes that are not UTF-8.
    pub not_utf8: u64,
    /// Whether some of these bytes are in no column of the outputs.
    pub loses_bytes: bool,
    /// NUL bytes before the lines of logs, left by a truncation in place. They are part of no record.
    pub nul_bytes: u64,
    /// Records that are too long to be held and were kept only in part.
    pub cut: u64,
    /// Rejects by code, without codes that do not occur, each with the first example.
    pub by_code: Vec<CodeStats>,
    /// For each further URI, by the column of its field, the number that are outside the grammar.
    pub further_rejects: BTreeMap<String, u64>,
    /// Rows by the differences between the URL Standard and the RFC, if the caller asked for them.
    pub disagreements: BTreeMap<&'static str, u64>,
    /// Columns that were filled for records without a value: the number of rows.
    pub filled: BTreeMap<&'static str, u64>,
    /// Bytes read, decompressed; for tables, those of the references and their bases.
    pub bytes: u64,
    /// Bytes read, as stored.
    pub stored_bytes: u64,
    /// Bytes written to temporary files, if something is sorted or counted.
    pub spilled_bytes: Option<u64>,
    /// The table.
    pub output: OutputStats,
    /// The columns that partition it.
    pub partition_by: Vec<String>,
    /// Rejects that were dropped.
    pub dropped: u64,
    /// The table of rejects, if there is one.
    pub rejects_output: Option<RejectsStats>,
    /// The verified figures of the outputs, if they were verified.
    pub verified: Option<Verified>,
    /// Inputs that were truncated or damaged.
    pub damaged: Vec<Damage>,
    /// The name of the format in which the inputs were read.
    pub input_format: &'static str,
    /// Whether there may be lines of comments between the records; they count as blank lines do.
    pub has_comments: bool,
    /// What was removed from around each line of a log, the outermost first: `syslog`, `docker`, `json:message`.
    pub wrappers: Vec<String>,
    /// What the members of JSON of an unknown shape were taken for: `url = "request.url", status = "code"`.
    pub guess: Option<String>,
    /// Whether the format was detected.
    pub is_detected: bool,
    /// Whether records of web archives were skipped because of their types.
    pub selects_records: bool,
    /// Pages, where the references of pages are the records.
    pub pages: Option<PageCounts>,
    /// Whether references were resolved.
    pub resolves: bool,
    /// By which specification records were read, and in which normal form they were written.
    pub reading: Reading,
    /// Threads that did the work.
    pub threads: usize,
    /// The kernel.
    pub isa: Isa,
    /// The time from checking the options to publishing the outputs.
    pub time: Duration,
    /// The rows of distinct records, of [`Dedupe`](super::Dedupe).
    pub distinct: Option<DistinctStats>,
    /// The kind of edges, and the counts of links, from [`Edges`](super::Edges); the edges are the rows.
    pub edges: Option<EdgesStats>,
    /// Records and lines left out of an index, from [`Index`](super::Index).
    pub index: Option<IndexStats>,
    /// The stages of the run in the order in which data goes through them, and their times; empty unless
    /// [`Conversion::time_stages`](super::Conversion::time_stages) is on.
    pub stages: Vec<StageTimes>,
}

/// Rejects with one code.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CodeStats {
    /// The code.
    pub code: Code,
    /// The number of records with it.
    pub records: u64,
    /// The first such record.
    pub example: Option<Example>,
}

/// The output of a run.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct OutputStats {
    /// Its name, as messages have it; empty if it went to a sink of the caller's.
    pub name: String,
    /// The name of its format; empty for an index, which has a form instead.
    pub format: &'static str,
    /// Its size: of the files, or of the bytes written to the stream.
    pub bytes: u64,
    /// The number of its files, if it is a directory.
    pub files: Option<Vec<Written>>,
    /// The number of partitions.
    pub partitions: u64,
}

/// The key of distinct records, and the number that were merged.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DistinctStats {
    /// The key by which records are equal: `uri` for their normal forms.
    pub by: String,
    /// Rows of rejects.
    pub reject_rows: u64,
    /// Records merged into one before them: all but the first of each row.
    pub duplicates: u64,
    /// The rungs on which records were merged, with the number of rows.
    pub merged: Vec<(&'static str, u64)>,
}

/// The kind of edges, and the counts of links.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EdgesStats {
    /// The kind of vertices.
    pub node: Node,
    /// The counts of links.
    pub links: LinkCounts,
    /// The vertices of a graph.
    pub vertices: Option<u64>,
}

/// The form of an index, and the records that it leaves out.
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

    /// A file, a stream, or a directory.
    pub(super) fn of_run(name: String, format: &'static str, complete: &UncommittedRun) -> OutputStats {
        let files = complete.folder().map(|folder| folder.files().to_vec());
        let mut directories: Vec<&str> =
            files.iter().flatten().filter_map(|file| Some(file.path.rsplit_once('/')?.0)).collect();
        // Files are in the order of their paths, and so are these texts.
        directories.dedup();
        let partitions = directories.len() as u64;
        OutputStats { files, partitions, ..OutputStats::of(name, format, complete.summary.table) }
    }
}

impl Stats {
    /// The name of the file with the statistics in a directory; readers ignore names with this beginning.
    pub const FILE_NAME: &str = "_summary.json";

    /// The statistics known when the inputs are open: the format, and the options.
    pub(super) fn of(opened: &Opened, input: &InputOptions, options: &batch::Options) -> Stats {
        let format = opened.record_source.format();
        Stats {
            input_format: format.name(),
            has_comments: format.has_comments(),
            wrappers: format.wrappers(),
            guess: format.guess(),
            is_detected: input.asked_format().is_detected,
            selects_records: input.selects_records(),
            reading: options.reading,
            isa: options.isa.unwrap_or_default(),
            ..Stats::default()
        }
    }

    /// Adds the counts of the records read.
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

    /// Adds the statistics known at the end.
    pub(super) fn end(self, running: &Running) -> Stats {
        Stats {
            stored_bytes: running.common.progress.stored_bytes(),
            damaged: running.damages.list(),
            threads: running.threads.given,
            time: running.begun.elapsed(),
            ..self
        }
    }

    /// Adds the counts of rejects.
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

    /// Decompressed bytes a second.
    pub fn bytes_per_second(&self) -> f64 {
        self.bytes as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

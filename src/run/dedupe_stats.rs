//! The statistics of a run of `Dedupe`: counts of records and rows, for people and for programs.

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::stats::{CodeStats, rate};
use super::stats_json::damages;
use crate::Standard;
use crate::normalize::Level;
use crate::read::Damage;
use crate::simd::Isa;

/// The statistics of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DedupeStats {
    /// Records read.
    pub records: u64,
    /// Records that are not URI references.
    pub rejects: u64,
    /// Records that say that they have no URI.
    pub nulls: u64,
    /// Blank lines; in web archives, records that describe the file.
    pub blank: u64,
    /// Records that are the last lines of logs and may be cut: the input ends within the line.
    pub unfinished: u64,
    /// Unfinished lines that were dropped, and are not among the records.
    pub unfinished_dropped: u64,
    /// Header lines.
    pub headers: u64,
    /// Lines, without headers.
    pub lines: u64,
    /// Records whose text was changed by normalization.
    pub changed: u64,
    /// Changed records that were repaired.
    pub repaired: u64,
    /// Records that are not UTF-8.
    pub not_utf8: u64,
    /// Records of which only the beginning was kept; each has a row of its own.
    pub cut: u64,
    /// Rejects by code, those that occur, each with the first example.
    pub by_code: Vec<CodeStats>,
    /// Rows of the table.
    pub rows: u64,
    /// Rows that stand for rejects.
    pub reject_rows: u64,
    /// Records that came together with one before them: all but the first of each row.
    pub duplicates: u64,
    /// The rungs on which records came together, with the number of rows.
    pub merged: Vec<(&'static str, u64)>,
    /// Bytes read, decompressed.
    pub bytes: u64,
    /// Bytes read, as they are stored.
    pub stored_bytes: u64,
    /// Bytes that went to temporary files.
    pub spilled_bytes: u64,
    /// The table's name, as messages have it.
    pub output_name: String,
    /// The name of its format.
    pub output_format: &'static str,
    /// Its size.
    pub output_bytes: u64,
    /// Whether it was read back and compared.
    pub verified: bool,
    /// The format of the inputs, or of the first of them where each was found out.
    pub input_format: &'static str,
    /// Whether it was found out.
    pub is_detected: bool,
    /// Whether lines of comments count as blank ones.
    pub has_comments: bool,
    /// Whether something stood around each line.
    pub unwraps: bool,
    /// Whether records of some types were passed over.
    pub selects_records: bool,
    /// Inputs that were truncated or damaged.
    pub damaged: Vec<Damage>,
    /// The specification that decided what is valid.
    pub spec: Standard,
    /// The normal form.
    pub level: Level,
    /// What decided which records are equal: `uri` for their normal forms.
    pub by: String,
    /// Threads that did the work.
    pub threads: usize,
    /// The kernel.
    pub isa: Isa,
    /// From the first look at the options to the table.
    pub time: Duration,
}

impl DedupeStats {
    /// Bytes a second, decompressed.
    pub fn bytes_per_second(&self) -> f64 {
        rate(self.bytes, self.time)
    }

    /// One object: what `urimill dedupe --summary json` prints.
    pub fn to_json(&self) -> Value {
        let merged = self.merged.iter().map(|&(name, rows)| (name.to_owned(), json!(rows)));
        let codes = self.by_code.iter().map(|code| (code.code.as_str().to_owned(), json!(code.records)));
        json!({
            "lines": self.lines,
            "records": self.records,
            "valid": self.records - self.rejects - self.nulls,
            "rejects": self.rejects,
            "nulls": self.nulls,
            "headers": self.headers,
            "input_format": self.input_format,
            "blank": self.blank,
            "unfinished": self.unfinished,
            "unfinished_dropped": self.unfinished_dropped,
            "changed": self.changed,
            "repaired": self.repaired,
            "not_utf8": self.not_utf8,
            "cut": self.cut,
            "by_code": codes.collect::<Map<_, _>>(),
            "rows": self.rows,
            "reject_rows": self.reject_rows,
            "duplicates": self.duplicates,
            "merged": merged.collect::<Map<_, _>>(),
            "bytes": self.bytes,
            "verified": self.verified,
            "stored_bytes": self.stored_bytes,
            "spilled_bytes": self.spilled_bytes,
            "damaged": damages(&self.damaged),
            "seconds": self.time.as_secs_f64(),
            "mb_per_second": self.bytes_per_second() / 1e6,
            "output": { "name": self.output_name, "format": self.output_format, "bytes": self.output_bytes },
            "spec": self.spec.as_str(),
            "level": self.level.as_str(),
            "by": self.by,
            "threads": self.threads,
            "isa": self.isa.as_str(),
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

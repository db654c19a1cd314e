//! What a run that made an index counted.

use std::time::Duration;

use serde_json::{Value, json};

use super::choices::IndexForm;
use super::stats::rate;
use super::stats_json::damages as damages_json;
use crate::index::{LeftOut, Like};
use crate::read::Damage;

/// The statistics of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct IndexStats {
    /// The form of the index.
    pub form: IndexForm,
    /// The tool whose lines it has.
    pub like: Like,
    /// Records read.
    pub records: u64,
    /// Lines written.
    pub lines: u64,
    /// Lines equal to the one before, which were left out.
    pub repeated: u64,
    /// Records without a line, by reason.
    pub left_out: LeftOut,
    /// Bytes read, decompressed.
    pub bytes: u64,
    /// Bytes read, as they are stored.
    pub stored_bytes: u64,
    /// Bytes that went to temporary files.
    pub spilled_bytes: u64,
    /// The output's name, as messages have it.
    pub output_name: String,
    /// Its size.
    pub output_bytes: u64,
    /// The format of the inputs, or of the first of them where each was found out.
    pub input_format: &'static str,
    /// Inputs that were truncated or damaged.
    pub damaged: Vec<Damage>,
    /// Threads that did the work.
    pub threads: usize,
    /// From the first look at the options to the output.
    pub time: Duration,
}

impl IndexStats {
    /// Bytes a second, decompressed.
    pub fn bytes_per_second(&self) -> f64 {
        rate(self.bytes, self.time)
    }

    /// One object: what `urimill index --summary json` prints.
    pub fn to_json(&self) -> Value {
        let LeftOut { types, without_target, without_time, without_status, damaged, unreachable, .. } =
            self.left_out;
        json!({
            "form": self.form.as_str(),
            "like": self.like.as_str(),
            "input_format": self.input_format,
            "records": self.records,
            "lines": self.lines,
            "repeated": self.repeated,
            "left_out": {
                "types": types,
                "without_target": without_target,
                "without_time": without_time,
                "without_status": without_status,
                "damaged": damaged,
                "unreachable": unreachable,
            },
            "bytes": self.bytes,
            "stored_bytes": self.stored_bytes,
            "spilled_bytes": self.spilled_bytes,
            "damaged": damages_json(&self.damaged),
            "seconds": self.time.as_secs_f64(),
            "mb_per_second": self.bytes_per_second() / 1e6,
            "output": { "name": self.output_name, "bytes": self.output_bytes },
            "threads": self.threads,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

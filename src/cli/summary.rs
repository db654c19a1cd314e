//! The account of a run, on standard error: as text for people, as JSON for programs.

use std::cmp::Reverse;
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{HumanBytes, HumanCount};
use serde_json::{Value, json};

use super::damage;
use super::layout::Laid;
use super::reading::Reading;
use super::stderr::{printable, say, say_json};
use crate::batch::{Column, Options};
use crate::input::Damage;
use crate::pipeline::{Shown, Summary};
use crate::printable::printable_json;
use crate::simd::Isa;

/// How to print the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// Lines for people
    Text,
    /// One JSON object
    Json,
    /// Nothing
    None,
}

/// A finished run.
pub(super) struct Report<'a> {
    pub(super) summary: &'a Summary,
    pub(super) options: &'a Options,
    pub(super) threads: usize,
    /// Bytes of the inputs as they are stored.
    pub(super) stored: u64,
    pub(super) time: Duration,
    /// Name and format of the table.
    pub(super) table: (&'a str, &'a str),
    /// Its files, where it is a directory.
    pub(super) laid: Option<&'a Laid>,
    /// The columns that divide it.
    pub(super) partition_by: &'a [String],
    pub(super) rejects: Option<&'a str>,
    pub(super) keeps_rejects: bool,
    /// The format of the inputs.
    pub(super) read_as: &'a str,
    /// Whether lines of comments stand between the records.
    pub(super) has_comments: bool,
    pub(super) reading: &'a Reading,
    /// Whether the inputs are tables.
    pub(super) is_table: bool,
    /// What was shown of the outputs, if they were read back and compared.
    pub(super) verified: Option<Shown>,
    /// Inputs that were damaged.
    pub(super) damages: &'a [Damage],
}

impl Report<'_> {
    pub(super) fn print(&self, form: Form) {
        match form {
            Form::Text => say(&self.text()),
            Form::Json => say_json(&self.json()),
            Form::None => {}
        }
    }

    fn rate(&self) -> f64 {
        self.summary.bytes as f64 / 1e6 / self.time.as_secs_f64().max(1e-9)
    }

    fn text(&self) -> String {
        use std::fmt::Write;
        let tally = &self.summary.tally;
        let mut text = String::new();
        let rejects = tally.rejects();
        // Writing to a string cannot fail.
        let (headers, lines) = (self.summary.headers, self.summary.lines + self.summary.headers);
        // A record in quotes may hold line ends: then lines are no sum of records.
        let has_quotes = matches!(self.read_as, "csv" | "tsv");
        let all = match self.read_as {
            _ if self.is_table => count(tally.rows, "row"),
            "warc" | "wat" => count(tally.lines(), "record"),
            _ if has_quotes => count(tally.rows, "record"),
            _ => count(lines, "line"),
        };
        let valid = count(self.valid(), "valid record");
        let _ = write!(text, "{all} = {valid} + {}", count(rejects, "reject"));
        if self.is_table || tally.nulls > 0 {
            let _ = write!(text, " + {} null", HumanCount(tally.nulls));
        }
        let blank = HumanCount(tally.blank);
        let _ = match self.read_as {
            _ if self.is_table => Ok(()),
            "warc" | "wat" if self.reading.selects_records() => write!(text, " + {blank} passed over"),
            "warc" | "wat" => write!(text, " + {blank} warcinfo"),
            _ if has_quotes => write!(text, "; {} read, {blank} blank", count(lines, "line")),
            _ if self.has_comments => write!(text, " + {blank} of comments or blank"),
            _ => write!(text, " + {blank} blank"),
        };
        if headers > 0 {
            let _ = write!(text, "{}{}", if has_quotes { ", " } else { " + " }, count(headers, "header"));
        }
        text.push('\n');
        let resolved = if self.reading.resolves() { "resolution and " } else { "" };
        let _ =
            write!(text, "{} changed by {resolved}level {}", HumanCount(tally.changed), self.options.level);
        if self.options.repair {
            let _ = write!(text, ", {} of them repaired", HumanCount(tally.repaired));
        }
        text.push('\n');
        let mut codes: Vec<_> = tally.by_code().collect();
        // Stable: codes that are as frequent stay in their own order.
        codes.sort_by_key(|&(_, count, _)| Reverse(count));
        for (code, count, example) in codes {
            let _ = write!(text, "{:>9}  {code}", HumanCount(count).to_string());
            if let Some(example) = example {
                let source = example.source.as_deref().unwrap_or("input");
                let _ = write!(text, ": first in {}, record {}, ", printable(source), example.record);
                let _ = match (example.column, example.field) {
                    (Some((column, reason)), _) => write!(text, "{column} {reason}: "),
                    (None, Some(field)) => write!(text, "byte {}: no field {field}: ", example.offset),
                    (None, None) => write!(text, "byte {}: ", example.offset),
                };
                let _ = write!(text, "\"{}\"", printable(&example.text));
            }
            text.push('\n');
        }
        for (column, rows) in &tally.filled {
            let _ =
                writeln!(text, "filled in, for records without a value: {column} in {}", count(*rows, "row"));
        }
        if self.loses_bytes() {
            let _ = writeln!(
                text,
                "not UTF-8: {}, whose bytes are not kept without the column raw_bytes",
                count(tally.not_utf8, "record")
            );
        }
        if self.summary.cut > 0 {
            let _ = writeln!(
                text,
                "too long to be held: {}, of which only the beginning is kept",
                count(self.summary.cut, "record")
            );
        }
        let _ = write!(
            text,
            "{}{} in {:.3} s, {:.0} MB/s; {}, {} to {}",
            HumanBytes(self.summary.bytes),
            if self.is_table { " of URIs" } else { "" },
            self.time.as_secs_f64(),
            self.rate(),
            count(self.summary.rows, "row"),
            HumanBytes(self.summary.table.bytes),
            printable(self.table.0)
        );
        if let Some(laid) = self.laid {
            let _ = write!(text, ": {}", count(laid.files.len() as u64, "file"));
            if laid.partitions > 0 {
                let _ = write!(text, " in {}", count(laid.partitions, "partition"));
            }
        }
        text.push('\n');
        if let Some(spilled @ 1..) = self.summary.spilled {
            let _ = writeln!(text, "{} to temporary files", HumanBytes(spilled));
        }
        if let (Some(name), Some(rejects)) = (self.rejects, self.summary.rejects) {
            let rows = count(self.summary.rejected_rows, "row");
            let _ = writeln!(text, "{rows}, {} to {}", HumanBytes(rejects.bytes), printable(name));
        }
        text.push_str(&damage::text(self.damages));
        text.push_str(match self.verified {
            Some(Shown::Records) => "verified: read back, the outputs hold every record as it was read\n",
            Some(Shown::Rows) => {
                "verified: read back, the outputs hold a row for every record; what was read their columns do not tell\n"
            }
            None => "",
        });
        text
    }

    /// Records that are no rejects; a null is neither.
    fn valid(&self) -> u64 {
        let tally = &self.summary.tally;
        tally.rows - tally.rejects() - tally.nulls
    }

    /// Whether there are bytes that no column of the outputs holds.
    fn loses_bytes(&self) -> bool {
        let kept = self.options.columns.contains(Column::RawBytes) || !self.keeps_rejects;
        self.summary.tally.not_utf8 > 0 && !kept
    }

    /// The summary as it lies beside the files of a directory, with a list of these.
    pub(super) fn beside_files(&self) -> String {
        let mut json = self.json();
        json["partition_by"] = self.partition_by.into();
        let mut text = format!("{json:#}");
        // A line for each file behind the other members: as values a great many would take much memory.
        text.truncate(text.trim_end_matches('}').trim_end().len());
        text.push_str(",\n  \"files\": [");
        for (i, file) in self.laid.iter().flat_map(|laid| &laid.files).enumerate() {
            text.push_str(if i > 0 { ",\n    " } else { "\n    " });
            let path = Value::from(file.path.as_str());
            text.push_str(&format!(
                "{{ \"path\": {path}, \"rows\": {}, \"bytes\": {} }}",
                file.rows, file.bytes
            ));
        }
        text.push_str("\n  ]\n}\n");
        printable_json(&text).into_owned()
    }

    /// As one JSON object.
    pub(super) fn json(&self) -> Value {
        let tally = &self.summary.tally;
        let by_code = tally.by_code().map(|(code, count, example)| {
            let example = example.map(|example| {
                let mut shown = json!({
                    "source": example.source.as_deref(),
                    "record": example.record,
                    "offset": example.offset,
                    "text": example.text,
                });
                if let Some(field) = example.field {
                    shown["field"] = field.into();
                }
                if let Some((column, reason)) = example.column {
                    shown["field"] = column.into();
                    shown["reason"] = reason.into();
                }
                shown
            });
            (code.as_str().to_owned(), json!({ "count": count, "example": example }))
        });
        let rejects_output = self.rejects.zip(self.summary.rejects);
        let mut output =
            json!({ "name": self.table.0, "format": self.table.1, "bytes": self.summary.table.bytes });
        if let Some(laid) = self.laid {
            output["files"] = laid.files.len().into();
            output["partitions"] = laid.partitions.into();
        }
        json!({
            "lines": self.summary.lines,
            "records": tally.rows,
            "rows": self.summary.rows,
            "valid": self.valid(),
            "rejects": tally.rejects(),
            "nulls": tally.nulls,
            "blank": tally.blank,
            "headers": self.summary.headers,
            "changed": tally.changed,
            "repaired": tally.repaired,
            "not_utf8": tally.not_utf8,
            "cut": self.summary.cut,
            "filled": tally.filled,
            "by_code": by_code.collect::<serde_json::Map<_, _>>(),
            "bytes": self.summary.bytes,
            "verified": self.verified.is_some(),
            "verified_records": self.verified == Some(Shown::Records),
            "stored_bytes": self.stored,
            "spilled_bytes": self.summary.spilled,
            "damaged": damage::json(self.damages),
            "seconds": self.time.as_secs_f64(),
            "mb_per_second": self.rate(),
            "output": output,
            "rejects_output": rejects_output.map(|(name, file)| json!({
                "name": name,
                "rows": self.summary.rejected_rows,
                "bytes": file.bytes,
            })),
            "spec": self.options.spec.as_str(),
            "level": self.options.level.as_str(),
            "threads": self.threads,
            "isa": Isa::chosen().map(Isa::as_str).unwrap_or_default(),
            "version": env!("CARGO_PKG_VERSION"),
        })
    }
}

/// "1 line", "2,000 lines".
pub(super) fn count(n: u64, what: &str) -> String {
    format!("{} {what}{}", HumanCount(n), if n == 1 { "" } else { "s" })
}

//! The statistics of a run as JSON: for programs, and for the file that lies beside the files of a directory.

use serde_json::{Map, Value, json};

use super::stats::{CodeStats, RunStats};
use crate::printable::printable_json;
use crate::read::{Damage, PageCounts};
use crate::timing::StageTimes;
use crate::verify::Verified;

impl RunStats {
    /// One object: what `urimill normalize --summary json` prints.
    pub fn to_json(&self) -> Value {
        let mut output = json!({
            "name": self.output.name,
            "format": self.output.format,
            "bytes": self.output.bytes,
        });
        if let Some(files) = &self.output.files {
            output["files"] = files.len().into();
            output["partitions"] = self.output.partitions.into();
        }
        let rejects_output = self
            .rejects_output
            .as_ref()
            .map(|rejects| json!({ "name": rejects.name, "rows": rejects.rows, "bytes": rejects.bytes }));
        let mut json = json!({
            "lines": self.lines,
            "records": self.records,
            "rows": self.rows,
            "valid": self.valid,
            "rejects": self.rejects,
            "dropped": self.dropped,
            "nulls": self.nulls,
            "blank": self.blank,
            "unfinished": self.unfinished,
            "unfinished_dropped": self.unfinished_dropped,
            "headers": self.headers,
            "changed": self.changed,
            "repaired": self.repaired,
            "not_utf8": self.not_utf8,
            "nul_bytes": self.nul_bytes,
            "cut": self.cut,
            "filled": self.filled,
            "further_rejects": self.further_rejects,
            "disagreements": self.disagreements,
            "by_code": by_code(&self.by_code),
            "bytes": self.bytes,
            "verified": self.verified.is_some(),
            "verified_records": self.verified == Some(Verified::Records),
            "stored_bytes": self.stored_bytes,
            "spilled_bytes": self.spilled_bytes,
            "damaged": damages(&self.damaged),
            "seconds": self.time.as_secs_f64(),
            "mb_per_second": self.bytes_per_second() / 1e6,
            "output": output,
            "rejects_output": rejects_output,
            "spec": self.spec.as_str(),
            "level": self.level.as_str(),
            "threads": self.threads,
            "isa": self.isa.as_str(),
            "version": env!("CARGO_PKG_VERSION"),
        });
        if let Some(pages) = &self.pages {
            json["pages"] = self::pages(pages);
        }
        if !self.stages.is_empty() {
            json["stages"] = self.stages.iter().map(stage).collect();
        }
        json
    }

    /// The same with a list of the files of a directory.
    pub(super) fn beside_files(&self) -> String {
        let mut json = self.to_json();
        json["partition_by"] = self.partition_by.as_slice().into();
        let mut text = format!("{json:#}");
        // A line for each file after the other members: as values a great many would take much memory.
        text.truncate(text.trim_end_matches('}').trim_end().len());
        text.push_str(",\n  \"files\": [");
        for (i, file) in self.output.files.iter().flatten().enumerate() {
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
}

/// The member `by_code`.
fn by_code(codes: &[CodeStats]) -> Map<String, Value> {
    let each = codes.iter().map(|CodeStats { code, records, example }| {
        let example = example.as_ref().map(|example| {
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
        (code.as_str().to_owned(), json!({ "count": records, "example": example }))
    });
    each.collect()
}

/// A member of `stages`, its times in seconds.
fn stage(stage: &StageTimes) -> Value {
    let steps = stage.steps.iter().map(|(name, time)| ((*name).to_owned(), json!(time.as_secs_f64())));
    json!({
        "name": stage.name,
        "ordered": stage.is_ordered,
        "busy": stage.busy.as_secs_f64(),
        "waited": stage.waited.as_secs_f64(),
        "steps": steps.collect::<Map<_, _>>(),
    })
}

/// The counts of pages.
pub(super) fn pages(pages: &PageCounts) -> Value {
    json!({
        "pages": pages.pages,
        "links": pages.links,
        "with_links": pages.with_links,
        "without_links": pages.without_links,
        "unread": pages.unread,
        "partial": pages.partial,
        "others": pages.others,
        "based_on_files": pages.based_on_files,
        "base_too_long": pages.base_too_long,
        "charset_unknown": pages.charset_unknown,
        "charset_damaged": pages.charset_damaged,
    })
}

/// The member `damaged`.
pub(super) fn damages(damages: &[Damage]) -> Value {
    let each = |damage: &Damage| {
        json!({
            "source": damage.source,
            "what": damage.sentence,
            "records_before": damage.records,
            "unsure": damage.unsure,
            "left_out_bytes": damage.left_out,
            "resumed_at": damage.resumed,
        })
    };
    damages.iter().map(each).collect()
}

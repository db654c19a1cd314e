//! Statistics as JSON: for programs, and for the file of statistics in a directory. Each section has its members.

use serde_json::{Map, Value, json};
use urimill_archives::index::LeftOut;
use urimill_base::timing::StageTimes;
use urimill_pipeline::edges::LinkCounts;
use urimill_pipeline::verify::Verified;
use urimill_read::{Damage, PageCounts};
use urimill_uri::printable::printable_json;

use super::stats::{CodeStats, DistinctStats, EdgesStats, IndexStats, Stats};

impl Stats {
    /// One object: what a job prints with `--summary json`.
    pub fn to_json(&self) -> Value {
        let sections = match self {
            Stats { distinct: Some(distinct), .. } => {
                vec![self.read_by(), self.records(), self.distinct(distinct)]
            }
            Stats { edges: Some(edges), .. } => vec![self.read_by(), self.edges(edges)],
            Stats { index: Some(index), .. } => vec![self.index(index)],
            _ => vec![self.read_by(), self.records(), self.table()],
        };
        let members = sections.into_iter().chain([self.run()]).filter_map(|section| match section {
            Value::Object(members) => Some(members),
            _ => None,
        });
        members.flatten().collect()
    }

    /// The members that every run has.
    fn run(&self) -> Value {
        let mut output = json!({ "name": self.output.name, "bytes": self.output.bytes });
        if !self.output.format.is_empty() {
            output["format"] = self.output.format.into();
        }
        if let Some(files) = &self.output.files {
            output["files"] = files.len().into();
            output["partitions"] = self.output.partitions.into();
        }
        json!({
            "bytes": self.bytes,
            "stored_bytes": self.stored_bytes,
            "spilled_bytes": self.spilled_bytes,
            "damaged": damages(&self.damaged),
            "seconds": self.time.as_secs_f64(),
            "mb_per_second": self.bytes_per_second() / 1e6,
            "output": output,
            "threads": self.threads,
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    /// The members of runs that read URIs by a specification.
    fn read_by(&self) -> Value {
        json!({
            "verified": self.verified.is_some(),
            "spec": self.reading.standard().as_str(),
            "isa": self.isa.as_str(),
        })
    }

    /// The members of runs whose rows are made of records.
    fn records(&self) -> Value {
        json!({
            "lines": self.lines,
            "wrappers": self.wrappers,
            "guess": self.guess,
            "records": self.records,
            "rows": self.rows,
            "valid": self.valid,
            "rejects": self.rejects,
            "nulls": self.nulls,
            "blank": self.blank,
            "unfinished": self.unfinished,
            "unfinished_dropped": self.unfinished_dropped,
            "headers": self.headers,
            "changed": self.changed,
            "repaired": self.repaired,
            "not_utf8": self.not_utf8,
            "cut": self.cut,
            "level": self.reading.rfc().level.as_str(),
        })
    }

    /// The members of tables with a row for each record.
    fn table(&self) -> Value {
        let rejects_output = self
            .rejects_output
            .as_ref()
            .map(|rejects| json!({ "name": rejects.name, "rows": rejects.rows, "bytes": rejects.bytes }));
        let mut json = json!({
            "dropped": self.dropped,
            "nul_bytes": self.nul_bytes,
            "filled": self.filled,
            "further_rejects": self.further_rejects,
            "disagreements": self.disagreements,
            "by_code": by_code(&self.by_code),
            "verified_records": self.verified == Some(Verified::Records),
            "rejects_output": rejects_output,
        });
        if let Some(pages) = &self.pages {
            json["pages"] = self::pages(pages);
        }
        if !self.stages.is_empty() {
            json["stages"] = self.stages.iter().map(stage).collect();
        }
        json
    }

    fn distinct(&self, distinct: &DistinctStats) -> Value {
        let merged = distinct.merged.iter().map(|&(name, rows)| (name.to_owned(), json!(rows)));
        json!({
            "by": distinct.by,
            "input_format": self.input_format,
            "by_code": self.code_counts(),
            "reject_rows": distinct.reject_rows,
            "duplicates": distinct.duplicates,
            "merged": merged.collect::<Map<_, _>>(),
        })
    }

    fn edges(&self, edges: &EdgesStats) -> Value {
        let LinkCounts { counted, invalid, without_source, without_target, to_itself, .. } = edges.links;
        json!({
            "node": edges.node.as_str(),
            "input_format": self.input_format,
            "pages": self.pages.as_ref().map(pages),
            "links": {
                "counted": counted,
                "invalid": invalid,
                "without_source": without_source,
                "without_target": without_target,
                "to_itself": to_itself,
            },
            "by_code": self.code_counts(),
            "edges": self.rows,
            "vertices": edges.vertices,
        })
    }

    fn index(&self, index: &IndexStats) -> Value {
        let LeftOut { types, without_target, without_time, without_status, damaged, unreachable, .. } =
            index.left_out;
        json!({
            "form": index.form.as_str(),
            "like": index.like.as_str(),
            "input_format": self.input_format,
            "records": self.records,
            "lines": self.rows,
            "repeated": index.repeated,
            "left_out": {
                "types": types,
                "without_target": without_target,
                "without_time": without_time,
                "without_status": without_status,
                "damaged": damaged,
                "unreachable": unreachable,
            },
        })
    }

    /// The member `by_code` without examples.
    fn code_counts(&self) -> Map<String, Value> {
        self.by_code.iter().map(|code| (code.code.as_str().to_owned(), json!(code.records))).collect()
    }

    /// The same with a list of the files of a directory.
    pub(super) fn beside_files(&self) -> String {
        let mut json = self.to_json();
        json["partition_by"] = self.partition_by.as_slice().into();
        let mut text = format!("{json:#}");
        // The files are written line by line after the other members: as values, a great many would take much memory.
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
fn pages(pages: &PageCounts) -> Value {
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
fn damages(damages: &[Damage]) -> Value {
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

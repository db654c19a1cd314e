//! The parts of a summary that only one job has: distinct records, edges, an index.

use std::fmt::Write;

use indicatif::HumanCount;

use super::{pace, pages, read, spilled, unfinished, written};
use crate::term::count::count;
use urimill::batch::Reading;
use urimill::run::{DistinctStats, EdgesStats, IndexStats, Stats};

// Writing to a string cannot fail.

pub(super) fn distinct(text: &mut String, stats: &Stats, distinct: &DistinctStats) {
    read(text, stats);
    let forms = stats.rows - distinct.reject_rows - u64::from(stats.nulls > 0);
    let forms = match distinct.by.as_str() {
        "uri" if stats.reading == Reading::Whatwg => count(forms, "URL"),
        "uri" => format!("{} of level {}", count(forms, "normal form"), stats.reading.rfc().level),
        by => format!("{} different by {by}", HumanCount(forms)),
    };
    let _ = writeln!(
        text,
        "{} = {forms} + {}{}",
        count(stats.rows, "row"),
        count(distinct.reject_rows, "distinct reject"),
        if stats.nulls > 0 { " + 1 null" } else { "" }
    );
    let _ = writeln!(
        text,
        "{} = {} + {}",
        count(stats.records, "record"),
        count(stats.rows, "row"),
        count(distinct.duplicates, "duplicate")
    );
    let merged: Vec<_> = distinct.merged.iter().filter(|(_, rows)| *rows > 0).collect();
    if !merged.is_empty() {
        let rungs = merged.iter().map(|(name, rows)| match *name {
            "identical" => format!("{} identical", HumanCount(*rows)),
            rung => format!("{} after {rung}", HumanCount(*rows)),
        });
        let _ = writeln!(text, "rows with duplicates: {}", rungs.collect::<Vec<_>>().join(", "));
    }
    unfinished(text, stats);
    if stats.cut > 0 {
        let _ = writeln!(
            text,
            "too long: {}, each with a row of its own that has only its beginning",
            count(stats.cut, "record")
        );
    }
    spilled(text, stats);
    let _ = writeln!(text, "{}; {}", pace(stats), written(stats));
}

pub(super) fn edges(text: &mut String, stats: &Stats, edges: &EdgesStats) {
    if let Some(counts) = &stats.pages {
        pages(text, counts);
    }
    let links = &edges.links;
    let all = links.counted + links.invalid + links.without_source + links.without_target + links.to_itself;
    let what = edges.node.as_str().replace('_', " ");
    let mut line = |rows: u64, what: &str| {
        let _ = writeln!(text, "{:>9}  {what}", HumanCount(rows).to_string());
    };
    line(all, if all == 1 { "row, which is" } else { "rows, which are" });
    line(links.counted, "counted");
    line(links.invalid, "rejected");
    line(links.without_source, &format!("in pages without a {what}"));
    line(links.without_target, &format!("to targets without a {what}"));
    if edges.vertices.is_some() {
        line(links.to_itself, &format!("to the same {what}"));
    }
    spilled(text, stats);
    let _ = write!(text, "{}; ", pace(stats));
    if let Some(vertices) = edges.vertices {
        let _ = write!(text, "{} vertices, ", HumanCount(vertices));
    }
    let _ = writeln!(text, "{}, {}", count(stats.rows, "edge"), written(stats));
}

pub(super) fn index(text: &mut String, stats: &Stats, index: &IndexStats) {
    let left_out = &index.left_out;
    let all = stats.rows + index.repeated + left_out.all();
    let _ = write!(text, "{} = {}", count(all, "record"), count(stats.rows, "line"));
    for (records, why) in [
        (index.repeated, "with the same line as another"),
        (left_out.types, "of types that are not indexed"),
        (left_out.without_target, "without a target"),
        (left_out.without_time, "without a time that can be read"),
        (left_out.without_status, "without a status"),
        (left_out.damaged, "that are damaged"),
        (left_out.unreachable, "in files that are compressed as a whole"),
    ] {
        if records > 0 {
            let _ = write!(text, " + {} {why}", HumanCount(records));
        }
    }
    text.push('\n');
    spilled(text, stats);
    let _ = writeln!(text, "{}; {}", pace(stats), written(stats));
}

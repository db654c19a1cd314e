//! The account of a run, on standard error: as text for people, as JSON for programs.

mod sections;

use std::cmp::Reverse;
use std::time::Duration;

use clap::ValueEnum;
use indicatif::{HumanBytes, HumanCount};

use super::count::count;
use super::damage;
use super::stderr::{printable, say, say_json};
use urimill::run::{InputFormat, PageCounts, StageTimes, Stats, Verified};

/// How to print the summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Lines for people
    Text,
    /// One JSON object
    Json,
    /// Nothing
    None,
}

/// Prints the summary of a run.
pub(crate) fn print(stats: &Stats, form: Form) {
    match form {
        Form::Text => say(&text(stats)),
        Form::Json => say_json(&stats.to_json()),
        Form::None => {}
    }
}

fn text(stats: &Stats) -> String {
    let mut text = String::new();
    match stats {
        Stats { distinct: Some(distinct), .. } => sections::distinct(&mut text, stats, distinct),
        Stats { edges: Some(edges), .. } => sections::edges(&mut text, stats, edges),
        Stats { index: Some(index), .. } => sections::index(&mut text, stats, index),
        _ => table(&mut text, stats),
    }
    text.push_str(&damage::text(&stats.damaged));
    text.push_str(match (stats.verified, &stats.distinct, &stats.edges) {
        (None, ..) => "",
        (_, Some(_), _) => {
            "verified: every record read is in one row, and no two rows stand for the same record\n"
        }
        (.., Some(_)) => "verified: the table holds the edges that were counted\n",
        (Some(Verified::Records), ..) => "verified: the outputs hold every record as it was read\n",
        (Some(Verified::Rows), ..) => {
            "verified: one row per record (the columns written do not include the text as read)\n"
        }
    });
    stages(&mut text, &stats.stages);
    text
}

/// The lines for a table with a row for each record.
fn table(text: &mut String, stats: &Stats) {
    use std::fmt::Write;
    read(text, stats);
    // Writing to a string cannot fail.
    let _ = write!(text, "{} rewritten", HumanCount(stats.changed));
    if stats.reading.rfc().repair {
        let _ = write!(text, ", {} of them repaired", HumanCount(stats.repaired));
    }
    text.push('\n');
    let mut codes: Vec<_> = stats.by_code.iter().collect();
    // The sort is stable: codes that are equally frequent keep their order.
    codes.sort_by_key(|code| Reverse(code.records));
    for code in codes {
        let _ = write!(text, "{:>9}  {}", HumanCount(code.records).to_string(), code.code);
        if let Some(example) = &code.example {
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
    for (field, rejects) in &stats.further_rejects {
        let _ = writeln!(text, "further URIs, {}: {}", printable(field), count(*rejects, "reject"));
    }
    let mut disagreements: Vec<_> = stats.disagreements.iter().collect();
    disagreements.sort_by_key(|(_, rows)| Reverse(**rows));
    for (name, rows) in disagreements {
        let _ = writeln!(text, "{:>9}  disagreement {name}", HumanCount(*rows).to_string());
    }
    for (column, rows) in &stats.filled {
        let _ = writeln!(text, "filled in, for records without a value: {column} in {}", count(*rows, "row"));
    }
    if stats.loses_bytes {
        let _ = writeln!(
            text,
            "not UTF-8: {}, whose bytes are lost without the column raw_bytes",
            count(stats.not_utf8, "record")
        );
    }
    if stats.nul_bytes > 0 {
        let bytes = count(stats.nul_bytes, "NUL byte");
        let _ = writeln!(
            text,
            "passed over before lines: {bytes}, as a log that was truncated in place has them"
        );
    }
    unfinished(text, stats);
    if stats.cut > 0 {
        let _ =
            writeln!(text, "too long: {}, of which only the beginning is kept", count(stats.cut, "record"));
    }
    let _ = write!(text, "{}; {}, {}", pace(stats), count(stats.rows, "row"), written(stats));
    if let Some(files) = &stats.output.files {
        let _ = write!(text, ": {}", count(files.len() as u64, "file"));
        if stats.output.partitions > 0 {
            let _ = write!(text, " in {}", count(stats.output.partitions, "partition"));
        }
    }
    text.push('\n');
    spilled(text, stats);
    if let Some(rejects) = &stats.rejects_output {
        let rows = count(rejects.rows, "row");
        let _ = writeln!(text, "{rows}, {} to {}", HumanBytes(rejects.bytes), printable(&rejects.name));
    }
    if stats.dropped > 0 {
        let _ = writeln!(text, "dropped: {}", count(stats.dropped, "reject"));
    }
}

/// The line about final lines of logs that may be cut off and have rows.
fn unfinished(text: &mut String, stats: &Stats) {
    use std::fmt::Write;
    let marked = stats.unfinished - stats.unfinished_dropped;
    if marked > 0 {
        let lines = count(marked, "last line");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "unfinished: {lines} without a line feed, so perhaps cut: see --last-line");
    }
}

/// The line about temporary files.
fn spilled(text: &mut String, stats: &Stats) {
    if let Some(spilled @ 1..) = stats.spilled_bytes {
        text.push_str(&format!("{} to temporary files\n", HumanBytes(spilled)));
    }
}

/// The size and the place of the output.
fn written(stats: &Stats) -> String {
    format!("{} to {}", HumanBytes(stats.output.bytes), printable(&stats.output.name))
}

/// A line for each stage, if stages were timed.
fn stages(text: &mut String, stages: &[StageTimes]) {
    use std::fmt::Write;
    if !stages.is_empty() {
        text.push_str("seconds of work and of waiting, by stage (* takes one part of the input at a time)\n");
    }
    for stage in stages {
        let (busy, waited) = (stage.busy.as_secs_f64(), stage.waited.as_secs_f64());
        let order = if stage.is_ordered { "*" } else { " " };
        // Writing to a string cannot fail.
        let _ = write!(text, "{busy:>9.3} {waited:>8.3} {order} {}", printable(&stage.name));
        let mut before = ": ";
        for (name, time) in &stage.steps {
            let _ = write!(text, "{before}{name} {:.3}", time.as_secs_f64());
            before = ", ";
        }
        text.push('\n');
    }
}

/// The line that counts pages.
fn pages(text: &mut String, pages: &PageCounts) {
    use std::fmt::Write;
    let [with, without, unread] =
        [pages.with_links, pages.without_links, pages.unread].map(|pages| HumanCount(pages).to_string());
    let all = count(pages.pages, "page");
    let _ = write!(text, "{all} = {with} with links + {without} without + {unread} unreadable");
    if pages.others > 0 {
        let hold = if pages.others == 1 { "holds" } else { "hold" };
        let _ = write!(text, "; {} that {hold} no page", count(pages.others, "record"));
    }
    if pages.partial > 0 {
        let _ = write!(text, "; only the beginning read of {}", count(pages.partial, "page"));
    }
    text.push('\n');
    if pages.based_on_files > 0 {
        let all = count(pages.based_on_files, "page");
        let _ = writeln!(text, "the base of {all} is a file: URI, that of the input; --base names another");
    }
    for (flag, pages, what) in [
        ("base_too_long", pages.base_too_long, "references that need a base are not resolved"),
        ("charset_unknown", pages.charset_unknown, "the encoding is a guess"),
        ("charset_damaged", pages.charset_damaged, "bytes that are not of the encoding are U+FFFD"),
    ] {
        if pages > 0 {
            let _ = writeln!(text, "{flag}: {}, {what}", count(pages, "page"));
        }
    }
}

/// The bytes that a run read, its time, and its speed.
fn pace(stats: &Stats) -> String {
    let what = if format_called(stats.input_format).is_table() { " of URIs" } else { "" };
    format!("{}{what} in {}", HumanBytes(stats.bytes), time(stats.time, stats.bytes_per_second()))
}

/// The time of a run, and its speed if it took at least a second and read at least a megabyte in each.
pub(crate) fn time(time: Duration, bytes_per_second: f64) -> String {
    let speed = match time.as_secs() {
        1.. if bytes_per_second >= 1e6 => format!(", {:.0} MB/s", bytes_per_second / 1e6),
        _ => String::new(),
    };
    format!("{:.3} s{speed}", time.as_secs_f64())
}

/// The lines that count pages and their references.
fn read_pages(text: &mut String, counts: &PageCounts, stats: &Stats) {
    use std::fmt::Write;
    pages(text, counts);
    let (valid, rejects) = (count(stats.valid, "valid link"), count(stats.rejects, "reject"));
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{} = {valid} + {rejects}", count(stats.records, "row"));
}

/// The format with this name, or the default for formats of pages.
fn format_called(name: &str) -> InputFormat {
    name.parse().unwrap_or_default()
}

/// The line that counts the records and lines read.
fn read(text: &mut String, stats: &Stats) {
    use std::fmt::Write;
    // Writing to a string cannot fail.
    let (headers, lines) = (stats.headers, stats.lines + stats.headers);
    if let Some(pages) = &stats.pages {
        return read_pages(text, pages, stats);
    }
    let format = format_called(stats.input_format);
    // A quoted record may hold line ends: the number of lines is then not a sum over records.
    let (has_quotes, others) = (format.has_quotes(), format.others());
    let all = match () {
        () if format.is_table() => count(stats.records, "row"),
        () if format.is_archive() => count(stats.records + stats.blank, "record"),
        () if has_quotes || others.is_empty() => count(stats.records, "record"),
        () => count(lines, "line"),
    };
    let valid = count(stats.valid, "valid record");
    let _ = write!(text, "{all} = {valid} + {}", count(stats.rejects, "reject"));
    if format.is_table() || stats.nulls > 0 {
        let _ = write!(text, " + {} null", HumanCount(stats.nulls));
    }
    let blank = HumanCount(stats.blank);
    let others = match () {
        () if stats.selects_records && format.selects_records() => "passed over",
        () if stats.has_comments => "of comments or blank",
        () => others,
    };
    let _ = match () {
        () if others.is_empty() => Ok(()),
        () if has_quotes => write!(text, "; {} read, {blank} {others}", count(lines, "line")),
        () => write!(text, " + {blank} {others}"),
    };
    if stats.unfinished_dropped > 0 {
        let _ = write!(text, " + {} unfinished, dropped", HumanCount(stats.unfinished_dropped));
    }
    if headers > 0 {
        let _ = write!(text, "{}{}", if has_quotes { ", " } else { " + " }, count(headers, "header"));
    }
    text.push('\n');
}

//! `urimill links --edges`: how many links lead from one host, registered domain or page to another.

use indicatif::{HumanBytes, HumanCount};

use super::Arguments;
use crate::term::count::count;
use crate::term::damage;
use crate::term::stderr::printable;
use crate::term::summary;
use urimill::error::Result;
use urimill::run::{Edges, EdgesStats, Node, Output, RunProgress};

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.fill(Edges::new(Node::Host).write_to(Output::stdout()))?.progress(&progress);
    run.validate()?;
    if let Some(format) = run.output_format()? {
        arguments.refuse_terminal(format)?;
    }
    let stats = arguments.complete(&progress, || run.prepare())?;
    arguments.summarize(|| text(&stats), || stats.to_json());
    damage::tell(&stats.damaged)
}

fn text(stats: &EdgesStats) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    summary::pages(&mut text, &stats.pages);
    let links = &stats.links;
    let all = links.counted + links.invalid + links.without_source + links.without_target + links.to_itself;
    let what = stats.node.as_str().replace('_', " ");
    let mut line = |rows: u64, what: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{:>9}  {what}", HumanCount(rows).to_string());
    };
    line(all, if all == 1 { "row, which is" } else { "rows, which are" });
    line(links.counted, "counted");
    line(links.invalid, "rejected");
    line(links.without_source, &format!("in pages without a {what}"));
    line(links.without_target, &format!("to targets without a {what}"));
    if stats.vertices.is_some() {
        line(links.to_itself, &format!("to the same {what}"));
    }
    if stats.spilled_bytes > 0 {
        let _ = writeln!(text, "{} to temporary files", HumanBytes(stats.spilled_bytes));
    }
    let _ = write!(
        text,
        "{} in {}; ",
        HumanBytes(stats.bytes),
        summary::pace(stats.time, stats.bytes_per_second())
    );
    if let Some(vertices) = stats.vertices {
        let _ = write!(text, "{} vertices, ", HumanCount(vertices));
    }
    let _ = writeln!(
        text,
        "{}, {} to {}",
        count(stats.edges, "edge"),
        HumanBytes(stats.output_bytes),
        printable(&stats.output_name)
    );
    text.push_str(&damage::text(&stats.damaged));
    if stats.verified {
        text.push_str("verified: the table holds the edges that were counted\n");
    }
    text
}

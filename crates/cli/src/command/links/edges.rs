//! `urimill links --edges`: how many links lead from one host, registered domain or page to another.

use indicatif::{HumanBytes, HumanCount};

use super::Arguments;
use crate::term::count::count;
use crate::term::damage;
use crate::term::stderr::printable;
use crate::term::summary;
use urimill::error::Result;
use urimill::run::{Edges, EdgesStats, Node, Output, PreparedEdges, RunProgress};

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.fill(Edges::new(Node::Host).write_to(Output::stdout()))?.progress(&progress);
    run.validate()?;
    if let Some(format) = run.output_format()? {
        arguments.refuse_terminal(format)?;
    }
    let stats =
        arguments.complete(&progress, || run.prepare(), PreparedEdges::threads, PreparedEdges::run)?;
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
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "{} = {} counted + {} + {} in pages without a {what} + {} to nothing with one",
        count(all, "row"),
        HumanCount(links.counted),
        count(links.invalid, "reject"),
        HumanCount(links.without_source),
        HumanCount(links.without_target),
    );
    if stats.vertices.is_some() {
        let _ = write!(text, " + {} to the same {what}", HumanCount(links.to_itself));
    }
    text.push('\n');
    if stats.spilled_bytes > 0 {
        let _ = writeln!(text, "{} to temporary files", HumanBytes(stats.spilled_bytes));
    }
    let _ = write!(
        text,
        "{} in {:.3} s, {:.0} MB/s; ",
        HumanBytes(stats.bytes),
        stats.time.as_secs_f64(),
        stats.bytes_per_second() / 1e6
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

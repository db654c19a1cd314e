//! `urimill links --edges`: counts the links that lead from one host, registered domain or page to another.

use super::Arguments;
use crate::term::damage;
use crate::term::summary;
use urimill::error::Result;
use urimill::run::{Edges, Node, Output, RunProgress};

pub(super) fn run(arguments: &Arguments) -> Result<()> {
    let progress = RunProgress::default();
    let run = arguments.fill(Edges::new(Node::Host).write_to(Output::stdout()))?.progress(&progress);
    run.validate()?;
    if let Some(format) = run.output_format()? {
        arguments.refuse_terminal(format)?;
    }
    let stats = arguments.complete(&progress, || run.prepare())?;
    summary::print(&stats, arguments.summary());
    damage::tell(&stats.damaged)
}

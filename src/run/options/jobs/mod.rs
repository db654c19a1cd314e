//! The jobs, each with its options in the order of its help text, and in its words where it has its own.

mod counts;
mod finds;
mod tables;

use super::{Kind, Row};
use crate::option_name::OptionName;

/// A run with options, and the command that starts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Job {
    /// [`Conversion`](crate::run::Conversion)
    Normalize,
    /// [`Dedupe`](crate::run::Dedupe)
    Dedupe,
    /// [`Check`](crate::run::Check)
    Check,
    /// [`Extract`](crate::run::Extract)
    Extract,
    /// [`Conversion`](crate::run::Conversion) of pages, and [`Edges`](crate::run::Edges)
    Links,
    /// [`Report`](crate::run::Report)
    Report,
    /// [`Index`](crate::run::Index)
    Index,
    /// [`Top`](crate::run::Top)
    Top,
    /// [`Report`](crate::run::Report) without a page
    Stats,
}

impl Job {
    /// Every job.
    pub const ALL: [Job; 9] = [
        Job::Normalize,
        Job::Dedupe,
        Job::Check,
        Job::Extract,
        Job::Links,
        Job::Report,
        Job::Index,
        Job::Top,
        Job::Stats,
    ];

    /// The name of its command.
    pub const fn name(self) -> &'static str {
        match self {
            Job::Normalize => "normalize",
            Job::Dedupe => "dedupe",
            Job::Check => "check",
            Job::Extract => "extract",
            Job::Links => "links",
            Job::Report => "report",
            Job::Index => "index",
            Job::Top => "top",
            Job::Stats => "stats",
        }
    }

    /// Its options, in the order of its help text.
    pub fn rows(self) -> impl Iterator<Item = &'static Row> {
        let groups: &'static [&'static [Row]] = match self {
            Job::Normalize => tables::NORMALIZE,
            Job::Dedupe => tables::DEDUPE,
            Job::Check => finds::CHECK,
            Job::Extract => finds::EXTRACT,
            Job::Links => tables::LINKS,
            Job::Report => counts::REPORT,
            Job::Index => finds::INDEX,
            Job::Top => counts::TOP,
            Job::Stats => counts::STATS,
        };
        groups.iter().copied().flatten()
    }

    /// The row of one of its options.
    pub fn row(self, option: OptionName) -> Option<&'static Row> {
        self.rows().find(|row| row.option == option)
    }
}

const INPUTS: Row = Row::new(
    OptionName::Inputs,
    Kind::Inputs,
    "INPUT",
    "Files, patterns such as 'logs/*.gz', or - for standard input, which is the default",
);

//! The jobs, each with its options in the order of its help text, and with its own wording of help where it has one.

mod counts;
mod finds;
mod tables;
mod texts;

use urimill_base::option_name::OptionName;

use super::{Kind, Row};

/// The jobs: the name of each, which is that of its command, and its options in the order of its help text.
macro_rules! jobs {
    ($($(#[$about:meta])* $job:ident = $name:literal: $rows:expr;)*) => {
        /// A run or another piece of work with options, and the command that starts it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Job {
            $($(#[$about])* $job,)*
        }

        impl Job {
            /// Every job.
            pub const ALL: &[Job] = &[$(Job::$job),*];

            /// The name of its command.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Job::$job => $name,)*
                }
            }

            /// Its options, in the order of its help text.
            pub fn rows(self) -> impl Iterator<Item = &'static Row> {
                let groups: &[&'static [Row]] = match self {
                    $(Job::$job => $rows,)*
                };
                groups.iter().copied().flatten()
            }
        }
    };
}

jobs! {
    /// [`Conversion`](crate::run::Conversion)
    Normalize = "normalize": tables::NORMALIZE;
    /// [`Dedupe`](crate::run::Dedupe)
    Dedupe = "dedupe": tables::DEDUPE;
    /// [`Check`](crate::run::Check)
    Check = "check": finds::CHECK;
    /// [`Extract`](crate::run::Extract)
    Extract = "extract": finds::EXTRACT;
    /// [`Conversion`](crate::run::Conversion) of pages, and [`Edges`](crate::run::Edges)
    Links = "links": tables::LINKS;
    /// [`Report`](crate::run::Report)
    Report = "report": counts::REPORT;
    /// [`Index`](crate::run::Index)
    Index = "index": finds::INDEX;
    /// [`Top`](crate::run::Top)
    Top = "top": counts::TOP;
    /// [`Report`](crate::run::Report) without a page
    Stats = "stats": counts::STATS;
    /// [`explain`](crate::explain::explain)
    Explain = "explain": texts::EXPLAIN;
    /// [`Resolve`](crate::run::Resolve)
    Resolve = "resolve": texts::RESOLVE;
    /// [`Relativize`](crate::run::Relativize)
    Relativize = "relativize": texts::RELATIVIZE;
    /// [`compare`](crate::compare())
    Compare = "compare": texts::COMPARE;
    /// [`Lookup`](crate::lookup::Lookup)
    Lookup = "lookup": texts::LOOKUP;
    /// [`encode`](crate::encode)
    Encode = "encode": texts::ENCODE;
    /// [`decode`](crate::encode)
    Decode = "decode": texts::DECODE;
    /// The columns of tables
    Schema = "schema": texts::SCHEMA;
    /// The formats of inputs and outputs
    Formats = "formats": texts::FORMATS;
    /// All help about a command, or about exit codes
    Help = "help": texts::HELP;
    /// The program's script for a shell
    Completions = "completions": texts::COMPLETIONS;
    /// The program's manual page
    Man = "man": texts::MAN;
}

impl Job {
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
)
.positional();

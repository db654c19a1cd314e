//! The arguments that set the order of a table's rows.

use std::path::{Path, PathBuf};

use clap::Args;

use urimill::run::Conversion;

/// How a table is sorted, if it is.
#[derive(Debug, Args)]
pub(crate) struct Sorting {
    /// Sort the rows by columns of the table, in this order; COLUMN:desc sorts the greatest value first.
    /// Texts sort by their bytes, nulls come last, equal rows stay in the order of the input
    #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
    sort_by: Vec<String>,

    /// Directory for temporary files, which have no names and disappear with the run [default: the directory
    /// of the output; for standard output, and for pages of more than 16 MiB, the system's place for them]
    #[arg(long, value_name = "DIR")]
    temp_dir: Option<PathBuf>,
}

impl Sorting {
    /// Where temporary files go.
    pub(crate) fn temp_dir(&self) -> Option<&Path> {
        self.temp_dir.as_deref()
    }

    /// The run with these options.
    pub(crate) fn fill(&self, run: Conversion) -> Conversion {
        let run = run.sort_by(&self.sort_by);
        match &self.temp_dir {
            Some(directory) => run.temp_dir(directory),
            None => run,
        }
    }
}

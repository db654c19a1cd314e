//! Common Crawl's columnar index in a build without it.

#[path = "common_crawl/choices.rs"]
mod choices;

use urimill_base::error::{Error, Result};
use urimill_base::left_out::Feature;
use urimill_columns::batch;
use urimill_columns::batch::Columns;
use urimill_pipeline::Plan;

pub use choices::{Choices, Label};

const CC_INDEX: Feature = Feature { name: "cc-index", is_built_in: false };

impl Choices {
    /// Returns no columns.
    pub fn columns(&self) -> Columns {
        Columns::new([])
    }
}

/// The fields that the table needs of a format: none.
pub fn needed(_: &str) -> impl Iterator<Item = &'static str> {
    [].into_iter()
}

/// # Errors
/// Usage: this build has no such table.
pub fn check(_: &str, _: bool) -> Result<()> {
    CC_INDEX.check("table of Common Crawl's columnar index")
}

/// # Errors
/// Usage: this build has no such table.
pub fn plan(_: batch::Options, _: Choices, _: &str, _: bool) -> Result<Plan> {
    Err(Error::usage(CC_INDEX.missing("table of Common Crawl's columnar index")))
}

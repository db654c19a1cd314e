//! Common Crawl's columnar index in a build without it.

#[path = "common_crawl/choices.rs"]
mod choices;

use std::convert::Infallible;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_schema::SchemaRef;

pub use choices::{Choices, Label};

use crate::batch;
use crate::batch::{Column, Columns, Tally};
use crate::error::{Error, Result};
use crate::left_out::Feature;

const CC_INDEX: Feature = Feature { name: "cc-index", is_built_in: false };

impl Choices {
    /// Returns no columns.
    pub fn columns(&self) -> Columns {
        Columns::new([])
    }
}

/// The table: this build cannot make it.
#[derive(Debug, Clone)]
pub struct CcIndex(Infallible);

/// A batch, divided into rows of the table and of the rejects.
#[derive(Debug)]
pub struct Divided {
    /// The rows of the table.
    pub table: RecordBatch,
    /// The rejects.
    pub rejects: RecordBatch,
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

impl CcIndex {
    /// # Errors
    /// Usage: this build has no such table.
    pub fn new(_: Choices, _: &batch::Options, _: &str) -> Result<CcIndex> {
        Err(Error::usage(CC_INDEX.missing("table of Common Crawl's columnar index")))
    }

    /// The schema of the table.
    pub fn schema(&self) -> SchemaRef {
        match self.0 {}
    }

    /// The schema of the rejects.
    pub fn rejects_schema(&self) -> SchemaRef {
        match self.0 {}
    }

    /// The positions of columns in the table.
    pub fn texts<const N: usize>(&self, _: [Column; N]) -> [Option<usize>; N] {
        match self.0 {}
    }

    /// The advice for a record that has no row.
    pub fn ways_out(&self, _: Option<(&str, &str)>) -> String {
        match self.0 {}
    }

    /// # Errors
    /// None.
    pub fn divide(&self, _: &RecordBatch, _: &BooleanArray, _: bool, _: &mut Tally) -> Result<Divided> {
        match self.0 {}
    }
}

//! What the records of a crawl tell together: parameters that never change the content, and contents that many URIs
//! of a host have. Records with a URI, a digest and the status 200 go into samples of bounded size, which add up; what
//! they tell is computed where it is shown.
//!
//! ```text
//! batch ──> rows ──> samples (contents) ──> duplicates, parameters ──> page, JSON
//! ```

mod contents;
mod duplicates;
mod parameters;
mod rows;
mod sample;

pub use duplicates::SameContent;
pub use parameters::{Parameter, Parameters, shell_word};

pub(super) use contents::{Groups, MOST_OF_GROUP, Page, Pages, Variant, Variants};
pub(super) use sample::Sample;

use arrow_array::RecordBatch;

/// The samples.
#[derive(Debug, Clone)]
pub(super) struct Crawl {
    /// URIs by their hash.
    pub(super) pages: Pages,
    /// URIs that differ in one parameter only.
    pub(super) groups: Groups,
}

/// Where the samples begin to refuse.
pub(super) type Limits = (Option<u64>, Option<(u64, u64)>);

impl Crawl {
    /// Empty samples, which refuse what is beyond these limits: those of samples that they will be added to.
    pub(super) fn below((pages, groups): Limits) -> Crawl {
        Crawl { pages: Sample::below(pages), groups: Sample::below(groups) }
    }

    /// Whether no record told anything.
    pub(super) fn is_empty(&self) -> bool {
        self.pages.entries().is_empty()
    }

    pub(super) fn limits(&self) -> Limits {
        (self.pages.limit(), self.groups.limit())
    }

    /// Adds the records of a batch.
    pub(super) fn count(&mut self, batch: &RecordBatch) {
        rows::count(batch, self);
    }

    pub(super) fn merge(&mut self, other: Crawl) {
        self.pages.merge(other.pages);
        self.groups.merge(other.groups);
    }
}

/// The share of hashes that are below a limit.
fn share(limit: Option<u64>) -> f64 {
    limit.map_or(1.0, |limit| limit as f64 / 2.0_f64.powi(64))
}

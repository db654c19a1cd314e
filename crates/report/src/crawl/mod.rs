//! Facts about all records of a crawl together: parameters that never change the content, and contents that many URIs
//! of a host have, by their digests; and redirects that go in circles. Such records go into samples of bounded size,
//! which add up; the facts are computed when they are shown.
//!
//! ```text
//! batch ──> rows ──> samples (contents, redirects) ──> duplicates, parameters, circles ──> page, JSON
//! ```

mod contents;
mod duplicates;
mod parameters;
mod redirects;
mod rows;
mod sample;

pub use duplicates::SameContent;
pub use parameters::{Parameter, Parameters, shell_word};

pub use redirects::{Circle, Circles};

pub(super) use contents::{Groups, MOST_OF_GROUP, Page, Pages, Variant, Variants};
pub(super) use redirects::{Redirect, Redirects};
pub(super) use sample::Sample;

use arrow_array::RecordBatch;

/// The samples.
#[derive(Debug, Clone)]
pub(super) struct Crawl {
    /// URIs by their hash.
    pub(super) pages: Pages,
    /// URIs that differ in one parameter only.
    pub(super) groups: Groups,
    /// Pairs of URIs, one of which redirects to the other.
    pub(super) redirects: Redirects,
}

/// The limits from which on the samples refuse entries.
pub(super) type Limits = (Option<u64>, Option<(u64, u64)>, Option<u64>);

impl Crawl {
    /// Empty samples, which refuse entries beyond these limits: those of the samples that they will be added to.
    pub(super) fn below((pages, groups, redirects): Limits) -> Crawl {
        Crawl {
            pages: Sample::below(pages),
            groups: Sample::below(groups),
            redirects: Sample::below(redirects),
        }
    }

    /// Whether the samples are empty.
    pub(super) fn is_empty(&self) -> bool {
        self.pages.entries().is_empty() && self.redirects.entries().is_empty()
    }

    pub(super) fn limits(&self) -> Limits {
        (self.pages.limit(), self.groups.limit(), self.redirects.limit())
    }

    /// Adds the records of a batch.
    pub(super) fn count(&mut self, batch: &RecordBatch) {
        rows::count(batch, self);
    }

    pub(super) fn merge(&mut self, other: Crawl) {
        self.pages.merge(other.pages);
        self.groups.merge(other.groups);
        self.redirects.merge(other.redirects);
    }

    /// Redirects that lead back to where they began.
    pub(super) fn circles(&self) -> Circles {
        redirects::circles(&self.redirects)
    }
}

/// The share of hashes that are below a limit.
fn share(limit: Option<u64>) -> f64 {
    limit.map_or(1.0, |limit| limit as f64 / 2.0_f64.powi(64))
}

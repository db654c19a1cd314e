//! A part of urimill: it carries no promise of stability. Use the package `urimill`.
//!
//! Web archives: WARC, ARC and WAT, captures in CDX and CDXJ, logs of crawlers; the index of archives and its lookup;
//! Common Crawl's columnar index.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod arc;
pub mod cdx;
pub mod cdxj;
#[cfg(feature = "cc-index")]
pub mod common_crawl;
pub mod heritrix;
pub mod index;
pub mod lookup;
pub mod nutch;
pub mod warc;
mod words;

/// Common Crawl's columnar index in a build without it.
#[cfg(not(feature = "cc-index"))]
pub mod common_crawl {
    mod choices;

    use urimill_base::error::{Error, Result};
    use urimill_base::left_out::Feature;
    use urimill_columns::batch;
    use urimill_columns::batch::Columns;
    use urimill_pipeline::Plan;

    pub use choices::{Choices, Label};

    const CC_INDEX: Feature = Feature { name: "cc-index", is_built_in: false };

    urimill_base::left_out! {
        Error::usage(CC_INDEX.missing("table of Common Crawl's columnar index"));
        /// Would check a format.
        pub fn check(_: &str, _: bool) -> Result<()>;
        /// Would plan a run.
        pub fn plan(_: batch::Options, _: Choices, _: &str, _: bool) -> Result<Plan>;
    }

    impl Choices {
        /// No columns.
        pub fn columns(&self) -> Columns {
            Columns::new([])
        }
    }

    /// The fields that the table needs of a format: none.
    pub fn needed(_: &str) -> impl Iterator<Item = &'static str> {
        [].into_iter()
    }
}

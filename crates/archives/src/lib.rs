//! A part of urimill: it carries no promise of stability. Use the package `urimill`.
//!
//! Web archives: WARC, ARC and WAT, captures in CDX and CDXJ, logs of crawlers; the index of archives and its lookup; Common
//! Crawl's columnar index.

pub mod arc;
pub mod cdx;
pub mod cdxj;
#[cfg_attr(not(feature = "cc-index"), path = "common_crawl_left_out.rs")]
pub mod common_crawl;
pub mod heritrix;
pub mod index;
pub mod lookup;
pub mod nutch;
pub mod warc;

//! A part of urimill: it carries no promise of stability. Use the package `urimill`.
//!
//! Records to columns: a batch of records is split, checked, resolved and normalized, and becomes Arrow columns. Templates
//! of URIs and traps of crawlers have columns of their own, which are made here, too.

pub mod batch;
pub mod templates;
pub mod traps;

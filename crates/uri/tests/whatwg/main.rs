//! The module `whatwg` against the web platform tests, and by the sections of the URL Standard.
#![cfg(all(feature = "whatwg", feature = "idna"))]
#![allow(clippy::unwrap_used)]

mod disagreements;
mod sections;
mod suites;

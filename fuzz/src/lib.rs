//! The door for libFuzzer to the bodies of the fuzz targets, which stand in `crates/testkit` and are run by
//! `cargo test` too.

pub use urimill_testkit::fuzz::run;

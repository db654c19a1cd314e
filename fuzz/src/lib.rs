//! The entry of libFuzzer to the bodies of the fuzz targets, which are in `crates/testkit` and which `cargo test` runs,
//! too.

pub use urimill_testkit::fuzz::run;

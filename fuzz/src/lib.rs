//! The door for libFuzzer to the bodies of the fuzz targets, which stand in `tests/fuzzing` and are run by
//! `cargo test` too.

#[path = "../../tests/fuzzing/bodies/mod.rs"]
mod bodies;

/// Runs the body of the target with this name.
///
/// # Panics
/// Where something does not hold.
pub fn run(target: &str, data: &[u8]) {
    bodies::run(target, data);
}

//! The sample data and the generator of more: the generator keeps its word, and every line of `oddities.txt` is what
//! `datasets/README.md` says it is.

// The generator is an example, a program of its own: its model is compiled into this test.
#[path = "../../examples/generate/model/mod.rs"]
mod model;

mod generator;
mod oddities;

/// The text or bytes of a file in `datasets/`.
fn dataset(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

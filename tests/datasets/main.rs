//! The sample data and the generator of more: the generator does what `--help` says, and every line of `oddities.txt`
//! is as `datasets/README.md` describes it.

// The generator is an example, a program of its own: its model is compiled into this test.
#[path = "../../examples/generate/model/mod.rs"]
mod model;

mod generator;
mod oddities;

use urimill_testkit::paths::dataset;

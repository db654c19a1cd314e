//! `urimill index` beside cdxj-indexer and pywb, and pywb replaying by what it made: `indexes.py`.

use serde_json::json;

use crate::python;
use crate::run::Scratch;

#[test]
fn indexes_are_those_of_other_tools() {
    let Some(python) = python::interpreter() else { return };
    let scratch = Scratch::new();
    let plan = json!({ "urimill": env!("CARGO_BIN_EXE_urimill") });
    println!("{}", python.run("indexes.py", scratch.path(), &plan));
}

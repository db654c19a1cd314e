//! `docs/WAREHOUSES.md`, run as it stands: its commands, and its queries where the engine can be had here.

use std::path::Path;

use serde_json::json;

use crate::run::Scratch;
use crate::{made, python};
use urimill_testkit::paths::repository;
use urimill_testkit::samples;

#[test]
fn what_the_document_says_can_be_run() {
    let Some(python) = python::interpreter() else { return };
    let scratch = Scratch::new().with_datasets();
    let logs = scratch.folder("tests/samples/logs");
    for name in ["alb.log", "caddy.log"] {
        scratch.file(&format!("{logs}/{name}"), &samples::log(name));
    }
    made::crawl(scratch.path());
    made::pages(scratch.path());
    let document = repository().join("docs/WAREHOUSES.md");
    let binaries = Path::new(env!("CARGO_BIN_EXE_urimill")).parent().expect("a folder");
    let plan = json!({ "document": document, "binaries": binaries });
    println!("{}", python.run("warehouses.py", scratch.path(), &plan));
}

//! Reports: every figure beside what DuckDB counts in the table of the same input (`report.py`), and the pages in a
//! browser (`browser.py`).

use serde_json::{Value, json};

use crate::made;
use crate::python;
use crate::run::Scratch;

/// Inputs of each kind: a name, and what is read.
const INPUTS: [(&str, &str); 6] = [
    ("oddities", "oddities.txt"),
    ("sample", "sample.txt"),
    ("crawl", "{shared}/heritrix_crawl.log --from heritrix"),
    ("apache", "{shared}/apache_access_semicomplete.log --from clf"),
    ("cdx", "{shared}/pywb_iana.cdx --from cdx"),
    ("faults", "{shared}/kasztp.txt"),
];

/// A report of each input that is there: its name and its page.
fn reports(scratch: &Scratch) -> Vec<Value> {
    made::inputs(scratch.path());
    let schema = scratch.schema("table");
    let report = |(name, input): (&str, &str)| {
        let input = scratch.fill(input, &schema)?;
        let line = format!("report {input} -o {name}.html --json {name}.json --state {name}.state");
        scratch.urimill(&line);
        Some(json!({ "name": name, "input": input, "page": format!("{name}.html") }))
    };
    INPUTS.into_iter().filter_map(report).collect()
}

#[test]
fn figures_are_those_of_duckdb() {
    let Some(python) = python::interpreter() else { return };
    let scratch = Scratch::new();
    let cases = reports(&scratch);
    for case in &cases {
        let (name, input) = (case["name"].as_str().expect("a name"), case["input"].as_str().expect("a path"));
        let columns = "+flag_names,+disagreement,+public_suffix,+registered_domain,+template,+trap";
        scratch.urimill(&format!("normalize {input} --columns {columns} --keep all -o {name}.parquet"));
    }
    println!("{}", python.run("report.py", scratch.path(), &json!({ "cases": cases })));
}

#[test]
fn pages_work_in_a_browser() {
    let Some(python) = python::interpreter() else { return };
    let scratch = Scratch::new();
    let pages = reports(&scratch);
    println!("{}", python.run("browser.py", scratch.path(), &json!({ "pages": pages })));
}

//! The links of pages beside those that BeautifulSoup finds in the tree of html5lib, resolved by RFC 3986 in Python
//! (`pages.py`): some made pages, and real ones where a folder of them is: what `URIMILL_PAGES` names, or `pages` in the
//! shared data. Such a folder has HTML files and WARC or ARC files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::python;
use crate::run::Scratch;
use urimill_testkit::paths;

/// The URI of a file.
const BASE: &str = "http://example.com/dir/page.html?q";

/// What pages have of odd.
const MADE: [&str; 6] = [
    "<!doctype html><title>a</title><base target=x><base href='../b/'><a href=c>d</a><a href=' e\n f '>g</a><a href='#h'>",
    "<p><a href='?x&amp;y&copy=z'>1</a><A HREF=//h/i?j>2</A><img src=k srcset='l 1x, m,n 2x,o' alt=p><a href=''>",
    "<style>@import 'q'; r{s:url( \"t\" )} /* url(u) */</style><div style='background:url(v) , url(w)'></div>",
    "<meta http-equiv=refresh content='3; URL=\"x y\"'><form action=z><input formaction=A src=B><button formaction=C>",
    "<svg><title/><a xlink:href=D /><use href=E /></svg><video poster=F src=G><source src=H><track src=I></video>",
    "<script>'<a href=no>'</script><!-- <a href=no> --><iframe src=J><a href=no></iframe><object data=K></object>",
];

/// The pages and archives of a folder, in order.
fn real(folder: &Path) -> Vec<PathBuf> {
    let ends = |path: &PathBuf| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        [".html", ".htm", ".warc", ".warc.gz", ".arc", ".arc.gz"].iter().any(|end| name.ends_with(end))
    };
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let mut found: Vec<PathBuf> = entries.filter(ends).collect();
    found.sort();
    found
}

/// The rows of an input.
fn case(scratch: &Scratch, input: &Path, number: usize) -> Value {
    let rows = scratch.path().join(format!("rows{number}.jsonl"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_urimill"));
    command
        .args(["links", "--level", "none", "--summary", "none", "--base", BASE])
        .arg(input)
        .arg("-o")
        .arg(&rows);
    let done = command.output().expect("urimill starts");
    assert!(done.status.success(), "{}: {}", input.display(), String::from_utf8_lossy(&done.stderr));
    json!({ "input": input, "rows": rows, "base": BASE })
}

#[test]
fn links_are_those_of_the_tree() {
    let Some(python) = python::interpreter() else { return };
    let scratch = Scratch::new();
    let made = MADE.iter().enumerate().map(|(number, page)| {
        let name = format!("{number}.html");
        scratch.file(&name, page);
        case(&scratch, &scratch.path().join(name), number)
    });
    let plan = json!({ "cases": made.collect::<Vec<_>>(), "least": 25 });
    println!("{}", python.run("pages.py", scratch.path(), &plan));
    let named = std::env::var_os("URIMILL_PAGES").map(PathBuf::from);
    let Some(folder) =
        named.or_else(|| Some(paths::shared()?.join("pages")).filter(|folder| folder.is_dir()))
    else {
        println!("skipped: no real pages, which URIMILL_PAGES would name");
        return;
    };
    let cases = real(&folder)
        .iter()
        .enumerate()
        .map(|(number, input)| case(&scratch, input, MADE.len() + number))
        .collect::<Vec<_>>();
    let plan = json!({ "cases": cases });
    println!("{}", python.run("pages.py", scratch.path(), &plan));
}

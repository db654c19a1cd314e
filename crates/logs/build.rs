//! Lists the files of `formats`, which the crate embeds.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=formats");
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("formats");
    let files = fs::read_dir(&folder).expect("the folder of the formats");
    let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    // The order of a folder differs from machine to machine.
    paths.sort();
    let mut list = String::from("[\n");
    for path in &paths {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a name in UTF-8");
        let text = fs::read_to_string(path).expect("a file in UTF-8");
        // Help texts show the title of every format: they need not read the files.
        let title = text.lines().find_map(|line| line.strip_prefix("title = \"")?.strip_suffix('"'));
        let title = title.expect("a line with the title");
        let path = path.display().to_string();
        writeln!(list, "    ({name:?}, \"{title}\", include_str!({path:?})),").expect("a string");
    }
    list.push_str("]\n");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets it")).join("formats.rs");
    fs::write(out, list).expect("written");
}

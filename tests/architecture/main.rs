//! The structure of the packages, checked on their own source: which module may import which, where `unsafe` may be,
//! how long a file may be, and how a comment may not begin.

mod comments;
mod dependencies;
mod markdown;
mod release;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A package: its folder, the packages of urimill that it may depend on, and its modules in order. A module may import
/// those before it, and those in its own group. A package without modules here has no order among its files, which go in
/// no circles.
struct Package {
    folder: &'static str,
    may_use: &'static [&'static str],
    modules: &'static [&'static [&'static str]],
}

impl Package {
    fn sources(&self) -> String {
        below_folder(self.folder, "src")
    }

    fn manifest(&self) -> String {
        below_folder(self.folder, "Cargo.toml")
    }
}

/// A path in the folder of a package; that of urimill itself is the repository's root.
fn below_folder(folder: &str, inner: &str) -> String {
    if folder == "." { inner.to_owned() } else { format!("{folder}/{inner}") }
}

const fn package(folder: &'static str, may_use: &'static [&'static str]) -> Package {
    Package { folder, may_use, modules: &[] }
}

/// The packages from left to right: one uses only those that stand before it, and of these only those that it names.
const PACKAGES: [Package; 13] = [
    Package {
        folder: "crates/uri",
        may_use: &[],
        modules: &[
            &["printable", "passwords"],
            &["options"],
            &["error"],
            &["grammar"],
            &["standard"],
            &["simd"],
            &["host", "reject"],
            &["parse"],
            &["reference"],
            &["segments", "start"],
            &["uri"],
            &["serde"],
            &["idn"],
            &["encode"],
            &["builder"],
            &["domain"],
            &["normalize"],
            &["resolve"],
            &["whatwg"],
            &["compare", "extract", "audit", "canonical"],
            &["explain"],
            &["internal"],
        ],
    },
    Package {
        folder: "crates/base",
        may_use: &["uri"],
        modules: &[
            &["option_name"],
            &["error"],
            &["calendar", "left_out", "locks", "memory", "varint", "pieces_checksum"],
            &["timing"],
            &["files", "free_list", "threads"],
            &["streams", "pattern", "pool", "temporary"],
            &["lists"],
        ],
    },
    Package {
        folder: "crates/columns",
        may_use: &["uri", "base"],
        modules: &[&["templates"], &["traps"], &["batch"]],
    },
    package("crates/read", &["uri", "base", "columns"]),
    package("crates/write", &["uri", "base", "columns"]),
    package("crates/logs", &["uri", "base", "columns", "read"]),
    package("crates/pages", &["uri", "base", "columns", "read"]),
    package("crates/pipeline", &["uri", "base", "columns", "read", "write"]),
    package("crates/report", &["uri", "base", "columns", "read", "write", "pipeline"]),
    package("crates/archives", &["uri", "base", "columns", "read", "write", "pipeline"]),
    Package {
        folder: ".",
        may_use: &[
            "uri", "base", "columns", "read", "write", "logs", "pages", "pipeline", "report", "archives",
        ],
        modules: &[&["par"], &["formats"], &["read"], &["run"]],
    },
    Package {
        folder: "crates/cli",
        may_use: &["urimill"],
        modules: &[&["exit"], &["term"], &["args"], &["command"], &["main"]],
    },
    package("python", &["urimill", "cli"]),
];

/// Files that may hold `unsafe`.
fn may_be_unsafe(path: &str) -> bool {
    path.starts_with("crates/uri/src/simd/") || path.starts_with("crates/columns/src/batch/views/")
}

/// Files of the tests that may hold `unsafe`: only system calls give pages that nobody may touch, and only an attribute
/// of that name exports functions of a WebAssembly module.
fn may_be_unsafe_in_tests(path: &str) -> bool {
    matches!(path, "crates/testkit/tests/kernels/guard.rs" | "tests/targets/src/wasm.rs")
}

/// Every source file of the packages: its path below the repository's root and its text.
fn sources() -> Vec<(String, String)> {
    PACKAGES.iter().flat_map(|package| below(&package.sources())).collect()
}

/// Every source file of a folder: its path below the repository's root and its text.
fn below(folder: &str) -> Vec<(String, String)> {
    fn visit(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("an entry of it can be read").path();
            if path.is_dir() {
                visit(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    visit(&root.join(folder), &mut found);
    assert!(!found.is_empty(), "{folder}: they are looked for in the wrong place");
    let relative = |path: &PathBuf| {
        path.strip_prefix(root).expect("found below it").to_str().expect("ASCII names").replace('\\', "/")
    };
    found.iter().map(|path| (relative(path), fs::read_to_string(path).expect("sources are UTF-8"))).collect()
}

/// The modules that a file names in `use crate::…` and in other paths with `crate::…`.
fn imports(text: &str) -> impl Iterator<Item = &str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1)).map(|behind| {
        let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
        &behind[..end]
    })
}

#[test]
fn modules_import_only_those_before_them() {
    let mut arrows = 0;
    for package in PACKAGES.iter().filter(|package| !package.modules.is_empty()) {
        let step =
            |module_name: &str| package.modules.iter().position(|modules| modules.contains(&module_name));
        let sources = package.sources();
        for (path, text) in below(&sources) {
            let inner = path.strip_prefix(&sources).expect("it is below").trim_start_matches('/');
            let module_name = inner.split(['/', '.']).next().expect("a path has a first part");
            if module_name == "lib" {
                continue;
            }
            let own = step(module_name)
                .unwrap_or_else(|| panic!("{path}: the module {module_name} has no place in the order"));
            for import in imports(&text) {
                // The crate's root re-exports these.
                if matches!(import, "Error" | "Result" | "ErrorKind" | "OptionName") {
                    continue;
                }
                let to = step(import);
                // Other names in capitals are items of the root, too.
                let Some(to) = to else {
                    assert!(import.starts_with(char::is_uppercase), "{path}: what is crate::{import}?");
                    continue;
                };
                assert!(
                    to <= own,
                    "{path}: the module {module_name} must not import {import}, which comes after it"
                );
                arrows += 1;
            }
        }
    }
    assert!(arrows > 300, "only {arrows} imports found: the test reads them wrongly");
}

/// The module of a file: the names on its path.
fn module(path: &str) -> Vec<&str> {
    let path = path.strip_suffix(".rs").expect("a source file");
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').filter(|name| *name != "lib").collect()
}

/// The modules that a file imports, by `use` and by paths that begin with `crate`, `super` or `self`. `module` is the
/// file's own.
fn imported<'a>(module: &[&'a str], text: &'a str) -> Vec<Vec<&'a str>> {
    let mut found = Vec::new();
    // Names in braces after a path count up to the path that they share.
    let code = text.lines().take_while(|line| !line.starts_with("#[cfg(test)]"));
    for line in code.filter(|line| !line.trim_start().starts_with("//")) {
        for (start, _) in line.match_indices("::") {
            let begin = line[..start].rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let begin = begin.map_or(0, |at| at + 1);
            let is_first = !line[..begin].ends_with(':');
            let end = line[begin..].find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | ':'));
            let path = &line[begin..end.map_or(line.len(), |end| begin + end)];
            let mut names = path.split("::").filter(|name| !name.is_empty()).peekable();
            let mut absolute = match names.peek() {
                _ if !is_first => continue,
                Some(&"crate") => names.by_ref().take(1).skip(1).collect::<Vec<_>>(),
                Some(&"super") => {
                    let mut up = module.to_vec();
                    while names.next_if(|name| *name == "super").is_some() {
                        up.pop();
                    }
                    up
                }
                Some(&"self") => names.by_ref().take(1).skip(1).chain(module.iter().copied()).collect(),
                _ => continue,
            };
            absolute.extend(names);
            found.push(absolute);
        }
    }
    found
}

/// Within a module no two files import each other, nor do two folders: a folder counts as one with everything in it. A
/// file may import from the `mod.rs` beside it, which is the public face of its folder.
#[test]
fn within_a_module_nothing_goes_in_circles() {
    for package in &PACKAGES {
        let sources = package.sources();
        let files = below(&sources);
        let name_of = |path: &str| path.strip_prefix(&sources).expect("it is below")[1..].to_owned();
        let names: Vec<String> = files.iter().map(|(path, _)| name_of(path)).collect();
        let modules: Vec<Vec<&str>> = names.iter().map(|name| module(name)).collect();
        let mut arrows: BTreeSet<(Vec<&str>, Vec<&str>)> = BTreeSet::new();
        for (own, (_, text)) in modules.iter().zip(&files) {
            for path in imported(own, text) {
                let target = (0..=path.len()).rev().map(|len| &path[..len]);
                let Some(target) = target.into_iter().find(|&path| modules.iter().any(|m| m == path)) else {
                    continue;
                };
                // Up to the first name that differs: a file, or a folder with everything in it.
                let common = own.iter().zip(target).take_while(|(a, b)| a == b).count();
                if common < own.len() && common < target.len() {
                    arrows.insert((own[..=common].to_vec(), target[..=common].to_vec()));
                }
            }
        }
        assert!(arrows.len() > 3, "{sources}: {} imports found: the test reads them wrongly", arrows.len());
        // The files that each file reaches.
        for (begin, _) in &arrows {
            let mut reached = BTreeSet::new();
            let mut next = vec![begin];
            while let Some(at) = next.pop() {
                let steps = arrows.iter().filter(|(from, _)| from == at).map(|(_, to)| to);
                next.extend(steps.filter(|to| reached.insert(*to)));
            }
            assert!(!reached.contains(begin), "{} imports itself by way of {reached:?}", begin.join("::"));
        }
    }
}

/// A table of a manifest, such as `[dependencies]`: names and values.
fn table<'a>(manifest: &'a str, name: &str) -> Vec<(&'a str, &'a str)> {
    let begin = manifest.find(&format!("\n[{name}]\n")).expect("the manifest has the table") + name.len() + 4;
    let table = manifest[begin..].split("\n[").next().unwrap_or_default();
    table.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = ")).collect()
}

#[test]
fn packages_depend_only_on_those_they_may_use() {
    let read = |manifest: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(manifest))
            .expect("a manifest can be read")
    };
    for (place, package) in PACKAGES.iter().enumerate() {
        let manifest = read(&package.manifest());
        let before: Vec<&str> =
            PACKAGES[..place].iter().map(|package| package.folder.trim_start_matches("crates/")).collect();
        for (name, _) in table(&manifest, "dependencies") {
            let name = name.trim_end_matches(".workspace");
            if let Some(name) = name.strip_prefix("urimill").map(|rest| rest.trim_start_matches('-')) {
                let name = if name.is_empty() { "urimill" } else { name };
                assert!(package.may_use.contains(&name), "{} may not use {name}", package.folder);
                assert!(before.contains(&name.replace("urimill", ".").as_str()), "{name} comes after it");
            }
        }
    }
    // A program that parses one URI builds two packages, urimill-uri and memchr: every other one needs a feature.
    let manifest = read("crates/uri/Cargo.toml");
    let needed =
        table(&manifest, "dependencies").into_iter().filter(|(_, line)| !line.contains("optional = true"));
    assert_eq!(needed.map(|(name, _)| name).collect::<Vec<_>>(), ["memchr"]);
    let features = table(&manifest, "features");
    assert_eq!(
        features[..2],
        [("default", "[\"std\"]"), ("std", "[\"memchr/std\"]")],
        "std brings no package"
    );
}

#[test]
fn unsafe_stands_in_two_places() {
    assert!(hold_unsafe(sources(), may_be_unsafe) > 10, "the test reads the sources wrongly");
}

#[test]
fn only_two_test_files_have_unsafe() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = PACKAGES.iter().map(|package| package.folder).chain(["crates/testkit"]);
    // The tests of the Python package are in Python.
    let folders = folders.filter(|&folder| folder != "python").map(|folder| below_folder(folder, "tests"));
    let folders = folders.filter(|tests| root.join(tests).is_dir());
    let tests = folders.chain(["crates/testkit/src".to_owned()]).flat_map(|folder| below(&folder));
    // Occurrences of the word in this file are strings.
    let tests = tests.filter(|(path, _)| path != "tests/architecture/main.rs").collect();
    assert!(hold_unsafe(tests, may_be_unsafe_in_tests) > 3, "the test reads the tests wrongly");
}

/// The number of lines with `unsafe` in the files that may hold it.
fn hold_unsafe(files: Vec<(String, String)>, may: fn(&str) -> bool) -> usize {
    let mut lines = 0;
    for (path, text) in files {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let is_unsafe =
                code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
            assert!(!is_unsafe || may(&path), "{path}:{}: {line}", number + 1);
            lines += usize::from(is_unsafe);
        }
    }
    lines
}

#[test]
fn a_module_says_why_it_exists_and_fits_on_a_few_screens() {
    for (path, text) in sources() {
        assert!(text.starts_with("//!"), "{path} does not say what it is for");
        let lines = text.lines().count();
        assert!(lines <= 500, "{path} has {lines} lines: is it one thing?");
    }
}

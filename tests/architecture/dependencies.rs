//! The dependencies of the packages: licences that are compatible with Apache-2.0 OR MIT, each package in one version,
//! and no dependency that no source names.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::{PACKAGES, below, below_folder, table};

/// Licences under which urimill may be passed on.
const LICENCES: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
];

/// Packages that programs build in two versions, and why.
const TWICE: [(&str, &str); 4] = [
    ("getrandom", "tempfile and ahash ask for different ones"),
    ("syn", "macros at compile time alone"),
    ("zstd", "parquet has the one before"),
    ("zstd-safe", "parquet has the one before"),
];

/// The folders of a package's sources, and of its tests' sources, below its own.
const TESTS: [&str; 4] = ["src", "tests", "benches", "examples"];

fn cargo(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).args(["--locked", "--offline"]).current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = command.output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Whether an expression of SPDX allows urimill to use a package: `OR` binds weaker than `AND`; `/` is an old `OR`.
fn is_compatible(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    // An alternative in brackets holds or not: it is replaced by a licence that does the same.
    if let Some(open) = expression.rfind('(') {
        let Some(close) = expression[open..].find(')').map(|at| open + at) else { return false };
        let inner = if is_compatible(&expression[open + 1..close]) { "MIT" } else { "none" };
        return is_compatible(&[&expression[..open], inner, &expression[close + 1..]].concat());
    }
    let all = |part: &str| part.split(" AND ").all(|name| LICENCES.contains(&name.trim()));
    expression.split(" OR ").any(all)
}

#[test]
fn licence_expressions_are_understood() {
    for (expression, expected) in [
        ("MIT", true),
        ("MIT/Apache-2.0", true),
        ("GPL-3.0", false),
        ("MIT OR GPL-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
        ("(MIT OR Apache-2.0) AND GPL-3.0", false),
        ("(GPL-2.0 OR GPL-3.0) AND MIT", false),
        ("Apache-2.0 WITH LLVM-exception OR GPL-3.0", true),
        ("(MIT", false),
        ("", false),
    ] {
        assert_eq!(is_compatible(expression), expected, "{expression}");
    }
}

#[test]
fn licences_go_with_urimills() {
    // Packages for other systems are not downloaded, so they have no licence here.
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc starts");
    let version = String::from_utf8(rustc.stdout).expect("UTF-8");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    let metadata = cargo(&["metadata", "--format-version", "1", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    assert!(packages.len() > 100, "only {} packages", packages.len());
    let licence = |package: &Value| package["license"].as_str().unwrap_or_default().to_owned();
    let wrong: Vec<_> = packages
        .iter()
        .filter(|package| !is_compatible(&licence(package)))
        .map(|package| format!("{}: {:?}", package["name"], licence(package)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_build_each_package_once() {
    let tree = cargo(&["tree", "--workspace", "--edges", "normal", "--duplicates", "--depth", "0"]);
    let found: BTreeSet<&str> =
        tree.lines().filter_map(|line| line.split(' ').next()).filter(|name| !name.is_empty()).collect();
    assert_eq!(found, TWICE.map(|(name, _)| name).into());
}

/// The packages of `cargo tree` with their versions and features.
fn built(arguments: &[&str]) -> BTreeSet<String> {
    let tree = cargo(&[&["tree", "--prefix", "none", "--format", "{p} {f}"], arguments].concat());
    tree.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

/// A package with other features is built again, with every package that depends on it: the wheel of `.ci/run` would
/// take as long as all packages of the tests.
#[test]
fn a_wheel_is_built_from_what_the_tests_have_built() {
    let of_tests = built(&["--workspace", "--edges", "normal,build,dev"]);
    let wheel = ["--package", "urimill-python", "--features", "like-tests", "--edges", "normal,build"];
    let anew: BTreeSet<String> = built(&wheel)
        .difference(&of_tests)
        .filter_map(|line| line.split(' ').next().map(str::to_owned))
        .collect();
    // The program without its allocator, and the Python module.
    assert_eq!(anew, ["urimill-cli", "urimill-python"].map(str::to_owned).into());
}

/// The names of the dependencies in a table of a manifest, in the spelling of sources.
fn names(manifest: &str, name: &str) -> Vec<String> {
    if !manifest.contains(&format!("\n[{name}]\n")) {
        return Vec::new();
    }
    let names = table(manifest, name);
    names.iter().map(|(name, _)| name.trim_end_matches(".workspace").replace('-', "_")).collect()
}

#[test]
fn no_dependency_is_unused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut unused = Vec::new();
    for folder in PACKAGES.iter().map(|package| package.folder).chain(["crates/testkit"]) {
        let manifest = below_folder(folder, "Cargo.toml");
        let text = fs::read_to_string(root.join(&manifest)).expect("a manifest can be read");
        let linux = "target.'cfg(target_os = \"linux\")'.dependencies";
        let tables: [(&str, &[&str]); 3] =
            [("dependencies", &["src"]), (linux, &["src"]), ("dev-dependencies", &TESTS)];
        for (name, folders) in tables {
            let names = names(&text, name);
            let folders = folders.iter().map(|inner| below_folder(folder, inner));
            let folders = folders.filter(|folder| root.join(folder).is_dir());
            let texts: Vec<String> = match names.is_empty() {
                true => continue,
                false => folders.flat_map(|folder| below(&folder)).map(|(_, text)| text).collect(),
            };
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let words: BTreeSet<&str> = texts.iter().flat_map(|text| text.split(|c| !is_word(c))).collect();
            unused.extend(
                names
                    .iter()
                    .filter(|name| !words.contains(name.as_str()))
                    .map(|n| format!("{manifest}: {n}")),
            );
        }
    }
    assert!(unused.is_empty(), "no source names them: {}", unused.join(", "));
}

/// For any two features of urimill there is a set that `.ci/run` lints with both, with neither, and with each alone.
#[test]
fn pairs_of_features_are_linted() {
    let read = |path: &str| {
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("it can be read")
    };
    let (manifest, run) = (read("Cargo.toml"), read(".ci/run"));
    let features = table(&manifest, "features").into_iter().map(|(name, _)| name);
    let features: Vec<&str> = features.filter(|name| *name != "default").collect();
    let sets = run.lines().map(|line| line.trim_start().trim_start_matches("for features in "));
    let sets = sets.filter(|line| line.starts_with('"') && line.contains("parquet"));
    let sets: Vec<BTreeSet<&str>> = sets
        .flat_map(|line| line.split('"').skip(1).step_by(2))
        .map(|set| set.split(' ').collect())
        .collect();
    assert!(features.len() > 7, "{features:?}");
    for (at, one) in features.iter().enumerate() {
        for other in &features[..at] {
            let found: BTreeSet<_> =
                sets.iter().map(|set| (set.contains(one), set.contains(other))).collect();
            assert_eq!(found.len(), 4, "{one} and {other}: {found:?} of {sets:?}");
        }
    }
}

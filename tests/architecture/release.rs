//! What a release needs of the sources: one version for all packages, and in each what a registry asks for.

use std::fs;
use std::path::Path;

use super::{PACKAGES, below_folder, table};

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The version in an inline table such as `{ version = "0.1.0", path = "crates/uri" }`.
fn version_in(value: &str) -> Option<&str> {
    value.split_once("version = \"")?.1.split('"').next()
}

#[test]
fn all_packages_have_one_version() {
    let root = read("Cargo.toml");
    let workspace = table(&root, "workspace.package");
    let (_, version) = workspace.iter().find(|(key, _)| *key == "version").expect("a version");
    let version = version.trim_matches('"');
    let mut found = Vec::new();
    let parts = table(&root, "workspace.dependencies");
    found.extend(parts.iter().filter(|(name, _)| name.starts_with("urimill")).copied());
    let cli = read("crates/cli/Cargo.toml");
    found.extend(table(&cli, "dependencies").into_iter().filter(|(name, _)| name.starts_with("urimill")));
    assert!(found.len() > 10, "{found:?}");
    for (name, value) in found {
        assert_eq!(version_in(value), Some(version), "{name}");
    }
    assert!(read("CITATION.cff").contains(&format!("\nversion: {version}\n")), "CITATION.cff");
}

#[test]
fn packages_have_what_a_registry_asks_for() {
    for package in PACKAGES {
        let manifest = read(&package.manifest());
        if manifest.contains("\npublish = false\n") {
            continue;
        }
        for key in ["description = ", "license.workspace = true", "readme.workspace = true"] {
            assert!(manifest.contains(&format!("\n{key}")), "{}: {key}", package.folder);
        }
        for licence in ["LICENSE-APACHE", "LICENSE-MIT"] {
            assert_eq!(read(&below_folder(package.folder, licence)), read(licence), "{}", package.folder);
        }
    }
}

#[test]
fn the_first_page_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 150, "README has {lines} lines");
}

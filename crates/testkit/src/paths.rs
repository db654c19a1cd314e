//! Files of the repository, and those beside it.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).expect("crates/testkit stands two folders below it")
}

/// A file of the folder `datasets`.
///
/// If it cannot be read.
pub fn dataset(name: &str) -> Vec<u8> {
    let path = repository().join("datasets").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folder of shared data: `URIMILL_SHARED`, or `../shared` next to the repository. Without it a test prints that
/// and is skipped, but never in CI, where a skip would count as a success.
///
/// # Panics
/// In CI, if there is no such folder.
pub fn shared() -> Option<PathBuf> {
    let beside = || repository().join("../shared");
    let folder = std::env::var_os("URIMILL_SHARED").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "CI must have the shared data: set URIMILL_SHARED");
    println!("skipped: no shared data");
    None
}

/// The files of real lists and logs, which are too large for the repository; none where [`shared`] has none.
///
/// If the folder cannot be read.
pub fn corpora() -> Vec<PathBuf> {
    let Some(shared) = shared() else { return Vec::new() };
    let entries = std::fs::read_dir(shared.join("corpora")).expect("the shared data has lists");
    let files = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file());
    let mut paths: Vec<_> = files.collect();
    paths.sort();
    paths
}

//! What `urimill --version` says about the build: the commit, where it is known, and the platform.
//!
//! The commit comes from `URIMILL_COMMIT`, from what `cargo package` writes into a package, or from git. A build for
//! development does not ask git, or every commit would build the program again.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=URIMILL_COMMIT");
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let given = env::var("URIMILL_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = given.or_else(|| of_package(&package)).or_else(|| of_repository(&package));
    println!("cargo:rustc-env=URIMILL_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    println!("cargo:rustc-env=URIMILL_TARGET={}", env::var("TARGET").unwrap_or_default());
}

/// The commit from which `cargo package` made this package.
fn of_package(package: &Path) -> Option<String> {
    let path = package.join(".cargo_vcs_info.json");
    let text = fs::read_to_string(&path).ok()?;
    println!("cargo:rerun-if-changed={}", path.display());
    let after = text.split_once("\"sha1\"")?.1.split_once('"')?.1;
    Some(after.split_once('"')?.0.chars().take(12).collect())
}

/// The commit of the repository, in a build that is optimized for use.
fn of_repository(package: &Path) -> Option<String> {
    if env::var("PROFILE").as_deref() != Ok("release") {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(package).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim_end().to_owned())
    };
    // A package that was unpacked within another repository is not of it.
    let tracked = git(&["ls-files", "--error-unmatch", "Cargo.toml"])?;
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let branch = git(&["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
    for name in ["HEAD", branch.as_str(), "packed-refs"].into_iter().filter(|name| !name.is_empty()) {
        // Cargo builds each time what depends on a path that is not there.
        let path = git(&["rev-parse", "--path-format=absolute", "--git-path", name]);
        if let Some(path) = path.filter(|path| Path::new(path).exists()) {
            println!("cargo:rerun-if-changed={path}");
        }
    }
    let is_changed =
        git(&["status", "--porcelain", "--untracked-files=no"]).is_none_or(|text| !text.is_empty());
    (!tracked.is_empty()).then(|| if is_changed { format!("{commit}, changed") } else { commit })
}

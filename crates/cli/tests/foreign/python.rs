//! Where Python and the packages of `requirements.txt` are. Not everyone who runs the tests has them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use urimill_testkit::paths::repository;

pub(crate) struct Python(PathBuf);

/// What `URIMILL_PYTHON` names, else the one that `.ci/run` installs below the target directory. Without it the test
/// says so and is skipped, but never where one is named, as `.ci/run` does: a skip would pass for a success there.
pub(crate) fn interpreter() -> Option<Python> {
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| repository().join("target"), PathBuf::from);
    let python = std::env::var_os("URIMILL_PYTHON").map_or(target.join("foreign/bin/python"), PathBuf::from);
    if python.is_file() {
        return Some(Python(python));
    }
    let missing = "no Python with the packages of crates/cli/tests/foreign/requirements.txt: .ci/run installs them, \
                   or name one by URIMILL_PYTHON";
    assert!(std::env::var_os("URIMILL_PYTHON").is_none(), "{} is not there: {missing}", python.display());
    println!("skipped: {missing}");
    None
}

impl Python {
    /// The interpreter.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Runs a script of this folder within `folder`, with `plan` as its input. Returns what it printed, and fails where
    /// the script does.
    pub(crate) fn run(&self, script: &str, folder: &Path, plan: &Value) -> String {
        let script = repository().join("crates/cli/tests/foreign").join(script);
        let mut command = Command::new(&self.0);
        command.arg(&script).current_dir(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{}: {error}", self.0.display()));
        let mut stdin = child.stdin.take().expect("a pipe");
        // Where it has ended already, its exit code and last words say why.
        drop(stdin.write_all(plan.to_string().as_bytes()));
        drop(stdin);
        let output = child.wait_with_output().expect("Python ends");
        let said = String::from_utf8_lossy(&output.stdout);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}:\n{said}{complaint}", script.display());
        said.trim_end().to_owned()
    }
}

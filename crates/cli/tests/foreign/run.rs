//! A folder in which urimill is run, and the names of what it writes there.

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::cases::Sink;
use urimill_testkit::paths;

pub(crate) struct Scratch {
    folder: tempfile::TempDir,
    files: Cell<u32>,
}

impl Scratch {
    /// In memory where there is such a place, because every output is synced and a disk takes its time for that.
    pub(crate) fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        Scratch { folder: made.expect("a folder"), files: Cell::new(0) }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Puts a copy of `datasets` there.
    pub(crate) fn with_datasets(self) -> Self {
        let data = self.folder("datasets");
        for entry in fs::read_dir(paths::repository().join("datasets")).expect("the data sets") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), self.path().join(&data).join(entry.file_name())).expect("a copy");
        }
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).expect("a file")
    }

    pub(crate) fn file(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).expect("a file");
    }

    /// A new folder by this name, and its name.
    pub(crate) fn folder(&self, name: &str) -> String {
        fs::create_dir_all(self.path().join(name)).expect("a folder");
        name.to_owned()
    }

    /// Runs urimill with the words of `line`; returns the summary.
    pub(crate) fn urimill(&self, line: &str) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_urimill"));
        command.args(line.split_whitespace()).args(["--summary", "json"]).current_dir(self.path());
        let output = command.output().expect("urimill starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "urimill {line}: {said}");
        serde_json::from_str(&said).unwrap_or_else(|error| panic!("urimill {line}: {error}: {said}"))
    }

    /// What `urimill schema` says to programs of its own table, or of another.
    pub(crate) fn schema(&self, of: &str) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_urimill"));
        let output =
            command.args(["schema", "--to", "json", "--schema", of]).output().expect("urimill starts");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }

    /// The table that `line` makes, as one sink writes it: the file's name and the number of its rows.
    pub(crate) fn write(&self, line: &str, name: &str, sink: &Sink) -> (String, Value) {
        self.files.set(self.files.get() + 1);
        let Sink { format, options } = sink;
        let file = format!("{name}-{}.{format}", self.files.get());
        let summary = self.urimill(&format!("{line} {options} --to {format} -o {file}"));
        // `dedupe` has fewer rows than records.
        (file, summary.get("rows").unwrap_or(&summary["records"]).clone())
    }

    /// `line` with its placeholders filled; `None` where it wants the shared data, and there is none.
    pub(crate) fn fill(&self, line: &str, schema: &Value) -> Option<String> {
        let columns = schema["columns"].as_array().expect("columns").iter();
        // Without a canonical form to name, that column has nothing in it.
        let optional = columns.filter(|column| column["default"] == false && column["name"] != "canonical");
        let optional = optional.map(|column| format!("+{}", column["name"].as_str().expect("a name")));
        let line = line.replace("{optional}", &optional.collect::<Vec<_>>().join(","));
        if !line.contains("{shared}") {
            return Some(line);
        }
        Some(line.replace("{shared}", corpora()?.to_str().expect("a path in UTF-8")))
    }
}

fn corpora() -> Option<PathBuf> {
    Some(paths::shared()?.join("corpora"))
}

//! Starts urimill as a shell would.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use urimill_testkit::with_signals::with_signals;

/// A command line that has not run yet.
pub(crate) struct Run {
    pub(crate) command: Command,
    stdin: Vec<u8>,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct Done {
    /// `None` where a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

/// urimill with the words of `line` as arguments.
pub(crate) fn urimill(line: &str) -> Run {
    let mut command = with_signals(env!("CARGO_BIN_EXE_urimill"));
    command.args(line.split_whitespace());
    Run { command, stdin: Vec::new() }
}

impl Run {
    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.command.arg(arg);
        self
    }

    pub(crate) fn within(mut self, dir: &Path) -> Self {
        self.command.current_dir(dir);
        self
    }

    pub(crate) fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.stdin = bytes.as_ref().to_vec();
        self
    }

    pub(crate) fn go(mut self) -> Done {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().expect("urimill starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        let bytes = self.stdin;
        // It may stop reading before the end: that is its right.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&bytes)));
        let output = child.wait_with_output().expect("urimill ends");
        writer.join().expect("the writer");
        Done {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: String::from_utf8(output.stderr).expect("messages are UTF-8"),
        }
    }

    /// Runs, and must end with exit code 0.
    pub(crate) fn ok(self) -> Done {
        let line = format!("{:?}", self.command);
        let done = self.go();
        assert_eq!(done.code, Some(0), "{line}: {}", done.stderr);
        done
    }

    /// Runs, and must end with `code`, nothing on standard output, and one sentence that has all of
    /// `parts` in it.
    pub(crate) fn fails(self, code: i32, parts: &[&str]) {
        let line = format!("{:?}", self.command);
        let done = self.go();
        assert_eq!(done.code, Some(code), "{line}: {}", done.stderr);
        assert_eq!(done.text(), "", "{line}");
        done.says(&line, parts);
    }

    /// Runs, and must end with `code` after `stdout`, and with a sentence that has `part` in it.
    pub(crate) fn fails_after(self, stdout: &str, code: i32, part: &str) {
        let line = format!("{:?}", self.command);
        let done = self.go();
        assert_eq!(done.code, Some(code), "{line}: {}", done.stderr);
        assert!(stdout.starts_with(done.text()), "{line}: {}", done.text());
        done.says(&line, &[part]);
    }
}

impl Done {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("text")
    }

    /// Standard error is one sentence in urimill's name, perhaps with a text below it of which a byte is marked.
    pub(crate) fn says(&self, line: &str, parts: &[&str]) {
        let (sentence, marked) =
            self.stderr.split_once('\n').unwrap_or_else(|| panic!("{line}: {:?}", self.stderr));
        let is_marked = marked.starts_with("  ") && marked.trim_end().ends_with('^');
        assert!(sentence.starts_with("urimill: ") && (marked.is_empty() || is_marked), "{line}: {sentence}");
        for part in parts {
            assert!(sentence.contains(part), "{line}: {part:?} is not in {sentence:?}");
        }
    }

    pub(crate) fn summary(&self) -> serde_json::Value {
        serde_json::from_str(&self.stderr).unwrap_or_else(|e| panic!("{e}: {}", self.stderr))
    }
}

/// The names in a directory, temporaries and other hidden files among them.
pub(crate) fn names(dir: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(dir).expect("a directory");
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<_> = entries.map(|e| name(e).into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

pub(crate) fn write(dir: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    std::fs::write(dir.join(name), bytes).expect("a file");
}

/// A directory of its own for a test: in memory where there is such a place, because every output is synced
/// and a disk takes its time for that.
pub(crate) fn dir() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a directory")
}

/// urimill under a shell that bounds the size of files to so many kilobytes. The system's default action is a
/// signal that ends the process.
#[cfg(target_os = "linux")]
pub(crate) fn bounded(kilobytes: usize, line: &str, dir: &Path) -> Run {
    let script = format!("ulimit -f {}; exec \"$0\" \"$@\"", kilobytes);
    let mut run = urimill("").within(dir);
    run.command = std::process::Command::new("bash");
    run.command.args(["-c", &script, env!("CARGO_BIN_EXE_urimill")]).args(line.split_whitespace());
    run.within(dir)
}

/// Kilobytes of memory that a process has had at most, while it runs and if the system reports it.
pub(crate) fn peak(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// Whether a process has a file open in a directory under no visible name.
#[cfg(target_os = "linux")]
pub(crate) fn has_unnamed(child: &std::process::Child, dir: &Path) -> bool {
    let entries = std::fs::read_dir(format!("/proc/{}/fd", child.id())).expect("descriptors");
    let target = |entry: std::io::Result<std::fs::DirEntry>| std::fs::read_link(entry.ok()?.path()).ok();
    let mut open = entries.filter_map(target);
    open.any(|path| path.starts_with(dir) && path.to_string_lossy().ends_with(" (deleted)"))
}

pub(crate) fn wait_until(condition: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !condition() {
        assert!(begun.elapsed() < std::time::Duration::from_secs(20), "nothing happens");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

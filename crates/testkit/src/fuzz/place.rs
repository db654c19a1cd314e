//! Inputs that have to be files.

use std::path::{Path, PathBuf};

/// A place for the input: where the system has memory as a disk it is there.
pub(super) fn place() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let directory = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let thread = format!("{:?}", std::thread::current().id());
    let number: String = thread.chars().filter(char::is_ascii_digit).collect();
    directory.join(format!("urimill-fuzz-{}-{number}", std::process::id()))
}

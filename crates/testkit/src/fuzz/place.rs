//! Inputs that have to be files.

use std::path::{Path, PathBuf};

/// A path for the input: on a memory disk if the system has one.
pub(super) fn place() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let directory = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    let thread = format!("{:?}", std::thread::current().id());
    let number: String = thread.chars().filter(char::is_ascii_digit).collect();
    directory.join(format!("urimill-fuzz-{}-{number}", std::process::id()))
}

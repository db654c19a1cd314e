//! Programs for tests that send signals.

use std::ffi::OsStr;
use std::process::Command;

/// Starts a program that ignores no signal. Signals that the parent of the tests ignores (`nohup`, a script's
/// background) would be ignored by the program too, and a test that ends it by a signal would wait for ever.
pub fn with_signals(program: impl AsRef<OsStr>) -> Command {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    // SIGHUP, SIGINT and SIGTERM are the 1st, the 2nd and the 15th.
    if ignored & (1 << 0 | 1 << 1 | 1 << 14) == 0 {
        return Command::new(program);
    }
    // The shell becomes the program, with the same process number.
    let mut command = Command::new("env");
    command.arg("--default-signal=HUP,INT,TERM").arg(program);
    command
}

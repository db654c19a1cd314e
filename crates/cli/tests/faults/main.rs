//! Disks that fail and runs that are killed, at every operation: an output is old, absent or complete, and a failure
//! is one sentence.
//!
//! - `place`: directories with inputs and outputs, the runs that are tried, and what is left of one;
//! - `nth`: the nth operation fails, for n = 0, 1, … until a run meets no fault any more, in the manner of SQLite;
//! - `preload`: calls of the system fail under the program as it is shipped;
//! - `kill`: the process is killed before each operation, and at random instants;
//! - `verifier`: records that are lost, doubled or changed within the program, and `--verify` finds it;
//! - `listing`: directories that a pattern leads to and that cannot be read;
//! - `pairs`: a table and its rejects get their names together, and the message says which of them are in place;
//! - `replaced`: something else removes, replaces or cuts what a run writes;
//! - `limits`: disks that are really full: files of a limited size, a file system of a mebibyte;
//! - `readers`: of standard output: one that goes, one that is slow;
//! - `changing`: inputs that become shorter or longer while they are read;
//! - `signals`: Ctrl-C and `kill` in each phase;
//! - `threads`: temporary files that fail while two threads work;
//! - `verify`: what the disk holds is not what was written, and `--verify` finds it.
//!
//! Faults come through [`urimill::files::watch`], within this process, except for those of `preload`: so they are the
//! same in a release build.
#![cfg(target_os = "linux")]

mod changing;
mod checksums;
mod kill;
mod limits;
mod listing;
mod nth;
mod pairs;
mod place;
mod preload;
mod readers;
mod replaced;
mod signals;
mod threads;
mod verify;

//! Temporaries of runs that were killed: a later run that writes in the same directory removes them. `temporaries`
//! names them.
//!
//! A run holds a lock on each of its temporaries (`flock`), and the system releases it however the run ends. So a
//! temporary whose lock is free belongs to no run, whatever process has its number by now. With some mounts of network
//! file systems the lock of a run on another host is invisible here: names include their host, and those of other hosts
//! are not touched. Neither are files of other users, nor files on systems without `/proc`.

use std::ffi::OsStr;
use std::fs::{Metadata, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::OnceLock;

use twox_hash::XxHash3_64;
use urimill_base::files;
use urimill_base::files::File;

/// An identifier of this host for names: 8 hexadecimal digits, or `0` if it has no readable name.
pub(crate) fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| match std::fs::read("/proc/sys/kernel/hostname") {
        Ok(name) => format!("{:08x}", XxHash3_64::oneshot(&name) >> 32),
        Err(_) => "0".to_owned(),
    })
}

/// Locks a temporary that has just been created.
///
/// # Errors
/// `AlreadyExists` if another run was faster, and took it for a leftover: the caller creates another.
pub(crate) fn claim(made: &File, path: &Path) -> io::Result<()> {
    match made.inner().try_lock() {
        Err(TryLockError::WouldBlock) => return Err(ErrorKind::AlreadyExists.into()),
        // On a file system without locks nobody can lock this one, and nobody removes it.
        Err(TryLockError::Error(_)) => return Ok(()),
        Ok(()) => {}
    }
    match files::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => Err(ErrorKind::AlreadyExists.into()),
        _ => Ok(()),
    }
}

/// Removes a temporary, if it exists, and everything in it.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let removed = match files::symlink_metadata(path) {
        Ok(found) if found.is_dir() => files::remove_dir_all(path),
        Ok(_) => files::remove_file(path),
        Err(e) if files::is_absent(&e) => Ok(()),
        Err(_) => files::remove_file(path).or_else(|_| files::remove_dir_all(path)),
    };
    files::found(removed).map(drop)
}

/// Removes the temporaries in `directory` that nobody holds.
pub(crate) fn sweep(directory: &Path) {
    let (host, Some(own)) = (host(), own_user()) else { return };
    let Ok(entries) = files::read_dir(directory) else { return };
    let leftovers = entries.flatten().filter(|entry| host != "0" && is_temporary(&entry.file_name(), host));
    for path in leftovers.map(|entry| entry.path()) {
        // Anything that is neither a file nor a directory is not urimill's, and opening it might block.
        let is_ours = |found: &Metadata| (found.is_file() || found.is_dir()) && user_of(found) == Some(own);
        if files::symlink_metadata(&path).is_ok_and(|found| is_ours(&found))
            && let Ok(file) = File::open(&path)
            && file.inner().try_lock().is_ok()
        {
            // The next run tries again.
            let _ = remove(&path);
        }
    }
}

/// Whether a name is `.NAME.urimill-PID-N.HOST.tmp`.
fn is_temporary(name: &OsStr, host: &str) -> bool {
    let parts = || {
        let rest = name.to_str()?.strip_prefix('.')?.strip_suffix(".tmp")?;
        let (rest, of) = rest.rsplit_once('.')?;
        let (_, numbers) = rest.rsplit_once(".urimill-")?;
        let (process, number) = numbers.split_once('-')?;
        Some((of, process, number))
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    parts().is_some_and(|(of, process, number)| of == host && is_number(process) && is_number(number))
}

#[cfg(unix)]
fn user_of(found: &Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(found))
}

#[cfg(not(unix))]
fn user_of(_: &Metadata) -> Option<u32> {
    None
}

/// The effective user of this process.
fn own_user() -> Option<u32> {
    user_of(&std::fs::metadata("/proc/self").ok()?)
}

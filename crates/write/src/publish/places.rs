//! Paths of outputs: which names mean the same file, where links lead, and how a name is made durable.

use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use urimill_base::files;
use urimill_base::files::File;

/// Returns whether `a` and `b` name one existing file, through links or different spellings.
///
/// # Errors
/// The system's error, if one of them cannot be examined.
pub fn same_file(a: &Path, b: &Path) -> io::Result<bool> {
    let (a, b) = (files::found(files::identity(a))?, files::found(files::identity(b))?);
    Ok(a.is_some() && a == b)
}

/// Returns whether writing to `a` and to `b` writes one file, which need not exist yet.
///
/// # Errors
/// The system's, where one of them, or where it is to be, cannot be looked at.
pub fn same_target(a: &Path, b: &Path) -> io::Result<bool> {
    let place = |path: &Path| {
        let target = follow_links(path)?;
        let directory = files::found(files::canonicalize(directory(&target)))?;
        Ok::<_, io::Error>(directory.zip(target.file_name().map(ToOwned::to_owned)))
    };
    if same_file(a, b)? {
        return Ok(true);
    }
    let (a, b) = (place(a)?, place(b)?);
    Ok(a.is_some() && a == b)
}

/// The path that a chain of symbolic links at `path` ends at, which need not exist.
///
/// A link of another user in a world-writable directory (`/tmp`) is not followed: it could redirect an output to any
/// place. Linux refuses such links (`fs.protected_symlinks`) when it follows them itself.
pub(crate) fn follow_links(path: &Path) -> io::Result<PathBuf> {
    // With a slash at its end (`LINK/`) a path means the target of the link, not the link.
    let mut path: PathBuf = path.components().collect();
    // 40 is Linux's own limit on a chain.
    for _ in 0..40 {
        match files::read_link(&path) {
            Ok(next) => {
                check_owner(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(next).components().collect();
            }
            // Not a link, or missing. Other systems have other errors for that.
            Err(e) if cfg!(not(unix)) || e.kind() == ErrorKind::InvalidInput || files::is_absent(&e) => {
                return Ok(path);
            }
            Err(e) => return Err(e),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// Checks that a link in a world-writable directory with the sticky bit belongs to this user or to the directory's
/// owner.
#[cfg(target_os = "linux")]
fn check_owner(link: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    const STICKY_AND_OPEN: u32 = 0o1002;
    let place = files::metadata(directory(link))?;
    if place.mode() & STICKY_AND_OPEN != STICKY_AND_OPEN {
        return Ok(());
    }
    let owner = files::symlink_metadata(link)?.uid();
    // Without /proc the user of this process is unknown.
    let is_own = std::fs::metadata("/proc/self").map_or(true, |process| process.uid() == owner);
    match is_own || owner == place.uid() {
        true => Ok(()),
        false => Err(io::Error::new(
            ErrorKind::PermissionDenied,
            "somebody else's symbolic link in a directory that everybody may write to is not followed; name the file \
             that it leads to",
        )),
    }
}

#[cfg(not(target_os = "linux"))]
fn check_owner(_link: &Path) -> io::Result<()> {
    Ok(())
}

/// The directory that `target` is in; `.` where the path names none.
pub(crate) fn directory(target: &Path) -> &Path {
    target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Who may do what with it, without the bits that are for programs; `None` where the system has no modes.
pub(crate) fn mode_of(found: &Metadata) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        Some(found.permissions().mode() & 0o777)
    }
    #[cfg(not(unix))]
    {
        let _ = found;
        None
    }
}

/// Makes the new name itself survive a power failure.
pub(crate) fn sync_directory(target: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    tolerate_unsynced(File::open(directory(target)).and_then(|d| d.sync_all()))
}

/// Ignores errors for a directory that one may write to but not read, and for a file system that cannot sync one.
pub(crate) fn tolerate_unsynced(synced: io::Result<()>) -> io::Result<()> {
    match synced {
        Err(e)
            if cfg!(not(unix))
                || matches!(
                    e.kind(),
                    ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
                ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// For a system that cannot guarantee that a new name survives a power failure.
pub(crate) const NOT_SYNCED: &str = "a power failure may undo that, because the directory cannot be synced";

//! Paths of outputs: which names mean one file, where links lead, and how a name is made to last. Under `atomic`
//! and `folder`.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::files::{self, File};

/// Whether `a` and `b` name one existing file, through links or different spellings.
pub fn same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        matches!((fs::metadata(a), fs::metadata(b)), (Ok(a), Ok(b)) if a.dev() == b.dev() && a.ino() == b.ino())
    }
    #[cfg(not(unix))]
    {
        matches!((fs::canonicalize(a), fs::canonicalize(b)), (Ok(a), Ok(b)) if a == b)
    }
}

/// Whether writing to `a` and to `b` writes one file, which need not exist yet.
pub fn same_target(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        let target = follow_links(path).ok()?;
        Some((fs::canonicalize(directory(&target)).ok()?, target.file_name()?.to_owned()))
    };
    same_file(a, b) || place(a).is_some_and(|a| place(b) == Some(a))
}

/// The path that a chain of symbolic links at `path` ends at, which need not exist.
///
/// A link that somebody else has put into a directory that everybody may write to (`/tmp`) is not followed: it would lead
/// an output to a place of their choice. Linux refuses such links (`fs.protected_symlinks`) where it follows them itself.
pub(super) fn follow_links(path: &Path) -> io::Result<PathBuf> {
    // With a slash at its end (`LINK/`) a path is what the link leads to, and not the link.
    let mut path: PathBuf = path.components().collect();
    // 40 is Linux's own limit on a chain.
    for _ in 0..40 {
        match files::read_link(&path) {
            Ok(next) => {
                check_owner(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(next).components().collect();
            }
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// That a link in a directory that everybody may write to, and where nobody may remove what is another's, is ours or the
/// directory's owner's.
#[cfg(target_os = "linux")]
fn check_owner(link: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    const STICKY_AND_OPEN: u32 = 0o1002;
    let place = files::metadata(directory(link))?;
    if place.mode() & STICKY_AND_OPEN != STICKY_AND_OPEN {
        return Ok(());
    }
    let owner = files::symlink_metadata(link)?.uid();
    // Without /proc nobody knows who runs this.
    let is_own = fs::metadata("/proc/self").map_or(true, |process| process.uid() == owner);
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
pub(super) fn directory(target: &Path) -> &Path {
    target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the new name itself survive a power failure.
pub(super) fn sync_directory(target: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match File::open(directory(target)).and_then(|d| d.sync_all()) {
        // A directory one may write to but not read, and file systems that cannot sync one.
        Err(e)
            if matches!(
                e.kind(),
                ErrorKind::PermissionDenied | ErrorKind::InvalidInput | ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

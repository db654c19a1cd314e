//! What the caller names as input, before a byte is read: standard input, files and patterns of
//! file names. Everything that can be known to be wrong is found here, before any work starts.

use std::borrow::Cow;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::error::{Error, ErrorKind, Result};
use crate::files::{self, File};

/// One input.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Source {
    /// Standard input, whatever is behind it.
    Stdin,
    /// A file, a named pipe, a device: something with a path.
    File(PathBuf),
    /// A reader that the caller of the library brought. Only its name is known here.
    Reader(String),
}

impl Source {
    /// What messages and the column `source` call it. Bytes of a path that are not UTF-8 appear
    /// as U+FFFD.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Source::Stdin => "standard input".into(),
            Source::File(path) => path.to_string_lossy(),
            Source::Reader(name) => name.as_str().into(),
        }
    }

    /// The stored bytes (compressed, where it is) of a regular file; `None` for pipes, devices
    /// and whatever else has no length before its end.
    pub fn size(&self) -> Option<u64> {
        let path = match self {
            // Where the system has this path, it tells `urimill < file` from a pipe.
            Source::Stdin => Path::new("/dev/stdin"),
            Source::File(path) => path,
            Source::Reader(_) => return None,
        };
        files::metadata(path).ok().filter(|m| m.is_file()).map(|m| m.len())
    }
}

/// The sources that `args` name, in their order, each of them checked.
///
/// No argument at all or `-` is standard input. An argument that exists as a path is that path,
/// even when it holds `*`, `?` or `[`; else such an argument is a pattern, which stands for the
/// files it matches, sorted, without directories and, as in a shell, without hidden files unless
/// it names the dot. A name that is not UTF-8 is matched by no pattern.
///
/// # Errors
/// `Usage`: `-` more than once, an empty argument, a malformed pattern, a directory.
/// `Io`: no such file, nothing matches, a file that can't be opened for reading.
pub fn expand(args: &[String]) -> Result<Vec<Source>> {
    if args.is_empty() {
        return Ok(vec![Source::Stdin]);
    }
    let mut sources = Vec::with_capacity(args.len());
    for arg in args {
        match arg.as_str() {
            "" => {
                return Err(Error::usage(
                    "an input has an empty name: give a file, a pattern, or - for standard input",
                ));
            }
            "-" if sources.contains(&Source::Stdin) => {
                return Err(Error::usage("standard input (-) is given twice, but can be read only once"));
            }
            "-" => sources.push(Source::Stdin),
            arg => match files::metadata(Path::new(arg)) {
                Ok(_) => sources.push(Source::File(arg.into())),
                Err(e) if !is_absent(&e) => return Err(Error::path("read", Path::new(arg), e)),
                Err(_) if arg.contains(['*', '?', '[']) => expand_pattern(arg, &mut sources)?,
                Err(e) => {
                    let error = Error::new(ErrorKind::Io, format!("cannot read {arg}: no such file"));
                    return Err(error.about(Path::new(arg), e));
                }
            },
        }
    }
    for source in &sources {
        if let Source::File(path) = source {
            check_readable(path)?;
        }
    }
    Ok(sources)
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn expand_pattern(pattern: &str, sources: &mut Vec<Source>) -> Result<()> {
    let matches = glob::glob(pattern).map_err(|e| {
        let why = e.msg;
        Error::usage(format!("cannot read {pattern}: no such file, and as a pattern it is malformed ({why})"))
    })?;
    // Not left to the library's option for it, which also hides what `.*` asks for and panics
    // where a name is not UTF-8.
    let hidden_named = hidden_components(Path::new(pattern));
    let mut paths = Vec::new();
    for found in matches {
        let path = found.map_err(|e| {
            let directory = e.path().to_owned();
            Error::path("look for files in", &directory, e.into())
        })?;
        if !path.is_dir() && hidden_components(&path) <= hidden_named {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        let error = Error::new(ErrorKind::Io, format!("cannot read {pattern}: no file matches the pattern"));
        return Err(error.about(Path::new(pattern), io::ErrorKind::NotFound.into()));
    }
    paths.sort();
    sources.extend(paths.into_iter().map(Source::File));
    Ok(())
}

fn hidden_components(path: &Path) -> usize {
    let hidden =
        |c: &Component<'_>| matches!(c, Component::Normal(name) if name.as_encoded_bytes().starts_with(b"."));
    path.components().filter(hidden).count()
}

/// That `path` can be opened. Named pipes and devices are left alone: opening one waits for its
/// writer, and closing it again would break the writer's pipe.
fn check_readable(path: &Path) -> Result<()> {
    let metadata = files::metadata(path).map_err(|e| Error::path("read", path, e))?;
    if metadata.is_dir() {
        return Err(directory(path));
    }
    if metadata.is_file() {
        File::open(path).map_err(|e| Error::path("read", path, e))?;
    }
    Ok(())
}

/// The error for a directory where a file is wanted.
pub(super) fn directory(path: &Path) -> Error {
    let (name, files) = (path.display(), path.join("*"));
    Error::usage(format!(
        "cannot read {name}: it is a directory; give {} to read the files in it",
        files.display()
    ))
}

//! The inputs that the caller names: standard input, files and patterns of file names, and readers. Every mistake that
//! can be found before a byte is read is found here.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use urimill_base::error::{Error, ErrorKind, Result, Wanted, elsewhere};
use urimill_base::files;
use urimill_base::files::File;
use urimill_base::pattern;
use urimill_uri::UriRef;
use urimill_uri::encode::{Part, encode};
use urimill_uri::grammar::Spec;

use crate::given_reader::GivenReader;

/// One input.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Source {
    /// Standard input, whatever it is connected to.
    Stdin,
    /// A file, a named pipe, a device: something with a path.
    File(PathBuf),
    /// A reader that the caller of the library brought.
    Reader(GivenReader),
    /// A table that the caller of the library has in memory. Only its name is known here.
    Table(String),
}

/// An input as the caller gives it.
#[derive(Debug, Clone)]
pub enum Input {
    /// A file, a pattern for files, or `-` for standard input.
    Named(OsString),
    /// A reader.
    Reader(GivenReader),
}

impl Source {
    /// Its name in messages and in the column `source`. Bytes of a path that are not UTF-8 appear as U+FFFD.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Source::Stdin => "standard input".into(),
            Source::File(path) => path.to_string_lossy(),
            Source::Reader(reader) => reader.name().into(),
            Source::Table(name) => name.as_str().into(),
        }
    }

    /// The name of its file, without folders, which need not be UTF-8; `None` for a pipe without a path. The name of a
    /// reader is taken for a path.
    pub(super) fn file_name(&self) -> Option<Arc<[u8]>> {
        let path = match self {
            Source::File(path) => path.as_path(),
            Source::Reader(reader) => Path::new(reader.name()),
            Source::Stdin | Source::Table(_) => return None,
        };
        path.file_name().map(|name| Arc::from(name.as_encoded_bytes()))
    }

    /// What it is, if its bytes can be read only one after the other.
    pub(super) fn flow(&self) -> &'static str {
        match self {
            Source::Reader(_) => "a reader",
            _ => "a pipe",
        }
    }

    /// The URI that the source was retrieved by (RFC 3986, 5.1.3): that of a file by its absolute path (RFC 8089), and
    /// the name of a reader, if it is a URI with an authority; `None` for other sources.
    pub fn uri(&self) -> Option<String> {
        let path = match self {
            Source::File(path) => path,
            Source::Reader(reader) => {
                let uri = UriRef::parse(reader.name()).ok()?;
                return uri.scheme().and(uri.authority()).map(|_| reader.name().to_owned());
            }
            Source::Stdin | Source::Table(_) => return None,
        };
        let path = std::path::absolute(path).ok()?;
        let path = encode(path.as_os_str().as_encoded_bytes(), Part::Path, Spec::Rfc3986).ok()?;
        Some(format!("file://{path}"))
    }

    /// The stored (for compressed files, the compressed) bytes of a regular file; `None` for pipes, devices and
    /// anything else without a known length.
    pub fn size(&self) -> Option<u64> {
        let path = match self {
            // On systems with this path it distinguishes `urimill < file` from a pipe.
            Source::Stdin => Path::new("/dev/stdin"),
            Source::File(path) => path,
            Source::Reader(_) | Source::Table(_) => return None,
        };
        files::metadata(path).ok().filter(|m| m.is_file()).map(|m| m.len())
    }
}

/// The sources that `args` name, in their order, each of them checked.
///
/// No argument at all, or `-`, is standard input. An argument that exists as a path is that path, even if it holds `*`,
/// `?` or `[`. Any other argument with one of these is a pattern for the files that it matches, sorted, without
/// directories and, as in a shell, without hidden files unless it names the dot. `*` and `?` match bytes that are not
/// UTF-8, too. `**` is a component of its own, and matches directories at any depth; it enters each directory once,
/// however many symbolic links lead there.
///
/// # Errors
/// `Usage`: `-` more than once, an empty argument, a malformed pattern, a directory.
/// `Io`: no such file, nothing matches, a file that can't be opened for reading, a directory that a pattern leads to
/// and that can't be listed.
pub fn expand<S: AsRef<OsStr>>(args: &[S]) -> Result<Vec<Source>> {
    let inputs: Vec<Input> = args.iter().map(|arg| Input::Named(arg.as_ref().to_owned())).collect();
    expand_inputs(&inputs)
}

/// The same, for inputs of which some are readers.
///
/// # Errors
/// The errors of [`expand`].
pub fn expand_inputs(inputs: &[Input]) -> Result<Vec<Source>> {
    if inputs.is_empty() {
        return Ok(vec![Source::Stdin]);
    }
    let mut sources = Vec::with_capacity(inputs.len());
    for input in inputs {
        let arg = match input {
            Input::Named(arg) => arg.as_os_str(),
            Input::Reader(reader) => {
                sources.push(Source::Reader(reader.clone()));
                continue;
            }
        };
        let path = Path::new(arg);
        match arg.as_encoded_bytes() {
            b"" => {
                return Err(Error::usage(
                    "an input has an empty name: give a file, a pattern, or - for standard input",
                ));
            }
            b"-" if sources.contains(&Source::Stdin) => {
                return Err(Error::usage("standard input (-) is given twice, but can be read only once"));
            }
            b"-" => sources.push(Source::Stdin),
            _ => match files::metadata(path) {
                Ok(_) => sources.push(Source::File(path.to_owned())),
                Err(e) if !files::is_absent(&e) => return Err(Error::path("read", path, e)),
                Err(_) if let Some(what) = elsewhere(&arg.to_string_lossy(), Wanted::Input) => {
                    return Err(Error::usage(format!("cannot read {}: {what}", path.display())));
                }
                Err(_) if pattern::is_pattern(arg) => {
                    let files = pattern::files(arg)?;
                    if files.is_empty() {
                        return Err(missing(path, "no file matches the pattern"));
                    }
                    sources.extend(files.into_iter().map(Source::File));
                }
                Err(_) => return Err(missing(path, "no such file")),
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

fn missing(path: &Path, what: &str) -> Error {
    let error = Error::new(ErrorKind::Io, format!("cannot read {}: {what}", path.display()));
    error.about(path, io::ErrorKind::NotFound.into())
}

/// Checks that `path` can be opened. Named pipes and devices are not opened: that would wait for the writer, and
/// closing it again would break the writer's pipe.
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

//! Patterns of file names: the files that one matches.
//!
//! A pattern is taken component by component, as a shell does. Each step lists the directories that the components
//! before it have reached. A directory or name that cannot be read is an error with its name: a pattern never silently
//! matches fewer files than it should. The `glob` crate matches single names. Its directory walk is not used, because
//! it skips names that are not UTF-8 and unreadable directories.
//!
//! `**` stands for directories at any depth. It enters every directory once: first those that are reached without
//! symbolic links, then what links lead to, unless `**` has been there already. So a link that leads back up, or to
//! a directory beside it, adds no second copy of a file, and the walk ends.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::FileType;
use std::io;
use std::path::{self, Path, PathBuf};

use glob::Pattern;

use crate::error::{Error, Result};
use crate::files;
use crate::files::is_absent;

/// The characters that make an argument a pattern.
const WILDCARDS: &[u8] = b"*?[";

/// Whether a text that names no file may be a pattern.
pub fn is_pattern(text: &OsStr) -> bool {
    text.as_encoded_bytes().iter().any(|byte| WILDCARDS.contains(byte))
}

/// The files that `pattern` matches, sorted, each once; what is not a directory counts as a file.
///
/// # Errors
/// `Usage` where the pattern is malformed; `Io` where a directory or a name in it cannot be looked at.
pub fn files(pattern: &OsStr) -> Result<Vec<PathBuf>> {
    let parts = parts(pattern)?;
    let ends_as_directory = pattern.to_string_lossy().ends_with(path::is_separator);
    let Some((last, before)) = parts.split_last().filter(|_| !ends_as_directory) else {
        return Ok(Vec::new());
    };
    let mut places = vec![Place::unseen(PathBuf::new())];
    for part in before {
        places = step(part, places)?;
    }
    let mut found = Vec::new();
    for place in &places {
        last.files(place, &mut found)?;
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// A component of a pattern.
enum Part {
    /// A literal name, a root, `.` or `..`.
    Literal(OsString),
    Name {
        pattern: Pattern,
        /// Whether it begins with a dot, and so matches hidden names.
        is_hidden: bool,
    },
    /// `**`
    AnyDepth,
}

fn parts(pattern: &OsStr) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    for component in Path::new(pattern).components() {
        let text = component.as_os_str();
        parts.push(match text.as_encoded_bytes() {
            b"**" if matches!(parts.last(), Some(Part::AnyDepth)) => continue,
            b"**" => Part::AnyDepth,
            _ if !is_pattern(text) => Part::Literal(text.to_owned()),
            bytes => Part::Name {
                pattern: Pattern::new(&characters(text)).map_err(|e| malformed(pattern, e.msg))?,
                is_hidden: bytes.starts_with(b"."),
            },
        });
    }
    Ok(parts)
}

fn malformed(pattern: &OsStr, why: &str) -> Error {
    let pattern = Path::new(pattern).display();
    Error::usage(format!("cannot read {pattern}: no such file, and as a pattern it is malformed ({why})"))
}

/// A name as characters, for the matcher. Each byte that is not UTF-8 becomes a distinct character, from the end of the
/// last plane for private use, so that different names stay different.
fn characters(name: &OsStr) -> String {
    let mut text = String::with_capacity(name.len());
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        let byte =
            |&byte: &u8| char::from_u32(0x10_FF00 + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER);
        text.extend(chunk.invalid().iter().map(byte));
    }
    text
}

/// A path that some components have reached.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    path: PathBuf,
    /// Whether a listing showed it as a directory: if it no longer exists, it was removed meanwhile.
    is_seen: bool,
}

impl Place {
    fn unseen(path: PathBuf) -> Place {
        Place { path, is_seen: false }
    }

    fn seen(path: PathBuf) -> Place {
        Place { path, is_seen: true }
    }

    /// The names in it, sorted; empty if there is no such directory.
    fn names(&self) -> Result<Vec<(OsString, FileType)>> {
        let directory = if self.path.as_os_str().is_empty() { Path::new(".") } else { &self.path };
        let listed = files::list(directory).and_then(|entries| {
            let entries = entries.into_iter().map(|entry| Ok((entry.file_name(), entry.file_type()?)));
            entries.collect::<io::Result<Vec<_>>>()
        });
        match listed {
            Ok(mut names) => {
                names.sort_by(|(a, _), (b, _)| a.cmp(b));
                Ok(names)
            }
            Err(e) if is_absent(&e) && !self.is_seen => Ok(Vec::new()),
            Err(e) => Err(Error::path("look for files in", directory, e)),
        }
    }
}

/// The places that a component, not the last, leads to from `places`.
fn step(part: &Part, places: Vec<Place>) -> Result<Vec<Place>> {
    let mut next = Vec::new();
    for place in places {
        match part {
            Part::Literal(name) => next.push(Place::unseen(place.path.join(name))),
            Part::Name { .. } => {
                for (name, kind) in place.names()? {
                    let path = place.path.join(&name);
                    if part.matches(&name) && is_directory(&path, kind)? {
                        next.push(Place { path, is_seen: kind.is_dir() });
                    }
                }
            }
            Part::AnyDepth => next.extend(below(place)?.0),
        }
    }
    // `**` may reach a place in several ways.
    next.sort();
    next.dedup();
    Ok(next)
}

impl Part {
    /// Whether a component that is not a literal matches a name.
    fn matches(&self, name: &OsStr) -> bool {
        let is_dotted = name.as_encoded_bytes().starts_with(b".");
        match self {
            Part::Literal(own) => own == name,
            Part::Name { pattern, is_hidden } => {
                (!is_dotted || *is_hidden) && pattern.matches(&characters(name))
            }
            Part::AnyDepth => !is_dotted,
        }
    }

    /// The files that the last component leads to from a place.
    fn files(&self, place: &Place, found: &mut Vec<PathBuf>) -> Result<()> {
        match self {
            Part::Literal(name) => {
                let path = place.path.join(name);
                match files::symlink_metadata(&path) {
                    Ok(there) if is_directory(&path, there.file_type())? => {}
                    Ok(_) => found.push(path),
                    Err(e) if is_absent(&e) => {}
                    Err(e) => return Err(Error::path("read", &path, e)),
                }
            }
            Part::Name { .. } => {
                for (name, kind) in place.names()? {
                    let path = place.path.join(&name);
                    if self.matches(&name) && !is_directory(&path, kind)? {
                        found.push(path);
                    }
                }
            }
            Part::AnyDepth => found.extend(below(Place { path: place.path.clone(), ..*place })?.1),
        }
        Ok(())
    }
}

/// Directories at any depth from `start` on, including it, and the files in them. Hidden names are skipped.
fn below(start: Place) -> Result<(Vec<Place>, Vec<PathBuf>)> {
    let mut tree = Tree::default();
    tree.walk(start)?;
    if !tree.links.is_empty() {
        let mut entered = HashSet::new();
        for place in &tree.places {
            entered.extend(tree.identity(&place.path)?);
        }
        tree.entered = Some(entered);
    }
    // What is behind a link may have links of its own.
    while !tree.links.is_empty() {
        for link in std::mem::take(&mut tree.links) {
            tree.walk(Place::unseen(link))?;
        }
    }
    Ok((tree.places, tree.files))
}

/// The directories and files that `**` has found.
#[derive(Default)]
struct Tree {
    places: Vec<Place>,
    files: Vec<PathBuf>,
    /// Symbolic links to directories, which are entered last.
    links: Vec<PathBuf>,
    /// The directories that were entered, once links are.
    entered: Option<HashSet<files::Identity>>,
}

impl Tree {
    /// Enters `start` and all directories below it that are not links.
    fn walk(&mut self, start: Place) -> Result<()> {
        let mut waiting = vec![start];
        while let Some(place) = waiting.pop() {
            if self.entered.is_some() {
                let identity = self.identity(&place.path)?;
                let is_new =
                    |entered: &mut HashSet<_>| identity.is_some_and(|identity| entered.insert(identity));
                if !self.entered.as_mut().is_some_and(is_new) {
                    continue;
                }
            }
            for (name, kind) in place.names()? {
                let path = place.path.join(&name);
                if !Part::AnyDepth.matches(&name) {
                    continue;
                }
                if kind.is_dir() {
                    waiting.push(Place::seen(path));
                } else if is_directory(&path, kind)? {
                    self.links.push(path);
                } else {
                    self.files.push(path);
                }
            }
            self.places.push(place);
        }
        Ok(())
    }

    /// The identity of the directory that a path leads to; `None` if it is not a directory.
    fn identity(&self, path: &Path) -> Result<Option<files::Identity>> {
        let directory = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        match files::identity(directory) {
            Ok(identity) => Ok(Some(identity)),
            Err(e) if is_absent(&e) => Ok(None),
            Err(e) => Err(Error::path("look for files in", directory, e)),
        }
    }
}

/// Whether there is a directory at `path`, for which a listing gave this type. A link that leads nowhere is not one: as
/// a file it is found missing when it is opened.
fn is_directory(path: &Path, kind: FileType) -> Result<bool> {
    if !kind.is_symlink() {
        return Ok(kind.is_dir());
    }
    match files::metadata(path) {
        Ok(found) => Ok(found.is_dir()),
        Err(e) if is_absent(&e) || files::is_ring(&e) => Ok(false),
        Err(e) => Err(Error::path("read", path, e)),
    }
}

//! Refuses outputs that would destroy inputs or other outputs of the run: checked in the file system before anything is
//! written.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use urimill_base::error::{Error, Result};
use urimill_base::files;
use urimill_base::files::Identity;
use urimill_base::option_name::OptionName;
use urimill_base::streams;
use urimill_base::streams::{Stream, is_input};
use urimill_read::{Source, expand};
use urimill_write::same_target;

fn looked(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    move |error| Error::path("look at", path, error)
}

/// Refuses outputs that would destroy an input: the table, whose file is `None` for standard output, and the other
/// output, if there is one.
pub(crate) fn refuse_inputs(sources: &[Source], [table, other]: [Option<&Path>; 2]) -> Result<()> {
    if table.is_none() {
        let output = streams::file(Stream::Output)?;
        for source in sources.iter().filter(|_| output.is_some()) {
            if identity(source)? == output {
                return Err(is_input("standard output"));
            }
        }
    }
    for output in [table, other].into_iter().flatten() {
        // Writing to devices and pipes does not destroy them; a terminal is even input and output.
        if !files::find(output).map_err(looked(output))?.is_some_and(|found| found.is_file()) {
            continue;
        }
        let own = files::found(files::identity(output)).map_err(looked(output))?;
        for source in sources {
            let is_same = match source {
                Source::File(input) => same_target(output, input).map_err(looked(output))?,
                _ => own.is_some() && identity(source)? == own,
            };
            if is_same {
                return Err(is_input(&output.display().to_string()));
            }
        }
    }
    Ok(())
}

/// Refuses standard output if it is a file that these inputs read: for callers that write the result of a run there.
///
/// Usage, and errors of finding the inputs.
#[doc(hidden)]
pub fn refuse_stdout_as_input(inputs: &[OsString]) -> Result<()> {
    refuse_inputs(&expand(inputs)?, [None, None])
}

/// The identity of a source's file, if it is a file.
fn identity(source: &Source) -> Result<Option<Identity>> {
    match source {
        Source::File(path) => files::found(files::identity(path)).map_err(looked(path)),
        Source::Stdin => streams::file(Stream::Input),
        Source::Reader(_) | Source::Table(_) => Ok(None),
    }
}

/// Refuses a file that occurs twice among inputs whose records are counted, under whatever names. An empty file, or one
/// that is not regular, has nothing that could count twice.
pub(super) fn refuse_twice(sources: &[Source]) -> Result<()> {
    let mut known: BTreeMap<Identity, &Source> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.size().is_some_and(|size| size > 0)) {
        let Some(file) = identity(source)? else { continue };
        if let Some(other) = known.insert(file, source) {
            let [one, other] = [other, source].map(Source::name);
            let what = match one == other {
                true => format!("the input {one} is given twice"),
                false => format!("the inputs {one} and {other} are one file"),
            };
            return Err(Error::usage(format!(
                "{what}, and its records would count twice: leave one of them out, or count both with {}",
                OptionName::Force.named()
            )));
        }
    }
    Ok(())
}

/// Refuses to replace a directory that contains inputs or the table of rejects.
pub(super) fn refuse_inside(directory: &Path, sources: &[Source], rejects: Option<&Path>) -> Result<()> {
    let canonical = |path: &Path| files::found(files::canonicalize(path)).map_err(looked(path));
    let Some(outer) = canonical(directory)? else { return Ok(()) };
    let is_inside =
        |path: &Path| Ok::<_, Error>(canonical(path)?.is_some_and(|path| path.starts_with(&outer)));
    for source in sources {
        if let Source::File(path) = source
            && is_inside(path)?
        {
            return Err(Error::usage(format!(
                "cannot write the directory {}: the input {} is in it; name another directory",
                directory.display(),
                path.display()
            )));
        }
    }
    let place = rejects.map(|path| path.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new(".")));
    match (rejects, place) {
        (Some(rejects), Some(place)) if is_inside(place)? => Err(Error::usage(format!(
            "cannot write {}: it is in the directory of the table; name a file beside it",
            rejects.display()
        ))),
        _ => Ok(()),
    }
}

/// Refuses one file for two outputs, each with its description.
pub(super) fn refuse_same(
    (one, what): (Option<&PathBuf>, &str),
    (other, other_what): (Option<&PathBuf>, &str),
) -> Result<()> {
    if let (Some(one), Some(other)) = (one, other)
        // The null device keeps nothing.
        && one != Path::new("/dev/null")
        && same_target(one, other).map_err(looked(other))?
    {
        return Err(Error::usage(format!(
            "{} cannot be both {what} and {other_what}: name two files",
            other.display()
        )));
    }
    Ok(())
}

/// Refuses outputs that cannot be read back.
pub(crate) fn refuse_unreadable<'a>(outputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    for path in outputs {
        let found = files::find(path).map_err(looked(path))?;
        if found.is_some_and(|found| !found.is_file() && !found.is_dir()) {
            return Err(Error::usage(format!(
                "cannot verify {}: it is not a file that can be read back",
                path.display()
            )));
        }
    }
    Ok(())
}

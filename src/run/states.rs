//! The states of earlier reports as inputs: which files are states, and their sum.

use std::io::Read;
use std::path::Path;

use urimill_base::error::{Error, ErrorKind, Result};
use urimill_base::files::File;
use urimill_read::{CUT_STATE, Source, is_cut_state, may_be_cut_state};
use urimill_report::State;

use super::progress::RunProgress;

/// The longest state that is read, in bytes. No sum of states is longer.
const LONGEST_STATE: u64 = 1 << 30;

/// Whether a source is a state, by its beginning. A source that is not a regular file can be read only once, and is not
/// a state. If the format of the inputs is detected (`by_name`), a name decides, too.
///
/// # Errors
/// Data, if only a part of a state's first line is left.
pub(super) fn is_state(source: &Source, by_name: bool) -> Result<bool> {
    let Source::File(path) = source else { return Ok(false) };
    let failed = |error| Error::path("read", path, error);
    let file = File::open(path).map_err(failed)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Ok(false);
    }
    let mut beginning = Vec::new();
    file.take(32).read_to_end(&mut beginning).map_err(failed)?;
    let is_named = by_name && path.extension().is_some_and(|end| end == "state");
    match is_cut_state(&beginning) || is_named && may_be_cut_state(&beginning) {
        true => Err(Error::data(&source.name(), beginning.len() as u64, CUT_STATE)),
        false => Ok(State::is_state(&beginning)),
    }
}

/// The sum of states.
///
/// # Errors
/// A state cannot be read; or, unless `force`, usage: two hold the same input, or were made with different options.
pub(super) fn merged(sources: &[Source], force: bool, progress: &RunProgress) -> Result<State> {
    let mut all = State::new()?;
    for (at, source) in sources.iter().enumerate() {
        progress.counters.check()?;
        let state = read_state(source)?;
        if let Some(conflict) = all.conflict(&state).filter(|_| !force) {
            let other = other_of(&sources[..at], &state, progress);
            return Err(conflict.error(&other, &source.name()));
        }
        all.absorb(state).map_err(|error| error.and(&format!("{} was the last", source.name())))?;
    }
    Ok(all)
}

/// The first of these states that does not fit another.
fn other_of(before: &[Source], state: &State, progress: &RunProgress) -> String {
    let is_other = |other: &&Source| {
        let other = progress.counters.check().and_then(|()| read_state(other));
        other.is_ok_and(|other| other.conflict(state).is_some())
    };
    before.iter().find(is_other).map_or("the sum of the states before".into(), Source::name).into_owned()
}

fn read_state(source: &Source) -> Result<State> {
    let name = source.name();
    let Source::File(path) = source else {
        return Err(Error::new(ErrorKind::Internal, "a state is a file"));
    };
    let failed = |error| Error::path("read", path, error);
    let file = File::open(Path::new(path)).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(LONGEST_STATE + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LONGEST_STATE {
        return Err(Error::new(
            ErrorKind::Data,
            format!("{name}: no state is longer than 1 GiB: make it again"),
        ));
    }
    State::from_bytes(&bytes, &name)
}

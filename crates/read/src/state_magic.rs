//! The beginning of the states of reports, which the readers of records reject: a whole state, or one cut in its first
//! line.

/// The beginning of every state.
pub const STATE_MAGIC: &[u8] = b"urimill report state\n";

/// A text with this many of these bytes is not a reference: a scheme has no space.
const CLEAR: usize = b"urimill r".len();

/// Whether these bytes, which are all of a file, are the beginning of a state's first line, whatever the file's name
/// is.
pub fn is_cut_state(all: &[u8]) -> bool {
    all.len() >= CLEAR && may_be_cut_state(all)
}

/// The same if the file's name is that of a state: otherwise a few bytes, or none, may be anything.
pub fn may_be_cut_state(all: &[u8]) -> bool {
    all.len() < STATE_MAGIC.len() && STATE_MAGIC.starts_with(all)
}

/// The sentence about a state that was cut.
pub const CUT_STATE: &str = "the state of a report is truncated; make it again: it ends";

//! How the states of reports begin, which no reader of records reads: whole, or cut in their first line.

/// What every state begins with.
pub(crate) const STATE_MAGIC: &[u8] = b"urimill report state\n";

/// A text that has this many of these bytes is no reference: a scheme has no space.
const CLEAR: usize = b"urimill r".len();

/// Whether these bytes, which are all of a file, are the beginning of a state's first line, whatever its name is.
pub(crate) fn is_cut_state(all: &[u8]) -> bool {
    all.len() >= CLEAR && may_be_cut_state(all)
}

/// The same where a name tells that it is a state: a few bytes, and none at all, may be anything otherwise.
pub(crate) fn may_be_cut_state(all: &[u8]) -> bool {
    all.len() < STATE_MAGIC.len() && STATE_MAGIC.starts_with(all)
}

/// The sentence about a state that was cut.
pub(crate) const CUT_STATE: &str = "the state of a report is truncated; make it again: it ends";

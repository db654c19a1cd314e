//! The arguments of commands: those of jobs from the table of options, and what several commands do with theirs.

pub(crate) mod flags;
mod input;
pub(crate) mod options;
pub(crate) mod output;
mod running;
pub(crate) mod values;

//! Output on a terminal or in a log: progress, colours, summaries, signals.

pub(crate) mod colour;
pub(crate) mod count;
pub(crate) mod damage;
pub(crate) mod marked;
pub(crate) mod progress;
pub(crate) mod signals;
pub(crate) mod stderr;
pub(crate) mod summary;

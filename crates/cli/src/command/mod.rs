//! The commands: one file or folder each.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod dedupe;
pub(crate) mod encode;
pub(crate) mod explain;
pub(crate) mod extract;
pub(crate) mod formats;
pub(crate) mod generated;
pub(crate) mod help;
pub(crate) mod index;
pub(crate) mod links;
pub(crate) mod lookup;
pub(crate) mod normalize;
pub(crate) mod relativize;
pub(crate) mod report;
pub(crate) mod resolve;
pub(crate) mod schema;
mod texts;
pub(crate) mod top;

//! An output is the old one, absent, or complete: files and directories are made beside their target and renamed.

pub(crate) mod atomic;
pub mod checksum;
mod commit;
mod leftovers;
mod old;
pub(crate) mod places;
pub(crate) mod staged_directory;
pub(crate) mod staging;
pub(crate) mod temporaries;
pub(crate) mod uncommitted;

//! Groups of arguments that several commands share, and the library options that they set.

pub(crate) mod damage;
pub(crate) mod flags;
pub(crate) mod input;
pub(crate) mod output;
pub(crate) mod partition;
pub(crate) mod passwords;
pub(crate) mod running;
pub(crate) mod schema;
pub(crate) mod sort;
pub(crate) mod values;

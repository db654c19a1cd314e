//! The arguments of commands: those of jobs come from the table of options. Also the code with which several commands
//! evaluate their arguments.

pub(crate) mod flags;
pub(crate) mod help;
pub(crate) mod input;
pub(crate) mod options;
pub(crate) mod output;
mod running;
pub(crate) mod values;

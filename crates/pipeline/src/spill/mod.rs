//! Data that does not fit into memory: sorted runs in blocks of a temporary file without a name (`file`), and their
//! merge (`merge`). `sort` writes rows, `dedupe` counted texts.

pub(crate) mod block;
pub(crate) mod file;
pub(crate) mod merge;

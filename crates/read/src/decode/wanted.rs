//! Which files of a WACZ file are read: formats choose them, and `wacz` finds them.

/// Which files of a WACZ file are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The archives.
    Archives,
    /// The indexes of the archives.
    Indexes,
}

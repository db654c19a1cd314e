//! Where the walk through an XML or JSON document stands between two chunks. Part of the source that is read
//! ([`super::open`]); the walks are in `documents`.

use crate::read::format::framing::Root;

/// How much of a source of documents or records is read at once.
pub(super) const WINDOW: usize = 128 << 10;

/// What is known of a document.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// The root that was begun and has not ended: which it is, and the name of its records.
    pub(super) root: Option<(Root, Name, Name)>,
    pub(super) has_begun: bool,
    /// The elements in it that have begun and not ended, and are not records.
    pub(super) open: Vec<Name>,
}

/// The name of an element. Of a long one the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) bytes: [u8; MOST],
    pub(super) len: u8,
}

/// No name of interest is longer.
pub(super) const MOST: usize = 48;

/// Of elements within each other that are not records so many are known.
pub(super) const DEEPEST: usize = 256;

/// Where in a document the walk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Place {
    /// Before it.
    #[default]
    Before,
    /// At bytes that are no such document.
    Lost,
    /// In the array of the records.
    Within,
    /// After that, so many brackets deep.
    Behind(usize),
}

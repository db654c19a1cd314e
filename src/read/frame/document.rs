//! Where the walk through an XML or JSON document stands between two chunks. Part of the source that is read
//! ([`super::open`]); the walks are in `documents`.

use crate::read::format::base::{LONGEST as LONGEST_BASE, TooLong};
use crate::read::format::framing::{BasesAround, Root};

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
    /// The elements around the next record that have `xml:base`: how many of `open` are around each, and the values from
    /// the outermost element to this one.
    pub(super) bases: Vec<(usize, BasesAround)>,
}

impl Document {
    /// Takes note of the `xml:base` of an element that begins here, if it has one.
    pub(super) fn push_base(&mut self, base: Option<String>) {
        let Some(base) = base else { return };
        let around = match self.bases.last() {
            None => &[][..],
            Some((_, Ok(bases))) => bases,
            Some((_, Err(TooLong))) => return,
        };
        let is_read = around.len() < MOST_BASES && base.len() <= LONGEST_BASE;
        let bases = if is_read { Ok(around.iter().cloned().chain([base]).collect()) } else { Err(TooLong) };
        self.bases.push((self.open.len(), bases));
    }

    /// Forgets the bases of elements that have ended.
    pub(super) fn forget_bases(&mut self) {
        let (is_open, depth) = (self.root.is_some(), self.open.len());
        self.bases.retain(|&(around, _)| is_open && around <= depth);
    }

    /// The values of `xml:base` around the next record, from the outermost in.
    pub(super) fn bases_around(&self) -> Option<BasesAround> {
        self.bases.last().map(|(_, bases)| bases.clone())
    }
}

/// The name of an element, or the beginning of a long one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) bytes: [u8; MOST],
    pub(super) len: u8,
}

/// No name of interest is longer.
pub(super) const MOST: usize = 48;

/// At most this many open elements around a record are known by name.
pub(super) const DEEPEST: usize = 256;

/// At most this many elements within each other have a base.
const MOST_BASES: usize = 16;

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

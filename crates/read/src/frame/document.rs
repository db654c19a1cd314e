//! The place of the walk through an XML or JSON document between two chunks. It is part of the source that is read
//! ([`super::open`]); the walks are in `documents`.

use std::sync::Arc;

use crate::format::base::{LONGEST as LONGEST_BASE, TooLong};
use crate::format::framing::{BasesAround, Root};

/// The number of bytes of a source of documents or records that are read at once.
pub(super) const WINDOW: usize = 128 << 10;

/// The facts about a document.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// The open root: which one it is, and the name of its records.
    pub(super) root: Option<(Root, Name, Name)>,
    pub(super) has_begun: bool,
    /// The open elements in it that are not records.
    pub(super) open: Vec<Name>,
    /// The elements around the next record that have `xml:base`: the number of `open` around each, and the values from
    /// the outermost element to this one.
    pub(super) bases: Vec<(usize, BasesAround)>,
    /// The short members of a document of JSON before its array, as an object.
    pub(super) members: Option<Arc<str>>,
}

impl Document {
    /// Notes the `xml:base` of an element that begins here, if it has one.
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

/// The longest member of a document of JSON that its records know, all of them together, and where they end.
pub(super) const LONGEST_MEMBER: usize = 1 << 10;
pub(super) const LONGEST_MEMBERS: usize = 8 << 10;
pub(super) const LAST_MEMBER: u64 = WINDOW as u64 / 2;

/// At most this many nested elements have a base.
const MOST_BASES: usize = 16;

/// The place of the walk in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Place {
    /// Before it.
    #[default]
    Before,
    /// At bytes that are not such a document.
    Lost,
    /// In the array of the records; and whether a record is before it, without a comma after it.
    Within(bool),
    /// After the array; with the number of open brackets.
    Behind(usize),
}

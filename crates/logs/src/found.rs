//! The fields of a line, in the slots that the shape of its format has for them.

use urimill_columns::batch::{Cell, Text};

use super::roles::Slot;

/// The fields that a reader found, by slot; as cells, which are two words each and need no conversion.
#[derive(Debug, Default)]
pub(super) struct Found(Vec<Cell>);

impl Found {
    /// Empties this many slots.
    pub(super) fn reset(&mut self, slots: usize) {
        self.0.resize(slots, Cell::NULL);
        self.0.fill(Cell::NULL);
    }

    #[inline]
    pub(super) fn get(&self, slot: Slot) -> Option<Text> {
        self.0[slot].text()
    }

    #[inline]
    pub(super) fn set(&mut self, slot: Slot, text: Text) {
        self.0[slot] = text.into();
    }

    /// Marks a slot whose text lacks the form of its field.
    pub(super) fn refuse(&mut self, slot: Slot) {
        self.0[slot] = Cell::MALFORMED;
    }

    /// The cells of all slots.
    #[inline]
    pub(super) fn cells(&mut self) -> &mut [Cell] {
        &mut self.0
    }

    /// The cells of the first slots, if there are enough.
    #[inline]
    pub(super) fn first<const SLOTS: usize>(&mut self) -> Option<&mut [Cell; SLOTS]> {
        self.0.first_chunk_mut()
    }

    #[inline]
    pub(super) fn put(&mut self, slot: Slot, text: Option<Text>) {
        self.0[slot] = text.map_or(Cell::NULL, Cell::from);
    }
}

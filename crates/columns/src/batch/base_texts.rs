//! The column `base`: for each row the base that its reference was resolved against, as text. The references of a page
//! are adjacent, so a text is written only if it differs from the one before. Filled by the slow path
//! (`slow_path::resolve`).

use super::bases::Base;
use super::places::LONGEST_BASE;

/// The bases of the rows of a batch.
#[derive(Debug, Default)]
pub(super) struct BaseTexts {
    /// Whether the column is requested.
    is_wanted: bool,
    /// Whether the column also covers records without a reference.
    of_all_rows: bool,
    /// By row, the number of its text, from 1; 0 if it has none. Missing rows at the end have no text.
    pub(super) numbers: Vec<u32>,
    /// The offset of each text in `bytes`, and its length.
    pub(super) texts: Vec<(u32, u32)>,
    pub(super) bytes: Vec<u8>,
}

impl BaseTexts {
    pub(super) fn new(is_wanted: bool) -> Self {
        BaseTexts { is_wanted, ..BaseTexts::default() }
    }

    /// Sets whether to include the bases of records without a reference.
    pub(super) fn of_all_rows(self, of_all_rows: bool) -> Self {
        BaseTexts { of_all_rows, ..self }
    }

    /// Whether the bases of records without a reference are included.
    pub(super) fn are_of_all_rows(&self) -> bool {
        self.of_all_rows
    }

    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.texts.clear();
        self.bytes.clear();
    }

    /// The number of bytes written.
    pub(super) fn written(&self) -> usize {
        self.bytes.len()
    }

    /// Sets the base of a row; rows come in order.
    #[inline]
    pub(super) fn push(&mut self, row: usize, base: &Base) {
        if self.is_wanted {
            self.write(row, base);
        }
    }

    /// [`BaseTexts::push`] for a base by the URL Standard.
    pub(super) fn push_text(&mut self, row: usize, text: &[u8]) {
        if self.is_wanted {
            self.write_text(row, text);
        }
    }

    fn write(&mut self, row: usize, base: &Base) {
        let lossy;
        let text = match base.document() {
            Some(document) => document,
            // Nothing that has a place in the column.
            None if base.len() >= LONGEST_BASE => b"",
            None => {
                lossy = String::from_utf8_lossy(base.given());
                lossy.as_bytes()
            }
        };
        self.write_text(row, text);
    }

    fn write_text(&mut self, row: usize, text: &[u8]) {
        self.numbers.resize(row, 0);
        if text.is_empty() {
            return self.numbers.push(0);
        }
        let last = self.texts.last().map(|&(start, len)| &self.bytes[start as usize..][..len as usize]);
        if last != Some(text) {
            self.texts.push((self.bytes.len() as u32, text.len() as u32));
            self.bytes.extend_from_slice(text);
        }
        self.numbers.push(self.texts.len() as u32);
    }
}

//! The column `base`.

use arrow_array::StringViewArray;

use crate::batch::base_texts::BaseTexts;
use crate::batch::memory::Memory;
use crate::batch::views::Texts;

impl BaseTexts {
    /// The column, with `count` rows.
    pub(crate) fn column(&self, count: usize, texts: &Texts<'_>, memory: &Memory<u8>) -> StringViewArray {
        let buffer = texts.buffer_count();
        let texts = texts.with_written(self.bytes.clone(), memory);
        let mut numbers = self.numbers.clone();
        numbers.resize(count, 0);
        texts.chosen(self.texts.iter().map(|&(start, len)| Some((buffer, start, len))), &numbers)
    }
}

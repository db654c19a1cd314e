//! How many fields the records of CSV have: by the header, or where there is none by what the first records agree on. A
//! text that lacks its quotes is in more fields than one, and which of them it is nobody knows.

use memchr::memchr;

use super::Delimited;
use crate::read::format::fields::Layout;
use crate::read::format::first_lines::has_scheme;
use crate::simd::Span;

/// So many different numbers of fields are none that records agree on.
const MOST_WIDTHS: usize = 64;
/// Nine in ten of this many records agree; of fewer more than half.
const MANY: usize = 10;

/// Whether a line is words, of which the first is no scheme.
#[inline]
pub(super) fn is_prose(bytes: &[u8], whole: Span) -> bool {
    let line = &bytes[whole.start as usize..][..whole.len as usize];
    memchr(b' ', line).is_some() && !has_scheme(line)
}

impl Delimited {
    /// Whether the records tell how many fields they have. No URI holds a tab.
    pub(in crate::read) fn tells_width(&self) -> bool {
        !self.has_header() && self.separator != b'\t'
    }

    /// Without a header: how many fields the records have by those in `sample`, with which a source begins; 0 where they
    /// do not agree. A text that lacks its quotes is in more fields than one, and its record has too many.
    pub(in crate::read) fn usual_width(&self, sample: &[u8], is_whole: bool) -> usize {
        let mut counts: Vec<(usize, usize)> = Vec::new();
        let (mut at, mut records) = (0, 0);
        loop {
            at += self.comment.passed(&sample[at..], true).0;
            let (fields, next) = self.width(&sample[at..]);
            // Of a record that is not whole nothing is known.
            if at == sample.len() || at + next == sample.len() && !is_whole {
                break;
            }
            (at, records) = (at + next, records + 1);
            match counts.iter().position(|&(width, _)| width == fields) {
                Some(at) => counts[at].1 += 1,
                None if counts.len() < MOST_WIDTHS => counts.push((fields, 1)),
                None => return 0,
            }
        }
        let usual = counts.iter().max_by_key(|&&(_, count)| count);
        let is_usual = |count: usize| match records {
            ..MANY => 2 * count > records,
            _ => 10 * count >= 9 * records,
        };
        usual.filter(|&&(_, count)| is_usual(count)).map_or(0, |&(width, _)| width)
    }

    /// Where, in `rest` of a line, which begins with the separator behind its field `number`, more fields begin than a
    /// record has. Empty ones may: some programs end each row with a separator.
    #[inline]
    pub(super) fn excess(&self, layout: &Layout, rest: &[u8], number: usize) -> Option<usize> {
        let behind = layout.most.checked_sub(number)?;
        let first = memchr::memchr_iter(self.separator, rest).nth(behind)?;
        let is_empty = |&byte: &u8| byte == self.separator || byte == b'\r';
        (!rest[first..].iter().all(is_empty)).then_some(first)
    }
}

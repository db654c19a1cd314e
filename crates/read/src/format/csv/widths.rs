//! The number of fields of a CSV record: that of the header, or without a header the number that the first records
//! agree on. A text that lacks its quotes takes several fields, and nothing shows where it begins.

use memchr::memchr;
use urimill_uri::simd::Span;

use super::Delimited;
use crate::format::Behind;
use crate::format::first_lines::has_scheme;
use crate::format::quotes;

/// Records with more different numbers of fields than this do not agree.
const MOST_WIDTHS: usize = 64;
/// From this many records on, nine in ten have to agree; among fewer, more than half.
const MANY: usize = 10;

/// Whether a line is words, and the first word is not a scheme.
#[inline]
pub(super) fn is_prose(bytes: &[u8], whole: Span) -> bool {
    let line = &bytes[whole.start as usize..][..whole.len as usize];
    memchr(b' ', line).is_some() && !has_scheme(line)
}

impl Delimited {
    /// The number of fields that the records in `sample` agree on, with which a source without a header begins; 0 if
    /// they do not agree. `is_whole`: the source ends with the sample.
    pub(super) fn usual_width(&self, sample: &[u8], is_whole: bool) -> usize {
        // The last record of the sample may go on after it, perhaps in quotes over many lines.
        let whole = quotes::cut(sample, self.rule(), if is_whole { Behind::End } else { Behind::More });
        let sample = &sample[..whole.map_or(0, |whole| whole.end)];
        let mut counts: Vec<(usize, usize)> = Vec::new();
        let (mut at, mut records) = (0, 0);
        loop {
            at += self.comment.passed(&sample[at..], true).0;
            if at == sample.len() {
                break;
            }
            let (fields, next) = self.width(&sample[at..]);
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
}

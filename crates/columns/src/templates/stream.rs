//! Templates that a run learns while it counts: beginnings below which there are so many segments that the next ones
//! are values. Without this a site with a million user pages would push everything else out of the counts.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use twox_hash::XxHash3_64;

use super::learn::{is_literal, merged_token, tokens};

/// The number of segments at one place that keep their names.
const MOST_BELOW: u32 = 256;

/// The most pairs of a beginning and a segment that are remembered: 16 bytes each, and the same again for free slots.
const MOST_KNOWN: usize = 1 << 19;

/// The most templates that are known to stay unchanged.
const MOST_KEPT: usize = 1 << 16;

/// The segments seen so far, by the text before them.
///
/// The order of the texts decides which of them keep their names here; [`Learned`](super::Learned) merges these later.
#[derive(Debug, Clone, Default)]
pub struct Widths {
    known: HashSet<(u64, u64), RandomState>,
    /// The number of known segments below each beginning.
    counts: HashMap<u64, u32, RandomState>,
    /// Templates that stay unchanged: once a text keeps its name it always does.
    kept: HashSet<u64, RandomState>,
    text: String,
}

impl Widths {
    /// The template with `{…}` for segments beyond the limit.
    pub fn narrowed<'a>(&'a mut self, template: &'a str) -> &'a str {
        let whole = XxHash3_64::oneshot(template.as_bytes());
        if self.kept.contains(&whole) {
            return template;
        }
        self.text.clear();
        for (place, token) in tokens(template).enumerate() {
            let before = XxHash3_64::oneshot(self.text.as_bytes());
            // Hosts, names of routes and placeholders stay.
            if place == 0 || !is_literal(token) {
                self.text.push_str(token);
                continue;
            }
            let pair = (before, XxHash3_64::oneshot(token.as_bytes()));
            if !self.known.contains(&pair) {
                if self.counts.get(&before).is_some_and(|count| *count >= MOST_BELOW) {
                    self.text.push_str(&merged_token(token));
                    continue;
                }
                if self.known.len() < MOST_KNOWN {
                    *self.counts.entry(before).or_default() += 1;
                    self.known.insert(pair);
                }
            }
            self.text.push_str(token);
        }
        if self.text == template && self.kept.len() < MOST_KEPT {
            self.kept.insert(whole);
        }
        &self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_one_too_many_is_a_value() {
        let mut widths = Widths::default();
        let name = |number: u32| {
            let letter = |at: u32| char::from(b'a' + (number / 26_u32.pow(at) % 26) as u8);
            format!("//h/u/{}{}{}/x", letter(0), letter(1), letter(2))
        };
        for number in 0..MOST_BELOW {
            assert_eq!(widths.narrowed(&name(number)), name(number));
        }
        for (template, expected) in [
            (name(MOST_BELOW), "//h/u/{…}/x"),
            (name(0), "//h/u/aaa/x"),
            ("//h/u/search".to_owned(), "//h/u/search"),
            ("//h/u/zzz.html".to_owned(), "//h/u/{…}.html"),
            ("//h/v/zzz".to_owned(), "//h/v/zzz"),
        ] {
            assert_eq!(widths.narrowed(&template), expected, "{template}");
        }
    }
}

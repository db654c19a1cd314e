//! What is around names and values in a line: a form before the first name, and one after the last value. `{*}` marks the
//! place of the pairs in a form of a definition, where they do not begin with the first name of the line or a text
//! follows them:
//!
//! ```text
//! 1 {time} {server_name} RT_UTM - {event} [junos@{device} {*}]
//! ```
//!
//! The form before the mark ends with a text. Its first place in the line at which the line has the whole form is where
//! the pairs begin.

use memchr::{memchr, memmem};
use urimill_base::error::{Error, Result};
use urimill_uri::simd::Span;

use super::definition::Writer;
use super::pattern::Pattern;
use super::roles::Slot;
use super::shape::Shape;

/// The place of the pairs.
const PLACE: &str = "{*}";

/// At most this many places of the text before the pairs are tried.
const MOST: usize = 64;

/// The forms around the pairs.
#[derive(Debug, Clone)]
pub(super) struct Around {
    head: Pattern,
    /// The form after the pairs, where their place is marked.
    tail: Option<Pattern>,
}

impl Around {
    /// The forms that a text of a definition has.
    ///
    /// # Errors
    /// Usage, as [`Pattern::new`] has them; a field directly before the place of the pairs.
    pub(super) fn new(form: &str, shape: &mut Shape) -> Result<Around> {
        let (head, tail) = halves(form);
        let head = Pattern::new(head, Writer::Raw, shape)?;
        let tail = tail.map(|tail| Pattern::new(tail, Writer::Raw, shape)).transpose()?;
        if tail.is_some() && head.tail.is_empty() && !head.steps.is_empty() {
            return Err(Error::usage(format!("a text is between a field and {PLACE}, not in {form:?}")));
        }
        Ok(Around { head, tail })
    }

    /// Whether the place of the pairs is marked.
    pub(super) fn is_marked(&self) -> bool {
        self.tail.is_some()
    }

    /// The text with which the form after the pairs begins.
    pub(super) fn closing(&self) -> &[u8] {
        let Some(tail) = &self.tail else { return &[] };
        tail.steps.first().map_or(&tail.tail[..], |step| &step.lead[..])
    }

    /// Reads what is before the pairs of a line, whose names the byte `assign` follows: puts its fields in `found`, and
    /// returns where the pairs begin. Or the byte where the line stops fitting.
    pub(super) fn read_head(
        &self,
        bytes: &[u8],
        (start, assign): (usize, u8),
        found: &mut Vec<(Slot, Span)>,
    ) -> std::result::Result<usize, usize> {
        let mut read = |from: usize| {
            found.clear();
            let put = |slot, value| found.push((slot, value));
            self.head.read_from(&bytes[..from], (0, start), put).map(|_| from).map_err(|fault| fault.at)
        };
        if !self.is_marked() {
            return first_name(bytes, start, assign).ok_or(start).and_then(read);
        }
        let text = &self.head.tail[..];
        let mut farthest = start;
        for at in memmem::find_iter(&bytes[start..], text).take(MOST) {
            match read(start + at + text.len()) {
                Ok(from) => return Ok(from),
                Err(fault) => farthest = farthest.max(fault),
            }
        }
        Err(read(bytes.len()).unwrap_or_else(|fault| farthest.max(fault)))
    }

    /// Reads what follows the pairs, from `at` to the end of `bytes`; or returns the byte where it stops fitting.
    pub(super) fn read_tail(
        &self,
        bytes: &[u8],
        at: usize,
        each: &mut impl FnMut(Slot, Span) -> bool,
    ) -> std::result::Result<(), usize> {
        let Some(tail) = &self.tail else { return Ok(()) };
        let end = at + bytes[at..].trim_ascii_end().len();
        let mut found = Vec::new();
        tail.read_from(&bytes[..end], (0, at), |slot, value| found.push((slot, value)))
            .map_err(|fault| fault.at)?;
        found.into_iter().for_each(|(slot, value)| {
            each(slot, value);
        });
        Ok(())
    }
}

/// The form before the pairs, and the one after them.
pub(super) fn halves(form: &str) -> (&str, Option<&str>) {
    form.split_once(PLACE).map_or((form, None), |(head, tail)| (head, Some(tail)))
}

/// Where the first name is that the byte `assign` follows, at the beginning of a word.
fn first_name(bytes: &[u8], start: usize, assign: u8) -> Option<usize> {
    let mut at = start;
    loop {
        let length = name_length(&bytes[at..]);
        if length > 0 && bytes.get(at + length) == Some(&assign) {
            return Some(at);
        }
        at += memchr(b' ', &bytes[at..])? + 1;
    }
}

/// The length of the name with which a text begins.
pub(super) fn name_length(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_alphanumeric() || b"_.-@/[]".contains(b)).count()
}

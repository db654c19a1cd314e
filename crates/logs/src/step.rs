//! One field of a form, with the text before it: where it begins and ends, and what proves it.

use memchr::{memchr2, memmem};

use super::check::{Check, is_value};
use super::known_forms::Loose;
use super::roles::Slot;

/// A text, and the field after it, ready to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) lead: Box<[u8]>,
    /// How many bytes of it close the field before.
    pub(super) closing: usize,
    /// Whether a line may end before it.
    pub(super) ends: bool,
    pub(super) slot: Slot,
    pub(super) check: Check,
    /// Whether digits alone are a value.
    pub(super) takes_digits: bool,
    /// Whether any text between quotes is a value.
    pub(super) is_any: bool,
    pub(super) loose: Option<Loose>,
    pub(super) may_be_empty: bool,
    /// Whether `-` is no value, as it is of other fields.
    pub(super) is_required: bool,
    /// Words that mean the same.
    pub(super) nulls: &'static [&'static str],
    pub(super) end: End,
}

/// Where a field ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum End {
    /// Before this byte; it may not hold the separator.
    Word(u8),
    /// The same, and on after each comma at the end of a word.
    List(u8),
    /// Before this byte, after one separator.
    Pair(u8),
    /// Before this text, whatever it holds.
    Text(Box<[u8]>),
    /// The same, or at the end of a line that lacks the text.
    TextIfAny(Box<[u8]>),
    /// Before the quote, a backslash takes the next byte along.
    Quote,
    /// As `Word`, unless it begins with a quote: then before the next one, which this byte has to follow.
    Quotable(u8),
    /// At the end of the line.
    Line,
}

impl Step {
    /// Whether digits alone are a value of every field with this check: then they need no other look.
    pub(super) fn takes_digits(check: Check) -> bool {
        match check {
            Check::Number | Check::Signed => true,
            Check::Form(form) => form.has(b"0") && form.has(b"0123456789"),
            _ => false,
        }
    }

    /// Whether a text between quotes is not what the field mostly is; none if it is no value of the field.
    #[inline(always)]
    pub(super) fn quoted(&self, text: &[u8]) -> Option<bool> {
        (self.is_any || self.is_value(text)).then(|| self.is_odd(text))
    }

    #[inline(always)]
    pub(super) fn is_value(&self, text: &[u8]) -> bool {
        match self.check {
            Check::None | Check::Request => true,
            _ if self.may_be_empty && text.is_empty() => true,
            _ if text == b"-" || self.is_null(text) => !self.is_required,
            Check::Form(form) => form.has(text),
            check => is_value(text, check),
        }
    }

    #[inline]
    fn is_null(&self, text: &[u8]) -> bool {
        self.nulls.iter().any(|word| word.as_bytes() == text)
    }

    /// Whether a text is not what the field mostly is.
    #[inline(always)]
    pub(super) fn is_odd(&self, text: &[u8]) -> bool {
        match (&self.loose, self.check) {
            (_, _) if text.is_empty() || text[0] == b'-' || self.is_null(text) => false,
            (Some(loose), _) => !loose.own.has(text),
            _ if matches!(self.end, End::List(_)) => text.contains(&b' '),
            // Its protocol ends a request: `HTTP/1.1`, `HTTP/2`.
            (None, Check::Request) => {
                !(text[text.len().saturating_sub(8)..].starts_with(b"HTTP/")
                    || text[text.len().saturating_sub(6)..].starts_with(b"HTTP/"))
            }
            (None, _) => false,
        }
    }

    pub(super) fn is_quoted(&self) -> bool {
        matches!(self.end, End::Quote)
    }
}

/// Whether a text begins so. Most leads are of one to three bytes, for which a call costs more than it does.
#[inline(always)]
pub(super) fn begins(text: &[u8], lead: &[u8]) -> bool {
    text.len() >= lead.len() && text.iter().zip(lead).all(|(a, b)| a == b)
}

/// Whether a text has a quote before a space, like one that closes a field, and after it a quote that opens another
/// field: the text holds more than one field (`-" - "-`), or a client has written it so.
pub(super) fn holds_fields(text: &[u8]) -> bool {
    memmem::find(text, b"\" ").is_some_and(|close| memmem::find(&text[close + 1..], b" \"").is_some())
}

/// The quote that ends what begins at `from`; a backslash takes the next byte along.
#[inline]
pub(super) fn closing(bytes: &[u8], from: usize, has_backslash: &mut bool) -> Option<usize> {
    let mut at = from;
    loop {
        // A dash needs no call; nearly all other texts in quotes are long.
        at += match bytes.get(at..)? {
            [b'-', b'"', ..] => 1,
            rest => memchr2(b'"', b'\\', rest)?,
        };
        if bytes[at] == b'"' {
            return Some(at);
        }
        *has_backslash = true;
        at += 2;
    }
}

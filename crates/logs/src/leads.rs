//! Whether a line has the texts between the fields of a form, in their order: a look at the notation of the form, which
//! needs neither fields nor their forms. Detection makes the patterns of those definitions alone whose texts some line
//! has, and looks for these texts in those lines alone that have their bytes.

use memchr::memchr_iter;

use super::pattern::QUOTABLE;

/// Some of the bytes of ASCII.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Bytes(u128);

impl Bytes {
    /// The bytes of a text.
    pub(super) fn of(text: &[u8]) -> Bytes {
        Bytes(text.iter().filter(|b| b.is_ascii()).fold(0, |bytes, &b| bytes | 1 << b))
    }

    /// The bytes between the fields of a form: a line that is of the form has all of them.
    pub(super) fn of_form(form: &str) -> Bytes {
        leads(form).map(|lead| Bytes::of(lead.as_bytes())).fold(Bytes::default(), Bytes::and)
    }

    /// These and others.
    pub(super) fn and(self, others: Bytes) -> Bytes {
        Bytes(self.0 | others.0)
    }

    /// Those that others have, too.
    pub(super) fn common(self, others: Bytes) -> Bytes {
        Bytes(self.0 & others.0)
    }

    /// Whether others are among these.
    pub(super) fn have(self, others: Bytes) -> bool {
        others.0 & !self.0 == 0
    }
}

/// The texts before the fields of a form, as far as each line has them.
fn leads(form: &str) -> impl Iterator<Item = &str> {
    let mut rest = form;
    std::iter::from_fn(move || {
        let open = rest.find('{')?;
        let (lead, field) = rest.split_at(open);
        // A doubled brace is one of the line itself.
        let (lead, close) = match field.strip_prefix("{{") {
            Some(inner) => (&rest[..=open], inner.find("}}").map(|close| close + 3)),
            None => (lead, field.find('}').map(|close| close + 1)),
        };
        // Quotes that may be missing are no text of the line.
        let lead = lead.strip_suffix(QUOTABLE).unwrap_or(lead);
        let lead = lead.strip_prefix(QUOTABLE).unwrap_or(lead);
        rest = &field[close?..];
        // A line may end here, or before the last field.
        (!field.starts_with("{?}") && rest.contains('{')).then_some(lead)
    })
    .fuse()
}

/// Whether a line may be of a form of lines. A line that is of the form passes.
pub(super) fn may_fit(form: &str, line: &[u8]) -> bool {
    let (mut at, mut is_first) = (0, true);
    leads(form).all(|lead| {
        let found = find(&line[at..], lead.as_bytes()).filter(|&found| found == 0 || !is_first);
        is_first = false;
        found.is_some_and(|found| {
            at += found + lead.len();
            true
        })
    })
}

/// The first place of a short text.
fn find(bytes: &[u8], text: &[u8]) -> Option<usize> {
    let Some(&first) = text.first() else { return Some(0) };
    memchr_iter(first, bytes).find(|&at| bytes[at..].starts_with(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_the_texts_of_a_form_in_their_order_may_be_of_it() {
        // (form, line, whether it may be)
        let cases = [
            ("{a} {b} \"{c}\"", "x y \"z\"", true),
            ("{a} {b} \"{c}\"", "x y", true),
            ("{a} {b} \"{c}\" {d}", "x y", false),
            ("{a} {b}{?} \"{c}\" {d}", "x y", true),
            ("[{a}] {b}", "[x] y", true),
            ("[{a}] {b}", "x [y] z", false),
            ("[{a}] {b} {c}", "x [y] z w", false),
            ("[{a}] {b} {c}", "[x] y z", true),
            ("{a} | {{b}} | {c}", "x | {y} | z", true),
            ("{a} | {{b}} | {c}", "x | y | z", false),
            ("{{b}} {c}", "{y} z", true),
            ("{{b}} {c}", "y z", false),
            ("\"?{a}\"? \"?{b}\"? {c}", "x y z", true),
            ("\"?{a}\"? \"?{b}\"? {c}", "x", false),
            ("{a}{b", "", true),
        ];
        for (form, line, expected) in cases {
            assert_eq!(may_fit(form, line.as_bytes()), expected, "{form}: {line}");
            assert!(Bytes::of(line.as_bytes()).have(Bytes::of_form(form)) || !expected, "{form}: {line}");
        }
    }
}

//! Whether a line has the texts between the fields of a form, in their order: a look at the notation of the form, which
//! needs neither fields nor their forms. Detection makes the patterns of those definitions alone whose texts some line
//! has.

use memchr::memchr_iter;

use super::pattern::QUOTABLE;

/// Whether a line may be of a form of lines. A line that is of the form passes.
pub(super) fn may_fit(form: &str, line: &[u8]) -> bool {
    let (mut rest, mut at, mut is_first) = (form, 0, true);
    while let Some(open) = rest.find('{') {
        let (lead, field) = rest.split_at(open);
        // A doubled brace is one of the line itself.
        let (lead, close) = match field.strip_prefix("{{") {
            Some(inner) => (&rest[..=open], inner.find("}}").map(|close| close + 3)),
            None => (lead, field.find('}').map(|close| close + 1)),
        };
        let Some(close) = close else { return true };
        // Quotes that may be missing are no text of the line.
        let lead = lead.strip_suffix(QUOTABLE).unwrap_or(lead);
        let lead = lead.strip_prefix(QUOTABLE).unwrap_or(lead);
        rest = &field[close..];
        // A line may end here, or before the last field.
        if field.starts_with("{?}") || !rest.contains('{') {
            return true;
        }
        match (is_first, find(&line[at..], lead.as_bytes())) {
            (true, Some(0)) | (false, Some(_)) if lead.is_empty() => {}
            (true, Some(0)) => at = lead.len(),
            (false, Some(found)) => at += found + lead.len(),
            _ => return false,
        }
        is_first = false;
    }
    true
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
        }
    }
}

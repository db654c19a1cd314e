//! Defanged names without a scheme: `example[.]com`. The ends of the name are found first, from the first dot in
//! brackets; the text after the name is measured only then, and no part of a text twice.

use core::ops::Range;

use super::refang;

/// The longest name of the DNS (RFC 1035, 2.3.4), and the longest part of one before its first dot in brackets.
const LONGEST: usize = 253;
const LONGEST_BEFORE: usize = 240;

/// The longest label.
const LONGEST_LABEL: usize = 63;

/// The text around a bracket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Name {
    /// A name, as written.
    At(Range<usize>),
    /// Not a name, up to this offset.
    NoneBefore(usize),
    /// More of the text is needed.
    More,
}

/// Decides whether a name surrounds the bracket at `opening`. It begins at or after `floor`; `ended`: nothing follows
/// `text`.
pub(super) fn around(text: &[u8], opening: usize, floor: usize, ended: bool) -> Name {
    let pass = Name::NoneBefore(opening + 1);
    if !ended && text.len() - opening < refang::LONGEST_DOT {
        return Name::More;
    }
    if refang::dot(&text[opening..]).is_none() {
        return pass;
    }
    let least = floor.max(opening.saturating_sub(LONGEST_BEFORE));
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.');
    let run = text[least..opening].iter().rposition(|b| !is_part(b)).map_or(least, |at| least + at + 1);
    let start = run + text[run..opening].iter().take_while(|b| matches!(b, b'-' | b'.')).count();
    let is_cut = run == least && least > 0;
    let (end, is_name) = labels(text, start);
    if end == text.len() && !ended {
        // Even the end of the longest name would be there.
        return if end - start > LONGEST * refang::LONGEST_DOT { Name::NoneBefore(end) } else { Name::More };
    }
    let ends = !matches!(text.get(end), Some(b'_' | b'@' | b'%')) && !refang::is_at(&text[end..]);
    match is_name && ends && !is_cut && !joins(&text[..run]) {
        true => Name::At(start..end),
        false => Name::NoneBefore(end.max(opening + 1)),
    }
}

/// Whether the text before a name belongs to it: a character of a longer name, an address of mail, a path.
fn joins(before: &[u8]) -> bool {
    let Some(&last) = before.last() else { return false };
    if !last.is_ascii() {
        let tail = |len: usize| before.get(before.len().checked_sub(len)?..);
        let found = (2..=4).filter_map(tail).find_map(|tail| core::str::from_utf8(tail).ok());
        return found.and_then(|text| text.chars().next()).is_some_and(char::is_alphanumeric);
    }
    matches!(last, b'_' | b'@' | b'%' | b'/' | b'\\') || refang::ends_in_delimiter(before)
}

/// The end of the labels that begin at `start`, and whether they are a name: at least two, with a dot in brackets
/// between two of them, and the last one of letters.
fn labels(text: &[u8], start: usize) -> (usize, bool) {
    let (mut at, mut count, mut len, mut is_defanged, mut is_name) = (start, 0, 0, false, true);
    loop {
        let rest = &text[at..];
        let label = &rest[..rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'-').count()];
        is_name &= (1..=LONGEST_LABEL).contains(&label.len()) && label[0] != b'-' && !label.ends_with(b"-");
        (at, count, len) = (at + label.len(), count + 1, len + label.len() + 1);
        let dot = match text.get(at) {
            Some(b'.') => Some(1),
            _ => refang::dot(&text[at..]),
        };
        // A dot that nothing follows belongs to the sentence.
        let next = dot.filter(|dot| text.get(at + dot).is_some_and(u8::is_ascii_alphanumeric));
        match next {
            Some(dot) => {
                is_defanged |= dot > 1;
                at += dot;
            }
            None => {
                let is_top_level = label.len() > 1 && label.iter().all(u8::is_ascii_alphabetic)
                    || label.get(..4).is_some_and(|head| head.eq_ignore_ascii_case(b"xn--"));
                return (at, is_name && is_top_level && is_defanged && count > 1 && len <= LONGEST + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::super::{Options, each_found, find};
    use super::*;

    #[test]
    fn names_without_a_scheme_are_found_where_they_were_made_harmless() {
        let long = "a".repeat(63);
        let [label, no_label] = [format!("{long}[.]example"), format!("{long}a[.]example")];
        let labels = "abcdefg.".repeat(31);
        let [name, no_name] = ["com", "comm"].map(|last| format!("a[.]{labels}{last}"));
        // (text, URIs with their defanged spellings)
        let table: &[(&str, &[(&str, &str)])] = &[
            ("evil[.]example[.]com/a", &[("http://evil.example.com/a", "evil[.]example[.]com/a")]),
            ("see evil.example[.]com.", &[("http://evil.example.com", "evil.example[.]com")]),
            (
                "evil(dot)example, a{.}example",
                &[("http://evil.example", "evil(dot)example"), ("http://a.example", "a{.}example")],
            ),
            (
                "www.evil[DOT]com:8080?q=1#f",
                &[("http://www.evil.com:8080?q=1#f", "www.evil[DOT]com:8080?q=1#f")],
            ),
            ("C2:evil[.]com: and", &[("http://evil.com", "evil[.]com")]),
            ("(evil[.]com/(a)/b[.]html)", &[("http://evil.com/(a)/b.html", "evil[.]com/(a)/b[.]html")]),
            (
                "'evil[.]com[:]80[/]x' <e-vil[.]xn--p1ai>",
                &[
                    ("http://evil.com:80/x", "evil[.]com[:]80[/]x"),
                    ("http://e-vil.xn--p1ai", "e-vil[.]xn--p1ai"),
                ],
            ),
            ("\u{201c}evil[.]com\u{201d}/", &[("http://evil.com", "evil[.]com")]),
            (
                "...evil[.]com[.] **evil[.]org**",
                &[("http://evil.com", "evil[.]com"), ("http://evil.org", "evil[.]org")],
            ),
            ("a[.]bc,a[.]bc/,a[.]bc", &[("http://a.bc", "a[.]bc"), ("http://a.bc/,a.bc", "a[.]bc/,a[.]bc")]),
            ("[1] list[.]example[2]", &[("http://list.example", "list[.]example")]),
            // A name with a scheme is found at its scheme.
            (
                "hxxp://a[.]example/ a[.]example",
                &[("http://a.example/", "hxxp://a[.]example/"), ("http://a.example", "a[.]example")],
            ),
            // Mail, paths, parts of words and of longer names are not names.
            ("u@a[.]example u[@]a[.]example u[at]a[.]example a[.]example@h a[.]name[at]h", &[]),
            ("/a[.]example x_a[.]example a[.]example_x \u{e9}a[.]example \\na[.]example %a[.]example", &[]),
            // Neither are names of one label, without such a dot, or with a last label that is not of letters.
            ("a.example a[.] [.]example a[.]b 1[.]2[.]3[.]4 a[.]b2 -[.]com a-[.]com a[.].com", &[]),
            ("a[.example (see below) [dotted] [.]", &[]),
            (&label, &[(&format!("http://{long}.example"), &label)]),
            (&no_label, &[]),
            (&name, &[(&format!("http://a.{labels}com"), &name)]),
            (&no_name, &[]),
        ];
        let options = Options::new().refang(true);
        for (text, expected) in table {
            let found: Vec<_> = find(text.as_bytes(), &options).map(|found| (found.uri, found.raw)).collect();
            let found: Vec<_> = found.iter().map(|(uri, raw)| (uri.as_ref(), *raw)).collect();
            assert_eq!(found, *expected, "{text:?}");
            // In pieces, as from a file.
            for window in [1, 7, 64] {
                let (mut rest, mut pieces) = (text.as_bytes(), Vec::<String>::new());
                let read = |buffer: &mut [u8]| {
                    let count = rest.len().min(buffer.len());
                    let (head, tail) = rest.split_at(count);
                    buffer[..count].copy_from_slice(head);
                    rest = tail;
                    Ok::<_, ()>(count)
                };
                each_found(read, window, &options, |_, one| {
                    pieces.push(one.uri.clone().into_owned());
                    Ok(())
                })
                .expect("memory can be read");
                let expected: Vec<_> = expected.iter().map(|(uri, _)| *uri).collect();
                assert_eq!(pieces, expected, "{text:?} in pieces of {window}");
            }
            assert_eq!(
                find(text.as_bytes(), &Options::default()).filter(|f| !f.raw.contains("//")).count(),
                0
            );
            let without = Options::new().refang(true).suffix_scheme(None);
            assert_eq!(
                find(text.as_bytes(), &without).filter(|f| !f.raw.contains("//")).count(),
                0,
                "{text:?}"
            );
        }
    }

    /// Between two dots no byte is examined twice: the bytes that are skipped, and those that are examined after them,
    /// are bounded.
    #[test]
    fn each_part_of_a_text_is_looked_at_once() {
        for piece in [
            "ab[.]cd,",
            "a[.]b[.]",
            "a[.]",
            "ab[.]cd/^",
            "[.]",
            "a.a[.]1 ",
            "www.ab[.]cd/)",
            "hxxp://a[.]b/^",
        ] {
            let text = piece.repeat(2000);
            let (mut at, mut looked_at) = (0, 0);
            while let Some(next) = text[at..].find('[') {
                let opening = at + next;
                let to = match around(text.as_bytes(), opening, at, true) {
                    Name::At(span) => span.end,
                    Name::NoneBefore(to) => to,
                    Name::More => panic!("nothing follows"),
                };
                assert!(to > opening, "{piece}");
                looked_at += to - at;
                at = to;
            }
            assert!(looked_at <= text.len(), "{piece}: {looked_at}");
        }
    }
}

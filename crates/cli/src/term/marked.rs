//! A record as one line of a terminal, with the column of one of its bytes. Whatever the record contains, the line
//! moves no cursor and writes nowhere else, so that a caret below it is in the right column.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

use urimill::explain::Found;
use urimill::printable::is_unprintable;

/// A line, and the number of columns before the byte in question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Marked {
    pub(crate) line: String,
    pub(crate) caret: usize,
}

/// The most columns that a record takes.
const COLUMNS: usize = 100;
/// The most columns before the byte, if the record is long enough on both sides.
const BEFORE: usize = 60;

/// Shows `text`, or the part around the byte at `offset` if it is long.
pub(crate) fn mark(text: &[u8], offset: usize) -> Marked {
    mark_apart(text, offset, &[], |shown| shown.to_owned())
}

/// Like [`mark`], with the ranges `set_apart` in a colour of their own.
pub(crate) fn mark_apart(
    text: &[u8],
    offset: usize,
    ranges: &[Range<usize>],
    apart: impl Fn(&str) -> String,
) -> Marked {
    let offset = offset.min(text.len());
    let offset =
        (offset.saturating_sub(3)..=offset).rev().find(|&at| is_boundary(text, at)).unwrap_or(offset);
    // No piece is narrower than a column, and no character longer than four bytes.
    let from =
        (offset.saturating_sub(4 * COLUMNS)..=offset).find(|&at| is_boundary(text, at)).unwrap_or(offset);
    let to = text.len().min(offset + 4 * COLUMNS);
    let (before, behind) = (pieces(&text[from..offset]), pieces(&text[offset..to]));
    let is_whole = from == 0 && to == text.len() && width(&before) + width(&behind) <= COLUMNS;

    // Columns that one side does not need go to the other; each side keeps one for the ellipsis.
    let needed = if to == text.len() { width(&behind) } else { COLUMNS };
    let room = BEFORE.max((COLUMNS - 2).saturating_sub(needed));
    let (first, last) = match is_whole {
        true => (0, behind.len()),
        false => {
            let first = before.len() - fitting(before.iter().rev(), room);
            (first, fitting(behind.iter(), COLUMNS - 2 - width(&before[first..])))
        }
    };
    let (mut line, mut caret) = (String::new(), 0);
    if from > 0 || first > 0 {
        line.push('…');
        caret += 1;
    }
    caret += width(&before[first..]);
    let mut at = offset - before[first..].iter().map(|piece| piece.bytes).sum::<usize>();
    // Pieces of one range are coloured together.
    let mut together = String::new();
    for piece in before[first..].iter().chain(&behind[..last]) {
        if ranges.iter().any(|range| range.contains(&at)) {
            together.push_str(&piece.shown);
        } else {
            line.push_str(&apart(&std::mem::take(&mut together)));
            line.push_str(&piece.shown);
        }
        at += piece.bytes;
    }
    line.push_str(&apart(&together));
    if to < text.len() || last < behind.len() {
        line.push('…');
    }
    Marked { line, caret }
}

/// The character or byte at a place, in words; its number alone if a terminal would not show it.
pub(crate) fn found(found: Found) -> String {
    match found {
        Found::Char(c) => match piece(c) {
            Piece { is_escaped: true, .. } => format!("U+{:04X}", u32::from(c)),
            piece => format!("'{}' U+{:04X}", piece.shown, u32::from(c)),
        },
        Found::Byte(byte) => format!("byte 0x{byte:02X}"),
        Found::End => "the end of the text".to_owned(),
    }
}

/// A character or a byte in the form in which it is shown.
struct Piece {
    shown: String,
    /// Its length in the text, in bytes.
    bytes: usize,
    width: usize,
    is_escaped: bool,
}

/// Whether `at` is a boundary between characters.
fn is_boundary(text: &[u8], at: usize) -> bool {
    text.get(at).is_none_or(|byte| byte & 0xC0 != 0x80)
}

fn pieces(text: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for chunk in text.utf8_chunks() {
        pieces.extend(chunk.valid().chars().map(piece));
        pieces.extend(chunk.invalid().iter().map(|byte| escaped(format!("\\x{byte:02x}"), 1)));
    }
    pieces
}

/// Escapes everything that has no column of its own: control characters, those that change the direction of writing,
/// and marks, which would change the look of their neighbours.
fn piece(c: char) -> Piece {
    match c.width() {
        Some(width) if width > 0 && !is_unprintable(c) => {
            Piece { shown: c.to_string(), bytes: c.len_utf8(), width, is_escaped: false }
        }
        _ => escaped(c.escape_default().to_string(), c.len_utf8()),
    }
}

fn escaped(shown: String, bytes: usize) -> Piece {
    Piece { width: shown.len(), shown, bytes, is_escaped: true }
}

fn width(pieces: &[Piece]) -> usize {
    pieces.iter().map(|piece| piece.width).sum()
}

/// The number of pieces that fit into `columns`.
fn fitting<'a>(pieces: impl Iterator<Item = &'a Piece>, columns: usize) -> usize {
    let mut left = columns;
    pieces
        .take_while(|piece| {
            let fits = piece.width <= left;
            left = left.saturating_sub(piece.width);
            fits
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (record, offset, line, columns before the caret)
    const TABLE: &[(&[u8], usize, &str, usize)] = &[
        (b"http://h/a b", 10, "http://h/a b", 10),
        (b"", 0, "", 0),
        (b"/%4", 3, "/%4", 3),
        (b"/a\tb", 2, "/a\\tb", 2),
        (b"\t\x1b[2J ", 5, "\\t\\u{1b}[2J ", 11),
        ("/é/ü".as_bytes(), 4, "/é/ü", 3),
        ("/漢字 x".as_bytes(), 7, "/漢字 x", 5),
        // In the middle of a character: before it.
        ("/漢".as_bytes(), 2, "/漢", 1),
        ("/e\u{301}\u{202e}|".as_bytes(), 7, "/e\\u{301}\\u{202e}|", 17),
        (b"/a\xff\xfeb c", 5, "/a\\xff\\xfeb c", 11),
        (b"/\xf0\x9f\x98", 1, "/\\xf0\\x9f\\x98", 1),
    ];

    #[test]
    fn the_caret_stands_under_the_byte() {
        for &(record, offset, line, caret) in TABLE {
            let expected = Marked { line: line.to_owned(), caret };
            assert_eq!(mark(record, offset), expected, "{}", record.escape_ascii());
        }
    }

    #[test]
    fn ranges_are_set_apart() {
        // (record, offset, range, line)
        let cases: &[(&[u8], usize, Range<usize>, &str)] = &[
            (b"http://joe:***@h/a b", 18, 7..14, "http://<joe:***>@h/a b"),
            (b"http://jo\te@h/a b", 8, 7..11, "http://<jo\\te>@h/a b"),
            ("//\u{e9}@h".as_bytes(), 0, 2..4, "//<\u{e9}>@h"),
            (b"//a", 0, 2..3, "//<a>"),
        ];
        for (record, offset, range, line) in cases {
            let apart = |shown: &str| if shown.is_empty() { String::new() } else { format!("<{shown}>") };
            let marked = mark_apart(record, *offset, std::slice::from_ref(range), apart);
            assert_eq!(marked.line, *line);
            assert_eq!(marked.caret, mark(record, *offset).caret, "{line}");
        }
    }

    #[test]
    fn long_records_are_shown_around_the_byte() {
        let text = format!("{}|{}", "ab".repeat(500), "漢".repeat(500));
        let shown = mark(text.as_bytes(), 1000);
        assert_eq!(shown.line, format!("…{}|{}…", "ab".repeat(30), "漢".repeat(18)));
        assert_eq!(shown.caret, 61);
        assert_eq!(mark(text.as_bytes(), 0), Marked { line: format!("{}…", "ab".repeat(49)), caret: 0 });
        let at_end = mark(text.as_bytes(), text.len());
        assert_eq!((at_end.line, at_end.caret), (format!("…{}", "漢".repeat(49)), 99));
        let near_end = mark(text.as_bytes(), text.len() - 6);
        assert_eq!((near_end.line, near_end.caret), (format!("…{}", "漢".repeat(49)), 95));
    }

    #[test]
    fn a_record_of_a_hundred_columns_is_shown_whole() {
        let text = "a".repeat(100);
        assert_eq!(mark(text.as_bytes(), 99), Marked { line: text.clone(), caret: 99 });
        assert_eq!(mark(format!("{text}a").as_bytes(), 100).caret, 98);
    }
}

//! The last line of a log that has no line feed: the log may have been copied, or read, while its server wrote the
//! line. The fields do not show that: half of a size is a size.

use urimill_columns::batch::Records;

/// How the last line of a log that may be cut is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LastLine {
    /// Its row has `unfinished` in the column `field_errors`.
    #[default]
    Mark,
    /// Its row is like the others.
    Keep,
    /// It has no row.
    Drop,
}

impl LastLine {
    /// Every choice by its name.
    pub const NAMED: [(&'static str, LastLine); 3] =
        [("mark", LastLine::Mark), ("keep", LastLine::Keep), ("drop", LastLine::Drop)];

    /// Looks at the last of the records of `lines`: a chunk of a log, all of whose records have been found.
    pub(super) fn apply(self, lines: &[u8], records: &mut Records) {
        if self == LastLine::Keep || lines.last().is_none_or(|&last| last == b'\n') {
            return;
        }
        let start = memchr::memrchr(b'\n', lines).map_or(0, |newline| newline + 1);
        // The last line may be a comment, which is not a record.
        let Some((_, is_faulty)) = records.last().filter(|&(begins, _)| begins as usize >= start) else {
            return;
        };
        if !is_faulty && proves_its_end(&lines[start..]) {
            return;
        }
        match self {
            LastLine::Drop => records.drop_last(),
            LastLine::Mark | LastLine::Keep => records.mark_unfinished(),
        }
    }
}

/// Whether the last field of a line begins and ends with a quote or a bracket.
fn proves_its_end(line: &[u8]) -> bool {
    let opens = match line.last() {
        Some(b'"') => {
            let mut quotes = 0;
            let mut bytes = line.iter();
            while let Some(byte) = bytes.next() {
                match byte {
                    b'\\' => drop(bytes.next()),
                    b'"' => quotes += 1,
                    _ => {}
                }
            }
            return quotes > 0 && quotes % 2 == 0;
        }
        // If an object were cut, it would not be one.
        Some(b'}') if line[0] == b'{' => return true,
        Some(b']') => b'[',
        Some(b'}') => b'{',
        _ => return false,
    };
    let close = line[line.len() - 1];
    let mut depth = 0usize;
    for (at, &byte) in line.iter().enumerate().rev() {
        depth += usize::from(byte == close);
        if byte == opens {
            depth -= 1;
            if depth == 0 {
                return at == 0 || line[at - 1].is_ascii_whitespace();
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closing_quote_or_bracket_proves_that_a_line_is_whole() {
        // (line, whether it does)
        let cases: &[(&str, bool)] = &[
            (r#"a "b""#, true),
            (r#"a "b" """#, true),
            (r#"a "b" ""#, false),
            (r#"a "b" "c"#, false),
            (r#"a "b\"" "c\""#, false),
            (r#"a "b\"" "c\"""#, true),
            (r#"a "b\\""#, true),
            ("a 200 12", false),
            ("a [b]", true),
            ("a [b[c]]", true),
            ("a b[c]", false),
            ("a b]", false),
            ("[a]", true),
            (r#"{"a":{"b":"}"}}"#, true),
            (r#"{"a":{"b":1"#, false),
            ("a {b|c}", true),
            ("", false),
            ("\"", false),
            ("]", false),
        ];
        for (line, expected) in cases {
            assert_eq!(proves_its_end(line.as_bytes()), *expected, "{line}");
        }
    }
}

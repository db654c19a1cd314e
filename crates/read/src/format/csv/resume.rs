//! Where the records of CSV go on after damage: the lost bytes may have opened quotes, so that lines that look like
//! records are text. The chunker leaves out the bytes before that place.

use memchr::memchr;

use super::Delimited;

/// This many records in a row with the right number of fields are not an accident.
const IN_A_ROW: usize = 8;

/// Where records go on after damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumed {
    /// At this byte.
    At(usize),
    /// At this byte or later, once more bytes come; 0 if there are too few to decide.
    Behind(usize),
}

impl Delimited {
    /// Where the records go on in `bytes`, which begin with a line that may be within quotes: at the first line from
    /// which [`IN_A_ROW`] records, or all up to the end, have as many `fields` as those before the damage. Records of
    /// one field cannot be told from text.
    pub(super) fn resumed(&self, bytes: &[u8], fields: usize, is_end: bool) -> Resumed {
        if !self.has_quotes {
            return Resumed::At(0);
        }
        let mut line = 0;
        while line < bytes.len() {
            let mut at = line;
            let mut records = 0;
            let is_row = loop {
                at += self.comment.passed(&bytes[at..], true).0;
                if at == bytes.len() && is_end {
                    break records > 0;
                }
                let (found, next) = self.width(&bytes[at..]);
                // The number of fields of an unfinished record is unknown.
                if at + next == bytes.len() && !bytes.ends_with(b"\n") {
                    match is_end {
                        true => break records > 0,
                        false => return Resumed::Behind(line),
                    }
                }
                if found != fields || fields < 2 {
                    break false;
                }
                (at, records) = (at + next, records + 1);
                if records == IN_A_ROW {
                    break true;
                }
                if at == bytes.len() && !is_end {
                    return Resumed::Behind(line);
                }
            };
            if is_row {
                return Resumed::At(line);
            }
            line += memchr(b'\n', &bytes[line..]).map_or(bytes.len() - line, |newline| newline + 1);
        }
        Resumed::Behind(bytes.len())
    }
}

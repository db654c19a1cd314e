//! Durations whose fields have other units than their column: they get there with their unit after them. And whether a
//! column can hold a value.

use urimill_columns::batch::{Kind, Records, Unit};

use super::Log;
use super::check::Check;
use super::found::Found;
use super::roles::Slot;
use super::shape::OtherUnit;
use super::target::Line;

impl Log {
    /// Whether the column of a member can hold its value, and so nothing of it is lost; the column itself says why not.
    #[inline]
    pub(super) fn holds(&self, slot: Slot, text: &[u8]) -> bool {
        let column = &self.shape.columns[slot];
        column.held.holds(text) || self.is_no_loss(column.check, column.held, text)
    }

    /// Whether nothing is lost of a value that the column does not hold as it is.
    #[cold]
    fn is_no_loss(&self, check: Check, kind: Kind, text: &[u8]) -> bool {
        let digits = text.strip_prefix(b"+").filter(|_| check == Check::Number);
        digits.is_some_and(|digits| kind.holds(digits))
            || matches!(text, b"" | b"-")
            || self.shape.is_null(text)
    }

    /// Moves such durations to their columns.
    pub(super) fn units(&self, line: &Line<'_>, found: &mut Found, records: &mut Records) {
        for &OtherUnit { slot, column, unit } in &self.shape.units {
            let Some(text) = found.get(slot).filter(|_| found.get(column).is_none()) else { continue };
            let written = records.bytes_of(line.chunk, text);
            let is_whole = !written.contains(&b'.');
            let name: &[u8] = match unit {
                // It may have one already.
                _ if written.last().is_none_or(|last| !last.is_ascii_digit()) => b"",
                Unit::Seconds => b"s",
                Unit::Mixed if is_whole => b"ms",
                Unit::Mixed => b"s",
                Unit::Millis => b"ms",
                Unit::Micros => b"us",
                Unit::Nanos => b"ns",
            };
            let text = [written, name].concat();
            found.set(column, records.unescape(|out| out.extend_from_slice(&text)));
        }
    }
}

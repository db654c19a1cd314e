//! The words of a format for no value, which its file has beside `-`.

use urimill_columns::batch::Records;

use super::Log;
use super::found::Found;
use super::target::Line;

impl Log {
    /// Takes the words for no value out of the fields. A field that makes the URI gets the dash for them.
    pub(super) fn nulls(&self, line: &Line<'_>, found: &mut Found, records: &mut Records) {
        let roles = &self.shape.roles;
        for slot in 0..self.shape.columns.len() {
            let is_word = |text| self.shape.is_null(records.bytes_of(line.chunk, text));
            if !found.get(slot).is_some_and(is_word) {
                continue;
            }
            let makes_uri = [roles.request, roles.target, roles.path].contains(&Some(slot));
            found.put(slot, makes_uri.then(|| records.unescape(|out| out.push(b'-'))));
        }
    }
}

//! The lines of a log that are headers or comments, where a header names the fields; they may be within wrappers, as the
//! records are.

use super::definition::{Form, HeaderKind};
use super::headed::Header;
use super::named::{Names, Slots};
use super::state::State;
use super::wrappers::unwrapped_line;
use super::{Engine, Log};

impl Log {
    /// Whether a line is a comment; it may be the header of the lines after it.
    pub(super) fn is_comment(&self, line: &[u8], state: &mut State<'_>) -> bool {
        let Engine::Named(head, slots) = &self.engine else { return false };
        if !head.is_comment(line) {
            return false;
        }
        if let Some(names) = head.names(line) {
            state.main = None;
            state.header = self.header(names, *head, slots);
        }
        true
    }

    pub(super) fn header(&self, names: Vec<String>, head: HeaderKind, slots: &Slots) -> Header {
        let Form::Named { fields, .. } = self.definition.form else { return Header::default() };
        Header::new(names, slots, (&self.shape, fields), head)
    }

    /// Whether a line within wrappers is a comment or a header; it may be that of the lines after it.
    pub(super) fn is_header(&self, line: &[u8], state: &mut State<'_>) -> bool {
        let Engine::Named(head, _) = &self.engine else { return false };
        let begins = || state.header.names.first().is_some_and(|name| line.starts_with(name.as_bytes()));
        head.is_csv() && begins() && head.names_in(line) == state.header.names || self.is_comment(line, state)
    }

    /// The names in force after `bytes`, if they have a header.
    pub(super) fn header_in(&self, bytes: &[u8]) -> Option<Names> {
        let Engine::Named(head, _) = &self.engine else { return None };
        head.last(bytes, |line| unwrapped_line(line, &self.wrappers))
    }
}

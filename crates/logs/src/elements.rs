//! Reads records that are the elements of an array in a document of JSON ([`super::wrappers::array`]): the chunker has
//! found them.

use urimill_columns::batch::{Records, Text};
use urimill_read::format::base::BATCH_BYTES;
use urimill_read::format::framing::{ChunkText, RecordState};
use urimill_read::format::span;

use super::Log;
use super::state::State;
use super::target::Line;
use super::wrappers::Wrapper;
use super::wrappers::array::Array;
use super::wrappers::member::{HOSTS, first};

impl Log {
    /// The array whose elements are the records.
    pub(super) fn array(&self) -> Option<Array> {
        match self.wrappers.first() {
            Some(Wrapper::Array(array)) => Some(*array),
            _ => None,
        }
    }

    /// What a reader keeps from record to record.
    pub(super) fn state<'a>(&self) -> State<'a> {
        let are_in_order = self.chosen.iter().enumerate().all(|(at, column)| at == column.slot);
        State { are_in_order, ..State::default() }
    }

    /// Keeps the members of the document before its array.
    fn around_array(&self, members: &str, state: &mut State<'_>, records: &mut Records) {
        let roles = &self.shape.roles;
        let bytes = members.as_bytes();
        if self.wants(roles.log_host)
            && let Some(host) = first(bytes, (0, bytes.len()), HOSTS)
        {
            state.around.host = Some(records.unescape(|out| out.extend_from_slice(&host.name(bytes))));
        }
        if self.wants(roles.prefix) {
            state.around.prefix = Some(records.unescape(|out| out.extend_from_slice(bytes)));
        }
    }

    /// Finds records: see [`urimill_read::format::RecordFormat::find`].
    pub(super) fn elements(
        &self,
        chunk: &ChunkText<'_>,
        (from, most): (usize, usize),
        records: &mut Records,
    ) -> usize {
        let first = chunk.framed_records.partition_point(|record| (record.start as usize) < from);
        let bytes = chunk.text();
        let mut state = self.state();
        for record in &chunk.framed_records[first..] {
            let start = record.start as usize;
            if records.len() == most || records.bytes() > BATCH_BYTES && !records.is_empty() {
                return start;
            }
            let (whole, before) = (span(start, start + record.len as usize), records.len());
            match record.whole {
                RecordState::Yes => {
                    state.found.reset(self.shape.columns.len());
                    state.may_have_escapes = true;
                    state.around.clear();
                    if let Some(members) = &record.members {
                        self.around_array(members, &mut state, records);
                    }
                    let (chunk, end) = (bytes, start + record.len as usize);
                    let line = Line { chunk, bytes, start, end, shift: None, origin: None, whole };
                    self.within(&line, self.wrappers.get(1..).unwrap_or_default(), &mut state, records);
                }
                // The columns say that it is too long.
                RecordState::Beginning => records.push(record.start, Text::Read(whole), None),
                RecordState::Junk | RecordState::Unmeasured(_) => records.push_misfit(whole, 0),
            }
            if records.len() > before {
                records.place(record.offset);
            }
        }
        chunk.len
    }
}

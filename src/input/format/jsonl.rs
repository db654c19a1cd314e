//! JSON Lines: a line is an object, and one of its members the URI reference.

use super::json::{self, Value};
use super::keep::Keep;
use super::{line_end, span};
use crate::batch::{Cell, Kept, Kind, Records, Text};
use crate::error::{Error, Result};
use crate::simd::Span;

/// The column of the members that have none of their own.
const EXTRA: &str = "extra";

/// The format.
#[derive(Debug, Clone)]
pub struct Jsonl {
    uri: String,
    base: Option<String>,
    /// The members that have a column, `None` for the column of all others.
    members: Vec<Option<String>>,
    kept: Kept,
}

impl Jsonl {
    /// With the reference in the member `uri`, and what it stands against in the member `base`. [`Keep::All`] is one
    /// column, `extra`, with the other members as an object; a member that is named gets a column of text.
    ///
    /// # Errors
    /// Usage, where URI and base are the same member.
    pub fn new(uri: &str, base: Option<&str>, keep: &Keep) -> Result<Jsonl> {
        if base == Some(uri) {
            return Err(Error::usage(format!("the member {uri:?} cannot be both the URI and its base")));
        }
        let named = |name: &String| (name != EXTRA).then(|| name.clone());
        let members: Vec<Option<String>> = match keep {
            Keep::All => vec![None],
            Keep::None => Vec::new(),
            Keep::Names(names) => names.iter().map(named).collect(),
        };
        let name = |member: &Option<String>| (member.as_deref().unwrap_or(EXTRA).to_owned(), Kind::Text);
        let kept = Kept::new(members.iter().map(name));
        Ok(Jsonl { uri: uri.to_owned(), base: base.map(str::to_owned), members, kept })
    }

    /// See [`super::Format::unseen`]: bit 0 is the reference, bit 1 its base.
    pub(super) fn unseen(&self, seen: u64) -> Option<&str> {
        let base = self.base.as_deref().filter(|_| seen & 2 == 0);
        if seen & 1 == 0 { Some(&self.uri) } else { base }
    }

    pub(super) fn kept(&self) -> &Kept {
        &self.kept
    }

    /// See [`super::Format::read`].
    pub(super) fn read(&self, bytes: &[u8], from: usize, most: usize, records: &mut Records) -> usize {
        let mut cells = Vec::new();
        let mut others = Vec::new();
        let mut at = from;
        while at < bytes.len() && records.len() < most {
            let start = at;
            let newline = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |found| start + found);
            let end = line_end(bytes, start, newline);
            at = (newline + 1).min(bytes.len());
            if end == start {
                records.push_blank();
                continue;
            }
            self.record(bytes, span(start, end), (&mut cells, &mut others), records);
        }
        at
    }

    pub(super) fn record(
        &self,
        bytes: &[u8],
        whole: Span,
        (found, others): (&mut Vec<Option<Value>>, &mut Vec<(Value, Value)>),
        records: &mut Records,
    ) {
        let (start, end) = (whole.start as usize, (whole.start + whole.len) as usize);
        let (mut uri, mut base, mut seen) = (None, None, 0);
        found.clear();
        found.resize(self.members.len(), None);
        others.clear();
        let read = json::members(bytes, start, end, |key, value| {
            let mut is_own = false;
            if key.is(bytes, self.uri.as_bytes()) {
                (uri, is_own) = (Some(value), true);
                seen |= 1;
            }
            if self.base.as_ref().is_some_and(|name| key.is(bytes, name.as_bytes())) {
                (base, is_own) = (Some(value), true);
                seen |= 2;
            }
            for (member, slot) in self.members.iter().zip(found.iter_mut()) {
                if member.as_ref().is_some_and(|name| key.is(bytes, name.as_bytes())) {
                    (*slot, is_own) = (Some(value), true);
                }
            }
            if !is_own {
                others.push((key, value));
            }
        });
        let has_base = self.base.is_some();
        if let Err(fault) = read {
            records.push_malformed(whole.start, whole, (fault - start) as u32, has_base);
            return records.doubt(whole);
        }
        records.saw(seen);
        let none = Text::Read(Span { start: whole.start, len: 0 });
        match uri {
            None => records.push_absent(whole, has_base),
            Some(uri) if uri.is_null() => records.push_null(whole.start, has_base),
            Some(uri) if uri.is_text() => {
                let base = base.filter(|base| base.is_text()).map_or(none, |base| base.text(bytes, records));
                let reference = uri.text(bytes, records);
                records.push(whole.start, reference, has_base.then_some(base));
            }
            Some(uri) => {
                records.push_malformed(whole.start, whole, uri.whole.start - whole.start, has_base);
            }
        }
        let cells: Vec<Cell> = self
            .members
            .iter()
            .zip(found)
            .map(|(member, value)| match (member, value) {
                (None, _) => json::object(bytes, others, records),
                (Some(_), Some(value)) => value.cell(bytes, records),
                (Some(_), None) => Cell::NULL,
            })
            .collect();
        records.keep(cells.into_iter());
    }
}

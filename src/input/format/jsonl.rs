//! JSON Lines: a line is an object, and one of its members the URI reference.

use super::json::{self, Value};
use super::keep::Keep;
use super::{line_end, span};
use crate::batch::{Cell, Kept, Kind, Records, Text};
use crate::error::{Error, Result};
use crate::simd::Span;

/// The column of the members that have none of their own.
const EXTRA: &str = "extra";

/// So many members that are kept by name are looked for.
const MOST_SEEN: usize = 62;

/// A member, or one within others.
#[derive(Debug, Clone)]
struct Member {
    name: String,
    /// The names to it, where it is not called so itself.
    path: Vec<String>,
}

impl Member {
    fn new(name: &str) -> Member {
        Member { name: name.to_owned(), path: super::log::path_parts(name) }
    }

    /// Whether a member of the object is it, or holds it.
    fn is(&self, bytes: &[u8], key: Value) -> (bool, bool) {
        let is_outer = self.path.len() > 1 && key.is(bytes, self.path[0].as_bytes());
        (key.is(bytes, self.name.as_bytes()), is_outer)
    }

    /// The value within the member that holds it.
    fn within(&self, bytes: &[u8], outer: Option<Value>) -> Option<Value> {
        let mut value = outer?;
        for name in &self.path[1..] {
            let (start, end) = (value.whole.start as usize, (value.whole.start + value.whole.len) as usize);
            let mut found = None;
            match bytes[start] {
                b'{' => json::members(bytes, start, end, |key, value| {
                    if key.is(bytes, name.as_bytes()) {
                        found = Some(value);
                    }
                }),
                b'[' => {
                    let wanted = name.parse::<usize>().ok()?;
                    let mut number = 0;
                    json::elements(bytes, start, end, |value| {
                        if number == wanted {
                            found = Some(value);
                        }
                        number += 1;
                    })
                }
                _ => return None,
            }
            .ok()?;
            value = found?;
        }
        Some(value)
    }
}

/// The format.
#[derive(Debug, Clone)]
pub struct Jsonl {
    uri: Member,
    base: Option<Member>,
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
        Ok(Jsonl { uri: Member::new(uri), base: base.map(Member::new), members, kept })
    }

    /// See [`super::Format::unseen`]: bit 0 is the reference, bit 1 its base.
    pub(super) fn unseen(&self, seen: u64) -> Option<&str> {
        let base = self.base.as_ref().filter(|_| seen & 2 == 0);
        let own = Some(&self.uri).filter(|_| seen & 1 == 0).or(base).map(|member| member.name.as_str());
        // Of many more no account is kept.
        let members = self.members.iter().take(MOST_SEEN).enumerate();
        let mut unseen =
            members.filter(|(at, _)| seen >> (at + 2) & 1 == 0).filter_map(|(_, name)| name.as_deref());
        own.or_else(|| unseen.next())
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
        let (mut around_uri, mut around_base) = (None, None);
        found.clear();
        found.resize(self.members.len(), None);
        others.clear();
        let read = json::members(bytes, start, end, |key, value| {
            let mut is_own = false;
            match self.uri.is(bytes, key) {
                (true, _) => {
                    (uri, is_own) = (Some(value), true);
                    seen |= 1;
                }
                (_, true) => around_uri = Some(value),
                _ => {}
            }
            match self.base.as_ref().map(|member| member.is(bytes, key)) {
                Some((true, _)) => {
                    (base, is_own) = (Some(value), true);
                    seen |= 2;
                }
                Some((_, true)) => around_base = Some(value),
                _ => {}
            }
            for (at, (member, slot)) in self.members.iter().zip(found.iter_mut()).enumerate() {
                if member.as_ref().is_some_and(|name| key.is(bytes, name.as_bytes())) {
                    (*slot, is_own) = (Some(value), true);
                    seen |= if at < MOST_SEEN { 4 << at } else { 0 };
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
        if let Some(value) = self.uri.within(bytes, around_uri.filter(|_| uri.is_none())) {
            uri = Some(value);
            seen |= 1;
        }
        if let Some(member) = &self.base
            && let Some(value) = member.within(bytes, around_base.filter(|_| base.is_none()))
        {
            base = Some(value);
            seen |= 2;
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

//! Lines without a header: which of the format's lists of names each of them has. Some inputs have lines of several
//! versions of a server, which differ in the number of fields.

use std::collections::BTreeMap;

use super::Log;
use super::definition::{self, Definition, Fields, HeaderKind};
use super::headed::Header;
use super::named::{Part, Slots, owned, split};
use super::shape::Shape;
use super::state::State;

impl definition::Header {
    /// Whether these are the names of a list.
    pub(super) fn is_list(&self, names: &[String]) -> bool {
        self.orders.iter().any(|list| list.iter().eq(names))
    }

    /// Whether a line may have more than this number of fields, and no list has.
    pub(super) fn is_longest(&self, count: usize) -> bool {
        self.has_more && self.orders.iter().all(|list| list.len() <= count)
    }

    /// The list of a line with `count` fields, where most lines have `main` fields. A line with one field more or fewer
    /// than another list has lost or gained one.
    fn list(&self, main: usize, count: usize) -> Option<&'static [&'static str]> {
        let find = |count: usize| self.orders.iter().copied().find(|list| list.len() == count);
        if count == main {
            return find(count);
        }
        let is_alone = || find(count + 1).or(find(count.wrapping_sub(1))).is_none();
        let longest = || self.orders.iter().copied().max_by_key(|list| list.len());
        find(count)
            .filter(|_| self.is_mixed && is_alone())
            .or_else(|| longest().filter(|list| self.has_more && count > list.len()))
    }
}

impl Log {
    /// Takes the header of the list that the line has whose fields are in `state`.
    #[cold]
    pub(super) fn take_list(&self, main: usize, (head, slots): (HeaderKind, &Slots), state: &mut State<'_>) {
        let list = head.header().list(main, state.parts.len()).or_else(|| head.header().list(main, main));
        let Some(list) = list.filter(|list| list.len() != state.header.names.len()) else { return };
        let known = state.lists.iter().position(|header| header.names.len() == list.len());
        let at = known.unwrap_or_else(|| {
            state.lists.push(self.header(owned(list), head, slots));
            state.lists.len() - 1
        });
        std::mem::swap(&mut state.header, &mut state.lists[at]);
    }
}

/// How many lines have the values that a header would name; 0 if fewer than `least` do.
pub(super) fn count_values(
    definition: &Definition,
    (head, fields): (HeaderKind, Fields),
    lines: &[Vec<u8>],
    least: usize,
) -> usize {
    // Few lines have as many fields as a list has names.
    let Some(fewest) = head.orders().iter().map(|list| list.len()).min() else { return 0 };
    let may_be = |line: &&Vec<u8>| head.most(line) >= fewest;
    if lines.iter().filter(may_be).count() < least {
        return 0;
    }
    let Some(names) = head.bare(lines.iter().map(Vec::as_slice)) else { return 0 };
    let split = |line: &Vec<u8>| {
        let mut parts = Vec::new();
        split(line, (0, line.len()), head.between(line), &mut parts);
        parts
    };
    let parts: Vec<Vec<Part>> = lines.iter().map(split).collect();
    let list = |parts: &Vec<Part>| head.header().list(names.len(), parts.len());
    // It takes longer to make what reads the fields than to count them.
    if parts.iter().filter_map(list).count() < least {
        return 0;
    }
    let mut headers: BTreeMap<usize, Header> = BTreeMap::new();
    let mut fits = |(line, parts): &(&Vec<u8>, &Vec<Part>)| {
        let Some(list) = list(parts) else { return false };
        let header = headers.entry(list.len()).or_insert_with(|| {
            let mut shape = Shape::of(definition);
            let slots = Slots::new(definition, &owned(list), &mut shape);
            Header::new(owned(list), &slots, (&shape, fields), head)
        });
        header.stop(line, parts).is_none()
    };
    let count = lines.iter().zip(&parts).filter(|line| fits(line)).count();
    if count < least { 0 } else { count }
}

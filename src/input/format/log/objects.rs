//! JSON objects of known shapes, one a line: a member, or one within another, has a slot by its path; what has none
//! goes to the column `extra`. Keys come in the same order line after line, so that each is looked for where it was
//! last.

use super::shape::{Shape, Slot};
use crate::batch::{Records, Text};
use crate::input::format::json::{self, Value};

/// Where members go.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    members: Vec<Member>,
}

#[derive(Debug, Clone)]
struct Member {
    name: Box<[u8]>,
    slot: Option<Slot>,
    /// Members of the object, or elements of the array, that it is: of an array the first one.
    within: Tree,
}

impl Tree {
    /// Of a definition: paths, and fields as [`Shape::field`] has them. A field may have several paths.
    pub(super) fn new(fields: &[(&str, &str)], shape: &mut Shape) -> Tree {
        let mut tree = Tree::default();
        for (path, field) in fields {
            let slot = shape.field(field);
            tree.add(&super::path::parts(path), slot);
        }
        tree
    }

    /// Adds a path.
    pub(super) fn add(&mut self, path: &[String], slot: Slot) {
        let Some((name, rest)) = path.split_first() else { return };
        let found = self.members.iter().position(|member| *member.name == *name.as_bytes());
        let at = found.unwrap_or_else(|| {
            let member = Member { name: name.as_bytes().into(), slot: None, within: Tree::default() };
            self.members.push(member);
            self.members.len() - 1
        });
        match rest {
            [] => self.members[at].slot = Some(slot),
            rest => self.members[at].within.add(rest, slot),
        }
    }

    fn find(&self, bytes: &[u8], key: Value, guess: usize) -> Option<usize> {
        let is = |at: usize| self.members.get(at).is_some_and(|member| key.is(bytes, &member.name));
        if is(guess) {
            return Some(guess);
        }
        (0..self.members.len()).find(|&at| is(at))
    }
}

/// What a reader of objects finds in one, beside the fields.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// The members without a slot, with what stands before their names.
    members: Vec<(String, Value, Value)>,
    /// Which member came at which place in the last object.
    order: Vec<usize>,
}

/// What is read of one object.
pub(super) struct Object<'a, F> {
    pub(super) bytes: &'a [u8],
    pub(super) others: &'a mut Others,
    /// Whether members without a slot are wanted.
    pub(super) keeps: bool,
    /// Gets each value that has a slot, and says whether it takes it: another may be there.
    pub(super) each: F,
}

impl<F: FnMut(Slot, Value) -> bool> Object<'_, F> {
    /// Reads the object from `start` to `end`; answers the byte where it stops to be one.
    pub(super) fn read(&mut self, tree: &Tree, start: usize, end: usize) -> Result<(), usize> {
        self.others.members.clear();
        let mut order = std::mem::take(&mut self.others.order);
        let read = self.object(tree, start, end, "", Some(&mut order));
        self.others.order = order;
        read
    }

    fn object(
        &mut self,
        tree: &Tree,
        start: usize,
        end: usize,
        before: &str,
        mut order: Option<&mut Vec<usize>>,
    ) -> Result<(), usize> {
        let bytes = self.bytes;
        let mut number = 0;
        let mut fault = None;
        json::members(bytes, start, end, |key, value| {
            let guess = order.as_ref().and_then(|order| order.get(number).copied()).unwrap_or(number);
            let found = tree.find(bytes, key, guess);
            if let Some(order) = order.as_deref_mut() {
                order.resize(order.len().max(number + 1), usize::MAX);
                order[number] = found.unwrap_or(usize::MAX);
            }
            number += 1;
            let Some(member) = found.map(|at| &tree.members[at]) else {
                if self.keeps {
                    self.others.members.push((before.to_owned(), key, value));
                }
                return;
            };
            fault = fault.or(self.member(member, (before, key), value).err());
        })?;
        fault.map_or(Ok(()), Err)
    }

    fn member(&mut self, member: &Member, (before, key): (&str, Value), value: Value) -> Result<(), usize> {
        let (start, end) = (value.whole.start as usize, (value.whole.start + value.whole.len) as usize);
        if !member.within.members.is_empty() {
            match self.bytes[start] {
                b'{' => {
                    let before = format!("{before}{}.", String::from_utf8_lossy(&member.name));
                    return self.object(&member.within, start, end, &before, None);
                }
                b'[' => return self.array(&member.within, (before, key), value),
                _ => {}
            }
        }
        let is_taken = member.slot.is_some_and(|slot| (self.each)(slot, value));
        if !is_taken && self.keeps {
            self.others.members.push((before.to_owned(), key, value));
        }
        Ok(())
    }

    /// The elements whose numbers are wanted. Where others are there, too, the array is a member without a slot.
    fn array(&mut self, tree: &Tree, (before, key): (&str, Value), array: Value) -> Result<(), usize> {
        let (start, end) = (array.whole.start as usize, (array.whole.start + array.whole.len) as usize);
        let (mut wanted, mut number, mut is_left) = (Vec::new(), 0usize, false);
        json::elements(self.bytes, start, end, |value| {
            let name = number.to_string();
            match tree.members.iter().find(|member| *member.name == *name.as_bytes()) {
                Some(member) => wanted.push((member, value)),
                None => is_left = true,
            }
            number += 1;
        })?;
        for (member, value) in wanted {
            match member.within.members.is_empty() {
                true => is_left |= !member.slot.is_some_and(|slot| (self.each)(slot, value)),
                false => self.member(member, (before, key), value)?,
            }
        }
        if is_left && self.keeps {
            self.others.members.push((before.to_owned(), key, array));
        }
        Ok(())
    }
}

impl Others {
    /// The members without a slot as an object; those within another have its name and a dot before theirs.
    pub(super) fn object(&self, bytes: &[u8], records: &mut Records) -> Option<Text> {
        if self.members.is_empty() {
            return None;
        }
        let text = |value: &Value| &bytes[value.whole.start as usize..][..value.whole.len as usize];
        Some(records.unescape(|out| {
            for (at, (before, key, value)) in self.members.iter().enumerate() {
                out.push(if at == 0 { b'{' } else { b',' });
                out.push(b'"');
                out.extend_from_slice(before.as_bytes());
                out.extend_from_slice(&text(key)[1..]);
                out.push(b':');
                out.extend_from_slice(text(value));
            }
            out.push(b'}');
        }))
    }
}

//! JSON objects of known shapes, one a line: a member, or one within another, has a slot by its path; other members go
//! to the column `extra`. Keys come in the same order line after line, so each is compared with the key at its place in
//! the line before.

use std::ops::Range;
use std::ptr;

use urimill_columns::batch::{Records, Text};
use urimill_read::format::json;
use urimill_read::format::json::Value;

use super::roles::Slot;
use super::shape::Shape;

/// The slots of members.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    members: Vec<Member>,
    /// The number of members in the whole tree.
    count: usize,
}

#[derive(Debug, Clone)]
struct Member {
    name: Box<[u8]>,
    /// The name as the number of an element, if it is one.
    number: Option<usize>,
    /// The element that the name means, if it is neither a name nor a number.
    selector: Option<Selector>,
    /// Whether it means every element of an array: `[*]`.
    is_every: bool,
    slot: Option<Slot>,
    /// Whether the format is detected by it.
    identifies: bool,
    /// Its place among all members.
    place: usize,
    /// Members of the object, or elements of the array; an array has only its first.
    within: Tree,
}

impl Tree {
    /// The tree of a definition: paths, and fields as in [`Shape::field`]; a field may have several paths. The format
    /// is detected by the members `detected_by`.
    pub(super) fn new(fields: &[(&str, &str)], detected_by: &[&str], shape: &mut Shape) -> Tree {
        let mut tree = Tree::default();
        let mut count = 0;
        for (path, field) in fields {
            let slot = shape.field(field);
            tree.member(&urimill_read::format::json::path::parts(path), &mut count, |member| {
                member.slot = Some(slot)
            });
        }
        for path in detected_by.iter().flat_map(|paths| paths.split('|')) {
            tree.member(&urimill_read::format::json::path::parts(path), &mut count, |member| {
                member.identifies = true
            });
        }
        Tree { count, ..tree }
    }

    /// Changes the member of a path, after adding it if the tree lacks it.
    fn member(&mut self, path: &[String], count: &mut usize, change: impl FnOnce(&mut Member)) {
        let Some((name, rest)) = path.split_first() else { return };
        let found = self.members.iter().position(|member| *member.name == *name.as_bytes());
        let at = found.unwrap_or_else(|| {
            let number = name.parse().ok().filter(|number: &usize| number.to_string() == *name);
            let selector = Selector::of(name);
            let is_every = name == "*";
            let (name, within) = (name.as_bytes().into(), Tree::default());
            self.members.push(Member {
                name,
                number,
                selector,
                is_every,
                slot: None,
                identifies: false,
                place: *count,
                within,
            });
            *count += 1;
            self.members.len() - 1
        });
        match rest {
            [] => change(&mut self.members[at]),
            rest => self.members[at].within.member(rest, count, change),
        }
    }

    fn find(&self, bytes: &[u8], key: Value) -> Option<&Member> {
        let name = key.name(bytes);
        let own = self.members.iter().find(|member| *member.name == *name);
        own.or_else(|| self.dotted(&name))
    }

    /// The member whose name joins the names of a path with dots: many shippers write objects so.
    fn dotted(&self, name: &[u8]) -> Option<&Member> {
        memchr::memchr(b'.', name)?;
        self.members.iter().find_map(|member| {
            let rest = name.strip_prefix(&*member.name)?.strip_prefix(b".")?;
            let own = member.within.members.iter().find(|member| *member.name == *rest);
            own.or_else(|| member.within.dotted(rest))
        })
    }
}

/// The element of an array that has this member: `[name=Host]`.
#[derive(Debug, Clone)]
struct Selector {
    name: Box<[u8]>,
    value: Box<[u8]>,
}

impl Selector {
    fn of(name: &str) -> Option<Selector> {
        let (name, value) = name.split_once('=')?;
        Some(Selector { name: name.as_bytes().into(), value: value.as_bytes().into() })
    }

    /// Whether an element is an object with the member; its value may have other cases.
    fn means(&self, bytes: &[u8], element: Value) -> bool {
        let mut has = false;
        if bytes[element.whole.start as usize] == b'{' {
            json::members_within(bytes, element, |key, found| {
                has |= key.is(bytes, &self.name) && found.name(bytes).eq_ignore_ascii_case(&self.value);
            });
        }
        has
    }
}

/// A key that was looked for.
#[derive(Debug)]
struct Known<'a> {
    tree: &'a Tree,
    /// As it is written, with its quotes.
    key: Vec<u8>,
    member: Option<&'a Member>,
}

/// At most this many keys of an object are remembered.
const MOST_KNOWN: usize = 256;

/// The keys of the object before, nested ones among them, in their order.
#[derive(Debug, Default)]
struct Keys<'a> {
    known: Vec<Known<'a>>,
    /// How many keys of this object have been read.
    count: usize,
}

impl<'a> Keys<'a> {
    /// The member of `tree` that the next key names.
    fn find(&mut self, tree: &'a Tree, bytes: &[u8], key: Value) -> Option<&'a Member> {
        let text = &bytes[key.whole.start as usize..][..key.whole.len as usize];
        let known = self.known.get_mut(self.count);
        self.count += 1;
        match known {
            Some(known) if ptr::eq(known.tree, tree) && known.key == text => known.member,
            Some(known) => {
                (known.tree, known.member) = (tree, tree.find(bytes, key));
                known.key.clear();
                known.key.extend_from_slice(text);
                known.member
            }
            None => {
                let member = tree.find(bytes, key);
                if self.known.len() < MOST_KNOWN {
                    self.known.push(Known { tree, key: text.to_vec(), member });
                }
                member
            }
        }
    }
}

/// The result of reading one object, beside the fields.
#[derive(Debug, Default)]
pub(super) struct Others<'a> {
    /// The members without a slot, each with the place in `paths` of the names before its own.
    members: Vec<(Range<usize>, Value, Value)>,
    /// The names of the objects around members, each with a dot after it.
    paths: Vec<u8>,
    keys: Keys<'a>,
    /// For each member, the number of the last object that had it; and the number of this object.
    seen: Vec<u32>,
    object: u32,
    /// The second of two members with one name. It is not defined which of them counts (RFC 8259, 4), and if the server
    /// does not escape quotes, a client may have written one of them.
    twice: Option<usize>,
    /// Whether a member has come by which the format is detected.
    is_identified: bool,
}

/// A walk through one object.
pub(super) struct Object<'a, 'b, F> {
    pub(super) bytes: &'b [u8],
    pub(super) others: &'b mut Others<'a>,
    /// Whether members without a slot are wanted.
    pub(super) keeps: bool,
    /// Gets each value that has a slot, and whether it is one of several; returns whether the slot takes it: another value
    /// may already be there. Of several values a slot takes the first that has the form of its column.
    pub(super) each: F,
}

impl<'a, F: FnMut(Slot, Value, bool) -> bool> Object<'a, '_, F> {
    /// Reads the object from `start` to `end`; returns the byte where it stops being one of the format.
    pub(super) fn read(&mut self, tree: &'a Tree, start: usize, end: usize) -> Result<(), usize> {
        let others = &mut *self.others;
        others.members.clear();
        others.paths.clear();
        others.keys.count = 0;
        others.seen.resize(tree.count, 0);
        others.object = others.object.wrapping_add(1);
        (others.twice, others.is_identified) = (None, false);
        let bytes = self.bytes;
        json::members(bytes, start, end, |key, value| {
            let member = self.others.keys.find(tree, bytes, key);
            self.member(member, (&(0..0), key), value);
        })?;
        match self.others.twice {
            Some(second) => Err(second),
            None if self.others.is_identified => Ok(()),
            None => Err(start),
        }
    }

    /// A member of an object that is known to be right; `before` is the place in `paths` of the names around it.
    fn member(&mut self, member: Option<&'a Member>, (before, key): (&Range<usize>, Value), value: Value) {
        if let Some(member) = member {
            let others = &mut *self.others;
            others.is_identified |= member.identifies;
            if std::mem::replace(&mut others.seen[member.place], others.object) == others.object {
                others.twice.get_or_insert(key.whole.start as usize);
            }
        }
        let within = member.map(|member| &member.within).filter(|within| !within.members.is_empty());
        if let (Some(member), Some(within)) = (member, within) {
            match self.bytes[value.whole.start as usize] {
                b'{' => {
                    // Its mere presence may be a value, as with `tls`.
                    if let Some(slot) = member.slot {
                        (self.each)(slot, value, false);
                    }
                    return self.object(within, before, &member.name, value);
                }
                b'[' => return self.array(within, (before, key), value),
                _ => {}
            }
        }
        let slot = member.and_then(|member| member.slot);
        if !slot.is_some_and(|slot| (self.each)(slot, value, false)) && self.keeps {
            self.others.members.push((before.clone(), key, value));
        }
    }

    /// The names before those of the members of `name`.
    fn path(&mut self, before: &Range<usize>, name: &[u8]) -> Range<usize> {
        let paths = &mut self.others.paths;
        let start = paths.len();
        paths.extend_from_within(before.clone());
        paths.extend_from_slice(name);
        paths.push(b'.');
        start..paths.len()
    }

    /// The members of an object within another.
    fn object(&mut self, tree: &'a Tree, before: &Range<usize>, name: &[u8], object: Value) {
        let path = self.path(before, name);
        let bytes = self.bytes;
        json::members_within(bytes, object, |key, value| {
            let member = self.others.keys.find(tree, bytes, key);
            self.member(member, (&path, key), value);
        });
    }

    /// The elements whose numbers are wanted. If there are others, too, the array is a member without a slot.
    fn array(&mut self, tree: &'a Tree, (before, key): (&Range<usize>, Value), array: Value) {
        let (mut number, mut is_left) = (0usize, false);
        let bytes = self.bytes;
        let path = self.path(before, &key.name(bytes));
        json::elements_within(bytes, array, |value| {
            let is_meant = |member: &&'a Member| {
                member.number == Some(number)
                    || member.selector.as_ref().is_some_and(|selector| selector.means(bytes, value))
            };
            match tree.members.iter().find(is_meant) {
                None => match tree.members.iter().find(|member| member.is_every) {
                    Some(every) => is_left |= !self.takes_all(every, value),
                    None => is_left = true,
                },
                Some(member) if member.within.members.is_empty() => {
                    is_left |= !member.slot.is_some_and(|slot| (self.each)(slot, value, false));
                }
                Some(member) => self.member(Some(member), (&path, key), value),
            }
            number += 1;
        });
        if is_left && self.keeps {
            self.others.members.push((before.clone(), key, array));
        }
    }

    /// Whether slots take all of an element that a path with `[*]` means. The array is a member without a slot
    /// otherwise, so that nothing of its order is lost.
    fn takes_all(&mut self, member: &Member, value: Value) -> bool {
        let (bytes, within) = (self.bytes, &member.within.members);
        let mut takes_all = true;
        match bytes[value.whole.start as usize] {
            _ if within.is_empty() => {
                takes_all = member.slot.is_some_and(|slot| (self.each)(slot, value, true));
            }
            b'{' => json::members_within(bytes, value, |key, value| {
                let inner = member.within.find(bytes, key);
                takes_all &= inner.is_some_and(|inner| self.takes_all(inner, value));
            }),
            b'[' => json::elements_within(bytes, value, |value| {
                let every = within.iter().find(|member| member.is_every);
                takes_all &= every.is_some_and(|every| self.takes_all(every, value));
            }),
            _ => takes_all = false,
        }
        takes_all
    }
}

impl Others<'_> {
    /// Whether the object, as far as it was read, is of the format and no member has come twice.
    pub(super) fn is_certain(&self) -> bool {
        self.is_identified && self.twice.is_none()
    }

    /// The members without a slot as an object; those within another have its name and a dot before theirs.
    pub(super) fn object(&self, bytes: &[u8], records: &mut Records) -> Option<Text> {
        if self.members.is_empty() {
            return None;
        }
        let members = self.members.iter();
        let members =
            members.map(|(before, key, value)| ([&self.paths[before.clone()], key.written(bytes)], *value));
        Some(json::write_object(bytes, members, records))
    }
}

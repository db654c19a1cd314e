//! Logs whose fields a header names: the W3C extended format, whose `#Fields` may change in the middle of a file, logs
//! of Zeek, and CSV with the names in the first line. The columns are those of the first header; fields that only a
//! later header names go to the column `extra`.

use std::collections::{HashMap, HashSet};

use memchr::{memchr, memchr_iter, memchr2_iter, memmem};
use urimill_columns::batch::{Kind, Records, Text};
use urimill_read::format::first_lines::trim;
use urimill_read::format::quotes::{Rule, quoted, undouble};
use urimill_read::format::span;
use urimill_uri::simd::{Places, Span};

use super::definition::{self, Definition, Fields, Form, HeaderKind};
use super::roles::Slot;
use super::shape::Shape;

/// The names of a header.
pub(super) type Names = Vec<String>;

/// At most so many lines stand before the names of a table.
const TITLES: usize = 8;

impl definition::Header {
    /// Whether a header has the names by which the format is detected, in any case.
    pub(super) fn is_named(&self, names: &[String]) -> bool {
        let has = |name: &&str| names.iter().any(|other| other.eq_ignore_ascii_case(name));
        self.detected_by.iter().all(|wanted| wanted.split('|').any(|name| has(&name)))
    }

    /// The number of the line, of the first ones of a table, that has the names. Exports have lines with a title before
    /// it; without orders the first line is the header if no other is.
    pub(super) fn place(&self, lines: &[(Names, usize)]) -> Option<usize> {
        let named = lines.iter().position(|(names, _)| self.is_named(names));
        named.or_else(|| self.orders.is_empty().then_some(0))
    }
}

impl HeaderKind {
    /// The beginning of a line of comments that names the fields.
    fn mark(self) -> Option<&'static [u8]> {
        match self {
            HeaderKind::Extended(_) => Some(b"#Fields:"),
            HeaderKind::Zeek(_) => Some(b"#fields"),
            HeaderKind::Csv(_) => None,
        }
    }

    /// The names in a line, if it is a header. A header without names is a comment: it does not change the fields.
    pub(super) fn names(self, line: &[u8]) -> Option<Names> {
        let text = line.strip_prefix(self.mark()?)?;
        let words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let names: Names = words.map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        (!names.is_empty()).then_some(names)
    }

    /// The names in force at the beginning of a source, and the length in bytes of a header that is not a comment.
    pub(super) fn first(self, bytes: &[u8]) -> Option<(Names, usize)> {
        match self {
            HeaderKind::Csv(header) => {
                let mut lines = self.titles(bytes);
                header.place(&lines).map(|at| lines.swap_remove(at))
            }
            HeaderKind::Extended(_) | HeaderKind::Zeek(_) => {
                let lines = bytes.split(|&b| b == b'\n').map(trim);
                let mut comments =
                    lines.take_while(|line| line.trim_ascii().is_empty() || line.starts_with(b"#"));
                comments.find_map(|line| self.names(line)).map(|names| (names, 0))
            }
        }
    }

    /// The first lines of a table, one of which may have the names: the fields of each, and where it ends.
    pub(super) fn titles(self, bytes: &[u8]) -> Vec<(Names, usize)> {
        let ends = memchr_iter(b'\n', bytes).map(|at| at + 1).chain([bytes.len()]);
        let mut from = 0;
        let lines = ends.take(TITLES + 1).map(|end| {
            let line = &bytes[std::mem::replace(&mut from, end)..end];
            (self.names_in(trim(line.strip_suffix(b"\n").unwrap_or(line))), end)
        });
        lines.collect()
    }

    /// The names of the fields of `lines` that come without a header: the list of the format with as many fields as
    /// most lines.
    pub(super) fn bare<'l>(self, lines: impl Iterator<Item = &'l [u8]>) -> Option<Names> {
        let known = self.orders();
        let mut parts = Vec::new();
        let width = |line: &[u8]| {
            split(line, (0, line.len()), self.between(line), &mut parts);
            parts.len()
        };
        let widths: Vec<usize> = lines.map(width).collect();
        let lines_of = |names: &&&[&str]| widths.iter().filter(|&&width| width == names.len()).count();
        // The first of the lists with that many.
        known.iter().rev().max_by_key(lines_of).map(|names| owned(names))
    }

    /// The names in force after `bytes`, if `bytes` have a header.
    pub(super) fn last(self, bytes: &[u8]) -> Option<Names> {
        let mark = self.mark()?;
        // Most chunks have none, and a forward search finds that out fast.
        memmem::find(bytes, mark)?;
        let mut end = bytes.len();
        loop {
            let at = memmem::rfind(&bytes[..end], mark)?;
            let before = bytes[..at].iter().rfind(|&&b| b != 0);
            if before.is_none_or(|&b| b == b'\n') {
                let line = &bytes[at..];
                let line = &line[..memchr(b'\n', line).unwrap_or(line.len())];
                if let Some(names) = self.names(line.strip_suffix(b"\r").unwrap_or(line)) {
                    return Some(names);
                }
            }
            end = at;
        }
    }

    /// The names in a line of a table; some exports have them in a comment.
    fn names_in(self, line: &[u8]) -> Names {
        let line = line.strip_prefix(b"#").map_or(line, <[u8]>::trim_ascii_start);
        let mut parts = Vec::new();
        split(line, (0, line.len()), self.between(line), &mut parts);
        parts.iter().map(|part| String::from_utf8_lossy(part.text(line)).into_owned()).collect()
    }

    pub(super) fn is_comment(self, line: &[u8]) -> bool {
        !self.is_csv() && line.starts_with(b"#")
    }

    /// At most this many fields are in a line.
    pub(super) fn most(self, line: &[u8]) -> usize {
        1 + match self {
            HeaderKind::Csv(header) => memchr_iter(header.separator, line).count(),
            HeaderKind::Extended(_) | HeaderKind::Zeek(_) => memchr2_iter(b' ', b'\t', line).count(),
        }
    }

    pub(super) fn between(self, line: &[u8]) -> Between {
        match self {
            HeaderKind::Csv(header) => Between::Each(header.separator),
            HeaderKind::Zeek(_) => Between::Tabs,
            // Between tabs, fields may hold spaces.
            HeaderKind::Extended(_) if memchr(b'\t', line).is_some() => Between::Tabs,
            HeaderKind::Extended(_) => Between::Spaces,
        }
    }
}

/// The names of a list.
pub(super) fn owned(names: &[&str]) -> Names {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// The names that a header of the format may have, one for each column.
pub(super) fn known_names(definition: &Definition) -> Vec<String> {
    match definition.form {
        Form::Named { head, .. } if let [known, ..] = head.orders() => owned(known),
        Form::Named { fields, .. } => {
            let (mut shape, mut taken) = (Shape::of(definition), HashSet::new());
            let own = fields.iter().filter(|(_, field)| taken.insert(shape.field(field)));
            own.map(|&(name, _)| name.to_owned()).collect()
        }
        _ => Vec::new(),
    }
}

/// The slots of fields by name; a name that occurs several times in a header has a slot for each.
#[derive(Debug, Clone, Default)]
pub(super) struct Slots(HashMap<String, Vec<Slot>>);

impl Slots {
    /// The slots for the names of the first header, which get columns in their order.
    pub(super) fn new(definition: &Definition, names: &[String], shape: &mut Shape) -> Slots {
        let Form::Named { fields, .. } = definition.form else { return Slots::default() };
        let mut slots: HashMap<String, Vec<Slot>> = HashMap::new();
        let (mut taken, mut free) = (HashSet::new(), FreeNames::default());
        for name in names {
            let slot = match known(fields, name) {
                Some(field) => shape.field(field),
                None => free.column(shape, name),
            };
            // The second of two fields with the same meaning becomes a column of text.
            let slot = if taken.contains(&slot) { free.column(shape, name) } else { slot };
            taken.insert(slot);
            slots.entry(name.clone()).or_default().push(slot);
        }
        let of_first = shape.roles.hosts.clone();
        // Fields that only a later header names have no column; those that make the URI are read nevertheless.
        for (name, field) in fields {
            if known_name(&slots, name).is_none()
                && let Some(slot) = shape.later(field)
            {
                slots.insert((*name).to_owned(), vec![slot]);
            }
        }
        // The more specific fields of the host come first in the definition.
        let place = |slot: &Slot| {
            let name = slots.iter().find(|(_, all)| all.contains(slot)).map(|(name, _)| name.as_str());
            fields.iter().position(|(known, _)| Some(*known) == name)
        };
        shape.roles.hosts.sort_by_key(place);
        shape.roles.named_host = shape.roles.hosts.iter().copied().find(|slot| of_first.contains(slot));
        shape.with_extra();
        Slots(slots)
    }

    /// The slot of a field by its name in the header, which may differ in case.
    pub(super) fn find(&self, name: &str) -> Option<Slot> {
        known_name(&self.0, name)?.first().copied()
    }

    /// The names of the fields, in the order of their slots.
    pub(super) fn names(&self) -> Vec<&str> {
        let slots =
            self.0.iter().flat_map(|(name, slots)| slots.iter().map(move |slot| (*slot, name.as_str())));
        let mut names: Vec<_> = slots.collect();
        names.sort_unstable();
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// The slots of the fields of a header; `None` for fields without a column.
    pub(super) fn of(&self, names: &[String]) -> Vec<Option<Slot>> {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        // The second of two names with the same meaning has no column.
        let mut taken = HashSet::new();
        let slot = |name| {
            let count = seen.entry(name).or_default();
            *count += 1;
            let slot = known_name(&self.0, name)?.get(*count - 1).copied();
            slot.filter(|&slot| taken.insert(slot))
        };
        names.iter().map(String::as_str).map(slot).collect()
    }
}

/// The slots of a name, which may differ in case.
fn known_name<'s>(slots: &'s HashMap<String, Vec<Slot>>, name: &str) -> Option<&'s Vec<Slot>> {
    let by_case = || slots.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, slots)| slots);
    slots.get(name).or_else(by_case)
}

/// Whether the format knows one of these names.
pub(super) fn knows_any(definition: &Definition, names: &[String]) -> bool {
    matches!(definition.form, Form::Named { fields, .. } if names.iter().any(|name| known(fields, name).is_some()))
}

/// The meaning of a field; names match in any case.
fn known(fields: Fields, name: &str) -> Option<&'static str> {
    fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|&(_, field)| field)
}

/// Unique names for columns of text. A header may have thousands of names, all of them the same.
#[derive(Default)]
struct FreeNames {
    /// The names of the first `seen` columns of the shape.
    taken: HashSet<String>,
    seen: usize,
    /// The last number that was added to a repeated name.
    numbers: HashMap<String, usize>,
}

impl FreeNames {
    /// A column of text, whose name has letters, digits and underscores: `sc-win32-status` is `sc_win32_status`.
    fn column(&mut self, shape: &mut Shape, name: &str) -> Slot {
        let letter = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let plain: String = name.chars().map(letter).collect();
        let parts: Vec<&str> = plain.split('_').filter(|part| !part.is_empty()).collect();
        let plain = if parts.is_empty() { "field".to_owned() } else { parts.join("_") };
        self.taken.extend(shape.columns[self.seen..].iter().map(|column| column.name.clone()));
        self.seen = shape.columns.len();
        let mut free = plain.clone();
        // Columns that are made of others have names, too.
        while self.taken.contains(&free) || free == "extra" || free == "prefix" {
            let number = self.numbers.entry(plain.clone()).or_insert(1);
            *number += 1;
            free = format!("{plain}_{number}");
        }
        shape.new_column(&free, Kind::Text)
    }
}

/// The separator between fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Between {
    /// One or more spaces; quotes may stand around a field.
    Spaces,
    /// One tab.
    Tabs,
    /// One such byte; quotes may stand around a field.
    Each(u8),
}

/// A field of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Without quotes.
    pub(super) inner: Span,
    /// Whether two quotes in it stand for one.
    pub(super) is_doubled: bool,
}

impl Part {
    #[inline]
    pub(super) fn text(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.inner.start as usize..][..self.inner.len as usize]
    }
}

/// The fields of the line `bytes[start..end]`.
pub(super) fn split(bytes: &[u8], (start, end): (usize, usize), between: Between, parts: &mut Vec<Part>) {
    parts.clear();
    let separator = match between {
        Between::Spaces => b' ',
        Between::Tabs => b'\t',
        Between::Each(separator) => separator,
    };
    let rule = Rule { separator, has_quotes: true, longest: usize::MAX, comment: b"" };
    let mut at = start;
    for stop in Places::of(separator, bytes, (start, end)).chain([end]) {
        if stop < at {
            // It is in quotes.
            continue;
        }
        if stop == at && between == Between::Spaces {
            at += 1;
            continue;
        }
        if between != Between::Tabs
            && let Some((close, is_doubled)) = quoted(&bytes[..end], at, rule)
        {
            parts.push(Part { inner: span(at + 1, close), is_doubled });
            // A separator follows, or the end.
            at = close + 2;
            continue;
        }
        parts.push(Part { inner: span(at, stop), is_doubled: false });
        at = stop + 1;
    }
}

/// Some servers align the columns of their logs with tabs: removes empty fields, if as many fields remain as there are
/// names.
pub(super) fn align(bytes: &[u8], parts: &mut Vec<Part>, names: usize) {
    let is_field = |part: &Part| !part.text(bytes).is_empty();
    if parts.len() > names && parts.iter().filter(|part| is_field(part)).count() == names {
        parts.retain(is_field);
    }
}

/// Zeek's word for an empty text.
pub(super) fn empty(bytes: &[u8], parts: &mut [Part]) {
    for part in parts {
        if bytes[part.inner.start as usize..].starts_with(b"(empty)") && part.inner.len == 7 {
            part.inner.len = 0;
        }
    }
}

/// The text of a field with doubled quotes.
pub(super) fn undoubled(bytes: &[u8], part: Part, records: &mut Records) -> Text {
    records.unescape(|out| undouble(part.text(bytes), out))
}

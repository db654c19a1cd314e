//! The entities of an XML document: those that it declares in its document type (XML, 4.2) with plain texts as values,
//! and those that HTML names.

use std::cell::Cell;
use std::collections::HashMap;

use quick_xml::escape::resolve_html5_entity;

use super::stream::LONGEST_VALUE;
use crate::amplified::is_too_much;

/// The entities that a document declares.
#[derive(Debug, Default)]
pub(super) struct Entities {
    texts: HashMap<String, String>,
    /// The number of bytes that they expanded to, and of bytes that were read.
    expanded: Cell<u64>,
    read: u64,
}

impl Entities {
    /// Adds the declarations in a document type. The first of two with one name counts (4.2).
    pub(super) fn declare(&mut self, doctype: &str) {
        let mut rest = doctype;
        while let Some(at) = rest.find("<!") {
            rest = &rest[at + 2..];
            if let Some(comment) = rest.strip_prefix("--") {
                rest = comment.find("-->").map_or("", |end| &comment[end..]);
            } else if let Some((name, value)) = rest.strip_prefix("ENTITY").and_then(declaration)
                && !value.contains(['&', '<'])
            {
                self.texts.entry(name.to_owned()).or_insert_with(|| value.to_owned());
            }
        }
    }

    /// The text of an entity; `None` if it is not declared, or if all entities together have expanded too far.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let Some(text) = self.texts.get(name) else { return resolve_html5_entity(name) };
        self.expanded.set(self.expanded.get() + text.len() as u64);
        (!self.are_too_much()).then_some(text)
    }

    /// [`Entities::get`] for one value, with a limit on its length: a short name may stand for a long text.
    pub(super) fn of_value<'e>(&'e self) -> impl FnMut(&str) -> Option<&'e str> {
        let mut room = LONGEST_VALUE;
        move |name| {
            let text = self.get(name)?;
            room = room.checked_sub(text.len())?;
            Some(text)
        }
    }

    /// Sets the number of bytes of the document that have been read.
    pub(super) fn have_read(&mut self, bytes: u64) {
        self.read = bytes;
    }

    /// Whether they have expanded further than the number of bytes that were read allows.
    pub(super) fn are_too_much(&self) -> bool {
        is_too_much(self.expanded.get(), self.read)
    }
}

/// The name and the value of a general entity, if the document gives its value.
fn declaration(text: &str) -> Option<(&str, &str)> {
    let (name, rest) =
        text.strip_prefix(char::is_whitespace)?.trim_start().split_once(char::is_whitespace)?;
    let rest = rest.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (value, _) = rest[1..].split_once(quote)?;
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_texts_are_declared() {
        // (document type, values of a and b): XML 1.0, 4.2
        type Case = (&'static str, [Option<&'static str>; 2]);
        let table: &[Case] = &[
            ("r [<!ENTITY a \"x\"><!ENTITY  b\n'y\"' >]", [Some("x"), Some("y\"")]),
            ("r [<!ENTITY a 'x'><!ENTITY a 'y'>]", [Some("x"), None]),
            ("r [<!-- <!ENTITY a 'x'> --><!ENTITY b 'y'>]", [None, Some("y")]),
            ("r [<!ENTITY % a 'x'><!ENTITY b SYSTEM 'y'>]", [None, None]),
            ("r [<!ENTITY a '<x/>'><!ENTITY b '&c;'>]", [None, None]),
            ("r [<!ENTITY a 'x", [None, None]),
            ("r", [None, None]),
        ];
        for (doctype, values) in table {
            let mut entities = Entities::default();
            entities.declare(doctype);
            assert_eq!([entities.get("a"), entities.get("b")], *values, "{doctype}");
        }
        assert_eq!(Entities::default().get("eacute"), Some("\u{e9}"));
    }
}

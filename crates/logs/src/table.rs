//! The formats that urimill knows: a file for each, in the folder `formats`, and two that have code of their own.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use urimill_base::error::Result;
use urimill_base::locks::lock;

use crate::definition::{Definition, Dialect, Escapes, Form, Header, HeaderKind, Writer};
use crate::{files, forms};

/// The definitions of the files in the order of their names, which the build script has written.
pub(crate) static BUILT_IN: &[Definition] = &include!(concat!(env!("OUT_DIR"), "/formats.rs"));

/// The definition of a name.
pub(crate) fn find(name: &str) -> Option<&'static Definition> {
    BUILT_IN.iter().chain([&CLF]).find(|definition| definition.name == name)
}

/// The definition of a user's file, which messages call `name`; one with the same text is the same definition.
///
/// # Errors
/// See [`files::given`].
pub(crate) fn given(name: &str, file: &str) -> Result<&'static Definition> {
    static GIVEN: Mutex<BTreeMap<&str, &'static Definition>> = Mutex::new(BTreeMap::new());
    if let Some(own) = BUILT_IN.iter().find(|own| own.file == file) {
        return Ok(own);
    }
    let is_taken = |name: &str| find(name).is_some() || name == DESCRIBED.name;
    let mut given = lock(&GIVEN);
    if let Some(definition) = given.get(file) {
        return Ok(definition);
    }
    let definition: &'static Definition = Box::leak(Box::new(files::given(name, file, is_taken)?));
    given.insert(definition.file, definition);
    Ok(definition)
}

/// All of them; each one before those that fit its lines, too.
pub(crate) fn all() -> impl Iterator<Item = &'static Definition> {
    static ORDERED: LazyLock<Vec<&'static Definition>> = LazyLock::new(|| ordered(BUILT_IN.iter().collect()));
    ORDERED.iter().copied().chain([&CLF])
}

/// Moves each definition before those that it names.
pub(crate) fn ordered(mut definitions: Vec<&'static Definition>) -> Vec<&'static Definition> {
    let mut ordered = Vec::with_capacity(definitions.len());
    while !definitions.is_empty() {
        let is_free = |at: &usize| {
            let name = definitions[*at].name;
            !definitions.iter().any(|other| other.name != name && other.before.contains(&name))
        };
        // Files that name each other: a test refuses them.
        let at = (0..definitions.len()).find(is_free).unwrap_or(0);
        ordered.push(definitions.remove(at));
    }
    ordered
}

/// Its row among the formats is in `access`.
pub(crate) static CLF: Definition = Definition {
    name: "clf",
    about: "Common or Combined Log Format of web servers, with or without virtual hosts",
    form: Form::Clf,
    escapes: Escapes::Backslash,
    values: &[],
    before: &[],
    nulls: &[],
    skip: &[],
    file: "",
};

/// By description.
pub(crate) static DESCRIBED: Definition = Definition {
    name: "log-format",
    about: "a log that --log-format describes",
    form: Form::Described,
    escapes: Escapes::Backslash,
    values: &[],
    before: &[],
    nulls: &[],
    skip: &[],
    file: "",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_says_what_the_build_script_has_written() {
        for built in BUILT_IN {
            let read = files::checked(built.file, |_| false);
            let read = read.unwrap_or_else(|fault| panic!("{}", fault.in_file(built.name, built.file)));
            assert_eq!(read, *built);
            for other in built.before {
                assert!(BUILT_IN.iter().any(|own| own.name == *other), "{}: before {other}", built.name);
            }
        }
    }

    #[test]
    fn every_definition_comes_before_those_that_it_names() {
        let names: Vec<&str> = all().map(|definition| definition.name).collect();
        for (at, definition) in all().enumerate() {
            let is_before = |other: &&str| names[at..].contains(other);
            assert!(
                definition.before.iter().all(is_before),
                "{} comes after one of its `before`",
                definition.name
            );
        }
    }
}

//! The formats that urimill knows: a file for each, in the folder `formats`, and two that have code of their own.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, OnceLock};

use urimill_base::error::Result;
use urimill_base::locks::lock;

use crate::definition::{Definition, Form};
use crate::escapes::Escapes;
use crate::files;

/// The files of formats: name, title and text of each, generated from the folder.
pub(crate) const FILES: &[(&str, &str, &str)] = &include!(concat!(env!("OUT_DIR"), "/formats.rs"));

/// The definitions of the files, in their order, each read when it is wanted.
static READ: [OnceLock<Option<Definition>>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];

fn read(at: usize) -> Option<&'static Definition> {
    // Every file can be read: a test does it.
    READ[at].get_or_init(|| files::built_in(FILES[at].2).ok()).as_ref()
}

/// The definition of a name.
pub(crate) fn find(name: &str) -> Option<&'static Definition> {
    match FILES.iter().position(|(own, ..)| *own == name) {
        Some(at) => read(at),
        None => Some(&CLF).filter(|clf| clf.name == name),
    }
}

/// The definition of a user's file, which messages call `name`; one with the same text is the same definition.
///
/// # Errors
/// See [`files::given`].
pub(crate) fn given(name: &str, file: &str) -> Result<&'static Definition> {
    static GIVEN: Mutex<BTreeMap<&str, &'static Definition>> = Mutex::new(BTreeMap::new());
    if let Some(own) = FILES.iter().position(|(.., text)| *text == file).and_then(read) {
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
    static ORDERED: LazyLock<Vec<&'static Definition>> =
        LazyLock::new(|| ordered((0..FILES.len()).filter_map(read).collect()));
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
    file: "",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read() {
        for (name, title, text) in FILES {
            let definition = files::built_in(text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!((definition.name, definition.about), (*name, *title));
            for other in definition.before {
                assert!(FILES.iter().any(|(name, ..)| name == other), "{name}: before {other}");
            }
        }
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

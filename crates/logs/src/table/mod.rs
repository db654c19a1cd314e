//! The table of definitions, with a row for each format: its lines, its detection, its fields with their types, and the
//! parts of its URIs. A new format is a row here and a sample in the tests; [`super::shape::Shape::field`] describes
//! fields, [`super::pattern`] forms of lines.

mod escapes;
mod headers;
mod lines;
mod members;

pub(super) use escapes::{escapes, has_escapes_beside_json};

/// A format.
#[derive(Debug)]
pub(super) struct Definition {
    /// Its name on the command line.
    pub(super) name: &'static str,
    /// Its description, for `--help` and the documentation.
    pub(super) about: &'static str,
    pub(super) form: Form,
}

/// Where the names stand, and the separator between fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeaderKind {
    /// After `#Fields:`; spaces or tabs between. Without a header the names are those of one of these lists: the first
    /// list has the fields with columns.
    Extended(&'static [&'static [&'static str]]),
    /// After `#fields`; tabs between.
    Zeek,
    /// In the first line; commas between, and quotes around.
    Csv,
}

/// The form of its records.
#[derive(Debug)]
pub(super) enum Form {
    /// Lines with fields in fixed places, in one of these forms; detected by lines that fit one.
    Lines(Writer, &'static [&'static str]),
    /// JSON objects: paths and fields; detected by these members.
    Objects { detected_by: &'static [&'static str], fields: Fields },
    /// Lines whose fields a header names, and the known names.
    Named { head: HeaderKind, fields: Fields },
    /// The logs of web servers, which `access` reads.
    Clf,
    /// Lines of the form that a user describes.
    Described,
}

/// How the lines of a format are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Writer {
    /// A backslash precedes a quote that is part of a field.
    Escapes,
    /// Quotes and backslashes of a client are written as they are. Only the whole line shows where each field ends.
    Raw,
    /// Without quotes; runs of spaces separate fields.
    Pads,
}

/// Names in the log, and fields.
pub(super) type Fields = &'static [(&'static str, &'static str)];

/// The definition of a name.
pub(super) fn find(name: &str) -> Option<&'static Definition> {
    all().find(|definition| definition.name == name)
}

/// All of them; the more specific ones first.
pub(super) fn all() -> impl Iterator<Item = &'static Definition> {
    lines::LINES.iter().chain(headers::HEADERS).chain(members::OBJECTS).chain([&CLF])
}

/// Its row among the formats is in `access`.
pub(super) static CLF: Definition = Definition {
    name: "clf",
    about: "Common or Combined Log Format of web servers, with or without virtual hosts",
    form: Form::Clf,
};

/// By description.
pub(super) const DESCRIBED: Definition =
    Definition { name: "log-format", about: "a log that --log-format describes", form: Form::Described };

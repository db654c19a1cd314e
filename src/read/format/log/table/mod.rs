//! The table of definitions: a row a format. Its lines, how it is told, its fields with their types, and where the
//! parts of its URIs stand. A new format is a row here and a sample in the tests; what the fields mean is said at
//! [`super::shape::Shape::field`], forms of lines at [`super::pattern`].

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
    /// What it is: for `--help` and the documentation.
    pub(super) about: &'static str,
    pub(super) form: Form,
}

/// Where the names stand, and what stands between fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::read::format::log) enum HeaderKind {
    /// After `#Fields:`; spaces or tabs between. Without a header the names are one of these lists: the first has the
    /// fields that have columns.
    Extended(&'static [&'static [&'static str]]),
    /// After `#fields`; tabs between.
    Zeek,
    /// In the first line; commas between, and quotes around.
    Csv,
}

/// What its records are.
#[derive(Debug)]
pub(super) enum Form {
    /// Lines with fields in fixed places, in one of these forms; told by lines that fit one.
    Lines(Writer, &'static [&'static str]),
    /// JSON objects: paths and fields; told by these members.
    Objects { detected_by: &'static [&'static str], fields: Fields },
    /// Lines whose fields a header names, and what is known of these names.
    Named { head: HeaderKind, fields: Fields },
    /// The logs of web servers, which `clf` reads.
    Clf,
    /// Lines of the form that a user describes.
    Described,
}

/// How a format's lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::read::format::log) enum Writer {
    /// A backslash stands before a quote that is part of a field.
    Escapes,
    /// Quotes and backslashes of a client stand as they are. Where each field ends only the whole line tells.
    Raw,
    /// Without quotes; runs of spaces stand between fields.
    Pads,
}

/// Names in the log, and fields.
pub(super) type Fields = &'static [(&'static str, &'static str)];

/// The definition of a name.
pub(super) fn find(name: &str) -> Option<&'static Definition> {
    all().find(|definition| definition.name == name)
}

/// All of them: those first that say more of a line.
pub(super) fn all() -> impl Iterator<Item = &'static Definition> {
    lines::LINES.iter().chain(headers::HEADERS).chain(members::OBJECTS).chain([&CLF])
}

/// After a prefix.
pub(super) static CLF: Definition = Definition {
    name: "clf",
    about: "Common or Combined Log Format of web servers, with or without virtual hosts",
    form: Form::Clf,
};

/// By description.
pub(super) const DESCRIBED: Definition =
    Definition { name: "log-format", about: "a log that --log-format describes", form: Form::Described };
